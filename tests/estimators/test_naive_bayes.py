"""Naive Bayes: scikit-learn's figures, the references, and the edges."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

from rosenblatt import NaiveBayes, reference
from tests.conftest import LAYOUTS, rounding, whole_numbers
from tests.estimators.real_sets import NAMES, rows_and_labels
from tests.estimators.test_bad_input import BAD as BAD_ROWS
from tests.estimators.test_bad_input import X as GOOD
from tests.estimators.test_bad_input import Y, bits

KINDS = ["gaussian", "bernoulli", "multinomial", "complement"]
COUNTS = ("multinomial", "complement")


def log_chances(joint):
    return joint - np.logaddexp.reduce(joint, axis=1)[:, None]


def data_for(kind, seed=1, n_classes=3, **options):
    X, y = whole_numbers(seed=seed, n_classes=n_classes, **options)
    return (np.abs(X) if kind in COUNTS else X), y


@pytest.mark.parametrize("name", NAMES)
def test_bernoulli_and_multinomial_agree_with_scikit_learn(name, dataset):
    X, y = rows_and_labels(name, dataset)
    limit = 0.0 if sp.issparse(X) else max(float(np.median(X)), 0.0)
    low = 0.0 if sp.issparse(X) else min(float(X.min()), 0.0)
    for ours, theirs, rows in (
        (NaiveBayes("bernoulli", binarize=limit), BernoulliNB(binarize=limit), X),
        (NaiveBayes("bernoulli", priors="uniform"), BernoulliNB(fit_prior=False), X),
        (NaiveBayes("multinomial"), MultinomialNB(), X - low if low else X),
        (NaiveBayes("multinomial", alpha=0.01), MultinomialNB(alpha=0.01), X - low if low else X),
        (NaiveBayes("complement"), ComplementNB(), X - low if low else X),
        (NaiveBayes("complement", norm=True), ComplementNB(norm=True), X - low if low else X),
    ):  # fmt: skip
        ours.fit(rows, y)
        theirs.fit(rows, y)
        expected = theirs.predict_log_proba(rows)
        np.testing.assert_allclose(ours.predict_log_proba(rows), expected, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_gaussian_is_a_discriminant_with_a_diagonal_covariance(name, dataset):
    X, y = rows_and_labels(name, dataset)
    dense = X.toarray() if sp.issparse(X) else X
    codes = np.unique(y, return_inverse=True)[1]
    expected = log_chances(reference.gaussian(dense, codes, dense))
    model = NaiveBayes().fit(X, y)
    found = model.predict_log_proba(X)
    # Features that hardly vary count a billion times, and so does their rounding.
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-5)
    assert np.mean(model.predict(X) == np.unique(y)[expected.argmax(axis=1)]) > 0.999


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_layout_is_the_reference(kind, n_classes, layout, dtype):
    X, y = data_for(kind, n_classes=n_classes)
    view = LAYOUTS[layout](X.astype(dtype))
    model = NaiveBayes(kind).fit(view, y)
    expected = log_chances(getattr(reference, kind)(X, y, X))
    np.testing.assert_allclose(model.predict_log_proba(view), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(view).sum(axis=1), 1)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_the_hyperplanes(kind):
    for n_classes in (2, 3):
        X, y = data_for(kind, n_classes=n_classes)
        model = NaiveBayes(kind).fit(X, y)
        shown = (X > 0) if kind == "bernoulli" else X
        np.testing.assert_allclose(
            model.decision_function(X), model.hyperplane_.score(shown.astype(float)), atol=1e-9
        )
        assert model.coef_.shape == (1 if n_classes == 2 else 3, X.shape[1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 7])
def test_pieces_and_repetitions_are_the_whole(kind, size):
    X, y = data_for(kind, n=60)
    weights = np.arange(60) % 3 + 1
    whole = NaiveBayes(kind).fit(X, y, weights).predict_log_proba(X)
    model = NaiveBayes(kind)
    for start in range(0, 60, size):
        part = slice(start, start + size)
        view = sp.csr_matrix(X[part]) if start % 2 else X[part]
        model.partial_fit(view, y[part], sample_weight=weights[part])
    np.testing.assert_allclose(model.predict_log_proba(X), whole, rtol=1e-9, atol=1e-9)
    again = NaiveBayes(kind).fit(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_allclose(again.predict_log_proba(X), whole, rtol=1e-9, atol=1e-9)
    assert model.class_count_.tolist() == np.bincount(y, weights).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_states_merge(kind):
    X, y = data_for(kind)
    halves = [NaiveBayes(kind).fit(X[k::2], y[k::2]) for k in range(2)]
    whole = NaiveBayes(kind).fit(X, y)
    merged = whole._learner.merge([half._state for half in halves])
    for a, b in zip(merged, whole._state, strict=True):
        if b is not None:
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    twice = whole._learner.merge([half._state for half in halves], [2.0, 2.0])
    np.testing.assert_allclose(twice.weight, 2 * whole._state.weight)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("priors", ["empirical", "uniform"])
def test_a_class_without_rows_is_never_chosen(kind, priors):
    X, y = data_for(kind, n_classes=2)
    model = NaiveBayes(kind, priors=priors).partial_fit(X, y, classes=[0, 1, 2])
    two = NaiveBayes(kind, priors=priors).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, :2], two.predict_proba(X), atol=1e-12)
    assert (model.predict_proba(X)[:, 2] == 0).all()
    assert not np.isnan(model.decision_function(X)).any()
    one = NaiveBayes(kind, priors=priors).partial_fit(X[:1], [1], classes=[0, 1])
    assert one.predict(X).tolist() == [1] * len(X)
    assert one.predict_proba(X[:1]).tolist() == [[0, 1]]
    alone = NaiveBayes(kind, priors=priors).partial_fit(X[:1], [1])
    assert alone.predict_proba(X[:1]).tolist() == [[1]]
    alone.partial_fit(X, y)
    assert alone.classes_.tolist() == [0, 1]


def test_gaussian_variances():
    X, y = rounding(seed=2, n_classes=3)
    X[:, 2] = 0.1  # constant
    X[:, 3] = y  # constant in each class
    model = NaiveBayes(var_smoothing=1e-3).fit(X, y)
    assert model.var_[[2, 3]] == pytest.approx(1e-3 * X.var(axis=0).max())
    assert model.var_[0] > model.var_[2]
    assert model.coef_[:, 2] == pytest.approx(0, abs=1e-9)
    for kind in (np.asarray, sp.csr_matrix):
        flat = NaiveBayes().fit(kind(np.full((6, 2), 0.1)), [0, 0, 0, 0, 1, 1])
        assert flat.var_.tolist() == [1, 1]
        np.testing.assert_allclose(flat.predict_proba([[0.1, 0.1]]), [[2 / 3, 1 / 3]])


def test_far_from_the_origin():
    X, y = rounding(seed=3, n_classes=3)
    near, far = NaiveBayes().fit(X, y), NaiveBayes().fit(X + 1e6, y)
    np.testing.assert_allclose(far.predict_proba(X + 1e6), near.predict_proba(X), atol=1e-6)


def test_weights_with_fractions_leave_no_negative_counts():
    X, y = np.ones((30, 2)), np.arange(30) % 2
    model = NaiveBayes("bernoulli", alpha=1e-12).fit(X, y, np.full(30, 0.1))
    assert np.isfinite(model.coef_).all()


BAD = {
    "distribution": ({"distribution": "poisson"}, "distribution must be 'gaussian', 'bernoulli'"),
    "alpha": ({"alpha": -1}, "alpha must be a finite number that is not negative, .* got -1"),
    "alpha is no number": ({"alpha": "1"}, "alpha must be a finite number that is not negative"),
    "alphas": ({"alpha": [1, -1, 1, 1]}, "alpha must be a finite number that is not negative"),
    "norm": ({"norm": 1}, "norm must be True or False"),
    "var_smoothing": ({"var_smoothing": -1.0}, "var_smoothing must be a positive number"),
    "binarize": ({"binarize": np.inf}, "binarize must be None or a finite number"),
    "binarize is no number": ({"binarize": "0"}, "binarize must be None or a finite number"),
    "priors": ({"priors": [0.2, 0.2]}, "must add up to 1"),
    "negative": ({"distribution": "multinomial"}, "Negative values in data: X has -2.0 at row 0"),
    "no flags": (
        {"distribution": "bernoulli", "binarize": None},
        r"binarize=None expects zeros and ones: X has .* at row 0, column \d; set binarize",
    ),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_bad_input_is_named_and_changes_nothing(case, kind, method):
    options, message = BAD[case]
    X, y = whole_numbers(seed=1, n=30, d=4)
    X[0, 1] = -2.0
    X[0, 0] = 0.0
    model = NaiveBayes().fit(X, y).set_params(**options)
    if method == "partial_fit" and options.get("distribution") in KINDS:
        message = "learned with distribution='gaussian', which cannot be changed later"
    before = bits(model)
    with pytest.raises(ValueError, match=message) as error:
        getattr(model, method)(kind(X), y)
    assert "\n" not in str(error.value)
    assert bits(model) == before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("case", BAD_ROWS)
def test_rows_that_make_no_sense(kind, method, case):
    X, y, message = BAD_ROWS[case]
    for model in (NaiveBayes(kind), NaiveBayes(kind).fit(np.abs(GOOD), Y)):
        before = bits(model)
        if method == "partial_fit" and case == "one class":
            continue  # a stream may begin with one
        with pytest.raises(ValueError, match=message) as error:
            getattr(model, method)(X, y)
        assert "\n" not in str(error.value).strip()
        assert bits(model) == before


def test_zeros_and_ones_as_they_are():
    X, y = whole_numbers(seed=1, n=30, d=4)
    model = NaiveBayes("bernoulli", binarize=None).fit(X > 0, y)
    expected = NaiveBayes("bernoulli").fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X > 0), expected)
    with pytest.raises(ValueError, match="binarize=None expects zeros and ones"):
        model.predict(X)


def test_a_threshold_below_zero_wants_an_array():
    X, y = whole_numbers(seed=1, n=30, d=4)
    model = NaiveBayes("bernoulli", binarize=-1.0).fit(X, y)
    above = X > -1
    expected = BernoulliNB().fit(above, y).predict_log_proba(above)
    np.testing.assert_allclose(model.predict_log_proba(X), expected)
    for method in (model.predict, lambda view: model.fit(view, y)):
        with pytest.raises(ValueError, match=r"binarize=-1.0 makes a one of every zero"):
            method(sp.csr_matrix(X))


@pytest.mark.parametrize("label", [0, 7])  # a class that is known, and one that is new
@pytest.mark.parametrize("before", KINDS)
@pytest.mark.parametrize("after", KINDS)
def test_the_distribution_stays(before, after, label):
    X, y = data_for(before, n=30, d=4)
    model = NaiveBayes(before).fit(X, y).set_params(distribution=after)
    old = bits(model)
    if before == after or {before, after} == {*COUNTS}:
        model.partial_fit(X[:1], [label])
        return
    message = f"learned with distribution='{before}', which cannot be changed later to '{after}'"
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X[:1], [label])
    assert bits(model) == old


def test_the_threshold_stays():
    X, y = whole_numbers(seed=1, n=30, d=4)
    model = NaiveBayes("bernoulli").fit(X, y).set_params(binarize=1.0)
    with pytest.raises(ValueError, match=r"binarize=0\.0, which cannot be changed later to 1\.0"):
        model.partial_fit(X, y)
