"""``rosenblatt tag``: tags for the tokens of sentences, such as parts of speech and names."""

from rosenblatt.cli.command_builder import Group

EXAMPLES = (
    "rosenblatt tag train train.txt --dev dev.txt -o chunks.model",
    "rosenblatt tag evaluate chunks.model test.txt",
    "rosenblatt tag apply chunks.model new.txt",
    "rosenblatt tag train --help",
)

tag = Group(
    "tag",
    "rosenblatt.cli.tag",
    ("train", "apply", "evaluate", "inspect"),
    help="""Tag the tokens of sentences: parts of speech, phrases, names.

    Files have one token per line, with columns separated by blanks or tabs, and an empty line after
    each sentence; or they are CoNLL-U.
    """,
    examples=EXAMPLES,
)
