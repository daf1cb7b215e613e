"""The figures of the specification's rows S9 to S17, S20 and S25."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import (
    AveragedPerceptron,
    BatchPerceptron,
    Perceptron,
    VotedPerceptron,
    reference,
)
from rosenblatt.data.rows import as_rows
from rosenblatt.learners import perceptron
from tests.conftest import separable, whole_numbers

ONE_PASS = {"max_iter": 1, "tol": None, "shuffle": False}
UNTIL_CLEAN = {"max_iter": 100_000, "tol": None}


class TestOnlinePerceptron:
    """S9 and S10."""

    def test_deck_b_step_by_step(self, deck_b):
        X, y = deck_b
        state = perceptron.init(2, fit_intercept=False)
        weights, wrong = [state.weights[0].tolist()], []
        for i in range(6):
            before = state.updates
            state = perceptron.update(state, as_rows(X[i : i + 1]), y[i : i + 1].astype(float))
            if state.updates > before:
                wrong.append(i + 1)
                weights.append(state.weights[0].tolist())
        assert weights == [[0, 0], [1, -2], [2, -1], [3, 1]]
        assert wrong == [1, 3, 5]

    def test_deck_b_through_the_estimator(self, deck_b):
        model = Perceptron(fit_intercept=False, **ONE_PASS).fit(*deck_b)
        assert model.coef_.tolist() == [[3, 1]]
        assert model.intercept_.tolist() == [0]
        assert (model.n_mistakes_, model.mistakes_.tolist()) == (3, [3])

    def test_deck_a_three_points(self):
        X, y = [[1, 1], [0.5, 3], [2, 2]], [1, 1, -1]
        model = Perceptron(shuffle=False).fit(X, y)
        assert model.converged_
        assert model.predict(X).tolist() == y

    def test_a_tie_is_a_mistake_or_a_positive(self):
        X, y = [[1.0], [-1.0]], [1, -1]
        options = {**ONE_PASS, "fit_intercept": False}
        # At w = 0 both score 0. The first rule errs on +1; the second only predicts +1.
        assert Perceptron(**options).fit(X, y).mistakes_.tolist() == [1]
        assert Perceptron(ties="positive", **options).fit(X, y).coef_.tolist() == [[1]]
        assert Perceptron(ties="positive", **options).fit(X[:1] * 2, [1, -1]).n_mistakes_ == 1

    def test_zero_scores_predict_the_positive_class(self):
        model = Perceptron(fit_intercept=False).fit([[1.0, 0], [-1, 0]], [1, -1])
        assert model.predict([[0.0, 7]]).tolist() == [1]


class TestConvergence:
    """S11 and S12."""

    @given(st.integers(0, 10_000), st.sampled_from(["cyclic", "random_mistake"]), st.booleans())
    def test_from_any_start_on_separable_data(self, seed, selection, shuffle):
        X, y = separable(seed)
        start = np.random.default_rng(seed).uniform(-20, 20, size=5)
        model = Perceptron(selection=selection, shuffle=shuffle, **UNTIL_CLEAN)
        model.fit(X, y, coef_init=start[:4], intercept_init=start[4])
        assert model.converged_
        assert model.mistakes_[-1] == 0
        assert model.n_iter_ == len(model.mistakes_)
        np.testing.assert_array_equal(model.predict(X), y)

    def test_an_update_in_the_last_pass_is_not_convergence(self, deck_b):
        X, y = deck_b
        assert not Perceptron(fit_intercept=False, **ONE_PASS).fit(X, y).converged_

    def test_given_order_is_the_given_order(self):
        X, y = whole_numbers(seed=8)
        order = np.random.default_rng(0).permutation(len(X))
        steps = reference.perceptron(X[order], 2 * y[order] - 1, [range(len(X))])
        *_, (_, w, b, _) = steps
        model = Perceptron(**ONE_PASS).fit(X[order], y[order])
        assert model.coef_[0].tolist() == w.tolist()
        assert model.intercept_[0] == b

    def test_each_pass_has_a_new_order_and_a_seed_repeats_them(self):
        X, y = whole_numbers(seed=9, noise=0.3)
        fits = [Perceptron(max_iter=5, tol=None, random_state=s).fit(X, y) for s in (1, 1, 2)]
        np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
        assert fits[0].mistakes_.tolist() != fits[2].mistakes_.tolist()


class TestStepSize:
    """S14."""

    @given(st.integers(0, 1000), st.integers(-6, 6))
    def test_a_constant_step_only_scales(self, seed, power):
        X, y = whole_numbers(seed)
        options = {"max_iter": 7, "tol": None}
        one = Perceptron(**options).fit(X, y)
        scaled = Perceptron(eta0=2.0**power, **options).fit(X, y)
        np.testing.assert_array_equal(scaled.coef_, one.coef_ * 2.0**power)
        np.testing.assert_array_equal(scaled.mistakes_, one.mistakes_)

    @pytest.mark.parametrize(
        ("rate", "eta"),
        [
            ("inverse", lambda t: 0.5 / t),
            (lambda t: 1 / np.sqrt(t), lambda t: 0.5 / np.sqrt(t)),
            (lambda t: 0.9**t, lambda t: 0.5 * 0.9**t),
        ],
    )
    def test_schedules_number_the_updates(self, rate, eta):
        X, y = whole_numbers(seed=10, noise=0.4, n=200)
        steps = list(reference.perceptron(X, 2 * y - 1, [range(len(X))] * 3, eta=eta))
        assert sum(m for *_, m in steps) > 64  # more than one table of a callable's steps
        options = {"max_iter": 3, "tol": None, "shuffle": False}
        model = Perceptron(learning_rate=rate, eta0=0.5, **options).fit(X, y)
        np.testing.assert_allclose(model.coef_[0], steps[-1][1], rtol=1e-12, atol=1e-12)
        assert model.n_mistakes_ == sum(m for *_, m in steps)

    @pytest.mark.parametrize("bad", [lambda t: -1.0, lambda t: float("nan"), lambda t: 0])
    def test_a_step_that_is_no_step(self, bad, deck_b):
        with pytest.raises(ValueError, match=r"learning_rate\(1\) gave a step of"):
            Perceptron(learning_rate=bad).fit(*deck_b)


class TestVotedAndAveraged:
    """S16 and S17."""

    def test_counts_start_at_one_as_published(self, deck_b):
        options = {"fit_intercept": False, **ONE_PASS}
        model = VotedPerceptron(**options).fit(*deck_b)
        assert model.counts_.tolist() == [0, 2, 2, 2]
        assert model.counts_.sum() == model.t_ == 6
        votes = model.decision_function([[0.0, 1], [1, 0]])
        np.testing.assert_allclose(votes, [(-2 - 2 + 2) / 6, 1])

    def test_switching_how_to_predict_after_fit(self):
        X, y = whole_numbers(seed=15, noise=0.3)
        model = VotedPerceptron(max_iter=3).fit(X, y)
        averaged = AveragedPerceptron(max_iter=3, tol=None).fit(X, y)
        last = Perceptron(max_iter=3, tol=None).fit(X, y)
        np.testing.assert_array_equal(model.coef_, averaged.coef_)
        scores = {}
        for how in ("vote", "average", "last", "random"):
            scores[how] = model.set_params(predict_with=how).decision_function(X)
        np.testing.assert_array_equal(scores["average"], averaged.decision_function(X))
        np.testing.assert_array_equal(scores["last"], last.decision_function(X))
        assert np.abs(scores["vote"]).max() <= 1
        assert len({tuple(s) for s in scores.values()}) == 4
        model.set_params(predict_with="guess")
        with pytest.raises(ValueError, match="predict_with must be 'vote'"):
            model.predict(X)

    def test_memory_is_the_mistaken_rows_and_a_log(self):
        X, y = whole_numbers(seed=16, n=400, noise=0.5)
        model = VotedPerceptron(max_iter=50).fit(X, y)
        state = model._state
        assert model.n_mistakes_ > 5 * len(X)  # many more hypotheses than rows
        assert len(state.kept.values) <= len(X)  # each row kept once
        logs = state.row, state.step, state.right, state.wrong
        assert sum(log.nbytes for log in logs) <= 32 * model.n_mistakes_

    def test_average_is_the_mean_after_every_step(self, deck_b):
        model = AveragedPerceptron(fit_intercept=False, **ONE_PASS).fit(*deck_b)
        np.testing.assert_allclose(model.coef_, [[2, -2 / 3]])  # of (1,−2), (2,−1), (3,1), 2 each


class TestClasses:
    """S20."""

    def test_right_class_up_and_predicted_class_down(self):
        X, y = np.array([[1.0, 2], [3, 4], [5, 6]]), np.array([2, 0, 1])
        model = Perceptron(**ONE_PASS)
        model.fit(X, y)
        steps = list(reference.multiclass(X, y, [range(3)], 3))
        np.testing.assert_array_equal(steps[0][1], [[-1, -2], [0, 0], [1, 2]])
        np.testing.assert_array_equal(model.coef_, steps[-1][1])
        np.testing.assert_array_equal(model.intercept_, steps[-1][2])

    def test_weights_of_all_classes_add_up_to_zero(self):
        X, y = whole_numbers(seed=17, n_classes=4)
        model = Perceptron(max_iter=5, tol=None).fit(X, y)
        np.testing.assert_array_equal(model.coef_.sum(axis=0), np.zeros(X.shape[1]))

    def test_regions_are_convex(self):
        X, y = whole_numbers(seed=18, n_classes=4)
        model = Perceptron().fit(X, y)
        rng = np.random.default_rng(0)
        one, other = rng.normal(size=(2, 5000, X.shape[1])) * 3
        same = model.predict(one) == model.predict(other)
        share = rng.random((5000, 1))
        between = model.predict(share * one + (1 - share) * other)
        assert same.sum() > 500
        np.testing.assert_array_equal(between[same], model.predict(one)[same])

    @pytest.mark.parametrize("n_classes", [3, 6])
    def test_separable_classes_converge(self, n_classes):
        X, y = whole_numbers(seed=19, n_classes=n_classes, noise=0)
        X = np.hstack([X, 4 * np.eye(n_classes)[y]])
        model = Perceptron(**UNTIL_CLEAN).fit(X, y)
        assert model.converged_
        np.testing.assert_array_equal(model.predict(X), y)


@given(st.integers(0, 10_000))
def test_perceptron_is_gradient_descent_on_its_criterion(seed):
    """S25: the same weights, step for step."""
    X, y = whole_numbers(seed, n=40)
    y = 2 * y - 1
    order = np.random.default_rng(seed).integers(40, size=120)
    state = perceptron.init(X.shape[1], fit_intercept=False)
    for i, w in zip(order, reference.perceptron_criterion_sgd(X, y, order), strict=True):
        state = perceptron.update(state, as_rows(X), y.astype(float), np.array([i]))
        np.testing.assert_array_equal(state.weights[0], w)


def test_passes_asked_for_are_passes_made():
    """S15: a fixed number of passes ends on inseparable data, without a warning."""
    X, y = whole_numbers(seed=20, noise=0.5)
    for estimator in (Perceptron, AveragedPerceptron, VotedPerceptron, BatchPerceptron):
        model = estimator(max_iter=17, tol=None).fit(X, y)
        assert model.n_iter_ == 17
        assert not model.converged_
