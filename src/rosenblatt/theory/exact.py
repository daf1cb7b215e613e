"""Exact arithmetic: floats are fractions with a power of two below, so whole numbers will do.

Python's integers never overflow. Matrices of them are NumPy arrays of objects.
"""

from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple

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


# Products of as many as 2,048 pairs of numbers below them stay below 2⁶³.
PRIMES = (67108859, 67108837, 67108819, 67108777)
FEW = 16
_LIMB = 26
_FIRST = 8


class Pivots(NamedTuple):
    """Rows and columns that are independent modulo a prime, and no more are."""

    rows: list[int]
    columns: list[int]


def pivots(matrix: Whole, prime: int = PRIMES[0]) -> Pivots:
    """Find independent rows and columns by Gauss's elimination modulo a prime."""
    A = (matrix % prime).astype(np.int64)
    number = np.arange(len(A))
    found = Pivots([], [])
    for column in range(A.shape[1]):
        p = len(found.rows)
        nonzero = np.flatnonzero(A[p:, column])
        if not nonzero.size:
            continue
        at = p + int(nonzero[0])
        A[[p, at]], number[[p, at]] = A[[at, p]], number[[at, p]]
        row = A[p] * pow(int(A[p, column]), -1, prime) % prime
        A[p + 1 :] = (A[p + 1 :] - np.multiply.outer(A[p + 1 :, column], row)) % prime
        found.rows.append(int(number[p]))
        found.columns.append(column)
        if p + 1 == len(A):
            break
    return found


def solve(matrix: Whole, right: Whole) -> tuple[Whole, int] | None:
    """Solve a square system: ``matrix · numbers = divisor · right``, with a divisor above zero.

    None if the matrix is singular.

    >>> numbers, divisor = solve(np.array([[2, 1], [1, 3]], object), np.array([3, 5], object))
    >>> numbers.tolist(), divisor
    ([4, 7], 5)
    """
    if len(matrix) <= FEW:
        return _eliminated(matrix, right)
    if not right.any():
        return np.zeros(len(right), object), 1
    for prime in PRIMES:
        inverse = _inverse(matrix, prime)
        if inverse is not None:
            return _lifted(matrix, right, inverse, prime)
    return _eliminated(matrix, right)  # singular, or regular and a prank on these primes


def null_vector(matrix: Whole) -> Whole | None:
    """Return whole numbers, not all zero, with ``matrix · numbers = 0``; None if none was found.

    >>> null_vector(np.array([[1, 1, -2], [0, 1, -1]], object)).tolist()
    [1, 1, 1]
    """
    for prime in PRIMES:
        rows, columns = pivots(matrix, prime)
        free = next((c for c in range(matrix.shape[1]) if c not in set(columns)), None)
        if free is None:
            return None
        numbers = np.zeros(matrix.shape[1], object)
        numbers[free] = 1
        if columns:
            solution = solve(matrix[np.ix_(rows, columns)], -matrix[rows, free])
            if solution is None:
                continue
            numbers[columns], numbers[free] = solution
        if not matrix.dot(numbers).any():
            return shortest(numbers)
    return None


def _eliminated(matrix: Whole, right: Whole) -> tuple[Whole, int] | None:
    """Solve by elimination. After each step all pivots are one number, a minor of the matrix."""
    A, last = np.concatenate([matrix, right[:, None]], axis=1), 1
    for p in range(len(A)):
        nonzero = np.flatnonzero(A[p:, p])
        if not nonzero.size:
            return None
        at = p + int(nonzero[0])
        A[[p, at]] = A[[at, p]]
        pivot, row, factors = A[p, p], A[p].copy(), A[:, p].copy()
        A = (A * pivot - np.multiply.outer(factors, row)) // last
        A[p], last = row, pivot
    return (A[:, -1], last) if last > 0 else (-A[:, -1], -last)


def _inverse(matrix: Whole, prime: int) -> Array | None:
    """Invert modulo a prime; None if that cannot be done."""
    n = len(matrix)
    A = np.concatenate([(matrix % prime).astype(np.int64), np.eye(n, dtype=np.int64)], axis=1)
    for p in range(n):
        nonzero = np.flatnonzero(A[p:, p])
        if not nonzero.size:
            return None
        at = p + int(nonzero[0])
        A[[p, at]] = A[[at, p]]
        A[p] = A[p] * pow(int(A[p, p]), -1, prime) % prime
        factors = A[:, p].copy()
        factors[p] = 0
        A = (A - np.multiply.outer(factors, A[p])) % prime
    return A[:, n:]


def _lifted(matrix: Whole, right: Whole, inverse: Array, prime: int) -> tuple[Whole, int]:
    """Lift the solution modulo a prime to the solution itself."""
    limbs = _limbs(matrix)
    rest = right.copy()
    # By Hadamard's inequality numerators and divisor are at most as large as this.
    sizes = [int(row.dot(row)) + int(b) ** 2 for row, b in zip(matrix, right, strict=True)]
    enough = 2 + sum(size.bit_length() + 1 for size in sizes) // (prime.bit_length() - 1)
    digits: list[Whole] = []
    wanted = _FIRST
    while True:
        while len(digits) < wanted:
            digit = inverse @ (rest % prime).astype(np.int64) % prime
            product = sum(
                (limb @ digit).astype(object) << (_LIMB * k) for k, limb in enumerate(limbs)
            )
            rest = (rest - product) // prime
            digits.append(digit.astype(object))
        found = _fractions(*_joined(digits, prime))
        if found is not None and not (matrix.dot(found[0]) - found[1] * right).any():
            return found
        assert wanted < 2 * enough, "more digits than Hadamard's inequality allows"
        wanted *= 2


def _limbs(matrix: Whole) -> list[Array]:
    """Cut whole numbers into pieces that machine integers can multiply exactly."""
    sign, rest = np.where(matrix < 0, -1, 1), abs(matrix)
    limbs = []
    while rest.any():
        limbs.append((rest & ((1 << _LIMB) - 1)).astype(np.int64) * sign)
        rest = rest >> _LIMB
    return limbs


def _joined(digits: list[Whole], prime: int) -> tuple[Whole, int]:
    """Put digits to the base of a prime together, in pairs; return the numbers and the modulus."""
    base, parts = prime, list(digits)
    while len(parts) > 1:
        if len(parts) % 2:
            parts.append(np.zeros_like(parts[0]))
        parts = [low + high * base for low, high in zip(parts[::2], parts[1::2], strict=True)]
        base = base * base
    return parts[0], base


def _fractions(residues: Whole, modulus: int) -> tuple[Whole, int] | None:
    """Find small fractions with one divisor that these are modulo the modulus (Wang 1981)."""
    limit = isqrt(modulus // 2)
    divisor = 1
    numbers: list[int] = []
    for value in residues.tolist():
        value = value * divisor % modulus
        small = value - modulus if 2 * value > modulus else value
        if abs(small) <= limit:
            numbers.append(small)
            continue
        older, old, newer, new = modulus, 0, value, 1
        while newer > limit:
            quotient = older // newer
            older, newer = newer, older - quotient * newer
            old, new = new, old - quotient * new
        if new < 0:
            newer, new = -newer, -new
        if new == 0 or divisor * new > limit:
            return None
        divisor *= new
        numbers = [number * new for number in numbers] + [newer]
    return np.array(numbers, object), divisor
