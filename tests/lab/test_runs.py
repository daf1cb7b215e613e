"""Frames: they come from the library, step by step, and end where ``fit`` ends."""

import warnings

import numpy as np
import pytest

from rosenblatt.lab.plane.learners import learners
from rosenblatt.lab.plane.points import as_grid, as_points, pack_scores
from rosenblatt.lab.plane.presets import preset
from rosenblatt.lab.plane.runs import Run
from tests.lab.asking import GRID, VIEW, cells, clouds, names_of

LEARNERS = learners()

FEW = {"passes": 3}
STEPPED = [name for name, learner in LEARNERS.items() if learner.steps]
SETTINGS = [
    ("perceptron", {}),
    ("perceptron", {"order": "mistakes", "rate": "inverse", "eta0": 0.7}),
    ("perceptron", {"bias": False, "order": "shuffled", "seed": 3, "ties": "positive"}),
    ("averaged", {}),
    ("averaged", {"order": "shuffled"}),
    ("voted", {"order": "shuffled"}),
    ("voted", {"predict": "average", "bias": False}),
    ("voted", {"predict": "last"}),
    ("batch", {"rate": "line_search"}),
    ("batch", {"normalize": False, "rate": "inverse"}),
    ("kernel", {"order": "shuffled"}),
    ("kernel", {"kernel": "poly", "degree": 3, "predict": "average"}),
    ("kernel", {"kernel": "laplacian", "predict": "last", "bias": False}),
    ("gradient", {"batch": "4", "loss": "hinge", "order": "shuffled"}),
    ("gradient", {"batch": "all", "loss": "squared", "rate": "constant", "eta0": 0.01}),
    ("logistic", {"penalty": "l2", "alpha": 0.1, "order": "shuffled"}),
    ("logistic", {"penalty": "l1", "alpha": 0.02, "batch": "16"}),
    ("svm", {"order": "shuffled"}),
    ("svm", {"batch": "all"}),
    ("regression", {"order": "shuffled"}),
    ("regression", {"batch": "all", "bias": False}),
    *((name, {}) for name in ("centroid", "shrunken", "discriminant", "naive_bayes")),
]


def run_of(learner, settings, classes=2, points=None):
    points = clouds(classes=classes) if points is None else points
    if "passes" in [option.name for option in LEARNERS[learner].options]:
        settings = {**FEW, **settings}
    checked = as_points(points, names_of(classes), least=2)
    return Run(checked, learner, settings, as_grid(VIEW, GRID))


def fitted(run):
    """Fit the same estimator on the same points, in the library's own way."""
    model = run.fresh_model()
    y = run.points.y * 2.0 - 1 if run.learner.name == "regression" else run.points.y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(run.points.X, y)


def all_frames(run):
    return [run.frame(), *run.frames(1, 5_000)]


def planes(model, classes):
    """Return the last planes of a fitted model, as frames have them."""
    state = getattr(model, "_state", None)
    weights = state.weights if hasattr(state, "weights") else model.coef_
    intercept = state.intercept if hasattr(state, "intercept") else model.intercept_
    return (weights[0], intercept[0]) if classes == 2 else (weights, intercept)


def scores_of(model, X):
    if not hasattr(model, "decision_function"):
        return model.predict(X)
    return model.decision_function(X)


