"""What `train` made of the columns of a table, in a line for each kind of thing."""

from collections import Counter
from collections.abc import Sequence

from rosenblatt.console import shortened
from rosenblatt.readers.blocks import ErrorLog
from rosenblatt.readers.column_types import (
    CATEGORY,
    DATE,
    DECIMAL_COMMA,
    IGNORED,
    NUMBER,
    SIGNS,
    TEXT,
    ColumnType,
)
from rosenblatt.readers.command_options import Reading

_NAMED = 4  # columns in a line


def column_lines(
    columns: Sequence[ColumnType], found: ErrorLog, reading: Reading
) -> list[tuple[str, str]]:
    """Return the names and texts of lines; none for other formats than tables.

    Parameters
    ----------
    columns : sequence of ColumnType
        What the columns hold.
    found : ErrorLog
        What was found out about them on the way.
    reading : Reading
        How the files were to be read.
    """
    features = [one for one in columns if one.name not in (found.label, reading.weight)]
    if not features:
        return []
    lines = [] if found.others else [("columns", _counts(features))]
    texts = [one.name for one in features if one.kind == TEXT and one.reason]
    if texts:
        lines.append(("text", f"{_named(texts)}, cut into words (--category keeps a column whole)"))
    dates = [one.name for one in features if one.kind == DATE]
    if dates:
        lines.append(("dates", f"{_named(dates)}, as days since 1970"))
    for style, what in (
        (DECIMAL_COMMA, "decimal commas"),
        (SIGNS, "signs, or commas in thousands"),
    ):
        names = [one.name for one in features if one.kind == NUMBER and one.style == style]
        if names:
            lines.append(("numbers", f"{_named(names)}, with {what}"))
    odd = [f"{one.name} ({one.reason})" for one in features if one.kind == CATEGORY and one.reason]
    if odd:
        lines.append(("mixed", f"numbers and words, read as categories: {_named(odd)}"))
    for reason, names in _ignored(features).items():
        lines.append(("ignored", f"{_named(names)}: {reason} (--category keeps a column)"))
    if found.missing:
        each = [f"{times:,} in {name}" for name, times in found.missing.items()]
        lines.append(("missing", _named(each)))
    codes = [f"{one.code:g} in {one.name}" for one in features if one.code is not None]
    codes += [f"{shortened(one.word)} in {one.name}" for one in features if one.word]
    if codes:
        lines.append(("codes", f"{_named(codes)}, read as missing values"))
    same = [name for name, value in found.constants.items() if value is not None]
    if same:
        lines.append(("constant", f"{_named(same)}: the same value in all rows"))
    return lines


def _counts(features: Sequence[ColumnType]) -> str:
    """Count the columns of each kind."""
    words = {
        NUMBER: ("number", "numbers"),
        CATEGORY: ("category", "categories"),
        TEXT: ("text", "texts"),
        DATE: ("date", "dates"),
        IGNORED: ("ignored", "ignored"),
    }
    counts = Counter(one.kind for one in features)
    return ", ".join(
        f"{counts[kind]:,} {many if counts[kind] > 1 else one}"
        for kind, (one, many) in words.items()
        if counts[kind]
    )


def _ignored(features: Sequence[ColumnType]) -> dict[str, list[str]]:
    """Group the columns that are ignored by the reason."""
    found: dict[str, list[str]] = {}
    for one in features:
        if one.kind == IGNORED:
            found.setdefault(one.reason, []).append(one.name)
    return found


def _named(names: Sequence[str]) -> str:
    """List some names.

    >>> _named(["a", "b"]), _named(["a", "b", "c", "d", "e", "f"])
    ('a, b', 'a, b, c, d and 2 more')
    """
    shown = ", ".join(names[:_NAMED])
    return shown + (f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else "")
