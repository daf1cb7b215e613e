"""Tracing (S8, S38): every step of every perceptron, ending where ``fit`` ends."""

import itertools

import numpy as np
import pytest

from rosenblatt import (
    AveragedPerceptron,
    BatchPerceptron,
    KernelPerceptron,
    Perceptron,
    VotedPerceptron,
    reference,
    trace,
)
from tests.conftest import LAYOUTS, every_quick, first_quick, in_turn, rounding, whole_numbers

ALL = [Perceptron, AveragedPerceptron, VotedPerceptron, BatchPerceptron]
ONLINE = ALL[:3]
SOME_LAYOUTS = ["C order", "Fortran order", "CSR, 32-bit", "CSR, 64-bit"]
SOME_TYPES = list(itertools.product(SOME_LAYOUTS, [np.float32, np.float64]))
PASSES = {"max_iter": 3, "tol": None}


def last_of(steps):
    *_, last = steps
    return last


def assert_ends_as_fit(learner, X, y):
    """The last weights, and the means if there are any, are to the last bit those of ``fit``."""
    model = learner.fit(X, y)
    *_, (count, last) = enumerate(trace(X, y, learner), 1)
    pairs = [(last.weights, last.intercept, model._state.weights, model._state.intercept)]
    if last.mean_weights is not None:
        pairs.append((last.mean_weights, last.mean_intercept, model.coef_, model.intercept_))
    for w, b, weights, intercept in pairs:
        assert w.dtype == weights.dtype
        assert np.atleast_2d(w).tobytes() == weights.tobytes()
        assert np.atleast_1d(b).astype(intercept.dtype).tobytes() == intercept.tobytes()
    assert count == last.step == model.t_
    assert last.pass_number == model.n_iter_


class TestDeckB:
    """S9, as deck B draws it."""

    def test_step_by_step(self, deck_b):
        X, y = deck_b
        learner = Perceptron(fit_intercept=False, shuffle=False)
        steps = list(trace(X, y, learner))
        first = steps[:6]
        assert [step.index for step in first] == [0, 1, 2, 3, 4, 5]
        assert [step.label for step in first] == y.tolist()
        assert [step.score for step in first] == [0, 1, -1, -2, 0, 2]
        assert [step.mistake for step in first] == [True, False, True, False, True, False]
        assert [step.prediction for step in first] == [1, 1, -1, -1, 1, 1]
        w = [[0, 0], [1, -2], [1, -2], [2, -1], [2, -1], [3, 1], [3, 1]]
        assert [step.weights_before.tolist() for step in first] == w[:-1]
        assert [step.weights.tolist() for step in first] == w[1:]
        assert [step.intercept for step in first] == [0] * 6
        assert [step.pass_number for step in steps] == [1] * 6 + [2] * 6
        assert [step.step for step in steps] == list(range(1, 13))
        assert not any(step.mistake for step in steps[6:])
        assert not hasattr(learner, "coef_")  # the learner itself has learned nothing

    def test_the_mean_is_that_of_the_weights_so_far(self, deck_b):
        X, y = deck_b
        options = {"fit_intercept": False, "shuffle": False, "max_iter": 1}
        for estimator in (AveragedPerceptron, VotedPerceptron):
            weights = []
            for step in trace(X, y, estimator(**options)):
                weights.append(step.weights)
                np.testing.assert_allclose(step.mean_weights, np.mean(weights, axis=0))

    def test_the_batch_perceptron_moves_at_the_end_of_a_pass(self, deck_b):
        X, y = deck_b
        learner = BatchPerceptron(fit_intercept=False, normalize=False, max_iter=2, tol=None)
        steps = list(trace(X, y, learner))
        moved = [not np.array_equal(s.weights, s.weights_before) for s in steps]
        assert moved[:6] == [False] * 5 + [True]
        assert steps[5].weights.tolist() == (y @ X).tolist()  # at w = 0 all are mistakes
        assert [s.mistake for s in steps[:6]] == [True] * 6
        assert steps[6].score == X[0] @ steps[5].weights


