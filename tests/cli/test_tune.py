"""``rosenblatt tune``: hold out, choose, learn anew, test once; save what other commands use."""

import json
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import LinearDiscriminant, load, select
from rosenblatt.learner_registry import trainable, tunable
from rosenblatt.model_selection.grid_option import grid_of

KEYS = {
    "learner",
    "chosen",
    "settings",
    "method",
    "scoring",
    "beyond_grid",
    "to_try",
    "validation_error",
    "validation_score",
    "majority_error",
    "beats_majority",
    "test",
    "examples",
    "weighted",
    "retrained_on",
    "features",
    "classes",
    "unlabelled",
    "command",
    "model",
}


def test_names_are_those_of_train():
    # What a kernel perceptron learns depends on its settings, for which `train` has no options.
    assert set(tunable()) - {"kernel"} < set(trainable())


def test_the_protocol(ros, folder):
    found = ros("tune", "train.svm", "--grid", "passes=1,2,5", "--validation", "0.2", "--json").json
    assert set(found) == KEYS
    assert found["examples"] == 300
    assert found["retrained_on"] == 240  # training and validation rows together
    assert found["test"]["examples"] == 60
    assert found["method"] == "60 validation rows"
    assert [setting["params"]["passes"] for setting in found["settings"]] == [1, 2, 5]
    best = max(setting["score"] for setting in found["settings"])
    assert found["validation_error"] == pytest.approx(1 - best)


def test_text(ros, folder):
    told = ros("tune", "train.svm", "--grid", "passes=1,2", "--test", "test.svm").out
    assert told.startswith("Chosen: passes=")
    assert "by 5-fold cross-validation" in told
    assert "Retrained on 300 rows. On 100 test rows, looked at once:" in told
    assert told.endswith("nothing saved; -o FILE saves the best model\n")
    quiet = ros("tune", "train.svm", "--grid", "passes=1", "--test", "test.svm", "-q").out
    assert quiet.startswith("test ")
    assert quiet.count("\n") == 1


def test_the_winner_is_what_train_would_make(ros, folder):
    args = ("--learner", "perceptron", "--test", "test.svm", "--float64")
    found = ros("tune", "train.svm", *args, "-o", "won.model", "--json").json
    assert found["model"] == "won.model"
    assert found["command"].startswith("rosenblatt train train.svm --learner perceptron --float64")
    ros(*found["command"].split()[1:], "-o", "same.model", "-q")
    won, same = load("won.model"), load("same.model")
    assert won.coef_.tobytes() == same.coef_.tobytes()
    judged = ros("evaluate", "won.model", "test.svm", "--json").json
    assert judged["accuracy"] == pytest.approx(1 - found["test"]["error"])


@pytest.mark.parametrize("learner", tunable())
@pytest.mark.parametrize("data", ["train.csv", "train.svm"])
def test_every_learner_is_saved_for_predict(ros, folder, learner, data):
    test = data.replace("train", "test")
    args = ("tune", data, "--learner", learner, "--test", test, "--folds", "2")
    found = ros(*args, "-o", "won.model", "--json").json
    judged = ros("evaluate", "won.model", test, "--json").json
    assert judged["learner"] == learner
    assert judged["accuracy"] == pytest.approx(1 - found["test"]["error"])
    assert found["test"]["error"] < 0.3
    shown = ros("inspect", "won.model", "--json").json
    assert shown["learner"] == learner


