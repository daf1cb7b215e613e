"""Pipelines in ONNX say what they say here, by the word of onnxruntime."""

import json
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from rosenblatt import (
    KernelPerceptron,
    LinearRegression,
    LogisticRegression,
    NearestCentroid,
    Perceptron,
    VotedPerceptron,
    compare,
    load,
    prepare,
    save,
    select,
)
from rosenblatt.models import to_onnx
from tests.models.conftest import columns
from tests.models.zoo import quietly

N = 120


def table(seed=0, n=N):
    """Return days, with all that columns can hold but words, and holes in it."""
    rng = np.random.default_rng(seed)
    degrees = rng.normal(15, 8, n).astype(np.float32).astype(float)
    when = np.datetime64("2024-01-01") + rng.integers(0, 400, n)
    return pd.DataFrame(
        {
            "weather": pd.Series(rng.choice(["sunny", "rainy", None], n), dtype=object),
            "windy": rng.random(n) < 0.5,
            "degrees": np.where(rng.random(n) < 0.2, np.nan, degrees),
            "day": rng.integers(1, 31, n),
            "town": rng.choice(["Ulm", "Bonn", "Köln", ""], n),
            "code": pd.Categorical(rng.integers(0, 3 + seed, n)),
            "when": np.where(rng.random(n) < 0.1, np.datetime64("NaT"), when.astype("M8[s]")),
        }
    )


def out(days):
    warm = days["degrees"].fillna(10).to_numpy() > 14
    return np.where(warm ^ (days["weather"] == "rainy").to_numpy(), "out", "in")


def agree(model, found, rows, rtol=1e-6):
    if not hasattr(model, "classes_"):
        np.testing.assert_allclose(found["prediction"], model.predict(rows), rtol=rtol)
        return
    np.testing.assert_array_equal(found["label"], model.predict(rows))
    np.testing.assert_allclose(found["scores"], model.decision_function(rows), rtol, rtol)
    assert ("probabilities" in found) == hasattr(model, "predict_proba")
    if "probabilities" in found:
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), rtol, rtol)


