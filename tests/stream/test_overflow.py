"""Numbers that grow past what their type holds: a clear error, and nothing has changed."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Perceptron, load, save
from rosenblatt.data.rows import Sparse, as_rows, frozen
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.learners.blocks import block
from rosenblatt.learners.online import NumberTooLargeError
from rosenblatt.readers.names import Numbered
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.rules import Options
from tests.conftest import first_quick, in_turn

LARGEST = {"float32": 3e38, "float64": 1.7e308}
UNSCALED = {"scale": None, "learning_rate": "inverse_sqrt"}


def bits(model):
    """Everything that a file would keep, as bytes."""
    header, arrays = model.to_parts()
    return repr(header), {name: array.tobytes() for name, array in arrays.items()}


def numbered(learner, n_features=4, classes=None, **options):
    return OnlineClassifier.with_names(Options(learner, **options), Numbered(n_features), classes)


def sparse_row(dtype, *entries):
    columns, values = zip(*entries, strict=True)
    indptr = np.array([0, len(columns)], np.int32)
    return frozen(Sparse(indptr, np.array(columns, np.int32), np.array(values, dtype)))


@pytest.mark.parametrize(
    ("learner", "classes", "dtype"),
    in_turn(product(trainable(ONLINE), [2, 3]), ["float32", "float64"]),
)
def test_an_example_that_is_refused_changes_nothing(learner, classes, dtype):
    big = LARGEST[dtype]
    names = ["a", "b", "c"][:classes]
    eta0 = 1.0 if dtype == "float32" else "auto"
    model = OnlineClassifier(learner, classes=names, dtype=dtype, eta0=eta0, **UNSCALED)
    rng = np.random.default_rng(0)
    refused, unchanged = 0, True
    for _ in range(80):
        x = {f"f{j}": float(v) for j, v in enumerate(rng.choice([-big, 0, 1, big], 3))}
        if rng.random() < 0.3:
            x[f"new{rng.integers(100)}"] = 1.0
        before = bits(model)
        message = f"this example makes a score or a weight too large for {dtype}"
        try:
            model.learn_one(x, names[rng.integers(classes)])
        except NumberTooLargeError as error:
            refused += str(error).startswith(message)
            unchanged &= bits(model) == before
        again = OnlineClassifier.from_parts(*model.to_parts())
        assert bits(again) == bits(model)
    assert refused > 5
    assert unchanged


def test_a_score_that_is_no_number_is_noticed():
    """The compiler took (a + b) − (a + b) for zero, and infinity for a finite number."""
    model = OnlineClassifier("perceptron", scale=None)
    model.learn_one({"u": 3e38, "v": 3e38}, 1)
    model.learn_one({"u": -3e38, "v": 3e38}, -1)
    with pytest.raises(NumberTooLargeError):
        model.learn_one({"u": 3e38, "v": 3e38}, 1)
    X = np.array([[3e38], [3e38]], np.float32)
    with pytest.raises(ValueError, match="the score of row 1 is too large for float32"):
        Perceptron(shuffle=False).fit(X, [1, -1])


@pytest.mark.parametrize("learner", ["perceptron", "averaged", "voted"])
@pytest.mark.parametrize("classes", first_quick([2, 3], 1))
def test_a_feature_that_comes_twice(learner, classes):
    """Either number alone would fit; together they do not."""
    model = numbered(learner, classes=range(classes))
    row = sparse_row(np.float32, (0, 2e38), (1, 1.0), (0, 2e38))
    before = bits(model)
    with pytest.raises(NumberTooLargeError):
        model.learn_rows(row, np.array([0]))
    assert bits(model) == before
    model.learn_rows(sparse_row(np.float32, (0, 1e38), (1, 1.0), (0, 1e38)), np.array([0]))
    assert abs(model.coef_).max() == np.float32(2e38)


@pytest.mark.parametrize("eta0", [2.0, 1e38])
@pytest.mark.parametrize("learner", ["logistic", "svm"])
def test_steps_that_are_too_long(learner, eta0):
    model = numbered(learner, classes=[0, 1], eta0=eta0)
    row = sparse_row(np.float32, (0, 3e38), (1, -3e38), (1, -3e38))
    before = bits(model)
    with pytest.raises(NumberTooLargeError):
        model.learn_rows(row, np.array([0]))
    assert bits(model) == before


@pytest.mark.parametrize("learner", ["logistic", "svm"])
def test_rows_too_long_for_automatic_steps(learner):
    """The square of a length overflows long before a weight does: no step would be right."""
    model = OnlineClassifier(learner, classes=[0, 1], dtype="float64", **UNSCALED)
    model.learn_one({"a": 1.0}, 1)
    before = bits(model)
    with pytest.raises(NumberTooLargeError):
        model.learn_one({"a": 1e200}, 0)
    assert bits(model) == before


def test_a_weight_of_an_example_that_is_too_large():
    model = numbered("averaged", classes=[0, 1])
    row, before = sparse_row(np.float32, (0, 1e10)), bits(model)
    with pytest.raises(NumberTooLargeError):
        model.learn_rows(row, np.array([1]), np.array([1e35]))
    assert bits(model) == before


@pytest.mark.parametrize("learner", trainable(ONLINE))
@pytest.mark.parametrize("known", first_quick([0, 1, 2, 3, 40, 64], 3))
def test_a_class_that_came_with_it_goes_with_it(learner, known):
    model = numbered(learner, 80, eta0=1e38)
    for k in range(0, 2 * known, 2):
        model.learn_rows(sparse_row(np.float32, (k % 79, 1.0)), np.array([k]))
    model.learn_rows(sparse_row(np.float32, (0, 1.0)), np.array([0]))
    model.learn_rows(sparse_row(np.float32, (0, 1.0)), np.array([2]))
    before = bits(model)
    huge = sparse_row(np.float32, (3, 3e38), (3, 3e38))
    with pytest.raises(NumberTooLargeError):
        model.learn_rows(huge, np.array([2 * known - 3]))
    assert bits(model) == before
    model.learn_rows(sparse_row(np.float32, (3, 1.0)), np.array([0]))


@pytest.mark.parametrize("learner", trainable(ONLINE))
@pytest.mark.parametrize("classes", [2, 4])
def test_a_block_ends_where_one_at_a_time_does(learner, classes):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 5)).astype(np.float32)
    X[40] = [3e38, -3e38, 3e38, 3e38, -3e38]
    rows, y = as_rows(sp.csr_matrix(X)), rng.integers(0, classes, 60)
    y[40] = 9  # and its class is new
    models = [numbered(learner, 5, eta0=1e30) for _ in range(2)]
    with pytest.raises(NumberTooLargeError, match="row 40 makes") as met:
        models[0].learn_rows(rows, y)
    assert met.value.row == 40
    for i in range(40):
        models[1].learn_rows(block(rows, i, i + 1), y[i : i + 1])
    assert bits(models[0]) == bits(models[1])
    assert models[0].t_ == 40 - int(np.flatnonzero(y != y[0])[0])


@pytest.mark.parametrize("learner", trainable(ONLINE))
def test_steps_that_might_overflow_are_the_same_steps(learner, monkeypatch):
    """The careful way is to the last bit the fast one."""
    rng = np.random.default_rng(2)
    rows = as_rows(sp.random(200, 30, 0.2, "csr", np.float32, random_state=0))
    y = rng.integers(0, 3, 200)
    found = []
    for limit in (2.0**100, 0.0):
        monkeypatch.setattr("rosenblatt.stream.rules._HARMLESS", {"float32": limit})
        model = numbered(learner, 30)
        model.learn_rows(rows, y)
        found.append(bits(model))
    assert found[0] == found[1]


def test_a_model_that_could_not_be_loaded_is_not_saved(tmp_path):
    path = tmp_path / "m.model"
    model = OnlineClassifier(classes=[0, 1])
    model.learn_one({"a": 1.0}, 1)
    save(model, path)
    before = path.read_bytes()
    model._state.weights[0, 0] = np.inf
    with pytest.raises(ValueError, match=r"cannot save .*m\.model.*weights .* not finite"):
        save(model, path)
    fitted = Perceptron(max_iter=1, tol=None).fit([[1.0], [-1.0]], [0, 1])
    fitted.coef_ = fitted.coef_ * np.nan
    with pytest.raises(ValueError, match=r"cannot save .*m\.model"):
        save(fitted, path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["m.model"]
    assert load(path).t_ == 1


@pytest.mark.parametrize("learner", ["logistic", "svm"])
@pytest.mark.parametrize("classes", [2, 3])
def test_rows_so_long_that_no_step_is_left(learner, classes):
    """A step of 1e-50 is zero in float32: nothing would be learned, and nobody would know."""
    names = ["a", "b", "c"][:classes]
    model = OnlineClassifier(learner, classes=names, **UNSCALED)
    model.learn_one({"x": 1.0}, "a")
    before = bits(model)
    with pytest.raises(NumberTooLargeError, match="too large for float32"):
        model.learn_one({"x": 1e25}, "b")
    assert bits(model) == before
    larger = OnlineClassifier(learner, classes=names, dtype="float64", **UNSCALED)
    for k in range(20):
        larger.learn_one({"x": 1e25 * (-1) ** k}, names[k % 2])
    assert larger.predict_one({"x": 1e25}) == "a"


@pytest.mark.parametrize("seen", [0, 2])
def test_a_value_too_large_for_its_type_is_named(seen):
    model = OnlineClassifier()
    for k in range(seen):
        model.learn_one({"a": 1.0, "b": 2.0}, k)
    message = r"feature 'b' is -1e\+39, which is too large for float32; scale it, or use dtype="
    with pytest.raises(ValueError, match=message):
        model.learn_one({"a": 1.0, "b": -1e39}, 1)
    with pytest.raises(ValueError, match=message):
        model.predict_one({"a": 1.0, "b": -1e39})
    OnlineClassifier(dtype="float64").learn_one({"a": 1.0, "b": -1e39}, 1)
