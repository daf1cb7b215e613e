"""Small data of every kind that can fool a solver, and a check in plain fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**32 - 1)
AND = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])
XOR = AND[0], np.array([0, 1, 1, 0])
KINDS = {}


def kind(make):
    KINDS[make.__name__] = make
    return make


@kind
def separable(rng, n, d):
    X = rng.standard_normal((n, d))
    return X, np.where(X @ rng.standard_normal(d) + 0.3 * rng.standard_normal() > 0, 1, -1)


@kind
def one_flipped(rng, n, d):
    X, y = separable(rng, n, d)
    y[rng.integers(n)] *= -1
    return X, y


@kind
def small_integers(rng, n, d):
    return rng.integers(-2, 3, (n, d)).astype(float), rng.choice([-1, 1], n)


@kind
def one_hot(rng, n, d):
    X = np.concatenate([np.eye(k)[rng.integers(k, size=n)] for k in (2, d + 1)], axis=1)
    return X, np.where(X @ rng.integers(-2, 3, d + 3) >= rng.integers(-1, 2), 1, -1)


@kind
def collinear(rng, n, d):
    """Points on a line, up to rounding: what lies beside it is all that can separate them."""
    X = np.outer(rng.standard_normal(n), rng.standard_normal(d))
    return X, rng.choice([-1, 1], n)


@kind
def rank_deficient(rng, n, d):
    """Whole numbers, so that the dependence is exact."""
    X = rng.integers(-3, 4, (n, 2)) @ rng.integers(-3, 4, (2, d))
    return X.astype(float), np.where(X @ rng.integers(-3, 4, d) > rng.integers(-2, 3), 1, -1)


@kind
def tiny_margin(rng, n, d):
    X = rng.standard_normal((n, d))
    w = rng.standard_normal(d)
    w /= np.linalg.norm(w)
    score = X @ w
    y = np.where(score > 0, 1, -1)
    return X + np.outer(10.0 ** -rng.integers(8, 16) * y - score, w), y


@kind
def duplicated(rng, n, d):
    X = rng.standard_normal((n, d))[rng.integers(n, size=n)]
    return X, rng.choice([-1, 1], n)


@kind
def far_away(rng, n, d):
    X, y = separable(rng, n, d)
    return X + 1e6 * rng.standard_normal(d), y


@kind
def every_size(rng, n, d):
    exponents = rng.integers(-60, 60, (n, d)) if rng.random() < 0.7 else rng.integers(-900, 900, d)
    return np.ldexp(rng.standard_normal((n, d)), exponents), rng.choice([-1, 1], n)


@kind
def wide(rng, n, d):
    X, y = rng.standard_normal((n, 10 * d + 10)), rng.choice([-1, 1], n)
    if rng.random() < 0.5:
        X[1], y[:2] = X[0], (1, -1)
    return X, y


def example(name, seed):
    """Make data of a kind: at most 24 rows, 6 features (wide: 70), both classes."""
    rng = np.random.default_rng(seed)
    X, y = KINDS[name](rng, int(rng.integers(2, 25)), int(rng.integers(1, 7)))
    y[0], y[-1] = 1, -1
    return X, y


def confirm(answer, X, y):
    """Confirm an answer with fractions and nothing else of the package."""
    rows = [[Fraction(float(value)) for value in row] for row in X]
    signs = [int(sign) for sign in y]
    if answer.separable:
        confirm_plane(answer, rows, signs)
    else:
        confirm_meeting(answer, rows, signs)


def confirm_plane(answer, rows, signs):
    *w, b = answer.whole or (*answer.hyperplane.normal.tolist(), float(answer.hyperplane.offset))
    w, b = [Fraction(v) for v in w], Fraction(b)
    least = min(s * (dot(w, x) + b) for x, s in zip(rows, signs, strict=True))
    assert least > 0
    assert least**2 >= Fraction(answer.margin) ** 2 * dot(w, w)
    assert answer.margin <= answer.margin_upper <= answer.margin * (1 + 1e-6)
    assert answer.fit_intercept or b == 0
    if answer.whole is None:  # otherwise the weights, too, need more digits than they have
        total = [Fraction(0)] * len(w)
        weights = dict(zip(answer.support.tolist(), map(Fraction, answer.weights), strict=True))
        assert min(weights.values()) >= 0
        for i, weight in weights.items():
            group = [j for j in weights if not answer.fit_intercept or signs[j] == signs[i]]
            share = signs[i] * weight / sum(weights[j] for j in group)
            total = [t + share * v for t, v in zip(total, rows[i], strict=True)]
        apart = Fraction(answer.margin_upper) * (2 if answer.fit_intercept else 1)
        assert dot(total, total) <= apart**2


def confirm_meeting(answer, rows, signs):
    assert answer.exact
    assert len(answer.points) <= len(rows[0]) + 1 + answer.fit_intercept
    weights = answer.exact_weights([[float(v) for v in row] for row in rows], signs)
    assert min(weights) > 0
    np.testing.assert_allclose(np.array(weights, float), answer.weights, atol=1e-9)
    points = answer.points.tolist()
    for j in range(len(rows[0])):
        assert sum(w * signs[i] * rows[i][j] for w, i in zip(weights, points, strict=True)) == 0
    if answer.fit_intercept:
        for side in (-1, 1):
            on = [w for w, i in zip(weights, points, strict=True) if signs[i] == side]
            assert sum(on) == 1


def dot(a, b):
    return sum(p * q for p, q in zip(a, b, strict=True))
