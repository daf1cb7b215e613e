"""``rosenblatt evaluate``: how good a model is on files with labels."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.command_builder import check_standard_input
from rosenblatt.cli.commands.predict import THRESHOLD
from rosenblatt.console import (
    ModelFile,
    OutputOptions,
    console,
    count,
    note_skipped,
    option,
    percent,
    put,
    put_json,
    say,
    shortened,
    table,
    width_of,
    with_names,
)
from rosenblatt.readers.command_options import ReadingOptions

if TYPE_CHECKING:
    from rosenblatt.evaluation.metrics import Confusion, Residuals

EXAMPLES = (
    "rosenblatt evaluate m.model test.svm",
    "rosenblatt evaluate m.model test.svm --json",
    "rosenblatt evaluate logistic.model test.csv --threshold 0.2",
    "gzip -dc test.svm.gz | rosenblatt evaluate m.model - --quiet",
)
_MOST_CLASSES = 20
_MOST_COLUMNS = 10
_WORST = 10


@dataclass
class EvaluateOptions(OutputOptions, ReadingOptions, ModelFile):
    """The options of `evaluate`."""

    threshold: float | None = option(THRESHOLD, metavar="NUMBER")
    ignore_weights: bool = option("Ignore importance weights.", default=False)


def evaluate(options: EvaluateOptions) -> None:
    """Evaluate a model on files with labels.

    Labels that the model does not know count as mistakes. A regression is evaluated by the errors
    of its predictions. Importance weights say how much an example counts. The log loss is that of
    models with probabilities. The AUC, the area under the ROC curve, ranks rows by their scores;
    with more than two classes it is the mean of those of each class against the rest, by their
    probabilities if the model has them.
    """
    check_standard_input(options.files, options.labels)
    reading = {**options.reading_given(), "labelled": True}
    from rosenblatt.evaluation.files import evaluate_files, no_label_known, warn_unknown_features
    from rosenblatt.evaluation.metrics import Confusion, Residuals
    from rosenblatt.prediction.model_files import open_model
    from rosenblatt.prediction.threshold import with_threshold

    opened = open_model(options.model, "tag evaluate")
    reader = opened.reader(options.files, reading)
    reader.ignore_weights = options.ignore_weights
    result = evaluate_files(with_threshold(opened.predictor, options.threshold), reader)
    if options.json:
        learner = opened.predictor.learner
        put_json({"model": options.model, "learner": learner, **result.as_json()})
        return
    if isinstance(result.metrics, Residuals):
        _show_numbers(result.metrics, result.note)
    elif options.quiet:
        put(f"accuracy    {percent(result.metrics.accuracy)}")
    else:
        _show_classes(result.metrics, result.score_facts())
    warn_unknown_features(result.reader, options.model, options.quiet)
    if isinstance(result.metrics, Confusion):
        if result.metrics.knows_none:
            say(f"note: {no_label_known(result.metrics)}", quiet=options.quiet)
        else:
            report_unknown(result.metrics.unknown, "labels", options.quiet)
    note_skipped(result.unlabelled, result.reader.first_errors, options.quiet)


def _show_numbers(off: "Residuals", note: str) -> None:
    put(f"examples    {off.examples:,}{note}")
    put(f"rmse        {off.rmse:.6g}")
    put(f"mae         {off.mae:.6g}")
    put(f"R²          {off.r2:.4f}")


def _show_classes(counted: "Confusion", scores: list[tuple[str, str]]) -> None:
    right = counted.examples - counted.mistakes
    rows = count(counted.examples, "example")
    by = total = ""
    if counted.has_weights:
        by, total = " by weight", f" (total weight {counted.total:,.6g})"
    put(f"accuracy    {percent(counted.accuracy)}{by}, {right:,} of {rows} right{total}")
    many = ", the mean of each class against the rest" if len(counted.classes) > 2 else ""
    for name, value in scores:
        put(f"{name:<12}{value}{many if name == 'AUC' else ''}")
    put()
    show_tables(counted, examples="weight" if counted.has_weights else "examples")


def show_tables(counted: "Confusion", class_: str = "class", examples: str = "examples") -> None:
    """Print the scores of each class, and the confusions."""
    out = console()
    out.print(with_names(partial(_class_table, counted, class_, examples), 1, out))
    put()
    if len(counted.labels) <= _MOST_COLUMNS:
        matrix = with_names(partial(_matrix_table, counted), 1 + len(counted.classes), out)
        headings = {str(column.header) for column in matrix.columns}
        # Where shortened names are the same, a list shows more of them.
        if width_of(matrix, out) <= out.width and len(headings) == len(matrix.columns):
            out.print(matrix)
            return
    out.print(with_names(partial(_confusions_table, counted, examples), 2, out))


def _class_table(counted: "Confusion", class_: str, examples: str, most: int) -> Any:
    columns = (class_, "precision", "recall", "F1", examples, "predicted")
    scores, support, predicted = counted.each(), counted.support(), counted.predicted()
    order = range(len(counted.labels))
    title = ""
    if len(order) > _MOST_CLASSES:
        there = [k for k in order if support[k] or predicted[k]]
        order = sorted(there, key=lambda k: scores[k].f1)[:_WORST]  # type: ignore[assignment]
        many = "classes" if class_ == "class" else f"{class_}s"
        title = f"the {_WORST} {many} with the lowest F1 of {len(counted.labels)} (--json: all)"
    rows = [
        [
            shortened(counted.labels[k], most, middle=True),
            *_three(scores[k]),
            _amount(support[k]),
            _amount(predicted[k]),
        ]
        for k in order
    ]
    rows += [
        [f"({name})", *_three(getattr(counted, name)()), _amount(counted.total), ""]
        for name in ("macro", "weighted", "micro")
    ]
    return table(columns, rows, title=title)


def _amount(number: Any) -> str:
    """Write a number of examples, or a sum of their weights."""
    return f"{number:,}" if number == int(number) else f"{number:,.6g}"


def _three(scores: Any) -> list[str]:
    return [f"{value:.4f}" for value in scores]


def _matrix_table(counted: "Confusion", most: int) -> Any:
    short = partial(shortened, most=most, middle=True)
    columns = ["true \\ predicted", *map(short, counted.classes.tolist())]
    rows = [
        [short(label), *map(_amount, line)]
        for label, line in zip(counted.labels, counted.matrix.tolist(), strict=True)
    ]
    return table(columns, rows)


def _confusions_table(counted: "Confusion", examples: str, most: int) -> Any:
    """List the most frequent confusions: a matrix would be too wide."""
    import numpy as np

    matrix = counted.matrix.copy()
    np.fill_diagonal(matrix, 0)
    order = np.argsort(matrix, axis=None, kind="stable")[::-1][:_WORST]
    places = zip(*np.unravel_index(order, matrix.shape), strict=True)
    names, short = counted.classes.tolist(), partial(shortened, most=most, middle=True)
    rows = [
        [
            short(counted.labels[i]),
            short(names[j]),
            _amount(matrix[i, j]),
            percent(matrix[i, j] / total),
        ]
        for i, j in places
        if (total := counted.support()[i]) and matrix[i, j]
    ]
    columns = ("true", "predicted", examples, "of the true")
    return table(columns, rows, title="most frequent mistakes (--json: all)", left=2)


def report_unknown(unknown: list[Any], what: str, quiet: bool) -> None:
    """Report labels that the model does not know."""
    if unknown:
        shown = ", ".join(shortened(label) for label in unknown[:_WORST])
        shown += ", …" if len(unknown) > _WORST else ""
        say(f"note: {what} that the model does not know: {shown}", quiet=quiet)
