"""JSON lines: one object per line, whose members are features as in `features_of`."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.text.parsing import LINE_END
from rosenblatt.readers.blocks import (
    NOT_UTF8,
    Block,
    BlockBuilder,
    ColumnCache,
    DataError,
    ErrorLog,
    Group,
)
from rosenblatt.readers.chunks import PATIENCE
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.features import features_of
from rosenblatt.readers.formats import label_among
from rosenblatt.readers.lines import whole_lines
from rosenblatt.readers.names import Names
from rosenblatt.readers.sources import Stream
from rosenblatt.readers.text import word_columns

MOST_ROWS = 4096
MOST_BYTES = 1 << 22  # of a block
_SPACES = b" \t\r"
_SHORT = 8  # letters of a line, that there are fewer of on average if most lines are blank
_FILLED = ~np.isin(np.arange(256), list(_SPACES + b"\n"))
_SHOWN = 60
_HALF_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPES = re.compile(
    r"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
_CONSTANT = re.compile(r'"(?>(?:[^"\\]++|\\.)*)"|(-?Infinity|NaN)')
_LISTED = 12  # keys that an error names


def blocks(
    stream: Stream, name: str, reading: Reading, names: Names, errors: ErrorLog
) -> Iterator[Block]:
    """Yield the rows of a file of JSON lines."""
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


def filled_lines(text: bytes, number: int) -> Iterable[tuple[int, bytes]]:
    r"""Return lines and their numbers, the first one's being this; blank ones may be left out.

    >>> list(filled_lines(b"\n\na\n\n b", 1))
    [(3, b'a'), (5, b' b')]
    """
    letters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(letters == LINE_END)
    if len(ends) * _SHORT < len(text):
        return enumerate(text.split(b"\n"), number)
    # Nearly all are blank: only those with something in them are looked at one by one.
    places = np.flatnonzero(_FILLED[letters])
    lines = np.unique(np.searchsorted(ends, places))
    starts = np.where(lines > 0, ends[lines - 1] + 1, 0)
    stops = np.append(ends, len(text))[lines]
    cut = (text[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True))
    return zip((lines + number).tolist(), cut, strict=True)


class _Rows:
    """Collects the rows of a block."""

    def __init__(self, file: str, reading: Reading, names: Names) -> None:
        self.file, self.reading, self.names = file, reading, names
        self.cache = ColumnCache(names)
        self.label = reading.label
        wanted = {reading.weight, *reading.text, *reading.drop} if reading.learning else set()
        self.unseen: set[str] = {key for key in wanted if key is not None}
        self.keys: dict[str, None] = {}
        self.label_type: type | None = None
        self.decoder = json.JSONDecoder(parse_constant=_refuse)
        self._clear()

    def _clear(self) -> None:
        self.lines: list[int] = []
        self.features: list[str] = []
        self.values: list[float] = []
        self.ends = [0]
        self.labels: list[float | str | None] = []
        self.weights: list[float] = []
        self.texts: dict[str, list[str]] = {key: [] for key in self.reading.text}

    def add(self, line: bytes, number: int, errors: ErrorLog) -> None:
        """Add the row of a line; blank ones have none."""
        if not line.strip(_SPACES):
            return
        try:
            self._add(self._parsed(line, number), number)
        except _KeyError as error:
            text = line.decode()
            column = text.find(json.dumps(error.key, ensure_ascii=not error.key.isprintable())) + 1
            errors.add(DataError(self.file, number, column or None, str(error)))
        except DataError as error:
            errors.add(error)

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            column = len(line[: error.start].decode()) + 1
            found = line[error.start : error.start + _SHOWN].decode(errors="backslashreplace")
            raise DataError(self.file, number, column, NOT_UTF8, found) from None
        if "\\u" in text and _HALF_ESCAPE.search(text):
            # Half a character cannot be printed or saved. Both forms are of the same length.
            text = _ESCAPES.sub(lambda match: match[1] or "\\ufffd", text)
        try:
            row = self.decoder.decode(text)
        except (ValueError, RecursionError) as error:
            place, problem = _problem(error, text)
            found = text[place : place + _SHOWN].strip("\r") or "end of line"
            raise DataError(self.file, number, place + 1, problem, found) from None
        if not isinstance(row, dict):
            problem = "expected a JSON object with names and values, found"
            raise DataError(self.file, number, 1, problem, text[:_SHOWN])
        return row

    def _add(self, row: dict[str, Any], number: int) -> None:
        """Add a row, or nothing if something is wrong with it."""
        if self.unseen:
            self.keys |= dict.fromkeys(row)
            self.unseen -= row.keys()
        if self.label is None:
            self.label = label_among(list(row))
        label = None if self.label is None else self._label(row.pop(self.label, None))
        weight = 1.0
        if self.reading.weight is not None:
            weight = self._weight(row.pop(self.reading.weight, None))
        texts = [self._text(key, row.pop(key, None)) for key in self.reading.text]
        for key in self.reading.drop:
            row.pop(key, None)
        features, values = self._features(row)
        if label is not None:
            self.label_type = type(label)
        self.lines.append(number)
        self.features += features
        self.values += values
        self.ends.append(len(self.features))
        self.labels.append(label)
        self.weights.append(weight)
        for key, text in zip(self.reading.text, texts, strict=True):
            self.texts[key].append(text)

    def _label(self, label: Any) -> float | str | None:
        assert self.label is not None
        if label is None or label == "":
            return None
        if not isinstance(label, str):
            label = _number(self.label, label, "a label must be a finite number or a string")
        if self.label_type not in (None, type(label)):
            kinds = ("numbers", "a string") if isinstance(label, str) else ("strings", "a number")
            raise _KeyError(
                self.label, "labels were {} so far, and this is {}; use one".format(*kinds)
            )
        return label  # type: ignore[no-any-return]

    def _weight(self, weight: Any) -> float:
        if weight is None:
            return 1.0
        assert self.reading.weight is not None
        problem = "a weight must be a finite number that is not negative"
        number = _number(self.reading.weight, weight, problem)
        if number < 0:
            raise _KeyError(self.reading.weight, problem)
        return number

    def _text(self, key: str, text: Any) -> str:
        if text is None or isinstance(text, str):
            return text or ""
        raise _KeyError(key, f"the text {key!r} must be a string")

    def _features(self, row: dict[str, Any]) -> tuple[list[str], list[float]]:
        try:
            return features_of(row)
        except (ValueError, TypeError):
            for key, value in row.items():  # find the one that is wrong
                try:
                    features_of({key: value})
                except (ValueError, TypeError) as error:
                    raise _KeyError(key, str(error)) from None
            raise

    def block(self, done: int, errors: ErrorLog) -> Iterator[Block]:
        """Yield a block of the rows so far, if there are any, and start the next."""
        if not self.lines:
            return
        if self.unseen:
            listed = ", ".join(map(repr, list(self.keys)[:_LISTED]))
            problem = f"no row has the key {min(self.unseen)!r}; there are {listed}"
            raise DataError(self.file, None, None, problem)
        builder = BlockBuilder(self.file, np.array(self.lines, np.int64))
        if self.label_type is not None:
            errors.label = self.label
            empty = np.nan if self.label_type is float else None
            labels = [empty if label is None else label for label in self.labels]
            builder.labels = np.array(labels, np.float64 if self.label_type is float else object)
        builder.weights = np.array(self.weights)
        indptr = np.array(self.ends, np.int64)
        groups = [Group(indptr, self._columns(builder), np.array(self.values))]
        for key, texts in self.texts.items():
            prefix = "" if len(self.texts) == 1 else f"{key}="
            try:
                words = word_columns(texts, self.reading.ngrams, self.names, prefix)
            except ValueError as error:  # the model knows no words
                raise DataError(self.file, None, None, str(error)) from None
            groups.append(Group(*words))
        self._clear()
        block = builder.block(groups, self.names, self.reading.dtype, done, errors)
        if len(block.lines):
            yield block

    def _columns(self, builder: BlockBuilder) -> Array:
        """Return the columns of the features; refuse rows whose features' names have none."""
        try:
            return self.cache.columns(self.features)
        except ValueError:
            columns = np.full(len(self.features), -1, np.int64)
        for row in range(len(self.lines)):
            place = slice(self.ends[row], self.ends[row + 1])
            try:
                columns[place] = self.cache.columns(self.features[place])
            except ValueError as error:
                builder.reject(row, str(error))
        return columns


class _KeyError(ValueError):
    """Something is wrong with the value of a key."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(problem)
        self.key = key


def _number(key: str, value: Any, problem: str) -> float:
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _KeyError(key, problem)
    return number


class _ConstantError(ValueError):
    """A constant that JSON does not have."""


def _refuse(constant: str) -> NoReturn:
    raise _ConstantError(constant)


def _problem(error: Exception, text: str) -> tuple[int, str]:
    """Return where a line is wrong, and what to say of it."""
    if isinstance(error, json.JSONDecodeError):
        return error.pos, f"expected a JSON object on one line ({error.msg}), found"
    if isinstance(error, RecursionError):
        return 0, "lists or objects are nested too deeply; flatten"
    if isinstance(error, _ConstantError):
        place = next((match.start() for match in _CONSTANT.finditer(text) if match[1]), 0)
        return place, "a number must be finite; leave it out, or write null, instead of"
    return 0, f"a number has too many digits ({error})"
