"""What ``rosenblatt tag train`` was asked to do, and whether that makes sense."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rosenblatt.cli.options import check_output, check_standard_input
from rosenblatt.cli.output import UsageError, choice
from rosenblatt.cli.tag_options import check_format, names_of_columns
from rosenblatt.sequence.templates import NAME, Template, parse

# The names are repeated here so that help need not load what learns; a test compares them.
TEMPLATES = ("auto", "pos", "chunking", "entities")
CONSTRAINTS = ("auto", "none", "seen", "iob1", "iob2", "iobes")
_SEEDS = 1 << 32


@dataclass
class TagJob:
    """The options of ``tag train``; see there."""

    files: list[str]
    output: str | None = None
    templates: str = "auto"
    lists: list[str] | None = None
    order: int = 1
    passes: int = 10
    min_count: int = 1
    constraints: str = "auto"
    seed: int = 0
    dev: list[str] | None = None
    patience: int | None = None
    format: str = "auto"
    tag: str | None = None
    columns: str | None = None
    quiet: bool = False
    json: bool = False
    asked: str = field(default="auto", init=False)  # a name, or templates as text
    entries: dict[str, list[str]] = field(default_factory=dict, init=False)  # of the lists

    def check(self) -> None:
        """Raise `UsageError` for options that make no sense; read templates and lists."""
        check_format(self.format)
        choice(self.constraints, CONSTRAINTS, "--constraints")
        choice(str(self.order), ("1", "2"), "--order")
        for name in ("passes", "min_count", "patience"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"--{name.replace('_', '-')} {value} must be 1 or more")
        if self.patience is not None and not self.dev:
            raise UsageError("--patience needs --dev, which says whether there is progress")
        if not 0 <= self.seed < _SEEDS:
            raise UsageError(f"--seed {self.seed} must be between 0 and {_SEEDS - 1}")
        check_standard_input(self.files, self.dev)
        check_output(self.output, "--output", [*self.files, *(self.dev or [])])
        names_of_columns(self.columns)
        self.entries = dict(map(_list, self.lists or []))
        self.asked = _templates(self.templates)
        used = set()
        if self.asked not in TEMPLATES:
            used = set(_lists_of(_parsed(self.asked, self.templates)))
        for name in sorted(used - self.entries.keys()):
            raise UsageError(
                f"--templates ask for the list {name!r}; give it with --list {name}=FILE"
            )

    @property
    def names(self) -> list[str] | None:
        """What the columns are called."""
        return names_of_columns(self.columns)


def _templates(text: str) -> str:
    """Return the templates that a user names, has in a file, or gives."""
    if text in TEMPLATES:
        return text
    try:
        return Path(text).read_text("utf-8-sig") if Path(text).is_file() else text
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--templates {text} cannot be read: {error}") from None


def _parsed(asked: str, option: str) -> list[Template]:
    try:
        return parse(asked)
    except ValueError as error:
        where = f"--templates {option}" if asked != option else "--templates"
        hint = ""
        if not any(sign in option for sign in " ;(["):  # perhaps the name of a file
            hint = f"; {option!r} is none of {', '.join(TEMPLATES)}, and no file"
        raise UsageError(f"{where}: {error}{hint if asked == option else ''}") from None


def _lists_of(templates: list[Template]) -> Iterator[str]:
    """Yield the lists that templates ask for."""
    for template in templates:
        for part in template.parts:
            if part.value.function == "in" and part.value.of is not None:
                yield str(part.value.argument)


def _list(option: str) -> tuple[str, list[str]]:
    """Read a word list: ``NAME=FILE``."""
    name, _, file = option.partition("=")
    if not file or not NAME.fullmatch(name):
        raise UsageError(f"--list {option} must be NAME=FILE, such as cities=cities.txt")
    try:
        lines = Path(file).read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise UsageError(f"--list {option}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--list {option}: the file is not UTF-8; convert it") from None
    entries = [line.strip() for line in lines if line.strip()]
    if not entries:
        raise UsageError(f"--list {option}: there are no entries in the file")
    return name, entries
