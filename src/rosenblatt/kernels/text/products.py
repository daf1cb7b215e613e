"""Products of features: rows with more columns, which are hashed or named.

The columns that come in have a mark in their upper bits, which says of which parts of interactions
they are one: bit p of ``column >> SHIFT`` stands for part p. One below zero is left out.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import exact_jit
from rosenblatt.kernels.text.hashing import CARET, murmur3
from rosenblatt.kernels.text.interning import NO_ROOM, add, find

SHIFT = 32
LOW = (1 << SHIFT) - 1
NAMED, UNNAMED, EVERY = 0, 1, 2
STAR, EQUALS, BRACKET, DOT = 42, 61, 91, 46
FNV_PRIME = 16777619
KNOWN = 1 << 18  # products that are remembered, in 6 MB
KEY = 2  # where the factors of one are, after its column and the number of its interaction
DONE, FULL, LONG, MANY = 0, 1, 2, 3


class Parts(NamedTuple):
    """What may stand for a feature: names one after the other, where they end, and their kinds.

    ``bits`` are the marks that they make, ``hides`` those of others that they take away.
    """

    letters: Any
    ends: Any
    kinds: Any
    bits: Any
    hides: Any


class Plan(NamedTuple):
    """Interactions. A row of ``factors`` has the parts of one, equal ones together; then −1.

    ``mask`` is that of hashes. ``grow`` says whether new names get a column, ``by_row`` whether
    features of the same part are multiplied in the order of the row, rather than a fixed one. A row
    may have ``most`` products.
    """

    factors: Any
    mask: int
    grow: bool
    by_row: bool
    most: int


class Out(NamedTuple):
    """Where rows are written to, laid out as in `Sparse`."""

    indptr: Any
    indices: Any
    values: Any


class Work(NamedTuple):
    """Buffers: a name, where the features of each part are in a row, and the state of the loop.

    ``state`` has the next row, the next entry, why it ended, what it needs, and all marks so far.
    ``known`` remembers products with names: in a row of it are a column and one, the number of an
    interaction, and the columns of the factors. To write a name and to find it takes longer.
    """

    name: Any
    places: Any
    counts: Any
    chosen: Any
    state: Any
    known: Any


@exact_jit
def is_after(letter: int) -> bool:
    """Say whether a letter ends the part of a name."""
    return letter in (EQUALS, CARET, BRACKET, DOT)


@exact_jit
def mark_names(text: Any, ends: Any, parts: Any, marks: Any) -> None:
    """Find for names that lie one after the other the parts that stand for them."""
    start = np.int64(0)
    for k in range(ends.shape[0]):
        stop, mark, hidden, begin = ends[k], np.int64(0), np.int64(0), np.int64(0)
        for p in range(parts.ends.shape[0]):
            end = parts.ends[p]
            size = end - begin
            fits = parts.kinds[p] == EVERY
            if parts.kinds[p] == UNNAMED:
                fits = True
                for j in range(start, stop):
                    fits &= text[j] != CARET
            elif parts.kinds[p] == NAMED and stop - start >= size:
                fits = stop - start == size or is_after(text[start + size])
                j = 0
                while fits and j < size:
                    fits = text[start + j] == parts.letters[begin + j]
                    j += 1
            if fits:
                mark |= parts.bits[p]
                hidden |= parts.hides[p]
            begin = end
        marks[k] = mark & ~hidden
        start = stop


@exact_jit
def find_places(columns: Any, start: int, stop: int, n_parts: int, work: Any) -> Any:
    """Write down where the features of each part are in a row; return the marks of all."""
    for p in range(n_parts):
        work.counts[p] = 0
    every = np.int64(0)
    for k in range(start, stop):
        mark = columns[k] >> SHIFT if columns[k] >= 0 else np.int64(0)
        every |= mark
        p = 0
        while mark:
            if mark & 1:
                work.places[p, work.counts[p]] = k
                work.counts[p] += 1
            mark >>= 1
            p += 1
    return every


@exact_jit
def n_products(factors: Any, counts: Any, most: int) -> Any:
    """Count the products of a row by one interaction; beyond the most it is not exact."""
    total, run = np.int64(1), 0
    for f in range(factors.shape[0]):
        if factors[f] < 0:
            break
        # Of n features r are chosen, with repetition: n (n + 1) … / r!
        run = run + 1 if f and factors[f] == factors[f - 1] else 0
        if total <= most:
            total = total * (counts[factors[f]] + run) // (run + 1)
    return total


@exact_jit
def count_products(indptr: Any, columns: Any, plan: Any, work: Any) -> Any:
    """Count the products of all rows; return −1 − row for one that has too many."""
    total = np.int64(0)
    for row in range(indptr.shape[0] - 1):
        own = np.int64(0)
        find_places(columns, indptr[row], indptr[row + 1], work.counts.shape[0], work)
        for i in range(plan.factors.shape[0]):
            own += n_products(plan.factors[i], work.counts, plan.most)
        if own > plan.most:
            work.state[3] = own
            return -1 - row
        total += own
    return total


@exact_jit
def comes_before(dictionary: Any, one: int, other: int) -> bool:
    """Say whether a column comes before another: by its hash, or by its name."""
    if dictionary is None:
        return one < other
    a = dictionary.ends[one - 1] if one else np.int64(0)
    b = dictionary.ends[other - 1] if other else np.int64(0)
    a_end, b_end = dictionary.ends[one], dictionary.ends[other]
    while a < a_end and b < b_end:
        if dictionary.letters[a] != dictionary.letters[b]:
            return bool(dictionary.letters[a] < dictionary.letters[b])
        a += 1
        b += 1
    return bool(a_end - a < b_end - b)


@exact_jit
def sort_run(dictionary: Any, chosen: Any, first: int, last: int) -> None:
    """Sort the columns that were chosen from one part."""
    for i in range(first + 1, last):
        j = i
        while j > first and comes_before(dictionary, chosen[j], chosen[j - 1]):
            swapped = chosen[j]
            chosen[j] = chosen[j - 1]
            chosen[j - 1] = swapped
            j -= 1


@exact_jit
def place_of(chosen: Any, size: int, number: int, known: Any) -> Any:
    """Return where the product of some columns is remembered, if it is."""
    place: Any = np.int64(number)
    for f in range(size):
        place = ((place ^ chosen[f]) * FNV_PRIME) & LOW
    return (place ^ place >> 15) & (known.shape[0] - 1)


@exact_jit
def is_known(chosen: Any, size: int, number: int, entry: Any) -> bool:
    """Say whether it is the product of these columns that is remembered there."""
    same = entry[0] > 0 and entry[1] == number
    f = 0
    while same and f < size:
        same = entry[KEY + f] == chosen[f]
        f += 1
    return bool(same)


@exact_jit
def product_column(dictionary: Any, plan: Any, chosen: Any, size: int, work: Any) -> Any:
    """Return the column of the product of some columns; `NO_ROOM` if there is none for its name."""
    if dictionary is None:
        product: Any = np.int64(chosen[0])
        for f in range(1, size):
            product = ((product * FNV_PRIME) & plan.mask) ^ chosen[f]
        return product
    name = work.name
    at: Any = np.int64(0)
    for f in range(size):
        column = chosen[f]
        start = dictionary.ends[column - 1] if column else np.int64(0)
        stop = dictionary.ends[column]
        if at + stop - start + 1 > name.shape[0]:
            work.state[2], work.state[3] = LONG, at + stop - start + 1
            return NO_ROOM
        if f:
            name[at] = STAR
            at += 1
        for j in range(start, stop):
            name[at] = dictionary.letters[j]
            at += 1
    hashed = murmur3(name, 0, at, 0)
    number, slot = find(dictionary, name, 0, at, hashed)
    if number < 0 and plan.grow:
        number = add(dictionary, name, 0, at, hashed, slot)
        if number == NO_ROOM:
            work.state[2], work.state[3] = FULL, at
    return number


@exact_jit
def multiply(
    columns: Any,
    values: Any,
    number: int,
    dictionary: Any,
    plan: Any,
    work: Any,
    at: int,
    out: Any,
) -> int:
    """Append the products of a row by one interaction; return where they end, or `NO_ROOM`."""
    factors, size = plan.factors[number], 0
    while size < factors.shape[0] and factors[size] >= 0:
        if work.counts[factors[size]] == 0:
            return at
        size += 1
    chosen, picks = work.chosen[0], work.chosen[1]
    picks[:size] = 0
    while True:
        value = values[work.places[factors[0], picks[0]]]
        chosen[0] = columns[work.places[factors[0], picks[0]]] & LOW
        for f in range(1, size):
            place = work.places[factors[f], picks[f]]
            chosen[f] = columns[place] & LOW
            value = values.dtype.type(value * values[place])
        place = place_of(chosen, size, number, work.known) if dictionary is not None else 0
        if dictionary is not None and is_known(chosen, size, number, work.known[place]):
            column = np.int64(work.known[place, 0]) - 1
        else:
            work.known[place, KEY : KEY + size] = chosen[:size]
            if not plan.by_row:
                first = 0
                for f in range(1, size + 1):
                    if f == size or factors[f] != factors[f - 1]:
                        sort_run(dictionary, chosen, first, f)
                        first = f
            column = product_column(dictionary, plan, chosen, size, work)
            work.known[place, 0], work.known[place, 1] = max(column, -1) + 1, number
            if column == NO_ROOM:
                return NO_ROOM
        if column >= 0:
            out.indices[at] = column
            out.values[at] = value
            at += 1
        f = size - 1
        while f >= 0 and picks[f] + 1 == work.counts[factors[f]]:
            f -= 1
        if f < 0:
            return at
        picks[f] += 1
        for g in range(f + 1, size):  # of the same part no earlier one
            picks[g] = picks[g - 1] if factors[g] == factors[g - 1] else 0


@exact_jit
def multiply_rows(
    indptr: Any, columns: Any, values: Any, dictionary: Any, plan: Any, work: Any, out: Any
) -> None:
    """Write rows and after their features the products, from the row on where it ended before."""
    state = work.state
    row, at = state[0], state[1]
    state[2] = DONE
    while row < indptr.shape[0] - 1:
        start, stop, begin = indptr[row], indptr[row + 1], at
        state[4] |= find_places(columns, start, stop, work.counts.shape[0], work)
        for k in range(start, stop):
            if columns[k] >= 0:
                out.indices[at] = columns[k] & LOW
                out.values[at] = values[k]
                at += 1
        for i in range(plan.factors.shape[0]):
            at = multiply(columns, values, i, dictionary, plan, work, at, out)
            if at == NO_ROOM:
                state[0], state[1] = row, begin
                return
        row += 1
        out.indptr[row] = at
    state[0], state[1] = row, at
