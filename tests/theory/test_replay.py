"""Replaying a ledger makes the fit's weights again, to the last bit, over any number of calls."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import AveragedPerceptron, BatchPerceptron, Perceptron, VotedPerceptron
from rosenblatt.kernels.online.perceptrons import Log
from rosenblatt.learners import batch, online
from tests.conftest import LAYOUTS, first_quick, rounding, whole_numbers

ALL = [Perceptron, AveragedPerceptron, VotedPerceptron, BatchPerceptron]
ONLINE = ALL[:3]
SOME_LAYOUTS = ["C order", "Fortran order", "CSR, 32-bit", "CSR, 64-bit"]
PASSES = {"max_iter": 4, "tol": None}


def weights_of(model):
    """The weights that learned; coef_ may be their mean."""
    return model._state.weights, model._state.intercept


def assert_replays(model, X, start=None):
    """Replaying goes from the start to the model's weights, each update from the one before."""
    weights, intercept = weights_of(model)
    before = start
    for change in model.ledger_.replay(X):
        if before is not None and np.shape(before[0]) == change.weights_before.shape:
            np.testing.assert_array_equal(change.weights_before, before[0])
            np.testing.assert_array_equal(change.intercept_before, before[1])
        before = change.weights, change.intercept
    assert np.atleast_2d(before[0]).tobytes() == weights.tobytes()
    assert np.atleast_1d(before[1]).astype(intercept.dtype).tobytes() == intercept.tobytes()


class TestBits:
    """Recording changes nothing, and replaying makes the same weights again."""

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("layout", SOME_LAYOUTS)
    @pytest.mark.parametrize("n_classes", [2, 3, 5])
    @pytest.mark.parametrize("estimator", ALL)
    def test_same_bits(self, estimator, n_classes, layout, dtype):
        X, y = rounding(seed=n_classes, n_classes=n_classes, dtype=dtype)
        X = LAYOUTS[layout](X)
        model = estimator(record=True, **PASSES).fit(X, y)
        plain = estimator(**PASSES).fit(X, y)
        assert model.coef_.tobytes() == plain.coef_.tobytes()
        assert model.intercept_.tobytes() == plain.intercept_.tobytes()
        assert model.mistakes_.tolist() == plain.mistakes_.tolist()
        assert len(model.ledger_) == model.n_mistakes_
        zeros = np.zeros_like(plain.coef_ if n_classes > 2 else plain.coef_[0])
        assert_replays(model, X, (zeros, np.zeros_like(plain.intercept_).squeeze()))
        if estimator is VotedPerceptron:
            assert model.counts_.tolist() == plain.counts_.tolist()
            np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))

    @pytest.mark.parametrize(
        "options",
        [
            {"selection": "random_mistake", "max_iter": 30, "tol": None},
            {"learning_rate": "inverse"},
            {"learning_rate": lambda t: 1 / np.sqrt(t), "eta0": 0.3},
            {"ties": "positive", "fit_intercept": False},
        ],
    )
    def test_every_way_of_the_perceptron(self, options):
        X, y = rounding(seed=6, n_classes=3)
        assert_replays(Perceptron(record=True, **{**PASSES, **options}).fit(X, y), X)

    @pytest.mark.parametrize("n_classes", first_quick([2, 4], 1))
    @pytest.mark.parametrize("normalize", [True, False])
    @pytest.mark.parametrize("rate", ["line_search", "inverse"])
    def test_every_way_of_the_batch_perceptron(self, rate, normalize, n_classes):
        X, y = rounding(seed=7, n_classes=n_classes)
        options = {"learning_rate": rate, "normalize": normalize, "tol": None, "record": True}
        # A line search shrinks the weights until they are scaled up again.
        assert_replays(BatchPerceptron(max_iter=400, **options).fit(X, y), X)

    @pytest.mark.parametrize("estimator", [Perceptron, BatchPerceptron])
    def test_starting_weights(self, estimator):
        X, y = rounding(seed=8)
        start, b = np.random.default_rng(0).standard_normal(9), 0.7
        model = estimator(record=True, **PASSES).fit(X, y, coef_init=start, intercept_init=b)
        assert_replays(model, X, (start, b))

    def test_whatever_fit_takes_replays(self):
        X, y = whole_numbers(seed=9)
        for kind in (lambda X: X.tolist(), sp.coo_matrix, lambda X: X.astype(np.int8)):
            assert_replays(Perceptron(record=True, **PASSES).fit(kind(X), y), kind(X))


