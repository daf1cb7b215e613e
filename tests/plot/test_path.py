"""Pictures of the path of nearest shrunken centroids."""

from itertools import pairwise
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rosenblatt import NearestCentroid
from rosenblatt.learners.closed_form.centroid import Path
from rosenblatt.plot import plot_path


def path(thresholds, errors, n_features):
    found = Path(*map(np.array, (thresholds, errors, n_features)))
    return SimpleNamespace(path_=found, threshold_=found.best)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def counts(ax):
    """Return the figures on top, from left to right, as they are drawn."""
    ax.figure.canvas.draw()
    (top,) = ax.child_axes
    return sorted(top.get_xticklabels(), key=lambda label: label.get_position()[0])


def test_errors_features_and_the_choice():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 40))
    X[:, :4] += 2 * y[:, None]
    model = NearestCentroid(shrink_threshold="cv").fit(X, y)
    _, ax = plt.subplots()
    assert plot_path(model, ax=ax) is ax
    np.testing.assert_array_equal(ax.lines[0].get_xydata().T, model.path_[:2])
    ((x, error),) = ax.collections[0].get_offsets()
    assert (x, error) == (model.threshold_, model.path_.errors.min())
    chosen = f"chosen: {model.threshold_:.3g}, with {model.n_features_left_} features"
    assert legend(ax) == ["cross-validation", chosen]
    assert ax.get_xlabel() == "threshold"
    left = [int(label.get_text()) for label in counts(ax)]
    assert left == sorted(left, reverse=True)
    assert {left[0], left[-1]} <= set(model.path_.n_features.tolist())
    assert model.n_features_left_ in left  # the chosen one has its figure


def test_thresholds_in_any_order_are_drawn_from_left_to_right():
    ax = plot_path(path([3.0, 1, 2, 1], [0.4, 0.2, 0.1, 0.2], [1, 1200, 30, 1200]))
    assert ax.lines[0].get_xdata().tolist() == [1, 1, 2, 3]
    assert [label.get_text() for label in counts(ax)] == ["1,200", "30", "1"]
    assert legend(ax)[1] == "chosen: 2, with 30 features"
    assert legend(plot_path(path([3.0], [0.0], [1])))[1] == "chosen: 3, with 1 feature"


@pytest.mark.parametrize("n", [1, 2, 30, 500])
def test_figures_on_top_do_not_touch(n):
    errors = np.linspace(0.5, 0, n)
    ax = plot_path(path(np.linspace(0, 8, n), errors, np.linspace(12_000, 0, n).astype(int)))
    boxes = [label.get_window_extent() for label in counts(ax)]
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


def test_what_cannot_be_drawn():
    model = NearestCentroid(shrink_threshold=1).fit([[0.0], [1], [2], [4]], [0, 0, 1, 1])
    for wrong in (model, NearestCentroid()):
        with pytest.raises(ValueError, match="path_ is missing: fit a NearestCentroid with shrink"):
            plot_path(wrong)
    assert plt.get_fignums() == []
