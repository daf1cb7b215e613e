"""Exact arithmetic, and the proofs in floating point that stand in for it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt.theory import exact, exact_planes, hulls
from rosenblatt.theory.problem import as_problem
from tests.conftest import examples

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def matrices(n_min, n_max, values):
    return st.integers(n_min, n_max).flatmap(
        lambda n: st.lists(st.lists(values, min_size=n, max_size=n), min_size=n, max_size=n)
    )


@given(st.lists(FLOATS, min_size=1, max_size=8))
def test_floats_are_whole_numbers_times_a_power_of_two(values):
    numbers, power = exact.whole(np.array(values))
    assert [exact.scaled(int(n), power) for n in numbers] == [Fraction(v) for v in values]


@given(st.fractions(min_value=0, max_denominator=10**30))
def test_roots_are_rounded_outward(value):
    low, high = exact.root_below(value), exact.root_above(value)
    assert Fraction(low) ** 2 <= value <= Fraction(high) ** 2
    assert high <= np.nextafter(np.nextafter(low, np.inf), np.inf)


@pytest.mark.parametrize("few", [0, 16])
@examples(quick=50, full=150, A=matrices(1, 6, st.integers(-(10**6), 10**6)), data=st.data())
def test_systems_are_solved_exactly_by_both_methods(few, A, data):
    b = data.draw(st.lists(st.integers(-99, 99), min_size=len(A), max_size=len(A)))
    matrix, right = np.array(A, object), np.array(b, object)
    before, exact.FEW = exact.FEW, few
    try:
        solution = exact.solve(matrix, right)
    finally:
        exact.FEW = before
    if solution is None:
        assert determinant([[Fraction(v) for v in row] for row in A]) == 0
    else:
        numbers, divisor = solution
        assert divisor > 0
        assert (matrix.dot(numbers) == divisor * right).all()


def determinant(rows):
    if not rows:
        return Fraction(1)
    minors = ([row[:j] + row[j + 1 :] for row in rows[1:]] for j in range(len(rows)))
    return sum((-1) ** j * rows[0][j] * determinant(m) for j, m in enumerate(minors) if rows[0][j])


@pytest.mark.parametrize("n", [20, 60])
def test_many_unknowns_with_all_digits(n):
    rng = np.random.default_rng(n)
    matrix, _ = exact.whole(rng.standard_normal((n, n)))
    right, _ = exact.whole(rng.standard_normal(n))
    numbers, divisor = exact.solve(matrix, right)
    assert (matrix.dot(numbers) == divisor * right).all()
    null = exact.null_vector(np.column_stack([matrix, right]))
    assert not np.column_stack([matrix, right]).dot(null).any()


def test_regular_matrices_have_no_null_vector():
    assert exact.null_vector(np.array([[1, 2], [3, 4]], object)) is None
    assert exact.null_vector(np.array([[0, 0]], object)).any()


@examples(quick=60, full=300, seed=st.integers(0, 2**32 - 1))
def test_a_proof_in_floats_is_never_wrong(seed):
    """Nearly dependent equations, where rounding decides the sign of a solution."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    A = rng.standard_normal((n, n + 1))
    A[-1] = A[0] + 10.0 ** -rng.integers(1, 17) * rng.standard_normal(n + 1)
    proved = hulls._enclosed(A)
    assume(proved is not None and np.all(proved[0] > 2 * proved[1]))
    weights = hulls._solved(hulls._whole_system(A))
    assert weights is not None
    found, error = proved
    last = int(np.flatnonzero(found == found.max())[0])  # the one that was fixed
    true = np.array([float(w / weights[last]) for w in weights]) * found[last]
    assert np.all(np.abs(true - found) <= error * (1 + 1e-9) + 1e-15)


@examples(quick=60, full=300, seed=st.integers(0, 2**32 - 1))
def test_the_smallest_margin_is_never_overstated(seed):
    """Scores in which nearly everything cancels."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 400)), int(rng.integers(1, 5))
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 9)
    w = rng.standard_normal(d)
    X[:, 0] -= (X @ w) / w[0] * (rng.random(n) < 0.9)
    y = np.where(np.arange(n) % 2, 1, -1)
    problem, plane = as_problem(X, y), exact_planes.plane_of(w, float(rng.standard_normal() * 1e-9))
    rows = rng.permutation(n)[:40].tolist()
    true = min(exact_planes.margin(problem, i, plane) for i in (range(n) if n < 60 else rows))
    assert exact_planes.least(problem, plane).value <= true
    exactly = exact_planes.least(problem, plane, exactly=True)
    assert exactly.value <= true
    assert exactly.value == exact_planes.margin(problem, exactly.row, plane)


def test_weights_far_smaller_than_others_keep_their_say():
    """Rounded to one scale the first weight would vanish, and with it the sign."""
    X, y = np.array([[1e300, 1e-300], [-1e300, -1e-300]]), [1, -1]
    plane = exact_planes.Plane(np.array([-1, 1 << 1100], object), 0, 0)
    assert exact_planes.least(as_problem(X, y), plane).value < 0


def test_upper_bounds_need_weights_that_are_not_negative():
    problem = as_problem([[0.0], [1.0]], [0, 1])
    assert exact_planes.upper_bound(problem, np.array([0, 1]), [1.0, 1.0]) == 0.5
    assert exact_planes.upper_bound(problem, np.array([0, 1]), [1.0, -1.0]) == np.inf
    assert exact_planes.upper_bound(problem, np.array([0, 0]), [1.0, 1.0]) == np.inf
