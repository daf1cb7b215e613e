"""Separability: no wrong answer on thousands of data sets that can fool a solver."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st

import rosenblatt
from rosenblatt import separate

from ..conftest import LAYOUTS, examples
from .data import AND, KINDS, SEEDS, XOR, confirm, example

MANY = 10_000 // len(KINDS) + 1  # ten thousand in all


@pytest.mark.parametrize("name", KINDS)
@examples(quick=20, full=MANY, seed=SEEDS, fit_intercept=st.booleans())
def test_answers_are_proved_in_plain_fractions(name, seed, fit_intercept):
    X, y = example(name, seed)
    answer = separate(X, y, fit_intercept)
    confirm(answer, X, y)
    assert answer.verify(X, y), str(answer.verify(X, y))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", ["small_integers", "one_hot"])
def test_every_layout_gets_the_same_answer(layout, dtype, kind):
    for seed in range(20):
        X, y = example(kind, seed)
        answer, plain = separate(LAYOUTS[layout](X.astype(dtype)), y), separate(X, y)
        assert answer.separable == plain.separable
        assert answer.verify(X, y)
        if answer.separable:
            assert answer.margin == pytest.approx(plain.margin, rel=1e-6)


def test_and_has_a_margin_and_exclusive_or_a_proof():
    answer = separate(*AND)
    assert answer.separable is True
    assert answer.margin == pytest.approx(1 / np.sqrt(8), rel=1e-9)
    assert answer.support.tolist() == [1, 2, 3]
    answer = separate(*XOR)
    assert answer.separable is False
    assert answer.points.tolist() == [0, 1, 2, 3]
    assert answer.weights.tolist() == [0.5] * 4
    assert answer.meeting_point(*XOR).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_conflict_of_two_equal_rows_is_named(fit_intercept):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 20))
    y = (X[:, 0] > 0).astype(int)
    X[17], X[17, 3], X[444, 3] = X[444], -0.0, 0.0
    y[17], y[444] = 0, 1
    for data in (X, X.astype("f4"), sp.csr_matrix(X), sp.csc_matrix(X)):
        answer = separate(data, y, fit_intercept)
        assert answer.points.tolist() == [17, 444]
        assert answer.verify(data, y)


def test_names_and_numbers_are_labels():
    X, y = AND
    answer = separate(X.tolist(), ["no", "no", "no", "yes"])
    assert answer.hyperplane.side(X).tolist() == [-1, -1, -1, 1]
    assert "'yes' on its positive side" in str(answer)
    other = separate(X, y.astype(bool))
    assert other.classes == ("False", "True")
    assert np.array_equal(other.hyperplane.normal, answer.hyperplane.normal)


def test_without_an_intercept_the_origin_decides():
    X, y = np.array([[1.0, 1.0], [2.0, 2.0]]), [0, 1]
    assert separate(X, y).separable
    answer = separate(X, y, fit_intercept=False)
    assert not answer.separable
    assert answer.weights.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert "origin" in str(answer)
    assert separate(X - 1.5, y, fit_intercept=False).hyperplane.offset == 0


def test_the_zero_row_needs_an_intercept():
    X, y = [[0.0], [1.0]], [0, 1]
    assert separate(X, y).margin == 0.5
    assert separate(X, y, fit_intercept=False).points.tolist() == [0]


def test_one_ulp_is_a_margin():
    X, y = np.array([[1.0], [1 + 2.0**-52]]), [0, 1]
    answer = separate(X, y)
    assert answer.margin == answer.margin_upper == 2.0**-53
    assert answer.whole is not None
    assert answer.verify(X, y)
    assert "more digits" in str(answer)
    # Scaled up, the plane separates in floats, too, if they are added exactly.
    w, b = float(answer.hyperplane.normal[0]), float(answer.hyperplane.offset)
    assert Fraction(w) + Fraction(b) < 0 < Fraction(w) * Fraction(1 + 2.0**-52) + Fraction(b)


def test_larger_data_dense_and_sparse():
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((6000, 12)), 2)
    score = X @ rng.standard_normal(12) + 0.5
    keep = np.abs(score) > 0.2
    X, y = X[keep], score[keep] > 0
    answer, sparse = separate(X, y), separate(sp.csr_matrix(X), y)
    assert answer.verify(X, y)
    assert sparse.verify(X, y)
    assert answer.margin == pytest.approx(sparse.margin, rel=2e-6)
    y[100] = not y[100]
    answer = separate(X, y)
    assert len(answer.points) <= 14
    assert answer.verify(sp.csr_matrix(X), y)


def test_wide_sparse_data_take_the_other_way():
    rng = np.random.default_rng(0)
    X = sp.random(2200, 9000, density=0.002, format="csr", rng=rng)
    X = X[[7 if row == 5 else row for row in range(2200)]]
    y = (X @ rng.standard_normal(9000) > 0).astype(int)
    y[5], y[7] = 0, 1
    answer = separate(X, y)
    assert answer.points.tolist() == [5, 7]
    assert answer.verify(X, y)
    y[5] = 1
    answer = separate(X, y)
    assert answer.separable
    assert answer.margin_upper <= answer.margin * (1 + 1e-6)
    assert answer.verify(X, y)


def test_two_rows_a_hair_apart():
    """Margins that floats can hardly write down."""
    for X in ([[0.0], [5e-324]], [[1e-318, 0], [-1e-318, 1e-318]], [[1e256, 1e-273], [1e256, 0]]):
        answer = separate(np.array(X), [0, 1])
        assert answer.separable
        assert answer.verify(X, [0, 1])


def test_zero_rows():
    X = np.array([[0.0, 0], [0, 0], [1, 1], [2, 2]])
    for y in ([0, 1, 0, 1], [0, 0, 1, 1]):
        for fit_intercept in (True, False):
            answer = separate(X, y, fit_intercept)
            confirm(answer, X, np.where(y, 1, -1))
            assert answer.verify(X, y)


def test_numbers_that_are_zero_modulo_a_prime():
    p = 67108859.0
    X = np.array([[0, 0, 0], [0, p, p], [1, 1, 2], [1, 1 + p, 2 + p]])
    answer = separate(X, [0, 1, 1, 0])
    assert not answer.separable
    assert answer.verify(X, [0, 1, 1, 0])


def test_nearly_dependent_features_far_away():
    """Six hundred directions of very different size: separable, if by very little."""
    rng = np.random.default_rng(0)
    n, d = 120, 160
    U = np.linalg.qr(rng.standard_normal((d, d)))[0][:n, :n]
    V = np.linalg.qr(rng.standard_normal((d, d)))[0][:n]
    X = (U * 10.0 ** -np.linspace(0, 12, n)) @ V + 10
    y = rng.choice([-1, 1], n)
    answer = separate(X, y)
    assert answer.separable
    assert answer.verify(X, y)


def test_data_frames_are_not_rounded_on_the_way():
    frame = pd.DataFrame({"a": [2**60, 2**60 + 1], "b": [0.5, 0.5]})
    with pytest.raises(ValueError, match="1152921504606846977, which float64 cannot hold exactly"):
        separate(frame, [0, 1])
    frame = pd.DataFrame({"a": ["1", "2"], "b": [0.5, 1]})
    assert separate(frame, pd.Series(["x", "y"])).separable
    assert separate(frame, pd.DataFrame({"y": [0, 1]})).separable
    with pytest.raises(ValueError, match="NaN at row 1, column 0"):
        separate(pd.DataFrame({"a": pd.array([1, None], "Int64")}), [0, 1])


def test_the_largest_numbers_there_are():
    for y in ([0, 1, 1, 0], [0, 0, 0, 1]):
        assert separate(AND[0] * 1.7e308, y).verify(AND[0] * 1.7e308, y)


def test_numbers_at_the_ends_of_the_range():
    X = np.array([[1.0, 2], [2, 1], [5, 6], [6, 5]])
    for scale in (1e-310, 1e-300, 1e150, 2.5e307):
        answer = separate(X * scale, [0, 0, 1, 1])
        assert answer.verify(X * scale, [0, 0, 1, 1])
        assert str(rosenblatt.mistake_bound(X * scale, [0, 0, 1, 1]))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [0, 0], "one class only"),
        ([[1.0], [np.nan]], [0, 1], "NaN at row 1, column 0"),
        ([[1.0], [np.inf]], [0, 1], r"contains infinity \(inf\) at row 1"),
        ([[1.0], [-np.inf]], [0, 1], r"contains minus infinity \(-inf\) at row 1"),
        ([[1.0], [2.0]], [0, 1, 1], "2 rows but y has 3 labels"),
        ([1.0, 2.0], [0, 1], "two dimensions"),
        ([], [], "shape"),
        ([["a"], ["b"]], [0, 1], "must hold numbers"),
        ([[1.0], [2.0]], [0, None], "None at row 1"),
        ([[2**53 + 1], [0]], [0, 1], "cannot hold exactly"),
        ([[1 + 2j], [0]], [0, 1], "must hold real numbers"),
    ],
)
def test_bad_input_is_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        separate(X, y)


def test_fit_intercept_must_be_a_flag():
    with pytest.raises(ValueError, match="fit_intercept must be True or False, got 'no'"):
        separate(*AND, fit_intercept="no")


def test_it_tells_how_far_it_is_if_asked(capsys):
    separate(*AND)
    assert capsys.readouterr().err == ""
    separate(*AND, verbose=True)
    assert "separate: 4 of 4 rows matter so far; margin at most 0.353553" in (
        capsys.readouterr().err
    )


def test_nothing_given_is_changed():
    X, y = example("separable", 3)
    before = X.copy(), y.copy()
    rosenblatt.separate(X, y)
    rosenblatt.mistake_bound(X, y)
    assert np.array_equal(before[0], X)
    assert np.array_equal(before[1], y)


@pytest.mark.parametrize(("labels", "hint"), [([0, 1, 2], "y == 0"), (["a", "b", "c"], "y == 'a'")])
def test_a_question_of_two_classes_names_them_as_they_are(labels, hint):
    for ask in (rosenblatt.margin, rosenblatt.mistake_bound):
        with pytest.raises(ValueError, match=f"y has 3 classes.* for example with {hint}$"):
            ask([[1.0], [2.0], [3.0]], labels)
