"""The application: the page's files, by name, and its WebSocket."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from importlib import resources
from importlib.resources.abc import Traversable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from rosenblatt.lab.access_key import Guard
from rosenblatt.lab.page_session import LIMIT, Tab
from rosenblatt.lab.worker_pool import Workers

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


def page_files() -> dict[str, bytes]:
    """Return the page's files by their names; nothing else is ever served."""
    return dict(_files(resources.files("rosenblatt.lab") / "static", ""))


def _files(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _files(item, f"{prefix}{item.name}/")
        elif item.name.rpartition(".")[2] in _TYPES:
            yield f"{prefix}{item.name}", item.read_bytes()


def make_app(
    port: int,
    token: str,
    workers: Workers,
    limit: float = LIMIT,
    on_page: Callable[[], None] = lambda: None,
) -> Guard:
    """Make the application that answers on a port to those who have the key."""
    files = page_files()

    async def file(request: Request) -> Response:
        name = request.path_params["name"] or "index.html"
        if name not in files:
            return PlainTextResponse("The lab has no such page.\n", 404)
        return Response(files[name], headers={"content-type": _TYPES[name.rpartition(".")[2]]})

    async def socket(websocket: WebSocket) -> None:
        on_page()
        await Tab(websocket, workers, limit).run()

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        workers.prepare()
        try:
            yield
        finally:
            await workers.close()

    routes = [WebSocketRoute("/socket", socket), Route("/{name:path}", file)]
    return Guard(Starlette(routes=routes, lifespan=life), port, token)
