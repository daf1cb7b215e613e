"""Probabilities from scores: a sigmoid or a softmax, fitted to rows that were not learned from.

Of two classes, ``p = σ(slope · s + offset)``, by the maximum likelihood of smoothed targets (Platt
1999; Lin, Lin and Weng 2007). Of more, ``p = softmax(slope · s)``, one slope for all classes: the
temperature of Guo, Pleiss, Sun and Weinberger (2017).
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array

_MOST = 100  # iterations; a handful is usual
_FLAT = 1e-10  # a slope of the loss that is as good as none
_RIDGE = 1e-12


class Calibration(NamedTuple):
    """What turns scores into log-odds."""

    slope: float = 1.0
    offset: float = 0.0

    def log_odds(self, scores: Array) -> Array:
        """Return the log-odds of the second of two classes; of more, what a softmax takes."""
        return np.asarray(self.slope * scores.astype(np.float64) + self.offset)


class Isotonic(NamedTuple):
    """Increasing curves of probabilities, one for two classes, else one for each.

    ``scores`` and ``probabilities`` are the corners of all curves one after the other, and
    ``sizes`` how many of them each has. Between corners a curve is straight, beyond them flat.
    """

    scores: Array
    probabilities: Array
    sizes: Array

    def of(self, scores: Array) -> Array:
        """Return the probability of each class against the rest; of two, of the second one."""
        ends = np.cumsum(self.sizes)[:-1]
        curves = zip(np.split(self.scores, ends), np.split(self.probabilities, ends), strict=True)
        columns = scores.reshape(len(scores), -1).T
        parts = [np.interp(s, *curve) for s, curve in zip(columns, curves, strict=True)]
        return np.column_stack(parts)


LOGISTIC = Calibration()


class OneClassError(ValueError):
    """Rows of one class say nothing of how sure to be."""


class Rows(NamedTuple):
    """Rows to fit a calibration to: scores, the numbers of their classes, and weights."""

    scores: Array
    codes: Array
    weights: Array | None


def joined(parts: list[Rows]) -> Rows | None:
    """Return some rows as one; None if there are none."""
    parts = [part for part in parts if len(part.codes)]
    if not parts:
        return None
    weights = None
    if any(part.weights is not None for part in parts):
        each = [np.ones(len(p.codes)) if p.weights is None else p.weights for p in parts]
        weights = np.concatenate(each)
    scores, codes = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    return Rows(scores, codes, weights)


def fit(scores: Array, codes: Array, n_classes: int, weights: Array | None = None) -> Calibration:
    """Fit a calibration to the scores of rows, one each for two classes, and their classes.

    The slope is not negative: scores that are worth nothing give each class its share.

    References
    ----------
    J. Platt (1999), "Probabilistic outputs for support vector machines", Advances in Large Margin
    Classifiers. H.-T. Lin, C.-J. Lin and R. C. Weng (2007), "A note on Platt's probabilistic
    outputs for support vector machines", Machine Learning 68. C. Guo, G. Pleiss, Y. Sun and K. Q.
    Weinberger (2017), "On calibration of modern neural networks", ICML.

    Examples
    --------
    >>> scores, codes = np.array([-8.0, -6.0, 2.0, -2.0, 6.0, 8.0]), np.array([0, 0, 0, 1, 1, 1])
    >>> found = fit(scores, codes, 2)
    >>> round(found.slope, 3), abs(round(found.offset, 3))
    (0.152, 0.0)
    """
    if not len(codes):
        raise ValueError("there are no rows to calibrate with")
    if (1 if scores.ndim == 1 else scores.shape[1]) != (1 if n_classes == 2 else n_classes):
        raise ValueError(f"the scores are not those of {n_classes} classes")
    own = np.ones(len(codes)) if weights is None else weights.astype(np.float64)
    scores = scores.astype(np.float64)
    unit = float(np.abs(scores).max()) or 1.0
    if n_classes == 2:
        slope, offset = _two(scores / unit, codes, own)
    else:
        slope, offset = _many(scores / unit, codes, own), 0.0
    with np.errstate(over="ignore"):
        slope = float(np.divide(slope, unit))
    if not (np.isfinite(slope) and np.isfinite(offset)):
        raise ValueError("the scores are too small or too large for probabilities")
    return Calibration(slope, offset)


def _two(s: Array, codes: Array, weights: Array) -> tuple[float, float]:
    """Return slope and offset, by Newton's method with shorter steps where the loss would grow."""
    above, below = float(weights @ (codes == 1)), float(weights @ (codes == 0))
    target = np.where(codes == 1, (above + 1) / (above + 2), 1 / (below + 2))
    at = np.array([0.0, np.log((above + 1) / (below + 1))])
    X = np.column_stack([s, np.ones(len(s))])

    def loss(at: Array) -> float:
        odds = X @ at
        return float(weights @ (np.logaddexp(0, odds) - target * odds))

    def newton(at: Array) -> tuple[Array, Array]:
        p = 1 / (1 + np.exp(-np.clip(X @ at, -700, 700)))
        curve = X.T @ (X * (weights * p * (1 - p))[:, None]) + _RIDGE * np.eye(2)
        slope = X.T @ (weights * (p - target))
        return slope, np.linalg.solve(curve, -slope)

    at = _descended(at, loss, newton, float(weights.sum()))
    if at[0] >= 0:
        return float(at[0]), float(at[1])
    share = float(weights @ target) / float(weights.sum())
    return 0.0, float(np.log(share / (1 - share)))


