"""Sparse rows of files, scaled as `train` scales them: numbers standardised, words weighted."""

from typing import Any, Self

from sklearn.base import BaseEstimator, TransformerMixin

from rosenblatt.data.rows import Sparse, as_rows
from rosenblatt.model_selection.stream_estimator import Shared
from rosenblatt.readers.names import Kept, Names, Numbered
from rosenblatt.stream.scaling import Scaling


class ScaledRows(TransformerMixin, BaseEstimator):
    """Scale rows by the means, deviations and texts of those it was fitted to.

    Parameters
    ----------
    names : Shared
        The names of the columns, which know what is a word.
    """

    def __init__(self, names: Shared) -> None:
        self.names = names

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the means, the deviations, and how many texts have each word."""
        names: Names = self.names.value
        self.scaling_ = Scaling(names if isinstance(names, Kept) else None)
        self.scaling_.learn(_sparse(X), X.shape[1], isinstance(names, Numbered))
        return self

    def transform(self, X: Any) -> Any:
        """Return the rows, scaled."""
        rows = self.scaling_.transform(_sparse(X))
        assert isinstance(rows, Sparse)
        return type(X)((rows.values, rows.indices, rows.indptr), shape=X.shape)


def _sparse(X: Any) -> Sparse:
    rows = as_rows(X)
    assert isinstance(rows, Sparse)
    return rows
