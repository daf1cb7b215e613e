"""The fast path of one example: whatever a dict holds, it learns what the slow path learns."""

import sys

import numpy as np
import pytest
from hypothesis import strategies as st

from rosenblatt import OnlineClassifier
from rosenblatt.prediction.model_files import Online
from rosenblatt.stream import one_example
from tests.conftest import examples, slow
from tests.stream.test_classifier import row_of, same, values

ADAPTIVE = {"learner": "logistic", "learning_rate": "adaptive", "scale": "standard"}
SETTINGS = [
    (2, {**ADAPTIVE, "average": False}),
    (4, {**ADAPTIVE, "average": False}),
    *slow(
        [
            (2, {**ADAPTIVE, "average": True}),
            (4, {**ADAPTIVE, "average": True}),
            (2, {**ADAPTIVE, "average": False, "dtype": "float64"}),
            (3, {**ADAPTIVE, "average": False, "dtype": "float64"}),
            (2, {**ADAPTIVE, "average": False, "bits": 6}),
            (2, {**ADAPTIVE, "average": False, "fit_intercept": False, "l2": 2.0, "eta0": 2.0}),
            (2, {**ADAPTIVE, "learner": "svm"}),
            (3, {**ADAPTIVE, "learner": "svm", "scale": None}),
            (2, {"learner": "averaged", "scale": "standard"}),
            (4, {"learner": "averaged", "scale": "standard"}),
            (2, {"learner": "perceptron", "scale": "standard", "dtype": "float64"}),
            (3, {"learner": "perceptron", "scale": None}),
        ]
    ),
]


def mixed(n, classes, seed=0):
    """Yield numbers, yes or no, categories and what is missing, with new ones on the way."""
    rng = np.random.default_rng(seed)
    for k in range(n):
        a, b = rng.normal(size=2)
        city = f"c{rng.integers(2 + k // 40)}"
        x = {
            "age": 40 + 10 * a,
            "tiny": 1e-6 * b,
            "yes": bool(rng.integers(2)),
            "count": int(rng.integers(5)),
            "city": city,
            7: float(rng.normal()),
        }
        if k % 3 == 0:
            x["note"] = ["", None, "long", 3.5][k // 3 % 4]
        if k % 50 == 49:
            x[f"new{k}"] = 1 + k
        if k % 17 == 0:
            x["tags"] = ["p", "q"][: k % 3]
        if k % 11 == 0:
            del x["age"]
        z = a + b + x["yes"] + (city == "c1") + rng.normal()
        yield x, f"y{int(np.clip(2 * z, 0, classes - 1))}"


def wide(n, classes):
    """Yield so many numbers each that steps become shorter; they are far from whole."""
    rng = np.random.default_rng(3)
    w = rng.normal(size=(classes, 37))
    for _ in range(n):
        x = rng.normal(size=37) * rng.random() * 3
        yield {f"f{j}": v for j, v in enumerate(x.tolist())}, int(np.argmax(w @ x))


def without_fast_path(model):
    model._fast_path = lambda: None
    return model


@pytest.mark.parametrize(("classes", "options"), SETTINGS)
def test_it_is_the_slow_path(monkeypatch, classes, options):
    quick, plain, slow = (OnlineClassifier(**options) for _ in range(3))
    without_fast_path(slow)
    for x, label in mixed(400, classes):
        assert quick.predict_one(x) == slow.predict_one(x)
        quick.learn_one(x, label)
        slow.learn_one(x, label)
        with monkeypatch.context() as patch:
            patch.setattr(one_example, "_API", None)  # as on another interpreter
            plain.learn_one(x, label)
    for model in (quick, plain):
        same(model, slow)
        header, arrays = model.to_parts()
        expected_header, expected = slow.to_parts()
        assert header == expected_header
        for name, array in expected.items():
            np.testing.assert_array_equal(arrays[name], array, err_msg=name)
    for x, _ in mixed(20, classes, seed=1):
        found, wanted = quick.scores_one(x), slow.scores_one(x)
        assert found == pytest.approx(wanted, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("classes", [2, *slow([5])])
def test_it_is_the_slow_path_where_rows_are_long(classes):
    quick, slow = OnlineClassifier(), without_fast_path(OnlineClassifier())
    for x, label in wide(300, classes):
        quick.learn_one(x, label)
        slow.learn_one(x, label)
    same(quick, slow)
    assert quick.to_parts()[0] == slow.to_parts()[0]


def test_it_is_taken(monkeypatch):
    if one_example._API is None:
        pytest.skip("another interpreter than CPython with its lock")
    model = OnlineClassifier(**ADAPTIVE)
    rows = [({"a": k % 7 + 0.5, "b": "xyz"[k % 3], "c": None}, k % 2) for k in range(30)]
    for x, label in rows:
        model.learn_one(x, label)
    for name in ("learn_row", "scores_of_row"):
        monkeypatch.setattr(one_example.Single, name, None)
    for x, label in rows:
        model.predict_one(x)
        model.learn_one(x, label)
    assert model.t_ == 59  # all but the first, which has the first class


@examples(
    quick=40,
    full=300,
    stream=st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from(["u", "v", "u=a", "1", 1, 2]), values, max_size=6),
            st.booleans(),
        ),
        max_size=20,
    ),
    others=st.lists(
        st.dictionaries(st.sampled_from(["u", "x", "u=b", "2", 1, 3]), st.sampled_from(["a", 2.5])),
        max_size=5,
    ),
)
def test_anything_in_a_dict(stream, others):
    """What was never seen is left out of scores, however it is written; all else agrees."""
    options = {**ADAPTIVE, "average": False}
    quick, slow = OnlineClassifier(**options), without_fast_path(OnlineClassifier(**options))
    for x, label in stream:
        outcomes = []
        for model in (quick, slow):
            try:
                model.learn_one(dict(x), label)
                outcomes.append("learned")
            except (ValueError, TypeError) as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
        for other in others:
            found, expected = quick.scores_one(other), slow.scores_one(other)
            assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert quick.classes_.tolist() == slow.classes_.tolist()
    if len(quick.classes_) > 1:
        same(quick, slow)


