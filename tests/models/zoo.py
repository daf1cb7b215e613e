"""One of each: estimators in all settings that change what they hold, and data for them."""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import (
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    GradientDescent,
    KernelPerceptron,
    LinearDiscriminant,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    NearestCentroid,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
)
from rosenblatt.theory.ledger import Ledger
from tests.conftest import rounding

SETTINGS = {
    "perceptron": lambda: Perceptron(max_iter=5),
    "perceptron, inverse": lambda: Perceptron(learning_rate="inverse", ties="positive", eta0=0.3),
    "perceptron, random mistakes": lambda: Perceptron(selection="random_mistake", max_iter=3),
    "perceptron, ledger": lambda: Perceptron(record=True, max_iter=4, random_state=3),
    "perceptron, no intercept": lambda: Perceptron(fit_intercept=False, tol=None, max_iter=3),
    "averaged": lambda: AveragedPerceptron(max_iter=4),
    "averaged, small intercept": lambda: AveragedPerceptron(max_iter=3, intercept_scaling=0.3),
    "averaged, ledger": lambda: AveragedPerceptron(max_iter=3, record=True, ties="positive"),
    "voted": lambda: VotedPerceptron(max_iter=3),
    "voted, average": lambda: VotedPerceptron(max_iter=3, predict_with="average"),
    "voted, last": lambda: VotedPerceptron(max_iter=3, predict_with="last", shuffle=False),
    "voted, random": lambda: VotedPerceptron(max_iter=3, predict_with="random"),
    "voted, ledger": lambda: VotedPerceptron(max_iter=2, record=True),
    "passive-aggressive": lambda: PassiveAggressive(max_iter=4, C=0.1),
    "passive-aggressive, squared": lambda: PassiveAggressive(
        loss="squared_hinge", max_iter=3, fit_intercept=False, ties="positive"
    ),
    "logistic, adaptive": lambda: LogisticRegression(learning_rate="adaptive", max_iter=4),
    "svm, adaptive": lambda: LinearSVM(
        learning_rate="adaptive", penalty=None, average=False, max_iter=3, fit_intercept=False
    ),
    "perceptron, calibrated": lambda: Perceptron(max_iter=3, calibration="sigmoid"),
    "voted, isotonic": lambda: VotedPerceptron(max_iter=2, calibration="isotonic"),
    "svm, calibrated": lambda: LinearSVM(max_iter=4, calibration="sigmoid"),
    "kernel, isotonic": lambda: KernelPerceptron(
        max_iter=3, predict_with="average", calibration="isotonic"
    ),
    "arow": lambda: AROW(max_iter=4),
    "arow, no intercept": lambda: AROW(r=0.1, max_iter=3, fit_intercept=False, shuffle=False),
    "batch": lambda: BatchPerceptron(max_iter=20),
    "batch, line search": lambda: BatchPerceptron(max_iter=9, learning_rate="line_search"),
    "batch, ledger": lambda: BatchPerceptron(max_iter=5, normalize=False, record=True),
    "kernel": lambda: KernelPerceptron(max_iter=3),
    "kernel, joint": lambda: KernelPerceptron(
        kernel="poly", degree=2, coef0=0.5, multi_class="joint", max_iter=3
    ),
    "kernel, average": lambda: KernelPerceptron(
        kernel="laplacian", gamma=0.1, predict_with="average", max_iter=3
    ),
    "kernel, last": lambda: KernelPerceptron(
        kernel="linear", fit_intercept=False, predict_with="last", shuffle=False, max_iter=3
    ),
    "kernel, random": lambda: KernelPerceptron(
        multi_class="joint", predict_with="random", ties="positive", max_iter=3
    ),
    "kernel, budget": lambda: KernelPerceptron(max_support=30, max_iter=3),
    "kernel, precomputed": lambda: KernelPerceptron(kernel="precomputed", max_iter=3),
    "descent": lambda: GradientDescent(max_iter=5),
    "descent, batches": lambda: GradientDescent(loss="hinge", batch_size=8, max_iter=5),
    "descent, whole": lambda: GradientDescent(loss="squared", batch_size=None, max_iter=9),
    "descent, modified huber": lambda: GradientDescent(
        loss="modified_huber", penalty="elasticnet", alpha=0.01, l1_ratio=0.5, max_iter=5
    ),
    "logistic": lambda: LogisticRegression(max_iter=5),
    "logistic, l1": lambda: LogisticRegression(
        penalty="l1", alpha=0.01, solver="descent", max_iter=5
    ),
    "logistic, exact l1": lambda: LogisticRegression(penalty="l1", alpha=0.01),
    "logistic, average": lambda: LogisticRegression(average=True, penalty="l2", max_iter=4),
    "logistic, average later": lambda: LogisticRegression(average=200, max_iter=4),
    "logistic, held out": lambda: LogisticRegression(early_stopping=True, max_iter=6),
    "logistic, optimal": lambda: LogisticRegression(
        penalty="l2", learning_rate="optimal", tol=None, max_iter=3
    ),
    "svm": lambda: LinearSVM(max_iter=5),
    "svm, batches": lambda: LinearSVM(batch_size=16, max_iter=5, learning_rate="step"),
    "svm, squared hinge": lambda: LinearSVM(loss="squared_hinge", max_iter=5),
    "discriminant": lambda: LinearDiscriminant(),
    "discriminant, shrunk": lambda: LinearDiscriminant(shrinkage=0.2, priors="uniform"),
    "discriminant, auto": lambda: LinearDiscriminant(shrinkage="auto"),
    "discriminant, one direction": lambda: LinearDiscriminant(n_components=1),
    "centroid": lambda: NearestCentroid(),
    "centroid, priors": lambda: NearestCentroid(priors="empirical"),
    "centroid, shrunk": lambda: NearestCentroid(shrink_threshold=0.4),
    "centroid, cv": lambda: NearestCentroid(shrink_threshold="cv", thresholds=[0.0, 0.5, 1.0]),
    "centroid, manhattan": lambda: NearestCentroid("manhattan"),
    "centroid, hamming": lambda: NearestCentroid("hamming"),
    "bayes": lambda: NaiveBayes(),
    "bayes, bernoulli": lambda: NaiveBayes("bernoulli", binarize=0.1),
    "bayes, multinomial": lambda: NaiveBayes("multinomial", alpha=0.5),
    "bayes, complement": lambda: NaiveBayes("complement", norm=True),
    "regression": lambda: LinearRegression(max_iter=5),
    "regression, l1": lambda: LinearRegression(penalty="l1", batch_size=None, max_iter=5),
    "regression, average": lambda: LinearRegression(average=True, max_iter=4),
    "regression, huber": lambda: LinearRegression(loss="huber", epsilon=0.5, max_iter=4),
    "regression, quantile": lambda: LinearRegression(
        loss="quantile", quantile=0.8, batch_size=None, max_iter=9
    ),
}
CLASSES = {
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    GradientDescent,
    KernelPerceptron,
    LinearDiscriminant,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    NearestCentroid,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
}
FORMS = {
    "dense": lambda X: X,
    "Fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "sparse": sp.csr_matrix,
    "sparse float32": lambda X: sp.csr_matrix(X.astype(np.float32)),
}


