"""The same row has the same scores, whether it is CSV, a line of JSON, a dict or of a frame."""

import csv
import io
import json
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rosenblatt
from rosenblatt import OnlineClassifier
from rosenblatt.models.saving import load_with_extra
from tests.conftest import first_quick

COLUMNS = ["id", "age", "city", "price", "note", "joined", "code", "shop", "Target"]
WORDS = {"yes": ["free", "win", "now", "prize"], "no": ["see", "you", "soon", "lunch"]}


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def rows_of(n, text=True):
    """Return rows as they are in a table: numbers, categories, text, dates, missing values."""
    chance, rows = random.Random(0), []
    for k in range(n):
        label = chance.choice(["yes", "no"])
        age = chance.choice([str(chance.randint(18, 90)), f"{chance.random():.3f}", "", "-999"])
        note = " ".join(chance.choices(WORDS[label], k=5)) + f" {chance.choice('abc')} {k}"
        joined = f"{chance.randint(2010, 2024)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28)}"
        cells = f"k{k}", age, chance.choice(["Oslo", "Rome", "?", "12"]), f"${k * 37:,}.50", note
        cells = *cells, joined, chance.choice(["12", "47"]), "web", label
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
        if not text:
            del rows[-1]["note"]
    return rows


def as_csv(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_values(row):
    """Return a row as JSON has it: numbers are numbers, and what is missing is null."""
    found = {}
    for name, cell in row.items():
        number = cell.removeprefix("-").replace(".", "", 1).isdigit()
        found[name] = None if cell in ("", "?") else json.loads(cell) if number else cell
    return found


def as_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


OPTIONS = [
    "",
    "--bits 18",
    "--category code",
    "--scale numbers --ngrams 2",
    "--learner averaged",
    "--learner centroid",
]


@pytest.mark.parametrize("options", first_quick(OPTIONS, 3))
@pytest.mark.parametrize("text", [True, False])
def test_csv_json_lines_and_dicts(ros, options, text):
    rows = rows_of(300, text)
    Path("t.csv").write_text(as_csv(rows))
    Path("t.jsonl").write_text(as_lines(map(as_values, rows)))
    Path("strings.jsonl").write_text(as_lines(rows))
    mixed = [dict(random.Random(k).sample([*row.items()], len(row))) for k, row in enumerate(rows)]
    Path("mixed.jsonl").write_text(as_lines({**row, "other": [{"a": 1}]} for row in mixed))
    ros("train", "t.csv", "-o", "m.model", "-q", *options.split())
    wanted = ros("predict", "m.model", "t.csv", "--scores")
    for name in ("t.jsonl", "strings.jsonl", "mixed.jsonl"):
        told = ros("predict", "m.model", name, "--scores")
        assert (told.out, told.err) == (wanted.out, wanted.err), name
        found, table = (ros("evaluate", "m.model", file, "--json").json for file in (name, "t.csv"))
        assert found["mistakes"] == table["mistakes"]
    model = rosenblatt.load("m.model")
    if isinstance(model, OnlineClassifier):
        scores = [float(line.split(",")[-1]) for line in wanted.out.splitlines()[1:]]
        frame = pd.read_csv("t.csv", dtype={"code": object}).to_dict("records")
        for k, score in enumerate(scores[:50]):
            for x in (rows[k], as_values(rows[k]), mixed[k], frame[k]):
                assert model.scores_one(x)["yes"] == pytest.approx(score, abs=2e-5, rel=2e-5)
                assert model.predict_one(x) == ("yes" if score >= 0 else "no")


@pytest.mark.parametrize("text", [True, False])
def test_learning_on_from_dicts_is_learning_from_the_file(ros, text):
    rows = rows_of(300, text)
    Path("first.csv").write_text(as_csv(rows[:200]))
    Path("all.csv").write_text(as_csv(rows))
    once = ("--passes", "1", "--no-shuffle", "-q", "--no-average")
    ros("train", "first.csv", "-o", "m.model", *once)
    ros("train", "all.csv", "-o", "all.model", *once)
    model, whole = rosenblatt.load("m.model"), rosenblatt.load("all.model")
    for row in rows[200:]:
        model.learn_one(as_values(row), row["Target"])
    assert model.feature_names_ == whole.feature_names_
    np.testing.assert_array_equal(model.coef_, whole.coef_)
    # What is wrong with a dict changes nothing; weights are of use; and copies read as it does.
    before = model.feature_names_, model.t_
    for wrong in ({**rows[0], "age": "old"}, {"word": 1}, {**rows[0], "price": 1e300}, None):
        for call in (model.predict_one, model.scores_one, lambda x: model.learn_one(x, "yes")):
            with pytest.raises((ValueError, TypeError)):
                call(wrong)
        with pytest.raises((ValueError, TypeError)):
            model.learn_one(wrong, "yes", weight=2)
    model.learn_one({**rows[0], "city": "Nowhere"}, "yes", weight=0)
    assert (model.feature_names_, model.t_) == before
    model.learn_one({**rows[0], "city": "Bergen"}, "yes", weight=2)
    assert "city=Bergen" in model.feature_names_
    rosenblatt.save(model, "again.model")
    assert rosenblatt.load("again.model").scores_one(rows[1]) == model.scores_one(rows[1])


def test_columns_that_lines_of_json_do_not_have_are_named(ros):
    rows = rows_of(300)
    Path("t.csv").write_text(as_csv(rows))
    ros("train", "t.csv", "-o", "m.model", "-q")
    few = [{name: row[name] for name in ("age", "note", "Target")} for row in rows]
    Path("few.csv").write_text(as_csv(few))
    Path("few.jsonl").write_text(as_lines(few))
    table, lines = (
        ros("predict", "m.model", name, "--scores") for name in ("few.csv", "few.jsonl")
    )
    assert table.out == lines.out
    assert lines.err == table.err.replace("few.csv", "few.jsonl")
    assert "few.jsonl has no values for 5 columns that the model learned from ('city'" in lines.err
    Path("none.jsonl").write_text('{"a": 1, "b": 2}\n')
    told = ros("predict", "m.model", "none.jsonl", code=1).err
    assert "none.jsonl: none of the columns that the model learned from is here ('age', " in told


def test_dicts_for_a_model_that_learned_from_texts_in_json(ros):
    rows = [
        {"note": row["note"], "n": k, "id": k, "label": row["Target"]}
        for k, row in enumerate(rows_of(200))
    ]
    Path("t.jsonl").write_text(as_lines(rows))
    ros("train", "t.jsonl", "--text", "note", "--drop", "id", "-o", "m.model", "-q")
    out = ros("predict", "m.model", "t.jsonl", "--scores").out.splitlines()[1:]
    model = rosenblatt.load("m.model")
    for row, line in zip(rows[:20], out, strict=False):
        x = {name: row[name] for name in ("note", "n", "id")}
        assert model.scores_one(x)["yes"] == pytest.approx(float(line.split(",")[-1]), rel=2e-5)
    with pytest.raises(ValueError, match="the text 'note' must be a string"):
        model.predict_one({"note": 5})
    model.learn_one(rows[0], rows[0]["label"])  # the label in it is none of the features
    assert model.scores_one({"label": "yes"}) == model.scores_one({})
    assert not [name for name in model.feature_names_ if name.startswith("label")]


def test_a_model_that_says_nonsense_about_reading_takes_no_dicts(ros):
    Path("t.csv").write_text(as_csv(rows_of(60)))
    ros("train", "t.csv", "-o", "m.model", "-q")
    model, extra = load_with_extra("m.model")
    rosenblatt.save(model, "x.model", extra={"reading": {**extra["reading"], "ngrams": "x"}})
    model = rosenblatt.load("x.model")
    for call in (model.predict_one, lambda x: model.learn_one(x, "yes")):
        with pytest.raises(ValueError, match=r"does not say how to read a dict: .*ngrams"):
            call({"age": 5})


def test_a_label_that_no_line_has(ros):
    Path("t.jsonl").write_text(as_lines([{"a": k, "kind": "yn"[k % 2]} for k in range(9)]))
    told = ros("train", "t.jsonl", code=1).err
    assert "t.jsonl: no row has the key 'label', 'class', 'target' or 'y' of the label" in told
    assert "name it with --label; there are 'a', 'kind'" in told
    ros("train", "t.jsonl", "--label", "kind", "-q")
    Path("t.jsonl").write_text(as_lines([{"a": k % 2, "TARGET": "yn"[k % 2]} for k in range(9)]))
    assert ros("train", "t.jsonl", "--json").json["label"] == "TARGET"


def test_texts_and_dates_in_lines_of_json(ros):
    rows = [
        {name: row[name] for name in ("note", "joined", "code", "Target")} for row in rows_of(300)
    ]
    Path("t.jsonl").write_text(as_lines(rows))
    Path("u.jsonl").write_text(as_lines(rows[:100]))
    told = ros("train", "t.jsonl", "-o", "m.model", "--test", "u.jsonl")
    assert "\ntext        note, cut into words (--category keeps a column whole)\n" in told.out
    assert "\ndates       joined, as days since 1970\n" in told.out
    assert "looks like text" not in told.err
    assert ros("evaluate", "m.model", "t.jsonl", "--json").json["mistakes"] == 0
    out = ros("predict", "m.model", "t.jsonl", "--scores").out.splitlines()[1:]
    model = rosenblatt.load("m.model")
    for row, line in zip(rows[:20], out, strict=False):
        x = {name: row[name] for name in ("joined", "code", "note")}
        assert model.scores_one(x)["yes"] == pytest.approx(float(line.split(",")[-1]), rel=2e-5)
    for learner in ("centroid", "naive-bayes"):
        ros("train", "t.jsonl", "-o", "n.model", "-q", "--learner", learner, "--drop", "joined")
        assert ros("evaluate", "n.model", "t.jsonl", "--json").json["accuracy"] > 0.9
    ros("tune", "t.jsonl", "-o", "w.model", "-q", "--grid", "passes=3")
    assert ros("evaluate", "w.model", "t.jsonl", "--json").json["accuracy"] > 0.9
    found = ros("train", "t.jsonl", "--category", "note", "--json").json
    assert found["columns"] == {"joined": "date"}
    assert ros("compare", "t.jsonl", "--learners", "averaged", "--test", "u.jsonl").out


@pytest.mark.parametrize("options", [("--keep", "w"), ("--drop", "b")])
def test_a_text_twice_in_a_list_is_two_features_as_in_a_file(ros, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"w": ["p", "p", "q" if k % 3 else "r"], "b": k, "label": "yn"[k % 2]} for k in range(9)
    ]
    for name, part in (("t", rows), ("half", rows[:4])):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part))
        args = ("--passes", "1", "--quiet", *options)
        ros("train", f"{name}.jsonl", "-o", f"{name}.model", *args)
    model, whole = rosenblatt.load("half.model"), rosenblatt.load("t.model")
    for row in rows[4:]:
        model.learn_one({k: v for k, v in row.items() if k != "label"}, row["label"])
    assert np.array_equal(model.coef_, whole.coef_)
