"""Vowpal Wabbit's JSON: one object per line, with the label under ``_label``.

A number, a string or true is a feature: ``{"age": 41, "city": "Oslo", "new": true}`` has ``age``
with the value 41, and ``cityOslo`` and ``new`` with the value 1, as VW has them. An object is a
namespace, wherever it is: its features are called ``key^name``. So is a list, whose numbers are
called ``key^0``, ``key^1``, …, and whose objects have more of its features. The words of ``_text``
are features. Other keys that begin with ``_`` are left out.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from rosenblatt.kernels.text import parsing
from rosenblatt.readers.blocks import Block, BlockBuilder, ColumnCache, DataError, ErrorLog
from rosenblatt.readers.chunks import PATIENCE, PROBLEMS
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.dict_rows import ValueOfKeyError
from rosenblatt.readers.features import DEEPEST
from rosenblatt.readers.formats import NUMBER
from rosenblatt.readers.jsonl import (
    MOST_BYTES,
    MOST_ROWS,
    Features,
    error_at_key,
    filled_lines,
    number_of,
    parsed,
    refuse_constant,
)
from rosenblatt.readers.lines import whole_lines
from rosenblatt.readers.names import Names
from rosenblatt.readers.namespaces import Namespaces
from rosenblatt.readers.products import products_of
from rosenblatt.readers.sources import Stream

_BLANKS = "".join(map(chr, range(33)))  # what VW cuts off a name before it hashes it
_ESCAPED = str.maketrans(" \t|:", "____")
_COST = re.compile(rf"{NUMBER.pattern}(:{NUMBER.pattern})+", re.ASCII)
_SEVERAL = re.compile(r"[0-9]+(,[0-9]+)+", re.ASCII)
_DSJSON = (
    "a log of decisions (dsjson), and no learner here is a contextual bandit; write examples with "
    "a class under _label"
)
_BANDIT, _MULTILINE, _SLOTS = (
    PROBLEMS[code].split(";")[0] + "; write examples with a class under _label, each on a line"
    for code in (parsing.BANDIT, parsing.MULTILINE, parsing.SLOTS)
)
_COSTS = {"action", "cost", "probability"}
_REFUSED = {
    "_labelindex": _MULTILINE,
    "_multi": _MULTILINE,
    "_slots": _SLOTS,
    "_slot_id": _SLOTS,
    "_outcomes": _SLOTS,
}


class _Object(list[tuple[str, Any]]):
    """The keys and values of an object; as in VW, a key may occur several times."""


def blocks(
    stream: Stream, name: str, reading: Reading, names: Names, errors: ErrorLog
) -> Iterator[Block]:
    """Yield the rows of a file."""
    rows = _Rows(name, reading, names)
    size, waited = 0, 0.0
    for first, text, seconds in whole_lines(stream, name, errors):
        waited += seconds
        for number, line in filled_lines(text, first):
            size += len(line) + 1
            rows.add(line, number, errors)
            if len(rows.lines) == MOST_ROWS or size >= MOST_BYTES:
                yield from rows.block(stream.consumed, errors)
                size, waited = 0, 0.0
        if waited > PATIENCE:
            yield from rows.block(stream.consumed, errors)
            size, waited = 0, 0.0
    yield from rows.block(stream.consumed, errors)
    rows.chosen.check()


class _Rows:
    """Collects the rows of a block."""

    def __init__(self, file: str, reading: Reading, names: Names) -> None:
        self.file, self.names, self.dtype = file, names, reading.dtype
        self.products = products_of(reading, names)
        self.cache, self.chosen = ColumnCache(self.products or names), Namespaces(reading, file)
        self.decoder = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=refuse_constant)
        self.seen: dict[str, None] = {}
        self._clear()

    def _clear(self) -> None:
        self.lines: list[int] = []
        self.features = Features()
        self.labels: list[float | str | None] = []
        self.weights: list[float] = []
        self.tags: dict[int, str] = {}

    def add(self, line: bytes, number: int, errors: ErrorLog) -> None:
        """Add the row of a line; blank ones have none."""
        if not line.strip():
            return
        example = _Example(self.chosen, self.seen)
        try:
            example.read(parsed(self.decoder, line, self.file, number, _Object))
        except ValueOfKeyError as error:
            errors.add(error_at_key(error, line, self.file, number))
            return
        except DataError as error:
            errors.add(error)
            return
        self.lines.append(number)
        self.features.append((example.names, example.values))
        self.labels.append(example.label)
        self.weights.append(example.weight)
        if example.tag:
            self.tags[number] = example.tag

    def block(self, done: int, errors: ErrorLog) -> Iterator[Block]:
        """Yield a block of the rows so far, if there are any, and start the next."""
        if not self.lines:
            return
        if self.chosen.unseen:
            self.chosen.look_at(self.seen, self.seen, len(self.lines))
        builder = BlockBuilder(self.file, np.array(self.lines, np.int64))
        if any(isinstance(label, str) for label in self.labels):
            builder.labels = np.array(self.labels, object)
        else:
            numbers = [math.nan if label is None else label for label in self.labels]
            builder.labels = np.array(numbers, float)
        builder.weights = np.array(self.weights)
        groups, tags = [self.features.group(self.cache, builder)], self.tags
        self._clear()
        block = builder.block(groups, self.products or self.names, self.dtype, done, errors)
        if len(block.lines):
            named = [tags.get(line, "") for line in block.lines.tolist()] if tags else None
            yield block._replace(tags=named)


class _Example:
    """What a line says."""

    def __init__(self, chosen: Namespaces, seen: dict[str, None]) -> None:
        self.chosen, self.seen = chosen, seen
        self.label: float | str | None = None
        self.weight, self.tag = 1.0, ""
        self.names: list[str] = []
        self.values: list[float] = []

    def read(self, row: _Object) -> None:
        """Read the object of a line."""
        keys = {key for key, _ in row}
        decided = keys & {"_label_cost", "_label_probability", "_label_Action", "_outcomes"}
        if "c" in keys and decided:
            _refuse(min(decided), _DSJSON)
        self._object(row, "", 1)

    def _object(self, row: _Object, space: str, depth: int) -> None:
        """Read the features of a namespace."""
        if depth > DEEPEST:
            raise ValueOfKeyError(space, f"objects are nested deeper than {DEEPEST}; flatten them")
        for key, value in row:
            if key.startswith("_"):
                self._special(key, value, space)
            elif isinstance(value, _Object):
                self._object(value, key.strip(_BLANKS), depth + 1)
            elif isinstance(value, list):
                self._list(key, value, depth)
            elif isinstance(value, str):
                self._add(space, key + value.translate(_ESCAPED), 1.0)
            elif value is True:
                self._add(space, key, 1.0)
            elif value is not False and value is not None:
                problem = "a number must be finite; leave it out"
                self._add(space, key, number_of(key, value, problem))

    def _list(self, key: str, items: list[Any], depth: int) -> None:
        number, space = 0, key.strip(_BLANKS)
        for item in items:
            if isinstance(item, _Object):
                self._object(item, space, depth + 1)
            elif isinstance(item, int | float) and not isinstance(item, bool):
                value = number_of(key, item, "a number must be finite; leave it out")
                self._add(space, str(number), value)
                number += 1
            elif item is not None:
                problem = "a list holds numbers or objects, as in VW's JSON; write strings into "
                raise ValueOfKeyError(key, problem + "one under _text, or read it as jsonl")

    def _add(self, space: str, name: str, value: float) -> None:
        """Add a feature, if its namespace is wanted."""
        self.seen[space] = None
        if self.chosen.wants(space):
            name = name.strip(_BLANKS)
            self.names.append(f"{space}^{name}" if space else name)
            self.values.append(value)

    def _special(self, key: str, value: Any, space: str) -> None:
        """Read a key that begins with an underscore."""
        lower = key.lower()
        if lower in _REFUSED:
            _refuse(key, _REFUSED[lower])
        if key == "_label":
            self._label(key, value)
        elif key.startswith("_label_"):
            self._part_of_label(key, lower.removeprefix("_label_"), value)
        elif key == "_text" or lower == "_tag":
            if not isinstance(value, str):
                raise ValueOfKeyError(key, f"{key} must be a string")
            if lower == "_tag":
                self.tag = value
            else:
                for word in re.split(r"[ \t]+", value):
                    if word:
                        self._add(space, word.translate(_ESCAPED), 1.0)

    def _label(self, key: str, value: Any) -> None:
        if isinstance(value, _Object):
            for part, number in value:
                self._part_of_label(part, part.lower(), number)
        elif isinstance(value, str):
            self._words(key, value.split())
        elif value is not None:
            self.label = _number(key, value, "a label must be a finite number or a string")

    def _words(self, key: str, words: list[str]) -> None:
        """Read a label as text has it: a number or a name, a weight, and a base."""
        if not words:
            return
        for word in words:
            if _COST.fullmatch(word):
                cost = parsing.COSTS if word.count(":") == 1 else parsing.BANDIT
                _refuse(key, f"{PROBLEMS[cost]} {word}")
        if _SEVERAL.fullmatch(words[0]):
            _refuse(key, f"{PROBLEMS[parsing.MULTILABEL]} {words[0]}")
        if len(words) > 3 or not all(map(NUMBER.fullmatch, words[1:])):
            problem = "a label is one word, and then a weight and a base, which are numbers"
            raise ValueOfKeyError(key, problem)
        number = float(words[0]) if NUMBER.fullmatch(words[0]) else math.inf
        self.label = number if math.isfinite(number) else words[0]
        if len(words) > 1:
            self._part_of_label(key, "weight", float(words[1]))

    def _part_of_label(self, key: str, part: str, value: Any) -> None:
        """Read one part of a label."""
        if part == "label":
            self.label = _number(key, value, "a label must be a finite number")
        elif part == "weight":
            problem = "a weight must be a finite number that is not negative"
            self.weight = _number(key, value, problem)
            if self.weight < 0:
                raise ValueOfKeyError(key, problem)
        elif part in _COSTS:
            _refuse(key, _BANDIT)
        elif part != "initial":
            problem = "no part of a label; these are Label, Weight and Initial"
            raise ValueOfKeyError(key, f"{key}: {problem}")


def _number(key: str, value: Any, problem: str) -> float:
    return number_of(key, None if isinstance(value, bool) else value, problem)


def _refuse(key: str, problem: str) -> NoReturn:
    raise ValueOfKeyError(key, f"{key}: {problem}")
