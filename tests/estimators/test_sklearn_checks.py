"""Every estimator keeps every promise scikit-learn checks for, with no expected failure."""

import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import AveragedPerceptron, BatchPerceptron, Perceptron, VotedPerceptron


@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
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
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
