"""Cells of CSV files with pyarrow: the fast way for large files.

`plain_cells` does the same without it, and the tests compare the two.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.cells import OddRecord, Split, SplitError
from rosenblatt.readers.sources import arrow

LARGEST = 1 << 27  # bytes that can be split at once


def split(text: bytes, separator: str, n: int, used: Sequence[int]) -> Split:
    """Split whole records, which should have n cells each, into columns of cells."""
    pyarrow, reader = arrow("CSV"), arrow("CSV", ".csv")
    names, odd = [str(k) for k in used], []

    def skip(row: Any) -> str:
        odd.append(OddRecord(row.number - 1, row.actual_columns, row.text))
        return "skip"

    try:
        found = reader.read_csv(
            pyarrow.BufferReader(text),
            reader.ReadOptions(
                use_threads=False,
                block_size=LARGEST,
                column_names=[str(k) for k in range(n)],
            ),
            reader.ParseOptions(
                delimiter=separator, newlines_in_values=True, invalid_row_handler=skip
            ),
            reader.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(names, pyarrow.string()),
                include_columns=names,
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    except pyarrow.ArrowException as error:
        raise SplitError(str(error)) from None
    columns = {k: ArrowCells(found.column(str(k)).combine_chunks()) for k in used}
    return Split(columns, found.num_rows, odd)


class ArrowCells:
    """The cells of a column in some records, as an Arrow array of strings."""

    def __init__(self, array: Any) -> None:
        self._array = array
        self._pyarrow, self._compute = arrow("CSV"), arrow("CSV", ".compute")

    def __len__(self) -> int:
        """How many there are."""
        return len(self._array)

    @property
    def null_count(self) -> int:
        """How many are empty."""
        return int(self._array.null_count)

    def floats(self) -> Array | None:
        """Return them as numbers, NaN where they are empty; None if one is something else."""
        try:
            numbers = self._compute.cast(self._array, self._pyarrow.float64())
        except self._pyarrow.ArrowInvalid:
            return None
        return np.asarray(numbers.to_numpy(zero_copy_only=False))

    def without(self, words: Sequence[str]) -> Self:
        """Return them without spaces around them; those that are one of some words are empty."""
        trimmed = self._compute.utf8_trim_whitespace(self._array)
        missing = self._compute.is_in(trimmed, self._pyarrow.array(words))
        empty = self._pyarrow.scalar(None, trimmed.type)
        return type(self)(self._compute.if_else(missing, empty, trimmed))

    def distinct(self) -> tuple[Array, list[str]]:
        """Return the place of each among the different ones, −1 where it is empty; and these."""
        encoded = self._array.dictionary_encode()
        return encoded.indices.fill_null(-1).to_numpy(), encoded.dictionary.to_pylist()

    def letters(self) -> tuple[Array, Array]:
        """Return where each starts and where the last ends, and the bytes of all."""
        return letters_of(self._array)

    def matching(self, pattern: str) -> Iterator[tuple[int, str]]:
        """Yield the cells in which a pattern is found, and their rows."""
        found = self._compute.match_substring_regex(self._array, pattern)
        found = self._compute.fill_null(found, False).to_numpy(zero_copy_only=False)
        for row in np.flatnonzero(found).tolist():
            yield row, self._array[row].as_py()


def letters_of(array: Any) -> tuple[Array, Array]:
    """Return where each string of an Arrow array starts, and the bytes of all."""
    pyarrow, compute = arrow("tables"), arrow("tables", ".compute")
    array = compute.fill_null(compute.cast(array, pyarrow.large_string()), "")
    _, offsets, letters = array.buffers()
    offsets = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return offsets, np.frombuffer(letters or b"", np.uint8)
