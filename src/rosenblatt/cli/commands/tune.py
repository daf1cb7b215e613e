"""``rosenblatt tune``: choose a learner's settings, and find out once how good they are."""

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
    check_bits,
    check_output,
    check_standard_input,
    share_or_file,
    share_or_files,
)
from rosenblatt.console import UsageError, choice, count, put, put_json, say
from rosenblatt.readers.options import reading_given
from rosenblatt.registry import CLOSED_FORMS, ONLINE

if TYPE_CHECKING:
    from rosenblatt.model_selection.tune_files import Tuned
    from rosenblatt.readers.in_memory import Table

EXAMPLES = (
    "rosenblatt tune train.svm --test test.svm -o m.model",
    "rosenblatt tune train.svm --validation valid.svm --grid passes=1,2,5",
    "rosenblatt tune train.csv --learner svm --folds 3 --grid eta0=auto,0.1",
    "rosenblatt tune train.csv --learner centroid --validation 0.2 --json",
)
LEARNERS = (*ONLINE, *CLOSED_FORMS, "batch", "kernel")
_CHOOSING, _JUDGING = "Choosing", "Judging"


def _option(*names: str, panel: str, **told: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, **{"show_default": False, **told})


Output = Annotated[
    str | None,
    _option("--output", "-o", metavar="MODEL", help="Where to save the winner.", panel=_CHOOSING),
]
Learner = Annotated[
    str,
    _option(
        "--learner",
        metavar="NAME",
        help=f"{', '.join(LEARNERS)}.",
        panel=_CHOOSING,
        show_default=True,
    ),
]
Grid = Annotated[
    list[str] | None,
    _option(
        "--grid",
        metavar="NAME=A,B,...",
        help="Values of a parameter to try; several are combined. Each learner has some to "
        "begin with.",
        panel=_CHOOSING,
    ),
]
Bits = Annotated[
    int | None,
    _option("--bits", metavar="N", help="Hash names to 2^N columns.", panel=_CHOOSING),
]
Float64 = Annotated[
    bool, _option("--float64", help="Compute in float64, not float32.", panel=_CHOOSING)
]
Folds = Annotated[
    int | None,
    _option(
        "--folds",
        metavar="N",
        help="Judge settings by cross-validation with N folds [default: 5].",
        panel=_JUDGING,
    ),
]
Validation = Annotated[
    str | None,
    _option(
        "--validation",
        metavar="SHARE|FILE",
        help="Judge settings by a share of the rows, or by this file, instead.",
        panel=_JUDGING,
    ),
]
Test = Annotated[
    list[str] | None,
    _option(
        "--test",
        metavar="FILE|SHARE",
        help="Judge the winner by this file, once, or by a share of the rows that is set aside; "
        "0 is none [default: 0.2].",
        panel=_JUDGING,
    ),
]
Seed = Annotated[
    int,
    _option(
        "--seed",
        metavar="N",
        help="Of the rows set aside, and of folds.",
        panel=_JUDGING,
        show_default=True,
    ),
]


def tune(
    files: Files,
    output: Output = None,
    learner: Learner = "averaged",
    grid: Grid = None,
    bits: Bits = None,
    float64: Float64 = False,
    folds: Folds = None,
    validation: Validation = None,
    test: Test = None,
    seed: Seed = 0,
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
    """Choose the settings of a learner.

    Test rows are set aside. Every setting learns from training rows and is judged by validation
    rows, or by cross-validation. The best learns anew from all of these, and is judged by the test
    rows, once. All rows must fit into memory.
    """
    options = reading_given(locals())
    choice(learner, LEARNERS, "--learner")
    check_bits(bits)
    if folds is not None and folds < 2:
        raise UsageError(f"--folds {folds} must be 2 or more")
    if folds is not None and validation is not None:
        raise UsageError("--folds and --validation are two ways to judge; give one of them")
    held_out, judges = share_or_file(validation, "--validation"), share_or_files(test, 0.2)
    others = [held_out] if isinstance(held_out, str) else []
    others += judges if isinstance(judges, list) else []
    check_standard_input(files, others, labels)
    check_output(output, "--output", [*files, *others])
    from rosenblatt.model_selection.tune_files import Asked, tuned

    asked = Asked(
        learner=learner,
        grid=list(grid or []),
        folds=folds,
        validation=held_out,
        test=judges,
        seed=seed,
        bits=bits,
        dtype="float64" if float64 else "float32",
        reading=options,
        told=not (quiet or json),
    )
    found = tuned(files, asked)
    if output is not None:
        found.save(output)
    if json:
        put_json(found.as_json(output))
        return
    _show(found, output, quiet)
    _tell(found.table, quiet)


def _show(found: "Tuned", output: str | None, quiet: bool) -> None:
    if quiet:
        put(found.test_in_words())
        return
    put(str(found.selection))
    put()
    again = found.command()
    if again is not None:
        put(f"the same settings, on all rows: {again}")
    if output is not None:
        put(f"saved {output}")
    else:
        put("nothing saved; -o FILE saves the winner")


def _tell(table: "Table", quiet: bool) -> None:
    if table.unlabelled:
        say(f"note: {count(table.unlabelled, 'row')} without a label left out", quiet=quiet)
    if table.errors.count:
        say(f"note: {count(table.errors.count, 'line')} could not be read", quiet=quiet)
