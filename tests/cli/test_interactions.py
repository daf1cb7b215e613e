"""``--interactions``: the same products whatever the format, and in all that a model does later."""

import copy
import json
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from rosenblatt import OnlineClassifier, OnlineRegressor
from rosenblatt.distributed import fit
from tests.cli.test_same_row import as_csv, as_lines, as_values, rows_of
from tests.distributed.eager import Eager

INTERACTIONS = ["user*ad", "n*m", "m*m", "city*n*m", "user*user"]
GIVEN = [word for each in INTERACTIONS for word in ("--interactions", each)]
ONCE = ("--passes", "1", "--no-shuffle", "-q", "--no-average")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def clicks(n=700):
    chance, rows = random.Random(4), []
    for _ in range(n):
        user, ad = chance.randrange(9), chance.randrange(6)
        n, m = round(chance.gauss(3, 1), 3), round(chance.random(), 3)
        row = {"user": f"u{user}", "ad": f"a{ad}", "city": chance.choice("xyz"), "n": n, "m": m}
        rows.append(row | {"label": "yes" if (user + ad) % 2 == (chance.random() < 0.9) else "no"})
    return rows


def write(rows):
    Path("t.csv").write_text(as_csv(rows))
    Path("t.jsonl").write_text(as_lines(rows))
    lines = [
        f"{x['label']} | user={x['user']} ad={x['ad']} city={x['city']} n:{x['n']} m:{x['m']}\n"
        for x in rows
    ]
    Path("t.vw").write_text("".join(lines))


def weights(model):
    names = model.feature_names_
    found = np.append(model.coef_[0], model.intercept_)
    return found.tolist() if names is None else dict(zip([*names, ""], found, strict=True))


@pytest.mark.parametrize("bits", [None, 18])
@pytest.mark.parametrize("learner", ["logistic", "averaged"])
def test_files_and_dicts_give_the_same_model_to_the_last_bit(ros, learner, bits):
    rows = clicks()
    write(rows)
    more = (*ONCE[:-1], "--learner", learner, *(() if bits is None else ("--bits", bits)))
    models = []
    for name in ("t.csv", "t.jsonl", "t.vw"):
        ros("train", name, "-o", f"{name}.model", *more, *GIVEN)
        models.append(rosenblatt.load(f"{name}.model"))
    # In row order, as Vowpal Wabbit has it where names are hashed; here a part has one feature.
    alone = OnlineClassifier(learner, bits=bits, interactions=INTERACTIONS)
    for row in rows:
        x = dict(row)
        alone.learn_one(x, x.pop("label"))
    for model in (*models[1:], alone):
        assert weights(model) == weights(models[0])
        assert model.interactions == INTERACTIONS
    if bits is None:
        names = set(alone.feature_names_)
        assert {"user=u1*ad=a1", "n*m", "m*m", "user=u1*user=u1", "city=x*n*m"} <= names
        assert not {"ad=a1*user=u1", "m*n"} & names
        wanted = {row["user"] + row["ad"] for row in rows}
        assert len([name for name in names if "*ad=" in name]) == len(wanted)


def test_blocks_of_any_size_give_the_same_model(ros, monkeypatch):
    write(clicks(300))
    given = ("-q", *GIVEN, *ONCE[:-1])
    for name in ("t.jsonl", "t.vw"):
        ros("train", name, "-o", "whole.model", *given)
        with monkeypatch.context() as patch:
            patch.setattr("rosenblatt.readers.jsonl.MOST_ROWS", 7)
            patch.setattr("rosenblatt.readers.chunks.BufferPool.__init__.__defaults__", (256,))
            ros("train", name, "-o", "small.model", *given)
        whole, small = (rosenblatt.load(f"{size}.model") for size in ("whole", "small"))
        assert weights(whole) == weights(small)
        assert whole.feature_names_ != small.feature_names_  # so that there were other blocks


