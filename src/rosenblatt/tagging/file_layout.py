"""The columns of a tagger's files: what they are called, which it looks at, and where tags are.

Readers give columns names by their place. Here they get those that a user or a model has for them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from rosenblatt.console import count
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.lines import BYTE_ORDER_MARK
from rosenblatt.tagging.corpus import POS, WORD, Corpus

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
_ALIASES = {"form": WORD}
_FREE_PLACES = (
    1,
    3,
    4,
    2,
    *range(5, len(TEN)),
)  # places of CoNLL-U for columns that it does not know


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


class FileLayout(NamedTuple):
    """The layout of a file, its first line and that one's number, and the columns that are kept.

    Of these there are the place and the name. No line before the first is filled.
    """

    layout: Layout
    first: bytes
    line: int
    kept: tuple[tuple[int, str], ...]


class LayoutOptions(NamedTuple):
    """What a caller says of the layout of files."""

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
    ) -> "LayoutOptions":
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

    def find(self, text: bytes, file: str, last: bool, before: int = 0) -> FileLayout | None:
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
            problem = f"the file has {count(width, 'column')}, and {given}"
            raise DataError(file, number, None, problem)
        return FileLayout(layout, line, number, self._kept(layout, file))

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
    """Return the default names of this many columns.

    >>> usual_names(3), usual_names(5)
    (('word', 'pos', 'tag'), ('word', 'column2', 'column3', 'column4', 'tag'))
    """
    between = tuple(f"column{k}" for k in range(2, width))
    return _USUAL.get(width) or (WORD, *between, TAG)


def _first_lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield lines that are not blank and their numbers, up to the first that is not a comment."""
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


