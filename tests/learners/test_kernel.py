"""The kernel perceptron by blocks = the reference, one example after the other.

Whole numbers make every kernel value and every sum exact, so equal means equal to the last bit.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.rows import as_rows
from rosenblatt.learners.kernel_perceptron import kernel_values_cpu
from rosenblatt.learners.kernel_perceptron import learning as learner
from rosenblatt.learners.kernel_perceptron.kernel_values import Kernel, TableGrams
from rosenblatt.learners.kernel_perceptron.kernel_values_cpu import HostGrams
from rosenblatt.reference.kernel import joint, one_against_all
from tests.conftest import LAYOUTS, first_quick, whole_numbers
from tests.learners.naive_kernel import (
    CUBIC,
    RULES,
    first_known,
    gram,
    history,
    hypotheses,
    learn,
    mistakes_of,
    remembered,
    steps_of,
)

PASSES = 3
KERNELS = {
    "linear": Kernel("linear"),
    "linear with intercept": Kernel("linear", bias=1.0),
    "square": Kernel("poly", degree=2, gamma=2.0, coef0=1.0),
    "cube": CUBIC,
}


def data(seed, rule, n=100, d=6, noise=0.2):
    return whole_numbers(seed, n=n, d=d, n_classes=RULES[rule][0], noise=noise)


def assert_same(state, steps, rule):
    """Assert that the hypotheses of all steps, and so the mistakes, are the reference's."""
    assert (state.first, state.steps) == (first_known(steps), len(steps))
    assert state.updates == mistakes_of(steps, rule)
    known, (*_, last) = remembered(steps), steps
    np.testing.assert_array_equal(hypotheses(state, last[1].shape[1]), known)
    np.testing.assert_array_equal(state.origin, np.flatnonzero(known.any(axis=(0, 1))))
    np.testing.assert_array_equal(learner.coefficients(state), last[1][:, state.origin])
    mean = learner.coefficients(state, averaged=True)
    np.testing.assert_allclose(mean, known.mean(axis=0)[:, state.origin], rtol=1e-12)


def sizes(monkeypatch, block, tile, kind=HostGrams):
    monkeypatch.setattr(kind, "block_size", block)
    monkeypatch.setattr(kind, "tile_size", tile)


def explicit_zeros(X):
    """A CSR matrix that stores some of its zeros."""
    stored = sp.csr_matrix(np.where(X == 0, 9, X))
    stored.data[stored.data == 9] = 0
    return stored


VIEWS = {
    **LAYOUTS,
    "CSR, explicit zeros": explicit_zeros,
    "read-only": lambda X: np.frombuffer(X.tobytes(), X.dtype).reshape(X.shape),
}


