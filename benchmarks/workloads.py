"""The data that the benchmarks run on: rows to learn from, and a tenth as many to test with."""

import numpy as np
import scipy.sparse as sp


def sparse_text(dtype, n=200_000, d=47_236, seed=0):
    """Rows like word counts: about 57 nonzeros each, words with Zipf frequencies, two classes."""
    rng = np.random.default_rng(seed)
    n += n // 10
    lengths = np.clip(rng.lognormal(np.log(57.5), 0.6, n).astype(int), 5, 500)
    ranks = np.minimum((d ** rng.random(lengths.sum())).astype(int), d - 1)
    columns = rng.permutation(d)[ranks].astype(np.int32)
    values = rng.lognormal(0, 0.5, lengths.sum()).astype(dtype)
    X = sp.csr_matrix((values, columns, np.r_[0, np.cumsum(lengths)].astype(np.int32)), (n, d))
    X.sum_duplicates()
    scores = X @ rng.standard_normal(d)
    return split(X, (scores > np.median(scores)).astype(int))


def dense_noisy(dtype, n=500_000, d=100, seed=0):
    """Rows of normal numbers, two classes with a twentieth of the labels wrong."""
    rng = np.random.default_rng(seed)
    n += n // 10
    X = rng.standard_normal((n, d), dtype=np.float32).astype(dtype, copy=False)
    y = X @ rng.standard_normal(d).astype(dtype) > 0
    return split(X, (y ^ (rng.random(n) < 0.05)).astype(int))


def dense_classes(dtype, n=60_000, d=784, n_classes=10, seed=0):
    """Rows like pictures: non-negative, half of the numbers zero, ten classes."""
    rng = np.random.default_rng(seed)
    n += n // 10
    centres = rng.random((n_classes, d)) * (rng.random((n_classes, d)) < 0.2)
    y = rng.integers(n_classes, size=n)
    noise = rng.standard_normal((n, d), dtype=np.float32) * 2.2
    return split(np.maximum(centres[y] + noise, 0).astype(dtype), y)


def split(X, y):
    n = round(len(y) / 1.1)
    return X[:n], y[:n], X[n:], y[n:]


def margins(n, d, margin=0.1, flips=0, seed=0):
    """Rows of normal numbers, pushed a margin away from a random plane; some labels flipped."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(d)
    w /= np.linalg.norm(w)
    X = rng.standard_normal((n, d))
    score = X @ w + 0.3
    y = np.where(score >= 0, 1, -1)
    X += np.outer(y * np.maximum(0, margin - np.abs(score)), w)
    y[rng.permutation(n)[:flips]] *= -1
    return X, y
