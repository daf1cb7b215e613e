"""Whole files of examples as a matrix and labels, if memory suffices: `read` and `gather`."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.console import naming_parameters
from rosenblatt.console import size as in_words
from rosenblatt.data.rows import Array, Dense, Sparse, n_rows
from rosenblatt.readers.blocks import Block, DataError
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.formats import FORMATS
from rosenblatt.readers.names import Names, Numbered
from rosenblatt.readers.reader import Reader

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")
# The most that a container may use, and what it uses: version 2 of control groups, and 1.
_LIMITS = (
    ("memory.max", "memory.current"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
)
_SLACK = 1.05  # how much more than expected to allocate
_SHARE = 0.9  # of the free memory, which is what may be used
_INT32 = np.iinfo(np.int32).max
_FIRST: dict[Any, int | str] = {True: 0, False: 1, "auto": "auto"}


class TooLargeError(ValueError):
    """Files that do not fit into memory; says what they would take, and what there is."""


def free_memory() -> int | None:
    """Return how many bytes this process can still use; None if that cannot be known."""
    known = [free for free in (_of_the_machine(), *map(_of_the_group, _LIMITS)) if free is not None]
    return min(known, default=None)


def _of_the_machine() -> int | None:
    try:
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on every system
        return None


def _of_the_group(names: tuple[str, str]) -> int | None:
    try:
        most, used = ((_CGROUP / name).read_text().strip() for name in names)
        return None if most == "max" else max(0, int(most) - int(used))
    except (OSError, ValueError):
        return None


class GrowingArray:
    """An array that grows at its end.

    It is made as large as it is expected to become. That costs nothing before it is written to, and
    saves copying; where nothing is expected it grows by half, so that copies are few.
    """

    def __init__(self, dtype: Any) -> None:
        self._array, self.used = np.empty(0, dtype), 0

    def holds(self, n: int) -> bool:
        """Say whether n more fit without growing."""
        return self.used + n <= len(self._array)

    def extend(self, n: int, expected: int) -> Array:
        """Extend it by n items, and return a view of them."""
        start, stop = self.used, self.used + n
        if stop > len(self._array):
            larger = np.empty(max(expected, stop + stop // 2), self._array.dtype)
            larger[:start] = self._array[:start]
            self._array = larger
        self.used = stop
        return self._array[start:stop]

    def whole(self) -> Array:
        """Return the array, and free what was not needed."""
        self._array.resize(self.used, refcheck=False)
        return self._array


@dataclass
class Examples:
    """Rows with their labels.

    Attributes
    ----------
    X : CSR matrix, or array if the files are arrays
        The features.
    y : array
        float64 numbers (NaN where a row has no label), or an object array of strings (None where a
        row has none).
    names : Names
        What the columns of the files stand for; column j of X is number ``j + first`` there.
    first : int
        1 if the features of the files are numbered from 1 on, else 0.
    weights : array or None
        Importance weights; None if all are one.
    lines : array or None
        The line of each row in its file.
    files : list of (str, int)
        Each file's name, with the number of its first row.
    """

    X: Any
    y: Array
    names: Names
    first: int = 0
    weights: Array | None = None
    lines: Array | None = None
    files: list[tuple[str, int]] = field(default_factory=list)

    def place(self, row: int) -> tuple[str, int]:
        """Return the file and the line of a row."""
        assert self.lines is not None
        return [name for name, start in self.files if start <= row][-1], int(self.lines[row])


class _Gatherer:
    """Collects blocks; see `gather`."""

    def __init__(self, reader: Reader, first: int | str, lines: bool) -> None:
        self.reader, self.first, self.lines_wanted = reader, first, lines
        # Most files count from 1: that is assumed until a 0 comes.
        self.shift = 1 if first in (1, "auto") else 0
        self.total = reader.total
        self.free = free_memory()
        self.indptr, self.indices = GrowingArray(np.int64), GrowingArray(np.int32)
        self.values = GrowingArray(np.dtype(reader.reading.dtype))
        self.indptr.extend(1, 0)[0] = 0
        self.lowest = _INT32
        self.n = 0
        self.width: int | None = None  # of dense rows
        self.labels: list[Array] = []
        self.weights: list[Array | None] = []
        self.lines: list[Array] = []
        self.files: list[tuple[str, int]] = []

    def add(self, block: Block) -> None:
        """Copy a block."""
        n = n_rows(block.rows)
        if not self.files or self.files[-1][0] != block.file:
            self.files.append((block.file, self.n))
        if self.n and isinstance(block.rows, Dense) != (self.width is not None):
            problem = "arrays (.npy) and other files cannot be read as one; read them separately"
            raise DataError(block.file, None, None, problem)
        share = block.done / self.total if self.total and block.done else 0.0
        if isinstance(block.rows, Dense):
            self._add_dense(block.rows, share, block.file)
        else:
            self._add_sparse(block.rows, share)
        self.labels.append(np.full(n, np.nan) if block.labels is None else block.labels.copy())
        self.weights.append(None if block.weights is None else block.weights.copy())
        if self.lines_wanted:
            self.lines.append(np.array(block.lines, np.int64))
        self.n += n

    def _add_dense(self, rows: Dense, share: float, file: str) -> None:
        n, width = rows.values.shape
        if self.width not in (None, width):
            problem = f"its rows have {width} numbers, and those before have {self.width}"
            raise DataError(file, None, None, problem)
        self.width = width
        expected = self._expected(n, n * width, share, self.values.used)
        self.values.extend(n * width, expected)[:] = rows.values.ravel()

    def _add_sparse(self, rows: Sparse, share: float) -> None:
        n, (start, stop) = n_rows(rows), (int(rows.indptr[0]), int(rows.indptr[-1]))
        base, size = self.indices.used, stop - start
        expected = self._expected(n, size, share, base)
        columns = self.indices.extend(size, expected)
        np.subtract(rows.indices[start:stop], np.int32(self.shift), out=columns)
        if self.shift and size:
            self.lowest = min(self.lowest, int(columns.min()))
        self.values.extend(size, expected)[:] = rows.values[start:stop]
        wanted = int(_SLACK * (self.n + n) / share) if share else 0
        np.add(rows.indptr[1:], base - start, out=self.indptr.extend(n, wanted))

    def _expected(self, n: int, size: int, share: float, used: int) -> int:
        """Return how many numbers there will be, or raise `TooLargeError` if that is too many."""
        if self.values.holds(size):
            return 0
        grown = max(1.0, 1 / share) if share else 2.0
        expected = int((used + size) * grown)
        each = np.dtype(self.reader.reading.dtype).itemsize + (0 if self.width else 4)
        needed = expected * each + int((self.n + n) * grown) * 24
        if self.free is not None and needed > _SHARE * self.free:
            whole = "" if self.total is None else f"{in_words(self.total)} of "
            raise TooLargeError(
                f"the {whole}files would take about {in_words(needed)} of memory, and "
                f"{in_words(self.free)} are free: use some of their rows"
            )
        return int(_SLACK * expected) if share else 0

    def whole(self, n_features: int | None) -> Examples:
        """Return all rows."""
        first = self._first()
        if self.width is not None:
            X: Any = self.values.whole().reshape(self.n, self.width)
        else:
            X = self._matrix(first, n_features)
        lines = np.concatenate(self.lines) if self.lines else None
        weights, names = self._weights(), self.reader.names
        return Examples(X, _labels(self.labels), names, first, weights, lines, self.files)

    def _weights(self) -> Array | None:
        if all(part is None for part in self.weights):
            return None
        pairs = zip(self.weights, self.labels, strict=True)
        return np.concatenate([np.ones(len(y)) if part is None else part for part, y in pairs])

    def _first(self) -> int:
        """Return the number that features are counted from."""
        if self.first != "auto":
            return int(self.first)
        # A file without any features says nothing; as in scikit-learn, it counts from 0.
        return int(0 <= self.lowest < _INT32)

    def _matrix(self, first: int, n_features: int | None) -> Any:
        import scipy.sparse as sp  # here, as it takes longer to load than many a file to read

        indptr, indices, values = self.indptr.whole(), self.indices.whole(), self.values.whole()
        if self.shift != first:
            indices += np.int32(self.shift - first)
        if first and self.lowest < 0:
            if not self.reader.names.frozen:
                raise ValueError(
                    "a feature has the number 0, and they should be numbered from 1 on"
                )
            indptr, indices, values = _without_negative(indptr, indices, values)
        found = max(self.reader.names.n_features - first, 1)
        width = found if n_features is None else n_features
        if width < found:
            raise ValueError(f"n_features={n_features}, but the files have {found} features")
        kind = np.int32 if len(indices) <= _INT32 else np.int64
        parts = values, indices.astype(kind, copy=False), indptr.astype(kind, copy=False)
        X = sp.csr_matrix(parts, shape=(self.n, width), copy=False)
        X.sum_duplicates()  # does nothing if each row has its columns in order, and each once
        return X


def gather(
    reader: Reader, *, first: int | str = 0, n_features: int | None = None, lines: bool = False
) -> Examples:
    """Read all rows into memory, in one go and without copying them twice.

    Parameters
    ----------
    reader : Reader
        The files.
    first : int or "auto"
        The number of the feature that becomes column 0: 0, 1, or "auto", which is 1 if features
        are numbered and none has the number 0.
    n_features : int or None
        How many columns to make; None makes as many as are needed.
    lines : bool
        Keep the line of each row.

    Raises
    ------
    TooLargeError
        If the files seem not to fit into memory. That is found out at their beginning.
    """
    numbered = isinstance(reader.names, Numbered) and FORMATS[reader.first_format()].from_one
    gatherer = _Gatherer(reader, first if numbered else 0, lines)
    try:
        for block in reader:
            gatherer.add(block)
    finally:
        reader.close()
    return gatherer.whole(n_features)


def _labels(parts: list[Array]) -> Array:
    """Put labels together; they are numbers if none is a name."""
    if not parts:
        return np.empty(0)
    if all(part.dtype.kind == "f" for part in parts):
        return np.concatenate(parts)
    labels = [
        None if label is None or label != label else label
        for part in parts
        for label in part.tolist()
    ]
    if all(label is None or isinstance(label, float) for label in labels):
        return np.array([np.nan if label is None else label for label in labels])
    return np.array(labels, object)


def _without_negative(indptr: Array, indices: Array, values: Array) -> tuple[Array, Array, Array]:
    keep = indices >= 0
    before = np.concatenate([[0], np.cumsum(keep)])
    return before[indptr], indices[keep], values[keep]


@naming_parameters()
def read(
    files: str | Path | Sequence[str | Path],
    *,
    format: str = "auto",  # noqa: A002
    dtype: str = "float64",
    zero_based: bool | str = "auto",
    n_features: int | None = None,
    bits: int | None = None,
    **options: Any,
) -> tuple[Any, Array]:
    r"""Read files of examples into memory.

    Of svmlight files it gives what :func:`sklearn.datasets.load_svmlight_file` gives, bit for bit,
    and many times as fast. Several files are read as if they were one.

    Parameters
    ----------
    files : str, path, or sequence of these
        Files, patterns such as ``"part-*.svm"``, or "-" for standard input. They may be packed with
        gzip or zstd.
    format : str, default="auto"
        "svmlight", "vw", "csv", "tsv", "parquet", "arrow", "jsonl", "vwjson", "text" or "npy";
        "auto" recognises it from how each file begins.
    dtype : {"float64", "float32"}, default="float64"
        The type of the features.
    zero_based : bool or "auto", default="auto"
        Whether the features of svmlight files are numbered from 0 on. "auto" says no if none has
        the number 0.
    n_features : int, optional
        How many columns X has, for numbered features; by default as many as are needed.
    bits : int, optional
        Hash the names of features to 2^bits columns.
    **options
        How to read other formats: ``label``, ``text``, ``ngrams``, ``weight``, ``drop``, ``keep``,
        ``labels`` and ``on_error``, as :class:`rosenblatt.readers.command_options.Reading` has
        them.

    Returns
    -------
    X : CSR matrix of shape (n_samples, n_features)
        The rows; an array if the files are (``.npy``).
    y : array of shape (n_samples,)
        The labels: float64 numbers, NaN where a row has none; or an object array of strings, None
        where a row has none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rosenblatt.readers.matrix import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "two.svm")
    ...     _ = file.write_text("+1 1:0.5 3:2\n-1 2:1\n")
    ...     X, y = read(file)
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    if format not in ("auto", *FORMATS):
        raise ValueError(f"format={format!r} must be auto or one of {', '.join(FORMATS)}")
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype={dtype!r} must be float32 or float64")
    if zero_based not in (True, False, "auto"):
        raise ValueError(f"zero_based={zero_based!r} must be True, False or 'auto'")
    listed = [files] if isinstance(files, str | Path) else list(files)
    if not listed:
        raise ValueError("there is no file to read; name one")
    reader = Reader(listed, Reading(format=format, dtype=dtype, **options), bits=bits)
    if n_features is not None and not isinstance(reader.names, Numbered):
        reader.close()
        raise ValueError(
            "n_features is for features with numbers, and these have names: how many there are is "
            "known when all are read (bits=18 hashes them to 2^18 columns)"
        )
    examples = gather(reader, first=_FIRST[zero_based], n_features=n_features)
    return examples.X, examples.y
