"""Is there a hyperplane with all points of a class on one side? A proof either way."""

import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array, Dense, as_rows
from rosenblatt.geometry import Hyperplane
from rosenblatt.geometry.hyperplane import length
from rosenblatt.kernels.margins import first_conflict, score_rows
from rosenblatt.theory import exact, exact_planes, hulls
from rosenblatt.theory.certificates import GAP, NEAR, Inseparable, Separable
from rosenblatt.theory.exact_planes import Plane, blocks
from rosenblatt.theory.multiclass import PAIRS, REST, Separations, asked, questions, title
from rosenblatt.theory.problem import Problem, as_classes, dense_rows, problem_of
from rosenblatt.theory.sketch import sketch_of
from rosenblatt.theory.squared_hinge import rounds
from rosenblatt.theory.wolfe import (
    SAMPLE,
    ExactResult,
    Progress,
    SearchResult,
    exact_search,
    hull_distance,
    search,
    silent,
)
from rosenblatt.waiting import late_line


def conflict(problem: Problem) -> Array | None:
    """Find two equal rows with opposite labels; None if there are none.

    Without an intercept, rows that point the same way would do, and a row of zeros; those are left
    to the search.
    """
    # Equal rows have equal scores, whatever the weights; others hardly ever do.
    weights = np.random.default_rng(0).standard_normal(problem.n_features)
    scores = np.empty(problem.n)
    for start, stop in blocks(problem):
        score_rows(problem.rows, start, stop, weights, scores)
    keys = (scores + 0.0).view(np.uint64)  # −0 and 0 are one number
    table = np.full(2 << problem.n.bit_length(), -1, np.int64)
    pair = np.array(first_conflict(keys, problem.y, table))
    if pair[0] < 0:
        return None
    first, second = dense_rows(problem, pair)[0]
    return pair if np.array_equal(first, second) else None


NEGLIGIBLE = (1e-6, 1e-8, 1e-10, 1e-12)
MANY = 2 * SAMPLE
ROOM = 1 << 24  # numbers in a dense working set of sparse rows
FEW = 20  # points, with which fractions are fast
PATIENCE = 5.0  # seconds for a step in fractions
SUSPICIOUS = 1e-2
NOTHING = 1e-13
NOTABLE = 1e-3
_LONG = 110  # bits of a product of two floats


def separate(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    *,
    multi_class: str = REST,
    verbose: bool | None = None,
) -> Separable | Inseparable | Separations:
    """Decide whether classes are linearly separable, with a certificate either way.

    That is, whether some w and b have ``y·(w·x + b) > 0`` for all rows, with y = ±1; if none do,
    the convex hulls of the classes share a point, ``Σ λᵢ xᵢ = Σ μⱼ xⱼ``.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        Their labels. Of two classes the one that sorts last is on the positive side.
    fit_intercept : bool, default=True
        Whether planes need not go through the origin.
    multi_class : {"ovr", "ovo"}, default="ovr"
        What is asked of more than two classes: whether each is separable from the rest, or whether
        the two of each pair are.
    verbose : bool or None, default=None
        True tells on the standard error stream how far it is, about once a round. None shows it in
        a line that appears after two seconds, on a terminal or in a notebook. False is silent.

    Returns
    -------
    Separable or Inseparable
        Either has ``separable`` (True or False), ``verify(X, y)`` and a readable ``str``. What is
        returned has passed its own ``verify``.
    Separations
        For more than two classes: such an answer for each class, or for each pair of them, and the
        same three for all together.

    Raises
    ------
    RuntimeError
        If features nearly depend on each other, and are so many that fractions would take more than
        a minute, there may be no answer that can be proved.

    Notes
    -----
    Wolfe's method [1]_ finds the nearest points of the two hulls on a working set that scans of all
    rows add to. Its answer is then proved from the data's own bits: signs and margins in floating
    point with a bound on every rounding error, in whole numbers where that does not decide; weights
    by a verified solution of their equations [2]_, or in fractions. Where floating point finds no
    answer that can be proved, the search continues in fractions.

    References
    ----------
    .. [1] P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming, 1976.
    .. [2] S. M. Rump, Verification methods, Acta Numerica, 2010.

    Examples
    --------
    >>> X = [[0.0, 0], [0, 1], [1, 0], [1, 1]]
    >>> print(separate(X, ["no", "yes", "yes", "yes"]))
    Separable: a hyperplane separates the classes, 'yes' on its positive side.
      plane    0.7071·x1 + 0.7071·x2 − 0.3536 = 0
      margin   0.353553391; no plane has more than 0.353553391
      support  0, 1, 2
    >>> answer = separate(X, ["no", "yes", "yes", "no"])
    >>> answer.separable, bool(answer.verify(X, ["no", "yes", "yes", "no"]))
    (False, True)
    >>> answers = separate([[1, 0], [0, 1], [-1, -1]], ["red", "green", "blue"])
    >>> answers.separable, answers["red"].separable
    (True, True)
    """
    if multi_class not in (REST, PAIRS):
        raise ValueError(f"multi_class must be 'ovr' or 'ovo', got {multi_class!r}")
    data = as_classes(X, y, fit_intercept)
    with _reporting(verbose) as progress:
        if len(data.classes) == 2:
            return _sketched(problem_of(data, data.codes, data.classes), progress)
        answers = {}
        for key in questions(data.classes, multi_class):
            name = title(key)
            progress(f"{name}: asking")
            try:
                answers[key] = _sketched(asked(data, key), _about(name, progress))
            except RuntimeError as error:
                raise RuntimeError(f"{name}: {error}") from None
    return Separations(multi_class, data.classes.tolist(), answers, data.fit_intercept)


