"""JSON lines: one object per line, whose members are features as in `dict_rows`."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

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
from rosenblatt.readers.column_types import ColumnType
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.dict_rows import (
    DictRows,
    Part,
    ValueOfKeyError,
    none_is_here,
    quoted,
    texts_and_dates,
    typed_label,
)
from rosenblatt.readers.features import features_of
from rosenblatt.readers.formats import label_among
from rosenblatt.readers.lines import whole_lines
from rosenblatt.readers.names import Names
from rosenblatt.readers.sources import Stream

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
_ENOUGH = 200  # rows, by which it is decided which keys hold texts or dates
_LISTED = 12  # keys that an error names
_MOST_KEYS = 100  # that are remembered for it
T = TypeVar("T")


def blocks(
    stream: Stream, name: str, reading: Reading, names: Names, errors: ErrorLog
) -> Iterator[Block]:
    """Yield the rows of a file of JSON lines."""
    rows = _Rows(name, reading, names, errors)
    size, waited = 0, 0.0
    for first, text, seconds in whole_lines(stream, name, errors):
        waited += seconds
        for number, line in filled_lines(text, first):
            size += len(line) + 1
            rows.add(line, number, errors)
            if rows.count == MOST_ROWS or size >= MOST_BYTES:
                yield from rows.block(stream.consumed, errors)
                size, waited = 0, 0.0
        if waited > PATIENCE and not rows.held:
            yield from rows.block(stream.consumed, errors)
            size, waited = 0, 0.0
    yield from rows.block(stream.consumed, errors)
    rows.end(errors)


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

    def __init__(self, file: str, reading: Reading, names: Names, errors: ErrorLog) -> None:
        self.file, self.reading, self.names = file, reading, names
        self.label = reading.label
        self.rows = DictRows(reading, errors.missing if reading.learning else None)
        self.products = self.rows.products(names)
        self.cache = ColumnCache(self.products or names)
        self.types: dict[str | None, ColumnType] = {one.name: one for one in reading.columns}
        chosen = () if reading.remembered else (*reading.text, *reading.drop, *reading.keep)
        wanted = {reading.weight, *chosen} if reading.learning else set()
        self.unseen: set[str] = {key for key in wanted if key is not None}
        # The columns of a model's table that no row has so far.
        self.absent: set[str] = set(self.rows.names) if self.rows.typed else set()
        self._other_roles = {reading.weight, *reading.text, *reading.drop}
        self.unlabelled = 0  # rows, before the first one with the key of the label
        self.keys: dict[str, None] = {}
        self.label_type: type | None = None
        self.decoder = json.JSONDecoder(parse_constant=refuse_constant)
        # The first lines decide which keys hold texts or dates: lines until then.
        self.undecided = reading.learning and not (reading.columns or reading.others)
        self.held: list[tuple[bytes, int]] = []
        self._clear()

    def _clear(self) -> None:
        self.lines: list[int] = []
        self.parts: list[Features | list[str]] = []  # texts, or features, of all rows
        self.labels: list[float | str | None] = []
        self.weights: list[float] = []

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.lines) + len(self.held)

    def add(self, line: bytes, number: int, errors: ErrorLog) -> None:
        """Add the row of a line; blank ones have none."""
        if not line.strip(_SPACES):
            return
        if not self.undecided:
            self._take(line, number, errors)
            return
        self.held.append((line, number))
        if len(self.held) == _ENOUGH:
            self._decide(errors)

    def _decide(self, errors: ErrorLog) -> None:
        """Decide by the lines held which keys hold texts or dates, and add their rows."""
        self.undecided, held, self.held = False, self.held, []
        rows = []
        for line, number in held:
            with suppress(DataError):
                rows.append(self._parsed(line, number))
        label = self.label or next(filter(None, map(self._label_among, rows)), None)
        reading = self.reading
        kept = {label, reading.weight, *reading.text, *reading.drop, *reading.category}
        columns = texts_and_dates(rows, kept)
        if reading.keep:
            columns = tuple(one for one in columns if one.name in reading.keep)
        errors.others = True
        if columns:
            self.reading = replace(reading, columns=columns, others=True)
            self.rows = DictRows(self.reading, errors.missing)
            self.products = self.rows.products(self.names)
            self.cache = ColumnCache(self.products or self.names)
            errors.columns = columns
        for line, number in held:
            self._take(line, number, errors)

    def _take(self, line: bytes, number: int, errors: ErrorLog) -> None:
        try:
            self._add(self._parsed(line, number), number)
        except ValueOfKeyError as error:
            errors.add(error_at_key(error, line, self.file, number))
        except DataError as error:
            errors.add(error)

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        return parsed(self.decoder, line, self.file, number, dict)

    def _add(self, row: dict[str, Any], number: int) -> None:
        """Add a row, or nothing if something is wrong with it."""
        if self.unseen or self.absent or self.unlabelled >= 0:
            self._look_at(row)
        if self.label is None:
            self.label = self._label_among(row)
        label = None if self.label is None else self._label(row.pop(self.label, None))
        weight = 1.0
        if self.reading.weight is not None:
            weight = self._weight(row.pop(self.reading.weight, None))
        parts = self._parts(row)
        if label is not None:
            self.label_type = type(label)
        if not self.lines:
            self.parts = [[] if isinstance(part, str) else Features() for part in parts]
        self.lines.append(number)
        for collected, part in zip(self.parts, parts, strict=True):
            collected.append(part)  # type: ignore[arg-type]
        self.labels.append(label)
        self.weights.append(weight)

    def _label_among(self, row: dict[str, Any]) -> str | None:
        """Return the key of a row that says that it is the label's."""
        return label_among([key for key in row if key not in self._other_roles])

    def _look_at(self, row: dict[str, Any]) -> None:
        """Take note of the keys of a row."""
        if len(self.keys) < _MOST_KEYS:
            self.keys |= dict.fromkeys(row)
        self.unseen -= row.keys()
        self.absent -= row.keys()
        if self.unlabelled >= 0:
            there = self._label_among(row) if self.label is None else self.label in row
            self.unlabelled = -1 if there else self.unlabelled + 1

    def _label(self, label: Any) -> float | str | None:
        assert self.label is not None
        if self.label in self.types:
            label = typed_label(label, self.types[self.label])
        if label is None or label == "":
            return None
        if not isinstance(label, str):
            label = number_of(self.label, label, "a label must be a finite number or a string")
        if self.label_type not in (None, type(label)):
            kinds = ("numbers", "a string") if isinstance(label, str) else ("strings", "a number")
            raise ValueOfKeyError(
                self.label, "labels were {} so far, and this is {}; use one".format(*kinds)
            )
        return label  # type: ignore[no-any-return]

    def _weight(self, weight: Any) -> float:
        if weight is None:
            return 1.0
        assert self.reading.weight is not None
        problem = "a weight must be a finite number that is not negative"
        number = number_of(self.reading.weight, weight, problem)
        if number < 0:
            raise ValueOfKeyError(self.reading.weight, problem)
        return number

    def _parts(self, row: dict[str, Any]) -> list[Part]:
        try:
            return self.rows.parts(row)
        except ValueOfKeyError:
            raise
        except (ValueError, TypeError):
            for key, value in row.items():  # find the one that is wrong
                try:
                    features_of({key: value})
                except (ValueError, TypeError) as error:
                    raise ValueOfKeyError(key, str(error)) from None
            raise

    def block(self, done: int, errors: ErrorLog) -> Iterator[Block]:
        """Yield a block of the rows so far, if there are any, and start the next."""
        if self.held:
            self._decide(errors)
        if not self.lines:
            return
        if self.unseen:
            self._refuse(f"no row has the key {min(self.unseen)!r}")
        strict = self.rows.typed and not self.rows.others
        if strict and self.rows.names and self.keys and len(self.absent) == len(self.rows.names):
            problem = none_is_here(self.rows.names, list(self.keys), "keys")
            raise DataError(self.file, None, None, problem)
        if self.unlabelled >= MOST_ROWS:
            self._check_label()
        builder = BlockBuilder(self.file, np.array(self.lines, np.int64))
        if self.label_type is not None:
            errors.label = self.label
            empty = np.nan if self.label_type is float else None
            labels = [empty if label is None else label for label in self.labels]
            builder.labels = np.array(labels, np.float64 if self.label_type is float else object)
        builder.weights = np.array(self.weights)
        groups = [self._group(part, number, builder) for number, part in self._numbered()]
        self._clear()
        names = self.products or self.names
        block = builder.block(groups, names, self.reading.dtype, done, errors)
        if len(block.lines):
            yield block

    def end(self, errors: ErrorLog) -> None:
        """Say what no row of the file had."""
        if self.unlabelled > 0:
            self._check_label()
        if self.absent and self.keys and not self.reading.learning and not errors.absent:
            errors.absent = [name for name in self.rows.names if name in self.absent]

    def _check_label(self) -> None:
        """Raise `DataError` if rows must have a label, and none has its key."""
        if self.reading.labelled:
            wanted = "'label', 'class', 'target' or 'y'" if self.label is None else repr(self.label)
            self._refuse(f"no row has the key {wanted} of the label; name it with --label")

    def _refuse(self, problem: str) -> NoReturn:
        listed = quoted(list(self.keys), _LISTED)
        raise DataError(self.file, None, None, f"{problem}; there are {listed}")

    def _numbered(self) -> Iterator[tuple[int, "Features | list[str]"]]:
        """Yield the parts, and how many texts there are before each."""
        texts = 0
        for part in self.parts:
            yield texts, part
            texts += isinstance(part, list)

    def _group(self, part: "Features | list[str]", number: int, builder: BlockBuilder) -> Group:
        """Return the features of one part of all rows."""
        if isinstance(part, list):
            try:
                return self.rows.words(part, number, self.names)
            except ValueError as error:  # the model knows no words
                raise DataError(self.file, None, None, str(error)) from None
        return part.group(self.cache, builder)


