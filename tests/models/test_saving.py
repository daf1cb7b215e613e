"""A model that was saved and loaded is the model that was saved, to the last bit."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import rosenblatt
from rosenblatt import (
    LinearDiscriminant,
    LogisticRegression,
    NaiveBayes,
    NearestCentroid,
    Perceptron,
    load,
    save,
)
from rosenblatt.learner_registry import savable
from rosenblatt.models import read_header
from tests.conftest import first_quick, in_turn, slow
from tests.models.zoo import (
    CLASSES,
    FORMS,
    SETTINGS,
    data,
    fitted,
    hold_nothing_out,
    quietly,
    same,
    same_answers,
    same_model,
)


def having(attribute):
    """Return the settings whose estimators have something, each as a case of its own."""
    return [(s,) for s, make in SETTINGS.items() if hasattr(make(), attribute)]


@pytest.fixture
def again(tmp_path):
    """Save a model, and load it."""

    def through(model):
        save(model, tmp_path / "m.model")
        return load(tmp_path / "m.model")

    return through


def test_the_zoo_has_every_estimator():
    public = {getattr(rosenblatt, name) for name in rosenblatt.__all__}
    estimators = {c for c in public if isinstance(c, type) and hasattr(c, "get_params")}
    # No file can hold a problem, and save says so; taggers, which know no rows, are elsewhere.
    estimators -= {rosenblatt.StructuredPerceptron, rosenblatt.SequenceTagger}
    assert estimators == CLASSES == {type(make()) for make in SETTINGS.values()}
    assert {row.load() for row in savable().values()} == {*CLASSES, rosenblatt.SequenceTagger}


@pytest.mark.parametrize(
    ("setting", "n_classes", "form"),
    [
        *in_turn(((setting,) for setting in SETTINGS), [(2, "dense"), (3, "sparse")]),
        *slow(in_turn(product(SETTINGS, [2, 3]), FORMS)),
    ],
)
def test_everything_comes_back(setting, n_classes, form, again):
    model = fitted(setting, form, n_classes)
    loaded = again(model)
    same_model(model, loaded)
    same(model.get_params(), loaded.get_params())
    X = FORMS[form](data(setting, n_classes, seed=1)[0])
    same_answers(model, loaded, X)


@pytest.mark.parametrize("setting", SETTINGS)
def test_an_unfitted_estimator_comes_back(setting, again):
    model = SETTINGS[setting]()
    same_model(model, again(model))


@pytest.mark.parametrize(
    ("setting", "form"),
    [
        *in_turn(having("partial_fit"), ["dense", "sparse"]),
        *slow(in_turn(having("partial_fit"), ["dense", "sparse", "float32"], each=2)),
    ],
)
def test_partial_fit_goes_on_as_if_nothing_had_happened(setting, form, again):
    X, y = data(setting, 3)
    X, last = FORMS[form](X), y == (2 if not setting.startswith("regression") else -1)
    straight, saved = (hold_nothing_out(SETTINGS[setting]()) for _ in range(2))
    # Two classes first, so that the third comes to a model that was loaded.
    first, second = np.flatnonzero(~last), np.flatnonzero(last)
    pieces = [first[::2], first[1::2], second, np.arange(len(y))[::3]]
    for rows in pieces:
        if not len(rows):
            continue
        quietly(straight.partial_fit, X[rows], y[rows])
        saved = again(quietly(saved.partial_fit, X[rows], y[rows]))
        same_model(straight, saved)
    same_answers(straight, saved, X)


@pytest.mark.parametrize(
    ("setting", "n_classes", "form"),
    [
        *in_turn(having("warm_start"), [(2, "dense"), (3, "sparse")]),
        *slow(
            in_turn(((s, k) for (s,) in having("warm_start") for k in (2, 3)), ["dense", "sparse"])
        ),
    ],
)
def test_a_warm_start_goes_on_as_if_nothing_had_happened(setting, n_classes, form, again):
    X, y = data(setting, n_classes)
    X = FORMS[form](X)
    straight = SETTINGS[setting]().set_params(warm_start=True)
    saved = SETTINGS[setting]().set_params(warm_start=True)
    for _ in range(2):
        quietly(straight.fit, X, y)
        saved = again(quietly(saved.fit, X, y))
    same_model(straight, saved)


@pytest.mark.parametrize("setting", ["discriminant", "discriminant, auto"])
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_a_discriminant_that_still_keeps_its_rows(setting, form, again, tmp_path):
    X, y = data(setting, 2, n=40)
    wide = FORMS[form](np.hstack([X, X[:, ::-1] ** 2, X[::-1], X**3])[:, :24])
    model = SETTINGS[setting]().fit(wide[:15], y[:15])
    loaded = again(model)
    same_model(model, loaded)
    assert read_header(tmp_path / "m.model")["holds_training_rows"]
    for rows in (slice(15, 20), slice(20, 40)):  # the second makes sums of them
        same_model(model.partial_fit(wide[rows], y[rows]), loaded.partial_fit(wide[rows], y[rows]))
    again(model)
    assert not read_header(tmp_path / "m.model")["holds_training_rows"]


LABELS = {
    "texts": np.array(["ham", "jam", "späm"]),
    "texts as objects": np.array(["ham", "jam", "späm"], object),
    "numbers as objects": np.array([3, 5, 9], object),
    "floats": np.array([-1.0, 0.0, 7.0]),
    "small integers": np.array([-5, 0, 5], np.int8),
    "foreign integers": np.array([1, 2, 300], ">i4"),
    "bytes": np.array([b"a", b"b", b"cc"]),
    "dates": np.array(["2001-01-01", "2002-02-02", "2003-03-03"], "M8[D]"),
    "one long text": np.array(["a", "b", "c" * 1000]),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("setting", ["perceptron, ledger", "voted", "bayes", "kernel"])
def test_labels_of_any_type(setting, kind, again):
    X, y = data(setting)
    model = quietly(SETTINGS[setting]().fit, X, LABELS[kind][y])
    loaded = again(model)
    same_model(model, loaded)
    same_answers(model, loaded, X)
    same_model(
        model.partial_fit(X[:9], LABELS[kind][y[:9]]),
        loaded.partial_fit(X[:9], LABELS[kind][y[:9]]),
    )


def test_two_classes_may_be_true_and_false(again):
    X, y = data("perceptron", 2)
    model = quietly(Perceptron().fit, X, y == 1)
    same_model(model, again(model))


def test_labels_that_a_file_cannot_hold(tmp_path):
    X, y = data("perceptron", 2)
    labels = np.empty(len(y), object)
    labels[:] = [(int(k), "x") for k in y]
    model = quietly(Perceptron().fit, X, labels)
    with pytest.raises(TypeError, match=r"classes_ is an array with \(0, 'x'\), of type tuple"):
        save(model, tmp_path / "m.model")


@pytest.mark.parametrize(
    "setting", first_quick(["perceptron", "voted", "kernel", "regression", "centroid, hamming"], 1)
)
def test_feature_names_come_back_and_are_checked(setting, again, tmp_path):
    X, y = data(setting)
    frame = pd.DataFrame(X, columns=["a", "b", "ç", "日本", "e f", ""])
    model = quietly(SETTINGS[setting]().fit, frame, y)
    loaded = again(model)
    same_model(model, loaded)
    assert read_header(tmp_path / "m.model")["feature_names"] == frame.columns.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.predict(frame.rename(columns={"a": "z"}))


def test_a_model_of_one_class_so_far(again):
    X, y = data("perceptron", 2)
    for setting in ("perceptron", "voted", "kernel", "logistic", "bayes", "discriminant"):
        model = SETTINGS[setting]().partial_fit(X[y == 0], y[y == 0])
        loaded = again(model)
        same_model(model, loaded)
        same_model(model.partial_fit(X, y), loaded.partial_fit(X, y))


def test_a_class_that_was_announced_and_not_seen(again):
    X, y = data("bayes", 3)
    few = y < 2
    model = NaiveBayes().partial_fit(X[few], y[few], classes=[0, 1, 2])
    assert np.isinf(model.intercept_).any()
    same_model(model, again(model))


def test_what_shares_memory_shares_it_again(again, tmp_path):
    model = fitted("perceptron")
    assert model.coef_ is model._state.weights
    loaded = again(model)
    assert loaded.coef_ is loaded._state.weights
    assert "coef_" in read_header(tmp_path / "m.model")["arrays"]
    assert "_state.weights" not in read_header(tmp_path / "m.model")["arrays"]


def test_parameters_of_any_kind_come_back(again):
    for model in (
        NearestCentroid(priors=[0.25, 0.75]),
        NearestCentroid(priors=np.array([0.25, 0.75]), thresholds=(0.0, 1.0)),
        NearestCentroid(shrink_threshold="cv", cv=[([0, 1], [2]), (np.array([2]), np.array([0]))]),
        LogisticRegression(eta0=np.float32(0.1), max_iter=np.int64(7), tol=None),
        LogisticRegression(tol=float("inf"), alpha=1e-310, shuffle=np.bool_(False)),
        NaiveBayes(np.str_("gaussian"), var_smoothing=float("nan")),
        Perceptron(random_state=2**31 - 1, n_iter_no_change="auto"),
        LinearDiscriminant(priors=np.asfortranarray(np.eye(3))),
    ):
        loaded = again(model)
        same(
            {k: str(v) if isinstance(v, str) else v for k, v in model.get_params().items()},
            loaded.get_params(),
        )
