"""Calls that a page may make: methods of a screen that say so, with arguments that are checked."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, TypeVar

FORGET = "forget"  # sent to a process, instead of a question, when its tab has gone
Method = TypeVar("Method", bound=Callable[..., Any])


def call(method: Method) -> Method:
    """Let the page call this method of a screen; its arguments are those of the message."""
    method.open_to_page = True  # type: ignore[attr-defined]
    return method


def answer_to(screen: Any, name: str, arguments: Any) -> Any:
    """Call a screen's method by name; raise ``ValueError`` if the page may not, or not so."""
    method = None if name.startswith("_") else getattr(type(screen), name, None)
    if not getattr(method, "open_to_page", False):
        raise ValueError(f"the lab has no call {name[:60]!r} here; reload the page")
    if not isinstance(arguments, dict):
        raise ValueError("the arguments of a call must be an object with names")
    bound = getattr(screen, name)
    known = signature(bound).parameters
    needed = [name for name, one in known.items() if one.default is Parameter.empty]
    unknown = sorted(set(arguments) - set(known))
    missing = [name for name in needed if name not in arguments]
    if unknown or missing:
        what = f"does not take {unknown[0][:60]!r}" if unknown else f"needs {missing[0]!r}"
        raise ValueError(f"the call {name!r} {what}; reload the page")
    return bound(**arguments)
