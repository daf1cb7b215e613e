"""Every estimator keeps every promise scikit-learn checks for, with no expected failure."""

from collections import Counter

import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import (
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    GradientDescent,
    KernelPerceptron,
    LinearDiscriminant,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    NearestCentroid,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
)
from tests.conftest import slow

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:alpha=0.01 has no effect"),  # one check sets it everywhere
]
CLASSES = [
    Perceptron(),
    AveragedPerceptron(),
    VotedPerceptron(),
    PassiveAggressive(),
    AROW(),
    BatchPerceptron(),
    KernelPerceptron(),
    LogisticRegression(),
    LinearSVM(),
    GradientDescent(),
    LinearRegression(),
    LinearDiscriminant(),
    NearestCentroid(),
    NaiveBayes(),
]
RARE = (
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_f_contiguous_array_estimator",
)
SETTINGS = [
    Perceptron(selection="random_mistake"),
    Perceptron(learning_rate="inverse", ties="positive", shuffle=False),
    Perceptron(record=True),
    VotedPerceptron(predict_with="last"),
    PassiveAggressive(loss="squared_hinge", C=0.1, fit_intercept=False),
    AROW(r=0.1, shuffle=False),
    BatchPerceptron(learning_rate="line_search"),
    KernelPerceptron(kernel="poly", multi_class="joint", shuffle=False),
    KernelPerceptron(kernel="laplacian", predict_with="average"),
    KernelPerceptron(kernel="linear", predict_with="last"),
    LogisticRegression(batch_size=None, learning_rate="line_search"),
    LogisticRegression(batch_size=8, penalty="l1", early_stopping=True),
    LogisticRegression(penalty="l2", average=True, learning_rate="optimal"),
    GradientDescent(loss="squared", batch_size=4, learning_rate="constant"),
    LinearRegression(batch_size=None, learning_rate="line_search"),
    LinearRegression(batch_size=None, penalty="l1"),
    LinearDiscriminant(shrinkage=0.1, priors="uniform"),
    LinearDiscriminant(shrinkage="auto"),
    NearestCentroid(priors="empirical"),
    NearestCentroid(shrink_threshold=0, priors="empirical"),
    NearestCentroid(shrink_threshold=0.5),
    NearestCentroid(shrink_threshold="cv"),
    NearestCentroid("manhattan"),
    NearestCentroid("hamming"),
    NaiveBayes("bernoulli"),
    NaiveBayes("multinomial"),
]


def thinned(settings):
    """Have every third check made of each setting, and of the next setting the next ones."""
    every = parametrize_with_checks(settings)
    names, pairs = every.args
    numbers = {repr(setting): number for number, setting in enumerate(settings)}
    seen, kept = Counter(numbers), []
    for estimator, check in pairs:
        if seen[repr(estimator)] % 3 == 0:
            kept.append((estimator, check))
        seen[repr(estimator)] += 1
    return pytest.mark.parametrize(names, kept, **every.kwargs)


def rare_are_slow(estimators):
    """Have every check made, but those of rare layouts, which compile all loops anew, later."""
    every = parametrize_with_checks(estimators)
    names, pairs = every.args
    kept = [slow([pair])[0] if check_name(pair[1]) in RARE else pair for pair in pairs]
    return pytest.mark.parametrize(names, kept, **every.kwargs)


def check_name(check):
    return getattr(check, "func", check).__name__


@rare_are_slow(CLASSES)
def test_scikit_learn_check(estimator, check, monkeypatch):
    if get_tags(estimator).input_tags.positive_only:
        # One check draws rows without asking whether negative ones are wanted.
        monkeypatch.setattr(estimator_checks, "make_blobs", positive_blobs)
    check(estimator)


@pytest.mark.slow
@thinned(SETTINGS)
def test_scikit_learn_check_of_a_setting(estimator, check, monkeypatch):
    test_scikit_learn_check(estimator, check, monkeypatch)


def positive_blobs(**options):
    X, y = make_blobs(**options)
    return X - X.min(), y
