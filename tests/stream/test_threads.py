"""Threads that share an `OnlineClassifier`: nothing is lost, and nobody sees half a model.

Every example here has the features p and q with the same value, so the weights of a whole model are
the same for both, to the last bit: whoever sees different ones saw a model in the making.
"""

import copy
import pickle
import signal
import sys
import threading
import time

import numpy as np
import pytest

from rosenblatt import OnlineClassifier, load, save
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.stream import growing
from tests.conftest import first_quick, slow


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


@pytest.mark.parametrize("learner", first_quick(trainable(ONLINE)))
def test_no_example_is_lost(learner):
    model = OnlineClassifier(learner, classes=["no", "yes"])

    def learn():
        for k in range(300):
            model.learn_one(*example(k))

    together(*[learn] * 8)
    assert model.t_ == 8 * 300
    check_whole(model)


@pytest.mark.slow
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
    slow([("averaged", 2), ("logistic", 2), ("averaged", 10)]),
)
def test_learning_predicting_and_saving_at_once(tmp_path, learner, seconds):
    model = OnlineClassifier(learner, fit_intercept=False, scale=None)
    for k in range(20):
        model.learn_one(*example(k))
    end, learned, tried = time.monotonic() + seconds, [0] * 8, [0] * 8
    opposite = {"p": 1.0, "q": -1.0}

    def learn(number):
        while not learned[number] or time.monotonic() < end:
            k = learned[number]
            more = [f"{number} {k}"] if k % 50 == 0 else ()
            model.learn_one(*example(k, more))
            learned[number] += 1

    def predict(number):
        while not tried[number] or time.monotonic() < end:
            unknown = {f"unknown {tried[number]}": 1.0} if tried[number] % 5 == 0 else {}
            assert set(model.scores_one({**opposite, **unknown}).values()) == {0.0}
            assert model.predict_one(opposite) == "yes"  # sign(0) = +1
            tried[number] += 1

    def keep(number):
        path = tmp_path / f"{number}.model"
        while not tried[number] or time.monotonic() < end:
            before = model.t_
            save(model, path)
            for again in load(path), pickle.loads(pickle.dumps(model)), copy.copy(model):
                check_whole(again)
                assert again.t_ >= before
            tried[number] += 1

    def look(number):
        while not tried[number] or time.monotonic() < end:
            check_whole(model)
            assert model.n_mistakes_ <= model.t_
            tried[number] += 1

    jobs = [learn, learn, learn, predict, predict, keep, keep, look]
    together(*[lambda job=job, n=n: job(n) for n, job in enumerate(jobs)])
    assert model.t_ == 19 + sum(learned)
    assert min(learned[:3]) > 0
    assert min(tried[3:]) > 0


@pytest.mark.slow
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
        again.metadata = {"mine": 1}
        for k in range(50):
            again.learn_one(*example(k, [f"more {k}"]))
        assert (again.t_, model.t_) == (2 * model.t_ + 1, 49)
        assert np.array_equal(model.coef_, before)
        assert model.metadata is None


def test_a_fast_path_made_meanwhile_stays_closed():
    model = OnlineClassifier(classes=["no", "yes"])
    model.learn_one(*example(1))
    done = threading.Event()

    def learn():
        model.learn_one(*example(2))
        done.set()

    other = threading.Thread(target=learn)

    def meanwhile():
        model.learn_one(*example(3, ["new"]))  # this makes new arrays, and a new fast path
        assert model.predict_one({"p": 1.0}) in ("no", "yes")
        other.start()
        assert not done.wait(0.2)

    model.exclusively(meanwhile)
    other.join()
    assert done.is_set()
    assert model.t_ == 3
    model.predict_one(example(1)[0])
    assert not model._single.closed


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_ctrl_c_leaves_no_lock_behind():
    """Interrupted hundreds of times anywhere, the model is whole, and other threads may go on."""

    def learn(model, k):
        x, label = example(k, [f"new {k}"] if k % 2 else ())
        model.learn_one(x, f"class {k}" if k % 50 == 0 else label)
        model.predict_one(x)

    warm, model = OnlineClassifier(), OnlineClassifier()
    for k in range(1, 2_000):
        learn(warm, k)  # so that nothing is compiled later, which LLVM does not like interrupted
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    interrupts = 0
    try:
        for turn in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0002 + 0.00001 * (turn % 37))
                for k in range(200 * turn, 200 * turn + 200):
                    learn(model, k)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:  # which may be lost where Python ignores errors
                interrupts += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupts > 30
    assert len(model.scores_one({"p": 1.0})) == len(model.classes_)
    copy.copy(model)  # which makes all of the loader's checks
    other = threading.Thread(target=model.learn_one, args=example(1), daemon=True)
    other.start()
    other.join(60)
    assert not other.is_alive()


@pytest.mark.slow
def test_what_memory_is_too_small_for_changes_nothing(monkeypatch):
    model = OnlineClassifier()
    for k in range(200):
        x, label = example(k)
        model.learn_one(x, f"{label} {k % 40}")
    saved = pickle.dumps(model)
    zeros, calls = np.zeros, []

    def full(*args, **options):
        calls.append(args)
        if len(calls) > 1:  # the second of two arrays finds no room
            raise MemoryError
        return zeros(*args, **options)

    for classes in range(100):
        monkeypatch.setattr(growing.np, "zeros", full)
        calls.clear()
        try:
            model.learn_one({"p": 1.0, "q": 1.0, f"new {classes}": 1.0}, f"another {classes}")
        except MemoryError:
            break
        finally:
            monkeypatch.undo()
        saved = pickle.dumps(model)
    else:
        pytest.fail("there was always room")
    assert pickle.dumps(model) == saved
    model.learn_one(*example(1))


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
@pytest.mark.slow
def test_options_of_numpys_types(kind):
    model = OnlineClassifier(np.str_("averaged"), bits=kind(10), classes=["no", "yes"])
    model.learn_one(*example(1))
    assert pickle.loads(pickle.dumps(model)).t_ == 1
