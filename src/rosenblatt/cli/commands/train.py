"""``rosenblatt train``: train a model on files."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.command_builder import (
    check_outputs,
    check_standard_input,
    remove_checkpoint,
)
from rosenblatt.console import UsageError, one_line, put_json
from rosenblatt.learner_registry import LEARNERS, trainable
from rosenblatt.training.command_options import TrainOptions, check_understood

if TYPE_CHECKING:
    from rosenblatt.training.summary import TrainingResult

_OUTPUTS = ("output", "checkpoint", "report")
EXAMPLES = (
    "rosenblatt train mails.csv --text body --label kind -o spam.model",
    "rosenblatt train train.svm -o m.model --learner logistic --passes 10",
    "rosenblatt train train.svm --validation valid.svm --retrain --test test.svm",
    "cat train.vw | rosenblatt train - --bits 18 -o m.model --quiet",
    "rosenblatt train houses.csv --learner regression -o price.model",
    "rosenblatt train train.svm -o m.model --checkpoint m.checkpoint --resume",
    "rosenblatt train new.svm --from m.model -o m.model",
)


def train(options: TrainOptions) -> None:
    """Train a linear model on files of any size.

    Each example is predicted before it is learned from, and these mistakes are counted. After
    several passes the mean of the weights predicts, which makes fewer; after a single one, which is
    in the order of the files, the last weights do. Formats and compression (gzip, zstd) are
    detected.
    """
    if options.origin is not None:
        from rosenblatt.training.going_on import with_model

        options = with_model(options)
    _check(options)
    _finish(options, _train(options))


def _check(options: TrainOptions) -> None:
    """Raise `UsageError` for options that make no sense, alone or together."""
    options.check()
    # An option that a learner does not understand is refused rather than ignored.
    names = dict.fromkeys(name for row in trainable().values() for name in row.options)
    check_understood(options, names)
    if options.uses_cluster_options:
        from rosenblatt.training.cluster import check_options

        check_options(options)
    _check_inputs(options)
    inputs = [*options.files, *(options.test or []), *(options.validation or [])]
    check_outputs(options, _OUTPUTS, inputs)
    if options.origin is not None:  # only the model may take its place
        check_outputs(options, _OUTPUTS[1:], [options.origin])
    _check_place(options)


def _check_place(options: TrainOptions) -> None:
    """Refuse to write a checkpoint over another file."""
    if options.on_cluster or options.checkpoint is None:  # a cluster's is its own
        return
    if Path(options.checkpoint).exists():
        from rosenblatt.distributed.checkpoint import is_of_cluster
        from rosenblatt.training.checkpoints import Place

        try:
            Place(Path(options.checkpoint).resolve()).check()
        except (OSError, ValueError) as error:
            if is_of_cluster(options.checkpoint):
                raise UsageError(
                    f"--checkpoint {options.checkpoint} is that of a fit on a cluster: continue it "
                    "with --workers or --cluster, or name another file"
                ) from None
            raise UsageError(
                f"--checkpoint {options.checkpoint} exists and is not a complete checkpoint, so it "
                f"is not overwritten: name another file, or move it away ({one_line(error)})"
            ) from None


def _check_inputs(options: TrainOptions) -> None:
    """Refuse to read standard input twice."""
    again = {"validation": options.validation, "retrain": options.retrain and options.files}
    for name, files in again.items():
        if files and "-" in files:
            raise UsageError(
                f"--{name} reads its files again, which standard input (-) does not allow"
            )
    check_standard_input(options.files, options.test, options.labels)
    if options.no_cache and "-" in options.files and options.n_passes > 1:
        raise UsageError(
            "standard input can be read only once: remove --no-cache, or use --passes 1"
        )


def _train(options: TrainOptions) -> "TrainingResult":
    from rosenblatt.readers.sources import expand

    for later in (options.test, options.validation):
        expand(later or [])  # report a missing file now, not in an hour
    if options.on_cluster:
        from rosenblatt.training.cluster import train_on_cluster

        return train_on_cluster(options)
    if LEARNERS[options.learner].learns_online:
        from rosenblatt.training.online import train_online

        return train_online(options)
    from rosenblatt.training.estimators import train_estimator

    return train_estimator(options)


def _finish(options: TrainOptions, result: "TrainingResult") -> None:
    """Save, evaluate and show the model."""
    if options.output is not None:
        _save(options, result)  # first, so that an error in another file cannot lose it
    if options.test:
        _evaluate(options, result)
    if options.report is not None:
        from rosenblatt.report.gather import report_of
        from rosenblatt.report.page import write_report

        write_report(options.report, report_of(result, options))
    if options.json:
        put_json(result.as_json(options.output))
    elif not (options.quiet and options.output and not options.test):
        from rosenblatt.training.summary import show

        show(result, options.output, options.quiet)


def _evaluate(options: TrainOptions, result: "TrainingResult") -> None:
    from rosenblatt.evaluation.files import evaluate_files
    from rosenblatt.readers.reader import CountingReader

    assert options.test is not None
    names = result.predictor.names
    reading = options.test_reading(result.reader)
    result.test = evaluate_files(
        result.predictor,
        CountingReader(options.test, reading, names=names, ignore_weights=options.ignore_weights),
    )


def _save(options: TrainOptions, result: "TrainingResult") -> None:
    """Save the model with what is needed to read more files, and facts about its training."""
    from rosenblatt.models.saving import save

    assert options.output is not None
    extra: dict[str, Any] = {
        **(getattr(result.predictor.model, "metadata", None) or {}),
        "reading": result.reader.reading_header(),
        "summary": result.facts(),
        "learner": result.predictor.learner,
    }
    if not LEARNERS[options.learner].learns_online:
        names = result.predictor.names
        extra["names"] = {"header": names.header(), "arrays": names.arrays()}
    save(result.predictor.model, options.output, extra=extra)
    remove_checkpoint(result.checkpoint)
