"""Bad input gets one clear line, and changes nothing."""

from enum import Enum

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from rosenblatt import (
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    GradientDescent,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
)
from tests.conftest import first_quick, whole_numbers

ONLINE = [Perceptron, AveragedPerceptron, VotedPerceptron, PassiveAggressive, AROW]
DESCENTS = [LogisticRegression, LinearSVM, GradientDescent]
PERCEPTRONS = [*ONLINE, BatchPerceptron]
ALL = [*PERCEPTRONS, *DESCENTS]
X, Y = whole_numbers(seed=1, n=30, d=4)


class Colour(Enum):
    RED = 1
    BLUE = 2


def broken_csr(**parts):
    matrix = sp.csr_matrix(X)
    for name, change in parts.items():
        setattr(matrix, name, change(getattr(matrix, name).copy()))
    return matrix


def put(place, value):
    def change(array):
        array[place] = value
        return array

    return change


def with_value(value):
    data = X.copy()
    data[7, 2] = value
    return data


BAD = {
    "index too large": (broken_csr(indices=put(3, 99)), Y, "X.indices has 99 at position 3"),
    "index negative": (broken_csr(indices=put(3, -1)), Y, "X.indices has -1 at position 3"),
    "indptr decreases": (broken_csr(indptr=put(5, 0)), Y, "X.indptr decreases"),
    "indptr overruns": (broken_csr(indptr=put(-1, 10**6)), Y, "X.indptr ends at 1000000"),
    "no rows": (X[:0], Y[:0], "0 sample"),
    "no features": (X[:, :0], Y, "0 feature"),
    "no features, sparse": (sp.csr_matrix((30, 0)), Y, "0 feature"),
    "NaN": (with_value(np.nan), Y, "NaN at row 7, column 2"),
    "NaN, sparse": (sp.csr_matrix(with_value(np.nan)), Y, "NaN at row 7, column 2"),
    "infinity": (with_value(np.inf), Y, "infinity .* at row 7, column 2"),
    "mixed labels": (X, [*Y[:-1].tolist(), "one"], "mixed types"),
    "one class": (X, np.zeros(30, int), r"one class only \(0\)"),
    "too few labels": (X, Y[:-1], "X has 30 rows but y has 29 labels"),
    "text": (X.astype(str).astype(object) + "x", Y, "could not convert string"),
    "three dimensions": (X[None], Y, "dim 3"),
}


def bits(model):
    """Everything an estimator knows, as bytes."""

    def flat(value):
        if isinstance(value, np.ndarray):
            return (value.dtype.str, value.shape, value.tobytes())
        return tuple(map(flat, value)) if isinstance(value, tuple) else value

    return {name: flat(value) for name, value in vars(model).items()}


# The batch perceptron has no partial_fit, and a stream may begin with one class.
USES = [(estimator, "fit", case) for estimator in [*ALL, KernelPerceptron] for case in BAD] + [
    (estimator, "partial_fit", case)
    for estimator in [*ONLINE, *DESCENTS, KernelPerceptron]
    for case in BAD
    if case != "one class"
]


@pytest.mark.parametrize(("estimator", "method", "case"), USES)
def test_bad_input_is_named_and_changes_nothing(estimator, method, case):
    bad, labels, message = BAD[case]
    for model in (estimator(), estimator(max_iter=3, tol=None).fit(X, Y)):
        before = bits(model)
        with pytest.raises(ValueError, match=message) as error:
            getattr(model, method)(bad, labels)
        assert "\n" not in str(error.value).strip()
        assert bits(model) == before


@pytest.mark.parametrize("estimator", [*ALL, KernelPerceptron])
def test_other_columns_at_predict(estimator):
    model = estimator(max_iter=3, tol=None).fit(X, Y)
    before = bits(model)
    with pytest.raises(ValueError, match=r"3 features.*expecting 4"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="NaN at row 7"):
        model.predict(with_value(np.nan))
    with pytest.raises(ValueError, match=r"X.indices has 99"):
        model.predict(BAD["index too large"][0])
    assert bits(model) == before


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_column_that_holds_no_numbers_is_named(kind):
    table = kind({"height": [1.0, 2.0], "city": ["Rome", "Oslo"]})
    with pytest.raises(ValueError, match="column 'city' of X has 'Rome' at row 0") as error:
        Perceptron().fit(table, [0, 1])
    assert "\n" not in str(error.value)


