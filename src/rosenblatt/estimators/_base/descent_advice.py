"""What gradient descent says where it ends early, or will not do what is expected."""

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from rosenblatt.estimators._base.default_steps import (
    ALPHA,
    PULLING,
    SETTLING,
    aims,
    odd_column,
    rate_of,
    step_lengths,
)
from rosenblatt.estimators._base.start import Task
from rosenblatt.estimators._base.still_falling import CRAWLING, NOTABLE, loss_ahead
from rosenblatt.learners.descent import DivergedError
from rosenblatt.passes import NO_PROGRESS, History, Reporter, drive

BETTER_STEPS = (
    "learning_rate='auto' with eta0='auto', which finds steps that end near the lowest loss"
)
UNSETTLED = (
    "Rounding, or columns that are too different in size, hide the rest of the way: scale the "
    "features, for example with sklearn.preprocessing.StandardScaler"
)


class Advice:
    """Mixin of what estimators that descend warn of, and what they advise to try."""

    def _warn(self: Any, task: Task, exact: bool) -> None:
        """Warn of parameters and columns that will not do what is expected."""
        if self.penalty is None and self.alpha not in (ALPHA, "auto"):
            warnings.warn(
                f"alpha={self.alpha} has no effect without a penalty; set penalty='l2', 'l1' or "
                "'elasticnet'",
                UserWarning,
                stacklevel=3,
            )
        column = None if exact else odd_column(task.rows)
        if column is not None:
            names = getattr(self, "feature_names_in_", None)
            name = f"{column.number}" if names is None else f"{names[column.number]!r}"
            warnings.warn(
                f"column {name} of X is {column.times:,.0f} times larger than a typical column, "
                "so that no step size suits all columns. Scale the features, for example with "
                "sklearn.preprocessing.StandardScaler",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _explained(self: Any, run: Any, task: Task, report: Reporter) -> Any:
        """Drive passes to their end; if they diverge, say what to do about it."""
        try:
            return drive(run, len(task.y), report)
        except DivergedError as error:
            raise ValueError(
                f"gradient descent diverged: {error}. The steps of {self.eta0_:.3g} are too long "
                f"for these data. Try {self._advice(task)}, or scale the features, for example "
                "with sklearn.preprocessing.StandardScaler"
            ) from None

    def _advice(self: Any, task: Task) -> str:
        """Return what to try where the steps were too long, which is never what was tried."""
        batch = self._batch(len(task.y))
        if self._has_better_steps(len(task.y)):
            return BETTER_STEPS
        safe = step_lengths(self, task, batch, safe=True)
        if self.eta0 != "auto" and float(self.eta0) > safe:
            return f"eta0='auto', here {safe:.2g}"
        return f"a shorter one, eta0={self.eta0_ / 10:.2g}"

    def _ahead(self: Any, task: Task, state: Any, history: History) -> str:
        """Look whether a loss that settled is near its lowest; if not, say so in the history.

        Return what to say to the user, or an empty text.
        """
        if not history.converged or history.validation or not self.tol or self.loss == "perceptron":
            return ""
        coef, intercept = self._hyperplanes(state)
        seen = state._replace(weights=coef, intercept=intercept)
        enough = CRAWLING * self.tol * (history.losses[0] if self.loss == "squared" else 1.0)
        loss, ahead = loss_ahead(task, seen, self._penalty(), enough)
        if not loss - ahead > max(enough, NOTABLE * loss):
            return ""
        history.ending = NO_PROGRESS
        better = "" if self.eta0 == "auto" else ", eta0='auto'"
        return (
            f"It falls by less than tol={self.tol:g} a pass, and yet a few moves with scaled "
            f"features would lower it from {loss:.3g} to {ahead:.3g}: steps of {self.eta0_:.3g} "
            "are too short, at least for some features. Scale the features, for example with "
            f"sklearn.preprocessing.StandardScaler; if they are scaled, try a smaller tol{better}"
        )

    def _why_unsettled(self: Any, n: int) -> str:
        """Say why a loss goes up and down, and what to try."""
        if self.loss == "perceptron":
            return (
                "It goes up and down, as it does where no plane separates the classes. Try "
                "loss='hinge', which settles there too"
            )
        advice = "a smaller eta0"
        if self._has_better_steps(n):
            advice = BETTER_STEPS
        elif self.penalty not in PULLING and self.learning_rate != "line_search":
            advice = f"learning_rate='line_search' or {advice}"
        if self._batch(n) < n:
            settles = self.penalty in PULLING or self.learning_rate in SETTLING or self.average
            advice = f"a shorter one, eta0={self.eta0_ / 10:.2g}" if settles else "average='auto'"
            return (
                f"The last moves change it by more than tol={self.tol:g}, up and down, with steps "
                f"of {self.eta0_:.3g}. Try {advice}, or a larger tol"
            )
        return f"It goes up and down: the steps of {self.eta0_:.3g} are too long. Try {advice}"

    def _has_better_steps(self: Any, n: int) -> bool:
        """Say whether there are better steps than those that the parameters ask for."""
        return aims(self.loss) and self._batch(n) >= n and rate_of(self, True) != "polyak"

    def _said(self: Any, history: History, ahead: str, exact: bool, n: int) -> str:
        """Return what to say where training ended before the loss settled."""
        if history.passes == self.max_iter and not ahead:
            why = (
                "Scale the features, increase max_iter, or set tol=None if that many passes are "
                "what you want"
            )
        else:
            why = UNSETTLED if exact else ahead or self._why_unsettled(n)
        return (
            f"{type(self).__name__} stopped after {history.passes} passes, before the loss "
            f"settled. {why}"
        )
