"""Progressive metrics are scikit-learn's on the same examples, over all time and over windows."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs

from rosenblatt import OnlineClassifier, OnlineRegressor
from rosenblatt.stream import metrics as ours
from rosenblatt.stream.ranks import Ranks
from rosenblatt.stream.sums import MomentsQueue, Sum

WINDOWS = [None, 1, 7, 50]
CLASSES = ["a", "b", "c"]


def labels_of(seed, n=120):
    rng = np.random.default_rng(seed)
    y = rng.choice(CLASSES, n, p=[0.6, 0.3, 0.1])
    guess = np.where(rng.random(n) < 0.6, y, rng.choice(CLASSES, n))
    return y, guess, rng.choice([0.5, 1.0, 2.0, 0.1], n)


def last(window, *arrays):
    return [array if window is None else array[-window:] for array in arrays]


def check(metric, window, y, guess, weights, function):
    """Compare with a function of (y, guess, weights) after each update."""
    for k, (truth, said, w) in enumerate(zip(y, guess, weights, strict=True), 1):
        assert metric.update(truth, said, w) is metric
        if k % 5 == 0 or k < 12:
            wanted = function(*last(window, y[:k], guess[:k], weights[:k]))
            assert metric.get() == pytest.approx(wanted, rel=1e-12, abs=1e-14, nan_ok=True), k


@pytest.mark.parametrize("window", WINDOWS)
def test_accuracy(window):
    check(
        ours.Accuracy(window),
        window,
        *labels_of(1),
        lambda y, p, w: theirs.accuracy_score(y, p, sample_weight=w),
    )


@pytest.mark.parametrize("average", ["binary", "macro", "micro", "weighted"])
@pytest.mark.parametrize("window", WINDOWS)
def test_f1(window, average):
    y, guess, weights = labels_of(2)
    if average == "binary":
        y, guess = np.where(y == "c", "b", y), np.where(guess == "c", "b", guess)
    options = {"average": average, "zero_division": 0.0}
    if average == "binary":
        options |= {"pos_label": "b", "labels": ["a", "b"]}

    def function(y, p, w):
        return theirs.f1_score(y, p, sample_weight=w, **options)

    check(ours.F1(average, window, positive="b"), window, y, guess, weights, function)


@pytest.mark.parametrize("window", WINDOWS)
def test_log_loss(window):
    y, _, weights = labels_of(3)
    rng = np.random.default_rng(3)
    chances = rng.dirichlet([1, 1, 1], len(y))
    chances[5], chances[40] = [0, 0, 1], [1, 0, 0]
    dicts = np.array([dict(zip(CLASSES, row.tolist(), strict=True)) for row in chances])

    def function(y, p, w):
        rows = np.array([[one[name] for name in CLASSES] for one in p])
        return theirs.log_loss(y, rows, labels=CLASSES, sample_weight=w)

    check(ours.LogLoss(window), window, y, dicts, weights, function)


def test_log_loss_of_a_number_is_that_of_true():
    one, other = ours.LogLoss(), ours.LogLoss()
    for y, p in [(True, 0.25), (False, 0.25), (1, 0.0)]:
        one.update(y, p)
        other.update(bool(y), {True: p, False: 1 - p})
    assert one.get() == other.get()


def area(y, p, w):
    used = w > 0
    if len(set(y[used].tolist())) < 2:
        return math.nan
    return theirs.roc_auc_score(y, p, sample_weight=w)


@pytest.mark.parametrize("window", [1, 2, 7, 50, 500])
@pytest.mark.parametrize("ties", [True, False])
def test_auc_over_a_window(window, ties):
    rng = np.random.default_rng(window)
    y = rng.random(400) < 0.4
    scores = y + rng.normal(size=400)
    scores = np.round(scores) if ties else scores
    weights = rng.choice([0.0, 0.3, 1.0, 2.0], 400)
    check(ours.AUC(window), window, y, scores, weights, area)


@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.booleans(), st.sampled_from([1.0, 0.1, 3.0])), max_size=60
    ),
    st.integers(1, 10),
)
@settings(max_examples=60, deadline=None)
def test_auc_of_any_scores(examples, window):
    metric = ours.AUC(window)
    for k, (score, y, w) in enumerate(examples, 1):
        metric.update(y, float(score), w)
        inside = examples[max(0, k - window) : k]
        pairs = [
            ((a > b) + (a == b) / 2, v * u)
            for a, s, v in inside
            if s
            for b, t, u in inside
            if not t
        ]
        total = sum(weight for _, weight in pairs)
        wanted = sum(right * weight for right, weight in pairs) / total if total else math.nan
        assert metric.get() == pytest.approx(wanted, rel=1e-12, nan_ok=True)


def test_auc_over_all_time_knows_its_error():
    rng = np.random.default_rng(4)
    y = rng.random(20_000) < 0.3
    for scale in (0.3, 1.0, 8.0):
        p = 1 / (1 + np.exp(-scale * (y + rng.normal(size=len(y)))))
        p[:4] = [0.0, 1.0, 1e-300, 1 - 1e-16]
        metric = ours.AUC()
        for truth, chance in zip(y.tolist(), p.tolist(), strict=True):
            metric.update(truth, {True: chance, False: 1 - chance})
        exact = theirs.roc_auc_score(y, p)
        assert abs(metric.get() - exact) <= metric.error_ < 0.01
        assert abs(metric.get() - exact) < 1e-4
    assert ours.AUC(5).error_ == 0


NUMBERS = [ours.MAE, ours.RMSE, ours.R2]
FUNCTIONS = {
    ours.MAE: theirs.mean_absolute_error,
    ours.RMSE: theirs.root_mean_squared_error,
    ours.R2: lambda y, p, **w: theirs.r2_score(y, p, **w) if len(y) > 1 else math.nan,
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("window", WINDOWS)
def test_of_numbers(kind, window):
    rng = np.random.default_rng(5)
    y = rng.normal(100, 20, 120)
    function = FUNCTIONS[kind]
    check(
        kind(window),
        window,
        y,
        y + rng.normal(0, 9, 120),
        rng.choice([0.5, 1.0, 3.0], 120),
        lambda y, p, w: function(y, p, sample_weight=w),
    )


def test_r2_of_numbers_that_are_all_the_same():
    same = ours.R2().update(2.0, 2.0).update(2.0, 2.0)
    assert same.get() == theirs.r2_score([2, 2], [2, 2]) == 1
    assert same.update(2.0, 3.0).get() == theirs.r2_score([2, 2, 2], [2, 2, 3]) == 0


def test_windows_forget_what_was_large():
    """A few huge numbers leave no trace once they have left the window."""
    rng = np.random.default_rng(6)
    y = rng.normal(1e9, 1.0, 3000)
    guess = y + rng.normal(0, 0.5, 3000)
    guess[500:510] = 1e18
    y[600:610] = -1e15
    for kind in NUMBERS:
        metric = kind(100)
        for truth, said in zip(y.tolist(), guess.tolist(), strict=True):
            metric.update(truth, said)
        wanted = FUNCTIONS[kind](y[-100:], guess[-100:])
        assert metric.get() == pytest.approx(wanted, rel=1e-6), kind


@pytest.mark.slow
def test_a_sum_of_many_terms_is_exact_to_the_last_digits():
    total, n = Sum(), 1_000_000
    terms = np.random.default_rng(7).random(n).tolist()
    for k, term in enumerate(terms):
        total.add(term)
        if k >= 10:
            total.add(-terms[k - 10])
    assert total.value == pytest.approx(math.fsum(terms[-10:]), rel=1e-14)


@given(st.lists(st.tuples(st.floats(0.1, 10), st.floats(-1e6, 1e6)), min_size=1, max_size=50))
def test_moments_of_the_last_numbers(pairs):
    queue = MomentsQueue()
    for k, (weight, number) in enumerate(pairs):
        queue.push(weight, number)
        if k >= 5:
            queue.pop()
        w, x = np.array(pairs[max(0, k - 4) : k + 1]).T
        mean = np.average(x, weights=w)
        found = queue.moments
        assert found.weight == pytest.approx(w.sum())
        assert found.mean == pytest.approx(mean, rel=1e-9, abs=1e-9)
        assert found.squares == pytest.approx(w @ (x - mean) ** 2, rel=1e-6, abs=1e-6)


def test_updates_take_logarithmic_time():
    """The paths of the tree stay short, also for scores that come in order."""
    ranks, n = Ranks(), 4000
    for k in range(n):
        ranks.add(float(k), k % 3 == 0, 1.0)
        if k >= 1000:
            ranks.remove(float(k - 1000), (k - 1000) % 3 == 0, 1.0)
    longest = max(len(ranks._path(float(k))) for k in range(n - 1000, n))
    assert longest < 5 * math.log2(1000)


def test_they_say_what_they_are():
    assert str(ours.Accuracy()) == "Accuracy: –"
    assert str(ours.F1("macro", 2000).update("a", "a")) == "F1 (macro) of the last 2,000: 100.00%"
    assert repr(ours.AUC(5)) == "AUC of the last 5: –"
    assert math.isnan(ours.R2().update(1.0, 2.0).get())
    assert math.isnan(ours.Accuracy().update(1, 1, 0.0).get())


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: ours.MAE(0), "window=0 must be"),
        (lambda: ours.MAE().update(1.0, math.nan), "y_pred=nan must be a finite number"),
        (lambda: ours.R2().update(math.inf, 1.0), "y_true=inf must be a finite number"),
        (lambda: ours.AUC().update(True, 1.5), "1.5 is not a probability"),
        (lambda: ours.LogLoss().update("a", {"a": -0.1}), "-0.1 is not a probability"),
        (lambda: ours.Accuracy().update(1, 1, -1), "w=-1.0 must be a finite number"),
        (lambda: ours.F1("mean"), "average='mean' must be one of"),
        (lambda: ours.progressive(None, [], [], delay=-1), "delay=-1 must be"),
        (lambda: ours.progressive(None, [], [], every=0), "every=0 must be"),
        (lambda: ours.Accuracy(2.5), "window=2.5 must be a whole number"),
        (lambda: ours.progressive(None, [], [], delay=0.5), "delay=0.5 must be"),
        (lambda: ours.progressive(None, [({"a": 1},)], []), r"an example is \(x, y\) or"),
        (lambda: ours.progressive(None, {"a": 1}, []), r"weight\), and this is 'a'"),
        (lambda: ours.LogLoss().update("a", "b"), "'b' is not a probability: .* predict_proba_one"),
        (lambda: ours.MAE().update(1.0, "b"), "y_pred='b' must be a finite number"),
        (lambda: ours.AUC().update("a", {"a": 0.5}), "positive=True is not a label like 'a'"),
        (lambda: ours.F1().update("a", "b"), "such as positive='a'"),
    ],
)
def test_what_is_wrong(act, message):
    with pytest.raises(ValueError, match=message):
        act()


def examples(n=300, seed=8):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        x = {"p": rng.normal(), "q": rng.normal()}
        yield x, ["no", "yes"][x["p"] + rng.normal() > 0], float(rng.integers(0, 3))


def test_progressive_is_predict_and_learn():
    metrics = [ours.Accuracy(), ours.LogLoss(), ours.AUC(50, "yes"), ours.F1("macro")]
    model, other, wrong, n = OnlineClassifier(), OnlineClassifier(), 0.0, 0.0
    assert ours.progressive(model, examples(), metrics) == metrics
    for x, y, w in examples():
        guess = other.predict_one(x)
        if guess is not None:
            wrong, n = wrong + w * (guess != y), n + w
        other.learn_one(x, y, w)
    assert metrics[0].get() == pytest.approx(1 - wrong / n)
    assert np.array_equal(model.coef_, other.coef_)


@pytest.mark.parametrize("delay", [1, 10, 1000])
def test_progressive_with_a_delay(delay):
    seen = []

    class Model:
        def predict_one(self, x):
            return len(seen)

        def learn_one(self, x, y):
            seen.append(y)

    pairs = [({}, float(k)) for k in range(100)]
    metric = ours.progressive(Model(), pairs, ours.MAE(), delay=delay)[0]
    behind = [min(k, delay) for k in range(100)]
    assert metric.get() == pytest.approx(np.mean(behind))
    assert seen == [y for _, y in pairs]


def test_progressive_reports(capsys):
    pairs = [({"a": float(k)}, 2.0 * k) for k in range(1000)]
    calls = []
    ours.progressive(
        OnlineRegressor(), pairs, ours.RMSE(10), every=250, report=lambda k, m: calls.append((k, m))
    )
    assert [k for k, _ in calls] == [250, 500, 750, 1000]
    ours.progressive(OnlineRegressor(), pairs, ours.RMSE(10), every=500)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  RMSE")[0] for line in lines] == ["  500", "1,000"]
