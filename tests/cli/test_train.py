"""``rosenblatt train``."""

import json
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import OnlineClassifier, load
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.readers.names import Hashed, Kept
from rosenblatt.training import estimators
from rosenblatt.training.summary import prose_among
from tests.stream.test_classifier import stream_of, write_vw

KEYS = {
    "learner",
    "predicts_with",
    "l2",
    "label",
    "columns",
    "missing",
    "classes",
    "files",
    "examples",
    "features",
    "passes",
    "mistakes",
    "losses",
    "log_losses",
    "validation",
    "validation_log_loss",
    "validation_auc",
    "best_pass",
    "retrained",
    "unlabelled",
    "skipped",
    "weights_ignored",
    "seconds",
    "bytes",
    "mb_per_second",
    "test",
    "model",
    "model_bytes",
    "notes",
}
CLASSIFIERS = [name for name in trainable() if name != "regression"]


@pytest.mark.parametrize(
    "file", ["train.svm", "train.vw", "train.csv", "train.tsv", "train.svm.gz"]
)
def test_formats_are_recognised(ros, folder, file):
    found = ros("train", file, "--json").json
    assert found["examples"] == 300
    assert len(found["classes"]) == 2
    assert found["mistakes"][-1] < 40


def test_the_label_of_json_lines_is_named(ros, folder):
    found = ros("train", "train.jsonl", "--label", "bought", "--json").json
    assert found["classes"] == ["no", "yes"]
    assert found["mistakes"] == ros("train", "train.csv", "--json").json["mistakes"]


def test_arrays_have_labels_beside_them(ros, folder):
    found = ros("train", "train.npy", "--labels", "train-labels.npy", "--json").json
    assert (found["examples"], found["features"]) == (300, 2)
    assert found["mistakes"][-1] < 90  # the city is not among the numbers


def test_texts_and_parquet(ros, folder):
    assert ros("train", "mails.txt", "--json").json["mistakes"][-1] == 0
    pytest.importorskip("pyarrow")
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv("train.csv"), "train.parquet")
    found = ros("train", "train.parquet", "--json").json
    assert found["mistakes"] == ros("train", "train.csv", "--json").json["mistakes"]


def test_json_has_all_and_nothing_else(ros, folder):
    done = ros("train", "train.svm", "-o", "new.model", "--test", "test.svm", "--json", "-q")
    assert done.out.count("\n") == 1
    assert done.err == ""
    assert done.json.keys() == KEYS
    assert done.json["model"] == "new.model"
    assert done.json["model_bytes"] == Path("new.model").stat().st_size
    assert done.json["test"]["examples"] == 100
    assert 0.8 < done.json["test"]["accuracy"] <= 1


def test_with_json_progress_goes_on_elsewhere(ros, folder):
    done = ros("train", "train.svm", "--json")
    assert done.json["examples"] == 300
    assert done.err.startswith("pass ")


def test_arrays_for_a_test_need_labels_of_their_own(ros, folder):
    args = ("train", "train.npy", "--labels", "train-labels.npy", "--test", "test.npy")
    assert "none of the 100 rows has a label" in ros(*args, code=1).err


def test_what_is_wrong_with_the_test_does_not_cost_the_model(ros, folder):
    Path("bad.svm").write_text("+1 1:x\n")
    ros("train", "train.svm", "-o", "new.model", "--test", "bad.svm", code=1)
    assert Path("new.model").exists()
    done = ros("train", "train.svm", "-o", "other.model", "--test", "nothing.svm", code=1)
    assert done.err.startswith("rosenblatt: there is no file nothing.svm")
    assert not Path("other.model").exists()


def test_quiet_prints_results_only(ros, folder):
    done = ros("train", "train.svm", "-o", "new.model", "--quiet")
    assert (done.out, done.err) == ("", "")
    done = ros("train", "train.svm", "-o", "new.model", "--test", "test.svm", "-q")
    assert done.err == ""
    assert done.out.startswith("test ")
    assert done.out.count("\n") == 1


def test_without_output_nothing_is_saved_and_that_is_said(ros, folder):
    before = sorted(folder.iterdir())
    done = ros("train", "train.svm")
    assert "nothing; -o FILE saves the model" in done.out
    assert sorted(folder.iterdir()) == before


def test_lines_tell_how_it_goes(ros, folder):
    many = "".join(Path("train.svm").read_text() for _ in range(20))
    Path("many.svm").write_text(many)
    done = ros("train", "many.svm", "--passes", "2")
    title, *lines = done.err.splitlines()
    assert " ".join(title.split()) == (
        "pass examples mistakes since last total log loss examples/s time left"
    )
    assert all(len(line) <= 80 for line in lines)
    passes = [line.split()[0] for line in lines]
    assert passes == sorted(passes)
    assert set(passes) == {"1", "2"}
    last = lines[-1].split()
    assert last[1] == "6,000"
    found = ros("train", "many.svm", "--passes", "2", "--json").json
    assert last[2].replace(",", "") == str(found["mistakes"][-1])


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_every_learner_learns_and_is_saved(ros, folder, learner):
    done = ros(
        *("train", "train.csv", "-o", "new.model", "--learner", learner),
        *("--test", "test.csv", "--json"),
    )
    assert done.json["learner"] == learner
    assert done.json["test"]["accuracy"] > 0.8
    judged = ros("evaluate", "new.model", "test.csv", "--json").json
    assert judged["accuracy"] == done.json["test"]["accuracy"]
    assert judged["learner"] == learner


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_hashed_names(ros, folder, learner):
    done = ros(
        *("train", "train.csv", "-o", "new.model", "--learner", learner),
        *("--bits", "6", "--test", "test.csv", "--json"),
    )
    assert done.json["features"] == 64
    assert done.json["test"]["accuracy"] > 0.8
    assert ros("evaluate", "new.model", "test.csv", "--json").json["accuracy"] > 0.8


def test_regression(ros, folder):
    done = ros("train", "houses.csv", "--learner", "regression", "-o", "new.model", "--json")
    assert done.json["classes"] is None
    assert done.json["losses"][-1] < done.json["losses"][0]
    judged = ros("evaluate", "new.model", "houses.csv", "--json").json
    assert judged["r2"] > 0.95
    lines = ros("train", "houses.csv", "--learner", "regression", "--passes", "3")
    assert "rmse" in lines.out
    assert "rmse since" in lines.err


def test_many_classes(ros, folder):
    rows = [f"{y} {y}:1 {y + 10}:{k % 3}.5\n" for k in range(20) for y in range(1, 8)]
    Path("seven.svm").write_text("".join(rows))
    for learner in CLASSIFIERS:
        found = ros("train", "seven.svm", "--learner", learner, "--json", "-o", "s.model").json
        assert found["classes"] == [1, 2, 3, 4, 5, 6, 7]
        assert ros("evaluate", "s.model", "seven.svm", "--json").json["mistakes"] == 0


def test_closed_forms_are_those_of_fit(ros, folder):
    from rosenblatt import LinearDiscriminant
    from rosenblatt.readers.matrix import read

    ros("train", "train.svm", "--learner", "discriminant", "-o", "new.model", "--float64", "-q")
    X, y = read("train.svm", zero_based=True)
    np.testing.assert_allclose(
        load("new.model").coef_, LinearDiscriminant().fit(X, y.astype(int)).coef_, rtol=1e-9
    )


def test_the_distribution_of_naive_bayes_is_told_from_the_values(ros, folder):
    found = ros("train", "mails.csv", "--text", "body", "--learner", "naive-bayes", "--json").json
    assert any("multinomial" in note for note in found["notes"])
    Path("flags.svm").write_text("1 1:1 2:1\n2 2:1\n1 1:1\n")
    found = ros("train", "flags.svm", "--learner", "naive-bayes", "--json").json
    assert any("bernoulli" in note for note in found["notes"])
    found = ros("train", "train.csv", "--learner", "naive-bayes", "--json").json
    assert any("gaussian" in note for note in found["notes"])
    ros("train", "train.csv", "--learner", "naive-bayes", "--distribution", "bernoulli")


def test_a_discriminant_of_thousands_of_features_is_refused(ros, tmp_path, monkeypatch):
    monkeypatch.setattr(estimators, "_MOST_PAIRED", 5)
    path = tmp_path / "mails.txt"
    lines = [f"{'spam' if k % 2 else 'ham'}\t{word} not{word}\n" for k, word in enumerate("abcdef")]
    path.write_text("".join(lines))
    told = ros("train", path, "--learner", "discriminant", code=1).err
    assert "all pairs of the 12 features" in " ".join(told.split())
    path.write_text("".join(lines[:5]))
    ros("train", path, "--learner", "discriminant")


def test_words_are_weighted_and_the_summary_says_so(ros, folder):
    told = ros("train", "mails.csv", "--text", "body", "-o", "m.model").out
    assert "words are weighted, rare ones most (--scale)" in told
    assert load("m.model")._names.counts_words
    plain = ros("train", "mails.csv", "--text", "body", "--scale", "numbers", "-o", "n.model").out
    assert "weighted" not in plain
    assert not load("n.model")._names.counts_words
    for model in ("m.model", "n.model"):  # and is read in the same way again
        found = ros("evaluate", model, "mails.csv", "--json").json
        assert found["accuracy"] > 0.9


def test_standard_input(ros, folder):
    text = Path("train.svm").read_bytes()
    piped = ros("train", "-", "--json", "-o", "a.model", stdin=text).json
    read = ros("train", "train.svm", "--json", "-o", "b.model").json
    assert piped["mistakes"] == read["mistakes"]
    np.testing.assert_array_equal(load("a.model").coef_, load("b.model").coef_)
    for learner in ("naive-bayes", "batch", "regression"):
        ros("train", "-", "--learner", learner, stdin=text)


def test_patterns_and_several_files(ros, folder):
    both = ros("train", "tr*n.svm", "valid.svm", "--json").json
    assert both["examples"] == 400
    assert [name for name, _ in both["files"]] == ["train.svm", "valid.svm"]


@pytest.mark.parametrize("learner", ["averaged", "naive-bayes", "regression"])
def test_without_a_cache_the_result_is_the_same(ros, folder, learner):
    args = ("train", "train.svm", "--learner", learner, "-q")
    ros(*args, "-o", "a.model")
    ros(*args, "-o", "b.model", "--no-cache")
    assert Path("a.model").read_bytes() == Path("b.model").read_bytes()


def test_the_same_run_gives_the_same_file(ros, folder):
    for learner in ("voted", "logistic", "centroid"):
        args = ("train", "train.csv", "--learner", learner, "-q")
        ros(*args, "-o", "a.model")
        ros(*args, "-o", "b.model")
        assert Path("a.model").read_bytes() == Path("b.model").read_bytes()


def test_validation_keeps_the_best_pass(ros, folder):
    found = ros("train", "train.svm", "--validation", "valid.svm", "-o", "a.model", "--json").json
    assert len(found["validation"]) == found["passes"]
    assert found["best_pass"] == found["validation"].index(min(found["validation"])) + 1
    judged = ros("evaluate", "a.model", "valid.svm", "--json").json
    assert judged["mistakes"] / judged["examples"] == pytest.approx(min(found["validation"]))
    best = found["best_pass"] - 1
    assert judged["log_loss"] == found["validation_log_loss"][best]
    assert judged["auc"] == found["validation_auc"][best]
    told = ros("train", "train.svm", "--validation", "valid.svm")
    title, *lines = told.err.splitlines()
    assert title.split()[-5:] == ["validation", "its", "log", "loss", "AUC"]
    assert max(map(len, [title, *lines])) <= 80
    assert f"AUC {judged['auc']:.4f}\n" in told.out
    assert float(lines[best].split()[-1]) == pytest.approx(judged["auc"], abs=1e-4)
    passes = ("--passes", found["best_pass"])
    ros("train", "train.svm", *passes, "-o", "b.model", "-q")
    np.testing.assert_array_equal(load("a.model").coef_, load("b.model").coef_)


def test_retraining_uses_all_files(ros, folder):
    args = ("train", "train.svm", "--validation", "valid.svm", "--retrain", "--json")
    found = ros(*args, "-o", "a.model").json
    assert found["retrained"]
    assert found["examples"] == 400
    ros("train", "train.svm", "valid.svm", "--passes", found["best_pass"], "-o", "b.model", "-q")
    np.testing.assert_array_equal(load("a.model").coef_, load("b.model").coef_)
    told = ros(*args[:-1])
    assert "retrained on all files" in told.out
    assert "validation" in told.err


