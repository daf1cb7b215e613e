"""`train` for the learners that take one example at a time: passes over files."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from types import FrameType

from rosenblatt.console import count, say
from rosenblatt.evaluation.files import evaluate_files, names_of, no_labels, no_weight
from rosenblatt.kernels.jit import working_time
from rosenblatt.learner_registry import LEARNERS, REGRESSION
from rosenblatt.learners.adaptive import L2
from rosenblatt.prediction.model_files import Online
from rosenblatt.readers.named_columns import one_label
from rosenblatt.readers.reader import CountingReader
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.model import StreamModel
from rosenblatt.stream.regressor import OnlineRegressor
from rosenblatt.stream.rules import Options
from rosenblatt.training.checkpoints import Checkpoints
from rosenblatt.training.command_options import TrainOptions, scaling_of
from rosenblatt.training.progress import Lines, Silent
from rosenblatt.training.shuffling import SEED, Batch
from rosenblatt.training.summary import TrainingResult
from rosenblatt.training.trainer import Progress, Step, Trainer

_MOST_POINTS = 4096  # of the curve that a report draws
_MOST_PARTS = 64  # of a block, where there will be a report
_LEAST_ROWS = 16  # of such a part


def train_online(job: TrainOptions) -> TrainingResult:
    """Train as the job says, and with ``retrain`` once more on all files."""
    began = working_time()
    passes = job.passes if job.adapts else job.n_passes
    outcome = _run(job, job.files, passes, job.validation)
    if job.retrain:
        assert job.validation is not None
        best = outcome.best or len(outcome.mistakes or outcome.losses)
        say(f"retraining on all files: {count(best, 'pass', 'passes')}", quiet=job.quiet)
        # With the penalty that was validated: so many passes are the best for that one.
        chosen = outcome.penalty
        same = replace(job, l2=_options(job).l2 if chosen is None else chosen.l2)
        again = _run(same, [*job.files, *job.validation], best, None)
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
    reader = CountingReader(
        files, reading, bits=job.bits, ignore_weights=job.ignore_weights, digest=kept
    )
    options = _options(job)
    numbers = LEARNERS[job.learner].trains == REGRESSION
    of = OnlineRegressor if numbers else OnlineClassifier
    model: StreamModel = of.with_names(options, reader.names, job.known_classes)
    held_out: list[int] = []

    def validate(model: StreamModel) -> float:
        assert validation is not None
        told = job.test_reading(reader)
        rows = CountingReader(
            validation, told, names=model._names, ignore_weights=job.ignore_weights
        )
        found = evaluate_files(Online(model), rows)
        held_out.append(found.metrics.examples)
        wrong = found.error * found.metrics.examples
        return wrong if numbers else round(wrong)

    kind = Trainer if job.report is None else _InParts
    trainer = kind(
        model,
        reader,
        passes,
        cache=not job.no_cache,
        shuffle=None if job.no_shuffle or passes == 1 else SEED,
        validate=validate if validation else None,
        choose=job.l2 is None and job.adapts and not numbers,
    )
    saving = Checkpoints(job, trainer, passes, options) if validation or not job.retrain else None
    if saving is not None:
        saving.resume()
    lines = Silent()
    if not job.quiet:
        lines = Lines(trainer.planned, validated=bool(validation), squared=numbers)
    curve = _follow(trainer, lines, saving, held_out)
    progress = trainer.progress
    _check_labels(trainer, reader)
    rows = held_out[-1] if held_out else 1
    errors = [wrong / rows for wrong in progress.validation]
    return TrainingResult(
        Online(trainer.result()),
        reader,
        progress.size,
        mistakes=[] if numbers else progress.history,
        losses=_mean_squares(trainer) if numbers else [],
        validation=errors,
        best=errors.index(min(errors)) + 1 if errors else None,
        curve=[] if numbers else curve,
        runs=progress.runs,
        penalty=trainer.chosen,
        checkpoint=None if saving is None else saving.place,
    )


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
    )


def _follow(
    trainer: Trainer, lines: Silent, saving: Checkpoints | None, held_out: list[int]
) -> list[tuple[int, int]]:
    """Let the trainer run; tell how it goes, take checkpoints, and return how it went."""
    number = 0
    curve = _Curve()

    def end_pass() -> None:
        wrong = trainer.progress.validation
        lines.end_pass(wrong[number - 1] / held_out[-1] if wrong else None)

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


def _mean_squares(trainer: Trainer) -> list[float]:
    """Return the mean squared error of each pass, by weight."""
    assert isinstance(trainer.model, OnlineRegressor)
    passes = trainer.progress.passes
    return [squares * passes / trainer.model.total_weight for squares in trainer.progress.history]


def _too_few_classes(model: StreamModel) -> bool:
    return not isinstance(model, OnlineRegressor) and len(model.classes_) < 2


def _check_labels(trainer: Trainer, reader: CountingReader) -> None:
    """Refuse data that nothing can be learned from."""
    model, examples = trainer.model, trainer.progress.size
    if not examples:
        raise ValueError(f"{names_of(reader)}: {no_labels(reader)}")
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