class TestEveryStep:
    """What a step says is what the reference does, and what the ledger says."""

    @pytest.mark.parametrize(
        ("layout", "n_classes", "ties"),
        in_turn(itertools.product(LAYOUTS, [2, 3]), ["mistake", "positive"]),
    )
    def test_as_in_the_reference(self, layout, n_classes, ties):
        X, y = whole_numbers(seed=1, n_classes=n_classes)
        options = {**PASSES, "ties": ties, "random_state": 3}
        steps = list(trace(LAYOUTS[layout](X), y, Perceptron(**options)))
        orders = np.array([step.index for step in steps]).reshape(3, -1)
        np.testing.assert_array_equal(np.sort(orders), [np.arange(len(X))] * 3)
        if n_classes == 2:
            expected = reference.perceptron(X, 2 * y - 1, orders, ties=ties)
        else:
            expected = reference.multiclass(X, y, orders, n_classes, ties=ties)
        for step, (i, w, b, mistake) in zip(steps, expected, strict=True):
            assert (step.index, step.label, step.mistake) == (i, y[i], mistake)
            np.testing.assert_array_equal(step.weights, w)
            np.testing.assert_array_equal(step.intercept, b)
            scores = step.weights_before @ X[i] + step.intercept_before
            np.testing.assert_array_equal(step.score, scores)
            assert (step.prediction == step.label) is not step.mistake

    @pytest.mark.parametrize(
        ("estimator", "n_classes", "layout", "dtype"),
        in_turn(itertools.product(ALL, [2, 5]), SOME_TYPES, each=2),
    )
    def test_mistakes_are_those_of_the_ledger(self, estimator, n_classes, layout, dtype):
        X, y = rounding(seed=2, n_classes=n_classes, dtype=dtype)
        X, names = LAYOUTS[layout](X), np.array(list("abcde"))[y]
        learner = estimator(record=True, **PASSES)
        ledger = learner.fit(X, names).ledger_
        wrong = [step for step in trace(X, names, learner) if step.mistake]
        assert [step.index for step in wrong] == ledger.index.tolist()
        assert [step.label for step in wrong] == ledger.label.tolist()
        assert [step.prediction for step in wrong] == ledger.prediction.tolist()
        if estimator is not BatchPerceptron:
            assert [step.step for step in wrong] == ledger.step.tolist()
        if n_classes == 2:
            scores = [step.score for step in wrong]
        else:
            place = {name: k for k, name in enumerate("abcde")}
            scores = [s.score[[place[s.label], place[s.prediction]]] for s in wrong]
        np.testing.assert_array_equal(np.array(scores, dtype), ledger.score)

    def test_shapes_and_types(self):
        X, y = whole_numbers(seed=3, n_classes=3)
        step = next(trace(X, y, "averaged"))
        assert step.weights.shape == step.weights_before.shape == step.mean_weights.shape == (3, 7)
        assert step.score.shape == step.intercept.shape == step.mean_intercept.shape == (3,)
        two = next(trace(X, y > 0, "averaged"))
        assert two.weights.shape == two.mean_weights.shape == (7,)
        assert {type(two.score), type(two.intercept), type(two.mean_intercept)} == {float}
        assert (type(two.mistake), type(two.index), type(two.label)) == (bool, int, bool)

    def test_steps_do_not_change_afterwards(self):
        X, y = whole_numbers(seed=4, n_classes=3)
        for name in ("perceptron", "averaged", "voted", "batch"):
            steps = trace(X, y, name)
            early = list(itertools.islice(steps, 130))
            copies = [step.weights.copy() for step in early]
            list(itertools.islice(steps, 200))
            for step, copy in zip(early, copies, strict=True):
                np.testing.assert_array_equal(step.weights, copy)
            with pytest.raises(ValueError, match="read-only"):
                early[0].weights[0] = 1


