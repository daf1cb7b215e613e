"""The options of `tag train`, and those of the other commands on tagged files.

They are declared as those of `rosenblatt.training.command_options` are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rosenblatt.console import InputFiles, ModelOutput, OutputOptions, UsageError, choice
from rosenblatt.tagging.templates import BIAS, NAME, Template, parse
from rosenblatt.training.shared_options import (
    ClusterOptions,
    check_resume,
    checkpoint_option,
    evaluation,
    learning,
    reading_files,
    resume_option,
)

# These names are repeated so that help need not load what learns.
TAG_FORMATS = ("auto", "columns", "conllu")
TEMPLATES = ("auto", "pos", "chunking", "entities")
CONSTRAINTS = ("auto", "none", "seen", "iob1", "iob2", "iobes")
IGNORED = ("-", "_")
_SEEDS = 1 << 32
_TAGGER_PASSES = 10


@dataclass
class TagReadingOptions(OutputOptions):
    """The options that say how to read files of tokens."""

    format: str = reading_files(f"{', '.join(TAG_FORMATS)}.", default="auto", metavar="NAME")
    columns: str | None = reading_files(
        "The names of the columns, if they differ from those of the training files; - skips one.",
        metavar="A,B,...",
    )

    @property
    def names(self) -> list[str] | None:
        """The names of the columns."""
        return names_of_columns(self.columns)

    def check(self) -> None:
        """Raise `UsageError` for options that make no sense."""
        choice(self.format, TAG_FORMATS, "--format")
        _ = self.names


@dataclass
class TagOptions(ClusterOptions, ModelOutput, TagReadingOptions, InputFiles):
    """The options of `tag train`."""

    templates: str = learning(
        f"The feature templates: {', '.join(TEMPLATES[1:])}; or a file of templates, or templates "
        "as text, such as 'word[-1..1]; shape(word)'. auto chooses by tags and columns.",
        default="auto",
        metavar="WHAT",
    )
    lists: list[str] | None = learning(
        "A word list, one entry per line, for templates such as in(word, NAME); if no template "
        "uses it, in(word, NAME)[-1..1] is added. May be repeated.",
        metavar="NAME=FILE",
        names=("--list",),
    )
    order: int = learning(
        "Whether the score of a tag depends on the previous tag, or on the previous two.",
        default=1,
        metavar="1|2",
    )
    passes: int | None = learning(
        "The largest number of passes over the sentences, max_iter in Python; a pass without "
        f"mistakes is the last [default: {_TAGGER_PASSES}].",
        metavar="N",
    )
    min_count: int = learning(
        "Ignore features that occur less often than N times.", default=1, metavar="N"
    )
    constraints: str = learning(
        f"Which tag may follow which: {', '.join(CONSTRAINTS)}. auto detects the scheme of tags "
        "such as B-NP; seen allows what occurs in training.",
        default="auto",
        metavar="NAME",
    )
    seed: int = learning(
        "The random seed of the order of the sentences, which changes in every pass.",
        default=0,
        metavar="N",
    )
    dev: list[str] | None = evaluation(
        "Evaluate on this file after every pass, and keep the best pass; may be repeated.",
        metavar="FILE",
        names=("--dev", "--validation"),  # what data sets of sentences call it, and `train`
    )
    patience: int | None = evaluation(
        "With --dev, stop after N passes without improvement [default: 5].", metavar="N"
    )
    checkpoint: str | None = checkpoint_option()
    resume: bool = resume_option()
    tag: str | None = reading_files(
        "The column of the tags, by name or number [default: the last; upos in CoNLL-U].",
        metavar="COLUMN",
    )
    columns: str | None = reading_files(
        "The names of the columns; - skips one. In CoNLL-U, the columns to use as input [default: "
        "word, pos, chunk and tag, as many as there are; in CoNLL-U only word, since its other "
        "columns are answers, too].",
        metavar="A,B,...",
    )

    def check(self) -> None:
        """Raise `UsageError` for options that make no sense."""
        super().check()
        choice(self.constraints, CONSTRAINTS, "--constraints")
        choice(str(self.order), ("1", "2"), "--order")
        for name in ("passes", "min_count", "patience"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"--{name.replace('_', '-')} {value} must be 1 or more")
        if self.patience is not None and not self.dev:
            raise UsageError("--patience needs --dev, to measure improvement")
        check_resume(self)
        if not 0 <= self.seed < _SEEDS:
            raise UsageError(f"--seed {self.seed} must be between 0 and {_SEEDS - 1}")
        used = set()
        if self.template_text not in TEMPLATES:
            used = set(_lists_of(self._parsed()))
        for name in sorted(used - self.entries.keys()):
            raise UsageError(f"--templates use the list {name!r}: add --list {name}=FILE")

    @property
    def n_passes(self) -> int:
        """The largest number of passes."""
        return self.passes or _TAGGER_PASSES

    @cached_property
    def entries(self) -> dict[str, list[str]]:
        """The entries of each word list."""
        return dict(map(_read_list, self.lists or []))

    @cached_property
    def template_text(self) -> str:
        """The name of ready-made templates, or templates as text."""
        text = self.templates
        if text in TEMPLATES:
            return text
        try:
            return Path(text).read_text("utf-8-sig") if Path(text).is_file() else text
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"--templates {text} cannot be read: {error}") from None

    def _parsed(self) -> list[Template]:
        given, text = self.templates, self.template_text
        try:
            return parse(text)
        except ValueError as error:
            if text != given:
                raise UsageError(f"--templates {given}: {error}") from None
            hint = ""
            if not any(sign in given for sign in " ;(["):  # perhaps the name of a file
                hint = f"; {given!r} is neither one of {', '.join(TEMPLATES)} nor a file"
            raise UsageError(f"--templates: {error}{hint}") from None


def _lists_of(templates: list[Template]) -> Iterator[str]:
    """Yield the names of the lists that templates use."""
    for template in templates:
        for part in template.parts:
            if part.value.function == "in" and part.value.of is not None:
                yield str(part.value.argument)


def _read_list(given: str) -> tuple[str, list[str]]:
    """Read a word list: ``NAME=FILE``."""
    name, _, file = given.partition("=")
    if not file or not NAME.fullmatch(name):
        raise UsageError(f"--list {given} must be NAME=FILE, such as cities=cities.txt")
    try:
        lines = Path(file).read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise UsageError(f"--list {given}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--list {given}: the file is not UTF-8; convert it") from None
    entries = [line.strip() for line in lines if line.strip()]
    if not entries:
        raise UsageError(f"--list {given}: there are no entries in the file")
    return name, entries


def names_of_columns(text: str | None) -> list[str] | None:
    """Return the names that --columns gives.

    >>> names_of_columns("word, pos,-")
    ['word', 'pos', '-']
    """
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    kept = [name for name in names if name not in IGNORED]
    for number, name in enumerate(kept):
        if not NAME.fullmatch(name) or name == BIAS:
            raise UsageError(
                f"--columns {text}: {name!r} is not a valid name; choose one like word"
            )
        if name in kept[:number]:
            raise UsageError(f"--columns {text}: two columns are called {name!r}")
    if not kept:
        raise UsageError(f"--columns {text} skips every column; name at least one")
    return ["-" if name in IGNORED else name for name in names]
