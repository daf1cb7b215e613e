"""Separability against a linear program of the whole data, and against passes over the data."""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
from scipy.optimize import linprog
from workloads import margins, sparse_text

from rosenblatt import Perceptron, separate


def clock(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def feasible(A, method):
    """Ask for any plane with margins of one or more."""
    d = A.shape[1]
    options = {"bounds": (None, None), "method": method}
    return linprog(np.zeros(d), A_ub=-A, b_ub=-np.ones(len(A)), **options).status == 0


def largest_margin(A, method):
    """Maximise a bounded margin: a program that always has a solution."""
    d = A.shape[1]
    rows = np.column_stack([-A, np.ones(len(A))])
    limits = [(-1, 1)] * d + [(None, 1)]
    cost = np.append(np.zeros(d), -1.0)
    answer = linprog(cost, A_ub=rows, b_ub=np.zeros(len(A)), bounds=limits, method=method)
    return bool(-answer.fun > 1e-9)


def against_linprog(flips, rounds=5):
    """Return the median times of linprog, whichever way is fastest, and of ours."""
    X, y = margins(20_000, 50, 0.1, flips)
    A = y[:, None] * np.column_stack([X, np.ones(len(X))])
    ways = [(ask, m) for ask in (feasible, largest_margin) for m in ("highs-ds", "highs-ipm")]
    ask, method = min(ways, key=lambda way: clock(lambda: way[0](A, way[1]))[0])
    separate(X, y)
    times = []
    for _ in range(rounds):
        theirs, verdict = clock(lambda: ask(A, method))
        mine, answer = clock(lambda: separate(X, y))
        assert verdict == answer.separable == (flips == 0)
        times.append((theirs, mine))
    assert answer.verify(X, y).exact
    name = "linprog, simplex" if method == "highs-ds" else "linprog, interior point"
    return name, median(t for t, _ in times), median(t for _, t in times)


def against_passes(flips, rounds=5):
    """Return the median times of twenty passes in the given order, and of an answer."""
    X, y = margins(1_000_000, 20, 0.01, flips)
    model = Perceptron(max_iter=20, tol=None, shuffle=False)
    separate(X, y)
    times = []
    for _ in range(rounds):
        passes, fitted = clock(lambda: model.fit(X, y))
        mine, answer = clock(lambda: separate(X, y))
        assert answer.separable == (flips == 0)
        times.append((passes * 20 / fitted.n_iter_, mine))
    return median(t for t, _ in times), median(t for _, t in times)


def wide_in_a_process():
    """Return seconds, and memory beyond that before as a multiple of the data."""
    here = Path(__file__).resolve().parent
    run = [sys.executable, str(here / "separability.py")]
    done = subprocess.run(run, capture_output=True, check=True, text=True)
    took, data, more = map(float, done.stdout.split())
    return took, more / data


def main():
    X, y, *_ = sparse_text("float64", n=20_000)
    separate(X[:3000, :100], y[:3000])  # compiled
    data = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = memory("VmRSS")
    took, answer = clock(lambda: separate(X, y))
    more = memory("VmHWM") - before
    assert answer.verify(X, y)
    print(took, data, more)


def memory(field):
    """Return a figure of this process's memory, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(field)).split()[1])


if __name__ == "__main__":
    main()
