"""Intervals for a share that was counted."""

from math import sqrt
from typing import NamedTuple

_Z = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations


class Interval(NamedTuple):
    """The lowest and the highest value that the data agree with."""

    low: float
    high: float


def wilson(right: int, n: int) -> Interval:
    """Return Wilson's 95 % interval of a share: ``right`` successes in ``n`` independent trials.

    It holds where the share is near 0 or 1 and n is small, where p ± 2 s is far off.

    References
    ----------
    E. B. Wilson (1927), "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(81, 263)]  # Newcombe 1998, table I
    [0.2553, 0.3662]
    >>> [round(end, 4) for end in wilson(0, 20)]
    [0.0, 0.1611]
    """
    share, spread = right / n, _Z * _Z / n
    centre = share + spread / 2
    reach = sqrt(share * (1 - share) * spread + spread * spread / 4)
    low, high = (centre - reach) / (1 + spread), (centre + reach) / (1 + spread)
    # Rounding must not leave the share outside its own interval.
    return Interval(max(0.0, min(low, share)), min(1.0, max(high, share)))
