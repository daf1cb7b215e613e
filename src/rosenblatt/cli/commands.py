"""Groups of commands: each is loaded when it is used.

Each command is a file of this folder with a function of the command's name, whose annotations say
what it takes, and ``EXAMPLES``: commands that its help ends with, each of which works. A file that
has ``Commands``, too, is a group of such commands.
"""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from rosenblatt.cli.help import Command, write_sections
from rosenblatt.cli.parsing import convert_plainly, ignore_if_absent

SETTINGS = {"help_option_names": ["-h", "--help"]}
PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "context_settings": SETTINGS,
}


class Group(TyperGroup):
    """Commands by name; the module of each has the name that ``home`` begins with."""

    names: tuple[str, ...] = ()
    home = "rosenblatt.cli."

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(self.names)  # type: ignore[assignment]  # to suggest one

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, in the order of their use."""
        return list(self.names)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or None if there is none of that name."""
        if cmd_name not in self.names:
            return None
        module: Any = import_module(f"{self.home}{cmd_name}")
        function = getattr(module, cmd_name)
        if hasattr(module, "Commands"):
            several = typer.Typer(cls=module.Commands, no_args_is_help=True, **PLAIN)
            several.callback(epilog=listed(module.EXAMPLES))(function)
            return get_command(several)
        alone = typer.Typer(**PLAIN)
        alone.command(cmd_name, cls=Command, epilog=listed(module.EXAMPLES))(function)
        command = get_command(alone)
        convert_plainly(command, function)
        return command

    def get_help_option(self, ctx: Any) -> Any:
        """Return --help."""
        return ignore_if_absent(super().get_help_option(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help: what there is to do, and where to read on."""
        write_sections(self, ctx, formatter)


def listed(examples: tuple[str, ...]) -> str:
    """Return examples as help ends with them."""
    return "\n".join(f"  {line}" for line in examples)
