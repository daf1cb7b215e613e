"""``rosenblatt predict``: what a model says of new rows."""

from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli.options import (
    Drop,
    Files,
    Format,
    Json,
    Label,
    Model,
    Ngrams,
    OnError,
    Quiet,
    Text,
    Weight,
    check_output,
    check_standard_input,
)
from rosenblatt.console import UsageError, count, pour, say
from rosenblatt.readers.options import reading_options

if TYPE_CHECKING:
    from rosenblatt.readers.reader import CountingReader

EXAMPLES = (
    "rosenblatt predict m.model new.svm",
    "rosenblatt predict m.model new.svm --scores -o scores.csv",
    "rosenblatt predict logistic.model new.csv --probabilities --json",
    "cat new.csv | rosenblatt predict logistic.model - | sort | uniq -c",
)
_WHAT = "What to write"

Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to this file, as a whole or not at all, and not to standard output.",
        rich_help_panel=_WHAT,
    ),
]
Scores = Annotated[
    bool,
    typer.Option("--scores", help="The score of each class, too.", rich_help_panel=_WHAT),
]
Probabilities = Annotated[
    bool,
    typer.Option(
        "--probabilities",
        help="The probability of each class, too, where the model has them.",
        rich_help_panel=_WHAT,
    ),
]
Lines = Annotated[
    bool,
    typer.Option(
        "--lines",
        help="The file and line of each row, too; so it is with --on-error skip.",
        rich_help_panel=_WHAT,
    ),
]


def predict(
    model: Model,
    files: Files,
    output: Output = None,
    scores: Scores = False,
    probabilities: Probabilities = False,
    lines: Lines = False,
    format: Format = "auto",  # noqa: A002
    label: Label = None,
    text: Text = None,
    ngrams: Ngrams = None,
    weight: Weight = None,
    drop: Drop = None,
    on_error: OnError = "stop",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Predict the label of every row, in the order of the files.

    The result is CSV with a header line, or with --json an object a line. Files are read as those
    that the model learned from, unless options say otherwise; labels in them are left aside.
    """
    if scores and probabilities:
        raise UsageError("--scores and --probabilities: take one")
    check_standard_input(files)
    check_output(output, "--output", [model, *files])
    options = reading_options(
        format=format,
        label=label,
        text=text,
        ngrams=ngrams,
        weight=weight,
        drop=drop,
        on_error=on_error,
    )
    from rosenblatt.evaluation.files import warn_unknown_features
    from rosenblatt.evaluation.predictions import PredictionWriter, predictions
    from rosenblatt.evaluation.predictors import open_model

    opened = open_model(model, "tag apply")
    reader = opened.reader(files, options, labels_aside=True)
    extra = "scores" if scores else "probabilities" if probabilities else None
    row = PredictionWriter(opened.predictor, extra, lines or on_error == "skip", json)
    if output is not None:
        from rosenblatt.persist.atomic import write_atomically

        write_atomically(output, predictions(reader, row))
    else:
        pour(predictions(reader, row))
    warn_unknown_features(reader, model, quiet)
    _tell(reader, output, quiet)


def _tell(reader: "CountingReader", output: str | None, quiet: bool) -> None:
    if reader.first_errors.count:
        say(f"{count(reader.first_errors.count, 'line')} could not be read:", quiet=quiet)
        for message in reader.first_errors.messages:
            say(f"  {message}", quiet=quiet)
    if output is not None:
        say(f"{count(reader.rows, 'prediction')} written to {output}", quiet=quiet)
