"""``rosenblatt explain``: why a model predicts what it does for some rows."""

from dataclasses import dataclass
from functools import partial

from rosenblatt.cli.command_builder import check_standard_input
from rosenblatt.console import (
    ModelFile,
    OutputOptions,
    UsageError,
    note_skipped,
    option,
    put,
    put_json,
)
from rosenblatt.readers.command_options import FileOptions

EXAMPLES = (
    "rosenblatt explain m.model new.svm",
    "rosenblatt explain logistic.model new.csv --rows 1 --top 5",
    "head -n 2 new.csv | rosenblatt explain logistic.model - --class no --json",
)
_shown = partial(option, group="What to show")


@dataclass
class ExplainOptions(OutputOptions, FileOptions, ModelFile):
    """The options of `explain`."""

    rows: int = _shown("How many rows to explain, from the first on.", default=3, metavar="N")
    top: int = _shown(
        "How many of the largest contributions to show; the sum of the others is one line.",
        default=10,
        metavar="N",
    )
    class_: str | None = _shown(
        "The class whose score is explained [default: the one predicted].", metavar="CLASS"
    )


def explain(options: ExplainOptions) -> None:
    """Show what each feature of a row contributes to its score.

    Contributions and the intercept add up to the score of a class, or to the number predicted. That
    of a number which the model standardised is its weight times what it is above the mean; one that
    is missing contributes nothing. As JSON there is one object per line.
    """
    for name in ("rows", "top"):
        least = 1 if name == "rows" else 0
        if getattr(options, name) < least:
            raise UsageError(f"--{name} {getattr(options, name)} must be {least} or more")
    check_standard_input(options.files)
    reading = options.reading_given()
    from rosenblatt.evaluation.files import names_of, warn_unknown_features
    from rosenblatt.inspection.contributions import drawn, explanations
    from rosenblatt.prediction.model_files import open_model

    opened = open_model(options.model, "tag inspect")
    reader = opened.reader(options.files, reading, labels_aside=True)
    asked = options.rows, options.top, options.class_
    rows = 0
    for found in explanations(opened, reader, *asked):
        rows += 1
        if options.json:
            put_json(found.as_json())
            continue
        if rows > 1:
            put()
        for line in drawn(found):
            put(line)
    if not rows:
        raise ValueError(f"{names_of(reader)}: there are no examples to explain")
    warn_unknown_features(reader, options.model, options.quiet)
    note_skipped(0, reader.first_errors, options.quiet)
