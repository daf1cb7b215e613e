"""The kernel perceptron's face."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from rosenblatt.data.labels import encode
from rosenblatt.estimators.checks import check_y, warn_of_running_out
from rosenblatt.estimators.kernel_data import RULES, as_given, given
from rosenblatt.estimators.kernel_scores import KernelScores
from rosenblatt.estimators.kernel_start import begin
from rosenblatt.estimators.params import check_params, unchanged_on_error
from rosenblatt.estimators.passes import (
    BlockEnd,
    Outcome,
    Pass,
    PassEnd,
    Stop,
    drive,
    patience,
    report_end,
    run_passes,
)
from rosenblatt.estimators.progress import reporting
from rosenblatt.estimators.start import generator, refuse_one_class, told
from rosenblatt.learners import kernel as learner
from rosenblatt.learners.gram import PRECOMPUTED


def _has_rows(estimator: Any) -> bool:
    if estimator.kernel == PRECOMPUTED:
        raise AttributeError(
            "partial_fit needs rows, to compute kernel values with rows still to come; "
            "with kernel='precomputed' use fit"
        )
    return True


class KernelPerceptron(KernelScores, ClassifierMixin, BaseEstimator):
    """The kernel perceptron: a function is the sum of the mistakes it made.

    ``f(x) = Σ_i a_i k(x_i, x)``, and on a mistake ``a_i ← a_i + y_i``. The kernel k stands for a
    product in a space of features that is never written out. The result is that of learning from
    one example after the other; nearly all of the work is matrix products.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "laplacian", "precomputed"} or callable, default="rbf"
        ``x·z``, ``(γ x·z + c)^d`` (also "polynomial"), ``exp(−γ ‖x − z‖²)``,
        ``exp(−γ ‖x − z‖₁)``; a square matrix of
        kernel values in place of X; or a function of two matrices that returns the values for
        each row of the one and each row of the other.
    degree : int, default=3
        The degree d of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        γ. "scale" is ``1 / (n_features · X.var())`` (for "laplacian", ``X.std()``) of the rows that
        come first, and "auto" ``1 / n_features``.
    coef0 : float, default=1.0
        The constant c of the polynomial kernel.
    fit_intercept : bool, default=True
        Add 1 to every kernel value, which is to learn an intercept.
    multi_class : {"ovr", "joint"}, default="ovr"
        K > 2 classes have a function each. They learn one against all the rest, each by itself and
        from its own mistakes; or jointly, as in :class:`Perceptron`: if another class scores as
        much as the right one, a_i of the right one goes up and that of the best other goes down.
    predict_with : {"vote", "average", "last", "random"}, default="vote"
        All hypotheses by vote, their mean, the last one, or for each row that of a step drawn at
        random. It may be changed after ``fit``.
    max_iter : int, default=10
        The most passes over the data. Passes end earlier when one makes no mistake.
    tol : float or None, default=None
        Stop when the mistakes of a pass, as a share of the rows, have not fallen by ``tol`` below
        the best so far for ``n_iter_no_change`` passes. None makes all ``max_iter`` passes unless
        one is clean.
    n_iter_no_change : int or "auto", default="auto"
        How many passes to wait for that: "auto" is as many as look at 1,000 rows, but at least 5
        and at most 500.
    shuffle : bool, default=True
        Visit the rows in a random order: they are dealt into blocks once (of 1,024; on a GPU, of
        2,048), and each pass visits blocks, and rows within a block, in a new order.
    ties : {"mistake", "positive"}, default="mistake"
        What a score of exactly zero is: a mistake, or a prediction of the positive class.
    max_support : int or None, default=None
        The most rows that may have coefficients. When one more needs them, the row whose
        coefficients were not changed for longest is forgotten first. Hypotheses of before cannot
        be computed after that, so only those since vote, and count in the mean. Few voters often
        tie: with more than two classes take ``predict_with="average"``.
    device : {None, "cpu", "cuda", "cuda:0", …}, default=None
        Where products are computed. "cuda" needs PyTorch (the extra ``gpu``) and a GPU. If X is a
        tensor that lies on one, they are computed there, whatever this says.
    warm_start : bool, default=False
        Let ``fit`` go on from where it stands.
    random_state : int, RandomState or None, default=0
        Seed of the orders, and of the draws of ``predict_with="random"``.
    verbose : int, default=0
        1 shows a progress bar.

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
    n_mistakes_, n_iter_, converged_, t_
        As in :class:`Perceptron`.

    Notes
    -----
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

    def __init__(
        self,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 1.0,
        fit_intercept: bool = True,
        multi_class: str = "ovr",
        predict_with: str = "vote",
        max_iter: int = 10,
        tol: float | None = None,
        n_iter_no_change: int | str = "auto",
        shuffle: bool = True,
        ties: str = "mistake",
        max_support: int | None = None,
        device: str | None = None,
        warm_start: bool = False,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.multi_class = multi_class
        self.predict_with = predict_with
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.ties = ties
        self.max_support = max_support
        self.device = device
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this accepts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == PRECOMPUTED
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all rows until a pass is clean, or the stopping rule says enough.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers; with ``kernel="precomputed"``, their kernel values with each other.
        y : array of shape (n_samples,)
            Labels of two or more classes.

        Returns
        -------
        self
        """
        with unchanged_on_error(self):
            check_params(self)
            warm = self.warm_start and hasattr(self, "_state")
            data = given(self, X, reset=not warm)
            classes, codes = encode(check_y(self, as_given(y), data.n))
            refuse_one_class(classes)
            steps = self._state.steps if warm else 0
            rng = generator(self.random_state, steps) if self.shuffle else None
            task = begin(self, data, classes, codes, warm, rng, again=True)
            n = data.n

            def one_pass(_: Any, number: int, clean: bool) -> Pass:
                return self._visit(task, number, rng)

            stop = Stop(self.max_iter, self.tol, patience(self.n_iter_no_change, n))
            with reporting(type(self).__name__, self.max_iter, self.verbose) as report:
                _, outcome = drive(run_passes(one_pass, None, n, stop), n, report)
                report_end(outcome, n, report)
            self._finish(task, outcome)
        if outcome.ran_out and self.tol is not None:
            warn_of_running_out(self, "the classes may overlap")
        return self

    @available_if(_has_rows)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from some rows once, in the order given; not with a precomputed kernel.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers.
        y : array of shape (n_samples,)
            Labels; classes that were not seen before are welcome at any time.
        classes : array, optional
            Classes that will come, if they are known. They compete from the start.

        Returns
        -------
        self
        """
        with unchanged_on_error(self):
            check_params(self)
            first = not hasattr(self, "_state")
            data = given(self, X, reset=first)
            labels = check_y(self, as_given(y), data.n)
            seen, codes = encode(labels) if classes is None else told(classes, labels)
            task = begin(self, data, seen, codes, not first)
            mistakes = 0
            if len(self.classes_) > 1:  # of one class there is nothing to learn
                with reporting(type(self).__name__, 1, self.verbose) as report:
                    mistakes = drive(self._visit(task, 1, None), data.n, report).mistakes
            self._finish(task, Outcome([mistakes], mistakes == 0, False))
        return self

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

    def _finish(self, task: learner.Learning, outcome: Outcome) -> None:
        """Take over what was learned."""
        state = self._state = task.finish()
        self.support_ = state.origin
        self.dual_coef_ = learner.coefficients(state)
        self.mean_dual_coef_ = learner.coefficients(state, averaged=True)
        self.gamma_ = state.gamma
        self.mistakes_ = np.array(outcome.mistakes)
        self.n_mistakes_ = int(state.updates)
        self.n_iter_ = len(outcome.mistakes)
        self.converged_ = outcome.converged
        self.t_ = int(state.steps)
