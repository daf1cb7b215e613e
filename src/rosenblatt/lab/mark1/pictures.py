"""Pictures for the Mark I: its retina of 20 × 20 cells, and the digits and symbols at hand."""

import base64
import binascii
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits

from rosenblatt.data.rows import Array

SIDE = 20
CELLS = SIDE * SIDE
FARTHEST = 4  # cells of a shift
NOISIEST = 0.5  # at one half nothing is left of a picture


def pack(picture: Array) -> str:
    """Return a picture as 67 letters that may stand in an address, row by row from the top."""
    return base64.urlsafe_b64encode(np.packbits(picture > 0).tobytes()).decode().rstrip("=")


def unpack(text: str) -> Array:
    """Return the picture that `pack` wrote: 400 numbers, 1 for lit and 0 for dark.

    >>> picture = np.eye(20).ravel()
    >>> bool((unpack(pack(picture)) == picture).all())
    True
    """
    try:
        cells = base64.b64decode(f"{text}=", b"-_", validate=True)
    except (binascii.Error, ValueError):
        cells = b""
    if len(cells) != CELLS // 8:
        raise ValueError("a picture is 67 letters of base64: 400 cells, row by row from the top")
    return np.unpackbits(np.frombuffer(cells, np.uint8)).astype(float)


def see(pictures: Array, noise: float, right: int, down: int, seed: int) -> Array:
    """Return what the retina sees of pictures: moved by some cells, then a share of cells flipped.

    What moves out of the retina is lost. With the same seed, more noise flips more cells and those.

    >>> see(np.eye(20).ravel(), 0.0, 1, 0, seed=0).reshape(20, 20)[0, :3]
    array([0., 1., 0.])
    """
    grid = pictures.reshape(-1, SIDE, SIDE)
    moved = np.zeros_like(grid)
    moved[:, _to(down), _to(right)] = grid[:, _to(-down), _to(-right)]
    flipped = np.random.default_rng(seed).random(grid.shape) < noise
    return np.where(flipped, 1 - moved, moved).reshape(pictures.shape)


def _to(cells: int) -> slice:
    """Return where the cells that stay on the retina are after a move."""
    return slice(max(cells, 0), SIDE + min(cells, 0))


def guesses(scores: Array) -> Array:
    """Return the number of the response with the largest score of each row, or -1 for a tie.

    Two responses share one score: negative speaks for the first, positive for the second.

    >>> guesses(np.array([[3.0, 1, 2], [0, 0, 0]])).tolist()
    [0, -1]
    >>> guesses(np.array([-2.0, 0, 5])).tolist()
    [0, -1, 1]
    """
    each = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    top = np.sort(each, axis=1)
    return np.where(top[:, -1] > top[:, -2], each.argmax(axis=1), -1)


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
        rng = np.random.default_rng(list(SYMBOLS).index(name))
        made = np.array([SYMBOLS[name](rng).ravel() for _ in range(MADE + MADE_HELD)])
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


def _place(rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Draw a centre (row and column), a size, and half the width of the pen."""
    row, column = rng.uniform(7.5, 11.5, 2)
    return row, column, rng.uniform(4, 7), rng.uniform(0.7, 1.2)


def _lines(rng: np.random.Generator, corners: Sequence[tuple[float, float]]) -> Array:
    """Draw lines from corner to corner, in a unit circle, somewhere, a little turned."""
    row, column, size, pen = _place(rng)
    turn = rng.uniform(-0.12, 0.12)
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


def _ring(rng: np.random.Generator) -> Array:
    row, column, size, pen = _place(rng)
    far: Array = np.hypot(_ROW - row, _COLUMN - column)
    return abs(far - size) <= pen


def _square(rng: np.random.Generator, from_column: int) -> Array:
    """Light a square of 3 to 6 cells in one half of the retina."""
    side = rng.integers(3, 7)
    row, column = rng.integers(0, SIDE - side + 1), rng.integers(0, SIDE // 2 - side + 1)
    lit = np.zeros((SIDE, SIDE), bool)
    lit[row : row + side, column + from_column : column + from_column + side] = True
    return lit


_A = 0.8  # corners of a square, from its middle
DIGITS = tuple("0123456789")
SYMBOLS: dict[str, Callable[[np.random.Generator], Array]] = {
    "×": lambda rng: _lines(rng, [(-_A, -_A), (_A, _A), (-_A, _A), (_A, -_A)]),
    "○": _ring,
    "+": lambda rng: _lines(rng, [(-1, 0), (1, 0), (0, -1), (0, 1)]),
    "□": lambda rng: _lines(
        rng,
        [(-_A, -_A), (-_A, _A), (-_A, _A), (_A, _A), (_A, _A), (_A, -_A), (_A, -_A), (-_A, -_A)],
    ),
    "△": lambda rng: _lines(
        rng, [(-1, 0), (0.7, 0.9), (0.7, 0.9), (0.7, -0.9), (0.7, -0.9), (-1, 0)]
    ),
    "|": lambda rng: _lines(rng, [(-1, 0), (1, 0)]),
    "–": lambda rng: _lines(rng, [(0, -1), (0, 1)]),
    "left": lambda rng: _square(rng, 0),
    "right": lambda rng: _square(rng, SIDE // 2),
}
