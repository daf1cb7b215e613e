"""How the files of each data set become rows and labels."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rosenblatt.datasets import columns, readers
from rosenblatt.datasets.readers import Array

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
        rows = readers.cells(files[file])
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
    rows = readers.cells(files["agaricus-lepiota.data"])
    return Parts(readers.mixed([row[1:] for row in rows]), np.array([row[0] for row in rows]))


def adult(files: Files) -> Parts:
    """Read numbers and categories; a label ends with a full stop in the test part."""
    parts: list[Any] = []
    for file in ("adult-train.csv", "adult-test.csv"):
        rows = readers.cells(files[file])
        parts.append(readers.mixed([row[:-1] for row in rows], columns.ADULT_NUMBERS))
        parts.append(np.array([row[-1].rstrip(".") for row in rows]))
    return Parts(*parts)


def mnist(files: Files) -> Parts:
    """Read pictures, a row each."""
    X, X_test = (
        readers.idx(files[f"{part}-images-idx3-ubyte"]).reshape(-1, 784)
        for part in ("train", "t10k")
    )
    y, y_test = (
        readers.idx(files[f"{part}-labels-idx1-ubyte"]).astype(np.int64)
        for part in ("train", "t10k")
    )
    return Parts(X, y, X_test, y_test)


def khan_srbct(files: Files) -> Parts:
    """Read numbers and labels from files of their own."""
    X, X_test = (readers.numbers(files[f"Khan_x{p}.csv"], header=True) for p in ("train", "test"))
    y, y_test = (
        readers.numbers(files[f"Khan_y{part}.csv"], header=True)[:, 0].astype(np.int64)
        for part in ("train", "test")
    )
    return Parts(X, y, X_test, y_test)


def cbcl_faces(files: Files) -> Parts:
    """Read pictures, a row each."""
    stored = readers.arrays(files["cbcl_faces.npz"])
    X, X_test = (stored[f"X_{part}"].reshape(-1, 361) for part in ("train", "test"))
    y, y_test = (stored[f"y_{part}"].astype(np.int64) for part in ("train", "test"))
    return Parts(X, y, X_test, y_test)


def ocr_letters(files: Files) -> Parts:
    """Read pictures of letters, a row each, with the word and the fold that each belongs to."""
    stored = readers.arrays(files["ocr_letters.npz"])
    lengths = np.diff(stored["offsets"])
    return Parts(
        stored["pixels"],
        np.array(list("abcdefghijklmnopqrstuvwxyz"))[stored["labels"]],
        groups=np.repeat(np.arange(len(lengths)), lengths),
        folds=np.repeat(stored["folds"].astype(np.int64), lengths),
    )


def a9a(files: Files) -> Parts:
    """Read sparse rows."""
    return Parts(*readers.svmlight(files["a9a"], 123), *readers.svmlight(files["a9a.t"], 123))


def w8a(files: Files) -> Parts:
    """Read sparse rows."""
    return Parts(*readers.svmlight(files["w8a"], 300))


def conll2000(files: Files) -> Parts:
    """Read sentences of words with their parts of speech; chunk tags are the labels."""
    train, test = (
        readers.sentences(files[f"{part}.txt"], inputs=(0, 1), tag=2) for part in ("train", "test")
    )
    return Parts(*train, *test)


def ud_english_ewt(files: Files) -> Parts:
    """Read sentences of words; universal parts of speech are the labels.

    Lemmas, the treebank's own parts of speech and the other columns are left out: they are answers
    too, and would give the label away.
    """
    train, test, validation = (
        readers.conllu(files[f"en_ewt-ud-{part}.conllu"], inputs=(1,), tag=3)
        for part in ("train", "test", "dev")
    )
    return Parts(*train, *test, *validation)
