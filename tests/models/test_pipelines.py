"""Pipelines are saved and loaded: what `prepare` makes, and steps of scikit-learn's like these."""

import copy
import warnings
from contextlib import suppress

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from rosenblatt import (
    AveragedPerceptron,
    LinearRegression,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    VotedPerceptron,
    compare,
    load,
    prepare,
    save,
    select,
)
from rosenblatt.models import read_header
from rosenblatt.persist import container
from rosenblatt.persist.errors import ModelFileError

DAYS = {
    "weather": ["sunny", "rainy", "overcast", "sunny", None, "rainy", "snow", "sunny"],
    "windy": [False, True, False, True, True, False, True, False],
    "degrees": [24.1, 12.0, 15.3, 21.0, None, 9.0, -2.7, 30.0],
    "day": [1, 2, 3, 4, 5, 6, 7, 8],
    "town": ["Ulm", "Bonn", "Bonn", "Ulm", "Köln", "Köln", "Ulm", "Bonn"],
}
OUT = np.array(["out", "in", "in", "out", "in", "in", "in", "out"])
LATER = {
    "weather": ["fog", None, "sunny"],
    "windy": [True, False, True],
    "degrees": [None, 3.5, 17.0],
    "day": [9, 10, 11],
    "town": ["Bonn", "Trier", "Ulm"],
}


def frames():
    return pd.DataFrame(DAYS), pd.DataFrame(LATER)


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(3, 2, size=(60, 4))
    return X, (X @ [1, -1, 0.5, 0] + rng.normal(size=60) > 2).astype(int)


@pytest.fixture
def again(tmp_path):
    def saved(model):
        save(model, tmp_path / "p.model")
        return load(tmp_path / "p.model")

    return saved


def same_scores(one, other, *tables):
    for table in tables:
        for method in ("predict", "decision_function", "predict_proba"):
            if hasattr(one, method):
                mine, its = getattr(one, method)(table), getattr(other, method)(table)
                assert mine.dtype == its.dtype
                assert np.array_equal(mine, its)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("estimator", [LogisticRegression(), VotedPerceptron(max_iter=3)], ids=repr)
def test_a_prepared_frame(estimator, frame, again):
    days, later = frame(DAYS), frame(LATER)
    model = prepare(estimator, days).fit(days, OUT)
    other = again(model)
    assert type(other) is Pipeline
    same_scores(model, other, days, later)
    same_scores(model, other, pd.DataFrame(LATER), pl.DataFrame(LATER))
    # By name, whatever the order of the columns.
    same_scores(model, other, pd.DataFrame(LATER)[[*reversed(LATER)]].assign(more=1))
    assert other.feature_names_in_.tolist() == list(DAYS)
    mine, its = model[:-1].get_feature_names_out(), other[:-1].get_feature_names_out()
    assert mine.tolist() == its.tolist()
    with pytest.raises(ValueError, match=r"columns are missing: {'day'}"):
        other.predict(pd.DataFrame(LATER).drop(columns="day"))


def test_scikit_learns_own_objects_come_back(again):
    days, _ = frames()
    model = prepare(Perceptron(), days).fit(days, OUT)
    other = again(model)
    assert repr(other) == repr(model)
    columns, its = model[0], other[0]
    assert type(its) is ColumnTransformer
    assert its.sparse_output_ == columns.sparse_output_
    assert its.output_indices_ == columns.output_indices_
    assert [name for name, *_ in its.transformers_] == [name for name, *_ in columns.transformers_]
    numbers = its.named_transformers_["numbers"]
    assert numbers["standardscaler"].mean_.tolist() == (
        columns.named_transformers_["numbers"]["standardscaler"].mean_.tolist()
    )
    for one, two in zip(columns.transformers_, its.transformers_, strict=True):
        assert one[2] == two[2]
        for mine, loaded in zip(one[1], two[1], strict=True):
            assert vars(mine).keys() == vars(loaded).keys()
    other.__sklearn_is_fitted__()
    other._repr_html_()
    # It can be fitted anew, cloned, and saved once more.
    same_scores(clone(model).fit(days, OUT), clone(other).fit(days, OUT), days)
    same_scores(model, again(other), days)


