"""Sequences of tokens by columns: each distinct value stands once, and tokens are numbers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.persist.strings import decode, encode

WORD, POS = "word", "pos"


class Column(NamedTuple):
    """A column of a corpus: its distinct values one after the other in UTF-8, and their places.

    The k-th value ends at ``ends[k]`` of ``letters``; ``codes`` (int32) has the number of each
    token's value.
    """

    letters: Array
    ends: Array
    codes: Array

    @classmethod
    def of(cls, values: Iterable[Any]) -> Self:
        """Make a column of the values of tokens, one for each; what is no text is written as one.

        >>> Column.of(["the", "cat", "the"]).codes.tolist()
        [0, 1, 0]
        """
        known: dict[Any, int] = {}
        codes = [known.setdefault(value, len(known)) for value in values]
        texts = [value if isinstance(value, str) else str(value) for value in known]
        if len(set(texts)) < len(texts):  # such as 1 and "1"
            return cls.of(texts[code] for code in codes)
        return cls(*encode(texts), np.array(codes, np.int32))

    def values(self) -> list[str]:
        """Return the distinct values."""
        return decode(self.letters, self.ends)


class Corpus:
    """Sequences of tokens, such as the sentences of a text, as columns.

    Readers make one of a file, and `SequenceTagger` of all that it is given.

    Parameters
    ----------
    columns : dict of str to Column
        The columns by name; all have a value for each token.
    offsets : array of shape (n_sequences + 1,)
        Where each sequence begins, and where the last one ends.

    Examples
    --------
    >>> corpus = Corpus.from_sequences([["The", "cat"], ["Yes"]])
    >>> len(corpus), corpus.n_tokens, corpus.names, corpus[0]
    (2, 3, ('word',), ['The', 'cat'])
    """

    def __init__(self, columns: Mapping[str, Column], offsets: Array) -> None:
        self.columns, self.offsets = dict(columns), offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        names = ", ".join(self.names)
        return f"<Corpus: {len(self):,} sequences of {self.n_tokens:,} tokens with {names}>"

    @property
    def n_tokens(self) -> int:
        """How many tokens there are in all."""
        return int(self.offsets[-1])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)

    @property
    def lengths(self) -> Array:
        """How many tokens each sequence has."""
        return np.diff(self.offsets)

    def __getitem__(self, index: int) -> list[Any]:
        """Return a sequence: a list of texts, or of tuples where there are several columns."""
        number = range(len(self))[index]
        span = slice(int(self.offsets[number]), int(self.offsets[number + 1]))
        each = []
        for column in self.columns.values():
            starts = [0, *column.ends.tolist()]
            data = column.letters.data
            each.append(
                [
                    str(data[starts[code] : starts[code + 1]], "utf-8", "surrogatepass")
                    for code in column.codes[span].tolist()
                ]
            )
        return each[0] if len(each) == 1 else list(zip(*each, strict=True))

    def take(self, indices: Any) -> "Corpus":
        """Return some of the sequences, in the order given."""
        indices = np.asarray(indices, np.int64)
        lengths = self.lengths[indices]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[indices] - offsets[:-1], lengths)
        columns = {
            name: column._replace(codes=column.codes[places])
            for name, column in self.columns.items()
        }
        return Corpus(columns, offsets)

    def only(self, names: Iterable[str]) -> "Corpus":
        """Return the corpus with some of its columns."""
        return Corpus({name: self.columns[name] for name in names}, self.offsets)

    @classmethod
    def from_columns(cls, columns: Mapping[str, Iterable[Any]], lengths: Any) -> "Corpus":
        """Make a corpus of columns with a value for each token, and the lengths of sequences."""
        offsets = np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))])
        made = {str(name): Column.of(values) for name, values in columns.items()}
        for name, column in made.items():
            if len(column.codes) != offsets[-1]:
                raise ValueError(
                    f"column {name!r} has {len(column.codes):,} values, and the lengths of the "
                    f"sequences add up to {int(offsets[-1]):,}; give a value for each token"
                )
        return cls(made, offsets)

    @classmethod
    def from_sequences(cls, X: Any, names: Sequence[str] | None = None) -> "Corpus":
        """Make a corpus of sequences of tokens.

        A token is a text, or a tuple of texts with one for each column, or a dict of them by name.
        Without ``names`` the columns of tuples are called word, pos, column3 and so on.
        """
        _check_sequences(X)
        lengths = [len(sequence) for sequence in X]
        tokens = [token for sequence in X for token in sequence]
        first = tokens[0] if tokens else ""
        if isinstance(first, str):
            columns = {next(iter(names or (WORD,))): tokens}
            wrong = next((t for t in tokens if not isinstance(t, str)), None)
        elif isinstance(first, Mapping):
            keys = set(first)
            wrong = next((t for t in tokens if not isinstance(t, Mapping) or set(t) != keys), None)
            columns = {} if wrong is not None else {k: [t[k] for t in tokens] for k in first}
        else:
            width = len(first)
            wrong = next(
                (t for t in tokens if isinstance(t, str | Mapping) or len(t) != width), None
            )
            called = names or default_names(width)
            if len(called) != width:
                raise ValueError(
                    f"tokens have {width} columns, and there are {len(called)} names for them: "
                    f"{', '.join(called)}"
                )
            columns = {} if wrong is not None else dict(zip(called, zip(*tokens), strict=True))  # type: ignore[arg-type] # noqa: B905
        if wrong is not None:
            number = next(k for k, token in enumerate(tokens) if token is wrong)
            row = int(np.searchsorted(np.cumsum(lengths), number, "right"))
            raise ValueError(
                f"the tokens of X must be alike: sequence {row} has {wrong!r}, the first token is "
                f"{first!r}"
            )
        return cls.from_columns(columns, lengths)


def default_names(width: int) -> tuple[str, ...]:
    """Return names for so many columns.

    >>> default_names(3)
    ('word', 'pos', 'column3')
    """
    return (WORD, POS, *(f"column{k}" for k in range(3, width + 1)))[:width]


def _check_sequences(X: Any) -> None:
    """Raise ``ValueError`` if X is one sequence where several are meant, or none."""
    if isinstance(X, str | bytes | Mapping) or not hasattr(X, "__len__"):
        raise ValueError(
            "X must be a list of sequences, such as [['The', 'cat'], ['Yes']]; "
            f"got {type(X).__name__}"
        )
    for row, sequence in enumerate(X):
        if isinstance(sequence, str | bytes | Mapping) or not hasattr(sequence, "__len__"):
            raise ValueError(
                f"X must be a list of sequences, each a list of tokens; sequence {row} is "
                f"{sequence!r:.40}. Put a single sentence into a list: [sentence]"
            )
