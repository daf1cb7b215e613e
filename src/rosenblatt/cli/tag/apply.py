"""``rosenblatt tag apply``: tags for new sentences."""

import sys
from typing import Annotated

import typer

from rosenblatt.cli.options import Json, Model, Quiet, check_output, check_standard_input
from rosenblatt.cli.tag.options import Columns, Format, check_format
from rosenblatt.console import UsageError, count, pour, say
from rosenblatt.training.options import names_of_columns

EXAMPLES = (
    "rosenblatt tag apply chunks.model new.txt",
    "rosenblatt tag apply pos.model new.conllu -o tagged.conllu",
    "rosenblatt tag apply pos.model letter.txt --text --confidence",
    "echo 'The cat saw her.' | rosenblatt tag apply pos.model --text --json",
)
_WHAT = "What to write"

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE...]",
        help="Files, patterns such as 'part-*.gz', or - for standard input, which is read if there "
        "is none.",
        show_default=False,
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to this file, as a whole or not at all, and not to standard output.",
        rich_help_panel=_WHAT,
    ),
]
Confidence = Annotated[
    bool,
    typer.Option(
        "--confidence",
        help="How far a sentence's tags are ahead of the second best ones, too: a difference of "
        "scores, no probability. In one more column, the same for all its tokens; in CoNLL-U as a "
        "comment.",
        rich_help_panel=_WHAT,
    ),
]
Text = Annotated[
    bool,
    typer.Option(
        "--text",
        help="The files are plain text, to be cut into sentences and words, for taggers that look "
        "at words alone. Written are lines with a word, a tab and its tag.",
        rich_help_panel="Reading files",
    ),
]


def apply(
    model: Model,
    files: Files = None,
    output: Output = None,
    confidence: Confidence = False,
    text: Text = False,
    format: Format = "auto",  # noqa: A002
    columns: Columns = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Tag the sentences of files.

    Lines are written as they are, with the tag as one more column; in CoNLL-U it takes the place of
    the one there. Right tags may be in a file or not, and are left aside. --json writes an object a
    sentence, with tokens, tags and confidence.
    """
    check_format(format)
    names = names_of_columns(columns)
    if text and (format != "auto" or names is not None):
        raise UsageError("--text has no columns; leave out --format and --columns")
    files = files or ["-"]
    check_standard_input(files)
    check_output(output, "--output", [model, *files])
    from rosenblatt.evaluation.predictors import open_tagger
    from rosenblatt.evaluation.tagged_text import TagWriter

    tagged = TagWriter(open_tagger(model, "predict"), confidence, json)
    if not quiet and "-" in files and sys.stdin is not None and sys.stdin.isatty():
        say("reading what you type: an empty line ends a sentence, Ctrl-D all of it")
    pieces = tagged.text(files) if text else tagged.files(files, format, names)
    if output is not None:
        from rosenblatt.persist.atomic import write_atomically

        write_atomically(output, pieces)
        tokens, sentences = count(tagged.tokens, "token"), count(tagged.sentences, "sentence")
        say(f"{tokens} of {sentences} written to {output}", quiet=quiet)
    else:
        pour(pieces)
    if tagged.tokens and tagged.unknown:
        columns_of = " and ".join(sorted(tagged.unknown))
        say(f"note: the model knows no value of {columns_of}; is it another column?", quiet=quiet)
