"""`train` for the learners that take one example at a time: passes over files."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import pairwise
from types import FrameType
from typing import Any, NamedTuple

from rosenblatt.console import count, say
from rosenblatt.evaluation.calibrate import calibrate_files
from rosenblatt.evaluation.files import (
    check_validation,
    evaluate_files,
    names_of,
    no_labels,
    no_weight,
    notes_on,
)
from rosenblatt.kernels.jit import working_time
from rosenblatt.learner_registry import LEARNERS, REGRESSION
from rosenblatt.learners.adaptive import L2
from rosenblatt.prediction.model_files import Online
from rosenblatt.readers.named_columns import one_label
from rosenblatt.readers.reader import CountingReader
from rosenblatt.stream.calibration import OneClassError
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.model import StreamModel
from rosenblatt.stream.regressor import OnlineRegressor
from rosenblatt.stream.rules import Options
from rosenblatt.training.checkpoints import Checkpoints
from rosenblatt.training.command_options import TrainOptions, scaling_of
from rosenblatt.training.going_on import GoingOn
from rosenblatt.training.progress import Lines, Silent
from rosenblatt.training.shuffling import SEED, Batch
from rosenblatt.training.summary import TrainingResult
from rosenblatt.training.trainer import Progress, Step, Trainer

_MOST_POINTS = 4096  # of the curve that a report draws
_MOST_PARTS = 64  # of a block, where there will be a report
_LEAST_ROWS = 16  # of such a part
_NAMED = 8  # classes in a note


def train_online(job: TrainOptions) -> TrainingResult:
    """Train as the job says, and with ``retrain`` once more on all files."""
    began = working_time()
    passes = (job.passes or (1 if job.forget else None)) if job.adapts else job.n_passes
    outcome = _run(job, job.files, passes, job.validation)
    if job.retrain:
        assert job.validation is not None
        best = outcome.best or len(outcome.mistakes or outcome.losses)
        say(f"retraining on all files: {count(best, 'pass', 'passes')}", quiet=job.quiet)
        same, chosen = job, outcome.penalty
        if job.origin is None:
            # With the penalty that was validated: so many passes are the best for that one.
            same = replace(job, l2=_options(job).l2 if chosen is None else chosen.l2)
        again = _run(same, [*job.files, *job.validation], best, None)
        _take_calibration(again, outcome)
        again.validation_log_loss = outcome.validation_log_loss
        again.validation_auc = outcome.validation_auc
        again.notes = outcome.notes
        again.validation, again.best, again.retrained = outcome.validation, best, True
        again.checkpoint, again.penalty = outcome.checkpoint, outcome.penalty
        outcome = again
    outcome.seconds = working_time() - began
    return outcome


def _run(
    job: TrainOptions, files: list[str], passes: int | None, validation: list[str] | None
) -> TrainingResult:
    reading = job.reading()
    kept = job.checkpoint is not None
    begun = job.begun() if isinstance(job, GoingOn) else None
    reader = CountingReader(
        files,
        reading,
        names=None if begun is None else begun._names,
        bits=job.bits,
        ignore_weights=job.ignore_weights,
        digest=kept,
    )
    numbers = LEARNERS[job.learner].trains == REGRESSION
    of = OnlineRegressor if numbers else OnlineClassifier
    model: StreamModel = begun or of.with_names(_options(job), reader.names, job.known_classes)
    options, before = model._options, _Before(model)
    held_out: list[_HeldOut] = []
    notes: list[str] = []

    def validate(model: StreamModel) -> float:
        assert validation is not None
        told = job.test_reading(reader)
        rows = CountingReader(
            validation, told, names=model._names, ignore_weights=job.ignore_weights
        )
        found = evaluate_files(Online(model), rows)
        check_validation(found, model._names)
        scores, notes[:] = dict(found.score_facts()), notes_on(found, "validation")
        held_out.append(_HeldOut(found.metrics.examples, found.log_loss, found.auc, scores))
        wrong = found.error * found.metrics.examples
        return wrong if numbers else round(wrong)

    kind = Trainer if job.report is None else _InParts
    trainer = kind(
        model,
        reader,
        passes,
        cache=not job.no_cache,
        shuffle=None if job.no_shuffle or job.forget or passes == 1 else SEED,
        validate=validate if validation else None,
        choose=job.l2 is None and job.adapts and not numbers and begun is None,
    )
    saving = Checkpoints(job, trainer, passes, options) if validation or not job.retrain else None
    if saving is not None:
        saving.resume()
    lines = Silent()
    if not job.quiet:
        log_loss = model.counts_log_loss
        lines = Lines(
            trainer.planned, validated=bool(validation), squared=numbers, log_loss=log_loss
        )
    curve = _follow(trainer, lines, saving, held_out)
    progress = trainer.progress
    _check_labels(trainer, reader, before)
    if begun is not None:
        before.note(model, job.quiet)
    best = trainer.result()
    if validation and not numbers:
        _calibrate(best, job, reader, validation)
    rows = held_out[-1].examples if held_out else 1
    errors = [wrong / rows for wrong in progress.validation]
    unknown: list[Any] = [None] * (len(errors) - len(held_out))  # passes before a checkpoint
    return TrainingResult(
        Online(best),
        reader,
        progress.size,
        mistakes=[] if numbers else progress.history,
        losses=_mean_squares(trainer, before) if numbers else [],
        validation=errors,
        validation_log_loss=unknown + [found.log_loss for found in held_out],
        validation_auc=unknown + [found.auc for found in held_out],
        log_losses=progress.losses,
        best=errors.index(min(errors)) + 1 if errors else None,
        curve=[] if numbers else curve,
        runs=progress.runs,
        penalty=trainer.chosen,
        checkpoint=None if saving is None else saving.place,
        origin=None if job.origin is None else (job.origin, before.examples),
        notes=notes,
    )


class _Before:
    """What a model had learned from when training began."""

    def __init__(self, model: StreamModel) -> None:
        self.examples = model.t_
        self.weight = model.total_weight if isinstance(model, OnlineRegressor) else 0.0
        self.classes = set() if model.predicts_numbers else {*model.classes_.tolist()}

    def note(self, model: StreamModel, quiet: bool) -> None:
        """Say which classes are new to a model that went on learning: a column may be wrong."""
        if not self.classes:
            return
        new = [label for label in model.classes_.tolist() if label not in self.classes]
        if new:
            more = ", …" if len(new) > _NAMED else ""
            say(
                f"note: {count(len(new), 'class', 'classes')} that the model did not know: "
                f"{', '.join(map(str, new[:_NAMED]))}{more}",
                quiet=quiet,
            )


def _take_calibration(again: TrainingResult, before: TrainingResult) -> None:
    """Let a model that was retrained have the probabilities fitted when rows were held out."""
    if again.classes == before.classes:
        again.predictor.model._calibration = before.predictor.model._calibration


class _HeldOut(NamedTuple):
    """How good the model was after a pass, on the validation files."""

    examples: int
    log_loss: float | None
    auc: float | None
    in_words: dict[str, str]


def _calibrate(
    model: StreamModel, job: TrainOptions, reader: CountingReader, validation: list[str]
) -> None:
    """Fit probabilities to the validation files, if the learner has none of its own."""
    if model.calibration_ is None:
        told = job.test_reading(reader)
        ignored = job.ignore_weights
        rows = CountingReader(validation, told, names=model._names, ignore_weights=ignored)
        with suppress(OneClassError):  # then there are no probabilities
            calibrate_files(Online(model), rows)


def _options(job: TrainOptions) -> Options:
    return Options(
        job.learner,
        fit_intercept=not job.no_intercept,
        ties=job.ties or "mistake",
        eta0="auto" if job.eta0 is None else job.eta0,
        average=job.averages,
        dtype=job.dtype,
        learning_rate=job.learning_rate or "adaptive",
        l2=L2 if job.l2 is None else job.l2,
        scale=scaling_of(job.scale),
        l1=job.l1 or 0.0,
        forget=job.forget,
    )


def _follow(
    trainer: Trainer, lines: Silent, saving: Checkpoints | None, held_out: list[_HeldOut]
) -> list[tuple[int, int]]:
    """Let the trainer run; tell how it goes, take checkpoints, and return how it went."""
    number = 0
    curve = _Curve()

    def end_pass() -> None:
        wrong = trainer.progress.validation
        if not wrong:
            lines.end_pass()
            return
        last = held_out[-1]
        lines.end_pass(wrong[number - 1] / last.examples, last.in_words)

    with _interruptible(saving is not None and saving.wanted) as interrupted:
        try:
            for step in trainer.run():
                if step.number > number:
                    if number:
                        end_pass()
                        if _too_few_classes(trainer.model):
                            return curve.points  # more passes would teach nothing
                    number = step.number
                lines.plan(trainer.planned)
                lines.step(*step)
                curve.add(trainer.progress, step)
                if saving is not None:
                    saving.maybe(now=bool(interrupted))
                if interrupted:
                    raise KeyboardInterrupt
            if number:
                end_pass()
        finally:
            lines.close()
    return curve.points


class _InParts(Trainer):
    """Stops several times a block, which changes nothing but how much is seen on the way."""

    def _batches(self) -> Iterator[tuple[Batch, float | None]]:
        most, before = max(1, min(_MOST_PARTS, _MOST_POINTS // self.planned)), 0.0
        for batch, done in super()._batches():
            n = len(batch.labels)
            parts = max(1, min(most, n // _LEAST_ROWS))
            cuts = [n * k // parts for k in range(parts + 1)]
            for start, stop in pairwise(cuts):
                share = None if done is None else before + (done - before) * stop / n
                yield batch.part(start, stop), share
            before = done or 0.0


class _Curve:
    """Examples and mistakes of all passes so far, at some points; the last is always there."""

    def __init__(self) -> None:
        self.points: list[tuple[int, int]] = []
        self._gap = 0  # examples between points

    def add(self, progress: Progress, step: Step) -> None:
        """Take note of where training stands."""
        seen = progress.passes * progress.size + step.examples
        made = sum(progress.history) + step.mistakes
        if len(self.points) > 1 and seen - self.points[-2][0] < self._gap:
            self.points.pop()
        self.points.append((seen, made))
        if len(self.points) > _MOST_POINTS:
            del self.points[-2::-2]
            self._gap = 2 * seen // _MOST_POINTS


def _mean_squares(trainer: Trainer, before: _Before) -> list[float]:
    """Return the mean squared error of each pass, by weight."""
    assert isinstance(trainer.model, OnlineRegressor)
    passes, weight = trainer.progress.passes, trainer.model.total_weight - before.weight
    return [squares * passes / weight for squares in trainer.progress.history]


def _too_few_classes(model: StreamModel) -> bool:
    return not isinstance(model, OnlineRegressor) and len(model.classes_) < 2


def _check_labels(trainer: Trainer, reader: CountingReader, before: _Before) -> None:
    """Refuse data that nothing can be learned from."""
    model, examples = trainer.model, trainer.progress.size
    if not examples:
        raise ValueError(f"{names_of(reader)}: {no_labels(reader)}")
    if before.examples and model.t_ == before.examples:
        raise ValueError(no_weight(reader))
    if isinstance(model, OnlineRegressor):
        if not model.t_:
            raise ValueError(no_weight(reader))
        if not model.n_features_:
            raise ValueError(f"{names_of(reader)}: no example has any feature")
        return
    classes = model.classes_
    if not len(classes):
        raise ValueError(no_weight(reader))
    if len(classes) < 2:
        only = one_label(examples, "example", classes.tolist()[0])
        raise ValueError(f"{names_of(reader)}: {only}")


@contextmanager
def _interruptible(wanted: bool) -> Iterator[list[int]]:
    """Let Ctrl-C wait for the end of a block, so that a checkpoint can be taken; a second cannot.

    What is yielded is no longer empty once it was pressed.
    """
    pressed: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    if not wanted:
        yield pressed
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
