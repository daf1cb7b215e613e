"""Detectors of drift: changes of the mean of a stream of numbers, such as errors.

`update` takes the next number and says whether there is a change. The errors of a model are such
numbers: see ``drift`` of `rosenblatt.stream.metrics.progressive`.
"""

from collections import deque
from collections.abc import Callable
from math import inf, log, sqrt
from typing import Any

from rosenblatt.stream.metric_checks import number
from rosenblatt.stream.river import RiverPart, join
from rosenblatt.stream.sums import Moments

__all__ = ["ADWIN", "PageHinkley"]


class _Detector(RiverPart):
    """What both share: counts, and what to call."""

    def __init__(self, on_drift: Callable[[Any], Any] | None) -> None:
        join()
        if on_drift is not None and not callable(on_drift):
            raise TypeError(f"on_drift={on_drift!r} must be a function, which takes the detector")
        self.on_drift = on_drift
        self.drift_detected = False
        self.t_ = self.n_detections_ = 0

    def update(self, x: float) -> bool:
        """Take in the next number; return whether a change was detected with it."""
        x = number(x, "x")
        self.t_ += 1
        self.drift_detected = self._take(x)
        if self.drift_detected:
            self.n_detections_ += 1
            if self.on_drift is not None:
                self.on_drift(self)
        return self.drift_detected

    def _take(self, x: float) -> bool:
        raise NotImplementedError

    def __repr__(self) -> str:
        """Say what it has seen."""
        return f"{type(self).__name__}({self.t_:,} numbers, {self.n_detections_:,} changes)"

    __str__ = __repr__


