"""A line of svmlight text, ``label index:value index:value … # comment``."""

from rosenblatt.reference.text_numbers import number


def svmlight_line(line: str) -> tuple[float, list[tuple[int, float]]] | None:
    """Return the label and the pairs of a line; None if it is blank.

    >>> svmlight_line("+1 3:0.5 17:2 # a comment")
    (1.0, [(3, 0.5), (17, 2.0)])
    """
    line = line.partition("#")[0] if "#" in line else line.removesuffix("\r")
    words = [word for word in line.replace("\t", " ").split(" ") if word]
    if not words:
        return None
    pairs = []
    for word in words[1:]:
        index, colon, value = word.partition(":")
        found = number(value)
        if index == "qid":
            continue
        if not colon or not (index.isascii() and index.isdigit()):
            raise ValueError(f"{word!r} is no index:value")
        pairs.append((int(index), found))
    return number(words[0]), pairs
