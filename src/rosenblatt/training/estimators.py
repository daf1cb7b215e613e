"""`train` for estimators: closed forms block by block, the rest at once."""

import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import numpy as np

from rosenblatt.console import count, is_terminal, with_options
from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.value_kinds import ValueKinds
from rosenblatt.evaluation.files import names_of, no_labels
from rosenblatt.kernels.jit import working_time
from rosenblatt.learner_registry import CLOSED_FORM, IN_MEMORY, LEARNERS
from rosenblatt.prediction.model_files import Estimator, matrix
from rosenblatt.readers.named_columns import one_label
from rosenblatt.readers.names import Kept, Names, Numbered, has_words
from rosenblatt.readers.reader import CountingReader
from rosenblatt.training.cache import Batches, larger_batches
from rosenblatt.training.command_options import TrainOptions
from rosenblatt.training.progress import Bar
from rosenblatt.training.shuffling import Batch
from rosenblatt.training.summary import TrainingResult
from rosenblatt.training.trainer import ENOUGH, check_n_classes

_WIDE, _SPARSE = 1 << 22, 64  # columns at all, and for each number: more are not worth a model
_MOST_PAIRED = 4_096  # features or rows, of which all pairs are compared within seconds
_TOGETHER = 1 << 26  # bytes that a closed form takes in at once, as each time it solves anew


def train_estimator(job: TrainOptions) -> TrainingResult:
    """Train an estimator as the job says."""
    began = working_time()
    reader = CountingReader(
        job.files, job.reading(), bits=job.bits, ignore_weights=job.ignore_weights
    )
    ways = {CLOSED_FORM: _closed_form, IN_MEMORY: _in_memory}
    train = ways[LEARNERS[job.learner].trains or ""]
    with warnings_noted() as notes:
        outcome = train(job, reader)
    outcome.notes += notes
    outcome.seconds = working_time() - began
    return outcome


@contextmanager
def warnings_noted() -> Iterator[list[str]]:
    """Collect warnings, in the terms of the command's options; they are there in the end."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always", UserWarning)
        yield notes
    notes += dict.fromkeys(with_options(" ".join(str(w.message).split())) for w in met)


def _closed_form(job: TrainOptions, reader: CountingReader) -> TrainingResult:
    """Find out what there is in a first pass, add it up in a second, count mistakes in a third."""
    if isinstance(reader.names, Kept):
        reader.names.counts_words = LEARNERS[job.learner].counts_words
    with closing(Batches(reader, cache=not job.no_cache)) as batches:
        facts = _survey(batches, reader, job)
        check_pairs(job.learner, reader, facts.examples)
        model, notes = new_model(job, facts.kinds, reader.names)
        classes: Array | None = facts.classes
        watched = _watched(batches, 2, job, facts.examples)
        for batch in larger_batches(watched, _TOGETHER):
            X = matrix(batch.rows, reader.names.n_features)
            model.partial_fit(X, batch.labels, classes, sample_weight=batch.weights)
            classes = None
        predictor = Estimator(model, reader.names, job.learner)
        watched = _watched(batches, 3, job, facts.examples)
        wrong = sum(_wrong(predictor, batch) for batch in watched)
    return TrainingResult(predictor, reader, facts.examples, mistakes=[wrong], notes=notes)


def _watched(batches: Batches, number: int, job: TrainOptions, total: int = 0) -> Iterator[Batch]:
    """Yield all batches, and show a bar on a terminal: of examples, or of bytes the first time."""
    bar = Bar(3) if is_terminal() and not job.quiet else None
    seen = 0
    try:
        for batch in batches:
            yield batch
            seen += len(batch.labels)
            done = seen / total if total else batches.done
            if bar is not None:
                bar.show(number, seen, done)
    finally:
        if bar is not None:
            bar.close()


class _Facts:
    """What a first pass finds out."""

    def __init__(self) -> None:
        self.examples = 0
        self.classes: Any = None
        self.kinds = ValueKinds()

    def add(self, batch: Batch) -> None:
        self.examples += len(batch.labels)
        found = np.unique(batch.labels)
        self.classes = found if self.classes is None else np.union1d(self.classes, found)
        self.kinds = self.kinds.add(batch.rows)


def _survey(batches: Batches, reader: CountingReader, job: TrainOptions) -> _Facts:
    facts = _Facts()
    for batch in _watched(batches, 1, job):
        facts.add(batch)
        if job.known_classes is None and facts.examples >= ENOUGH:
            check_many(reader, facts.examples, facts.classes)
    if job.known_classes is None and facts.examples:
        check_many(reader, facts.examples, facts.classes)
    elif facts.examples:
        facts.classes = np.union1d(facts.classes, np.array(job.known_classes))
    check_examples(reader, facts.examples, facts.classes, facts.kinds.entries)
    return facts


def check_examples(reader: CountingReader, examples: int, classes: Any, entries: int) -> None:
    """Refuse data that nothing can be learned from, or whose features lie far apart."""
    if not examples:
        raise ValueError(f"{names_of(reader)}: {no_labels(reader)}")
    if classes is not None and len(classes) < 2:
        only = one_label(examples, "example", classes.tolist()[0])
        raise ValueError(f"{names_of(reader)}: {only}")
    if not reader.names.n_features:
        raise ValueError(f"{names_of(reader)}: no example has any feature")
    width = reader.names.n_features
    if isinstance(reader.names, Numbered) and width > max(_WIDE, _SPARSE * entries):
        raise ValueError(
            f"{names_of(reader)}: feature {width - 1:,} would need a model of {width:,} columns, "
            f"for {count(entries, 'number')}; hash the features (--bits 18)"
        )


def check_pairs(learner: str, reader: CountingReader, examples: int) -> None:
    """Refuse what would take minutes: a matrix of all pairs of thousands of features."""
    width = reader.names.n_features
    if LEARNERS[learner].pairwise and min(width, examples) > _MOST_PAIRED:
        raise ValueError(
            f"{names_of(reader)}: {learner} compares all pairs of the {width:,} features, which "
            f"takes minutes; use --learner logistic or naive-bayes, or at most {_MOST_PAIRED:,} "
            "features (--keep, --drop, --bits 12)"
        )


def check_many(reader: CountingReader, examples: int, classes: Array) -> None:
    """Refuse labels that nearly all differ."""
    check_n_classes(reader, len(classes), examples, classes.dtype.kind != "O")


def new_model(job: TrainOptions, kinds: ValueKinds, names: Names) -> tuple[Any, list[str]]:
    """Return the estimator that the options ask for, and what was chosen by the values."""
    row = LEARNERS[job.learner]
    if row.trains == IN_MEMORY:
        return row.load()(**_keywords(job), max_iter=job.n_passes), []
    if "distribution" not in row.options:
        return row.load()(), []
    if job.distribution not in (None, "auto"):
        return row.load()(distribution=job.distribution), []
    kind = kinds.distribution(has_words(names))
    return row.load()(distribution=kind), [f"naive Bayes is {kind} (--distribution)"]


def _keywords(job: TrainOptions) -> dict[str, Any]:
    """Return the estimator's keywords for the options that were given."""
    given = {
        "ties": job.ties,
        "eta0": job.eta0,
        "fit_intercept": False if job.no_intercept else None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _wrong(predictor: Estimator, batch: Batch) -> int:
    found = predictor.classes
    assert found is not None
    return int(np.count_nonzero(found[predictor.codes(batch.rows)] != batch.labels))


def _in_memory(job: TrainOptions, reader: CountingReader) -> TrainingResult:
    """Read all rows into memory, and make passes over them."""
    from rosenblatt.readers.matrix import gather

    examples = gather(reader)
    y = examples.y
    have = np.array([label is not None and label == label for label in y.tolist()], bool)
    X, y = (examples.X, y) if have.all() else (examples.X[have], y[have])
    if y.dtype.kind == "f" and np.array_equal(y, np.rint(y)):
        y = y.astype(np.int64)  # as labels are everywhere else
    numbers = X.nnz if hasattr(X, "nnz") else X.size
    check_examples(reader, len(y), np.unique(y) if len(y) else None, numbers)
    check_many(reader, len(y), np.unique(y))
    weights = examples.weights if examples.weights is None else examples.weights[have]
    model, _ = new_model(job, ValueKinds(), reader.names)
    model.fit(X, y, sample_weight=weights)
    predictor = Estimator(model, reader.names, job.learner)
    return TrainingResult(predictor, reader, len(y), mistakes=model.mistakes_.tolist())
