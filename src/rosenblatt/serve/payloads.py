"""Bodies of requests: read within limits, and checked before anything is done."""

import asyncio
from collections.abc import AsyncIterator
from math import isfinite
from typing import Any, NamedTuple

import orjson
from starlette.requests import Request

from rosenblatt.serve.errors import (
    BAD,
    BUSY,
    STOPPED,
    TOO_LARGE,
    UNPROCESSABLE,
    WRONG_TYPE,
    RefusedError,
)
from rosenblatt.serve.writer import Labelled

LINES = "application/x-ndjson"
_JSON = ("application/json", "")
_SHOWN = 60  # characters of what is wrong
_BLOCK = 1_000  # lines that are answered together
_FLAT = frozenset((float, int, str, bool))


class Limits(NamedTuple):
    """What a request may be at most.

    Attributes
    ----------
    body : int
        Bytes of a body, or of a line where there is one JSON value a line.
    instances : int
        Instances in a body.
    features : int
        Values in one instance.
    seconds : float
        From one part of a body to the next.
    together : int
        Bytes of all bodies that are being answered.
    """

    body: int = 16 << 20
    instances: int = 10_000
    features: int = 100_000
    seconds: float = 20.0
    together: int = 256 << 20


class Budget:
    """The bytes of the bodies that are being answered, so that many at once do not fill memory."""

    def __init__(self, limits: Limits) -> None:
        self.most, self.taken = limits.together, 0

    def take(self, request: Request, size: int) -> None:
        """Count bytes of a request's body, or refuse them."""
        if self.taken + size > self.most:
            raise RefusedError(
                BUSY, "too many large requests are being answered", "send it again in a second"
            )
        self.taken += size
        request.state.taken = getattr(request.state, "taken", 0) + size

    def give_back(self, request: Request) -> None:
        """Count no longer what a request took."""
        self.taken -= getattr(request.state, "taken", 0)
        request.state.taken = 0


def is_lines(request: Request) -> bool:
    """Say whether a body has one JSON value a line; refuse what is no JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in (LINES, "application/jsonl"):
        return True
    # curl -d calls what it sends a form.
    if kind not in (*_JSON, "application/x-www-form-urlencoded"):
        raise RefusedError(
            WRONG_TYPE,
            f"the body is of type {kind[:60]!r}",
            f"send JSON as application/json, or one value a line as {LINES}",
        )
    return False


def no_lines(request: Request) -> None:
    """Refuse a body that has one JSON value a line, or is no JSON."""
    if is_lines(request):
        raise RefusedError(
            WRONG_TYPE, f"a body of {LINES} is not for this address", "send one JSON object"
        )


async def parts(request: Request, limits: Limits) -> AsyncIterator[bytes]:
    """Yield a body as it comes; refuse one that stops coming."""
    more = True
    while more:
        try:
            async with asyncio.timeout(limits.seconds):
                message = await request.receive()
        except TimeoutError:
            raise RefusedError(
                STOPPED, f"nothing came for {limits.seconds:g} s", "send the body in one go"
            ) from None
        if message["type"] == "http.disconnect":
            raise RefusedError(BAD, "the connection ended within the body", "send it again")
        more = message.get("more_body", False)
        yield message.get("body", b"")


async def body_of(request: Request, limits: Limits, budget: Budget) -> bytes:
    """Return the whole body, if it is not too large."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limits.body:
        raise _too_large(limits)
    found: list[bytes] = []
    size = 0
    async for part in parts(request, limits):
        size += len(part)
        if size > limits.body:
            raise _too_large(limits)
        budget.take(request, len(part))
        found.append(part)
    return found[0] if len(found) == 1 else b"".join(found)


async def lines_of(
    request: Request, limits: Limits, budget: Budget
) -> AsyncIterator[list[tuple[int, bytes]]]:
    """Yield some lines at a time with their numbers, blank ones left out."""
    number = size = held = 0
    begun: list[bytes] = []  # the line whose end has not come yet
    block: list[tuple[int, bytes]] = []
    try:
        async for part in parts(request, limits):
            budget.take(request, len(part))
            *ends, rest = part.split(b"\n")
            if ends:
                ends[0] = b"".join([*begun, ends[0]])
                begun, held = [], 0
            begun.append(rest)
            held += len(rest)
            if held > limits.body:
                raise _too_large(limits)
            for line in ends:
                number += 1
                if line.strip():
                    block.append((number, line))
                    size += len(line)
                if len(block) >= _BLOCK or size > limits.body // 4:
                    yield block
                    block, size = [], 0
                    budget.give_back(request)
        if last := b"".join(begun).strip():
            block.append((number + 1, last))
        if block:
            yield block
    finally:
        budget.give_back(request)


def _too_large(limits: Limits) -> RefusedError:
    return RefusedError(
        TOO_LARGE,
        f"the body is larger than {limits.body:,} bytes",
        f"send it in parts, or as {LINES}, which has no limit but for each line",
    )


def parsed(body: bytes, what: str = "the body") -> dict[str, Any]:
    """Read JSON that must be an object."""
    try:
        found = orjson.loads(body)
    except ValueError as error:
        raise not_json(what, error, "send a JSON object") from None
    if not isinstance(found, dict):
        raise RefusedError(BAD, f"{what} is not a JSON object", 'send {"instances": [...]}')
    return found


