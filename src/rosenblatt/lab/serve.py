"""Starting the lab: a port on this machine, a key for this run, a browser that opens the page."""

import asyncio
import errno
import os
import secrets
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress

import uvicorn
import websockets  # noqa: F401  # uvicorn loads it, but only when it is too late to say it lacks

from rosenblatt.lab.app import make_app
from rosenblatt.lab.opening import Opening, clean
from rosenblatt.lab.patience import Patience
from rosenblatt.lab.tab import LARGEST, LIMIT
from rosenblatt.lab.workers import COMMAND, WorkerEndedError, Workers

HOST = "127.0.0.1"
PORT = 1957  # the year of the first perceptron


def listen(port: int | None) -> socket.socket:
    """Return a socket on this machine: of the port asked for; else of the usual one, or any."""
    for candidate in (port,) if port is not None else (PORT, 0):
        # Where TCP is not named, asyncio lets the system hold small answers back, for 40 ms each.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        # A port just left can be used at once, but on Windows this would share one that is in use.
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, candidate))
            listener.listen()
        except OSError as error:
            listener.close()
            if port is None and candidate:
                continue
            taken = error.errno == errno.EADDRINUSE
            why = "is in use" if taken else f"cannot be used ({os.strerror(error.errno or 0)})"
            raise ValueError(f"port {port} {why}; choose another, or leave out --port") from None
        return listener
    raise AssertionError("any port includes a free one")


def _is_free(port: int) -> bool:
    """Say whether nobody listens on a port."""
    try:
        listen(port).close()
    except ValueError:
        return False
    return True


class Lab(uvicorn.Server):
    """A server that tells when it is ready."""

    def __init__(
        self,
        listener: socket.socket,
        token: str | None = None,
        limit: float = LIMIT,
        command: Sequence[str] = COMMAND,
        on_ready: Callable[[str], None] = lambda url: None,
    ) -> None:
        self.port = port = listener.getsockname()[1]
        token = token or secrets.token_urlsafe(24)
        self.url = f"http://{HOST}:{port}/{token}/"
        self.workers, self.listener, self.on_ready = Workers(command), listener, on_ready
        self.failure: Exception | None = None
        self.opening = Opening()
        config = uvicorn.Config(
            make_app(port, token, self.workers, limit, self.opening.done),
            loop="asyncio",
            http=Patience,
            ws="websockets-sansio",
            ws_max_size=LARGEST,
            ws_per_message_deflate=False,
            log_level="error",
            access_log=False,  # its lines would show the key
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and wait for the first process that computes; then tell the address."""
        await super().startup(sockets)
        clean(lambda port: port == self.port or _is_free(port))
        if self.started:
            self.telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        try:
            await asyncio.shield(self.workers.prepare())
            self.on_ready(self.url)
        except Exception as error:
            self.failure, self.should_exit = error, True

    def open_browser(self, url: str) -> bool:
        """Open an address of this lab in the browser, and go on; say whether there is one."""
        return self.opening.open(url)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; what must not be left is removed here, as a signal ends the process right after."""
        self.opening.done()
        await super().shutdown(sockets)

    def serve_until_stopped(self) -> None:
        """Answer until Ctrl-C."""
        with suppress(KeyboardInterrupt):
            self.run(sockets=[self.listener])
        if isinstance(self.failure, WorkerEndedError):
            raise ValueError("the process that computes does not start; what is above says why")
        if self.failure is not None:
            raise self.failure
