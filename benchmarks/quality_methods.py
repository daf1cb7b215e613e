"""What quality.py measures on a split: our commands on files, Vowpal Wabbit, scikit-learn."""

import json
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype
from sklearn.compose import make_column_transformer
from sklearn.datasets import dump_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

OURS = (sys.executable, "-m", "rosenblatt")
LIMIT = 180  # seconds for a command
_WORD = re.compile(r"\w+")
_NOT_IN_A_NAME = re.compile(r"[\s:|]")


class CommandError(RuntimeError):
    """A command that ended with an error, or not in time."""


def command(*arguments, data=None):
    """Run a command of ours; return its results."""
    run = [*OURS, *map(str, arguments), "--json", "--quiet"]
    try:
        done = subprocess.run(run, capture_output=True, text=True, input=data, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise CommandError(f"{arguments[0]}: no result in {LIMIT} s") from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise CommandError(f"{arguments[0]}: {last[0]}")
    return json.loads(done.stdout)


def write(data, X, y, folder, name):
    """Write rows to a file as it might come: svmlight, ``label<TAB>text``, or CSV with a header."""
    if not isinstance(X, pd.DataFrame):
        path = folder / f"{name}.svm"
        dump_svmlight_file(X, y.astype(float), str(path), zero_based=False)
    elif data.name == "sms_spam":
        path = folder / f"{name}.txt"
        lines = [f"{label}\t{text}\n" for label, text in zip(y, X["text"], strict=True)]
        path.write_text("".join(lines), encoding="utf-8")
    else:
        path = folder / f"{name}.csv"
        X.assign(label=y).to_csv(path, index=False, na_rep=data.missing)
    return path


def train(train_file, test_file):
    """Return the test error of ``rosenblatt train`` with no option."""
    model = train_file.with_suffix(".model")
    command("train", train_file, "-o", model)
    return 1 - command("evaluate", model, test_file)["accuracy"]


def compare(train_file, test_file):
    """Return the test error of the learner that ``compare`` puts first on held-out rows."""
    best = command("compare", train_file)["learners"][0]["learner"]
    # A variant, such as "naive-bayes multinomial", has no name of its own as an option.
    only = () if " " in best else ("--learners", best)
    found = command("compare", train_file, "--test", test_file, *only)["learners"]
    return {row["learner"]: row["error"] for row in found}[best]


def columns(data, X):
    """Return the names of the columns of numbers, and of those of categories."""
    others = [name for name in X if name not in data.text]
    numbers = [name for name in others if is_numeric_dtype(X[name]) and not is_bool_dtype(X[name])]
    return numbers, [name for name in others if name not in numbers]


def scikit_learn(data, split):
    """Return the test errors of two linear models in a standard pipeline."""
    X, X_test = split.X, split.X_test
    if isinstance(X, pd.DataFrame):
        X, X_test = (part.fillna(dict.fromkeys(data.text, "")) for part in (X, X_test))
        numbers, categories = columns(data, X)
        prepare = make_column_transformer(
            (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
            (OneHotEncoder(handle_unknown="ignore"), categories),
            *((TfidfVectorizer(), name) for name in data.text),
        )
    else:
        prepare = StandardScaler(with_mean=False)
    errors = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a category that is new in the test rows; slow convergence
        X, X_test = prepare.fit_transform(X), prepare.transform(X_test)
        for model in (LogisticRegression(max_iter=1_000), SGDClassifier(random_state=0)):
            errors.append(1 - model.fit(X, split.y).score(X_test, split.y_test))
    return errors


def vw_line(numbers=(), categories=(), texts=()):
    """Return the features of an example: pairs of name and value, and texts."""
    parts = [
        f"{_NOT_IN_A_NAME.sub('_', str(name))}:{value}"
        for name, value in numbers
        if not pd.isna(value)
    ]
    parts += [
        _NOT_IN_A_NAME.sub("_", f"{name}={value}")
        for name, value in categories
        if not pd.isna(value)
    ]
    words = [word for text in texts if not pd.isna(text) for word in _WORD.findall(text.lower())]
    return f"| {' '.join(parts)} |w {' '.join(words)}" if words else f"| {' '.join(parts)}"


def vw_lines(data, X):
    """Return rows as Vowpal Wabbit's text, without labels."""
    if not isinstance(X, pd.DataFrame):
        spans = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        return [
            vw_line(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
            for a, b in spans
        ]
    numbers, categories = columns(data, X)
    return [
        vw_line(
            [(name, row[name]) for name in numbers],
            [(name, row[name]) for name in categories],
            [row[name] for name in data.text],
        )
        for row in X.to_dict("records")
    ]


def vw_model(folder, lines, y, passes=1, options=""):
    """Train with Vowpal Wabbit's defaults; return the model and its number for each class.

    Two classes are −1 and 1, with the logistic loss. More are 1, 2, …, one against all.
    """
    import vowpalwabbit

    names = np.unique(y).tolist()
    two = len(names) <= 2
    codes = {name: 2 * k - 1 if two else k + 1 for k, name in enumerate(names)}
    path = Path(folder) / "train.vw"
    labelled = zip(y.tolist(), lines, strict=True)
    path.write_text("".join([f"{codes[name]} {line}\n" for name, line in labelled]))
    task = "--loss_function logistic" if two else f"--oaa {len(names)}"
    more = f"--passes {passes} -k --cache_file {path}.cache" if passes > 1 else ""
    return vowpalwabbit.Workspace(f"--quiet {task} -d {path} {more} {options}"), codes


def vowpal_wabbit(lines, y, test_lines, y_test, passes):
    """Return the test error of Vowpal Wabbit's defaults."""
    with tempfile.TemporaryDirectory() as folder:
        model, codes = vw_model(folder, lines, y, passes)
        predicted = np.array([model.predict(line) for line in test_lines])
        model.finish()
    if len(codes) == 2:
        predicted = np.where(predicted > 0, 1, -1)
    return float(np.mean(predicted != [codes.get(name, 0) for name in y_test.tolist()]))


def majority(y, y_test):
    """Return the test error of the class that is the most frequent in training."""
    names, counts = np.unique(y, return_counts=True)
    return float(np.mean(y_test != names[counts.argmax()]))


def errors_on_files(data, split, methods):
    """Return the test error of commands on files with the rows of a split, and what failed."""
    errors, failures = {}, []
    with tempfile.TemporaryDirectory(prefix="rosenblatt-quality-") as name:
        folder = Path(name)
        files = (
            write(data, split.X, split.y, folder, "train"),
            write(data, split.X_test, split.y_test, folder, "test"),
        )
        for method in methods:
            try:
                errors[method.__name__] = method(*files)
            except CommandError as error:
                errors[method.__name__] = float("nan")
                failures.append(str(error).replace(name, "…"))
    return errors, failures


def errors_of_peers(data, split):
    """Return the test errors of the peers, by name."""
    y, y_test = split.y, split.y_test
    lines, test_lines = vw_lines(data, split.X), vw_lines(data, split.X_test)
    logistic, sgd = scikit_learn(data, split)
    return {
        "vw1": vowpal_wabbit(lines, y, test_lines, y_test, 1),
        "vw5": vowpal_wabbit(lines, y, test_lines, y_test, 5),
        "logistic": logistic,
        "sgd": sgd,
        "majority": majority(y, y_test),
    }
