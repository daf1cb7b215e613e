"""Forgetting in streams: the same bits however examples come, and what changes is followed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import OnlineClassifier, OnlineRegressor, load, reference, save
from rosenblatt.data.rows import as_rows
from rosenblatt.distributed.file_fitting import check_stream
from rosenblatt.kernels.online.adaptive import HALVINGS
from rosenblatt.learners import adaptive, online
from rosenblatt.persist import container
from tests.stream.test_l1 import examples, learned_in_blocks


def problem(n_classes, seed=0, n=90, d=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    codes = rng.integers(n_classes, size=n)
    wide = np.column_stack([X, np.ones(n)])
    return X, wide, online.targets(codes, n_classes, np.float64)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("forget", [1, 3, 40])
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_every_weight_is_the_references(loss, forget, n_classes):
    """Sums were made smaller several times where the half-life is short."""
    X, wide, y = problem(n_classes)
    assert len(X) > HALVINGS * 3
    pace, k = {"l2": 0.7, "l1": 0.05, "forget": forget}, 1 if n_classes == 2 else n_classes
    expected = list(
        reference.adaptive(wide, y, [range(len(X))], loss, n_functions=k, eta=0.3, **pace)
    )
    state, rows = adaptive.init(X.shape[1], n_classes, loss=loss), as_rows(X)
    for stop in (20, 21, len(X)):
        order = np.arange(state.steps, stop)
        state = adaptive.update(state, rows, y, order, eta0=0.3, average=True, **pace)
        both = np.column_stack([state.weights, state.intercept])
        np.testing.assert_allclose(both, expected[stop - 1], rtol=1e-9, atol=1e-12)


def test_a_regression_forgets_as_the_reference_does():
    X, wide, _ = problem(2)
    y = X @ [3.0, -1, 0, 2, 0.5] + 1
    target, state = np.zeros(3), adaptive.init(X.shape[1], loss="squared")
    state = adaptive.update_numbers(state, as_rows(X), y, target, eta0=0.3, l2=0.7, forget=3)
    means = np.cumsum(y) / np.arange(1, len(y) + 1)
    deviations = np.array([y[: n + 1].std() for n in range(len(y))])
    z = np.where(deviations > 0, (y - means) / np.where(deviations > 0, deviations, 1), 0)
    *_, expected = reference.adaptive(
        wide, z, [range(len(X))], "squared", eta=0.3, l2=0.7, forget=3
    )
    both = np.append(state.weights, state.intercept)
    np.testing.assert_allclose(both, expected[0], rtol=1e-9, atol=1e-12)


@given(st.integers(0, 1000), st.integers(1, 9), st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_when_a_stream_began_does_not_matter(seed, forget, steps):
    """Sums are made smaller now and then: it must not show when."""
    X, _, y = problem(2, seed)
    rows, pace = as_rows(X), {"l2": 0.3, "l1": 0.1, "forget": forget, "average": True}
    first = adaptive.update(adaptive.init(X.shape[1]), rows, y, **pace)
    later = adaptive.init(X.shape[1])._replace(steps=steps)
    later = adaptive.update(later, rows, y, **pace)
    np.testing.assert_allclose(later.weights, first.weights, rtol=1e-9, atol=1e-12)


def test_a_feature_that_comes_back_is_new_but_for_its_weight():
    """Its steps are as long as the first one was, as what made them short is forgotten."""
    X = np.zeros((400, 2))
    X[:20, 0], X[20:-1, 1], X[-1, 0] = 1, 1, 1
    pace, y = {"l2": 0.0, "average": True, "forget": 5}, np.ones(400)
    state = adaptive.update(adaptive.init(2, fit_intercept=False), as_rows(X[:-1]), y[:-1], **pace)
    before = state.weights[0, 0]
    state = adaptive.update(state, as_rows(X[-1:]), -y[:1], **pace)
    np.testing.assert_allclose(state.weights[0, 0], before - 2 * adaptive.ETA0, atol=1)
    assert state.weights[0, 0] < before - adaptive.ETA0 / 2


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_one_at_a_time_or_many_is_the_same(n_classes, tmp_path):
    """Also after the model was saved halfway, with new features and classes on the way."""
    make = OnlineRegressor if n_classes == 0 else OnlineClassifier
    given = {"forget": 7, "l1": 0.1, "average": False}
    single, again = make(**given), make(**given)
    for number, (x, y) in enumerate(examples(300, n_classes)):
        single.learn_one(x, y)
        again.learn_one(x, y)
        if number == 150:
            save(again, tmp_path / "m.model")
            again = load(tmp_path / "m.model")
    assert again.forget == 7
    for model in (again, learned_in_blocks(n_classes, **given)):
        assert model.coef_.tobytes() == single.coef_.tobytes()
        np.testing.assert_array_equal(model.intercept_, single.intercept_)


def test_who_forgets_nothing_learns_what_it_did():
    """A half-life that no stream is long enough for changes the last digits alone."""
    never = OnlineClassifier(dtype="float64")
    hardly = OnlineClassifier(dtype="float64", forget=10**9)
    for x, y in examples(300, 2):
        never.learn_one(x, y)
        hardly.learn_one(x, y)
    np.testing.assert_allclose(hardly.coef_, never.coef_, rtol=1e-4, atol=1e-6)
    assert "forget" not in never._options.stored()


def test_it_follows_classes_that_change_places():
    """After many examples they do: what forgets is right again much sooner."""

    def wrong_after(forget):
        rng, model, wrong = np.random.default_rng(0), OnlineClassifier(forget=forget), 0
        for t in range(4_000):
            x = {"a": float(rng.normal()), "b": float(rng.normal())}
            y = (x["a"] > 0) != (t >= 3_000)
            wrong += t >= 3_000 and model.predict_one(x) != y
            model.learn_one(x, bool(y))
        return wrong

    assert wrong_after(100) < 150 < 300 < wrong_after(None)


@pytest.mark.parametrize("forget", [0, -1, 2.5, True, 1 << 48, "100"])
def test_a_half_life_is_a_number_of_examples(forget):
    with pytest.raises(ValueError, match=r"forget=.* must be a number of examples.*a whole number"):
        OnlineClassifier(forget=forget)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"learner": "arow"}, "forget=9 is for gradient descent with adaptive steps.*arow"),
        ({"learning_rate": "inverse_sqrt"}, "the steps of learning_rate='inverse_sqrt'"),
        ({"average": True}, "forget=9 and average=True contradict each other"),
    ],
)
def test_who_cannot_forget_says_so(given, told):
    with pytest.raises(ValueError, match=told):
        OnlineClassifier(forget=9, **given)


def test_on_a_cluster_nothing_is_forgotten():
    with pytest.raises(ValueError, match="forget is for one process"):
        check_stream(OnlineClassifier(forget=9))


def test_files_without_it_are_as_before(tmp_path):
    """Earlier versions read them."""
    for forget in (None, 5):
        model = OnlineClassifier(forget=forget)
        for x, y in examples(9, 2):
            model.learn_one(x, y)
        save(model, tmp_path / "m.model")
        header = container.read(tmp_path / "m.model")[0]
        assert header["params"].get("forget") == forget
        assert load(tmp_path / "m.model").forget == forget