class Features:
    """The names and values of some features of each row, and where those of a row end."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.values: list[float] = []
        self.ends = [0]

    def append(self, part: tuple[list[str], list[float]]) -> None:
        """Add those of a row."""
        self.names += part[0]
        self.values += part[1]
        self.ends.append(len(self.names))

    def group(self, cache: ColumnCache, builder: BlockBuilder) -> Group:
        """Find their columns; refuse rows whose features' names have none."""
        columns = self._columns(cache, builder)
        return Group(np.array(self.ends, np.int64), columns, np.array(self.values, float))

    def _columns(self, cache: ColumnCache, builder: BlockBuilder) -> Array:
        try:
            return cache.columns(self.names)
        except ValueError:
            columns = np.full(len(self.names), -1, np.int64)
        for row, place in enumerate(map(slice, self.ends[:-1], self.ends[1:])):
            try:
                columns[place] = cache.columns(self.names[place])
            except ValueError as error:
                builder.reject(row, str(error))
        return columns


def parsed(decoder: json.JSONDecoder, line: bytes, file: str, number: int, kind: type[T]) -> T:
    """Return the object that a line is, of a type that the decoder makes of objects."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode()) + 1
        found = line[error.start : error.start + _SHOWN].decode(errors="backslashreplace")
        raise DataError(file, number, column, NOT_UTF8, found) from None
    if "\\u" in text and _HALF_ESCAPE.search(text):
        # Half a character cannot be printed or saved. Both forms are of the same length.
        text = _ESCAPES.sub(lambda match: match[1] or "\\ufffd", text)
    try:
        row = decoder.decode(text)
    except (ValueError, RecursionError) as error:
        place, problem = _problem(error, text)
        found = text[place : place + _SHOWN].strip("\r") or "end of line"
        raise DataError(file, number, place + 1, problem, found) from None
    if not isinstance(row, kind):
        problem = "expected a JSON object with names and values, found"
        raise DataError(file, number, 1, problem, text[:_SHOWN])
    return row


def number_of(key: str, value: Any, problem: str) -> float:
    """Return a finite number; raise `ValueOfKeyError` for anything else."""
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueOfKeyError(key, problem)
    return number


def error_at_key(error: ValueOfKeyError, line: bytes, file: str, number: int) -> DataError:
    """Say where in a line the key is that something is wrong with."""
    name = json.dumps(error.key, ensure_ascii=not error.key.isprintable())
    return DataError(file, number, line.decode().find(name) + 1 or None, error.problem)


class _ConstantError(ValueError):
    """A constant that JSON does not have."""


def refuse_constant(constant: str) -> NoReturn:
    """Refuse NaN and infinity, which JSON does not have."""
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