def predicted(scores):
    return (scores >= 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(("learner", "settings"), SETTINGS)
class TestTheEnd:
    """After the last frame all is as after ``fit``."""

    @pytest.fixture
    def both(self, learner, settings, classes):
        if LEARNERS[learner].two_classes_only and classes > 2:
            pytest.skip("for two classes")
        run = run_of(learner, settings, classes)
        frames = all_frames(run)
        assert run.ending
        return run, frames, fitted(run)

    def test_the_weights_to_the_last_bit(self, both, classes):
        run, frames, model = both
        last = frames[-1]
        if run.learner.name == "kernel":
            own = model.dual_coef_[0 if classes == 2 else run.points.y[model.support_], :]
            own = own if classes == 2 else own[np.arange(len(own)), np.arange(len(own))]
            assert np.array(last["support"]).tolist() == [
                [row, value] for row, value in zip(model.support_.tolist(), own, strict=True)
            ]
            return
        if run.learner.name == "regression" or not run.learner.steps:
            w, b = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
            w, b = (w[0], b[0]) if classes == 2 else (w, b)
        else:
            w, b = planes(model, classes)
        assert np.array_equal(last["w"], w)
        assert np.array_equal(last["b"], b)
        if last["mean"] is not None:
            coef, intercept = model.coef_, model.intercept_
            assert np.array_equal(np.atleast_2d(last["mean"]["w"]), coef)
            assert np.array_equal(np.atleast_1d(last["mean"]["b"]), intercept)

    def test_the_region_and_the_errors(self, both, classes):
        run, frames, model = both
        wrong = predicted(scores_of(model, run.points.X)) != run.points.y
        assert frames[-1]["errors"] == np.count_nonzero(wrong)
        shown = [frame["region"] for frame in frames if frame["region"] is not None]
        if not shown:
            assert classes == 2
            return
        scores = scores_of(model, run.grid.X)
        if classes == 2:
            assert np.array_equal(np.sign(cells(shown[-1])), np.sign(scores))
        else:
            assert np.array_equal(cells(shown[-1], classes), scores.argmax(axis=1))

    def test_the_mistakes(self, both):
        _, frames, model = both
        counts = [frame["mistakes"] for frame in frames]
        assert counts == sorted(counts)
        if hasattr(model, "n_mistakes_"):
            assert counts[-1] == model.n_mistakes_
            assert frames[-1]["pass"] == model.n_iter_


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("settings", [{}, {"predict": "average"}, {"predict": "last"}])
def test_kernel_regions_are_those_of_the_library_at_every_step(settings, classes):
    run = run_of("kernel", {"order": "shuffled", **settings}, classes)
    model, shown = fitted(run), None
    for frame in run.frames(1, 90):
        shown = frame["region"] or shown
        scores = next(model.staged_decision_function(run.grid.X, [frame["k"]]))
        if classes == 2:
            assert np.array_equal(np.sign(cells(shown)), np.sign(scores))
        else:
            assert np.array_equal(cells(shown, classes), scores.argmax(axis=1))


@pytest.mark.parametrize("classes", [2, 3])
def test_votes_are_those_of_a_model_that_saw_as_much(classes):
    run, shown, rows = run_of("voted", {"order": "shuffled"}, classes), None, []
    for frame in run.frames(1, 70):
        rows += frame["rows"].tolist()
        shown = frame["region"] or shown
        y = run.points.y
        model = run.fresh_model().partial_fit(run.points.X[rows], y[rows], np.unique(y))
        scores = model.decision_function(run.grid.X)
        if classes == 2:
            assert shown == pack_scores(scores)
        else:
            assert np.array_equal(cells(shown, classes), scores.argmax(axis=1))
        assert frame["errors"] == np.count_nonzero(model.predict(run.points.X) != y)


class TestDeckB:
    """The worked example, as deck B has it."""

    def test_step_by_step(self):
        told = preset("deck-b")
        points = as_points(told["points"], told["classes"])
        run = Run(points, told["learner"], told["settings"], as_grid(told["view"], GRID))
        frames = list(run.frames(1, 100))
        weights = [[1, -2], [1, -2], [2, -1], [2, -1], [3, 1], [3, 1]]
        assert [frame["w"].tolist() for frame in frames] == weights + [[3, 1]] * 6
        assert [frame["score"] for frame in frames[:6]] == [0, 1, -1, -2, 0, 2]
        assert [frame["mistake"] for frame in frames[:6]] == [True, False] * 3
        assert [frame["label"] for frame in frames[:6]] == [0, 1, 1, 0, 0, 1]
        assert [frame["prediction"] for frame in frames[:6]] == [1, 1, 0, 0, 1, 1]
        assert [frame["errors"] for frame in frames[-6:]] == [0] * 6
        assert run.ending == "a pass without a mistake: it has converged"
        assert all(frame["b"] == 0 for frame in frames)


class TestFrames:
    @pytest.mark.parametrize("learner", STEPPED)
    def test_earlier_frames_can_be_had_again(self, learner):
        run = run_of(learner, {})
        first = [_without_region(frame) for frame in run.frames(1, 40)]
        again = [_without_region(frame) for frame in run.frames(11, 10)]
        assert again == first[10:20]
        assert [_without_region(frame) for frame in run.frames(31, 10)] == first[30:40]

    def test_a_region_is_told_when_it_changed(self):
        run = run_of("kernel", {"predict": "last"})
        frames = all_frames(run)
        assert frames[0]["region"] is not None
        for frame in frames[1:]:
            assert (frame["region"] is not None) == frame["updated"] or frame["region"] is None

    @pytest.mark.parametrize("learner", ["gradient", "logistic", "svm", "regression"])
    def test_the_loss_is_that_of_all_points(self, learner):
        run = run_of(learner, {"penalty": "none", "batch": "all"})
        before, *frames = [run.frame(), *run.frames(1, 4)]
        assert all(frame["looked"] == 40 for frame in frames)
        assert all(frame["score"] is None for frame in frames)
        losses = fitted(run).loss_curve_  # each is of the weights before the pass's one move
        told = [frame["loss"] for frame in (before, *frames)][: len(losses)]
        assert told == pytest.approx(losses[:5].tolist())

    def test_large_batches_are_told_in_part(self):
        run = run_of("svm", {"batch": "all"}, points=clouds(200))
        frame = run.at(1)
        assert len(frame["rows"]) == 50
        assert frame["looked"] == 200

    def test_divergence_is_an_ending(self):
        points = [[50 * x, 50 * y, c] for x, y, c in clouds()]
        settings = {"rate": "constant", "eta0": 100, "passes": 200}
        run = run_of("regression", settings, points=points)
        frames = all_frames(run)
        assert "it diverges" in run.ending
        assert all(np.isfinite(frame["w"]).all() for frame in frames)

    def test_endings(self):
        for settings, says in [({"passes": 1}, "1 pass is over"), ({}, "3 passes are over")]:
            run = run_of("perceptron", settings)
            all_frames(run)
            assert run.ending == says
        run = run_of("centroid", {})
        assert run.ending == "computed at once, from sums over all points"
        assert run.opened()["done"]

    def test_classes_without_points_are_no_classes(self):
        points = [[x, y, 2 * c] for x, y, c in clouds()]
        run = Run(as_points(points, ["a", "b", "c"]), "kernel", FEW, as_grid(VIEW, GRID))
        opened = run.opened()
        assert opened["binary"]
        assert opened["present"].tolist() == [0, 2]
        assert {frame["label"] for frame in run.frames(1, 40)} == {0, 2}
        points = [[x, y, c + 1] for x, y, c in clouds(classes=3)]
        run = Run(as_points(points, list("abcd")), "perceptron", FEW, as_grid(VIEW, GRID))
        regions = [frame["region"] for frame in all_frames(run)]
        assert 1 <= min(cells(r, 4).min() for r in regions if r) <= 3


def _without_region(frame):
    plain = {key: np.array(value).tolist() for key, value in frame.items() if key != "region"}
    plain["mean"] = None if frame["mean"] is None else str(frame["mean"])
    return plain
