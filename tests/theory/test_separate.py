"""Separability: no wrong answer on ten thousand data sets that can fool a solver."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt
from rosenblatt import Hyperplane, Inseparable, Separable, separate
from rosenblatt.theory.certificates import Certificate

from ..conftest import LAYOUTS
from .data import KINDS, confirm, example

SEEDS = st.integers(0, 2**32 - 1)
EACH = 10_000 // len(KINDS) + 1  # ten thousand in all
AND = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])
XOR = AND[0], np.array([0, 1, 1, 0])


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=EACH)
@given(seed=SEEDS, fit_intercept=st.booleans())
def test_every_answer_is_proved_in_plain_fractions(name, seed, fit_intercept):
    X, y = example(name, seed)
    answer = separate(X, y, fit_intercept)
    confirm(answer, X, y)
    assert answer.verify(X, y), str(answer.verify(X, y))


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=30)
@given(seed=SEEDS, fit_intercept=st.booleans())
def test_certificates_survive_json_and_repr(name, seed, fit_intercept):
    X, y = example(name, seed)
    answer = separate(X, y, fit_intercept)
    again = Certificate.from_json(json.dumps(json.loads(answer.to_json())))
    assert again == answer
    names = {"Separable": Separable, "Inseparable": Inseparable, "Hyperplane": Hyperplane}
    assert eval(repr(answer), names) == answer
    assert again.verify(X, y)


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=30)
@given(seed=SEEDS, fit_intercept=st.booleans())
def test_other_labels_are_refused(name, seed, fit_intercept):
    X, y = example(name, seed)
    answer = separate(X, y, fit_intercept)
    key = answer.support if answer.separable else answer.points
    other = y.copy()
    other[key[0]] *= -1
    verdict = answer.verify(X, other)
    if answer.separable:
        assert not verdict
    elif verdict:  # a proof of the other data as well, if the other weights are the same
        confirm(answer, X, other)
    assert verdict.reason


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


def test_what_does_not_fit_is_refused_with_the_reason():
    X, y = AND
    plane, meeting = separate(X, y), separate(*XOR)
    assert str(plane.verify(X, y)).startswith("verified (exact): all 4 points")
    for certificate, data, reason in [
        (plane, (X[:, :1], y), "1 features, and the plane has 2"),
        (plane, (X[:3], y[:3]), "one class only"),
        (plane, (X + 9, y), "wrong side"),
        (plane, (X, 1 - y), "the labels seem to be swapped"),
        (plane, (X + np.array([[0], [1], [0], [0]]) * [0, 0.25], y), "row 1 is 0.17677"),
        (plane, (X[1:], y[1:]), "support points are not among the rows"),
        (plane, (X - np.array([[0], [1], [0], [0]]) * [0, 0.01], y), "allow margins up to"),
        (meeting, (X[:3], [0, 1, 1]), "not among the 3 rows"),
        (meeting, (X[:, :1], [0, 1, 1, 0]), "3 points are enough, and here are 4"),
        (meeting, (X, [0, 0, 1, 1]), "do not meet"),
        (meeting, (X * [[1], [1], [1], [np.nan]], [0, 1, 1, 0]), "NaN at row 3"),
        (meeting, (X * [[1, 1], [1, 2], [1, 1], [1, 2]], [0, 1, 1, 0]), ""),
    ]:
        verdict = certificate.verify(*data)
        assert bool(verdict) == (reason == "")
        assert reason in str(verdict)


@pytest.mark.parametrize(
    "change",
    [
        {"margin": 0.36, "margin_upper": 0.37},
        {"margin": 0.34, "margin_upper": 0.35},
        {"support": [0, 1, 3]},
        {"support": [1, 2, 4]},
        {"weights": [0.5, 0.6, 1.0]},
        {"hyperplane": Hyperplane([1.0, 1.0], -1.0)},
        {"fit_intercept": False},
    ],
)
def test_a_forged_plane_is_refused(change):
    answer = separate(*AND)
    parts = {**vars(answer), **change}
    assert not Separable(**parts).verify(*AND)


@pytest.mark.parametrize(
    "change",
    [
        {"points": [0, 1, 2, 4]},
        {"weights": [0.4, 0.5, 0.5, 0.6]},
        {"weights": [0.0, 0.5, 0.5, 1.0]},
        {"weights": [1e-300] * 4, "residual": 1e-13},
        {"fit_intercept": False},
    ],
)
def test_a_forged_meeting_is_refused(change):
    parts = {**vars(separate(*XOR)), **change}
    assert not Inseparable(**parts).verify(*XOR)


@pytest.mark.parametrize(
    "change",
    [
        {"points": [0, 1, 2, 2]},
        {"points": [-1, 0, 1, 2]},
        {"points": [0, 1, 2]},
        {"points": [0.5, 1, 2, 3]},
        {"points": [[0, 1], [2, 3]]},
        {"points": [2**70, 0, 1, 2]},
        {"weights": [np.nan] * 4},
        {"weights": [0.5]},
        {"weights": [-0.5, 0.5, 0.5, 1.5]},
        {"residual": np.nan},
        {"residual": None},
        {"fit_intercept": "yes"},
    ],
)
def test_what_is_no_certificate_cannot_be_made(change):
    parts = {**vars(separate(*XOR)), **change}
    with pytest.raises((ValueError, TypeError)):
        Inseparable(**parts)


@pytest.mark.parametrize(
    "change",
    [
        {"margin": np.nan},
        {"margin": 1.0},
        {"margin": "wide"},
        {"margin_upper": None},
        {"whole": [1, 2]},
        {"whole": ["x", "y", "z"]},
        {"hyperplane": Hyperplane([[1.0, 2.0]], [0.0])},
        {"hyperplane": Hyperplane([1, 2], 0)},
        {"support": []},
        {"weights": [1.0]},
    ],
)
def test_what_is_no_plane_cannot_be_made(change):
    parts = {**vars(separate(*AND)), **change}
    with pytest.raises((ValueError, TypeError)):
        Separable(**parts)


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


def test_a_numerical_answer_says_so():
    answer = Inseparable([0, 1, 2, 3], [0.5, 0.5, 0.5, 0.5], residual=1e-14)
    assert "numerical, residual 1e-14" in str(answer)
    assert not answer.exact
    verdict = answer.verify(*XOR)
    assert verdict
    assert not verdict.exact
    assert not answer.verify(XOR[0] * [[1], [1], [1], [1.001]], XOR[1])
    assert not Inseparable([1, 2, 3], [0.5, 0.5, 1.0], residual=1.0).verify(*AND)


def test_an_answer_is_true_if_separable():
    assert separate(*AND)
    assert not separate(*XOR)


def test_data_frames_are_not_rounded_on_the_way():
    frame = pd.DataFrame({"a": [2**60, 2**60 + 1], "b": [0.5, 0.5]})
    with pytest.raises(ValueError, match="1152921504606846977, which float64 cannot hold exactly"):
        separate(frame, [0, 1])
    frame = pd.DataFrame({"a": ["1", "2"], "b": [0.5, 1]})
    assert separate(frame, pd.Series(["x", "y"])).separable
    assert separate(frame, pd.DataFrame({"y": [0, 1]})).separable
    with pytest.raises(ValueError, match="NaN at row 1, column 0"):
        separate(pd.DataFrame({"a": pd.array([1, None], "Int64")}), [0, 1])


def test_certificates_cannot_be_changed():
    answer = separate(*AND)
    with pytest.raises(ValueError, match="read-only"):
        answer.support[0] = 7


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
    "text",
    ["", "[]", "{}", '{"certificate": "Separable"}', "null", '{"certificate": "Foo"}', "[" * 10**5],
)
def test_broken_json_is_refused(text):
    with pytest.raises(ValueError, match="no certificate in JSON"):
        Certificate.from_json(text)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [0, 0], "one class only"),
        ([[1.0], [2.0], [3.0]], [0, 1, 2], "3 classes"),
        ([[1.0], [np.nan]], [0, 1], "NaN at row 1, column 0"),
        ([[1.0], [np.inf]], [0, 1], "inf"),
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
