"""`OnlineClassifier`: one at a time = in blocks = from a file = the estimators, bit for bit."""

import sys
import threading
import tracemalloc
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from rosenblatt import (
    AROW,
    AveragedPerceptron,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
    load,
    save,
)
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.models.saving import load_with_extra
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.reader import Reader
from rosenblatt.stream import one_example
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.rules import Options
from rosenblatt.training.trainer import Trainer
from tests.conftest import examples, first_quick, in_turn, slow

LEARNERS = trainable(ONLINE)
DEFAULTS = {"average": False, "learning_rate": "adaptive", "scale": "standard"}
LECTURE = {"average": True, "learning_rate": "inverse_sqrt", "scale": None}


def stream_of(n, classes=2, seed=0, features=12, kept=0.6):
    """Examples with some features each, and noisy labels."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal((classes, features))
    for _ in range(n):
        x = rng.standard_normal(features).round(3) * (rng.random(features) < kept)
        label = int(np.argmax(w @ x + rng.standard_normal(classes) * 0.3))
        yield (
            {f"f{j}": float(v) for j, v in enumerate(x) if v},
            ["ham", "spam", "news", "ads"][label],
        )


def write_vw(path, examples):
    lines = (
        f"{label} | " + " ".join(f"{name}:{value!r}" for name, value in x.items())
        for x, label in examples
    )
    path.write_text("\n".join(lines))


def trained(path, passes=1, bits=None, **options):
    dtype = options.get("dtype", "float32")
    reader = Reader([path], Reading(dtype=dtype), bits=bits)
    trainer = Trainer(OnlineClassifier.with_names(Options(**options), reader.names), reader, passes)
    for _ in trainer.run():
        pass
    return trainer.result()


def row_of(model, x):
    return model._sparse(model._names.columns(list(x)), model._row(x)[1])


def same(one, other):
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.feature_names_ == other.feature_names_
    assert (one.t_, one.n_mistakes_) == (other.t_, other.n_mistakes_)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)


@pytest.mark.parametrize(
    ("learner", "classes", "bits", "dtype"),
    [
        *in_turn([(learner,) for learner in LEARNERS], [(2, None, "float32"), (4, 10, "float32")]),
        *slow(
            in_turn(product(LEARNERS, [2, 4]), product([None, 10], ["float32", "float64"]), each=2)
        ),
    ],
)
def test_one_at_a_time_is_the_file(tmp_path, learner, classes, bits, dtype):
    examples = list(stream_of(400, classes))
    write_vw(tmp_path / "f.vw", examples)
    file = trained(tmp_path / "f.vw", bits=bits, learner=learner, dtype=dtype, **DEFAULTS)
    model = OnlineClassifier(learner, bits=bits, dtype=dtype)
    for x, label in examples:
        model.predict_one(x)
        model.learn_one(x, label)
    same(model, file)


@pytest.mark.parametrize(
    ("learner", "classes"), [("logistic", 2), *slow([("logistic", 3), ("svm", 2), ("svm", 3)])]
)
def test_one_at_a_time_is_the_file_as_the_lecture_has_it(tmp_path, learner, classes):
    examples = list(stream_of(200, classes))
    write_vw(tmp_path / "f.vw", examples)
    model = OnlineClassifier(learner, **LECTURE)
    for x, label in examples:
        model.learn_one(x, label)
    same(model, trained(tmp_path / "f.vw", learner=learner, **LECTURE))


@pytest.mark.parametrize("learner", ["perceptron", "averaged"])
def test_the_fast_path_is_the_slow_path(monkeypatch, learner):
    examples = list(stream_of(500, kept=1.0))
    models = [OnlineClassifier(learner, scale=None) for _ in range(3)]
    predictions = []
    for number, model in enumerate(models):
        if number == 1:
            monkeypatch.setattr(one_example, "_API", None)
        if number == 2:
            monkeypatch.setattr(OnlineClassifier, "_fast_path", lambda self: None)
        predictions.append([])
        for x, label in examples:
            predictions[-1].append(model.predict_one(x))
            model.learn_one(x, label)
    same(models[0], models[1])
    same(models[0], models[2])
    assert predictions[0] == predictions[1] == predictions[2]


def test_the_fast_path_is_taken():
    if one_example._API is None:
        pytest.skip("another interpreter than CPython with its lock")
    model = OnlineClassifier()
    for x, label in stream_of(50, kept=1.0):
        model.learn_one(x, label)
    assert model._single is not None
    assert sum(key is not None for key in model._buffers.held[::2]) == 12


values = st.one_of(
    st.floats(-1e6, 1e6),
    st.integers(-5, 5),
    st.booleans(),
    st.sampled_from(["a", "b", "", None, 10**400, float("nan"), float("inf"), 1e39, [1], ["p"]]),
)


@examples(
    quick=60,
    full=300,
    stream=st.lists(
        st.tuples(st.dictionaries(st.sampled_from("uvwxyz"), values, max_size=6), st.booleans()),
        max_size=20,
    ),
)
def test_anything_in_a_dict(stream):
    """Whatever a dict holds, all ways agree, and a refused one changes nothing."""
    short, long = (OnlineClassifier("perceptron", scale=None) for _ in range(2))
    for x, label in stream:
        outcomes = []
        for model in (short, long):
            before = model.to_parts() if model._state is not None else None
            if model is long:
                model._single, model._codes = None, {}
                model._fast_path = lambda: None
            try:
                model.learn_one(dict(x), label)
                outcomes.append("learned")
            except (ValueError, TypeError) as error:
                outcomes.append(str(error))
                if before is not None:
                    after = model.to_parts()
                    assert after[0]["state"] == before[0]["state"]
                    width = before[1]["weights"].shape[0]
                    np.testing.assert_array_equal(after[1]["weights"][:width], before[1]["weights"])
        assert outcomes[0] == outcomes[1]
    assert short.classes_.tolist() == long.classes_.tolist()
    if len(short.classes_) > 1:
        same(short, long)


@pytest.mark.parametrize(
    ("learner", "estimator"),
    [
        ("perceptron", Perceptron(shuffle=False, max_iter=1, tol=None)),
        ("averaged", AveragedPerceptron(shuffle=False, max_iter=1)),
        ("voted", VotedPerceptron(shuffle=False, max_iter=1)),
        ("passive-aggressive", PassiveAggressive(shuffle=False, max_iter=1)),
        ("arow", AROW(shuffle=False, max_iter=1)),
    ],
)
@pytest.mark.parametrize("classes", first_quick([2, 3]))
def test_the_estimators_learn_the_same(learner, estimator, classes):
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, (200, 5)).astype(np.float64)
    y = (X @ rng.integers(-2, 3, (5, classes))).argmax(axis=1)
    model = OnlineClassifier(learner, classes=range(classes), dtype="float64", scale=None)
    for row, label in zip(X, y, strict=True):
        model.learn_one({f"x{j}": value for j, value in enumerate(row)}, label)
    estimator.fit(X, y)
    np.testing.assert_allclose(model.coef_, estimator.coef_, rtol=1e-12)
    assert model.n_mistakes_ == estimator.n_mistakes_


def test_deck_b():
    model = OnlineClassifier("perceptron", classes=[-1, 1], fit_intercept=False, scale=None)
    X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    for (a, b), label in zip(X, [-1, 1, 1, -1, -1, 1], strict=True):
        model.learn_one({"x1": a, "x2": b}, label)
    assert model.coef_.tolist() == [[3.0, 1.0]]
    assert model.n_mistakes_ == 3


def test_before_there_are_two_classes():
    model = OnlineClassifier()
    assert model.predict_one({"a": 1}) is None
    assert model.scores_one({"a": 1}) == {}
    model.learn_one({"a": 1}, "ham")
    assert model.predict_one({"a": 1}) == "ham"
    assert (model.t_, model.n_mistakes_) == (0, 0)
    with pytest.raises(AttributeError, match="two classes first"):
        _ = model.coef_


def test_classes_may_be_told():
    model = OnlineClassifier("perceptron", classes=["spam", "ham"], fit_intercept=False)
    model.learn_one({"a": 1}, "spam")
    assert model.classes_.tolist() == ["ham", "spam"]
    assert (model.t_, model.coef_.tolist()) == (1, [[1.0]])
    assert model.predict_one({"a": 1}) == "spam"


def test_scores_rank_the_classes():
    model = OnlineClassifier()
    for x, label in stream_of(300, 4):
        model.learn_one(x, label)
    for x, _ in stream_of(50, 4, seed=1):
        scores = model.scores_one(x)
        assert list(scores) == model.classes_.tolist()
        assert max(scores, key=scores.get) == model.predict_one(x)


def test_labels_of_mixed_types_are_refused():
    model = OnlineClassifier()
    model.learn_one({"a": 1}, "ham")
    with pytest.raises(ValueError, match="mixed types"):
        model.learn_one({"a": 1}, 3)
    for label in (None, float("nan"), 0.5, ["ham"]):
        with pytest.raises(ValueError, match=r"label|classes|y "):
            model.learn_one({"a": 1}, label)
    model.learn_one({"a": 2}, "spam")
    assert model.classes_.tolist() == ["ham", "spam"]
    with pytest.raises(ValueError, match="mixed types"):
        model.learn_one({"a": 1}, 3)


def test_numbers_are_classes_whatever_their_type():
    model = OnlineClassifier("perceptron")
    for x, label in zip(
        (-1.0, 2.0, -3.0, 1.0), (np.int32(0), 1.0, np.float32(0), True), strict=True
    ):
        model.learn_one({"a": x}, label)
    assert model.classes_.tolist() == [0, 1]


def test_importance_weights_scale_steps():
    rows, labels = row_of(OnlineClassifier(), {"a": 1.0}), np.array([1])
    model = OnlineClassifier("perceptron", classes=[0, 1], fit_intercept=False)
    model._names.columns(["a"])
    model.learn_rows(rows, labels, np.array([2.5]))
    assert model.coef_.tolist() == [[2.5]]
    model.learn_rows(rows, np.array([0]), np.array([0.0]))
    assert model.t_ == 1
    model.learn_one({"a": 1.0}, 0, 4)
    assert model.coef_.tolist() == [[-1.5]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"learner": "svn"},
        {"ties": "yes"},
        {"dtype": "int8"},
        {"eta0": -1},
        {"bits": 99},
        {"l2": None},
        {"l1": "x"},
        {"classes": "spam"},
    ],
)
def test_parameters_are_checked(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        OnlineClassifier(**wrong)


def test_classes_of_two_types_are_refused():
    with pytest.raises(ValueError, match="mixed types"):
        OnlineClassifier(classes=["a", 1])


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("bits", [None, 8])
def test_saved_in_the_middle(learner, bits):
    examples = list(stream_of(300, 3))
    whole, model = (OnlineClassifier(learner, bits=bits) for _ in range(2))
    for number, (x, label) in enumerate(examples):
        whole.learn_one(x, label)
        if number in (0, 3, 150):
            model = OnlineClassifier.from_parts(*model.to_parts())
        model.learn_one(x, label)
    same(model, whole)
    assert [model.predict_one(x) for x, _ in examples] == [
        whole.predict_one(x) for x, _ in examples
    ]


def test_a_refused_label_leaves_no_name_behind():
    model = OnlineClassifier(classes=[0, 1])
    model.learn_one({"a": 1.0}, 1)
    for label in (float("nan"), 1.5, float("inf"), "spam", 2**70, None):
        with pytest.raises(ValueError, match=r"label|classes|y "):
            model.learn_one({"new": 1.0}, label)
    assert model.n_features_ == 1


@pytest.mark.parametrize("learner", LEARNERS)
def test_one_row_scores_as_many_do(learner):
    model = OnlineClassifier(learner, dtype="float64", scale=None)
    for x, label in stream_of(200, 3):
        model.learn_one(x, label)
    for x, _ in stream_of(20, 3, seed=1):
        one = model.scores(row_of(model, x))
        model._changed = False
        model._cached_planes = model.coef_, model.intercept_
        np.testing.assert_allclose(one, model.scores(row_of(model, x)), rtol=1e-12)
        model._changed = True


def test_threads_may_share_a_model():
    model = OnlineClassifier("averaged", scale=None)
    names = [[f"{k} {j}" for j in range(30)] for k in range(4)]
    for part in names:
        model.learn_one(dict.fromkeys(part, 1.0), "a")
        model.learn_one(dict.fromkeys(part, -1.0), "b")
    wrong = []

    def predict(number):
        for k in range(3000):
            keys = [str(name) + "" for name in names[(number + k) % 4]]
            if model.predict_one({"".join(list(key)): 1.0 for key in keys}) != "a":
                wrong.append(number)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=predict, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


def test_what_lies_beside_a_model_stays(tmp_path):
    model = OnlineClassifier(classes=["ham", "spam"])
    save(model, tmp_path / "m", extra={"reading": {"ngrams": 2}})
    again = load(tmp_path / "m")
    again.learn_one({"a": 1}, "spam")
    save(again, tmp_path / "m")
    assert load_with_extra(tmp_path / "m")[1] == {"reading": {"ngrams": 2}}


@pytest.mark.parametrize("learned", range(4))
@pytest.mark.parametrize("learner", ["averaged", "logistic"])
def test_what_is_no_example(learner, learned):
    model = OnlineClassifier(learner)
    for k in range(learned):  # nothing, one class, two, and the fast path of two
        model.learn_one({"a": 1.0, "b": k}, k % 2)
    before = repr(model)
    for x in (None, 3, "text", ["a"], np.zeros(2), type("Odd", (), {"values": list})()):
        for call in (model.predict_one, model.scores_one, lambda x: model.learn_one(x, 1)):
            with pytest.raises(TypeError, match="an example must be a dict"):
                call(x)
    assert repr(model) == before


@pytest.mark.slow
def test_hashed_names_of_any_length_take_little_memory():
    """With ``bits`` memory has a bound, whatever the names: here they have 120 MB."""
    model = OnlineClassifier(bits=10, classes=["ham", "spam"])
    model.learn_one({"a": 1.0}, "ham")
    tracemalloc.start()
    try:
        for k in range(600):
            x = {f"{k} {'long' * 50_000}": 1.0}
            model.learn_one(x, "spam")
            model.predict_one(x)
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < 50e6


def test_a_data_frame_is_pointed_to_predict_one():
    frame = pd.DataFrame({"a": [1.0, -1.0], "b": ["x", "y"]})
    model = OnlineClassifier()
    for x, label in zip(frame.to_dict("records"), ["p", "q"], strict=True):
        model.learn_one(x, label)
    for method in (model.predict, model.scores):
        with pytest.raises(TypeError, match=r"got a DataFrame\. .*model\.predict_one\(x\) for x"):
            method(frame)
    assert {model.predict_one(x) for x in frame.to_dict("records")} <= {"p", "q"}
