"""A kernel perceptron goes on: pieces, warm starts, classes that come late, a budget, stages."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import KernelPerceptron
from tests.conftest import LAYOUTS, first_quick, rounding, whole_numbers

CUBIC = {"kernel": "poly", "degree": 3, "gamma": 1}
WAYS = ["vote", "average", "last", "random"]


def assert_same(model, other, X):
    """Assert that two models are the same in all they learned, and in all ways to predict."""
    for name in ("classes_", "support_", "dual_coef_", "mean_dual_coef_", "t_", "n_mistakes_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(other, name))
    for part, same in zip(model._state[:4], other._state[:4], strict=True):
        np.testing.assert_array_equal(part, same)
    kept, same = (
        rows.toarray() if sp.issparse(rows) else rows
        for rows in (model.support_vectors_, other.support_vectors_)
    )
    np.testing.assert_array_equal(kept, same)
    before = model.predict_with, other.predict_with
    for how in WAYS:
        scores = [each.set_params(predict_with=how).decision_function(X) for each in (model, other)]
        np.testing.assert_array_equal(*scores)
    model.set_params(predict_with=before[0])
    other.set_params(predict_with=before[1])


@pytest.mark.parametrize("max_support", [None, 17])
@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
@pytest.mark.parametrize("size", first_quick([1, 11, 700], 1))
@pytest.mark.parametrize(("n_classes", "rule"), [(2, "ovr"), (4, "ovr"), (4, "joint")])
def test_pieces_are_one_pass(n_classes, rule, size, layout, max_support):
    X, y = whole_numbers(seed=1, n=700 if size > 1 else 90, n_classes=n_classes)
    view = LAYOUTS[layout](X)
    options = {**CUBIC, "multi_class": rule, "max_support": max_support}
    whole = KernelPerceptron(shuffle=False, max_iter=1, **options).fit(view, y)
    pieces = KernelPerceptron(**options)
    for start in range(0, len(X), size):
        part = slice(start, start + size)
        pieces.partial_fit(view[part], y[part], classes=range(n_classes))
    assert_same(pieces, whole, view)
    assert len(np.unique(whole.support_)) == len(whole.support_) > 10


@pytest.mark.parametrize("rule", ["ovr", "joint"])
def test_pieces_may_be_dense_or_sparse_and_of_both_types(rule):
    X, y = whole_numbers(seed=2, n_classes=3)
    whole = KernelPerceptron(**CUBIC, multi_class=rule).partial_fit(X, y)
    mixed = KernelPerceptron(**CUBIC, multi_class=rule)
    kinds = [np.float32, sp.csr_matrix, np.asarray, lambda Z: sp.csr_matrix(Z, dtype=np.float32)]
    for start in range(0, 120, 10):
        part = slice(start, start + 10)
        mixed.partial_fit(kinds[start // 10 % 4](X[part]), y[part], classes=[0, 1, 2])
    assert_same(mixed, whole, X)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("rule", ["ovr", "joint"])
def test_classes_may_come_one_by_one(rule, how):
    X, y = whole_numbers(seed=3, n_classes=5, noise=0)
    names = np.array(["m", "c", "x", "a", "q"])[y]
    model = KernelPerceptron(**CUBIC, multi_class=rule, predict_with=how)
    for name in ("x", "c", "q", "a", "m"):
        model.partial_fit(X[names == name], names[names == name])
    assert model.classes_.tolist() == ["a", "c", "m", "q", "x"]
    assert model.dual_coef_.shape == (5, len(model.support_))
    for _ in range(60):
        model.partial_fit(X, names)
    assert model.score(X, names) > (0.8 if how == "random" else 0.95)


@pytest.mark.parametrize("how", WAYS)
def test_one_class_is_enough_to_begin_a_stream(how):
    model = KernelPerceptron(kernel="linear", predict_with=how)
    model.partial_fit([[1.0], [2.0]], ["ham", "ham"])
    assert model.predict([[5.0]]).tolist() == ["ham"]
    assert model.t_ == model.n_mistakes_ == len(model.support_) == 0
    model.partial_fit([[-1.0]], ["spam"]).partial_fit([[1.0]], ["ham"])
    assert model.classes_.tolist() == ["ham", "spam"]
    assert model.support_.tolist() == [2, 3]  # rows are numbered as they came
    assert model.set_params(predict_with="last").predict([[-1.0], [1.0]]).tolist() == [
        "spam",
        "ham",
    ]


def test_a_third_class_keeps_what_was_learned_of_two():
    X, y = whole_numbers(seed=4)
    model = KernelPerceptron(**CUBIC, predict_with="last").partial_fit(X, y)
    before, scores = model.dual_coef_[0], model.decision_function(X)
    model.partial_fit(X[:1], [7])
    assert model.classes_.tolist() == [0, 1, 7]
    n = len(before)
    np.testing.assert_array_equal(model.dual_coef_[:, :n], [-before, before, 0 * before])
    change = model.dual_coef_[:, n:] @ (X[:1] @ X.T + 1) ** 3 + model.dual_coef_[:, n:]
    expected = np.stack([-scores, scores, 0 * scores]) + change
    np.testing.assert_array_equal(model.decision_function(X), expected.T)


@pytest.mark.parametrize("max_support", [None, 9])
@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
@pytest.mark.parametrize("rule", ["ovr", "joint"])
def test_two_fits_of_three_passes_are_one_of_six(rule, layout, max_support):
    X, y = whole_numbers(seed=5, n=600, n_classes=3, noise=0.4)
    view = LAYOUTS[layout](X)
    options = {**CUBIC, "multi_class": rule, "shuffle": False, "max_support": max_support}
    warm = KernelPerceptron(max_iter=3, warm_start=True, **options).fit(view, y).fit(view, y)
    whole = KernelPerceptron(max_iter=6, **options).fit(view, y)
    assert_same(warm, whole, view)
    assert len(np.unique(warm.support_)) == len(warm.support_)
    np.testing.assert_array_equal(warm.mistakes_, whole.mistakes_[3:])


def test_a_warm_start_with_a_table_of_kernel_values():
    X, y = whole_numbers(seed=6, noise=0.4)
    table = X @ X.T
    options = {"kernel": "precomputed", "shuffle": False}
    warm = KernelPerceptron(max_iter=2, warm_start=True, **options).fit(table, y).fit(table, y)
    whole = KernelPerceptron(max_iter=4, **options).fit(table, y)
    np.testing.assert_array_equal(warm.dual_coef_, whole.dual_coef_)
    np.testing.assert_array_equal(warm.decision_function(table), whole.decision_function(table))


def test_a_warm_start_on_other_rows_goes_on_from_both():
    X, y = whole_numbers(seed=7)
    model = KernelPerceptron(**CUBIC, warm_start=True, max_iter=1, shuffle=False)
    model.fit(X[:60], y[:60]).fit(X[60:], y[60:])
    whole = KernelPerceptron(**CUBIC, max_iter=1, shuffle=False).fit(X, y)
    assert_same(model, whole, X)


def test_warm_starts_go_on_to_new_orders():
    X, y = rounding(seed=8, n=700)
    model = KernelPerceptron(max_iter=1, warm_start=True)
    mistakes = [model.fit(X, y).n_mistakes_ for _ in range(3)]
    again = KernelPerceptron(max_iter=1, warm_start=True)
    assert [again.fit(X, y).n_mistakes_ for _ in range(3)] == mistakes
    np.testing.assert_array_equal(again.dual_coef_, model.dual_coef_)


def test_a_warm_start_may_meet_new_classes():
    X, y = whole_numbers(seed=9, n_classes=3, noise=0)
    X = np.hstack([X, 4 * np.eye(3)[y]])
    for rule in ("ovr", "joint"):
        model = KernelPerceptron(
            kernel="linear", warm_start=True, max_iter=500, predict_with="last", multi_class=rule
        )
        model.fit(X[y < 2], y[y < 2]).fit(X, y)
        assert model.classes_.tolist() == [0, 1, 2]
        assert model.converged_
        assert model.score(X, y) == 1


@pytest.mark.parametrize("rule", ["ovr", "joint"])
def test_a_budget_is_kept_and_may_be_changed(rule):
    X, y = whole_numbers(seed=10, n=300, n_classes=3, noise=0.5)
    model = KernelPerceptron(**CUBIC, max_support=40, multi_class=rule).fit(X, y)
    assert len(model.support_) == 40
    model.partial_fit(X, y)
    assert len(model.support_) == 40
    # The rows whose coefficients were changed last are those that stay.
    newest = np.array([model._state.step[model._state.row == k].max() for k in range(40)])
    stay = model.support_[np.sort(np.argsort(newest)[-7:])]
    model.set_params(max_support=7).partial_fit(X[:1], y[:1])
    assert len(model.support_) == 7
    assert len(set(stay) & set(model.support_)) >= 6  # the seventh may be the row that came
    model.set_params(max_support=20).partial_fit(X, y)
    assert len(model.support_) == 20
    model.set_params(max_support=None).partial_fit(X, y)
    assert len(model.support_) > 20


def test_a_lower_budget_is_as_if_the_oldest_had_never_been():
    X, y = whole_numbers(seed=11, n=120, noise=0.5)
    model = KernelPerceptron(kernel="linear", predict_with="last").partial_fit(X[:100], y[:100])
    scores_of = model.dual_coef_[0, -5:] @ (model.support_vectors_[-5:] @ X.T + 1)
    sure = np.argmax(np.abs(scores_of))  # a row that changes nothing
    label, mistakes = int(scores_of[sure] > 0), model.n_mistakes_
    model.set_params(max_support=5).partial_fit(X[sure : sure + 1], [label])
    assert model.n_mistakes_ == mistakes
    np.testing.assert_array_equal(model.decision_function(X), scores_of)


def test_labels_turned_round_leave_the_budget_in_order():
    """A row may have coefficients that add up to zero, and is forgotten all the same."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, size=(8, 3)).astype(float)
        model = KernelPerceptron(**CUBIC, max_iter=1, shuffle=False, warm_start=True)
        table, coef, support = (X @ X.T + 1) ** 3 + 1, np.zeros(8), []
        for _ in range(5):
            y, limit = np.array([0, 1, *rng.integers(2, size=6)]), int(rng.integers(1, 6))
            model.set_params(max_support=limit).fit(X, y)
            while len(support) > limit:
                coef[support.pop(0)] = 0
            for i, side in enumerate(2 * y - 1):
                if side * (coef @ table[:, i]) <= 0:
                    if i in support:
                        support.remove(i)
                    elif len(support) == limit:
                        coef[support.pop(0)] = 0
                    support.append(i)
                    coef[i] += side
            assert model.support_.tolist() == sorted(support)
            np.testing.assert_array_equal(model.dual_coef_[0], coef[sorted(support)])


