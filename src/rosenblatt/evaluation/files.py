"""A model evaluated on files: how many predictions are right, and which are not."""

import shlex
from collections.abc import Sequence
from typing import Any

from rosenblatt.console import count, four_digits, percent, say, shortened
from rosenblatt.data.rows import Array, Rows, take
from rosenblatt.evaluation.metrics import Confusion, Residuals
from rosenblatt.evaluation.scores import ScoreMetrics
from rosenblatt.prediction.model_files import Predicted, Predictor, located
from rosenblatt.readers.blocks import Block
from rosenblatt.readers.names import Kept, Names
from rosenblatt.readers.reader import CountingReader, labelled, numbers_of

_NAMED = 8  # columns or labels in a message
_FEW = 3  # features in a message
_SHOWN_ERROR = 5e-5  # from which on it changes the digits of an AUC that are shown


class Evaluation:
    """How good a model's predictions are on some files.

    Attributes
    ----------
    metrics : Confusion or Residuals
        The counts.
    unlabelled : int
        Rows without a label, which are left out.
    log_loss, auc : float or None
        The measures of `ScoreMetrics`, where the model has probabilities, and scores.
    auc_error : float
        How far ``auc`` can be from the exact value.
    """

    def __init__(
        self,
        metrics: Confusion | Residuals,
        unlabelled: int,
        reader: CountingReader,
        ranked: ScoreMetrics | None = None,
    ) -> None:
        self.metrics, self.unlabelled, self.reader = metrics, unlabelled, reader
        self.log_loss = None if ranked is None else ranked.log_loss
        self.auc, self.auc_error = (None, 0.0) if ranked is None else ranked.auc_and_error()

    @property
    def error(self) -> float:
        """The share of mistakes, or the mean squared error."""
        if isinstance(self.metrics, Residuals):
            return self.metrics.rmse**2
        return 1 - self.metrics.accuracy

    def in_words(self) -> str:
        """Return the result in a few words."""
        rows = count(self.metrics.examples, "example") + self.note
        if isinstance(self.metrics, Residuals):
            return f"rmse {four_digits(self.metrics.rmse)}, R² {self.metrics.r2:.4f}, {rows}"
        wrong = f"{percent(self.error)} wrong"
        if self.metrics.has_weights:
            wrong += " by weight"
        more = [f"{name} {value}" for name, value in self.score_facts()]
        found = f"{wrong}, {self.metrics.mistakes:,} of {rows}"
        return found + ("; " + ", ".join(more) if more else "")

    def score_facts(self) -> list[tuple[str, str]]:
        """Return the log loss and the AUC in words, as far as the model has them."""
        facts = []
        if self.log_loss is not None:
            facts.append(("log loss", four_digits(self.log_loss)))
        if self.auc is not None:
            error = f" ± {self.auc_error:.1g}" if self.auc_error >= _SHOWN_ERROR else ""
            facts.append(("AUC", f"{self.auc:.4f}{error}"))
        return facts

    @property
    def note(self) -> str:
        """What to add to a number of examples if they had weights."""
        if not self.metrics.has_weights:
            return ""
        return f" with importance weights (total {self.metrics.total:,.6g})"

    def as_json(self, brief: bool = False) -> dict[str, Any]:
        """Return all figures; ``brief`` leaves out those of each class."""
        facts: dict[str, Any] = {"examples": self.metrics.examples, "unlabelled": self.unlabelled}
        errors = self.reader.first_errors
        facts["with_known_features"] = self.reader.known
        facts["skipped"] = {"count": errors.count, "messages": errors.messages}
        facts["weight"] = self.metrics.total
        facts["weights_ignored"] = self.reader.ignored
        if isinstance(self.metrics, Residuals):
            off = self.metrics
            return {**facts, "rmse": off.rmse, "mae": off.mae, "r2": off.r2}
        facts |= {
            "mistakes": self.metrics.mistakes,
            "accuracy": self.metrics.accuracy,
            "unknown_labels": self.metrics.unknown,
            "log_loss": self.log_loss,
            "auc": self.auc,
            "auc_error": self.auc_error,
        }
        return facts if brief else {**facts, **class_metrics(self.metrics)}


