"""Checks of what users pass in, before anything is changed or compiled code runs."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import column_or_1d, validate_data

from rosenblatt.data.checks import (
    check_finite,
    check_sparse,
    name_the_column,
    what_is_not_finite,
)
from rosenblatt.data.labels import as_labels
from rosenblatt.data.rows import Array
from rosenblatt.learners.blocks import finite_numbers

DTYPES = (np.float64, np.float32)


def check_X(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return X as a float array or CSR matrix with finite numbers, or raise ``ValueError``."""
    converted = sp.issparse(X) and X.format != "csr"
    if sp.issparse(X):
        check_sparse(X)
    try:
        X = validate_data(
            estimator, X, reset=reset, accept_sparse="csr", dtype=DTYPES, ensure_all_finite=False
        )
    except (ValueError, TypeError) as error:
        name_the_column(X)
        if "\n" not in str(error) or str(error).startswith("The feature names"):
            raise  # scikit-learn's own checks want that one as it is, a line for each name
        raise ValueError(" ".join(str(error).split())) from None
    if reset:
        vars(estimator).pop("metadata", None)  # of files that it learned from before
    if converted:
        check_sparse(X)  # what SciPy made of another format
    if not finite_numbers(X):
        check_finite(X, getattr(estimator, "feature_names_in_", None))
    return X


def check_y(estimator: Any, y: Any, n: int) -> Array:
    """Return y as a vector of n labels, or raise ``ValueError``."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    labels: Array = column_or_1d(_one_column(as_labels(y), _LABELS), warn=True)
    if len(labels) != n:
        raise ValueError(f"X has {n} rows but y has {len(labels)} labels; give one for each row")
    return labels


_LABELS = (
    "label",
    "sklearn.multiclass.OneVsRestClassifier(model), for zeros and ones in the columns, "
    "sklearn.multioutput.MultiOutputClassifier(model) or ClassifierChain(model)",
)
_NUMBERS = ("number", "sklearn.multioutput.MultiOutputRegressor(model) or RegressorChain(model)")


def _one_column(y: Any, words: tuple[str, str]) -> Any:
    """Return y; raise ``ValueError`` naming what learns from several columns, if it has them."""
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    if len(shape) != 2 or (shape[1] == 1 and not sp.issparse(y)):
        return y
    what, wrappers = words
    raise ValueError(
        f"y should be a 1d array, got an array of shape {tuple(shape)} instead: one {what} for "
        f"each row. A model for each column is what {wrappers} make"
    )


def check_numbers(estimator: Any, y: Any, n: int, dtype: Any) -> Array:
    """Return y as a vector of n finite numbers, or raise ``ValueError``."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    values = column_or_1d(_one_column(y, _NUMBERS), warn=True)
    try:
        numbers: Array = values.astype(dtype)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must hold the numbers to predict: {error}") from None
    if len(numbers) != n:
        raise ValueError(f"X has {n} rows but y has {len(numbers)} numbers; give one for each row")
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise ValueError(
            f"Input y contains {what_is_not_finite(numbers[bad[0]])} at row {bad[0]}. Drop such "
            "rows, or replace the value by a finite one"
        )
    return numbers


def check_sample_weight(sample_weight: Any, n: int) -> Array | None:
    """Return n weights in float64, none negative and not all zero; None stays None."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in "biuf":
        raise ValueError(f"sample_weight must hold numbers, got the type {weights.dtype}")
    weights = np.full(n, weights, np.float64) if weights.ndim == 0 else weights.astype(np.float64)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n,)}: one for a row")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ValueError(
            f"sample_weight has {weights[bad[0]]} at row {bad[0]}; weights must be finite and not "
            "negative"
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for every row, so there is nothing to learn from")
    return weights


def warn_of_running_out(estimator: Any, why: str, stacklevel: int = 3) -> None:
    """Warn that the passes ran out before the stopping rule was met."""
    warnings.warn(
        f"{type(estimator).__name__} stopped after {estimator.max_iter} passes, none of them "
        f"clean: {why}. Scale the features, increase max_iter, or set tol=None if that many passes "
        "are what you want",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )
