"""``rosenblatt tag inspect``: what a tagger is, and what it looks for."""

from typing import Annotated

import typer

from rosenblatt.cli.options import Json, Model, Quiet
from rosenblatt.console import UsageError, put, put_facts, put_json

EXAMPLES = (
    "rosenblatt tag inspect chunks.model",
    "rosenblatt tag inspect chunks.model --tag B-NP --top 20",
    "rosenblatt tag inspect chunks.model --after B-NP",
    "rosenblatt tag inspect chunks.model --json",
)
_WHAT = "What to show"

Tag = Annotated[
    str | None,
    typer.Option(
        "--tag", metavar="TAG", help="The features of this tag alone.", rich_help_panel=_WHAT
    ),
]
After = Annotated[
    str | None,
    typer.Option(
        "--after",
        metavar="TAG",
        help="The weights of all tags after this one; '<start>' is where a sentence begins.",
        rich_help_panel=_WHAT,
    ),
]
Top = Annotated[
    int,
    typer.Option(
        "--top",
        metavar="N",
        help="How many of the strongest features of each tag to show, and of transitions.",
        show_default=True,
        rich_help_panel=_WHAT,
    ),
]


def inspect(
    model: Model,
    tag: Tag = None,
    after: After = None,
    top: Top = 10,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show what a tagger is, and what it looks for.

    Bars to the right speak for a tag, bars to the left against it. A transition is one tag after
    another; a dash stands for what is not allowed.
    """
    if top < 0:
        raise UsageError(f"--top {top} must be 0 or more")
    from rosenblatt.evaluation.predictors import open_tagger
    from rosenblatt.inspection.tagger import charts, described, facts_of, following

    opened = open_tagger(model, "inspect")
    if json:
        put_json(described(opened, tag, after, top))
        return
    if tag is None and after is None:
        put_facts(facts_of(opened))
    lines: list[str] = []
    if tag is not None or (after is None and not quiet and top):
        lines += charts(opened, tag, top)
    if after is not None:
        lines += following(opened, after)
    # What was asked for alone needs no empty line before it.
    for line in lines if tag is None and after is None else lines[1:]:
        put(line)
