"""Ten real data sets and one more, as numbers, for comparisons with scikit-learn."""

from sklearn import datasets as embedded
from sklearn.preprocessing import OneHotEncoder

EMBEDDED = {
    "iris": embedded.load_iris,
    "wine": embedded.load_wine,
    "breast_cancer": embedded.load_breast_cancer,
    "digits": embedded.load_digits,
}
NAMES = [
    *EMBEDDED, "sonar", "ionosphere", "banknote", "spambase", "a9a", "mushroom", "khan_srbct",
]  # fmt: skip


def rows_and_labels(name, dataset):
    """Return X and y; ``dataset`` is the fixture that loads, or skips."""
    if name in EMBEDDED:
        return EMBEDDED[name](return_X_y=True)
    data = dataset(name)
    X = data.X
    if name == "mushroom":
        X = OneHotEncoder().fit_transform(X)
    if name == "a9a":
        X = X[:8000]
    return X, data.y[: X.shape[0]]
