"""What forgetting would bring to streams that drift: progressive errors, by half-life.

    python benchmarks/forgetting.py

The default model's steps, on numbers standardised as they come; but after every example all sums
and all roots (see `rosenblatt.kernels.online.adaptive`) are multiplied by ``0.5 ** (1 / h)``, so
that what an example taught counts half after h more. ADR 0040 has the table.
"""

import numba
import numpy as np
from quality_streams import drawn, hyperplane, sea

HALF_LIVES = (None, 100_000, 30_000, 10_000, 3_000, 1_000)
MOST = 10.0  # deviations, beyond which a number is cut off


def fast(n=60_000):
    """Hyperplane, turning ten times as fast."""
    from river.datasets import synth

    turning = {"n_features": 10, "n_drift_features": 10, "mag_change": 0.01}
    return drawn(synth.Hyperplane(seed=0, noise_percentage=0.05, **turning).take(n))


def standardised(rows):
    """Return rows as the model gets them, with a column of ones."""
    X = np.array([list(row.values()) for row in rows], float)
    n = np.arange(1, len(X) + 1)[:, None]
    mean = np.cumsum(X, axis=0) / n
    variance = np.cumsum(X**2, axis=0) / n - mean**2
    known = variance > 1e-12
    Z = np.where(known, (X - mean) / np.sqrt(np.where(known, variance, 1)), 0)
    return np.column_stack([np.clip(Z, -MOST, MOST), np.ones(len(X))])


@numba.njit
def mistakes(Z, y, kept, eta, l2):
    """Count the mistakes of a model that keeps this share of what it knows at every example."""
    sums, roots, w = np.zeros(Z.shape[1]), np.zeros(Z.shape[1]), np.zeros(Z.shape[1])
    last, wrong = Z.shape[1] - 1, 0
    for t in range(len(Z)):
        for j in range(len(w)):
            sums[j] *= kept
            roots[j] *= kept
            below = roots[j] / eta + (l2 if j < last else 0.0)
            w[j] = -sums[j] / below if below > 0 else 0.0
        score = w @ Z[t]
        wrong += (score >= 0) != (y[t] > 0)
        slope = -y[t] / (1 + np.exp(y[t] * score))
        for j in range(len(w)):
            root = np.sqrt(roots[j] ** 2 + (slope * Z[t, j]) ** 2)
            sums[j] += slope * Z[t, j] - (root - roots[j]) / eta * w[j]
            roots[j] = root
    return wrong


def main():
    """Print a row of errors for each stream and first step."""
    print("| stream | examples | η |", " | ".join(map(str, HALF_LIVES)), "|")
    for name, make, n in (
        ("sea", sea, 60_000),
        ("hyperplane", hyperplane, 60_000),
        ("hyperplane, 10 × as fast", fast, 60_000),
        ("sea", sea, 600_000),
        ("hyperplane", hyperplane, 600_000),
    ):
        rows, labels = make(n)
        Z, y = standardised(rows), np.where(np.array(labels) == max(labels), 1.0, -1.0)
        for eta in (0.5, 0.25):
            kept = [1.0 if h is None else 0.5 ** (1 / h) for h in HALF_LIVES]
            errors = [mistakes(Z, y, share, eta, 0.3) / len(y) for share in kept]
            best = min(errors)
            cells = [f"**{e:.2%}**" if e == best else f"{e:.2%}" for e in errors]
            print(f"| {name} | {n:,} | {eta} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