def test_a_sorted_file_is_noticed(ros, folder):
    lines = sorted(Path("train.svm").read_text().splitlines(keepends=True))
    Path("sorted.svm").write_text("".join(lines))
    assert "shuf" in ros("train", "sorted.svm", "--no-shuffle").err
    assert "shuf" not in ros("train", "train.svm", "--no-shuffle").err


def test_a_sorted_file_is_learned_as_well_as_a_shuffled_one(ros, folder):
    lines = sorted(Path("train.svm").read_text().splitlines(keepends=True))
    Path("sorted.svm").write_text("".join(lines))
    right = [
        ros("train", name, "--test", "test.svm", "--json").json["test"]["accuracy"]
        for name in ("train.svm", "sorted.svm")
    ]
    assert abs(right[0] - right[1]) < 0.02


def test_importance_weights(ros, folder):
    lines = ["1 2 |n a:1\n", "-1 1 |n b:1\n", "1 0 |n b:5\n"] * 10
    Path("weighted.vw").write_text("".join(lines))
    assert ros("train", "weighted.vw", "--json").json["weights_ignored"] == 0
    done = ros("train", "weighted.vw", "--learner", "logistic", "--ignore-weights")
    assert "the importance weights of 20 rows were ignored" in done.err
    for learner in ("naive-bayes", "batch", "regression"):
        ros("train", "weighted.vw", "--learner", learner, "-o", "m.model")
    weights = load("m.model").coef_.tolist()
    ros("train", "weighted.vw", "--learner", "regression", "--ignore-weights", "-o", "m.model")
    assert load("m.model").coef_.tolist() != weights
    Path("nothing.vw").write_text("1 0 |n a:1\n-1 0 |n b:1\n")
    for learner in ("logistic", "regression"):
        done = ros("train", "nothing.vw", "--learner", learner, code=1)
        assert "all examples have importance weight 0" in done.err


@pytest.mark.slow
@pytest.mark.parametrize("learner", trainable(ONLINE))
def test_importance_weights_of_every_learner(ros, folder, learner):
    lines = ["a 2 |n x:1\n", "b 1 |n y:1\n", "c 0.5 |n z:1\n", "a 0 |n z:5\n"] * 10
    Path("weighted.vw").write_text("".join(lines))
    ros("train", "weighted.vw", "--learner", learner, "-o", "m.model")
    assert ros("evaluate", "m.model", "weighted.vw", "--json").json["accuracy"] == 1


def test_bad_lines_can_be_skipped(ros, folder):
    lines = Path("train.svm").read_text().splitlines(keepends=True)
    lines[3:3] = ["+1 1:abc\n", "+1 2:1:2\n"]
    Path("bad.svm").write_text("".join(lines))
    assert ros("train", "bad.svm", code=1).err.splitlines()[-1].startswith("rosenblatt: bad.svm:4:")
    done = ros("train", "bad.svm", "--on-error", "skip")
    assert "skipped     2 lines" in done.out
    assert "bad.svm:4:" in done.out
    found = ros("train", "bad.svm", "--on-error", "skip", "--no-cache", "--json").json
    assert found["skipped"]["count"] == 2
    assert len(found["skipped"]["messages"]) == 2
    assert found["examples"] == 300


