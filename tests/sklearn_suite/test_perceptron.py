"""scikit-learn's linear_model/tests/test_perceptron.py, with our estimators."""

from sklearn import linear_model

from tests.sklearn_suite.loading import suite

NAMES = {linear_model: ("Perceptron",)}
globals().update(suite("linear_model/tests/test_perceptron.py", NAMES))
