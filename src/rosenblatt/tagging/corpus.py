"""Sequences of tokens as columns: distinct values are stored once, and tokens are their numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.persist.strings import decode, encode
from rosenblatt.tagging.templates import POS as POS
from rosenblatt.tagging.templates import WORD as WORD


def is_missing(value: Any) -> bool:
    """Say whether a value is None, NaN, or what pandas writes for them."""
    # pandas' NA is not even unequal to itself.
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def factorize(values: list[Any], dtype: Any) -> tuple[list[Any], Array, int | None]:
    """Return the distinct values, the number of each value, and the first row without a value.

    A value that cannot be hashed raises ``TypeError``.
    """
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    codes = np.fromiter(map(numbers.__getitem__, values), dtype, len(values))
    missing = next((int(np.argmax(codes == numbers[v])) for v in numbers if is_missing(v)), None)
    return list(numbers), codes, missing


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
        """Make a column of the values of tokens, one for each; other values are converted to text.

        >>> Column.of(["the", "cat", "the"]).codes.tolist()
        [0, 1, 0]
        """
        try:
            distinct, codes, missing = factorize(list(values), np.int32)
        except TypeError as error:
            raise ValueError(f"must have texts or numbers as values: {error}") from None
        if missing is not None:
            raise ValueError(f"has no value at row {missing}; fill it, for example with ''")
        texts = [value if isinstance(value, str) else str(value) for value in distinct]
        if len(set(texts)) < len(texts):  # such as 1 and "1"
            return cls.of([texts[code] for code in codes.tolist()])
        return cls(*encode(texts), codes)

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
        self.columns, self.offsets = dict(columns), np.asarray(offsets, np.int64)
        ends = self.offsets[-1] if self.offsets.ndim == 1 and len(self.offsets) else -1
        if ends < 0 or self.offsets[0] != 0 or (np.diff(self.offsets) < 0).any():
            raise ValueError("the offsets of sequences must rise from 0 on")
        for name, column in self.columns.items():
            _check_column(name, column)
            _check_values(name, len(column.codes), int(ends))

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
            codes, data = column.codes[span], column.letters.data
            starts = np.where(codes > 0, column.ends[codes - 1], 0).tolist()
            stops = column.ends[codes].tolist()
            each.append(
                [
                    str(data[a:b], "utf-8", "surrogatepass")
                    for a, b in zip(starts, stops, strict=True)
                ]
            )
        return each[0] if len(each) == 1 else list(zip(*each, strict=True))

    def take(self, indices: Any) -> "Corpus":
        """Return some of the sequences, in the order given: by numbers, a mask or a slice."""
        indices = np.arange(len(self))[indices]
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
        made = {}
        for name, values in columns.items():
            try:
                made[str(name)] = Column.of(values)
            except ValueError as error:
                raise ValueError(f"column {str(name)!r} {error}") from None
        return cls(made, offsets)

    @classmethod
    def from_sequences(cls, X: Any, names: Sequence[str] | None = None) -> "Corpus":
        """Make a corpus of sequences of tokens.

        A token is a text, or a tuple of texts with one for each column, or a dict of them by name.
        Without ``names`` the columns of tuples are called word, pos, column3 and so on. Of dicts,
        only the columns named are taken.
        """
        _check_sequences(X)
        tokens = [token for sequence in X for token in sequence]
        lengths = [len(sequence) for sequence in X]
        return cls.from_columns(_columns(tokens, lengths, names), lengths)


def _check_column(name: str, column: Column) -> None:
    """Raise ``ValueError`` unless compiled code can trust a column."""
    letters, ends, codes = column
    types = letters.dtype == np.uint8 and ends.dtype == np.int64 and codes.dtype == np.int32
    if not types or not letters.ndim == ends.ndim == codes.ndim == 1:
        raise ValueError(f"column {name!r} is damaged: letters, ends and codes are of wrong types")
    rises = not len(ends) or (ends[0] >= 0 and (np.diff(ends) >= 0).all())
    if not rises or (len(ends) and ends[-1] > len(letters)):
        raise ValueError(f"column {name!r} is damaged: its values do not end where its letters do")
    if len(codes) and not (codes.min() >= 0 and codes.max() < len(ends)):
        raise ValueError(f"column {name!r} is damaged: a code is not that of a value")


def _check_values(name: str, there: int, n_tokens: int) -> None:
    if there != n_tokens:
        raise ValueError(
            f"column {name!r} has {there:,} values, and the lengths of the sequences add up to "
            f"{n_tokens:,}; give a value for each token"
        )


def _columns(
    tokens: list[Any], lengths: Sequence[int], names: Sequence[str] | None
) -> dict[str, Iterable[Any]]:
    """Return the columns of tokens, which must be all texts, all tuples, or all dicts."""
    if not tokens:
        return {name: [] for name in names or (WORD,)}
    first, wrong = tokens[0], _odd_one(tokens)
    if wrong is not None:
        row = int(np.searchsorted(np.cumsum(lengths), wrong, "right"))
        raise ValueError(
            f"the tokens of X must be alike: sequence {row} has {tokens[wrong]!r:.60}, the first "
            f"token is {first!r:.60}"
        )
    if isinstance(first, Mapping):
        keys = {str(key): key for key in first}
        chosen = check_known(names, tuple(keys)) if names else keys
        return {name: [token[keys[name]] for token in tokens] for name in chosen}
    width = 1 if isinstance(first, str) else len(first)
    called = names or default_names(width)
    if len(called) != width:
        raise ValueError(
            f"tokens have {width} column{'s' * (width != 1)}, and there are {len(called)} names "
            f"for them: {', '.join(called)}"
        )
    if isinstance(first, str):
        return {called[0]: tokens}
    return {name: map(itemgetter(k), tokens) for k, name in enumerate(called)}


def _odd_one(tokens: list[Any]) -> int | None:
    """Return the number of the first token that is not like those before, if there is one."""
    first, alike = tokens[0], _like(tokens[0])
    if len({*map(type, tokens)}) == 1:  # nearly always, and quickly seen
        same_width = isinstance(first, tuple | list) and len({*map(len, tokens)}) == 1
        if same_width or isinstance(first, str):
            return None
    return next((k for k, token in enumerate(tokens) if not alike(token)), None)


def _like(first: Any) -> Callable[[Any], bool]:
    """Return a function that says whether a token is of the same form as the first one."""
    if isinstance(first, str):
        return lambda token: isinstance(token, str)
    if isinstance(first, Mapping) and first:
        keys = set(first)
        return lambda token: isinstance(token, Mapping) and set(token) == keys
    if _is_row(first) and len(first):
        width = len(first)
        return lambda token: _is_row(token) and len(token) == width
    raise ValueError(
        f"a token must be a text, or a tuple or dict of texts; the first one of X is {first!r:.60}"
    )


def _is_row(token: Any) -> bool:
    return hasattr(token, "__len__") and not isinstance(token, str | bytes | Mapping | set)


def check_known(names: Sequence[str], there: Sequence[str]) -> Sequence[str]:
    """Return names of columns, or raise ``ValueError`` if one is not there."""
    for name in names:
        if name not in there:
            raise ValueError(f"there is no column {name!r}; the columns are {', '.join(there)}")
    return names


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