class TestEndsAsFit:
    """Bit for bit, on numbers that round."""

    @pytest.mark.parametrize(
        ("estimator", "n_classes", "layout", "dtype"),
        in_turn(itertools.product(ALL, [2, 3]), SOME_TYPES, each=2),
    )
    def test_every_layout(self, estimator, n_classes, layout, dtype):
        X, y = rounding(seed=5, n_classes=n_classes, dtype=dtype)
        assert_ends_as_fit(estimator(**PASSES), LAYOUTS[layout](X), y)

    @pytest.mark.parametrize(
        ("estimator", "n_classes", "shuffle", "ties", "fit_intercept"),
        every_quick(
            in_turn(
                itertools.product(ONLINE, [2, 3]),
                itertools.product([True, False], ["mistake", "positive"], [True, False]),
                each=4,
            ),
            3,
        ),
    )
    def test_online(self, estimator, n_classes, shuffle, ties, fit_intercept):
        X, y = rounding(seed=6, n_classes=n_classes)
        options = {"shuffle": shuffle, "ties": ties, "fit_intercept": fit_intercept}
        for more in ({"tol": None}, {"tol": 0.05, "n_iter_no_change": 2}):
            assert_ends_as_fit(estimator(max_iter=6, random_state=7, **options, **more), X, y)

    @pytest.mark.parametrize("selection", ["cyclic", "random_mistake"])
    @pytest.mark.parametrize("rate", ["constant", "inverse", lambda t: 1 / np.sqrt(t)])
    @pytest.mark.parametrize("eta0", first_quick([1.0, 0.3], 1))
    @pytest.mark.parametrize("noise", [0.0, 0.2])
    def test_perceptron(self, selection, rate, eta0, noise):
        X, y = rounding(seed=8, n=60, noise=noise)
        options = {"selection": selection, "learning_rate": rate, "eta0": eta0, "tol": None}
        assert_ends_as_fit(Perceptron(max_iter=40, **options), X, y)

    @pytest.mark.parametrize("normalize", [True, False])
    @pytest.mark.parametrize("rate", ["constant", "inverse", "line_search", lambda t: t**-0.5])
    @pytest.mark.parametrize("ties", first_quick(["mistake", "positive"], 1))
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_batch(self, normalize, rate, ties, n_classes):
        X, y = rounding(seed=9, n=60, n_classes=n_classes)
        options = {"normalize": normalize, "learning_rate": rate, "ties": ties}
        assert_ends_as_fit(BatchPerceptron(max_iter=8, tol=None, **options), X, y)
        assert_ends_as_fit(BatchPerceptron(tol=0.1, n_iter_no_change=4, **options), X, y)

    @pytest.mark.slow
    def test_rows_in_windows(self):
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((40_003, 20)), rng.integers(2, size=40_003)
        assert_ends_as_fit(Perceptron(max_iter=1, tol=None), X, y)  # shuffled at two levels

    def test_until_it_converges(self, deck_b):
        X, y = deck_b
        for estimator in ALL:
            learner = estimator(tol=None)
            assert last_of(trace(X, y, learner)).pass_number == learner.fit(X, y).n_iter_


class TestLearner:
    """Who learns, and what is wrong with the question."""

    def test_names(self, deck_b):
        X, y = deck_b
        for name, estimator in zip(("perceptron", "averaged", "voted"), ONLINE, strict=True):
            learner = estimator(shuffle=False)
            for step, other in zip(trace(X, y, name), trace(X, y, learner), strict=True):
                np.testing.assert_array_equal(step.weights, other.weights)
        default = [step.weights.tolist() for step in trace(X, y)]
        assert default == [step.weights.tolist() for step in trace(X, y, "perceptron")]
        batch = BatchPerceptron().fit(X, y)
        np.testing.assert_array_equal(last_of(trace(X, y, "batch")).weights, batch.coef_[0])

    @pytest.mark.parametrize("learner", ["pocket", Perceptron, 3, ["voted"]])
    def test_no_learner(self, learner, deck_b):
        with pytest.raises(ValueError, match="learner must be 'perceptron', 'averaged', 'voted'"):
            trace(*deck_b, learner)

    def test_a_kernel_perceptron_has_no_weights(self, deck_b):
        for model in (KernelPerceptron(), KernelPerceptron(kernel="linear").fit(*deck_b)):
            with pytest.raises(ValueError, match="has no weights, which are what is traced"):
                trace(*deck_b, model)

    def test_what_is_wrong_is_said_at_once(self, deck_b):
        X, y = deck_b
        with pytest.raises(ValueError, match="NaN at row 1, column 0"):
            trace([[1.0], [np.nan]], [0, 1])
        with pytest.raises(ValueError, match="one class only"):
            trace(X, np.ones(6))
        with pytest.raises(ValueError, match="max_iter must be"):
            trace(X, y, Perceptron(max_iter=0))
        for estimator in (Perceptron, BatchPerceptron):
            with pytest.raises(ValueError, match="learning_rate must be"):
                trace(X, y, estimator(learning_rate="fast"))
        with pytest.raises(ValueError, match="cannot be used to seed"):
            trace(X, y, Perceptron(random_state="now"))

    def test_a_fitted_learner_starts_anew_and_stays_as_it_is(self, deck_b):
        X, y = deck_b
        learner = Perceptron(warm_start=True, record=True).fit(X, y)
        before = dict(vars(learner))
        assert next(trace(X, y, learner)).weights_before.tolist() == [0, 0]
        assert vars(learner) == before