def class_metrics(metrics: Confusion) -> dict[str, Any]:
    """Return the figures of each class, and how often one is taken for another."""
    columns = zip(
        metrics.labels, metrics.each(), metrics.support(), metrics.predicted(), strict=True
    )
    return {
        "classes": [
            {"label": label, **scores._asdict(), "support": there, "predicted": often}
            for label, scores, there, often in columns
        ],
        **{name: getattr(metrics, name)()._asdict() for name in ("macro", "micro", "weighted")},
        "confusion": {
            "labels": metrics.labels,
            "predicted": metrics.classes.tolist(),
            "counts": metrics.matrix,
        },
    }


def metrics_for(predictor: Predictor) -> Confusion | Residuals:
    """Return empty metrics for the predictions of a model."""
    return Residuals() if predictor.classes is None else Confusion(predictor.classes)


def evaluate_files(predictor: Predictor, reader: CountingReader) -> Evaluation:
    """Predict all labelled rows of some files, and count what is right."""
    names = predictor.names
    frozen, names.frozen = names.frozen, True
    reader.names = names
    metrics, unlabelled = metrics_for(predictor), 0
    ranked = None if isinstance(metrics, Residuals) else ScoreMetrics(len(metrics.classes))
    try:
        for block in reader:
            rows, labels, weights = labelled_rows(block, isinstance(metrics, Residuals))
            unlabelled += len(block.lines) - len(labels)
            if not len(labels):
                continue
            with located(block, labelled_only=True):
                if isinstance(metrics, Residuals):
                    _add(metrics, labels, predictor.values(rows), weights)
                else:
                    assert ranked is not None
                    _add_all(metrics, ranked, labels, predictor.all_of(rows), weights)
    finally:
        names.frozen = frozen
        reader.close()
    if not metrics.examples:
        if unlabelled < reader.rows:
            raise ValueError(no_weight(reader))
        raise ValueError(f"{names_of(reader)}: {no_labels(reader)}")
    return Evaluation(metrics, unlabelled, reader, ranked)


def _add(metrics: Any, labels: Any, found: Any, weights: Array | None) -> None:
    """Count some rows; those of weight 0 are left out, as they are when a model learns."""
    if weights is None or (weights == 1).all():
        metrics.add(labels, found)
        return
    kept = weights > 0
    if kept.any():
        metrics.add(labels[kept], found[kept], weights[kept])


def _add_all(
    metrics: Confusion,
    ranked: ScoreMetrics,
    labels: Any,
    found: Predicted,
    weights: Array | None,
) -> None:
    """Count some rows, and add their scores and probabilities; see `_add`."""
    if weights is None or (weights == 1).all():
        ranked.add(metrics.add(labels, found.codes), *found[1:])
        return
    kept = weights > 0
    if kept.any():
        rank, likely = (None if part is None else part[kept] for part in found[1:])
        codes = metrics.add(labels[kept], found.codes[kept], weights[kept])
        ranked.add(codes, rank, likely, weights[kept])


def labelled_rows(block: Block, numbers: bool) -> tuple[Rows, Any, Array | None]:
    """Return the rows that have a label, the labels (numbers or classes), and the weights."""
    have, labels = numbers_of(block) if numbers else labelled(block)
    weights = block.weights
    if len(have) == len(block.lines):
        return block.rows, labels, weights
    return take(block.rows, have), labels, None if weights is None else weights[have]


def names_of(reader: CountingReader) -> str:
    """Return the names of files for an error."""
    names = [source.name for source in reader.sources]
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


