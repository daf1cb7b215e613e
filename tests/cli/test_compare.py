"""``rosenblatt compare``: all classifiers under the same split."""

import sys
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import compare
from rosenblatt.learner_registry import BY_DEFAULT, comparable

KEYS = {
    "learner",
    "error",
    "interval",
    "standard_error",
    "scores",
    "fold_scores",
    "seconds",
    "mistakes",
    "converged",
    "always_the_same",
    "differ",
    "reason",
}


def test_a_table_with_the_best_first(ros, folder):
    told = ros("compare", "train.csv").out
    assert all(len(line) <= 80 for line in told.splitlines())
    assert told.startswith(
        "210 training rows, 90 test rows; 5 features, 2 classes; majority-class error"
    )
    rows = told[told.index("─\n") + 2 :].splitlines()
    errors = [float(line.split("(")[0].split()[-1]) for line in rows]
    assert errors == sorted(errors)
    assert len(rows) >= 9
    assert {line.split()[0] for line in rows} == set(comparable(BY_DEFAULT))


@pytest.mark.slow
def test_a_kernel_perceptron_is_compared_if_it_is_named(ros, folder):
    for data in ("train.csv", "train.svm"):
        args = ("compare", data, "--learners", "averaged,kernel")
        found = {result["learner"]: result for result in ros(*args, "--json").json["learners"]}
        assert found["kernel"]["error"] < 0.15
        assert found["kernel"]["mistakes"] > 0
        assert "kernel" in ros(*args).out


def test_json(ros, folder):
    found = ros("compare", "train.svm", "--test", "test.svm", "--json").json
    assert (found["train"], found["test"], found["judged_on"]) == (300, 100, "test")
    assert found["classes"] == [-1, 1]
    assert found["features"] == 5
    assert all(set(result) == KEYS for result in found["learners"])
    for result in found["learners"]:
        low, high = result["interval"]
        assert low <= result["error"] <= high
        assert result["standard_error"] is None


def test_the_same_again(ros, folder):
    def facts():
        found = ros("compare", "train.csv", "--json", "--learners", "averaged,centroid").json
        return [{**result, "seconds": 0} for result in found["learners"]]

    assert facts() == facts()


def test_folds(ros, folder):
    args = ("compare", "train.csv", "--folds", "3", "--learners", "averaged,naive-bayes")
    found = ros(*args, "--json").json
    assert found["judged_on"] == "folds"
    assert [set(result) == KEYS for result in found["learners"]] == [True, True]
    assert all(result["standard_error"] >= 0 for result in found["learners"])
    assert "(± standard error)" in ros(*args).out


SCORES = ["balanced_accuracy", "roc_auc", "f1", "neg_log_loss"]
NAMED = {"averaged": "AveragedPerceptron", "logistic": "LogisticRegression", "svm": "LinearSVM"}


