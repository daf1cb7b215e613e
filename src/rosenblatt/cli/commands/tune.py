"""``rosenblatt tune``: search for the best settings of a learner, and test them once."""

from typing import TYPE_CHECKING

from rosenblatt.cli.command_builder import check_output, check_standard_input
from rosenblatt.console import note_skipped, put, put_json, visible
from rosenblatt.training.command_options import TuneOptions

if TYPE_CHECKING:
    from rosenblatt.model_selection.tune_files import FileSelection

EXAMPLES = (
    "rosenblatt tune train.svm --test test.svm -o m.model",
    "rosenblatt tune train.svm --validation valid.svm --grid passes=1,2,5",
    "rosenblatt tune train.csv --learner svm --folds 3 --grid eta0=auto,0.1",
    "rosenblatt tune train.csv --learner logistic --scoring neg_log_loss,roc_auc",
    "rosenblatt tune train.csv --learner centroid --validation 0.2 --json",
)


def tune(options: TuneOptions) -> None:
    """Search for the best settings of a learner.

    Test rows are held out. Every setting is trained on training rows and evaluated on validation
    rows, or by cross-validation. The best one is trained again on all of these, and evaluated on
    the test rows, once. All rows must fit into memory.
    """
    options.check()
    validated, tested = options.validated, options.tested
    others = [validated] if isinstance(validated, str) else []
    others += tested if isinstance(tested, list) else []
    check_standard_input(options.files, others, options.labels)
    check_output(options.output, "--output", [*options.files, *others])
    from rosenblatt.model_selection.tune_files import tune_files

    result = tune_files(options)
    if options.output is not None:
        result.save(options.output)
    if options.json:
        put_json(result.as_json(options.output))
        return
    _show(result, options.output, options.quiet)
    note_skipped(result.table.unlabelled, result.table.errors, options.quiet)


def _show(result: "FileSelection", output: str | None, quiet: bool) -> None:
    if quiet:
        put(result.test_in_words())
        return
    put(str(result.selection))
    put()
    if (label := result.table.errors.label) is not None:
        put(f"the label is the column {visible(label)}")
    if (wider := result.wider_grid()) is not None:
        put(f"to try values beyond the best: {wider}")
    if result.weighted:
        put("examples count by their importance weights")
    command = result.command()
    if command is not None:
        put(f"the same settings, on all rows: {command}")
    put(f"saved {output}" if output is not None else "nothing saved; -o FILE saves the best model")
