"""Options that several commands have, and what becomes of those that say how to read files."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.console import UsageError
from rosenblatt.readers.formats import FORMATS

if TYPE_CHECKING:
    pass

READING = "Reading files"

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Files, patterns such as 'part-*.gz', or - for standard input.",
        show_default=False,
    ),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print results only.")]
Json = Annotated[bool, typer.Option("--json", help="Print the results as JSON.")]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help=f"auto, {', '.join(FORMATS)}.",
        show_default=True,
        rich_help_panel=READING,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        "--label",
        metavar="COLUMN",
        help="The column or key of the label, by name or number [default: label, class, target "
        "or y, else the last].",
        rich_help_panel=READING,
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        metavar="COLUMN",
        help="A column whose text is cut into words; may be given several times.",
        rich_help_panel=READING,
    ),
]
Ngrams = Annotated[
    int | None,
    typer.Option(
        "--ngrams",
        metavar="N",
        help="Runs of up to N words are features, too [default: 1].",
        rich_help_panel=READING,
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight",
        metavar="COLUMN",
        help="The column of importance weights.",
        rich_help_panel=READING,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COLUMN",
        help="A column to leave out; may be given several times.",
        rich_help_panel=READING,
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="For .npy: the file with the labels.",
        rich_help_panel=READING,
    ),
]
OnError = Annotated[
    str,
    typer.Option(
        "--on-error",
        metavar="stop|skip",
        help="What to do at a line that cannot be read.",
        show_default=True,
        rich_help_panel=READING,
    ),
]


def check_bits(bits: int | None) -> None:
    """Refuse a number of bits that makes no sense."""
    if bits is not None and not 1 <= bits <= 30:
        raise UsageError(f"--bits {bits} must be between 1 and 30")


def check_standard_input(files: list[str], *others: str | list[str] | None) -> None:
    """Refuse to read standard input twice; others are files that are read as well."""
    also = [[other] if isinstance(other, str) else other or [] for other in others]
    if sum(listed.count("-") for listed in (files, *also)) > 1:
        raise UsageError("standard input (-) can be read only once, and is named twice")


def check_output(path: str | None, option: str, inputs: list[str]) -> None:
    """Refuse a file that could not be written in the end, before hours of work."""
    if path is None:
        return
    target = Path(path)
    if target.is_dir():
        raise UsageError(f"{option} {path} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {target.parent}")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise UsageError(f"{option} {path}: there is no permission to write it")
    if target.exists():
        if not target.is_file():
            raise UsageError(f"{option} {path} is no file to write to, but a device or a pipe")
        for name in inputs:
            if name != "-" and Path(name).exists() and Path(name).samefile(target):
                raise UsageError(f"{option} {path} is a file to read; name another")


def share_or_file(text: str | None, option: str) -> float | str | None:
    """Return a share of the rows, or else the name of a file.

    >>> share_or_file("0.2", "--test"), share_or_file("a.svm", "--test")
    (0.2, 'a.svm')
    """
    if text is None:
        return None
    try:
        share = float(text)
    except ValueError:
        return text
    if not 0 < share < 1:
        raise UsageError(f"{option} {text} must be a share between 0 and 1, or a file")
    return share


def share_or_files(given: list[str] | None, usual: float) -> float | list[str] | None:
    """Return the share of rows to test with, or files; None is no test."""
    if not given:
        return usual
    if given == ["0"]:
        return None
    if len(given) == 1:
        share = share_or_file(given[0], "--test")
        return share if isinstance(share, float) else given
    return given
