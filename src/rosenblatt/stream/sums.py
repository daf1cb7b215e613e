"""Sums of which the oldest terms can be taken away again, without loss of digits."""

from collections import deque
from typing import NamedTuple


class Sum:
    """A sum that keeps what rounding takes away (Neumaier 1974).

    Its error does not grow with the number of terms, whether they are added or taken away.

    >>> total = Sum()
    >>> for term in (0.1, 1e20, 0.2, -1e20):
    ...     total.add(term)
    >>> round(total.value, 15)
    0.3
    """

    __slots__ = ("_lost", "_sum")

    def __init__(self) -> None:
        self._sum = self._lost = 0.0

    def add(self, term: float) -> None:
        """Add a term; a negative one takes away."""
        total = self._sum + term
        if abs(self._sum) >= abs(term):
            self._lost += (self._sum - total) + term
        else:
            self._lost += (term - total) + self._sum
        self._sum = total

    @property
    def value(self) -> float:
        """The sum."""
        return self._sum + self._lost


class Moments(NamedTuple):
    """The weight, the mean and the sum of squared deviations of numbers."""

    weight: float = 0.0
    mean: float = 0.0
    squares: float = 0.0

    def joined(self, other: "Moments") -> "Moments":
        """Return the moments of both together (Chan, Golub and LeVeque 1979)."""
        weight = self.weight + other.weight
        if not weight:
            return self
        step = other.mean - self.mean
        share = other.weight / weight
        squares = self.squares + other.squares + step * step * self.weight * share
        return Moments(weight, self.mean + step * share, squares)


class MomentsQueue:
    """The moments of the last numbers, without subtracting: a queue made of two stacks.

    The front holds the moments from each number to the end of the front, the back those of all that
    came later. When the front is used up the back becomes the front: two steps per number, on
    average.
    """

    def __init__(self) -> None:
        self._front: list[Moments] = []
        self._back: deque[Moments] = deque()
        self._sum = Moments()

    def push(self, weight: float, number: float) -> None:
        """Add a number at the end."""
        one = Moments(weight, number)
        self._back.append(one)
        self._sum = self._sum.joined(one)

    def pop(self) -> None:
        """Take the oldest number away."""
        if not self._front:
            total = Moments()
            while self._back:
                total = self._back.pop().joined(total)
                self._front.append(total)
            self._sum = Moments()
        self._front.pop()

    def keep_no_numbers(self) -> None:
        """Forget the single numbers: none is taken away any more."""
        self._back.clear()

    @property
    def moments(self) -> Moments:
        """The moments of all numbers."""
        return self._front[-1].joined(self._sum) if self._front else self._sum


class RunningMean:
    """The mean of all numbers so far, to the last digits of their exact sums."""

    def __init__(self) -> None:
        self._weight, self._total = Sum(), Sum()

    def push(self, weight: float, number: float) -> None:
        """Add a number."""
        self._weight.add(weight)
        self._total.add(weight * number)

    def pop(self) -> None:
        """Take nothing away: all numbers count."""

    @property
    def moments(self) -> Moments:
        """The weight and the mean."""
        weight = self._weight.value
        return Moments(weight, self._total.value / weight if weight else 0.0)
