"""Who may ask: on loopback this machine's own programs, elsewhere those who have the token.

Any web page may send requests to a server on this machine, so on loopback each must name the server
as it is (or a foreign name could be made to lead here: DNS rebinding), and one that says that it
comes from a page must come from the service's own.
"""

import time
from collections.abc import Awaitable, Callable, MutableMapping
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Any

import orjson

from rosenblatt.serve.errors import FORBIDDEN, MISDIRECTED, UNAUTHORISED, RefusedError

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Observe = Callable[[Scope, int, float], None]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")
SHORTEST = 16  # characters of a token
_OPEN = ("/v2/health/live", "/v2/health/ready", "/", "/page.js", "/page.css", "/icon.svg")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


def read_token(path: Path) -> str:
    """Return the token in a file; raise ``ValueError`` if it is none."""
    try:
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"--token-file {path} cannot be read: {error}") from None
    if len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError(
            f"--token-file {path} must hold a single line of {SHORTEST} or more ASCII characters "
            "without blanks, such as that of: openssl rand -hex 32"
        )
    return token


class Guard:
    """Lets requests through to an application, or refuses them; measures all of them."""

    def __init__(self, app: App, host: str, port: int, token: str | None, observe: Observe) -> None:
        self.app, self.observe = app, observe
        names = {*LOOPBACK, host} if host in LOOPBACK else None
        self.hosts = None if names is None else {f"{name}:{port}" for name in names}
        self.digest = None if token is None else sha256(f"Bearer {token}".encode()).digest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status = time.perf_counter(), 500

        async def sending(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", []), *_HEADERS]
            await send(message)

        try:
            refused = self._why_not(scope)
            if refused is None:
                await self.app(scope, receive, sending)
            else:
                headers = [(b"content-type", b"application/json")]
                if refused.status == UNAUTHORISED:
                    headers.append((b"www-authenticate", b"Bearer"))
                await sending(
                    {"type": "http.response.start", "status": refused.status, "headers": headers}
                )
                body = orjson.dumps(refused.as_json())
                await send({"type": "http.response.body", "body": body})
        finally:
            self.observe(scope, status, time.perf_counter() - start)

    def _why_not(self, scope: Scope) -> RefusedError | None:
        """Return why a request is refused, or None."""
        host = origin = given = None
        for name, value in scope["headers"]:
            if name == b"host":
                host = value.decode("latin-1")
            elif name == b"origin":
                origin = value.decode("latin-1")
            elif name == b"authorization":
                given = value
        if self.hosts is not None:
            if host not in self.hosts:
                return RefusedError(
                    MISDIRECTED,
                    f"this service is not {str(host)[:60]!r}",
                    f"ask {min(self.hosts)}",
                )
            if origin is not None and origin not in {f"http://{name}" for name in self.hosts}:
                return RefusedError(
                    FORBIDDEN,
                    f"a page of {origin[:60]!r} may not ask this service",
                    "ask from a program, or from the service's own page",
                )
        if self.digest is not None and scope["path"] not in _OPEN:
            digest = sha256(given or b"").digest()
            if not compare_digest(digest, self.digest):
                return RefusedError(
                    UNAUTHORISED,
                    "the token is missing" if given is None else "the token is not the right one",
                    "send the header 'Authorization: Bearer TOKEN', with that of --token-file",
                )
        return None
