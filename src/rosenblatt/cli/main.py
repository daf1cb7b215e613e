"""The entry point: finds the command that was asked for, loads no other, and prints its help."""

import _thread
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Annotated, Any, NoReturn, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from rosenblatt.cli.streams import set_up
from rosenblatt.console import UsageError, one_line, say, visible

_KINDS = {int: "a whole number", float: "a number"}


def convert_plainly(command: Any, function: Callable[..., Any]) -> None:
    """Let a command convert texts, numbers and lists of texts by itself."""
    hints = get_type_hints(function)
    for param in command.params:
        hint = hints.get(param.name)
        kind = hint
        if type(None) in get_args(hint):
            kind = next(k for k in get_args(hint) if k is not type(None))
        if kind in (str, int, float, list[str]) and param.callback is None:
            param.process_value = _converter(param, list if kind == list[str] else kind)


def _converter(param: Any, kind: Any) -> Callable[[Any, Any], Any]:
    usual = param.process_value

    def convert(ctx: Any, value: Any) -> Any:
        if kind is list and value:
            return list(value)
        if value is None and not param.required:
            return None
        if isinstance(value, kind) and kind is not list:
            return value
        if kind in _KINDS and isinstance(value, str):
            try:
                return kind(value)
            except ValueError:
                problem = f"{value!r} is not {_KINDS[kind]}."
                raise typer.BadParameter(problem, ctx=ctx, param=param) from None
        return usual(ctx, value)

    return convert


def ignore_if_absent(option: Any) -> Any:
    """Let a flag with a callback, such as --help, do nothing where it was not given."""
    usual = option.process_value
    option.process_value = lambda ctx, value: usual(ctx, value) if value else value
    return option


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


SETTINGS = {"help_option_names": ["-h", "--help"]}
PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "context_settings": SETTINGS,
}


class Group(TyperGroup):
    """Commands by name; the module of each has the name that ``home`` begins with."""

    names: tuple[str, ...] = ()
    home = "rosenblatt.cli.commands."

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


def interrupt_again(lost: Any) -> None:
    """Repeat a Ctrl-C that came where Python drops exceptions, such as within an import."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    again = threading.Timer(0.01, _thread.interrupt_main)
    again.daemon = True
    again.start()


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
    sys.unraisablehook = interrupt_again
    try:
        app(prog_name="rosenblatt")
    except SystemExit as end:
        leave(end.code)
    except OSError as error:  # of help and versions, which are written before a command begins
        say(f"rosenblatt: {one_line(error)}")
        leave(FAILED)
