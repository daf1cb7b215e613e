"""The entry point: finds the command that was asked for, and loads no other."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, NoReturn

import typer

from rosenblatt.cli.commands import PLAIN, Group, listed
from rosenblatt.cli.output import one_line, say
from rosenblatt.cli.streams import set_up

FAILED, INTERRUPTED, NOBODY_READS = 1, 130, 141
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


@contextmanager
def guarded() -> Iterator[None]:
    """Turn what can go wrong with files and data into one line and an exit code."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads on, which is no fault; Python would complain when it closes the pipe.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        raise typer.Exit(NOBODY_READS) from None
    except KeyboardInterrupt:
        say("\nrosenblatt: interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except (ValueError, OSError, ImportError, MemoryError) as error:
        from traceback import clear_frames

        clear_frames(error.__traceback__)  # so that files are closed now, and not some time
        say(f"rosenblatt: {one_line(error)}")
        raise typer.Exit(FAILED) from None


def leave(code: str | int | None) -> NoReturn:
    """End the process at once: tidying up would take a tenth of a second, and help nobody."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = code or NOBODY_READS
    except (OSError, ValueError) as error:
        if not code:  # else it is known by now
            say(f"rosenblatt: {one_line(error)}")
            code = FAILED
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else FAILED)


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

    A command ends with 0 if all is well, 1 if something is wrong with the data or results cannot be
    written, 2 with the options, and 130 if it was interrupted.
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
