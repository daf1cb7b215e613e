"""The proof as an instrument (S8): its two sides, measured after every mistake."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from rosenblatt import AveragedPerceptron, BatchPerceptron, Perceptron, VotedPerceptron
from tests.conftest import examples, rounding

ONLINE = [Perceptron, AveragedPerceptron, VotedPerceptron]


def separated(seed, bias, n_classes=2):
    """Rows (x, 1) or (x, 0), their labels, and a unit vector that separates them by γ.

    For K classes it is a vector of K functions, and γ the least lead of a right one.
    """
    rng = np.random.default_rng(seed)
    U = rng.standard_normal((n_classes, 4)) * [1, 1, 1, bias]
    U = U - U.mean(axis=0)
    points = np.column_stack([rng.standard_normal((200, 3)), np.full(200, float(bias))])
    if n_classes == 2:
        u = U[1] / np.linalg.norm(U[1])
        lead, y = np.abs(points @ u), np.sign(points @ u)
    else:
        u = U / np.linalg.norm(U)
        scores = np.sort(points @ u.T, axis=1)
        lead, y = scores[:, -1] - scores[:, -2], (points @ u.T).argmax(axis=1)
    clear = lead > 0.1
    assume(len(np.unique(y[clear])) == n_classes)
    return points[clear], y[clear], u, lead[clear].min()


class TestProof:
    """kγ ≤ ‖w‖ ≤ R√k after every mistake, and each brings w nearer to a solution, by R² or more."""

    @examples(
        quick=20,
        full=100,
        seed=st.integers(0, 10_000),
        bias=st.booleans(),
        estimator=st.sampled_from(ONLINE),
    )
    def test_two_classes(self, seed, bias, estimator):
        points, y, u, gamma = separated(seed, bias)
        X, R = points[:, :3], np.linalg.norm(points, axis=1).max()
        model = estimator(fit_intercept=bias, record=True, random_state=seed).fit(X, y)
        k = np.arange(1, model.n_mistakes_ + 1)
        norms, progress = model.ledger_.norms(X), model.ledger_.progress(X, u[:3], u[3])
        slack = 1 + 1e-9
        assert np.all(k * gamma <= progress * slack)
        assert np.all(progress <= norms * slack)
        assert np.all(norms <= R * np.sqrt(k) * slack)
        assert len(k) <= (R / gamma) ** 2

        # ‖w − αu‖² = ‖w‖² − 2α w·u + α², with α = R²/γ.
        alpha = R**2 / gamma
        distances = model.ledger_.distances(X, alpha * u[:3], alpha * u[3])
        squared = np.append(alpha**2, distances**2)
        assert np.allclose(squared[1:], norms**2 - 2 * alpha * progress + alpha**2)
        assert np.all(np.diff(squared) <= -(R**2) + 1e-9 * alpha**2)

    @examples(quick=20, full=100, seed=st.integers(0, 10_000))
    def test_from_any_start_it_comes_nearer(self, seed):
        points, y, u, gamma = separated(seed, bias=False)
        X, R = points[:, :3], np.linalg.norm(points, axis=1).max()
        model = Perceptron(fit_intercept=False, record=True, tol=None)
        start = np.random.default_rng(seed).uniform(-50, 50, 3)
        ledger = model.fit(X, y, coef_init=start).ledger_
        target = R**2 / gamma * u[:3]
        for change in ledger.replay(X):
            before = np.sum((change.weights_before - target) ** 2)
            after = np.sum((change.weights - target) ** 2)
            assert after <= before - R**2 + 1e-9 * before

    @examples(quick=20, full=100, seed=st.integers(0, 10_000), n_classes=st.integers(3, 5))
    def test_k_classes(self, seed, n_classes):
        """The same in the space of all K functions, where a mistake adds (x, 1) and its opposite.

        So its length is √2 times that of (x, 1).
        """
        points, y, u, gamma = separated(seed, True, n_classes)
        X, R = points[:, :3], np.sqrt(2) * np.linalg.norm(points, axis=1).max()
        model = Perceptron(record=True, tol=None, random_state=seed).fit(X, y)
        k = np.arange(1, model.n_mistakes_ + 1)
        norms, progress = model.ledger_.norms(X), model.ledger_.progress(X, u[:, :3], u[:, 3])
        assert np.all(k * gamma <= progress * (1 + 1e-9))
        assert np.all(norms <= R * np.sqrt(k) * (1 + 1e-9))

    def test_the_batch_perceptron_is_measured_after_each_move(self):
        X, y = rounding(seed=14)
        model = BatchPerceptron(record=True, max_iter=7, tol=None).fit(X, y)
        assert model.ledger_.norms(X).shape == (7,)
        last = np.linalg.norm(np.append(model.coef_, model.intercept_))
        np.testing.assert_allclose(model.ledger_.norms(X)[-1], last)
