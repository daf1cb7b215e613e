"""Who may ask: only a page that this run served, with this run's key in its address.

Any web page may send requests to a server on this machine. So each request must name the server as
it is (or a foreign name could be made to lead here: DNS rebinding), must come from the lab's own
page if it says where it comes from (a WebSocket must say it), and must have the key in its path.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from hmac import compare_digest
from typing import Any

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_NAMES = ("127.0.0.1", "localhost")
_NO_KEY = (
    "The key in this address is not that of this run of the lab. Open the address that its\n"
    "terminal shows. What you had is still in this address, behind '#': to see it again, end\n"
    "the lab and start it with\n\n    rosenblatt lab 'THIS ADDRESS'"
)
_PLAIN = [(b"content-type", b"text/plain; charset=utf-8")]


def headers(port: int) -> list[tuple[bytes, bytes]]:
    """Return what every answer says: load nothing from elsewhere, and no code but the lab's."""
    sockets = " ".join(f"ws://{name}:{port}" for name in _NAMES)
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        f"connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return [
        (b"content-security-policy", policy.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"cache-control", b"no-store"),
    ]


class Guard:
    """Lets the lab's own requests through to an application, and turns away all others."""

    def __init__(self, app: App, port: int, token: str) -> None:
        self.app, self.headers = app, headers(port)
        self.prefix = f"/{token}/"
        self.hosts = {f"{name}:{port}" for name in _NAMES}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refused = self._why_not(scope)
        if refused is None:
            await self.app({**scope, "path": self._inner(scope)}, receive, self._adding(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # answered with 403
        else:
            status, text = refused
            await self._adding(send)(
                {"type": "http.response.start", "status": status, "headers": _PLAIN}
            )
            await send({"type": "http.response.body", "body": f"{text}\n".encode()})

    def _inner(self, scope: Scope) -> str:
        return f"/{scope['path'][len(self.prefix) :]}"

    def _why_not(self, scope: Scope) -> tuple[int, str] | None:
        """Return a status and a reason to refuse a request, or None."""
        hosts = _all(scope, b"host")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return 421, "The lab answers to 127.0.0.1 and localhost only, with its port."
        origins = _all(scope, b"origin")
        needed = scope["type"] == "websocket"
        if (needed and not origins) or any(one not in self.origins for one in origins):
            return 403, "The lab answers to its own page only."
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            return 405, "The lab is only read from; what it computes goes over its WebSocket."
        start = scope["path"][: len(self.prefix)].encode("utf-8", "replace")
        if not compare_digest(start, self.prefix.encode()):
            return 403, _NO_KEY
        return None

    def _adding(self, send: Send) -> Send:
        async def sending(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *self.headers]}
            await send(message)

        return sending


def _all(scope: Scope, name: bytes) -> list[str]:
    """Return all values of a header."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
