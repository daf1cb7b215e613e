"""From files and streams: whole processes against Vowpal Wabbit, readers, dicts against River."""

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
from workloads import sparse_text

COPIES = 10
BITS = "18"  # Vowpal Wabbit's own default
VW = (sys.executable, "-m", "vowpalwabbit", "--quiet")
OURS = (sys.executable, "-m", "rosenblatt")


@cache
def folder():
    """Return a folder with the files: 130 MB of text, ten times that in another order, a test."""
    keep = tempfile.TemporaryDirectory(prefix="rosenblatt-bench-")
    folder.keep = keep
    place = Path(keep.name)
    X, y, X_test, y_test = sparse_text("float32", n=160_000)
    write(place, "test", lines_of(X_test, y_test))
    lines = lines_of(X, y)
    write(place, "small", lines)
    rng = np.random.default_rng(1)
    for _ in range(COPIES):
        write(place, "large", [lines[i] for i in rng.permutation(len(lines)).tolist()])
    write(place, "tiny", lines[:100])
    return place


def lines_of(X, y):
    """Return rows as ``label`` and ``index:value …``."""
    pairs = list(
        map("%d:%.6g".__mod__, zip((X.indices + 1).tolist(), X.data.tolist(), strict=True))
    )
    ends = X.indptr.tolist()
    spans = zip(ends, ends[1:], y.tolist(), strict=False)
    return [("1" if label else "-1", " ".join(pairs[a:b])) for a, b, label in spans]


def write(place, name, lines):
    """Append rows to a file of each format."""
    for suffix, between in ((".svm", " "), (".vw", " | ")):
        with (place / (name + suffix)).open("a") as file:
            file.write("".join([f"{label}{between}{row}\n" for label, row in lines]))


def run(*command):
    """Run a process; return its seconds."""
    # Both start from compiled modules, as they do wherever this is not switched off.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    )
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0, errors.decode()
    return time.perf_counter() - start


def train_vw(name, passes):
    """Vowpal Wabbit's default learner with the logistic loss; several passes need its cache."""
    place = folder()
    more = ("-c", "-k", "--passes", str(passes)) if passes > 1 else ()
    data = ("--loss_function", "logistic", "-d", str(place / f"{name}.vw"))
    return run(*VW, *data, "-f", str(place / "vw.model"), *more)


def train_ours(name, passes, suffix=".vw"):
    """Train the averaged perceptron on the same file, with as many columns."""
    place = folder()
    model = ("-o", str(place / "ours.model"), "--passes", str(passes), "--bits", BITS)
    learner = ("--learner", "averaged", "--no-shuffle")
    return run(*OURS, "train", str(place / (name + suffix)), *learner, *model, "--quiet")


def accuracies():
    """Return the accuracy of both models on other rows."""
    place = folder()
    test = str(place / "test.vw")
    run(*VW, "-t", "-i", str(place / "vw.model"), "-d", test, "-p", str(place / "p"))
    scores = np.loadtxt(place / "p")
    labels = np.array([int(line.split()[0]) for line in (place / "test.vw").open()])
    evaluate = (*OURS, "evaluate", str(place / "ours.model"), test, "--json")
    done = subprocess.run(evaluate, capture_output=True, text=True, check=True)
    return float(np.mean((scores > 0) == (labels > 0))), json.loads(done.stdout)["accuracy"]


def against_vw(passes, name="large", rounds=3):
    """Return both times of whole processes, from text to a saved model, and both accuracies."""
    train_vw("tiny", passes), train_ours("tiny", passes)
    times = [(train_vw(name, passes), train_ours(name, passes)) for _ in range(rounds)]
    return median(t for t, _ in times), median(t for _, t in times), accuracies()


# A child's peak begins with that of who starts it, and this process holds all lines of the files.
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def peak_of(name):
    """Return the peak memory of training on a file, in MB, as a small process sees it."""
    place = folder()
    train = (*OURS, "train", str(place / f"{name}.vw"), "-o", str(place / "ours.model"))
    command = (sys.executable, "-c", PEAK, *train, "--passes", "1", "--bits", BITS, "--quiet")
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def peak_memory():
    """Return the peak memory on the large file, in MB beyond that on a tiny one."""
    return peak_of("large") - peak_of("tiny")


def clock(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def svmlight_into_csr(rounds=3):
    """Return the times of scikit-learn's reader and ours."""
    from sklearn.datasets import load_svmlight_file

    from rosenblatt.readers.matrix import read

    path = folder() / "small.svm"
    read([path])
    theirs = clock(lambda: load_svmlight_file(str(path)))
    return theirs, median(clock(lambda: read([path])) for _ in range(rounds))


def text_rates(rounds=7):
    """Return the seconds to read svmlight and VW text of the same rows."""
    from rosenblatt.readers.reader import Reader

    def through(suffix):
        for _ in Reader([folder() / f"small{suffix}"], bits=int(BITS)):
            pass

    through(".svm"), through(".vw")
    times = [(clock(lambda: through(".svm")), clock(lambda: through(".vw"))) for _ in range(rounds)]
    return median(t for t, _ in times), median(t for _, t in times)


def dicts_against_river(learner, rounds=7, n=20_000, features=57):
    """Return the seconds an example of River's perceptron and ours: predict, then learn."""
    from river.linear_model import Perceptron

    from rosenblatt import OnlineClassifier

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, features))
    y = (X @ rng.standard_normal(features) > 0).tolist()
    names = [f"feature_{j}" for j in range(features)]
    rows = [dict(zip(names, row, strict=True)) for row in X.tolist()]

    def through(model):
        for x, label in zip(rows, y, strict=True):
            model.predict_one(x)
            model.learn_one(x, label)

    through(OnlineClassifier(learner))
    times = [
        (clock(lambda: through(Perceptron())), clock(lambda: through(OnlineClassifier(learner))))
        for _ in range(rounds)
    ]
    return median(t for t, _ in times) / n, median(t for _, t in times) / n


def main():
    for passes in (1, 5):
        theirs, mine, (their_accuracy, my_accuracy) = against_vw(passes)
        print(f"{passes} passes: VW {theirs:.2f} s, ours {mine:.2f} s, {theirs / mine:.2f}x")
        print(f"   accuracy {their_accuracy:.4f} / {my_accuracy:.4f}")
    print(f"peak memory: {peak_memory():.0f} MB")
    theirs, mine = svmlight_into_csr()
    print(f"svmlight to CSR: {theirs:.2f} s, {mine:.3f} s, {theirs / mine:.1f}x")
    svm, vw = text_rates()
    print(f"VW text at {svm / vw:.2f} of svmlight's rate ({svm:.3f} s, {vw:.3f} s)")
    for learner in ("perceptron", "averaged"):
        theirs, mine = dicts_against_river(learner)
        ratio = f"{theirs / mine:.2f}x"
        print(f"dicts, {learner}: River {theirs * 1e6:.1f} us, ours {mine * 1e6:.1f} us, {ratio}")


if __name__ == "__main__":
    main()
