"""Base of the estimators that learn by gradient descent: steps, penalties, passes, stopping."""

import warnings
from collections.abc import Callable
from numbers import Integral
from types import ModuleType
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.calibrated import calibrate
from rosenblatt.estimators._base.callbacks import STOPPED, telling, watched
from rosenblatt.estimators._base.default_steps import (
    ADAPTIVE,
    ALPHA,
    PULLING,
    RATES,
    SETTLING,
    Steps,
    check_number,
    check_rate,
    rate_of,
    step_lengths,
    steps_of,
)
from rosenblatt.estimators._base.descent_advice import Advice
from rosenblatt.estimators._base.descent_passes import (
    PassMaker,
    Plan,
    StopByLoss,
    all_at_once,
    check_loss,
    in_batches,
    mean_loss,
    one_by_one,
    passes_for_loss,
    starting_loss,
)
from rosenblatt.estimators._base.estimator import Estimator, estimator_class
from rosenblatt.estimators._base.held_out import ValidationLoss, held_out
from rosenblatt.estimators._base.hyperplanes import Hyperplanes, SparseWeights
from rosenblatt.estimators._base.params import (
    Rules,
    at_least,
    flag,
    one_of,
    positive,
    unchanged_on_error,
)
from rosenblatt.estimators._base.progress_line import reporting
from rosenblatt.estimators._base.start import Task, begin, generator, resume
from rosenblatt.estimators._base.weights import ClassWeighted, mean_of_one
from rosenblatt.learners import adaptive, descent, online
from rosenblatt.learners.descent import Penalty, State
from rosenblatt.learners.losses import FOR_CLASSES
from rosenblatt.learners.order import Orders, Visits
from rosenblatt.passes import (
    CONVERGED,
    History,
    Pass,
    PassEnd,
    Run,
    report_end,
    run_passes,
)

WAIT = 4  # times as many moves as passes until steps aim less low
STREAM = 10_000  # moves that a stream's steps decay over, having no passes


def first_averaged(n: int) -> int:
    """Return the number of the row from which on weights are averaged by default.

    The weights of the first pass are on their way from zero; a long one need not be over.
    """
    return min(n, STREAM) + 1


RULES: Rules = {
    "batch_size": (
        lambda v: v is None or at_least(1, Integral)(v),
        "None (all rows), or a whole number of rows, 1 or more",
    ),
    "learning_rate": (check_rate, f"one of {', '.join(RATES)}, or a function of the step"),
    "eta0": (lambda v: one_of("auto")(v) or positive(v), "'auto' or a positive number"),
    "decay_steps": (
        lambda v: one_of("auto")(v) or positive(v),
        "'auto' or a positive number of moves",
    ),
    "penalty": (
        lambda v: v is None or one_of("l1", "l2", "elasticnet")(v),
        "None, 'l2', 'l1' or 'elasticnet'",
    ),
    "l1_ratio": (lambda v: at_least(0)(v) and v <= 1, "a share, from 0 to 1"),
    "alpha": (lambda v: at_least(0)(v) and v < np.inf, "a finite number that is not negative"),
    "average": (
        lambda v: flag(v) or one_of("auto")(v) or at_least(1, Integral)(v),
        "'auto', True, False, or the number of the row to start at",
    ),
    "n_iter_no_change": (at_least(1, Integral), "a whole number, 1 or more"),
    "early_stopping": (flag, "True or False"),
    "validation_fraction": (
        lambda v: positive(v) and v < 1,
        "a share of the rows, above 0 and below 1",
    ),
    "loss": (
        one_of(*FOR_CLASSES),
        f"one of {', '.join(FOR_CLASSES)} (scikit-learn's log_loss is logistic, and its "
        "squared_error squared)",
    ),
}


