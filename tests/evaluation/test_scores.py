"""Log loss and AUC, against their definitions and scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from rosenblatt.evaluation.scores import ScoreMetrics, auc
from rosenblatt.reference import metrics as reference


def added(n_classes, codes, scores, probabilities=None, weights=None, blocks=5, **options):
    """Add rows in blocks, as files are read."""
    found = ScoreMetrics(n_classes, **options)
    for part in np.array_split(np.arange(len(codes)), blocks):
        own = [None if array is None else array[part] for array in (scores, probabilities, weights)]
        found.add(codes[part], *own)
    return found


def softmax(scores):
    likely = np.exp(scores)
    return likely / likely.sum(axis=1, keepdims=True)


rows = st.lists(
    st.tuples(st.integers(0, 4), st.booleans(), st.integers(1, 5)), min_size=2, max_size=40
)


@given(rows)
def test_auc_is_the_share_of_pairs(rows):
    scores, positive, weights = (np.array(column) for column in zip(*rows, strict=True))
    if positive.all() or not positive.any():
        assert np.isnan(auc(scores, positive))
        return
    expected = reference.auc(scores, positive, np.ones(len(rows)))
    assert auc(scores, positive) == pytest.approx(expected, abs=1e-12)
    weights = weights / 4
    expected = reference.auc(scores, positive, weights)
    assert auc(scores, positive, weights) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_two_classes_are_scikit_learns(weighted, ties, dtype):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 3_000)
    scores = rng.normal(size=3_000) + codes
    scores = (np.round(2 * scores) / 2 if ties else scores).astype(dtype)
    weights = rng.integers(1, 9, 3_000) / 4 if weighted else None
    likely = softmax(np.column_stack([np.zeros(3_000), scores.astype(float)]))
    found = added(2, codes, scores, likely, weights)
    expected = metrics.roc_auc_score(codes, scores, sample_weight=weights)
    assert found.auc == pytest.approx(expected, abs=1e-12)
    assert found.auc_error == 0
    expected = metrics.log_loss(codes, likely, sample_weight=weights)
    assert found.log_loss == pytest.approx(expected, abs=1e-12)
    assert found.log_loss == pytest.approx(
        reference.log_loss(likely, codes, np.ones(3_000) if weights is None else weights), abs=1e-12
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_many_classes_are_scikit_learns(weighted):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 5, 2_000)
    likely = softmax(rng.normal(size=(2_000, 5)) + 2 * np.eye(5)[codes])
    weights = rng.random(2_000) if weighted else None
    found = added(5, codes, likely, likely, weights)
    how = {"multi_class": "ovr", "average": "macro", "sample_weight": weights}
    assert found.auc == pytest.approx(metrics.roc_auc_score(codes, likely, **how), abs=1e-12)
    expected = metrics.log_loss(codes, likely, sample_weight=weights)
    assert found.log_loss == pytest.approx(expected, abs=1e-12)


def test_certain_probabilities_are_clipped_as_scikit_learn_does():
    codes, likely = np.array([0, 1, 1]), np.array([[1.0, 0.0], [1.0, 0.0], [0.5, 0.5]])
    found = added(2, codes, np.zeros(3), likely)
    assert found.log_loss == pytest.approx(metrics.log_loss(codes, likely), abs=1e-12)


def test_unknown_labels_are_wrong_to_the_log_loss_and_no_part_of_the_auc():
    codes, scores = np.array([0, 1, -1, 1]), np.array([-1.0, 1.0, 9.0, -2.0])
    likely = softmax(np.column_stack([np.zeros(4), scores]))
    found = added(2, codes, scores, likely, blocks=2)
    assert found.auc == 0.5
    right = np.array([likely[0, 0], likely[1, 1], 2.0**-52, likely[3, 1]])
    assert found.log_loss == pytest.approx(-np.log(right).mean(), abs=1e-12)


def test_classes_without_rows_are_left_out_of_the_mean():
    codes = np.array([0, 1, 0, 1])
    scores = np.array([[3.0, 1, 0], [0, 2, 0], [1, 2, 0], [2, 1, 5]])
    found = added(3, codes, scores, blocks=1)
    each = [metrics.roc_auc_score(codes == k, scores[:, k]) for k in (0, 1)]
    assert found.auc == pytest.approx(np.mean(each), abs=1e-12)
    assert found.log_loss is None


def test_nothing_to_measure():
    empty = ScoreMetrics(2)
    assert (empty.auc, empty.log_loss) == (None, None)
    assert added(2, np.zeros(5, int), np.arange(5.0)).auc is None
    one = added(1, np.zeros(5, int), np.ones((5, 1)), np.ones((5, 1)))
    assert (one.auc, one.log_loss) == (None, None)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_many_scores_are_counted_in_bins_within_the_error(n_classes, weighted, ordered):
    rng = np.random.default_rng(2)
    n = 20_000
    codes = rng.integers(0, n_classes, n)
    scores = rng.normal(size=n) + codes
    if n_classes > 2:
        scores = rng.normal(size=(n, n_classes)) + np.eye(n_classes)[codes]
    if ordered:  # the first scores say little of the later ones
        order = np.argsort(scores if n_classes == 2 else scores[:, 0])
        codes, scores = codes[order], scores[order]
    weights = rng.random(n) if weighted else None
    found = added(n_classes, codes, scores, None, weights, blocks=40, exact=4_000)
    exact = added(n_classes, codes, scores, None, weights)
    assert exact.auc_error == 0 < found.auc_error < (0.5 if ordered else 1e-3)
    assert abs(found.auc - exact.auc) <= found.auc_error + 1e-12
    assert not found._parts


def test_bins_are_exact_where_scores_are_few():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, 5_000)
    scores = np.round(rng.normal(size=5_000) + codes)
    found = added(2, codes, scores, exact=1_000)
    assert found.auc == pytest.approx(metrics.roc_auc_score(codes, scores), abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_log_odds_are_as_good_as_probabilities(weighted):
    rng = np.random.default_rng(4)
    codes, odds = rng.integers(-1, 2, 777), 30 * rng.normal(size=777)
    odds[:3] = 1e9, -1e9, 0
    weights = rng.random(777) if weighted else None
    with np.errstate(over="ignore"):
        likely = np.column_stack([1 / (1 + np.exp(odds)), 1 / (1 + np.exp(-odds))])
    found, same = (added(2, codes, None, given, weights) for given in (odds, likely))
    assert found.log_loss == pytest.approx(same.log_loss, abs=1e-12)
    assert found.auc is None
