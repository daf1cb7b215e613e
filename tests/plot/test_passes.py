"""Pictures of errors against passes."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rosenblatt.plot import plot_passes
from rosenblatt.plot.passes import _spread

PASSES = (0.1, 1, 2, 3, 4, 10, 30)


def lines_of(start, end, ways=("vote", "average", "last", "random")):
    return {way: np.geomspace(start, end, 7) * (1 + 0.1 * k) for k, way in enumerate(ways)}


def drawn(ax):
    """Return the lines of a panel without those that lead to names."""
    return [line for line in ax.lines if line.get_transform() == ax.transData]


def test_a_panel_for_each_model_and_a_line_for_each_way():
    errors = {f"degree {d}": lines_of(0.2, 0.01 * d) for d in range(1, 6)}
    figure = plot_passes(PASSES, errors)
    assert [ax.get_title() for ax in figure.axes] == list(errors)
    for ax, lines in zip(figure.axes, errors.values(), strict=True):
        for line, shares in zip(drawn(ax), lines.values(), strict=True):
            assert line.get_xdata().tolist() == list(PASSES)
            np.testing.assert_allclose(line.get_ydata(), 100 * shares)
    assert figure.get_size_inches()[0] == 3.15  # 80 mm
    shown = [ax for ax in figure.axes if ax.xaxis.get_tick_params()["labelbottom"]]
    assert [ax.get_title() for ax in shown] == ["degree 4", "degree 5"]  # the lowest of a column


def test_names_are_beside_the_ends_and_do_not_touch():
    figure = plot_passes(PASSES, {"one": lines_of(0.3, 0.2), "two": lines_of(0.2, 0.0101)})
    figure.canvas.draw()
    first, second = figure.axes
    assert not first.texts
    order = sorted(second.texts, key=lambda text: -text.get_position()[1])
    assert [text.get_text() for text in order] == ["random", "last", "average", "vote"]
    colours = dict(zip(lines_of(1, 1), [line.get_color() for line in drawn(second)], strict=True))
    assert all(text.get_color() == colours[text.get_text()] for text in order)
    boxes = [text.get_window_extent() for text in order]
    size = 7.5 * figure.dpi / 72  # of the letters
    assert all(above.y0 - below.y0 > size for above, below in pairwise(boxes))
    assert all(box.x1 <= figure.bbox.x1 and box.y0 >= second.bbox.y0 - size for box in boxes)


def test_ticks_are_round_numbers_and_the_last_pass():
    (ax,) = plot_passes(PASSES, {"one": lines_of(0.2, 0.02)}).axes
    assert ax.get_xticks().tolist() == [0.1, 1, 10, 30]
    assert ax.get_yticks().tolist() == [2, 5, 10, 20]
    (ax,) = plot_passes([2], {"one": {"vote": [0.03]}}).axes
    assert ax.get_xticks().tolist() == [2]


def test_no_error_at_all_can_be_drawn():
    figure = plot_passes([1, 2], {"one": {"vote": [0.5, 0.0]}, "two": {"vote": [0.0, 0.0]}})
    figure.canvas.draw()
    plot_passes([1, 2], {"none": {"vote": [0.0, 0.0]}}).canvas.draw()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_names_move_as_little_as_possible(n):
    far = np.linspace(1, 0, n)
    np.testing.assert_allclose(_spread(far, 0.1), far)
    np.testing.assert_allclose(_spread(np.full(n, 0.5), 0.1).mean(), 0.5)
    near = np.sort(np.random.default_rng(n).normal(size=n) / 10)[::-1]
    assert np.all(-np.diff(_spread(near, 0.1)) > 0.1 - 1e-12)


def test_what_cannot_be_drawn():
    with pytest.raises(ValueError, match="nothing to draw: errors is empty"):
        plot_passes(PASSES, {})
    with pytest.raises(ValueError, match="nothing to draw: errors is empty"):
        plot_passes(PASSES, {"one": {}})
    with pytest.raises(ValueError, match=r"passes must be numbers above zero, got \[0.0, 1.0\]"):
        plot_passes([0, 1], {"one": {"vote": [0.1, 0.1]}})
    with pytest.raises(ValueError, match="'one', 'vote' must be as many as passes, 2; got an arr"):
        plot_passes([1, 2], {"one": {"vote": [0.1]}})
    with pytest.raises(ValueError, match="'one', 'vote' must be shares from 0 to 1"):
        plot_passes([1, 2], {"one": {"vote": [9.3, 4.1]}})
    assert plt.get_fignums() == []