def test_scores_choose_and_are_the_same_in_python(ros, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = np.where(X[:, 0] + rng.normal(size=200) > 1, "rare", "often")
    np.save("rows.npy", X)
    np.save("labels.npy", y)
    args = ("tune", "rows.npy", "--labels", "labels.npy", "--learner", "discriminant")
    scoring = ["balanced_accuracy", "neg_log_loss", "f1"]
    grid = ("--grid", "shrinkage=0,0.1,1", "--cv", "4", "--seed", "3", "--float64")
    found = ros(*args, *grid, "--scoring", ",".join(scoring), "--json").json
    values = {"shrinkage": [0, 0.1, 1]}
    same = select(
        LinearDiscriminant(), values, X, y, cv=4, scoring=scoring, random_state=3, scale=False
    )
    assert found["scoring"] == "balanced_accuracy"
    for setting, here in zip(found["settings"], same.table, strict=True):
        assert setting["scores"] == pytest.approx(dict(here.means))
        assert setting["standard_error"] == pytest.approx(here.error)
    assert found["test"]["scores"] == pytest.approx(dict(same.test_scores))
    assert found["chosen"] == dict(same.params)
    assert found["validation_score"] == pytest.approx(same.score)
    assert found["validation_error"] is found["test"]["error"] is None
    told = ros(*args, *grid, "--scoring", ",".join(scoring), "-q").out
    assert told == f"test        balanced_accuracy {same.test_score:.4f}\n"
    for learner in ("logistic", "averaged"):
        args = ("tune", "rows.npy", "--labels", "labels.npy", "--learner", learner)
        found = ros(*args, "--grid", "passes=2", "--scoring", "roc_auc,neg_log_loss", "--json").json
        assert 0.5 < found["settings"][0]["scores"]["roc_auc"] < 1
        assert (found["settings"][0]["scores"]["neg_log_loss"] is None) == (learner == "averaged")
    err = ros(*args, "--scoring", "roc", code=2).err
    assert "--scoring 'roc' is no score of scikit-learn's; did you mean 'roc_auc'?" in err


def test_kernels_are_chosen(ros, folder):
    grid = ("--grid", "kernel=poly,laplacian", "--grid", "degree=2,3", "--folds", "2")
    args = ("tune", "houses.csv", "--learner", "kernel", "--label", "rooms", *grid)
    found = ros(*args, "-o", "won.model", "--json").json
    assert len(found["settings"]) == 4
    assert found["command"] is None
    shown = ros("inspect", "won.model").out
    assert f"kernel      {found['chosen']['kernel']}: " in shown
    # Five functions may be mistaken about a row, so there is no share of rows.
    assert " in each pass\n" in shown


def test_a_file_for_validation(ros, folder):
    args = ("tune", "train.svm", "--validation", "valid.svm", "--grid", "passes=1,3", "--json")
    found = ros(*args).json
    assert found["method"] == "100 validation rows"
    assert found["test"]["examples"] == 60
    assert found["retrained_on"] == 340
    found = ros(*args, "--test", "test.svm").json
    assert found["retrained_on"] == 400
    found = ros(*args, "--test", "0").json
    assert found["test"] is None
    assert "validation" in ros(*args[:-1], "--test", "0", "-q").out


def test_reading_options_are_kept(ros, folder):
    args = ("mails.csv", "--text", "body", "--label", "kind", "--ngrams", "2")
    found = ros("tune", *args, "--grid", "passes=1,2", "-o", "mail.model", "--json").json
    assert found["command"].startswith(
        "rosenblatt train mails.csv --learner logistic --label kind --text body --ngrams 2"
    )
    assert ros("evaluate", "mail.model", "mails.csv", "-q").out == "accuracy    100.00%\n"
    hashed = ros("tune", *args, "--bits", "10", "--grid", "passes=1", "--json").json
    assert hashed["features"] == 1024


def test_arrays(ros, folder):
    args = ("tune", "train.npy", "--labels", "train-labels.npy", "--grid", "passes=1,2")
    assert ros(*args, "--json").json["features"] == 2


def test_values_of_a_grid():
    assert grid_of("averaged", ["intercept=yes,no"]) == {"fit_intercept": [True, False]}
    assert grid_of("centroid", ["shrink_threshold=none, 0.5,2"]) == {
        "shrink_threshold": [None, 0.5, 2]
    }
    assert grid_of("batch", ["learning_rate=constant"]) == {"learning_rate": ["constant"]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--grid", "passes"), "must be a parameter and values"),
        (("--grid", "passes=1", "--grid", "passes=2"), "is given twice"),
        (("--learner", "averaged", "--grid", "eta0=1"), "--grid eta0 is not for averaged"),
        (("--grid", "C=1,10"), "logistic has no such parameter; use l2, which is 1/C"),
        (("--grid", "alpha=1"), "logistic has no such parameter; it has passes, fit_intercept"),
        (("--learner", "regression"), "--learner 'regression' is not one of"),
        (("--folds", "1"), "--folds 1 must be 2 or more"),
        (("--folds", "3", "--validation", "0.2"), "cannot be combined"),
        (("--validation", "2"), "--validation 2 must be a share between 0 and 1, or a file"),
        (("-o", "train.svm"), "is one of the input files"),
    ],
)
def test_what_makes_no_sense(ros, folder, options, message):
    assert message in ros("tune", "train.svm", *options, code=2).err