class ADWIN(_Detector):
    """A window as long as its mean has not changed (Bifet and Gavaldà 2007).

    Wherever the window can be cut in two, the means of the parts, of n₀ and n₁ numbers, are
    compared: they differ if they are further apart than
    ``√(2σ² ln(2/δ') / m) + 2 ln(2/δ') / (3m)``, where ``1/m = 1/n₀ + 1/n₁``, σ² is the variance of
    the window, n its length, and ``δ' = δ / ln n``. While some parts differ, the oldest numbers are
    dropped.

    The numbers lie in buckets of 1, 2, 4, … of them, and the window is cut between buckets only: an
    update takes memory and time that are logarithmic in the length. `rosenblatt.reference.adwin`
    cuts everywhere.

    Parameters
    ----------
    delta : float, default=0.002
        The probability of a false alarm at a check, for numbers between 0 and 1.
    clock : int, default=32
        How many numbers come between two checks.
    max_buckets : int, default=5
        How many buckets there are of each size at most. With more of them cuts are finer.
    min_part : int, default=5
        How many numbers each part has at least.
    on_drift : callable, optional
        Is called with the detector at each change.

    Attributes
    ----------
    drift_detected : bool
        Whether the last number made a change known.
    width_ : int
        The length of the window.
    mean_, variance_ : float
        The mean and the variance of the window.
    t_, n_detections_ : int
        How many numbers and how many changes there were.

    References
    ----------
    A. Bifet and R. Gavaldà (2007), "Learning from time-changing data with adaptive windowing", SIAM
    International Conference on Data Mining.

    Examples
    --------
    >>> from rosenblatt.stream.drift import ADWIN
    >>> detector = ADWIN(on_drift=lambda found: print(f"{found.t_}: now {found.mean_:.2f}"))
    >>> for k in range(2000):
    ...     _ = detector.update(k % 10 == 0 if k < 1000 else k % 2 == 0)
    1056: now 0.21
    1088: now 0.28
    1120: now 0.35
    1440: now 0.49
    """

    def __init__(
        self,
        delta: float = 0.002,
        clock: int = 32,
        max_buckets: int = 5,
        min_part: int = 5,
        on_drift: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(on_drift)
        if not 0 < delta < 1:
            raise ValueError(f"delta={delta!r} must be between 0 and 1")
        for name, value, least in (
            ("clock", clock, 1),
            ("max_buckets", max_buckets, 2),
            ("min_part", min_part, 1),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(f"{name}={value!r} must be a whole number, {least} or more")
        self.delta, self.clock = delta, clock
        self.max_buckets, self.min_part = max_buckets, min_part
        self.width_ = 0
        self._rows: list[deque[Moments]] = [deque()]  # buckets by size, each the oldest first

    @property
    def mean_(self) -> float:
        """The mean of the window."""
        return self._all().mean

    @property
    def variance_(self) -> float:
        """The variance of the window."""
        return self._all().squares / self.width_ if self.width_ else 0.0

    def _all(self) -> Moments:
        total = Moments()
        for row in reversed(self._rows):
            for bucket in row:
                total = total.joined(bucket)
        return total

    def _take(self, x: float) -> bool:
        self._rows[0].append(Moments(1.0, x))
        self.width_ += 1
        for size, row in enumerate(self._rows):
            if len(row) <= self.max_buckets:
                break
            if size + 1 == len(self._rows):
                self._rows.append(deque())
            self._rows[size + 1].append(row.popleft().joined(row.popleft()))
        if self.t_ % self.clock:
            return False
        changed = False
        while self.width_ >= 2 * self.min_part and self._differs():
            self._drop_oldest()
            changed = True
        return changed

    def _differs(self) -> bool:
        """Say whether there is a cut whose parts have different means."""
        whole, n = self._all(), self.width_
        confidence = log(2 * max(log(n), 1.0) / self.delta)
        variance = whole.squares / n
        old = Moments()
        for row in reversed(self._rows):
            for bucket in row:
                old = old.joined(bucket)
                n_old, n_new = old.weight, n - old.weight
                if n_new < self.min_part:
                    return False
                if n_old < self.min_part:
                    continue
                # Of the means' difference, as the whole is their mean.
                difference = abs(old.mean - whole.mean) * n / n_new
                parts = 1 / n_old + 1 / n_new
                bound = sqrt(2 * variance * confidence * parts) + 2 / 3 * confidence * parts
                if difference > bound:
                    return True
        return False

    def _drop_oldest(self) -> None:
        self.width_ -= int(self._rows[-1].popleft().weight)
        while len(self._rows) > 1 and not self._rows[-1]:
            self._rows.pop()


class PageHinkley(_Detector):
    """The test of Page (1954) and Hinkley: cumulated deviations from the mean so far.

    With ``m ← αm + (x − mean − δ)`` an increase is detected when m is more than the threshold above
    its minimum, and likewise a decrease. After a change it begins anew.

    Parameters
    ----------
    threshold : float, default=50.0
        How far the sum may go; larger is later, with fewer false alarms.
    delta : float, default=0.005
        Changes of the mean that are tolerated.
    alpha : float, default=0.9999
        How fast the sum forgets; 1 is not at all.
    min_numbers : int, default=30
        How many numbers must come before a change can be detected.
    direction : {"both", "up", "down"}, default="both"
        Which changes count.
    on_drift : callable, optional
        Is called with the detector at each change.

    Attributes
    ----------
    drift_detected : bool
        Whether the last number made a change known.
    t_, n_detections_ : int
        How many numbers and how many changes there were.

    References
    ----------
    E. S. Page (1954), "Continuous inspection schemes", Biometrika 41. D. V. Hinkley (1971),
    "Inference about the change-point from cumulative sum tests", Biometrika 58.

    Examples
    --------
    >>> from rosenblatt.stream.drift import PageHinkley
    >>> detector = PageHinkley(on_drift=lambda found: print(f"a change by {found.t_}"))
    >>> for k in range(2000):
    ...     _ = detector.update(k % 10 == 0 if k < 1000 else k % 2 == 0)
    a change by 1135
    """

    def __init__(
        self,
        threshold: float = 50.0,
        delta: float = 0.005,
        alpha: float = 0.9999,
        min_numbers: int = 30,
        direction: str = "both",
        on_drift: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(on_drift)
        if direction not in ("both", "up", "down"):
            raise ValueError(f"direction={direction!r} must be one of both, up, down")
        if not threshold > 0 or not delta >= 0 or not 0 < alpha <= 1:
            raise ValueError(
                f"threshold={threshold!r} must be above 0, delta={delta!r} 0 or more, and "
                f"alpha={alpha!r} above 0 and at most 1"
            )
        self.threshold, self.delta, self.alpha = threshold, delta, alpha
        self.min_numbers, self.direction = min_numbers, direction
        self._begin()

    def _begin(self) -> None:
        self._n, self._mean = 0, 0.0
        self._up = self._down = 0.0
        self._least, self._most = inf, -inf

    def _take(self, x: float) -> bool:
        if self.drift_detected:  # at the number before
            self._begin()
        self._n += 1
        self._mean += (x - self._mean) / self._n
        deviation = x - self._mean
        self._up = self.alpha * self._up + deviation - self.delta
        self._down = self.alpha * self._down + deviation + self.delta
        self._least, self._most = min(self._least, self._up), max(self._most, self._down)
        if self._n < self.min_numbers:
            return False
        rises = self.direction != "down" and self._up - self._least > self.threshold
        return rises or (self.direction != "up" and self._most - self._down > self.threshold)
