"""`train` for estimators: closed forms block by block, regression in passes, the rest at once."""

import warnings
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from rosenblatt.console import count, is_terminal, with_options
from rosenblatt.data.rows import Array, entries
from rosenblatt.evaluation.files import names_of, no_labels
from rosenblatt.evaluation.predictors import Estimator, matrix
from rosenblatt.readers.counting import Counted
from rosenblatt.readers.names import Numbered
from rosenblatt.training.cache import Lot, Lots, rows_together
from rosenblatt.training.options import TrainOptions
from rosenblatt.training.progress import Bar, Lines, Silent
from rosenblatt.training.summary import TrainingResult
from rosenblatt.training.trainer import ENOUGH, check_n_classes

_WIDE, _SPARSE = 1 << 22, 64  # columns at all, and for each number: more are not worth a model
_TOGETHER = 1 << 26  # bytes that a closed form takes in at once, as each time it solves anew


def train_estimator(job: TrainOptions) -> TrainingResult:
    """Train an estimator as the job says."""
    began = perf_counter()
    reader = Counted(job.files, job.reading(), bits=job.bits, ignore_weights=job.ignore_weights)
    train = {"batch": _batch, "regression": _regression}.get(job.learner, _closed_form)
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always", UserWarning)
        outcome = train(job, reader)
    outcome.notes += dict.fromkeys(with_options(" ".join(str(w.message).split())) for w in met)
    outcome.seconds = perf_counter() - began
    return outcome


def _closed_form(job: TrainOptions, reader: Counted) -> TrainingResult:
    """Find out what there is in a first pass, add it up in a second, count mistakes in a third."""
    with Lots(reader, cache=not job.no_cache) as lots:
        facts = _survey(lots, job)
        model = _made(job, facts)
        classes: Array | None = facts.classes
        watched = _watched(lots, 2, job, facts.examples)
        for lot in rows_together(watched, _TOGETHER):
            X = matrix(lot.rows, reader.names.n_features)
            model.partial_fit(X, lot.labels, classes, sample_weight=lot.weights)
            classes = None
        predictor = Estimator(model, reader.names, job.learner)
        watched = _watched(lots, 3, job, facts.examples)
        wrong = sum(_wrong(predictor, lot) for lot in watched)
    notes = [] if facts.kind is None else [f"naive Bayes is {facts.kind} (--distribution)"]
    return TrainingResult(predictor, reader, facts.examples, mistakes=[wrong], notes=notes)


def _watched(lots: Lots, number: int, job: TrainOptions, total: int = 0) -> Iterator[Lot]:
    """Yield all lots, and show a bar on a terminal: of examples, or of bytes the first time."""
    bar = Bar(3) if is_terminal() and not job.quiet else None
    n_bytes, seen = lots.reader.total, 0
    try:
        for lot in lots:
            yield lot
            seen += len(lot.labels)
            done = seen / total if total else lots.reader.bytes / n_bytes if n_bytes else None
            if bar is not None:
                bar.show(number, seen, done)
    finally:
        if bar is not None:
            bar.close()


class _Facts:
    """What a first pass finds out."""

    def __init__(self) -> None:
        self.examples = self.entries = 0
        self.classes: Any = None
        self.ones = self.counts = True
        self.kind: str | None = None

    def add(self, lot: Lot) -> None:
        self.examples += len(lot.labels)
        self.entries += entries(lot.rows)
        found = np.unique(lot.labels)
        self.classes = found if self.classes is None else np.union1d(self.classes, found)
        values = lot.rows.values
        if self.ones:
            self.ones = bool(np.all((values == 0) | (values == 1)))
        if self.counts and not self.ones:
            self.counts = bool(np.all((values >= 0) & (values == np.rint(values))))


def _survey(lots: Lots, job: TrainOptions) -> _Facts:
    facts = _Facts()
    for lot in _watched(lots, 1, job):
        facts.add(lot)
        if job.known_classes is None and facts.examples >= ENOUGH:
            _check_many(lots.reader, facts.examples, facts.classes)
    if job.known_classes is None and facts.examples:
        _check_many(lots.reader, facts.examples, facts.classes)
    elif facts.examples:
        facts.classes = np.union1d(facts.classes, np.array(job.known_classes))
    _check(lots.reader, facts.examples, facts.classes, facts.entries)
    return facts


