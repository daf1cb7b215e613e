"""Data frames are learned from and predicted as their rows are, to the last bit."""

import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import OnlineClassifier, OnlineRegressor, load
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.learners import online

NUMBERS = ["a", "b", "c"]


def frame_of(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(3, 2, (n, 3)), columns=NUMBERS, index=range(100, 100 + n))
    X["whole"] = rng.integers(-3, 4, n)
    X["flag"] = rng.random(n) < 0.4
    X["short"] = rng.normal(size=n).astype(np.float32)
    y = np.where(X["a"] + 2 * X["flag"] > 4, "yes", np.where(X["b"] > 4, "perhaps", "no"))
    return X, pd.Series(y, index=X.index)


def one_by_one(model, X, y, weights=None):
    weights = np.ones(len(X)) if weights is None else np.asarray(weights)
    for x, label, weight in zip(X.to_dict("records"), y.tolist(), weights.tolist(), strict=True):
        model.learn_one(x, label, weight)
    return model


def assert_same(one, other):
    header, arrays = one.to_parts()
    theirs, same = other.to_parts()
    assert header == theirs
    assert arrays.keys() == same.keys()
    for name, array in arrays.items():
        assert array.tobytes() == same[name].tobytes(), name


LEARNERS = list(trainable(ONLINE))


@pytest.mark.parametrize("options", [{}, {"bits": 6}, {"dtype": "float64", "scale": None}])
@pytest.mark.parametrize("learner", LEARNERS)
def test_learning_is_that_of_the_rows(learner, options):
    X, y = frame_of()
    weights = np.array([0, 1, 2.5, 1] * 10)
    many, one = (OnlineClassifier(learner, **options) for _ in range(2))
    assert many.learn_many(X[:25], y[:25]) is many
    many.learn_many(X[25:], y[25:], weights[25:])
    assert_same(many, one_by_one(one, X, y, [1] * 25 + weights[25:].tolist()))


def test_learning_with_an_l1_penalty_is_that_of_the_rows():
    X, y = frame_of()
    many = OnlineClassifier(l1=0.5).learn_many(X, y)
    assert_same(many, one_by_one(OnlineClassifier(l1=0.5), X, y))
    assert_same(many.clone().learn_many(X, y), many)


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_learning_is_that_of_the_rows_whatever_they_are(data):
    n = data.draw(st.integers(0, 12))
    numbers = st.one_of(st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, 1e12, -0.0]))
    columns = {}
    for name in data.draw(st.lists(st.sampled_from(["a", "b", "d=x", 7]), unique=True)):
        kind = data.draw(st.sampled_from([numbers, st.booleans(), st.sampled_from(["x", "yy"])]))
        columns[name] = data.draw(st.lists(kind, min_size=n, max_size=n))
    X = pd.DataFrame(columns, index=range(n))
    labels = data.draw(st.sampled_from([st.integers(0, 3), st.sampled_from("pqr")]))
    y = pd.Series(data.draw(st.lists(labels, min_size=n, max_size=n)))
    weights = data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=n, max_size=n))
    for _ in range(2):
        many, one = OnlineClassifier(), OnlineClassifier()
        many.learn_many(X, y, weights)
        assert_same(many, one_by_one(one, X, y, weights))


def test_texts_and_lists_in_a_frame():
    X, y = frame_of()
    X["city"] = ["Oslo", "Rome"] * 20
    X["kind"] = pd.Categorical(["k", "l", "m", "n"] * 10)
    X["tags"] = [["new"], None, ["old", "vip"], []] * 10
    many = OnlineClassifier().learn_many(X, y)
    assert_same(many, one_by_one(OnlineClassifier(), X, y))
    assert "city=Oslo" in many.feature_names_


def test_regression():
    X, _ = frame_of()
    y = 3 * X["a"] - X["b"]
    many = OnlineRegressor().learn_many(X, y, w=2)
    assert_same(many, one_by_one(OnlineRegressor(), X, y, [2] * 40))
    found = many.predict_many(X)
    assert found.index.equals(X.index)
    assert found.tolist() == [many.predict_one(x) for x in X.to_dict("records")]
    with pytest.raises(ValueError, match="row 3 of y: the number to predict"):
        many.learn_many(X, [1.0, 2, 3, np.inf] * 10)
    assert many.t_ == 40


def test_predictions_are_those_of_the_rows():
    X, y = frame_of()
    model = OnlineClassifier()
    assert model.predict_many(X).tolist() == [None] * 40
    model.learn_many(X, y)
    found, sure = model.predict_many(X), model.predict_proba_many(X)
    rows = X.to_dict("records")
    assert found.index.equals(X.index)
    assert sure.index.equals(X.index)
    assert found.tolist() == [model.predict_one(x) for x in rows]
    assert sure.to_dict("records") == [model.predict_proba_one(x) for x in rows]
    assert len(model.predict_many(X[:0])) == 0
    assert list(model.predict_proba_many(X[:0])) == ["no", "perhaps", "yes"]


def test_polars():
    X, y = frame_of()
    X["city"] = ["Oslo", "Rome"] * 20
    theirs = pl.DataFrame({name: X[name].tolist() for name in X})
    model = OnlineClassifier().learn_many(theirs, pl.Series(y.tolist()))
    one = OnlineClassifier()
    for x, label in zip(theirs.to_dicts(), y, strict=True):
        one.learn_one(x, label)
    assert_same(model, one)
    numbers = theirs.drop("city")
    assert_same(
        OnlineClassifier().learn_many(numbers, y),
        one_by_one(OnlineClassifier(), pd.DataFrame(numbers.to_dicts()), y),
    )
    found = model.predict_many(theirs)
    assert isinstance(found, pl.Series)
    assert found.to_list() == [model.predict_one(x) for x in theirs.to_dicts()]
    assert model.predict_proba_many(theirs).columns == ["no", "perhaps", "yes"]


