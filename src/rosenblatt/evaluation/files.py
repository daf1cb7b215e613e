"""Files judged by a model: how many predictions are right, and which are not."""

import shlex
from collections.abc import Iterable
from typing import Any

from rosenblatt.console import count, percent, say
from rosenblatt.data.rows import Rows, take
from rosenblatt.evaluation.metrics import Confusion, Residuals, Scores
from rosenblatt.evaluation.predictors import Predictor, metrics_for
from rosenblatt.readers.blocks import Block
from rosenblatt.readers.reader import CountingReader, labelled, numbers_of


class Evaluation:
    """How good a model's predictions are on some files.

    Attributes
    ----------
    counted : Confusion or Residuals
        What was counted.
    unlabelled : int
        Rows without a label, which are left out.
    """

    def __init__(
        self, counted: Confusion | Residuals, unlabelled: int, reader: CountingReader
    ) -> None:
        self.counted, self.unlabelled, self.reader = counted, unlabelled, reader

    @property
    def error(self) -> float:
        """The share of mistakes, or the mean squared error."""
        if isinstance(self.counted, Residuals):
            return self.counted.rmse**2
        return 1 - self.counted.accuracy

    def in_words(self) -> str:
        """Return the result in a few words."""
        rows = count(self.counted.examples, "example")
        if isinstance(self.counted, Residuals):
            return f"rmse {self.counted.rmse:.4g}, R² {self.counted.r2:.4f}, {rows}"
        return f"{percent(self.error)} wrong, {self.counted.mistakes:,} of {rows}"

    def as_json(self, brief: bool = False) -> dict[str, Any]:
        """Return all figures; ``brief`` leaves out those of each class."""
        facts: dict[str, Any] = {"examples": self.counted.examples, "unlabelled": self.unlabelled}
        met = self.reader.first_errors
        facts["with_known_features"] = self.reader.known
        facts["skipped"] = {"count": met.count, "messages": met.messages}
        if isinstance(self.counted, Residuals):
            off = self.counted
            return {**facts, "rmse": off.rmse, "mae": off.mae, "r2": off.r2}
        facts |= {
            "mistakes": self.counted.mistakes,
            "accuracy": self.counted.accuracy,
            "unknown_labels": self.counted.unknown,
        }
        return facts if brief else {**facts, **of_classes(self.counted)}


def of_classes(counted: Confusion) -> dict[str, Any]:
    """Return the figures of each class, and how often one is taken for another."""
    columns = zip(
        counted.labels, counted.each(), counted.support(), counted.predicted(), strict=True
    )
    return {
        "classes": [
            {"label": label, **scores._asdict(), "support": there, "predicted": often}
            for label, scores, there, often in columns
        ],
        **{name: _named(getattr(counted, name)()) for name in ("macro", "micro", "weighted")},
        "confusion": {
            "labels": counted.labels,
            "predicted": counted.classes.tolist(),
            "counts": counted.matrix,
        },
    }


def _named(scores: Scores) -> dict[str, float]:
    return scores._asdict()


def evaluate_files(predictor: Predictor, reader: CountingReader) -> Evaluation:
    """Predict all rows of some files that have a label, and count what is right."""
    names = predictor.names
    frozen, names.frozen = names.frozen, True
    reader.names = names
    counted, rows_met = metrics_for(predictor), 0
    try:
        for block in reader:
            rows, labels = labelled_rows(block, isinstance(counted, Residuals))
            rows_met += len(block.lines)
            if not len(labels):
                continue
            if isinstance(counted, Residuals):
                counted.add(labels, predictor.values(rows))
            else:
                counted.add(labels, predictor.codes(rows))
    finally:
        names.frozen = frozen
        reader.close()
    if not counted.examples:
        raise ValueError(f"{names_of(reader)}: {no_labels(reader)}")
    return Evaluation(counted, rows_met - counted.examples, reader)


def labelled_rows(block: Block, numbers: bool) -> tuple[Rows, Any]:
    """Return the rows that have a label, and the labels: numbers to predict, or classes."""
    have, labels = numbers_of(block) if numbers else labelled(block)
    rows = block.rows if len(have) == len(block.lines) else take(block.rows, have)
    return rows, labels


def names_of(reader: CountingReader) -> str:
    """Return the names of files for an error."""
    names = [source.name for source in reader.sources]
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


def warn_unknown_features(reader: CountingReader, model: str, quiet: bool) -> None:
    """Say so if the model knows no feature of any row, so that it predicts the same for all."""
    if reader.rows and not reader.known:
        say(
            f"note: no feature of {names_of(reader)} is known to the model, so all rows are alike "
            "to it; check that the file has the same columns and format as those it learned from "
            f"(rosenblatt inspect {shlex.quote(model)} shows what it looks for)",
            quiet=quiet,
        )


def no_labels(reader: CountingReader) -> str:
    """Say that there is nothing to learn from, and why."""
    if not reader.rows:
        return "there are no examples" + _skipped(
            reader.first_errors.count, reader.first_errors.messages
        )
    where = "" if reader.reading.label is None else f" (--label {reader.reading.label})"
    return f"none of the {count(reader.rows, 'row')} has a label{where}"


def _skipped(lines: int, messages: Iterable[str]) -> str:
    first = next(iter(messages), "")
    return f": {count(lines, 'line')} could not be read, the first being {first}" if lines else ""
