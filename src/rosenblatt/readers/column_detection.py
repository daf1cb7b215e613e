"""Decide by the first rows of a table what its columns hold."""

import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.column_types import (
    CATEGORY,
    DATE,
    DATES,
    DECIMAL_COMMA,
    IGNORED,
    NUMBER,
    SIGNS,
    TEXT,
    ColumnType,
)

ENOUGH = 20  # values, from which on one that is unlike the others is taken for a mistake
_CODES = (-99.0, -999.0, -9999.0, -99999.0)
_SHARE = 100  # one value in so many may be a mistake
_WORDS = 2.0  # in a value of text, on average
_SAMPLE = 1000  # values whose words are counted
_NEARLY_ALL = 0.95  # of the values are different in a column of ids
_MANY = 0.5  # of the values are different in a column of text
_WORD = re.compile(r"[^\W\d_]{2,}(?!\w)")
_ID = re.compile(r"(?:.*[\W_])?(?:id|uuid|guid|key|index|row)|unnamed: \d+", re.IGNORECASE)
_CAMEL_ID = re.compile(r".*[a-z](?:Id|ID)")
_CURRENCY = "[$€£¥]|USD|EUR|GBP|CHF"
_SIGN = rf"(?:[-+]?\s?(?:{_CURRENCY})?\s?|(?:{_CURRENCY})\s?[-+])"
_UNIT = rf"\s?(?:%|{_CURRENCY})?"
_GAP = "\u00a0\u202f '’"  # in long numbers
# How cells of a style look, and the thousands separators in them.
STYLES = {
    SIGNS: (rf"{_SIGN}(?:\d{{1,3}}(?:[{_GAP},]\d{{3}})+|\d+)?(?:\.\d*)?{_UNIT}", ","),
    DECIMAL_COMMA: (rf"{_SIGN}(?:\d{{1,3}}(?:[{_GAP}.]\d{{3}})+|\d+)?(?:,\d*)?{_UNIT}", "."),
}
_PARTS = {"%Y": r"\d{4}", "%m": r"\d{1,2}", "%d": r"\d{1,2}", "%y": r"\d{2}", "%b": "[A-Za-z]{3}"}
_ZONE = r"(?:Z|UTC|[-+]\d{2}:?\d{2})?"
_TIME = rf"(?:[ T]+(\d{{1,2}}):(\d{{2}})(?::(\d{{2}}(?:\.\d+)?))?\s?([AaPp]?[Mm]?){_ZONE})?"


def date_pattern(style: str) -> str:
    """Return the pattern of cells that are dates of a format, with or without a time."""
    return (
        "(" + re.sub("%.", lambda found: _PARTS[found[0]], style.replace(".", r"\.")) + ")" + _TIME
    )


def is_styled(style: str) -> Callable[[str], bool]:
    """Return what says whether a cell is a number with signs, or with a decimal comma."""
    pattern = re.compile(STYLES[style][0])
    return lambda cell: pattern.fullmatch(cell) is not None and any(map(str.isdigit, cell))


