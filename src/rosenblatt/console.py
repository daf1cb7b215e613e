"""What the commands share: how options are declared, and how results and messages are printed.

Results go to standard output, everything else to standard error. rich is loaded only when there is
a table to draw, so that a quiet run starts at once.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_FACT = 67  # columns for a fact, after its name
_NAME = 12  # columns that are left of a name, at least
_MEASURABLE = 0.2  # seconds, below which a rate says nothing
_ENDLESS = 10_000  # columns of a file or a pipe, where tables are not truncated


class UsageError(Exception):
    """An option that makes no sense; the command exits with status 2."""


def option(
    help: str,  # noqa: A002
    *,
    default: Any = None,
    metavar: str | None = None,
    names: Sequence[str] = (),
    group: str = "Options",
) -> Any:
    """Declare a field of an options class as an option of a command.

    The field's type says what may be given: a number, a text, a flag (bool), or several texts
    (list[str]). Its name is the option's, unless ``names`` gives others. ``group`` is the heading
    in the help.
    """
    settings = {"help": help, "metavar": metavar, "names": names, "group": group}
    return field(default=default, metadata=settings)


def argument(metavar: str, help: str, **default: Any) -> Any:  # noqa: A002
    """Declare a field of an options class as an argument of a command; required if no default."""
    return field(metadata={"help": help, "metavar": metavar}, **default)


def option_names(declared: "Field[Any]") -> Sequence[str]:
    """Return the names of an option, such as --no-intercept."""
    usual = "--" + declared.name.rstrip("_").replace("_", "-")
    return declared.metadata["names"] or (usual,)


def as_words(options: Any, leave_out: Collection[str] = ()) -> list[str]:
    """Write options as on a command line: those that differ from their defaults."""
    words = []
    for declared in fields(options):
        value = getattr(options, declared.name)
        if "group" not in declared.metadata or declared.name in leave_out:
            continue
        if value is None or value == declared.default:
            continue
        for item in value if isinstance(value, list) else [value]:
            words.append(option_names(declared)[0])
            if item is not True:
                words.append(f"{item:g}" if isinstance(item, float) else str(item))
    return words


@dataclass
class ModelFile:
    """The model that a command uses."""

    model: str = argument("MODEL", "A model file.")


@dataclass
class InputFiles:
    """The files that a command reads."""

    files: list[str] = argument(
        "FILE...", "Files, patterns such as 'part-*.gz', or - for standard input."
    )


@dataclass
class ModelOutput:
    """Where a trained model goes."""

    output: str | None = option(
        "Where to save the model.", metavar="MODEL", names=("-o", "--output"), group="Learning"
    )


@dataclass
class FileOutput:
    """Where predictions go."""

    output: str | None = option(
        "Write to this file, completely or not at all, instead of standard output.",
        metavar="FILE",
        names=("-o", "--output"),
        group="What to write",
    )


@dataclass
class QuietOption:
    """Whether a command prints messages."""

    quiet: bool = option("Print only the results.", default=False, names=("-q", "--quiet"))


@dataclass
class OutputOptions(QuietOption):
    """What a command prints."""

    json: bool = option("Print the results as JSON.", default=False)


def visible(text: str, but: str = "") -> str:
    r"""Escape what cannot be printed, as Python does, except the characters in ``but``.

    Labels and names of files are untrusted, and a terminal would obey what is in them.

    >>> visible("ham\x1b[2J")
    'ham\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in but else ascii(c)[1:-1] for c in text)


# The library's advice about its parameters, and the same about options of commands.
_ADVICE = (
    (r"\b(test|validation)=(?=\.?\d)", r"--\1 "),
    (r"\bcv=(?=\d)", "--folds "),
    (", increase max_iter, or set tol=None if.* want", ", or increase --passes"),
    ("y_test has (.*), which y has not", r"the test rows have \1, but the training rows do not"),
    ("use 'gaussian'", "use --distribution gaussian"),
    ("set constraints=None", "use --constraints none"),
    ("set order=1", "use --order 1"),
    ("order=2", "--order 2"),
    ("resume=True", "--resume"),
    ("leave out port", "leave out --port"),
)


def with_options(text: str) -> str:
    """Replace parameters of the library by the options of commands that set them.

    >>> with_options("test=0.2 of 4 rows is 1")
    '--test 0.2 of 4 rows is 1'
    """
    for parameter, replacement in _ADVICE:
        text = re.sub(parameter, replacement, text)
    return text


