"""``rosenblatt predict``: the predictions of a model for new rows."""

from dataclasses import dataclass
from functools import partial

from rosenblatt.cli.command_builder import check_output, check_standard_input
from rosenblatt.console import (
    FileOutput,
    ModelFile,
    OutputOptions,
    UsageError,
    count,
    note_skipped,
    option,
    pour,
    say,
)
from rosenblatt.readers.command_options import FileOptions

EXAMPLES = (
    "rosenblatt predict m.model new.svm",
    "rosenblatt predict m.model new.svm --scores -o scores.csv",
    "rosenblatt predict logistic.model new.csv --probabilities --json",
    "rosenblatt predict logistic.model new.csv --threshold 0.2",
    "cat new.csv | rosenblatt predict logistic.model - | sort | uniq -c",
)
THRESHOLD = (
    "Of two classes, predict the second one where its probability is at least this, or its score "
    "if the model has no probabilities [default: the class with the larger score]."
)
_writing = partial(option, group="What to write")


@dataclass
class PredictOptions(FileOutput, OutputOptions, FileOptions, ModelFile):
    """The options of `predict`."""

    threshold: float | None = option(THRESHOLD, metavar="NUMBER")
    scores: bool = _writing("Add the score of each class.", default=False)
    probabilities: bool = _writing(
        "Add the probability of each class, if the model has probabilities.", default=False
    )
    lines: bool = _writing(
        "Add the file and line of each row, as --on-error skip always does.", default=False
    )


def predict(options: PredictOptions) -> None:
    """Predict the label of every row, in the order of the files.

    The output is CSV with a header line, or with --json one object per line. Files are read like
    the training files of the model, unless options say otherwise; labels in them are ignored. (For
    taggers there is tag apply, which writes the sentences with a column of tags.)
    """
    if options.scores and options.probabilities:
        raise UsageError("--scores and --probabilities cannot be combined")
    check_standard_input(options.files)
    check_output(options.output, "--output", [options.model, *options.files])
    reading = options.reading_given()
    from rosenblatt.evaluation.files import warn_unknown_features
    from rosenblatt.prediction.model_files import open_model
    from rosenblatt.prediction.output import PredictionWriter, predictions
    from rosenblatt.prediction.threshold import with_threshold

    opened = open_model(options.model, "tag apply")
    predictor = with_threshold(opened.predictor, options.threshold)
    reader = opened.reader(options.files, reading, labels_aside=True)
    extra = "scores" if options.scores else "probabilities" if options.probabilities else None
    places = options.lines or options.on_error == "skip"
    writer = PredictionWriter(predictor, extra, places, options.json)
    if options.output is not None:
        from rosenblatt.persist.atomic import write_atomically

        write_atomically(options.output, predictions(reader, writer))
    else:
        pour(predictions(reader, writer))
    warn_unknown_features(reader, options.model, options.quiet)
    note_skipped(0, reader.first_errors, options.quiet)
    if options.output is not None:
        what = count(reader.rows, "prediction")
        say(f"{what} written to {options.output}", quiet=options.quiet)
