"""Help in plain text: options in groups, examples at the end; quick, as it needs no rich."""

from typing import Any

import typer
from typer.core import TyperCommand

from rosenblatt.cli.output import UsageError, visible
from rosenblatt.cli.parsing import ignore_if_absent


class _Misused(typer.BadParameter):
    """Shows its message, and nothing before it."""

    def format_message(self) -> str:
        return str(self.message)


class Command(TyperCommand):
    """A command whose options are grouped by their ``rich_help_panel``."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; options that make no sense are told as typer tells them."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            raise _Misused(visible(str(error)), ctx=ctx) from None

    def get_help_option(self, ctx: Any) -> Any:
        """Return --help."""
        return ignore_if_absent(super().get_help_option(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        write_sections(self, ctx, formatter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the command's name: options, and the arguments as they are called."""
        return [self.options_metavar or "", *(_argument(param) for param in _arguments(self))]


def write_sections(command: Any, ctx: Any, formatter: Any) -> None:
    """Write usage, description, arguments, options and examples."""
    command.format_usage(ctx, formatter)
    command.format_help_text(ctx, formatter)
    arguments = [(_argument(param), _told(param)) for param in _arguments(command)]
    _write_list(formatter, "Arguments", arguments)
    if hasattr(command, "list_commands"):
        names = command.list_commands(ctx)
        each = [(name, command.get_command(ctx, name).get_short_help_str(67)) for name in names]
        _write_list(formatter, "Commands", each)
    groups: dict[str, list[tuple[str, str]]] = {}
    for param in command.get_params(ctx):
        if param.param_type_name == "option" and not getattr(param, "hidden", False):
            group = getattr(param, "rich_help_panel", None) or "Options"
            groups.setdefault(group, []).append((_names(param), _told(param)))
    groups["Options"] = groups.pop("Options", [])  # what all commands have comes last
    for group, records in groups.items():
        _write_list(formatter, group, records)
    formatter.write_paragraph()
    formatter.write(f"Examples:\n{command.epilog}\n")


def _write_list(formatter: Any, title: str, records: list[tuple[str, str]]) -> None:
    if records:
        with formatter.section(title):
            formatter.write_dl(records, col_max=26)


def _arguments(command: Any) -> list[Any]:
    return [param for param in command.params if param.param_type_name == "argument"]


def _argument(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _names(param: Any) -> str:
    """Return an option's names, and what to write after them."""
    names = ", ".join(sorted([*param.opts, *param.secondary_opts], key=len))
    names = names if names.startswith("-") and not names.startswith("--") else f"    {names}"
    if getattr(param, "is_flag", False):
        return names
    return f"{names} {param.metavar or param.name.upper()}"


def _told(param: Any) -> str:
    """Return the help of a parameter, with the default where one is to be shown."""
    text = (getattr(param, "help", None) or "").strip()
    shown = getattr(param, "show_default", False)
    default = shown if isinstance(shown, str) else param.default
    flag = getattr(param, "is_flag", False)
    if not shown or flag or default is None or callable(default) or default in ([], (), ""):
        return text
    return f"{text} [default: {default}]"
