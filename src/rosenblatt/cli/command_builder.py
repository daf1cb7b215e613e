"""Commands made from options classes: Click's parameters, help in groups, and common checks."""

import os
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from importlib import import_module
from itertools import combinations
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

import click

from rosenblatt.console import UsageError, one_line, option_names, say, visible

_LAST = ("Reading files", "On disk", "Options")  # the groups that end the help of every command
_NAMES, _SHORT_HELP = 26, 67  # columns for names of options, and for a command in a list


class Number(click.ParamType):  # type: ignore[type-arg]  # generic since 8.4
    """A number, whole or not."""

    def __init__(self, type_: type) -> None:
        self.type = type_
        self.name = "a whole number" if type_ is int else "a number"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Convert a text to a number."""
        try:
            return self.type(value)
        except ValueError:
            self.fail(f"{value!r} is not {self.name}.", param, ctx)


_TYPES = {str: click.STRING, int: Number(int), float: Number(float)}


def parameter(declared: "Field[Any]") -> click.Parameter:
    """Return the argument or option that a field of an options class declares."""
    kind: Any = declared.type
    if isinstance(kind, UnionType):  # with None
        kind = next(member for member in get_args(kind) if member is not NoneType)
    several = get_origin(kind) is list
    settings: dict[str, Any] = {"metavar": declared.metadata["metavar"]}
    if kind is not bool:
        settings["type"] = _TYPES[str if several else kind]
    if several:
        settings["callback"] = lambda ctx, param, given: list(given) or None
    if "group" not in declared.metadata:
        required = declared.default is MISSING
        return click.Argument([declared.name], required, nargs=-1 if several else 1, **settings)
    default, text = declared.default, declared.metadata["help"]
    if default is not None and default is not False:
        text = f"{text} [default: {default}]"
    names = [declared.name, *option_names(declared)]
    flag = kind is bool
    return click.Option(
        names, is_flag=flag, multiple=several, default=default, help=text, **settings
    )


class Command(click.Command):
    """A command whose function gets what was given as one object of an options class."""

    def __init__(self, name: str, function: Callable[[Any], None], examples: Sequence[str]) -> None:
        self.options: Any = function.__annotations__["options"]
        params = [parameter(declared) for declared in fields(self.options)]
        super().__init__(name, params=params, help=function.__doc__)
        self.function, self.examples = function, examples

    def invoke(self, ctx: click.Context) -> None:
        """Run the command."""
        options = self.options(**ctx.params)
        options.named = {name for name in ctx.params if _is_given(ctx, name)}
        try:
            self.function(options)
        except UsageError as error:
            raise click.UsageError(visible(str(error)), ctx) from None

    def help_groups(self, ctx: click.Context) -> dict[str, list[Any]]:
        """Return the arguments, and the options in groups, with what the help says of them."""
        groups: dict[str, list[Any]] = {}
        for declared, param in zip(fields(self.options), self.params, strict=True):
            group = declared.metadata.get("group", "Arguments")
            record: Any = (declared.metadata["metavar"], declared.metadata["help"])
            if isinstance(param, click.Option):
                record = param.get_help_record(ctx)
            groups.setdefault(group, []).append(record)
        for group in _LAST:
            groups[group] = groups.pop(group, [])
        return groups

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help: arguments, options in groups, and examples."""
        _write_help(self, ctx, formatter, self.help_groups(ctx))


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


