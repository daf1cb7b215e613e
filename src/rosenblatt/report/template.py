"""Templates with escaping: every value is made printable and escaped, so none can become HTML.

A template is a file in this folder:

- ``{{name}}`` is a value, ``{{.}}`` the current item of a list of texts;
- ``{{#name}}…{{/name}}`` is repeated for each item of a list, and left out where the value is empty
  or missing; if a value is a mapping, names inside are its own;
- ``{{>file}}`` inserts another template.

A line that begins with such a tag has no line break in the output.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any, TypeAlias

from rosenblatt.console import visible

_TAG = re.compile(r"\{\{([#/>]?)([\w.]+)\}\}")
_BLOCK = re.compile(r"^(\{\{[#/>].*)\n", re.MULTILINE)

_Nodes: TypeAlias = "list[str | tuple[str, str, _Nodes]]"


def render(template: str, values: Mapping[str, Any]) -> str:
    """Fill a template of this folder with values."""
    return "".join(_filled(_parsed(template), values, values))


@cache
def _parsed(template: str) -> _Nodes:
    text = files(__package__).joinpath(template).read_text("utf-8")
    return _parse(iter(_TAG.split(_BLOCK.sub(r"\1", text))), "")


def _parse(pieces: Iterator[str], section: str) -> _Nodes:
    """Parse what follows up to the end of a section; pieces are text, sign, name, text, ..."""
    nodes: _Nodes = []
    for text in pieces:
        nodes.append(text)
        sign, name = next(pieces, "/"), next(pieces, "")
        if sign == "/":
            if name != section:
                raise ValueError(f"section {section!r} of a template ends as {name!r}")
            break
        inner = _parse(pieces, name) if sign == "#" else []
        nodes.append((sign, name, _parsed(name) if sign == ">" else inner))
    return nodes


def _filled(nodes: _Nodes, values: Mapping[str, Any], item: Any) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
            continue
        sign, name, inner = node
        if sign == ">":
            yield from _filled(inner, values, item)
        elif not sign:
            yield escape(visible(str(item if name == "." else values[name])))
        elif value := values.get(name):
            for each in value if isinstance(value, list) else [value]:
                yield from _filled(inner, each if isinstance(each, Mapping) else values, each)
