"""What features contribute adds up to the score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import OnlineClassifier, OnlineRegressor

LEARNERS = ["logistic", "svm", "averaged", "perceptron", "passive-aggressive", "arow"]


def examples(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        y = int(rng.integers(n_classes))
        row = {"age": 40 + 9 * rng.normal() + y, "pay": 1e4 * (2 + rng.random() + y)}
        row |= {"city": ["Oslo", "Rome", "Bern"][rng.integers(3)], "none": None}
        row |= {"tags": ["a", "b", "a"][: rng.integers(4)]}
        if rng.random() < 0.2:
            del row["age"]
        yield row, f"c{y}"


def adds_up(found, score):
    assert [*found][-1] == "(intercept)"
    sizes = [abs(part) for name, part in found.items() if name != "(intercept)"]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(found.values()) == pytest.approx(score, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("options", [{}, {"scale": None}, {"bits": 10}, {"average": True}])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS)
def test_contributions_add_up_to_the_score(learner, n_classes, options):
    model = OnlineClassifier(learner, dtype="float64", **options)
    for x, y in examples(150, n_classes):
        model.learn_one(x, y)
    for x, _ in examples(20, n_classes, seed=1):
        scores = model.scores_one(x)
        assert max(scores, key=scores.get) == model.predict_one(x)
        for label, score in scores.items():
            adds_up(model.explain_one(x, label), score)
        adds_up(model.explain_one(x), scores[model.predict_one(x)])
        wanted = {"age", "pay", f"city={x['city']}"} & {*x, f"city={x['city']}"}
        names = {part for name in model.explain_one(x) for part in name.split(", ")}
        assert wanted <= names


@settings(max_examples=40)
@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcdef"), st.integers(-9, 9), min_size=1), min_size=3
    ),
    st.integers(2, 3),
)
def test_any_stream_adds_up(rows, n_classes):
    model = OnlineClassifier(dtype="float64", classes=list(range(n_classes)))
    for number, x in enumerate(rows):
        model.learn_one(x, number % n_classes)
    for x in rows:
        for label, score in model.scores_one(x).items():
            adds_up(model.explain_one(x, label), score)


def test_numbers_are_compared_with_their_mean():
    model = OnlineClassifier(dtype="float64")
    for x, y in examples(300, 2):
        model.learn_one(x, y)
    coef, names = model.coef_[0], model.feature_names_
    weight = dict(zip(names, coef, strict=True))
    low, high = (model.explain_one({"age": age, "pay": 2e4}, "c1") for age in (30, 31))
    assert high["age"] - low["age"] == pytest.approx(weight["age"])
    assert model.explain_one({"pay": 2e4}, "c1")["(intercept)"] == low["(intercept)"]
    ages = [x["age"] for x, _ in examples(300, 2) if "age" in x]
    assert model.explain_one({"age": np.mean(ages)})["age"] == pytest.approx(0, abs=1e-9)
    assert "unknown" not in model.explain_one({"unknown": 1, "age": 30})


@pytest.mark.parametrize("options", [{}, {"bits": 12}, {"learning_rate": "inverse_sqrt"}])
def test_regression_adds_up_to_the_prediction(options):
    model = OnlineRegressor(dtype="float64", **options)
    for x, y in examples(200, 3):
        x = {**x, "pay": x["pay"] / 1e4, "age": x.get("age", 40) / 40}
        model.learn_one(x, 1000 + 50 * int(y[1]))
        if options.get("learning_rate"):
            continue
        adds_up(model.explain_one(x), model.predict_one(x))


def test_what_cannot_be_explained_is_refused():
    model = OnlineClassifier("voted")
    with pytest.raises(ValueError, match="learn from two classes first"):
        model.explain_one({"a": 1})
    model.learn_one({"a": 1}, "x").learn_one({"b": 1}, "y")
    with pytest.raises(ValueError, match="votes of many weights"):
        model.explain_one({"a": 1})
    model = OnlineClassifier().learn_one({"a": 1}, "x").learn_one({"b": 1}, "y")
    with pytest.raises(ValueError, match="'z' is not one of the classes"):
        model.explain_one({"a": 1}, "z")
