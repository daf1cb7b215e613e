"""Steps of pipelines that make numbers of a data frame's texts and dates; model files hold them."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.frames import as_text, columns_of, is_frame, is_missing
from rosenblatt.data.rows import Array
from rosenblatt.kernels.online.standardize import LENGTH
from rosenblatt.readers.cells import MISSING, days_of, parser_of
from rosenblatt.readers.column_types import DATE, DATES, ColumnType
from rosenblatt.readers.names import Kept
from rosenblatt.readers.text import word_columns


class Days(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Dates as days since 1970, with the time of day as a fraction; NaN where one is missing.

    Parameters
    ----------
    style : str, default="%Y-%m-%d"
        The format of dates that are strings.

    Examples
    --------
    >>> Days("%d.%m.%Y").fit_transform(np.array([["2.1.1970"], [None]], object)).tolist()
    [[1.0], [nan]]
    """

    def __init__(self, style: str = DATES[0]) -> None:
        self.style = style

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take note of the columns."""
        _note_columns(self, X)
        return self

    def transform(self, X: Any) -> Array:
        """Return the days of each column."""
        check_is_fitted(self)
        parse = cache(parser_of(ColumnType("", DATE, self.style)))  # many rows have the same date

        def days(name: Any, value: Any) -> float:
            if is_missing(value) or (isinstance(value, str) and value.strip().lower() in MISSING):
                return np.nan
            found = parse(value.strip()) if isinstance(value, str) else None
            if found is None and hasattr(value, "toordinal"):
                found = days_of(value)
            if found is None:
                raise ValueError(f"column {name!r} of X holds dates, and {value!r} is none")
            return found

        found = []
        for name, column in columns_of(X):
            values = np.asarray(column)
            if values.dtype.kind == "M":
                found.append((values - np.datetime64(0, "D")) / np.timedelta64(1, "D"))
            else:
                found.append(np.array([days(name, value) for value in values.tolist()]))
        return np.column_stack(found)


class Words(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns of text as words, which count the more the fewer texts have them.

    The words are those of `rosenblatt train`, and so are the weights: a word that is c times in a
    row counts ``1 + log c``, times ``1 + log (1 + n)/(1 + n_w)`` if n_w of the n rows have it; and
    all rows have the same length.

    Parameters
    ----------
    weighted : bool, default=True
        Weight the words; else each counts 1.

    Examples
    --------
    >>> words = Words(weighted=False).fit(np.array([["Free offer!"], ["see you"]], object))
    >>> words.get_feature_names_out(["note"]).tolist()
    ['note=free', 'note=offer', 'note=!', 'note=see', 'note=you']
    >>> words.transform(np.array([["offer, offer"]], object)).toarray().tolist()
    [[0.0, 1.0, 0.0, 0.0, 0.0]]
    """

    def __init__(self, weighted: bool = True) -> None:
        self.weighted = weighted

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the words, and how rare they are."""
        _note_columns(self, X)
        self.names_ = Kept()
        counts = self._counts(X)
        rows = np.bincount(counts.indices, minlength=counts.shape[1])
        self.names_.frozen = True
        self.rarity_ = 1 + np.log((1 + counts.shape[0]) / (1 + rows))
        return self

    def transform(self, X: Any) -> Any:
        """Return the weights of the words of each row, as a CSR matrix."""
        check_is_fitted(self)
        rows = self._counts(X)
        if not self.weighted:
            rows.data[:] = 1
            return rows
        rows.data = (1 + np.log(rows.data)) * self.rarity_[rows.indices]
        lengths = np.sqrt(rows.multiply(rows).sum(axis=1)).A1
        rows.data *= np.repeat(LENGTH / np.where(lengths > 0, lengths, 1), np.diff(rows.indptr))
        return rows

    def _counts(self, X: Any) -> Any:
        """Count the words of each row; those of the k-th column begin with its number."""
        texts, names = as_text(X), self.names_
        names.counts_words = True
        parts = [
            word_columns([text or "" for text in column], 1, names, f"{k}=")
            for k, column in enumerate(texts.T.tolist())
        ]
        shape = len(texts), names.n_features
        made = [sp.csr_matrix(_known(*part), shape=shape) for part in parts]
        total: Any = sum(made[1:], made[0])
        total.sort_indices()
        return total

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the words, each after the name of its column."""
        check_is_fitted(self)
        if input_features is None:
            numbers = [f"x{k}" for k in range(self.n_features_in_)]
            input_features = getattr(self, "feature_names_in_", numbers)
        pairs = [str(self.names_.name(k)).split("=", 1) for k in range(self.names_.n_features)]
        return np.array([f"{input_features[int(k)]}={word}" for k, word in pairs], object)


def _known(indptr: Array, columns: Array, values: Array) -> tuple[Array, Array, Array]:
    """Leave out words that have no column; return the parts of a CSR matrix."""
    keep = columns >= 0
    before = np.concatenate([[0], np.cumsum(keep)])
    return values[keep], columns[keep], before[indptr]


def _note_columns(step: Any, X: Any) -> None:
    """Take note of the names and the number of the columns, as scikit-learn's steps do."""
    step.n_features_in_ = X.shape[1]
    names: Sequence[Any] = list(X.columns) if is_frame(X) else []
    if names and all(isinstance(name, str) for name in names):
        step.feature_names_in_ = np.array(names, object)
