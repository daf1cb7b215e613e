"""Measure the linear classifiers with their defaults behind `prepare`, beside scikit-learn's.

    python benchmarks/defaults.py [NAME ...]

It prints the mean test error over the tables of quality_sets.py that have at most 20,000 rows,
three splits each; how far each classifier is behind the best one of a table; and on how many tables
by half a point at most. The first row is what ``prepare(X)`` takes.
"""

import sys
import warnings
from collections import defaultdict

import numpy as np
import pandas as pd
from quality_sets import catalogue, without_rare_classes
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression

from rosenblatt import AROW, AveragedPerceptron, LinearSVM, LogisticRegression, prepare

MOST_ROWS, MOST_FEATURES, SPLITS = 20_000, 1_000, 3
MODELS = {
    "LinearSVM": LinearSVM(),
    "LogisticRegression": LogisticRegression(),
    "LogisticRegression, adaptive": LogisticRegression(learning_rate="adaptive"),
    "AveragedPerceptron": AveragedPerceptron(),
    "AROW": AROW(),
    "LogisticRegression, last weights": LogisticRegression(average=False),
    "LinearSVM, last weights": LinearSVM(average=False),
    "scikit-learn's LogisticRegression": TheirLogisticRegression(max_iter=500),
}
SHOWN = "{:34s} {:>6} {:>7} {:>6} {:>9}"


def tables(names):
    """Yield the tables of numbers and categories that are small enough."""
    for name, make in catalogue().items():
        if names and name not in names:
            continue
        data = without_rare_classes(make())
        if isinstance(data.X, pd.DataFrame) and not data.text and data.rows <= MOST_ROWS:
            yield data


def errors_of(data):
    """Return the test errors of each model, a number for each split."""
    found = defaultdict(list)
    for _, split in zip(range(SPLITS), data.splits(), strict=False):
        steps = prepare(LinearSVM(), split.X)[:-1]
        X, X_test = steps.fit_transform(split.X), steps.transform(split.X_test)
        if X.shape[1] > MOST_FEATURES:
            return {}
        for name, model in MODELS.items():
            found[name].append(1 - model.fit(X, split.y).score(X_test, split.y_test))
    return found


def main(names):
    warnings.simplefilter(
        "ignore"
    )  # of convergence, and of categories that are new in the test rows
    every = {}
    for data in tables(names):
        errors = errors_of(data)
        if errors:
            every[data.name] = {name: 100 * np.mean(found) for name, found in errors.items()}
            print(".", end="", file=sys.stderr, flush=True)
    errors = pd.DataFrame(every).T
    behind = errors.sub(errors.min(axis=1), axis=0)
    print(f"\n{len(errors)} tables, {SPLITS} splits each; errors in percent")
    print(SHOWN.format("", "error", "behind", "worst", "within ½"))
    for name in errors:
        within = f"{(behind[name] <= 0.5).sum()}/{len(errors)}"
        numbers = (
            f"{n:.2f}" for n in (errors[name].mean(), behind[name].mean(), behind[name].max())
        )
        print(SHOWN.format(name, *numbers, within))


if __name__ == "__main__":
    main(sys.argv[1:])
