"""Handwritten digits: a polynomial of degree 4, mistake for mistake, one digit after the other."""

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from rosenblatt.datasets import load
from rosenblatt.datasets.files import folder

QUARTIC = {
    "kernel": "poly",
    "degree": 4,
    "gamma": 1,
    "coef0": 1,
    "fit_intercept": False,
    "shuffle": False,
}


def digits(n):
    """Return the first digits, with grey levels from 0 to 1, or skip."""
    if not (folder() / "mnist").is_dir():
        pytest.skip(f"needs the data set 'mnist', and there is no {folder() / 'mnist'}")
    data = load("mnist")
    return data.X[:n].astype(np.float32) / np.float32(255), data.y[:n].astype(int)


def one_by_one(X, y, support, passes):
    """Learn one against all, given the rows that will ever be mistaken."""
    values = ((X @ X[support].T + 1) ** 4).astype(float)
    sides = np.where(y[:, None] == np.arange(10), 1, -1)
    place = {row: k for k, row in enumerate(support.tolist())}
    coef, mistakes = np.zeros((10, len(support))), [0] * passes
    for number in range(passes):
        for i, side in enumerate(sides):
            wrong = side * (coef @ values[i]) <= 0
            if wrong.any():
                coef[wrong, place[i]] += side[wrong]  # fails if the row was not expected
                mistakes[number] += np.count_nonzero(wrong)
    return coef, mistakes


@pytest.mark.slow
def test_three_passes_over_ten_thousand_digits():
    X, y = digits(10_000)
    model = KernelPerceptron(max_iter=3, **QUARTIC).fit(X, y)
    coef, mistakes = one_by_one(X, y, model.support_, 3)
    assert model.mistakes_.tolist() == mistakes == [2381, 698, 321]
    np.testing.assert_array_equal(model.dual_coef_, coef)


@pytest.mark.slow
def test_a_pass_over_all_sixty_thousand_digits():
    X, y = digits(60_000)
    model = KernelPerceptron(max_iter=1, **QUARTIC).fit(X, y)
    assert model.n_mistakes_ == 7732
    assert len(model.support_) == 6174
    assert model.score(X[:5000], y[:5000]) > 0.98
