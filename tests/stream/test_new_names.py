"""New names on the fast path: the columns, weights and means are those of the slow path."""

import gc
import subprocess
import sys
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import strategies as st

from rosenblatt import OnlineClassifier, OnlineRegressor
from rosenblatt.stream import one_by_one, one_example
from rosenblatt.stream.one_example import LEARNED, Single
from tests.conftest import examples, slow
from tests.stream.test_one_example import mixed, without_fast_path

KINDS = [
    ("passive-aggressive", 2, {}),
    ("arow", 2, {}),
    *slow(
        [
            ("passive-aggressive", 4, {"loss": "squared_hinge", "eta0": 0.5}),
            ("arow", 4, {"eta0": 2.0, "dtype": "float64"}),
            ("perceptron", 2, {}),
            ("averaged", 3, {"bits": 8}),
            ("svm", 2, {"dtype": "float64"}),
            ("logistic", 3, {}),
        ]
    ),
]


def same(one, other):
    """Whatever a file would hold of two models is the same, to the last bit."""
    header, arrays = one.to_parts()
    expected_header, expected = other.to_parts()
    assert header == expected_header
    assert arrays.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(arrays[name], array, err_msg=name)


def pair(kind=OnlineClassifier, *given, **options):
    return kind(*given, **options), without_fast_path(kind(*given, **options))


@pytest.mark.parametrize(("learner", "classes", "options"), KINDS)
def test_learners_of_all_kinds_with_weights(learner, classes, options):
    quick, slow_one = pair(OnlineClassifier, learner, **options)
    for k, (x, label) in enumerate(mixed(300, classes)):
        weight = (1.0, 2.5, 0.25, 0)[k % 4]
        for model in (quick, slow_one):
            model.learn_one(x, label, weight)
        assert quick.predict_one(x) == slow_one.predict_one(x)
    same(quick, slow_one)


@pytest.mark.parametrize(
    "options", [{}, *slow([{"average": True, "dtype": "float64"}, {"bits": 8}, {"scale": None}])]
)
def test_numbers_to_predict(options):
    quick, slow_one = pair(OnlineRegressor, **options)
    rng = np.random.default_rng(0)
    for k, (x, _) in enumerate(mixed(300, 2)):
        y = 100 + 20 * x["count"] + rng.normal()
        for model in (quick, slow_one):
            model.learn_one(x, y, (1.0, 3.0, 0)[k % 3])
        assert quick.predict_one(x) == pytest.approx(slow_one.predict_one(x), rel=1e-4)
    same(quick, slow_one)


texts = st.text(st.sampled_from("ab=é€𝄞\ud800\0 "), max_size=4)
keys = st.one_of(texts, st.integers(-12, 12), st.sampled_from([2**63, -(2**63), 10**17, True]))
numbers = st.sampled_from([0, 1, 2.5, -3, True, np.float32(1.5), np.int64(7), np.True_, 1e39])
values = st.one_of(texts, numbers, st.none(), st.lists(st.one_of(texts, st.none()), max_size=4))


@examples(
    quick=60,
    full=500,
    stream=st.lists(st.tuples(st.dictionaries(keys, values, max_size=5), st.booleans())),
    bits=st.sampled_from([None, 4]),
)
def test_any_name(stream, bits):
    """Letters of all lengths, halves of them, whole numbers, lists with a word twice."""
    quick, slow_one = pair(bits=bits, classes=[False, True])
    for x, label in stream:
        outcomes = []
        for model in (quick, slow_one):
            try:
                model.predict_one(x)
                model.learn_one(x, label)
                outcomes.append("learned")
            except (ValueError, TypeError) as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
    same(quick, slow_one)


@pytest.mark.parametrize("learner", ["perceptron", *slow(["logistic", "arow"])])
def test_an_overflow_takes_new_names_back(learner):
    """Names, columns of numbers and their means are as if the example had not been."""
    options = {"scale": None} if learner == "perceptron" else {}
    quick, slow_one = pair(OnlineClassifier, learner, **options)
    for k in range(60):
        x = {"a": k % 3, f"b{k % 7}": k % 2 + 1.5, "c": 1}
        for model in (quick, slow_one):
            model.learn_one(x, "xy"[k % 2])
    refused = []
    for number in range(30):
        x = {f"n{j}": 3e38 for j in range(number + 2)} | {"c": 2.5, f"m{number}": 1.0}
        for model in (quick, slow_one):
            try:
                model.learn_one(x, "xy"[number % 2], 1e30)
            except ValueError as error:
                refused.append(str(error))
        for model in (quick, slow_one):
            model.learn_one({f"after{number}": 2.0, "c": 1}, "xy"[number % 2])
    assert refused or learner != "perceptron"
    assert all("too large" in error for error in refused)
    same(quick, slow_one)


