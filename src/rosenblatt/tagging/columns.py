"""The columns of a tagger's files: what they are called, which it looks at, and where tags are.

Readers give columns names by their place. Here they get those that a user or a model has for them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rosenblatt.console import count
from rosenblatt.readers.blocks import DataError
from rosenblatt.tagging.conll_layout import COLUMNS, CONLLU, LEFT_OUT, TAG, TEN, Layout
from rosenblatt.tagging.corpus import WORD, Corpus

_ALIASES = {"form": WORD}
_ROOM = (1, 3, 4, 2, *range(5, len(TEN)))  # places of CoNLL-U for columns that it does not know


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
            raise ValueError("the names of columns are no texts")
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
        self, layout: Layout, asked: Sequence[str] | None, file: str, tagged: bool
    ) -> dict[str, int]:
        """Return the place of each column that is needed in a file, and of the tag, if it is there.

        ``asked`` is what a user calls the columns. Raise `DataError` if some are not there; the tag
        must be, if the file should be ``tagged``.
        """
        names = self._names(layout, asked, file, tagged)
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
        self, layout: Layout, asked: Sequence[str] | None, file: str, tagged: bool
    ) -> tuple[str, ...]:
        """Return what the columns of a file are called."""
        width = len(layout.names)
        if asked is not None:
            return named(layout, asked, file)
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
        """Return how a user could say what the columns are, if there is room for all.

        What is needed stays where it is among ``names``. Tags that are not there yet come last; in
        CoNLL-U they need a place whether there are right ones or not.
        """
        conllu = layout.format == CONLLU
        needed = (*self.inputs, self.tag) if tagged or conllu else self.inputs
        like = [name if name in needed else "-" for name in names]
        free = [k for k in (_ROOM if conllu else range(len(names))) if like[k] == "-"]
        missing = [name for name in needed if name not in like]
        if len(missing) > len(free):
            return ""
        for name in missing:
            like[free.pop(-1 if name == self.tag else 0)] = name
        return f"; if others are meant, name them, such as --columns {','.join(like)}"


def choose(layout: Layout, asked: Sequence[str] | None, tag: str | None, file: str) -> TagReading:
    """Say how files are read that a tagger is to learn from, by how the first of them is.

    ``asked`` is what a user calls the columns; or in CoNLL-U the ones to look at, whose names are
    known.
    """
    conllu = layout.format == CONLLU
    selected = conllu and asked is not None and len(asked) != len(TEN)
    names = layout.names if asked is None or selected else named(layout, asked, file)
    there = [name for name in names if name not in LEFT_OUT]
    called = _tag(tag, names, conllu) or ("upos" if conllu and "upos" in there else there[-1])
    if called not in there:
        raise DataError(
            file, None, None, f"there is no column {called!r} with tags; the columns are "
            f"{', '.join(there)}"
        )  # fmt: skip
    if selected:
        inputs = [_known(name) for name in asked or () if name not in LEFT_OUT]
        wrong = next((name for name in inputs if name not in there), None)
        if wrong is not None:
            raise DataError(
                file, None, None, f"there is no column {wrong!r} in CoNLL-U; its columns are "
                f"{', '.join(there)}"
            )  # fmt: skip
    else:
        inputs = [WORD] if conllu and asked is None else there
    looked_at = tuple(dict.fromkeys(name for name in inputs if name != called))
    if not looked_at:
        raise DataError(
            file, None, None, f"there is nothing to look at but {called!r}, which has the tags; a "
            "tagger needs a column of words beside it"
        )  # fmt: skip
    used = {*looked_at, called}
    shown = tuple(name if name in used else "-" for name in names)
    return TagReading(layout.format, shown, looked_at, called)


def named(layout: Layout, asked: Sequence[str], file: str) -> tuple[str, ...]:
    """Return a user's names of the columns of a file, if they are as many."""
    width = len(layout.names)
    if len(asked) != width:
        raise DataError(
            file, None, None, f"the file has {count(width, 'column')}, and --columns has "
            f"{count(len(asked), 'name')}: {', '.join(asked)}; call those - that are to be left out"
        )  # fmt: skip
    # The first column of CoNLL-U counts tokens, and is no column here.
    return ("-", *asked[1:]) if layout.format == CONLLU else tuple(asked)


def corpus_of(corpus: Corpus, layout: Layout, places: Mapping[str, int]) -> Corpus:
    """Return a corpus as it was read with the columns that are needed, under their names."""
    columns = {name: corpus.columns[layout.names[place]] for name, place in places.items()}
    return Corpus(columns, corpus.offsets)


def _tag(asked: str | None, names: Sequence[str], conllu: bool) -> str | None:
    """Return the column that a user means, by name or number (from 1 on, or from −1 back)."""
    if asked is None or asked in names:
        return asked
    number = asked.removeprefix("-")
    if number.isdecimal() and 1 <= int(number) <= len(names):
        return names[int(asked) - (int(asked) > 0)]
    return _known(asked) if conllu else asked


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
