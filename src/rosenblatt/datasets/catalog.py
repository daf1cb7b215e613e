"""The table of data sets: their files, where those come from, and how to read them."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rosenblatt.datasets import columns, readers
from rosenblatt.datasets.checksums import CHECKSUMS
from rosenblatt.datasets.files import File
from rosenblatt.datasets.readers import Array

# Rows and labels to learn from, rows and labels to test with.
Parts: TypeAlias = tuple[Any, Array, Any, Array | None]


class Entry(NamedTuple):
    """A line of the table. ``home`` says where it comes from, and how to get it by hand."""

    description: str
    files: tuple[File, ...]
    read: Callable[[Mapping[str, bytes]], Parts]
    feature_names: tuple[str, ...]
    home: str


def _label_last(file: str, label: Any) -> Callable[[Mapping[str, bytes]], Parts]:
    """Read one file of numbers with the label in the last column."""

    def read(files: Mapping[str, bytes]) -> Parts:
        rows = readers.cells(files[file])
        y = np.array([row[-1] for row in rows])
        return np.array([row[:-1] for row in rows], np.float64), y.astype(label), None, None

    return read


def _sms_spam(files: Mapping[str, bytes]) -> Parts:
    lines = files["SMSSpamCollection"].decode().rstrip("\n").split("\n")
    y, X = zip(*(line.split("\t", 1) for line in lines), strict=True)
    return np.array(X, object), np.array(y), None, None


def _mushroom(files: Mapping[str, bytes]) -> Parts:
    rows = readers.cells(files["agaricus-lepiota.data"])
    return readers.mixed([row[1:] for row in rows]), np.array([row[0] for row in rows]), None, None


def _adult(files: Mapping[str, bytes]) -> Parts:
    parts: list[Any] = []
    for file in ("adult-train.csv", "adult-test.csv"):
        rows = readers.cells(files[file])
        parts.append(readers.mixed([row[:-1] for row in rows], columns.ADULT_NUMBERS))
        parts.append(np.array([row[-1].rstrip(".") for row in rows]))
    return parts[0], parts[1], parts[2], parts[3]


def _mnist(files: Mapping[str, bytes]) -> Parts:
    X, X_test = (
        readers.idx(files[f"{part}-images-idx3-ubyte"]).reshape(-1, 784)
        for part in ("train", "t10k")
    )
    y, y_test = (
        readers.idx(files[f"{part}-labels-idx1-ubyte"]).astype(np.int64)
        for part in ("train", "t10k")
    )
    return X, y, X_test, y_test


def _khan(files: Mapping[str, bytes]) -> Parts:
    X, X_test = (readers.numbers(files[f"Khan_x{p}.csv"], header=True) for p in ("train", "test"))
    y, y_test = (
        readers.numbers(files[f"Khan_y{part}.csv"], header=True)[:, 0].astype(np.int64)
        for part in ("train", "test")
    )
    return X, y, X_test, y_test


def _cbcl_faces(files: Mapping[str, bytes]) -> Parts:
    stored = readers.arrays(files["cbcl_faces.npz"])
    X, X_test = (stored[f"X_{part}"].reshape(-1, 361) for part in ("train", "test"))
    y, y_test = (stored[f"y_{part}"].astype(np.int64) for part in ("train", "test"))
    return X, y, X_test, y_test


def _a9a(files: Mapping[str, bytes]) -> Parts:
    return *readers.svmlight(files["a9a"], 123), *readers.svmlight(files["a9a.t"], 123)


def _w8a(files: Mapping[str, bytes]) -> Parts:
    return *readers.svmlight(files["w8a"], 300), None, None


def _file(name: str, url: str | None = None) -> File:
    return File(name, *CHECKSUMS[name], url)


def _github(repository: str, path: str) -> str:
    return f"https://raw.githubusercontent.com/{repository}/{path}"


def _uci(number: int, name: str) -> str:
    return f"https://archive.ics.uci.edu/dataset/{number}/{name}"


_SMALL_SETS = "jbrownlee/Datasets/d20fcb6402ae34e653d4513b00f39257bb37ed7f"
_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html"
_MNIST = "https://storage.googleapis.com/cvdf-datasets/mnist"

CATALOG = {
    "a9a": Entry(
        "census, one-hot; sparse, 32,561 + 16,281 × 123, 2 classes",
        (
            _file("a9a"),
            _file(
                "a9a.t",
                _github(
                    "UltramanGaia/ML2017-lab-02",
                    "a83899df9c288a04fb7047dbcbdf1d2eafb28e70/data/a9a.t",
                ),
            ),
        ),
        _a9a,
        columns.numbered("x", 123),
        f"the files with line feeds only, from {_LIBSVM}#a9a",
    ),
    "adult": Entry(
        "census; 6 columns of numbers, 8 of categories, 32,561 + 16,281 × 14, 2 classes",
        (
            _file("adult-train.csv", _github(_SMALL_SETS, "adult-train.csv")),
            _file("adult-test.csv", _github(_SMALL_SETS, "adult-test.csv")),
        ),
        _adult,
        columns.ADULT,
        _uci(2, "adult"),
    ),
    "banknote": Entry(
        "wavelets of banknotes, genuine or forged; 1,372 × 4, 2 classes",
        (
            _file(
                "banknote_authentication.csv", _github(_SMALL_SETS, "banknote_authentication.csv")
            ),
        ),
        _label_last("banknote_authentication.csv", np.int64),
        ("variance", "skewness", "kurtosis", "entropy"),
        _uci(267, "banknote+authentication"),
    ),
    "cbcl_faces": Entry(
        "pictures of faces and of other things, 19 × 19; 6,977 + 24,045 × 361, 2 classes",
        (_file("cbcl_faces.npz"),),
        _cbcl_faces,
        columns.pixels(19, 19),
        "made from the PGM pictures of CBCL Face Database #1, MIT, in the order of their paths",
    ),
    "ionosphere": Entry(
        "radar returns, good or bad; 351 × 34, 2 classes",
        (_file("ionosphere.csv", _github(_SMALL_SETS, "ionosphere.csv")),),
        _label_last("ionosphere.csv", str),
        columns.numbered("x", 34),
        _uci(52, "ionosphere"),
    ),
    "khan_srbct": Entry(
        "gene expression of four tumours; 63 + 20 × 2,308, 4 classes",
        (
            _file("Khan_xtrain.csv"),
            _file("Khan_ytrain.csv"),
            _file("Khan_xtest.csv"),
            _file("Khan_ytest.csv"),
        ),
        _khan,
        columns.numbered("gene", 2308),
        "unpack the wheel of ISLP 0.6.0, https://pypi.org/project/ISLP: ISLP/data/Khan_*.csv",
    ),
    "mnist": Entry(
        "handwritten digits, 28 × 28; 60,000 + 10,000 × 784, 10 classes",
        tuple(
            _file(f"{part}-{kind}-ubyte", f"{_MNIST}/{part}-{kind}-ubyte.gz")
            for part in ("train", "t10k")
            for kind in ("images-idx3", "labels-idx1")
        ),
        _mnist,
        columns.pixels(28, 28),
        _MNIST,
    ),
    "mushroom": Entry(
        "mushrooms, edible or poisonous; categories, 8,124 × 22, 2 classes",
        (
            _file(
                "agaricus-lepiota.data",
                "https://archive.ics.uci.edu/ml/machine-learning-databases/mushroom/"
                "agaricus-lepiota.data",
            ),
        ),
        _mushroom,
        columns.MUSHROOM,
        _uci(73, "mushroom"),
    ),
    "sms_spam": Entry(
        "text messages, ham or spam; 5,574 texts, 2 classes",
        (_file("SMSSpamCollection"),),
        _sms_spam,
        ("text",),
        f"unpack SMSSpamCollection from the zip file of {_uci(228, 'sms+spam+collection')}",
    ),
    "sonar": Entry(
        "sonar returns of metal or rock; 208 × 60, 2 classes",
        (_file("sonar.csv", _github(_SMALL_SETS, "sonar.csv")),),
        _label_last("sonar.csv", str),
        columns.numbered("band", 60),
        _uci(151, "connectionist+bench+sonar+mines+vs+rocks"),
    ),
    "spambase": Entry(
        "e-mail as frequencies of words, ham 0 or spam 1; 4,601 × 57, 2 classes",
        (
            _file(
                "spambase.data",
                _github(
                    "HassanRezaee/ML_from_Scratch",
                    "e1482281d53813f394d24f07070cee37e3e078ad/spambase.data",
                ),
            ),
        ),
        _label_last("spambase.data", np.int64),
        columns.SPAMBASE,
        _uci(94, "spambase"),
    ),
    "w8a": Entry(
        "web pages, by words; sparse, 49,749 × 300, 2 classes",
        (
            _file(
                "w8a",
                _github(
                    "unc-optimization/AccSPD", "d2f1f2c961e3401032649544445bb24ab63ab1c5/data/w8a"
                ),
            ),
        ),
        _w8a,
        columns.numbered("x", 300),
        f"{_LIBSVM}#w8a",
    ),
}
