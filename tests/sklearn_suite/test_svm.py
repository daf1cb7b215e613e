"""scikit-learn's svm/tests/test_svm.py, with our estimators."""

from sklearn import linear_model, svm

from tests.sklearn_suite.loading import suite

NAMES = {linear_model: ("LogisticRegression",), svm: ("LinearSVC",)}
globals().update(suite("svm/tests/test_svm.py", NAMES))
