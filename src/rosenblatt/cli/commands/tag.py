"""``rosenblatt tag``: tags for the tokens of sentences, such as parts of speech and names."""

from rosenblatt.cli.main import Group

EXAMPLES = (
    "rosenblatt tag train train.txt --dev dev.txt -o chunks.model",
    "rosenblatt tag evaluate chunks.model test.txt",
    "rosenblatt tag apply chunks.model new.txt",
    "rosenblatt tag train --help",
)


class Commands(Group):
    """What to do with taggers."""

    names = ("train", "apply", "evaluate", "inspect")
    home = "rosenblatt.cli.tag."


def tag() -> None:
    """Tag the tokens of sentences: parts of speech, phrases, names.

    Files have a token a line, with columns between blanks or tabs, and an empty line after each
    sentence; or they are CoNLL-U.
    """
