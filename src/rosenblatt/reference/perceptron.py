"""The perceptron and its relatives.

The online perceptron (Rosenblatt 1958, decks A and B), averaged and voted (Freund and Schapire
1999), for K classes (decks C and D), in batches (deck A), and as gradient descent.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Step = tuple[int, Array, Any, bool]


def is_mistake(y: float, u: float, ties: str) -> bool:
    """Check a score u: ``y·u ≤ 0`` is a mistake, or only a wrong ``sign(u)`` with sign(0) = +1."""
    if ties == "mistake":
        return y * u <= 0
    return (1 if u >= 0 else -1) != y


def perceptron(
    X: Array,
    y: Array,
    orders: Iterable[Iterable[int]],
    *,
    ties: str = "mistake",
    bias: float = True,
    eta: Callable[[int], float] = lambda t: 1.0,
    w: Array | None = None,
    b: float = 0.0,
    weights: Array | None = None,
) -> Iterator[Step]:
    """Yield, after each example: its row, the weights, the intercept, was it a mistake.

    ``weights``, one for each row of X, multiply the steps. ``bias`` is c² if the intercept is the
    weight of a feature of value c.

    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, -1, -1, 1])
    >>> steps = list(perceptron(X, y, [range(4)] * 10))
    >>> sum(int(mistake) for *_, mistake in steps)
    18
    >>> _, w, b, _ = steps[-1]
    >>> w.tolist(), float(b)
    ([3.0, 2.0], -4.0)
    """
    w = np.zeros(X.shape[1]) if w is None else np.array(w, float)
    updates = 0
    for order in orders:
        for i in order:
            u = w @ X[i] + b
            mistake = is_mistake(y[i], u, ties)
            if mistake:
                updates += 1
                step = eta(updates) * (1 if weights is None else weights[i])
                w = w + step * y[i] * X[i]
                b = b + step * y[i] * bias
            yield i, w, b, mistake


def averaged(steps: Iterable[Step]) -> tuple[Array, Any]:
    """Average the weights and intercepts of every step of a reference perceptron.

    >>> from rosenblatt.reference import perceptron
    >>> X, y = np.array([[-1.0, 2], [1, 0], [1, 1]]), np.array([-1, 1, 1])
    >>> w, b = averaged(perceptron(X, y, [range(3)], bias=False))
    >>> w.tolist()  # the mean of (1, −2), (1, −2) and (2, −1)
    [1.333..., -1.666...]
    """
    history = [(w, b) for _, w, b, _ in steps]
    return np.mean([w for w, _ in history], axis=0), np.mean([b for _, b in history], axis=0)


def voted(steps: Iterable[Step], X: Array) -> tuple[Array, list[tuple[Array, Any, int]]]:
    """Return ``Σ c_n sign(w_n · x + b_n)`` for each row of X, and the list of (w_n, b_n, c_n).

    A new vector's count starts at 1, as published; deck A starts it at 0. With weights for K
    classes the votes are a column for each class, given to the class of the largest score.

    >>> X, y = np.array([[-1.0, 2], [1, 0], [1, 1]]), np.array([-1, 1, 1])
    >>> votes, hypotheses = voted(perceptron(X, y, [range(3)], bias=False), X)
    >>> votes.tolist(), [(w.tolist(), count) for w, _, count in hypotheses]
    ([-3, 3, -1], [([1.0, -2.0], 2), ([2.0, -1.0], 1)])
    """
    hypotheses: list[tuple[Array, Any, int]] = []
    for _, w, b, mistake in steps:
        if mistake or not hypotheses:
            hypotheses.append((w, b, 1))
        else:
            w, b, count = hypotheses[-1]
            hypotheses[-1] = (w, b, count + 1)
    votes: Any = 0
    for w, b, count in hypotheses:
        scores = X @ w.T + b
        if scores.ndim == 1:
            votes = votes + count * np.where(scores >= 0, 1, -1)
        else:
            votes = votes + count * np.eye(len(w))[scores.argmax(axis=1)]
    return np.asarray(votes), hypotheses


def multiclass(
    X: Array,
    y: Array,
    orders: Iterable[Iterable[int]],
    n_classes: int,
    *,
    ties: str = "mistake",
    bias: float = True,
    weights: Array | None = None,
) -> Iterator[Step]:
    """Yield, after each example: its row, the K weights, the intercepts, was it a mistake.

    >>> X, y = np.array([[1.0, 0], [0, 1], [-1, -1]]), np.array([0, 1, 2])
    >>> *_, (_, W, b, _) = multiclass(X, y, [range(3)] * 5, 3)
    >>> (X @ W.T + b).argmax(axis=1).tolist()
    [0, 1, 2]
    """
    W, b = np.zeros((n_classes, X.shape[1])), np.zeros(n_classes)
    for order in orders:
        for i in order:
            scores = W @ X[i] + b
            others = scores.copy()
            others[y[i]] = -np.inf
            rival = int(np.argmax(others))
            if ties == "mistake":
                mistake = bool(scores[y[i]] <= scores[rival])
            else:
                mistake = int(np.argmax(scores)) != y[i]
            if mistake:
                W, b = W.copy(), b.copy()
                step = 1 if weights is None else weights[i]
                W[y[i]] += step * X[i]
                W[rival] -= step * X[i]
                b[y[i]] += step * bias
                b[rival] -= step * bias
            yield i, W, b, mistake


def batch(
    X: Array,
    y: Array,
    *,
    eta: float = 1.0,
    epsilon: float = 0.0,
    normalize: bool = True,
    max_iter: int = 100,
    ties: str = "mistake",
    weights: Array | None = None,
) -> tuple[Array, list[int]]:
    """Return the weights (no bias) and the mistakes of each pass.

    ``normalize=False`` with ``eta=1`` is the fixed-increment perceptron. A row of weight 2 counts
    as two.

    >>> X, y = np.array([[2.0, 1], [1, 2], [-1, -1]]), np.array([1, 1, -1])
    >>> w, mistakes = batch(X, y)
    >>> w.round(3).tolist(), mistakes
    ([1.333, 1.333], [3, 0])
    """
    w = np.zeros(X.shape[1])
    counts = np.ones(len(X)) if weights is None else weights
    mistakes = []
    for _ in range(max_iter):
        wrong = [i for i in range(len(X)) if is_mistake(y[i], w @ X[i], ties)]
        delta = -sum((counts[i] * y[i] * X[i] for i in wrong), start=np.zeros_like(w))
        if normalize:
            delta = delta / counts.sum()
        w = w - eta * delta
        mistakes.append(len(wrong))
        if not wrong or np.linalg.norm(delta) < epsilon:
            break
    return w, mistakes


def batch_classes(
    X: Array, y: Array, n_classes: int, *, max_iter: int = 100, weights: Array | None = None
) -> tuple[Array, Array, list[int]]:
    """Do the same for K classes, fixed increment, with intercepts; return them with the weights.

    >>> X, y = np.array([[1.0, 0], [0, 1], [-1, -1]]), np.array([0, 1, 2])
    >>> W, b, mistakes = batch_classes(X, y, 3)
    >>> (X @ W.T + b).argmax(axis=1).tolist(), mistakes
    ([0, 1, 2], [3, 0])
    """
    counts = np.ones(len(X)) if weights is None else weights
    W, b = np.zeros((n_classes, X.shape[1])), np.zeros(n_classes)
    mistakes: list[int] = []
    while len(mistakes) < max_iter and mistakes[-1:] != [0]:
        up, up_intercept = np.zeros_like(W), np.zeros_like(b)
        mistakes.append(0)
        for x, right, count in zip(X, y, counts, strict=True):
            scores = W @ x + b
            rival = int(np.argmax(np.where(np.arange(n_classes) == right, -np.inf, scores)))
            if scores[right] <= scores[rival]:
                mistakes[-1] += 1
                up[right] += count * x
                up[rival] -= count * x
                up_intercept[right] += count
                up_intercept[rival] -= count
        W, b = W + up, b + up_intercept
    return W, b, mistakes


def perceptron_criterion_sgd(
    X: Array, y: Array, order: Iterable[int], eta: float = 1.0
) -> Iterator[Array]:
    """Descend ``J_i(w) = max(0, −y_i w·x_i)`` example by example; yield the weights after each.

    At the kink, where w·x = 0, any of the subgradients between 0 and −y x may be taken; this takes
    −y x, as deck A does.

    >>> X, y = np.array([[2.0, 1], [1, 2], [-1, -1]]), np.array([1, -1, -1])
    >>> [w.tolist() for w in perceptron_criterion_sgd(X, y, [0, 1, 2])]
    [[2.0, 1.0], [1.0, -1.0], [2.0, 0.0]]
    """
    w = np.zeros(X.shape[1])
    for i in order:
        gradient = np.where(y[i] * (w @ X[i]) > 0, 0.0, -y[i] * X[i])
        w = w - eta * gradient
        yield w
