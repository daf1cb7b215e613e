"""Products of features as further features of a row: the one place where all formats get them.

The names of features are looked up through `Products`, which marks their columns with the parts of
interactions that stand for them. When the features of a block's rows are side by side, `Products`
takes the marks away and appends the products of each row to it.

A product is called ``user=u1*ad=ad7``, and its value is the product of the values as the row has
them, in the type of its values. With hashed names its column is what Vowpal Wabbit makes of the
columns of its factors. The features of one part are multiplied without repetition, squares
included, and named in the order of their names (or columns); in Vowpal Wabbit's text that is
hashed, in that of the row.
"""

from collections.abc import Sequence

import numpy as np

from rosenblatt.console import with_parameters
from rosenblatt.data.arrays import read_only
from rosenblatt.data.rows import Array, Sparse
from rosenblatt.kernels.text import products as loops
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.formats import FORMATS
from rosenblatt.readers.interactions import (
    EVERY,
    MOST_FACTORS,
    MOST_PRODUCTS,
    key_of,
    parsed,
    parts_of,
    shadows,
)
from rosenblatt.readers.names import Hashed, Kept, Names, joined

_KEYS = 100  # that an error may list
SAMPLE = 1000  # names, that these are taken from
_NAME = 256  # bytes of a name, at first


class TooManyProductsError(ValueError):
    """A row has too many products; ``problem`` says so in terms of options of commands."""

    def __init__(self, row: int, number: int) -> None:
        self.row = row
        self.problem = (
            f"the interactions make {number:,} products or more of this row, and "
            f"{MOST_PRODUCTS:,} are the most; multiply fewer features (--interactions)"
        )
        super().__init__(with_parameters(self.problem))


