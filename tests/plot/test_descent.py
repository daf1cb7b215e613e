"""Pictures of gradient descent: what is drawn is what the library computed."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.contour import ContourSet
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import GradientDescent, LinearRegression, LinearSVM, LogisticRegression, Perceptron
from rosenblatt.learners.losses import FOR_CLASSES
from rosenblatt.plot import plot_descent, plot_learning_rates, plot_loss_curve, plot_losses
from rosenblatt.reference import losses as reference
from rosenblatt.reference.descent import descent
from rosenblatt.tracing.descent import surface, walk

rng = np.random.default_rng(0)
y = rng.choice([-1, 1], 47)
X = rng.normal(size=(47, 2)) + np.outer(y, [0.6, 0.4])
x, t = X[:, :1], 2 * X[:, 0] + 1 + 0.1 * rng.normal(size=47)
SHORT = {"max_iter": 6, "tol": None}
DIVERGING = LinearRegression(
    batch_size=None, eta0=1.2, learning_rate="constant", max_iter=1000, tol=None
)

SETTINGS = [
    {"batch_size": None},
    {"batch_size": None, "learning_rate": "line_search"},
    {"batch_size": 10},
    {"batch_size": 10, "shuffle": False, "learning_rate": "constant"},
    {"batch_size": 1},
    {"batch_size": 1, "average": True},
    {"batch_size": 10, "average": 30},
    {"batch_size": 1, "penalty": "l1", "alpha": 0.05},
    {"batch_size": 10, "penalty": "l2", "alpha": 0.05},
    {"batch_size": 100},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("estimator", [LogisticRegression, LinearSVM, LinearRegression])
def test_a_walk_ends_where_fit_ends(estimator, settings):
    model = estimator(fit_intercept=False, **SHORT, **settings)
    path = walk(model, X, y, [1.0, -1.0])
    assert not hasattr(model, "coef_")  # a copy was fitted
    model.fit(X, y, coef_init=[1.0, -1.0])
    batch = min(model.batch_size or 47, 47)
    assert path.moves == 6 * -(-47 // batch)
    assert path.ending == ""
    assert path.points[0].tolist() == [1, -1]
    np.testing.assert_allclose(path.points[-1], model.coef_.ravel(), rtol=1e-10)


def test_a_walk_goes_through_the_weights_of_every_pass():
    model = LogisticRegression(batch_size=10, fit_intercept=False, **SHORT)
    path = walk(model, X, y)
    for passes in range(1, 7):
        model.set_params(max_iter=passes).fit(X, y)
        np.testing.assert_array_equal(path.points[5 * passes], model.coef_[0])


@pytest.mark.parametrize("loss", FOR_CLASSES)
def test_a_walk_is_the_textbooks(loss):
    options = {"learning_rate": "constant", "eta0": 0.1, "shuffle": False, "tol": None}
    model = GradientDescent(loss=loss, batch_size=10, max_iter=2, **options)
    batches = [range(k, min(k + 10, 47)) for k in range(0, 47, 10)]
    rows = np.column_stack([x, np.ones(47)])
    textbook = [W[0] for W in descent(rows, y, batches * 2, loss, lambda t: 0.1)]
    np.testing.assert_allclose(walk(model, x, y).points[1:], textbook, atol=1e-12)


def test_a_walk_stops_by_the_models_own_rule():
    model = LogisticRegression(fit_intercept=False, early_stopping=True).fit(X, y)
    kept = len(X) - round(0.1 * (y > 0).sum()) - round(0.1 * (y < 0).sum())
    assert walk(model, X, y).moves == model.n_iter_ * kept


def test_a_long_walk_is_cut():
    path = walk(LogisticRegression(fit_intercept=False, **SHORT), X, y, max_moves=10)
    assert (path.moves, path.ending) == (10, "goes on")


def test_other_errors_are_not_divergence():
    model = LogisticRegression(fit_intercept=False, learning_rate=lambda t: 3.0 - t, **SHORT)
    with pytest.raises(ValueError, match="positive, finite"):
        walk(model, X, y)
    with pytest.raises(ValueError, match="two numbers"):
        walk(model, X, y, start=[1, 2, 3])


@pytest.mark.parametrize("loss", FOR_CLASSES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_surface_is_the_mean_loss(loss, fit_intercept):
    model = GradientDescent(loss=loss, fit_intercept=fit_intercept, penalty="l2", alpha=0.1)
    rows = x if fit_intercept else X
    ground, w = surface(model, rows, y), np.array([0.7, -0.3])
    scores = rows[:, 0] * 0.7 + (-0.3 if fit_intercept else -0.3 * X[:, 1])
    pairs = zip(scores, y, strict=True)
    mean = np.mean([getattr(reference, loss)(s, label)[0] for s, label in pairs])
    penalised = w[:1] if fit_intercept else w
    assert ground(w) == pytest.approx(mean + 0.05 * penalised @ penalised)
    grid = ground.over(np.array([0.0, 0.7]), np.array([1.0, -0.3, 0.0]))
    assert grid.shape == (3, 2)
    assert grid[1, 1] == ground(w)


WHOLE = {"batch_size": None, "fit_intercept": False, **SHORT}


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(**WHOLE),
        LinearSVM(loss="squared_hinge", **WHOLE),
        GradientDescent(loss="modified_huber", penalty="elasticnet", alpha=0.1, **WHOLE),
        LinearRegression(loss="huber", epsilon=0.5, **WHOLE),
        LinearRegression(loss="quantile", quantile=0.2, **WHOLE),
    ],
    ids=lambda model: model.loss,
)
def test_the_surface_is_where_the_loss_curve_comes_from(model):
    path, ground = walk(model, X, y), surface(model, X, y)
    heights = [ground(point) for point in path.points[:-1]]
    np.testing.assert_allclose(heights, model.fit(X, y).loss_curve_)


def paths_in(ax):
    return [line.get_xydata() for line in ax.lines]


def labels_in(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_paths_are_drawn_over_contours():
    models = {
        "batch": LogisticRegression(batch_size=None, fit_intercept=False, **SHORT),
        "one": LogisticRegression(fit_intercept=False, **SHORT),
    }
    _, ax = plt.subplots()
    assert plot_descent(models, X, y, start=[-1, 1], ax=ax, resolution=30) is ax
    for drawn, model in zip(paths_in(ax), models.values(), strict=True):
        np.testing.assert_array_equal(drawn, walk(model, X, y, [-1, 1]).points)
    assert labels_in(ax) == ["batch: 6 moves", "one: 282 moves", "start"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$w_1$", "$w_2$")
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    for drawn in paths_in(ax):
        assert np.all((low < drawn) & (drawn < high))
    assert sum(isinstance(artist, ContourSet) for artist in ax.collections) == 2
    ax.figure.canvas.draw()
    shorter, longer = ax.lines
    assert shorter.get_zorder() > longer.get_zorder()


def test_the_star_is_the_lowest_point():
    model = LinearRegression(batch_size=None, learning_rate="line_search", tol=1e-9)
    ax = plot_descent(model, x, t, resolution=40)
    solution = np.linalg.lstsq(np.column_stack([x, np.ones(47)]), t)[0]
    star = ax.collections[-1].get_offsets()[0]
    np.testing.assert_allclose(star, solution, atol=1e-3)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("w", "b")
    assert labels_in(ax)[0].endswith(" moves")


def test_there_is_no_star_where_there_is_no_lowest_point():
    apart = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]])
    model = LogisticRegression(fit_intercept=False, alpha=1e-4, **SHORT)
    ax = plot_descent(model, apart, [1, 1, 0, 0], resolution=30)
    dots = [artist for artist in ax.collections if not isinstance(artist, ContourSet)]
    assert len(dots) == 1  # the start


def test_a_diverging_path_is_cut_and_marked():
    with pytest.raises(ValueError, match="diverged"):
        DIVERGING.fit(x, t)
    good = LinearRegression(batch_size=None, **SHORT)
    ax = plot_descent({"good": good, "bad": DIVERGING}, x, t, start=[-1, 0], resolution=30)
    assert labels_in(ax) == ["good: 6 moves", "bad: diverges", "start"]
    whole, drawn = walk(DIVERGING, x, t, [-1, 0]), paths_in(ax)[1]
    assert whole.ending == "diverges"
    assert 2 <= len(drawn) < len(whole.points)
    np.testing.assert_array_equal(drawn, whole.points[: len(drawn)])
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    inside = np.all((low <= drawn) & (drawn <= high), axis=1)
    assert inside[:-1].all()
    assert not inside[-1]
    (arrow,) = ax.texts
    tip = np.array(arrow.xy)
    assert np.all((low - 1e-9 <= tip) & (tip <= high + 1e-9))
    assert np.isclose(np.concatenate([tip - low, high - tip]), 0, atol=1e-9).any()
    # It is on the way of the last move that is drawn.
    way, part = drawn[-1] - drawn[-2], tip - drawn[-2]
    assert way[0] * part[1] == pytest.approx(way[1] * part[0])


def test_a_path_that_only_climbs_diverges_too():
    short = clone(DIVERGING).set_params(max_iter=5)
    path, ground = walk(short, x, t), surface(short, x, t)
    assert ground(path.points[-1]) > 100 * ground(path.points[0])
    ax = plot_descent(short, x, t, resolution=30)
    assert labels_in(ax)[0] == "diverges"
    ax.figure.canvas.draw()


def test_what_cannot_be_drawn():
    model = LogisticRegression(fit_intercept=False)
    for rows, labels, estimator in (
        (X, y, LogisticRegression()),
        (x, y, model),
        (np.column_stack([X, X]), y, model),
        (X, np.arange(47) % 3, model),
    ):
        with pytest.raises(ValueError, match="a surface is over two weights"):
            plot_descent(estimator, rows, labels)
    with pytest.raises(ValueError, match="does not go down a loss"):
        plot_descent(Perceptron(), X, y)
    with pytest.raises(ValueError, match="nothing to draw"):
        plot_descent({}, X, y)
    other = LogisticRegression(fit_intercept=False, penalty=None)
    with pytest.raises(ValueError, match="'b' does not go down the same surface as 'a'"):
        plot_descent({"a": model, "b": other}, X, y)


def test_learning_rates_side_by_side():
    rates = {"too small": 0.01, "good": 0.3, "too large": 1.2}
    figure = plot_learning_rates(
        LinearRegression(batch_size=None), x, t, rates, start=[-1, 0], resolution=30
    )
    *panels, curves = figure.axes
    titles = ["too small: η = 0.01", "good: η = 0.3", "too large: η = 1.2"]
    assert [ax.get_title() for ax in panels] == titles == labels_in(curves)
    figure.canvas.draw()
    for ax in panels:
        np.testing.assert_allclose(ax.viewLim.bounds, panels[0].viewLim.bounds)
    for eta, ax, line in zip(rates.values(), panels, curves.lines, strict=False):
        model = clone(DIVERGING).set_params(eta0=eta, max_iter=20)
        path, ground = walk(model, x, t, [-1, 0]), surface(model, x, t)
        drawn = ax.lines[0].get_xydata()
        np.testing.assert_array_equal(drawn, path.points[: len(drawn)])
        heights = line.get_ydata()
        np.testing.assert_allclose(heights, [ground(w) for w in path.points[: len(heights)]])
        diverges = [text.get_text() for text in ax.texts if text.get_text()] == ["diverges"]
        assert diverges == (eta == 1.2) == (len(drawn) < 21) == (len(heights) < 21)
    arrow = curves.lines[-1]
    assert arrow.get_marker() == "^"
    assert arrow.get_ydata()[0] == curves.get_ylim()[1]


@pytest.mark.parametrize("rates", [[0.1], [10.0], [0.001, 0.01, 0.1, 0.2, 0.3]])
def test_few_and_many_rates(rates):
    figure = plot_learning_rates(LinearRegression(batch_size=10), x, t, rates, resolution=20)
    figure.canvas.draw()
    assert [ax.get_title() for ax in figure.axes[:-1]] == [f"η = {eta:g}" for eta in rates]
    with pytest.raises(ValueError, match="rates is empty"):
        plot_learning_rates(LinearRegression(), x, t, [])


@pytest.mark.slow
def test_many_rates_are_wrapped_and_stay_in_the_picture():
    rates = [0.001, 0.01, 0.03, 0.1, 0.3, 1, 10]
    for model in (LinearRegression(), GradientDescent(loss="hinge")):
        model.set_params(batch_size=None)
        figure = plot_learning_rates(
            model, x, t if model.loss == "squared" else y, rates, resolution=20
        )
        *panels, curves = figure.axes
        figure.canvas.draw()
        assert figure.get_size_inches()[0] <= 13
        places = [ax.get_subplotspec() for ax in panels]
        assert [place.rowspan.start for place in places] == [0] * 4 + [1] * 3
        assert [place.colspan.start for place in places] == [0, 1, 2, 3, 0, 1, 2]
        assert [bool(ax.get_ylabel()) for ax in panels] == [
            place.is_first_col() for place in places
        ]
        low, high = curves.get_ylim()
        assert -0.1 * high < low < high


def test_losses_are_the_textbooks():
    _, ax = plt.subplots()
    assert plot_losses(ax=ax) is ax
    names = ["zero_one", "perceptron", "hinge", "logistic", "squared"]
    assert labels_in(ax) == ["0/1", *names[1:]]
    for name, line in zip(names, ax.lines, strict=True):
        margins, heights = line.get_xydata().T
        for margin, height in zip(margins[::20], heights[::20], strict=True):
            value = getattr(reference, name)(margin, 1.0)
            assert height == pytest.approx(value if name == "zero_one" else value[0])
    step = ax.lines[0].get_xydata()
    assert step[step[:, 0] == 0, 1].tolist() == [1]  # a tie is a mistake
    assert step[step[:, 0] > 0, 1].max() == 0
    pair = plot_losses(["squared_hinge", "modified_huber"], margins=(-3, 2))
    assert labels_in(pair) == ["squared hinge", "modified Huber"]
    steep, straight = (line.get_xydata() for line in pair.lines)
    np.testing.assert_allclose(steep[:, 1], np.maximum(1 - steep[:, 0], 0) ** 2)
    apart = straight[:, 0] < -1
    assert np.array_equal(straight[apart, 1], -4 * straight[apart, 0])
    assert np.array_equal(straight[~apart], steep[~apart])
    assert pair.get_ylim()[1] > 12  # all of the straight line is in sight
    with pytest.raises(ValueError, match="losses must be of"):
        plot_losses(["huber"])
    with pytest.raises(ValueError, match="below zero to above"):
        plot_losses(margins=(1, 2))


def test_loss_curves_are_the_models():
    plain = LogisticRegression(**SHORT).fit(X, y)
    careful = LogisticRegression(early_stopping=True, **SHORT).fit(X, y)
    ax = plot_loss_curve({"plain": plain, "careful": careful}, log=True)
    first, second, held_out = (line.get_xydata() for line in ax.lines)
    for drawn, curve in (
        (first, plain.loss_curve_),
        (second, careful.loss_curve_),
        (held_out, careful.validation_curve_),
    ):
        np.testing.assert_array_equal(drawn, np.column_stack([np.arange(6) + 1, curve]))
    best = careful.validation_curve_.argmin()
    star = ax.collections[0].get_offsets()[0]
    assert star.tolist() == [best + 1, careful.validation_curve_[best]]
    words = ["rows held out", f"pass {best + 1}, which was kept"]
    assert labels_in(ax) == ["plain", "careful", *words]
    assert labels_in(plot_loss_curve(careful)) == ["rows learned from", *words]
    _, ax_of_many = plt.subplots()
    plot_loss_curve(dict.fromkeys("abc", careful), ax=ax_of_many)
    assert labels_in(ax_of_many) == [*"abc", "rows held out", "the pass that was kept"]
    assert ax.get_yscale() == "log"
    ax.figure.canvas.draw()


def test_a_loss_curve_needs_a_fit():
    with pytest.raises(ValueError, match="it must be fitted, and go down a loss"):
        plot_loss_curve(LogisticRegression())
    with pytest.raises(ValueError, match="nothing to draw"):
        plot_loss_curve({})
    model = LinearRegression(early_stopping=True, **SHORT).fit(x, t)
    model.set_params(early_stopping=False).partial_fit(x, t)
    assert len(plot_loss_curve(model).lines) == 1  # nothing was held out this time


def test_drawing_does_not_warn_that_passes_ran_out():
    model = LogisticRegression(fit_intercept=False, max_iter=2, tol=1e-9)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    plot_descent(model, X, y, resolution=20)