@pytest.mark.parametrize("how", ["vote", "average", "last"])
def test_stages_begin_where_a_row_was_last_forgotten(how):
    X, y = whole_numbers(seed=14, noise=0.1)
    model = KernelPerceptron(**CUBIC, max_support=25, predict_with=how).partial_fit(X, y)
    first = model._state.first
    assert 1 < first < 120
    assert len(list(model.staged_predict(X))) == 1
    (stage,) = model.staged_decision_function(X, [first])
    stopped = KernelPerceptron(**CUBIC, max_support=25, predict_with=how)
    stopped.partial_fit(X[:first], y[:first])
    np.testing.assert_allclose(stage, stopped.decision_function(X), rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError, match=rf"from {first} \(rows were forgotten before\)"):
        next(model.staged_decision_function(X, [first - 1]))


@pytest.mark.parametrize("how", ["vote", "average", "last"])
@pytest.mark.parametrize("rule", ["ovr", "joint"])
def test_stages_are_models_that_stopped_there(rule, how):
    X, y = whole_numbers(seed=12, n=600, n_classes=3, noise=0.3)
    options = {**CUBIC, "multi_class": rule, "predict_with": how}
    model = KernelPerceptron(max_iter=4, **options).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == model.n_iter_ == 4
    for passes, stage, labels in zip(range(1, 5), stages, model.staged_predict(X), strict=True):
        stopped = KernelPerceptron(max_iter=passes, **options).fit(X, y)
        np.testing.assert_allclose(stage, stopped.decision_function(X), rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(labels, stopped.predict(X))
    pieces = KernelPerceptron(**options).partial_fit(X, y)
    steps = [1, 7, 511, 512, 513, 600]
    for step, stage in zip(steps, pieces.staged_decision_function(X, steps), strict=True):
        stopped = KernelPerceptron(**options).partial_fit(X[:step], y[:step], classes=[0, 1, 2])
        np.testing.assert_allclose(stage, stopped.decision_function(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("steps", [[], [-1], [5, 5], [7, 3], [10**6]])
def test_stages_that_were_not(steps):
    X, y = whole_numbers(seed=13)
    model = KernelPerceptron(max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="steps must be whole numbers from 0 to 240"):
        next(model.staged_decision_function(X, steps))