class Products:
    """Names whose columns are marked, and rows of such columns with their products.

    Parameters
    ----------
    interactions : sequence of str
        Such as ``user*ad``.
    names : Hashed or Kept
        Which column a feature stands for. Frozen names leave out products that they do not know.
    columns : sequence of str
        The columns of a table: the feature of one is not of another whose name is its beginning.
    by_row : bool
        With hashed names, multiply the features of one part in the order of the row.

    Examples
    --------
    >>> names = Kept()
    >>> products = Products(["user*ad"], names)
    >>> columns = products.columns(["user=u1", "age", "ad=ad7"])
    >>> rows = products.rows(Sparse(np.array([0, 3]), columns, np.array([1.0, 40.0, 1.0])))
    >>> [names.name(column) for column in rows.indices.tolist()], rows.values.tolist()
    (['user=u1', 'age', 'ad=ad7', 'user=u1*ad=ad7'], [1.0, 40.0, 1.0, 1.0])
    """

    def __init__(
        self,
        interactions: Sequence[str],
        names: Names,
        columns: Sequence[str] = (),
        by_row: bool = False,
    ) -> None:
        if not isinstance(names, Hashed | Kept):
            raise ValueError(
                "interactions multiply features that have names, and these are numbered; use a "
                "format with names, or hash them"
            )
        self.names, self.keys = names, dict[str, None]()
        factors = parsed(interactions)
        self.parts = parts_of(factors)
        hidden = shadows(self.parts, columns)
        # A column that is one of its own takes its features from the parts that it begins with.
        every = dict.fromkeys((*self.parts, *hidden))
        letters, ends = joined(["" if part == EVERY else part for part in every])
        kinds = {EVERY: loops.EVERY, "": loops.UNNAMED}
        self._bits = {part: 1 << bit for bit, part in enumerate(self.parts)}
        self._parts = loops.Parts(
            letters,
            ends,
            np.array([kinds.get(part, loops.NAMED) for part in every], np.int64),
            np.array([self._bits.get(part, 0) for part in every], np.int64),
            np.array(
                [sum(map(self._bits.__getitem__, hidden.get(part, ()))) for part in every], np.int64
            ),
        )
        self.factors = [[self.parts.index(part) for part in own] for own in factors]
        self.by_row = by_row and isinstance(names, Hashed)
        self._factors = np.full((len(factors), MOST_FACTORS), -1, np.int64)
        for row, numbers in zip(self._factors, self.factors, strict=True):
            row[: len(numbers)] = numbers
        self._name = np.empty(_NAME, np.uint8)
        self._places = np.empty((len(self.parts), 0), np.int64)
        self._counts = np.zeros(len(self.parts), np.int64)
        self._chosen = np.zeros((2, MOST_FACTORS), np.int64)
        self._state = np.zeros(5, np.int64)
        self._known, self._times = self._none_known(), 0

    def _none_known(self) -> Array:
        """Return space for products that are remembered, which takes memory once it is used."""
        size = loops.KNOWN if isinstance(self.names, Kept) else 1
        return np.zeros((size, loops.KEY + MOST_FACTORS), np.int32)

    @property
    def seen(self) -> set[str]:
        """The parts that stood for a feature so far."""
        marks = int(self._state[4])
        return {part for part in self.parts if marks & self._bits[part]}

    def name(self, column: int) -> str | None:
        """Return the name of a column."""
        return self.names.name(column)

    def note(self, names: Sequence[str]) -> None:
        """Take note of the keys of some names, until there are enough."""
        if len(self.keys) < _KEYS:
            self.keys |= dict.fromkeys(map(key_of, names))

    def columns(self, names: Sequence[str]) -> Array:
        """Return the columns of names with their marks, −1 for those that have none."""
        self.note(names[:SAMPLE])
        text, ends = joined(names)
        return self.marked(text, ends, self.names.columns(names))

    def marked(self, text: Array, ends: Array, columns: Array) -> Array:
        """Return columns with the marks of their names, which lie one after the other."""
        marks = np.empty(len(ends), np.int64)
        loops.mark_names(read_only(text), ends, self._parts, marks)
        return np.where(columns < 0, columns, columns | marks << loops.SHIFT)

    def marked_words(self, columns: Array, prefix: str) -> Array:
        """Return the columns of words with the marks of names that begin so."""
        text, ends = joined([prefix])
        mark = self.marked(text, ends, np.zeros(1, np.int64))
        return np.where(columns < 0, columns, columns | mark)

    def rows(self, rows: Sparse) -> Sparse:
        """Return rows without marks, and with their products.

        Raise `TooManyProductsError` for a row that has too many.
        """
        indptr = np.ascontiguousarray(rows.indptr, np.int64)
        columns = np.ascontiguousarray(rows.indices, np.int64)
        work, n = self._work(indptr), len(indptr) - 1
        plan = loops.Plan(
            self._factors,
            getattr(self.names, "mask", 0),
            not self.names.frozen,
            self.by_row,
            MOST_PRODUCTS,
        )
        more = loops.count_products(indptr, columns, plan, work)
        if more < 0:
            raise TooManyProductsError(-1 - more, int(self._state[3]))
        size = len(columns) + more
        out = loops.Out(
            np.zeros(n + 1, np.int32), np.empty(size, np.int32), np.empty(size, rows.values.dtype)
        )
        self._state[:2] = 0
        values = read_only(rows.values)
        while True:
            dictionary = self.names.dictionary if isinstance(self.names, Kept) else None
            with np.errstate(over="ignore"):  # refused later, by name
                loops.multiply_rows(indptr, columns, values, dictionary, plan, work, out)
            if self._state[2] == loops.DONE:
                break
            needed = int(self._state[3])
            if self._state[2] == loops.LONG:
                self._name = np.empty(2 * needed, np.uint8)
                work = work._replace(name=self._name)
            elif isinstance(self.names, Kept):
                self.names.make_room(needed)
        used = int(out.indptr[-1])
        return Sparse(out.indptr, out.indices[:used], out.values[:used])

    def _work(self, indptr: Array) -> loops.Work:
        """Return the buffers of the loops, with space for the longest row."""
        longest = int(np.diff(indptr).max(initial=0))
        if self._places.shape[1] < longest:
            self._places = np.empty((len(self.parts), 2 * longest), np.int64)
        if isinstance(self.names, Kept) and self._times != self.names.times_forgotten:
            self._known, self._times = self._none_known(), self.names.times_forgotten
        return loops.Work(
            self._name, self._places, self._counts, self._chosen, self._state, self._known
        )


def products_of(reading: Reading, names: Names, columns: Sequence[str] = ()) -> Products | None:
    """Return what makes the products of features, if there are interactions."""
    if not reading.interactions:
        return None
    by_row = (reading.usual or reading.format) in ("vw", "vwjson")
    return Products(reading.interactions, names, columns, by_row)


def check_format(reading: Reading, kind: str, file: str) -> None:
    """Raise ``ValueError`` if a format has no features that could be multiplied."""
    if not reading.interactions:
        return
    if FORMATS[kind].numbered:
        raise ValueError(
            f"{file}: --interactions multiply features that have names, and {kind} numbers them; "
            "write the products as features"
        )
    if kind == "text":
        raise ValueError(
            f"{file}: --interactions multiply columns, and lines of text have only one; for runs "
            "of words use --ngrams"
        )