class Group(click.Group):
    """Commands by name; each is a function in a module of its own, loaded when it is used."""

    def __init__(self, name: str, package: str, commands: Sequence[str], **settings: Any) -> None:
        self.examples: Sequence[str] = settings.pop("examples")
        super().__init__(name, no_args_is_help=True, **settings)
        self.package, self.names = package, tuple(commands)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, in the order of their use."""
        return list(self.names)

    def get_command(self, ctx: Any, cmd_name: str) -> click.Command | None:
        """Return a command, or None if there is none of that name."""
        if cmd_name not in self.names:
            return None
        name = cmd_name.replace("-", "_")
        module = import_module(f"{self.package}.{name}")
        function = getattr(module, name)
        if isinstance(function, Group):
            return function
        return Command(cmd_name, function, module.EXAMPLES)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that is called; if there is none, suggest one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = [repr(name) for name in get_close_matches(args[0], self.names)]
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"{error.message}{hint}", ctx) from None

    def listed(self, ctx: click.Context, names: Sequence[str]) -> list[Any]:
        """Return what the help says of commands."""
        commands = []
        for name in names:
            command = self.get_command(ctx, name)
            assert command is not None
            commands.append((name, command.get_short_help_str(_SHORT_HELP)))
        return commands

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help: commands, options and examples."""
        options: list[Any] = [param.get_help_record(ctx) for param in self.params]
        groups = {"Commands": self.listed(ctx, self.names), "Options": options}
        _write_help(self, ctx, formatter, groups)


class DefaultGroup(Group):
    """Commands of which the first one is meant where none is named."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        # So that options of the first command need not come after its name.
        context = {"ignore_unknown_options": True, "allow_interspersed_args": False}
        super().__init__(*given, context_settings=context, **settings)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; without any the first command is called."""
        return super().parse_args(ctx, args or [self.names[0]])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that is called, or the first one."""
        if args[0] in self.names:
            return super().resolve_command(ctx, args)
        return self.names[0], self._first(ctx), args

    def _first(self, ctx: click.Context) -> Any:
        return self.get_command(ctx, self.names[0])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return what comes after the name in the line of usage: that of the first command."""
        pieces: list[str] = self._first(ctx).collect_usage_pieces(ctx)
        return pieces

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help of the first command, and the names of the others."""
        groups = self._first(ctx).help_groups(ctx)
        groups = {"Arguments": groups.pop("Arguments"), "Other commands": [], **groups}
        groups["Other commands"] = self.listed(ctx, self.names[1:])
        _write_help(self, ctx, formatter, groups)


def _write_help(
    command: Command | Group,
    ctx: click.Context,
    formatter: click.HelpFormatter,
    groups: dict[str, list[Any]],
) -> None:
    command.format_usage(ctx, formatter)
    command.format_help_text(ctx, formatter)
    help_option = command.get_help_option(ctx)
    assert help_option is not None
    groups["Options"].append(help_option.get_help_record(ctx))
    for title, records in groups.items():
        if records:
            with formatter.section(title):
                # Long names are aligned, whether or not there is a short one before them.
                aligned = [(" " * 4 * name.startswith("--") + name, text) for name, text in records]
                formatter.write_dl(aligned, col_max=_NAMES)
    formatter.write_paragraph()
    formatter.write("Examples:\n" + "".join(f"  {line}\n" for line in command.examples))


def check_standard_input(files: list[str], *others: str | list[str] | None) -> None:
    """Refuse to read standard input twice; others are files that are read as well."""
    also = [[other] if isinstance(other, str) else other or [] for other in others]
    if sum(listed.count("-") for listed in (files, *also)) > 1:
        raise UsageError("standard input (-) can be read only once, but is given twice")


def check_outputs(options: Any, names: Sequence[str], inputs: list[str]) -> None:
    """Refuse files that could not be written in the end, and two outputs to one file."""
    given = {name: path for name in names if (path := getattr(options, name)) is not None}
    for name, path in given.items():
        check_output(path, f"--{name}", inputs)
    for one, other in combinations(given, 2):
        if Path(given[one]).resolve() == Path(given[other]).resolve():
            raise UsageError(f"--{one} and --{other} are the same file; name two")


def remove_checkpoint(checkpoint: Any) -> None:
    """Delete a checkpoint, if there is one, now that its model is saved."""
    try:
        if checkpoint is not None:
            checkpoint.remove()
    except (OSError, ValueError) as error:
        say(f"the model is saved, but the checkpoint could not be deleted: {one_line(error)}")


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
        raise UsageError(f"{option} {path}: no permission to write it")
    if target.exists():
        if not target.is_file():
            raise UsageError(f"{option} {path} is not a regular file, but a device or a pipe")
        for name in inputs:
            if name != "-" and Path(name).exists() and Path(name).samefile(target):
                raise UsageError(f"{option} {path} is one of the input files; name another")
