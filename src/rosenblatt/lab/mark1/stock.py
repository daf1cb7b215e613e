"""Pictures that the Mark I has at hand: handwritten digits, and symbols drawn by chance."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits

from rosenblatt.data.rows import Array
from rosenblatt.lab.mark1.retina import CELLS, SIDE

MADE, MADE_HELD = 80, 20  # pictures of each symbol to learn from, and held out
_HOLD = 5  # of the digits, every fifth is held out
_INK = 7  # grey, of 16, from which a photocell is lit


class Stock(NamedTuple):
    """Pictures to learn from with the numbers of their responses, and others held out."""

    pictures: Array
    labels: Array
    held: Array
    held_labels: Array


def stock(names: Sequence[str]) -> Stock:
    """Return the pictures at hand for responses of these names; there are none for other names.

    >>> digits = stock("0123456789")
    >>> digits.pictures.shape, digits.held.shape
    ((1437, 400), (360, 400))
    """
    kept = [_pictures(name) for name in names]
    labels = [np.repeat(np.arange(len(names)), [len(pair[k]) for pair in kept]) for k in (0, 1)]
    train, held = (np.concatenate([pair[k] for pair in kept]) for k in (0, 1))
    return Stock(train, labels[0], held, labels[1])


@cache
def _pictures(name: str) -> tuple[Array, Array]:
    """Return the pictures of one name: to learn from, and held out."""
    if name in SYMBOLS:
        chance = np.random.default_rng(list(SYMBOLS).index(name))
        made = np.array([SYMBOLS[name](chance).ravel() for _ in range(MADE + MADE_HELD)])
        return made[:MADE].astype(float), made[MADE:].astype(float)
    pictures, digits = _digits()
    mine = digits == int(name) if name in DIGITS else np.zeros(len(digits), bool)
    held = np.arange(len(digits)) % _HOLD == 0
    return pictures[mine & ~held], pictures[mine & held]


@cache
def _digits() -> tuple[Array, Array]:
    """Return scikit-learn's digits, 8 × 8 grey, twice as large in the middle of the retina."""
    grey, digits = load_digits(return_X_y=True)
    at = (np.arange(SIDE) - 1.5) / 2  # the place of each cell between the eight
    near = np.maximum(0, 1 - abs(at[:, None] - np.arange(8)))
    grown = near @ grey.reshape(-1, 8, 8) @ near.T
    return (grown >= _INK).reshape(-1, CELLS).astype(float), digits


_ROW, _COLUMN = np.mgrid[:SIDE, :SIDE]


def _place(chance: np.random.Generator) -> tuple[float, float, float, float]:
    """Draw a middle (row and column), a size, and half the width of the pen."""
    row, column = chance.uniform(7.5, 11.5, 2)
    return row, column, chance.uniform(4, 7), chance.uniform(0.7, 1.2)


def _lines(chance: np.random.Generator, corners: Sequence[tuple[float, float]]) -> Array:
    """Draw lines from corner to corner, in a unit circle, somewhere, a little turned."""
    row, column, size, pen = _place(chance)
    turn = chance.uniform(-0.12, 0.12)
    points = np.array(corners) @ [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]
    points = points * size + [row, column]
    lit = np.zeros((SIDE, SIDE), bool)
    for start, end in zip(points[::2], points[1::2], strict=True):
        along = end - start
        share = ((_ROW - start[0]) * along[0] + (_COLUMN - start[1]) * along[1]) / (along @ along)
        share = np.clip(share, 0, 1)
        far = np.hypot(_ROW - start[0] - share * along[0], _COLUMN - start[1] - share * along[1])
        lit |= far <= pen
    return lit


def _ring(chance: np.random.Generator) -> Array:
    row, column, size, pen = _place(chance)
    far: Array = np.hypot(_ROW - row, _COLUMN - column)
    return abs(far - size) <= pen


def _square(chance: np.random.Generator, from_column: int) -> Array:
    """Light a square of 3 to 6 cells in one half of the retina."""
    side = chance.integers(3, 7)
    row, column = chance.integers(0, SIDE - side + 1), chance.integers(0, SIDE // 2 - side + 1)
    lit = np.zeros((SIDE, SIDE), bool)
    lit[row : row + side, column + from_column : column + from_column + side] = True
    return lit


_A = 0.8  # corners of a square, from its middle
DIGITS = tuple("0123456789")
SYMBOLS: dict[str, Callable[[np.random.Generator], Array]] = {
    "×": lambda chance: _lines(chance, [(-_A, -_A), (_A, _A), (-_A, _A), (_A, -_A)]),
    "○": _ring,
    "+": lambda chance: _lines(chance, [(-1, 0), (1, 0), (0, -1), (0, 1)]),
    "□": lambda chance: _lines(
        chance,
        [(-_A, -_A), (-_A, _A), (-_A, _A), (_A, _A), (_A, _A), (_A, -_A), (_A, -_A), (-_A, -_A)],
    ),
    "△": lambda chance: _lines(
        chance, [(-1, 0), (0.7, 0.9), (0.7, 0.9), (0.7, -0.9), (0.7, -0.9), (-1, 0)]
    ),
    "|": lambda chance: _lines(chance, [(-1, 0), (1, 0)]),
    "–": lambda chance: _lines(chance, [(0, -1), (0, 1)]),
    "left": lambda chance: _square(chance, 0),
    "right": lambda chance: _square(chance, SIDE // 2),
}
