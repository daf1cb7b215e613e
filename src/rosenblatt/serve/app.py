"""The application: what each address answers."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from importlib import resources
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from rosenblatt._version import __version__
from rosenblatt.serve import payloads
from rosenblatt.serve.errors import (
    BAD,
    BROKEN,
    BUSY,
    MISSING,
    UNPROCESSABLE,
    WRONG_METHOD,
    RefusedError,
)
from rosenblatt.serve.measures import Measures
from rosenblatt.serve.model import ReadOnly, Served, opened
from rosenblatt.serve.openapi import description
from rosenblatt.serve.payloads import LINES, Budget, Limits
from rosenblatt.serve.states import INCOMING, kinds_differ
from rosenblatt.serve.writer import Done, Labelled, Learned, Writer

Model = Served | ReadOnly
Handler = Callable[[Request], Awaitable[Response]]
_ACTIONS = ("predict", "learn", "explain")
_LONGEST_KEY = 200
_SHOWN = 12  # weights
_POINTS = 240  # of a curve
_FILES = {
    "": "text/html; charset=utf-8",
    "page.js": "text/javascript",
    "page.css": "text/css",
    "icon.svg": "image/svg+xml",
}


class Json(Response):
    """An answer in JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS)


class Lines(StreamingResponse):
    """An answer line by line, while the body of the request still comes.

    Starlette's own reads the request meanwhile, to see whether the client has gone, and loses parts
    of the body.
    """

    media_type = LINES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        await self.stream_response(send)


