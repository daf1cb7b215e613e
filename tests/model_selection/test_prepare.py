"""Tables to features."""

import datetime
import pickle
import random

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.linear_model import LogisticRegression as Logistic
from sklearn.preprocessing import StandardScaler

from rosenblatt import AveragedPerceptron, LogisticRegression, Perceptron, compare, prepare
from rosenblatt.model_selection.scaled_rows import ScaledRows
from rosenblatt.model_selection.stream_estimator import Shared
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.named_columns import read_table

DAYS = {
    "weather": ["sunny", "rainy", "overcast", "sunny", None, "rainy"],
    "windy": [False, True, False, True, True, False],
    "degrees": [24.0, 12.0, 15.0, 21.0, None, 9.0],
    "day": [1, 2, 3, 4, 5, 6],
}
OUT = [1, 0, 0, 1, 1, 0]
NAMES = ["degrees", "day", "missingindicator_degrees", "windy=True", "weather=overcast"]
NAMES += ["weather=rainy", "weather=sunny", "weather=⟨missing⟩"]


def features(table, **options):
    model = prepare(Perceptron(), table, **options).fit(table, OUT)
    made = model[:-1].transform(table)
    return model, made.toarray() if sp.issparse(made) else made


def objects():
    return np.array(list(zip(*DAYS.values(), strict=True)), object)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_become_features(frame):
    model, made = features(frame(DAYS))
    assert model[:-1].get_feature_names_out().tolist() == NAMES
    degrees = np.array([24, 12, 15, 21, 16.2, 9])  # a missing one counts as the mean
    np.testing.assert_allclose(made[:, 0], (degrees - 16.2) / degrees.std())
    np.testing.assert_array_equal(made[:, 2], [0, 0, 0, 0, 1, 0])
    np.testing.assert_array_equal(made[:, 3], DAYS["windy"])
    np.testing.assert_array_equal(made[:, 6], [1, 0, 0, 1, 0, 0])
    np.testing.assert_array_equal(made[:, 7], [0, 0, 0, 0, 1, 0])


def test_all_kinds_of_tables_agree():
    model, expected = features(pd.DataFrame(DAYS))
    np.testing.assert_array_equal(features(pl.DataFrame(DAYS))[1], expected)
    np.testing.assert_array_equal(features(objects())[1], expected)
    # A model learned from one kind of frame takes the other.
    np.testing.assert_array_equal(model[:-1].transform(pl.DataFrame(DAYS)), expected)
    pickle.loads(pickle.dumps(model)).predict(pd.DataFrame(DAYS))


@pytest.mark.parametrize("dtype", ["category", "string", "object", "str"])
def test_every_type_of_text_in_pandas(dtype):
    table = pd.DataFrame({"weather": pd.Series(DAYS["weather"], dtype=dtype)})
    model, made = features(table)
    assert model[:-1].get_feature_names_out().tolist() == NAMES[4:]
    np.testing.assert_array_equal(made[:, 3], [0, 0, 0, 0, 1, 0])


@pytest.mark.parametrize(
    "dtype", [pl.Categorical, pl.Enum(["overcast", "rainy", "sunny"]), pl.String]
)
def test_every_type_of_text_in_polars(dtype):
    model, _ = features(pl.DataFrame({"weather": pl.Series(DAYS["weather"], dtype=dtype)}))
    assert model[:-1].get_feature_names_out().tolist() == NAMES[4:]


@pytest.mark.parametrize("dtype", ["Int64", "Float32", "float64", "object"])
def test_every_type_of_number_in_pandas(dtype):
    table = pd.DataFrame({"degrees": pd.Series(DAYS["degrees"], dtype=dtype)})
    made = features(table)[1]
    assert made.shape == (6, 2)
    np.testing.assert_allclose(made[:, 0].mean(), 0, atol=1e-6)


def test_truth_values_with_gaps_are_categories():
    table = pd.DataFrame({"windy": pd.Series([True, None, False] * 2, dtype="boolean")})
    names = features(table)[0][:-1].get_feature_names_out()
    assert names.tolist() == ["windy=False", "windy=True", "windy=⟨missing⟩"]