def test_errors_are_one_line(ros, folder):
    (folder / "weighted.vw").write_text("1 0.5 | a\n-1 | b\n" * 10)
    (folder / "zeros.vw").write_text("1 0 | a\n-1 0 | b\n" * 10)
    for args in (
        ("none.svm",),
        ("zeros.vw",),
        ("weighted.vw", "--learner", "kernel"),
        ("train.svm", "--learner", "centroid", "--grid", "metric=odd"),
        ("train.svm", "--learner", "centroid", "--grid", "shrinkage=1"),
    ):
        err = ros("tune", *args, code=1).err
        assert err.startswith("rosenblatt: ")
        assert err.count("\n") == 1


def test_json_is_one_line(ros, folder):
    out = ros("tune", "train.svm", "--grid", "passes=1", "--json").out
    assert out.count("\n") == 1
    assert np.isfinite(json.loads(out)["settings"][0]["score"])


def test_settings_that_learn_nothing_are_said(ros, tmp_path):
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(200) < 0.9, "no", "yes")
    path = tmp_path / "noise.csv"
    lines = [f"{x:.3f},{y}\n" for x, y in zip(rng.normal(size=200), labels, strict=True)]
    path.write_text("x,label\n" + "".join(lines))
    told = " ".join(ros("tune", path, "--learner", "centroid").out.split())
    assert "No setting beats the majority class: always predicting it has accuracy 0." in told
    found = ros("tune", path, "--learner", "centroid", "--json").json
    assert found["beats_majority"] is False
    assert found["majority_error"] <= found["validation_error"]


def test_importance_weights_count(ros, folder):
    # "a" is "yes" more often, and "no" by weight.
    (folder / "w.vw").write_text(("1 1 | a\n" * 2 + "-1 9 | a\n" + "1 1 | b\n") * 20)
    options = ("tune", "w.vw", "--grid", "l2=0.3")
    by_weight = ros(*options, "--json").json
    assert by_weight["weighted"]
    assert by_weight["test"]["error"] == pytest.approx(2 / 12, abs=0.05)
    assert by_weight["majority_error"] == pytest.approx(3 / 12, abs=0.02)
    ignored = ros(*options, "--ignore-weights", "--json").json
    assert not ignored["weighted"]
    assert ignored["test"]["error"] == pytest.approx(1 / 4, abs=0.05)
    assert "examples count by their importance weights\n" in ros(*options).out
    assert "wrong by weight, of 16 examples" in ros(*options, "-q").out
    err = ros("tune", "w.vw", "--learner", "kernel", code=1).err
    assert "the kernel perceptron does not support importance weights; --ignore-weights" in err


def test_weights_of_validation_and_test_files_count(ros, folder):
    (folder / "plain.vw").write_text("1 | a\n-1 | b\n" * 10)
    (folder / "other.vw").write_text("1 3 | a\n-1 | a\n")
    options = ("--grid", "l2=0.3", "--validation", "other.vw", "--test", "other.vw", "--json")
    found = ros("tune", "plain.vw", *options).json
    assert found["validation_error"] == found["test"]["error"] == 0.25
    found = ros("tune", "plain.vw", *options, "--ignore-weights").json
    assert found["validation_error"] == found["test"]["error"] == 0.5


