"""Every estimator keeps every promise scikit-learn checks for, with no expected failure."""

import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import (
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
    Perceptron,
    VotedPerceptron,
)


@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:alpha=0.01 has no effect")  # one check sets it everywhere
@parametrize_with_checks(
    [
        Perceptron(),
        Perceptron(selection="random_mistake"),
        Perceptron(learning_rate="inverse", ties="positive", shuffle=False),
        Perceptron(record=True),
        AveragedPerceptron(),
        VotedPerceptron(),
        VotedPerceptron(predict_with="last"),
        BatchPerceptron(),
        BatchPerceptron(learning_rate="line_search"),
        KernelPerceptron(),
        KernelPerceptron(kernel="poly", multi_class="joint", shuffle=False),
        KernelPerceptron(kernel="laplacian", predict_with="average"),
        KernelPerceptron(kernel="linear", predict_with="last"),
        LogisticRegression(),
        LogisticRegression(batch_size=None, learning_rate="line_search"),
        LogisticRegression(batch_size=8, penalty="l1", early_stopping=True),
        LogisticRegression(penalty="l2", average=True, learning_rate="optimal"),
        LinearSVM(),
        GradientDescent(),
        GradientDescent(loss="squared", batch_size=4, learning_rate="constant"),
        LinearRegression(),
        LinearRegression(batch_size=None, learning_rate="line_search"),
        LinearRegression(batch_size=None, penalty="l1"),
        LinearDiscriminant(),
        LinearDiscriminant(shrinkage=0.1, priors="uniform"),
        LinearDiscriminant(shrinkage="auto"),
        NearestCentroid(),
        NearestCentroid(priors="empirical"),
        NearestCentroid(shrink_threshold=0, priors="empirical"),
        NearestCentroid(shrink_threshold=0.5),
        NearestCentroid(shrink_threshold="cv"),
        NearestCentroid("manhattan"),
        NearestCentroid("hamming"),
        NaiveBayes(),
        NaiveBayes("bernoulli"),
        NaiveBayes("multinomial"),
    ]
)
def test_scikit_learn_check(estimator, check, monkeypatch):
    if get_tags(estimator).input_tags.positive_only:
        # One check draws rows without asking whether negative ones are wanted.
        monkeypatch.setattr(estimator_checks, "make_blobs", positive_blobs)
    check(estimator)


def positive_blobs(**options):
    X, y = make_blobs(**options)
    return X - X.min(), y
