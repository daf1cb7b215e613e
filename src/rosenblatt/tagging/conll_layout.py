"""How the lines of CoNLL files are cut into columns, and what these are called."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.lines import BYTE_ORDER_MARK
from rosenblatt.tagging.corpus import POS, WORD

COLUMNS, CONLLU = "columns", "conllu"
TAG = "tag"
LEFT_OUT = ("-", "_")
# The first column of CoNLL-U counts the tokens of a sentence, and says nothing else.
TEN = ("-", WORD, "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_USUAL = {1: (WORD,), 2: (WORD, TAG), 3: (WORD, POS, TAG), 4: (WORD, POS, "chunk", TAG)}
_PACKED = (".gz", ".gzip", ".zst", ".zstd")
_NUMBER = re.compile(rb"[0-9]+([-.][0-9]+)?")
_FIELD = re.compile(rb"[^ \t]+")
_ENOUGH = 1 << 20  # bytes of lines that look like comments, after which they are none


class Layout(NamedTuple):
    """How a file's lines are cut.

    Attributes
    ----------
    format : str
        "columns" or "conllu".
    separator : str
        A tab; or a blank, for any number of blanks and tabs.
    names : tuple of str
        What the columns are called; one that is called "-" or "_" is left out.
    """

    format: str
    separator: str
    names: tuple[str, ...]


class Found(NamedTuple):
    """The layout of a file, its first line and that one's number, and the columns that are kept.

    Of these there are the place and the name. No line before the first is filled.
    """

    layout: Layout
    first: bytes
    line: int
    kept: tuple[tuple[int, str], ...]


class Asked(NamedTuple):
    """What is known of files before they are read."""

    format: str
    names: tuple[str, ...] | None
    layout: Layout | None
    only: tuple[str, ...] | None

    @classmethod
    def of(
        cls,
        format: str,  # noqa: A002
        names: Sequence[str] | None,
        layout: Layout | None,
        only: Iterable[str] | None,
    ) -> "Asked":
        """Check what a caller says of files."""
        if format not in ("auto", COLUMNS, CONLLU):
            raise ValueError(f"format={format!r} must be auto, {COLUMNS} or {CONLLU}")
        if layout is not None and (format != "auto" or names is not None):
            raise ValueError("layout says what format and names would; give one or the other")
        called = layout.names if layout else None if names is None else tuple(names)
        kept = [name for name in called or () if name not in LEFT_OUT]
        twice = next((name for k, name in enumerate(kept) if name in kept[:k]), None)
        if twice is not None:
            raise ValueError(f"two columns are called {twice!r}; give each a name of its own")
        if called is not None and not kept:
            raise ValueError("every column is left out; name one at least")
        return cls(format, called, layout, None if only is None else tuple(only))

    def find(self, text: bytes, file: str, last: bool, before: int = 0) -> Found | None:
        """Find the layout of a file from its start; None if more must be seen, and more is there.

        Whether something follows is what ``last`` says; ``before`` are blank lines left out.
        """
        lines = list(_first_lines(text))
        if not lines:
            return None
        number, line = lines[0][0] + before, lines[0][1]
        body = None if lines[-1][1].startswith(b"#") else lines[-1][1]
        format = self.layout.format if self.layout else self.format  # noqa: A001
        if format == "auto" and _is_called_conllu(file):
            format = CONLLU  # noqa: A001
        if format == "auto":
            if body is None and not last and len(text) < _ENOUGH:
                return None
            format = CONLLU if body is not None and _is_conllu(body) else COLUMNS  # noqa: A001
        if format == CONLLU:
            layout, width = Layout(CONLLU, "\t", self.names or TEN), len(TEN)
        else:
            separator = "\t" if b"\t" in line else " "
            separator = self.layout.separator if self.layout else separator
            width = len(line.split(b"\t") if separator == "\t" else _FIELD.findall(line))
            layout = Layout(COLUMNS, separator, self.names or usual_names(width))
        if len(layout.names) != width:
            given = f"names are given for {len(layout.names)}: {', '.join(layout.names)}"
            problem = f"the file has {counted(width, 'column')}, and {given}"
            raise DataError(file, number, None, problem)
        return Found(layout, line, number, self._kept(layout, file))

    def _kept(self, layout: Layout, file: str) -> tuple[tuple[int, str], ...]:
        """Return the place and the name of each column that is wanted."""
        kept = [(k, name) for k, name in enumerate(layout.names) if name not in LEFT_OUT]
        names = [name for _, name in kept]
        missing = next((name for name in self.only or () if name not in names), None)
        if missing is not None:
            problem = f"there is no column {missing!r}; the columns are {', '.join(names)}"
            raise DataError(file, None, None, problem)
        return tuple(pair for pair in kept if self.only is None or pair[1] in self.only)


def usual_names(width: int) -> tuple[str, ...]:
    """Return what so many columns are called if nobody says.

    >>> usual_names(3), usual_names(5)
    (('word', 'pos', 'tag'), ('word', 'column2', 'column3', 'column4', 'tag'))
    """
    between = tuple(f"column{k}" for k in range(2, width))
    return _USUAL.get(width) or (WORD, *between, TAG)


def counted(number: int, what: str) -> str:
    """Write a number of things.

    >>> counted(1, "column"), counted(2, "column")
    ('1 column', '2 columns')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def _first_lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield lines that are not blank and their numbers, up to the first that is no comment."""
    start = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    filled = len(text) - len(text[start:].lstrip(b" \t\r\n"))
    start = text.rfind(b"\n", start, filled) + 1 or start  # of the first line that is not blank
    number = text.count(b"\n", 0, start)
    while start < len(text):
        stop = text.find(b"\n", start)
        stop = stop if stop >= 0 else len(text)
        line, start, number = text[start:stop].rstrip(b"\r"), stop + 1, number + 1
        if line.strip(b" \t"):
            yield number, line
            if not line.startswith(b"#"):
                return


def _is_called_conllu(file: str) -> bool:
    path = PurePath(file.lower())
    return (path.with_suffix("") if path.suffix in _PACKED else path).suffix == ".conllu"


def _is_conllu(line: bytes) -> bool:
    """Say whether a line has ten columns, and the first is the number of a token."""
    columns = line.split(b"\t")
    return len(columns) == len(TEN) and _NUMBER.fullmatch(columns[0]) is not None
