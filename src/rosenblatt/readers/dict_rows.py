"""Rows that come as dicts: lines of JSON, and what Python gives to a model that was loaded.

If a model learned from a table, what its columns hold is known (`ColumnType`), and a value is read
as the cell of a table would be: the same row has the same features as CSV, as JSON and as a dict.
Without such columns the features are those of `features_of`, and of texts that are named.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rosenblatt.console import with_parameters
from rosenblatt.data.frames import NOTHING
from rosenblatt.data.rows import Sparse
from rosenblatt.readers.blocks import Group, joined_rows, shown
from rosenblatt.readers.cells import (
    MISSING,
    MISSING_LABELS,
    Categories,
    category_of,
    days_of,
    decided,
    parser_of,
    unlike_the_others,
    without_missing,
)
from rosenblatt.readers.column_types import CATEGORY, DATE, IGNORED, NUMBER, TEXT, ColumnType
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.features import features_of, not_features
from rosenblatt.readers.names import Names
from rosenblatt.readers.namespaces import Namespaces
from rosenblatt.readers.products import Products, products_of
from rosenblatt.readers.row_products import RowProducts

_READ = ("columns", "text", "drop", "keep", "interactions")  # dicts are not taken as they are then
_WITH_NAMESPACES = ("vw", "vwjson")
_NAMED = 8  # columns or keys that an error lists
_NUMBERS = (int, float, np.integer, np.floating, np.bool_)

# The names and values of some features, or a text, of which the words are features.
Part: TypeAlias = "tuple[list[str], list[float]] | str"


class ValueOfKeyError(ValueError):
    """Something is wrong with the value of a key.

    ``problem`` is the message where rows come from files: it names options of commands.
    """

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(with_parameters(problem))
        self.key, self.problem = key, problem


class _Column(NamedTuple):
    """A column of a table, and what reads a value of it: a number, a category, or None."""

    type: ColumnType
    missing: str
    read: Callable[[Any], float | str | None]


class DictRows:
    """Turns dicts into rows.

    Parameters
    ----------
    reading : Reading
        Its ``columns``, if there are any, ``text``, ``drop`` and ``keep`` say what a dict holds.
        The keys of the label and the weight are no features. If files are Vowpal Wabbit's,
        ``drop`` and ``keep`` are of namespaces: what stands before the first caret of a key.
    missing : dict, optional
        Where the missing values of each column are counted.
    alone : bool
        Each dict must have one of the table's columns, unless it is empty.

    Examples
    --------
    >>> reading = Reading(columns=(ColumnType("age", "number"), ColumnType("note", "text")))
    >>> DictRows(reading).parts({"age": "39", "note": "see you", "id": 7})
    [(['age'], [39.0]), 'see you', ([], [])]
    """

    def __init__(
        self, reading: Reading, missing: dict[str, int] | None = None, alone: bool = False
    ) -> None:
        self.reading, self._missing, self._alone = reading, missing, alone
        self.typed, self.others = bool(reading.columns), reading.others
        own = {reading.label, reading.weight, *reading.drop} - {*reading.text}
        found = [
            ColumnType(one.name, TEXT) if one.name in reading.text else one
            for one in reading.columns
        ]
        found = [one for one in found if one.kind != IGNORED and one.name not in own]
        there = {one.name for one in found}
        found += [ColumnType(name, TEXT) for name in reading.text if name not in there]
        self.names = tuple(one.name for one in found)
        texts = [one.name for one in found if one.kind == TEXT]
        # One text needs no prefix, as in a table.
        named = len(texts) > 1 or bool(reading.interactions)
        self.prefixes = [f"{name}=" if named else "" for name in texts]
        self._layout = [
            (is_text, [_Column(one, f"{one.name}=", _reads(one)) for one in group])
            for is_text, group in groupby(found, lambda one: one.kind == TEXT)
        ]
        # With texts or products it takes more than names and values to make a row.
        self.has_texts, self.whole = bool(texts), bool(texts or reading.interactions)
        self._products: Products | None = None
        self._one: RowProducts | None = None
        # From a line of JSON the label and the weight were taken before.
        apart = {reading.label, reading.weight} - {None} if alone else ()
        self._spaces = Namespaces(reading, "") if reading.usual in _WITH_NAMESPACES else None
        dropped = reading.drop if self._spaces is None else ()
        self._left_out = frozenset((*reading.text, *dropped, *self.names, *apart))
        kept = reading.keep and self._spaces is None
        self._kept = frozenset((*reading.keep, *reading.category)) if kept else None

    def parts(self, x: Mapping[Any, Any]) -> list[Part]:
        """Return the features of a row in parts; rows of one file have as many."""
        if type(x) is not dict and not isinstance(x, Mapping):
            raise not_features(x)
        if not self.typed or self.others:
            return self._as_they_are(x)
        if self._alone and x and not any(name in x for name in self.names):
            raise ValueError(none_is_here(self.names, list(map(str, x)), "keys"))
        return self._of_table(x)

    def plain(self, x: Mapping[Any, Any]) -> dict[Any, Any]:
        """Return a dict that has the features of this one as they are, if none is a text.

        Keys that are no columns are kept with their values, as a list may make a feature twice.
        """
        found: dict[Any, Any] = {}
        if self.typed and not self.others:
            parts = self.parts(x)
        elif isinstance(x, Mapping):
            found, parts = dict(self._others(x)), self._of_table(x) if self.typed else []
        else:
            raise not_features(x)
        for part in parts:
            assert not isinstance(part, str)
            found.update(zip(*part, strict=True))
        return found

    def _others(self, x: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Return what is taken as it is: all but columns, and what is to be left out."""
        if self._spaces is not None and self._spaces.names:
            x = {key: value for key, value in x.items() if self._spaces.wants(_space(key, value))}
        if self._kept is not None:
            x = {key: value for key, value in x.items() if key in self._kept}
        if not self._left_out:
            return x
        return {key: value for key, value in x.items() if key not in self._left_out}

    def _as_they_are(self, x: Mapping[Any, Any]) -> list[Part]:
        rest = self._others(x)
        if not self.typed:
            return [features_of(rest), *(as_text(name, x.get(name)) for name in self.names)]
        names, values = features_of(rest)
        texts: list[Part] = []
        for part in self._of_table(x):
            if isinstance(part, str):
                texts.append(part)
            else:
                names += part[0]
                values += part[1]
        return [(names, values), *texts]

    def _of_table(self, x: Mapping[Any, Any]) -> list[Part]:
        found: list[Part] = []
        absent: list[str] = []
        for is_text, columns in self._layout:
            if is_text:
                found += [_text_of(one.type.name, x.get(one.type.name)) for one in columns]
                continue
            names: list[str] = []
            values: list[float] = []
            for kind, missing, read in columns:
                name = kind.name
                value = read(x[name]) if name in x else None
                if value is None:
                    if self._missing is not None and not kind.sparse:
                        self._missing[name] = self._missing.get(name, 0) + 1
                    if name not in x:
                        absent += [] if kind.sparse else [missing]
                    elif not kind.sparse:
                        names.append(missing)
                        values.append(1.0)
                elif isinstance(value, str):
                    names.append(missing + value)
                    values.append(1.0)
                else:
                    names.append(name)
                    values.append(value)
            found.append((names, values))
        # As columns that a table does not have: after all others.
        found.append((absent, [1.0] * len(absent)))
        return found

    def row(self, parts: Sequence[Part], names: Names, dtype: Any, new: bool) -> Sparse:
        """Return the row of a dict; ``new`` names of features may get a column, or have none."""
        frozen, names.frozen = names.frozen, names.frozen or not new
        products = self.products(names)
        try:
            if products is not None and not self.has_texts:
                return self._row_products(products).row(*_together(parts), np.dtype(dtype))
            groups = [
                self.words([part], number, names)
                if isinstance(part, str)
                else Group(
                    np.array([0, len(part[0])]),
                    (products or names).columns(part[0]),
                    np.array(part[1], float),
                )
                for part, number in zip(parts, self._text_numbers(parts), strict=True)
            ]
            return joined_rows(groups, products or names, 1, dtype)
        finally:
            names.frozen = frozen

    def _row_products(self, products: Products) -> RowProducts:
        if self._one is None or self._one.products is not products:
            self._one = RowProducts(products)
        return self._one

    def forget(self) -> None:
        """Forget the columns that are cached, after names were forgotten."""
        self._one = None

    def products(self, names: Names) -> Products | None:
        """Return what makes the products of features, if there are interactions."""
        if self._products is None or self._products.names is not names:
            columns = [one.name for one in self.reading.columns] if not self.others else []
            self._products = products_of(self.reading, names, columns)
        return self._products

    def _text_numbers(self, parts: Sequence[Part]) -> list[int]:
        """Return which of the texts each part is; that of others does not matter."""
        return (np.cumsum([isinstance(part, str) for part in parts]) - 1).tolist()  # type: ignore[no-any-return]

    def words(self, texts: Sequence[str], number: int, names: Names) -> Group:
        """Return the words of texts under one of the keys of texts."""
        from rosenblatt.readers.text import word_columns  # which takes its time to load

        prefix = self.prefixes[number]
        indptr, columns, values = word_columns(texts, self.reading.ngrams, names, prefix)
        if (products := self.products(names)) is not None:
            columns = products.marked_words(columns, prefix)
        return Group(indptr, columns, values)


