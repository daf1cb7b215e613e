"""The area under the ROC curve of scores that come and go.

`Ranks` is exact: a tree ordered by score whose nodes know of what is below them the weight of the
positives, of the negatives, and of the pairs in which the positive has the larger score. Adding
and removing an example change one path, and no sum is ever subtracted from but that of a score
that several examples share. `Bins` counts scores of like log-odds as equal, so its memory is
bounded, and it knows how far off that can be.
"""

import random
from math import log

import numpy as np

from rosenblatt.stream.sums import Sum


class _Node:
    """A score, with the weights of its examples and of all below it."""

    __slots__ = (
        "left",
        "members",
        "negative",
        "own",
        "pairs",
        "positive",
        "priority",
        "right",
        "score",
    )

    def __init__(self, score: float, priority: float) -> None:
        self.score, self.priority = score, priority
        self.own, self.members = (Sum(), Sum()), [0, 0]
        self.left: _Node | None = None
        self.right: _Node | None = None
        self.positive = self.negative = self.pairs = 0.0

    def change(self, positive: bool, weight: float, more: int) -> None:
        self.members[positive] += more
        self.own[positive].add(more * weight)
        if not self.members[positive]:
            self.own[positive].__init__()  # type: ignore[misc]
        self.refresh()

    def refresh(self) -> None:
        """Compute what is below from the children."""
        negative, positive = self.own[0].value, self.own[1].value
        pairs = 0.5 * positive * negative
        if self.left is not None:
            pairs += self.left.pairs + positive * self.left.negative
            negative += self.left.negative
        if self.right is not None:
            pairs += self.right.pairs + self.right.positive * negative
            negative += self.right.negative
            positive += self.right.positive
        if self.left is not None:
            positive += self.left.positive
        self.positive, self.negative, self.pairs = positive, negative, pairs


class Ranks:
    """Scores of positives and negatives in order, in a treap (Seidel and Aragon 1996)."""

    def __init__(self) -> None:
        self._root: _Node | None = None
        self._random = random.Random(0).random

    def add(self, score: float, positive: bool, weight: float) -> None:
        """Add an example, in logarithmic time."""
        path = self._path(score)
        node = path[-1] if path else None
        if node is None or node.score != score:
            node = _Node(score, self._random())
            if not path:
                self._root = node
            elif score < path[-1].score:
                path[-1].left = node
            else:
                path[-1].right = node
            path.append(node)
        node.change(positive, weight, 1)
        self._repair(path)

    def remove(self, score: float, positive: bool, weight: float) -> None:
        """Remove an example that was added."""
        path = self._path(score)
        node = path.pop()
        node.change(positive, weight, -1)
        if any(node.members):
            path.append(node)
        else:
            self._put(path, node, _joined(node.left, node.right))
        for above in reversed(path):
            above.refresh()

    def _path(self, score: float) -> list[_Node]:
        """Return the nodes from the root to that of a score, or to where it belongs."""
        path, node = [], self._root
        while node is not None:
            path.append(node)
            if node.score == score:
                break
            node = node.left if score < node.score else node.right
        return path

    def _repair(self, path: list[_Node]) -> None:
        """Rotate the last node up to where its priority belongs, and refresh those above."""
        node = path.pop()
        while path and path[-1].priority < node.priority:
            above = path.pop()
            if above.left is node:
                above.left, node.right = node.right, above
            else:
                above.right, node.left = node.left, above
            above.refresh()
            self._put(path, above, node)
        node.refresh()
        for above in reversed(path):
            above.refresh()

    def _put(self, path: list[_Node], old: _Node, new: _Node | None) -> None:
        if not path:
            self._root = new
        elif path[-1].left is old:
            path[-1].left = new
        else:
            path[-1].right = new

    @property
    def area(self) -> float:
        """The area under the curve; NaN without positives or negatives."""
        root = self._root
        if root is None or not root.positive * root.negative:
            return float("nan")
        return root.pairs / (root.positive * root.negative)


def _joined(left: _Node | None, right: _Node | None) -> _Node | None:
    """Join two trees, all scores of the first of which are smaller."""
    if left is None or right is None:
        return right if left is None else left
    if left.priority > right.priority:
        left.right = _joined(left.right, right)
        left.refresh()
        return left
    right.left = _joined(left, right.left)
    right.refresh()
    return right


_PER_UNIT = 64  # bins for each unit of log-odds, so that p and 1.016 p may be equal
_MOST = 40.0


class Bins:
    """Probabilities of positives and negatives, counted by their log-odds."""

    def __init__(self) -> None:
        self._weights = np.zeros((2, 2 * int(_MOST * _PER_UNIT) + 1))

    def add(self, probability: float, positive: bool, weight: float) -> None:
        """Add an example."""
        if 0 < probability < 1:
            odds = log(probability) - log(1 - probability)
            odds = min(max(odds, -_MOST), _MOST)
        else:
            odds = _MOST if probability else -_MOST
        self._weights[int(positive), round((odds + _MOST) * _PER_UNIT)] += weight

    @property
    def area(self) -> float:
        """The area under the curve; NaN without positives or negatives."""
        negative, positive = self._weights
        all_pairs = positive.sum() * negative.sum()
        if not all_pairs:
            return float("nan")
        below = np.cumsum(negative) - negative / 2
        return float(positive @ below / all_pairs)

    @property
    def error(self) -> float:
        """How far off the area can be: half the pairs that share a bin."""
        negative, positive = self._weights
        all_pairs = positive.sum() * negative.sum()
        return float(positive @ negative / 2 / all_pairs) if all_pairs else 0.0
