"""The L2 penalty of adaptive steps, chosen by cross-validation where there are few rows.

The fewer rows there are for each feature, the more the penalty matters: on some tables of 200 rows
ten times the usual one saves three mistakes in a hundred, and halves the log loss. Where there are
many, it hardly matters, and choosing would take longer than training. ADR 0034 has the figures.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.data.labels import positions
from rosenblatt.data.rows import Array, Rows, entries, take
from rosenblatt.learners import online
from rosenblatt.learners.losses import evaluate
from rosenblatt.learners.online import NumberTooLargeError
from rosenblatt.readers.names import Names
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.rules import Options, rule_of
from rosenblatt.training.row_passes import passes_over
from rosenblatt.training.shuffling import WINDOW, Batch

FOLDS = 5
MOST_PASSES, LEAST_PASSES = 20, 5  # enough to tell penalties apart: more choose no better
CANDIDATES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_FIRST = CANDIDATES.index(0.3), CANDIDATES.index(1.0)
_MOST_ROWS = 10_000
_ENOUGH_ROWS = 1_000  # for one part of five to be held out, instead of each in turn
_MANY_EXAMPLES = 20_000  # in all passes
_MOST_WORK = 5_000_000  # numbers to visit for a candidate, in about a tenth of a second
_COLUMNS = 10  # of a model that take as long as a number of a row, at the end of each pass


class Chosen(NamedTuple):
    """A penalty, and in how many parts of the rows it was judged."""

    l2: float
    folds: int


class _HeldOut(NamedTuple):
    """Sums over rows that were held out: the loss, the mistakes, and the variance of these."""

    loss: float
    mistakes: float
    variance: float


def choose_penalty(model: OnlineClassifier, window: Batch) -> Chosen | None:
    """Choose the penalty of a model that has not learned yet from the first window of rows.

    If that is not all there are, they are too many to choose.
    """
    if entries(window.rows) >= WINDOW:
        return None
    chosen = choose_l2(window, model._options, model._names)
    if chosen is not None:
        model.set_penalty(chosen.l2)
    return chosen


def choose_l2(batch: Batch, options: Options, names: Names) -> Chosen | None:
    """Return the penalty whose models have the smallest loss on rows that were held out.

    Candidates are tried upwards or downwards from the usual one, until the loss no longer falls.
    The hinge loss can be smallest for a model that always predicts the majority class; so it counts
    only between candidates that make about as few mistakes: up to half a standard error more than
    the best. Return None if there are too many rows, too few, or one class only.
    """
    if not 2 * FOLDS <= len(batch.labels) <= _MOST_ROWS:
        return None
    # With an option, as without one np.unique imports numpy.ma, which takes a while.
    classes, _ = np.unique(batch.labels, return_index=True)
    plan = _affordable(batch, len(classes), names.n_features)
    if len(classes) < 2 or plan is None:
        return None
    folds, passes = plan
    codes = positions(classes, batch.labels)
    assert codes is not None
    y = online.targets(codes, len(classes), np.dtype(options.dtype))
    splits = list(_splits(codes, folds))
    tried: dict[int, _HeldOut] = {}

    def loss_of(number: int) -> float:
        if number not in tried:
            candidate = options._replace(l2=CANDIDATES[number])
            parts = [
                _held_out(batch, y, train, test, candidate, names, classes, passes)
                for train, test in splits
            ]
            tried[number] = _HeldOut(*map(sum, zip(*parts, strict=True)))
        return tried[number].loss

    usual, next_one = _FIRST
    try:
        best, step = (next_one, 1) if loss_of(next_one) < loss_of(usual) else (usual, -1)
        while 0 <= best + step < len(CANDIDATES) and loss_of(best + step) < loss_of(best):
            best += step
    except NumberTooLargeError:
        return None  # training will say which row it was
    if rule_of(options).loss == "hinge":
        fewest = min(tried.values(), key=lambda one: one.mistakes)
        most = fewest.mistakes + 0.5 * fewest.variance**0.5
        best = min((k for k, one in tried.items() if one.mistakes <= most), key=loss_of)
    return Chosen(CANDIDATES[best], folds)


def _affordable(batch: Batch, n_classes: int, n_features: int) -> tuple[int, int] | None:
    """Return in how many parts to judge, FOLDS or 1 to hold one part out, and with how many passes.

    The more numbers there are, the fewer passes; None if five of them are too much. Names that are
    hashed may have many more columns than the rows have numbers.
    """
    n, functions = len(batch.labels), 1 if n_classes == 2 else n_classes
    numbers = max(entries(batch.rows), n_features // _COLUMNS) * functions
    usual = min(MOST_PASSES, max(LEAST_PASSES, _MANY_EXAMPLES // n))
    folds = FOLDS if n < _ENOUGH_ROWS else 1
    passes = min(usual, int(_MOST_WORK / (folds * (1 - 1 / FOLDS) * numbers)))
    return (folds, passes) if passes >= LEAST_PASSES else None


def _splits(codes: Array, folds: int) -> Iterator[tuple[Array, Array]]:
    """Yield the rows to learn from and those to judge by; each part has its share of a class."""
    order = np.argsort(codes, kind="stable")
    part = np.empty(len(codes), np.int64)
    part[order] = np.arange(len(codes)) % FOLDS
    for number in range(folds):
        yield np.flatnonzero(part != number), np.flatnonzero(part == number)


def _held_out(
    batch: Batch,
    y: Array,
    train: Array,
    test: Array,
    options: Options,
    names: Names,
    classes: Array,
    passes: int,
) -> _HeldOut:
    model = OnlineClassifier.with_names(options, names, classes.tolist())
    for _ in passes_over(_some(batch, train), model, passes, shuffle=True):
        pass
    held_out = _some(batch, test)
    scores = model.scores(held_out.rows)
    loss = rule_of(options).loss
    assert loss is not None
    scores = np.ascontiguousarray(scores.reshape(len(test), -1))
    wrong = (model.predict(held_out.rows) != held_out.labels).astype(float)
    if held_out.weights is not None:
        wrong *= held_out.weights
    total = float(evaluate(loss, scores, y[test], held_out.weights)[0])
    return _HeldOut(total, float(wrong.sum()), float(wrong @ wrong))  # rare events: as Poisson's


def _some(batch: Batch, rows: Array) -> Batch:
    chosen: Rows = take(batch.rows, rows)
    weights = None if batch.weights is None else batch.weights[rows]
    return Batch(chosen, batch.labels[rows], weights)