def test_a_model_of_a_table_takes_frames_as_the_table(tmp_path):
    X, y = frame_of()
    X["note"] = ["a free offer", "see you"] * 20
    X.assign(label=y).to_csv(tmp_path / "t.csv", index=False)
    command = [sys.executable, "-m", "rosenblatt", "train", "t.csv", "--label", "label"]
    subprocess.run(
        [*command, "-o", "t.model", "--quiet"], cwd=tmp_path, check=True, capture_output=True
    )
    many, one = (load(tmp_path / "t.model") for _ in range(2))
    assert many.predict_many(X).tolist() == [one.predict_one(x) for x in X.to_dict("records")]
    assert_same(many.learn_many(X, y), one_by_one(one, X, y))


def test_threads_lose_nothing():
    X, y = frame_of()
    model = OnlineClassifier(classes=["no", "perhaps", "yes"])

    def learn():
        for _ in range(20):
            model.learn_many(X, y)
            model.predict_many(X)

    threads = [threading.Thread(target=learn) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.t_ == 3 * 20 * 40


def test_types_that_pandas_adds():
    X, y = frame_of()
    nullable = X.convert_dtypes()
    model = OnlineClassifier().learn_many(nullable, y)
    assert_same(model, one_by_one(OnlineClassifier(), nullable, y))


def test_what_is_missing_in_a_frame_is_left_out():
    texts = ["Oslo", None, "Rome", np.nan] * 10
    X, y = frame_of()
    kept = X.to_dict("records")
    for row, text in zip(kept, texts, strict=True):
        row["city"] = text if isinstance(text, str) else None
    one = OnlineClassifier()
    for x, label in zip(kept, y, strict=True):
        one.learn_one(x, label)
    wanted = [one.predict_one(x) for x in kept]
    for kind in (object, "str", "string", "category"):
        city = pd.Series(texts, X.index, kind)
        many = OnlineClassifier().learn_many(X.assign(city=city), y)
        assert_same(many, one)
        assert many.predict_many(X.assign(city=city)).tolist() == wanted
    whole = pd.array([1, None, 3, 4] * 10, "Int64")
    assert OnlineClassifier().learn_many(pd.DataFrame({"n": whole}), y).n_features_ == 1
    with pytest.raises(ValueError, match="'n' is nan"):
        OnlineClassifier().learn_many(pd.DataFrame({"n": whole.astype("float64")}), y)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda X, y: (X.assign(a=np.nan), y), ValueError, "'a' is nan; leave it out"),
        (lambda X, y: (X.assign(a=1e300), y), ValueError, "'a' is 1e.300, which is too large"),
        (lambda X, y: (X.assign(a=[{1}] * 40), y), TypeError, "'a' is a set"),
        (lambda X, y: (X, y[1:]), ValueError, "X has 40 rows and y has 39"),
        (lambda X, y: (X, [None] * 40), ValueError, "None is neither"),
        (lambda X, y: (X, ["yes"] * 39 + [2]), ValueError, "mixed types"),
        (lambda X, y: (X, [2] * 40), ValueError, "mixed types"),
        (lambda X, y: (X, X), TypeError, "y must have a label for each row"),
        (lambda X, y: (X, "yes"), TypeError, "y must have a label for each row"),
        (lambda X, y: (X.to_numpy(), y), TypeError, "must be a data frame"),
        (lambda X, y: (X.rename(columns={"b": "a"}), y), ValueError, "two columns called 'a'"),
        (lambda X, y: (X, y, [1, 2]), ValueError, "each of the 40 rows needs one"),
        (lambda X, y: (X, y, [1] * 39 + [-1]), ValueError, "row 39: weight=-1"),
    ],
)
def test_what_is_wrong_changes_nothing(change, error, message):
    X, y = frame_of()
    model = OnlineClassifier().learn_many(X, y)
    before = OnlineClassifier().learn_many(X, y)
    with pytest.raises(error, match=message):
        model.learn_many(*change(X, y))
    assert_same(model, before)


def test_a_number_that_overflows_is_found_on_the_way():
    X = pd.DataFrame({"a": [1.0, 2.0, 3e38, 1.0]})
    model = OnlineClassifier("perceptron", scale=None)
    with pytest.raises(online.NumberTooLargeError):
        model.learn_many(X, [0, 1, 0, 1])
    one = OnlineClassifier("perceptron", scale=None).learn_many(X[:2], [0, 1])
    assert_same(model, one)


@pytest.mark.parametrize("make", [OnlineClassifier, OnlineRegressor])
def test_what_is_no_example_says_what_to_do(make):
    model, X = make(), frame_of()[0]
    for call in (model.predict_one, lambda x: model.learn_one(x, 1)):
        with pytest.raises(TypeError, match=r"call learn_many\(X, y\) or predict_many\(X\)"):
            call(X)
        with pytest.raises(TypeError, match=r"give row\.to_dict\(\)"):
            call(X.iloc[0])
        with pytest.raises(TypeError, match=r"give dict\(enumerate\(row\)\)"):
            call(np.zeros(3))
        with pytest.raises(TypeError, match=r"give dict\(enumerate\(row\)\)"):
            call([1.0, 2.0])
        with pytest.raises(TypeError, match=r"\{word: 1 for word in text\.split\(\)\}"):
            call("free offer")
        with pytest.raises(TypeError, match=r"this is None$"):
            call(None)
    with pytest.raises(TypeError, match="the features come first"):
        model.learn_one("spam", {"free": 1})
    with pytest.raises(TypeError, match="the features come first"):
        model.learn_one(1, {"free": 1})
    assert model.n_features_ == model.t_ == 0
