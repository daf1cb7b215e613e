"""Sentences of CoNLL text, a token a line with its columns, in plain Python."""

import re

_OTHER = re.compile(r"[0-9]+[-.][0-9]+")


def fields(line: str, tabs: bool) -> list[str]:
    r"""Return the columns of a line; tabs separate them, or else blanks and tabs, however many.

    >>> fields("New York\tNNP", tabs=True), fields(" New  York\tNNP ", tabs=False)
    (['New York', 'NNP'], ['New', 'York', 'NNP'])
    """
    if tabs:
        return line.split("\t")
    return [field for field in line.replace("\t", " ").split(" ") if field]


def sentences(
    text: str, tabs: bool, width: int, numbered: bool = False
) -> list[list[tuple[int, list[str]]]]:
    r"""Return for each sentence its tokens: their lines, from 1 on, and columns.

    In CoNLL-U tokens are ``numbered`` in the first column, from 1 on. What has a number such as
    ``3-4`` (tokens written as one word) or ``3.1`` (one not in the text) is no token, and before a
    sentence there may be comments. An error raises ``ValueError`` with the line and a word for it.

    >>> sentences("the DT\ncat NN\n\n\nyes UH", tabs=False, width=2)
    [[(1, ['the', 'DT']), (2, ['cat', 'NN'])], [(5, ['yes', 'UH'])]]
    """
    found: list[list[tuple[int, list[str]]]] = [[]]
    begun = False
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole.rstrip("\r")
        if not line.strip(" \t"):
            begun = False
            found.append([])
        elif begun or not (numbered and line.startswith("#")):
            begun = True
            columns = fields(line, tabs)
            if len(columns) != width:
                raise ValueError(number, "ragged")
            if "" in columns:
                raise ValueError(number, "empty")
            if numbered and _OTHER.fullmatch(columns[0]):
                continue
            if numbered and columns[0] != str(len(found[-1]) + 1):
                raise ValueError(number, "number")
            found[-1].append((number, columns))
    return [sentence for sentence in found if sentence]