# What the readers of files advise in terms of options, and the same about parameters of functions.
_PARAMETERS = (
    (r"--ignore\b(?!-)", "--drop"),
    (r"--on-error skip", 'on_error="skip"'),
    (r"--learner regression", "OnlineRegressor"),
    (r"--float64", 'dtype="float64"'),
    (r"--format (\w+)", r'format="\1"'),
    (r"--bits (\d+)", r"bits=\1"),
    (r"--(drop|keep|category|text) (?!has no effect)([^;:,)]+)", r'\1=["\2"]'),
    (r"--columns\b", "names"),
)
_OPTION = re.compile(r"(?<![\w'\"-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")


def with_parameters(text: str, **names: str) -> str:
    """Replace options of commands by the parameters that are called the same, or as ``names`` say.

    >>> with_parameters("name it with --label; or skip such rows (--on-error skip)", label="y")
    'name it with y; or skip such rows (on_error="skip")'
    >>> with_parameters("to keep it: --category house number")
    'to keep it: category=["house number"]'
    """
    for option, replacement in _PARAMETERS:
        text = re.sub(r"(?<![\w'\"-])" + option, replacement, text)

    def parameter(found: re.Match[str]) -> str:
        name = found[1].replace("-", "_")
        return names.get(name, name)

    return _OPTION.sub(parameter, text)


@contextmanager
def naming_parameters(**names: str) -> Iterator[None]:
    """Let errors about files name the parameters of a function instead of options of commands."""
    try:
        yield
    except ValueError as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (with_parameters(error.args[0], **names),)
        raise


def one_line(error: BaseException) -> str:
    """Return what an error says, in one line, with options instead of parameters."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; use fewer rows or features (--bits)"
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return visible(f"{error.filename}: {error.strerror.lower()}")
    if isinstance(error, OSError) and error.strerror and str(error).startswith("[Errno"):
        return error.strerror.lower()
    text = " ".join(str(error).split())
    if not getattr(error, "quotes_data", False):  # which may look like a parameter
        text = with_options(text)
    return visible(text) or type(error).__name__


def shortened(value: Any, most: int = 60, *, middle: bool = False) -> str:
    r"""Write a value that comes from a file, short and printable.

    ``most`` is in columns of a terminal. ``middle`` keeps the end, by which names often differ.

    >>> shortened("ham\x00" + "x" * 100, 8)
    'ham\\x00…'
    >>> shortened("goods, refrigerated, by rail", 15, middle=True)
    'goods, …by rail'
    """
    text = str(value)
    cut = len(text) > 8 * most
    if cut:  # nobody reads what is in between, so do not escape it
        text = text[: 4 * most] + text[-4 * most :]
    text = visible(text)
    if not cut and text_width(text) <= most:
        return text
    end = _beginning(text[::-1], (most - 1) // 2)[::-1] if middle else ""
    return f"{_beginning(text, most - 1 - text_width(end))}…{end}"


def _beginning(text: str, most: int) -> str:
    """Return as much of a text as fits."""
    text = text[: 4 * most]
    while text_width(text) > most:
        text = text[:-1]
    return text


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> text_width("naïve"), text_width("感知器")
    (5, 6)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def choice(value: str, allowed: Collection[str], option: str) -> str:
    """Return a value if it is allowed; otherwise raise an error that lists the allowed ones."""
    if value in allowed:
        return value
    near = get_close_matches(value, list(allowed), 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"{option} {value!r} is not one of {', '.join(allowed)}{hint}")


def is_terminal() -> bool:
    """Say whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def say(text: str = "", *, quiet: bool = False) -> None:
    """Write a line to standard error, unless ``quiet``."""
    if not quiet:
        print(visible(text, "\n"), file=sys.stderr, flush=True)


def note_skipped(unlabelled: int, problems: Any, quiet: bool) -> None:
    """Report rows without a label, and lines that could not be read."""
    if unlabelled:
        say(f"note: skipped {count(unlabelled, 'row')} without a label", quiet=quiet)
    if problems.count:
        say(f"note: skipped {count(problems.count, 'line')} with errors:", quiet=quiet)
        for message in problems.messages:
            say(f"  {message}", quiet=quiet)


def put(text: str = "") -> None:
    """Write a line to standard output, for people."""
    print(visible(text, "\n"))


def pour(pieces: Iterable[bytes]) -> None:
    """Write pieces of a result to standard output, each at once."""
    stream = sys.stdout.buffer
    for piece in pieces:
        stream.write(piece)
        stream.flush()


