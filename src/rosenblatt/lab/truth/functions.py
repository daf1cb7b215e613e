"""All Boolean functions of a few inputs: which are threshold functions, and which have a name.

A function is written as a number: its outputs, in the order of counting, are the digits.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations
from typing import Any, NamedTuple

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


class Preset(NamedTuple):
    """A function by name."""

    key: str
    title: str
    n: int
    number: int


def _unit(key: str, title: str, unit: Any, negated: bool = False) -> Preset:
    outputs = [int(output) ^ negated for output in unit.truth_table()]
    return Preset(key, title, len(unit.weights), number_of(outputs))


def _rule(key: str, title: str, n: int, rule: Callable[..., Any]) -> Preset:
    return Preset(key, title, n, number_of([int(rule(*row)) for row in truth_table(n).tolist()]))


def _of_any(n: int) -> Iterator[Preset]:
    """Yield those that there are for any number of inputs."""
    every = range(1, n + 1)
    some = "" if n == 2 else f" of {n}"
    yield _unit(f"and{n}", f"AND{some}", ThresholdUnit.conjunction(*every))
    yield _unit(f"or{n}", f"OR{some}", ThresholdUnit.disjunction(*every))
    yield _unit(f"nand{n}", f"NAND{some}", ThresholdUnit.conjunction(*every), negated=True)
    yield _unit(f"nor{n}", f"NOR{some}", ThresholdUnit.disjunction(*every), negated=True)
    for m in range(2, n):
        title = "Majority: at least 2 of 3" if n == 3 else f"At least {m} of {n}"
        yield _unit(f"least{m}of{n}", title, ThresholdUnit.at_least(m, *every))


def _of_two() -> Iterator[Preset]:
    unit = ThresholdUnit
    yield _unit("implies", "Implication, x1 → x2", unit.disjunction(-1, 2))
    yield _unit("andnot2", "x1 ∧ ¬x2", unit.conjunction(1, -2))
    yield _unit("ornot2", "x1 ∨ ¬x2", unit.disjunction(1, -2))
    yield _rule("xor", "XOR: one or the other", 2, lambda a, b: a != b)
    yield _rule("xnor", "XNOR: both or neither", 2, lambda a, b: a == b)


def _of_three() -> Iterator[Preset]:
    unit = ThresholdUnit
    yield _unit("andnot3", "x1 ∧ ¬x2 ∧ x3", unit.conjunction(1, -2, 3))
    yield _unit("ornot3", "¬x1 ∨ x2 ∨ ¬x3", unit.disjunction(-1, 2, -3))
    yield _rule("weighty3", "x1 ∨ (x2 ∧ x3)", 3, lambda a, b, c: a or (b and c))
    yield _rule("choose", "If x1 then x2, else x3", 3, lambda a, b, c: b if a else c)
    yield _rule("exactly1of3", "Exactly 1 of 3", 3, lambda *x: sum(x) == 1)
    yield _rule("parity3", "Parity of 3: an odd number", 3, lambda *x: sum(x) % 2)


def _of_four() -> Iterator[Preset]:
    unit = ThresholdUnit
    yield _unit("and124", "x1 ∧ x2 ∧ x4", unit.conjunction(1, 2, 4))
    yield _unit("least2of134", "At least 2 of x1, x3, x4", unit.at_least(2, 1, 3, 4))
    yield _unit("andnot4", "x1 ∧ ¬x2 ∧ x3 ∧ ¬x4", unit.conjunction(1, -2, 3, -4))
    yield _unit("ornot4", "¬x1 ∨ x2 ∨ ¬x3 ∨ x4", unit.disjunction(-1, 2, -3, 4))
    yield _rule("weighty4", "x1 ∧ (x2 ∨ (x3 ∧ x4))", 4, lambda a, b, c, d: a and (b or (c and d)))
    yield _rule("pairs", "(x1 ∧ x2) ∨ (x3 ∧ x4)", 4, lambda a, b, c, d: (a and b) or (c and d))
    yield _rule("exactly2of4", "Exactly 2 of 4", 4, lambda *x: sum(x) == 2)
    yield _rule("parity4", "Parity of 4: an odd number", 4, lambda *x: sum(x) % 2)


@cache
def presets() -> tuple[Preset, ...]:
    """Return all of them, those of two inputs first."""
    special = {2: _of_two, 3: _of_three, 4: _of_four}
    return tuple(one for n in INPUTS for some in (_of_any(n), special[n]()) for one in some)


@cache
def titles() -> dict[tuple[int, int], str]:
    """Return the titles by number of inputs and number of the function."""
    return {(one.n, one.number): one.title for one in presets()}
