"""The batch perceptron."""

from collections.abc import Callable
from typing import Any, Self

from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.linear import LinearPerceptron, Recorded
from rosenblatt.estimators._base.start import Task
from rosenblatt.kernels.online.perceptrons import Log
from rosenblatt.learners import batch, online
from rosenblatt.learners.schedules import schedule
from rosenblatt.passes import (
    BlockEnd,
    Cut,
    Pass,
    PassEnd,
    Run,
    StopByMistakes,
    passes_to_wait,
    run_passes,
)
from rosenblatt.theory.replay import Moves


@estimator_class
class BatchPerceptron(Recorded, LinearPerceptron):
    """The batch perceptron: add up the mistakes of a whole pass, then move once.

    ``δ = −(1/N) Σ_{mistakes} y_i x_i``, then ``w ← w − η δ``, until ``‖δ‖ < ε``. The order of the
    rows plays no part (up to rounding), so the result is always the same.

    Parameters
    ----------
    normalize : bool
        Divide δ by the number of rows N. False with ``eta0=1`` is the fixed-increment perceptron.
    learning_rate : {"constant", "inverse", "line_search"} or callable
        η = ``eta0``, or ``eta0`` / t, or ``eta0`` · f(t), where t = 1, 2, … numbers the passes; or
        the η that minimises the perceptron criterion ``(1/N) Σ max(0, −y_i w·x_i)`` along −δ.
    eta0 : float
        The step size, and that of a line search where no step lowers the criterion, as at w = 0.
    tol : float or None
        Stop when ``‖δ‖`` is below this (the lecture's ε). None makes all ``max_iter`` passes unless
        one is clean.
    n_iter_no_change : int or "auto"
        Unless ``tol`` is None, stop also when none of this many passes had fewer mistakes than
        the best before: "auto" is as many as look at a million rows, but at least 50 and at most
        500.
    fit_intercept : bool
        Learn an intercept b, as the weight of a constant feature 1.
    ties : {"mistake", "positive"}
        What a score of exactly zero is: a mistake, or a prediction of the positive class. From zero
        weights every score is zero, so with "positive" only negative rows count in the first pass.

    References
    ----------
    R. O. Duda, P. E. Hart and D. G. Stork (2001), "Pattern classification", section 5.5.

    Examples
    --------
    >>> from rosenblatt import BatchPerceptron
    >>> X, y = [[1.0, 1.0], [0.5, 3.0], [2.0, 2.0]], [1, 1, -1]
    >>> model = BatchPerceptron(normalize=False).fit(X, y)
    >>> model.predict(X).tolist(), model.converged_
    ([1, 1, -1], True)
    """

    _learner = batch

    normalize: bool = True
    learning_rate: str | Callable[[int], float] = "constant"
    eta0: float = 1.0
    max_iter: int = 1000
    tol: float | None = 1e-4

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Make passes until one is clean or δ is small.

        Parameters
        ----------
        sample_weight : array of shape (n_samples,), optional
            How much each row counts in δ, and in N: whole weights are repetitions, except that a
            mistake counts once for the stopping rule. There is no ledger with weights.
        """
        return self._fit(X, y, coef_init, intercept_init, sample_weight)

    def _run(self, task: Task, cut: Cut, log: Log | None) -> Run:
        rows, y, weights = task.rows, task.y, task.weights
        if weights is not None and self.record:
            raise ValueError(
                "the batch perceptron's ledger has no place for weights; set record=False"
            )
        given, step_size = online.row_numbers(len(y)), self._step_sizes(task)
        moves = self._moves(task)

        def one_pass(state: Any, number: int, clean: bool) -> Pass:
            length = 0.0
            for start, stop in cut(len(y)):
                part, rest = given[start:stop], online.after(log, state.mistakes)
                state = batch.update(state, rows, y, part, rest, weights)
                mistakes = state.mistakes
                if stop == len(y):
                    step, step_intercept, length = batch.direction(state, moves.scale)
                    eta = step_size(state, (step, step_intercept)) if mistakes else 0.0
                    state = batch.move(state, step, step_intercept, eta)
                    if moves.upscale and mistakes:
                        state = batch.upscaled(state)
                    if log is not None:
                        log.eta[:mistakes] = eta
                yield BlockEnd(state, part, number, stop, mistakes, stop == len(y))
            return PassEnd(state, mistakes, enough=self.tol is not None and length < self.tol)

        wait = passes_to_wait(self.n_iter_no_change, len(y), 1_000_000, 50)
        stop = StopByMistakes(len(y), None if self.tol is None else 0.0, wait)
        return run_passes(one_pass, task.state, self.max_iter, self._watched(stop, task))

    def _moves(self, task: Task) -> Moves:
        total = len(task.y) if task.weights is None else float(task.weights.sum())
        scale = 1 / total if self.normalize else 1.0
        return Moves(scale, upscale=self.learning_rate == "line_search")

    def _step_sizes(self, task: Task) -> Callable[..., float]:
        """Return η as a function of the state and the direction."""
        if self.learning_rate != "line_search":
            table = schedule(self.learning_rate, self.eta0, ("line_search",))
            return lambda state, step: float(table(state.moves + 1, 1)[0])
        return lambda state, step: batch.best_step(
            (state.weights, state.intercept), step, task.rows, task.y, self.eta0, task.weights
        )
