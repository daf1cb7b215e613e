"""S4: hyperplanes, half-spaces, projections, distances."""

from operator import attrgetter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import NotFittedError

from rosenblatt import AveragedPerceptron, Hyperplane, Perceptron
from rosenblatt.geometry import projection
from tests.conftest import whole_numbers

NUMBERS = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
VECTORS = arrays(float, 3, elements=NUMBERS).filter(lambda w: np.linalg.norm(w) > 1e-2)
POINTS = arrays(float, (5, 3), elements=NUMBERS)


def test_deck_d_projection():
    u, v = np.array([0.8, 0.6]), np.array([0.37, 0.73])
    assert u @ v == pytest.approx(0.734)
    np.testing.assert_allclose(projection(v, u), 0.734 * u)
    np.testing.assert_allclose(projection(v, 7 * u), 0.734 * u)
    with pytest.raises(ValueError, match="no direction"):
        projection(v, [0, 0])


@given(VECTORS, NUMBERS, POINTS)
def test_distances_and_projections(w, b, X):
    plane = Hyperplane(w, b)
    distance = plane.signed_distance(X)
    np.testing.assert_allclose(distance, (X @ w + b) / np.linalg.norm(w), rtol=1e-9, atol=1e-7)
    feet = plane.project(X)
    np.testing.assert_allclose(plane.signed_distance(feet), 0, atol=1e-7)  # on the plane
    np.testing.assert_allclose(np.linalg.norm(X - feet, axis=1), np.abs(distance), atol=1e-7)
    np.testing.assert_allclose(plane.distance_to_origin(), abs(b) / np.linalg.norm(w))
    np.testing.assert_array_equal(plane.side(X), np.where(X @ w + b >= 0, 1, -1))


@given(VECTORS, NUMBERS, POINTS, st.integers(-20, 20))
def test_scaling_changes_no_prediction(w, b, X, power):
    c = 2.0**power
    np.testing.assert_array_equal(Hyperplane(c * w, c * b).side(X), Hyperplane(w, b).side(X))


def test_a_positive_bias_moves_the_plane_against_w():
    w = np.array([3.0, 4.0])
    (foot,) = Hyperplane(w, 10.0).project([[0.0, 0.0]])
    np.testing.assert_allclose(foot, -2 * w / 5)


def test_canonical_form_there_and_back():
    plane = Hyperplane([2.0, 1.0], -5.5)
    assert plane.augmented().tolist() == [-5.5, 2, 1]
    back = Hyperplane.from_augmented(plane.augmented())
    assert (back.normal.tolist(), float(back.offset)) == ([2, 1], -5.5)


def test_k_planes_and_the_boundary_between_two_classes():
    X, y = whole_numbers(seed=1, n_classes=4)
    model = Perceptron(max_iter=5, tol=None).fit(X, y)
    planes = model.hyperplane_
    assert len(planes) == 4
    np.testing.assert_allclose(planes.score(X), model.decision_function(X))
    np.testing.assert_allclose(planes.score(sp.csr_matrix(X)), model.decision_function(X))
    scores = model.decision_function(X)
    boundary = planes.between(2, 0)
    np.testing.assert_array_equal(boundary.normal, model.coef_[2] - model.coef_[0])
    np.testing.assert_array_equal(boundary.side(X) > 0, scores[:, 2] >= scores[:, 0])
    assert planes.project(X).shape == (len(X), 4, 7)
    alone = Hyperplane(model.coef_[1], model.intercept_[1]).project(X)
    np.testing.assert_allclose(planes.project(X)[:, 1], alone, atol=1e-12)


def test_the_plane_of_two_classes():
    X, y = whole_numbers(seed=2)
    model = AveragedPerceptron().fit(X, y)
    np.testing.assert_allclose(model.hyperplane_.score(X), model.decision_function(X))
    np.testing.assert_array_equal(
        model.classes_[(model.hyperplane_.side(X) + 1) // 2], model.predict(X)
    )
    with pytest.raises(NotFittedError):
        attrgetter("hyperplane_")(Perceptron())
    with pytest.raises(ValueError, match="itself the boundary"):
        model.hyperplane_.between(0, 1)


def test_it_reads_as_an_equation():
    assert str(Hyperplane([-1.0, 0.5], 2)) == "−1·x1 + 0.5·x2 + 2 = 0"
    assert str(Hyperplane(np.ones(9), -1)).endswith("+ … (9 features) − 1 = 0")
    assert str(Hyperplane(np.eye(2), [0, 1])).count("\n") == 1


def test_huge_normals_do_not_overflow():
    plane = Hyperplane([1e300, 1e300], -1e300)
    np.testing.assert_allclose(plane.distance_to_origin(), np.sqrt(0.5))


@pytest.mark.parametrize(
    ("normal", "offset", "message"),
    [
        ([], 0, "one vector or K"),
        ([[1.0, 2]], 0, r"offset has shape \(\), but a normal of shape \(1, 2\) needs \(1,\)"),
        ([1.0, np.nan], 0, "finite"),
        ([1.0], np.inf, "finite"),
    ],
)
def test_what_is_no_plane(normal, offset, message):
    with pytest.raises(ValueError, match=message):
        Hyperplane(normal, offset)
    with pytest.raises(ValueError, match="no direction"):
        Hyperplane([0.0, 0.0], 1).signed_distance([[1.0, 2.0]])
