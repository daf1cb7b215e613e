"""Options that the commands for taggers share."""

from typing import Annotated

import typer

from rosenblatt.cli.options import READING
from rosenblatt.cli.output import UsageError, choice
from rosenblatt.sequence.templates import BIAS, NAME

FORMATS = ("auto", "columns", "conllu")
LEFT_OUT = ("-", "_")

Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help=f"{', '.join(FORMATS)}.",
        show_default=True,
        rich_help_panel=READING,
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="A,B,...",
        help="What the columns are called, if not as in the files that the model learned from; - "
        "leaves one out.",
        rich_help_panel=READING,
    ),
]


def check_format(format: str) -> None:  # noqa: A002
    """Refuse a format that there is not."""
    choice(format, FORMATS, "--format")


def names_of_columns(text: str | None) -> list[str] | None:
    """Return the names that --columns gives.

    >>> names_of_columns("word, pos,-")
    ['word', 'pos', '-']
    """
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    kept = [name for name in names if name not in LEFT_OUT]
    for number, name in enumerate(kept):
        if not NAME.fullmatch(name) or name == BIAS:
            raise UsageError(f"--columns {text}: {name!r} is no name; take another, such as word")
        if name in kept[:number]:
            raise UsageError(f"--columns {text}: two columns are called {name!r}")
    if not kept:
        raise UsageError(f"--columns {text} leaves every column out; name one at least")
    return ["-" if name in LEFT_OUT else name for name in names]
