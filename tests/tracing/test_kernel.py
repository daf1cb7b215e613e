"""Watching a kernel perceptron (S18, S38): every step, and scores that follow it."""

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, Perceptron, VotedPerceptron, trace
from rosenblatt.data.rows import as_rows
from rosenblatt.learners.kernel_perceptron.kernel_values import Kernel
from rosenblatt.learners.kernel_perceptron.scores import HOW, Standing
from rosenblatt.tracing.kernel import trace_kernel
from tests.conftest import rounding, whole_numbers

KERNELS = ["rbf", "poly", "laplacian", "linear"]


def steps_and_outcome(run):
    made = []
    while True:
        try:
            made.append(next(run))
        except StopIteration as end:
            return made, end.value


@pytest.mark.parametrize("n", [50, 1500])  # one block of rows, and two
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize(("n_classes", "multi"), [(2, "ovr"), (3, "ovr"), (3, "joint")])
def test_it_ends_where_fit_ends(n, shuffle, n_classes, multi):
    X, y = rounding(2, n=n, d=2, n_classes=n_classes)
    model = KernelPerceptron(shuffle=shuffle, multi_class=multi, max_iter=3)
    made, outcome = steps_and_outcome(trace_kernel(X, y, model).steps)
    coef = np.zeros((n, 1 if n_classes == 2 else n_classes))
    for step in made:
        coef[step.index, step.function] += step.change
    model.fit(X, y)
    assert np.array_equal(coef[model.support_].T, model.dual_coef_)
    assert [step.step for step in made] == list(range(1, model.t_ + 1))
    assert made[-1].pass_number == model.n_iter_
    assert outcome.mistakes == model.mistakes_.tolist()
    for number in range(1, model.n_iter_ + 1):
        rows = [step.index for step in made if step.pass_number == number]
        assert sorted(rows) == list(range(n))


def test_linear_is_the_perceptron_s_trace():
    X, y = whole_numbers(4, d=3)
    options = {"shuffle": False, "max_iter": 5, "tol": None}
    kernel = trace_kernel(X, y, KernelPerceptron(kernel="linear", **options)).steps
    for step, other in zip(kernel, trace(X, y, Perceptron(**options)), strict=True):
        assert step.index == other.index
        assert (len(step.change) > 0) == other.mistake


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(("n_classes", "multi"), [(2, "ovr"), (3, "ovr"), (4, "joint")])
def test_standing_scores_are_those_of_the_stages(kernel, how, n_classes, multi):
    X, y = rounding(6, n=60, d=2, n_classes=n_classes)
    places = np.random.default_rng(1).normal(size=(200, 2))
    model = KernelPerceptron(
        kernel=kernel, gamma=0.8, predict_with=how, multi_class=multi, max_iter=3
    )
    watched = trace_kernel(X, y, model)
    standing = Standing(watched.kernel, as_rows(X), as_rows(places), n_classes, watched.joint, how)
    model.fit(X, y)
    stages = iter(model.staged_decision_function(places, range(1, model.t_ + 1)))
    for step in watched.steps:
        if len(step.change):
            standing.learn(step.index, step.step, step.function, step.change)
        scores = standing.scores(step.step)
        expected = np.atleast_2d(next(stages).T)
        if how == "vote":
            assert np.array_equal(scores, expected)
        else:
            np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_planes_can_vote_too(n_classes):
    X, y = rounding(8, n=60, d=2, n_classes=n_classes)
    places = np.random.default_rng(1).normal(size=(100, 2))
    kernel = Kernel("linear", bias=1.0)
    standing = Standing(kernel, as_rows(X), as_rows(places), n_classes, True, "vote")
    model = VotedPerceptron(max_iter=2)
    for step in trace(X, y, model):
        if step.mistake and n_classes == 2:
            change = np.array([1 if step.label else -1])
            standing.learn(step.index, step.step, np.array([0]), change)
        elif step.mistake:
            function = np.array([step.label, step.prediction])
            standing.learn(step.index, step.step, function, np.array([1, -1]))
    expected = model.fit(X, y).decision_function(places)
    assert np.array_equal(standing.scores(model.t_), np.atleast_2d(expected.T))


def test_values_too_large_are_said_to_be():
    X = np.array([[1e200, 0.0], [0.0, 1.0]])
    standing = Standing(Kernel("poly", degree=2), as_rows(X), as_rows(X), 2, False, "last")
    with pytest.raises(ValueError, match="values of the poly kernel of degree 2 are too large"):
        standing.learn(0, 1, np.array([0]), np.array([1]))


def test_what_is_wrong_is_said_at_once(deck_b):
    X, y = deck_b
    for model in (Perceptron(), KernelPerceptron(max_support=3), "kernel"):
        with pytest.raises(ValueError, match="a KernelPerceptron that forgets no row"):
            trace_kernel(X, y, model)
    with pytest.raises(ValueError, match="one class only"):
        trace_kernel(X, np.ones(6), KernelPerceptron())
    with pytest.raises(ValueError, match="max_iter must be"):
        trace_kernel(X, y, KernelPerceptron(max_iter=0))


def test_the_learner_stays_as_it_is(deck_b):
    model = KernelPerceptron()
    before = dict(vars(model))
    next(trace_kernel(*deck_b, model).steps)
    assert vars(model) == before
