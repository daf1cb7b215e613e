"""Linear threshold units: logic as a weighted sum and a threshold, where that can be done."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any, ClassVar, Self

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from rosenblatt.data.rows import Array
from rosenblatt.geometry import Hyperplane
from rosenblatt.theory.certificates import Inseparable
from rosenblatt.theory.separate import separate

MOST_INPUTS = 10
MOST_ROWS = 20
MOST_NUMBER = 10_000
_NEGATED = re.compile(r"^\s*(?:not\s+|[¬~!−-])\s*", re.IGNORECASE)
_NUMBERED = re.compile(r"^x([1-9][0-9]*)$")
_PATIENCE = 10.0  # seconds to look for the smallest weights


@dataclass(frozen=True)
class ThresholdUnit:
    """A unit that fires if ``w·x ≥ θ``, with whole numbers for weights and inputs of 0 and 1.

    Parameters
    ----------
    weights : tuple of int
        w, one for each input.
    threshold : int
        θ. In the form ``sign(w·x + b)`` with ``sign(0) = +1``, b is −θ.
    names : tuple of str, optional
        What the inputs are called; x1, x2, … by default.

    Examples
    --------
    >>> unit = ThresholdUnit.conjunction("x1", "x2", "x4")
    >>> print(unit)
    x1 + x2 + x4 ≥ 3
    >>> unit([[1, 1, 0, 1], [1, 1, 1, 0]]).tolist()
    [True, False]
    >>> print(ThresholdUnit.at_least(2, "rain", "cold", "not summer"))
    rain + cold − summer ≥ 1
    >>> print(ThresholdUnit.from_truth_table([0, 1, 1, 1]))
    x1 + x2 ≥ 1

    Exclusive or is not such a unit, and here is why:

    >>> print(ThresholdUnit.from_truth_table([0, 1, 1, 0]))
    Inseparable (exact): the hulls meet, so no hyperplane separates the classes.
      points   0, 1, 2, 3
      weights  0.5, 0.5, 0.5, 0.5
    """

    separable: ClassVar[bool] = True
    weights: tuple[int, ...]
    threshold: int
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        weights = tuple(int(w) for w in self.weights)
        names = tuple(self.names) or tuple(f"x{j + 1}" for j in range(len(weights)))
        if not weights or weights != tuple(self.weights) or int(self.threshold) != self.threshold:
            raise ValueError("a unit needs whole numbers for weights, at least one, and threshold")
        if len(names) != len(weights):
            raise ValueError(f"there are {len(weights)} weights but {len(names)} names")
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "threshold", int(self.threshold))
        object.__setattr__(self, "names", names)

    @classmethod
    def conjunction(cls, *inputs: str | int, n_inputs: int | None = None) -> Self:
        """Make a unit that fires if all inputs are true: weights 1, threshold k.

        Parameters
        ----------
        *inputs : str or int
            Names ("x3", "rain") or numbers from 1 on; "not x3", "¬x3" or −3 is a negated input.
        n_inputs : int, optional
            How many inputs x1, x2, … there are; by default as many as the largest number used.
        """
        return cls.at_least(len(inputs), *inputs, n_inputs=n_inputs)

    @classmethod
    def disjunction(cls, *inputs: str | int, n_inputs: int | None = None) -> Self:
        """Make a unit that fires if at least one input is true; inputs as in `conjunction`."""
        return cls.at_least(1, *inputs, n_inputs=n_inputs)

    @classmethod
    def at_least(cls, m: int, *inputs: str | int, n_inputs: int | None = None) -> Self:
        """Make a unit that fires if at least m inputs are true; inputs as in `conjunction`.

        A negated input counts ``1 − x``, so its weight is −1 and the threshold falls by one.
        """
        if not inputs:
            raise ValueError("name at least one input, for example 'x1' or 1")
        if isinstance(m, bool) or not isinstance(m, int | np.integer):
            raise ValueError(f"m must be a whole number, got {m!r}")
        parsed = [_input(one) for one in inputs]
        names = _names([name for name, _ in parsed], n_inputs)
        weights = dict.fromkeys(names, 0)
        for name, sign in parsed:
            if weights[name]:
                raise ValueError(f"{name} is there twice; each input counts once")
            weights[name] = sign
        negated = sum(sign < 0 for _, sign in parsed)
        return cls(tuple(weights.values()), int(m) - negated, names)

    @classmethod
    def from_truth_table(
        cls, table: Sequence[Any] | Array | Mapping[Any, Any]
    ) -> "ThresholdUnit | Inseparable":
        """Find the unit of a Boolean function, with small weights, or the proof that there is none.

        Parameters
        ----------
        table : sequence of 2^n outputs, or a mapping from inputs to outputs
            Outputs are true and false, 1 and 0, or +1 and −1. In a sequence they are in the order
            of counting, x1 being the highest digit: 00, 01, 10, 11. n is at most 10.

        Returns
        -------
        ThresholdUnit or Inseparable
            Both have ``separable``. The certificate's points are rows of the table:
            ``verify(rosenblatt.theory.truth_table(n), outputs)`` checks it.
        """
        outputs = _outputs(table)
        n = len(outputs).bit_length() - 1
        if outputs.all() or not outputs.any():
            return cls((0,) * n, 0 if outputs[0] else 1)
        signs = _directions(outputs, n)
        if isinstance(signs, Inseparable):
            return signs
        rows = truth_table(n)
        answer = separate(rows, outputs)
        if isinstance(answer, Inseparable):
            return answer
        weights, threshold = _small_weights(rows, outputs, signs, answer.plane())
        return cls(weights, threshold)

    def __call__(self, X: Any) -> Array:
        """Return whether the unit fires, for one input vector or for each row of several.

        The columns of a data frame are found by the inputs' names.
        """
        if hasattr(X, "columns"):
            missing = [name for name in self.names if name not in X.columns]
            if missing:
                raise ValueError(
                    f"the unit has an input {missing[0]!r}, which is not a column of X"
                )
            X = X[list(self.names)]
        x = np.asarray(X)
        if x.shape[-1:] != (len(self.weights),):
            raise ValueError(f"the unit has {len(self.weights)} inputs, got shape {x.shape}")
        return np.asarray(x @ np.array(self.weights) >= self.threshold)

    @property
    def hyperplane(self) -> Hyperplane:
        """The plane whose positive side, itself included, the unit fires on."""
        return Hyperplane(np.array(self.weights, float), float(-self.threshold))

    def truth_table(self) -> Array:
        """Return the outputs for all inputs, in the order of counting."""
        return self(truth_table(len(self.weights)))

    def __str__(self) -> str:
        terms = [
            ("−" if w < 0 else "+", name if abs(w) == 1 else f"{abs(w)}·{name}")
            for w, name in zip(self.weights, self.names, strict=True)
            if w
        ]
        text = " ".join(f"{sign} {term}" for sign, term in terms) or "+ 0"
        text = text[2:] if text.startswith("+") else f"−{text[2:]}"
        return f"{text} ≥ {str(self.threshold).replace('-', '−')}"


def truth_table(n: int) -> Array:
    """Return all inputs of n bits as rows of 0 and 1, in the order of counting.

    Parameters
    ----------
    n : int
        How many bits an input has.

    Returns
    -------
    array of shape (2**n, n)

    Examples
    --------
    >>> truth_table(2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    if not 0 < n <= MOST_ROWS:
        raise ValueError(f"a table of n inputs has 2^n rows; n must lie in 1…{MOST_ROWS}, got {n}")
    return np.array(list(product((0, 1), repeat=n)), np.int64).reshape(2**n, n)


def _input(one: str | int) -> tuple[str, int]:
    """Return an input's name, and −1 if it is negated."""
    if isinstance(one, int | np.integer) and not isinstance(one, bool) and one:
        return f"x{abs(int(one))}", 1 if one > 0 else -1
    if isinstance(one, str):
        name = _NEGATED.sub("", one).strip()
        if name:
            return name, 1 if name == one.strip() else -1
    raise ValueError(f"an input is a name or a number from 1 on, got {one!r}")


def _names(used: list[str], n_inputs: int | None) -> tuple[str, ...]:
    """List all inputs: x1, x2, … as far as they go, or the names in the order given."""
    numbers = [_NUMBERED.match(name) for name in used]
    if all(numbers):
        largest = max(int(match[1]) for match in numbers if match)
        if max(largest, n_inputs or 0) > MOST_NUMBER:
            raise ValueError(f"inputs are numbered up to {MOST_NUMBER:,}, got x{largest}")
        if n_inputs is not None and n_inputs < largest:
            raise ValueError(f"x{largest} is not among {n_inputs} inputs")
        return tuple(f"x{j + 1}" for j in range(n_inputs or largest))
    names = tuple(dict.fromkeys(used))
    if n_inputs is not None and n_inputs != len(names):
        raise ValueError(f"n_inputs is {n_inputs}, but the inputs are named {', '.join(names)}")
    return names


def _outputs(table: Any) -> Array:
    """Return a table's outputs as booleans, in the order of counting."""
    if isinstance(table, Mapping):
        rows = {tuple(int(v) for v in np.atleast_1d(key)): value for key, value in table.items()}
        n = len(next(iter(rows), ()))
        missing = [bits for bits in product((0, 1), repeat=n) if bits not in rows]
        if not n or missing or len(rows) != 2**n:
            raise ValueError(f"a table of {n} inputs needs an output for each of 2^{n} inputs")
        table = [rows[bits] for bits in product((0, 1), repeat=n)]
    values = np.asarray(table)
    n = len(values).bit_length() - 1 if values.ndim == 1 else 0
    if n < 1 or len(values) != 2**n:
        raise ValueError(f"a truth table has 2, 4, 8, … outputs, got shape {values.shape}")
    if n > MOST_INPUTS:
        raise ValueError(f"a truth table may have {MOST_INPUTS} inputs, got {n}")
    found = set(values.tolist())
    if not (found <= {0, 1} or found <= {-1, 1}):
        raise ValueError(f"outputs must be true and false, 1 and 0, or +1 and −1, got {found}")
    return np.asarray(values == 1)


def _directions(outputs: Array, n: int) -> Array | Inseparable:
    """Return the sign of each input's influence, or the four rows that prove it has both.

    If an input turns the output on in one place and off in another, the two rows where it is on add
    up to the same as the two where it is off: the hulls share their middle.
    """
    numbers = np.arange(2**n)
    signs = np.ones(n, np.int64)
    for j in range(n):
        bit = 1 << (n - 1 - j)
        low = numbers[(numbers & bit) == 0]
        change = outputs[low | bit].astype(int) - outputs[low]
        up, down = low[change > 0], low[change < 0]
        if len(up) and len(down):
            rows = {up[0] | bit, up[0], down[0] | bit, down[0]}
            return Inseparable(np.sort(np.array(list(rows))), np.full(4, 0.5))
        signs[j] = -1 if len(down) else 1
    return signs


def _small_weights(
    rows: Array, outputs: Array, signs: Array, plane: Any
) -> tuple[tuple[int, ...], int]:
    """Find the smallest whole weights: an integer program, whose answer is then checked."""
    n = rows.shape[1]
    inputs = np.column_stack([rows * signs, -np.ones(len(rows), np.int64)])
    low = np.where(outputs, 0, -np.inf)
    high = np.where(outputs, np.inf, -1)
    # Weights along the signs are not negative, and their sum is to be small.
    cost = np.append(np.ones(n), 0.0)
    solution = milp(
        cost,
        constraints=LinearConstraint(inputs, low, high),
        integrality=np.ones(n + 1),
        bounds=Bounds(np.append(np.zeros(n), -np.inf), np.inf),
        options={"time_limit": _PATIENCE},
    )
    if solution.x is not None:
        weights = np.rint(solution.x).astype(np.int64)
        if np.array_equal(inputs @ weights >= 0, outputs):
            return tuple((weights[:n] * signs).tolist()), int(weights[n])
    return _scaled_weights(rows, outputs, plane)


def _scaled_weights(rows: Array, outputs: Array, plane: Any) -> tuple[tuple[int, ...], int]:
    """Make whole weights of a separating plane: fractions near its numbers, times their divisor."""
    size = max(abs(int(v)) for v in plane.normal)
    for most in (10, 100, 10**4, 10**8):
        near = [Fraction(int(v), size).limit_denominator(most) for v in plane.normal]
        common = lcm(*(v.denominator for v in near))
        weights = np.array([int(v * common) for v in near], object)
        sums = rows.astype(object).dot(weights)
        if min(sums[outputs]) > max(sums[~outputs]):
            return tuple(weights.tolist()), int(min(sums[outputs]))
    normal = [int(v) for v in plane.normal]
    sums = rows.astype(object).dot(np.array(normal, object))
    return tuple(normal), int(min(sums[outputs]))
