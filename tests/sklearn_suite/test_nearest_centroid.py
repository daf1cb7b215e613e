"""scikit-learn's neighbors/tests/test_nearest_centroid.py, with our estimators."""

from sklearn import neighbors

from tests.sklearn_suite.loading import suite

NAMES = {neighbors: ("NearestCentroid",)}
globals().update(suite("neighbors/tests/test_nearest_centroid.py", NAMES))
