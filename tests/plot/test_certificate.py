"""Pictures of certificates."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from rosenblatt import Hyperplane
from rosenblatt.plot import plot_certificate, scene
from rosenblatt.plot.certificate import _hull
from rosenblatt.theory.separate import separate

X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])
DECK_B = np.array([[-1.0, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]])
Y_B = np.array([-1, 1, 1, -1, -1, 1])


def draw(rows, y, fit_intercept=True):
    answer = separate(rows, y, fit_intercept)
    return answer, plot_certificate(answer, rows, y)


def dots(ax, label):
    (found,) = [c for c in ax.collections if c.get_label() == label]
    return np.asarray(found.get_offsets())


def segment(ax):
    (line,) = [line for line in ax.lines if "margin =" in str(line.get_label())]
    return line.get_xydata(), line.get_label()


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_separable(size):
    rng = np.random.default_rng(0)
    rows = size * (rng.normal(size=(60, 2)) + np.repeat([[0, 0], [6, 4]], 30, axis=0))
    y = np.repeat(["no", "yes"], 30)
    answer, ax = draw(rows, y)
    assert ax.get_title() == f"separable, margin {answer.margin:.3g}"
    np.testing.assert_array_equal(dots(ax, "support"), rows[answer.support])
    ends, label = segment(ax)
    assert np.isclose(np.linalg.norm(ends[1] - ends[0]), 2 * answer.margin)
    assert label == f"2·margin = {2 * answer.margin_upper:.4g}"
    distances = answer.hyperplane.signed_distance(ends)
    np.testing.assert_allclose(distances, [-answer.margin, answer.margin], rtol=1e-5)
    through = (ends[1] - ends[0]) @ [-answer.hyperplane.normal[1], answer.hyperplane.normal[0]]
    assert abs(through) < 1e-6 * size
    lines = [line for line in ax.lines if hasattr(line, "get_xy1")]
    found = sorted(float(answer.hyperplane.signed_distance(line.get_xy1())) for line in lines)
    expected = [-answer.margin, 0, answer.margin]
    np.testing.assert_allclose(found, expected, atol=1e-9 * size)


def test_the_hulls_of_four_points_meet():
    answer, ax = draw(X, XOR)
    assert ax.get_title() == "not separable: 4 points suffice"
    np.testing.assert_array_equal(dots(ax, "where the hulls meet"), [[0.5, 0.5]])
    np.testing.assert_array_equal(dots(ax, "certificate"), X[answer.points])
    hulls = [patch.get_xy()[:2].tolist() for patch in ax.patches]
    assert hulls == [[[0, 0], [1, 1]], [[0, 1], [1, 0]]]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["0", "1", "certificate", "where the hulls meet"]


@pytest.mark.parametrize(
    ("rows", "y", "meet", "count"),
    [
        ([[0.0, 0], [1, 1], [2, 2]], [0, 1, 0], [1, 1], "3 points suffice"),
        ([[0.0, 0], [4, 0], [2, 3], [2, 1]], [0, 0, 0, 1], [2, 1], "4 points suffice"),
        ([[3.0, 3], [3, 3], [1, 1], [2, 1]], [0, 1, 0, 1], [3, 3], "2 points suffice"),
    ],
)
def test_other_ways_to_meet(rows, y, meet, count):
    _, ax = draw(np.array(rows), y)
    np.testing.assert_allclose(dots(ax, "where the hulls meet"), [meet])
    assert ax.get_title() == f"not separable: {count}"


def test_separable_through_the_origin():
    answer, ax = draw(DECK_B, Y_B, False)
    assert ax.get_title() == "separable through the origin, margin 1"
    ends, label = segment(ax)
    np.testing.assert_allclose(ends, [[0, 0], [1, 0]], atol=1e-9)
    assert label == f"margin = {answer.margin_upper:.4g}"
    np.testing.assert_array_equal(dots(ax, "-1, mirrored"), -DECK_B[Y_B < 0])
    np.testing.assert_array_equal(dots(ax, "origin"), [[0, 0]])
    assert ax.patches[0].get_xy()[:2].tolist() == [[1, -2], [1, 2]]


def test_not_separable_through_the_origin():
    rows, y = np.array([[1.0, 0], [0, 1], [1, 1], [2, -1]]), [1, 1, -1, 1]
    _, ax = draw(rows, y, False)
    assert ax.get_title() == "not separable through the origin: 3 points suffice"
    np.testing.assert_array_equal(dots(ax, "-1, mirrored"), [[-1, -1]])
    np.testing.assert_array_equal(dots(ax, "origin"), [[0, 0]])
    corners = ax.patches[0].get_xy().tolist()
    assert corners[:3] == [[-1, -1], [1, 0], [0, 1]]
    # a point at the origin is on every line through it; two of a class may face each other
    assert draw(X, AND, False)[1].get_title().endswith("1 point suffices")
    across = np.array([[1.0, 0], [-1, 0], [1, 1]])
    _, ax = draw(across, [1, 1, 0], False)
    assert "0, mirrored" not in [c.get_label() for c in ax.collections]


def test_the_view_holds_everything():
    for rows, y, through in ((X, AND, False), (DECK_B, Y_B, True), (X + 1e6, XOR, False)):
        _, ax = draw(rows, y, not through)
        low, high = scene.view(ax)
        for artist in ax.collections:
            at = np.asarray(artist.get_offsets())
            assert np.all((low < at) & (at < high))


def test_an_ax_is_used_and_data_frames_name_its_axes():
    table = pd.DataFrame(X, columns=["width", "height"])
    _, ax = plt.subplots()
    assert plot_certificate(separate(table, AND), table, AND, ax=ax) is ax
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "height")


def test_what_cannot_be_drawn():
    answer = separate(X, AND)
    with pytest.raises(ValueError, match="two features, got an X of shape"):
        plot_certificate(answer, np.ones((4, 3)), AND)
    with pytest.raises(ValueError, match="not a certificate of these data: row"):
        plot_certificate(answer, X, XOR)
    with pytest.raises(ValueError, match=r"must be what separate\(X, y\) returned"):
        plot_certificate(Hyperplane([1.0, 0.0], 0.0), X, AND)
    with pytest.raises(ValueError, match="y has 3 classes"):
        plot_certificate(answer, X, [0, 1, 2, 2])
    assert plt.get_fignums() == []


def test_the_hull_of_many_points():
    spatial = pytest.importorskip("scipy.spatial")
    rows = np.random.default_rng(0).normal(size=(200, 2))
    expected = rows[spatial.ConvexHull(rows).vertices]
    found = _hull(rows)
    assert {tuple(row) for row in found} == {tuple(row) for row in expected}
    assert _hull(np.ones((3, 2))).tolist() == [[1, 1]]
    assert _hull(np.array([[0.0, 0], [1, 1], [2, 2], [3, 3]])).tolist() == [[0, 0], [3, 3]]


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_what_is_drawn_later_does_not_move_the_view(layout, caplog):
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 0, 1]
    figure, ax = plt.subplots(layout=layout)
    plot_certificate(separate(X, y), X, y, ax=ax)
    before = ax.get_xlim(), ax.get_ylim()
    ax.fill_between([-99, 99], -99, 99)
    figure.canvas.draw()
    assert (ax.get_xlim(), ax.get_ylim()) == before
    assert not caplog.records
