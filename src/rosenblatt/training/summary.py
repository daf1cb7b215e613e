"""The result of `train`, in words and as JSON."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.console import (
    count,
    duration,
    four_digits,
    one_line,
    percent,
    put_facts,
    rate,
    say,
    several,
    shortened,
    size,
)
from rosenblatt.evaluation.files import Evaluation, notes_on
from rosenblatt.learner_registry import CLOSED_FORM, LEARNERS
from rosenblatt.prediction.model_files import Predictor
from rosenblatt.readers.formats import is_named_table, label_among
from rosenblatt.readers.names import Kept, Names
from rosenblatt.readers.reader import CountingReader
from rosenblatt.training.column_summary import column_lines

if TYPE_CHECKING:
    from rosenblatt.distributed.checkpoint import Checkpoint
    from rosenblatt.training.checkpoints import Place
    from rosenblatt.training.penalty import Chosen

_SHOWN_CLASSES = 8
_MANY_CLASSES = 20  # of half of the rows, or more, are probably something else
_WORTH_A_RATE = 1_000_000  # bytes
_SAMPLE = 1_000  # names to look at
_LONG = 20  # letters of a value that is probably text


@dataclass
class TrainingResult:
    """The result of training.

    Attributes
    ----------
    predictor : Predictor
        The model.
    reader : CountingReader
        The reader of the training files.
    examples : int
        In a pass.
    mistakes : list of int
        In each pass, while learning; for closed forms, those of the model on the training rows.
    losses : list of float
        The mean squared error of each pass, for regression.
    validation : list of float
        The share of mistakes after each pass; for regression, the mean squared error.
    validation_log_loss, validation_auc : list of float or None
        The same measured otherwise; None where it was not, or was before a checkpoint.
    log_losses : list of float
        The progressive log loss of each pass, if the learner counts it.
    best : int or None
        The pass that was kept, or the number of passes of a model that was retrained.
    curve : list of (int, int)
        Examples and mistakes so far, at some points of all passes.
    runs : int
        The number of runs of equal labels; 0 if they were not counted.
    penalty : Chosen or None
        The L2 penalty, if it was chosen by cross-validation.
    checkpoint : Place, Checkpoint or None
        Where checkpoints were written; not needed once the model is saved.
    origin : (str, int) or None
        The file of the model that went on learning, and the examples that it had learned from.
    """

    predictor: Predictor
    reader: CountingReader
    examples: int
    seconds: float = 0.0
    mistakes: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    validation_log_loss: list[float | None] = field(default_factory=list)
    validation_auc: list[float | None] = field(default_factory=list)
    log_losses: list[float] = field(default_factory=list)
    best: int | None = None
    retrained: bool = False
    curve: list[tuple[int, int]] = field(default_factory=list)
    runs: int = 0
    test: Evaluation | None = None
    notes: list[str] = field(default_factory=list)
    penalty: "Chosen | None" = None
    checkpoint: "Place | Checkpoint | None" = None
    origin: tuple[str, int] | None = None

    @property
    def classes(self) -> list[Any] | None:
        """The classes; None if numbers are predicted."""
        classes = self.predictor.classes
        return None if classes is None else classes.tolist()

    @property
    def unlabelled(self) -> int:
        """Rows without a label."""
        return self.reader.rows - self.examples

    def facts(self) -> dict[str, Any]:
        """Return what the model file keeps: only what is the same when the run is repeated."""
        facts: dict[str, Any] = {
            "files": self.reader.described,
            "examples": self.examples,
            "features": self.predictor.names.n_features,
            "passes": max(len(self.mistakes), len(self.losses)),
            "mistakes": self.mistakes,
            "losses": self.losses,
            "validation": self.validation,
            "best_pass": self.best,
            "retrained": self.retrained,
            "unlabelled": self.unlabelled,
            "skipped": self.reader.first_errors.count,
        }
        if self.origin is not None:
            facts["from"] = list(self.origin)
        return facts

    def as_json(self, saved: str | None) -> dict[str, Any]:
        """Return the whole result."""
        rate = self.reader.bytes * self._passes / 1e6 / max(self.seconds, 1e-9)
        return {
            "learner": self.predictor.learner,
            "predicts_with": getattr(self.predictor, "predicts_with", None),
            "l2": None if self.penalty is None else self.penalty.l2,
            "label": self.reader.first_errors.label,
            "columns": {column.name: column.kind for column in self.reader.columns},
            "missing": self.reader.first_errors.missing,
            "classes": self.classes,
            **self.facts(),
            "log_losses": self.log_losses,
            "validation_log_loss": self.validation_log_loss,
            "validation_auc": self.validation_auc,
            "skipped": {
                "count": self.reader.first_errors.count,
                "messages": self.reader.first_errors.messages,
            },
            "weights_ignored": self.reader.ignored,
            "seconds": round(self.seconds, 4),
            "bytes": self.reader.bytes,
            "mb_per_second": round(rate, 2),
            "test": None if self.test is None else self.test.as_json(brief=True),
            "model": saved,
            "model_bytes": None if saved is None else Path(saved).stat().st_size,
            "notes": [*self.notes, *self.hints()],
        }

    @property
    def _passes(self) -> int:
        return max(len(self.mistakes), len(self.losses), 1)

    def hints(self) -> list[str]:
        """Return advice about the data."""
        hints, n = [], len(self.classes or [])
        runs, sources = self.runs, max(1, len(self.reader.sources))
        if n > 1 and 0 < runs <= 2 * n * sources and self.examples >= 20 * runs:
            hints.append(
                f"the file is sorted by label ({count(runs, 'run')} of equal labels in "
                f"{count(self.examples, 'example')}), which is hard to learn from: shuffle it, "
                "e.g. with shuf (but keep a header line first)"
            )
        if n >= _MANY_CLASSES and 2 * n > self.examples:
            label = self.reader.first_errors.label
            tabs = self.reader.kind == "tsv"
            are_numbers = all(isinstance(one, int | float) for one in self.classes or [])
            hints.append(
                f"the label {'' if label is None else shortened(label) + ' '}has {n:,} values in "
                f"{count(self.examples, 'row')}; is it the column of the classes (--label)?"
                + (" Numbers are predicted with --learner regression." if are_numbers else "")
                + (" Or is each line a label, a tab and a text (--format text)?" if tabs else "")
            )
        hints += [] if self.test is None else notes_on(self.test, "test")
        column = prose_among(self.predictor.names, self.examples)
        if column is not None:
            hints.append(
                f"nearly every row has a different {column!r}, which looks like text but was read "
                f"as a category: try --text {column}, or --drop {column}"
            )
        if self.reader.ignored:
            hints.append(
                f"the importance weights of {count(self.reader.ignored, 'row')} were ignored"
            )
        return hints


def prose_among(names: Names, examples: int) -> str | None:
    """Return a column that looks like text: long categories, as many as half of the examples."""
    n = names.n_features
    if not isinstance(names, Kept) or not 20 <= examples <= 2 * n:
        return None
    sample = [str(names.name(k)) for k in range(0, n, max(1, n // _SAMPLE))]
    split = [name.partition("=") for name in sample]
    columns = Counter(column for column, sign, _ in split if sign)
    if not columns:
        return None
    column, times = columns.most_common(1)[0]
    long = sum(len(value) >= _LONG for name, _, value in split if name == column)
    return column if 2 * times * n >= examples * len(sample) and 2 * long >= times else None


def show(result: TrainingResult, saved: str | None, quiet: bool) -> None:
    """Print the result of training: all of it, or only the errors."""
    lines = _lines(result, saved)
    if quiet:
        wanted = {"test"} | ({"mistakes", "rmse"} if saved is None else set())
        lines = [(name, text) for name, text in lines if name in wanted]
    put_facts(lines)
    for note in [*result.notes, *result.hints()]:
        say(f"note: {note}", quiet=quiet)


def _lines(result: TrainingResult, saved: str | None) -> list[tuple[str, str]]:
    passes, reader = result._passes, result.reader
    took = duration(result.seconds)
    speed = rate(reader.bytes * passes, result.seconds)
    if reader.bytes > _WORTH_A_RATE and speed is not None:
        took += f", {size(speed)}/s"
    which = getattr(result.predictor, "predicts_with", None)
    if which is not None:
        took += f"; the {which} weights predict"
    lines = [
        ("learner", f"{result.predictor.learner}, {count(passes, 'pass', 'passes')} in {took}"),
        *_origin(result),
        ("examples", _examples(result)),
        ("features", _features(result)),
    ]
    if (label := reader.first_errors.label) is not None:
        lines.append(("label", _label(reader, label)))
    found = reader.kind == "text" and reader.reading.format == "auto"
    if found and is_named_table(reader.sources[0].name):
        told = "a label and a text in each line, no header (--format tsv: a table)"
        lines.append(("format", told))
    lines += column_lines(reader.columns, reader.first_errors, reader.reading)
    if reader.reading.interactions:
        lines.append(("products", ", ".join(reader.reading.interactions)))
    if result.classes is not None:
        lines.append(("classes", _classes(result.classes)))
    if result.penalty is not None:
        lines.append(("penalty", _penalty(result.penalty)))
    lines += _results(result)
    if reader.first_errors.count:
        lines.append(("skipped", count(reader.first_errors.count, "line")))
        lines += [("", message) for message in reader.first_errors.messages]
    if saved is None:
        lines.append(("saved", "nothing; -o FILE saves the model"))
    else:
        lines.append(("saved", f"{saved}, {size(Path(saved).stat().st_size)}"))
    return lines


def _features(result: TrainingResult) -> str:
    """Count the features, and say what became of words."""
    found = f"{result.predictor.names.n_features:,}"
    scaling = getattr(result.predictor.model, "_scaling", None)
    if scaling is None or not scaling.words.any():
        return found
    return f"{found}; words are weighted, rare ones most (--scale)"


def _results(result: TrainingResult) -> list[tuple[str, str]]:
    lines = []
    if result.mistakes:
        last = percent(result.mistakes[-1] / max(result.examples, 1))
        where = "in each pass " if len(result.mistakes) > 1 else ""
        if LEARNERS[result.predictor.learner].trains == CLOSED_FORM:
            where = "on the training examples "
        each = [f"{number:,}" for number in result.mistakes]
        lines.append(("mistakes", several(each, f"{where}({last})")))
    if result.log_losses:
        each = [four_digits(loss) for loss in result.log_losses]
        where = "in each pass" if len(each) > 1 else "of predictions before learning"
        lines.append(("log loss", several(each, where)))
    if result.losses:
        each = [four_digits(loss**0.5) for loss in result.losses]
        lines.append(("rmse", several(each, "in each pass")))
    if result.validation:
        best = min(result.validation)
        passes = count(result.best or 0, "pass", "passes")
        kept = f"retrained on all files for {passes}" if result.retrained else "kept"
        error = f"rmse {four_digits(best**0.5)}" if result.losses else f"{percent(best)} wrong"
        lines.append(("validation", f"{error} after {passes}: {kept}"))
        if other := _other_measures(result):
            lines.append(("", other))
    if result.test is not None:
        lines.append(("test", result.test.in_words()))
    return lines


def _other_measures(result: TrainingResult) -> str:
    """Write the log loss and the AUC of the best pass, as far as they are known."""
    at, words = (result.best or 1) - 1, []
    for name, each in (("log loss", result.validation_log_loss), ("AUC", result.validation_auc)):
        value = each[at] if at < len(each) else None
        if value is not None:
            words.append(f"{name} {f'{value:.4f}' if name == 'AUC' else four_digits(value)}")
    return ", ".join(words)


def _examples(result: TrainingResult) -> str:
    extra = f", and {count(result.unlabelled, 'row')} without a label" if result.unlabelled else ""
    return f"{result.examples:,}{extra}"


def _origin(result: TrainingResult) -> list[tuple[str, str]]:
    if result.origin is None:
        return []
    path, examples = result.origin
    return [("went on", f"from {path}, which had learned from {count(examples, 'example')}")]


def _penalty(chosen: "Chosen") -> str:
    by = "a fifth of the rows, held out" if chosen.folds == 1 else "cross-validation"
    return f"L2 {chosen.l2:g}, chosen by {by} (--l2 sets it)"


def _label(reader: CountingReader, label: str) -> str:
    """Name the column of the label, and say why it was chosen if its name does not."""
    chosen = reader.reading.label is None and label_among([label]) is None
    return label + (", the last column (--label names another)" if chosen else "")


def _classes(classes: list[Any]) -> str:
    shown = ", ".join(shortened(one_line(ValueError(one))) for one in classes[:_SHOWN_CLASSES])
    more = ", …" if len(classes) > _SHOWN_CLASSES else ""
    return f"{len(classes)} ({shown}{more})"
