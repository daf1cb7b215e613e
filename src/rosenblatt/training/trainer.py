"""Passes over files: learn, count mistakes, validate, and go on where a checkpoint was taken."""

from collections.abc import Callable, Generator, Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.console import shortened
from rosenblatt.data.rows import Array
from rosenblatt.learners.online import NumberTooLargeError
from rosenblatt.passes import MOST_PASSES, NO_PROGRESS, History, PassEnd, run_passes
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.reader import Reader
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.compacting import compacted
from rosenblatt.stream.model import StreamModel
from rosenblatt.training.cache import Batches
from rosenblatt.training.penalty import Chosen, choose_penalty
from rosenblatt.training.shuffling import Batch, Place

MANY_CLASSES = 1_000  # from which on labels that nearly all differ are taken for something else
ENOUGH = 10_000  # rows to tell that by, if a file has so many


class Step(NamedTuple):
    """Where training stands after a block.

    ``number`` is the pass's, from 1 on; ``examples`` and ``mistakes`` are its own, ``done`` is the
    share of the pass that is over, or None if that is not known. Of numbers to predict, mistakes
    are squared errors, here and in `Progress`. ``loss`` is the progressive log loss of the pass so
    far, of what learns by it.
    """

    number: int
    examples: int
    mistakes: Any
    done: float | None
    loss: float | None = None


@dataclass
class Progress:
    """What a run has done so far; a checkpoint keeps it.

    ``folds`` says by how many parts of the rows the model's penalty was chosen; 0: it was not.
    ``loss_before`` is the sum of the losses before this pass (−1: not known), ``weight`` that of
    the weights of what was learned from in it, and ``losses`` the log loss of each pass that is
    over, if what learns counts it.
    """

    passes: int = 0
    examples: int = 0
    mistakes: Any = 0
    history: list[Any] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    runs: int = 0
    size: int = 0
    folds: int = 0
    loss_before: float = 0.0
    weight: float = 0.0
    losses: list[float] = field(default_factory=list)

    def log_loss(self, total: float | None) -> float | None:
        """Return the mean loss of this pass, from the sum of all losses."""
        if total is None or not self.weight or self.loss_before < 0:
            return None
        return (total - self.loss_before) / self.weight


