"""The products of one row at a time, in plain Python: a call of compiled code takes longer.

It does for the features of a dict what `products.Products` does for a block, to the last bit.
"""

from collections.abc import Sequence
from itertools import combinations_with_replacement, groupby, product
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Sparse
from rosenblatt.kernels.text.products import FNV_PRIME, LOW, SHIFT
from rosenblatt.readers.blocks import MOST_CACHED
from rosenblatt.readers.interactions import MOST_PRODUCTS
from rosenblatt.readers.names import Hashed
from rosenblatt.readers.products import Products, TooManyProductsError


class _Feature(NamedTuple):
    """A feature of a row, which sorts as products of one part do."""

    order: Any
    column: int
    name: str
    value: float


class RowProducts:
    """Makes rows of names and values, with their products.

    Columns are cached; `forget` them when names are forgotten.

    Examples
    --------
    >>> from rosenblatt.readers.names import Kept
    >>> names = Kept()
    >>> rows = RowProducts(Products(["user*ad"], names))
    >>> row = rows.row(["user=u1", "ad=ad7"], [1.0, 1.0], np.dtype("float32"))
    >>> [names.name(column) for column in row.indices.tolist()]
    ['user=u1', 'ad=ad7', 'user=u1*ad=ad7']
    """

    def __init__(self, products: Products) -> None:
        self.products, self._names = products, products.names
        self._hashed = isinstance(self._names, Hashed)
        # Of each interaction: the marks of its parts, and how often each occurs.
        self._runs = [
            [(1 << part, len([*same])) for part, same in groupby(own)] for own in products.factors
        ]
        self.forget()

    def forget(self) -> None:
        """Forget the columns of all names and products."""
        self._columns: dict[str, int] = {}
        self._found: dict[tuple[int, ...], int] = {}

    def row(self, names: Sequence[str], values: Sequence[float], dtype: Any) -> Sparse:
        """Return the row of some features and their products, as far as they have columns."""
        marked = self._marked(names)
        with np.errstate(over="ignore"):  # refused later, by name
            numbers = np.array(values, dtype)
        parts: dict[int, list[_Feature]] = {}
        columns = [column & LOW for column in marked]
        given = zip(marked, columns, names, numbers.tolist(), strict=True)
        for mark, column, name, value in given:
            mark = mark >> SHIFT if mark > LOW else 0
            if mark:
                feature = _Feature(column if self._hashed else name, column, name, value)
                while mark:
                    bit = mark & -mark
                    parts.setdefault(bit, []).append(feature)
                    mark ^= bit
        if any(column < 0 for column in marked):
            there = [k for k, column in enumerate(marked) if column >= 0]
            columns, numbers = [columns[k] for k in there], numbers[there]
        made = self._multiplied(parts, dtype)
        if made:
            columns += [column for column, _ in made]
            with np.errstate(over="ignore"):
                more = np.array([value for _, value in made], dtype)
            numbers = np.concatenate([numbers, more])
        indptr = np.array([0, len(columns)], np.int32)
        return Sparse(indptr, np.array(columns, np.int32), numbers)

    def _marked(self, names: Sequence[str]) -> list[int]:
        """Return the columns of names with their marks."""
        try:
            return list(map(self._columns.__getitem__, names))
        except KeyError:
            found: list[int] = self.products.columns(names).tolist()
        if len(self._columns) + len(names) > MOST_CACHED:
            self._columns.clear()
        known = zip(names, found, strict=True)
        self._columns.update((name, column) for name, column in known if column >= 0)
        return found

    def _multiplied(self, parts: dict[int, list[_Feature]], dtype: Any) -> list[tuple[int, float]]:
        """Return the columns and values of all products."""
        made: list[tuple[int, float]] = []
        self._check(parts)
        for runs in self._runs:
            if not all(bit in parts for bit, _ in runs):
                continue
            choices = [
                combinations_with_replacement(parts[bit], size)
                if size > 1
                else [(one,) for one in parts[bit]]
                for bit, size in runs
            ]
            for chosen in product(*choices):
                factors: list[_Feature] = []
                value = 1.0
                for same in chosen:
                    for one in same:
                        if len(factors) > 1:  # of two the product is exact in Python's floats
                            with np.errstate(over="ignore"):
                                value = float(dtype.type(value))
                        value *= one.value
                        factors.append(one)
                    if len(same) > 1 and not self.products.by_row:
                        factors[-len(same) :] = sorted(same)
                column = self._column(factors)
                if column >= 0:
                    made.append((column, value))
        return made

    def _check(self, parts: dict[int, list[_Feature]]) -> None:
        sizes = {bit: len(own) for bit, own in parts.items()}
        number = sum(
            prod(comb(sizes.get(bit, 0) + size - 1, size) for bit, size in runs)
            for runs in self._runs
        )
        if number > MOST_PRODUCTS:
            raise TooManyProductsError(0, number)

    def _column(self, factors: Sequence[_Feature]) -> int:
        """Return the column of a product, −1 for one that has none."""
        if self._hashed:
            hashed = factors[0].column
            for one in factors[1:]:
                hashed = (hashed * FNV_PRIME ^ one.column) & self._names.mask  # type: ignore[union-attr]
            return hashed
        key = tuple([one.column for one in factors])
        column = self._found.get(key, -1)
        if column < 0:
            column = int(self._names.columns(["*".join(one.name for one in factors)])[0])
            if len(self._found) >= MOST_CACHED:
                self._found.clear()
            if column >= 0:
                self._found[key] = column
        return column