def test_the_grid_is_extended_at_its_edge(ros, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 40))
    labels = (rows[:, 0] + 2 * rng.normal(size=300) > 0).astype(int)
    path = tmp_path / "noisy.csv"
    names = ",".join(f"x{j}" for j in range(40))
    np.savetxt(path, np.c_[rows, labels], "%.3f", ",", header=f"{names},label", comments="")
    found = ros("tune", path, "--test", "0", "--json").json
    tried = [setting["params"]["l2"] for setting in found["settings"]]
    assert tried[:4] == [0.03, 0.3, 3.0, 30.0]
    assert found["beyond_grid"] == len(tried) - 3 > 0
    given = ros("tune", path, "--test", "0", "--grid", "l2=0.3,3")
    assert "l2=3 is the largest value that was tried: l2=30 may be better still" in given.out
    assert "to try values beyond the best: --grid l2=3,30\n" in given.out
    options = ("--grid", "l2=0.3,30.1234567", "--grid", "eta0=auto", "--grid", "intercept=yes")
    given = ros("tune", path, "--test", "0", *options)
    others = "--grid eta0=auto --grid fit_intercept=True"
    assert f"--grid l2=30.1234567,3024.74 {others}\n" in given.out
    assert "--l2 30.1234567\n" in given.out


@pytest.mark.parametrize(
    ("cells", "name"),
    [(("1.5", "-0.25"), "var_smoothing"), (("0", "1"), "alpha"), (("3", "7"), "alpha")],
)
def test_naive_bayes_is_tuned_by_what_matters(ros, folder, cells, name):
    rows = "".join(f"{cells[k % 2]},{cells[k // 2 % 2]},{'ab'[k % 2]}\n" for k in range(40))
    (folder / "nb.csv").write_text(f"x,y,label\n{rows}")
    found = ros("tune", "nb.csv", "--learner", "naive-bayes", "--json").json
    assert set(found["chosen"]) == {name}
    assert len(found["settings"]) >= 3
    other = "alpha" if name == "var_smoothing" else "var_smoothing"
    options = ("tune", "nb.csv", "--learner", "naive-bayes", "--grid", f"{other}=0.1,1")
    assert (
        f"--grid {other} does nothing here: by the values naive Bayes is"
        in ros(*options, code=2).err
    )
    kind = "bernoulli" if other == "alpha" else "gaussian"
    assert ros(*options, "--grid", f"distribution={kind}", "-q").out.startswith("test")


@pytest.mark.parametrize("scale", ["none", "numbers", "standard"])
def test_scale_means_what_it_means_to_train(ros, folder, scale):
    rng = np.random.default_rng(0)
    words = {"a": "free win cash now", "b": "see you at lunch"}
    with Path("notes.csv").open("w") as file:
        file.write("size,note,label\n")
        for k in range(80):
            label = "ab"[k % 2]
            note = " ".join(rng.choice(words[label].split(), 4))
            file.write(f"{1000 * rng.random():.1f},{note} {k},{label}\n")
    args = ("--grid", "passes=3", "--test", "0", "--float64", "--scale", scale)
    found = ros("tune", "notes.csv", *args, "-o", "won.model", "--json").json
    assert (f"--scale {scale}" in found["command"]) or scale == "standard"
    ros(*found["command"].split()[1:], "-o", "same.model", "-q")
    won, same = load("won.model"), load("same.model")
    assert won._options == same._options
    assert won._names.counts_words == same._names.counts_words == (scale == "standard")
    np.testing.assert_allclose(won.coef_, same.coef_, rtol=1e-6)


def test_scale_is_refused_where_it_means_nothing(ros, folder):
    told = ros("tune", "train.csv", "--learner", "centroid", "--scale", "none", code=2).err
    assert "--scale is not for centroid, but for" in told
    assert "--scale" in ros("tune", "train.csv", "--scale", "much", code=2).err
