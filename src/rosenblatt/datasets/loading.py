"""`load`, what it returns, and what else is to be known of data sets by name."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rosenblatt.datasets.catalog import CATALOG, Entry
from rosenblatt.datasets.download import Progress, complete
from rosenblatt.datasets.files import folder, part, place, read
from rosenblatt.datasets.parsing import Array


@dataclass(frozen=True, repr=False)
class DataSet:
    """A data set: rows and labels to learn from, and to test with where it has a test part.

    Attributes
    ----------
    name : str
        What `load` knows it by.
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows. An object array where columns hold categories, and a vector of strings where each
        example is a text; a pandas data frame with ``as_frame=True``. Where each example is a
        sentence, a vector of sentences: each a tuple of tokens, each a tuple of its features.
    y : array of shape (n_samples,)
        The labels. Those of a sentence are a tuple with the tag of each token.
    X_test, y_test : same, or None
        The test part, if the data set comes with one.
    feature_names : tuple of str
        The names of the columns.
    description : str
        A line on what it is.
    X_validation, y_validation : same as X and y, or None
        The part to choose parameters with, if the data set comes with one.
    groups : array of shape (n_samples,) or None
        The number of the group that each row belongs to, where rows come in groups: a letter in a
        word. The rows of a group follow one another, in order.
    folds : array of shape (n_samples,) or None
        The fold of cross-validation that each row belongs to, where the data set says so. All rows
        of a group are in one.

    Examples
    --------
    >>> from rosenblatt.datasets import load
    >>> load("sonar")  # doctest: +SKIP
    DataSet('sonar': sonar returns of metal or rock; 208 × 60, 2 classes; X (208, 60))
    """

    name: str
    X: Any
    y: Array
    X_test: Any
    y_test: Array | None
    feature_names: tuple[str, ...]
    description: str
    X_validation: Any = None
    y_validation: Array | None = None
    groups: Array | None = None
    folds: Array | None = None

    def __repr__(self) -> str:
        """Name it and its shape; the numbers are too many."""
        shapes = [
            f"{part} {getattr(self, part).shape}"
            for part in ("X", "X_test", "X_validation")
            if getattr(self, part) is not None
        ]
        return f"DataSet({self.name!r}: {self.description}; {', '.join(shapes)})"

    def sequences(self) -> "DataSet":
        """Return the data set with each of its groups as one example: a word, not its letters.

        Then ``X`` is a vector with the rows of each group, ``y`` one with the tuple of their
        labels, and ``groups`` and ``folds`` have an element a group: what a learner of sequences
        needs.
        """
        if self.groups is None:
            raise ValueError(f"data set {self.name!r} has no groups of rows to take as sequences")
        starts = np.flatnonzero(np.diff(self.groups, prepend=-1))
        stops = [*starts[1:], len(self.groups)]
        spans = [slice(*span) for span in zip(starts, stops, strict=True)]
        return replace(
            self,
            X=np.fromiter((self.X[span] for span in spans), object, len(spans)),
            y=np.fromiter((tuple(self.y[span].tolist()) for span in spans), object, len(spans)),
            groups=self.groups[starts],
            folds=None if self.folds is None else self.folds[starts],
        )


def names() -> list[str]:
    """Return the names that `load` knows.

    Examples
    --------
    >>> names()[:3]
    ['a9a', 'adult', 'banknote']
    """
    return sorted(CATALOG)


def table() -> str:
    """Return the names with a line on each, to print.

    Examples
    --------
    >>> print(table().splitlines()[0])
    a9a            census, one-hot; sparse, 32,561 + 16,281 × 123, 2 classes
    """
    width = max(map(len, CATALOG))
    return "\n".join(f"{name:<{width}} {CATALOG[name].description}" for name in names())


def status(name: str) -> Literal["here", "partly here", "not here"]:
    """Say whether a data set is on this machine, so that `load` need not download it.

    This looks for its files, and not into them: `load` may still find that one is broken.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    {"here", "partly here", "not here"}

    Examples
    --------
    >>> missing = [name for name in names() if status(name) == "not here"]
    >>> set(missing) <= set(names())
    True
    """
    files = _entry(name).files
    here = folder() / name
    found = [place(here, file) is not None for file in files]
    if all(found):
        return "here"
    begun = any(found) or any(part(here, file).exists() for file in files)
    return "partly here" if begun else "not here"


def fetch(name: str, progress: Progress | None = None) -> Path:
    """Make sure that the files of a data set are on this machine, and return their folder.

    What is not in the folder of data sets is downloaded, checked and kept. A download that breaks
    off continues where it was, in this call or the next.

    Parameters
    ----------
    name : str
        One of `names`.
    progress : callable, optional
        Called often during a download, with the number of bytes that have come and the number to
        come in all, both counted unpacked. If a download must start again, the first may shrink.

    Returns
    -------
    Path

    Examples
    --------
    >>> folder = fetch("sonar")  # doctest: +SKIP
    >>> folder.name, status("sonar")  # doctest: +SKIP
    ('sonar', 'here')
    """
    entry = _entry(name)
    here = folder() / name
    complete(name, entry.files, entry.source, here, progress)
    return here


def load(name: str, *, as_frame: bool = False, progress: Progress | None = None) -> DataSet:
    """Return a data set, from the folder of data sets or else from the public site that hosts it.

    The folder is what the environment variable ``ROSENBLATT_DATA`` names, by default
    ``rosenblatt/data`` in the user's cache folder. It holds a folder for each data set. What is not
    there is downloaded and kept, where that site has a file that can be used as it is. Every file
    must have the right checksum.

    Parameters
    ----------
    name : str
        One of `names`.
    as_frame : bool, default=False
        Return ``X``, ``X_test`` and ``X_validation`` as pandas data frames: numbers as numbers,
        categories as strings. Not for sparse data, nor for sentences.
    progress : callable, optional
        Called during a download, as `fetch` says.

    Returns
    -------
    DataSet
        With ``X``, ``y``, ``X_test``, ``y_test``, ``feature_names``, ``description``; where the
        data set has them, ``X_validation``, ``y_validation``, ``groups``, ``folds``.

    Examples
    --------
    >>> from rosenblatt.datasets import load
    >>> data = load("sonar")  # doctest: +SKIP
    >>> data.X.shape, data.y[:2].tolist()  # doctest: +SKIP
    ((208, 60), ['R', 'R'])
    """
    entry = _entry(name)
    here = fetch(name, progress)
    parts = entry.read({file.name: read(here, file) for file in entry.files})
    if as_frame:
        X, X_test, X_validation = (
            None if X is None else _frame(name, X, entry.feature_names)
            for X in (parts.X, parts.X_test, parts.X_validation)
        )
        parts = parts._replace(X=X, X_test=X_test, X_validation=X_validation)
    return DataSet(
        name=name,
        feature_names=entry.feature_names,
        description=entry.description,
        **parts._asdict(),
    )


def _entry(name: str) -> Entry:
    if not isinstance(name, str) or name not in CATALOG:
        raise ValueError(f"no data set is called {name!r}; there are {', '.join(names())}")
    return CATALOG[name]


def _frame(name: str, X: Any, feature_names: tuple[str, ...]) -> Any:
    if not isinstance(X, np.ndarray):
        raise ValueError(f"data set {name!r} is sparse; load it without as_frame")
    if isinstance(X[0], tuple):
        raise ValueError(f"data set {name!r} is made of sentences; load it without as_frame")
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("as_frame=True needs pandas: pip install pandas") from None
    frame = pd.DataFrame(X, columns=list(feature_names), copy=False)
    return frame.infer_objects() if X.dtype == object else frame
