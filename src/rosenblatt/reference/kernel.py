"""The kernel perceptron (Aizerman et al. 1964): weights as sums of mistakes, never written out.

With ``w = Σ_i a_i φ(x_i)`` a score is ``w · φ(x) = Σ_i a_i k(x_i, x)``: the features φ(x) need not
be computed, only the kernel k.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from rosenblatt.reference.perceptron import is_mistake

Array = np.ndarray[Any, Any]
Rule = Callable[[Any, Array], Array]


def one_against_all(label: int, scores: Array, ties: str = "mistake") -> Array:
    """Return what each machine's coefficient of an example changes by.

    There is a machine for each class, which tells it (+1) from all others (−1). One machine is
    enough for two classes, 0 and 1.

    >>> one_against_all(1, np.array([0.5, -2.0, -1.0])).tolist()
    [-1, 1, 0]
    """
    sides = [1 if k == label else -1 for k in range(len(scores))]
    if len(scores) == 1:
        sides = [1 if label == 1 else -1]
    return np.array(
        [y if is_mistake(y, u, ties) else 0 for y, u in zip(sides, scores, strict=True)]
    )


def joint(label: int, scores: Array, ties: str = "mistake") -> Array:
    """Return the changes by the rule for K classes: add to the right one, take from its rival.

    >>> joint(1, np.array([0.5, -2.0, -1.0])).tolist()
    [-1, 1, 0]
    """
    others = scores.astype(float)
    others[label] = -np.inf
    rival = int(np.argmax(others))
    mistake = scores[label] <= scores[rival] if ties == "mistake" else np.argmax(scores) != label
    change = np.zeros(len(scores), int)
    if mistake:
        change[label], change[rival] = 1, -1
    return change


def kernel_perceptron(
    gram: Array,
    labels: Array,
    orders: Iterable[Iterable[int]],
    n_functions: int = 1,
    rule: Rule = one_against_all,
    budget: float = np.inf,
) -> Iterator[tuple[int, Array, Array]]:
    """Yield, after each example: its row, the coefficients a[k, i], and what they changed by.

    With a budget, at most that many examples have coefficients. When another needs one, the example
    whose own was not changed for longest is forgotten first.

    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    >>> gram = (1.0 + X @ X.T) ** 2  # no line separates these classes, a curve does
    >>> *_, (_, a, _) = kernel_perceptron(gram, y, [range(4)] * 20)
    >>> (a @ gram > 0).astype(int).tolist()
    [[0, 1, 1, 0]]
    """
    a = np.zeros((n_functions, len(gram)), int)
    support: list[int] = []  # the one not changed for longest comes first
    for order in orders:
        for i in order:
            change = rule(labels[i], a @ gram[:, i])
            if change.any():
                a = a.copy()
                if i in support:
                    support.remove(i)
                elif len(support) == budget:
                    a[:, support.pop(0)] = 0
                support.append(i)
                a[:, i] += change
            yield i, a, change