def test_infinity_and_one_dimension_in_one_line():
    with pytest.raises(ValueError, match="Reshape your data") as error:
        Perceptron().fit(X[0], Y[:1])
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match="Complex data not supported") as error:
        Perceptron().fit(X * 1j, Y)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (("a", 1) * 15, "mixed types"),
        (("a", float("nan"), "b") * 10, "NaN or None at row 1"),
        ([pd.NA, "a"] * 15, "NaN or None at row 0"),
        (np.array(["NaT", "2020-01-01"] * 15, "datetime64[D]"), "NaT at row 0"),
        ([Colour.RED, Colour.BLUE] * 15, "type Colour, which have no order"),
    ],
)
def test_labels_that_are_no_classes(labels, message):
    with pytest.raises(ValueError, match=message):
        Perceptron().fit(X, labels)


def test_labels_that_do_not_go_with_those_known():
    model = Perceptron().partial_fit(X[:3], ["a", "b", "a"])
    with pytest.raises(ValueError, match=r"labels such as 5, but .* \['a', 'b'\]: mixed types"):
        model.partial_fit(X[:3], [5, 5, 5])
    model = Perceptron().partial_fit(X[:2], np.array([2**60, 2**60 + 1]))
    with pytest.raises(ValueError, match="int64 and uint64 cannot be distinguished as float64"):
        model.partial_fit(X[:1], np.array([2**63 + 5], np.uint64))
    with pytest.raises(ValueError, match="classes must list the labels"):
        Perceptron().partial_fit(X, Y, classes=[])


def test_starting_weights_of_another_shape():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=30)
    with pytest.raises(ValueError, match=r"coef_init has shape \(4, 3\), expected \(3, 4\)"):
        Perceptron().fit(X, labels, coef_init=np.ones((4, 3)))
    with pytest.raises(ValueError, match="intercept_init must be 0 with fit_intercept=False"):
        Perceptron(fit_intercept=False).fit(X, Y, intercept_init=5)


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("max_iter", 0, "max_iter must be a whole number, 1 or more, got 0"),
        ("max_iter", 2.5, "max_iter must be a whole number"),
        ("tol", -1, "tol must be None, or a number that is not negative"),
        ("tol", float("nan"), "tol must be"),
        ("n_iter_no_change", "often", "n_iter_no_change must be 'auto', or a whole number"),
        ("shuffle", "yes", "shuffle must be True or False"),
        ("selection", "best", "selection must be 'cyclic' or 'random_mistake'"),
        ("learning_rate", "fast", "learning_rate must be 'constant', 'inverse' or a function"),
        ("eta0", True, "eta0 must be a positive number"),
        ("eta0", 0, "eta0 must be a positive number"),
        ("eta0", float("inf"), "eta0 must be a positive number"),
        ("ties", None, "ties must be 'mistake' or 'positive'"),
        ("fit_intercept", 1, "fit_intercept must be True or False"),
        ("verbose", -1, "verbose must be 0"),
        ("record", "yes", "record must be True or False"),
    ],
)
def test_parameters_that_make_no_sense(parameter, value, message):
    with pytest.raises(ValueError, match=message):
        Perceptron(**{parameter: value}).fit(X, Y)


def test_line_search_is_for_the_batch_perceptron():
    with pytest.raises(ValueError, match="'constant', 'inverse', 'line_search' or a function"):
        BatchPerceptron(learning_rate="fast").fit(X, Y)


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("dtype", first_quick([np.float64, np.float32]))
@pytest.mark.parametrize("power", [0.2, 0.45, 0.55, 0.9, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_huge_values_end_in_finite_weights_or_an_error(estimator, dtype, power, n_classes):
    rng = np.random.default_rng(0)
    huge = np.finfo(dtype).max ** power
    data = (rng.uniform(-1, 1, (40, 3)) * huge).astype(dtype)
    labels = rng.integers(n_classes, size=40)
    model = estimator(max_iter=50, tol=None)
    message = ""
    try:
        model.fit(data, labels)
        assert np.all(np.isfinite(model.coef_))
        assert np.all(np.isfinite(model.intercept_))
        assert set(model.predict(data)) <= set(range(n_classes))
    except ValueError as error:
        message = str(error)
    assert not message or ("too large for float" in message and power > 0.4)


@pytest.mark.parametrize("estimator", PERCEPTRONS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tiny_values_are_learned_from(estimator, dtype):
    tiny = np.finfo(dtype).tiny
    data, labels = np.array([[tiny], [-tiny]], dtype), [1, 0]
    model = estimator(fit_intercept=False, max_iter=5, tol=None).fit(data, labels)
    assert np.all(np.isfinite(model.coef_))
    # The product of two such numbers is zero, which is a tie, so it can never be told apart.
    assert not model.converged_
