"""The entry point: finds the command that was asked for, and loads no other."""

import gc
from typing import Annotated, Any

import typer

from rosenblatt.cli.commands import PLAIN, Group, listed
from rosenblatt.cli.output import FAILED, guarded, leave, one_line, say
from rosenblatt.cli.streams import set_up

COMMANDS = (
    "train",
    "predict",
    "evaluate",
    "compare",
    "tune",
    "separate",
    "trace",
    "inspect",
    "tag",
    "lab",
    "datasets",
)
EXAMPLES = (
    "rosenblatt train mails.csv --text body -o spam.model",
    "rosenblatt predict spam.model mails.csv",
    "rosenblatt train --help",
)


class Commands(Group):
    """All commands."""

    names = COMMANDS

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what goes wrong with the data is one line, and no traceback."""
        with guarded():
            return super().invoke(ctx)


app = typer.Typer(cls=Commands, no_args_is_help=True, pretty_exceptions_enable=False, **PLAIN)


def _show_version(wanted: bool) -> None:
    if wanted:
        from rosenblatt._version import __version__

        typer.echo(f"rosenblatt {__version__}")
        raise typer.Exit


@app.callback(epilog=listed(EXAMPLES))
def rosenblatt(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Linear classifiers that learn from their mistakes, from files of any size.

    A command ends with 0 if all is well, 1 if something is wrong with the data, 2 with the options,
    and 130 if it was interrupted.
    """


def main() -> None:
    """Run the command line."""
    gc.set_threshold(50_000, 20, 20)  # importing makes many objects, and none that is garbage
    set_up()
    try:
        app(prog_name="rosenblatt")
    except SystemExit as end:
        leave(end.code)
    except OSError as error:  # of help and versions, which are written before a command begins
        say(f"rosenblatt: {one_line(error)}")
        leave(FAILED)
