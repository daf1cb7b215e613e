"""The entry point: finds the command that was asked for, and loads no other.

Each command is a file of this folder with a function of the command's name, whose annotations say
what it takes, and ``EXAMPLES``: commands that its help ends with, each of which works.
"""

import gc
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from rosenblatt.cli.help import Command, write_sections
from rosenblatt.cli.output import guarded, leave
from rosenblatt.cli.parsing import convert_plainly, ignore_if_absent

COMMANDS = (
    "train",
    "predict",
    "evaluate",
    "compare",
    "tune",
    "separate",
    "trace",
    "inspect",
    "datasets",
)
EXAMPLES = (
    "rosenblatt train mails.csv --text body -o spam.model",
    "rosenblatt predict spam.model mails.csv",
    "rosenblatt train --help",
)
_SETTINGS = {"help_option_names": ["-h", "--help"]}


class Commands(TyperGroup):
    """All commands; each is loaded when it is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, in the order of their use."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module: Any = import_module(f"rosenblatt.cli.{cmd_name}")
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_SETTINGS)
        examples = "\n".join(f"  {line}" for line in module.EXAMPLES)
        function = getattr(module, cmd_name)
        alone.command(cmd_name, cls=Command, epilog=examples)(function)
        command = get_command(alone)
        convert_plainly(command, function)
        return command

    def get_help_option(self, ctx: Any) -> Any:
        """Return --help."""
        return ignore_if_absent(super().get_help_option(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what goes wrong with the data is one line, and no traceback."""
        with guarded():
            return super().invoke(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help: what there is to do, and where to read on."""
        write_sections(self, ctx, formatter)


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=_SETTINGS,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from rosenblatt._version import __version__

        typer.echo(f"rosenblatt {__version__}")
        raise typer.Exit


@app.callback(epilog="\n".join(f"  {line}" for line in EXAMPLES))
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
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # what a terminal cannot show is no reason to stop
    try:
        app(prog_name="rosenblatt")
    except SystemExit as end:
        leave(end.code)
