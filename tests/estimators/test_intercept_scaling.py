"""The intercept as the weight of a feature of value c: 1, or less for short sparse rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer

from rosenblatt import (
    AveragedPerceptron,
    Perceptron,
    VotedPerceptron,
    load,
    mistake_bound,
    reference,
    save,
    trace,
)
from rosenblatt.estimators._base.start import usual_square
from tests.conftest import EVERYDAY, LAYOUTS, examples, separable, whole_numbers

ESTIMATORS = (Perceptron, AveragedPerceptron, VotedPerceptron)
C = 0.5  # a power of two, so that sums stay exact


def unit_rows(seed=0, n=200, d=60, kind=np.float64):
    """Sparse rows of length 1, each of 16 equal numbers, and classes that need an intercept."""
    rng = np.random.default_rng(seed)
    columns = np.concatenate([rng.permutation(d)[:16] for _ in range(n)])
    X = sp.csr_matrix((np.full(16 * n, 0.25, kind), columns, np.arange(0, 16 * n + 1, 16)), (n, d))
    return X, (X @ rng.standard_normal(d) > 0.3).astype(int)


@pytest.mark.parametrize("layout", sorted(EVERYDAY))
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_intercept_is_the_weight_of_a_feature_of_this_value(estimator, n_classes, layout):
    X, y = whole_numbers(seed=3, n_classes=n_classes)
    options = {"max_iter": 4, "tol": None}
    model = estimator(intercept_scaling=C, **options).fit(LAYOUTS[layout](X), y)
    wider = np.column_stack([X, np.full(len(X), C)])
    same = estimator(fit_intercept=False, **options).fit(LAYOUTS[layout](wider), y)
    assert model.mistakes_.tolist() == same.mistakes_.tolist()
    assert model.intercept_scaling_ == C
    assert same.intercept_scaling_ == 0
    np.testing.assert_allclose(model.coef_, same.coef_[:, :-1], rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, C * same.coef_[:, -1], rtol=1e-12)
    np.testing.assert_allclose(
        model.decision_function(X), same.decision_function(wider), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_reference_makes_the_same_mistakes(n_classes):
    X, y = whole_numbers(seed=4, n_classes=n_classes)
    model = Perceptron(intercept_scaling=C, shuffle=False, max_iter=3, tol=None).fit(X, y)
    orders = [range(len(X))] * 3
    if n_classes == 2:
        steps = list(reference.perceptron(X, 2 * y - 1, orders, bias=C**2))
    else:
        steps = list(reference.multiclass(X, y, orders, n_classes, bias=C**2))
    *_, (_, w, b, _) = steps
    assert model.n_mistakes_ == sum(mistake for *_, mistake in steps)
    np.testing.assert_array_equal(model.coef_, np.atleast_2d(w))
    np.testing.assert_array_equal(model.intercept_, np.atleast_1d(b))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_short_sparse_rows_get_a_small_intercept(kind):
    X, y = unit_rows(kind=kind)
    assert usual_square(X) == 0.25  # 1 / √16
    assert usual_square(X.toarray()) == 1
    assert usual_square(X / 2) == 1 / 16
    assert usual_square(4 * X) == 1  # binary rows: as large as a feature of value 1 at the most
    assert usual_square(400 * X) == 1
    assert usual_square(sp.csr_matrix((3, 4))) == 1
    with_zeros = sp.csr_matrix(np.hstack([X.toarray(), np.ones((len(y), 5))]).astype(kind))
    with_zeros.data[np.isin(with_zeros.indices, range(60, 65))] = 0
    assert with_zeros.nnz > X.nnz
    assert usual_square(with_zeros) == 0.25
    assert Perceptron().fit(X, y).intercept_scaling_ == 0.5
    assert Perceptron(intercept_scaling=1.0).fit(X, y).intercept_scaling_ == 1
    dense = Perceptron().fit(X.toarray(), y)
    lecture = Perceptron(intercept_scaling=1.0).fit(X, y)
    assert dense.mistakes_.tolist() == lecture.mistakes_.tolist()


def test_extreme_rows_still_get_an_intercept():
    for size in (1e-30, 1e-44, 1e12):
        X, y = sp.csr_matrix(np.full((4, 3), size, np.float32)), [0, 1, 0, 1]
        assert Perceptron(max_iter=2, tol=None).fit(X, y).intercept_scaling_ > 0


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_it_is_kept_in_later_calls_and_in_files(estimator, tmp_path):
    X, y = unit_rows()
    model = estimator(max_iter=3, tol=None, record=True, warm_start=True).fit(X[:100], y[:100])
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.intercept_scaling_ == 0.5
    for each in (model, again):
        each.partial_fit(9 * X[100:], y[100:])  # whose own scale would be 1
        assert each.intercept_scaling_ == 0.5
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))
    changes = list(again.ledger_.replay([X[:100], 9 * X[100:]]))
    if estimator is Perceptron:
        np.testing.assert_array_equal(changes[-1].intercept, model.intercept_[0])

    model.set_params(intercept_scaling=1.0)
    before = model.t_
    with pytest.raises(ValueError, match=r"learned with intercept_scaling=0\.5, which cannot be"):
        model.partial_fit(X, y)
    assert model.t_ == before
    assert clone(model).fit(X, y).intercept_scaling_ == 1


def test_a_named_scale_survives_a_change_of_precision():
    X, y = unit_rows(kind=np.float32)
    model = Perceptron(intercept_scaling=0.3).partial_fit(X, y)
    model.partial_fit(X.astype(float), y)
    assert model.intercept_scaling_ == pytest.approx(0.3)


@pytest.mark.parametrize("value", [0, -1.0, "none", None, True, float("nan"), 1e7])
def test_what_cannot_be_a_scale_is_refused(value):
    X, y = unit_rows()
    with pytest.raises(ValueError, match="intercept_scaling must be 'auto', or a number from"):
        Perceptron(intercept_scaling=value).fit(X, y)


def test_traces_are_those_of_fit():
    X, y = unit_rows(n=60)
    learner = AveragedPerceptron(shuffle=False, max_iter=2, tol=None)
    *_, last = trace(X, y, learner)
    fitted = learner.fit(X, y)
    assert fitted.intercept_scaling_ == 0.5
    np.testing.assert_array_equal(last.mean_intercept, fitted.intercept_[0])
    first = next(step for step in trace(X, y, "perceptron") if step.mistake)
    assert abs(first.intercept) == 1  # of a named learner, as in the lectures


@examples(20, 200, seed=st.integers(0, 10_000), exponent=st.integers(-4, 2))
def test_mistakes_stay_within_the_bound_for_rows_with_this_feature(seed, exponent):
    c = 2.0**exponent
    X, y = separable(seed, n=30, d=3)
    model = Perceptron(intercept_scaling=c, max_iter=10_000, tol=None, random_state=seed).fit(X, y)
    assert model.converged_
    wider = np.column_stack([X, np.full(len(X), c)])
    assert model.n_mistakes_ <= mistake_bound(wider, y, fit_intercept=False).bound


@pytest.mark.slow
def test_long_texts_of_length_1_are_classified_better_without_an_option(dataset):
    found = dataset("spamassassin")
    train, test = np.split(np.random.default_rng(0).permutation(len(found.y)), [4_000])
    words = TfidfVectorizer(sublinear_tf=True).fit(found.X[train])
    X, X_test = words.transform(found.X[train]), words.transform(found.X[test])

    def error(estimator, **options):
        models = (estimator(max_iter=10, tol=None, random_state=k, **options) for k in range(3))
        return 1 - np.mean([m.fit(X, found.y[train]).score(X_test, found.y[test]) for m in models])

    for estimator in (Perceptron, AveragedPerceptron):
        assert error(estimator) < 0.8 * error(estimator, intercept_scaling=1.0)