def test_arrays_and_sparse_matrices(again):
    X, y = rows()
    tables = [X, X.astype(np.float32), (X > 3).astype(float), sp.csr_matrix(X * (X > 3))]
    for table in tables:
        model = prepare(LogisticRegression(max_iter=20, tol=None), table).fit(table, y)
        same_scores(model, again(model), table)
    objects = np.array(list(zip(*DAYS.values(), strict=True)), object)
    model = prepare(AveragedPerceptron(), objects).fit(objects, OUT)
    same_scores(model, again(model), objects)


def test_what_select_and_compare_return(again):
    days, later = frames()
    many = pd.concat([days] * 6, ignore_index=True)
    labels = np.tile(OUT, 6)
    found = select(AveragedPerceptron(), {"max_iter": [3, 5]}, many, labels, cv=2)
    same_scores(found.model, again(found.model), days, later)
    compared = compare(many, labels, orders=1)
    assert len(compared.models) > 8
    for model in compared.models.values():
        same_scores(model, again(model), days, later)
    best = compared.best.name
    whys = {
        r"save its \.model\.": found,
        rf"save one of its \.models, .* \.models\['{best}'\]\.": compared,
    }
    for why, report in whys.items():
        with pytest.raises(TypeError, match=why):
            again(report)


def test_what_has_not_learned_yet(again):
    days, later = frames()
    model = prepare(LogisticRegression(alpha=0.1, penalty="l2"), days)
    other = again(model)
    assert repr(other) == repr(model)
    same_scores(model.fit(days, OUT), other.fit(days, OUT), days, later)


def by_hand():
    """Pipelines as people write them."""
    days, _ = frames()
    numbers, words = ["degrees", "day"], ["weather", "town"]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False, drop="if_binary")
    imputed = make_pipeline(SimpleImputer(strategy="median"), StandardScaler(with_std=False))
    codes = np.tile([[3, 1.5], [7, 0.5]], (4, 1))
    X, y = rows()
    holes = np.where(X > 5, np.nan, X)
    nothing = holes.copy()
    nothing[:, 1] = np.nan
    columns = make_column_transformer(
        (imputed, make_column_selector(dtype_include=np.number)), (encoder, words), n_jobs=1
    )
    others = ColumnTransformer(
        [
            ("gone", "drop", ["town"]),
            ("as it is", "passthrough", ["day"]),
            ("scaled", imputed, numbers),
        ]
    )
    rest = ColumnTransformer([("scaled", StandardScaler(), [1, 0])], remainder="passthrough")
    indicated = make_column_transformer(
        (SimpleImputer(strategy="constant", fill_value=-1.0), [0, 1, 2, 3]),
        (MissingIndicator(features="all"), [1, 3]),
    )
    return {
        "a frame": (make_pipeline(columns, Perceptron()), days, OUT),
        "drop and passthrough": (make_pipeline(others, NaiveBayes()), days, OUT),
        "the remainder": (make_pipeline(rest, LogisticRegression()), X, y),
        "numbers as categories": (make_pipeline(OneHotEncoder(), Perceptron()), codes, OUT),
        "missing numbers": (make_pipeline(indicated, StandardScaler(), Perceptron()), holes, y),
        "empty columns": (
            make_pipeline(SimpleImputer(), StandardScaler(), Perceptron()),
            nothing,
            y,
        ),
        "one step": (make_pipeline(Perceptron()), X, y),
        "nested": (
            make_pipeline(StandardScaler(), make_pipeline("passthrough", Perceptron())),
            X,
            y,
        ),
        "a regression": (make_pipeline(StandardScaler(), LinearRegression()), X, X[:, 0] + y),
        "frames within": (
            make_pipeline(StandardScaler().set_output(transform="pandas"), Perceptron()),
            days[["day"]],
            OUT,
        ),
    }