@pytest.mark.parametrize("classes", [2, 4])
def test_probabilities_are_those_of_the_command_line(classes):
    model = OnlineClassifier(**ADAPTIVE)
    for x, label in mixed(200, classes):
        model.learn_one(x, label)
    for number, (x, _) in enumerate(mixed(20, classes, seed=2)):
        x = {str(key): value for key, value in x.items() if isinstance(value, float)}
        found = model.predict_proba_one(x)
        assert list(found) == model.classes_.tolist()
        assert sum(found.values()) == pytest.approx(1)
        assert max(found, key=found.get) == model.predict_one(x)
        expected = Online(model).probabilities(row_of(model, x))[0]
        assert list(found.values()) == pytest.approx(expected.tolist(), rel=1e-4), number


def test_probabilities_before_there_are_two_classes():
    model = OnlineClassifier("logistic")
    assert model.predict_proba_one({"a": 1}) == {}
    model.learn_one({"a": 1}, "ham")
    assert model.predict_proba_one({"a": 1}) == {"ham": 1.0}


def test_who_has_no_probabilities_says_so():
    with pytest.raises(ValueError, match="'svm' has no probabilities before it is calibrated; use"):
        OnlineClassifier("svm").predict_proba_one({"a": 1})


def test_a_step_that_is_too_long_is_an_error_on_both_paths():
    options = {**ADAPTIVE, "scale": None, "eta0": 1e30, "l2": 0.0}
    quick, slow = OnlineClassifier(**options), without_fast_path(OnlineClassifier(**options))
    for model in (quick, slow):
        model.learn_one({"a": 1.0}, 0).learn_one({"a": -1.0}, 1)
        before = model.t_
        with pytest.raises(ValueError, match="this example makes a score or a weight too large"):
            model.learn_one({"a": 1e38}, 0)
        assert model.t_ == before
    same(quick, slow)


def test_a_name_is_known_however_it_was_learned():
    """By a category, a key with an equals sign, a list, a number for a key, or from a file."""
    ways = [{"u": "a"}, {"u=a": 1}, {"u": ["a"]}, {"u": {"x": 1}}, {"u.x": 1}, {7: 2.5}, {"7": 2.5}]
    for way in ways:
        model, loaded = OnlineClassifier(), None
        for k in range(40):
            model.learn_one({**way, "b": "y"} if k % 2 else {"b": "y", "c": "z"}, k % 2)
        loaded = OnlineClassifier.from_parts(*model.to_parts())
        names = set(model.feature_names_)
        for other in ways:
            expected = without_fast_path(OnlineClassifier.from_parts(*model.to_parts()))
            for each in (model, loaded):
                found = each.scores_one(other)
                assert found == pytest.approx(expected.scores_one(other), rel=1e-4, abs=1e-4)
        assert names == set(model.feature_names_)


def test_a_number_under_a_key_that_had_strings():
    model = OnlineClassifier(scale=None)
    for _ in range(6):
        model.learn_one({7: "a"}, "x").learn_one({7: "b"}, "y")
    for _ in range(6):
        model.learn_one({"7": 2.0}, "x").learn_one({"7": -2.0}, "y")
    assert model.scores_one({7: 3.0}) == model.scores_one({"7": 3.0})


