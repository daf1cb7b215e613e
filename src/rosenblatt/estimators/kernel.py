"""The kernel perceptron."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.labels import encode
from rosenblatt.data.rows import Array, as_matrix, frozen
from rosenblatt.estimators._base.calibrated import (
    Calibrated,
    calibrate,
    learns_in_parts,
    refuse_warm_start,
)
from rosenblatt.estimators._base.callbacks import telling, watched
from rosenblatt.estimators._base.checks import check_y, warn_of_running_out
from rosenblatt.estimators._base.estimator import MistakeDriven, estimator_class
from rosenblatt.estimators._base.hyperplanes import ScoringClassifier, classes_of
from rosenblatt.estimators._base.kernel import RULES, as_fitted, as_given, begin, given
from rosenblatt.estimators._base.params import check_params, unchanged_on_error
from rosenblatt.estimators._base.progress_line import reporting
from rosenblatt.estimators._base.start import generator, listed_classes, refuse_one_class
from rosenblatt.learners.kernel_perceptron import learning as learner
from rosenblatt.learners.kernel_perceptron.kernel_values import PRECOMPUTED
from rosenblatt.learners.kernel_perceptron.scores import scores
from rosenblatt.passes import (
    BlockEnd,
    History,
    Pass,
    PassEnd,
    StopByMistakes,
    drive,
    passes_to_wait,
    report_end,
    run_passes,
)


def _has_rows(estimator: Any) -> bool:
    if estimator.kernel == PRECOMPUTED:
        raise AttributeError(
            "partial_fit needs rows, to compute kernel values with rows still to come; "
            "with kernel='precomputed' use fit"
        )
    return learns_in_parts(estimator)


@estimator_class
class KernelPerceptron(Calibrated, ScoringClassifier, ClassifierMixin, MistakeDriven):
    """The kernel perceptron: a function is the sum of the mistakes it made.

    ``f(x) = Σ_i a_i k(x_i, x)``, and on a mistake ``a_i ← a_i + y_i``. The kernel k stands for a
    product in a space of features that is never written out. The result is that of learning from
    one example after the other; nearly all of the work is matrix products.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "laplacian", "precomputed"} or callable
        ``x·z``, ``(γ x·z + c)^d`` (also "polynomial"), ``exp(−γ ‖x − z‖²)``,
        ``exp(−γ ‖x − z‖₁)``; a square matrix of
        kernel values in place of X; or a function of two matrices that returns the values for
        each row of the one and each row of the other.
    degree : int
        The degree d of the polynomial kernel.
    gamma : {"scale", "auto"} or float
        γ. "scale" is ``1 / (n_features · X.var())`` (for "laplacian", ``X.std()``) of the rows that
        come first, and "auto" ``1 / n_features``.
    coef0 : float
        The constant c of the polynomial kernel.
    fit_intercept : bool
        Add 1 to every kernel value, which is to learn an intercept.
    multi_class : {"ovr", "joint"}
        K > 2 classes have a function each. They learn one against all the rest, each by itself and
        from its own mistakes; or jointly, as in :class:`Perceptron`: if another class scores as
        much as the right one, a_i of the right one goes up and that of the best other goes down.
    predict_with : {"vote", "average", "last", "random"}
        All hypotheses by vote, their mean, the last one, or for each row that of a step drawn at
        random. It may be changed after ``fit``.
    shuffle : bool
        Visit the rows in a random order: they are dealt into blocks once (of 1,024; on a GPU, of
        2,048), and each pass visits blocks, and rows within a block, in a new order.
    ties : {"mistake", "positive"}
        What a score of exactly zero is: a mistake, or a prediction of the positive class.
    max_support : int or None
        The most rows that may have coefficients. When one more needs them, the row whose
        coefficients were not changed for longest is forgotten first. Hypotheses of before cannot
        be computed after that, so only those since vote, and count in the mean. Few voters often
        tie: with more than two classes take ``predict_with="average"``.
    device : {None, "cpu", "cuda", "cuda:0", …}
        Where products are computed. "cuda" needs PyTorch (the extra ``gpu``) and a GPU. If X is a
        tensor that lies on one, they are computed there, whatever this says.
    warm_start : bool
        Let ``fit`` continue from the current model.
    random_state : int, RandomState or None
        Seed of the orders, and of the draws of ``predict_with="random"``.

    Attributes
    ----------
    support_ : array of shape (n_support,)
        The rows that have coefficients: those mistaken at least once. They are numbered as they
        came; ``partial_fit`` counts on.
    support_vectors_ : array or CSR matrix of shape (n_support, n_features)
        These rows themselves; a precomputed kernel has none.
    dual_coef_ : array of shape (1, n_support) or (n_classes, n_support)
        The coefficients a of the last hypothesis: whole numbers.
    mean_dual_coef_ : array of the same shape
        Their mean over all steps, which ``predict_with="average"`` uses.
    gamma_ : float
        The γ that was used.
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    mistakes_ : array of shape (n_iter_,)
        The mistakes of each pass, those of all functions together; after ``partial_fit``, of that
        call.
    t_ : int
        The number of rows looked at since there were two classes.

    Notes
    -----
    There are no weights of rows: the coefficients count mistakes, in whole numbers, which is what
    makes all hypotheses cheap to store and to score. To weight a row, repeat it.

    Scores are summed in float64, kernel values are computed in the type of X: float32 is twice as
    fast, and float64 tells more digits of a large polynomial. A value too large for its type is an
    error.

    References
    ----------
    M. A. Aizerman, E. M. Braverman and L. I. Rozonoer (1964), "Theoretical foundations of the
    potential function method in pattern recognition learning", Automation and Remote Control 25.
    Y. Freund and R. E. Schapire (1999), "Large margin classification using the perceptron
    algorithm", Machine Learning 37. Forgetting the oldest is the rule of O. Dekel,
    S. Shalev-Shwartz and Y. Singer (2008), "The Forgetron: a kernel-based perceptron on a budget",
    SIAM Journal on Computing 37, without its shrinking.

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> corners, xor = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = KernelPerceptron(kernel="poly", degree=2, gamma=1, max_iter=100, shuffle=False)
    >>> model.fit(corners, xor).set_params(predict_with="last").predict(corners).tolist()
    [0, 1, 1, 0]
    >>> model.converged_, model.n_mistakes_, model.dual_coef_.tolist()
    (True, 25, [[-8.0, 6.0, 6.0, -5.0]])
    """

    _learner, _rules = learner, RULES

    kernel: str | Callable[..., Any] = "rbf"
    degree: int = 3
    gamma: str | float = "scale"
    coef0: float = 1.0
    fit_intercept: bool = True
    multi_class: str = "ovr"
    predict_with: str = "vote"
    shuffle: bool = True
    ties: str = "mistake"
    max_support: int | None = None
    device: str | None = None
    warm_start: bool = False
    random_state: Any = 0

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this accepts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == PRECOMPUTED
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all rows until a pass is clean or the stopping rule applies.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers; with ``kernel="precomputed"``, their kernel values with each other.
        """
        with telling(self, X, y, subtasks=self.max_iter), unchanged_on_error(self):
            check_params(self)
            warm = self.warm_start and hasattr(self, "_state")
            if warm:
                refuse_warm_start(self)
            data = given(self, X, reset=not warm)
            classes, codes = encode(check_y(self, as_given(y), data.n))
            refuse_one_class(classes)
            steps = self._state.steps if warm else 0
            rng = generator(self.random_state, steps) if self.shuffle else None
            task = begin(self, data, classes, codes, warm, rng, again=True)
            n = data.n

            def one_pass(_: Any, number: int, clean: bool) -> Pass:
                return self._visit(task, number, rng)

            stop = StopByMistakes(n, self.tol, passes_to_wait(self.n_iter_no_change, n))
            run = run_passes(one_pass, None, self.max_iter, watched(stop, self))
            with reporting(type(self).__name__, self.max_iter, self.verbose) as report:
                _, history = drive(run, n, report)
                report_end(history, n, report)
            self._finish(task, history)
            calibrate(self, as_given(X), as_given(y))
        if history.ran_out and self.tol is not None:
            warn_of_running_out(self, "the classes may overlap")
        return self

    @available_if(_has_rows)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from some rows once, in the order given; not with a precomputed kernel."""
        with unchanged_on_error(self):
            check_params(self)
            first = not hasattr(self, "_state")
            data = given(self, X, reset=first)
            labels = check_y(self, as_given(y), data.n)
            seen, codes = encode(labels) if classes is None else listed_classes(classes, labels)
            task = begin(self, data, seen, codes, not first)
            mistakes = 0
            if len(self.classes_) > 1:  # of one class there is nothing to learn
                with reporting(type(self).__name__, 1, self.verbose) as report:
                    mistakes = drive(self._visit(task, 1, None), data.n, report).mistakes
            self._finish(task, History.of_pass(mistakes))
        return self

    @property
    def support_vectors_(self) -> Any:
        """The rows that have coefficients, to be read only."""
        check_is_fitted(self)
        if self._state.kernel == PRECOMPUTED:
            raise AttributeError("a precomputed kernel keeps no rows; support_ has their numbers")
        return as_matrix(frozen(self._state.kept), self.n_features_in_)

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
            yield classes_of(table, self.classes_)

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

    def _visit(self, task: learner.Learning, number: int, rng: np.random.Generator | None) -> Pass:
        """Make a pass: blocks, and rows within a block, as dealt or in a new order."""
        blocks, rows, mistakes = task.blocks, 0, 0
        sequence = np.arange(len(blocks)) if rng is None else rng.permutation(len(blocks))
        for place, block in enumerate(sequence.tolist()):
            order = None if rng is None else rng.permutation(len(blocks[block]))
            mistakes += task.visit(block, order)
            rows += len(blocks[block])
            last = place == len(blocks) - 1
            yield BlockEnd(None, blocks[block], number, rows, mistakes, last)
        return PassEnd(None, mistakes)

    def _finish(self, task: learner.Learning, history: History) -> None:
        """Take over what was learned."""
        state = self._state = task.finish()
        self.support_ = state.origin
        self.dual_coef_ = learner.coefficients(state)
        self.mean_dual_coef_ = learner.coefficients(state, averaged=True)
        self.gamma_ = state.gamma
        self._set_counts(history, state.updates)
        self.t_ = int(state.steps)
