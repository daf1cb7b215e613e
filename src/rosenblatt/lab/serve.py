"""Starting the lab: a port on this machine, a key for this run, and a browser that opens the page."""

import asyncio
import errno
import secrets
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from rosenblatt.lab.app import make_app
from rosenblatt.lab.tab import LARGEST, LIMIT
from rosenblatt.lab.workers import WorkerEndedError, Workers

HOST = "127.0.0.1"
PORT = 1957  # the year of the first perceptron


def listen(port: int | None) -> socket.socket:
    """Return a socket on this machine: of the port asked for; else of the usual one, or any."""
    for candidate in (port,) if port is not None else (PORT, 0):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, candidate))
        except OSError as error:
            listener.close()
            if port is None and candidate:
                continue
            why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used: {error}"
            raise ValueError(f"port {port} {why}; choose another one, or none to get any") from None
        return listener
    raise AssertionError("any port includes a free one")


class Lab(uvicorn.Server):
    """A server that tells when it is ready."""

    def __init__(
        self,
        listener: socket.socket,
        token: str | None = None,
        limit: float = LIMIT,
        on_ready: Callable[[str], None] = lambda url: None,
    ) -> None:
        port = listener.getsockname()[1]
        token = token or secrets.token_urlsafe(24)
        self.url = f"http://{HOST}:{port}/{token}/"
        self.workers, self.listener, self.on_ready = Workers(), listener, on_ready
        config = uvicorn.Config(
            make_app(port, token, self.workers, limit),
            log_level="error",
            access_log=False,  # its lines would show the key
            ws="websockets-sansio",
            ws_max_size=LARGEST,
            ws_per_message_deflate=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and wait for the first process that computes; then tell the address."""
        await super().startup(sockets)
        if self.started:
            self.telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        with suppress(WorkerEndedError):
            await asyncio.shield(self.workers.prepare())
        self.on_ready(self.url)

    def serve_until_stopped(self) -> None:
        """Answer until Ctrl-C."""
        with suppress(KeyboardInterrupt):
            self.run(sockets=[self.listener])


def open_browser(url: str) -> bool:
    """Open a page in the browser; say whether there was one."""
    with suppress(webbrowser.Error):
        return webbrowser.open(url)
    return False
