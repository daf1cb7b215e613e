"""Every estimator keeps every promise scikit-learn checks for.

The only expected failures are of weights, where a learner cannot mean by them what a check does.
"""

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
    "check_sample_weight_equivalence_on_sparse_data",
    "check_class_weight_classifiers",
    "check_sample_weights_list",
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
    LinearRegression(loss="huber", epsilon=0.5, penalty="elasticnet"),
    LinearRegression(loss="quantile", quantile=0.8),
    LinearRegression(loss="quantile", batch_size=None),
    GradientDescent(loss="modified_huber", penalty="elasticnet", alpha=0.01, l1_ratio=0.5),
    GradientDescent(loss="squared_hinge", batch_size=None),
    LinearSVM(loss="squared_hinge", penalty="elasticnet"),
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

EQUIVALENCE = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
# Of these, whole weights are repetitions to the last few digits.
AT_ONCE = [
    BatchPerceptron(learning_rate="line_search"),
    LogisticRegression(batch_size=None),
    LinearSVM(batch_size=None),
    GradientDescent(batch_size=None),
    LinearRegression(batch_size=None, learning_rate="constant", eta0=0.05),
]


def expected_failures(estimator):
    """Say which checks of weights an estimator cannot pass, and why."""
    online = (Perceptron, AveragedPerceptron, VotedPerceptron, PassiveAggressive, AROW)
    if isinstance(estimator, online):
        why = "what a row does depends on those before it: one long step is not two short ones"
        found = dict.fromkeys(EQUIVALENCE, why)
        if not estimator.fit_intercept:
            found["check_class_weight_classifiers"] = "a plane through the origin divides any data"
        return found
    if isinstance(estimator, BatchPerceptron):
        why = (
            "it stops where the rows of the heavy class are right, and what is left weighs nothing"
        )
        return {"check_class_weight_classifiers": why}
    if isinstance(estimator, GradientDescent | LogisticRegression | LinearSVM | LinearRegression):
        if estimator.batch_size is not None:
            why = dict.fromkeys(EQUIVALENCE, "the order of the rows, and so each step, is another")
            if estimator.early_stopping:
                why["check_estimators_partial_fit_n_features"] = (
                    "as of scikit-learn's SGDClassifier"
                )
            return why
        if isinstance(estimator, LinearRegression):
            return dict.fromkeys(EQUIVALENCE, "with this tol, each ends near the best, not at it")
    if getattr(estimator, "priors", None) == "uniform":
        return {"check_class_weight_classifiers": "priors='uniform' is not to depend on weights"}
    return {}


def thinned(settings):
    """Have every third check made of each setting, and of the next setting the next ones."""
    every = parametrize_with_checks(settings, expected_failed_checks=expected_failures)
    names, pairs = every.args
    numbers = {repr(setting): number for number, setting in enumerate(settings)}
    seen, kept = Counter(numbers), []
    for pair in pairs:
        estimator, _ = getattr(pair, "values", pair)
        if seen[repr(estimator)] % 3 == 0:
            kept.append(pair)
        seen[repr(estimator)] += 1
    return pytest.mark.parametrize(names, kept, **every.kwargs)


def rare_are_slow(estimators):
    """Have every check made, but later those that compile all loops anew, or are to fail."""
    every = parametrize_with_checks(estimators, expected_failed_checks=expected_failures)
    names, pairs = every.args
    kept = []
    for pair in pairs:
        fails = hasattr(pair, "values")
        rare = fails or check_name(pair[1]) in RARE
        kept.append(slow([pair])[0] if rare else pair)
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
@pytest.mark.parametrize("check", EQUIVALENCE)
@pytest.mark.parametrize("estimator", AT_ONCE, ids=lambda estimator: type(estimator).__name__)
def test_whole_weights_are_repetitions(estimator, check):
    getattr(estimator_checks, check)(type(estimator).__name__, estimator)


@pytest.mark.slow
@thinned(SETTINGS)
def test_scikit_learn_check_of_a_setting(estimator, check, monkeypatch):
    test_scikit_learn_check(estimator, check, monkeypatch)


def positive_blobs(**options):
    X, y = make_blobs(**options)
    return X - X.min(), y
