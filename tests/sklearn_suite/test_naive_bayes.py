"""scikit-learn's tests/test_naive_bayes.py, with our estimators."""

from sklearn import naive_bayes

from tests.sklearn_suite.loading import suite

NAMES = {naive_bayes: ("GaussianNB", "BernoulliNB", "MultinomialNB", "ComplementNB")}
globals().update(suite("tests/test_naive_bayes.py", NAMES))
