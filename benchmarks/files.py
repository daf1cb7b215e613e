"""From files and streams: whole processes against Vowpal Wabbit, readers, dicts against River."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
from workloads import sparse_text

from rosenblatt import datasets

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
    write(place, "short", lines[: len(lines) * 9 // 130])  # 9 MB
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


def numbers(n, size, n_classes, rng):
    """Return dicts of so many numbers, and labels."""
    X = rng.standard_normal((n, size))
    names = [f"feature_{j}" for j in range(size)]
    rows = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    return rows, (X @ rng.standard_normal((size, n_classes))).argmax(axis=1).tolist()


def categories(n, size, n_classes, rng):
    """Return dicts of so many categories with twenty values each, and labels."""
    X, w = rng.integers(0, 20, (n, size)), rng.standard_normal((size, 20, n_classes))
    rows = [{f"feature_{j}": f"value_{v}" for j, v in enumerate(row)} for row in X.tolist()]
    return rows, w[np.arange(size), X].sum(axis=1).argmax(axis=1).tolist()


def words(n, size, n_classes, rng):
    """Return dicts of so many of 5,000 words, most of them rare, and labels."""
    X, w = (5_000 * rng.random((n, size)) ** 3).astype(int), rng.standard_normal((5_000, n_classes))
    rows = [{f"word_{j}": 1 for j in row} for row in X.tolist()]
    return rows, w[X].sum(axis=1).argmax(axis=1).tolist()


def mixed(n, size, n_classes, rng):
    """Return dicts of as many numbers as categories, and labels."""
    rows, labels = numbers(n, size // 2, n_classes, rng)
    others, _ = categories(n, size // 2, n_classes, rng)
    both = zip(rows, others, strict=True)
    return [x | {f"kind_{key}": value for key, value in y.items()} for x, y in both], labels


def messages():
    """Return the words of each message of the SMS collection, and whether it is spam."""
    path = datasets.fetch("sms_spam") / "SMSSpamCollection"
    lines = path.read_text("utf-8").splitlines()
    pairs = [line.split("\t", 1) for line in lines]
    return [re.findall(r"\w+", text.lower()) for _, text in pairs], [y == "spam" for y, _ in pairs]


def sms(n, size, n_classes, rng):
    """Return the words of real messages, of which many are new, and labels."""
    texts, labels = messages()
    return [dict.fromkeys(text, 1) for text in texts[:n]], labels[:n]


def sms_counts(n, size, n_classes, rng):
    """Return how often each word is in a message, as the tools of River count it."""
    texts, labels = messages()
    return [Counter(text) for text in texts[:n]], labels[:n]


def sms_lists(n, size, n_classes, rng):
    """Return each message as a list of words."""
    texts, labels = messages()
    return [{"words": text} for text in texts[:n]], labels[:n]


# What is in a dict: how it is made, how many features it has, and how many classes there are.
DICTS = {
    "57 numbers": (numbers, 57, 2),
    "5 numbers": (numbers, 5, 2),
    "57 numbers, ten classes": (numbers, 57, 10),
    "8 categories": (categories, 8, 2),
    "8 categories, ten classes": (categories, 8, 10),
    "4 numbers, 4 categories": (mixed, 8, 2),
    "15 words": (words, 15, 2),
    "15 words, ten classes": (words, 15, 10),
    "words of messages": (sms, 0, 2),
    "words of messages, counted": (sms_counts, 0, 2),
    "words of messages, in a list": (sms_lists, 0, 2),
}
# What is measured, with which learner, and how many times River's time it must at least be.
STREAMS = (
    ("57 numbers", "perceptron", 4),
    ("57 numbers", "averaged", 4),
    ("57 numbers", "logistic", 4),
    ("57 numbers", "svm", 3),
    ("57 numbers", "passive-aggressive", 3),
    ("57 numbers", "arow", 3),
    ("57 numbers", "regression", 3),
    *((what, "logistic", 6 if what == "8 categories" else 3) for what in list(DICTS)[1:]),
)


def of_river(learner, what):
    """Return the model of River that does the same, or is nearest: it has no AROW."""
    from river import compose, linear_model, optim, preprocessing

    make, _, n_classes = DICTS[what]
    if learner in ("perceptron", "averaged"):
        return linear_model.Perceptron()
    model = {
        "svm": lambda: linear_model.LogisticRegression(loss=optim.losses.Hinge()),
        "passive-aggressive": linear_model.PAClassifier,
        "arow": linear_model.PAClassifier,
        "regression": linear_model.LinearRegression,
    }.get(learner, linear_model.LogisticRegression)()
    model = model if n_classes == 2 else linear_model.SoftmaxRegression()
    scale, encode = preprocessing.StandardScaler, preprocessing.OneHotEncoder
    if make is numbers:
        return scale() | model
    if make is mixed:
        select = compose.SelectType
        return (select(float) | scale()) + (select(str) | encode(drop_zeros=True)) | model
    return encode(drop_zeros=True) | model if make is categories else model


def dicts_against_river(what, learner="logistic", rounds=5, n=6_000):
    """Return the seconds an example of River and ours: predict, then learn.

    Perceptrons get numbers as they are, other learners standardised ones. River has no lists, and
    gets dicts of the same words. The time is that of the processor, and the median of a few rounds
    in turn.
    """
    from rosenblatt import OnlineClassifier, OnlineRegressor

    make, size, n_classes = DICTS[what]
    rows, labels = make(n, size, n_classes, np.random.default_rng(0))
    labels = [bool(label) for label in labels] if n_classes == 2 else labels
    if learner == "regression":
        labels = [sum(list(x.values())[:5]) for x in rows]
    its_rows = rows
    if make is sms_lists:
        its_rows = [{f"words={word}": 1 for word in x["words"]} for x in rows]

    def mine():
        if learner == "regression":
            return OnlineRegressor()
        plain = learner in ("perceptron", "averaged")
        return OnlineClassifier(learner, scale=None if plain else "standard")

    def spent(model, rows):
        start = time.process_time()
        for x, label in zip(rows, labels, strict=True):
            model.predict_one(x)
            model.learn_one(x, label)
        return (time.process_time() - start) / len(rows)

    spent(mine(), rows)
    times = [(spent(of_river(learner, what), its_rows), spent(mine(), rows)) for _ in range(rounds)]
    return median(t for t, _ in times), median(t for _, t in times)


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
    for what, learner, _ in STREAMS:
        theirs, mine = dicts_against_river(what, learner)
        took = f"River {theirs * 1e6:.1f} us, ours {mine * 1e6:.1f} us, {theirs / mine:.2f}x"
        print(f"dicts of {what}, {learner}: {took}")


if __name__ == "__main__":
    main()
