"""A reader that counts what a command tells about in the end."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows
from rosenblatt.readers.blocks import Block, DataError, Problems
from rosenblatt.readers.names import Names
from rosenblatt.readers.options import Reading
from rosenblatt.readers.reader import Reader


class Counted(Reader):
    """Reads files, and counts rows and bytes the first time it does.

    ``known`` counts the rows with a feature that has a column: if names are frozen, one that the
    model knows.

    Parameters
    ----------
    files, reading, names, bits, digest
        As in `Reader`.
    ignore_weights : bool
        Leave out importance weights; ``ignored`` counts the rows that had one other than 1.
    """

    def __init__(
        self,
        files: Sequence[str | Path],
        reading: Reading,
        *,
        names: Names | None = None,
        bits: int | None = None,
        ignore_weights: bool = False,
        digest: bool = False,
    ) -> None:
        super().__init__(files, reading, names=names, bits=bits, digest=digest)
        self.rows = self.known = self.bytes = self.ignored = 0
        self.ignore_weights, self._counting = ignore_weights, True
        self.met = self.problems  # in the first pass: later ones meet the same again

    def __iter__(self) -> Iterator[Block]:
        """Yield the blocks of all files in turn."""
        counting, self._counting = self._counting, False
        if not counting:
            self.problems = Problems(self.met.skip)
        for block in super().__iter__():
            if counting:
                self.rows += len(block.lines)
                self.known += _filled(block.rows)
                self.bytes = max(self.bytes, block.done)
            if self.ignore_weights and block.weights is not None:
                if counting:
                    self.ignored += int(np.count_nonzero(block.weights != 1))
                block = block._replace(weights=None)
            yield block

    @property
    def described(self) -> list[list[Any]]:
        """The files: a name and a size each."""
        return [[source.name, source.size] for source in self.sources]

    def reading_header(self) -> dict[str, Any]:
        """Return what a model remembers of how its files were read.

        The label's column by its name: in a file without it, another one may be the last.
        """
        header = self.reading.header()
        return {**header, "label": self.met.label or header["label"], "usual": self.kind}


def _filled(rows: Rows) -> int:
    """Count the rows that have any feature."""
    if isinstance(rows, Dense):
        return len(rows.values) if rows.values.shape[1] else 0
    return int(np.count_nonzero(rows.indptr[1:] > rows.indptr[:-1]))


def numbers_of(block: Block) -> tuple[Array, Array]:
    """Return which rows have a number to predict, and these numbers."""
    labels = block.labels
    if labels is None:
        return np.empty(0, np.intp), np.empty(0)
    if labels.dtype.kind == "O":
        for label, line in zip(labels.tolist(), block.lines.tolist(), strict=True):
            if isinstance(label, str):
                problem = "regression predicts numbers, and the label is"
                raise DataError(block.file, line, None, problem, label)
        labels = np.array([np.nan if label is None else label for label in labels.tolist()], float)
    rows = np.flatnonzero(labels == labels)
    return rows, labels[rows].astype(np.float64)
