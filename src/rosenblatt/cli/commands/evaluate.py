"""``rosenblatt evaluate``: how good a model is on files with labels."""

from typing import TYPE_CHECKING, Any

from rosenblatt.cli.options import (
    Drop,
    Files,
    Format,
    Json,
    Label,
    Labels,
    Model,
    Ngrams,
    OnError,
    Quiet,
    Text,
    Weight,
    check_standard_input,
)
from rosenblatt.console import console, count, percent, put, put_json, say, table, visible, width_of
from rosenblatt.readers.options import reading_options

if TYPE_CHECKING:
    from rosenblatt.evaluation.files import Evaluation
    from rosenblatt.evaluation.metrics import Confusion, Residuals

EXAMPLES = (
    "rosenblatt evaluate m.model test.svm",
    "rosenblatt evaluate m.model test.svm --json",
    "gzip -dc test.svm.gz | rosenblatt evaluate m.model - --quiet",
)
_MOST_CLASSES = 20
_MOST_COLUMNS = 10
_WORST = 10


def evaluate(
    model: Model,
    files: Files,
    format: Format = "auto",  # noqa: A002
    label: Label = None,
    text: Text = None,
    ngrams: Ngrams = None,
    weight: Weight = None,
    drop: Drop = None,
    labels: Labels = None,
    on_error: OnError = "stop",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Judge a model on files with labels.

    Labels that the model never saw count as mistakes. For a regression these are the errors of the
    numbers it predicts.
    """
    check_standard_input(files, labels)
    options = reading_options(
        format=format,
        label=label,
        text=text,
        ngrams=ngrams,
        weight=weight,
        drop=drop,
        labels=labels,
        on_error=on_error,
    )
    from rosenblatt.evaluation.files import evaluate_files, warn_unknown_features
    from rosenblatt.evaluation.metrics import Residuals
    from rosenblatt.evaluation.predictors import open_model

    opened = open_model(model, "tag evaluate")
    found = evaluate_files(opened.predictor, opened.reader(files, {**options, "labelled": True}))
    if json:
        put_json({"model": model, "learner": opened.predictor.learner, **found.as_json()})
        return
    if isinstance(found.metrics, Residuals):
        _show_numbers(found.metrics)
    elif quiet:
        put(f"accuracy    {percent(found.metrics.accuracy)}")
    else:
        _show_classes(found.metrics)
    warn_unknown_features(found.reader, model, quiet)
    _tell(found, quiet)


def _show_numbers(off: "Residuals") -> None:
    put(f"examples    {off.examples:,}")
    put(f"rmse        {off.rmse:.6g}")
    put(f"mae         {off.mae:.6g}")
    put(f"R²          {off.r2:.4f}")


def _show_classes(counted: "Confusion") -> None:
    right = counted.examples - counted.mistakes
    rows = count(counted.examples, "example")
    put(f"accuracy    {percent(counted.accuracy)}, {right:,} of {rows} right\n")
    show_tables(counted)


def show_tables(counted: "Confusion", class_: str = "class", examples: str = "examples") -> None:
    """Print the scores of each class, and which are taken for each other."""
    out = console()
    out.print(_class_table(counted, class_, examples))
    put()
    matrix = _matrix_table(counted) if len(counted.labels) <= _MOST_COLUMNS else None
    if matrix is not None and width_of(matrix, out) <= out.width:
        out.print(matrix)
    else:
        out.print(_confusions_table(counted, examples))


def _class_table(counted: "Confusion", class_: str, examples: str) -> Any:
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
        [counted.labels[k], *_three(scores[k]), f"{support[k]:,}", f"{predicted[k]:,}"]
        for k in order
    ]
    rows += [
        [f"({name})", *_three(getattr(counted, name)()), f"{counted.examples:,}", ""]
        for name in ("macro", "weighted", "micro")
    ]
    return table(columns, rows, title=title)


def _three(scores: Any) -> list[str]:
    return [f"{value:.4f}" for value in scores]


def _matrix_table(counted: "Confusion") -> Any:
    columns = ["true \\ predicted", *(str(label) for label in counted.classes.tolist())]
    rows = [
        [label, *(f"{number:,}" for number in line)]
        for label, line in zip(counted.labels, counted.matrix.tolist(), strict=True)
    ]
    return table(columns, rows)


def _confusions_table(counted: "Confusion", examples: str) -> Any:
    """List the most frequent confusions: a matrix would be too wide."""
    import numpy as np

    matrix = counted.matrix.copy()
    np.fill_diagonal(matrix, 0)
    order = np.argsort(matrix, axis=None, kind="stable")[::-1][:_WORST]
    places = zip(*np.unravel_index(order, matrix.shape), strict=True)
    names = counted.classes.tolist()
    rows = [
        [counted.labels[i], names[j], f"{matrix[i, j]:,}", percent(matrix[i, j] / total)]
        for i, j in places
        if (total := counted.support()[i]) and matrix[i, j]
    ]
    columns = ("true", "predicted", examples, "of the true")
    return table(columns, rows, title="most frequent mistakes (--json: all)", left=2)


def _tell(found: "Evaluation", quiet: bool) -> None:
    tell_new(getattr(found.metrics, "unknown", []), "labels", quiet)
    if found.unlabelled:
        say(f"note: {count(found.unlabelled, 'row')} without a label left out", quiet=quiet)
    met = found.reader.first_errors
    if met.count:
        say(f"note: {count(met.count, 'line')} could not be read:", quiet=quiet)
        for message in met.messages:
            say(f"  {message}", quiet=quiet)


def tell_new(unknown: list[Any], what: str, quiet: bool) -> None:
    """Say so if there are labels that the model does not know."""
    if unknown:
        shown = ", ".join(visible(str(label)) for label in unknown[:_WORST])
        shown += ", …" if len(unknown) > _WORST else ""
        say(f"note: {what} that the model does not know: {shown}", quiet=quiet)