def test_numbers_declared_categories_are_categories():
    table = pd.DataFrame({"zip": pd.Series([10115, 10115, 80331, None, 80331, 80331])})
    model, _ = features(table.astype("category"))
    names = model[:-1].get_feature_names_out().tolist()
    assert names == ["zip=10115", "zip=80331", "zip=⟨missing⟩"]


def test_unknown_categories_count_for_none():
    model, _ = features(pd.DataFrame(DAYS))
    strange = pd.DataFrame({**DAYS, "weather": ["hail"] * 6})
    assert not model[:-1].transform(strange)[:, 4:].any()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_missing_is_no_text(frame):
    model, made = features(frame({"a": ["missing", None, "b", "missing", "None", "nan"]}))
    names = model[:-1].get_feature_names_out().tolist()
    assert names == ["a=None", "a=b", "a=missing", "a=nan", "a=⟨missing⟩"]
    np.testing.assert_array_equal(made.argmax(axis=1), [2, 4, 1, 2, 0, 3])


def test_many_categories_are_sparse():
    table = pd.DataFrame({"name": [f"n{i}" for i in range(300)], "size": np.arange(300.0)})
    model = prepare(AveragedPerceptron(), table).fit(table, np.arange(300) % 2)
    assert sp.issparse(model[:-1].transform(table))
    assert model.score(table, np.arange(300) % 2) == 1.0


def test_a_column_without_values_is_no_trouble():
    table = pd.DataFrame({"a": np.arange(6.0), "none": [np.nan] * 6, "nothing": [None] * 6})
    assert features(table)[1].shape == (6, 4)


def test_arrays():
    X = np.array([[1.0, 10], [2, 20], [3, 60], [4, 10], [5, 0], [6, 1]])
    model, made = features(X)
    np.testing.assert_allclose(made, StandardScaler().fit_transform(X))
    assert [name for name, _ in model.steps] == ["prepare", "model"]
    np.testing.assert_array_equal(features(X, scale=False)[1], X)
    np.testing.assert_array_equal(features(X > 2)[1], X > 2)  # binary already
    binary = pd.DataFrame((X > 2).astype(int), columns=["a", "b"])
    np.testing.assert_array_equal(features(binary)[1], X > 2)
    assert features(sp.csr_matrix(X))[1].tolist() == X.tolist()


def test_unscaled_frames():
    table = pd.DataFrame({"degrees": DAYS["degrees"]})
    np.testing.assert_allclose(features(table, scale=False)[1][:, 0], [24, 12, 15, 21, 16.2, 9])


def test_any_estimator_and_any_configuration():
    table = pd.DataFrame(DAYS)
    with config_context(transform_output="pandas"):
        model = prepare(Logistic(), table).fit(table, OUT)
    assert model.predict(table).tolist() == OUT


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"holds timedelta64.*neither number nor category"):
        prepare(Perceptron(), pd.DataFrame({"took": pd.to_timedelta(["1 day"])}))
    with pytest.raises(ValueError, match="column 'took' of X holds timedelta64"):
        prepare(Perceptron(), pl.DataFrame({"took": [None]}).cast(pl.Duration))
    with pytest.raises(ValueError, match="column 'l' of X holds list"):
        prepare(Perceptron(), pd.DataFrame({"l": [[1], [2]]}))
    with pytest.raises(ValueError, match="two columns named 'a'"):
        prepare(Perceptron(), pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ValueError, match="texts need a pipeline that counts words"):
        prepare(Perceptron(), np.array(["some text", "more"], object))
    with pytest.raises(ValueError, match="contains NaN at row 0, column 1"):
        prepare(Perceptron(), [[1.0, float("nan")]])
    for numbers in ([1.0, np.inf], pd.Series([1, -np.inf], dtype=object)):
        with pytest.raises(ValueError, match=r"column 'a' of X has (minus )?infinity .* at row 1"):
            prepare(Perceptron(), pd.DataFrame({"a": numbers}))
    with pytest.raises(ValueError, match="write the parentheses"):
        prepare(Perceptron, [[1.0]])


def test_without_a_model_it_is_the_one_that_errs_least():
    table = pd.DataFrame(DAYS)
    for model in (prepare(table), prepare(X=table), prepare(None, table)):
        assert repr(model["model"]) == "LinearSVM()"
        assert model.fit(table, OUT).score(table, OUT) == 1
    assert (
        prepare(table, scale=False)["prepare"].transformers[0][1].steps[-1][0] != "standardscaler"
    )
    with pytest.raises(ValueError, match=r"prepare needs X, .* prepare\(model, X\)"):
        prepare(Perceptron())
    with pytest.raises(ValueError, match="prepare needs X"):
        prepare()