def test_scores_of_files_and_dicts_are_the_same(ros):
    rows = clicks()
    write(rows)
    ros("train", "t.csv", "-o", "m.model", "-q", *GIVEN)
    wanted = ros("predict", "m.model", "t.csv", "--scores").out
    assert ros("predict", "m.model", "t.jsonl", "--scores").out == wanted
    model = rosenblatt.load("m.model")
    scores = [float(line.split(",")[-1]) for line in wanted.splitlines()[1:]]
    for row, score in zip(rows[:50], scores, strict=False):
        assert model.scores_one(row)["yes"] == pytest.approx(score, rel=2e-5, abs=2e-5)
    plain = ros("train", "t.csv", "-q", *ONCE, "--test", "t.csv", "--json").json
    found = ros("train", "t.csv", "-q", *ONCE, *GIVEN, "--test", "t.csv", "--json").json
    assert found["test"]["accuracy"] > plain["test"]["accuracy"] + 0.2
    assert found["mistakes"] < plain["mistakes"]
    assert "\nproducts    user*ad\n" in ros("train", "t.csv", "--interactions", "user*ad").out


OPTIONS = ["", "--bits 18", "--learner averaged --ngrams 2"]


@pytest.mark.parametrize("options", OPTIONS)
def test_texts_dates_and_missing_values(ros, options):
    rows = rows_of(300)
    Path("t.csv").write_text(as_csv(rows))
    Path("t.jsonl").write_text(as_lines(map(as_values, rows)))
    given = ("--interactions", "note*city", "--interactions", "age*joined", *options.split())
    ros("train", "t.csv", "-o", "m.model", "-q", *given)
    wanted = ros("predict", "m.model", "t.csv", "--scores").out
    assert ros("predict", "m.model", "t.jsonl", "--scores").out == wanted
    model = rosenblatt.load("m.model")
    scores = [float(line.split(",")[-1]) for line in wanted.splitlines()[1:]]
    for row, score in zip(rows[:30], scores, strict=False):
        for x in (row, as_values(row)):
            assert model.scores_one(x)["yes"] == pytest.approx(score, rel=2e-5, abs=2e-5)
    if "bits" not in options:
        names = set(model.feature_names_)
        assert {"note=free*city=Oslo", "note=free*city=", "age*joined", "age=*joined"} <= names
        assert "free" not in names


@pytest.mark.parametrize("text", [True, False])
def test_learning_on_from_dicts_is_learning_from_the_file(ros, text):
    rows = rows_of(300, text)
    Path("first.csv").write_text(as_csv(rows[:200]))
    Path("all.csv").write_text(as_csv(rows))
    given = ("--interactions", "city*code", "--interactions", "age*price", *ONCE)
    ros("train", "first.csv", "-o", "m.model", *given)
    ros("train", "all.csv", "-o", "all.model", *given)
    model, whole = rosenblatt.load("m.model"), rosenblatt.load("all.model")
    for row in rows[200:]:
        model.learn_one(as_values(row), row["Target"])
    assert weights(model) == weights(whole)
    before = weights(model), model.t_
    for wrong in ({**rows[0], "age": "old"}, {"word": 1}, {**rows[0], "price": 1e300}, None):
        for call in (model.predict_one, model.scores_one, lambda x: model.learn_one(x, "yes")):
            with pytest.raises((ValueError, TypeError)):
                call(wrong)
    assert (weights(model), model.t_) == before


def test_what_is_wrong_with_a_dict_changes_nothing():
    model = OnlineClassifier(interactions=["*", "a*b*c"])
    for k in range(20):
        model.learn_one({"a": k, "b": "xy"[k % 2]}, k % 2)
    before = weights(model), model.t_, model.predict_one({"a": 3, "b": "x"})
    for x in ({"a": 1e30, "b": "new", "c": 1e30}, {"a": 1e39}, {"a": object()}, {"a": np.nan}):
        for call in (model.predict_one, lambda x: model.learn_one(x, 1)):
            with pytest.raises((ValueError, TypeError)):
                call(x)
    wide = {f"f{k}": 1 for k in range(400)}
    with pytest.raises(ValueError, match="80,200 products or more of this row"):
        model.learn_one(wide, 1)
    assert (weights(model), model.t_, model.predict_one({"a": 3, "b": "x"})) == before
    model.learn_one({"a": 1, "b": "z", "c": 2}, 1)  # with columns that others had before
    again = OnlineClassifier(interactions=["*", "a*b*c"])
    for k in range(20):
        again.learn_one({"a": k, "b": "xy"[k % 2]}, k % 2)
    again.learn_one({"a": 1, "b": "z", "c": 2}, 1)
    assert weights(model) == weights(again)
    assert {"a*b=z", "a*b=z*c"} <= set(model.feature_names_)


