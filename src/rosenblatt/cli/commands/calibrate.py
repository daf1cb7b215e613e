"""``rosenblatt calibrate``: give a model probabilities, fitted to other files."""

from dataclasses import dataclass

from rosenblatt.cli.command_builder import check_output, check_standard_input
from rosenblatt.console import (
    ModelFile,
    OutputOptions,
    UsageError,
    note_skipped,
    option,
    put_facts,
    put_json,
)
from rosenblatt.readers.command_options import ReadingOptions

EXAMPLES = (
    "rosenblatt calibrate m.model valid.svm -o calibrated.model",
    "rosenblatt calibrate m.model valid.svm -o m.model --json",
)


@dataclass
class CalibrateOptions(OutputOptions, ReadingOptions, ModelFile):
    """The options of `calibrate`."""

    output: str | None = option(
        "Where to save the model; may be the same file.",
        metavar="MODEL",
        names=("-o", "--output"),
    )
    ignore_weights: bool = option("Ignore importance weights.", default=False)


def calibrate(options: CalibrateOptions) -> None:
    """Give a model probabilities, from its scores of files with labels.

    The files must not be those that it learned from, or it would be too sure; some hundred rows are
    enough. Of two classes the probability is a sigmoid of the score (Platt 1999), of more a softmax
    of the scores with a fitted slope. Classes are predicted as before. (For learners without
    probabilities, train does the same with --validation.)
    """
    if options.output is None:
        raise UsageError("say where to save the model: -o FILE")
    check_standard_input(options.files, options.labels)
    check_output(options.output, "--output", options.files)
    reading = {**options.reading_given(), "labelled": True}
    from rosenblatt.evaluation.calibrate import calibrate_files
    from rosenblatt.evaluation.files import names_of, no_labels
    from rosenblatt.models.saving import save
    from rosenblatt.prediction.model_files import Online, open_model
    from rosenblatt.stream.classifier import OnlineClassifier

    opened = open_model(options.model, "tag evaluate")
    predictor = opened.predictor
    if not isinstance(predictor, Online) or not isinstance(predictor.model, OnlineClassifier):
        raise ValueError(
            f"{options.model} holds {predictor.learner}: only classifiers that learn online are "
            "calibrated; estimators are when they learn, in Python with calibration='sigmoid'"
        )
    reader = opened.reader(options.files, reading)
    reader.ignore_weights = options.ignore_weights
    before = predictor.model.calibration_
    rows = calibrate_files(predictor, reader)
    if not rows:
        raise ValueError(f"{names_of(reader)}: {no_labels(reader)}")
    after = predictor.model.calibration_
    assert after is not None
    save(predictor.model, options.output, extra=opened.extra)
    if options.json:
        facts = {"model": options.output, "rows": rows, **after._asdict()}
        put_json(facts | {"before": None if before is None else before._asdict()})
    elif not options.quiet:
        words = f"σ({after.slope:.4g} · score {after.offset:+.4g})"
        if len(predictor.model.classes_) > 2:
            words = f"softmax({after.slope:.4g} · scores)"
        put_facts([("rows", f"{rows:,}"), ("probability", words), ("saved", options.output)])
    note_skipped(0, reader.first_errors, options.quiet)