def _many(s: Array, codes: Array, weights: Array) -> float:
    """Return the slope of a softmax; the loss is convex in it."""
    k, total = s.shape[1], float(weights.sum())
    smooth = 1 / (total + 2)
    target = np.full(s.shape, smooth / k)
    target[np.arange(len(s)), codes] += 1 - smooth
    known = (target * s).sum(axis=1)
    s = s - s.max(axis=1, keepdims=True)
    shift = known - (target * s).sum(axis=1)

    def likely(slope: float) -> tuple[Array, Array]:
        parts = np.exp(slope * s)
        sums = parts.sum(axis=1)
        return parts / sums[:, None], np.log(sums)

    def loss(at: Array) -> float:
        return float(weights @ (likely(at[0])[1] - at[0] * (known - shift)))

    def newton(at: Array) -> tuple[Array, Array]:
        p, _ = likely(at[0])
        mean = (p * s).sum(axis=1)
        curve = float(weights @ ((p * s * s).sum(axis=1) - mean**2)) + _RIDGE
        slope = float(weights @ (mean - (known - shift)))
        return np.array([slope]), np.array([-slope / curve])

    return max(0.0, float(_descended(np.zeros(1), loss, newton, total)[0]))


def _descended(at: Array, loss: Any, newton: Any, total: float) -> Array:
    """Minimise a convex loss by steps of Newton, each halved until the loss falls enough."""
    value = loss(at)
    for _ in range(_MOST):
        slope, step = newton(at)
        if np.abs(slope).max() <= _FLAT * total:
            break
        length = 1.0
        while length > 1e-10:
            new = loss(at + length * step)
            if new < value + 1e-4 * length * float(slope @ step):
                at, value = at + length * step, new
                break
            length /= 2
        else:
            break
    return at


def checked(found: Any, n_classes: int) -> Calibration | None:
    """Return what a file says of it; raise ``ValueError`` for what cannot be."""
    if found is None:
        return None
    sound = isinstance(found, list) and len(found) == 2 and {float} == set(map(type, found))
    if not sound or not np.isfinite(found).all() or found[0] < 0:
        raise ValueError(f"calibration={str(found)[:50]} is not a slope and an offset")
    if n_classes < 2 or (n_classes > 2 and found[1] != 0):
        raise ValueError("the calibration is not for so many classes")
    return Calibration(*found)
