"""Small problems of all kinds: tables of outputs, classes, words with labels."""

import numpy as np


class Table:
    """Each input has a few outputs, listed with their features; whole numbers, so sums are exact.

    An output's cost is its distance in the list.
    """

    def __init__(self, tables, named=False):
        self.tables, self.named = tables, named

    def features(self, x, y):
        row = self.tables[x][y]
        return {("column", j): v for j, v in enumerate(row) if v} if self.named else row

    def cost(self, y_true, y):
        return abs(y_true - y)

    def argmax(self, x, weights):
        return int(np.argmax(self.scores(x, weights)))

    def argmax_with_cost(self, x, weights, y_true):
        costs = np.abs(np.arange(len(self.tables[x])) - y_true)
        return int(np.argmax(self.scores(x, weights) + costs))

    def rival(self, x, weights, y):
        others = [z for z in range(len(self.tables[x])) if z != y]
        scores = self.scores(x, weights)
        return max(others, key=lambda z: scores[z]) if others else None

    def scores(self, x, weights):
        return np.array([weights @ self.features(x, y) for y in range(len(self.tables[x]))])


def tables(seed, separable=True):
    """Return tables for some inputs, their right outputs, and a vector that finds these or tries.

    It is a vector of whole numbers, not of length one.
    """
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 8), rng.integers(1, 5)
    made = [rng.integers(-4, 5, size=(rng.integers(1, 6), d)) for _ in range(n)]
    u = rng.integers(-3, 4, size=d)
    u[0] = u[0] or 1
    if separable:
        for i, table in enumerate(made):
            scores = table @ u
            best = int(np.argmax(scores))
            made[i] = table[(scores < scores[best]) | (np.arange(len(table)) == best)]
        y = [int(np.argmax(table @ u)) for table in made]
    else:
        y = [int(rng.integers(len(table))) for table in made]
    return [table.astype(float) for table in made], list(range(n)), y, u


def brute_force(tables, y, u):
    """Return R² and the margin of u, not of length one, over all pairs of outputs."""
    changes = [
        table[right] - table[wrong]
        for table, right in zip(tables, y, strict=True)
        for wrong in range(len(table))
        if wrong != right
    ]
    squares, margins = [c @ c for c in changes], [u @ c for c in changes]
    return max(squares, default=0.0), min(margins, default=np.inf)


class Classes:
    """K classes; the features are the input's, and a 1 for an intercept, in the place of the class.

    Of equal scores the first class wins. With cost, a class other than the right one does: the
    cost is as small as can be, and a tie is a mistake.
    """

    def __init__(self, n_classes, bias=True):
        self.n_classes, self.bias = n_classes, bias

    def features(self, x, y):
        made = np.zeros((self.n_classes, len(x) + self.bias))
        made[y] = self.row(x)
        return made.ravel()

    def argmax(self, x, weights):
        return int(np.argmax(self.scores(x, weights)))

    def argmax_with_cost(self, x, weights, y_true):
        scores, other = self.scores(x, weights), self.rival(x, weights, y_true)
        return other if scores[other] >= scores[y_true] else y_true

    def rival(self, x, weights, y):
        scores = self.scores(x, weights)
        scores[y] = -np.inf
        return int(np.argmax(scores))

    def scores(self, x, weights):
        return weights.reshape(self.n_classes, -1) @ self.row(x)

    def row(self, x):
        return np.append(x, 1.0) if self.bias else x


class Labels:
    """A label for each word of a sentence: K labels and n words make Kⁿ outputs."""

    def __init__(self, n_labels=3):
        self.n_labels = n_labels

    def features(self, x, y):
        made = {}
        for pair in zip(x, y, strict=True):
            made[pair] = made.get(pair, 0) + 1
        return made

    def argmax(self, x, weights):
        return tuple(self.best(word, weights) for word in x)

    def rival(self, x, weights, y):
        """Change the one label that costs the least."""
        swaps = [(at, self.best(word, weights, y[at])) for at, word in enumerate(x)]
        at, label = max(swaps, key=lambda s: weights[x[s[0]], s[1]] - weights[x[s[0]], y[s[0]]])
        return (*y[:at], label, *y[at + 1 :])

    def cost(self, y_true, y):
        return sum(a != b for a, b in zip(y_true, y, strict=True)) / len(y_true)

    def argmax_with_cost(self, x, weights, y_true):
        def value(at, label):
            return weights[x[at], label] + (label != y_true[at]) / len(x)

        return tuple(
            max(range(self.n_labels), key=lambda label: value(at, label)) for at in range(len(x))
        )

    def best(self, word, weights, but=None):
        labels = (label for label in range(self.n_labels) if label != but)
        return max(labels, key=lambda label: weights[word, label])


def sentences(seed, n=30, words=12, noise=0.0):
    """Return sentences of numbers for words, whose labels are 0 or 1, as the word says."""
    rng = np.random.default_rng(seed)
    X = [tuple(rng.integers(words, size=rng.integers(1, 7)).tolist()) for _ in range(n)]
    flip = iter((rng.random(6 * n) < noise).tolist())
    return X, [tuple((word + next(flip)) % 2 for word in x) for x in X]


class Broken(Labels):
    """Labels, but for one method that gives something else or raises."""

    def __init__(self, name, value, after=3):
        super().__init__()
        self.name, self.value, self.after = name, value, after
        setattr(self, name, self.instead)

    def instead(self, *arguments):
        self.after -= 1
        if self.after > 0:
            return getattr(Labels, self.name)(self, *arguments)
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value
