"""``rosenblatt compare``: all classifiers on the same rows."""

from typing import TYPE_CHECKING, Any

from rosenblatt.cli.command_builder import check_output, check_standard_input
from rosenblatt.console import UsageError, note_skipped, put, put_json, say
from rosenblatt.training.command_options import CompareOptions

if TYPE_CHECKING:
    from rosenblatt.model_selection.compare_files import FileComparison

EXAMPLES = (
    "rosenblatt compare train.csv",
    "rosenblatt compare train.svm --test test.svm",
    "rosenblatt compare train.csv --folds 5 --learners averaged,svm,centroid",
    "rosenblatt compare train.csv --folds 5 --scoring balanced_accuracy,roc_auc",
    "rosenblatt compare train.npy --labels train-labels.npy --json",
)
PICTURES = (".png", ".svg", ".pdf")


def compare(options: CompareOptions) -> None:
    """Train all classifiers on the same rows, and compare them.

    Numbers are standardised and words weighted, as in train. The penalties are those of the Python
    estimators, not chosen by cross-validation as in train. All rows must fit into memory.
    """
    options.check()
    plot = options.plot
    if plot is not None and not plot.lower().endswith(PICTURES):
        raise UsageError(f"--plot {plot} must end with {', '.join(PICTURES)}")
    tested = options.tested
    others = tested if isinstance(tested, list) else []
    check_standard_input(options.files, others, options.labels)
    check_output(plot, "--plot", [*options.files, *others])
    from rosenblatt.model_selection.compare_files import compare_files

    result = compare_files(options)
    if plot is not None:
        result.plot(plot)
    if options.json:
        put_json({**result.as_json(), "plot": plot})
    else:
        _show(result, options.quiet)


def _show(comparison: "FileComparison", quiet: bool) -> None:
    from rosenblatt.model_selection.table_layout import Column, fitting_table, paragraph

    results = [result for result in comparison.ranked() if not result["reason"]]
    if not quiet:
        put(f"{paragraph(comparison.opening())}\n")
    found = comparison.comparison
    if comparison.options.scores is None:
        spread = "(± standard error)" if found.n_folds else "(95% interval)"
        scores = [Column(f"error %\n{spread}", True)], [[_error(result)] for result in results]
    else:
        scores = found.scores()
    titles = ("time\nto fit", "\nmistakes", "con-\nverged", "always\nthe same")
    columns = [Column("\nlearner", whole=True), *scores[0], *(Column(t, True) for t in titles)]
    cells = [
        [result["learner"], *row, *_cells(result)]
        for result, row in zip(results, scores[1], strict=True)
    ]
    put(fitting_table(columns, cells, len(scores[0]) + 1))
    notes = [
        f"{result['learner']} was skipped: {result['reason']}"
        for result in comparison.ranked()
        if result["reason"]
    ]
    notes += [*comparison.notes, *comparison.unscored()]
    for note in notes:
        say(f"note: {note}", quiet=quiet)
    note_skipped(comparison.table.unlabelled, comparison.table.errors, quiet)


def _error(result: dict[str, Any]) -> str:
    if result["interval"] is None:
        spread = f"± {100 * result['standard_error']:.1f}"
    else:
        low, high = result["interval"]
        spread = f"{100 * low:.1f}–{100 * high:.1f}"
    return f"{100 * result['error']:.1f} ({spread})"


def _cells(result: dict[str, Any]) -> list[str]:
    from rosenblatt.model_selection.table_layout import count as short_count
    from rosenblatt.model_selection.table_layout import seconds

    mistakes, converged = result["mistakes"], result["converged"]
    return [
        seconds(result["seconds"]),
        "–" if mistakes is None else short_count(round(mistakes)),
        {None: "–", True: "yes", False: "no"}[converged],
        {None: "–", True: "yes", False: "can differ"}[result["always_the_same"]],
    ]
