"""The perceptron's descendants that want a margin of 1, not just the right side.

Passive-aggressive (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006): the least change of w
after which the row has its margin, or a compromise. AROW (Crammer, Kulesza and Dredze 2009): the
same with a variance for each weight, so that those of features seen often change less.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from rosenblatt.reference.perceptron import Array, is_mistake

MarginStep = tuple[int, Array, Array, bool, float]


def passive_aggressive(
    X: Array,
    y: Array,
    orders: Iterable[Iterable[int]],
    *,
    n_functions: int = 1,
    C: float = 1.0,
    loss: str = "hinge",
    bias: bool = True,
    ties: str = "mistake",
    weights: Array | None = None,
) -> Iterator[MarginStep]:
    """Yield, after each example: its row, the weights, the intercepts, was it a mistake, the loss.

    ``loss="hinge"`` is PA-I, "squared_hinge" PA-II; with ``C=inf`` both are PA. A row's weight
    multiplies C, the price of what its margin lacks; if it is below 1, also the loss, so that the
    step is that part of a whole one.

    >>> X, y = np.array([[1.0, 0], [0, 2]]), np.array([1, -1])
    >>> for _, w, b, mistake, loss in passive_aggressive(X, y, [range(2)], bias=False):
    ...     print(w.tolist(), mistake, loss)
    [[1.0, 0.0]] True 1.0
    [[1.0, -0.5]] True 1.0
    """

    def move(W: Array, z: Array, gap: float, weight: float) -> Array:
        size = np.sum(z * z)
        if size == 0:
            return W
        price, gap = C * weight, gap * min(weight, 1.0)
        step = min(price, gap / size) if loss == "hinge" else gap / (size + 1 / (2 * price))
        return np.asarray(W + step * z)

    yield from _steps(X, y, orders, n_functions, bias, ties, move, weights)


def arow(
    X: Array,
    y: Array,
    orders: Iterable[Iterable[int]],
    *,
    n_functions: int = 1,
    r: float = 1.0,
    bias: bool = True,
    ties: str = "mistake",
    variances: list[Array] | None = None,
    weights: Array | None = None,
) -> Iterator[MarginStep]:
    """Yield the same. The variances after each example are added to a list, if there is one.

    The covariance is diagonal: of all such matrices the paper's objective is least for the one
    whose inverse grows by ``x²/r``. A row's weight divides r, which divides its part of that
    objective.

    >>> X, y = np.array([[1.0, 0], [0, 2]]), np.array([1, -1])
    >>> for _, w, b, mistake, loss in arow(X, y, [range(2)], bias=False):
    ...     print(w.tolist(), mistake, loss)
    [[0.5, 0.0]] True 1.0
    [[0.5, -0.4]] True 1.0
    """
    variance = np.ones((n_functions, X.shape[1] + 1))

    def move(W: Array, z: Array, gap: float, weight: float) -> Array:
        nonlocal variance
        step = gap / (np.sum(variance * z * z) + r / weight)
        W = W + step * variance * z
        variance = 1 / (1 / variance + z * z / (r / weight))
        return np.asarray(W)

    for step in _steps(X, y, orders, n_functions, bias, ties, move, weights):
        if variances is not None:
            variances.append(variance)
        yield step


def _steps(
    X: Array,
    y: Array,
    orders: Iterable[Iterable[int]],
    n_functions: int,
    bias: bool,
    ties: str,
    move: Callable[[Array, Array, float, float], Array],
    weights: Array | None,
) -> Iterator[MarginStep]:
    """Move W if a row's margin is below 1; z is what the margin is the product of W with.

    With two classes y is ±1 and z = y x. With K classes z has x in the line of the right class, and
    −x in that of the best other. The last column is the intercept's.
    """
    W = np.zeros((n_functions, X.shape[1] + 1))
    for order in orders:
        for i in order:
            x, z = np.append(X[i], float(bias)), np.zeros_like(W)
            scores = W @ x
            if n_functions == 1:
                z[0] = y[i] * x
                mistake = is_mistake(y[i], scores[0], ties)
            else:
                others = np.where(np.arange(n_functions) == y[i], -np.inf, scores)
                rival = int(np.argmax(others))
                z[y[i]], z[rival] = x, -x
                best = int(np.argmax(scores))
                beaten = bool(scores[y[i]] <= scores[rival])
                mistake = beaten if ties == "mistake" else best != y[i]
            gap = max(0.0, 1 - float(np.sum(W * z)))
            if gap > 0:
                W = move(W, z, gap, 1.0 if weights is None else float(weights[i]))
            yield i, W[:, :-1], W[:, -1], mistake, gap
