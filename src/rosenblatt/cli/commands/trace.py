"""``rosenblatt trace``: watch a perceptron learn, example by example."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from rosenblatt.cli.command_builder import check_standard_input
from rosenblatt.console import (
    OutputOptions,
    UsageError,
    choice,
    count,
    note_skipped,
    option,
    put,
    put_json,
    put_table,
)
from rosenblatt.learner_registry import traceable
from rosenblatt.readers.command_options import ReadingOptions
from rosenblatt.training.command_options import TIES

EXAMPLES = (
    "rosenblatt trace train.svm",
    "rosenblatt trace train.csv --mistakes-only --limit 20",
    "rosenblatt trace train.svm --learner averaged --no-intercept --passes 2",
    "rosenblatt trace train.jsonl --label bought --json",
)
MOST_NUMBERS = 4  # of an example, or of weights, in a line
MOST_JSON = 100  # features whose weights a line of JSON has
MOST_CELLS = 2_000_000  # of a table whose bound is computed in about a second
_learning = partial(option, group="Learning")
_shown = partial(option, group="What to show")


@dataclass
class TraceOptions(OutputOptions, ReadingOptions):
    """The options of `trace`."""

    learner: str = _learning(f"{', '.join(traceable())}.", default="perceptron", metavar="NAME")
    passes: int = _learning(
        "The largest number of passes over the rows; a pass without mistakes is the last.",
        default=10,
        metavar="N",
    )
    no_intercept: bool = _learning("Use hyperplanes through the origin.", default=False)
    ties: str = _learning(
        "What a score of exactly zero counts as.", default="mistake", metavar="|".join(TIES)
    )
    limit: int = _shown("Show at most N steps; 0 shows all.", default=50, metavar="N")
    mistakes_only: bool = _shown("Show only the steps with a mistake.", default=False)


def trace(options: TraceOptions) -> None:
    """Show every step of a perceptron, in the order of the rows.

    Each example is scored, and on a mistake added to the weights or subtracted. If the two classes
    are separable, the bound (R/γ)² limits the number of mistakes. With --json each step is a line,
    and the last line is a summary.
    """
    reading = options.reading()
    check_standard_input(options.files, options.labels)
    choice(options.learner, traceable(), "--learner")
    choice(options.ties, TIES, "--ties")
    if options.passes < 1:
        raise UsageError(f"--passes {options.passes} must be 1 or more")
    if options.limit < 0:
        raise UsageError(f"--limit {options.limit} must be 0 or more")
    from rosenblatt.readers.named_columns import read_table
    from rosenblatt.tracing.text import Tracing

    table = read_table(options.files, reading)
    table.check_classes()
    fit_intercept = not options.no_intercept
    tracing = Tracing(table, options.learner, options.passes, fit_intercept, options.ties)
    steps = tracing.steps(options.limit, options.mistakes_only)
    if options.json:
        for step in steps:
            put_json(tracing.as_json(step, MOST_JSON))
        put_json({"summary": tracing.summary(MOST_CELLS)})
        return
    if not options.quiet:
        columns, rows = tracing.cells(steps, MOST_NUMBERS)
        put_table(columns, rows, left=0)
        if tracing.left_out:
            put(f"… and {count(tracing.left_out, 'more step')} (--limit 0 shows all)")
        put()
    show(tracing.summary(MOST_CELLS))
    note_skipped(table.unlabelled, table.errors, options.quiet)


def show(summary: dict[str, Any]) -> None:
    """Print the summary."""
    made = count(summary["mistakes"], "mistake")
    end = "none in the last" if summary["converged"] else "some in the last"
    passes = count(summary["passes"], "pass", "passes")
    put(f"{made} in {passes}{', ' + end if summary['passes'] > 1 else ''}")
    if summary["bound"] is not None:
        from rosenblatt.theory.bounds import bound_in_words

        put(bound_in_words(summary["bound"]))