ESTIMATORS = [LogisticRegression(), VotedPerceptron(max_iter=3), KernelPerceptron(max_iter=2)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_a_prepared_frame(estimator, dtype, run):
    days = table()
    model = quietly(prepare(estimator, days).fit, days, out(days))
    for rows in (days, table(2, 77)):  # with a category that was not there to learn from
        agree(
            model, run(model, rows, dtype=dtype), rows, {"float32": 1e-6, "float64": 1e-12}[dtype]
        )


def test_inputs_are_columns_by_name_as_skl2onnx_has_them(tmp_path):
    days = table()
    to_onnx(prepare(Perceptron(), days).fit(days, out(days)), tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
    assert {one.name: (one.type, one.shape) for one in session.get_inputs()} == {
        "weather": ("tensor(string)", ["n", 1]),
        "windy": ("tensor(bool)", ["n", 1]),
        "degrees": ("tensor(float)", ["n", 1]),
        "day": ("tensor(float)", ["n", 1]),
        "town": ("tensor(string)", ["n", 1]),
        "code": ("tensor(string)", ["n", 1]),
        "when": ("tensor(float)", ["n", 1]),
    }
    notes = {one.name: one.doc_string for one in onnx.load(tmp_path / "m.onnx").graph.input}
    assert {name: note for name, note in notes.items() if note} == {
        "when": "days since 1970-01-01; NaN if there is no date"
    }


def test_what_is_missing(run):
    """As onnxruntime has it: None and NaN become text."""
    days = table()
    model = prepare(LogisticRegression(), days).fit(days, out(days))
    for hole in (None, np.nan, "", "None", "nan", "<NA>"):
        rows = days.head(3).assign(weather=pd.Series([hole] * 3, dtype=object), degrees=np.nan)
        truly = rows.assign(weather=pd.Series([None] * 3, dtype=object))
        agree(model, run(model, rows), truly)
        # Here "" is a town.
        truly = rows.assign(weather=pd.Series([None] * 3, dtype=object), town="")
        agree(model, run(model, rows.assign(town="")), truly)


def test_polars_and_arrays_of_objects(run):
    days = table().drop(columns=["when", "code"])
    y = out(table())
    model = prepare(LogisticRegression(), pl.from_pandas(days)).fit(pl.from_pandas(days), y)
    agree(model, run(model, days), days)
    values = days.to_numpy(object)
    model = prepare(LogisticRegression(), values).fit(values, y)
    numbered = days.set_axis([f"x{k}" for k in range(values.shape[1])], axis=1)
    agree(model, run(model, numbered), values)


def arrays():
    rng = np.random.default_rng(1)
    X = rng.normal(3, 2, (N, 4)).astype(np.float32).astype(float)
    X[:, 3] = rng.integers(0, 5, N)
    y = (X @ [1, -1, 0.5, 1] + rng.normal(size=N) > 4).astype(int)
    return X, y


def test_arrays_are_one_input(run, tmp_path):
    X, y = arrays()
    for rows in (X, (X > 3).astype(float), sp.csr_matrix(X * (X > 3))):
        model = prepare(LogisticRegression(), rows).fit(rows, y)
        dense = rows.toarray() if sp.issparse(rows) else rows
        agree(model, run(model, dense.astype(np.float32)), dense)
        agree(model, run(model, dense, dtype="float64"), dense, 1e-12)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = make_pipeline(StandardScaler(), LinearRegression())
    agree(model.fit(frame, X[:, 0]), run(model, X.astype(np.float32)), frame)
    facts = {one.key: one.value for one in onnx.load(tmp_path / "m.onnx").metadata_props}
    assert facts == {"kind": "Pipeline", "feature_names": json.dumps(list("abcd"))}


def test_large_means_are_taken_away_before_anything_is_rounded(run):
    X, y = arrays()
    X = X + 1e7
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X.astype(np.float32), y)
    assert model[-1].coef_.dtype == np.float32
    wide = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    agree(wide, run(wide, X, dtype="float64"), X, 1e-9)
    found = run(model, X, dtype="float64")
    np.testing.assert_allclose(found["scores"], model.decision_function(X), rtol=1e-3, atol=1e-3)


def holes(X):
    X = X.copy()
    X[::7, 1] = X[::5, 3] = np.nan
    return X


def numbers_by_place():
    encoder = OneHotEncoder(drop="first", handle_unknown="ignore")
    parts = [("codes", encoder, [3]), ("rest", StandardScaler(), [2, 0]), ("none", "drop", [1])]
    return ColumnTransformer(parts)


BY_HAND = {
    "a scaler without a mean": (StandardScaler(with_mean=False), None),
    "a scaler without a deviation": (StandardScaler(with_std=False), None),
    "steps that pass through": ("passthrough", None),
    "a function that does nothing": (FunctionTransformer(), None),
    "columns by number": (numbers_by_place(), None),
    "a remainder": (
        ColumnTransformer([("a", StandardScaler(), [1])], remainder="passthrough"),
        None,
    ),
    "columns by slice and mask": (
        make_column_transformer(
            (StandardScaler(), slice(0, 2)), ("passthrough", [False, False, True, True])
        ),
        None,
    ),
    "columns by a function": (
        make_column_transformer((StandardScaler(), lambda X: [0, 2]), remainder="drop"),
        None,
    ),
    "medians and indicators": (
        make_column_transformer(
            (SimpleImputer(strategy="median"), [1, 3]),
            (MissingIndicator(features="all"), [1, 3]),
            (MissingIndicator(), [0, 1, 3]),
        ),
        holes,
    ),
    "a constant": (SimpleImputer(strategy="constant", fill_value=-1), holes),
    "an empty column": (
        SimpleImputer(),
        lambda X: np.where(np.arange(4) == 2, np.nan, X),
    ),
    "missing categories": (
        make_column_transformer((OneHotEncoder(), [3]), remainder=SimpleImputer()),
        holes,
    ),
    "pipelines in pipelines": (
        make_pipeline(make_pipeline(FunctionTransformer()), numbers_by_place(), StandardScaler()),
        None,
    ),
}


@pytest.mark.filterwarnings("ignore:Skipping features without any observed values")
@pytest.mark.parametrize("name", BY_HAND)
def test_steps_by_hand(name, run):
    step, change = BY_HAND[name]
    X, y = arrays()
    X = X if change is None else change(X)
    model = make_pipeline(step, LogisticRegression(max_iter=20, tol=None))
    quietly(model.fit, X, y)
    agree(model, run(model, X.astype(np.float32)), X)
    agree(model, run(model, X, dtype="float64"), X, 1e-12)


FRAMES = {
    "the usual recipe": make_column_transformer(
        (
            make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
            ["weather", "town"],
        ),
        (make_pipeline(SimpleImputer(), StandardScaler()), ["degrees", "day"]),
    ),
    "texts as they are": make_column_transformer(
        (OneHotEncoder(drop="if_binary", handle_unknown="ignore"), ["town", "windy", "code"]),
    ),
    "columns by type": make_column_transformer(
        (
            make_pipeline(StandardScaler(), SimpleImputer()),
            make_column_selector(dtype_include=np.number),
        ),
        (OneHotEncoder(drop="first"), make_column_selector(dtype_include="category")),
    ),
    "a missing text": make_column_transformer((OneHotEncoder(), ["weather"])),
    "numbers as categories": make_column_transformer(
        (OneHotEncoder(), ["day"]), ("passthrough", ["windy"])
    ),
    "a part without features": make_column_transformer(
        (OneHotEncoder(drop="if_binary"), ["windy"]), (OneHotEncoder(drop="first"), ["constant"])
    ),
    "a frame between": make_pipeline(
        make_column_transformer(
            (StandardScaler(), ["day"]), verbose_feature_names_out=False, remainder="drop"
        ).set_output(transform="pandas"),
        make_column_transformer(("passthrough", ["day"])),
    ),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_by_hand(name, run):
    days = table()
    if "missing" in name:
        days["weather"] = days["weather"].where(days["weather"].notna(), np.nan)
    days["constant"] = 1
    model = make_pipeline(FRAMES[name], LogisticRegression(max_iter=20, tol=None))
    quietly(model.fit, days, out(days))
    agree(model, run(model, days), days)
    agree(model, run(model, days, dtype="float64"), days, 1e-12)


def test_text_without_a_column_transformer(run):
    X = np.array([["a", "x"], ["b", "y"], ["a", "y"], ["c", "x"]], object)
    model = make_pipeline(OneHotEncoder(), Perceptron()).fit(X, [0, 1, 1, 0])
    frame = pd.DataFrame(X, columns=["x0", "x1"])
    np.testing.assert_array_equal(run(model, frame)["label"], model.predict(X))


@pytest.mark.parametrize("column", ["town", "day"])
def test_unknown_categories_are_errors_where_they_are_here(column, tmp_path):
    days = table()
    model = make_pipeline(make_column_transformer((OneHotEncoder(), [column])), Perceptron())
    model.fit(days, out(days))
    to_onnx(model, tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
    inputs = columns(session, days.head(1))
    session.run(None, inputs)
    inputs[column] = np.array([["Trier" if column == "town" else 99]], inputs[column].dtype)
    with pytest.raises(ValueError, match="unknown categories"):
        model.predict(pd.DataFrame({column: inputs[column].ravel()}).reindex(columns=days.columns))
    options = onnxruntime.RunOptions()
    options.log_severity_level = 4
    with pytest.raises(Exception, match="out of data bounds"):
        session.run(None, inputs, options)


def test_what_select_and_compare_find(run, tmp_path):
    days = table()
    y, models = out(days), [Perceptron(), NearestCentroid()]
    chosen = quietly(select, prepare(Perceptron(), days), {"model__max_iter": [5, 10]}, days, y)
    found = quietly(compare, days, y, models=models)
    for result, what in (
        (chosen, r"\.model"),
        (found, r"one of its \.models, such as \.models\['"),
    ):
        for keep in (save, to_onnx):
            with pytest.raises(TypeError, match=what):
                keep(result, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []
    for model in (chosen.model, *found.models.values()):
        agree(model, run(model, days), days)
        save(model, tmp_path / "p.model")
        again = load(tmp_path / "p.model")
        np.testing.assert_array_equal(again.decision_function(days), model.decision_function(days))
        agree(again, run(again, days), days)


# --- what cannot be exported --------------------------------------------------------------------


def texts():
    notes = [f"{['free win now', 'see you soon'][k % 2]} {k} {'ab'[k % 2]}" for k in range(40)]
    return pd.DataFrame({"note": notes, "size": np.arange(40.0)})


def on(step, X=None):
    X = table() if X is None else X
    return quietly(make_pipeline(step, Perceptron()).fit, X, out(table())[: len(X)])


def by_columns(*steps, X=None):
    return on(make_column_transformer(*steps), X)


def as_categories():
    """Return what `prepare` makes of a column of categories."""
    return prepare(table()[["code"]])[0].transformers[0][1]


FOR_NONE = SimpleImputer(missing_values=None, strategy="most_frequent")


def double(X):
    return 2 * X


REFUSED = {
    "words": (
        lambda: prepare(Perceptron(), texts()).fit(texts(), np.arange(40) % 2),
        "step 'prepare.texts' .* no operator that cuts text into words, as column 'note' needs",
    ),
    "other steps": (
        lambda: on(PCA(2), arrays()[0]),
        r"step 'pca' is a PCA, which cannot be exported .* export pipeline\[-1\]",
    ),
    "functions": (
        lambda: on(FunctionTransformer(double), arrays()[0]),
        "step 'functiontransformer' .* the function double is Python code",
    ),
    "rare categories": (
        lambda: by_columns((OneHotEncoder(min_frequency=3), ["town"])),
        "step 'columntransformer.onehotencoder' has min_frequency=3",
    ),
    "weights of parts": (
        lambda: on(
            ColumnTransformer([("a", StandardScaler(), ["day"])], transformer_weights={"a": 2.0})
        ),
        "step 'columntransformer' has transformer_weights=",
    ),
    "another missing value": (
        lambda: by_columns((make_pipeline(FOR_NONE, OneHotEncoder()), ["weather"])),
        "has missing_values=None",
    ),
    "two types": (
        lambda: by_columns(
            (OneHotEncoder(), ["day"]), (prepare(table()[["code"]])[0].transformers[0][1], ["day"])
        ),
        "column 'day' cannot be an input of an ONNX file: one step takes its values as they are",
    ),
    "an output's name": (
        lambda: by_columns(("passthrough", ["label"]), X=table().rename(columns={"day": "label"})),
        "column 'label' of the table has the name of an output",
    ),
    "a category that float32 does not have": (
        lambda: by_columns((OneHotEncoder(), ["tenth"]), X=table().assign(tenth=0.1)),
        "the category .*0.1.* is not a number of float32; export with dtype='float64'",
    ),
    "another model": (
        lambda: make_pipeline(StandardScaler(), PCA(1)).fit(arrays()[0]),
        "cannot export a PCA: it is not a model of this package",
    ),
    "a search": (
        lambda: GridSearchCV(Perceptron(tol=None), {"max_iter": [1]}, cv=2).fit(*arrays()),
        "cannot export a GridSearchCV: export its .best_estimator_. Models are",
    ),
    "not fitted": (lambda: prepare(Perceptron(), table()), "must be a fitted estimator"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_onnx_cannot_hold(name, tmp_path):
    make, why = REFUSED[name]
    model = make()
    with pytest.raises((TypeError, ValueError), match=why) as caught:
        to_onnx(model, tmp_path / "m.onnx")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


# --- warnings -----------------------------------------------------------------------------------

LOAD = """
import sys, warnings
warnings.simplefilter("error")
import numpy as np, onnx, onnxruntime
types = {"tensor(float)": np.float32, "tensor(bool)": bool, "tensor(string)": object}
for path in sys.argv[1:]:
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path)
    for n in (2, 1):
        inputs = session.get_inputs()
        rows = {one.name: np.ones((n, one.shape[1]), types[one.type]) for one in inputs}
        session.run(None, rows)
"""


def test_files_load_without_a_warning(tmp_path):
    days, (X, y) = table(), arrays()
    three = np.digitize(X[:, 0], [2, 4])
    models = [quietly(prepare(one, days).fit, days, out(days)) for one in ESTIMATORS]
    models.append(make_pipeline(FRAMES["texts as they are"], Perceptron()).fit(days, out(days)))
    for labels in (y, three):
        models += [
            quietly(one.fit, X, labels)
            for one in (
                LogisticRegression(),
                NearestCentroid(),
                NearestCentroid("manhattan"),
                VotedPerceptron(max_iter=2),
                *(
                    KernelPerceptron(kernel=kernel, multi_class=way, predict_with=how, max_iter=2)
                    for kernel in ("linear", "poly", "rbf", "laplacian")
                    for way in ("ovr", "joint")
                    for how in ("vote", "average")
                ),
                make_pipeline(StandardScaler(), Perceptron()),
            )
        ]
    models.append(quietly(LinearRegression().fit, X, X[:, 0]))
    paths = [tmp_path / f"{k}.onnx" for k in range(len(models))]
    for model, path in zip(models, paths, strict=True):
        to_onnx(model, path)
    done = subprocess.run(
        [sys.executable, "-c", LOAD, *map(str, paths)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
