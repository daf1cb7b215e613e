"""How the files of each data set become rows and labels."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.datasets import catalog

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

    Comments are left out, and lines that are not tokens: those with a number such as
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


Files: TypeAlias = Mapping[str, bytes]


class Parts(NamedTuple):
    """What is in a data set, as the fields of `DataSet` say."""

    X: Any
    y: Array
    X_test: Any = None
    y_test: Array | None = None
    X_validation: Any = None
    y_validation: Array | None = None
    groups: Array | None = None
    folds: Array | None = None


def label_last(file: str, label: Any) -> Callable[[Files], Parts]:
    """Read one file of numbers with the label in the last column."""

    def read(files: Files) -> Parts:
        rows = cells(files[file])
        y = np.array([row[-1] for row in rows])
        return Parts(np.array([row[:-1] for row in rows], np.float64), y.astype(label))

    return read


def sms_spam(files: Files) -> Parts:
    """Read texts after their labels."""
    lines = files["SMSSpamCollection"].decode().rstrip("\n").split("\n")
    y, X = zip(*(line.split("\t", 1) for line in lines), strict=True)
    return Parts(np.array(X, object), np.array(y))


def spamassassin(files: Files) -> Parts:
    """Read mails, each byte a character; without those that are not of the usual release."""
    lines = files["spamassassin.jsonl"].rstrip(b"\n").split(b"\n")
    mails = [mail for mail in map(json.loads, lines) if mail["folder"] != "hard_ham_2"]
    X, y = ([mail[field] for mail in mails] for field in ("text", "label"))
    return Parts(np.array(X, object), np.array(y))


def mushroom(files: Files) -> Parts:
    """Read categories after their label."""
    rows = cells(files["agaricus-lepiota.data"])
    return Parts(mixed([row[1:] for row in rows]), np.array([row[0] for row in rows]))


def adult(files: Files) -> Parts:
    """Read numbers and categories; a label ends with a full stop in the test part."""
    parts: list[Any] = []
    for file in ("adult-train.csv", "adult-test.csv"):
        rows = cells(files[file])
        parts.append(mixed([row[:-1] for row in rows], catalog.ADULT_NUMBERS))
        parts.append(np.array([row[-1].rstrip(".") for row in rows]))
    return Parts(*parts)


def mnist(files: Files) -> Parts:
    """Read pictures, a row each."""
    X, X_test = (
        idx(files[f"{part}-images-idx3-ubyte"]).reshape(-1, 784) for part in ("train", "t10k")
    )
    y, y_test = (
        idx(files[f"{part}-labels-idx1-ubyte"]).astype(np.int64) for part in ("train", "t10k")
    )
    return Parts(X, y, X_test, y_test)


def khan_srbct(files: Files) -> Parts:
    """Read numbers and labels from files of their own."""
    X, X_test = (numbers(files[f"Khan_x{p}.csv"], header=True) for p in ("train", "test"))
    y, y_test = (
        numbers(files[f"Khan_y{part}.csv"], header=True)[:, 0].astype(np.int64)
        for part in ("train", "test")
    )
    return Parts(X, y, X_test, y_test)


def cbcl_faces(files: Files) -> Parts:
    """Read pictures, a row each."""
    stored = arrays(files["cbcl_faces.npz"])
    X, X_test = (stored[f"X_{part}"].reshape(-1, 361) for part in ("train", "test"))
    y, y_test = (stored[f"y_{part}"].astype(np.int64) for part in ("train", "test"))
    return Parts(X, y, X_test, y_test)


def ocr_letters(files: Files) -> Parts:
    """Read pictures of letters, a row each, with the word and the fold that each belongs to."""
    stored = arrays(files["ocr_letters.npz"])
    lengths = np.diff(stored["offsets"])
    return Parts(
        stored["pixels"],
        np.array(list("abcdefghijklmnopqrstuvwxyz"))[stored["labels"]],
        groups=np.repeat(np.arange(len(lengths)), lengths),
        folds=np.repeat(stored["folds"].astype(np.int64), lengths),
    )


def a9a(files: Files) -> Parts:
    """Read sparse rows."""
    return Parts(*svmlight(files["a9a"], 123), *svmlight(files["a9a.t"], 123))


def w8a(files: Files) -> Parts:
    """Read sparse rows."""
    return Parts(*svmlight(files["w8a"], 300))


def conll2000(files: Files) -> Parts:
    """Read sentences of words with their parts of speech; chunk tags are the labels."""
    train, test = (
        sentences(files[f"{part}.txt"], inputs=(0, 1), tag=2) for part in ("train", "test")
    )
    return Parts(*train, *test)


def ud_english_ewt(files: Files) -> Parts:
    """Read sentences of words; universal parts of speech are the labels.

    Lemmas, the treebank's own parts of speech and the other columns are left out: they are answers
    too, and would give the label away.
    """
    train, test, validation = (
        conllu(files[f"en_ewt-ud-{part}.conllu"], inputs=(1,), tag=3)
        for part in ("train", "test", "dev")
    )
    return Parts(*train, *test, *validation)