class TagReading(NamedTuple):
    """How a tagger's files are read.

    Attributes
    ----------
    format : str
        Of those that it learned from: "columns" or "conllu".
    names : tuple of str
        All of their columns; what is not used is called "-".
    inputs : tuple of str
        What the tagger looks at.
    tag : str
        The column of the tags.
    """

    format: str
    names: tuple[str, ...]
    inputs: tuple[str, ...]
    tag: str

    def header(self) -> dict[str, Any]:
        """Return it for a model file."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in self._asdict().items()}

    def only(self, inputs: Sequence[str]) -> "TagReading":
        """Return it for a tagger that looks at some of the columns."""
        used = {*inputs, self.tag}
        names = tuple(name if name in used else "-" for name in self.names)
        return self._replace(names=names, inputs=tuple(inputs))

    @classmethod
    def from_header(cls, header: Any, inputs: Sequence[str]) -> "TagReading":
        """Undo `header`, or raise ``ValueError``; a model that was made in Python has none."""
        if header is None:
            tag = TAG
            while tag in inputs:
                tag = f"right-{tag}"
            return cls(COLUMNS, (*inputs, tag), tuple(inputs), tag)._checked()
        if not isinstance(header, Mapping) or header.keys() != set(cls._fields):
            raise ValueError("the names of columns are missing")
        format, names, looked_at, tag = (header[field] for field in cls._fields)  # noqa: A001
        listed = isinstance(names, list) and isinstance(looked_at, list)
        if not listed or not all(isinstance(n, str) for n in (format, *names, *looked_at, tag)):
            raise ValueError("the names of columns are not text")
        if format not in (COLUMNS, CONLLU) or looked_at != list(inputs):
            raise ValueError("the columns are not those of the model")
        return cls(format, tuple(names), tuple(inputs), tag)._checked()

    def _checked(self) -> "TagReading":
        """Return it, or raise ``ValueError`` where no file can be read so."""
        kept = [name for name in self.names if name not in LEFT_OUT]
        twice = next((name for k, name in enumerate(kept) if name in kept[:k]), None)
        if twice is not None:
            raise ValueError(f"two columns are called {twice!r}")
        if self.tag in self.inputs:
            raise ValueError(f"the column {self.tag!r} is both to be looked at and for the tags")
        missing = next((name for name in (*self.inputs, self.tag) if name not in kept), None)
        if missing is not None:
            raise ValueError(f"there is no column {missing!r} in the files that it learned from")
        if self.format == CONLLU and (len(self.names) != len(TEN) or self.names[0] != "-"):
            raise ValueError("CoNLL-U has ten columns, of which the first is called -")
        return self

    def find(
        self, layout: Layout, given: Sequence[str] | None, file: str, tagged: bool
    ) -> dict[str, int]:
        """Return the place of each column that is needed in a file, and of the tag, if it is there.

        ``given`` is what a user calls the columns. Raise `DataError` if some are not there; the tag
        must be, if the file should be ``tagged``.
        """
        names = self._names(layout, given, file, tagged)
        missing = [name for name in self.inputs if name not in names]
        if missing:
            raise DataError(
                file, None, None, f"there is no column {missing[0]!r}: the tagger looks at "
                f"{_list(self.inputs)}, and the file has {_named(names)}"
                f"{self.hint(layout, names, tagged)}"
            )  # fmt: skip
        if tagged and self.tag not in names:
            raise DataError(
                file, None, None, f"there is no column {self.tag!r} with the right tags; the file "
                f"has {_named(names)}{self.hint(layout, names, tagged)}"
            )  # fmt: skip
        wanted = [*self.inputs, *([self.tag] if self.tag in names else [])]
        return {name: names.index(name) for name in wanted}

    def _names(
        self, layout: Layout, given: Sequence[str] | None, file: str, tagged: bool
    ) -> tuple[str, ...]:
        """Return what the columns of a file are called."""
        width = len(layout.names)
        if given is not None:
            return named(layout, given, file)
        if layout.format == CONLLU:
            return self.names if self.format == CONLLU else TEN
        whole = self.names if self.format == COLUMNS else (*self.inputs, self.tag)
        if len(whole) == width:
            return whole
        short = (*self.inputs, self.tag)
        if tagged and len(short) == width:
            return short
        untagged = tuple(name for name in whole if name != self.tag)
        fitting = [names for names in (short, untagged, self.inputs) if len(names) == width]
        if not fitting:
            raise DataError(
                file, None, None, f"the file has {count(width, 'column')}; the tagger looks at "
                f"{_list(self.inputs)}, and learned from files with {', '.join(whole)}"
                f"{self.hint(layout, '-' * width, tagged)}"
            )  # fmt: skip
        if len({tuple(map(names.index, self.inputs)) for names in fitting}) > 1:
            shown = " or ".join(dict.fromkeys(map(",".join, fitting)))
            raise DataError(
                file, None, None, f"the file has {count(width, 'column')}, which may be {shown}; "
                "say which, with --columns"
            )  # fmt: skip
        return fitting[0]

    def hint(self, layout: Layout, names: Sequence[str], tagged: bool) -> str:
        """Return how a user could name the columns, if there are enough.

        What is needed stays where it is among ``names``. Tags that are not there yet come last; in
        CoNLL-U they need a place whether there are right ones or not.
        """
        conllu = layout.format == CONLLU
        needed = (*self.inputs, self.tag) if tagged or conllu else self.inputs
        like = [name if name in needed else "-" for name in names]
        free = [k for k in (_FREE_PLACES if conllu else range(len(names))) if like[k] == "-"]
        missing = [name for name in needed if name not in like]
        if len(missing) > len(free):
            return ""
        for name in missing:
            like[free.pop(-1 if name == self.tag else 0)] = name
        return f"; if others are meant, name them, such as --columns {','.join(like)}"


def choose(layout: Layout, given: Sequence[str] | None, tag: str | None, file: str) -> TagReading:
    """Say how files are read that a tagger is to learn from, by how the first of them is.

    ``given`` is what a user calls the columns; or in CoNLL-U the ones to look at, whose names are
    known.
    """
    conllu = layout.format == CONLLU
    selected = conllu and given is not None and len(given) != len(TEN)
    names = layout.names if given is None or selected else named(layout, given, file)
    there = [name for name in names if name not in LEFT_OUT]
    called = _tag(tag, names, conllu) or ("upos" if conllu and "upos" in there else there[-1])
    if called not in there:
        raise DataError(
            file, None, None, f"there is no column {called!r} with tags; the columns are "
            f"{', '.join(there)}"
        )  # fmt: skip
    if selected:
        inputs = [_known(name) for name in given or () if name not in LEFT_OUT]
        wrong = next((name for name in inputs if name not in there), None)
        if wrong is not None:
            raise DataError(
                file, None, None, f"there is no column {wrong!r} in CoNLL-U; its columns are "
                f"{', '.join(there)}"
            )  # fmt: skip
    else:
        inputs = [WORD] if conllu and given is None else there
    looked_at = tuple(dict.fromkeys(name for name in inputs if name != called))
    if not looked_at:
        raise DataError(
            file, None, None, f"there is nothing to look at but {called!r}, which has the tags; a "
            "tagger needs a column of words as well"
        )  # fmt: skip
    used = {*looked_at, called}
    shown = tuple(name if name in used else "-" for name in names)
    return TagReading(layout.format, shown, looked_at, called)


def named(layout: Layout, given: Sequence[str], file: str) -> tuple[str, ...]:
    """Return a user's names of the columns of a file, if they are as many."""
    width = len(layout.names)
    if len(given) != width:
        raise DataError(
            file, None, None, f"the file has {count(width, 'column')}, and --columns has "
            f"{count(len(given), 'name')}: {', '.join(given)}; call those - that are to be left out"
        )  # fmt: skip
    # The first column of CoNLL-U only counts tokens.
    return ("-", *given[1:]) if layout.format == CONLLU else tuple(given)


def corpus_of(corpus: Corpus, layout: Layout, places: Mapping[str, int]) -> Corpus:
    """Return a corpus as it was read with the columns that are needed, under their names."""
    columns = {name: corpus.columns[layout.names[place]] for name, place in places.items()}
    return Corpus(columns, corpus.offsets)


def _tag(given: str | None, names: Sequence[str], conllu: bool) -> str | None:
    """Return the column that a user means, by name or number (from 1 on, or from −1 back)."""
    if given is None or given in names:
        return given
    number = given.removeprefix("-")
    if number.isdecimal() and 1 <= int(number) <= len(names):
        return names[int(given) - (int(given) > 0)]
    return _known(given) if conllu else given


def _known(name: str) -> str:
    """Return a column of CoNLL-U as it is called here.

    >>> _known("FORM"), _known("UPOS")
    ('word', 'upos')
    """
    small = name.lower()
    return _ALIASES.get(small, small)


def _named(names: Sequence[str]) -> str:
    return ", ".join(name for name in names if name not in LEFT_OUT)


def _list(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
