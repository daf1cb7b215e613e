"""The kernel perceptron: the primal one in another space, and what it promises there."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

from rosenblatt import AveragedPerceptron, KernelPerceptron, Perceptron, VotedPerceptron
from rosenblatt.learners.kernel_perceptron.kernel_values_cpu import HostGrams
from rosenblatt.learners.kernel_perceptron.learning import Learning
from tests.conftest import LAYOUTS, rounding, whole_numbers

CORNERS, XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
IN_ORDER = {"shuffle": False, "max_iter": 5, "tol": None}


@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
@pytest.mark.parametrize("ties", ["mistake", "positive"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_linear_kernel_is_the_primal_perceptron(n_classes, bias, ties, layout):
    X, y = whole_numbers(seed=1, n=600, n_classes=n_classes)
    options = {**IN_ORDER, "fit_intercept": bias, "ties": ties}
    primal = Perceptron(**options).fit(X, y)
    dual = KernelPerceptron(kernel="linear", multi_class="joint", **options)
    dual.fit(LAYOUTS[layout](X), y)
    assert dual.mistakes_.tolist() == primal.mistakes_.tolist()
    assert (dual.n_mistakes_, dual.t_) == (primal.n_mistakes_, primal.t_)
    assert (dual.n_iter_, dual.converged_) == (primal.n_iter_, primal.converged_)
    np.testing.assert_array_equal(dual.dual_coef_ @ dual.support_vectors_, primal.coef_)
    np.testing.assert_array_equal(dual.dual_coef_.sum(axis=1) * bias, primal.intercept_)
    np.testing.assert_array_equal(
        dual.set_params(predict_with="last").decision_function(X), primal.decision_function(X)
    )


@pytest.mark.parametrize("n_classes", [2, 4])
def test_votes_and_means_of_the_linear_kernel_are_the_primal_ones(n_classes):
    X, y = whole_numbers(seed=2, n=300, n_classes=n_classes)
    dual = KernelPerceptron(kernel="linear", multi_class="joint", **IN_ORDER).fit(X, y)
    voted = VotedPerceptron(**IN_ORDER).fit(X, y)
    mean = AveragedPerceptron(**IN_ORDER).fit(X, y)
    np.testing.assert_allclose(dual.decision_function(X), voted.decision_function(X), atol=1e-12)
    np.testing.assert_allclose(dual.mean_dual_coef_ @ dual.support_vectors_, mean.coef_)
    dual.set_params(predict_with="average")
    np.testing.assert_allclose(dual.decision_function(X), mean.decision_function(X))


def test_xor_needs_more_than_a_plane():
    options = {"max_iter": 100, "gamma": 1, "predict_with": "last"}
    for kernel, solved in (("linear", False), ("poly", True), ("rbf", True), ("laplacian", True)):
        model = KernelPerceptron(kernel=kernel, degree=2, **options).fit(CORNERS, XOR)
        assert model.converged_ == solved
        assert (model.score(CORNERS, XOR) == 1) == solved


KERNELS = {
    "linear": ({"kernel": "linear"}, lambda A, B: A @ B.T),
    "poly": (
        {"kernel": "poly", "degree": 4, "gamma": 0.2, "coef0": 0.5},
        lambda A, B: polynomial_kernel(A, B, degree=4, gamma=0.2, coef0=0.5),
    ),
    "polynomial": (
        {"kernel": "polynomial", "degree": 2, "gamma": 0.5},
        lambda A, B: polynomial_kernel(A, B, degree=2, gamma=0.5, coef0=1),
    ),
    "rbf": ({"kernel": "rbf", "gamma": 0.3}, lambda A, B: rbf_kernel(A, B, gamma=0.3)),
    "laplacian": (
        {"kernel": "laplacian", "gamma": 0.3},
        lambda A, B: laplacian_kernel(A, B, gamma=0.3),
    ),
    "function": (
        {"kernel": lambda A, B: np.minimum(A[:, None], B).sum(axis=2)},
        lambda A, B: np.minimum(A[:, None], B).sum(axis=2),
    ),
}


@pytest.mark.parametrize("how", ["vote", "average", "last", "random"])
@pytest.mark.parametrize("rule", ["ovr", "joint"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_are_those_of_scikit_learn(kernel, rule, how):
    X, y = rounding(seed=3, n_classes=3)
    X, X_test = np.abs(X[:100]), np.abs(X[100:])
    options, function = KERNELS[kernel]
    shared = {"multi_class": rule, "predict_with": how, "max_iter": 3}
    model = KernelPerceptron(**options, **shared).fit(X, y[:100])
    table = KernelPerceptron(kernel="precomputed", **shared).fit(function(X, X), y[:100])
    assert model.mistakes_.tolist() == table.mistakes_.tolist()
    np.testing.assert_array_equal(model.support_, table.support_)
    np.testing.assert_array_equal(model.dual_coef_, table.dual_coef_)
    expected = table.decision_function(function(X_test, X))
    np.testing.assert_allclose(model.decision_function(X_test), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_gamma_is_chosen_as_for_a_support_vector_machine(gamma, sparse):
    X, y = rounding(seed=4)
    X = sp.csr_matrix(5 * X + 1) if sparse else 5 * X + 1
    theirs = SVC(kernel="rbf", gamma=gamma).fit(X, y)._gamma
    for kernel in ("rbf", "poly"):
        ours = KernelPerceptron(kernel=kernel, gamma=gamma, max_iter=1).fit(X, y).gamma_
        assert ours == pytest.approx(theirs, rel=1e-12)
    laplacian = KernelPerceptron(kernel="laplacian", gamma=gamma, max_iter=1).fit(X, y)
    assert laplacian.gamma_ == pytest.approx(np.sqrt(theirs / X.shape[1]), rel=1e-12)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_rows_that_do_not_differ_have_a_gamma_still(kernel, kind):
    X = kind(np.full((50, 8), 0.5))
    assert KernelPerceptron(kernel=kernel).fit(X, [0, 1] * 25).gamma_ == 1.0
    rounded = kind(np.full((50, 7), 0.1))  # whose variance may come out a little below zero
    assert KernelPerceptron(kernel=kernel).fit(rounded, [0, 1] * 25).gamma_ > 0


def test_shuffled_passes_visit_every_row_once_and_in_new_orders(monkeypatch):
    visits, visit = [], Learning.visit

    def spy(task, number, order=None):
        visits.append(task.blocks[number][order])
        return visit(task, number, order)

    monkeypatch.setattr(Learning, "visit", spy)
    monkeypatch.setattr(HostGrams, "block_size", 50)
    X, y = whole_numbers(seed=5, n=230, noise=0.5)
    KernelPerceptron(max_iter=4, kernel="linear").fit(X, y)
    assert len(visits) == 4 * 5
    passes = [np.concatenate(visits[start : start + 5]) for start in range(0, 20, 5)]
    for order in passes:
        np.testing.assert_array_equal(np.sort(order), np.arange(230))
    assert len({tuple(order) for order in passes}) == 4
    assert not np.array_equal(passes[0], np.arange(230))


def test_a_seed_fixes_orders_and_draws():
    X, y = rounding(seed=6, n=700)
    models = [KernelPerceptron(random_state=seed, max_iter=3).fit(X, y) for seed in (0, 0, 1)]
    same, again, other = (model.set_params(predict_with="random") for model in models)
    np.testing.assert_array_equal(same.dual_coef_, again.dual_coef_)
    np.testing.assert_array_equal(same.decision_function(X), again.decision_function(X))
    np.testing.assert_array_equal(same.decision_function(X), same.decision_function(X))
    assert same.mistakes_.tolist() != other.mistakes_.tolist()
    drawn = same.decision_function(X)
    assert not np.array_equal(drawn, same.set_params(random_state=5).decision_function(X))


@pytest.mark.parametrize("rule", ["ovr", "joint"])
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_dense_and_sparse_are_the_same_shuffled_or_not(kernel, rule):
    X, y = whole_numbers(seed=7, n=1100, n_classes=3)
    options = {"kernel": kernel, "gamma": 1, "degree": 2, "multi_class": rule, "max_iter": 2}
    dense = KernelPerceptron(**options).fit(X, y)
    for layout in ("Fortran order", "CSR, 64-bit", "CSR, shuffled and doubled indices"):
        view = LAYOUTS[layout](X)
        model = KernelPerceptron(**options).fit(view, y)
        assert model.mistakes_.tolist() == dense.mistakes_.tolist()
        np.testing.assert_array_equal(model.dual_coef_, dense.dual_coef_)
        np.testing.assert_array_equal(model.decision_function(view), dense.decision_function(X))


def squares(X):
    """Write out the features whose product is ``(x·z + 1)²``."""
    pairs = np.triu_indices(X.shape[1], k=1)
    mixed = np.sqrt(2) * X[:, pairs[0]] * X[:, pairs[1]]
    return np.hstack([np.ones((len(X), 1)), np.sqrt(2) * X, X**2, mixed])


@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 3), st.booleans())
def test_novikoffs_theorem_holds_in_the_space_of_the_kernel(seed, n, d, shuffle):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, d))
    features = squares(X)
    normal = rng.standard_normal(features.shape[1])
    distance = features @ normal / np.linalg.norm(normal)
    far = np.abs(distance) > 0.1
    X, distance = X[far], distance[far]
    assume(len(np.unique(distance > 0)) == 2)
    bound = np.max((1 + (X * X).sum(axis=1)) ** 2) / np.min(distance**2)
    # A pass that is not the last makes a mistake, so there are no more passes than that.
    model = KernelPerceptron(
        kernel="poly",
        degree=2,
        gamma=1,
        fit_intercept=False,
        max_iter=int(bound) + 2,
        shuffle=shuffle,
        random_state=seed,
    ).fit(X, distance > 0)
    assert model.converged_
    assert model.n_mistakes_ <= bound
    assert model.set_params(predict_with="last").score(X, distance > 0) == 1
