"""What a reader hands out, a block of rows at a time, and how it says what is wrong."""

from dataclasses import dataclass, field
from typing import NamedTuple

from rosenblatt.data.rows import Array, Rows

SHOWN = 40  # characters of a text that an error shows
KEPT_MESSAGES = 5
CONVERT = "convert the file, for example with iconv -f latin1 -t utf-8"
NOT_UTF8 = f"this is not UTF-8; {CONVERT}, found"


class Block(NamedTuple):
    """Some rows of a file, in its order.

    Attributes
    ----------
    rows : Sparse or Dense
        The features. Columns are numbered as the `Names` of the reader say.
    labels : array or None
        float64 numbers (NaN where a row has none), or an object array of strings (None where a row
        has none); None if no row has a label.
    weights : array or None
        Importance weights in float64; None if all are one.
    file : str
        Where they are from, as people know it.
    lines : array
        The line of each row in that file, from 1 on (the row's number where there are no lines).
    done : int
        How many bytes of all files were read when these rows were complete, for a progress bar.
    tags : list of str or None
        What the rows are called, in formats where they have names.
    """

    rows: Rows
    labels: Array | None
    weights: Array | None
    file: str
    lines: Array
    done: int
    tags: list[str] | None = None


class DataError(ValueError):
    """Something in a file cannot be read as what it should be; says where and what."""

    def __init__(
        self, file: str, line: int | None, column: int | None, problem: str, text: str | None = None
    ) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        found = "" if text is None else f": {shown(text)}"
        super().__init__(f"{place}: {problem}{found}")
        self.file, self.line, self.column = file, line, column


def shown(text: str) -> str:
    """Quote a text for an error: one line, and not too much of it.

    >>> shown("3:abc" + "x" * 100)
    '"3:abcxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"'
    """
    short = text if len(text) <= SHOWN else text[:SHOWN] + "…"
    return '"' + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in short) + '"'


@dataclass
class Problems:
    """Errors met on the way: the first ends it, or they are counted and their lines skipped.

    ``label`` is the column or key that labels were found in, in formats where these have names.
    """

    skip: bool = False
    count: int = 0
    label: str | None = None
    messages: list[str] = field(default_factory=list)

    def add(self, error: DataError) -> None:
        """Take note of an error; raise it unless errors are skipped."""
        if not self.skip:
            raise error
        self.count += 1
        if len(self.messages) < KEPT_MESSAGES:
            self.messages.append(str(error))
