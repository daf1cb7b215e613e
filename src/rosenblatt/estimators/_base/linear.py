"""Base of the linear perceptrons: labels, states, passes."""

from collections.abc import Callable
from math import sqrt
from typing import Any, Self

from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.rows import Array, Rows, entries, n_rows
from rosenblatt.estimators._base.calibrated import Calibrated, calibrate, learns_in_parts
from rosenblatt.estimators._base.callbacks import telling, watched
from rosenblatt.estimators._base.checks import warn_of_running_out
from rosenblatt.estimators._base.estimator import MistakeDriven, estimator_class
from rosenblatt.estimators._base.hyperplanes import Hyperplanes, SparseWeights
from rosenblatt.estimators._base.params import unchanged_on_error
from rosenblatt.estimators._base.progress_line import reporting
from rosenblatt.estimators._base.start import Task, begin, generator, resume
from rosenblatt.estimators._base.weights import ClassWeighted
from rosenblatt.kernels.online.perceptrons import Log
from rosenblatt.learners import online
from rosenblatt.learners.order import Orders, Visits
from rosenblatt.passes import (
    BlockEnd,
    Blocks,
    Cut,
    History,
    Pass,
    PassEnd,
    Run,
    StopByMistakes,
    StoppingRule,
    drive,
    passes_to_wait,
    report_end,
    run_passes,
)
from rosenblatt.theory.ledger import Recorder, log_of
from rosenblatt.theory.replay import Moves


@estimator_class
class Recorded:
    """Mixin of the perceptrons whose updates can be recorded.

    Parameters
    ----------
    record : bool
        Keep a ledger of every update in ``ledger_``. Without it none is written, at no cost.

    Attributes
    ----------
    ledger_ : :class:`~rosenblatt.theory.ledger.Ledger`
        Every update since the start, with ``record=True`` only. ``partial_fit`` and warm starts
        continue it.
    """

    record: bool = False


@estimator_class
class ScaledIntercept:
    """Mixin of the perceptrons whose intercept has a step of its own.

    Parameters
    ----------
    intercept_scaling : float or "auto"
        The intercept is the weight of a feature of this value c, so that a mistake moves it by
        η y c². 1 is the perceptron of the textbooks; "auto" is that, too, for dense rows. For
        sparse ones c² is ``mean ‖x‖² / √k`` if that is less than 1, rounded to a power of two,
        where k is the mean number of nonzeros in a row: an intercept that moves as far as a whole
        row of length 1 would outweigh its words. The first rows that are learned from decide.

    Attributes
    ----------
    intercept_scaling_ : float
        The value c that was used; 0 without an intercept.
    """

    intercept_scaling: float | str = "auto"

    @property
    def intercept_scaling_(self) -> float:
        """The value of the feature whose weight is the intercept."""
        check_is_fitted(self)
        return float(sqrt(self._state.fit_intercept))  # type: ignore[attr-defined]


@estimator_class
class LinearPerceptron(
    Calibrated, ClassWeighted, SparseWeights, Hyperplanes, ClassifierMixin, MistakeDriven
):
    """Base of the perceptrons whose model is one hyperplane, or one for each class.

    Parameters
    ----------
    fit_intercept : bool
        Learn an intercept b; without it every hyperplane goes through the origin.
    ties : {"mistake", "positive"}
        What a score of exactly zero is: a mistake, or a prediction of the positive class (for K
        classes: of the first class among those with the largest score).
    warm_start : bool
        Let ``fit`` continue from the current model.

    Attributes
    ----------
    t_ : int
        The number of rows looked at since there were two classes.
    """

    fit_intercept: bool = True
    ties: str = "mistake"
    warm_start: bool = False

    def _fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Make passes over all rows, from zeros, given weights or the current model."""
        with (
            telling(self, X, y, sample_weight, self.max_iter),
            unchanged_on_error(self),
        ):
            task = begin(self, X, y, coef_init, intercept_init, sample_weight)
            recorder, n = self._recorder(task), len(task.y)
            run = self._run(task, self._blocks(task.rows).cut, log_of(recorder))
            with reporting(type(self).__name__, self.max_iter, self.verbose) as report:
                state, history = drive(run, n, report, recorder)
                report_end(history, n, report)
            self._finish(state, task.rows)
            self._record(history, recorder)
            calibrate(
                self,
                X,
                y,
                coef_init=coef_init,
                intercept_init=intercept_init,
                sample_weight=sample_weight,
            )
        if history.ran_out and self.tol is not None:
            warn_of_running_out(self, "the data may not be linearly separable", stacklevel=4)
        return self

    def _run(self, task: Task, cut: Cut, log: Log | None) -> Run:
        """Make passes until it is time to stop."""
        raise NotImplementedError

    def _watched(self, stop: StoppingRule, task: Task) -> StoppingRule:
        """Return a stopping rule that also tells scikit-learn's callbacks, if there are any."""

        def finish(made: Any, state: Any) -> None:
            made._finish(online.copy(state), task.rows)

        return watched(stop, self, finish)

    def _recorder(self, task: Task) -> Recorder | None:
        """Open a ledger, or continue the one there is, if ``record`` asks for one."""
        if not getattr(self, "record", False):
            return None
        earlier = getattr(self, "ledger_", None) if task.goes_on else None
        moves = self._moves(task)
        return Recorder(task.state, task.rows, self.classes_, moves, earlier, *task[-2:])

    def _moves(self, task: Task) -> Moves | None:
        """Return how mistakes add up to a move, for a learner that moves once a pass."""
        return None

    def _init_options(self) -> dict[str, Any]:
        return {"ties": self.ties}

    def _live_options(self) -> dict[str, Any]:
        """Return what of a state may change halfway."""
        return {"ties": online.TIES[self.ties]}

    def _blocks(self, rows: Rows) -> Blocks:
        return Blocks(n_rows(rows), entries(rows) * online.n_functions(len(self.classes_)))

    def _record(self, history: History, recorder: Recorder | None) -> None:
        self._set_counts(history, self._mistakes_of(self._state))
        self.t_ = int(self._state.steps)
        if recorder is not None:
            self.ledger_ = recorder.ledger()
        elif hasattr(self, "ledger_"):
            del self.ledger_  # it misses these steps

    def _mistakes_of(self, state: Any) -> int:
        """Return the mistakes made so far: a perceptron learns from nothing else."""
        return int(state.updates)

    def _finish(self, state: Any, rows: Rows) -> None:
        """Take over the state. A later call copies it first, so coef_ may share its memory."""
        coef, intercept = self._hyperplanes(state)
        online.check_weights(coef, intercept)
        self._state, self.coef_, self.intercept_ = state, coef, intercept

    def _hyperplanes(self, state: Any) -> tuple[Array, Array]:
        return state.weights, state.intercept


