"""scikit-learn's linear_model/tests/test_base.py, with our estimators."""

from sklearn import linear_model

from tests.sklearn_suite.loading import suite

NAMES = {linear_model: ("LinearRegression",)}
globals().update(suite("linear_model/tests/test_base.py", NAMES))