def put_json(value: Any) -> None:
    """Write one line of JSON to standard output; NaN and infinity are null."""
    print(to_json(value))


def to_json(value: Any) -> str:
    """Return a line of JSON. Arrays are lists, NaN and infinity are null.

    >>> to_json({"error": float("nan"), "classes": ("ham", "spam")})
    '{"error": null, "classes": ["ham", "spam"]}'
    """
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # an array or a number of NumPy
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if value - value == 0.0 else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def console(file: TextIO | None = None) -> "Console":
    """Return a console for tables, as wide as the terminal, or as the table if there is none."""
    from rich.console import Console

    file = file or sys.stdout
    width = None if file.isatty() or "COLUMNS" in os.environ else _ENDLESS
    return Console(
        file=file, width=width, highlight=False, markup=False, emoji=False, force_jupyter=False
    )


def table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "", left: int = 1
) -> "Table":
    """Make a table: the first ``left`` columns are text, the others numbers, to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    made = Table(
        title=visible(title) or None,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
    )
    for number, column in enumerate(columns):
        words = number < left
        made.add_column(
            visible(column),
            justify="left" if words else "right",
            no_wrap=True,
            overflow="ellipsis",
        )
    for row in rows:
        made.add_row(*(visible(str(cell)) for cell in row))
    return made


def width_of(made: "Table", out: "Console") -> int:
    """Return how many columns a table needs."""
    from rich.measure import Measurement

    endless = out.options.update(width=_ENDLESS, max_width=_ENDLESS)
    return Measurement.get(out, endless, made).maximum


def with_names(make: Callable[[int], "Table"], names: int, out: "Console") -> "Table":
    """Return a table whose names are shortened, only as far as needed, so that it fits.

    ``make(most)`` makes it with names of at most so many columns, ``names`` is how many columns of
    the table hold names.
    """
    return make(_NAME + max(0, out.width - width_of(make(_NAME), out)) // names)


def put_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], **options: Any) -> None:
    """Write a table to standard output; see `table`."""
    console().print(table(columns, rows, **options))


def put_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Write names and facts, in lines of at most 80 columns."""
    import textwrap

    for name, fact in facts:
        lines = textwrap.wrap(visible(fact), _FACT, break_on_hyphens=False, break_long_words=False)
        for number, line in enumerate(lines):
            put(f"{name if number == 0 else '':<12}{line}")


def several(cells: Sequence[str], after: str) -> str:
    """Write cells and what follows them in a line; if it is too long, skip the middle ones.

    >>> several([str(n) for n in range(100, 130)], "in each pass")
    '100  101  102  103  104  105  106  107  …  128  129 in each pass'
    """
    shown = list(cells)
    for first in range(8, 0, -1):
        if len(cells) > first + 2:
            shown = [*cells[:first], "…", *cells[-2:]]
        line = "  ".join(shown) + f" {after}"
        if len(line) <= _FACT:
            break
    return line.rstrip()


def percent(share: float) -> str:
    """Write a share as a percentage.

    >>> percent(0.01234), percent(float("nan"))
    ('1.23%', '–')
    """
    return "–" if share != share else f"{100 * share:.2f}%"


def size(n_bytes: float) -> str:
    """Write a number of bytes for people.

    >>> size(999), size(1_234_000), size(5 << 30)
    ('999 bytes', '1.2 MB', '5.4 GB')
    """
    for unit, word in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:.1f} {word}"
    return f"{n_bytes:.0f} bytes"


def duration(seconds: float) -> str:
    """Write a time for people.

    >>> duration(0.1234), duration(75), duration(7384)
    ('0.12 s', '1:15', '2:03:04')
    """
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def rate(number: float, seconds: float) -> float | None:
    """Return how many a second; None if the time was too short to tell.

    >>> rate(3000, 0.5), rate(3000, 0.01)
    (6000.0, None)
    """
    return number / seconds if seconds >= _MEASURABLE else None


def four_digits(number: float) -> str:
    """Write a number with four significant digits, without an exponent unless it is huge.

    >>> four_digits(31_364.9), four_digits(0.123456)
    ('31,360', '0.1235')
    """
    short = f"{number:.4g}"
    return f"{float(short):,.0f}" if 1e4 <= abs(number) < 1e9 else short


def count(number: int, word: str, words: str | None = None) -> str:
    """Write a number with its noun.

    >>> count(1, "class", "classes"), count(12_000, "example")
    ('1 class', '12,000 examples')
    """
    return f"{number:,} {word if number == 1 else words or word + 's'}"
