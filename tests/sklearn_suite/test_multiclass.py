"""scikit-learn's tests/test_multiclass.py, with our estimators inside its wrappers."""

from sklearn import linear_model, naive_bayes, svm

from tests.sklearn_suite.loading import suite

NAMES = {
    linear_model: ("LogisticRegression", "Perceptron"),
    naive_bayes: ("MultinomialNB",),
    svm: ("LinearSVC",),
}
globals().update(suite("tests/test_multiclass.py", NAMES))