def _sketched(problem: Problem, progress: Progress) -> Separable | Inseparable:
    """Answer, and keep what a picture of it needs."""
    answer = decide(problem, progress)
    if isinstance(answer, Separable):
        sketch = sketch_of(problem, answer.support, answer.hyperplane)
    else:
        sketch = sketch_of(problem, answer.points)
    return replace(answer, sketch=sketch)


def _about(name: str, progress: Progress) -> Progress:
    return lambda text: progress(f"{name}: {text}")


def _reporting(verbose: bool | None) -> AbstractContextManager[Progress]:
    if verbose is None:
        return late_line("separate")
    return nullcontext(_to_stderr if verbose else silent)


def _to_stderr(text: str) -> None:
    if text:
        print(f"separate: {text}", file=sys.stderr)


def decide(problem: Problem, progress: Progress = silent) -> Separable | Inseparable:
    """Answer for data that were checked before. No answer leaves here that fails its own check."""
    answer = (_with_a_working_set if fits(problem) else _with_products)(problem, progress)
    verdict = answer.check(problem)
    if not verdict:
        raise RuntimeError(f"an answer was found that fails its own check: {verdict.reason}")
    return answer


def _with_a_working_set(problem: Problem, progress: Progress = silent) -> Separable | Inseparable:
    """Answer for data of few features, or few rows."""
    found = search(problem, progress)
    progress(f"proving it with {len(found.rows):,} rows")
    pair = _conflicting(problem) if found.meet and len(found.rows) > 2 else None
    if pair is not None:
        return pair
    plane = None if found.meet else _separable(problem, found)
    answer: Separable | Inseparable | None
    answer = _inseparable(problem, found) if plane is None else plane
    even = found
    if answer is None and len(found.rows) > FEW:
        progress("rounding decides; looking at independent features of equal size")
        even = search(problem, progress, even=True)
        answer = _inseparable(problem, even)
    if answer is None and hulls.seconds(len(found.rows), _LONG) <= PATIENCE:
        progress("rounding decides; continuing in fractions")
        result = exact_search(problem, found.rows, found.weights, progress)
        answer = None if result is None else _exactly(problem, result)
    return _as_far_as_it_goes(problem, found, even) if answer is None else answer


def fits(problem: Problem) -> bool:
    """Say whether a working set fits: few features or few rows, and not many times the data."""
    few = min(problem.n, problem.n_features)
    if isinstance(problem.rows, Dense):
        return few <= 2 * MANY
    return few <= MANY and min(problem.n, 2 * SAMPLE) * problem.n_features <= ROOM


