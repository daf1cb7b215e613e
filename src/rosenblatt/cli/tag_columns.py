"""The columns of a tagger's files: what they are called, which it looks at, and where tags are.

Readers give columns names by their place. Here they get those that a user or a model has for them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rosenblatt.cli.output import count
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.conll_layout import COLUMNS, CONLLU, LEFT_OUT, TAG, TEN, Layout
from rosenblatt.sequence.corpus import WORD, Corpus

_ALIASES = {"form": WORD}


class Reading(NamedTuple):
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
    def from_header(cls, header: Any, inputs: Sequence[str]) -> "Reading":
        """Undo `header`, or raise ``ValueError``; a model that was made in Python has none."""
        if header is None:
            return cls(COLUMNS, (*inputs, TAG), tuple(inputs), TAG)
        if not isinstance(header, Mapping) or header.keys() != set(cls._fields):
            raise ValueError("the names of columns are missing")
        names, tag = header["names"], header["tag"]
        if not isinstance(names, list) or not all(isinstance(n, str) for n in [*names, tag]):
            raise ValueError("the names of columns are no texts")
        if header["format"] not in (COLUMNS, CONLLU) or header["inputs"] != list(inputs):
            raise ValueError("the columns are not those of the model")
        if not {*inputs, tag} <= {*names}:
            raise ValueError("a column is missing")
        return cls(header["format"], tuple(names), tuple(inputs), tag)

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
                f"{_hint(layout, self.inputs)}"
            )  # fmt: skip
        if tagged and self.tag not in names:
            raise DataError(
                file, None, None, f"there is no column {self.tag!r} with the right tags; the file "
                f"has {_named(names)}{_hint(layout, (*self.inputs, self.tag))}"
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
        untagged = tuple(name for name in whole if name != self.tag)
        short = (*self.inputs, self.tag)
        for names in (whole, *([short] if tagged else []), untagged, self.inputs, short):
            if len(names) == width:
                return names
        raise DataError(
            file, None, None, f"the file has {count(width, 'column')}; the tagger looks at "
            f"{_list(self.inputs)}, and learned from files with {', '.join(whole)}"
            f"{_hint(layout, self.inputs)}"
        )  # fmt: skip


def choose(layout: Layout, asked: Sequence[str] | None, tag: str | None, file: str) -> Reading:
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
    return Reading(layout.format, shown, looked_at, called)


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


def _hint(layout: Layout, inputs: Sequence[str]) -> str:
    """Return how a user could say what the columns are, if the tagger's can be among them."""
    width = len(layout.names)
    if width < len(inputs):
        return ""
    like = [*inputs, *["-"] * (width - len(inputs))]
    if layout.format == CONLLU:
        like = ["-", inputs[0], "-", *inputs[1:], *["-"] * width][:width]
    return f"; if others are meant, name them, such as --columns {','.join(like)}"


def _named(names: Sequence[str]) -> str:
    return ", ".join(name for name in names if name not in LEFT_OUT)


def _list(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