class TestCalls:
    """A ledger goes on as long as nothing is missing from it."""

    @pytest.mark.parametrize("estimator", ONLINE)
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_partial_fit_appends(self, estimator, n_classes):
        X, y = rounding(seed=10, n_classes=n_classes)
        whole = estimator(record=True, shuffle=False, max_iter=1, tol=None).fit(X, y)
        model = estimator(record=True)
        parts = [X[:50], X[50:110], X[110:]]
        for part, labels in zip(parts, (y[:50], y[50:110], y[110:]), strict=True):
            model.partial_fit(part, labels, classes=np.arange(n_classes))
        ledger = model.ledger_
        firsts = np.array([0, 50, 110])[ledger.call - 1]
        assert (ledger.index + firsts).tolist() == whole.ledger_.index.tolist()
        assert ledger.step.tolist() == whole.ledger_.step.tolist()
        np.testing.assert_array_equal(ledger.score, whole.ledger_.score)
        assert_replays(model, parts)
        with pytest.raises(ValueError, match=r"of 3 calls.*give a list of the 3 X"):
            ledger.replay(X)
        with pytest.raises(ValueError, match=r"\(50, 9\), but call 2 learned from .* \(60, 9\)"):
            ledger.replay([parts[0]] * 3)

    @pytest.mark.slow
    @pytest.mark.parametrize("estimator", ONLINE)
    def test_classes_types_and_layouts_may_change_between_calls(self, estimator):
        X, y = rounding(seed=11, n_classes=4)
        model, parts = estimator(record=True), []
        kinds = (np.float32, lambda X: X, np.float32, sp.csr_matrix, np.asfortranarray)
        groups = ([1], [1, 3], [1, 3], [0, 1, 2, 3], [0, 1, 2, 3])
        for kind, group in zip(kinds, groups, strict=True):
            chosen = np.isin(y, group)
            parts.append(kind(X[chosen]))
            model.partial_fit(parts[-1], y[chosen])
        assert_replays(model, parts)
        ledger = model.ledger_
        assert set(ledger.call) == {2, 3, 4, 5}
        assert ledger.score.shape == (len(ledger), 2)
        assert np.all(ledger.score[:, 0] <= ledger.score[:, 1])  # that is what a mistake is
        two = ledger.call < 4
        np.testing.assert_array_equal(ledger.score[two, 0], -ledger.score[two, 1])
        with pytest.raises(ValueError, match=r"direction has shape \(4, 9\), expected \(9,\)"):
            ledger.progress(parts, np.ones((4, 9)))

    @pytest.mark.parametrize("estimator", ALL)
    def test_a_warm_start_appends_and_a_cold_one_does_not(self, estimator):
        X, y = rounding(seed=12)
        model = estimator(record=True, max_iter=2, tol=None, warm_start=True)
        first = model.fit(X, y).ledger_
        second = model.fit(X, y).ledger_
        assert len(second) == model.n_mistakes_ > len(first)
        assert np.all(np.diff(second.step) >= 0)
        assert_replays(model, [X, X])
        assert len(first.calls) == 1  # what was handed out does not change
        model.set_params(warm_start=False).fit(X, y)
        assert model.ledger_.index.tolist() == first.index.tolist()
        assert_replays(model, X)

    def test_nothing_is_recorded_that_is_not_wanted(self, deck_b, monkeypatch):
        logs = []
        for module, name in ((online, "binary_pass"), (batch, "binary_sum")):
            loop = getattr(module, name)

            def watched(*args, loop=loop):
                logs.append(next((arg for arg in args if isinstance(arg, Log)), None))
                return loop(*args)

            monkeypatch.setattr(module, name, watched)
        for estimator in (Perceptron, AveragedPerceptron, BatchPerceptron):
            assert not hasattr(estimator().fit(*deck_b), "ledger_")
        for estimator in (Perceptron, AveragedPerceptron):
            assert not hasattr(estimator().partial_fit(*deck_b), "ledger_")
        assert {len(column) for log in logs for column in log} == {0}
        logs.clear()
        assert not hasattr(VotedPerceptron().fit(*deck_b), "ledger_")  # which has its own log
        assert {len(column) for log in logs for column in (log.score, log.eta)} == {0}
        assert min(len(log.row) for log in logs) > 0

    def test_a_gap_ends_the_ledger(self, deck_b):
        X, y = deck_b
        model = Perceptron(record=True).partial_fit(X, y)
        model.set_params(record=False).partial_fit(X, y)
        assert not hasattr(model, "ledger_")
        w, b = model.coef_[0].copy(), model.intercept_[0]
        model.set_params(record=True).partial_fit(-X, y)
        assert_replays(model, -X, (w, b))

    @pytest.mark.parametrize("estimator", ALL)
    def test_failing_leaves_the_earlier_one(self, estimator, deck_b):
        model = estimator(record=True, **PASSES).fit(*deck_b)
        ledger = model.ledger_
        huge = np.random.default_rng(0).uniform(-1, 1, (40, 2)) * np.finfo(float).max
        with pytest.raises(ValueError, match="too large"):
            model.fit(huge, [0, 1] * 20)
        assert model.ledger_ is ledger
        with pytest.raises(ValueError, match="record must be True or False, got 1"):
            model.set_params(record=1).fit(*deck_b)

    def test_other_rows_are_noticed(self):
        X, y = rounding(seed=13)
        for estimator in (Perceptron, BatchPerceptron):
            ledger = estimator(record=True, **PASSES).fit(X, y).ledger_
            for other in (2 * X, X + 1, X[::-1]):  # rotated rows would have the same scores
                with pytest.raises(ValueError, match="X is not what was learned from"):
                    list(ledger.replay(other))
            with pytest.raises(ValueError, match="NaN"):
                ledger.replay(np.full_like(X, np.nan))
            with pytest.raises(ValueError, match="shape"):
                ledger.norms(X[:, :3])

    def test_a_ledger_can_be_pickled(self, deck_b):
        model = Perceptron(record=True).fit(*deck_b)
        again = pickle.loads(pickle.dumps(model))
        assert list(again.ledger_) == list(model.ledger_)
        assert_replays(again, deck_b[0])
