"""Weights of rows and classes, the same for all estimators."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.metrics import recall_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_class_weight

from rosenblatt import (
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    GradientDescent,
    LinearDiscriminant,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    NearestCentroid,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
    load,
    reference,
    save,
)
from rosenblatt.tracing.descent import moves, surface
from tests.conftest import examples, first_quick, rounding, slow, whole_numbers

pytestmark = pytest.mark.filterwarnings(
    f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning"
)

SHORT = {"max_iter": 4, "tol": None}
ONLINE = [
    Perceptron(**SHORT),
    AveragedPerceptron(**SHORT),
    VotedPerceptron(**SHORT),
    PassiveAggressive(**SHORT),
    AROW(**SHORT),
]
DESCENT = [
    LogisticRegression(**SHORT),
    LinearSVM(**SHORT),
    GradientDescent(**SHORT),
    LinearRegression(**SHORT),
    LogisticRegression(learning_rate="adaptive", **SHORT),
]
CLOSED = [LinearDiscriminant(), NearestCentroid(priors="empirical"), NaiveBayes()]
EVERY = [*ONLINE, BatchPerceptron(**SHORT), *DESCENT, *CLOSED]
CLASSIFIERS = [model for model in EVERY if is_classifier(model)]


def of(models):
    return pytest.mark.parametrize("model", models, ids=lambda model: type(model).__name__)


def same(one, other, exact=True):
    for name in ("coef_", "intercept_"):
        left, right = getattr(one, name), getattr(other, name)
        if exact:
            np.testing.assert_array_equal(left, right)
        else:
            np.testing.assert_allclose(left, right, rtol=1e-8, atol=1e-10)


def fresh(model, **params):
    return type(model)(**{**model.get_params(), **params})


@of(EVERY)
def test_weights_of_one_change_no_bit(model):
    X, y = rounding(seed=0)
    plain = fresh(model).fit(X, y)
    same(plain, fresh(model).fit(X, y, sample_weight=np.ones(len(y))))
    if is_classifier(model):
        same(plain, fresh(model, class_weight={0: 1, 1: 1.0}).fit(X, y))
    if hasattr(model, "partial_fit"):
        parts = [fresh(model).partial_fit(X, y, sample_weight=w) for w in (None, [1] * len(y))]
        same(*parts)


@of(EVERY)
def test_rows_of_weight_zero_are_left_out(model):
    X, y = rounding(seed=1)
    weights = (np.arange(len(y)) % 3 > 0).astype(float)
    kept = weights > 0
    one = fresh(model).fit(X, y, sample_weight=weights)
    same(one, fresh(model).fit(X[kept], y[kept]))
    if hasattr(model, "partial_fit"):
        one = fresh(model).partial_fit(X, y, sample_weight=weights)
        same(one, fresh(model).partial_fit(X[kept], y[kept]))


@of(EVERY)
def test_weights_matter(model):
    X, y = rounding(seed=19)
    weights = np.where(y == 1, 3.0, 1.0)
    one, other = fresh(model).fit(X, y), fresh(model).fit(X, y, sample_weight=weights)
    assert not np.allclose(one.intercept_, other.intercept_)


@of(CLASSIFIERS)
def test_class_weights_are_weights_of_rows(model):
    X, y = rounding(seed=2)
    X, y = X[30:], y[30:]
    labels = np.array(["no", "yes"])[y]
    weights = np.where(y == 1, 2.5, 0.5)
    expected = fresh(model).fit(X, labels, sample_weight=weights)
    same(fresh(model, class_weight={"yes": 2.5, "no": 0.5}).fit(X, labels), expected)
    weights = compute_class_weight("balanced", classes=np.array([0, 1]), y=y)[y]
    expected = fresh(model).fit(X, labels, sample_weight=weights)
    same(fresh(model, class_weight="balanced").fit(X, labels), expected)
    if hasattr(model, "partial_fit"):
        one = fresh(model, class_weight={"yes": 3, "maybe": 2}).partial_fit(X, labels)
        weights = np.where(y == 1, 3.0, 1.0)
        same(one, fresh(model).partial_fit(X, labels, sample_weight=weights))


@pytest.mark.slow
@of(CLASSIFIERS)
def test_class_weights_of_three_classes(model):
    X, y = rounding(seed=3, n_classes=3)
    weights = np.array([1.0, 4.0, 0.25])[y]
    expected = fresh(model).fit(X, y, sample_weight=weights)
    same(fresh(model, class_weight={1: 4, 2: 0.25}).fit(X, y), expected)
    sparse = fresh(model, class_weight={1: 4, 2: 0.25}).fit(sp.csr_matrix(X), y)
    same(sparse, fresh(model).fit(sp.csr_matrix(X), y, sample_weight=weights))


@pytest.mark.parametrize("n_classes", first_quick([2, 3]))
def test_balanced_counts_weights_too(n_classes):
    X, y = rounding(seed=4, n_classes=n_classes)
    weights = np.random.default_rng(0).integers(1, 4, size=len(y))
    again = np.repeat(np.arange(len(y)), weights)
    model = NaiveBayes(class_weight="balanced")
    same(model.fit(X, y, sample_weight=weights), fresh(model).fit(X[again], y[again]), exact=False)
    np.testing.assert_allclose(model.class_prior_, np.full(n_classes, 1 / n_classes))


def test_a_mistake_s_step_is_scikit_learn_s():
    X, y = whole_numbers(seed=5)
    weights = np.random.default_rng(1).integers(1, 5, size=len(y))
    how = {"shuffle": False, "max_iter": 3, "tol": None}
    theirs = TheirPerceptron(**how).fit(X, y, sample_weight=weights)
    ours = Perceptron(**how, ties="mistake").fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    np.testing.assert_array_equal(ours.intercept_, theirs.intercept_)


@pytest.mark.parametrize("n_classes", first_quick([2, 3]))
def test_the_lowest_weighted_loss_is_scikit_learn_s(n_classes):
    X, y = rounding(seed=6, n_classes=n_classes, n=90, d=4)
    weights = np.random.default_rng(2).gamma(1, size=len(y))
    alpha = 0.1
    how = {"penalty": "l2", "alpha": alpha, "batch_size": None, "tol": 1e-8, "max_iter": 5000}
    ours = LogisticRegression(**how, class_weight="balanced").fit(X, y, sample_weight=weights)
    total = weights.copy()
    for k in range(n_classes):
        total[y == k] *= weights.sum() / (n_classes * weights[y == k].sum())
    theirs = TheirLogistic(C=1 / (alpha * total.sum()), tol=1e-10, max_iter=10_000)
    theirs.fit(X, y, sample_weight=total)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_only_how_weights_compare_matters_to_a_loss():
    X, y = rounding(seed=7)
    weights = np.random.default_rng(3).gamma(1, size=len(y))
    one = LogisticRegression(alpha=1e-3, **SHORT).fit(X, y, sample_weight=weights)
    same(one, LogisticRegression(alpha=1e-3, **SHORT).fit(X, y, sample_weight=64 * weights))


@of([LogisticRegression(early_stopping=True, max_iter=20), LinearSVM(early_stopping=True)])
def test_rows_held_out_are_weighted(model):
    X, y = rounding(seed=8)
    weights = np.random.default_rng(4).gamma(1, size=len(y))
    fitted = fresh(model).fit(X, y, sample_weight=weights)
    plain = fresh(model).fit(X, y)
    assert not np.array_equal(fitted.validation_curve_[:1], plain.validation_curve_[:1])


@of([Perceptron(record=True), AveragedPerceptron(record=True), VotedPerceptron(record=True)])
@pytest.mark.parametrize("n_classes", first_quick([2, 3]))
def test_ledgers_have_the_steps_that_weights_made(model, n_classes):
    X, y = rounding(seed=9, n_classes=n_classes)
    weights = np.random.default_rng(5).gamma(1, size=len(y))
    weights[[0, 7, len(y) - 1]] = 0
    model = fresh(model, max_iter=3, tol=None).fit(X, y, sample_weight=weights)
    ledger = model.ledger_
    np.testing.assert_allclose(ledger.eta, weights[ledger.index])
    *_, last = ledger.replay(X)
    np.testing.assert_array_equal(last.weights, np.squeeze(model._state.weights))


def test_a_batch_perceptron_has_no_ledger_with_weights():
    X, y = rounding(seed=10)
    with pytest.raises(ValueError, match="set record=False"):
        BatchPerceptron(record=True).fit(X, y, sample_weight=1 + y)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("rate", ["constant", "line_search"])
def test_batch_perceptrons_take_weights_for_repetitions(normalize, rate):
    X, y = whole_numbers(seed=11)
    weights = np.random.default_rng(6).integers(1, 4, size=len(y))
    again = np.repeat(np.arange(len(y)), weights)
    model = BatchPerceptron(normalize=normalize, learning_rate=rate, max_iter=15, tol=None)
    one = model.fit(X, y, sample_weight=weights).coef_
    np.testing.assert_allclose(one, fresh(model).fit(X[again], y[again]).coef_, rtol=1e-7)


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(**SHORT),
        VotedPerceptron(**SHORT),
        *slow([AROW(**SHORT), LogisticRegression(**SHORT)]),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("weight", [{0: 2.0, 1: 1.0}, {"no": 2, "yes": 0.5}, "balanced"])
def test_model_files_keep_them(model, weight, tmp_path):
    X, y = rounding(seed=12)
    labels = np.array(["no", "yes"])[y] if isinstance(weight, dict) and "no" in weight else y
    model = fresh(model, class_weight=weight).fit(X, labels, sample_weight=1.0 + y)
    save(model, tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    assert again.get_params()["class_weight"] == weight
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    if weight != "balanced":
        same(model.partial_fit(X, labels), again.partial_fit(X, labels))


@of(CLASSIFIERS)
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("even", "class_weight must be None, 'balanced', or a dict"),
        ({0: -1.0}, "class_weight must be"),
        ({0: 0}, "class_weight must be"),
        ({0: np.inf}, "class_weight must be"),
        ({0: 2, "1": 3}, r"class_weight has '1', which is not a class of y, and nothing for 1"),
    ],
)
def test_class_weights_that_make_no_sense(model, weight, message):
    X, y = rounding(seed=13)
    with pytest.raises(ValueError, match=message):
        fresh(model, class_weight=weight).fit(X, y)


@of(CLASSIFIERS)
def test_balanced_needs_all_rows(model):
    X, y = rounding(seed=14)
    if hasattr(model, "partial_fit"):
        with pytest.raises(ValueError, match="partial_fit does not support it: pass the weights"):
            fresh(model, class_weight="balanced").partial_fit(X, y)


@of(EVERY)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([-1.0, 2.0], "sample_weight has -1.0 at row 0"),
        ([np.nan, 2.0], "sample_weight has nan at row 0"),
        ([0.0, 0.0], "sample_weight is zero for every row"),
        (["a", "b"], "sample_weight must hold numbers"),
    ],
)
def test_sample_weights_that_make_no_sense(model, weights, message):
    X, y = rounding(seed=15)
    fitted = fresh(model).fit(X, y)
    before = fitted.coef_.copy()
    with pytest.raises(ValueError, match=message):
        fitted.fit(X, y, sample_weight=np.resize(weights, len(y)))
    with pytest.raises(ValueError, match="one for a row"):
        fitted.fit(X, y, sample_weight=[1.0, 2.0])
    np.testing.assert_array_equal(fitted.coef_, before)


@of([LogisticRegression(**SHORT), LogisticRegression(batch_size=None, **SHORT)])
def test_moves_are_those_of_the_fit(model):
    X, y = rounding(seed=17)
    model = fresh(model, class_weight={1: 3.0})
    *_, last = moves(model, X, y)
    np.testing.assert_array_equal(last.weights, model.fit(X, y).coef_[0])


def test_a_surface_has_no_weights():
    X, y = rounding(seed=18, d=2)
    model = LogisticRegression(fit_intercept=False, class_weight={1: 3.0})
    with pytest.raises(ValueError, match="set class_weight=None"):
        surface(model, X, y)


@examples(
    quick=40,
    full=400,
    rows=st.lists(st.lists(st.integers(-4, 4), min_size=3, max_size=3), min_size=2, max_size=12),
    truth=st.lists(st.integers(-3, 3), min_size=4, max_size=4),
    weights=st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=12, max_size=12),
)
def test_the_mistake_bound_with_weights(rows, truth, weights):
    """Novikoff's proof, with steps from a to b: ``k a γ ≤ w·u ≤ ‖w‖ ≤ b R √k``."""
    X, u = np.array(rows, float), np.array(truth, float)
    wide = np.hstack([X, np.ones((len(X), 1))])
    scores, each = wide @ u, np.array(weights[: len(X)])
    assume(np.abs(scores).min() > 0 and len(set((scores > 0).tolist())) == 2)
    gamma, R2 = np.abs(scores).min() / np.linalg.norm(u), np.sum(wide**2, axis=1).max()
    model = Perceptron(max_iter=10_000, tol=None).fit(X, scores > 0, sample_weight=each)
    assert model.converged_
    most = R2 / gamma**2 * (each.max() / each.min()) ** 2
    assert model.n_mistakes_ <= most * (1 + 1e-9)