@pytest.fixture
def unequal(folder):
    """Write rows of two unequal classes with names, as an array and as a table; return them."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(240, 4)).round(3)
    y = np.where(X[:, 0] + rng.normal(size=240) > 1.2, "rare", "often")
    np.save("rows.npy", X)
    np.save("labels.npy", y)
    lines = [",".join([*map(str, row), label]) for row, label in zip(X.tolist(), y, strict=True)]
    Path("rows.csv").write_text("a,b,c,d,label\n" + "\n".join(lines) + "\n")
    return X, y


@pytest.mark.parametrize("how", [("--folds", "4"), ("--cv", "4"), ()])
@pytest.mark.parametrize("files", [("rows.npy", "--labels", "labels.npy"), ("rows.csv",)])
def test_the_same_folds_and_scores_as_in_python(ros, unequal, how, files):
    learners = ("--learners", ",".join(NAMED), "--seed", "7")
    found = ros("compare", *files, *learners, *how, "--scoring", ",".join(SCORES), "--json").json
    options = {"cv": 4} if how else {}
    same = compare(*unequal, models=list(NAMED.values()), scoring=SCORES, random_state=7, **options)
    assert found["scoring"] == SCORES
    for result in found["learners"]:
        here = same[NAMED[result["learner"]]]
        assert result["scores"] == pytest.approx(dict(here.scores))
        for name, scores in here.fold_scores.items():
            assert result["fold_scores"][name] == pytest.approx(list(scores))
        assert result["error"] == pytest.approx(1 - here.accuracy)
        assert result["standard_error"] == pytest.approx(here.standard_error)
        assert result["mistakes"] == here.mistakes
    assert [NAMED[one["learner"]] for one in found["learners"]] == [
        result.name for result in same.ranked()
    ]
    assert found["guess_error"] == pytest.approx(1 - same.guess)


def test_scores_at_the_command_line(ros, unequal):
    options = ("--learners", ",".join(NAMED), "--scoring", ", ".join(SCORES), "--folds", "3")
    done = ros("compare", "rows.csv", *options)
    assert all(name in done.out for name in SCORES)
    assert max(map(len, done.out.splitlines())) <= 80
    assert "note: no neg_log_loss of svm, averaged: there is no" in done.err.replace(
        "averaged, svm", "svm, averaged"
    )
    rows = done.out[done.out.index("─\n") + 2 :].splitlines()
    scores = [float(line.split()[1]) for line in rows]
    assert scores == sorted(scores, reverse=True)
    quiet = ros("compare", "rows.csv", *options, "-q")
    assert quiet.err == ""
    assert "rows in 3 folds" not in quiet.out


def test_training_rows_judge(ros, tmp_path):
    corners = tmp_path / "or.csv"
    corners.write_text("a,b,label\n0,0,no\n0,1,yes\n1,0,yes\n1,1,yes\n")
    found = ros("compare", corners, "--test", "0", "--learners", "perceptron", "--json").json
    assert found["judged_on"] == "training"
    assert found["learners"][0]["error"] == 0


def test_a_picture(ros, folder):
    ros("compare", "train.csv", "--drop", "city", "--plot", "out.png", "--learners", "svm,centroid")
    assert (folder / "out.png").read_bytes().startswith(b"\x89PNG")
    told = ros("compare", "train.csv", "--plot", "out.svg", code=2).err
    assert "the rows have 5; --drop ignores" in told
    assert "must end with .png" in ros("compare", "train.csv", "--plot", "out.doc", code=2).err
    assert "matplotlib" in sys.modules


def test_large_numbers_of_sparse_rows_are_scaled(ros, tmp_path):
    rng = np.random.default_rng(0)
    lines = ["year,label," + ",".join(f"f{j}" for j in range(12))]
    for _ in range(200):
        kind, year = rng.integers(12), rng.integers(1900, 2000)
        cells = ["1" if j == kind else "" for j in range(12)]
        lines.append(f"{year},{'yes' if kind > 5 else 'no'}," + ",".join(cells))
    path = tmp_path / "years.csv"
    path.write_text("\n".join(lines) + "\n")
    done = ros("compare", path, "--learners", "averaged", "--json")
    assert done.json["learners"][0]["error"] == 0
    raw = ros("compare", path, "--learners", "averaged", "--json", "--no-scale").json
    assert raw["learners"][0]["error"] > 0


def test_words_are_weighted_but_for_naive_bayes(ros, folder):
    done = ros("compare", "mails.csv", "--text", "body", "--json").json
    errors = {one["learner"]: one["error"] for one in done["learners"]}
    assert "naive-bayes multinomial" in errors
    assert errors["averaged"] < 0.2
    named = ros(
        "compare", "mails.csv", "--text", "body", "--learners", "naive-bayes", "--json"
    ).json
    assert named["learners"][0]["error"] == errors["naive-bayes multinomial"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--learners", "averagd"), "--learners 'averagd' is not one of centroid"),
        (("--scoring", "acc"), "--scoring 'acc' is no score of scikit-learn's; did you mean 'acc"),
        (("--folds", "1"), "--folds must be 2 or more"),
        (("--folds", "3", "--test", "0.5"), "cannot be combined with --test"),
        (("--test", "1.5"), "--test 1.5 must be a share between 0 and 1, or a file"),
        (("--orders", "0"), "--orders 0 must be 1 or more"),
        (("--bits", "99"), "--bits 99 must be between 1 and 30"),
    ],
)
def test_what_makes_no_sense(ros, folder, options, message):
    assert message in ros("compare", "train.csv", *options, code=2).err


def test_errors_are_one_line(ros, folder):
    for args in (
        ("none.csv",),
        ("train.csv", "--test", "none.csv"),
        ("train.csv", "--folds", "200"),
    ):
        err = ros("compare", *args, code=1).err
        assert err.startswith("rosenblatt: ")
        assert err.count("\n") == 1


@pytest.mark.parametrize("how", [("--test", "0.3"), ("--folds", "2")])
def test_a_class_with_a_single_row_is_for_training(ros, tmp_path, how):
    rng = np.random.default_rng(0)
    lines = [f"{x:.3f},{'gold' if x > 0 else 'tin'}\n" for x in rng.normal(size=60)]
    lines.insert(7, "9.5,platinum\n")
    path = tmp_path / "metals.csv"
    path.write_text("x,label\n" + "".join(lines))
    args = ("compare", path, "--learners", "averaged,centroid", *how)
    found = ros(*args, "--json").json
    assert found["notes"] == ["class platinum has one row, used for training only"]
    assert found["classes"] == ["gold", "platinum", "tin"]
    if "--test" in how:
        assert (found["train"], found["test"]) == (43, 18)
    done = ros(*args)
    assert "3 classes" in done.out
    assert "class platinum has one row, used for training only" in done.err
    with path.open("a") as file:
        file.write("-9.5,lead\n")
    notes = ros(*args, "--json").json["notes"]
    assert notes == ["classes lead, platinum have one row each, used for training only"]


def test_importance_weights_count(ros, folder):
    # "a" is "yes" more often, and "no" by weight.
    (folder / "w.vw").write_text(("1 1 | a\n" * 2 + "-1 9 | a\n" + "1 1 | b\n") * 20)
    options = ("compare", "w.vw", "--learners", "logistic,centroid,kernel", "--test", "w.vw")
    done = ros(*options, "--json").json
    found = {result["learner"]: result for result in done["learners"]}
    assert done["weight"] == 240
    assert done["guess_error"] == pytest.approx(3 / 12)
    assert found["logistic"]["error"] == pytest.approx(2 / 12)
    low, high = found["logistic"]["interval"]
    assert low < 2 / 12 < high
    assert "does not support" in found["kernel"]["reason"]
    told = ros(*options)
    assert "with importance weights (total 240)" in told.out
    assert (
        "note: kernel was skipped: KernelPerceptron does not support importance weights" in told.err
    )
    plain = ros(*options, "--ignore-weights", "--json").json
    found = {result["learner"]: result for result in plain["learners"]}
    assert plain["weight"] is None
    assert found["logistic"]["error"] == plain["guess_error"] == pytest.approx(1 / 4)
    assert found["kernel"]["reason"] is None


def test_weights_in_folds_and_of_test_files(ros, folder):
    (folder / "w.vw").write_text(("1 1 | a\n" * 2 + "-1 9 | a\n" + "1 1 | b\n") * 20)
    options = ("compare", "w.vw", "--learners", "svm", "--orders", "1", "--json")
    assert ros(*options, "--folds", "4").json["learners"][0]["error"] == pytest.approx(2 / 12)
    assert ros(*options, "--test", "w.vw").json["learners"][0]["error"] == pytest.approx(2 / 12)


@pytest.mark.parametrize(
    ("rows", "has"),
    [
        ("1,2,a\n2,1,b\n", "2 rows with a label (1 row of class a, 1 row of class b)"),
        ("1,2,a\n2,1,b\n3,2,a\n", "3 rows with a label (2 rows of class a, 1 row of class b)"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--folds", "2"), ("--test", "0.5")])
def test_too_few_rows_to_split_are_counted(ros, folder, rows, has, options):
    (folder / "few.csv").write_text(f"x,y,label\n{rows}")
    err = ros("compare", "few.csv", *options, code=1).err
    assert err.startswith(f"rosenblatt: few.csv: there are {has}, and two classes need 2 rows or")
    assert "--test 0" in err
    assert ros("compare", "few.csv", "--test", "0", "--learners", "averaged").out


def test_few_rows_are_tested_with_one_of_each_class(ros, folder):
    (folder / "few.csv").write_text("x,y,label\n1,2,a\n2,1,b\n3,2,a\n4,1,b\n")
    told = ros("compare", "few.csv", "--learners", "averaged").out
    assert told.startswith("2 training rows, 2 test rows; 2 features, 2 classes")


def test_no_learner_beats_the_majority_class(ros, folder):
    rows = "".join(f"{k % 2},{'a' if k % 5 else 'b'}\n" for k in range(100))
    Path("t.csv").write_text("x,label\n" + rows)
    done = ros("compare", "t.csv", "--learners", "logistic,centroid")
    assert "note: no learner beats the majority class, whose error is 20.00%" in done.err
    assert ros("compare", "train.csv", "--learners", "logistic", "--json").json["notes"] == []
