"""Pictures of a line, its normal and its margin."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from matplotlib.patches import Polygon

from rosenblatt import Hyperplane, KernelPerceptron, NearestCentroid, Perceptron
from rosenblatt.plot import plot_boundary, plot_hyperplane, scene

X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
AND = np.array([0, 0, 0, 1])
PLANE = Hyperplane([3.0, 4.0], -5.0)


def arrow(ax):
    """Return tail and tip of the normal vector."""
    (note,) = [text for text in ax.texts if getattr(text, "arrowprops", None)]
    return np.array(note.xyann), np.array(note.xy)


def ends(line):
    return np.array([line.get_xy1(), line.get_xy2()])


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def rings(ax, label="mistaken"):
    return [c.get_offsets().tolist() for c in ax.collections if c.get_label() == label]


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e5])
def test_the_line_is_on_the_plane_and_the_normal_is_perpendicular(size, shift):
    points = size * (X + shift)
    plane = Hyperplane([3.0, 4.0], -5.0 * size - 7.0 * size * shift)
    ax = plot_hyperplane(plane, points, AND)
    on_line = ends(ax.lines[0])
    np.testing.assert_allclose(
        plane.signed_distance(on_line), 0, atol=1e-12 * size * (1 + abs(shift))
    )
    tail, tip = arrow(ax)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    np.testing.assert_allclose(tail, plane.project(middle), atol=1e-9 * size * (1 + abs(shift)))
    direction, along = tip - tail, on_line[1] - on_line[0]
    assert direction @ plane.normal > 0
    cosine = direction @ along / np.linalg.norm(direction) / np.linalg.norm(along)
    assert abs(cosine) < 1e-6
    assert np.linalg.norm(direction) > 0.1 * size
    # and it looks so: both axes have the same scale
    ax.figure.canvas.draw()
    (x, y), (right, up) = ax.transData.transform([tail, tip])
    seen = np.array([right - x, up - y])
    np.testing.assert_allclose(seen / np.linalg.norm(seen), [0.6, 0.8], atol=1e-3)


def test_the_band_is_at_the_margin():
    ax = plot_hyperplane(PLANE, X, AND, margin=0.25)
    distances = [PLANE.signed_distance(ends(line)) for line in ax.lines]
    np.testing.assert_allclose(distances, [[0, 0], [0.25, 0.25], [-0.25, -0.25]], atol=1e-12)
    (band,) = [child for child in ax.get_children() if isinstance(child, Polygon)]
    np.testing.assert_allclose(np.abs(PLANE.signed_distance(band.get_xy())), 0.25)
    assert texts(ax) == ["0", "1", "w·x + b = 0", "margin 0.25"]


def test_rows_on_the_wrong_side_are_ringed_as_predict_says():
    model = Perceptron(shuffle=False).fit(X, AND)
    assert rings(plot_hyperplane(model, X, AND)) == []
    assert rings(plot_hyperplane(model, X, [0, 0, 1, 1])) == [[[1, 0]]]
    assert rings(plot_hyperplane(model, X, [0, 0, 1, 1], mistakes=False)) == []
    # a row on the line counts as positive
    assert rings(plot_hyperplane(Hyperplane([1.0, 0.0], 0.0), X, [0, 1, 1, 1])) == [[[0, 0]]]
    # a model knows its classes, also if y has one of them only
    assert rings(plot_hyperplane(model, X[:2], [1, 1])) == [[[0, 0], [0, 1]]]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_name_the_axes(frame):
    table = frame({"width": X[:, 0], "height": X[:, 1]})
    ax = plot_hyperplane(PLANE, table, AND)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "height")


def test_an_ax_is_used_and_keeps_what_it_shows():
    _, ax = plt.subplots()
    model = Perceptron(shuffle=False).fit(X, AND)
    plot_boundary(model, X, AND, ax=ax)
    before = scene.view(ax)
    assert plot_hyperplane(model, ax=ax) is ax
    after = scene.view(ax)
    assert np.all(after[0] <= before[0] + 1e-9)
    assert np.all(after[1] >= before[1] - 1e-9)


def test_shared_axes():
    _, axes = plt.subplots(1, 2, sharex=True, sharey=True)
    for ax in axes:
        plot_hyperplane(PLANE, X, AND, ax=ax)
    axes[0].figure.canvas.draw()
    assert axes[0].get_xlim() == axes[1].get_xlim()


def test_the_line_alone_and_rows_without_labels():
    ax = plot_hyperplane(PLANE, margin=1)
    assert texts(ax) == ["w·x + b = 0", "margin 1"]
    low, high = scene.view(ax)
    tail, tip = arrow(ax)
    assert np.all((low < tail) & (tail < high) & (low < tip) & (tip < high))
    ax = plot_hyperplane(PLANE, sp.csr_matrix(X))
    assert ax.collections[0].get_offsets().tolist() == X.tolist()
    plot_hyperplane(Hyperplane([1.0, 0.0], 0.0), np.zeros((1, 2)))


def test_a_line_far_off():
    near = plot_hyperplane(Hyperplane([0.0, 1.0], -1.9), X, AND)
    low, high = scene.view(near)
    assert np.all((low < arrow(near)[1]) & (arrow(near)[1] < high))
    far = plot_hyperplane(Hyperplane([0.0, 1.0], -100.0), X, AND)
    assert [text.get_text() for text in far.texts] == ["the line is out of sight"]
    assert scene.view(far)[1][1] < 3


def test_the_legend_hides_no_dot():
    rng = np.random.default_rng(0)
    for labels in (AND, [0, 1, 1, 0]):
        ax = plot_hyperplane(PLANE, X, labels, margin=0.1)
        assert hidden(ax, X) == 0
    crowd = rng.uniform(size=(300, 2))
    ax = plot_hyperplane(PLANE, crowd, crowd @ PLANE.normal > 3)
    assert hidden(ax, crowd) == 0


def hidden(ax, rows):
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    return box.count_contains(ax.transData.transform(rows))


def test_what_cannot_be_drawn():
    with pytest.raises(ValueError, match="two features, got an X of shape"):
        plot_hyperplane(PLANE, X[:, :1], AND)
    with pytest.raises(ValueError, match="a line needs two features, and the plane has 3"):
        plot_hyperplane(Hyperplane([1.0, 0, 0], 0.0))
    with pytest.raises(ValueError, match="y has 3 classes"):
        plot_hyperplane(PLANE, X, [0, 1, 2, 2])
    with pytest.raises(ValueError, match="one class only"):
        plot_hyperplane(PLANE, X, [0, 0, 0, 0])
    with pytest.raises(ValueError, match="X has 4 rows but y has the shape"):
        plot_hyperplane(PLANE, X, [0, 1])
    with pytest.raises(ValueError, match="give X too"):
        plot_hyperplane(PLANE, y=AND)
    with pytest.raises(ValueError, match="contains NaN at row 0, column 1"):
        plot_hyperplane(PLANE, [[0.0, np.nan]])
    with pytest.raises(ValueError, match="there are 3 planes here"):
        plot_hyperplane(Perceptron(max_iter=3, tol=None).fit(X, [0, 1, 2, 2]), X)
    with pytest.raises(ValueError, match="must be a Hyperplane, weights w, a pair"):
        plot_hyperplane("AND", X, AND)
    for model in (KernelPerceptron(), NearestCentroid("manhattan")):
        with pytest.raises(ValueError, match=r"this .* has no hyperplane_: .* no linear model"):
            plot_hyperplane(model.fit(X, AND), X, AND)
    with pytest.raises(ValueError, match="this Perceptron has no hyperplane_: it is not fitted"):
        plot_hyperplane(Perceptron(), X, AND)
    with pytest.raises(ValueError, match="margin must be a distance"):
        plot_hyperplane(PLANE, X, AND, margin=-1)
    with pytest.raises(ValueError, match="this is not a plane"):
        plot_hyperplane(Hyperplane([0.0, 0.0], 1.0), X, AND)
    assert plt.get_fignums() == []
