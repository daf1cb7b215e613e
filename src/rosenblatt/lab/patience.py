"""Connections that cannot be held open for nothing: a request must come whole, and soon.

uvicorn waits for ever for the first request, and any byte stops its clock for the next ones, so
anybody on this machine could keep thousands of sockets open with half a line each, without a key.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0  # seconds from the connection, or from the last answer, to the end of a request
_COMING = (h11.IDLE, h11.SEND_BODY)


class Patience(H11Protocol):
    """HTTP/1.1 that ends a connection whose request is not all there in time.

    The request that opens a WebSocket is read here, too; the socket itself has pings.
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
