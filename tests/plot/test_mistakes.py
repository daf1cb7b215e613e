"""Pictures of mistakes and their bounds."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.plot import plot_mistakes

X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])


def learned(mistakes):
    return SimpleNamespace(mistakes_=np.array(mistakes))


def steps(ax):
    return ax.patches[0].get_data()


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_mistakes_add_up_pass_by_pass():
    model = Perceptron(shuffle=False).fit(X, [0, 0, 0, 1])
    _, ax = plt.subplots()
    assert plot_mistakes(model, ax=ax) is ax
    assert steps(ax).values.tolist() == np.cumsum(model.mistakes_).tolist()
    np.testing.assert_allclose(steps(ax).edges, np.arange(model.n_iter_ + 1) + 0.5)
    assert texts(ax) == [f"{model.n_mistakes_} mistakes"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("pass", "mistakes so far")


def test_the_bound_is_a_line():
    bound = SimpleNamespace(bound=8.5, theorem="novikoff")
    ax = plot_mistakes(learned([3, 1, 0]), bound)
    assert list(ax.lines[0].get_ydata()) == [8.5, 8.5]
    assert texts(ax) == ["4 mistakes", "bound 8.5 (Novikoff)"]
    assert ax.get_yscale() == "linear"
    assert ax.get_ylim()[1] > 8.5


def test_a_bound_of_one_pass():
    bound = SimpleNamespace(bound=30.0, theorem="freund-schapire")
    ax = plot_mistakes(learned([20, 20, 20]), bound)
    assert texts(ax) == ["60 mistakes", "bound 30 on the first pass (Freund, Schapire)"]
    assert ax.patches[-1].get_data().values.tolist() == [20]


@pytest.mark.parametrize(("limit", "scale"), [(30_000, "log"), (3e9, "log"), (59, "linear")])
def test_a_bound_far_off_makes_the_scale_logarithmic(limit, scale):
    ax = plot_mistakes(learned([2, 1, 0]), limit)
    assert ax.get_yscale() == scale
    low, high = ax.get_ylim()
    assert low < 2 < limit < high
    ax.figure.canvas.draw()
    at, total, top = ax.transData.transform([(1, low), (1, 3), (1, limit)])[:, 1]
    assert min(total - at, top - total) > 10  # pixels


@pytest.mark.parametrize("mistakes", [[0], [1], [1, 0], [5] * 2000])
@pytest.mark.parametrize("bound", [None, 0, 1, 1e5])
def test_few_and_many(mistakes, bound):
    ax = plot_mistakes(learned(mistakes), bound)
    ax.figure.canvas.draw()
    total = sum(mistakes)
    assert texts(ax)[0] == f"{total:,} mistake" + ("" if total == 1 else "s")


def test_labels_do_not_overlap():
    for total in (1, 20, 29, 30, 31, 300):
        ax = plot_mistakes(learned([total, 0]), 30)
        ax.figure.canvas.draw()
        first, second = (text.get_window_extent() for text in ax.texts)
        assert not first.overlaps(second)


def test_what_cannot_be_drawn():
    with pytest.raises(ValueError, match="fit the model first"):
        plot_mistakes(Perceptron())
    with pytest.raises(ValueError, match="bound must be a number, zero or more, got nan"):
        plot_mistakes(learned([1, 0]), np.nan)
    assert plt.get_fignums() == []
