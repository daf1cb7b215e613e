"""The few formats that the data sets come in, read into arrays."""

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]


def numbers(content: bytes, *, header: bool = False) -> Array:
    """Read comma-separated numbers."""
    return np.loadtxt(io.BytesIO(content), delimiter=",", skiprows=int(header), ndmin=2)


def cells(content: bytes) -> list[list[str]]:
    """Read comma-separated text, without the spaces after commas and without empty lines."""
    lines = csv.reader(io.StringIO(content.decode(), newline=""), skipinitialspace=True)
    return [line for line in lines if line]


def mixed(rows: Sequence[Sequence[str]], numeric: Sequence[int] = ()) -> Array:
    """Return cells as an object array, whose numeric columns hold whole numbers."""
    X = np.array(rows, object)
    for column in numeric:
        X[:, column] = [int(cell) for cell in X[:, column]]
    return X


def idx(content: bytes) -> Array:
    """Read the IDX format of MNIST: unsigned bytes, in one or more dimensions."""
    dimensions = content[3]
    shape = np.frombuffer(content, ">i4", dimensions, 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(shape).copy()


def svmlight(content: bytes, n_features: int) -> tuple[sp.csr_matrix, Array]:
    r"""Read lines of ``label index:value …``, whose indices start at one.

    >>> X, y = svmlight(b"+1 1:0.5 3:2\n-1\n", 3)
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 0.0, 0.0]], [1, -1])
    """
    lines = [line for line in content.splitlines() if line.strip()]
    indptr = np.zeros(len(lines) + 1, np.int32)
    np.cumsum([line.count(b":") for line in lines], out=indptr[1:])
    tokens = np.array(content.replace(b":", b" ").split(), bytes).astype(np.float64)
    label_at = 2 * indptr[:-1] + np.arange(len(lines))
    pairs = np.delete(tokens, label_at).reshape(-1, 2)
    columns = pairs[:, 0].astype(np.int32) - 1
    X = sp.csr_matrix((pairs[:, 1].copy(), columns, indptr), shape=(len(lines), n_features))
    return X, tokens[label_at].astype(np.int64)


def arrays(content: bytes) -> dict[str, Array]:
    """Read an npz archive. Nothing in it is unpickled."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def sentences(content: bytes, inputs: Sequence[int], tag: int) -> tuple[Array, Array]:
    r"""Read a token a line, its columns separated by a space, and an empty line between sentences.

    Returns an element a sentence: the tuple of its tokens, each the tuple of its input columns, and
    the tuple of its tags.

    >>> X, y = sentences(b"the DT B\ncat NN I\n\nsleeps VB B\n", (0, 1), 2)
    >>> X.tolist()
    [(('the', 'DT'), ('cat', 'NN')), (('sleeps', 'VB'),)]
    >>> y.tolist()
    [('B', 'I'), ('B',)]
    """
    return _sentences([line.split(" ") for line in content.decode().split("\n")], inputs, tag)


def conllu(content: bytes, inputs: Sequence[int], tag: int) -> tuple[Array, Array]:
    """Read sentences in the CoNLL-U format, whose columns are separated by tabs.

    Comments are left out, and lines that are no token of their own: those with a number such as
    ``3-4``, for two tokens written as one word, or ``5.1``, for one that is not in the text.
    """
    lines = [line.split("\t") for line in content.decode().split("\n")]
    return _sentences([line for line in lines if line == [""] or line[0].isdecimal()], inputs, tag)


def _sentences(lines: Iterable[list[str]], inputs: Sequence[int], tag: int) -> tuple[Array, Array]:
    X, y = [], []
    for filled, group in groupby(lines, key=lambda line: line != [""]):
        if filled:
            tokens = list(group)
            X.append(tuple(tuple(token[i] for i in inputs) for token in tokens))
            y.append(tuple(token[tag] for token in tokens))
    # Not np.array: that would look into sentences of equal length.
    return np.fromiter(X, object, len(X)), np.fromiter(y, object, len(y))
