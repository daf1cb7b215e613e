"""Numbers standardised as they come: what is learned, kept, and said of the numbers as they are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import OnlineClassifier, load, save
from rosenblatt.data.rows import Sparse
from rosenblatt.readers.names import Kept, Numbered
from rosenblatt.reference.scaling import standardized
from rosenblatt.stream import encoding, scaling
from rosenblatt.stream.compacting import compacted
from rosenblatt.stream.rules import Options
from rosenblatt.stream.scaling import MOST, Scaling

OPTIONS = Options("logistic", learning_rate="adaptive", scale="standard", dtype="float64")


def table(n=200, seed=0):
    """Return a column far from zero, a tiny one, yes or no, and one that is often missing."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            2000 + 10 * rng.normal(size=n),
            1e-6 * rng.normal(size=n),
            rng.integers(0, 2, size=n),
            rng.normal(size=n),
        ]
    )
    X[rng.random(n) < 0.3, 3] = np.nan
    z = (X[:, 0] - 2000) / 10 + 1e6 * X[:, 1] + X[:, 2]
    return X, np.where(z + rng.normal(size=n) > 0.5, 1, 0)


def rows_of(X):
    there = ~np.isnan(X)
    indptr = np.concatenate([[0], there.sum(axis=1).cumsum()]).astype(np.int32)
    return Sparse(indptr, np.nonzero(there)[1].astype(np.int32), X[there])


def model_of(options=OPTIONS, d=4):
    names = Kept()
    names.columns([f"c{j}" for j in range(d)])
    return OnlineClassifier.with_names(options, names)


def test_each_number_by_those_before_it():
    X, _ = table()
    rows = rows_of(X)
    there = ~np.isnan(X)
    found = Scaling().learn(rows, 4).values
    np.testing.assert_allclose(found, standardized(X, MOST)[there], rtol=1e-9, atol=1e-9)


def test_a_model_is_a_hyperplane_on_the_numbers_as_they_are():
    X, y = table()
    X = X[:, :3]
    model = model_of(d=3)
    model.learn_rows(rows_of(X), y)
    scores = model.scores(rows_of(X))
    np.testing.assert_allclose(scores, X @ model.coef_[0] + model.intercept_[0], rtol=1e-6)
    assert (model.predict(rows_of(X)) == y).mean() > 0.75


def test_a_missing_number_is_the_mean():
    X, y = table()
    model = model_of()
    model.learn_rows(rows_of(X), y)
    centre, _ = model._scaling.centre_and_scale()
    means = dict(zip(model._scaling.features.tolist(), centre.tolist(), strict=True))
    row = np.array([[2010.0, 1e-6, 1.0, 0.3]])
    for j, mean in means.items():
        without, filled = row.copy(), row.copy()
        without[0, j], filled[0, j] = np.nan, mean
        np.testing.assert_allclose(model.scores(rows_of(without)), model.scores(rows_of(filled)))


@pytest.mark.parametrize("learner", ["perceptron", "averaged", "voted", "logistic", "svm"])
def test_a_stream_has_no_seams(learner):
    X, y = table(60)
    options = OPTIONS._replace(learner=learner)
    whole, parts = model_of(options), model_of(options)
    whole.learn_rows(rows_of(X), y)
    for start in range(0, 60, 7):
        parts.learn_rows(rows_of(X[start : start + 7]), y[start : start + 7])
    np.testing.assert_array_equal(whole.coef_, parts.coef_)
    np.testing.assert_array_equal(whole.scores(rows_of(X)), parts.scores(rows_of(X)))