def tolerated(n: int) -> int:
    """Return how many of n values may be mistakes in a column of numbers."""
    return max(n // _SHARE, int(n >= ENOUGH))


def decide_numbers(name: str, numbers: Array, first: bool, keep: bool = False) -> ColumnType:
    """Return what a column of numbers holds; ``first`` says whether it is the first of its table.

    With ``keep`` it is not ignored, whatever it holds.
    """
    if len(numbers) >= ENOUGH and not keep and (reason := _is_id(name, numbers, first)):
        return ColumnType(name, IGNORED, reason=reason)
    same = bool((numbers == numbers[0]).all())
    return ColumnType(name, NUMBER, code=_code(numbers), sparse=same)


def _is_id(name: str, numbers: Array, first: bool) -> str:
    """Say why numbers are not worth learning from: they only number the rows."""
    named = _ID.fullmatch(name) or _CAMEL_ID.fullmatch(name)
    if not (first or named) or not np.array_equal(numbers, np.rint(numbers)):
        return ""
    if numbers[0] in (0, 1) and (np.diff(numbers) == 1).all():
        return "the number of the row"
    if named and len(np.unique(numbers)) == len(numbers):
        return "nearly all values differ"
    return ""


def _code(numbers: Array) -> float | None:
    """Return the number that stands for a missing value, such as −999: far from all others."""
    low = float(numbers.min(initial=0.0))
    if low not in _CODES or len(numbers) < ENOUGH:
        return None
    others = numbers[numbers != low]
    if not len(others) or len(numbers) - len(others) < 2:
        return None
    gap, spread = others.min() - low, others.max() - others.min()
    return low if others.min() >= 0 or gap > spread else None


def decide_cells(
    name: str,
    values: Sequence[str],
    counts: Array,
    parse: Callable[[str], float | None],
    *,
    keep: bool,
    decimal_comma: bool,
) -> ColumnType:
    """Return what a column of cells holds that are not all numbers.

    Parameters
    ----------
    values, counts : sequence of str, array
        The different values, and how often each occurs.
    parse : callable
        Returns the number in a cell, or None.
    keep : bool
        Neither ignore it nor cut it into words, whatever it holds.
    decimal_comma : bool
        Whether 1,234 is rather 1.234 than 1234.
    """
    n = int(counts.sum())
    found = _numbers_or_dates(name, values, counts, parse, decimal_comma)
    if found is not None:
        return found
    if (word := _word_for_missing(values, counts)) is not None:
        others = [place for place, value in enumerate(values) if value != word]
        cells = [values[place] for place in others]
        found = _numbers_or_dates(name, cells, counts[others], parse, decimal_comma)
        if found is not None:
            return found._replace(word=word)
    styled = [is_styled(style) for style in STYLES]
    words = np.array([parse(v) is None and not any(fits(v) for fits in styled) for v in values])
    if not keep and n >= ENOUGH:
        sample = values[:: max(1, len(values) // _SAMPLE)]
        mean = sum(len(_WORD.findall(value)) for value in sample) / len(sample)
        if mean >= _WORDS and len(values) >= _MANY * n:
            return ColumnType(name, TEXT, reason="found")
        if len(values) >= _NEARLY_ALL * n and words.all():
            return ColumnType(name, IGNORED, reason="nearly all values differ")
    if counts[words].sum() < n / 2 and (~words).sum() > ENOUGH:
        return ColumnType(name, CATEGORY, reason=values[int(np.argmax(words))])
    return ColumnType(name, CATEGORY, sparse=len(values) == 1)


def _numbers_or_dates(
    name: str,
    values: Sequence[str],
    counts: Array,
    parse: Callable[[str], float | None],
    decimal_comma: bool,
) -> ColumnType | None:
    """Return what a column holds in which nearly all cells are numbers, or dates of one format."""
    same, most = len(values) == 1, tolerated(int(counts.sum()))
    found = [parse(value) for value in values]
    words = np.array([number is None for number in found])
    if counts[words].sum() <= most:
        numbers = np.array([number for number in found if number is not None])
        code = _code(np.repeat(numbers, counts[~words]))
        return ColumnType(name, NUMBER, code=code, sparse=same)
    if (style := _date(values, counts)) is not None:
        return ColumnType(name, DATE, style, sparse=same)
    likelier = (DECIMAL_COMMA, SIGNS) if decimal_comma else (SIGNS, DECIMAL_COMMA)
    for allowed in (0, most):  # a style that fits all cells comes first
        for style in likelier:
            if _fits_nearly_all(is_styled(style), values, counts, allowed):
                return ColumnType(name, NUMBER, style, sparse=same)
    return None


def _word_for_missing(values: Sequence[str], counts: Array) -> str | None:
    """Return the one word among numbers or dates, such as "unknown"; None if that is not so."""
    if len(values) <= ENOUGH + 1:
        return None  # numbers may be codes, and the word one of them
    words = (k for k, value in enumerate(values) if not any(map(str.isdigit, value)))
    place, another = next(words, None), next(words, None)
    if place is None or another is not None or not 2 <= counts[place] < counts.sum() / 2:
        return None
    return values[place]


def _date(values: Sequence[str], counts: Array) -> str | None:
    """Return the format of dates, if nearly all values are dates of one."""
    for style in DATES:
        pattern = re.compile(date_pattern(style))
        # The first few tell most columns apart.
        few = [is_date(value, pattern, style) for value in values[:5]]
        if sum(few) * 2 < len(few):
            continue
        fits = partial(is_date, pattern=pattern, style=style)
        if _fits_nearly_all(fits, values, counts, tolerated(int(counts.sum()))):
            return style
    return None


def _fits_nearly_all(
    fits: Callable[[str], bool], values: Sequence[str], counts: Array, most: int
) -> bool:
    """Say whether at most so many cells do not fit."""
    bad = 0
    for value, times in zip(values, counts.tolist(), strict=True):
        if not fits(value):
            bad += times
            if bad > most:
                return False
    return True


def is_date(value: str, pattern: re.Pattern[str], style: str) -> bool:
    """Say whether a value is a date of a format."""
    found = pattern.fullmatch(value)
    if found is None:
        return False
    order = re.findall("%(.)", style)
    numbers = re.findall(r"\d+|[A-Za-z]+", found[1])
    parts = dict(zip(order, numbers, strict=True))
    month = 1 if "b" in parts else int(parts["m"])
    return 1 <= month <= 12 and 1 <= int(parts["d"]) <= 31
