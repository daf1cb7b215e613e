"""Iterative parameter mixing: as in the paper, shard for shard and mistake for mistake."""

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st

from rosenblatt import AROW, AveragedPerceptron, PassiveAggressive, Perceptron, load, save
from rosenblatt.data.rows import as_rows
from rosenblatt.distributed import evaluate, fit, mixing_bound, predict, rounds_of
from rosenblatt.distributed.online import seed_of
from rosenblatt.learners.order import Orders
from rosenblatt.reference import iterative_mixing
from tests.conftest import examples
from tests.distributed.eager import Eager

ONLINE = [Perceptron, AveragedPerceptron, PassiveAggressive, AROW]
# Four examples that a plane through the origin separates, in two shards (McDonald et al., section
# 3): perceptrons that see one shard each until they converge have no mixture that does.
COUNTEREXAMPLE = (
    [np.array([[1.0, 1, 0], [0, 0, 1]]), np.array([[0.0, 1, 1], [1, 0, 0]])],
    [np.array([-1, 1]), np.array([-1, 1])],
)


def whole_numbers(seed, shards, rows=8, columns=4, separable=False):
    """Return shards of whole numbers, and their labels."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(shards * rows, columns)).astype(float)
    normal = rng.integers(1, 4, size=columns) * rng.choice([-1, 1], size=columns)
    X[X @ normal == 0] = normal
    y = np.where(X @ normal > 0, 1, -1) if separable else rng.choice([-1, 1], size=len(X))
    X[0], y[0], X[1], y[1] = normal, 1, -normal, -1
    return np.split(X, shards), np.split(y, shards)


def orders_of(X, y, rounds, shuffle):
    """Return the orders in which `fit` visits the rows of shards."""
    seed = seed_of(0)
    rngs = [[np.random.default_rng([seed, r, k]) for k in range(len(X))] for r in range(rounds)]
    return [
        [
            Orders(as_rows(X[k]), y[k], rng, shuffle=shuffle).next().order.tolist()
            for k, rng in enumerate(row)
        ]
        for row in rngs
    ]


@pytest.mark.parametrize("mixing", ["mistakes", "uniform"])
@examples(
    4,
    40,
    seed=st.integers(0, 10_000),
    shards=st.sampled_from([1, 2, 3, 4, 5]),
    intercept=st.booleans(),
    shuffle=st.booleans(),
    ties=st.sampled_from(["mistake", "positive"]),
)
def test_it_is_the_paper_s_algorithm(mixing, seed, shards, intercept, shuffle, ties):
    X, y = whole_numbers(seed, shards)
    # Halves of whole numbers are exact. Thirds are not, and a score of zero may be one no more.
    exact = mixing == "uniform" and shards in (1, 2, 4)
    if not exact:
        X = [rows + np.random.default_rng(seed).normal(size=rows.shape) for rows in X]
    options = {"fit_intercept": intercept, "shuffle": shuffle, "ties": ties}
    wanted = list(
        iterative_mixing(
            list(zip(X, y, strict=True)),
            orders_of(X, y, 4, shuffle),
            mixing=mixing,
            ties=ties,
            bias=intercept,
        )
    )
    for kind in (Perceptron, AveragedPerceptron):
        model = fit(kind(**options), X, y, client=Eager(), rounds=4, mixing=mixing)
        passes = rounds_of(model).passes
        assert [[each.mistakes for each in row] for row in passes] == [r.mistakes for r in wanted]
        last = model._state.weights[0], model._state.intercept[0]
        if exact:
            assert last[0].tolist() == wanted[-1].w.tolist()
            assert last[1] == wanted[-1].b
        else:
            np.testing.assert_allclose(last[0], wanted[-1].w, rtol=1e-12, atol=1e-12)
    # The mean of all rounds, each of which is the mixture of the shards' means.
    np.testing.assert_allclose(
        model.coef_[0], np.mean([r.mean_w for r in wanted], axis=0), atol=1e-12
    )
    np.testing.assert_allclose(model.intercept_[0], np.mean([r.mean_b for r in wanted]), atol=1e-12)


def test_where_mixing_once_fails_rounds_succeed():
    (one, two), labels = COUNTEREXAMPLE
    X, y = np.vstack([one, two]), np.concatenate(labels)
    options = {"fit_intercept": False, "ties": "positive", "shuffle": False}
    apart = [Perceptron(**options).fit(rows, labels[0]).coef_[0] for rows in (one, two)]
    for share in np.linspace(0, 1, 11):
        mixed = share * apart[0] + (1 - share) * apart[1]
        assert (np.where(X @ mixed >= 0, 1, -1) != y).any()
    for mixing in ("mistakes", "uniform"):
        model = fit(Perceptron(**options), [one, two], labels, client=Eager(), mixing=mixing)
        assert model.converged_
        assert model.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("mixing", ["mistakes", "uniform"])
@examples(4, 40, seed=st.integers(0, 10_000), shards=st.integers(1, 5), intercept=st.booleans())
def test_weighted_mistakes_are_within_the_bound(mixing, seed, shards, intercept):
    X, y = whole_numbers(seed, shards, separable=True)
    model = Perceptron(fit_intercept=intercept)
    fit(model, X, y, client=Eager(), rounds=60, mixing=mixing)
    found = mixing_bound(model, X, y, client=Eager())
    if model.converged_:
        assert found.margin > 0
        assert found.weighted_mistakes <= found.bound
        if mixing == "mistakes":
            assert len(model.mistakes_) - 1 <= found.weighted_mistakes
    assert found.weighted_mistakes <= model.n_mistakes_ + 1e-9
    assert str(found).startswith(f"{found.weighted_mistakes:.6g} weighted mistakes")


@pytest.mark.parametrize("kind", ONLINE)
def test_one_shard_is_one_machine(kind):
    X, y = whole_numbers(0, 1, rows=60)
    model = fit(kind(shuffle=False), X, y, client=Eager(), rounds=3)
    alone = kind(shuffle=False, max_iter=3, tol=None).fit(X[0], y[0])
    np.testing.assert_allclose(model.coef_, alone.coef_, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, alone.intercept_, rtol=1e-12, atol=1e-12)
    assert model.mistakes_.tolist() == alone.mistakes_.tolist()
    assert (model.n_mistakes_, model.t_) == (alone.n_mistakes_, alone.t_)


@pytest.mark.parametrize("kind", ONLINE)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_learns_and_saves_like_any_other(inside, kind, n_classes, tmp_path):
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(n_classes, 6)) * 2
    codes = rng.integers(n_classes, size=600)
    X = sp.csr_matrix(centres[codes] + rng.normal(size=(600, 6)))
    names = np.array(["ham", "spam", "eggs"])[codes]
    parts = [(X[k::5], names[k::5]) for k in range(5)]
    model = fit(kind(), parts, client=inside, rounds=5)
    assert model.score(X, names) > 0.85
    assert model.classes_.tolist() == sorted({*names.tolist()})
    save(model, tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.mistakes_.tolist() == model.mistakes_.tolist()


def test_results_do_not_depend_on_the_order_in_which_tasks_run(inside):
    X, y = whole_numbers(3, 7, rows=30)
    found = [
        fit(AveragedPerceptron(), X, y, client=inside, rounds=3).coef_.tobytes() for _ in range(4)
    ]
    assert len(set(found)) == 1


def test_balanced_classes_are_balanced_over_all_shards():
    X, y = whole_numbers(5, 3, rows=20)
    y[0][:] = 1
    y[0][0] = -1
    weights = (
        len(y)
        * 20
        / (2 * np.array([sum((part == label).sum() for part in y) for label in (-1, 1)]))
    )
    given_ = fit(Perceptron(class_weight="balanced"), X, y, client=Eager(), rounds=2)
    told = fit(
        Perceptron(class_weight={-1: weights[0], 1: weights[1]}), X, y, client=Eager(), rounds=2
    )
    assert given_.coef_.tolist() == told.coef_.tolist()


def test_random_mistakes_end_with_a_look_at_every_row():
    X, y = whole_numbers(4, 3, separable=True)
    model = fit(Perceptron(selection="random_mistake"), X, y, client=Eager(), rounds=200)
    assert model.converged_
    assert model.mistakes_[-2:].tolist() == [0, 0]
    assert model.score(np.vstack(X), np.concatenate(y)) == 1


def test_dask_arrays_and_frames_and_futures_are_the_same_shards(inside):
    import dask.dataframe as dd
    import pandas as pd

    X, y = whole_numbers(6, 4, rows=25)
    wanted = fit(Perceptron(), X, y, client=inside, rounds=2).coef_.tolist()
    rows, labels = np.vstack(X), np.concatenate(y)
    arrays = da.from_array(rows, chunks=(25, 2)), da.from_array(labels, chunks=25)
    assert fit(Perceptron(), *arrays, client=inside, rounds=2).coef_.tolist() == wanted
    frame = pd.DataFrame(rows, columns=list("abcd")).assign(label=labels)
    table = dd.from_pandas(frame, npartitions=4, sort=False)
    model = fit(Perceptron(), table, "label", client=inside, rounds=2)
    assert model.coef_.tolist() == wanted
    assert model.feature_names_in_.tolist() == list("abcd")
    futures = [inside.submit(lambda a, b: (a, b), *pair) for pair in zip(X, y, strict=True)]
    assert fit(Perceptron(), futures, client=inside, rounds=2).coef_.tolist() == wanted


def test_empty_shards_and_more_shards_than_workers(inside):
    X, y = whole_numbers(7, 20, rows=5)
    wanted = fit(Perceptron(), X, y, client=inside, rounds=2, mixing="uniform")
    assert len(rounds_of(wanted).passes[0]) == 20
    empty = np.empty((0, 4)), np.empty(0, int)
    model = fit(
        Perceptron(), [empty[0], *X[:4], empty[0]], [empty[1], *y[:4], empty[1]], client=inside
    )
    assert [each.examples for each in rounds_of(model).passes[0]] == [0, 5, 5, 5, 5, 0]


def test_classes_are_united(inside):
    X = [np.eye(3), np.eye(3)]
    model = fit(Perceptron(), X, [["a", "b", "b"], ["c", "a", "b"]], client=inside)
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_predict_and_evaluate_over_shards(inside):
    import dask.dataframe as dd
    import pandas as pd

    X, y = whole_numbers(6, 4, rows=25)
    rows, labels = np.vstack(X), np.concatenate(y)
    model = Perceptron().fit(rows, labels)
    wanted = model.predict(rows)
    arrays = da.from_array(rows, chunks=(25, 2)), da.from_array(labels, chunks=25)
    assert predict(model, arrays[0], client=inside).tolist() == wanted.tolist()
    assert predict(model, [*X, X[0][:0]], client=inside).tolist() == wanted.tolist()
    for source in ((X, y), arrays):
        counted = evaluate(model, *source, client=inside)
        assert counted.examples == 100
        assert counted.mistakes == np.count_nonzero(wanted != labels)
        assert counted.accuracy == model.score(rows, labels)
    table = pd.DataFrame(rows, columns=list("abcd"))
    named = Perceptron().fit(table, labels)
    frame = dd.from_pandas(table, npartitions=3, sort=False)
    assert predict(named, frame, client=inside).tolist() == wanted.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ONLINE)
def test_on_real_data_shards_are_as_good_as_one_machine(dataset, kind):
    X, y = dataset("a9a").X, dataset("a9a").y
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:25_000], order[25_000:]
    alone = kind(max_iter=10, tol=None).fit(X[train], y[train]).score(X[test], y[test])
    parts = [(X[train[k::8]], y[train[k::8]]) for k in range(8)]
    found = fit(kind(), parts, client=Eager(), rounds=10).score(X[test], y[test])
    assert found > alone - 0.005