def _space(key: Any, value: Any) -> str:
    """Return the namespace that the features of a key have in Vowpal Wabbit's formats.

    >>> _space("user^city", 1), _space("age", 1), _space("user", {"age": 1})
    ('user', '', 'user')
    """
    name = str(key)
    return name if isinstance(value, Mapping) else name.partition("^")[0] if "^" in name else ""


def _together(parts: Sequence[Part]) -> tuple[list[str], list[float]]:
    """Join the names and the values of parts that are no texts."""
    names: list[str] = []
    values: list[float] = []
    for part in parts:
        assert not isinstance(part, str)
        names += part[0]
        values += part[1]
    return names, values


def _reads(kind: ColumnType) -> Callable[[Any], float | str | None]:
    """Return what reads a value of a column: None if it is missing."""
    if kind.kind == CATEGORY:
        return lambda value: _category(value, kind)
    parse = parser_of(kind)

    def read(value: Any) -> float | None:
        number = _number(value, kind, parse)
        if number is None or number != number or number == kind.code:
            return None
        if number - number != 0.0:
            raise ValueOfKeyError(kind.name, f"the number in column {kind.name!r} must be finite")
        return number

    return read


def _is_missing(value: Any) -> bool:
    if value is None or (isinstance(value, float | np.floating | np.datetime64) and value != value):
        return True
    return type(value).__name__ in NOTHING