def _check(reader: Counted, examples: int, classes: Any, entries: int) -> None:
    """Refuse data that nothing can be learned from, or whose features lie far apart."""
    if not examples:
        raise ValueError(f"{names_of(reader)}: {no_labels(reader)}")
    if classes is not None and len(classes) < 2:
        raise ValueError(
            f"{names_of(reader)}: all {count(examples, 'example')} have the label "
            f"{classes.tolist()[0]!r}, so there is nothing to tell apart"
        )
    if not reader.names.n_features:
        raise ValueError(f"{names_of(reader)}: no example has any feature")
    width = reader.names.n_features
    if isinstance(reader.names, Numbered) and width > max(_WIDE, _SPARSE * entries):
        raise ValueError(
            f"{names_of(reader)}: feature {width - 1:,} would need a model of {width:,} columns, "
            f"for {count(entries, 'number')}; hash the features (--bits 18)"
        )


def _check_many(reader: Counted, examples: int, classes: Array) -> None:
    check_n_classes(reader, len(classes), examples, classes.dtype.kind != "O")


def _made(job: TrainOptions, facts: _Facts) -> Any:
    """Make the estimator of a closed form."""
    if job.learner == "centroid":
        from rosenblatt.estimators.centroid import NearestCentroid

        return NearestCentroid()
    if job.learner == "discriminant":
        from rosenblatt.estimators.discriminant import LinearDiscriminant

        return LinearDiscriminant()
    from rosenblatt.estimators.naive_bayes import NaiveBayes

    kind = job.distribution or "auto"
    if kind == "auto":
        kind = "bernoulli" if facts.ones else "multinomial" if facts.counts else "gaussian"
        facts.kind = kind
    return NaiveBayes(kind)


def _wrong(predictor: Estimator, lot: Lot) -> int:
    found = predictor.classes
    assert found is not None
    return int(np.count_nonzero(found[predictor.codes(lot.rows)] != lot.labels))


def _regression(job: TrainOptions, reader: Counted) -> TrainingResult:
    """Descend the squared error, one row at a time, pass after pass."""
    from rosenblatt.estimators.regression import LinearRegression

    model = LinearRegression(
        fit_intercept=not job.no_intercept, eta0="auto" if job.eta0 is None else job.eta0
    )
    lines = Silent() if job.quiet else Lines(job.n_passes, squared=True)
    losses: list[float] = []
    examples = 0
    with Lots(reader, cache=not job.no_cache, numbers=True) as lots:
        numbers = 0
        for lot in lots:
            examples, numbers = examples + _unweighted(lot), numbers + entries(lot.rows)
        _check(reader, examples, None, numbers)
        try:
            for number in range(1, job.n_passes + 1):
                seen, squares = 0, 0.0
                for lot in lots:
                    model.partial_fit(matrix(lot.rows, reader.names.n_features), lot.labels)
                    seen += len(lot.labels)
                    squares += float(model.loss_curve_[-1]) * len(lot.labels)
                    lines.step(number, seen, squares, seen / examples)
                lines.end_pass()
                losses.append(squares / examples)
        finally:
            lines.close()
    predictor = Estimator(model, reader.names, job.learner)
    return TrainingResult(predictor, reader, examples, losses=losses)


def _unweighted(lot: Lot) -> int:
    if lot.weights is not None and not (lot.weights == 1).all():
        raise ValueError("regression has no importance weights; leave them out (--ignore-weights)")
    return len(lot.labels)


def _batch(job: TrainOptions, reader: Counted) -> TrainingResult:
    """Read all rows into memory, and make passes over them."""
    from rosenblatt.estimators.batch import BatchPerceptron
    from rosenblatt.readers.load import gather

    examples = gather(reader)
    y = examples.y
    have = np.array([label is not None and label == label for label in y.tolist()], bool)
    X, y = (examples.X, y) if have.all() else (examples.X[have], y[have])
    if y.dtype.kind == "f" and np.array_equal(y, np.rint(y)):
        y = y.astype(np.int64)  # as labels are everywhere else
    numbers = X.nnz if hasattr(X, "nnz") else X.size
    _check(reader, len(y), np.unique(y) if len(y) else None, numbers)
    _check_many(reader, len(y), np.unique(y))
    weights = examples.weights
    if weights is not None and not (weights == 1).all():
        raise ValueError("batch has no importance weights; leave them out (--ignore-weights)")
    model = BatchPerceptron(
        fit_intercept=not job.no_intercept,
        ties=job.ties or "mistake",
        eta0=1.0 if job.eta0 is None else job.eta0,
        max_iter=job.n_passes,
    )
    model.fit(X, y)
    predictor = Estimator(model, reader.names, job.learner)
    return TrainingResult(predictor, reader, len(y), mistakes=model.mistakes_.tolist())
