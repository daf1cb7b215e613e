"""Options that the commands for taggers share."""

from typing import Annotated

import typer

from rosenblatt.cli.options import READING
from rosenblatt.console import choice

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
