"""Linear threshold units (S1) and what they cannot represent (S2)."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import Inseparable, ThresholdUnit
from rosenblatt.theory.threshold import truth_table


def table_of(function, n):
    return [int(function(*bits)) for bits in product((False, True), repeat=n)]


def test_a_conjunction_has_weights_one_and_threshold_k():
    unit = ThresholdUnit.conjunction("x1", "x2", "x4")
    assert (unit.weights, unit.threshold) == ((1, 1, 0, 1), 3)
    assert str(unit) == "x1 + x2 + x4 ≥ 3"
    expected = table_of(lambda a, b, c, d: a and b and d, 4)
    assert unit.truth_table().tolist() == expected


def test_at_least_m_of_n_and_disjunction():
    unit = ThresholdUnit.at_least(2, 1, 2, 3)
    assert (unit.weights, unit.threshold) == ((1, 1, 1), 2)
    assert unit.truth_table().tolist() == table_of(lambda *bits: sum(bits) >= 2, 3)
    assert ThresholdUnit.disjunction(1, 2) == ThresholdUnit.at_least(1, 1, 2)
    assert ThresholdUnit.disjunction(1, 2).truth_table().tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("negated", ["not x2", "¬x2", "-x2", "~x2", "!x2", "NOT x2", -2])
def test_negated_inputs(negated):
    unit = ThresholdUnit.conjunction("x1", negated)
    assert str(unit) == "x1 − x2 ≥ 1"
    assert unit.truth_table().tolist() == [0, 0, 1, 0]


@given(st.lists(st.sampled_from([-1, 1]), min_size=1, max_size=6), st.integers(-1, 7))
def test_at_least_counts_true_literals(signs, m):
    unit = ThresholdUnit.at_least(m, *(s * (j + 1) for j, s in enumerate(signs)))
    for bits in product((0, 1), repeat=len(signs)):
        count = sum(bit if s > 0 else 1 - bit for bit, s in zip(bits, signs, strict=True))
        assert bool(unit(bits)) == (count >= m)


def test_names_and_more_inputs_than_used():
    unit = ThresholdUnit.disjunction("rain", "not umbrella")
    assert str(unit) == "rain − umbrella ≥ 0"
    assert unit.names == ("rain", "umbrella")
    assert ThresholdUnit.conjunction(2, n_inputs=3).weights == (0, 1, 0)


def test_columns_are_found_by_name():
    unit = ThresholdUnit.conjunction("a", "not b")
    assert unit(pd.DataFrame({"b": [0, 1], "a": [1, 1]})).tolist() == [True, False]
    with pytest.raises(ValueError, match="input 'b', which is not a column"):
        unit(pd.DataFrame({"a": [1], "c": [1]}))


def test_the_hyperplane_has_sign_of_zero_positive():
    unit = ThresholdUnit.conjunction(1, 2)
    sides = unit.hyperplane.side(truth_table(2))
    assert sides.tolist() == [-1, -1, -1, 1]
    assert unit.hyperplane.score([1, 1]) == 0


@pytest.mark.parametrize(
    ("n", "count"),
    [(1, 4), (2, 14), (3, 104), pytest.param(4, 1882, marks=pytest.mark.slow)],
)
def test_how_many_functions_are_threshold_functions(n, count):
    """Each answer is right: the unit computes the table, or the certificate holds."""
    rows, units = truth_table(n), 0
    for number in range(2 ** (2**n)):
        outputs = (number >> np.arange(2**n)) & 1
        answer = ThresholdUnit.from_truth_table(outputs)
        units += answer.separable
        if answer.separable:
            assert np.array_equal(answer.truth_table(), outputs)
            assert max(map(abs, answer.weights)) <= 3
        elif n < 4 or number % 97 == 0:
            assert answer.verify(rows, outputs)
    assert units == count


def test_exclusive_or_and_two_pairs_are_none():
    for n, function in (
        (2, lambda a, b: a != b),
        (4, lambda a, b, c, d: (a and b) or (c and d)),
    ):
        table = table_of(function, n)
        answer = ThresholdUnit.from_truth_table(table)
        assert isinstance(answer, Inseparable)
        assert answer.exact
        assert answer.verify(truth_table(n), table)


def test_weights_are_the_smallest():
    """Majority with a veto, and a function whose least weights are 2, 1, 1 (x1 or both others)."""
    table = table_of(lambda a, b, c: a or (b and c), 3)
    assert str(ThresholdUnit.from_truth_table(table)) == "2·x1 + x2 + x3 ≥ 2"
    table = table_of(lambda a, b, c: (not a) or (b and not c), 3)
    assert str(ThresholdUnit.from_truth_table(table)) == "−2·x1 + x2 − x3 ≥ −1"
    assert str(ThresholdUnit.from_truth_table([1, 1])) == "0 ≥ 0"
    assert str(ThresholdUnit.from_truth_table([0, 0])) == "0 ≥ 1"


@settings(max_examples=25)
@given(st.integers(5, 10), st.integers(0, 2**32 - 1))
def test_units_of_up_to_ten_inputs_are_found_again(n, seed):
    rng = np.random.default_rng(seed)
    outputs = truth_table(n) @ rng.integers(-9, 10, n) >= rng.integers(-9, 10)
    unit = ThresholdUnit.from_truth_table(outputs)
    assert unit.separable
    assert np.array_equal(unit.truth_table(), outputs)
    assert sum(map(abs, unit.weights)) <= 9 * n


@settings(max_examples=25)
@given(st.integers(5, 10), st.integers(0, 2**32 - 1))
def test_random_functions_are_refused_with_a_proof(n, seed):
    outputs = np.random.default_rng(seed).random(2**n) < 0.5
    answer = ThresholdUnit.from_truth_table(outputs)
    assert answer.verify(truth_table(n), outputs)


def test_a_monotone_function_that_is_none():
    """Every input has one direction, so only the solver can tell."""
    table = table_of(lambda a, b, c, d, e: (a and b) or (c and d) or (e and a), 5)
    answer = ThresholdUnit.from_truth_table(table)
    assert not answer.separable
    assert answer.verify(truth_table(5), table)


def test_other_forms_of_a_table():
    unit = ThresholdUnit.from_truth_table([0, 0, 0, 1])
    assert ThresholdUnit.from_truth_table([-1, -1, -1, 1]) == unit
    assert ThresholdUnit.from_truth_table([False, False, False, True]) == unit
    named = {(0, 0): 0, (0, 1): 0, (1, 0): 0, (1, 1): 1}
    assert ThresholdUnit.from_truth_table(named) == unit


def test_wrong_weights_of_the_solver_are_not_trusted(monkeypatch):
    from types import SimpleNamespace

    from rosenblatt.theory import threshold

    for wrong in (None, np.array([1.0, 1.0, 9.0])):
        monkeypatch.setattr(threshold, "milp", lambda *a, w=wrong, **k: SimpleNamespace(x=w))
        assert ThresholdUnit.from_truth_table([0, 1, 1, 1]).truth_table().tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ThresholdUnit.conjunction(), "name at least one input"),
        (lambda: ThresholdUnit.conjunction("x1", "not x1"), "x1 is there twice"),
        (lambda: ThresholdUnit.conjunction(0), "got 0"),
        (lambda: ThresholdUnit.conjunction(True), "got True"),
        (lambda: ThresholdUnit.conjunction(5, n_inputs=3), "x5 is not among 3 inputs"),
        (lambda: ThresholdUnit.conjunction("a", "b", n_inputs=3), "named a, b"),
        (lambda: ThresholdUnit.at_least(1.5, 1), "m must be a whole number"),
        (lambda: ThresholdUnit((0.5,), 1), "whole numbers"),
        (lambda: ThresholdUnit((1, 2), 1, ("a",)), "2 weights but 1 names"),
        (lambda: ThresholdUnit((1, 2), 1)([1, 0, 1]), "2 inputs, got shape"),
        (lambda: ThresholdUnit.from_truth_table([0, 1, 1]), "2, 4, 8"),
        (lambda: ThresholdUnit.from_truth_table([0, 2]), "true and false"),
        (lambda: ThresholdUnit.from_truth_table([0, 1] * 1024), "10 inputs, got 11"),
        (lambda: ThresholdUnit.from_truth_table({(0, 0): 1}), "needs an output for each"),
        (lambda: ThresholdUnit.conjunction("x1000000000"), "numbered up to 10,000"),
        (lambda: truth_table(40), "n must lie in 1…20"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