# --- texts and dates ----------------------------------------------------------------------------

WORDS = {"yes": ["free", "win", "now", "prize"], "no": ["see", "you", "soon", "lunch"]}


def notes(n=60):
    """Return a table with texts and dates, whose labels only the texts tell."""
    chance, rows = random.Random(0), []
    for k in range(n):
        kind = chance.choice(["yes", "no"])
        rows.append(
            {
                "note": " ".join(chance.choices(WORDS[kind], k=5)) + f" {k}!",
                "size": chance.random(),
                "joined": f"{chance.randint(1, 28)}.{chance.randint(1, 12)}.2024",
                "city": chance.choice(["Oslo", "Rome"]),
                "kind": kind,
            }
        )
    return rows


def columns_of_steps(model):
    return {name: columns for name, _, columns in model["prepare"].transformers}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_texts_are_cut_into_words_as_train_does(frame, tmp_path):
    table = pd.DataFrame(notes())
    X, y = frame(table.drop(columns="kind").to_dict("list")), table["kind"].tolist()
    model = prepare(LogisticRegression(), X).fit(X, y)
    wanted = {"numbers": ["size"], "dates": ["joined"], "categories": ["city"], "texts": ["note"]}
    assert columns_of_steps(model) == wanted
    assert model.score(X, y) == 1
    names = model[:-1].get_feature_names_out().tolist()
    assert {"note=free", "note=!", "note=99", "joined", "city=Oslo"} <= set(names)
    # The words and their weights are those of a file of the same rows.
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    read = read_table(
        [path], Reading(labelled=True, dtype="float64"), dense=False, count_words=True
    )
    scaled = ScaledRows(Shared(read.columns)).fit(read.X).transform(read.X).toarray()
    made = model[:-1].transform(X)
    made = made.toarray() if sp.issparse(made) else made
    for name in names:
        mine = made[:, names.index(name)]
        own = scaled[:, read.names.index(name.removeprefix("note="))]
        np.testing.assert_allclose(mine, own, rtol=1e-6, atol=1e-9)
    binary = prepare(Perceptron(), X, scale=False).fit(X, y)[:-1].transform(X)
    binary = binary.toarray() if sp.issparse(binary) else binary
    assert np.isin(binary[:, [k for k, name in enumerate(names) if "note=" in name]], (0, 1)).all()


def test_texts_that_are_to_stay_whole_or_are_missing():
    table = pd.DataFrame(notes())
    table["note"] = table["note"].astype("category")
    assert columns_of_steps(prepare(table))["categories"] == ["note", "city", "kind"]
    table = pd.DataFrame(notes()).assign(other=lambda t: t["note"].str.upper())
    table.loc[3, "note"] = None
    model = prepare(Perceptron(), table).fit(table, table["kind"])
    assert columns_of_steps(model)["texts"] == ["note", "other"]
    assert {"note=free", "other=free"} <= set(model[:-1].get_feature_names_out())
    few = pd.DataFrame(notes(10))
    assert "texts" not in columns_of_steps(prepare(few))  # too few to tell


TIMES = pd.to_datetime(
    ["1970-01-02 00:00", None, "1970-01-05 12:00", "1970-01-01 00:00"], format="%Y-%m-%d %H:%M"
)


