"""All Boolean functions of a few inputs, and which of them are threshold functions.

A function is written as a number: its outputs, in the order of counting, are the digits.
"""

from functools import cache
from itertools import permutations

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.theory.threshold import ThresholdUnit, truth_table

INPUTS = (2, 3, 4)


def number_of(outputs: list[int]) -> int:
    """Return a function's number: 0110 is 6."""
    return int("".join(map(str, outputs)), 2)


def outputs_of(n: int, number: int) -> list[int]:
    """Return the outputs of the function of a number."""
    return [int(digit) for digit in f"{number:0{2**n}b}"]


@cache
def threshold_functions(n: int) -> Array:
    """Return, for each function of n inputs, whether it is a threshold function.

    To exchange inputs, or to negate some, or the output, makes no difference to that. So of the
    65,536 functions of four inputs only 222 are solved, one of each family.
    """
    rows = 2**n
    digits = 1 << np.arange(rows)[::-1]
    moves = _moves(n)
    known = np.full(2**rows, -1, np.int8)
    for number in range(2**rows):
        if known[number] < 0:
            outputs = np.array(outputs_of(n, number))
            family = outputs[moves] @ digits
            answer = ThresholdUnit.from_truth_table(outputs).separable
            known[family] = known[2**rows - 1 - family] = answer
    return np.asarray(known == 1)


def _moves(n: int) -> Array:
    """Return where each row goes, for all ways to exchange inputs and to negate some."""
    rows = truth_table(n)
    digits = 1 << np.arange(n)[::-1]
    ways = [(rows[:, order] ^ flips) @ digits for order in permutations(range(n)) for flips in rows]
    return np.array(ways)


def near(n: int, number: int, step: int, threshold: bool) -> int:
    """Return the next function, up (1) or down (−1), that is a threshold function, or is none."""
    places = np.flatnonzero(threshold_functions(n) == threshold)
    if step > 0:
        place = int(np.searchsorted(places, number, side="right")) % len(places)
    else:
        place = int(np.searchsorted(places, number, side="left")) - 1
    return int(places[place])
