"""Predicting the second of two classes from a threshold on."""

from typing import Any, cast

import numpy as np

from rosenblatt.console import UsageError
from rosenblatt.data.rows import Array, Rows
from rosenblatt.prediction.model_files import Predicted, Predictor


class _WithThreshold:
    """A predictor of two classes that decides by a threshold."""

    def __init__(self, predictor: Predictor, threshold: float) -> None:
        self._predictor, self._threshold = predictor, threshold

    def __getattr__(self, name: str) -> Any:
        return getattr(self._predictor, name)

    def codes(self, rows: Rows) -> Array:
        """Return the number of each row's class."""
        if self._predictor.has_probabilities:
            return self._chosen(self._predictor.probabilities(rows)[:, 1])
        return self._chosen(self._predictor.scores(rows)[:, 1])

    def all_of(self, rows: Rows) -> Predicted:
        """Return all that there is about rows."""
        return self._predictor.all_of(rows)._replace(codes=self.codes(rows))

    def _chosen(self, values: Array) -> Array:
        return (values >= self._threshold).astype(np.intp)


def with_threshold(predictor: Predictor, threshold: float | None) -> Predictor:
    """Return a predictor that decides by a threshold, or the same one if there is none."""
    if threshold is None:
        return predictor
    n_classes = 0 if predictor.classes is None else len(predictor.classes)
    if n_classes != 2:
        what = f"{n_classes} classes" if n_classes else "numbers"
        raise UsageError(f"--threshold is for models of two classes, and this one has {what}")
    if predictor.has_probabilities and not 0 <= threshold <= 1:
        raise UsageError(f"--threshold {threshold:g} must be a probability, between 0 and 1")
    if not np.isfinite(threshold):
        raise UsageError(f"--threshold {threshold} must be a finite number")
    return cast(Predictor, _WithThreshold(predictor, threshold))
