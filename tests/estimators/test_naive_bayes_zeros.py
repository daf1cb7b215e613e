"""Naive Bayes with other amounts of smoothing, none included, and joint probabilities."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

from rosenblatt import NaiveBayes, load, reference, save

ALPHAS = [1.0, 0.1, 0.0, "vector"]
# Of sparse rows scikit-learn does not multiply zero by −∞, which is NaN.
THEIRS = {
    "multinomial": MultinomialNB,
    "complement": ComplementNB,
    "normed": lambda **options: ComplementNB(norm=True, **options),
}


def counts(seed, n_classes, n=60, d=8):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.6, (n, d)).astype(float)
    y, T = rng.integers(0, n_classes, n), rng.poisson(0.6, (30, d)).astype(float)
    T[T.sum(axis=1) == 0, 1] = 1  # a row of zeros is a tie, which goes to another class here
    return X, y, T, rng.random(d)


def assert_same(found, expected):
    known = np.isfinite(expected)
    np.testing.assert_array_equal(found[~known], expected[~known])
    np.testing.assert_allclose(found[known], expected[known], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kind", THEIRS)
def test_any_amount_of_smoothing_is_scikit_learns(kind, n_classes, alpha, layout):
    X, y, T, vector = counts(n_classes, n_classes)
    alpha = vector if alpha == "vector" else alpha
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of the logarithm of zero
        theirs = THEIRS[kind](alpha=alpha).fit(sp.csr_matrix(X), y)
        expected = theirs.predict_joint_log_proba(sp.csr_matrix(T))
        impossible = ~np.isfinite(expected).any(axis=1)
        chances = theirs.predict_log_proba(sp.csr_matrix(T))
    name = "complement" if kind == "normed" else kind
    ours = NaiveBayes(name, alpha=alpha, norm=kind == "normed").fit(layout(X), y)
    assert_same(ours.feature_log_prob_, theirs.feature_log_prob_)
    assert_same(ours.predict_joint_log_proba(layout(T)), expected)
    # A row that no class can have has no probabilities there; here the least impossible ones.
    rest = ~impossible
    possible = np.isfinite(chances[rest])
    np.testing.assert_allclose(
        ours.predict_log_proba(layout(T))[rest][possible], chances[rest][possible], atol=1e-6
    )
    np.testing.assert_array_equal(
        ours.predict(layout(T))[rest], theirs.predict(sp.csr_matrix(T))[rest]
    )
    assert np.isfinite(ours.predict_proba(layout(T))).all()


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_joint_probabilities_of_flags_and_measurements(layout, n_classes):
    X, y, T, _ = counts(7, n_classes)
    ours = NaiveBayes("bernoulli", alpha=0.3).fit(layout(X), y)
    theirs = BernoulliNB(alpha=0.3).fit(X, y)
    assert_same(ours.predict_joint_log_proba(layout(T)), theirs.predict_joint_log_proba(T))
    gaussian = NaiveBayes().fit(layout(X), y)
    joint = gaussian.predict_joint_log_proba(layout(T))
    assert_same(joint, reference.gaussian(X, y, T))
    chances = joint - np.logaddexp.reduce(joint, axis=1)[:, None]
    np.testing.assert_allclose(gaussian.predict_log_proba(layout(T)), chances, atol=1e-9)


def test_no_smoothing_rules_out_what_was_never_seen():
    X, y = np.array([[1, 0, 2], [0, 0, 1], [0, 3, 1], [0, 2, 2]]), [0, 0, 1, 1]
    rows = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, 2, 0]]
    model = NaiveBayes("multinomial", alpha=0).fit(X, y)
    assert np.isneginf(model.feature_log_prob_[[0, 1], [1, 0]]).all()
    assert np.isneginf(model.predict_joint_log_proba(rows)).tolist() == [
        [False, True],
        [True, False],
        [True, True],
        [True, True],
        [True, True],
    ]
    # Where both are impossible: the one that is so less often, as for any small alpha.
    small = NaiveBayes("multinomial", alpha=1e-200).fit(X, y)
    assert model.predict(rows).tolist() == small.predict(rows).tolist() == [0, 1, 1, 0, 1]
    assert np.isfinite(model.coef_).all()


def test_flags_that_are_always_or_never_there():
    X, y = np.array([[1, 0], [1, 0], [0, 1], [1, 1]]), np.array([0, 0, 1, 1])
    model = NaiveBayes("bernoulli", alpha=0).fit(X, y)
    found = model.predict_joint_log_proba([[1, 0], [1, 1]])
    assert np.exp(found[[0, 1], [0, 1]]).tolist() == pytest.approx([0.5, 0.25])
    assert np.isneginf(found[[0, 1], [1, 0]]).all()
    assert model.predict([[1, 0], [0, 1], [1, 1]]).tolist() == [0, 1, 1]


def test_a_class_of_empty_rows_draws_all_features_alike():
    model = NaiveBayes("multinomial", alpha=0).fit([[0, 0], [1, 3]], [0, 1])
    assert np.exp(model.feature_log_prob_).round(6).tolist() == [[0.5, 0.5], [0.25, 0.75]]


@pytest.mark.parametrize("kind", ["bernoulli", "multinomial", "complement"])
def test_a_class_without_rows_stays_ruled_out(kind):
    X, y, T, _ = counts(3, 2)
    X[:, 1] = 0  # seen in no class: for "complement" infinite weights
    model = NaiveBayes(kind, alpha=0).partial_fit(X, y, classes=[0, 1, 2])
    T[:, 1] = 1
    assert np.isneginf(model.predict_joint_log_proba(T)[:, 2]).all()
    assert (model.predict_proba(T)[:, 2] == 0).all()


def test_an_alpha_for_each_feature_needs_one_for_each():
    with pytest.raises(ValueError, match="alpha has 2 numbers, but X has 3 features"):
        NaiveBayes("multinomial", alpha=[1, 2]).fit([[1, 0, 2], [0, 0, 1]], [0, 1])


def test_counts_can_be_read_either_way():
    X, y, _, _ = counts(5, 3)
    model = NaiveBayes("multinomial").fit(X[:30], y[:30]).set_params(distribution="complement")
    model.partial_fit(X[30:], y[30:])
    np.testing.assert_allclose(model.coef_, NaiveBayes("complement").fit(X, y).coef_)


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_complement_is_the_reference(n_classes, norm):
    X, y, T, _ = counts(11, n_classes)
    model = NaiveBayes("complement", alpha=0.5, norm=norm).fit(X, y)
    expected = reference.complement(X, y, T, 0.5, norm)
    np.testing.assert_allclose(model.predict_joint_log_proba(T), expected, atol=1e-9)


@pytest.mark.parametrize("kind", ["bernoulli", "multinomial", "complement"])
def test_models_are_saved(kind, tmp_path):
    X, y, T, vector = counts(2, 3)
    for alpha in (0.0, vector):
        model = NaiveBayes(kind, alpha=alpha).fit(X, y)
        save(model, tmp_path / "m.model")
        again = load(tmp_path / "m.model")
        np.testing.assert_array_equal(
            again.predict_joint_log_proba(T), model.predict_joint_log_proba(T)
        )
