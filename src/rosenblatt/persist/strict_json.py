"""JSON as the standard has it, read from untrusted files."""

import json
from math import isfinite
from typing import Any

from rosenblatt.persist.errors import ModelFileError

MAX_DEPTH = 64
# Brackets, commas and colons: each stands for a value of some tens of bytes once it is read.
MAX_VALUES = 1 << 21


def loads(text: str, what: str) -> Any:
    """Read JSON; raise ``ModelFileError`` for all that Python would let pass.

    That is NaN and infinity, keys that come twice, and nesting or a number of values that no
    honest file has.

    >>> loads('{"a": [1, 2.5, null]}', "the header")
    {'a': [1, 2.5, None]}
    """
    if sum(map(text.count, "[{,:")) > MAX_VALUES:
        raise ModelFileError(f"{what} has more than {MAX_VALUES:,} values")
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite
        )
    except ModelFileError as error:
        raise ModelFileError(f"{what} is not valid JSON: {error}") from None
    except RecursionError:
        raise ModelFileError(f"{what} is nested too deep") from None
    except ValueError as error:
        raise ModelFileError(f"{what} is not JSON: {error}") from None
    _check_depth(value, what)
    return value


def dumps(value: Any) -> str:
    r"""Write JSON in ASCII, without spaces, keys in order: equal values give equal texts.

    >>> dumps({"b": [1, 0.5], "a": "é"})
    '{"a":"\\u00e9","b":[1,0.5]}'
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":"), sort_keys=True)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise ModelFileError(f"the key {key[:50]!r} comes twice")
        seen.add(key)
    return result


def _no_constant(name: str) -> Any:
    raise ModelFileError(f"{name} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ModelFileError(f"{text[:50]} is too large")
    return number


def _check_depth(value: Any, what: str) -> None:
    """Raise ``ModelFileError`` if lists and objects are nested deeper than any that is written."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise ModelFileError(f"{what} is nested too deep")
        inside = [item for item in level if isinstance(item, dict | list)]
        level = [
            item for part in inside for item in (part.values() if isinstance(part, dict) else part)
        ]
