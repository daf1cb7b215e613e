"""Calls that a page may make: methods of a screen that say so, with arguments that are checked."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, TypeVar

FORGET = "forget"  # no question, but what a process is told when its tab has gone
Method = TypeVar("Method", bound=Callable[..., Any])


def call(method: Method) -> Method:
    """Let the page call this method of a screen; its arguments are those of the message."""
    method.open_to_page = True  # type: ignore[attr-defined]
    return method


def answer_to(screen: Any, name: str, told: Any) -> Any:
    """Call a screen's method by its name; raise ``ValueError`` if the page may not, or not so."""
    method = None if name.startswith("_") else getattr(type(screen), name, None)
    if not getattr(method, "open_to_page", False):
        raise ValueError(f"the lab knows no call {name[:60]!r} here; reload the page")
    if not isinstance(told, dict):
        raise ValueError("what a call is told is an object with names")
    bound = getattr(screen, name)
    known = signature(bound).parameters
    needed = [name for name, one in known.items() if one.default is Parameter.empty]
    strangers = sorted(set(told) - set(known))
    missing = [name for name in needed if name not in told]
    if strangers or missing:
        what = f"does not take {strangers[0][:60]!r}" if strangers else f"needs {missing[0]!r}"
        raise ValueError(f"the call {name!r} {what}; reload the page")
    return bound(**told)