def _number(
    value: Any, kind: ColumnType, parse: Callable[[str], float | None], label: bool = False
) -> float | None:
    """Return the number or the date of a value; None if it is missing."""
    if isinstance(value, str):
        cell = value.strip()
        if cell in MISSING_LABELS or (cell.lower() in MISSING and not label):
            return None
        number = parse(cell)
        if number is None:
            problem = f"{unlike_the_others(kind, label)}: {shown(cell)}"
            raise ValueOfKeyError(kind.name, problem)
        return number
    if _is_missing(value):
        return None
    if kind.kind == DATE:
        if isinstance(value, date | np.datetime64):
            return days_of(value)
    elif isinstance(value, _NUMBERS):
        try:
            return float(value)
        except OverflowError:
            return np.inf
    raise _unlike(value, kind, label)


def _category(value: Any, kind: ColumnType) -> str | None:
    text = _cell(value, kind)
    return None if text is None or text.lower() in MISSING else text


def _cell(value: Any, kind: ColumnType, label: bool = False) -> str | None:
    """Return a value as a table of text has it; None if it is missing, or empty."""
    if isinstance(value, str):
        return value.strip() or None
    if _is_missing(value):
        return None
    if isinstance(value, bool | np.bool_ | date | np.datetime64):
        return str(value)
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, _NUMBERS):
        return category_of(float(value))
    raise _unlike(value, kind, label)


