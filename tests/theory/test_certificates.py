"""Certificates: what they refuse, how they read, and that they survive being written down."""

import json

import numpy as np
import pytest
from hypothesis import strategies as st

from rosenblatt import Hyperplane, Inseparable, Separable, separate
from rosenblatt.theory import Certificate
from tests.conftest import examples

from .data import AND, KINDS, SEEDS, XOR, confirm, example


@pytest.mark.parametrize("name", KINDS)
@examples(quick=5, full=30, seed=SEEDS, fit_intercept=st.booleans())
def test_certificates_survive_json_and_repr(name, seed, fit_intercept):
    X, y = example(name, seed)
    answer = separate(X, y, fit_intercept)
    again = Certificate.from_json(json.dumps(json.loads(answer.to_json())))
    assert again == answer
    names = {"Separable": Separable, "Inseparable": Inseparable, "Hyperplane": Hyperplane}
    assert eval(repr(answer), names) == answer
    assert again.verify(X, y)


@pytest.mark.parametrize("name", KINDS)
@examples(quick=5, full=30, seed=SEEDS, fit_intercept=st.booleans())
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


def test_certificates_cannot_be_changed():
    answer = separate(*AND)
    with pytest.raises(ValueError, match="read-only"):
        answer.support[0] = 7


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"certificate": "Separable"}', "null", '{"certificate": "Foo"}', "[" * 10**5],
)
def test_broken_json_is_refused(text):
    with pytest.raises(ValueError, match="not a certificate in JSON"):
        Certificate.from_json(text)