class Api:
    """What the addresses do.

    Parameters
    ----------
    models : dict
        The models, by name.
    writer : Writer
        What learns.
    limits : Limits
        What requests may be at most.
    """

    def __init__(self, models: Mapping[str, Model], writer: Writer, limits: Limits) -> None:
        self.models, self.writer, self.limits = models, writer, limits
        self.budget = Budget(limits)
        self.measures = Measures(models, writer)
        self.ready = False

    def routes(self) -> list[Route]:
        """Return all addresses."""
        model = "/v1/models/{name}"
        handlers: list[tuple[str, str, Handler]] = [
            (f"{model}:predict", "POST", self.predict),
            (f"{model}:learn", "POST", self.learn),
            (f"{model}:explain", "POST", self.explain),
            (model, "PUT", self.replace),
            ("/v1/models", "GET", self.list),
            (model, "GET", self.metadata),
            (f"{model}/history", "GET", self.history),
            (f"{model}/weights", "GET", self.weights),
            ("/v2/health/live", "GET", self.live),
            ("/v2/health/ready", "GET", self.is_ready),
            ("/metrics", "GET", self.metrics),
            ("/openapi.json", "GET", self.openapi),
        ]
        return [Route(path, self._answering(work), methods=[verb]) for path, verb, work in handlers]

    def _answering(self, work: Handler) -> Handler:
        """Turn a refusal into an answer."""

        async def answer(request: Request) -> Response:
            try:
                return await work(request)
            except RefusedError as error:
                headers = {"retry-after": "1"} if error.status == BUSY else None
                return Json(error.as_json(), error.status, headers)
            finally:
                self.budget.give_back(request)

        return answer

    def _model(self, request: Request) -> Model:
        name = request.path_params["name"]
        if name not in self.models:
            _, _, action = name.partition(":")
            if action in _ACTIONS:
                raise RefusedError(WRONG_METHOD, f":{action} takes a body", "send it by POST")
            if action:
                raise _no_action(action)
            known = ", ".join(self.models) or "none"
            raise RefusedError(
                MISSING, f"there is no model {name[:60]!r}", f"the models are: {known}"
            )
        return self.models[name]

    def _learner(self, request: Request) -> Served:
        model = self._model(request)
        if not isinstance(model, Served):
            raise RefusedError(
                WRONG_METHOD,
                f"{model.name} is a {model.kind}, which does not learn here",
                "serve a model that rosenblatt train made, or a new one with --new",
            )
        return model

    # Predictions

    async def predict(self, request: Request) -> Response:
        """Predict instances."""
        model = self._model(request)
        if payloads.is_lines(request):
            return await _streamed(self._predict_lines(request, model))
        body = await payloads.body_of(request, self.limits, self.budget)
        found = payloads.parsed(body)
        payloads.only(found, ("instances", "parameters"), "the body")
        asked = _parameters(found, {"details": True, "keep": False})
        instances = payloads.listed(found, "instances", self.limits)
        payloads.check_size(instances, len(body), self.limits)
        if asked["keep"]:
            self._learner(request)
        answer = model.predict(instances, asked["details"])
        if asked["keep"] and isinstance(model, Served):
            ids = [secrets.token_urlsafe(12) for _ in instances]
            kept = self.writer.keep(model, ids, instances)
            answer["ids"] = ids if kept else [None] * len(ids)
        return Json(answer)

    async def _predict_lines(self, request: Request, model: Model) -> AsyncIterator[bytes]:
        async for block in payloads.lines_of(request, self.limits, self.budget):
            instances = [_line(number, line) for number, line in block]
            size = sum(len(line) for _, line in block)
            with _in_lines([number for number, _ in block]):
                payloads.check_size(instances, size, self.limits)
                found = model.predict(instances, True)
            names = {"predictions": "prediction"}
            keys = [names.get(key, key) for key in found]
            rows = zip(*found.values(), strict=True)
            yield b"".join(
                orjson.dumps(dict(zip(keys, row, strict=True)), option=orjson.OPT_NON_STR_KEYS)
                + b"\n"
                for row in rows
            )
            await asyncio.sleep(0)  # others come first

    async def explain(self, request: Request) -> Response:
        """Return what each feature contributes."""
        model = self._model(request)
        payloads.no_lines(request)
        body = await payloads.body_of(request, self.limits, self.budget)
        found = payloads.parsed(body)
        payloads.only(found, ("instances", "parameters"), "the body")
        asked = found.get("parameters", {})
        if not isinstance(asked, dict):
            raise RefusedError(UNPROCESSABLE, "'parameters' is not an object", "send {}")
        payloads.only(asked, ("label",), "'parameters'")
        if isinstance(asked.get("label"), list | dict):
            raise RefusedError(
                UNPROCESSABLE, "'label' is a list or an object", "give one of the model's classes"
            )
        instances = payloads.listed(found, "instances", self.limits)
        payloads.check_size(instances, len(body), self.limits)
        return Json({"explanations": model.explain(instances, asked.get("label"))})

    # Learning

    async def learn(self, request: Request) -> Response:
        """Learn examples; the answer means that they are on disk and predict."""
        model = self._learner(request)
        key = request.headers.get("idempotency-key")
        if key is not None and not 0 < len(key) <= _LONGEST_KEY:
            raise RefusedError(
                BAD,
                f"the Idempotency-Key has {len(key):,} characters",
                f"use 1 to {_LONGEST_KEY}, such as those of a UUID",
            )
        if payloads.is_lines(request):
            return await _streamed(self._learn_lines(request, model, key))
        body = await payloads.body_of(request, self.limits, self.budget)
        examples = payloads.examples_of(payloads.parsed(body), self.limits, model.predicts_numbers)
        payloads.check_size([one.x for one in examples], len(body), self.limits)
        learned = await self._learned(model, examples, None if key is None else f"key:{key}")
        return Json(_as_json(learned))

    async def _learn_lines(
        self, request: Request, model: Served, key: str | None
    ) -> AsyncIterator[bytes]:
        part = last = 0
        try:
            async for block in payloads.lines_of(request, self.limits, self.budget):
                own = None if key is None else f"lines:{part}:{key}"
                answer = await self._learn_block(model, block, own)
                part, last = part + 1, block[-1][0]
                yield orjson.dumps({**answer, "lines": [block[0][0], last]}) + b"\n"
        except RefusedError as error:
            until = f"the lines up to {last:,} were learned, and none after" if last else ""
            advice = error.advice.partition(", and send all again")[0]
            advice = f"{advice}; {until or 'nothing was learned'}"
            raise RefusedError(error.status, error.what, advice) from None

    async def _learn_block(
        self, model: Served, block: list[tuple[int, bytes]], key: str | None
    ) -> dict[str, Any]:
        examples, numbers = [], [number for number, _ in block]
        for number, line in block:
            found = payloads.parsed(line, f"line {number}")
            examples.append(payloads.example_of(found, number, model.predicts_numbers))
        size = sum(len(line) for _, line in block)
        with _in_lines(numbers):
            payloads.check_size([one.x for one in examples], size, self.limits)
            return _as_json(await self._learned(model, examples, key), numbers)

    async def replace(self, request: Request) -> Response:
        """Put a model in place of another, which the operator left in the service's own folder."""
        model = self._learner(request)
        payloads.no_lines(request)
        found = payloads.parsed(await payloads.body_of(request, self.limits, self.budget))
        payloads.only(found, ("incoming",), "the body")
        name = found.get("incoming")
        folder = self.writer.log.folder / INCOMING
        files = {path.name: path for path in folder.iterdir()} if folder.is_dir() else {}
        if not isinstance(name, str) or name not in files:
            raise RefusedError(
                MISSING,
                f"there is no incoming model {payloads.as_sent(name)}",
                "use the command rosenblatt serve replace, on the machine of the service",
            )
        try:
            loaded = await asyncio.to_thread(opened, files[name])
        except ValueError as error:
            raise RefusedError(UNPROCESSABLE, str(error), "give another model") from None
        if type(loaded) is not type(model.front):
            problem = kinds_differ(model.name, model.front, loaded)
            raise RefusedError(UNPROCESSABLE, problem, "give a model of the same kind")
        learned = await self._answered(lambda done: self.writer.replace(model, loaded, done))
        return Json(_as_json(learned))

    async def _learned(self, model: Served, examples: list[Labelled], key: str | None) -> Learned:
        return await self._answered(lambda done: self.writer.learn(model, examples, key, done))

    async def _answered(self, ask: Callable[[Done], None]) -> Learned:
        """Ask the writer for something, and wait for its answer."""
        answer: asyncio.Future[Learned] = asyncio.get_running_loop().create_future()

        def done(found: Learned | RefusedError) -> None:
            if answer.done():  # who asked has gone
                return
            if isinstance(found, RefusedError):
                answer.set_exception(found)
            else:
                answer.set_result(found)

        ask(done)
        return await answer

    # What is known

    async def list(self, request: Request) -> Response:
        """Return the names of the models."""
        return Json({"models": [*self.models]})

    async def metadata(self, request: Request) -> Response:
        """Return what is known of a model."""
        model = self._model(request)
        return Json({"name": model.name, "ready": self.ready, **model.metadata()})

    async def history(self, request: Request) -> Response:
        """Return the progressive error over the last hours."""
        model = self._learner(request)
        return Json({"history": model.progress.points(_POINTS)})

    async def weights(self, request: Request) -> Response:
        """Return the largest weights, and what changed since the newest snapshot."""
        model = self._learner(request)
        return Json(await asyncio.to_thread(model.weights, _SHOWN))

    async def live(self, request: Request) -> Response:
        """Say that the process answers."""
        return Json({"live": True})

    async def is_ready(self, request: Request) -> Response:
        """Say whether the models are there."""
        return Json({"ready": self.ready}, 200 if self.ready else BUSY)

    async def metrics(self, request: Request) -> Response:
        """Return what Prometheus wants."""
        return Response(self.measures.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def openapi(self, request: Request) -> Response:
        """Describe all of this."""
        return Json(description(__version__, self.limits))


def make_app(api: Api, stop: Callable[[], Awaitable[None]]) -> Starlette:
    """Make the application."""

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        api.ready = True
        try:
            yield
        finally:
            api.ready = False
            await stop()

    async def lost(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", BROKEN)
        _, _, action = request.url.path.rpartition("/")[2].partition(":")
        if action and action not in _ACTIONS and status == WRONG_METHOD:
            return Json(_no_action(action).as_json(), MISSING)
        what = {404: "there is nothing at this address", 405: "this address takes another method"}
        headers = getattr(error, "headers", None) or {}
        verbs = sorted({*headers.get("Allow", "").split(", ")} - {"", "HEAD"})
        failed = f"the request cannot be answered ({type(error).__name__}); this is a bug"
        advice = "see /openapi.json" if status in what else "report it, with what the service wrote"
        advice = f"use {' or '.join(verbs)}; {advice}" if verbs else advice
        problem = RefusedError(status, what.get(status, failed), advice)
        return Json(problem.as_json(), status, headers)

    page = resources.files("rosenblatt.serve") / "page"
    routes = api.routes()
    for name, kind in _FILES.items():
        content = (page / (name or "index.html")).read_bytes()
        routes.append(Route(f"/{name}", _file(content, kind), methods=["GET"]))
    handlers = dict.fromkeys((404, 405, 500), lost)
    return Starlette(routes=routes, lifespan=life, exception_handlers=handlers)


def _file(content: bytes, kind: str) -> Handler:
    async def answer(_: Request) -> Response:
        return Response(content, media_type=kind)

    return answer


async def _streamed(lines: AsyncIterator[bytes]) -> Response:
    """Answer line by line; an error in the first part is the answer, later ones a last line."""
    try:
        first = await anext(lines)
    except StopAsyncIteration:
        first = b""

    async def rest() -> AsyncIterator[bytes]:
        yield first
        try:
            async for part in lines:
                yield part
        except RefusedError as error:
            yield orjson.dumps(error.as_json()) + b"\n"

    return Lines(rest())


def _no_action(action: str) -> RefusedError:
    known = ", ".join(f":{one}" for one in _ACTIONS)
    return RefusedError(MISSING, f"there is no :{action[:60]}", f"a model has {known}")


def _line(number: int, line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except ValueError as error:
        raise payloads.not_json(f"line {number}", error, "send one instance a line") from None


def _parameters(found: dict[str, Any], usual: dict[str, bool]) -> dict[str, bool]:
    """Return the parameters of a request, each true or false."""
    given = found.get("parameters", {})
    if not isinstance(given, dict):
        raise RefusedError(UNPROCESSABLE, "'parameters' is not an object", "send {}")
    payloads.only(given, tuple(usual), "'parameters'")
    for key, value in given.items():
        if type(value) is not bool:
            raise RefusedError(
                UNPROCESSABLE,
                f"the parameter {key!r} is {payloads.as_sent(value)}",
                "use true or false",
            )
    return {**usual, **given}


@contextmanager
def _in_lines(numbers: Sequence[int]) -> Iterator[None]:
    """Name the line, in what is wrong with one."""
    try:
        yield
    except RefusedError as error:
        raise error.in_lines(numbers) from None


def _as_json(learned: Learned, lines: Sequence[int] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"position": learned.position, "learned": learned.learned}
    if learned.refused:
        found["refused"] = [
            ({"instance": place} if lines is None else {"line": lines[place]}) | {"error": why}
            for place, why in learned.refused
        ]
    return found