@estimator_class
class Descent(Advice, SparseWeights, Estimator):
    """Base of the estimators that minimise a loss, which they name ``loss``.

    The private methods are for classifiers; the regression overrides some.

    Parameters
    ----------
    batch_size : int or None
        Rows in a batch: 1 is stochastic gradient descent, None takes all rows for every move. The
        gradient of a batch is the mean of its rows'.
    learning_rate : str or callable
        How the step size η of the t-th move follows from ``eta0``, with T = ``decay_steps``:

        - "auto": "inverse_sqrt"; with all rows in a batch and ``eta0="auto"`` "line_search" if the
          loss and the penalty are smooth, "polyak" for the hinge and for a quantile; else
          "constant"
        - "constant": η₀
        - "inverse": η₀ / (1 + (t−1)/T), which for T = 1 is η₀/t
        - "inverse_sqrt": η₀ / √(1 + (t−1)/T)
        - "step": η₀ halved after every T moves
        - "optimal": 1 / (α (t₀ + t)), Bottou's, for ``penalty="l2"``; t₀ makes the first η₀
        - "line_search": the best step along the gradient, for ``batch_size=None``
        - "polyak": (loss − aim)/‖gradient‖², for ``batch_size=None``; the aim is below the lowest
          loss so far by as much as there seems to be to gain
        - "adaptive": η₀/√(Σ g²) for each weight, where g are the slopes that it has seen, so that
          rare features take long steps: FTRL-proximal (McMahan et al. 2013), AdaGrad's steps with
          an L2 penalty; for ``batch_size=1``
        - a function f of t: η₀ f(t)
    eta0 : float or "auto"
        The first step size. "auto" is 1/L, where L is the largest curvature of the loss on these
        data; ``eta0_`` holds the result. In a stream it is the shortest so far. For "adaptive"
        steps it is 0.5.
    decay_steps : float or "auto"
        T above, in moves: "auto" is one pass but at least 1,000 moves, for "step" five times as
        many; in ``partial_fit``, which knows no passes, a pass counts as 10,000 moves.
    penalty : {None, "l2", "l1", "elasticnet"}
        The penalty on the size of the weights. "l1" makes many of them exactly zero; "elasticnet"
        is a part of each, and keeps features that say the same together (Zou and Hastie 2005).
    alpha : float
        The weight α of the penalty, α/2 ‖w‖² or α ‖w‖₁, added to the mean loss.
    l1_ratio : float
        For ``penalty="elasticnet"``: the share ρ of the L1 penalty in
        ``α (ρ ‖w‖₁ + (1 − ρ)/2 ‖w‖²)``.
    average : "auto", bool or int
        Predict with the mean of the weights after every move; a number k starts at the k-th row.
        "auto" starts with the second pass, or with row 10,001 if that is earlier. It does not
        average if every move looks at all rows, for ``penalty="l1"`` and "elasticnet", and for
        steps that settle by themselves: "inverse", "step" and "optimal". In ``partial_fit``, whose
        rows may change over time, it goes on with a mean that there is, and starts none. With
        "adaptive" steps the mean is that of the last pass.
    max_iter : int
        The most passes over the data.
    tol : float or None
        Stop when the loss of a pass has not fallen by ``tol`` below the best so far for
        ``n_iter_no_change`` passes, and meanwhile the loss of all rows with the weights that
        predict has fallen by no more than ``tol`` a pass (times the loss of zero weights, for
        squares); or with all rows in a batch when the gradient is shorter than ``tol``; "polyak"
        stops when less than ``tol`` is left to gain. None makes all ``max_iter`` passes.
    n_iter_no_change : int
        How many passes to wait for that; for the losses with kinks, the perceptron's, the hinge and
        a quantile's, 20 moves count as one where a pass has fewer.
    early_stopping : bool
        Hold out ``validation_fraction`` of the rows and use their loss instead; the weights with
        the lowest are kept.
    validation_fraction : float
        The share of the rows to hold out for that.
    fit_intercept : bool
        Learn an intercept b. It is not penalised.
    shuffle : bool
        Visit the rows in a new random order each pass, instead of the given one.
    warm_start : bool
        Let ``fit`` continue from the current model.
    random_state : int, RandomState or None
        Seed of the orders.
    verbose : int
        1 shows a progress bar.

    Attributes
    ----------
    loss_curve_ : array of shape (n_iter_,)
        The mean loss of each pass, that of every row before it was learned from, and the penalty of
        the weights at the start of the pass.
    validation_curve_ : array of shape (n_iter_,)
        The mean loss of the rows held out after each pass, with ``early_stopping`` only.
    n_iter_ : int
        The number of passes.
    converged_ : bool
        Whether the loss settled: it no longer changes by ``tol``, as above. False if ``max_iter``
        ended it, if noise moves the loss by more than that, or if it only crawls: a few moves with
        all rows and scaled features would lower it by more than ten times ``tol``, and by
        more than half; or if an exact solver, where there is one and the data are small, finds
        less than a third of it.
    alpha_ : float
        The weight of the penalty.
    eta0_ : float
        The first step size of gradient descent.
    t_ : int
        The number of rows looked at.
    """

    batch_size: int | str | None = 1
    learning_rate: str | Callable[[int], float] = "auto"
    eta0: float | str = "auto"
    decay_steps: float | str = "auto"
    penalty: str | None = None
    alpha: float | str = ALPHA
    l1_ratio: float = 0.15
    average: bool | int | str | None = "auto"
    max_iter: int = 1000
    tol: float | None = 1e-3
    n_iter_no_change: int = 5
    early_stopping: bool = False
    validation_fraction: float = 0.1
    fit_intercept: bool = True
    shuffle: bool = True
    warm_start: bool = False
    random_state: Any = 0
    verbose: int = 0

    _rules = RULES

    @property
    def _learner(self) -> ModuleType:
        return adaptive if self.learning_rate == ADAPTIVE else descent

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this accepts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _begin(
        self, X: Any, y: Any, coef_init: Any, intercept_init: Any, sample_weight: Any = None
    ) -> Task:
        task = begin(self, X, y, coef_init, intercept_init, sample_weight)
        return self._of_mean_one(task)

    def _of_mean_one(self, task: Task) -> Task:
        """Divide the weights of rows by their mean; their sum is how many rows they stand for."""
        total = len(task.y) if task.weights is None else float(task.weights.sum())
        self.alpha_ = self._alpha(total)
        return task._replace(weights=mean_of_one(task.weights))

    def _alpha(self, n: float) -> float:
        """Return the weight of the penalty for as many rows."""
        return 1 / n if isinstance(self.alpha, str) else float(self.alpha)

    def _go_on(self, X: Any, y: Any, classes: Any, sample_weight: Any = None) -> Task:
        return resume(self, X, y, classes, sample_weight)

    def _can_learn(self) -> bool:
        """Say whether there is something to tell apart."""
        return len(self.classes_) > 1

    def _init_options(self) -> dict[str, Any]:
        return {"loss": self.loss}

    def _live_options(self) -> dict[str, Any]:
        return {"loss": self.loss}

    @property
    def _rows_in_batch(self) -> int | None:
        """What ``batch_size`` says: "auto" is one row."""
        return 1 if isinstance(self.batch_size, str) else self.batch_size

    def _is_exact(self, task: Task) -> bool:
        """Say whether `fit` finds the lowest loss itself instead of descending."""
        return False

    def _solve(self, task: Task) -> Run:
        """Find the lowest loss."""
        raise NotImplementedError

    def _average_from(self, task: Task, partial: bool = False) -> int:
        """Return the number of the row from which weights are averaged, 0 for none."""
        n = len(task.y)
        if self.average != "auto":
            return int(self.average or 0)
        if self.penalty in PULLING or self._rows_in_batch is None or self.learning_rate in SETTLING:
            return 0
        if partial:
            return int(task.state.averaged > 0)
        if self.learning_rate == ADAPTIVE:
            return 1
        return first_averaged(n) if self._batch(n) < n else 0

    def _with_mean(self, task: Task, partial: bool = False) -> Task:
        """Forget the mean if the moves to come are not averaged: they would leave it behind."""
        state = task.state
        if not isinstance(state, self._learner.State):
            raise ValueError(
                "learning_rate was changed to or from 'adaptive', which keeps other sums for each "
                "weight; fit it again with warm_start=False"
            )
        if not task.goes_on or self._average_from(task, partial):
            return task
        sums = {"mass": 0.0} if hasattr(state, "mass") else {}
        return task._replace(state=state._replace(averaged=0, **sums))

    def _hyperplanes(self, state: Any) -> tuple[Array, Array]:
        """Return what a state predicts with.

        Where weights follow from other sums they are copied, so that it is noticed if users change
        them in place.
        """
        learner = adaptive if isinstance(state, adaptive.State) else descent
        coef, intercept = learner.average(state)
        if coef is state.weights and (learner is adaptive or state.pulled.size):
            return coef.copy("K"), intercept.copy()
        return coef, intercept

    def _set_weights(self, coef: Array, intercept: Array) -> None:
        self.coef_, self.intercept_ = coef, intercept

    def _record_mistakes(self, mistakes: list[int], total: int) -> None:
        self.mistakes_ = np.array(mistakes)
        self.n_mistakes_ = total

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Make passes until the loss no longer falls.

        Parameters
        ----------
        y : array of shape (n_samples,)
            Labels of two or more classes; for a regression, the numbers to predict.
        sample_weight : array of shape (n_samples,), optional
            What the loss of each row is multiplied by. The mean loss is the weighted mean, so that
            only how the weights compare matters to it (their sum to ``alpha="auto"``), and whole
            ones are repetitions.
        """
        with (
            telling(self, X, y, sample_weight, self.max_iter),
            unchanged_on_error(self),
        ):
            check_number(self.learning_rate)
            task = self._with_mean(self._begin(X, y, coef_init, intercept_init, sample_weight))
            exact = self._is_exact(task)
            self._warn(task, exact)
            rng = generator(self.random_state, task.state.steps)
            validation_loss, task = (
                held_out(self, task, rng) if self.early_stopping else (None, task)
            )
            n = len(task.y)
            with reporting(type(self).__name__, self.max_iter, self.verbose) as report:
                run = self._passes(task, rng, validation_loss) if not exact else self._solve(task)
                state, history = self._explained(run, task, report)
                report_end(history, n, report)
            ahead = "" if exact else self._ahead(task, state, history)
            self._finish(state if history.best is None else history.best, history)
            given = {"coef_init": coef_init, "intercept_init": intercept_init}
            calibrate(self, X, y, **given, sample_weight=sample_weight)
        if not history.converged and self.tol is not None and history.ending != STOPPED:
            warnings.warn(self._said(history, ahead, exact, n), ConvergenceWarning, stacklevel=2)
        return self

    def _partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        with unchanged_on_error(self):
            check_number(self.learning_rate)
            if self.early_stopping:
                raise ValueError(
                    "early_stopping should be False with partial_fit, which learns from all rows "
                    "once; or call fit with warm_start=True"
                )
            task = self._with_mean(self._go_on(X, y, classes, sample_weight), partial=True)
            if not (isinstance(self.alpha, str) and hasattr(self, "alpha_")):  # else that of before
                self.alpha_ = self._alpha(STREAM)
            state = task.state
            history = History.of_pass(0, 0.0)
            if self._can_learn():
                with reporting(type(self).__name__, 1, self.verbose) as report:
                    before, cost = state, self._penalty().of(state.weights)
                    one_pass = self._given_order(task)
                    state, _ = self._explained(one_pass(state, 1), task, report)
                history = _history_of(before, state, cost)
            self._finish(state, history)
        return self

    def _passes(
        self, task: Task, rng: np.random.Generator, validation_loss: ValidationLoss | None
    ) -> Run:
        """Make passes until the loss no longer falls."""
        n, penalty = len(task.y), self._penalty()
        descend, whole = self._pass_maker(task, rng), self._batch(n) >= n
        start = starting_loss(task, penalty)

        def one_pass(state: State, number: int, clean: bool) -> Pass:
            before, cost = state, penalty.of(state.weights)
            state, steepness = yield from descend(state, number)
            loss = (state.loss_sum - before.loss_sum) / n + cost
            check_loss(self.loss, start, loss)
            flat = self.tol is not None and steepness < self.tol
            return PassEnd(state, state.mistakes - before.mistakes, enough=flat, loss=loss)

        def validate(state: State) -> float:
            assert validation_loss is not None
            return validation_loss(*self._learner.average(state))

        def objective(state: State) -> float:
            return mean_loss(task, penalty, *self._learner.average(state))

        # The criterion of the perceptron is lowest at zero weights.
        noisy = not (whole or validation_loss is not None or self.loss == "perceptron")
        wait = passes_for_loss(self.loss, self.n_iter_no_change, -(-n // self._batch(n)))
        aimed = validation_loss is None and rate_of(self, whole) == "polyak"
        stop = StopByLoss(
            *(self.loss, start, self.tol, wait, whole, aimed),
            objective if noisy else None,
            self._average_from(task) > 0,
        )
        return run_passes(
            one_pass,
            task.state,
            self.max_iter,
            watched(stop, self, lambda made, state: made._finish(online.copy(state), History())),
            validate=None if validation_loss is None else validate,
            keep=online.copy,
        )

    def _pass_maker(self, task: Task, rng: np.random.Generator) -> PassMaker:
        if self.learning_rate == ADAPTIVE:
            return self._adapting(task, Orders(task.rows, task.y, rng, shuffle=self.shuffle).next)
        plan = self._plan(task)
        if plan.batch >= len(task.y):
            return all_at_once(task, plan)
        return in_batches(task, plan, Orders(task.rows, task.y, rng, shuffle=self.shuffle).next)

    def _given_order(self, task: Task) -> PassMaker:
        given = Visits(online.row_numbers(len(task.y)))
        if self.learning_rate == ADAPTIVE:
            return self._adapting(task, lambda: given, partial=True)
        plan = self._plan(task, partial=True)
        if self._rows_in_batch is None:
            return all_at_once(task, plan)
        return in_batches(task, plan, lambda: given)

    def _adapting(
        self, task: Task, visits: Callable[[], Visits], partial: bool = False
    ) -> PassMaker:
        """Make passes with a step for each weight."""
        if self._rows_in_batch != 1 or self.penalty in PULLING:
            raise ValueError(
                "learning_rate='adaptive' moves after every row, and has no L1 penalty: it needs "
                "batch_size=1 and penalty='l2' or None"
            )
        average = self._average_from(task, partial)
        if average > 1:
            raise ValueError(
                f"average={self.average} starts late, and learning_rate='adaptive' averages the "
                "last pass: choose True or False"
            )
        self.eta0_ = adaptive.ETA0 if isinstance(self.eta0, str) else float(self.eta0)
        # The penalty is against the sum of the losses here, and not against their mean.
        seen = task.state.steps + len(task.y) if partial else len(task.y)
        l2 = self._penalty().l2 * seen / (task.state.passes if partial else 1)
        pace = {"eta0": self.eta0_, "l2": l2}
        return one_by_one(task, pace, average > 0, visits, stream=partial)

    def _plan(self, task: Task, partial: bool = False) -> Plan:
        batch = self._batch(len(task.y))
        average = self._average_from(task, partial)
        if average and self.penalty in PULLING:
            raise ValueError(
                f"average defeats the purpose of penalty='{self.penalty}': the mean of weights "
                "that are zero at times is not zero. Choose average=False, or penalty='l2'"
            )
        steps, wait = self._steps(task, partial), WAIT * self.n_iter_no_change
        return Plan(batch, steps, self._penalty(), average, wait, self.tol or 0.0)

    def _steps(self, task: Task, partial: bool = False) -> Steps:
        n, batch = len(task.y), self._batch(len(task.y))
        safe = step_lengths(self, task, batch)
        # Rows of a stream may be longer than those before.
        earlier = getattr(self, "eta0_", np.inf) if task.goes_on and self.eta0 == "auto" else np.inf
        self.eta0_ = min(safe, earlier)
        moves = STREAM if partial else -(-n // batch)
        whole = self._rows_in_batch is None or (batch >= n and not partial)
        return steps_of(self, self.eta0_, moves, whole, partial)

    def _batch(self, n: int) -> int:
        size = self._rows_in_batch
        return n if size is None else min(int(size), n)

    def _penalty(self) -> Penalty:
        if self.penalty is None:
            return Penalty()
        alpha = self.alpha_ if hasattr(self, "alpha_") else self._alpha(STREAM)
        if self.penalty == "elasticnet":
            return Penalty(l2=(1 - float(self.l1_ratio)) * alpha, l1=float(self.l1_ratio) * alpha)
        return Penalty(**{self.penalty: alpha})

    def _finish(self, state: State, history: History) -> None:
        coef, intercept = self._hyperplanes(state)
        online.check_weights(coef, intercept)
        self._state, self.t_ = state, int(state.steps)
        self._set_weights(coef, intercept)
        self.loss_curve_ = np.array(history.losses)
        self.n_iter_ = len(history.losses)
        self.converged_ = history.converged
        if history.validation:
            self.validation_curve_ = np.array(history.validation)
        elif hasattr(self, "validation_curve_"):
            del self.validation_curve_  # it is of an earlier fit
        self._record_mistakes(history.mistakes, int(state.mistakes))


@estimator_class
class DescentClassifier(ClassWeighted, Hyperplanes, ClassifierMixin, Descent):
    """Base of the classifiers among them.

    Attributes
    ----------
    mistakes_ : array of shape (n_iter_,)
        The rows of each pass that were on the wrong side when they were looked at.
    n_mistakes_ : int
        All of these.
    """

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some rows once, in the order given; with ``batch_size=None`` in one batch.

        Parameters
        ----------
        sample_weight : array of shape (n_samples,), optional
            What the loss of each row is multiplied by, as it is: a stream has no mean weight to
            compare it with.
        """
        return self._partial_fit(X, y, classes, sample_weight)


def _history_of(before: State, after: State, cost: float) -> History:
    """Say what one pass over a part of a stream came to."""
    rows = max(after.steps - before.steps, 1)
    loss = (after.loss_sum - before.loss_sum) / rows + cost
    return History([after.mistakes - before.mistakes], [loss], ending=CONVERGED)
