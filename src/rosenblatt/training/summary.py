"""What came out of training, in words and as JSON."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.console import count, duration, one_line, percent, put_facts, say, several, size
from rosenblatt.evaluation.files import Evaluation
from rosenblatt.evaluation.predictors import Predictor
from rosenblatt.readers.names import Kept, Names
from rosenblatt.readers.reader import CountingReader
from rosenblatt.registry import CLOSED_FORMS

if TYPE_CHECKING:
    from rosenblatt.training.checkpoints import Place

_SHOWN_CLASSES = 8
_WORTH_A_RATE = 1_000_000  # bytes
_SAMPLE = 1_000  # names to look at
_LONG = 20  # letters of what may well be text


@dataclass
class Outcome:
    """What came out.

    Attributes
    ----------
    predictor : Predictor
        The model.
    reader : CountingReader
        What it was learned from.
    examples : int
        In a pass.
    mistakes : list of int
        While learning, of each pass; for closed forms, those of the model on the same rows.
    losses : list of float
        The mean squared error of each pass, for regression.
    validation : list of float
        The share of mistakes after each pass.
    best : int or None
        The pass that was kept, or the number of passes of a model that was trained again.
    curve : list of (int, int)
        Examples of all passes and mistakes, as far as they were at some points.
    runs : int
        How many runs of equal labels there were; 0 if they were not counted.
    checkpoint : Place or None
        Where checkpoints were written; of no use once the model is saved.
    """

    predictor: Predictor
    reader: CountingReader
    examples: int
    seconds: float = 0.0
    mistakes: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    best: int | None = None
    retrained: bool = False
    curve: list[tuple[int, int]] = field(default_factory=list)
    runs: int = 0
    test: Evaluation | None = None
    notes: list[str] = field(default_factory=list)
    checkpoint: "Place | None" = None

    @property
    def classes(self) -> list[Any] | None:
        """The classes; None if numbers are predicted."""
        found = self.predictor.classes
        return None if found is None else found.tolist()

    @property
    def unlabelled(self) -> int:
        """Rows without a label."""
        return self.reader.rows - self.examples

    def facts(self) -> dict[str, Any]:
        """Return what the model file keeps: nothing that differs when the run is repeated."""
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
        return facts

    def as_json(self, saved: str | None) -> dict[str, Any]:
        """Return all there is to say."""
        rate = self.reader.bytes * self._passes / 1e6 / max(self.seconds, 1e-9)
        return {
            "learner": self.predictor.learner,
            "classes": self.classes,
            **self.facts(),
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
        """Return what could be done better."""
        hints, found = [], self.classes or []
        runs, sources = self.runs, max(1, len(self.reader.sources))
        if len(found) > 1 and 0 < runs <= 2 * len(found) * sources and self.examples >= 20 * runs:
            hints.append(
                f"the file is sorted by label ({count(runs, 'run')} of equal labels in "
                f"{count(self.examples, 'example')}), which is hard to learn from: shuffle it, "
                "e.g. with shuf (but leave a header where it is)"
            )
        column = prose_among(self.predictor.names, self.examples)
        if column is not None:
            hints.append(
                f"nearly every row has its own {column!r}, which looks like text and was read as a "
                f"category: try --text {column}, or --drop {column}"
            )
        if self.reader.ignored:
            hints.append(
                f"the importance weights of {count(self.reader.ignored, 'row')} were left out"
            )
        return hints


def prose_among(names: Names, examples: int) -> str | None:
    """Return a column of categories that are as many as half of the examples, and long."""
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


def show(outcome: Outcome, saved: str | None, quiet: bool) -> None:
    """Print what came out of training: all of it, or the results alone."""
    lines = _lines(outcome, saved)
    if quiet:
        wanted = {"test"} | ({"mistakes", "rmse"} if saved is None else set())
        lines = [(name, text) for name, text in lines if name in wanted]
    put_facts(lines)
    for note in [*outcome.notes, *outcome.hints()]:
        say(f"note: {note}", quiet=quiet)


def _lines(outcome: Outcome, saved: str | None) -> list[tuple[str, str]]:
    passes, reader = outcome._passes, outcome.reader
    rate = reader.bytes * passes / max(outcome.seconds, 1e-9)
    took = duration(outcome.seconds)
    if reader.bytes > _WORTH_A_RATE:
        took += f", {size(rate)}/s"
    lines = [
        ("learner", f"{outcome.predictor.learner}, {count(passes, 'pass', 'passes')} in {took}"),
        ("examples", _examples(outcome)),
        ("features", f"{outcome.predictor.names.n_features:,}"),
    ]
    if outcome.classes is not None:
        lines.append(("classes", _classes(outcome.classes)))
    lines += _results(outcome)
    if reader.first_errors.count:
        lines.append(("skipped", count(reader.first_errors.count, "line")))
        lines += [("", message) for message in reader.first_errors.messages]
    if saved is None:
        lines.append(("saved", "nothing; -o FILE saves the model"))
    else:
        lines.append(("saved", f"{saved}, {size(Path(saved).stat().st_size)}"))
    return lines


def _results(outcome: Outcome) -> list[tuple[str, str]]:
    lines = []
    if outcome.mistakes:
        last = percent(outcome.mistakes[-1] / max(outcome.examples, 1))
        where = "in each pass " if len(outcome.mistakes) > 1 else ""
        if outcome.predictor.learner in CLOSED_FORMS:
            where = "on the training examples "
        each = [f"{number:,}" for number in outcome.mistakes]
        lines.append(("mistakes", several(each, f"{where}({last})")))
    if outcome.losses:
        each = [f"{loss**0.5:.4g}" for loss in outcome.losses]
        lines.append(("rmse", several(each, "in each pass")))
    if outcome.validation:
        best = min(outcome.validation)
        passes = count(outcome.best or 0, "pass", "passes")
        kept = f"trained anew on all files for {passes}" if outcome.retrained else "kept"
        lines.append(("validation", f"{percent(best)} wrong after {passes}: {kept}"))
    if outcome.test is not None:
        lines.append(("test", outcome.test.in_words()))
    return lines


def _examples(outcome: Outcome) -> str:
    extra = (
        f", and {count(outcome.unlabelled, 'row')} without a label" if outcome.unlabelled else ""
    )
    return f"{outcome.examples:,}{extra}"


def _classes(classes: list[Any]) -> str:
    shown = ", ".join(one_line(ValueError(label)) for label in classes[:_SHOWN_CLASSES])
    more = ", …" if len(classes) > _SHOWN_CLASSES else ""
    return f"{len(classes)} ({shown}{more})"
