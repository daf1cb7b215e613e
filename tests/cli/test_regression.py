"""`train --learner regression`: as good as least squares with no option, in any units."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_friedman1, make_regression
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

from rosenblatt import load
from rosenblatt.stream.regressor import OnlineRegressor
from tests.conftest import first_quick


def diabetes():
    return load_diabetes(return_X_y=True, scaled=False)


def friedman():
    return make_friedman1(600, 10, noise=1.0, random_state=0)


def made(unit, origin=0.0):
    X, y = make_regression(500, 12, n_informative=6, noise=30, random_state=1)
    return X * 10.0 ** np.arange(-6, 6), unit * y + origin


SETS = {
    "diabetes": diabetes,
    "in the 100,000s": lambda: made(1e5),
    "millionths": lambda: made(1e-6),
    "far from zero": lambda: made(1.0, 1e4),
    "friedman": friedman,
}


def written(name, X, y, weights=None):
    columns = [*(f"c{j}" for j in range(X.shape[1])), "label"]
    rows = np.column_stack([X, y])
    if weights is not None:
        columns, rows = [*columns, "weight"], np.column_stack([rows, weights])
    lines = [",".join(f"{value:.9g}" for value in row) for row in rows]
    Path(name).write_text("\n".join([",".join(columns), *lines]) + "\n")


@pytest.mark.parametrize("kind", first_quick(list(SETS), 3))
def test_with_no_option_it_is_as_good_as_least_squares(ros, folder, kind):
    X, y = SETS[kind]()
    A, B, a, b = train_test_split(X, y, test_size=0.3, random_state=0)
    written("train.csv", A, a)
    written("test.csv", B, b)
    options = ("--learner", "regression", "--test", "test.csv", "-o", "m.model", "--json")
    found = ros("train", "train.csv", *options).json
    best = np.sqrt(np.mean((LinearRegression().fit(A, a).predict(B) - b) ** 2))
    assert found["test"]["rmse"] < 1.02 * best
    assert found["passes"] == 100
    assert len(found["losses"]) == 100
    assert isinstance(load("m.model"), OnlineRegressor)
    told = ros("evaluate", "m.model", "test.csv").out
    assert f"rmse        {found['test']['rmse']:.6g}" in told
    assert f"R²          {found['test']['r2']:.4f}" in told


def test_importance_weights_say_how_much_rows_count(ros, folder):
    X, y = friedman()
    y[:200] *= -1  # another relation, which counts five times
    weights = np.where(np.arange(len(y)) < 200, 5.0, 1.0)
    written("weighted.csv", X, y, weights)
    args = ("train", "weighted.csv", "--weight", "weight", "--learner", "regression", "-q")
    weighted, plain = (LinearRegression().fit(X, y, w).predict(X) for w in (weights, None))
    for ignored, its, other in (((), weighted, plain), (("--ignore-weights",), plain, weighted)):
        found = ros(*args, *ignored, "-o", "m.model")
        guess = load("m.model").predict(X)
        assert np.std(guess - its) < 0.1 * np.std(guess - other), found


def test_validation_keeps_the_best_pass(ros, folder):
    X, y = friedman()
    written("train.csv", X[:400], y[:400])
    written("valid.csv", X[400:], y[400:])
    args = ("train", "train.csv", "--learner", "regression", "--validation", "valid.csv")
    found = ros(*args, "--passes", 8, "-o", "m.model", "--json").json
    assert len(found["validation"]) == 8
    judged = ros("evaluate", "m.model", "valid.csv", "--json").json
    assert judged["rmse"] ** 2 == pytest.approx(min(found["validation"]))
    told = ros(*args, "--passes", 8, "--retrain", "--report", "r.html")
    assert f"validation  rmse {min(found['validation']) ** 0.5:.4g} after" in told.out
    assert "retrained on all files" in told.out
    assert "Root mean squared error" in Path("r.html").read_text()


def test_inspect_and_export(ros, folder):
    X, y = diabetes()
    written("d.csv", X, y)
    ros("train", "d.csv", "--learner", "regression", "-o", "m.model", "-q")
    told = ros("inspect", "m.model")
    assert "regression (OnlineRegressor)" in told.out
    assert "none: it predicts numbers" in told.out
    assert "one standard deviation" in told.out
    model = load("m.model")
    described = ros("inspect", "m.model", "--json").json["weights"][0]
    assert described["intercept"] == pytest.approx(float(model.intercept_))
    first = described["strongest"][0]
    column = model.feature_names_.index(first["feature"])
    assert first["weight"] == pytest.approx(model.coef_[column])
    assert first["per_deviation"] == pytest.approx(model.coef_[column] * X[:, column].std())
    ros("inspect", "m.model", "--onnx", "m.onnx")
    session = pytest.importorskip("onnxruntime").InferenceSession("m.onnx")
    exported = session.run(None, {"X": X.astype(np.float32)})[0].ravel()
    assert exported == pytest.approx(model.predict(X), rel=1e-4)
