"""What is counted, against scikit-learn's metrics."""

import numpy as np
import pytest
from sklearn import metrics

from rosenblatt.data.labels import places
from rosenblatt.evaluation.metrics import Confusion, Residuals

NAMES = np.array(["ham", "eggs", "spam", "tea"], object)


def counted(classes, truth, predicted, blocks=7):
    found = Confusion(classes)
    codes = places(classes.astype(object) if classes.dtype.kind == "U" else classes, predicted)
    for part in np.array_split(np.arange(len(truth)), blocks):
        found.add(truth[part], codes[part])
    return found


@pytest.mark.parametrize("kind", ["numbers", "names", "unicode"])
@pytest.mark.parametrize("unknown", [False, True])
def test_scores_are_scikit_learns(kind, unknown):
    rng = np.random.default_rng(0)
    labels = np.arange(4) if kind == "numbers" else np.sort(NAMES)
    truth = labels[rng.integers(0, 4, 500)]
    guess = np.where(rng.random(500) < 0.7, truth, labels[rng.integers(0, 3, 500)])
    known = labels
    if unknown:  # a label that the model never saw cannot be predicted
        known = labels[:3]
        guess = np.where(guess == labels[3], labels[0], guess)
    classes = known.astype(str) if kind == "unicode" else known
    found = counted(classes, truth, guess)

    assert found.accuracy == pytest.approx(metrics.accuracy_score(truth, guess))
    assert found.mistakes == int((truth != guess).sum())
    each = metrics.precision_recall_fscore_support(truth, guess, labels=labels, zero_division=0)
    np.testing.assert_allclose(np.array(found.each()).T, each[:3])
    np.testing.assert_array_equal(found.support(), each[3])
    for average in ("macro", "micro", "weighted"):
        expected = metrics.precision_recall_fscore_support(
            truth, guess, average=average, zero_division=0
        )[:3]
        np.testing.assert_allclose(getattr(found, average)(), expected)
    matrix = metrics.confusion_matrix(truth, guess, labels=labels)
    np.testing.assert_array_equal(found.matrix, matrix[:, : len(known)])
    assert found.unknown == ([labels.tolist()[3]] if unknown else [])
    assert found.labels == labels.tolist()


def test_classes_that_never_come_do_not_count_in_the_mean():
    truth, guess = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    found = counted(np.arange(5), truth, guess, 1)
    expected = metrics.precision_recall_fscore_support(truth, guess, average="macro")[:3]
    np.testing.assert_allclose(found.macro(), expected)


def test_labels_of_another_kind_are_all_unknown():
    found = Confusion(np.array([0, 1]))
    found.add(np.array(["yes", "no", "yes"], object), np.array([1, 0, 0]))
    assert found.unknown == ["no", "yes"]
    assert (found.mistakes, found.accuracy) == (3, 0)
    assert found.matrix.tolist() == [[0, 0], [0, 0], [1, 0], [1, 1]]


def test_nothing_counted_yet():
    found = Confusion(np.array([0, 1]))
    assert found.examples == 0
    assert np.isnan(found.accuracy)
    assert np.isnan(found.macro()).all()
    off = Residuals()
    assert np.isnan([off.rmse, off.mae, off.r2]).all()


@pytest.mark.parametrize("shift", [0.0, 1e8])
def test_residuals_are_scikit_learns(shift):
    rng = np.random.default_rng(1)
    truth = rng.normal(size=400) + shift
    guess = truth + rng.normal(size=400) / 3
    off = Residuals()
    for part in np.array_split(np.arange(400), [1, 1, 50, 399]):
        off.add(truth[part], guess[part])
    assert off.examples == 400
    assert off.rmse == pytest.approx(metrics.root_mean_squared_error(truth, guess))
    assert off.mae == pytest.approx(metrics.mean_absolute_error(truth, guess))
    assert off.r2 == pytest.approx(metrics.r2_score(truth, guess), rel=1e-6)


def test_places():
    names = np.array(["a", "c"], object)
    assert places(names, np.array(["c", "b", "a", "z"], object)).tolist() == [1, -1, 0, -1]
    assert places(np.array([], object), np.array(["c"], object)).tolist() == [-1]