def test_rows_without_a_label_are_counted(ros, folder):
    rows = [json.loads(line) for line in Path("train.jsonl").read_text().splitlines()]
    for row in rows[::3]:
        del row["bought"]
    Path("some.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = ros("train", "some.jsonl", "--label", "bought", "--json").json
    assert (found["examples"], found["unlabelled"]) == (200, 100)
    assert "100 rows without a label" in ros("train", "some.jsonl", "--label", "bought").out
    for learner in ("naive-bayes", "batch"):
        args = ("--label", "bought", "--learner", learner, "--json")
        assert ros("train", "some.jsonl", *args).json["examples"] == 200


def test_options_reach_the_learner(ros, folder):
    ros("train", "train.svm", "--no-intercept", "-o", "a.model", "-q")
    assert load("a.model").intercept_.tolist() == [0]
    ros("train", "train.svm", "--float64", "-o", "a.model", "-q")
    assert load("a.model").coef_.dtype == np.float64
    ros("train", "train.csv", "--classes", "maybe,no,yes", "-o", "a.model", "-q")
    assert load("a.model").classes_.tolist() == ["maybe", "no", "yes"]
    ros("train", "train.svm", "--classes", "1,-1", "-o", "a.model", "-q")
    assert load("a.model").classes_.tolist() == [-1, 1]
    first = ros("train", "train.svm", "--learner", "svm", "--eta0", "0.5", "--json").json
    second = ros("train", "train.svm", "--learner", "svm", "--eta0", "0.001", "--json").json
    assert first["mistakes"] != second["mistakes"]
    ros("train", "train.svm", "--ties", "positive", "--learner", "perceptron")
    dropped = ros("train", "train.csv", "--drop", "city", "--drop", "age", "--json").json
    assert dropped["features"] == 1


def test_words_and_runs_of_words(ros, folder):
    args = ("train", "mails.csv", "--text", "body", "--label", "kind", "--json")
    one, two = ros(*args).json, ros(*args, "--ngrams", "2").json
    assert two["features"] > one["features"]
    assert two["mistakes"][-1] == 0


def test_a_report(ros, folder):
    ros("train", "train.svm", "--report", "out.html", "--test", "test.svm", "-q")
    assert "<html" in Path("out.html").read_text()


@pytest.mark.parametrize("learner", trainable(ONLINE))
def test_models_go_on_in_python(ros, folder, learner):
    ros("train", "train.csv", "-o", "new.model", "--learner", learner, "-q")
    model = load("new.model")
    assert model.predict_one({"age": 3.0, "visits": 2.0, "city": "Oslo"}) == "yes"
    model.learn_one({"age": 1.0, "shoes": 2.0}, "perhaps")
    assert model.classes_.tolist() == ["no", "perhaps", "yes"]


def test_text_read_as_a_category_is_pointed_out():
    names = Kept()
    names.columns([f"body=a text that is long enough, number {k}" for k in range(90)])
    assert prose_among(names, 100) == "body"
    assert prose_among(names, 1000) is None
    words = Kept()
    words.columns([f"city={k}" for k in range(90)])
    assert prose_among(words, 100) is None
    assert prose_among(Hashed(4), 100) is None


def test_outputs_must_not_meet(ros, folder):
    for options in (["--checkpoint", "m.model"], ["--report", "m.model"]):
        assert "the same file" in ros("train", "train.csv", "-o", "m.model", *options, code=2).err
    Path("notes.txt").write_text("keep me")
    found = ros("train", "train.csv", "-o", "m.model", "--checkpoint", "notes.txt", code=2)
    assert "not a complete checkpoint" in found.err
    assert Path("notes.txt").read_text() == "keep me"


def test_the_label_is_the_same_column_in_all_files(ros, folder):
    """A file without the label's column is not learned from by another column."""
    assert "bought" in ros("train", "train.csv", "new.csv", code=1).err
    assert "bought" in ros("train", "train.csv", "--test", "new.csv", code=1).err


def test_a_single_pass_learns_what_the_defaults_of_a_stream_learn(ros, folder):
    examples = list(stream_of(300))
    write_vw(Path("f.vw"), examples)
    found = ros("train", "f.vw", "-o", "m.model", "--passes", 1, "--json").json
    assert found["predicts_with"] == "last"
    model, file = OnlineClassifier(), load("m.model")
    for x, label in examples:
        model.learn_one(x, label)
    assert file._options == model._options
    assert found["mistakes"] == [model.n_mistakes_]
    np.testing.assert_array_equal(model.coef_, file.coef_)
    np.testing.assert_array_equal(model.intercept_, file.intercept_)


def test_which_weights_predict_is_said_and_can_be_chosen(ros, folder):
    for options, which in {
        (): "mean",
        ("--passes", 1): "last",
        ("--passes", 1, "--average"): "mean",
        ("--passes", 2, "--no-average"): "last",
        ("--passes", 1, "--learner", "averaged"): "mean",
        ("--passes", 1, "--learner", "perceptron"): "last",
    }.items():
        out = ros("train", "train.svm", *options).out
        assert f"; the {which} weights predict" in out.splitlines()[0]
    assert "weights predict" not in ros("train", "train.svm", "--learner", "voted").out
    error = ros("train", "train.svm", "--average", "--no-average", code=2).err
    assert "--average and --no-average cannot be combined" in error
