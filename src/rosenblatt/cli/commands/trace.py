"""``rosenblatt trace``: watch a perceptron learn, example by example."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.options import (
    Drop,
    Files,
    Format,
    Json,
    Label,
    Labels,
    Ngrams,
    OnError,
    Quiet,
    Text,
    Weight,
    check_standard_input,
)
from rosenblatt.console import UsageError, choice, count, put, put_json, put_table, say
from rosenblatt.readers.options import reading_given

if TYPE_CHECKING:
    from rosenblatt.readers.in_memory import Table

EXAMPLES = (
    "rosenblatt trace train.svm",
    "rosenblatt trace train.csv --mistakes-only --limit 20",
    "rosenblatt trace train.svm --learner averaged --no-intercept --passes 2",
    "rosenblatt trace train.jsonl --label bought --json",
)
LEARNERS = ("perceptron", "averaged", "voted", "batch")
_LEARNING, _WHAT = "Learning", "What to show"
MOST_NUMBERS = 4  # of an example, or of weights, that a line shows
MOST_JSON = 100  # features whose weights a line of JSON has
MOST_CELLS = 2_000_000  # of a table whose bound is found in a second or so

Learner = Annotated[
    str,
    typer.Option(
        "--learner",
        metavar="NAME",
        help=f"{', '.join(LEARNERS)}.",
        show_default=True,
        rich_help_panel=_LEARNING,
    ),
]
Passes = Annotated[
    int,
    typer.Option(
        "--passes",
        metavar="N",
        help="How often to go through the rows, unless a pass is without mistakes.",
        show_default=True,
        rich_help_panel=_LEARNING,
    ),
]
NoIntercept = Annotated[
    bool,
    typer.Option("--no-intercept", help="Planes go through the origin.", rich_help_panel=_LEARNING),
]
Ties = Annotated[
    str,
    typer.Option(
        "--ties",
        metavar="mistake|positive",
        help="What a score of exactly zero is.",
        show_default=True,
        rich_help_panel=_LEARNING,
    ),
]
Limit = Annotated[
    int,
    typer.Option(
        "--limit",
        metavar="N",
        help="Show so many steps; 0 shows all.",
        show_default=True,
        rich_help_panel=_WHAT,
    ),
]
MistakesOnly = Annotated[
    bool,
    typer.Option(
        "--mistakes-only", help="Show only the steps with a mistake.", rich_help_panel=_WHAT
    ),
]


def trace(
    files: Files,
    learner: Learner = "perceptron",
    passes: Passes = 10,
    no_intercept: NoIntercept = False,
    ties: Ties = "mistake",
    limit: Limit = 50,
    mistakes_only: MistakesOnly = False,
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
    """Show every step of a perceptron, in the order of the rows.

    Each example is scored, and on a mistake added to the weights or subtracted. Where two classes
    can be parted, the bound (R/γ)² says how many mistakes there can be. With --json each step is a
    line, and the last line is a summary.
    """
    options = reading_given(locals())
    check_standard_input(files, labels)
    choice(learner, LEARNERS, "--learner")
    choice(ties, ("mistake", "positive"), "--ties")
    if passes < 1:
        raise UsageError(f"--passes {passes} must be 1 or more")
    if limit < 0:
        raise UsageError(f"--limit {limit} must be 0 or more")
    from rosenblatt.readers.in_memory import read_table
    from rosenblatt.readers.options import Reading
    from rosenblatt.tracing.text import Tracing

    table = read_table(files, Reading(dtype="float64", labelled=True, **options))
    table.check_classes()
    tracing = Tracing(table, learner, passes, not no_intercept, ties)
    steps = tracing.steps(limit, mistakes_only)
    if json:
        for step in steps:
            put_json(tracing.as_json(step, MOST_JSON))
        put_json({"summary": tracing.summary(MOST_CELLS)})
        return
    if not quiet:
        columns, rows = tracing.cells(steps, MOST_NUMBERS)
        put_table(columns, rows, left=0)
        if tracing.left_out:
            put(f"… and {count(tracing.left_out, 'more step')} (--limit 0 shows all)")
        put()
    show(tracing.summary(MOST_CELLS))
    _tell(table, quiet)


def show(summary: dict[str, Any]) -> None:
    """Print what came of it all."""
    made = count(summary["mistakes"], "mistake")
    end = "the last without any" if summary["converged"] else "the last with some"
    passes = count(summary["passes"], "pass", "passes")
    put(f"{made} in {passes}{', ' + end if summary['passes'] > 1 else ''}")
    if summary["bound"] is not None:
        from rosenblatt.theory.bounds import bound_in_words

        put(bound_in_words(summary["bound"]))


def _tell(table: "Table", quiet: bool) -> None:
    if table.unlabelled:
        say(f"note: {count(table.unlabelled, 'row')} without a label left out", quiet=quiet)
    if table.errors.count:
        say(f"note: {count(table.errors.count, 'line')} could not be read", quiet=quiet)
