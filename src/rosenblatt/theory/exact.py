"""Exact arithmetic: floats are fractions with a power of two below, so whole numbers will do.

Python's integers never overflow. Matrices of them are NumPy arrays of objects.
"""

from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.rows import Array, Dense, Rows

Whole = NDArray[np.object_]
_MANTISSA = 53


def whole(values: Array) -> tuple[Whole, int]:
    """Write floats as whole numbers times one power of two: ``values = numbers · 2^exponent``.

    >>> numbers, exponent = whole(np.array([0.5, -3.0, 0.0]))
    >>> numbers.tolist(), exponent
    ([1, -6, 0], -1)
    """
    fraction, exponent = np.frexp(np.asarray(values, np.float64))
    mantissa = (fraction * 2.0**_MANTISSA).astype(np.int64)
    exponent = exponent.astype(np.int64) - _MANTISSA
    used = mantissa != 0
    if not used.any():
        return mantissa.astype(object), 0
    # Numbers such as 3.0 end in zeros, which would make all that follows longer.
    low = np.where(used, mantissa & -mantissa, 1)
    mantissa //= low
    exponent += np.where(used, np.frexp(low.astype(np.float64))[1] - 1, 0)
    least = int(exponent[used].min())
    shift = np.where(used, exponent - least, 0).astype(object)
    return mantissa.astype(object) << shift, least


def dot(rows: Rows, i: int, normal: Whole, power: int) -> Fraction:
    """Return ``w · x_i``, with ``w = normal · 2^power``."""
    if isinstance(rows, Dense):
        numbers, exponent = whole(rows.values[i])
        total = numbers.dot(normal)
    else:
        start, stop = rows.indptr[i], rows.indptr[i + 1]
        numbers, exponent = whole(rows.values[start:stop])
        total = numbers.dot(normal[rows.indices[start:stop]]) if stop > start else 0
    return scaled(int(total), exponent + power)


def scaled(number: int, exponent: int) -> Fraction:
    """Return ``number · 2^exponent``."""
    return Fraction(number << exponent) if exponent >= 0 else Fraction(number, 1 << -exponent)


def shortest(numbers: Whole) -> Whole:
    """Divide whole numbers by their greatest common divisor."""
    divisor = int(np.gcd.reduce(numbers))
    return numbers // divisor if divisor > 1 else numbers


def root_below(value: Fraction) -> float:
    """Return a float at most ``√value`` and next to it."""
    bits = max(0, 128 - value.numerator.bit_length() + value.denominator.bit_length())
    bits += bits % 2
    root = isqrt((value.numerator << bits) // value.denominator)
    return below(scaled(root, -bits // 2))


def root_above(value: Fraction) -> float:
    """Return a float at least ``√value`` and next to it."""
    root = root_below(value)
    while Fraction(root) ** 2 < value:
        if root == np.finfo(np.float64).max:
            return float("inf")
        root = float(np.nextafter(root, np.inf))
    return root


def below(value: Fraction) -> float:
    """Return the largest float that is not larger."""
    try:
        nearby = float(value)
    except OverflowError:
        return float(np.finfo(np.float64).max) if value > 0 else -float("inf")
    return nearby if Fraction(nearby) <= value else float(np.nextafter(nearby, -np.inf))


def decimals(number: Any) -> float:
    """Return the nearest float to a fraction; infinity where there is none."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else -float("inf")
