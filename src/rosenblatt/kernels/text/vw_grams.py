"""N-grams of the features of Vowpal Wabbit's text, as its ``--ngram`` makes them.

The features of a row whose namespaces begin with the same letter are one sequence, as in VW, but
for those with the value zero, which are left out of it. Each run of 2 to N of them is a feature
with the value 1, after those of the row. Its column is made from theirs, and its name is
``namespace^a^b``.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import exact_jit

QUADRATIC = 27942141  # what VW multiplies the hash by that it adds the next one to
_CARET = 94


class Grown(NamedTuple):
    """Rows with their n-grams: as in `Found`, and if names are kept, as in `Spans`."""

    indptr: Any
    indices: Any
    values: Any
    letters: Any
    ends: Any


@exact_jit
def link(found: Any, spans: Any, row: int, following: Any) -> None:
    """Write down which feature follows each one of a row in its sequence; −1 if none does."""
    last = np.full(256, -1, np.int64)
    for k in range(found.indptr[row], found.indptr[row + 1]):
        following[k] = -1
        if found.values[k] != 0:
            before = last[spans.groups[k]]
            if before >= 0:
                following[before] = k
            last[spans.groups[k]] = k


@exact_jit
def start_of(spans: Any, k: int) -> int:
    """Return where the letters of a feature start, with its namespace."""
    return int(spans.ends[k - 1]) if k else 0


@exact_jit
def write_letters(spans: Any, start: int, stop: int, grown: Any, at: int) -> int:
    """Copy letters to a name; return where they end."""
    for p in range(start, stop):
        grown.letters[at] = spans.letters[p]
        at += 1
    return at


@exact_jit
def write_gram(
    found: Any,
    spans: Any,
    k: int,
    size: int,
    mask: int,
    following: Any,
    grown: Any,
    n: int,
    at: int,
) -> int:
    """Write the n-gram that starts with a feature; return where its name ends."""
    column, keep = np.int64(found.indices[k]), spans.ends.shape[0] > 0
    if keep:
        at = write_letters(spans, start_of(spans, k), spans.ends[k], grown, at)
    for _ in range(size - 1):
        k = following[k]
        column = (column * QUADRATIC + np.int64(found.indices[k])) & mask
        if keep:
            grown.letters[at] = _CARET
            at = write_letters(spans, spans.bare[k], spans.ends[k], grown, at + 1)
    grown.indices[n] = column
    grown.values[n] = 1
    if keep:
        grown.ends[n] = at
    return at


@exact_jit
def count_grams(found: Any, spans: Any, ngrams: int, following: Any) -> tuple[int, int]:
    """Link the features of all rows; return how many there will be, and how many letters."""
    entries, keep = found.counts[1], spans.ends.shape[0] > 0
    for row in range(found.counts[0]):
        link(found, spans, row, following)
    n, letters = int(entries), start_of(spans, entries) if keep else 0
    for k in range(entries):
        length = int(spans.ends[k]) - start_of(spans, k) if keep else 0
        other = k
        for _ in range(ngrams - 1):
            other = following[other]
            if other < 0:
                break
            length += 1 + int(spans.ends[other] - spans.bare[other]) if keep else 0
            n += 1
            letters += length
    return n, letters


@exact_jit
def add_grams(found: Any, spans: Any, ngrams: int, mask: int, following: Any, grown: Any) -> None:
    """Write the features of all rows, those of each row with its n-grams after them."""
    keep = spans.ends.shape[0] > 0
    n, at = 0, 0
    grown.indptr[0] = 0
    for row in range(found.counts[0]):
        start, stop = found.indptr[row], found.indptr[row + 1]
        for k in range(start, stop):
            grown.indices[n], grown.values[n] = found.indices[k], found.values[k]
            if keep:
                at = write_letters(spans, start_of(spans, k), spans.ends[k], grown, at)
                grown.ends[n] = at
            n += 1
        for size in range(2, ngrams + 1):
            for k in range(start, stop):
                length, other = 1, following[k]
                while other >= 0 and length < size:
                    length += 1
                    other = following[other]
                if length == size:
                    at = write_gram(found, spans, k, size, mask, following, grown, n, at)
                    n += 1
        grown.indptr[row + 1] = n