def _unlike(value: Any, kind: ColumnType, label: bool) -> ValueOfKeyError:
    shown_value = shown(str(value))
    if not isinstance(value, (str, *_NUMBERS, date, np.datetime64)):
        return ValueOfKeyError(
            kind.name,
            f"column {kind.name!r} holds one number or string in each row, and this is a "
            f"{type(value).__name__}; convert it, or train with --drop {kind.name}: {shown_value}",
        )
    return ValueOfKeyError(kind.name, f"{unlike_the_others(kind, label)}: {shown_value}")


def as_text(key: str, text: Any) -> str:
    """Return a text; raise `ValueOfKeyError` for what is none."""
    if text is None or isinstance(text, str):
        return text or ""
    raise ValueOfKeyError(key, f"the text {key!r} must be a string")


def _text_of(key: str, value: Any) -> str:
    """Return the text of a column of a table, in which a number is its digits."""
    if isinstance(value, str):
        return value
    return _cell(value, ColumnType(key, TEXT)) or ""


def texts_and_dates(
    rows: Sequence[Mapping[str, Any]], kept: Collection[str | None]
) -> tuple[ColumnType, ...]:
    """Return the keys that hold texts or dates in all rows; ``kept`` are to stay as they are.

    A date that is missing is no feature, as nothing is that is missing in a dict.
    """
    cells: dict[str, list[str]] = {}
    odd = set(kept)
    for row in rows:
        for key, value in row.items():
            if isinstance(value, str):
                cells.setdefault(key, []).append(value.strip())
            elif value is not None:
                odd.add(key)
    found = []
    for key in cells.keys() - odd:
        numbers: dict[str, int] = {}
        codes = np.array([numbers.setdefault(cell, len(numbers)) for cell in cells[key]])
        kind = decided(without_missing(Categories(codes, list(numbers))), key, False, False)
        if kind is not None and kind.kind in (TEXT, DATE):
            found.append(kind._replace(sparse=True) if kind.kind == DATE else kind)
    order = list(cells)
    return tuple(sorted(found, key=lambda one: order.index(one.name)))


def typed_label(value: Any, kind: ColumnType) -> float | str | None:
    """Return a label as a table has it: a number, or a string; None if it is missing."""
    if kind.kind != NUMBER:
        return _cell(value, kind, label=True)
    number = _number(value, kind, parser_of(kind), label=True)
    return None if number is None or number != number else number


def none_is_here(expected: Sequence[str], found: Sequence[str], what: str) -> str:
    """Say that a row has none of the columns of a table."""
    return (
        f"none of the columns that the model learned from is here ({quoted(expected)}); "
        f"the {what} are {quoted(found)}"
    )


def quoted(names: Sequence[str], most: int = _NAMED) -> str:
    """List some names for an error."""
    return ", ".join(map(repr, names[:most])) + (", …" if len(names) > most else "")


def as_in_training(header: Any) -> DictRows | ValueError | None:
    """Return what reads dicts as the files that a model learned from; None if they are plain.

    An error is to be raised when a dict comes: other uses of the model do without.
    """
    if not isinstance(header, dict) or not any(map(header.get, _READ)):
        return None
    if header.get("usual") in _WITH_NAMESPACES:  # which names of features say
        kept = ("interactions", "usual", "dtype", "drop", "keep")
        header = {name: header[name] for name in kept if name in header}
    if not any(map(header.get, _READ)):
        return None
    try:
        return DictRows(Reading.from_header(header), alone=True)
    except (TypeError, ValueError) as error:
        return ValueError(f"the model does not say how to read a dict: {error}")
