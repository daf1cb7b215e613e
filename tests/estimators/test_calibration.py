"""Built-in calibration: the curve that held-out scores ask for, and nothing else is changed."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    FixedThresholdClassifier,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
)
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import (
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    NearestCentroid,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
    compare,
    load,
    save,
    select,
)
from rosenblatt.distributed import fit as fit_on_cluster
from rosenblatt.estimators._base.calibrated import fit_isotonic
from rosenblatt.reference.calibration import sigmoid_loss, softmax_loss
from rosenblatt.stream.calibration import Isotonic

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X, Y = load_breast_cancer(return_X_y=True)
X = scale(X)
IRIS, KINDS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[KINDS]
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
MODELS = [
    Perceptron(max_iter=5),
    AveragedPerceptron(max_iter=5),
    VotedPerceptron(max_iter=2),
    PassiveAggressive(max_iter=5),
    AROW(max_iter=5),
    BatchPerceptron(max_iter=20),
    LinearSVM(max_iter=20),
    KernelPerceptron(max_iter=2),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
FEW = [AveragedPerceptron(max_iter=5), KernelPerceptron(max_iter=2)]
few_models = pytest.mark.parametrize("model", FEW, ids=lambda model: type(model).__name__)


def asking(model, calibration):
    return clone(model).set_params(calibration=calibration)


@every_model
def test_predictions_are_those_without_it(model):
    plain, sure = clone(model).fit(X, Y), asking(model, "sigmoid").fit(X, Y)
    np.testing.assert_array_equal(plain.decision_function(X), sure.decision_function(X))
    np.testing.assert_array_equal(plain.predict(X), sure.predict(X))
    chances = sure.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    order = np.argsort(sure.decision_function(X))
    assert (np.diff(chances[order, 1]) >= 0).all()
    assert log_loss(Y, chances) < 0.3
    np.testing.assert_allclose(np.exp(sure.predict_log_proba(X)), chances)


@few_models
def test_the_sigmoid_is_the_likeliest_of_held_out_scores(model):
    fitted = asking(model, "sigmoid").fit(X, Y)
    scores = cross_val_predict(model, X, Y, cv=FOLDS, method="decision_function")
    ones = np.ones(len(Y))
    slope, offset = fitted.calibration_
    best = sigmoid_loss(slope, offset, scores, Y, ones)
    for near in ((1.01 * slope, offset), (slope, offset + 0.01), (0.99 * slope, offset - 0.01)):
        assert sigmoid_loss(*near, scores, Y, ones) > best
    p = fitted.predict_proba(X)[:, 1]
    odds = slope * fitted.decision_function(X) + offset
    np.testing.assert_allclose(p, 1 / (1 + np.exp(-odds)), atol=1e-12)


def test_the_softmax_of_many_classes_is_the_likeliest_and_predicts_the_same():
    model = AveragedPerceptron(max_iter=5)
    fitted = asking(model, "sigmoid").fit(IRIS, NAMES)
    scores = cross_val_predict(model, IRIS, NAMES, cv=FOLDS, method="decision_function")
    ones, slope = np.ones(len(NAMES)), fitted.calibration_.slope
    best = softmax_loss(slope, scores, KINDS, ones)
    assert softmax_loss(1.01 * slope, scores, KINDS, ones) > best
    assert softmax_loss(0.99 * slope, scores, KINDS, ones) > best
    chances = fitted.predict_proba(IRIS)
    np.testing.assert_array_equal(fitted.classes_[chances.argmax(axis=1)], fitted.predict(IRIS))


@few_models
@pytest.mark.parametrize(("rows", "labels"), [(X, Y), (IRIS, NAMES)], ids=["two", "three"])
def test_isotonic_is_that_of_calibrated_classifier_cv(model, rows, labels):
    fitted = asking(model, "isotonic").fit(rows, labels)
    theirs = CalibratedClassifierCV(model, method="isotonic", cv=FOLDS, ensemble=False)
    theirs.fit(rows, labels)
    np.testing.assert_allclose(fitted.predict_proba(rows), theirs.predict_proba(rows), atol=1e-7)
    with np.errstate(divide="ignore"):
        logs = np.log(fitted.predict_proba(rows))
    np.testing.assert_array_equal(fitted.predict_log_proba(rows), logs)


@given(
    st.lists(
        st.tuples(st.integers(-5, 5), st.booleans(), st.integers(1, 3)), min_size=2, max_size=30
    )
)
def test_an_isotonic_curve_never_falls_and_keeps_the_mean(rows):
    """The least squares of an increasing curve keep the weighted mean (Barlow et al. 1972)."""
    scores, codes, weights = (np.array(part, float) for part in zip(*rows, strict=True))
    curve = fit_isotonic(scores, codes.astype(int), weights)
    p = curve.of(scores)[:, 0]
    assert (np.diff(p[np.argsort(scores, kind="stable")]) >= -1e-12).all()
    assert ((p >= 0) & (p <= 1)).all()
    assert np.average(p, weights=weights) == pytest.approx(np.average(codes, weights=weights))


def test_rows_like_no_class_are_even():
    model = Perceptron(calibration="isotonic").fit(IRIS, NAMES)
    curve = model.calibration_
    model.calibration_ = curve._replace(probabilities=np.zeros_like(curve.probabilities))
    np.testing.assert_allclose(model.predict_proba(IRIS), 1 / 3)


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_weights_count_and_rows_of_weight_zero_do_not(calibration):
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 3, len(Y)).astype(float)
    model = BatchPerceptron(max_iter=20, calibration=calibration)
    with_zeros = clone(model).fit(X, Y, sample_weight=weights)
    without = clone(model).fit(X[weights > 0], Y[weights > 0], sample_weight=weights[weights > 0])
    np.testing.assert_allclose(with_zeros.predict_proba(X), without.predict_proba(X))
    assert not np.allclose(with_zeros.predict_proba(X), clone(model).fit(X, Y).predict_proba(X))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, pd.DataFrame, np.ndarray.tolist])
def test_rows_of_every_kind(kind):
    rows = kind(X)
    model = LinearSVM(max_iter=10, calibration="sigmoid").fit(rows, Y.tolist())
    same = LinearSVM(max_iter=10, calibration="sigmoid").fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(rows), same.predict_proba(X), rtol=1e-5)


def test_a_precomputed_kernel():
    gram = X @ X.T / X.shape[1]
    model = KernelPerceptron(kernel="precomputed", max_iter=2, calibration="sigmoid").fit(gram, Y)
    assert log_loss(Y, model.predict_proba(gram)) < 0.2


def test_few_rows_of_a_class_make_fewer_folds():
    few = np.r_[np.flatnonzero(Y == 0)[:3], np.flatnonzero(Y == 1)]
    model = Perceptron(calibration="sigmoid").fit(X[few], Y[few])
    assert model.predict_proba(X).shape == (len(X), 2)
    one = few[2:]
    before = dict(vars(model))
    with pytest.raises(ValueError, match="and class 0 has one row; add rows, or leave"):
        model.fit(X[one], Y[one])
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


def test_the_name_of_others_is_answered():
    with pytest.raises(TypeError, match="no parameter 'probability'; use calibration='sigmoid'"):
        KernelPerceptron(probability=True)


@every_model
def test_without_it_there_are_no_probabilities(model):
    plain = clone(model).fit(X, Y)
    for name in ("predict_proba", "predict_log_proba"):
        assert not hasattr(plain, name)
        with pytest.raises(AttributeError) as caught:
            getattr(plain, name)
        assert "set calibration='sigmoid' or 'isotonic' before fit" in str(
            caught.value.__cause__ or caught.value
        )
    with pytest.raises(NotFittedError, match="was set after fit; call fit again"):
        plain.set_params(calibration="sigmoid").predict_proba(X)
    with pytest.raises(NotFittedError):
        asking(model, "sigmoid").predict_proba(X)
    again = asking(model, "sigmoid").fit(X, Y).set_params(calibration=None).fit(X, Y)
    assert not hasattr(again, "calibration_")
    with pytest.raises(ValueError, match="calibration must be None, 'sigmoid' or 'isotonic', got"):
        asking(model, "platt").fit(X, Y)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[6], MODELS[7]])
def test_what_needs_all_rows_goes_on_with_none(model):
    sure = asking(model, "sigmoid")
    assert hasattr(model, "partial_fit")
    assert not hasattr(sure, "partial_fit")
    with pytest.raises(AttributeError) as caught:
        _ = sure.partial_fit
    assert "needs all rows at once, so there is no partial_fit" in str(
        caught.value.__cause__ or caught.value
    )
    sure.set_params(warm_start=True).fit(X, Y)
    before = sure.decision_function(X)
    with pytest.raises(ValueError, match="so a warm start does not support it"):
        sure.fit(X, Y)
    np.testing.assert_array_equal(sure.decision_function(X), before)


@pytest.mark.parametrize("model", [MODELS[2], MODELS[7]])
def test_scores_of_another_kind_have_no_probabilities(model):
    sure = asking(model, "sigmoid").fit(X, Y)
    sure.set_params(predict_with="average")
    with pytest.raises(ValueError, match="fitted to scores of predict_with='vote', and"):
        sure.predict_proba(X)


def test_a_cluster_refuses_it():
    with pytest.raises(ValueError, match="needs rows held out; leave it out on a cluster"):
        fit_on_cluster(Perceptron(calibration="sigmoid"), None, (X, Y))


@few_models
@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
@pytest.mark.parametrize(("rows", "labels"), [(X, Y), (IRIS, NAMES)], ids=["two", "three"])
def test_it_is_saved(model, calibration, rows, labels, tmp_path):
    sure = asking(model, calibration).fit(rows, labels)
    save(sure, tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    np.testing.assert_array_equal(again.predict_proba(rows), sure.predict_proba(rows))


@pytest.mark.parametrize(
    ("calibration", "parts", "message"),
    [
        ("sigmoid", {"slope": -1.0}, "is not a slope and an offset"),
        ("sigmoid", {"offset": np.inf}, "is not a slope and an offset"),
        ("isotonic", {"sizes": np.array([2, 2])}, "sizes is of int64"),
        ("isotonic", {"sizes": np.array([1])}, "do not add up to the corners"),
        ("isotonic", {"scores": np.array([2.0, 1.0])}, "has a curve that falls"),
        ("isotonic", {"scores": np.array([2.0, np.nan])}, "not finite"),
        ("isotonic", {"probabilities": np.array([0.5, 0.1])}, "has a curve that falls"),
        ("isotonic", {"probabilities": np.array([0.5, 1.1])}, "has what is no probability"),
        ("isotonic", {"probabilities": np.array([0.5])}, "expected float64"),
    ],
)
def test_what_is_no_curve_is_refused(calibration, parts, message, tmp_path):
    model = Perceptron(calibration=calibration).fit(X, Y)
    if calibration == "isotonic":
        model.calibration_ = Isotonic(np.array([0.0, 1.0]), np.array([0.2, 0.9]), np.array([2]))
    save(model, tmp_path / "m.model")
    load(tmp_path / "m.model")
    model.calibration_ = model.calibration_._replace(**parts)
    with pytest.raises(ValueError, match=f"could not be loaded: .*{message}"):
        save(model, tmp_path / "m.model")


def test_comparisons_and_searches_have_log_loss():
    report = compare(
        X,
        Y,
        models={"plain": Perceptron(), "sure": AveragedPerceptron(calibration="sigmoid")},
        scoring="neg_log_loss",
        orders=1,
    )
    assert report["plain"].scores["neg_log_loss"] is None
    assert "there is no predict_proba; calibration='sigmoid' adds it" in " ".join(
        str(report).split()
    )
    assert report["sure"].scores["neg_log_loss"] > -0.3
    found = select(
        AveragedPerceptron(max_iter=5),
        {"calibration": ["sigmoid", "isotonic"]},
        X,
        Y,
        scoring="neg_log_loss",
    )
    assert found.score > -1


@parametrize_with_checks(
    [
        AveragedPerceptron(max_iter=20, calibration="sigmoid"),
        LinearSVM(max_iter=50, calibration="isotonic"),
    ],
    expected_failed_checks=lambda model: {
        "check_classifiers_train": "predict decides by scores, as in scikit-learn's own SVC",
        "check_sample_weight_equivalence_on_dense_data": "rows of a fold are not repeated together",
        "check_sample_weight_equivalence_on_sparse_data": "rows of a fold are not repeated",
    },
)
def test_all_other_checks_of_scikit_learn(estimator, check):
    check(estimator)


ON_SCORES = [Perceptron(max_iter=5), LinearSVM(max_iter=20), NearestCentroid()]
ON_CHANCES = [AveragedPerceptron(max_iter=5, calibration="sigmoid"), LogisticRegression()]


@pytest.mark.parametrize("model", [*ON_SCORES, *ON_CHANCES], ids=lambda m: type(m).__name__)
def test_thresholds_are_tuned_by_scikit_learn(model):
    rare = np.r_[np.flatnonzero(Y == 1), np.flatnonzero(Y == 0)[:40]]
    y = np.where(Y[rare] == 0, "rare", "often")  # "rare" is the second class
    tuned = TunedThresholdClassifierCV(model, scoring="balanced_accuracy", cv=3).fit(X[rare], y)
    assert set(tuned.predict(X[rare])) == {"rare", "often"}
    method = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    fixed = FixedThresholdClassifier(
        model, threshold=tuned.best_threshold_, response_method=method, pos_label="rare"
    ).fit(X[rare], y)
    np.testing.assert_array_equal(fixed.predict(X[rare]), tuned.predict(X[rare]))
    plain = clone(model).fit(X[rare], y)
    response = getattr(plain, method)(X[rare])
    response = response[:, 1] if response.ndim > 1 else response
    expected = np.where(response >= tuned.best_threshold_, "rare", "often")
    np.testing.assert_array_equal(tuned.predict(X[rare]), expected)