def test_weights_that_leave_one_class():
    X, y = rounding(seed=16)
    with pytest.raises(ValueError, match="one class only"):
        Perceptron().fit(X, y, sample_weight=y)


@pytest.fixture(scope="module")
def rare():
    """One row in twenty is of the second class."""
    X, y = make_classification(
        4000, 20, n_informative=6, weights=[0.95], flip_y=0.03, class_sep=0.8, random_state=0
    )
    return train_test_split(
        StandardScaler().fit_transform(X), y, test_size=0.5, stratify=y, random_state=0
    )


def recalls(model, rare):
    X, Z, y, z = rare
    return recall_score(z, model.fit(X, y).predict(Z), average=None)


BALANCED = [
    PassiveAggressive(),
    PassiveAggressive(loss="squared_hinge"),
    PassiveAggressive(C=0.01),
    GradientDescent(),
    GradientDescent(batch_size=32),
    GradientDescent(loss="hinge"),
    GradientDescent(loss="hinge", batch_size=None),
]


@pytest.mark.parametrize("model", BALANCED, ids=repr)
def test_balanced_weights_find_rare_classes(model, rare):
    """Also where C limits no step, and where the last weights are those of a heavy mistake."""
    plain, balanced = clone(model), clone(model).set_params(class_weight="balanced")
    before, after = recalls(plain, rare), recalls(balanced, rare)
    assert after[1] > before[1] + 0.2
    assert after.mean() > before.mean() + 0.03


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_passive_aggressive_weights_are_shares_of_the_largest(loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.choice([-1, 1], 60)
    weights = rng.choice([0.5, 1.0, 4.0], 60)
    model = PassiveAggressive(C=0.1, loss=loss, shuffle=False, **SHORT)
    fitted = model.fit(X, y, sample_weight=weights).coef_.copy()
    steps = reference.passive_aggressive(
        X, y, [range(60)] * 4, C=0.1 * 4, loss=loss, weights=weights / 4
    )
    *_, (_, W, _, _, _) = steps
    np.testing.assert_allclose(fitted, W, rtol=1e-9)
    same = model.fit(X, y, sample_weight=np.full(60, 3.0)).coef_.copy()
    np.testing.assert_allclose(same, model.set_params(C=0.3).fit(X, y).coef_, rtol=1e-9)
    model = PassiveAggressive(C=0.1, loss=loss).partial_fit(X, y, sample_weight=weights)
    steps = reference.passive_aggressive(X, y, [range(60)], C=0.1, loss=loss, weights=weights)
    *_, (_, W, _, _, _) = steps
    np.testing.assert_allclose(model.coef_, W, rtol=1e-9)


def test_gradient_descent_averages_only_where_rows_have_weights(rare):
    X, _, y, _ = rare
    short = {"max_iter": 4, "tol": None}
    weights = {"class_weight": {0: 1, 1: 5}}
    last, default = GradientDescent(average=False, **short), GradientDescent(**short)
    mean = GradientDescent(average=2 * len(y) + 1, **short)  # half of the passes
    assert np.array_equal(default.fit(X, y).coef_, last.fit(X, y).coef_)
    found = default.set_params(**weights).fit(X, y).coef_
    assert np.array_equal(found, mean.set_params(**weights).fit(X, y).coef_)
    assert not np.array_equal(found, last.set_params(**weights).fit(X, y).coef_)