@pytest.mark.parametrize("bits", [None, 12])
def test_words_that_are_ever_new(bits):
    quick, slow = (OnlineClassifier(bits=bits) for _ in range(2))
    without_fast_path(slow)
    rng = np.random.default_rng(0)
    for k in range(300):
        x = {f"w{word}": 1 for word in rng.zipf(1.3, 6).tolist()}
        if k % 40 == 0:
            x[f"colour=c{k % 3}"] = 1  # a word, or the category that another example has
        if k % 25 == 0:
            x["colour"] = f"c{k % 3}"
        assert quick.predict_one(x) == slow.predict_one(x)
        quick.learn_one(x, k % 2)
        slow.learn_one(x, k % 2)
    same(quick, slow)
    assert quick.to_parts()[0] == slow.to_parts()[0]


@pytest.mark.parametrize("number", [3.5e38, -3.5e38, 1e300])
def test_a_new_number_that_is_too_large_changes_nothing(number):
    model = OnlineClassifier("perceptron", scale=None)
    for k in range(6):
        model.learn_one({"a": k % 2}, k % 2)
    before = model.to_parts()[0], model.coef_.tobytes()
    with pytest.raises(ValueError, match=r"feature 'new' is .* too large for float32"):
        model.learn_one({"a": 1, "new": number}, 1)
    assert before == (model.to_parts()[0], model.coef_.tobytes())


@pytest.mark.parametrize(
    ("labels", "others"),
    [
        (["ham", "spam"], [chr(104) + "am", "sp" + chr(97) + "m"]),
        ([False, True], [np.False_, np.True_]),
        ([300, 301, 302], [300.0, np.int64(301), int("302")]),
        (list(range(40)), [float(k) for k in range(40)]),
    ],
)
def test_a_label_is_what_equals_it(labels, others):
    """The fast path knows labels by their addresses; all others are learned as well."""
    same_objects, equal = (OnlineClassifier(classes=labels) for _ in range(2))
    for k in range(3 * len(labels)):
        x = {"a": k % 7 + 0.5, "b": f"v{k % 3}"}
        known = same_objects.classes_.tolist()[k % len(labels)]
        same_objects.learn_one(x, known)
        equal.learn_one(x, others[k % len(labels)], 1)
        assert same_objects.predict_one(x) == equal.predict_one(x)
        assert type(equal.predict_one(x)) is type(labels[0])
    same(same_objects, equal)
    assert equal.t_ == 3 * len(labels)


def test_what_is_returned_is_counted():
    """No reference is kept, and none is given back that was not taken."""
    model = OnlineClassifier(classes=["some class", "another class"])
    x, label = {"a": 1.5, "b": "c"}, model.classes_.tolist()[1]
    things = (None, NotImplemented, False, x, label)
    for _ in range(3):  # afterwards all is as it stays
        model.predict_one(x)
        model.learn_one(x, label)
    before = [sys.getrefcount(thing) for thing in things]
    for k in range(500):
        model.predict_one(x)
        model.learn_one(x, label, 2.0 if k % 2 else 1.0)
        model.scores_one(x)
        model.predict_one({"list": []})
    after = [sys.getrefcount(thing) for thing in things]
    assert max(abs(b - a) for a, b in zip(before, after, strict=True)) < 50


def test_a_dict_is_not_the_desk():
    """What only the owner of the weights may give is refused from others."""
    model = OnlineClassifier(classes=[0, 1])
    model.learn_one({"a": 1}, 1)
    for other in (None, np.zeros(60), 7, "a"):
        with pytest.raises((TypeError, AttributeError, ValueError)):
            model.predict_one(other)
        with pytest.raises((TypeError, AttributeError, ValueError)):
            model.learn_one(other, 1)
    assert model.t_ == 1


def test_names_that_moved_elsewhere_are_read_where_they_are():
    """A reader that shares the names may need more room for them."""
    model = OnlineClassifier(classes=[0, 1])
    for k in range(4):
        model.learn_one({"a": 1, "b": k}, k % 2)
    before = model.scores_one({"a": 1, "b": 2})
    model._names.columns([f"new {k}" for k in range(5000)])
    assert model._learn_fast({"a": 1}, 1) is NotImplemented
    assert model.scores_one({"a": 1, "b": 2}) == pytest.approx(before)
    model.learn_one({"a": 1}, 1)
    assert model.predict_one({"a": 1, "new 7": 3}) in (0, 1)
