"""The retina of the Mark I: pictures of 20 × 20 photocells, each lit or dark."""

import base64
import binascii

import numpy as np

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
