"""The closed forms against scikit-learn's, fit and held-out accuracy."""

import time
from statistics import median

import numpy as np
import scipy.sparse as sp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestCentroid as SklearnNearestCentroid
from workloads import dense_noisy, sparse_text

from rosenblatt import LinearDiscriminant, NearestCentroid


def clock(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def pictures(n=100, d=10_000, seed=0):
    """Few rows of many features, two classes that differ a little in each; as many to test with."""
    rng = np.random.default_rng(seed)
    y = np.arange(2 * n) % 2
    X = rng.standard_normal((2 * n, d)) + 0.05 * rng.standard_normal(d) * (2 * y[:, None] - 1)
    return X[:n], y[:n], X[n:], y[n:]


def against_scikit_learn(peers, ours, X, y, X_test, y_test, rounds=5):
    """Return the fastest peer's name, the median times of it and of ours, and both accuracies."""
    ours.fit(X, y)
    name = min(
        peers, key=lambda solver: min(clock(lambda: peers[solver].fit(X, y))[0] for _ in range(3))
    )
    times = []
    for _ in range(rounds):
        theirs, peer = clock(lambda: peers[name].fit(X, y))
        mine, model = clock(lambda: ours.fit(X, y))
        times.append((theirs, mine))
    scores = peer.score(X_test, y_test), model.score(X_test, y_test)
    return name, median(t for t, _ in times), median(t for _, t in times), scores


def discriminant_tall(shrinkage=None, dtype="float64"):
    """Compare on dense rows, 500,000 × 100. The solver "svd" takes seven times as long as these."""
    solvers = ("lsqr", "eigen")
    peers = {s: LinearDiscriminantAnalysis(solver=s, shrinkage=shrinkage) for s in solvers}
    return against_scikit_learn(peers, LinearDiscriminant(shrinkage=shrinkage), *dense_noisy(dtype))


def discriminant_wide():
    """Compare on 100 rows × 10,000; the other solvers would form 10,000 × 10,000 first."""
    peers = {"svd": LinearDiscriminantAnalysis()}
    return against_scikit_learn(peers, LinearDiscriminant(), *pictures(), rounds=15)


class SparseCentroid:
    """What scikit-learn does for sparse rows without its dense copy: two of SciPy's products."""

    def fit(self, X, y):
        members = sp.csr_matrix((np.ones(len(y), X.dtype), (y, np.arange(len(y)))))
        self.centroids = (members @ X).toarray() / np.bincount(y)[:, None]
        return self

    def predict(self, X):
        scores = X @ self.centroids.T.astype(X.dtype) - (self.centroids**2).sum(axis=1) / 2
        return scores.argmax(axis=1)


def centroids(peer, X, y, X_test, y_test, rounds=5):
    """Return the median times of fit and predict of a peer and of ours, and both accuracies."""

    def both(model):
        return clock(lambda: model.fit(X, y).predict(X))

    both(NearestCentroid())
    times = []
    for _ in range(rounds):
        (theirs, named), (mine, found) = both(peer), both(NearestCentroid())
        assert np.mean(named == found) > 0.999  # SciPy adds up in float32
        times.append((theirs, mine))
    ours = NearestCentroid().fit(X, y)
    scores = [np.mean(model.predict(X_test) == y_test) for model in (peer, ours)]
    return median(t for t, _ in times), median(t for _, t in times), scores


def centroid_dense(dtype="float64"):
    """Compare with scikit-learn on dense rows, 500,000 × 100."""
    return "scikit-learn", *centroids(SklearnNearestCentroid(), *dense_noisy(dtype))


def centroid_sparse(dtype="float64", n=200_000):
    """Compare on sparse rows × 47,236: with scikit-learn, if its dense copy of them fits."""
    few = n <= 5_000  # rows, of which a dense copy takes 2 GB; of 200,000, 76 GB
    peer = SklearnNearestCentroid() if few else SparseCentroid()
    name = "scikit-learn" if few else "SciPy"
    return name, *centroids(peer, *sparse_text(dtype, n=n), rounds=3 if few else 5)


def main():
    for title, compare in (
        ("discriminant, 500,000 × 100", discriminant_tall),
        ("discriminant, 500,000 × 100, float32", lambda: discriminant_tall(dtype="float32")),
        ("discriminant, 500,000 × 100, Ledoit-Wolf", lambda: discriminant_tall("auto")),
        ("discriminant, 100 × 10,000", discriminant_wide),
        ("centroid, 500,000 × 100", centroid_dense),
        ("centroid, 500,000 × 100, float32", lambda: centroid_dense("float32")),
        ("centroid, sparse 5,000 × 47,236", lambda: centroid_sparse(n=5_000)),
        ("centroid, sparse 200,000 × 47,236", centroid_sparse),
        ("centroid, sparse 200,000 × 47,236, float32", lambda: centroid_sparse("float32")),
    ):
        name, theirs, mine, (score, own) = compare()
        print(
            f"{title}: {name} {theirs:.4f} s, ours {mine:.4f} s, {theirs / mine:.1f}×; "
            f"accuracy {score:.1%} / {own:.1%}"
        )


if __name__ == "__main__":
    main()
