"""What people share: everything public, once it was used, can be pickled, copied, sent to another
process, and asked by many threads at once."""

import concurrent.futures
import copy
import multiprocessing
import pickle
import sys

import numpy as np
import pytest

import rosenblatt
from rosenblatt import (
    Hyperplane,
    OnlineClassifier,
    SequenceTagger,
    StructuredPerceptron,
    ThresholdUnit,
    compare,
    margin,
    mistake_bound,
    prepare,
    select,
    separate,
    trace,
)
from rosenblatt.learner_registry import ONLINE, trainable
from tests.conftest import every_quick
from tests.learners import structured_problems
from tests.models.zoo import SETTINGS, data, fitted, quietly
from tests.tagging.tagged_sentences import sentences

WORDS, _, CHUNKS = sentences(30)
AND = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]
XOR = AND[0], [0, 1, 1, 0]


class Asked:
    """Something public, and a question for it."""

    def __init__(self, thing, method="predict", *args):
        self.thing, self.method, self.args = thing, method, args

    def answer(self):
        function = str if self.method == "str" else getattr(self.thing, self.method)
        return quietly(function, *self.args)


def estimator(setting):
    return lambda: Asked(fitted(setting), "predict", data(setting)[0])


def stream(learner, bits):
    model = OnlineClassifier(learner, bits=bits)
    for k in range(40):
        model.learn_one({"a": k % 5 - 2.0, "b": k % 3 - 1.0}, "yes" if k % 5 > 1 else "no")
    return Asked(model, "scores_one", {"a": 1.0, "b": 2.0})


def structured():
    X, y = structured_problems.sentences(seed=1)
    return Asked(StructuredPerceptron(structured_problems.Labels()).fit(X, y), "predict", X)


def prepared():
    model = prepare(rosenblatt.Perceptron(), AND[0]).fit(*AND)
    return Asked(model, "predict", AND[0])


def chosen():
    X, y = data("perceptron", n_classes=2)
    result = select(rosenblatt.Perceptron(), {"max_iter": [1, 2]}, X, y, cv=3)
    return Asked(result, "str")


THINGS = {
    **{setting: estimator(setting) for setting in SETTINGS},
    **{f"stream, {name}": lambda name=name: stream(name, None) for name in trainable(ONLINE)},
    "stream, hashed": lambda: stream("averaged", 10),
    "tagger": lambda: Asked(SequenceTagger().fit(WORDS, CHUNKS), "predict", WORDS),
    "structured": structured,
    "hyperplane": lambda: Asked(Hyperplane([1.0, 2.0], 0.5), "score", AND[0]),
    "unit": lambda: Asked(ThresholdUnit.conjunction(3), "str"),
    "separable": lambda: Asked(separate(*AND), "verify", *AND),
    "inseparable": lambda: Asked(separate(*XOR), "verify", *XOR),
    "bound": lambda: Asked(mistake_bound(*AND), "str"),
    "margin": lambda: Asked(margin(*AND, Hyperplane([1.0, 1.0], -1.5)), "str"),
    "trace": lambda: Asked(list(trace(*AND, rosenblatt.Perceptron())), "str"),
    "compare": lambda: Asked(quietly(compare, *data("perceptron", 2)), "str"),
    "prepare": prepared,
    "select": chosen,
}


def same(one, other):
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return bool(one == other)


@pytest.fixture(scope="module")
def asked():
    """Each of them, after it gave an answer."""
    made = {}
    for name, make in THINGS.items():
        thing = quietly(make)
        made[name] = thing, thing.answer()
    return made


@pytest.mark.parametrize("name", every_quick(THINGS, 3))
def test_it_can_be_pickled_and_copied(asked, name):
    thing, answer = asked[name]
    for again in pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing):
        assert same(again.answer(), answer)
        assert same(pickle.loads(pickle.dumps(again)).answer(), answer)
    again = copy.copy(thing.thing)
    assert same(Asked(again, thing.method, *thing.args).answer(), answer)


@pytest.mark.slow
def test_it_can_be_sent_to_another_process(asked):
    """One process for all, started anew: nothing is there but what was sent."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        answers = [(name, pool.submit(Asked.answer, asked[name][0])) for name in THINGS]
        for name, answer in answers:
            assert same(answer.result(), asked[name][1]), name


def test_many_threads_may_ask_at_once(asked):
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for name, (thing, answer) in asked.items():
            if name in ("voted, random", "kernel, random"):
                continue  # each answer is drawn anew
            fresh = pickle.loads(pickle.dumps(thing))  # what is made at the first question
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                answers = list(pool.map(lambda _, fresh=fresh: fresh.answer(), range(16)))
            assert all(same(each, answer) for each in answers), name
    finally:
        sys.setswitchinterval(interval)
