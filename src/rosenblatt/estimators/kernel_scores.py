"""What a kernel perceptron does with what it learned: score, predict, look back."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.rows import Array, as_matrix, frozen
from rosenblatt.estimators.hyperplanes import named
from rosenblatt.estimators.kernel_data import given
from rosenblatt.estimators.kernel_start import as_fitted
from rosenblatt.estimators.params import check_params
from rosenblatt.estimators.start import generator
from rosenblatt.learners.dual_scores import scores
from rosenblatt.learners.gram import PRECOMPUTED
from rosenblatt.learners.kernel import State


class KernelScores:
    """Mixin of the estimator whose functions are sums of kernel values."""

    classes_: Array
    n_features_in_: int
    n_iter_: int
    t_: int
    predict_with: str
    random_state: Any
    _state: State

    @property
    def support_vectors_(self) -> Any:
        """The rows that have coefficients, to be read only."""
        check_is_fitted(self)
        if self._state.kernel == PRECOMPUTED:
            raise AttributeError("a precomputed kernel keeps no rows; support_ has their numbers")
        kept = self._state.kept
        return as_matrix(frozen(kept), self.n_features_in_)

    def decision_function(self, X: Any) -> Array:
        """Return the signed scores of rows: one each for two classes, else one for each class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows to score; with ``kernel="precomputed"``, their kernel values with each of the
            rows that ``fit`` was given.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive or zero means ``classes_[1]``. Votes are shares of all votes.
        """
        check_is_fitted(self)
        return next(self.staged_decision_function(X, [self.t_]))

    def predict(self, X: Any) -> Array:
        """Return the class of each row: the largest score, or the sign with ``sign(0) = +1``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows to classify, as for :meth:`decision_function`.

        Returns
        -------
        array of shape (n_samples,)
            A label of ``classes_`` for each row.
        """
        return named(self.decision_function(X), self.classes_)

    def staged_decision_function(
        self, X: Any, steps: Sequence[int] | None = None
    ) -> Iterator[Array]:
        """Yield the scores of rows as they would have been earlier, all for one computation.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows to score.
        steps : list of int, optional
            Numbers of steps, each larger than the one before; a step is a row looked at. The ends
            of the passes by default. With ``max_support``, those after a row was last forgotten.

        Yields
        ------
        array of shape (n_samples,) or (n_samples, n_classes)
            What `decision_function` would have returned.
        """
        check_is_fitted(self)
        check_params(self)
        data = given(self, X, reset=False)
        state = self._state
        stages = self._stages(steps)
        rng = generator(self.random_state) if self.predict_with == "random" else None
        grams = data.grams(as_fitted(self, state), state)
        for table in scores(state, grams, data.n, self.predict_with, rng, stages):
            yield table[0] if len(table) == 1 else np.ascontiguousarray(table.T)

    def staged_predict(self, X: Any, steps: Sequence[int] | None = None) -> Iterator[Array]:
        """Yield the classes of rows as they would have been predicted earlier.

        See :meth:`staged_decision_function`.
        """
        for table in self.staged_decision_function(X, steps):
            yield named(table, self.classes_)

    def _stages(self, steps: Sequence[int] | None) -> list[int]:
        state = self._state
        least = 0 if state.first == 1 else state.first
        if steps is None:
            ends = self.t_ - state.latest * np.arange(self.n_iter_ - 1, -1, -1)
            return [int(step) for step in ends if step >= least]
        stages = np.atleast_1d(np.asarray(steps))
        whole = stages.dtype.kind in "iu" and stages.ndim == 1
        if (
            not whole
            or stages.min() < least
            or stages.max() > self.t_
            or np.any(np.diff(stages) < 1)
        ):
            lost = " (rows were forgotten before)" if least else ""
            raise ValueError(
                f"steps must be whole numbers from {least}{lost} to {self.t_}, the steps made so "
                f"far, each larger than the one before; got {stages[:10].tolist()}"
            )
        return [int(step) for step in stages]
