"""``rosenblatt tag train``: learn to tag from files with tags."""

from typing import Annotated, Any

import typer

from rosenblatt.cli.options import READING, Files, Json, Quiet
from rosenblatt.cli.output import put_json
from rosenblatt.cli.tag_job import CONSTRAINTS, TEMPLATES, TagJob
from rosenblatt.cli.tag_options import Format

EXAMPLES = (
    "rosenblatt tag train train.txt --dev dev.txt -o chunks.model",
    "rosenblatt tag train train.conllu --dev dev.conllu -o pos.model",
    "rosenblatt tag train train.conllu --tag xpos --columns word,upos -o x.model",
    "rosenblatt tag train train.txt --columns word,pos,- --tag pos -o pos.model",
    "rosenblatt tag train train.txt --templates 'word; shape(word)' -o m.model",
    "rosenblatt tag train train.txt --list cities=cities.txt -o m.model",
)
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
    job = TagJob(**locals())
    job.check()
    from rosenblatt.cli.tag_fitting import train_tagger
    from rosenblatt.cli.tag_outcome import save_tagger, show

    outcome = train_tagger(job)
    if job.output is not None:
        save_tagger(outcome, job.output)
    if job.json:
        put_json(outcome.as_json(job.output))
    elif not (job.quiet and job.output):
        show(outcome, job.output, job.quiet)
