"""What the linear perceptrons' faces share: labels, states, passes, predictions."""

import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.labels import as_labels, check_labels, encode, positions, union
from rosenblatt.data.rows import Array, Rows, as_rows, entries, n_rows
from rosenblatt.estimators.checks import check_params, check_X, check_y, unchanged_on_error
from rosenblatt.estimators.passes import Blocks, Outcome, PassEnd, Stop, run_passes
from rosenblatt.estimators.progress import Reporter, reporting
from rosenblatt.geometry import Hyperplane
from rosenblatt.learners import online
from rosenblatt.learners.order import Orders

PATIENT_ROWS = 1_000


class LinearPerceptron(ClassifierMixin, BaseEstimator):
    """Base of the estimators whose model is one hyperplane, or one for each class."""

    _learner: ModuleType

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this accepts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _learn_fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None) -> Self:
        """Fit: passes over all rows, from zero, from given weights or from where it stands."""
        with unchanged_on_error(self):
            check_params(self)
            told = coef_init is not None or intercept_init is not None
            warm = self.warm_start and hasattr(self, "_state") and not told
            X = self._no_narrower(check_X(self, X, reset=not warm), warm)
            labels = check_y(self, y, X.shape[0])
            classes, codes = encode(labels)
            if len(classes) < 2:
                raise ValueError(
                    f"y has one class only ({classes.tolist()[0]!r}), so there is nothing to tell "
                    "apart: a classifier needs two classes or more"
                )
            rows = as_rows(X)
            if warm:
                state, codes = self._widened(classes, codes)
                state = self._at_home(state, rows)
            else:
                self.classes_ = classes
                state = self._fresh(X, coef_init, intercept_init)
            targets = online.targets(codes, len(self.classes_), state.weights.dtype)
            with reporting(type(self).__name__, self.max_iter, self.verbose) as report:
                state, outcome = self._run(state, rows, targets, report)
            self._finish(state, rows)
            self._record(outcome)
        if outcome.ran_out and self.tol is not None:
            warnings.warn(
                f"{type(self).__name__} stopped after {self.max_iter} passes, none of them clean: "
                "the data may not be linearly separable. Scale the features, increase max_iter, "
                "or set tol=None if that many passes are what you want",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _learn_partial(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from rows once, in the order given; classes may be new."""
        with unchanged_on_error(self):
            check_params(self)
            first = not hasattr(self, "_state")
            X = self._no_narrower(check_X(self, X, reset=first), not first)
            labels = check_y(self, y, X.shape[0])
            seen, codes = encode(labels) if classes is None else self._told(classes, labels)
            rows = as_rows(X)
            if first:
                self.classes_ = seen
                state = self._fresh(X)
            else:
                state, codes = self._widened(seen, codes)
                state = self._at_home(state, rows)
            before = state.updates
            if len(self.classes_) > 1:  # of one class there is nothing to learn
                targets = online.targets(codes, len(self.classes_), state.weights.dtype)
                state = self._once(state, rows, targets)
            self._finish(state, rows)
            mistakes = state.updates - before
            self._record(Outcome([mistakes], mistakes == 0, False))
        return self

    def _once(self, state: Any, rows: Rows, y: Array) -> Any:
        """Learn from every row in the order given."""
        order, before = online.row_numbers(n_rows(rows)), state.updates
        options = self._update_options()
        with reporting(type(self).__name__, 1, self.verbose) as report:
            for start, stop in self._blocks(rows).cut(len(order)):
                state = self._learner.update(state, rows, y, order[start:stop], **options)
                report(stop / len(order), stop, state.updates - before)
        return state

    def _no_narrower(self, X: Any, warm: bool) -> Any:
        """Widen float32 rows for a float64 model, which would lose half of its digits otherwise."""
        if warm and self._state.weights.dtype == np.float64 and X.dtype == np.float32:
            return X.astype(np.float64)
        return X

    def _told(self, classes: Any, labels: Array) -> tuple[Array, Array]:
        """Take the classes that the caller lists; every label must be among them."""
        classes = np.asarray(as_labels(classes))
        if classes.ndim != 1 or not classes.size:
            raise ValueError(f"classes must list the labels to come, got {classes.tolist()}")
        check_labels(labels)
        check_labels(classes)
        classes = np.unique(classes)
        codes = positions(classes, labels)
        if codes is None:
            stranger = labels[~np.isin(labels, classes)].tolist()[0]
            raise ValueError(
                f"y has the label {stranger!r}, which is not in classes={classes.tolist()}"
            )
        return classes, codes

    def _fresh(self, X: Any, coef_init: Any = None, intercept_init: Any = None) -> Any:
        """Start a state for data of this shape and type."""
        state = self._learner.init(
            X.shape[1],
            len(self.classes_),
            dtype=X.dtype,
            fit_intercept=bool(self.fit_intercept),
            ties=self.ties,
            sparse=sp.issparse(X),
        )
        for name, init, start in (
            ("weights", "coef_init", coef_init),
            ("intercept", "intercept_init", intercept_init),
        ):
            if start is not None:
                self._fill(getattr(state, name), start, init)
        if not self.fit_intercept and np.any(state.intercept):
            raise ValueError("intercept_init must be 0 with fit_intercept=False")
        return state

    @staticmethod
    def _fill(target: Array, start: Any, name: str) -> None:
        start = np.asarray(start, np.float64)
        # Two classes share one function, whose leading axis of length one may be left out.
        shapes = [target.shape] + ([target.shape[1:]] if len(target) == 1 else [])
        if start.shape not in shapes:
            raise ValueError(f"{name} has shape {start.shape}, expected {target.shape}")
        if not np.all(np.isfinite(start)):
            raise ValueError(f"{name} must be finite numbers")
        target[...] = start

    def _widened(self, classes: Array, codes: Array) -> tuple[Any, Array]:
        """Copy the state, with room for classes not known yet, and number the labels anew."""
        known = self.classes_
        if positions(known, classes) is None:
            everyone = union(known, classes)
            places = np.searchsorted(everyone, known)
            state = self._learner.grow(self._state, places, len(everyone))
            self.classes_ = everyone
        else:
            state = online.copy(self._state)
        return state, np.searchsorted(self.classes_, classes)[codes]

    def _at_home(self, state: Any, rows: Rows) -> Any:
        """Match the state's settings and memory to what it is about to learn from."""
        if state.fit_intercept != bool(self.fit_intercept):
            raise ValueError(
                f"this model learned with fit_intercept={state.fit_intercept}, which cannot be "
                "changed halfway; fit it anew with warm_start=False"
            )
        large = {
            name: online.fitting_order(getattr(state, name).astype(dtype, copy=False), rows)
            for name, dtype in (("weights", rows.values.dtype), ("total", None))
            if hasattr(state, name)
        }
        return state._replace(
            **large,
            intercept=state.intercept.astype(rows.values.dtype, copy=False),
            ties=online.TIES[self.ties],
        )

    def _run(self, state: Any, rows: Rows, y: Array, report: Reporter) -> tuple[Any, Outcome]:
        """Make passes in the order that the parameters ask for."""
        orders = Orders(rows, y, self._rng(state.steps), **self._order_options())
        blocks = self._blocks(rows)
        options = self._update_options()

        def one_pass(clean: bool, tell: Callable[[int, int], None]) -> PassEnd:
            nonlocal state
            order, ahead, first_only = orders.next(clean)
            extra = {**options, "first_only": True} if first_only else options
            before = state.updates
            for start, stop in blocks.cut(len(order)):
                part = order[start:stop], ahead[start:stop]
                state = self._learner.update(state, rows, y, *part, **extra)
                tell(stop, state.updates - before)
                if first_only and state.updates > before:
                    break
            # Rows drawn at random may miss one; only looking at every row proves a clean pass.
            return PassEnd(state.updates - before, proof=first_only or orders.visits_all)

        outcome = run_passes(one_pass, len(y), self._stop(len(y)), report)
        return state, outcome

    def _order_options(self) -> dict[str, Any]:
        return {"shuffle": self.shuffle}

    def _update_options(self) -> dict[str, Any]:
        return {}

    def _blocks(self, rows: Rows) -> Blocks:
        return Blocks(n_rows(rows), entries(rows) * online.n_functions(len(self.classes_)))

    def _rng(self, steps: int = 0) -> np.random.Generator:
        """Make a generator; one that goes on from other steps makes other orders."""
        source = check_random_state(self.random_state)
        return np.random.default_rng([source.randint(np.iinfo(np.int32).max), steps])

    def _stop(self, n: int) -> Stop:
        return Stop(self.max_iter, self.tol, self._patience(n, PATIENT_ROWS, 5))

    def _patience(self, n: int, rows: int, least: int) -> int:
        """Return how many passes to wait for progress: "auto" counts rows rather than passes."""
        if self.n_iter_no_change == "auto":
            return min(max(rows // n, least), 500)
        return int(self.n_iter_no_change)

    def _record(self, outcome: Outcome) -> None:
        self.mistakes_ = np.array(outcome.mistakes)
        self.n_mistakes_ = int(self._state.updates)
        self.n_iter_ = len(outcome.mistakes)
        self.converged_ = outcome.converged
        self.t_ = int(self._state.steps)

    def _finish(self, state: Any, rows: Rows) -> None:
        """Take the state over. Who learns on copies it first, so coef_ may share its memory."""
        coef, intercept = self._hyperplanes(state)
        online.check_weights(coef, intercept)
        self._state, self.coef_, self.intercept_ = state, coef, intercept

    def _hyperplanes(self, state: Any) -> tuple[Array, Array]:
        return state.weights, state.intercept

    @property
    def hyperplane_(self) -> Hyperplane:
        """The hyperplane of two classes, or those of K and with ``between`` their boundaries."""
        check_is_fitted(self)
        if len(self.coef_) == 1:
            return Hyperplane(self.coef_[0], self.intercept_[0])
        return Hyperplane(self.coef_, self.intercept_)

    def decision_function(self, X: Any) -> Array:
        """Return the signed scores of rows: one each for two classes, else one for each class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows to score.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive or zero means ``classes_[1]``.
        """
        check_is_fitted(self)
        rows = as_rows(check_X(self, X, reset=False))
        return self._scores(rows)

    def _scores(self, rows: Rows) -> Array:
        return online.linear_scores(self.coef_, self.intercept_, rows)

    def predict(self, X: Any) -> Array:
        """Return the class of each row: the largest score, or the sign with ``sign(0) = +1``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows to classify.

        Returns
        -------
        array of shape (n_samples,)
            A label of ``classes_`` for each row.
        """
        scores = self.decision_function(X)
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(scores))
        chosen = (scores >= 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[chosen])
