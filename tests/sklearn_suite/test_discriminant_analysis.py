"""scikit-learn's tests/test_discriminant_analysis.py, with our estimators."""

from sklearn import discriminant_analysis

from tests.sklearn_suite.loading import suite

NAMES = {discriminant_analysis: ("LinearDiscriminantAnalysis",)}
globals().update(suite("tests/test_discriminant_analysis.py", NAMES))
