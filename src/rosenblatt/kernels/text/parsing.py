"""What the compiled text readers share: where rows go, and how errors are noted."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import exact_jit

SPACE, TAB, LINE_END, RETURN, COLON, HASH, BAR = 32, 9, 10, 13, 58, 35, 124

# What can be wrong with a line.
NO_LABEL, NO_PAIR, NO_VALUE, TOO_LARGE, INDEX_TOO_LARGE, NO_BAR, NO_WEIGHT, NO_NAME = range(8)
# And what VW text may have that no learner here can use, or that cannot be meant.
COSTS, BANDIT, MULTILABEL, MULTILINE, SLOTS, EARLY_TAG, BAR_IN_VALUE = range(8, 15)


class Found(NamedTuple):
    """Arrays for the rows of a chunk of text; the compiled readers fill them.

    ``lines`` has the line of each row in the chunk, from 0 on. ``rough`` has for each number that
    Python must read again: where it goes (−1 − row for a label), and its letters' start and end.
    ``errors`` has the code, the place and the line of the first errors. ``counts`` is the rows, the
    numbers, the lines, the rough ones, the errors, the largest column + 1, the next letter, and the
    labels that are names (for VW text).
    """

    labels: Any
    indptr: Any
    indices: Any
    values: Any
    lines: Any
    rough: Any
    errors: Any
    counts: Any


class Spans(NamedTuple):
    """What VW text has in addition: weights, and where the letters of labels and tags lie.

    ``places`` has for each row the start and end of its label and of its tag. If names are kept,
    they are put into ``letters`` one after the other, and ``ends`` says where each ends. For
    n-grams ``groups`` has the first letter of each feature's namespace, and ``bare`` says where its
    name starts in the letters, after that of the namespace. What is not wanted is empty.
    """

    weights: Any
    places: Any
    letters: Any
    ends: Any
    groups: Any
    bare: Any


class Spaces(NamedTuple):
    """Namespaces to leave out, or else the only ones to ``keep``; one array of names, and its ends.

    Without names all are read. ``seen`` says of each name whether it was there.
    """

    letters: Any
    ends: Any
    keep: Any
    seen: Any


@exact_jit
def end_of_line(text: Any, p: int) -> int:
    """Return where the next line starts."""
    while text[p] != LINE_END:
        p += 1
    return p + 1


@exact_jit
def note_error(found: Any, code: int, place: int, line: int) -> None:
    """Count an error, and keep it if it is one of the first."""
    n = found.counts[4]
    if n < found.errors.shape[0]:
        found.errors[n, 0], found.errors[n, 1], found.errors[n, 2] = code, place, line
    found.counts[4] = n + 1


@exact_jit
def note_rough(found: Any, n: int, place: int, start: int, stop: int) -> int:
    """Keep a number's letters for Python to read; return how many there are now."""
    found.rough[n, 0], found.rough[n, 1], found.rough[n, 2] = place, start, stop
    return n + 1


@exact_jit
def ends_token(letter: int) -> bool:
    """Say whether a letter ends a word: a blank, or the end of the line."""
    return letter in (SPACE, LINE_END, TAB, RETURN)


@exact_jit
def keep_counts(found: Any, rows: int, entries: int, lines: int, rough: int, p: int) -> None:
    """Write the counts down."""
    counts = found.counts
    counts[0], counts[1], counts[2], counts[3], counts[6] = rows, entries, lines, rough, p


@exact_jit
def widest(found: Any, first: int, entries: int) -> None:
    """Take note of the largest column among the numbers from the ``first`` on."""
    most = np.int64(-1)
    for k in range(first, entries):
        most = max(most, np.int64(found.indices[k]))
    found.counts[5] = max(found.counts[5], most + 1)