def _with_products(problem: Problem, progress: Progress) -> Separable | Inseparable:
    """Answer for data of many features and rows."""
    pair = _conflicting(problem)
    if pair is not None:
        return pair
    best = None
    progress("looking for the nearest points of the two hulls")
    for number, best in enumerate(rounds(problem, progress), 1):
        progress(
            f"round {number}: margin from {best.lower:.6g} to {best.upper:.6g} of the longest row"
        )
        if best.lower > 0 and best.upper <= (1 + GAP) * best.lower:
            answer = _separable(problem, best.found)
            if answer is not None:
                return answer
        elif best.upper < NOTHING:
            progress("the hulls seem to meet")
            break
        elif best.lower <= 0 and best.apart < SUSPICIOUS:
            growing = np.flatnonzero(best.growing > NOTABLE * best.growing.max())
            proof = _among(problem, growing, progress)
            if proof is not None:
                return proof
    assert best is not None
    return _as_far_as_it_goes(problem, best.found, best.found)


def _conflicting(problem: Problem) -> Inseparable | None:
    """Answer by two equal rows with opposite labels, if there are any."""
    pair = conflict(problem)
    proof = None if pair is None else hulls.common_point(problem, pair)
    if pair is None or proof is None:
        return None
    return _in_order(problem, pair, proof.weights)


def _among(problem: Problem, rows: Array, progress: Progress) -> Inseparable | None:
    """Answer for some rows alone: if their hulls meet, so do those of all."""
    if len(rows) > MANY or len(np.unique(problem.y[rows])) < 1 + problem.fit_intercept:
        return None
    values, _ = dense_rows(problem, rows)
    if values.size > ROOM or not values.size:
        return None
    part = Problem(as_rows(values), problem.y[rows], values.shape[1], *problem[3:])
    answer = _with_a_working_set(part, progress)
    if isinstance(answer, Separable) or not answer.exact:
        return None
    return replace(answer, points=rows[answer.points])


def _as_far_as_it_goes(
    problem: Problem, found: SearchResult, even: SearchResult
) -> Separable | Inseparable:
    """Answer by a plane that separates, if not with the largest margin, or numerically."""
    for proposal in (found, even):
        # The bound on margins is that of the points nearest in the data's own geometry.
        known = proposal._replace(rows=found.rows, weights=found.weights)
        plane = _separable(problem, known, gap=np.inf)
        if plane is not None:
            return plane
    return _numerical(problem, found)


def _numerical(problem: Problem, found: SearchResult) -> Inseparable:
    """Say that the hulls come so near to each other that rounding cannot tell them apart."""
    rows, weights = found.rows, found.weights
    for side in (1.0, -1.0) if problem.fit_intercept else (0.0,):
        of = problem.y[rows] == side if side else np.full(len(rows), True)
        weights = np.where(of, weights / weights[of].sum(), weights)
    answer = _in_order(problem, rows, weights)
    residual = hulls.residual(problem, answer.points, answer.weights)
    if not residual <= NEAR:
        raise RuntimeError(
            f"no answer: the hulls come within {residual:.1g} of each other, and neither a plane "
            "nor a common point was found. Scale the features to a like size, or drop those that "
            "nearly depend on others"
        )
    return replace(answer, residual=residual)


def _inseparable(problem: Problem, found: SearchResult) -> Inseparable | None:
    """Prove that the hulls meet; None if that fails."""
    # Points that ended up with hardly any weight are there by rounding.
    for least in NEGLIGIBLE:
        rows = found.rows[found.weights > least]
        proof = hulls.common_point(problem, rows)
        if proof is not None:
            return _in_order(problem, rows, proof.weights)
    return None


def _in_order(problem: Problem, rows: Array, weights: Array) -> Inseparable:
    order = np.argsort(rows)
    return Inseparable(rows[order], weights[order], problem.fit_intercept)


