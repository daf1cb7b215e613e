"""Base of the closed-form estimators: from sums over rows to hyperplanes."""

from copy import copy
from types import ModuleType
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import ClassifierMixin

from rosenblatt.data.labels import encode
from rosenblatt.data.rows import Array, Rows, entries, rows_to_visit
from rosenblatt.estimators._base.callbacks import telling
from rosenblatt.estimators._base.checks import check_X, check_y
from rosenblatt.estimators._base.estimator import Estimator, documented
from rosenblatt.estimators._base.hyperplanes import Hyperplanes
from rosenblatt.estimators._base.params import check_params, unchanged_on_error
from rosenblatt.estimators._base.start import listed_classes, refuse_one_class, with_new_classes
from rosenblatt.estimators._base.weights import ClassWeighted, with_class_weight, without_zeros
from rosenblatt.waiting import watched

_LARGE = 1 << 20  # numbers in rows and between features, from which on it takes notable time


class Given(NamedTuple):
    """Checked input: rows, class numbers 0…K−1, and weights or None.

    ``kept`` are the original numbers of the rows, if some had weight zero and were left out.
    """

    rows: Rows
    y: Array
    weights: Array | None
    kept: Array | None = None


@documented
class ClosedForm(ClassWeighted, Hyperplanes, ClassifierMixin, Estimator):
    """Base of the estimators that are computed from sums over the rows, whatever their order.

    ``_learner`` is a module with `init`, `update`, `merge` and `grow`. `update(state, rows, y,
    weights)` takes class numbers 0…K−1, for two classes too.
    """

    _learner: ModuleType

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Compute the model from these rows alone."""
        with telling(self, X, y, sample_weight), unchanged_on_error(self):
            check_params(self)
            X = check_X(self, X, reset=True)
            kept = without_zeros(X, check_y(self, y, X.shape[0]), sample_weight)
            self.classes_, codes = encode(kept.y)
            refuse_one_class(self.classes_)
            weights = with_class_weight(self, self.classes_, codes, kept.weights)
            given = Given(rows_to_visit(kept.X), codes, weights, kept.rows)
            self._learn_watched(self._fresh(kept.X), given)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows, as if they had been there from the start.

        Parameters
        ----------
        classes : array, optional
            Classes that will come, if they are known.
        """
        with unchanged_on_error(self):
            check_params(self)
            first = not hasattr(self, "_state")
            if not first:
                self._check_unchanged()
            X = check_X(self, X, reset=first)
            X, labels, weights, _, _ = without_zeros(X, check_y(self, y, X.shape[0]), sample_weight)
            seen, codes = encode(labels) if classes is None else listed_classes(classes, labels)
            if first:
                self.classes_ = seen
                state = self._fresh(X)
            else:
                state, codes = with_new_classes(self, seen, codes)
            weights = with_class_weight(self, self.classes_, codes, weights, partial=True)
            self._learn_watched(state, Given(rows_to_visit(X), codes, weights))
        return self

    def _check_unchanged(self) -> None:
        """Raise ``ValueError`` if the parameters no longer fit what was learned so far."""

    def _fresh(self, X: Any) -> Any:
        """Start a state for data of this shape."""
        return self._learner.init(X.shape[1], len(self.classes_), **self._init_options())

    def _init_options(self) -> dict[str, Any]:
        return {}

    def _learn_watched(self, state: Any, given: Given) -> None:
        """Learn; if that may take long, so that Ctrl-C need not wait for a product or a solver."""
        if entries(given.rows) + self.n_features_in_**2 < _LARGE:
            self._learn(state, given)
            return
        # What nobody waits for any longer goes on with a copy.
        learner = copy(self)
        watched(lambda: learner._learn(state, given), type(self).__name__, "fitting")
        self.__dict__ = learner.__dict__

    def _learn(self, state: Any, given: Given) -> None:
        """Add the rows to the sums, and make hyperplanes of them."""
        state = self._learner.update(state, given.rows, given.y, given.weights)
        self._finish(state)
        self._state = state

    def _finish(self, state: Any) -> None:
        """Set ``coef_``, ``intercept_`` and the other fitted attributes from the sums."""
        raise NotImplementedError


_ROUNDING = 1e-6


def as_priors(priors: Any, weight: Array) -> Array:
    """Return the prior of each class: equal, its share of the weight, or as given.

    >>> as_priors("empirical", np.array([30.0, 10.0])).tolist()
    [0.75, 0.25]
    """
    if isinstance(priors, str):
        if priors not in ("uniform", "empirical"):
            raise _not(priors)
        return (
            weight / weight.sum() if priors == "empirical" else np.ones(len(weight)) / len(weight)
        )
    try:
        result = np.asarray(priors, np.float64)
    except (TypeError, ValueError):
        raise _not(priors) from None
    if result.ndim != 1:
        raise _not(priors)
    if len(result) != len(weight):
        raise ValueError(
            f"priors has {len(result)} numbers, but there are {len(weight)} classes; give one for "
            "each, in the order of classes_"
        )
    if not np.all(result >= 0) or abs(result.sum() - 1) > _ROUNDING:
        raise ValueError(
            f"priors are {result.tolist()}, which are not probabilities: none may be negative, "
            "and they must add up to 1"
        )
    return result


def _not(priors: Any) -> ValueError:
    return ValueError(
        f"priors must be 'uniform', 'empirical' or a number for each class, got {priors!r}"
    )
