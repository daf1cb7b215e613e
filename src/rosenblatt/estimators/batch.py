"""The batch perceptron's face."""

from collections.abc import Callable
from typing import Any, Self

from rosenblatt.data.rows import Array, Rows
from rosenblatt.engine import (
    BlockEnd,
    Cut,
    Pass,
    PassEnd,
    Run,
    StopByMistakes,
    passes_to_wait,
    run_passes,
)
from rosenblatt.estimators._base.linear import LinearPerceptron
from rosenblatt.estimators._base.start import Task
from rosenblatt.kernels.online import Log
from rosenblatt.learners import batch, online
from rosenblatt.learners.line_search import best_step
from rosenblatt.learners.schedule import schedule
from rosenblatt.theory.replay import Moves


class BatchPerceptron(LinearPerceptron):
    """The batch perceptron: add up the mistakes of a whole pass, then move once.

    ``δ = −(1/N) Σ_{mistakes} y_i x_i``, then ``w ← w − η δ``, until ``‖δ‖ < ε``. The order of the
    rows plays no part (up to rounding), so the result is always the same.

    Parameters
    ----------
    normalize : bool, default=True
        Divide δ by the number of rows N. False with ``eta0=1`` is the fixed-increment perceptron.
    learning_rate : {"constant", "inverse", "line_search"} or callable, default="constant"
        η = ``eta0``, or ``eta0`` / t, or ``eta0`` · f(t), where t = 1, 2, … numbers the passes; or
        the η that minimises the perceptron criterion ``(1/N) Σ max(0, −y_i w·x_i)`` along −δ.
    eta0 : float, default=1.0
        The step size, and that of a line search where no step lowers the criterion, as at w = 0.
    tol : float or None, default=1e-4
        Stop when ``‖δ‖`` is below this (the lecture's ε). None makes all ``max_iter`` passes unless
        one is clean.
    n_iter_no_change : int or "auto", default="auto"
        Unless ``tol`` is None, stop as well when for so many passes none had fewer mistakes than
        the best before: "auto" is as many as look at a million rows, but at least 50 and at most
        500.
    fit_intercept : bool, default=True
        Learn an intercept b, as the weight of a constant feature 1.
    max_iter : int, default=1000
        The most passes over the data. Passes end earlier when one makes no mistake.
    ties : {"mistake", "positive"}, default="mistake"
        What a score of exactly zero is: a mistake, or a prediction of the positive class. From zero
        weights every score is zero, so with "positive" only negative rows count in the first pass.
    warm_start : bool, default=False
        Let ``fit`` go on from where it stands.
    verbose : int, default=0
        1 shows a progress bar.
    record : bool, default=False
        Keep a ledger of every update in ``ledger_``. Without it none is written, at no cost.

    Attributes
    ----------
    coef_, intercept_, classes_, mistakes_, n_mistakes_, n_iter_, converged_, t_, ledger_
        As in :class:`Perceptron`.

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

    def __init__(
        self,
        *,
        normalize: bool = True,
        learning_rate: str | Callable[[int], float] = "constant",
        eta0: float = 1.0,
        tol: float | None = 1e-4,
        n_iter_no_change: int | str = "auto",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        ties: str = "mistake",
        warm_start: bool = False,
        verbose: int = 0,
        record: bool = False,
    ) -> None:
        self.normalize = normalize
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.ties = ties
        self.warm_start = warm_start
        self.verbose = verbose
        self.record = record

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None) -> Self:
        """Make passes until one is clean or δ is small.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers. float32 and float64 are used as they are, without a copy.
        y : array of shape (n_samples,)
            Labels of two or more classes.
        coef_init : array of the shape of ``coef_``, optional
            Weights to start from, instead of zeros.
        intercept_init : array of the shape of ``intercept_``, optional
            Intercepts to start from, instead of zeros.

        Returns
        -------
        self
        """
        return self._learn_fit(X, y, coef_init, intercept_init)

    def _run(self, task: Task, cut: Cut, log: Log | None) -> Run:
        _, rows, y, _ = task
        given, step_size = online.row_numbers(len(y)), self._step_sizes(rows, y)
        moves = self._moves(task)

        def one_pass(state: Any, number: int, clean: bool) -> Pass:
            length = 0.0
            for start, stop in cut(len(y)):
                part, room = given[start:stop], online.after(log, state.mistakes)
                state = batch.update(state, rows, y, part, room)
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
        return run_passes(one_pass, task.state, self.max_iter, stop)

    def _moves(self, task: Task) -> Moves:
        scale = 1 / len(task.y) if self.normalize else 1.0
        return Moves(scale, upscale=self.learning_rate == "line_search")

    def _step_sizes(self, rows: Rows, y: Array) -> Callable[..., float]:
        """Return η as a function of the state and the direction."""
        if self.learning_rate != "line_search":
            table = schedule(self.learning_rate, self.eta0, ("line_search",))
            return lambda state, step: float(table(state.moves + 1, 1)[0])
        return lambda state, step: best_step(
            (state.weights, state.intercept), step, rows, y, self.eta0
        )
