"""What the estimators add to the learners: new classes, warm starts, stopping, atomicity."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from rosenblatt import AveragedPerceptron, BatchPerceptron, Perceptron, VotedPerceptron
from rosenblatt.data.rows import as_rows
from rosenblatt.learners.order import Orders
from tests.conftest import LAYOUTS, whole_numbers

ALL = [Perceptron, AveragedPerceptron, VotedPerceptron, BatchPerceptron]
ONLINE = ALL[:3]


@pytest.mark.parametrize("estimator", ONLINE)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
def test_partial_fit_in_pieces_is_one_pass(estimator, n_classes, layout):
    X, y = whole_numbers(seed=1, n_classes=n_classes)
    view = LAYOUTS[layout](X)
    whole = estimator(shuffle=False, max_iter=1, tol=None).fit(view, y)
    pieces = estimator()
    for start in range(0, len(X), 11):
        pieces.partial_fit(
            view[start : start + 11], y[start : start + 11], classes=range(n_classes)
        )
    assert pieces.n_mistakes_ == whole.n_mistakes_
    assert pieces.t_ == whole.t_
    np.testing.assert_array_equal(pieces.coef_, whole.coef_)
    np.testing.assert_array_equal(pieces.decision_function(view), whole.decision_function(view))


@pytest.mark.parametrize("estimator", ONLINE)
def test_classes_may_come_one_by_one(estimator):
    X, y = whole_numbers(seed=2, n_classes=5, noise=0)
    names = np.array(["m", "c", "x", "a", "q"])[y]
    model = estimator()
    for name in ("x", "c", "q", "a", "m"):
        model.partial_fit(X[names == name], names[names == name])
    assert model.classes_.tolist() == ["a", "c", "m", "q", "x"]
    for _ in range(30):
        model.partial_fit(X, names)
    assert model.score(X, names) > 0.9
    assert len(model.coef_) == 5


def test_a_third_class_keeps_what_was_learned_of_two():
    X, y = whole_numbers(seed=3)
    model = Perceptron().partial_fit(X, y)
    w, steps = model.coef_[0], model.t_
    model.partial_fit(np.zeros((1, X.shape[1])), [7])
    assert model.classes_.tolist() == [0, 1, 7]
    # The rule for K classes makes −w and w of the same mistakes; a row of zeros adds nothing.
    np.testing.assert_array_equal(model.coef_, [-w, w, 0 * w])
    assert model.t_ == steps + 1
    assert model.decision_function(X).shape == (len(X), 3)


def test_one_class_is_enough_to_begin_a_stream():
    model = Perceptron().partial_fit([[1.0], [2.0]], ["ham", "ham"])
    assert model.predict([[5.0]]).tolist() == ["ham"]
    model.partial_fit([[-1.0]], ["spam"]).partial_fit([[1.0]], ["ham"])
    assert model.classes_.tolist() == ["ham", "spam"]
    assert model.predict([[-1.0], [1.0]]).tolist() == ["spam", "ham"]


@pytest.mark.parametrize("how", ["vote", "random", "average", "last"])
def test_a_long_run_of_one_class_outvotes_nobody(how):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) + 5 * np.tile([[1, 0], [0, 1]], (20, 1))
    model = VotedPerceptron(predict_with=how)
    model.partial_fit(rng.normal(size=(1000, 2)) + np.array([5, 0]), ["ham"] * 1000)
    model.partial_fit(X, ["ham", "spam"] * 20)
    assert model.predict([[5.0, 0], [0, 5]]).tolist() == ["ham", "spam"]
    assert model.counts_[0] == 0


def test_labels_outside_of_the_listed_classes():
    with pytest.raises(ValueError, match="label 3, which is not in classes"):
        Perceptron().partial_fit([[1.0], [2.0]], [0, 3], classes=[0, 1])


@pytest.mark.parametrize("estimator", ALL)
def test_warm_start_goes_on(estimator):
    X, y = whole_numbers(seed=4, noise=0.3)
    options = {"max_iter": 1, "tol": None}
    if estimator is not BatchPerceptron:
        options["shuffle"] = False
    model = estimator(warm_start=True, **options)
    for _ in range(4):
        model.fit(X, y)
    whole = estimator(**{**options, "max_iter": 4}).fit(X, y)
    np.testing.assert_array_equal(model.coef_, whole.coef_)
    assert model.n_mistakes_ == whole.n_mistakes_
    assert model.t_ == whole.t_ == 4 * len(X)


def test_a_state_moves_between_dense_and_sparse_and_between_types():
    X, y = whole_numbers(seed=5, n_classes=3)
    plain = Perceptron().partial_fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    mixed = Perceptron().partial_fit(sp.csr_matrix(X[:60], dtype=np.float32), y[:60])
    mixed.partial_fit(X[60:], y[60:])
    np.testing.assert_array_equal(mixed.coef_, plain.coef_)
    votes = VotedPerceptron().partial_fit(X[:60], y[:60])
    votes.partial_fit(sp.csr_array(X[60:]), y[60:])
    whole = VotedPerceptron().partial_fit(X, y)
    np.testing.assert_array_equal(votes.decision_function(X), whole.decision_function(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("estimator", ALL)
def test_the_data_type_is_kept(estimator, dtype):
    X, y = whole_numbers(seed=6, n_classes=3)
    model = estimator(max_iter=3, tol=None).fit(X.astype(dtype), y)
    assert model.coef_.dtype == model.intercept_.dtype == dtype


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_and_their_names(frame):
    X, y = whole_numbers(seed=7, d=3)
    table = frame({name: X[:, j] for j, name in enumerate(("height", "width", "depth"))})
    model = Perceptron().fit(table, pd.Series(y).map({0: "no", 1: "yes"}))
    assert model.feature_names_in_.tolist() == ["height", "width", "depth"]
    assert set(model.predict(table)) <= {"no", "yes"}


def test_running_out_of_passes_warns_and_giving_up_does_not():
    X, y = whole_numbers(seed=8, noise=0.5, n=300)
    with pytest.warns(ConvergenceWarning, match="stopped after 3 passes, none of them clean"):
        Perceptron(max_iter=3).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="BatchPerceptron stopped after 3"):
        BatchPerceptron(max_iter=3).fit(X, y)
    model = Perceptron().fit(X, y)  # stops by itself, and a warning would be an error here
    assert not model.converged_
    assert model.n_iter_ < 1000


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_defaults_make_a_reasonable_model(estimator, load):
    X, X_test, y, y_test = train_test_split(*load(return_X_y=True), random_state=0)
    scaler = StandardScaler().fit(X)
    model = estimator().fit(scaler.transform(X), y)
    assert model.score(scaler.transform(X_test), y_test) > 0.91


def test_patience_is_counted_in_rows_by_default():
    X, y = whole_numbers(seed=9, noise=0.5, n=20)
    impatient = Perceptron(n_iter_no_change=5).fit(X, y)
    patient = Perceptron().fit(X, y)
    assert 5 < impatient.n_iter_ < 100
    assert 50 < patient.n_iter_ < 1000  # 1,000 rows are 50 passes


def test_patience_ends_after_so_many_passes_without_progress():
    model = Perceptron(n_iter_no_change=3, shuffle=False).fit([[1.0], [1.0]], [0, 1])
    assert model.mistakes_.tolist() == [2, 2, 2, 2]  # three that are no better than the first
    assert not model.converged_


def test_warm_starts_go_on_to_new_orders():
    X, y = whole_numbers(seed=13, noise=0.4)
    model = Perceptron(max_iter=1, tol=None, warm_start=True)
    first, second = model.fit(X, y).coef_, model.fit(X, y).coef_
    again = Perceptron(max_iter=1, tol=None).fit(X, y, first, model.intercept_ * 0)
    assert not np.array_equal(second - first, again.coef_ - first)  # not the first order again
    repeat = Perceptron(max_iter=1, tol=None, warm_start=True).fit(X, y).fit(X, y)
    np.testing.assert_array_equal(repeat.coef_, second)  # but the same on every run


def test_float32_rows_do_not_round_a_float64_model():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), rng.integers(2, size=50)
    model = Perceptron().partial_fit(X, y)
    w = model.coef_.copy()
    model.partial_fit(np.zeros((1, 4), np.float32), [1])
    assert model.coef_.dtype == np.float64
    np.testing.assert_array_equal(model.coef_, w)


def test_starting_weights():
    X, y = whole_numbers(seed=10)
    start = np.arange(7.0)
    options = {"shuffle": False, "max_iter": 2, "tol": None}
    model = Perceptron(**options).fit(X, y, coef_init=start, intercept_init=2.0)
    first = Perceptron(**{**options, "max_iter": 1}).fit(X, y, start[None], [2.0])
    again = Perceptron(**{**options, "max_iter": 1}).fit(X, y, first.coef_, first.intercept_)
    np.testing.assert_array_equal(model.coef_, again.coef_)
    with pytest.raises(ValueError, match=r"coef_init has shape \(3,\), expected \(1, 7\)"):
        Perceptron().fit(X, y, coef_init=np.zeros(3))


def test_starting_weights_win_over_a_warm_start():
    X, y = whole_numbers(seed=10)
    options = {"shuffle": False, "max_iter": 1, "tol": None}
    model = Perceptron(warm_start=True, **options).fit(X, y)
    model.fit(X, y, coef_init=np.ones(7))
    fresh = Perceptron(**options).fit(X, y, coef_init=np.ones(7))
    np.testing.assert_array_equal(model.coef_, fresh.coef_)
    with pytest.raises(ValueError, match="intercept_init has shape"):
        model.fit(X, y, intercept_init=[1.0, 2.0])


def test_partial_fit_keeps_to_the_step_sizes():
    X, y = whole_numbers(seed=10)
    for rate in ("constant", "inverse", lambda t: 1 / np.sqrt(t)):
        options = {"learning_rate": rate, "eta0": 0.5}
        whole = Perceptron(shuffle=False, max_iter=1, tol=None, **options).fit(X, y)
        pieces = Perceptron(**options)
        for start in range(0, len(X), 13):
            pieces.partial_fit(X[start : start + 13], y[start : start + 13], classes=[0, 1])
        np.testing.assert_array_equal(pieces.coef_, whole.coef_)
    with pytest.raises(ValueError, match="learning_rate must be"):
        Perceptron(learning_rate="bogus").partial_fit(X, y)


@pytest.mark.parametrize("estimator", ALL)
def test_a_warm_start_may_meet_new_classes(estimator):
    X, y = whole_numbers(seed=11, n_classes=3, noise=0)
    X = np.hstack([X, 4 * np.eye(3)[y]])  # separable, so it must converge again
    # The batch perceptron takes one step a pass, so it needs many.
    model = estimator(warm_start=True, max_iter=5000, tol=None)
    model.fit(X[y < 2], y[y < 2])
    model.fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.converged_


@pytest.mark.parametrize("estimator", ONLINE)
def test_the_intercept_cannot_be_dropped_halfway(estimator):
    X, y = whole_numbers(seed=12)
    model = estimator().partial_fit(X, y).set_params(fit_intercept=False)
    with pytest.raises(ValueError, match="learned with fit_intercept=True"):
        model.partial_fit(X, y)


def test_random_mistake_draws_every_mistaken_row_alike():
    X, y = np.array([[1.0], [2], [4], [8], [-1]]), np.array([1, 1, 1, 1, -1])
    options = {"selection": "random_mistake", "fit_intercept": False, "max_iter": 1, "tol": None}
    moves = []
    for seed in range(300):
        # So far on the wrong side that all rows stay mistaken: five draws of y x, with mean 3.2.
        model = Perceptron(random_state=seed, **options).fit(X, y, coef_init=[[-1e6]])
        assert model.n_mistakes_ == 5
        moves.append(model.coef_[0, 0] + 1e6)
    assert abs(np.mean(moves) / 5 - 3.2) < 0.25


@pytest.mark.parametrize("n_classes", [2, 3])
def test_large_data_shuffle_in_blocks_and_visit_every_row(n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40_003, 20)), rng.integers(n_classes, size=40_003)
    orders = Orders(as_rows(X), y, np.random.default_rng(0))
    assert orders.block > 0
    seen = [orders.next().order.copy() for _ in range(3)]
    for order in seen:
        np.testing.assert_array_equal(np.sort(order), np.arange(len(X)))
    assert len({tuple(order[:50]) for order in seen}) == 3
    ahead = orders.next().ahead
    assert len(ahead) == len(X)
    assert ahead.min() >= 0
    assert ahead.max() < len(X)


@pytest.mark.parametrize(
    "y",
    [
        np.repeat([0, 1], 20_000),
        np.repeat(np.arange(4), 10_000),
        np.concatenate([np.tile([0, 1], 10_000), np.tile([2, 3], 10_000)]),
    ],
)
def test_data_in_parts_by_label_are_not_shuffled_in_blocks(y):
    assert Orders(as_rows(np.zeros((40_000, 20))), y, np.random.default_rng(0)).block == 0


def test_data_sorted_by_label_are_shuffled_row_by_row():
    X, y = np.zeros((40_000, 20)), np.repeat([0, 1], 20_000)
    orders = Orders(as_rows(X), y, np.random.default_rng(0))
    assert orders.block == 0
    order, ahead, _ = orders.next()
    np.testing.assert_array_equal(np.sort(order), np.arange(len(X)))
    runs = np.count_nonzero(np.diff(y[order]))
    assert abs(runs - 20_000) < 600
    np.testing.assert_array_equal(ahead[:100], order[8:108])
