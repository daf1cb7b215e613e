"""Planes in whole numbers, and what can be proved of them: margins, and bounds on margins.

Every row's margin is computed with a bound on what rounding can have done to it. Where that leaves
open which margin is the smallest, or its sign, the rows in question are computed exactly.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, entries, take
from rosenblatt.kernels import margins as kernel
from rosenblatt.theory import exact
from rosenblatt.theory.exact import Whole
from rosenblatt.theory.problem import Problem

_BLOCK = 1 << 24  # numbers read between two checks for Ctrl-C
CLOSE = 1e-9
MANY = 256
SMALL = 2.0**-1000


class Plane(NamedTuple):
    """A plane in whole numbers, ``(normal · x + offset) · 2^power`` being a row's score."""

    normal: Whole
    offset: int
    power: int


class Least(NamedTuple):
    """The smallest margin: a number it is not below, which is the very one if exact, and a row."""

    value: Fraction
    row: int
    exact: bool


def plane_of(w: Array, b: float) -> Plane:
    """Write a plane of floats in whole numbers; nothing is lost."""
    numbers, power = exact.whole(np.append(w, b))
    return Plane(numbers[:-1], int(numbers[-1]), power)


def nearest_floats(plane: Plane) -> tuple[Array, float, int]:
    """Return weights and offset rounded to float64, times a power of two that keeps them in range.

    The third number is that power.
    """
    largest = max(*(abs(int(v)).bit_length() for v in plane.normal), abs(plane.offset).bit_length())
    shift = -largest
    w = np.array([exact.decimals(exact.scaled(int(v), shift)) for v in plane.normal])
    return w, exact.decimals(exact.scaled(plane.offset, shift)), shift


def _lost(plane: Plane, w: Array, b: float) -> bool:
    """Say whether a number is so much smaller than another that it did not keep its digits."""
    small = np.abs(np.append(w, b)) < SMALL
    return bool(np.any(small & (np.append(plane.normal, plane.offset) != 0)))


def blocks(problem: Problem) -> Iterator[tuple[int, int]]:
    """Cut the rows into blocks that take a short time each."""
    size = max(1, _BLOCK * problem.n // max(entries(problem.rows), 1))
    for start in range(0, problem.n, size):
        yield start, min(start + size, problem.n)


def least(problem: Problem, plane: Plane, exactly: bool = False) -> Least:
    """Find the smallest margin ``y·(w·x + b)``.

    If very many rows may have it, and it is sure to be positive, a number just below it will do:
    by a billionth of it at most, unless it must be exact.
    """
    w, b, shift = nearest_floats(plane)
    if _lost(plane, w, b):
        low = high = np.nan
    else:
        spans = [kernel.least(problem.rows, problem.y, *block, w, b) for block in blocks(problem)]
        low, high = (float(np.min(ends)) for ends in zip(*spans, strict=True))  # NaN stays NaN
    few = MANY if low > 0 and high - low <= CLOSE * low and not exactly else problem.n
    rows = candidates(problem, w, b, high, few)
    if rows is None:
        return Least(exact.scaled(1, plane.power - shift) * Fraction(low), -1, False)
    value, row = min((margin(problem, i, plane), i) for i in rows)
    return Least(value, row, True)


def candidates(problem: Problem, w: Array, b: float, limit: float, most: int) -> list[int] | None:
    """List the rows whose margin may be at most the limit; None if there are too many of them.

    If the limit is NaN, nothing is known, and all rows are listed.
    """
    if np.isnan(limit):
        return list(range(problem.n))
    found: list[int] = []
    for start, stop in blocks(problem):
        index = np.empty(min(stop - start, most), np.intp)
        count = kernel.not_above(problem.rows, problem.y, start, stop, w, b, limit, index)
        if len(found) + count > most:
            return None
        found += index[:count].tolist()
    return found


def margin(problem: Problem, i: int, plane: Plane) -> Fraction:
    """Return one row's margin exactly."""
    score = exact.dot(problem.rows, i, plane.normal, plane.power)
    return int(problem.y[i]) * (score + exact.scaled(plane.offset, plane.power))


def distance(score: Fraction, plane: Plane) -> float:
    """Return ``score/‖w‖`` for a score that is not negative, rounded down."""
    return exact.root_below(score**2 / squared_length(plane))


def squared_length(plane: Plane) -> Fraction:
    """Return ``‖w‖²``."""
    return exact.scaled(int(plane.normal.dot(plane.normal)), 2 * plane.power)


def upper_bound(problem: Problem, index: Array, weights: Any) -> float:
    """Return what no plane's margin can exceed, by the hulls' points that the weights single out.

    Two points of the two hulls are at least twice the margin apart; without an intercept, a point
    of the hull of all y·x is at least the margin away from the origin.
    """
    signs = problem.y[index]
    numbers, _ = exact.whole(np.asarray(weights, np.float64))
    sides = [signs > 0, signs < 0] if problem.fit_intercept else [np.full(len(signs), True)]
    parts = []
    for side in sides:
        share = int(numbers[side].sum())
        if share <= 0 or (numbers[side] < 0).any():
            return float("inf")
        signed = numbers[side] * signs[side].astype(np.int64).astype(object)
        parts.append((*weighted_sum(problem, index[side], signed), share))
    # One power of two and one divisor for all, so that whole numbers do.
    least_power = min(exponent for _, exponent, _ in parts)
    divisor = prod(share for *_, share in parts)
    total = sum((p << (e - least_power)) * (divisor // share) for p, e, share in parts)
    squared = exact.scaled(int(total.dot(total)), 2 * least_power) / divisor**2
    return exact.root_above(squared / (4 if problem.fit_intercept else 1))


def weighted_sum(problem: Problem, index: Array, numbers: Whole) -> tuple[Whole, int]:
    """Return ``Σ numbers_i · x_i`` over some rows, as whole numbers times a power of two."""
    part = take(problem.rows, index)
    values, exponent = exact.whole(part.values)
    if isinstance(part, Dense):
        return numbers.dot(values), exponent
    total = np.zeros(problem.n_features, object)
    np.add.at(total, part.indices, values * np.repeat(numbers, np.diff(part.indptr)))
    return total, exponent
