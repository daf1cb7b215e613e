"""Gradient descent against scikit-learn's, LIBLINEAR, and the machine's own matrix products."""

import time
from statistics import median

import numpy as np
from sklearn.linear_model import SGDClassifier
from workloads import dense_classes, sparse_text

from rosenblatt import LinearSVM, LogisticRegression

CLOSE = 0.002  # an accuracy as good as the peer's may be so much below it
ALPHAS = (1e-7, 1e-6, 1e-5, 1e-4)


def clock(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def fewest_passes(make, data, wanted):
    """Find the fewest passes, in steps of two, after which a fresh fit is as accurate as wanted.

    Every number of passes is a fit of its own, so what is timed is what a user would run.
    """
    X, y, X_test, y_test = data
    for passes in range(1, 61, 2):
        if make(passes).fit(X, y).score(X_test, y_test) >= wanted - CLOSE:
            return passes
    raise AssertionError("60 passes do not reach the peer's accuracy")


def against(peer, make, data, rounds=5):
    """Return both times to the peer's accuracy, and both accuracies; they take turns."""
    X, y, X_test, y_test = data
    wanted = peer()[1]
    passes = fewest_passes(make, data, wanted)
    times = []
    for _ in range(rounds):
        theirs, accuracy = peer()
        mine, model = clock(lambda: make(passes).fit(X, y))
        times.append((theirs, mine))
    scores = accuracy, model.score(X_test, y_test)
    return median(t for t, _ in times), median(t for _, t in times), scores, passes


def logistic_sparse(dtype="float32"):
    """Compare with SGDClassifier at the alpha that gives it the best accuracy, its own stopping."""
    data = X, y, X_test, y_test = sparse_text(dtype)

    def peer(alpha):
        model = SGDClassifier(loss="log_loss", alpha=alpha, random_state=0)
        took, _ = clock(lambda: model.fit(X, y))
        return took, model.score(X_test, y_test)

    best = max(ALPHAS, key=lambda alpha: peer(alpha)[1])

    def ours(passes):
        # Long steps that grow shorter, and the mean over the last pass.
        return LogisticRegression(
            eta0=0.1,
            penalty=None,
            average=len(y) * (passes - 1) + 1,
            max_iter=passes,
            tol=None,
        )

    theirs, mine, scores, passes = against(lambda: peer(best), ours, data)
    return f"SGDClassifier, alpha={best:g}", theirs, mine, scores, passes


def svm_sparse():
    """Compare with LIBLINEAR -s 3 at the C that gives it the best accuracy."""
    from liblinear.liblinearutil import parameter, problem, train

    data = X, y, X_test, y_test = sparse_text("float64")
    task = problem(y * 2.0 - 1, X)

    def peer(C):
        # Building the problem is not counted, as LIBLINEAR's own readers would have done it.
        took, model = clock(lambda: train(task, parameter(f"-s 3 -c {C} -B 1 -q")))
        w, b = model.get_decfun()
        return took, float(np.mean((X_test @ np.array(w) + b >= 0) == y_test))

    best = max((0.01, 0.1, 1.0), key=lambda C: peer(C)[1])

    def ours(passes):
        return LinearSVM(
            alpha=1e-7, eta0=0.1, average=len(y) * (passes - 1) + 1, max_iter=passes, tol=None
        )

    theirs, mine, scores, passes = against(lambda: peer(best), ours, data, rounds=3)
    return f"LIBLINEAR -s 3, C={best:g}", theirs, mine, scores, passes


def product_rate(dtype, size=1500):
    """Return the operations a second of a large matrix product, which is what a machine can do."""
    A = np.random.default_rng(0).random((size, size)).astype(dtype)
    out = np.empty_like(A)
    return 2 * size**3 / min(clock(lambda: np.matmul(A, A, out=out))[0] for _ in range(10))


def mini_batches(dtype, batch=64, rounds=5, passes=30):
    """Return the rate of softmax regression in mini-batches, and the machine's own.

    A row costs two products with the weights of all classes: for its scores, and for the gradient.
    What a fit does once, such as its checks, is left out: the time is that of thirty more passes.
    """
    X, y, *_ = dense_classes(dtype)
    n_classes = int(y.max()) + 1

    def fit(passes):
        options = {"batch_size": batch, "penalty": None, "average": False, "tol": None}
        return clock(lambda: LogisticRegression(max_iter=passes, **options).fit(X, y))[0]

    fit(1)
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(product_rate(dtype))
        time.sleep(0.2)  # the product's threads keep a core busy for a while after it
        ours.append(4 * X.size * n_classes * passes / (fit(passes + 1) - fit(1)))
    return median(theirs), median(ours)