def _separable(problem: Problem, found: SearchResult, gap: float = GAP) -> Separable | None:
    """Prove that the plane separates, and with nearly the largest margin; None if that fails."""
    size = float(length(found.w)[0])
    if not size > 0:
        return None
    w, b = found.w / size, found.b / size
    if not np.all(np.isfinite([*w, b, *found.weights])):
        return None
    upper = exact_planes.upper_bound(problem, found.rows, found.weights)
    return _bracketed(
        problem, exact_planes.plane_of(w, b), upper, found.rows, found.weights, gap=gap
    )


def _bracketed(
    problem: Problem,
    plane: Plane,
    upper: float,
    rows: Array,
    weights: Array,
    rounded: Plane | None = None,
    gap: float = GAP,
) -> Separable | None:
    """Make the answer, if the plane's margin and its upper bound are within the gap."""
    least = exact_planes.least(problem, plane)
    if least.value <= 0:
        return None
    margin = exact_planes.distance(least.value, plane)
    if gap < np.inf and not upper <= margin * (1 + gap):
        return None
    shown = rounded or plane
    w = [exact.decimals(exact.scaled(int(v), shown.power)) for v in shown.normal]
    b = exact.decimals(exact.scaled(shown.offset, shown.power))
    whole = None if rounded is None else (*map(int, plane.normal), plane.offset)
    order = np.argsort(rows)
    return Separable(
        Hyperplane(np.array(w), b),
        margin,
        upper,
        rows[order],
        weights[order],
        problem.fit_intercept,
        whole,
        tuple(map(str, problem.classes.tolist())),
    )


def _exactly(problem: Problem, result: ExactResult) -> Separable | Inseparable:
    """Turn an exact result into an answer in floats, or in as many digits as it needs."""
    weights = np.array([exact.decimals(w) for w in result.weights])
    if result.plane is None:
        return _in_order(problem, result.rows, weights)
    upper = exact_planes.upper_bound(problem, result.rows, weights)
    plane = result.plane
    answer = _bracketed(problem, _in_floats(plane), upper, result.rows, weights)
    if answer is not None:
        return answer
    # Float64 has too few digits, for the plane or for the weights. The nearest plane in floats may
    # not even separate; one of the same direction and another length may.
    tried = [_in_floats(plane, Fraction(k, 8)) for k in range(8, 24)]
    shown = max(tried, key=lambda near: _relative(exact_planes.least(problem, near).value, near))
    upper = hull_distance(problem, result.rows)
    largest = max(int(abs(v)).bit_length() for v in (*plane.normal, plane.offset))
    bits = 64
    while answer is None and bits < largest:
        bits *= 2
        near = _rounded(plane, bits)
        answer = _bracketed(problem, near, upper, result.rows, weights, rounded=shown)
    if answer is None:  # margins so small that floats cannot say how small
        answer = _bracketed(problem, plane, upper, result.rows, weights, rounded=shown, gap=np.inf)
    assert answer is not None
    return answer


def _relative(score: Fraction, plane: Plane) -> Fraction:
    return score * abs(score) / exact_planes.squared_length(plane)


def _in_floats(plane: Plane, size: Fraction | int = 1) -> Plane:
    """Round a plane to float64, its normal of about a length; or as long as fits into floats."""
    unit = Fraction(isqrt(int(plane.normal.dot(plane.normal)) << 400), 1 << 200) / size
    w = np.array([exact.decimals(Fraction(int(v)) / unit) for v in plane.normal])
    largest = np.finfo(np.float64).max
    b = exact.decimals(Fraction(plane.offset) / unit)
    return exact_planes.plane_of(
        np.clip(w, -largest, largest), float(np.clip(b, -largest, largest))
    )


def _rounded(plane: Plane, bits: int) -> Plane:
    """Round a plane's numbers to this many binary digits."""
    largest = max(int(abs(v)).bit_length() for v in (*plane.normal, plane.offset))
    shift = max(0, largest - bits)
    half = (1 << shift) >> 1
    return Plane((plane.normal + half) >> shift, (plane.offset + half) >> shift, 0)
