"""scikit-learn's linear_model/tests/test_passive_aggressive.py, with our estimators."""

from sklearn import linear_model

from tests.sklearn_suite.loading import suite

NAMES = {linear_model: ("PassiveAggressiveClassifier",)}
globals().update(suite("linear_model/tests/test_passive_aggressive.py", NAMES))
