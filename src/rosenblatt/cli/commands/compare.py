"""``rosenblatt compare``: what the classifiers make of the same rows."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt import registry
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
    check_bits,
    check_output,
    check_standard_input,
    share_or_files,
)
from rosenblatt.console import UsageError, choice, count, put, put_json, say
from rosenblatt.readers.options import reading_given

if TYPE_CHECKING:
    from rosenblatt.model_selection.compare_files import Compared

EXAMPLES = (
    "rosenblatt compare train.csv",
    "rosenblatt compare train.svm --test test.svm",
    "rosenblatt compare train.csv --folds 5 --learners averaged,svm,centroid",
    "rosenblatt compare train.npy --labels train-labels.npy --json",
)
PICTURES = (".png", ".svg", ".pdf")
_COMPARING = "Comparing"


def _option(*names: str, **told: Any) -> Any:
    return typer.Option(*names, rich_help_panel=_COMPARING, **{"show_default": False, **told})


Test = Annotated[
    list[str] | None,
    _option(
        "--test",
        metavar="FILE|SHARE",
        help="Judge by this file, or by a share of the rows [default: 0.3]; 0 judges by the "
        "training rows themselves.",
    ),
]
Folds = Annotated[
    int | None,
    _option("--folds", metavar="N", help="Judge by each of N parts in turn, instead."),
]
Learners = Annotated[
    str | None,
    _option(
        "--learners",
        metavar="A,B,...",
        help=f"Some of {', '.join(registry.comparable())} [default: all but "
        f"{', '.join(registry.comparable(registry.IF_NAMED))}].",
    ),
]
Orders = Annotated[
    int,
    _option(
        "--orders",
        metavar="N",
        help="Learn from the rows in N orders, to see whether the result depends on them.",
        show_default=True,
    ),
]
NoScale = Annotated[
    bool,
    _option("--no-scale", help="Leave numbers as they are, rather than bring them to a scale."),
]
Bits = Annotated[
    int | None,
    _option("--bits", metavar="N", help="Hash names to 2^N columns."),
]
Seed = Annotated[
    int,
    _option("--seed", metavar="N", help="Of the parts, orders and learners.", show_default=True),
]
Plot = Annotated[
    str | None,
    _option(
        "--plot",
        metavar="FILE",
        help="Draw the boundaries of two features; .png, .svg or .pdf.",
    ),
]


def compare(
    files: Files,
    test: Test = None,
    folds: Folds = None,
    learners: Learners = None,
    orders: Orders = 2,
    no_scale: NoScale = False,
    bits: Bits = None,
    seed: Seed = 0,
    plot: Plot = None,
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
    """Let all classifiers learn from the same rows, and judge them.

    Arrays are standardised; the columns of sparse rows are divided by their largest value if they
    are as large as years or prices are. All rows must fit into memory.
    """
    options = reading_given(locals())
    check_bits(bits)
    names = None if learners is None else [name.strip() for name in learners.split(",")]
    for name in names or ():
        choice(name, registry.comparable(), "--learners")
    if folds is not None and (folds < 2 or test):
        raise UsageError("--folds must be 2 or more, and go without --test")
    if orders < 1:
        raise UsageError(f"--orders {orders} must be 1 or more")
    judges = share_or_files(test, 0.3)
    if plot is not None and not plot.lower().endswith(PICTURES):
        raise UsageError(f"--plot {plot} must end with {', '.join(PICTURES)}")
    others = judges if isinstance(judges, list) else []
    check_standard_input(files, others, labels)
    check_output(plot, "--plot", [*files, *others])
    from rosenblatt.model_selection.compare_files import Asked, compared

    asked = Asked(
        learners=names,
        test=judges,
        folds=folds,
        orders=orders,
        scale=not no_scale,
        bits=bits,
        seed=seed,
        reading=options,
        told=not (quiet or json),
        drawn=plot is not None,
    )
    found = compared(files, asked)
    if plot is not None:
        found.plot(plot)
    if json:
        put_json({**found.as_json(), "plot": plot})
    else:
        _show(found, quiet)


def _show(found: "Compared", quiet: bool) -> None:
    from rosenblatt.model_selection.tables import Column, paragraph, text_table

    results = found.ranked()
    if not quiet:
        put(f"{paragraph(found.opening())}\n")
    spread = "(± standard error)" if found.asked.folds else "(95% interval)"
    titles = (
        f"error %\n{spread}",
        "time\nto fit",
        "\nmistakes",
        "con-\nverged",
        "always\nthe same",
    )
    columns = [Column("\nlearner", whole=True), *(Column(title, True) for title in titles)]
    put(text_table(columns, [_cells(result) for result in results if not result["reason"]]))
    left_out = [result for result in results if result["reason"]]
    notes = [f"{result['learner']} was left out: {result['reason']}" for result in left_out]
    notes += found.notes
    if found.table.unlabelled:
        notes.append(f"{count(found.table.unlabelled, 'row')} without a label left out")
    for note in notes:
        say(f"note: {note}", quiet=quiet)


def _cells(result: dict[str, Any]) -> list[str]:
    from rosenblatt.model_selection.tables import count as short_count
    from rosenblatt.model_selection.tables import seconds

    if result["interval"] is None:
        spread = f"± {100 * result['standard_error']:.1f}"
    else:
        low, high = result["interval"]
        spread = f"{100 * low:.1f}–{100 * high:.1f}"
    mistakes, converged = result["mistakes"], result["converged"]
    return [
        result["learner"],
        f"{100 * result['error']:.1f} ({spread})",
        seconds(result["seconds"]),
        "–" if mistakes is None else short_count(round(mistakes)),
        {None: "–", True: "yes", False: "no"}[converged],
        {None: "–", True: "yes", False: "can differ"}[result["always_the_same"]],
    ]
