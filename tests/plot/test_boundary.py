"""Pictures of decision regions."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.contour import ContourSet
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.plot import plot_boundary, scene

X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])


def test_mistakes_are_ringed_and_the_ax_is_used():
    model = Perceptron().fit(X, [0, 0, 0, 1])
    _, ax = plt.subplots()
    assert plot_boundary(model, X, [0, 0, 1, 1], ax=ax) is ax
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["0", "1", "mistaken"]
    (rings,) = [c for c in ax.collections if c.get_label() == "mistaken"]
    np.testing.assert_array_equal(rings.get_offsets(), [[1, 0]])
    plot_boundary(model, X, [0, 0, 1, 1], ax=plt.subplots()[1], mistakes=False)
    assert "mistaken" not in [c.get_label() for c in plt.gca().collections]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_name_the_axes(frame):
    table = frame({"width": X[:, 0], "height": X[:, 1]})
    model = make_pipeline(StandardScaler(), Perceptron()).fit(table, [0, 0, 0, 1])
    ax = plot_boundary(model, table, [0, 0, 0, 1])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "height")


@pytest.mark.parametrize("predict_with", ["vote", "average", "last"])
def test_the_regions_of_a_kernel_perceptron(predict_with):
    model = KernelPerceptron(gamma=2, predict_with=predict_with)
    ax = plot_boundary(model.fit(X, [0, 1, 1, 0]), X, [0, 1, 1, 0], resolution=50)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1"]  # no mistake
    (lines,) = [c for c in ax.collections if isinstance(c, ContourSet) and not c.filled]
    assert len(lines.get_paths()[0].to_polygons(closed_only=False)) == 2  # no plane could do it


def test_many_classes_have_colours():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(12), 5)
    points = rng.normal(size=(60, 2)) + np.c_[np.cos(y / 2), np.sin(y / 2)] * 9
    ax = plot_boundary(Perceptron().fit(points, y), points, y, mistakes=False)
    assert len(ax.get_legend().get_texts()) == 12


def test_what_cannot_be_drawn():
    model = Perceptron().fit(X, [0, 0, 0, 1])
    with pytest.raises(ValueError, match="two features, got an X of shape"):
        plot_boundary(model, X[:, :1], [0, 0, 0, 1])
    with pytest.raises(ValueError, match=r"label 'no', but the model knows \[0, 1\]"):
        plot_boundary(model, X, ["no"] * 4)
    with pytest.raises(ValueError, match="X has 4 rows but y has the shape"):
        plot_boundary(model, X, None)


def luminance(colour):
    """That of WCAG 2: from 0 for black to 1 for white."""
    parts = np.array(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_eight_classes_are_eight_colours_that_are_seen_on_white():
    colours = scene.colours(8)
    assert len({to_hex(colour) for colour in colours}) == len(set(scene.MARKERS)) == 8
    assert all(1.05 / (luminance(colour) + 0.05) > 2 for colour in colours)
    apart = [np.linalg.norm(np.subtract(*map(to_rgb, pair))) for pair in combinations(colours, 2)]
    assert min(apart) > 0.25
