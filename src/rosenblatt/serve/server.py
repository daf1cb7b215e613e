"""The server: models from disk, a socket, uvicorn, and an orderly end."""

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Mapping

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rosenblatt.serve.app import Api, Model, make_app
from rosenblatt.serve.guard import Guard
from rosenblatt.serve.log import Log, LogError
from rosenblatt.serve.model import Served
from rosenblatt.serve.payloads import Limits
from rosenblatt.serve.states import Settings
from rosenblatt.serve.writer import Writer

PATIENCE = 10.0  # seconds until the head of a request has come
READING = 60.0  # seconds in which a client must have read some of an answer
LONGEST_HEAD = 64 << 10  # bytes of a request's head, and of all between the parts of its body
MOST_CONNECTIONS = 1_000
_TOLD = 100  # connections beyond these, which are answered that there are too many
_SWITCH = 0.0005  # seconds after which a thread lets another one run


class Patient(HttpToolsProtocol):
    """HTTP/1.1 that ends a connection on which nothing goes on.

    uvicorn waits for ever for the first request, for the end of its head, however long that is, and
    for a client to read an answer, so anybody could keep all connections and fill memory.
    """

    clock: asyncio.TimerHandle | None = None
    unread = 0  # bytes of answers when the clock began
    pending = 0  # bytes that came since a head or a part of a body was complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS + _TOLD:
            transport.abort()
        else:
            self._wait(PATIENCE)

    def data_received(self, data: bytes) -> None:
        """Take some of a request."""
        self.pending += len(data)
        super().data_received(data)
        if self.pending > LONGEST_HEAD:
            self.transport.abort()

    def on_headers_complete(self) -> None:
        """Wait no longer: how a body comes is the application's to see to."""
        self.pending = 0
        self._stop()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of a body."""
        self.pending = 0
        super().on_body(body)

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it has come."""
        super().on_response_complete()
        self._stop()
        if self.cycle.response_complete:
            self._wait(PATIENCE)

    def pause_writing(self) -> None:
        """Wait for the client to read some of the answer."""
        super().pause_writing()
        self._wait(READING)

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        self._stop()
        if self.cycle is None or self.cycle.response_complete:
            self._wait(PATIENCE)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        super().connection_lost(exc)
        self._stop()

    def _wait(self, seconds: float) -> None:
        self._stop()
        self.unread = self.transport.get_write_buffer_size()
        self.clock = self.loop.call_later(READING if self.unread else seconds, self._end)

    def _end(self) -> None:
        """End the connection, unless the client is still reading an answer."""
        if self.transport.get_write_buffer_size() < self.unread:
            self._wait(PATIENCE)
        else:
            self.transport.abort()

    def _stop(self) -> None:
        if self.clock is not None:
            self.clock.cancel()
            self.clock = None


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raise ``ValueError`` with what to do if that cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), port))
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise ValueError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}; choose another "
            "with --port (0 is any free one) or --host"
        ) from None
    return listener


class Service(uvicorn.Server):
    """Serves models until it is stopped.

    Parameters
    ----------
    log : Log
        What is on disk.
    models : dict
        The models, by name; those that learn are in the log.
    host : str
        Where it listens; only on loopback may there be no token.
    listener : socket
        The socket.
    token : str, optional
        What requests must have.
    limits, settings : Limits and Settings
        What requests may be at most, and when snapshots are taken.
    on_ready : callable
        Is called with the address once requests are answered.
    """

    def __init__(
        self,
        log: Log,
        models: Mapping[str, Model],
        host: str,
        listener: socket.socket,
        token: str | None = None,
        limits: Limits | None = None,
        settings: Settings | None = None,
        on_ready: Callable[[str], None] = lambda url: None,
    ) -> None:
        self.log_on_disk, self.listener, self.on_ready = log, listener, on_ready
        self.port = listener.getsockname()[1]
        shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
        self.url = f"http://{shown}:{self.port}"
        learners = {name: one for name, one in models.items() if isinstance(one, Served)}
        self.writer = Writer(log, learners, self._on_loop, settings or Settings())
        self.writer.on_failure = self._fail
        self.failed: Exception | None = None
        self.api = Api(models, self.writer, limits or Limits())
        app = Guard(
            make_app(self.api, self._stop), host, self.port, token, self.api.measures.observe
        )
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http=Patient,
            ws="none",
            lifespan="on",
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=30,
        )
        super().__init__(config)

    def _on_loop(self, work: Callable[[], None]) -> None:
        self.loop.call_soon_threadsafe(work)

    def _fail(self, error: Exception) -> None:
        """End, as what is in memory may not be what is on disk; the next start replays that."""
        self.failed = error
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the writer, then answer."""
        self.loop = asyncio.get_running_loop()
        sys.setswitchinterval(_SWITCH)
        self.writer.start()
        await super().startup(sockets)
        if self.started:
            self.on_ready(self.url)

    async def _stop(self) -> None:
        """Finish what waits to be learned, and write a snapshot."""
        await asyncio.to_thread(self.writer.stop)

    def serve_until_stopped(self) -> None:
        """Answer until SIGTERM or Ctrl-C; requests that came before are answered."""
        try:
            self.run(sockets=[self.listener])
        except KeyboardInterrupt:  # which uvicorn raises again once it has ended
            pass
        finally:
            self.log_on_disk.close()
        if self.failed is not None:
            raise LogError(
                f"the service ended, as its log could not be relied on ({self.failed}); what was "
                "acknowledged is on disk: start it again"
            ) from self.failed
