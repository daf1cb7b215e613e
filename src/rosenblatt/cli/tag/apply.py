"""``rosenblatt tag apply``: tags for new sentences."""

import sys
from dataclasses import dataclass
from functools import partial

from rosenblatt.cli.command_builder import check_output, check_standard_input
from rosenblatt.console import FileOutput, ModelFile, UsageError, argument, count, option, pour, say
from rosenblatt.training.tagger_options import TagReadingOptions

EXAMPLES = (
    "rosenblatt tag apply chunks.model new.txt",
    "rosenblatt tag apply pos.model new.conllu -o tagged.conllu",
    "rosenblatt tag apply pos.model letter.txt --text --confidence",
    "echo 'The cat saw her.' | rosenblatt tag apply pos.model --text --json",
)
_writing = partial(option, group="What to write")


@dataclass
class ApplyOptions(FileOutput, TagReadingOptions, ModelFile):
    """The options of `tag apply`."""

    files: list[str] | None = argument(
        "[FILE...]",
        "Files, patterns such as 'part-*.gz', or - for standard input, which is also read if no "
        "file is given.",
        default=None,
    )
    confidence: bool = _writing(
        "Add the margin between a sentence's tags and the second best ones: a difference of "
        "scores, not a probability. It is one more column, the same for all tokens of the "
        "sentence; in CoNLL-U a comment.",
        default=False,
    )
    text: bool = option(
        "The files are plain text, to be split into sentences and words, for taggers that use only "
        "words. Each line of the output has a word, a tab and its tag.",
        default=False,
        group="Reading files",
    )


def apply(options: ApplyOptions) -> None:
    """Tag the sentences of files.

    Lines are written as they are, with the tag as one more column; in CoNLL-U it replaces the
    column of the tags. Tags in the files are ignored. --json writes one object per sentence, with
    tokens, tags and confidence. (Where predict writes a table of predictions, this writes the
    sentences themselves, so it has another name.)
    """
    options.check()
    names, output, quiet = options.names, options.output, options.quiet
    if options.text and (options.format != "auto" or names is not None):
        raise UsageError("--text has no columns; remove --format and --columns")
    files = options.files or ["-"]
    check_standard_input(files)
    check_output(output, "--output", [options.model, *files])
    from rosenblatt.prediction.model_files import open_tagger
    from rosenblatt.prediction.tagger_output import TagWriter

    tagged = TagWriter(open_tagger(options.model, "predict"), options.confidence, options.json)
    if not quiet and "-" in files and sys.stdin is not None and sys.stdin.isatty():
        say("reading from the terminal: an empty line ends a sentence, Ctrl-D the input")
    pieces = tagged.text(files) if options.text else tagged.files(files, options.format, names)
    if output is not None:
        from rosenblatt.persist.atomic import write_atomically

        write_atomically(output, pieces)
        tokens, sentences = count(tagged.tokens, "token"), count(tagged.sentences, "sentence")
        say(f"{tokens} of {sentences} written to {output}", quiet=quiet)
    else:
        pour(pieces)
    if tagged.tokens and tagged.unknown:
        columns = " and ".join(sorted(tagged.unknown))
        say(f"note: the model knows no value of {columns}; is it another column?", quiet=quiet)