def not_json(what: str, error: ValueError, advice: str) -> RefusedError:
    """Return the refusal of what is not JSON, or has several values where one should be."""
    if "after document" in str(error):
        advice = f"send one value, or one a line as {LINES}; with curl use --data-binary"
    return RefusedError(BAD, f"{what} is not JSON: {error}", advice)


def only(found: dict[str, Any], known: tuple[str, ...], what: str) -> None:
    """Refuse keys that mean nothing, which may be misspelt."""
    for key in found:
        if key not in known:
            raise RefusedError(
                UNPROCESSABLE,
                f"{what} has a key {key[:60]!r} that means nothing here",
                f"it can have {', '.join(known)}",
            )


def listed(found: dict[str, Any], key: str, limits: Limits) -> list[Any]:
    """Return a list that must be there."""
    given = found.get(key)
    if not isinstance(given, list):
        problem = "is missing" if given is None else "is not a list"
        raise RefusedError(UNPROCESSABLE, f"{key!r} {problem}", f'send {{"{key}": [...]}}')
    if len(given) > limits.instances:
        raise RefusedError(
            TOO_LARGE,
            f"{key!r} has {len(given):,} items, and {limits.instances:,} are allowed",
            "send them in several requests",
        )
    return given


def check_size(instances: list[Any], size: int, limits: Limits) -> None:
    """Refuse an instance with too many values, in a body of so many bytes."""
    if size < limits.features:  # each value takes a byte and more
        return
    for number, one in enumerate(instances):
        if _values(one, limits.features) > limits.features:
            raise RefusedError(
                TOO_LARGE,
                f"has more than {limits.features:,} values",
                "leave out what is zero",
                number,
            )


def _values(one: Any, most: int) -> int:
    """Count the values in an instance, as far as is of interest."""
    if type(one) is dict and _FLAT.issuperset(map(type, one.values())):
        return len(one)
    left, count = [one], 0
    while left and count <= most:
        value = left.pop()
        if isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)
        count += 1
    return count + len(left)


def examples_of(found: dict[str, Any], limits: Limits, numbers: bool) -> list[Labelled]:
    """Return the examples of a request to learn."""
    only(found, ("instances", "ids", "labels", "weights"), "the body")
    if ("ids" in found) == ("instances" in found):
        raise RefusedError(
            UNPROCESSABLE,
            "the body must have either 'instances' or 'ids'",
            "send the features, or the ids of predictions that were kept",
        )
    by_id = "ids" in found
    given = listed(found, "ids" if by_id else "instances", limits)
    labels = listed(found, "labels", limits)
    weights = listed(found, "weights", limits) if "weights" in found else [1.0] * len(given)
    for name, one in (("labels", labels), ("weights", weights)):
        if len(one) != len(given):
            raise RefusedError(
                UNPROCESSABLE,
                f"there are {len(given):,} instances and {len(one):,} {name}",
                "send one for each",
            )
    if not given:
        raise RefusedError(UNPROCESSABLE, "there is nothing to learn from", "send an instance")
    made = []
    for number, (x, y, weight) in enumerate(zip(given, labels, weights, strict=True)):
        made.append(_example(f"instance {number}", x, y, weight, by_id, numbers))
    return made


def example_of(found: dict[str, Any], number: int, numbers: bool) -> Labelled:
    """Return the example of a line."""
    only(found, ("instance", "id", "label", "weight"), f"line {number}")
    if ("id" in found) == ("instance" in found) or "label" not in found:
        raise RefusedError(
            UNPROCESSABLE,
            f"line {number} must have 'label', and either 'instance' or 'id'",
            'send {"instance": {...}, "label": ...}',
        )
    by_id = "id" in found
    x = found["id"] if by_id else found["instance"]
    weight = found.get("weight", 1.0)
    return _example(f"line {number}", x, found["label"], weight, by_id, numbers)


def _example(where: str, x: Any, y: Any, weight: Any, by_id: bool, numbers: bool) -> Labelled:
    """Check an example; what it holds is checked by the model."""
    if by_id and not isinstance(x, str):
        raise _wrong(where, "id", x, "give the id that :predict returned")
    if not by_id and not isinstance(x, dict):
        raise _wrong(where, "content", x, "give an object of features and values")
    if numbers:
        if type(y) not in (int, float) or not isfinite(y):
            raise _wrong(where, "label", y, "give a finite number")
        y = float(y)
    elif type(y) is float and y.is_integer() and abs(y) < 1 << 53:
        y = int(y)
    elif type(y) not in (str, int, bool):
        raise _wrong(where, "label", y, "give a string or a whole number")
    if type(weight) not in (int, float) or not isfinite(weight) or weight < 0:
        raise _wrong(where, "weight", weight, "give a finite number, not negative")
    return Labelled(x, y, float(weight), x if by_id else None)


def _wrong(where: str, what: str, value: Any, advice: str) -> RefusedError:
    return RefusedError(UNPROCESSABLE, f"the {what} of {where} is {as_sent(value)}", advice)


def as_sent(value: Any) -> str:
    """Return a value as it is in JSON, so that "1" and 1 look different, and not too long."""
    if isinstance(value, dict):  # which may be as large and deep as a body
        return "{...}"
    if isinstance(value, list):
        return "[...]"
    text = orjson.dumps(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