@pytest.mark.parametrize("learner", ["averaged", "voted", "logistic"])
def test_what_is_saved_goes_on_as_if_nothing_had_happened(learner, tmp_path):
    X, y = table(80)
    options = OPTIONS._replace(learner=learner)
    whole, first = model_of(options), model_of(options)
    whole.learn_rows(rows_of(X), y)
    first.learn_rows(rows_of(X[:40]), y[:40])
    save(first, tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    np.testing.assert_array_equal(first.scores(rows_of(X)), again.scores(rows_of(X)))
    again.learn_rows(rows_of(X[40:]), y[40:])
    np.testing.assert_array_equal(whole.coef_, again.coef_)
    np.testing.assert_array_equal(whole.intercept_, again.intercept_)


def test_units_do_not_matter():
    X, y = table()
    one, other = model_of(), model_of()
    one.learn_rows(rows_of(X), y)
    other.learn_rows(rows_of(X * [1000, 1e6, 1, 0.01] + [7, 0, 0, 0]), y)
    assert one.n_mistakes_ == other.n_mistakes_


def test_words_and_yes_or_no_are_taken_as_they_are():
    rows = [({"a": 1, "b": k % 2}, k % 2) for k in range(20)]
    plain, scaled = (OnlineClassifier("averaged", scale=scale) for scale in (None, "standard"))
    for model in (plain, scaled):
        for x, y in rows:
            model.learn_one(x, y)
    np.testing.assert_array_equal(plain.coef_, scaled.coef_)
    assert scaled._scaling.size == 0


def test_what_few_rows_have_is_not_centred():
    model = OnlineClassifier("perceptron", scale="standard")
    for k in range(60):
        x = {"dense": 100 + k % 7}
        if k % 5 == 0:
            x["sparse"] = 3.0 + k % 2
        model.learn_one(x, k % 2)
    centre, scale = model._scaling.centre_and_scale()
    assert centre[0] > 100
    assert centre[1] == 0
    assert 3 < scale[1] < 4


def test_of_numbered_features_far_apart_those_used_are_kept():
    model = OnlineClassifier.with_names(OPTIONS, Numbered(1 << 23))
    rng = np.random.default_rng(0)
    columns = np.array([5, 70_000, 8_000_000], np.int32)
    X = rng.normal(size=(40, 3)) * [1, 100, 0.01] + [0, 500, 0]
    indptr = np.arange(41, dtype=np.int32) * 3
    rows = Sparse(indptr, np.tile(columns, 40), X.ravel())
    y = (X[:, 0] > 0).astype(int)
    model.learn_rows(rows, y)
    small = compacted(model)
    assert small.n_features_ == 3
    places = rows._replace(indices=np.tile(np.arange(3, dtype=np.int32), 40))
    np.testing.assert_allclose(small.scores(places), model.scores(rows))
    assert not small._scaling.centre_and_scale()[0].any()  # as zeros are left out


def test_hashed_names_are_not_scaled():
    model = OnlineClassifier("perceptron", bits=8, scale="standard")
    model.learn_one({"a": 100.0}, 0).learn_one({"a": 300.0}, 1)
    assert model._scaling is None


def test_what_lies_far_out_is_cut_off_for_the_step_and_counted():
    scaling = Scaling()
    X = np.r_[np.random.default_rng(0).normal(size=500), 1e9][:, None]
    assert np.abs(scaling.learn(rows_of(X), 1).values).max() == MOST
    assert scaling.cut == 1


def test_no_number_is_too_large(tmp_path):
    X, y = table(30)
    X[20, 0], X[21, 1] = 1e300, -1e308
    model = model_of()
    model.learn_rows(rows_of(X), y)
    save(model, tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    assert np.isfinite(again.scores(rows_of(X[:20]))).all()


DAMAGE = {
    "no counts": lambda header, arrays: header.update(scaling={}),
    "not there": lambda header, arrays: header.pop("scaling"),
    "an unknown feature": lambda header, arrays: arrays["scaling.features"].__setitem__(0, 99),
    "one twice": lambda header, arrays: arrays["scaling.features"].__setitem__(
        0, arrays["scaling.features"][1]
    ),
    "a mean that is not finite": lambda header, arrays: arrays["scaling.mean"].__setitem__(
        0, np.inf
    ),
    "squares below zero": lambda header, arrays: arrays["scaling.squares"].__setitem__(0, -1),
    "more numbers than there can be": lambda header, arrays: arrays["scaling.count"].__setitem__(
        0, 1 << 60
    ),
    "begun without a number": lambda header, arrays: arrays["scaling.count"].__setitem__(0, 0),
    "another kind": lambda header, arrays: arrays["scaling.kind"].__setitem__(0, 9),
    "an array too many": lambda header, arrays: arrays.update({"scaling.x": np.zeros(1)}),
    "an array too few": lambda header, arrays: arrays.pop("scaling.mean"),
    "scaled though it is not": lambda header, arrays: header["params"].update(scale=None),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_is_refused(damage):
    X, y = table(30)
    model = model_of()
    model.learn_rows(rows_of(X), y)
    header, arrays = encoding.copied(*model.to_parts())
    encoding.from_parts(header, arrays)
    header = {**header, "params": dict(header["params"])}
    DAMAGE[damage](header, arrays)
    with pytest.raises(ValueError, match=r"number|scale|column"):
        encoding.from_parts(header, arrays)


@given(st.integers(0, 10_000), st.lists(st.integers(1, 30), min_size=1, max_size=6))
@settings(max_examples=25, deadline=None)
def test_cuts_never_matter(seed, sizes):
    X, _ = table(sum(sizes), seed)
    whole, parts = Scaling(), Scaling()
    expected = whole.learn(rows_of(X), 4).values
    found, start = [], 0
    for size in sizes:
        found.append(parts.learn(rows_of(X[start : start + size]), 4).values)
        start += size
    np.testing.assert_array_equal(np.concatenate(found), expected)
    for mine, its in zip(parts.columns(), whole.columns(), strict=True):
        np.testing.assert_array_equal(mine, its)


def test_an_interrupt_while_columns_are_added_leaves_the_fast_path_whole(monkeypatch):
    model = OnlineClassifier()
    names = [f"f{k}" for k in range(200)]
    for k in range(4):
        model.learn_one(dict.fromkeys(names, 1), "xy"[k % 2])

    def interrupted(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(scaling, "standardize", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.learn_one(dict.fromkeys(names, 5.0), "x")
    for k in range(20):
        model.learn_one(dict.fromkeys(names, k + 2.0), "xy"[k % 2])
    columns = model._scaling.columns()
    assert columns.count.tolist() == [20] * 200
    np.testing.assert_allclose(columns.mean, np.mean(range(2, 22)))


def test_an_example_that_is_refused_leaves_no_column_behind(tmp_path):
    model = OnlineClassifier("perceptron")
    for k in range(10):
        model.learn_one({"a": float(k)}, "xy"[k % 2])
    with pytest.raises(ValueError, match="too large"):
        model.learn_one({"a": 1.0, "z": 2.5}, "y", weight=1e39)
    assert model.deviations().shape == (1,)
    save(model, tmp_path / "m.model")
    model.learn_one({"b": 4.0}, "x").learn_one({"b": 6.0}, "y")
    assert model._scaling.columns().mean[1] == 5