@pytest.mark.parametrize("bits", [None, 16])
def test_a_model_that_is_saved_copied_or_pickled_multiplies_as_before(bits, ros):
    rows = clicks(300)
    model = OnlineClassifier(bits=bits, interactions=("user*ad", "n*m"))
    for row in rows[:200]:
        x = dict(row)
        model.learn_one(x, x.pop("label"))
    rosenblatt.save(model, "m.model")
    others = [rosenblatt.load("m.model"), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    for row in rows[200:]:
        x = dict(row)
        label = x.pop("label")
        for one in (model, *others):
            one.learn_one(x, label, weight=2 if row["city"] == "x" else 1)
    for one in others:
        assert weights(one) == weights(model)
        assert one.scores_one(x) == model.scores_one(x)
    Path("t.jsonl").write_text(as_lines(rows))
    rosenblatt.save(model, "m.model")
    lines = ros("predict", "m.model", "t.jsonl").out.split()[1:]
    assert lines == [model.predict_one({**row, "label": None}) for row in rows]


def test_numbers_are_predicted_from_products(ros):
    chance = random.Random(1)
    rows = [{"a": chance.random(), "b": chance.random()} for _ in range(600)]
    rows = [row | {"y": 5 + 8 * row["a"] * row["b"]} for row in rows]
    Path("t.jsonl").write_text(as_lines(rows))
    given = ("train", "t.jsonl", "--learner", "regression", "--interactions", "a*b", *ONCE)
    ros(*given, "-o", "m.model")
    model, errors = rosenblatt.load("m.model"), []
    own, plain = OnlineRegressor(interactions=["a*b"]), OnlineRegressor()
    for row in rows:
        x = {"a": row["a"], "b": row["b"]}
        errors.append([abs(one.predict_one(x) - row["y"]) for one in (own, plain)])
        own.learn_one(x, row["y"])
        plain.learn_one(x, row["y"])
    np.testing.assert_array_equal(own.coef_, model.coef_)
    assert own.feature_names_ == ["a", "b", "a*b"]
    ours, theirs = np.mean(errors[300:], axis=0)
    assert ours < theirs / 2


def test_tune_compare_and_estimators(ros):
    write(clicks())
    given = ("--interactions", "user*ad")
    told = ros("tune", "t.csv", "-o", "m.model", "--folds", 2, *given)
    assert "rosenblatt train t.csv --learner logistic --interactions 'user*ad'" in told.out
    assert ros("evaluate", "m.model", "t.jsonl", "--json").json["accuracy"] > 0.8
    plain, found = (
        ros("compare", "t.csv", "--learners", "logistic", "--json", *more).json
        for more in ((), given)
    )
    assert found["learners"][0]["error"] < plain["learners"][0]["error"] - 0.2
    ros("train", "t.csv", "-o", "n.model", "-q", "--learner", "naive-bayes", *given)
    assert ros("evaluate", "n.model", "t.csv", "--json").json["accuracy"] > 0.8
    for command in ("predict", "evaluate", "separate", "trace"):
        assert "--interactions" not in ros(command, "--help").out


@pytest.mark.parametrize("bits", [(), ("--bits", 18)])
def test_a_run_that_is_resumed_gives_the_same_model(ros, bits):
    write(clicks())
    args = ("train", "t.csv", "--passes", 4, *GIVEN, *bits)
    ros(*args, "-o", "a.model", "-q")
    kept = ("--checkpoint", "c", "--checkpoint-every", 1e-9)
    ros(*args, *kept, "-q")
    other = ("--interactions", "ad*user")
    said = ros("train", "t.csv", "--passes", 4, *other, *kept, "--resume", code=1).err
    assert "--interactions was user*ad, n*m, m*m, city*n*m, user*user and is now ad*user" in said
    ros(*args, *kept, "-o", "b.model", "--resume", "-q")
    assert weights(rosenblatt.load("a.model")) == weights(rosenblatt.load("b.model"))


@pytest.mark.parametrize("bits", [(), ("--bits", 18)])
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.vw"])
def test_on_a_cluster(ros, at_once, name, bits):
    write(clicks())
    given = ("--interactions", "user*ad", "--interactions", "n*m", *bits)
    for shards in (1, 3):
        cluster = ("--workers", 2, "--shards", shards, "--rounds", 4)
        ros("train", name, *cluster, *given, "-o", "m.model", "-q")
        assert ros("evaluate", "m.model", name, "--json").json["accuracy"] > 0.8
        assert rosenblatt.load("m.model").interactions == ["user*ad", "n*m"]


def test_examples_on_a_cluster():
    pairs = [({k: v for k, v in row.items() if k != "label"}, row["label"]) for row in clicks()]
    parts = [pairs[:400], pairs[400:]]
    for bits in (None, 18):
        model = OnlineClassifier(bits=bits, interactions=["user*ad"])
        fit(model, parts, client=Eager(), rounds=4)
        right = sum(model.predict_one(x) == label for x, label in pairs)
        assert right > 0.8 * len(pairs)
        model = OnlineClassifier(bits=bits, interactions=["*"])
        parts[1][7] = ({f"f{k}": 1 for k in range(400)}, "yes")
        with pytest.raises(ValueError, match=r"shard 1, example 7: .* 80,200 products"):
            fit(model, parts, client=Eager(), rounds=1)
        parts[1][7] = ({"a": 1e30, "b": 1e30}, "yes")
        with pytest.raises(ValueError, match="shard 1, example 7: a product of features is too"):
            fit(model, parts, client=Eager(), rounds=1)
        parts[1][7] = pairs[0]


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("t.csv", ["usr*ad"], "t.csv: there is no column 'usr' to multiply (--interactions); did"),
        ("t.csv", ["label*ad"], "column 'label' is the label, and cannot be multiplied"),
        ("t.csv", ["n*ad", "--drop", "n"], "column 'n' is dropped, and cannot be multiplied"),
        ("t.csv", ["n*ad", "--weight", "n"], "column 'n' is the weight, and cannot be"),
        ("t.csv", ["user*"], "an interaction has an empty part"),
        ("ids.csv", ["id*a"], "column 'id' is left out (nearly all values differ), and cannot be"),
        ("t.jsonl", ["usr*ad"], "no row has a feature of 'usr' to multiply (--interactions); did"),
        ("t.jsonl", ["label*ad"], "no row has a feature of 'label' to multiply (--interactions);"),
        ("t.vw", ["usr*ad"], "did you mean 'user'? The features' keys are 'user', 'ad'"),
        ("t.vw", ["usr*ad", "--bits", "18"], "did you mean 'user'? The features' keys are 'user'"),
        ("t.svm", ["1*2"], "t.svm: --interactions multiply features that have names, and svmlight"),
        ("t.txt", ["a*b"], "t.txt: --interactions multiply columns, and lines of text have only"),
        ("wide.csv", ["*"], "wide.csv:2: the interactions make 80,200 products or more of this"),
    ],
)
def test_what_cannot_be_multiplied(ros, name, given, said):
    write(clicks(60))
    ids = "".join(f"k{k},{k % 3},{'yn'[k % 2]}\n" for k in range(50))
    Path("ids.csv").write_text("id,a,label\n" + ids)
    Path("t.svm").write_text("1 1:2 3:4\n-1 1:3\n")
    Path("t.txt").write_text("spam\tfree offer\nham\tsee you\n")
    header = ",".join(f"c{k}" for k in range(400))
    numbers = ["".join(f"{k * j % 7}.5," for k in range(400)) + "yn"[j % 2] for j in range(30)]
    Path("wide.csv").write_text(f"{header},label\n" + "\n".join(numbers) + "\n")
    assert said in ros("train", name, "-q", "--interactions", *given, code=1).err


def test_what_is_no_interaction_is_an_error_of_usage(ros):
    write(clicks(60))
    for command in ("train", "tune", "compare"):
        assert "has one part" in ros(command, "t.csv", "--interactions", "a", code=2).err
    for wrong in (["a"], "a*b", ["a*b", "b*a"]):
        with pytest.raises(ValueError, match="interaction"):
            OnlineClassifier(interactions=wrong)


def test_a_later_table_must_have_the_columns(ros):
    rows = clicks(60)
    write(rows)
    ros("train", "t.csv", "-o", "m.model", "-q", "--interactions", "user*ad")
    Path("u.csv").write_text(as_csv([{"users": x["user"], "ad": x["ad"], "n": 1} for x in rows]))
    said = "u.csv: there is no column 'user' to multiply (--interactions); did you mean 'users'?"
    assert said in ros("predict", "m.model", "u.csv", code=1).err
    # A row of JSON may lack any key, as everywhere.
    Path("u.jsonl").write_text(json.dumps({"ad": "a1"}) + "\n")
    assert ros("predict", "m.model", "u.jsonl").out
