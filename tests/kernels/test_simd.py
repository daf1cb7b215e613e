"""What is written for vectors of numbers does what plain Python and NumPy do."""

import numpy as np
import pytest

from rosenblatt.kernels.simd.letters import (
    PAD,
    digits_in,
    find_marks,
    number_before,
    number_of,
)
from rosenblatt.kernels.simd.tiles import BYTES, CLASSES, add_column, add_thin, add_wide


def padded(letters):
    """Return letters between bytes that look like digits, and where they start."""
    wall = b"7" * PAD
    return np.frombuffer(wall + letters + wall, np.uint8), PAD


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 200, 1_000])
@pytest.mark.parametrize("share", [0.05, 0.9])
def test_marks_are_where_the_letters_are(length, share):
    rng = np.random.default_rng(length)
    letters = np.where(
        rng.random(length) < share, *(rng.choice(list(s), length) for s in (b" :\n", b"ab0"))
    )
    text, start = padded(letters.astype(np.uint8).tobytes())
    marks = np.zeros(length + 128, np.int64)
    count = find_marks(text, start, start + length, *b" :\n", marks)
    expected = [start + k for k, letter in enumerate(letters) if letter in b" :\n"]
    assert marks[:count].tolist() == expected
    assert marks[count : count + 4].tolist() == [start + length] * 4


@pytest.mark.parametrize("digits", ["0", "7", "42", "00123", "9876543", "99999999", "10203040"])
@pytest.mark.parametrize("after", [b"\n", b":", b"/", b"\xff", b" "])
def test_digits_are_read_as_python_does(digits, after):
    text, start = padded(digits.encode() + after + b"........")
    word = np.uint64(int.from_bytes(text[start : start + 8].tobytes(), "little"))
    assert digits_in(word) == len(digits)
    assert number_of(word, len(digits)) == int(digits)
    stop = start + len(digits)
    assert number_before(text, stop, len(digits)) == int(digits)
    if len(digits) < 8:
        assert number_before(text, stop + 1, len(digits) + 1) == -1  # the last one is no digit


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", range(1, CLASSES + 3))
def test_sums_of_rows_in_registers_are_those_of_numpy(dtype, n_classes):
    rng = np.random.default_rng(n_classes)
    thin = BYTES // np.dtype(dtype).itemsize
    # Whole numbers, so that no sum is rounded, whatever its order.
    values = rng.integers(-9, 9, (7, 3 * thin + 1)).astype(dtype)
    slopes = rng.integers(-9, 9, (5, n_classes)).astype(dtype)
    batch = rng.integers(0, 7, 5).astype(np.int32)
    weights = rng.integers(-9, 9, (n_classes, values.shape[1])).astype(dtype)
    expected = weights + slopes.T @ values[batch]
    add_wide(values, batch, slopes, weights, 0)
    add_thin(values, batch, slopes, weights, 2 * thin)
    add_column(values, batch, slopes, weights, 3 * thin)
    np.testing.assert_array_equal(weights, expected)