def data(setting, n_classes=3, n=90, seed=0):
    """Return rows and labels that an estimator of this setting can learn from."""
    X, y = rounding(seed, n=n, d=6, n_classes=n_classes)
    if "multinomial" in setting or "complement" in setting:
        X = np.abs(X)
    if "hamming" in setting:
        X = X.round()
    if "precomputed" in setting:
        X = X @ X.T  # kernel values of all rows with each other
    return X, (X @ np.arange(1.0, 7.0) if setting.startswith("regression") else y)


def quietly(function, *args, **options):
    """Call a function that may warn that so few passes are not enough."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        return function(*args, **options)


def hold_nothing_out(model):
    """Return a model that can go on with `partial_fit`, which does not hold rows out."""
    if getattr(model, "early_stopping", False) and hasattr(model, "partial_fit"):
        model.set_params(early_stopping=False)
    return model


def fitted(setting, form="dense", n_classes=3):
    X, y = data(setting, n_classes)
    return quietly(SETTINGS[setting]().fit, FORMS[form](X), y)


def same(a, b, name=""):
    """Assert that two values are the same, to the last bit and in type and memory order."""
    assert type(a) is type(b), name
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), name
        assert a.flags.f_contiguous == b.flags.f_contiguous, name
        assert a.flags.c_contiguous == b.flags.c_contiguous, name
        assert a.flags.writeable == b.flags.writeable, name
        if a.dtype == object:
            assert a.tolist() == b.tolist(), name
        else:
            assert a.tobytes() == b.tobytes(), name
    elif isinstance(a, Ledger):
        same((a.start, a.calls), (b.start, b.calls), name)
    elif isinstance(a, tuple | list):
        assert len(a) == len(b), name
        for k, pair in enumerate(zip(a, b, strict=True)):
            same(*pair, f"{name}[{k}]")
    elif isinstance(a, dict):
        assert a.keys() == b.keys(), name
        for key in a:
            same(a[key], b[key], f"{name}.{key}")
    else:
        assert a == b or (a != a and b != b), name


def same_model(a, b):
    assert type(a) is type(b)
    same(vars(a), vars(b))


def same_answers(a, b, X):
    for method in ("predict", "decision_function", "predict_proba", "predict_log_proba"):
        if hasattr(a, method):
            same(getattr(a, method)(X), getattr(b, method)(X), method)
