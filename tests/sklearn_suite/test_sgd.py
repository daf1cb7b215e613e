"""scikit-learn's linear_model/tests/test_sgd.py, with our estimators."""

from sklearn import linear_model

from tests.sklearn_suite.loading import suite

NAMES = {linear_model: ("SGDClassifier", "SGDRegressor")}
globals().update(suite("linear_model/tests/test_sgd.py", NAMES))
