"""``rosenblatt tag inspect``: facts about a tagger, and its weights."""

from dataclasses import dataclass
from functools import partial

from rosenblatt.console import (
    ModelFile,
    OutputOptions,
    UsageError,
    option,
    put,
    put_facts,
    put_json,
)

EXAMPLES = (
    "rosenblatt tag inspect chunks.model",
    "rosenblatt tag inspect chunks.model --tag B-NP --top 20",
    "rosenblatt tag inspect chunks.model --after B-NP",
    "rosenblatt tag inspect chunks.model --json",
)
_shown = partial(option, group="What to show")


@dataclass
class TagInspectOptions(OutputOptions, ModelFile):
    """The options of `tag inspect`."""

    tag: str | None = _shown("Only the features of this tag.", metavar="TAG")
    after: str | None = _shown(
        "The weights of all tags after this one; '<start>' is the beginning of a sentence.",
        metavar="TAG",
    )
    top: int = _shown(
        "How many features with the largest weights to show for each tag, and how many "
        "transitions.",
        default=10,
        metavar="N",
    )


def inspect(options: TagInspectOptions) -> None:
    """Show facts about a tagger, and its feature weights.

    Bars to the right are for a tag, bars to the left against it. A transition is one tag after
    another; a dash stands for one that is not allowed.
    """
    tag, after, top = options.tag, options.after, options.top
    if top < 0:
        raise UsageError(f"--top {top} must be 0 or more")
    from rosenblatt.inspection.tagger import charts, described, facts_of, following
    from rosenblatt.prediction.model_files import open_tagger

    opened = open_tagger(options.model, "inspect")
    if options.json:
        put_json(described(opened, tag, after, top))
        return
    if tag is None and after is None:
        put_facts(facts_of(opened))
    lines: list[str] = []
    if tag is not None or (after is None and not options.quiet and top):
        lines += charts(opened, tag, top)
    if after is not None:
        lines += following(opened, after)
    # A single chart needs no empty line before it.
    for line in lines if tag is None and after is None else lines[1:]:
        put(line)
