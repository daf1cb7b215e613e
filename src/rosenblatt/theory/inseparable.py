"""The answer no: a few points whose hulls meet."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.theory import hulls
from rosenblatt.theory.certificate import Certificate, Verdict, listed, set_field, set_points
from rosenblatt.theory.problem import Problem, as_problem, dense_rows

NEAR = 1e-12
_AGREE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Inseparable(Certificate):
    """A few points whose two convex hulls meet, so that no hyperplane can part the classes.

    Attributes
    ----------
    points : array of int
        Row numbers: at most d + 2 (Kirchberger's theorem), or d + 1 without an intercept; more only
        if it is not proved.
    weights : array of float
        Positive weights: within each class they sum to one, and put the same point into both hulls.
        Without an intercept all of them sum to one, and ``Σ λ·y·x`` is the origin.
    fit_intercept : bool
        Whether planes need not go through the origin.
    residual : float
        0 if this is proved beyond rounding; otherwise how far apart the two points are, as a share
        of the largest range of a feature: at most 10⁻¹².

    Examples
    --------
    >>> from rosenblatt import separate
    >>> print(separate([[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    Inseparable (exact): the hulls meet, so no hyperplane parts the classes.
      points   0, 1, 2, 3
      weights  0.5, 0.5, 0.5, 0.5
    """

    separable: ClassVar[bool] = False
    points: Array
    weights: Array
    fit_intercept: bool = True
    residual: float = 0.0

    def __post_init__(self) -> None:
        set_points(self, "points")
        if isinstance(self.residual, bool) or not 0 <= float(self.residual) < np.inf:
            raise ValueError(f"residual must be zero or a positive number, got {self.residual!r}")
        set_field(self, "residual", float(self.residual))

    @property
    def exact(self) -> bool:
        """Whether it is proved beyond rounding."""
        return self.residual == 0

    def meeting_point(self, X: Any, y: Any) -> Array:
        """Return the point that both hulls share: the mean of the last class's points.

        Without an intercept it is the sum of all ``λ·x`` of that class, which its cone shares with
        the other's.
        """
        problem = as_problem(X, y, self.fit_intercept)
        verdict = self.check(problem)
        if not verdict:
            raise ValueError(f"this is no certificate of these data: {verdict.reason}")
        weights = np.where(problem.y[self.points] > 0, self.weights, 0.0)
        rows, used = dense_rows(problem, self.points)
        point = np.zeros(problem.n_features)
        point[used] = weights @ rows
        return point

    def exact_weights(self, X: Any, y: Any) -> list[Any]:
        """Solve for the weights in fractions."""
        weights = hulls.exact_weights(as_problem(X, y, self.fit_intercept), self.points)
        if weights is None:
            raise ValueError("these points have no such weights in these data")
        return weights

    def check(self, problem: Problem) -> Verdict:
        points, n = self.points, problem.n
        if points.max() >= n:
            return Verdict(False, False, f"the points are not among the {n:,} rows")
        most = problem.n_features + 1 + self.fit_intercept
        if len(points) > most and not self.residual:
            text = f"{most} points are enough, and here are {len(points)}"
            return Verdict(False, False, text)
        if self.residual:
            sides = [problem.y[points] == side for side in (-1, 1)]
            groups = sides if self.fit_intercept else [np.full(len(points), True)]
            if not all(abs(self.weights[side].sum() - 1) <= _AGREE for side in groups):
                return Verdict(False, False, "the weights of a class do not sum to one")
            found = hulls.residual(problem, points, self.weights)
            ok = bool(found <= min(2 * self.residual, NEAR))
            return Verdict(ok, False, f"the hulls come within {found:.2g} of each other (residual)")
        known = hulls.common_point(problem, points, patient=True)
        if known is None:
            return Verdict(False, False, "the hulls of these points do not meet")
        off = float(np.abs(known.weights - self.weights).max())
        if not off <= known.error + _AGREE:
            return Verdict(False, False, f"the hulls meet, but with other weights (by {off:.2g})")
        return Verdict(True, True, f"the hulls of {len(points)} points meet")

    def _plain(self) -> dict[str, Any]:
        return {
            "points": self.points.tolist(),
            "weights": self.weights.tolist(),
            "fit_intercept": self.fit_intercept,
            "residual": float(self.residual),
        }

    def __str__(self) -> str:
        how = "exact" if self.exact else f"numerical, residual {self.residual:.2g}"
        if not self.exact:
            what = "the hulls meet as far as rounding can tell"
        elif self.fit_intercept:
            what = "the hulls meet, so no hyperplane parts the classes"
        else:
            what = "the hull of y·x holds the origin, so no plane does"
        return "\n".join(
            [
                f"Inseparable ({how}): {what}.",
                f"  points   {listed(self.points)}",
                f"  weights  {listed(self.weights)}",
            ]
        )