@estimator_class
class OnlinePerceptron(LinearPerceptron):
    """Base of the perceptrons that learn from one row after the other.

    The weight of a row multiplies the step that a mistake about it makes. What a row does depends
    on those before it, so that weight 2 is not the same as the row twice.

    Parameters
    ----------
    shuffle : bool
        Visit the rows in a new random order each pass, instead of the given one.
    random_state : int, RandomState or None
        Seed of the orders.
    """

    shuffle: bool = True
    random_state: Any = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from all rows until a pass is clean or the stopping rule applies."""
        return self._fit(X, y, sample_weight=sample_weight)

    @available_if(learns_in_parts)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some rows once, in the order given."""
        with unchanged_on_error(self):
            task = resume(self, X, y, classes, sample_weight)
            recorder, n = self._recorder(task), len(task.y)
            end = PassEnd(task.state, 0)
            if len(self.classes_) > 1:  # of one class there is nothing to learn
                cut = self._blocks(task.rows).cut
                one_pass = self._visitor(task, cut, log_of(recorder), partial=True)
                given = Visits(online.row_numbers(n))
                with reporting(type(self).__name__, 1, self.verbose) as report:
                    end = drive(one_pass(task.state, given), n, report, recorder)
            self._finish(end.state, task.rows)
            self._record(History.of_pass(end.mistakes), recorder)
        return self

    def _run(self, task: Task, cut: Cut, log: Log | None) -> Run:
        """Make passes in the order that the parameters ask for."""
        n = len(task.y)
        orders = Orders(
            task.rows,
            task.y,
            generator(self.random_state, task.state.steps),
            **self._order_options(),
        )
        visit = self._visitor(task, cut, log)

        def one_pass(state: Any, number: int, clean: bool) -> Pass:
            visits = orders.next(clean)
            end = yield from visit(state, visits, number)
            # Rows drawn at random may miss one; only looking at every row proves a clean pass.
            return end._replace(proof=visits.first_only or orders.visits_all)

        stop = StopByMistakes(n, self.tol, passes_to_wait(self.n_iter_no_change, n))
        return run_passes(one_pass, task.state, self.max_iter, self._watched(stop, task))

    def _visitor(
        self, task: Task, cut: Cut, log: Log | None, partial: bool = False
    ) -> Callable[..., Pass]:
        """Return a function that makes a pass of a state and the rows to visit."""
        options = self._update_options()
        if task.weights is not None:
            options |= self._weight_options(task.weights, partial)

        def visit(state: Any, visits: Visits, number: int = 1) -> Pass:
            order, ahead, first_only = visits
            extra = {**options, "first_only": True} if first_only else options
            began, mistakes = state.steps, 0
            for start, stop in cut(len(order)):
                part, before = (order[start:stop], ahead[start:stop]), self._mistakes_of(state)
                rest = online.after(log, mistakes)
                state = self._learner.update(state, task.rows, task.y, *part, log=rest, **extra)
                mistakes += self._mistakes_of(state) - before
                last = stop == len(order) or (first_only and mistakes > 0)
                yield BlockEnd(state, part[0], number, state.steps - began, mistakes, last)
                if last:
                    break
            return PassEnd(state, mistakes)

        return visit

    def _order_options(self) -> dict[str, Any]:
        return {"shuffle": self.shuffle}

    def _weight_options(self, weights: Array, partial: bool) -> dict[str, Any]:
        """Return what is different where rows have weights."""
        return {"weights": weights}

    def _update_options(self) -> dict[str, Any]:
        return {}
