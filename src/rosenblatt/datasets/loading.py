"""`load`, and what it returns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.datasets.catalog import CATALOG
from rosenblatt.datasets.files import contents
from rosenblatt.datasets.readers import Array


@dataclass(frozen=True, repr=False)
class DataSet:
    """A data set: rows and labels to learn from, and to test with where it has a test part.

    Attributes
    ----------
    name : str
        What `load` knows it by.
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows. An object array where columns hold categories, and a vector of strings where each
        example is a text; a pandas data frame with ``as_frame=True``.
    y : array of shape (n_samples,)
        The labels.
    X_test, y_test : same, or None
        The test part, if the data set comes with one.
    feature_names : tuple of str
        The names of the columns.
    description : str
        A line on what it is.
    """

    name: str
    X: Any
    y: Array
    X_test: Any
    y_test: Array | None
    feature_names: tuple[str, ...]
    description: str

    def __repr__(self) -> str:
        """Name it and its shape; the numbers are too many."""
        test = "" if self.X_test is None else f", X_test {self.X_test.shape}"
        return f"DataSet({self.name!r}: {self.description}; X {self.X.shape}{test})"


def names() -> list[str]:
    """Return the names that `load` knows.

    >>> names()[:3]
    ['a9a', 'adult', 'banknote']
    """
    return sorted(CATALOG)


def table() -> str:
    """Return the names with a line on each, to print.

    >>> print(table().splitlines()[0])
    a9a         census, one-hot; sparse, 32,561 + 16,281 × 123, 2 classes
    """
    return "\n".join(f"{name:<11} {CATALOG[name].description}" for name in names())


def load(name: str, *, as_frame: bool = False) -> DataSet:
    """Return a data set, from the folder of data sets or else from its public home.

    The folder is what the environment variable ``ROSENBLATT_DATA`` names, by default
    ``rosenblatt/data`` in the user's cache folder. It holds a folder for each data set. What is not
    there is downloaded and kept, where its home has a file that can be used as it is. Every file
    must have the right checksum.

    Parameters
    ----------
    name : str
        One of `names`.
    as_frame : bool, default=False
        Return ``X`` and ``X_test`` as pandas data frames: numbers as numbers, categories as
        strings. Not for sparse data.

    Returns
    -------
    DataSet
        With ``X``, ``y``, ``X_test``, ``y_test``, ``feature_names``, ``description``.
    """
    if not isinstance(name, str) or name not in CATALOG:
        raise ValueError(f"no data set is called {name!r}; there are {', '.join(names())}")
    entry = CATALOG[name]
    X, y, X_test, y_test = entry.read(contents(name, entry.files, entry.home))
    if as_frame:
        X = _frame(name, X, entry.feature_names)
        X_test = None if X_test is None else _frame(name, X_test, entry.feature_names)
    return DataSet(name, X, y, X_test, y_test, entry.feature_names, entry.description)


def _frame(name: str, X: Any, feature_names: tuple[str, ...]) -> Any:
    if not isinstance(X, np.ndarray):
        raise ValueError(f"data set {name!r} is sparse; load it without as_frame")
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("as_frame=True needs pandas: pip install pandas") from None
    frame = pd.DataFrame(X, columns=list(feature_names), copy=False)
    return frame.infer_objects() if X.dtype == object else frame
