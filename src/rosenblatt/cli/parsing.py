"""Plain values of options, converted here: typer loads pydantic for it, which takes its time."""

from collections.abc import Callable
from typing import Any, get_args, get_type_hints

import typer

_KINDS = {int: "a whole number", float: "a number"}


def convert_plainly(command: Any, function: Callable[..., Any]) -> None:
    """Let a command convert texts, numbers and lists of texts by itself."""
    hints = get_type_hints(function)
    for param in command.params:
        hint = hints.get(param.name)
        kind = hint
        if type(None) in get_args(hint):
            kind = next(k for k in get_args(hint) if k is not type(None))
        if kind in (str, int, float, list[str]) and param.callback is None:
            param.process_value = _converter(param, list if kind == list[str] else kind)


def _converter(param: Any, kind: Any) -> Callable[[Any, Any], Any]:
    usual = param.process_value

    def convert(ctx: Any, value: Any) -> Any:
        if kind is list and value:
            return list(value)
        if value is None and not param.required:
            return None
        if isinstance(value, kind) and kind is not list:
            return value
        if kind in _KINDS and isinstance(value, str):
            try:
                return kind(value)
            except ValueError:
                problem = f"{value!r} is not {_KINDS[kind]}."
                raise typer.BadParameter(problem, ctx=ctx, param=param) from None
        return usual(ctx, value)

    return convert


def ignore_if_absent(option: Any) -> Any:
    """Let a flag with a callback, such as --help, do nothing where it was not given."""
    usual = option.process_value
    option.process_value = lambda ctx, value: usual(ctx, value) if value else value
    return option
