"""Pictures of several classifiers side by side."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris

from rosenblatt import BatchPerceptron, Perceptron, compare
from rosenblatt.model_selection import corners
from rosenblatt.plot import plot_comparison

MODELS = ["Perceptron", "AveragedPerceptron", "BatchPerceptron"]
SMALL = {"resolution": 20}


def logic(name, **options):
    return compare(*corners(name, **options), test=None, models=MODELS)


def rings(ax):
    return sum(len(dots.get_offsets()) for dots in ax.collections if dots.get_zorder() == 4)


def test_rows_are_problems_and_columns_learners():
    figure = plot_comparison({name: logic(name) for name in ("or", "xor")}, **SMALL)
    assert len(figure.axes) == 6
    titles = [ax.get_title() for ax in figure.axes]
    assert titles[:2] == ["Perceptron\n100%", "Averaged\nPerceptron\n100%"]
    assert titles[3] == "50.0%"
    assert [figure.axes[k].get_ylabel() for k in (0, 3)] == ["or", "xor"]
    assert rings(figure.axes[0]) == 0
    assert rings(figure.axes[3]) == 2  # what is mistaken is marked
    (key,) = figure.legends
    assert [text.get_text() for text in key.get_texts()] == ["0", "1", "mistaken"]
    limits = {(ax.get_xlim(), ax.get_ylim()) for ax in figure.axes}
    assert len(limits) == 1  # the same axes everywhere


def test_a_kernel_perceptron_beside_the_linear_ones():
    xor = compare(*corners("xor"), test=None, models=["Perceptron", "KernelPerceptron"])
    figure = plot_comparison(xor, **SMALL)
    assert [rings(ax) > 0 for ax in figure.axes] == [True, False]


def test_one_comparison_fills_balanced_rows():
    X, y = corners("and", copies=5, spread=0.1)
    models = {f"learner {k}": BatchPerceptron(max_iter=k + 1, tol=None) for k in range(7)}
    report = compare(X, y, test=None, models=models)
    figure = report.plot(**SMALL)
    shown = [ax for ax in figure.axes if ax.axison]
    assert len(shown) == 7
    assert figure.axes[0].get_gridspec().ncols == 4
    assert report.plot(columns=2, **SMALL).axes[0].get_gridspec().ncols == 2


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_models_have_room_for_their_titles_and_the_key(n):
    X, y = load_iris(return_X_y=True)
    names = load_iris().target_names[y]
    figure = compare(X[:, :2], names, test=None, models=MODELS[-n:]).plot(**SMALL)
    figure.canvas.draw()
    whole = figure.bbox
    for part in (*(ax.title for ax in figure.axes), *figure.legends):
        box = part.get_window_extent()
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1
        assert whole.y0 <= box.y0 < box.y1 <= whole.y1


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_boundaries_are_in_the_coordinates_given(frame):
    X, y = corners("and", copies=5, spread=0.1)
    table = frame({"width": 1000 + 50 * X[:, 0], "height": X[:, 1]})
    figure = compare(table, y, test=None, models=MODELS[:1]).plot(**SMALL)
    low, high = figure.axes[0].get_xlim()
    assert 980 < low < high < 1070
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("width", "height")
    assert figure.axes[0].get_title() == "Perceptron\n100%"


def test_who_could_not_be_fitted_has_an_empty_panel():
    X, y = corners("or")
    one = SimpleNamespace(models={"a": Perceptron().fit(X, y)}, X=X, y=y)
    two = SimpleNamespace(models={**one.models, "b": Perceptron().fit(X, y)}, X=X, y=y)
    figure = plot_comparison({"one": one, "two": two}, **SMALL)
    assert [text.get_text() for text in figure.axes[1].texts] == ["not fitted"]


def test_what_cannot_be_drawn():
    rng = np.random.default_rng(0)
    wide = compare(rng.normal(size=(20, 3)), np.arange(20) % 2, test=None, models=MODELS[:1])
    with pytest.raises(ValueError, match="not of two features"):
        wide.plot()
    with pytest.raises(ValueError, match="the comparison of 'wide' is not"):
        plot_comparison({"wide": wide})
    with pytest.raises(ValueError, match="comparisons is empty"):
        plot_comparison({})
    with pytest.raises(ValueError, match="nothing to draw"):
        plot_comparison(SimpleNamespace(models={}, X=[[0, 0]], y=[0]))
