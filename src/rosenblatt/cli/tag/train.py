"""``rosenblatt tag train``: learn to tag from files with tags."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli.options import READING, Files, Json, Quiet, check_output, check_standard_input
from rosenblatt.cli.tag.options import Format, check_format
from rosenblatt.console import UsageError, choice, put_json
from rosenblatt.tagging.templates import NAME, Template, parse
from rosenblatt.training.options import TagOptions

EXAMPLES = (
    "rosenblatt tag train train.txt --dev dev.txt -o chunks.model",
    "rosenblatt tag train train.conllu --dev dev.conllu -o pos.model",
    "rosenblatt tag train train.conllu --tag xpos --columns word,upos -o x.model",
    "rosenblatt tag train train.txt --columns word,pos,- --tag pos -o pos.model",
    "rosenblatt tag train train.txt --templates 'word; shape(word)' -o m.model",
    "rosenblatt tag train train.txt --list cities=cities.txt -o m.model",
)
# The names are repeated here so that help need not load what learns; a test compares them.
TEMPLATES = ("auto", "pos", "chunking", "entities")
CONSTRAINTS = ("auto", "none", "seen", "iob1", "iob2", "iobes")
_SEEDS = 1 << 32
_LEARNING, _JUDGING = "Learning", "Judging"


def _option(*names: str, panel: str, **told: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, **{"show_default": False, **told})


Output = Annotated[
    str | None,
    _option("--output", "-o", metavar="MODEL", help="Where to save the model.", panel=_LEARNING),
]
Templates = Annotated[
    str,
    _option(
        "--templates",
        metavar="WHAT",
        help=f"What to look at: {', '.join(TEMPLATES[1:])}; or a file with templates, or these as "
        "text, such as 'word[-1..1]; shape(word)'. auto takes what suits the tags and columns.",
        panel=_LEARNING,
        show_default=True,
    ),
]
Lists = Annotated[
    list[str] | None,
    _option(
        "--list",
        metavar="NAME=FILE",
        help="A word list, an entry a line, for templates such as in(word, NAME); if there is "
        "none, in(word, NAME)[-1..1] is added. May be given several times.",
        panel=_LEARNING,
    ),
]
Order = Annotated[
    int,
    _option(
        "--order",
        metavar="1|2",
        help="Whether the weight of a tag depends on the one before, or on the two before.",
        panel=_LEARNING,
        show_default=True,
    ),
]
Passes = Annotated[
    int,
    _option(
        "--passes",
        metavar="N",
        help="How often to go through the sentences, unless a pass is without mistakes.",
        panel=_LEARNING,
        show_default=True,
    ),
]
MinCount = Annotated[
    int,
    _option(
        "--min-count",
        metavar="N",
        help="Leave out features that occur less often.",
        panel=_LEARNING,
        show_default=True,
    ),
]
Constraints = Annotated[
    str,
    _option(
        "--constraints",
        metavar="NAME",
        help=f"Which tag may follow which: {', '.join(CONSTRAINTS)}. auto finds the scheme of tags "
        "such as B-NP; seen allows what occurs in training.",
        panel=_LEARNING,
        show_default=True,
    ),
]
Seed = Annotated[
    int,
    _option(
        "--seed",
        metavar="N",
        help="Of the order of the sentences, a new one in each pass.",
        panel=_LEARNING,
        show_default=True,
    ),
]
Dev = Annotated[
    list[str] | None,
    _option(
        "--dev",
        metavar="FILE",
        help="Judge every pass on this file, and keep the best; may be given several times.",
        panel=_JUDGING,
    ),
]
Patience = Annotated[
    int | None,
    _option(
        "--patience",
        metavar="N",
        help="With --dev, stop after so many passes without progress [default: 5].",
        panel=_JUDGING,
    ),
]
Tag = Annotated[
    str | None,
    _option(
        "--tag",
        metavar="COLUMN",
        help="The column of the tags, by name or number [default: the last; of CoNLL-U upos].",
        panel=READING,
    ),
]
Columns = Annotated[
    str | None,
    _option(
        "--columns",
        metavar="A,B,...",
        help="What the columns are called; - leaves one out. Of CoNLL-U, those to look at "
        "[default: word, pos, chunk and tag, as far as there are so many; of CoNLL-U word alone, "
        "as its other columns are answers, too].",
        panel=READING,
    ),
]


def train(
    files: Files,
    output: Output = None,
    templates: Templates = "auto",
    lists: Lists = None,
    order: Order = 1,
    passes: Passes = 10,
    min_count: MinCount = 1,
    constraints: Constraints = "auto",
    seed: Seed = 0,
    dev: Dev = None,
    patience: Patience = None,
    format: Format = "auto",  # noqa: A002
    tag: Tag = None,
    columns: Columns = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Learn to tag from files with the right tags.

    Files have a token a line, with columns between blanks or tabs, and an empty line after each
    sentence; or they are CoNLL-U. They may be packed (gzip, zstd). The tagger, an averaged
    structured perceptron, looks at all columns but that of the tags. New files need the same ones,
    so leave out what they will not have.
    """
    job = TagOptions(**locals())
    _check(job)
    from rosenblatt.training.tagger import save_tagger, show, train_tagger

    outcome = train_tagger(job)
    if job.output is not None:
        save_tagger(outcome, job.output)
    if job.json:
        put_json(outcome.as_json(job.output))
    elif not (job.quiet and job.output):
        show(outcome, job.output, job.quiet)


def _check(job: TagOptions) -> None:
    """Raise `UsageError` for options that make no sense; read templates and lists."""
    check_format(job.format)
    choice(job.constraints, CONSTRAINTS, "--constraints")
    choice(str(job.order), ("1", "2"), "--order")
    for name in ("passes", "min_count", "patience"):
        value = getattr(job, name)
        if value is not None and value < 1:
            raise UsageError(f"--{name.replace('_', '-')} {value} must be 1 or more")
    if job.patience is not None and not job.dev:
        raise UsageError("--patience needs --dev, which says whether there is progress")
    if not 0 <= job.seed < _SEEDS:
        raise UsageError(f"--seed {job.seed} must be between 0 and {_SEEDS - 1}")
    check_standard_input(job.files, job.dev)
    check_output(job.output, "--output", [*job.files, *(job.dev or [])])
    _ = job.names
    job.entries = dict(map(_list, job.lists or []))
    job.asked = _templates(job.templates)
    used = set()
    if job.asked not in TEMPLATES:
        used = set(_lists_of(_parsed(job.asked, job.templates)))
    for name in sorted(used - job.entries.keys()):
        raise UsageError(f"--templates ask for the list {name!r}; give it with --list {name}=FILE")


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
