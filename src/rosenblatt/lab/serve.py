"""Starting the lab: a port on this machine, a key for this run, a browser that opens the page."""

import asyncio
import errno
import logging
import os
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import h11
import uvicorn
import websockets  # noqa: F401  # uvicorn loads it, but only when it is too late to say it lacks
from uvicorn.protocols.http.h11_impl import H11Protocol

from rosenblatt.lab.app import make_app
from rosenblatt.lab.open_browser import Opening, clean
from rosenblatt.lab.page_session import LARGEST, LIMIT
from rosenblatt.lab.worker_pool import COMMAND, WorkerEndedError, Workers

HOST = "127.0.0.1"
PORT = 1957  # the year of the first perceptron
PATIENCE = 10.0  # seconds from the connection, or from the last answer, to the end of a request
_COMING = (h11.IDLE, h11.SEND_BODY)


class Patience(H11Protocol):
    """HTTP/1.1 that ends a connection whose request is not all there in time.

    uvicorn waits for ever for the first request, and any byte stops its clock for the next ones, so
    anybody on this machine could keep thousands of sockets open with half a line each, without a
    key. The request that opens a WebSocket is read here, too; the socket itself has pings.
    """

    clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Take some of a request in; that more has come does not set the clock back."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        super().connection_lost(exc)
        self._stop()

    def _look(self) -> None:
        """Start the clock if a request is to come; stop it if one is whole."""
        handed_over = self.transport.get_protocol() is not self  # to the WebSocket
        if handed_over or self.transport.is_closing() or self.conn.their_state not in _COMING:
            self._stop()
        elif self.clock is None:
            self.clock = self.loop.call_later(PATIENCE, self.transport.abort)

    def _stop(self) -> None:
        if self.clock is not None:
            self.clock.cancel()
            self.clock = None


def _is_news(record: logging.LogRecord) -> bool:
    """Leave out that Ctrl-C cancelled a task: before uvicorn waits for it, it logs a traceback."""
    return "CancelledError" not in record.getMessage()


def listen(port: int | None) -> socket.socket:
    """Return a socket on this machine: of this port; else of the usual one, or any."""
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
            raise ValueError(f"port {port} {why}; choose another, or leave out port") from None
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
        logging.getLogger("uvicorn.error").addFilter(_is_news)
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
        await self.workers.close()  # a second Ctrl-C has uvicorn leave that out

    @contextmanager
    def _interrupted_in_order(self) -> Iterator[None]:
        """Take a Ctrl-C before and after uvicorn does, or asyncio would cancel all at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self.handle_exit)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def serve_until_stopped(self) -> None:
        """Answer until Ctrl-C."""
        with self._interrupted_in_order(), suppress(KeyboardInterrupt):
            self.run(sockets=[self.listener])
        if isinstance(self.failure, WorkerEndedError):
            raise ValueError("the process that computes does not start; what is above says why")
        if self.failure is not None:
            raise self.failure