@pytest.mark.parametrize("layout", VIEWS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rule", RULES)
def test_every_layout_makes_the_reference_mistakes(layout, dtype, rule, monkeypatch):
    sizes(monkeypatch, 40, 32)
    X, y = data(1, rule)
    steps = history(gram(CUBIC, X, X), y, rule, [range(len(X))] * PASSES)
    view = VIEWS[layout](X.astype(dtype))
    state = learn(view, y, rule, PASSES)
    assert_same(state, steps, rule)
    kept = kernel_values_cpu.as_dense(state.kept, X.shape[1]).values
    np.testing.assert_array_equal(kept, X[state.origin])
    assert kept.dtype == dtype


@pytest.mark.parametrize("budget", [None, 1, 5, 30])
@pytest.mark.parametrize("ties", ["mistake", "positive"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("rule", RULES)
def test_kernels_ties_and_budgets_as_in_the_reference(rule, kernel, ties, budget):
    X, y = data(2, rule)
    k = KERNELS[kernel]
    steps = history(gram(k, X, X), y, rule, [range(len(X))] * PASSES, ties, budget)
    state = learn(X, y, rule, PASSES, k, ties, budget)
    assert_same(state, steps, rule)
    assert budget is None or len(state.origin) == budget


@pytest.mark.parametrize("budget", [None, 8])
@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
@pytest.mark.parametrize(
    ("block", "tile"), first_quick([(3, 2), (1, 1), (7, 1000), (99, 5), (100, 100)])
)
@pytest.mark.parametrize("rule", RULES)
def test_sizes_of_blocks_and_tiles_change_nothing(rule, block, tile, layout, budget, monkeypatch):
    X, y = data(3, rule)
    steps = history(gram(CUBIC, X, X), y, rule, [range(len(X))] * PASSES, budget=budget)
    sizes(monkeypatch, block, tile)
    assert_same(learn(LAYOUTS[layout](X), y, rule, PASSES, budget=budget), steps, rule)


@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
@pytest.mark.parametrize("rule", RULES)
def test_blocks_and_tiles_of_their_own_sizes(rule, layout):
    X, y = data(4, rule, n=2200, noise=0.9)
    orders = [range(len(X))] * 2
    mistakes, changed = 0, 0
    for step in steps_of(gram(CUBIC, X, X), y, rule, orders):
        mistakes += mistakes_of([step], rule)
        changed += bool(step[2].any())
    assert len(X) > 2 * HostGrams.block_size
    assert changed > HostGrams.tile_size
    state = learn(LAYOUTS[layout](X), y, rule, 2)
    assert state.updates == mistakes
    coef = np.zeros_like(step[1])
    coef[:, state.origin] = learner.coefficients(state)
    np.testing.assert_array_equal(coef, step[1])


@pytest.mark.parametrize("rule", RULES)
def test_zeros_are_skipped_or_not_with_the_same_result(rule, monkeypatch):
    X, y = data(5, rule, n=200, d=20)
    X[np.random.default_rng(0).random(X.shape) < 0.8] = 0
    rows = as_rows(X)
    assert kernel_values_cpu.mostly_zero(rows)
    assert not kernel_values_cpu.mostly_zero(as_rows(X + 1))
    steps = history(gram(CUBIC, X, X), y, rule, [range(len(X))] * PASSES)
    sizes(monkeypatch, 60, 32)
    assert_same(learn(X, y, rule, PASSES), steps, rule)
    monkeypatch.setattr(kernel_values_cpu, "mostly_zero", lambda rows: False)
    assert_same(learn(X, y, rule, PASSES), steps, rule)
    assert_same(learn(sp.csr_matrix(X), y, rule, PASSES), steps, rule)


@pytest.mark.parametrize("budget", [None, 10])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("rule", RULES)
def test_a_table_of_kernel_values_stands_for_the_rows(rule, kind, budget, monkeypatch):
    X, y = data(6, rule)
    table = gram(CUBIC, X, X)
    steps = history(table, y, rule, [range(len(X))] * PASSES, budget=budget)
    sizes(monkeypatch, 30, 16, TableGrams)
    state = learn(kind(table - 1), y, rule, PASSES, Kernel("precomputed", bias=1.0), budget=budget)
    assert_same(state, steps, rule)
    assert state.kept.values.shape == (len(state.origin), 0)


@pytest.mark.parametrize("budget", [None, 12])
@pytest.mark.parametrize("size", [1, 9, 100])
@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
@pytest.mark.parametrize("rule", RULES)
def test_pieces_add_up_to_the_whole(rule, layout, size, budget):
    X, y = data(7, rule)
    steps = history(gram(CUBIC, X, X), y, rule, [range(len(X))], budget=budget)
    n_classes, jointly = RULES[rule]
    state = learner.init(X.shape[1], n_classes, kernel=CUBIC, joint=jointly)
    for start in range(0, len(X), size):
        piece = slice(start, start + size)
        rows = as_rows(LAYOUTS[layout](X[piece]))
        state = learner.update(state, rows, y[piece], max_support=budget)
    assert_same(state, steps, rule)


@pytest.mark.parametrize("jointly", [False, True])
def test_a_class_that_comes_late_starts_at_zero_beside_the_others(jointly):
    X, y = whole_numbers(seed=8, n_classes=4)
    two = np.flatnonzero(y % 2 == 1)  # classes 1 and 3, then all
    state = learner.init(X.shape[1], 2, kernel=CUBIC, joint=jointly)
    state = learner.update(state, as_rows(X[two]), y[two] // 2)
    before = learner.coefficients(state)[0]
    state = learner.grow(state, np.array([1, 3]), 4)
    np.testing.assert_array_equal(learner.coefficients(state), np.outer([0, -1, 0, 1], before))
    assert state.born.tolist() == [len(two) + 1, 1, len(two) + 1, 1]
    support = state.origin
    state = learner.update(state, as_rows(X), y)

    everything = np.vstack([X[two], X])
    table = gram(CUBIC, everything, everything)
    coef = np.zeros((4, len(table)))
    coef[1, support], coef[3, support] = -before, before
    for i, label in enumerate(y, start=len(two)):
        coef[:, i] += (joint if jointly else one_against_all)(label, coef @ table[:, i])
    np.testing.assert_array_equal(learner.coefficients(state), coef[:, state.origin])
    assert not np.delete(coef, state.origin, axis=1).any()


@st.composite
def problems(draw):
    """Rows and labels, how to learn from them, and sizes at which something may go wrong."""
    rule = draw(st.sampled_from(sorted(RULES)))
    n, d = draw(st.integers(4, 40)), draw(st.integers(1, 6))
    X, y = data(draw(st.integers(0, 10**6)), rule, n, d, draw(st.sampled_from([0.0, 0.3, 1.0])))
    X *= np.random.default_rng(n).random(X.shape) < draw(st.sampled_from([0.2, 1.0]))
    kernel = draw(st.sampled_from(sorted(KERNELS)))
    options = {
        "passes": draw(st.integers(1, 4)),
        "kernel": KERNELS[kernel],
        "ties": draw(st.sampled_from(["mistake", "positive"])),
        "budget": draw(st.none() | st.integers(1, 12)),
    }
    layout, dtype = draw(st.sampled_from(sorted(VIEWS))), draw(st.sampled_from(["f4", "f8"]))
    block, tile = draw(st.integers(1, 41)), draw(st.integers(1, 41))
    return rule, X, y, VIEWS[layout](X.astype(dtype)), options, block, tile


@given(problems())
def test_whatever_the_data_the_settings_and_the_sizes(problem):
    rule, X, y, view, options, block, tile = problem
    orders = [range(len(X))] * options["passes"]
    table = gram(options["kernel"], X, X)
    steps = history(table, y, rule, orders, options["ties"], options["budget"])
    with pytest.MonkeyPatch.context() as patch:
        sizes(patch, block, tile)
        assert_same(learn(view, y, rule, **options), steps, rule)