class Trainer:
    """Trains a model on the files of a reader.

    Parameters
    ----------
    model : StreamModel
        What learns. Its names are the reader's.
    reader : Reader
        The files.
    passes : int or None
        How often to go through them. Passes end earlier when one makes no mistake. None makes so
        many that what is learned settles: the more, the fewer rows there are.
    cache : bool
        Keep the rows in a temporary file for the passes after the first.
    validate : function of a model, or None
        Counts the mistakes on other data after each pass, or adds up their squared errors; the
        model of the best pass is kept.
    choose : bool
        Choose the model's penalty by cross-validation before the first pass, if all rows are
        shuffled in memory and they are few: see `rosenblatt.training.penalty`.
    """

    def __init__(
        self,
        model: StreamModel,
        reader: Reader,
        passes: int | None = 1,
        *,
        cache: bool = True,
        shuffle: int | None = None,
        validate: Callable[[StreamModel], float] | None = None,
        choose: bool = False,
    ) -> None:
        if passes is not None and passes < 1:
            raise ValueError(f"passes={passes} must be 1 or more")
        if passes != 1 and reader.once and not cache:
            raise ValueError(
                "standard input can be read only once: allow a cache for the later passes"
            )
        self.model, self.reader, self.passes, self.validate = model, reader, passes, validate
        self.choose = choose
        self.progress = Progress(loss_before=model.log_loss_sum or 0.0)
        self._rule = model.stopping_rule()
        self.best: StreamModel | None = None
        self._compacted: StreamModel | None = None
        numbers = model.predicts_numbers
        self.batches = Batches(
            reader, cache=cache and passes != 1, numbers=numbers, shuffle=shuffle
        )
        self._told = numbers or len(model.classes_) > 0
        self._counts_runs = not numbers
        self._here: tuple[Place, int] | None = None  # what finds lines, and the examples before

    def run(self) -> Iterator[Step]:
        """Train; stops after each block, so that one may look, take a checkpoint, or leave."""
        progress = self.progress
        try:
            history = History(progress.history, validation=progress.validation)
            yield from run_passes(
                self._one_pass,
                self.model,
                self.passes or MOST_PASSES,
                self._stop,
                validate=None if self.validate is None else self._validate,
                keep=self._keep,
                history=history,
            )
        finally:
            self.batches.close()

    @property
    def planned(self) -> int:
        """The largest number of passes, as far as it is known."""
        return self.passes or self.model.usual_passes(self.progress.size)

    @property
    def chosen(self) -> Chosen | None:
        """The penalty, if it was chosen, also by the run before a checkpoint."""
        folds = self.progress.folds
        return Chosen(self.model._options.l2, folds) if folds else None

    def _stop(self, history: History, end: PassEnd) -> str:
        """Stop after enough passes, or for perceptrons after one without a mistake."""
        if history.passes >= self.planned:
            return NO_PROGRESS
        return self._rule(history, end)

    def result(self) -> StreamModel:
        """Return the model, that of the best pass if there was validation."""
        return (compacted(self.model) or self.model) if self.best is None else self.best

    def _validate(self, model: StreamModel) -> float:
        assert self.validate is not None
        self._compacted = compacted(model)
        return self.validate(self._compacted or model)

    def _keep(self, model: StreamModel) -> StreamModel:
        self.best = self._compacted or copy(model)
        return self.best

    def _one_pass(
        self, model: StreamModel, number: int, clean: bool
    ) -> Generator[Step, None, PassEnd]:
        """Learn from all rows but those that a checkpoint says were learned from."""
        progress, behind = self.progress, self.progress.examples
        seen, last = 0, None
        if number > 1 and not behind:
            model.next_pass()
        self.batches.passes = progress.passes
        batches = self._batches()
        if progress.passes == 0 and not self._told:
            batches = self._checked(batches)
        for batch, done in batches:
            n = len(batch.labels)
            if seen + n > behind:
                skip = max(0, behind - seen)
                if skip:
                    last, batch = batch.labels[skip - 1], batch.part(skip, n)
                if progress.passes == 0 and self.batches.shuffle is None and self._counts_runs:
                    progress.runs += changes(batch.labels, last)
                steps = model.t_
                try:
                    progress.mistakes += model.learn_rows(*batch)
                except NumberTooLargeError as error:
                    raise self._placed(error) from None
                progress.examples += len(batch.labels)
                progress.weight += _weight(batch.weights, model.t_ - steps)
                last = batch.labels[-1]
                loss = progress.log_loss(model.log_loss_sum)
                yield Step(number, progress.examples, progress.mistakes, done, loss)
            elif n:
                last = batch.labels[-1]
            seen += n
        if seen < behind:
            raise ValueError(
                f"the files have {seen:,} examples, but the checkpoint was taken after {behind:,}: "
                "they are not the ones it was made from"
            )
        mistakes, progress.size = progress.mistakes, progress.examples
        total = model.log_loss_sum
        loss = progress.log_loss(total)
        if loss is not None and len(progress.losses) == progress.passes:
            progress.losses.append(loss)
        progress.loss_before, progress.weight = total or 0.0, 0.0
        progress.passes += 1
        progress.examples = progress.mistakes = 0
        return PassEnd(model, mistakes)

    def _placed(self, error: NumberTooLargeError) -> ValueError:
        """Say which example made a number overflow."""
        number, dtype = self.progress.examples + (error.row or 0), self.model._options.dtype
        more = "" if dtype == "float64" else ", or use --float64"
        problem = f"makes a score or a weight too large for {dtype}: scale the features{more}"
        if self._here is None:
            return ValueError(f"example {number + 1:,} {problem}")
        place, before = self._here
        found = place(number - before)
        if found is None:
            return ValueError(f"example {number + 1:,} {problem}")
        file, line = found
        return DataError(file, line, None, f"this example {problem}")

    def _checked(
        self, batches: Iterator[tuple[Batch, float | None]]
    ) -> Iterator[tuple[Batch, float | None]]:
        """Refuse labels that nearly all differ, before there is a class for each.

        While they do, and there are too few rows to tell, these wait.
        """
        values: set[Any] = set()
        waiting: list[tuple[Batch, float | None, tuple[Place, int] | None]] = []
        rows, numbers = 0, False
        for batch, done in batches:
            early = rows < ENOUGH
            rows, numbers = rows + len(batch.labels), batch.labels.dtype.kind != "O"
            waiting.append((batch, done, self._here))
            if early:
                values.update(batch.labels.tolist())
                if rows < ENOUGH and nearly_all_differ(len(values), rows):
                    continue
                check_n_classes(self.reader, len(values), rows, numbers)
            else:  # a model that is resumed has seen more
                seen = max(rows, self.progress.examples)
                check_n_classes(self.reader, len(self.model.classes_), seen, numbers)
            yield from self._released(waiting)
        if waiting:
            check_n_classes(self.reader, len(values), rows, numbers)

    def _released(
        self, waiting: list[tuple[Batch, float | None, tuple[Place, int] | None]]
    ) -> Iterator[tuple[Batch, float | None]]:
        while waiting:
            batch, done, self._here = waiting.pop(0)
            yield batch, done

    def _batches(self) -> Iterator[tuple[Batch, float | None]]:
        first = self.choose and not self.progress.passes and not self.progress.examples
        for batch in self.batches:
            self._here = self.batches.here
            if first and self.batches.shuffle is not None:
                assert isinstance(self.model, OnlineClassifier)
                chosen = choose_penalty(self.model, batch)
                self.progress.folds = 0 if chosen is None else chosen.folds
            first = False
            yield batch, self.batches.done


def _weight(weights: Array | None, learned: int) -> float:
    """Return the weight of the rows that were learned from: the last, as classes may be unknown."""
    if weights is None or not learned:
        return float(learned)
    return float(weights[weights > 0][-learned:].sum())


def nearly_all_differ(n_classes: int, examples: int) -> bool:
    """Say whether a label has so many values that it must be something else than a class.

    >>> nearly_all_differ(9_800, 10_000), nearly_all_differ(2_000, 20_000)
    (True, False)
    """
    return n_classes > MANY_CLASSES and 10 * n_classes >= 9 * examples


def check_n_classes(reader: Reader, n_classes: int, examples: int, numbers: bool) -> None:
    """Refuse a label whose values nearly all differ; for all rows, or `ENOUGH` of them."""
    if not nearly_all_differ(n_classes, examples):
        return
    what = "the labels have"
    if reader.label is not None:
        what = f"the label {shortened(reader.label)!r} has"
    cures = ["name the column of the classes (--label)"] if reader.label is not None else []
    if reader.kind == "tsv":
        cures.append("say that each line is a label, a tab and a text (--format text)")
    cures += ["predict numbers (--learner regression)"] if numbers else []
    raise ValueError(
        f"{reader.sources[0].name}: {what} {n_classes:,} values in {examples:,} rows; "
        + "".join(f"{cure}, " for cure in cures)
        + "or list them (--classes) if they are classes"
    )


def changes(labels: Array, last: Any) -> int:
    """Count how often a label differs from the one before."""
    count = int(np.count_nonzero(labels[1:] != labels[:-1]))
    return count + int(last is None or labels[0] != last)
