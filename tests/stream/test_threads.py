"""Threads that share an `OnlineClassifier`: nothing is lost, and nobody sees half a model.

Every example here has the features p and q with the same value, so the weights of a whole model are
the same for both, to the last bit: whoever sees different ones saw a model in the making.
"""

import copy
import pickle
import sys
import threading
import time

import numpy as np
import pytest

from rosenblatt import OnlineClassifier, load, save
from rosenblatt.stream.rules import ONLINE


@pytest.fixture(autouse=True)
def _restless():
    """Let threads take turns as often as the interpreter can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def together(*jobs):
    """Run each job in a thread of its own; raise what one of them raised."""
    errors = []

    def run(job):
        try:
            job()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def example(k, more=()):
    value = float(k * 7919 % 13 - 6)
    x = {"p": value, "q": value, **dict.fromkeys(more, 1.0)}
    return x, ["no", "yes"][k * 31 % 17 > 8]


def check_whole(model):
    p, q = (model.feature_names_.index(name) for name in "pq")
    coef = model.coef_
    assert np.array_equal(coef[:, p], coef[:, q])


@pytest.mark.parametrize("learner", list(ONLINE))
def test_no_example_is_lost(learner):
    model = OnlineClassifier(learner, classes=["no", "yes"])

    def learn():
        for k in range(300):
            model.learn_one(*example(k))

    together(*[learn] * 8)
    assert model.t_ == 8 * 300
    check_whole(model)


def test_new_features_and_classes_from_all_sides():
    model = OnlineClassifier()

    def learner(number):
        def learn():
            for k in range(300):
                x, label = example(k, [f"{number} {k}"] if k % 3 else ())
                model.learn_one(x, f"new {number} {k}" if k % 100 == 99 else label)

        return learn

    together(*[learner(number) for number in range(8)])
    # The first example of all finds no second class to compare with.
    assert 8 * 300 - 2 * 8 <= model.t_ <= 8 * 300
    assert len(model.classes_) == 2 + 8 * 3
    assert model.n_features_ == 2 + 8 * 200
    check_whole(model)


@pytest.mark.parametrize(
    ("learner", "seconds"),
    [("averaged", 2), ("logistic", 2), pytest.param("averaged", 30, marks=pytest.mark.slow)],
)
def test_learning_predicting_and_saving_at_once(tmp_path, learner, seconds):
    model = OnlineClassifier(learner, fit_intercept=False)
    for k in range(20):
        model.learn_one(*example(k))
    end, learned, tried = time.monotonic() + seconds, [0] * 8, [0] * 8
    opposite = {"p": 1.0, "q": -1.0}

    def learn(number):
        while time.monotonic() < end:
            k = learned[number]
            more = [f"{number} {k}"] if k % 50 == 0 else ()
            model.learn_one(*example(k, more))
            learned[number] += 1

    def predict(number):
        while time.monotonic() < end:
            unknown = {f"unknown {tried[number]}": 1.0} if tried[number] % 5 == 0 else {}
            assert set(model.scores_one({**opposite, **unknown}).values()) == {0.0}
            assert model.predict_one(opposite) == "yes"  # sign(0) = +1
            tried[number] += 1

    def keep(number):
        path = tmp_path / f"{number}.model"
        while time.monotonic() < end:
            before = model.t_
            save(model, path)
            for again in load(path), pickle.loads(pickle.dumps(model)), copy.copy(model):
                check_whole(again)
                assert again.t_ >= before
            tried[number] += 1

    def look(number):
        while time.monotonic() < end:
            check_whole(model)
            assert model.n_mistakes_ <= model.t_
            tried[number] += 1

    jobs = [learn, learn, learn, predict, predict, keep, keep, look]
    together(*[lambda job=job, n=n: job(n) for n, job in enumerate(jobs)])
    assert model.t_ == 19 + sum(learned)
    assert min(learned[:3]) > 0
    assert min(tried[3:]) > 0


def test_a_prediction_never_stops_learning_new_names():
    model = OnlineClassifier(classes=["no", "yes"])
    stop = threading.Event()

    def predict():
        while not stop.is_set():
            model.predict_one({"unknown": 1.0, "p": 1.0})

    def learn():
        try:
            for k in range(2_000):
                model.learn_one({f"new {k}": 1.0, "p": 1.0}, "yes")
        finally:
            stop.set()

    together(predict, predict, learn)
    assert model.n_features_ == 2_001


def test_a_copy_learns_by_itself():
    model = OnlineClassifier()
    for k in range(50):
        model.learn_one(*example(k))
    for again in copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model)):
        before = model.coef_
        again.beside = {"mine": 1}
        for k in range(50):
            again.learn_one(*example(k, [f"more {k}"]))
        assert (again.t_, model.t_) == (2 * model.t_ + 1, 49)
        assert np.array_equal(model.coef_, before)
        assert model.beside is None