def test_what_counts_words_is_read_as_a_dict():
    quick, plain = OnlineClassifier(), OnlineClassifier()
    for k in range(40):
        x = {"a": 1, "b": k % 4, f"w{k}": 2}
        quick.learn_one(Counter(x) if k % 2 else defaultdict(int, x), k % 2)
        plain.learn_one(x, k % 2)
    same(quick, plain)


@pytest.mark.skipif(one_example._API is None, reason="another interpreter")
@pytest.mark.parametrize("bits", [None, 18])
def test_new_names_do_not_leave_the_fast_path(bits, monkeypatch):
    model = OnlineClassifier(bits=bits, classes=["ham", "spam"])
    slowly, learn_slowly = [], one_by_one.OneByOne._learn_slowly

    def counted(self, *given):
        slowly.append(given)
        return learn_slowly(self, *given)

    monkeypatch.setattr(one_by_one.OneByOne, "_learn_slowly", counted)
    for k in range(1000):
        x = {f"w{k}": 1, f"v{k}": 2.5, "city": f"c{k}", "tags": [f"t{k}", "u"], "seen": k}
        model.predict_one(x)
        model.learn_one(x, "spam" if k % 2 else "ham")
    assert len(slowly) < 30  # where arrays have to grow
    assert model.n_features_ == (4002 if bits is None else 1 << 18)


@pytest.mark.skipif(one_example._API is None, reason="another interpreter")
def test_names_in_the_cache_are_held_and_let_go():
    model = OnlineClassifier(classes=["ham", "spam"])
    names = [f"name number {k}" for k in range(300)]
    values = [f"value number {k}" for k in range(300)]
    before = [sys.getrefcount(name) for name in (*names, *values)]
    for _ in range(3):
        for k, (name, value) in enumerate(zip(names, values, strict=True)):
            x = {name: value, value: k, "list": [name, value]}
            model.predict_one(x)
            model.learn_one(x, "spam" if k % 2 else "ham")
    del model, x, name, value
    gc.collect()
    assert [sys.getrefcount(name) for name in (*names, *values)] == before


def test_a_wide_example_is_read_fast_from_the_second_time_on():
    model = OnlineClassifier(classes=[0, 1])
    x = {f"f{k}": k + 0.5 for k in range(500)}
    for k in range(3):
        model.learn_one(x, k % 2)
    assert isinstance(model._single, Single)
    assert model._buffers.width >= 500
    assert model._single.learn(x, 1) is LEARNED or one_example._API is None


@pytest.mark.skipif(one_example._API is None, reason="there is no fast path here")
def test_new_names_seldom_leave_the_fast_path():
    class Counting(OnlineClassifier):
        slow = 0

        def _learn_slowly(self, *given):
            self.slow += 1
            super()._learn_slowly(*given)

    model, slow = Counting(classes=[0, 1]), []
    for k in range(2000):
        x = {f"word {8 * k + j}": 1 for j in range(8)}
        model.predict_one(x)
        model.learn_one(x, k % 2)
        slow.append(model.slow)
    assert model.n_features_ == 16_000
    assert slow[100] <= 1
    # Names, weights and columns grow at 1,024, then at 4,096; letters might once more.
    assert slow[-1] <= 5


def test_hashed_names_take_no_memory():
    model = OnlineClassifier(bits=10, classes=[0, 1])
    sizes = []
    for k in range(60_000):
        x = {f"name {k}": 1, "city": f"place {k}"}
        model.predict_one(x)
        model.learn_one(x, k % 2)
        if k % 20_000 == 19_999:
            sizes.append(sum(array.nbytes for array in model._single._kept))
            assert len(model._buffers.held) == 128
    assert len(set(sizes)) == 1


MILLION = """
import resource, sys
from rosenblatt import OnlineClassifier

def peak():
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1e6 if sys.platform == "darwin" else most * 1024 / 1e6

model = OnlineClassifier()
for k in range(100_100):
    if k == 100:
        before = peak()
    x = {f"feature_{k}_{j}": 1.0 for j in range(10)}
    model.predict_one(x)
    model.learn_one(x, k % 2)
print(model.n_features_, peak() - before)
"""


@pytest.mark.slow
def test_a_million_names_take_little_memory():
    """River's logistic regression takes 123 MB for these, and 1.2 times that is the limit."""
    pytest.importorskip("resource")  # which Windows does not have
    done = subprocess.run(
        [sys.executable, "-c", MILLION], capture_output=True, text=True, check=True
    )
    n, size = done.stdout.split()
    assert int(n) == 1_001_000
    assert float(size) < 1.2 * 123
