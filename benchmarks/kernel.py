"""The kernel perceptron on handwritten digits against a sketch of it, an SVM, and bare products.

    python benchmarks/kernel.py          as in run.py, some minutes
    python benchmarks/kernel.py 5000     from fewer digits, without the sketch

Degree 4, ten machines one against all, 60,000 digits of MNIST in float32, 10 passes.
"""

import re
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.svm import SVC

from rosenblatt import KernelPerceptron, datasets

DIGITS = 60_000
PASSES = 10
KERNEL = {"degree": 4, "gamma": 1, "coef0": 1}
SUITS_AN_SVM = 0.02  # the γ with which an SVM errs least, of those tried on 12,000 digits
SKETCH = Path(__file__).resolve().parents[2] / "shared" / "prototypes" / "kernel_blocks.py"


def clock(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def missing():
    """Say what is not here, if anything."""
    return "" if datasets.status("mnist") == "here" else "the data set mnist is not here"


@cache
def digits(n):
    """Return digits to learn from, and 10,000 to test with: pixels from 0 to 1, in float32."""
    data = datasets.load("mnist")
    X, X_test = (np.asarray(part, np.float32) / 255 for part in (data.X[:n], data.X_test))
    return X, data.y[:n], X_test, data.y_test


def sketch():
    """Return the seconds of the sketch's passes, as it says itself; None where it is not here."""
    folder = datasets.fetch("mnist")
    if not SKETCH.exists() or not (folder / "train-images-idx3-ubyte.gz").exists():
        return None
    command = [sys.executable, str(SKETCH), str(folder), str(KERNEL["degree"]), str(PASSES)]
    said = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return float(re.findall(r"([\d.]+) s$", said, re.MULTILINE)[-1])


def fit(n):
    X, y, *_ = digits(n)
    model = KernelPerceptron(kernel="poly", **KERNEL, fit_intercept=False, shuffle=False)
    return clock(lambda: model.set_params(max_iter=PASSES).fit(X, y))


@cache
def fits(n, rounds=3):
    """Return the median times of the sketch and of ours, which take turns, and our model."""
    fit(1_000)  # compiled
    times = [(sketch() if n == DIGITS else None, *fit(n)) for _ in range(rounds)]
    theirs = None if None in [t for t, *_ in times] else median(t for t, *_ in times)
    return theirs, median(t for _, t, _ in times), times[-1][-1]


def errors(n):
    """Return the test errors by vote, by average and of the last hypothesis."""
    *_, X_test, y_test = digits(n)
    model = fits(n)[-1]
    found = {}
    for way in ("vote", "average", "last"):
        found[way] = np.mean(model.set_params(predict_with=way).predict(X_test) != y_test)
    return found


def against_svm(n, gamma=KERNEL["gamma"]):
    """Return the seconds of an SVM's fit and of ours, and both test errors, ours by average."""
    X, y, X_test, y_test = digits(n)
    svm = SVC(kernel="poly", **{**KERNEL, "gamma": gamma}, cache_size=2_000)
    theirs, svm = clock(lambda: svm.fit(X, y))
    wrong = np.mean(svm.predict(X_test) != y_test)
    return theirs, fits(n)[1], (wrong, errors(n)["average"])


def against_products(n, rounds=3):
    """Return the median seconds of kernel values of 10,000 digits with the support, each way.

    Ours are those of their prediction by vote, which needs these values.
    """
    X_test, model = digits(n)[2], fits(n)[-1].set_params(predict_with="vote")
    support = model.support_vectors_
    ways = {
        "polynomial_kernel": lambda: polynomial_kernel(X_test, support, **KERNEL),
        "(X @ S.T + 1)**4": lambda: (X_test @ support.T + 1) ** 4,
        "X @ S.T": lambda: X_test @ support.T,
        "ours": lambda: model.predict(X_test),
    }
    times = {name: [] for name in ways}
    for _ in range(rounds + 1):
        for name, work in ways.items():
            times[name].append(clock(work)[0])
    return {name: median(taken[1:]) for name, taken in times.items()}


def main():
    if missing():
        sys.exit(f"nothing to measure: {missing()}")
    n = int(sys.argv[1]) if len(sys.argv) > 1 else DIGITS
    theirs, mine, model = fits(n)
    made = f"{model.n_mistakes_:,} mistakes, {len(model.support_):,} support vectors"
    print(f"fit, {PASSES} passes over {n:,} digits: {mine:.2f} s, {made}")
    print(f"  sketch {theirs:.2f} s: {mine / theirs:.2f}" if theirs else "  no sketch here")
    for way, error in errors(n).items():
        print(f"  {way}: {error:.2%} wrong")
    products = against_products(n)
    print(f"voted prediction: {products['ours']:.2f} s")
    for name, seconds in products.items():
        if name != "ours":
            print(f"  {name} {seconds:.2f} s: {products['ours'] / seconds:.2f}×")
    for gamma in (KERNEL["gamma"], SUITS_AN_SVM):
        theirs, mine, (wrong, own) = against_svm(n, gamma)
        shown = f"{theirs:.2f} s: {theirs / mine:.1f}×; {wrong:.2%} wrong, ours {own:.2%}"
        print(f"SVC with gamma={gamma} {shown}")


if __name__ == "__main__":
    main()