def check_validation(found: Evaluation, names: Names) -> None:
    """Refuse validation files that have nothing in common with those of training.

    Nothing can be chosen by them if no row has a feature, or none has a label, that is known.
    """
    reader, metrics = found.reader, found.metrics
    problem = None
    if reader.rows and not reader.known:
        some = [repr(names.name(k)) for k in range(min(_FEW, names.n_features))]
        such = f", such as {', '.join(some)}" if isinstance(names, Kept) else ""
        problem = (
            f"no row has a feature of the training files{such}; call features the same in both "
            "files, and number them alike if they have numbers"
        )
    elif isinstance(metrics, Confusion) and metrics.knows_none:
        problem = (
            f"no row has a label of the training files ({_listed(metrics.classes.tolist())}): they "
            f"are {_listed(metrics.unknown)}; write labels alike in both files, each in its place"
        )
    if problem is not None:
        raise ValueError(f"{names_of(reader)}: {problem}")


def notes_on(found: Evaluation, files: str) -> list[str]:
    """Say what is in some files that the model does not know, or is not, but should be."""
    reader, metrics = found.reader, found.metrics
    notes = [absent_columns(reader), unknown_features(reader)]
    if isinstance(metrics, Confusion) and metrics.knows_none:
        notes.append(f"{names_of(reader)}: {no_label_known(metrics)}")
    elif isinstance(metrics, Confusion) and metrics.unknown:
        unknown = _listed(metrics.unknown)
        notes.append(f"labels of the {files} files are not known to the model: {unknown}")
    return [note for note in notes if note]


def no_label_known(found: Confusion) -> str:
    """Say that no label of some files is one of the model's."""
    return (
        f"the model knows none of the labels ({_listed(found.unknown)}), so that all "
        f"predictions are wrong: its classes are {_listed(found.classes.tolist())}"
    )


def _listed(labels: Sequence[Any]) -> str:
    """List some labels.

    >>> _listed(["ham", "spam"]), _listed(range(20))
    ('ham, spam', '0, 1, 2, 3, 4, 5, 6, 7, …')
    """
    more = ", …" if len(labels) > _NAMED else ""
    return ", ".join(shortened(label) for label in labels[:_NAMED]) + more


def absent_columns(reader: CountingReader) -> str:
    """Say which columns that the model learned from files do not have; empty if they have all."""
    absent = reader.first_errors.absent
    if not (reader.rows and absent):
        return ""
    shown = ", ".join(map(repr, absent[:_NAMED])) + (", …" if len(absent) > _NAMED else "")
    which = "a column" if len(absent) == 1 else count(len(absent), "column")
    return (
        f"{names_of(reader)} has no values for {which} that the model learned from "
        f"({shown}): they count as missing"
    )


def unknown_features(reader: CountingReader) -> str:
    """Say that no row has a feature that the model knows; empty if one has."""
    if not reader.rows or reader.known:
        return ""
    return (
        f"no feature of {names_of(reader)} is known to the model, so it predicts the same for all "
        "rows; check that the file has the columns and format of the training files"
    )


def warn_unknown_features(reader: CountingReader, model: str, quiet: bool) -> None:
    """Say so if no row has a feature that the model knows, or a column is not there."""
    if absent := absent_columns(reader):
        say(f"note: {absent}", quiet=quiet)
    if unknown := unknown_features(reader):
        command = f"rosenblatt inspect {shlex.quote(model)}"
        say(f"note: {unknown} ({command} lists its features)", quiet=quiet)


def no_weight(reader: CountingReader) -> str:
    """Say that no example counts."""
    return (
        f"{names_of(reader)}: all examples have importance weight 0, so there is nothing to count; "
        "ignore the weights (--ignore-weights)"
    )


def no_labels(reader: CountingReader) -> str:
    """Say why there are no labels."""
    if not reader.rows:
        errors = reader.first_errors
        skipped = f": {count(errors.count, 'line')} could not be read, the first being "
        return "there are no examples" + (skipped + errors.messages[0] if errors.count else "")
    where = "" if reader.reading.label is None else f" (--label {reader.reading.label})"
    return f"none of the {count(reader.rows, 'row')} has a label{where}"