@pytest.mark.parametrize(
    "dates",
    [
        TIMES,
        [
            datetime.date(1970, 1, 2),
            None,
            datetime.datetime(1970, 1, 5, 12),
            datetime.date(1970, 1, 1),
        ],
        ["1970-01-02", None, "1970-01-05T12:00", "1970-01-01"],
        ["2.1.1970", "?", "5.1.1970 12:00", "1.1.1970"],
        ["Jan 2, 1970", "", "Jan 5, 1970 12:00", "Jan 1, 1970"],
        TIMES.tz_localize("UTC"),
    ],
    ids=["datetime64", "objects", "ISO", "German", "American", "zone"],
)
def test_dates_are_days(dates):
    table = pd.DataFrame({"when": dates, "n": [1.0, 2, 3, 4]})
    model = prepare(Perceptron(), table, scale=False).fit(table, [0, 1, 1, 0])
    assert columns_of_steps(model) == {"numbers": ["n"], "dates": ["when"], "gaps": ["when"]}
    made = model[:-1].transform(table)
    np.testing.assert_allclose(made[:, 1], [1, 5.5 / 3, 4.5, 0])
    np.testing.assert_array_equal(made[:, 2], [0, 1, 0, 0])
    assert model[:-1].get_feature_names_out().tolist() == ["n", "when", "missingindicator_when"]
    with pytest.raises(ValueError, match="column 'when' of X holds dates, and 'soon' is none"):
        model.predict(table.assign(when=["soon"] * 4))
    nothing = pl.DataFrame({"when": [None, None], "n": [1, 2]}).cast({"when": pl.Date})
    assert prepare(Perceptron(), nothing).fit(nothing, [0, 1]).predict(nothing).shape == (2,)


def test_dates_of_two_formats():
    table = pd.DataFrame({"a": ["1970-01-02", "1970-01-03"], "b": ["3.1.1970", "4.1.1970"]})
    model = prepare(Perceptron(), table, scale=False).fit(table, [0, 1])
    assert model[:-1].transform(table).tolist() == [[1, 2], [2, 3]]


def test_compare_says_what_became_of_columns():
    table = pd.DataFrame(notes())
    X, y = table.drop(columns="kind"), table["kind"]
    found = compare(X, y, models=["Perceptron", "LogisticRegression"], orders=1)
    assert found.best.accuracy > 0.9
    assert found.notes == ("joined: as days since 1970", "note: cut into words")
    assert str(found).endswith("joined: as days since 1970\nnote: cut into words")
    assert "note: cut into words" in found._repr_html_()


def test_dates_among_words_are_categories():
    """A word for missing dates, which `train` recognises, is no date here."""
    days = pd.date_range("2024-01-01", periods=40).strftime("%d.%m.%Y").tolist()
    table = pd.DataFrame({"when": [*days, "unknown", "unknown"], "n": np.arange(42.0)})
    model = prepare(table).fit(table, np.arange(42) % 2)
    assert columns_of_steps(model) == {"numbers": ["n"], "categories": ["when"]}


_STARTS = pd.date_range("2024-01-01", periods=20)
_COLUMNS = {
    "dates": _STARTS,
    "dates of a zone": _STARTS.tz_localize("Europe/Berlin"),
    "days": pd.Series([start.date() for start in _STARTS], dtype=object),
    "texts": pd.Series(["sunny", "rainy"] * 10),
    "categories": pd.Series(["sunny", "rainy"] * 10, dtype="category"),
    "durations": _STARTS - _STARTS[0],
    "periods": _STARTS.to_period("M"),
    "times": pd.Series([start.time() for start in _STARTS], dtype=object),
    "lists": pd.Series([[1, 2]] * 20),
    "complex": np.arange(20) * 1j,
}


@pytest.mark.parametrize("kind", _COLUMNS)
def test_what_fit_advises_is_not_refused(kind):
    """An error that sends people to `prepare` must not be followed by one that sends them back."""
    frame = pd.DataFrame({"n": range(20), "x": _COLUMNS[kind]})
    labels = [0, 1] * 10
    with pytest.raises(ValueError, match=r"column 'x' of X has .* which is not a number") as caught:
        Perceptron().fit(frame, labels)
    if "rosenblatt.prepare(model, X)" in str(caught.value):
        assert kind in ("dates", "dates of a zone", "days", "texts", "categories")
        assert prepare(Perceptron(), frame).fit(frame, labels).predict(frame).shape == (20,)
    else:
        advice = str(caught.value).partition("not a number. ")[2]
        assert advice.startswith("Drop the column or make numbers of it first")
        with pytest.raises(ValueError, match="neither number nor category") as again:
            prepare(Perceptron(), frame)
        assert str(again.value).endswith(advice)


def test_numbers_of_durations_are_learned_from():
    frame = pd.DataFrame({"x": (_STARTS - _STARTS[0]).total_seconds()})
    assert prepare(Perceptron(), frame).fit(frame, [0, 1] * 10).predict(frame).shape == (20,)
