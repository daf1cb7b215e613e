"""How many mistakes can a perceptron make? Proved before it learns; the structured one as well."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array, as_matrix, take
from rosenblatt.geometry import Hyperplane
from rosenblatt.geometry.hyperplane import length
from rosenblatt.learners import joint_features as joint
from rosenblatt.learners.products import Matrix
from rosenblatt.learners.structured import features_of
from rosenblatt.theory import exact
from rosenblatt.theory.certificates import Separable
from rosenblatt.theory.problem import Problem, as_problem, augmented, scaled_matrix
from rosenblatt.theory.separate import decide
from rosenblatt.theory.squared_hinge import Task, Weights, minimize
from rosenblatt.theory.wolfe import Progress
from rosenblatt.waiting import late_line

THEOREMS = ("auto", "novikoff", "freund-schapire")
_STARTS = 8
_ROUNDS = 60
_MANY = 64
_TINY = 1e-6
_FAR = 1e5


@dataclass(frozen=True)
class MistakeBound:
    """A bound on the mistakes of the perceptron, and what it was made of.

    With an intercept all of it is meant in the space of (x, 1), where the perceptron learns one.

    Attributes
    ----------
    radius : float
        R, the length of the longest row, measured from the origin.
    margin : float
        γ, by which the unit vector separates the rows (Novikoff), or is meant to.
    deviation : float
        D, the length of the vector of what rows lack to that margin; 0 if they are separated.
    bound : float
        ``((R + D)/γ)²``: no more mistakes than that.
    theorem : {"novikoff", "freund-schapire"}
        Novikoff's bound holds for any number of passes, Freund and Schapire's for one.
    hyperplane : Hyperplane
        The unit vector u as a plane: its normal, and with an intercept its offset, together have
        length one.
    fit_intercept : bool
        Whether the perceptron learns an intercept.

    Examples
    --------
    >>> from rosenblatt import mistake_bound
    >>> found = mistake_bound([[1.0, 2.0], [-2.0, 1.0]], [1, 0], fit_intercept=False)
    >>> round(found.radius**2, 6), round(found.margin**2, 6), round(found.bound, 6)
    (5.0, 2.5, 2.0)
    """

    radius: float
    margin: float
    deviation: float
    bound: float
    theorem: str
    hyperplane: Hyperplane
    fit_intercept: bool = True

    def __str__(self) -> str:
        space = ", in the space of (x, 1)" if self.fit_intercept else ""
        count = f"{int(self.bound):,}" if self.bound < 1e15 else f"{self.bound:.3g}"
        most = f"At most {count}" if np.isfinite(self.bound) else "Finitely many, if countless,"
        if self.theorem == "novikoff":
            return (
                f"{most} mistakes, in any number of passes (Novikoff 1962):\n"
                f"  (R/γ)² with R = {self.radius:.6g}, γ = {self.margin:.6g}{space}"
            )
        lines = [
            f"At most {count} mistakes in one pass (Freund and Schapire 1999):",
            f"  ((R + D)/γ)² with R = {self.radius:.4g}, D = {self.deviation:.4g}, "
            f"γ = {self.margin:.4g}{space}",
        ]
        if self.margin > _FAR * self.radius:
            lines.append("  That is the number of rows: no u and γ promise less.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from rosenblatt.theory.html import of_bound

        return of_bound(self)


def mistake_bound(
    X: Any, y: Any, fit_intercept: bool = True, theorem: str = "auto"
) -> MistakeBound:
    """Bound the mistakes that a perceptron, starting at zero, makes on two classes.

    Novikoff [1]_: if a unit vector u has ``y u·x ≥ γ`` for all rows, and R is the length of the
    longest, no order of the rows and no number of passes leads to more than ``(R/γ)²`` mistakes.
    Freund and Schapire [2]_: whatever the rows, for any unit u and γ > 0, with
    ``D² = Σ max(0, γ − y u·x)²``, one pass makes no more than ``((R + D)/γ)²``.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        Their labels, of two classes.
    fit_intercept : bool, default=True
        Whether the perceptron learns an intercept. R and γ are those of the rows (x, 1) then. For
        an intercept that counts as a feature of another value, ``intercept_scaling_`` of the model,
        add a column of that value and pass False.
    theorem : {"auto", "novikoff", "freund-schapire"}, default="auto"
        "auto" is Novikoff's on separable rows, and the other on others.

    Returns
    -------
    MistakeBound
        The smallest bound found: for Novikoff's the u of largest margin, for the other the minimum
        over u and γ, which is a convex problem.

    References
    ----------
    .. [1] A. B. J. Novikoff, On convergence proofs for perceptrons, 1962.
    .. [2] Y. Freund and R. E. Schapire, Large margin classification using the perceptron algorithm,
       Machine Learning, 1999.

    Examples
    --------
    Deck B's example, on which the perceptron makes three mistakes:

    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> y = [-1, 1, 1, -1, -1, 1]
    >>> print(mistake_bound(X, y, fit_intercept=False))
    At most 5 mistakes, in any number of passes (Novikoff 1962):
      (R/γ)² with R = 2.23607, γ = 1
    """
    if theorem not in THEOREMS:
        names = ", ".join(map(repr, THEOREMS))
        raise ValueError(f"theorem must be one of {names}, got {theorem!r}")
    problem = as_problem(X, y, fit_intercept)
    rows = augmented(problem) if problem.fit_intercept else problem
    squared = squared_radius(rows)
    if theorem != "freund-schapire":
        with late_line("mistake_bound") as progress:
            answer = decide(rows, progress)
        if isinstance(answer, Separable):
            return _novikoff(problem, squared, answer)
        if theorem == "novikoff":
            raise ValueError(
                "Novikoff's bound needs linearly separable rows, which these are not; "
                "separate(X, y) shows why. theorem='freund-schapire' holds for any"
            )
    with late_line("mistake_bound") as progress:
        return _freund_schapire(problem, rows, squared, progress)


def _novikoff(problem: Problem, squared: Fraction, answer: Separable) -> MistakeBound:
    bound = np.inf
    if answer.margin:  # else it is less than floats can tell, and no finite bound is known
        bound = -exact.below(-squared / Fraction(answer.margin) ** 2)
    return MistakeBound(
        exact.root_above(squared),
        answer.margin,
        0.0,
        bound,
        "novikoff",
        _plane(problem, answer.hyperplane.normal),
        problem.fit_intercept,
    )


def _plane(problem: Problem, u: Array) -> Hyperplane:
    return Hyperplane(u[1:], float(u[0])) if problem.fit_intercept else Hyperplane(u, 0.0)


def squared_radius(problem: Problem) -> Fraction:
    """Return the squared length of the longest row: found in floats, computed exactly.

    If very many rows may be the longest, as after normalising them, it is rounded up instead.
    """
    X = as_matrix(problem.rows, problem.n_features).astype(np.float64, copy=False)
    largest = np.abs(problem.rows.values).max(initial=0.0)
    shift = int(np.clip(-np.frexp(np.float64(largest))[1], -1000, 1000))
    lengths = Matrix(X * 2.0**shift).squared_rows()
    slack = (problem.n_features + 8) * 2.0**-50
    longest = np.flatnonzero(lengths >= lengths.max() * (1 - slack))
    if len(longest) > _MANY:
        return exact.scaled(1, -2 * shift) * Fraction(float(lengths.max() * (1 + slack)))
    return max(_squared_length(problem, int(row)) for row in longest)


def _squared_length(problem: Problem, row: int) -> Fraction:
    numbers, power = exact.whole(take(problem.rows, np.array([row])).values.ravel())
    return exact.scaled(int((numbers * numbers).sum()), 2 * power)


def _freund_schapire(
    problem: Problem, rows: Problem, squared: Fraction, progress: Progress
) -> MistakeBound:
    """Minimise ``R‖v‖ + ‖max(0, 1 − y v·x)‖`` over v = u/γ, the root of the bound.

    Both lengths are bounded above by parabolas that touch them at the last v; the sum of those is
    a squared hinge, whose minimum is the next v. The bound falls at every round.
    """
    X, scale = scaled_matrix(rows)  # the longest row has length one, so R = 1
    y = rows.y
    towards = X.transposed_times(y)
    if not np.any(towards):
        towards[0] = 1.0
    unit = towards / length(towards)
    task = Task(X, y, np.ones(X.shape[1]))
    # At v = 0, which is γ = ∞, the bound is the number of rows; nothing less may be found.
    progress("looking for the vector of the smallest bound")
    best = now = Weights(unit * _TINY, X.times(unit) * _TINY)
    for rho in np.geomspace(1e-2 / len(y), 1e4, _STARTS):
        now = minimize(task, np.ones(len(y)), rho, now, 1e-3, progress)
        best = min(best, now, key=lambda weights: _root(weights, y))
    value = _root(best, y)
    for _ in range(_ROUNDS):
        slack = float(np.linalg.norm(np.maximum(1 - y * best.scores, 0.0)))
        rho = float(np.linalg.norm(best.w)) / max(slack, 1e-9)
        now = minimize(task, np.ones(len(y)), max(rho, 1e-9), best, 1e-6, progress)
        last, value = value, min(value, _root(now, y))
        if not value < last * (1 - 1e-6):
            break
        best = now
    return _evaluated(problem, X, scale, squared, y, best.w)


def _root(weights: Weights, y: Array) -> float:
    """Return the root of the bound; infinity near v = 0, which has no direction."""
    slack = np.maximum(1 - y * weights.scores, 0.0)
    size = float(np.linalg.norm(weights.w))
    return size + float(np.linalg.norm(slack)) if size >= _TINY * (1 - 1e-9) else np.inf


def _evaluated(
    problem: Problem, X: Matrix, scale: float, squared: Fraction, y: Array, v: Array
) -> MistakeBound:
    """Compute the bound of a v = u/γ for scaled rows, every rounding error counted against it."""
    unit = (X.shape[1] + 16) * 2.0**-51
    size = float(np.linalg.norm(v))
    reach = X.absolute().times(np.abs(v))
    lack = np.maximum(1 - y * X.times(v) + unit * (reach + 1), 0.0)
    safe = 1 + (len(y) + X.shape[1]) * 2.0**-50
    radius = float(np.sqrt(X.squared_rows().max()))
    slack = float(np.linalg.norm(lack))
    bound = ((radius * size + slack) * safe) ** 2
    return MistakeBound(
        exact.root_above(squared),
        1 / size / scale,
        slack / size / scale * safe,
        bound * safe,
        "freund-schapire",
        _plane(problem, v / size),
        problem.fit_intercept,
    )


def bound_of_plane(
    plane: Hyperplane, margins: Array, radius: float, fit_intercept: bool
) -> MistakeBound:
    """Return Freund and Schapire's bound for one plane, with the γ that makes it smallest.

    Unlike `mistake_bound` it searches no plane and needs no rows, so it serves streams of any
    length. The γ is the best of some 2500, and rounding is not counted against the bound.

    Parameters
    ----------
    plane : Hyperplane
        Its normal, and with an intercept its offset, together have length one.
    margins : array of shape (n_samples,)
        ``y (w·x + b)`` of each row.
    radius : float
        R, the length of the longest row; with an intercept, of the longest (x, 1).
    fit_intercept : bool
        Whether the perceptron learns an intercept.

    Examples
    --------
    >>> print(bound_of_plane(Hyperplane([1.0], 0.0), np.ones(10), 2.0, False))
    At most 4 mistakes in one pass (Freund and Schapire 1999):
      ((R + D)/γ)² with R = 2, D = 0, γ = 1
    """
    ordered = np.sort(margins)
    largest = max(float(np.abs(ordered).max(initial=0.0)), radius, 1e-300)
    positive = ordered[ordered > 0]
    some = positive[np.unique(np.linspace(0, len(positive) - 1, 500).astype(int))]
    gammas = np.concatenate([np.geomspace(1e-6 * largest, 1e4 * largest, 2000), some])
    below = np.searchsorted(ordered, gammas)
    first = np.concatenate([[0.0], np.cumsum(ordered)])[below]
    second = np.concatenate([[0.0], np.cumsum(ordered**2)])[below]
    deviations = np.sqrt(np.maximum(below * gammas**2 - 2 * gammas * first + second, 0.0))
    bounds = ((radius + deviations) / gammas) ** 2
    best = int(bounds.argmin())
    numbers = radius, float(gammas[best]), float(deviations[best]), float(bounds[best])
    return MistakeBound(*numbers, "freund-schapire", plane, fit_intercept)


def bound_facts(X: Any, y: Array, fit_intercept: bool) -> dict[str, Any]:
    """Return the bound on two classes and what it is made of, for JSON."""
    found = mistake_bound(X, y, fit_intercept)
    return {
        "mistakes": found.bound,
        "theorem": found.theorem,
        "radius": found.radius,
        "margin": found.margin,
        "deviation": found.deviation,
    }


def bound_in_words(facts: dict[str, Any]) -> str:
    """Write a bound in a line.

    >>> facts = {"mistakes": 5.0, "theorem": "novikoff", "radius": 5**0.5, "margin": 1.0}
    >>> bound_in_words(facts)
    'at most 5 by (R/γ)² with R = 2.236, γ = 1 (Novikoff)'
    """
    bound, radius, margin = facts["mistakes"], facts["radius"], facts["margin"]
    most = f"{int(bound):,}" if bound < 1e15 else f"{bound:.3g}"
    if facts["theorem"] == "novikoff":
        return f"at most {most} by (R/γ)² with R = {radius:.4g}, γ = {margin:.4g} (Novikoff)"
    parts = f"R = {radius:.4g}, D = {facts['deviation']:.4g}, γ = {margin:.4g}"
    return f"at most {most} in the first pass by ((R + D)/γ)² with {parts}"


def structured_margin(problem: Any, X: Sequence[Any], y: Sequence[Any], weights: Any) -> float:
    """Return the least difference of the scores of a right output and its rival, at length one."""
    try:
        like = joint.vector(weights)
    except ValueError:
        raise ValueError(
            f"weights must be finite numbers, by name or as a vector, got {type(weights).__name__}"
        ) from None
    seen, norm, least = joint.shown(like), joint.length(like), float("inf")
    if norm == 0:
        return 0.0
    for i, (x, right) in enumerate(zip(X, y, strict=True)):
        ours = features_of(problem, x, right, i, like if i else None)
        if not i:
            _check_weights(like, ours)
        try:
            rival = problem.rival(x, seen, right)
        except Exception as error:
            error.add_note(f"It was raised by the problem's rival, at example {i}")
            raise
        if rival is not None:
            change = joint.difference(ours, features_of(problem, x, rival, i, like, found=True))
            least = min(least, float(seen @ change) / norm)
    return least


def _check_weights(weights: joint.Vector, features: joint.Vector) -> None:
    """Raise ``ValueError`` if weights are not for features of this kind."""
    if isinstance(features, dict):
        if not isinstance(weights, dict):
            raise ValueError(
                "weights are a vector but features(x, y) returns a dict; give weights by name, as "
                "a dict"
            )
    elif isinstance(weights, dict) or len(weights) != len(features):
        kind = "a dict" if isinstance(weights, dict) else f"a vector of {len(weights)}"
        raise ValueError(
            f"weights are {kind} but features(x, y) returns a vector of {len(features)}; give as "
            "many weights as features, as a vector"
        )


def structured_bound(radius: float, cost: float, margin: float) -> float:
    """Return what the mistakes of a structured perceptron cannot exceed, given a margin above zero.

    Collins 2002, theorem 1: if a unit vector u has ``u·Φ(x, y) − u·Φ(x, z) ≥ δ`` for every example
    and every other output z, and no update is longer than R, there are at most ``(R/δ)²`` mistakes.
    For every mistake adds at least δ to ``w·u``, and at most R² to ``‖w‖²``, as the output found
    scored no less than the right one. With costs of up to c it scored up to c less, which makes it
    R² + 2c. How many outputs there are plays no part.
    """
    return (radius / margin) ** 2 + 2 * (cost / margin) / margin