@pytest.mark.filterwarnings("ignore:Skipping features without any observed")
@pytest.mark.parametrize("name", by_hand())
def test_pipelines_made_by_hand(name, again):
    model, X, y = by_hand()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    same_scores(model, again(model), X)


def test_settings_of_scikit_learn_play_no_part(again):
    days, later = frames()
    model = prepare(Perceptron(), days).fit(days, OUT)
    with config_context(transform_output="pandas", enable_metadata_routing=True):
        other = again(model)
    same_scores(model, other, days, later)


def double(X):
    return 2 * X


class Mine(StandardScaler):
    pass


REFUSED = {
    "another step": (
        make_pipeline(PCA(), Perceptron()),
        "its step 'pca' is a PCA. A model file can",
    ),
    "its own class": (make_pipeline(Mine(), Perceptron()), "its step 'mine' is a Mine"),
    "a function": (
        make_pipeline(FunctionTransformer(double), Perceptron()),
        "step 'functiontransformer', .* has func=<function double",
    ),
    "rare categories": (
        make_pipeline(OneHotEncoder(min_frequency=3), Perceptron()),
        "step 'onehotencoder', a OneHotEncoder, has min_frequency=3, which a model file cannot",
    ),
    "another model": (
        make_pipeline(StandardScaler(), Theirs()),
        "step 'logisticregression' is a sklearn.linear_model._logistic.LogisticRegression",
    ),
    "no model": (make_pipeline(StandardScaler(), StandardScaler()), "step 'standardscaler-2' is a"),
    "within columns": (
        make_pipeline(ColumnTransformer([("a", make_pipeline(PCA()), [0])]), Perceptron()),
        "step 'columntransformer.a.pca' is a PCA",
    ),
    "columns by slice": (
        make_pipeline(ColumnTransformer([("a", StandardScaler(), slice(2))]), Perceptron()),
        "takes the columns slice.* give a list of names",
    ),
    "a remainder": (
        make_pipeline(
            ColumnTransformer([("a", StandardScaler(), [0])], remainder=StandardScaler()),
            Perceptron(),
        ),
        "has remainder=StandardScaler",
    ),
    "its estimator": (
        make_pipeline(StandardScaler(), Perceptron(learning_rate=lambda t: 1 / t)),
        "cannot save this Perceptron: learning_rate is",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_file_cannot_hold(name, tmp_path):
    model, why = REFUSED[name]
    with pytest.raises(TypeError, match=why) as caught:
        save(model, tmp_path / "p.model")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_categories_of_other_types_are_refused(tmp_path):
    X = np.array([[1], [2], [1], [2]], object)
    model = make_pipeline(OneHotEncoder(), Perceptron()).fit(X, [0, 1, 0, 1])
    with pytest.raises(
        TypeError, match=r"step .onehotencoder., .* has the category 1, of type int"
    ):
        save(model, tmp_path / "p.model")


@pytest.fixture
def forged(tmp_path):
    """Change a saved pipeline, and load it."""

    def load_changed(change):
        days, _ = frames()
        path = tmp_path / "p.model"
        save(prepare(Perceptron(), days).fit(days, OUT), path)
        header, arrays = container.read(path)
        change(header, arrays)
        container.write(path, header, arrays)
        return load(path)

    return load_changed


def columns_of(header):
    return header["steps"][0]["step"]


def part(header, name):
    parts = {entry["name"]: entry for entry in columns_of(header)["parts"]}
    return parts[name]


def inner(header, name, kind):
    steps = part(header, name)["step"]["steps"]
    return next(entry["step"] for entry in steps if entry["step"]["kind"] == kind)


def _array(name, value):
    def change(header, arrays):
        arrays[name] = np.asarray(value(arrays[name].copy()))

    return change


FORGED = {
    "there is no kind of step 'PCA'": lambda h, a: columns_of(h).update(kind="PCA"),
    "it is not a model|not a model": lambda h, a: h["steps"].pop(),
    "there must be a list of steps": lambda h, a: h.update(steps=3),
    "must have name, step": lambda h, a: h["steps"][0].update(more=1),
    "two steps have the same name": lambda h, a: h["steps"][0].update(name="model"),
    "no parameter 'n_jobs'": lambda h, a: columns_of(h)["params"].update(n_jobs=4),
    "wrong value for remainder": lambda h, a: columns_of(h)["params"].update(remainder="eval"),
    "wrong value for func": lambda h, a: inner(h, "numbers", "FunctionTransformer")[
        "params"
    ].update(func="os.system"),
    "wrong value for feature_name_combiner": lambda h, a: inner(h, "flags", "OneHotEncoder")[
        "params"
    ].update(feature_name_combiner="as_text"),
    "wrong value for strategy": lambda h, a: inner(h, "numbers", "SimpleImputer")["params"].update(
        strategy="exec"
    ),
    "it must have learned mean_": lambda h, a: inner(h, "numbers", "StandardScaler")[
        "fitted"
    ].update(transform=3),
    "must have learned nothing": lambda h, a: inner(h, "numbers", "FunctionTransformer")[
        "fitted"
    ].update(func=3),
    "takes columns that there are not": lambda h, a: part(h, "numbers").update(
        columns=["day", "?"]
    ),
    "it lacks columns": lambda h, a: part(h, "numbers").update(columns=["day", 3]),
    "it takes 2 columns, and the steps before it make 1": lambda h, a: part(h, "numbers").update(
        columns=["day"]
    ),
    "has learned nothing": lambda h, a: [
        entry["step"].update(fitted=None) for entry in part(h, "numbers")["step"]["steps"]
    ],
    "there is no such output": lambda h, a: columns_of(h).update(output="csv"),
    "n_features_in_ must be a whole number": lambda h, a: columns_of(h)["fitted"].update(
        n_features_in_=2**60
    ),
    "scale_ must be positive": _array("scale_", lambda old: -old),
    "mean_ has a number that is not finite": _array("mean_", lambda old: old * np.inf),
    "statistics_ is of": _array("statistics_", lambda old: old[:1]),
    "features_ must be all columns": _array("features_", lambda old: old + 1),
    "there must be categories for each": lambda h, a: inner(h, "categories", "OneHotEncoder")[
        "fitted"
    ]["categories_"].pop(),
    "a missing value must be": lambda h, a: inner(h, "categories", "OneHotEncoder")["fitted"][
        "categories_"
    ][0].update(missing="eval"),
    "and the steps before it make": lambda h, a: inner(h, "categories", "OneHotEncoder")["fitted"][
        "categories_"
    ][0].update(missing=None),
}


@pytest.mark.parametrize("why", FORGED)
def test_a_forged_file_is_refused(why, forged):
    with pytest.raises(ModelFileError, match=why) as caught:
        forged(FORGED[why])
    assert str(caught.value).startswith("cannot load ")
    assert "\n" not in str(caught.value)


def test_numbers_as_categories_must_rise(tmp_path):
    """They are searched for: in another order, a place past the last one could be found."""
    model, X, y = by_hand()["numbers as categories"]
    path = tmp_path / "p.model"
    save(model.fit(X, y), path)
    header, arrays = container.read(path)
    name = header["steps"][0]["step"]["fitted"]["categories_"][0]["values"]["at"]
    arrays[name] = arrays[name][::-1].copy()
    container.write(path, header, arrays)
    with pytest.raises(ModelFileError, match="the categories must rise"):
        load(path)


WRONG = (None, True, -1, 2**40, 0.5, "", "as_text", [], [1, "a"], {}, {"is": "tuple", "items": []})


def _places(value, found):
    """Collect what may be changed: every value of every dict and list."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        found.append((value, key))
        if isinstance(item, dict | list):
            _places(item, found)
    return found


@pytest.mark.filterwarnings("ignore:X has feature names")
def test_mutated_headers_do_no_harm(tmp_path):
    """Each is refused as a broken file, or gives a pipeline that predicts or says why not."""
    days, later = frames()
    path = tmp_path / "p.model"
    save(prepare(Perceptron(), days).fit(days, OUT), path)
    header, arrays = container.read(path)
    rng, outcomes = np.random.default_rng(0), {"refused": 0, "loaded": 0}
    for _ in range(300):
        changed, data = copy.deepcopy(header), {name: a.copy() for name, a in arrays.items()}
        places = _places(changed["steps"], [])
        holder, key = places[rng.integers(len(places))]
        holder[key] = copy.deepcopy(WRONG[rng.integers(len(WRONG))])
        container.write(path, changed, data)
        try:
            model = load(path)
        except ModelFileError:
            outcomes["refused"] += 1
            continue
        outcomes["loaded"] += 1
        with warnings.catch_warnings(), suppress(Exception):
            warnings.simplefilter("ignore")
            model.predict(later)
    assert outcomes["refused"] > 200


def test_the_header_says_what_it_is(tmp_path):
    days, _ = frames()
    save(prepare(Perceptron(), days).fit(days, OUT), tmp_path / "p.model", extra={"by": "me"})
    header = read_header(tmp_path / "p.model")
    assert header["kind"] == "Pipeline"
    assert header["classes"] == ["in", "out"]
    assert header["feature_names"] == list(DAYS)
    assert header["holds_training_values"]
    assert header["training"]["n_iter"] > 0


# --- texts and dates ----------------------------------------------------------------------------


def texts(n=40):
    words = ["free win now", "see you soon"]
    return {
        "note": [f"{words[k % 2]} {k} {'ab'[k % 2]}{'' if k else '!'}" for k in range(n)],
        "joined": [f"{k % 28 + 1}.{k % 12 + 1}.2024" for k in range(n)],
        "left": [None if k == 3 else f"2024-0{k % 9 + 1}-11" for k in range(n)],
        "size": [k * 0.5 for k in range(n)],
    }


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_texts_and_dates_come_back(frame, again):
    table, y = frame(texts()), np.arange(40) % 2
    model = prepare(LogisticRegression(), table).fit(table, y)
    other = again(model)
    later = {
        "note": ["free lunch", None],
        "joined": ["3.4.2025", "?"],
        "left": [None, "2025-01-01"],
    }
    same_scores(model, other, table, frame({**later, "size": [1.0, 2.0]}))
    mine, its = model[:-1].get_feature_names_out(), other[:-1].get_feature_names_out()
    assert mine.tolist() == its.tolist()
    assert repr(other) == repr(model)
    same_scores(model, again(other), table)
    unfitted = again(prepare(LogisticRegression(), table))
    same_scores(model, unfitted.fit(table, y), table)


def test_a_file_with_words_says_that_it_holds_values(tmp_path):
    table = pd.DataFrame(texts())[["note", "size"]]
    save(prepare(Perceptron(), table).fit(table, np.arange(40) % 2), tmp_path / "p.model")
    assert read_header(tmp_path / "p.model")["holds_training_values"]


BROKEN_WORDS = {
    "rarity_ has a number that is not finite": lambda step, a: a[step["rarity_"]["at"]].fill(
        np.nan
    ),
    "the words are damaged": lambda step, a: a[step["ends"]["at"]].fill(10**9),
    "a word is of a column that there is not": lambda step, a: a[step["letters"]["at"]].put(0, 57),
}


@pytest.mark.parametrize("problem", BROKEN_WORDS)
def test_words_that_are_damaged(problem, tmp_path):
    table = pd.DataFrame(texts())[["note", "size"]]
    save(prepare(Perceptron(), table).fit(table, np.arange(40) % 2), tmp_path / "p.model")
    header, arrays = container.read(tmp_path / "p.model")
    arrays = {name: np.array(array) for name, array in arrays.items()}
    BROKEN_WORDS[problem](part(header, "texts")["step"]["fitted"], arrays)
    own = {key: value for key, value in header.items() if key not in container.RESERVED}
    container.write(tmp_path / "bad.model", own, arrays)
    with pytest.raises(ModelFileError, match=problem):
        load(tmp_path / "bad.model")
