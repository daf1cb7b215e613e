"""The margin of an example, of a set with respect to a plane, of a set (S5)."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Hyperplane, KernelPerceptron, Perceptron, margin, separate

X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
y = np.array([0, 0, 0, 1])


def test_of_an_example_it_is_the_distance_negative_on_the_wrong_side():
    plane = Hyperplane([3.0, 4.0], -5.0)
    assert margin([3.0, 4.0], 1, plane) == 4
    assert margin([3.0, 4.0], -1, plane) == -4
    assert margin([3.0, 4.0], 1, [3.0, 4.0]) == 5


def test_of_a_set_it_is_the_smallest():
    plane = Hyperplane([1.0, 1.0], -1.2)
    signs = np.where(y == 1, 1, -1)
    expected = min(margin(x, s, plane) for x, s in zip(X, signs, strict=True))
    assert margin(X, y, plane) == margin(sp.csr_matrix(X), y, plane) == pytest.approx(expected)
    assert margin(X, y, ([1.0, 1.0], -1.2)) == pytest.approx(0.2 / np.sqrt(2))
    assert margin(X, ["no", "no", "no", "yes"], plane) == pytest.approx(expected)


def test_of_a_set_over_all_planes_none_has_more():
    best = margin(X, y)
    assert best == separate(X, y).margin == pytest.approx(1 / np.sqrt(8))
    rng = np.random.default_rng(0)
    for _ in range(200):
        assert margin(X, y, Hyperplane(rng.standard_normal(2), rng.standard_normal())) <= best
    assert margin([[1.0], [-1.0]], [1, 0], fit_intercept=False) == 1


def test_of_an_estimator():
    model = Perceptron().fit(X, np.where(y == 1, "yes", "no"))
    assert margin(X, np.where(y == 1, "yes", "no"), model) > 0
    assert margin(X[:1], ["yes"], model) < 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: margin(X, [0, 1, 1, 0]), "no hyperplane separates it; separate"),
        (lambda: margin(X, y, [1.0]), "2 features, but the plane"),
        (lambda: margin(X, y[:2], [1.0, 1.0]), "4 rows but y"),
        (lambda: margin(X, [0, 1, 2, 0], [1.0, 1.0]), "two classes"),
        (lambda: margin(X, y, [0.0, 0.0]), "not a plane"),
        (lambda: margin(X, y, KernelPerceptron().fit(X, y)), "KernelPerceptron has no hyperplane_"),
        (lambda: margin(X * np.nan, y, [1.0, 0.0]), "NaN"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
