"""Detectors of drift: equal to the reference, few false alarms, and no late ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import OnlineClassifier
from rosenblatt.reference import adwin
from rosenblatt.stream.drift import ADWIN, PageHinkley
from rosenblatt.stream.metrics import Accuracy, progressive
from tests.conftest import first_quick


def changes(detector, numbers):
    """List when a detector detects a change, and the length of its window then."""
    found = []
    for t, number in enumerate(numbers, 1):
        if detector.update(number):
            found.append((t, detector.width_))
    return found


def jump(seed, before=500, after=500, low=0.2, high=0.6):
    rng = np.random.default_rng(seed)
    chances = np.repeat([low, high], [before, after])
    return (rng.random(before + after) < chances).astype(float).tolist()


@pytest.mark.parametrize("seed", first_quick(range(4)))
def test_with_buckets_of_one_it_is_the_reference(seed):
    numbers = jump(seed, 250, 250)
    wanted = adwin(numbers, delta=0.05)
    assert wanted
    assert changes(ADWIN(0.05, clock=1, max_buckets=10_000), numbers) == wanted


@given(
    st.lists(st.tuples(st.integers(1, 25), st.sampled_from([0.0, 0.3, 1.0])), max_size=4),
    st.integers(1, 6),
)
@settings(max_examples=40, deadline=None)
def test_with_buckets_of_one_it_is_the_reference_on_any_steps(steps, min_part):
    numbers = [level + 0.001 * (k % 3) for n, level in steps for k in range(n)]
    detector = ADWIN(0.3, clock=1, max_buckets=10_000, min_part=min_part)
    assert changes(detector, numbers) == adwin(numbers, 0.3, min_part)


def test_the_window_is_what_is_left_of_the_stream():
    numbers = jump(5, 900, 900)
    detector = ADWIN()
    for t, number in enumerate(numbers, 1):
        detector.update(number)
        window = numbers[t - detector.width_ : t]
        if t % 50 == 0:
            assert detector.mean_ == pytest.approx(np.mean(window))
            assert detector.variance_ == pytest.approx(np.var(window))
    assert detector.n_detections_ > 0
    assert 700 < detector.width_ < 1100


def test_memory_is_logarithmic():
    detector = ADWIN(clock=10_000_000)
    for k in range(20_000):
        detector.update(k % 2)
    assert detector.width_ == 20_000
    assert sum(map(len, detector._rows)) <= 5 * (np.log2(20_000) + 1)


@pytest.mark.parametrize("chance", [0.5, pytest.param(0.05, marks=pytest.mark.slow)])
def test_false_alarms_are_rarer_than_delta(chance):
    """Theorem 3.1 of the paper, for each check of a stream that does not change."""
    delta, checks, alarms = 0.05, 0, 0
    for seed in range(60):
        numbers = (np.random.default_rng(seed).random(1000) < chance).tolist()
        detector = ADWIN(delta, clock=8)
        alarms += len(changes(detector, numbers))
        checks += 1000 // 8
    assert alarms <= delta * checks
    assert alarms < 60 * 0.5  # and most streams have none at all


@pytest.mark.parametrize("high", [0.5, 0.9])
def test_a_jump_is_detected_soon_after_the_bound(high):
    """As soon as the bound allows, and some more because of the clock and the buckets."""
    late = []
    for seed in range(10):
        numbers = jump(seed, 400, 600, 0.1, high)
        soonest = next(t for t, _ in adwin(numbers) if t > 400)
        found = next(t for t, _ in changes(ADWIN(), numbers) if t > 400)
        late.append(found - soonest)
        assert found - soonest <= 64 + (soonest - 400)
    assert min(late) >= -1  # it looks at fewer cuts


def test_a_jump_of_the_whole_range_within_the_bound_of_the_paper():
    """For 0 … 0 1 … 1 the cut at the jump alone gives the delay by arithmetic."""
    detector, n = ADWIN(clock=1), 512
    found = changes(detector, [0.0] * n + [1.0] * 50)[0][0]
    for k in range(5, 50):
        p, total = k / (n + k), n + k
        confidence = np.log(2 * np.log(total) / 0.002)
        parts = 1 / n + 1 / k
        if np.sqrt(2 * p * (1 - p) * confidence * parts) + 2 / 3 * confidence * parts < 1:
            break
    assert found <= n + k
    assert detector.mean_ > 0.5


def rivers():
    return pytest.importorskip("river.drift", reason="river is not installed")


@pytest.mark.parametrize("seed", range(5))
def test_the_first_change_is_where_river_detects_one(seed):
    theirs, numbers = rivers().ADWIN(), jump(seed, 1000, 1000, 0.2, 0.5)
    first = None
    for t, number in enumerate(numbers, 1):
        theirs.update(number)
        if theirs.drift_detected:
            first = t
            break
    found = changes(ADWIN(), numbers)[0][0]
    assert first is not None
    assert abs(found - first) <= 64


@pytest.mark.parametrize("direction", ["both", "up", "down"])
def test_page_hinkley_is_rivers(direction):
    rng = np.random.default_rng(0)
    numbers = np.concatenate([rng.normal(m, 1, 400) for m in (0, 1, -1, 3, 0)]).tolist()
    theirs = rivers().PageHinkley(mode=direction)
    wanted = []
    for t, number in enumerate(numbers, 1):
        theirs.update(number)
        if theirs.drift_detected:
            wanted.append(t)
    found = []
    detector = PageHinkley(direction=direction, on_drift=lambda d: found.append(d.t_))
    for number in numbers:
        detector.update(number)
    assert found == wanted
    assert detector.n_detections_ == len(found) > 1


@pytest.mark.parametrize("make", [ADWIN, PageHinkley])
def test_they_work_in_rivers_wrappers(make):
    drift = rivers()
    base = pytest.importorskip("river.base")
    detector = make(on_drift=found_none, delta=0.003)
    assert isinstance(detector, base.Base)
    model = drift.DriftRetrainingClassifier(
        OnlineClassifier(average=True, classes=[False, True]), detector, train_in_background=False
    )
    rng = np.random.default_rng(0)
    for k in range(3000):
        p = rng.normal()
        model.predict_one({"p": p})
        model.learn_one({"p": p}, bool((p > 0) != (k > 2000)))
    assert detector.n_detections_ > 0
    assert model.model.t_ < 1000  # it began anew
    again = model.clone().drift_detector
    assert (again.t_, again.delta, again.on_drift) == (0, 0.003, found_none)


def found_none(detector):
    return None


def test_page_hinkley_by_hand():
    """Sums as the definition has them."""
    numbers = [0.0] * 40 + [1.0] * 60
    sums, least, mean, wanted = 0.0, np.inf, 0.0, None
    for t, x in enumerate(numbers, 1):
        mean = np.mean(numbers[:t])
        sums = sums + x - mean - 0.005
        least = min(least, sums)
        if wanted is None and t >= 30 and sums - least > 10:
            wanted = t
    detector = PageHinkley(10, alpha=1)
    assert next(t for t, x in enumerate(numbers, 1) if detector.update(x)) == wanted


def test_a_drift_of_the_labels_is_found_and_the_model_begins_anew():
    """The use that it is for: errors of a model go up when the labels turn round."""
    rng = np.random.default_rng(1)

    def stream():
        for k in range(4000):
            x = {"p": rng.normal(), "q": rng.normal()}
            yield x, bool((x["p"] > 0) != (k >= 2000))

    found = []
    detector = ADWIN(on_drift=lambda d: found.append(d.t_))
    model = OnlineClassifier("averaged", classes=[False, True])
    accuracy = progressive(model, stream(), Accuracy(500), drift=detector)[0]
    assert any(2000 < t < 2200 for t in found)
    assert accuracy.get() < 0.99


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: ADWIN(delta=0), ValueError, "delta=0 must be"),
        (lambda: ADWIN(clock=0), ValueError, "clock=0 must be a whole number, 1 or more"),
        (lambda: ADWIN(max_buckets=1), ValueError, "max_buckets=1 must be"),
        (lambda: ADWIN().update(float("nan")), ValueError, "x=nan must be a finite number"),
        (lambda: ADWIN().update("spam"), ValueError, "x='spam' must be a finite number"),
        (lambda: ADWIN(on_drift=3), TypeError, "on_drift=3 must be a function"),
        (lambda: PageHinkley(0), ValueError, "threshold=0 must be above 0"),
        (lambda: PageHinkley(direction="left"), ValueError, "direction='left' must be one of"),
    ],
)
def test_what_is_wrong(act, error, message):
    with pytest.raises(error, match=message):
        act()


def test_they_say_what_they_have_seen():
    detector = ADWIN()
    for k in range(1200):
        detector.update(k > 600)
    assert repr(detector).startswith("ADWIN(1,200 numbers, ")
    assert ADWIN().mean_ == ADWIN().variance_ == 0
