"""``rosenblatt explain``."""

import json
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, LinearRegression, NaiveBayes, NearestCentroid, load, save
from rosenblatt.learner_registry import trainable


def explained(ros, *args, **options):
    return [
        json.loads(line) for line in ros("explain", *args, "--json", **options).out.splitlines()
    ]


def adds_up(found):
    parts = sum(part["contribution"] for part in found["contributions"])
    assert parts + found["rest"] + found["intercept"] == pytest.approx(found["score"], rel=1e-4)


LINEAR = [name for name in trainable() if name not in ("voted", "regression")]


@pytest.mark.parametrize("learner", LINEAR)
def test_contributions_add_up_to_the_score(ros, folder, learner):
    ros("train", "train.csv", "-o", "e.model", "--learner", learner, "-q")
    found = explained(ros, "e.model", "test.csv", "--rows", "7", "--top", "2")
    rows = ros("predict", "e.model", "test.csv", "--scores", "--json").out.splitlines()
    assert len(found) == 7
    for one, row in zip(found, map(json.loads, rows), strict=False):
        assert one["prediction"] == one["class"] == row["prediction"]
        assert one["score"] == pytest.approx(row["scores"][one["class"]], rel=1e-5)
        adds_up(one)
        assert len(one["contributions"]) == 2
    first = explained(ros, "e.model", "test.csv", "--rows", "1", "--class", "no")[0]
    other = explained(ros, "e.model", "test.csv", "--rows", "1", "--class", "yes")[0]
    assert first["score"] == pytest.approx(-other["score"])
    adds_up(first)


@pytest.mark.parametrize("file", ["test.svm", "test.npy"])
def test_rows_without_names(ros, folder, file):
    name = {"test.svm": "m.model", "test.npy": "a.model"}[file]
    ros("train", "train.npy", "--labels", "train-labels.npy", "-o", "a.model", "-q")
    for one in explained(ros, name, file, "--rows", "20"):
        adds_up(one)


def test_three_classes_and_one_line_each(ros, folder):
    lines = [f"{'abc'[k % 3]} | x:{k % 3} y:{k % 7}\n" for k in range(90)]
    Path("three.vw").write_text("".join(lines))
    ros("train", "three.vw", "-o", "t.model", "-q")
    for label in ("a", "b", "c"):
        for one in explained(ros, "t.model", "three.vw", "--class", label):
            assert one["class"] == label
            adds_up(one)
    told = ros("explain", "t.model", "three.vw", "--class", "b").out.splitlines()
    assert told[0].startswith("three.vw:1  prediction a, score of b ")
    assert max(map(len, told)) <= 80
    bad = ros("explain", "t.model", "three.vw", "--class", "d", code=1)
    assert "--class 'd' is not a class of t.model: a, b, c" in bad.err


def test_hashed_columns_have_the_names_of_these_rows(ros, folder):
    ros("train", "train.vw", "-o", "h.model", "--bits", "4", "-q")
    found = explained(ros, "h.model", "test.vw", "--rows", "5")
    lines = Path("test.vw").read_text().splitlines()
    for one, line in zip(found, lines, strict=False):
        adds_up(one)
        names = {n for p in one["contributions"] for n in p["feature"].split(", ")}
        assert not any(name.startswith("#") for name in names)
        words = {word.split(":")[0] for part in line.split("|")[1:] for word in part.split()}
        assert len(names) <= len(words) + 1
    piped = explained(ros, "h.model", "-", stdin=Path("test.vw").read_bytes())[0]
    assert all(part["feature"].startswith("#") for part in piped["contributions"])
    adds_up(piped)


VW = "1 |user age:2 city:Oslo x |ad i1 at:home :2\n-1 |user age:1 y |ad i2 :3 :4\n"
LINES = (
    '{"label": "p", "n": 2, "city": "Oslo", "tags": ["a", "b"]}\n'
    '{"label": "q", "n": 1, "city": "Rome"}\n'
)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("x.vw", ()),
        ("x.vw", ("--interactions", "user*ad")),
        ("x.vw", ("--ngrams", 2)),
        ("x.jsonl", ("--interactions", "*")),
    ],
)
def test_products_ngrams_and_words_that_are_values_have_their_names(ros, folder, name, options):
    Path("x.vw").write_text(VW * 4)
    Path("x.jsonl").write_text(LINES * 4)
    found = []
    for bits in ((), ("--bits", 18)):
        ros("train", name, "-o", "x.model", "--passes", 1, "-q", *options, *bits)
        rows = explained(ros, "x.model", name, "--rows", "2", "--top", "100")
        found.append([{part["feature"] for part in row["contributions"]} for row in rows])
    assert found[0] == found[1]
    wanted = "user^city^Oslo" if name == "x.vw" else "city=Oslo*tags=a"
    assert wanted in found[1][0]


def test_a_table_of_numbers_and_missing_cells(ros, folder):
    names = ["x", "y", "z"]
    rng = np.random.default_rng(0)
    rows = [
        f"{a:.3f},{1000 * b:.1f},{'' if k % 5 == 0 else 'uv'[k % 2]},{int(a + b > 0)}"
        for k, (a, b) in enumerate(rng.normal(size=(200, 2)))
    ]
    Path("t.csv").write_text("\n".join([",".join([*names, "label"]), *rows]) + "\n")
    ros("train", "t.csv", "-o", "t.model", "-q")
    found = explained(ros, "t.model", "t.csv", "--rows", "9")
    model = load("t.model")
    weights = dict(zip(model.feature_names_, model.coef_[0], strict=True))
    for one in found:
        adds_up(one)
        sign = 1 if one["class"] == 1 else -1
        for part in one["contributions"]:
            assert part["weight"] == pytest.approx(sign * weights[part["feature"]], rel=1e-5)
    assert "z=" in {part["feature"] for part in found[0]["contributions"]}


def test_regression(ros, folder):
    found = explained(ros, "price.model", "houses.csv", "--rows", "4")
    for one in found:
        assert one["class"] is None
        assert one["score"] == one["prediction"]
        adds_up(one)
    assert "prediction " in ros("explain", "price.model", "houses.csv").out
    bad = ros("explain", "price.model", "houses.csv", "--class", "1", code=1)
    assert "predicts numbers, so there is no --class" in bad.err


def test_estimators(ros, folder):
    X, y = np.load("train.npy"), np.load("train-labels.npy")
    for model in (NaiveBayes(), NearestCentroid(), LinearRegression()):
        target = (y == "yes") + 0.5 * X[:, 0] if isinstance(model, LinearRegression) else y
        save(model.fit(X, target), "py.model")
        for one in explained(ros, "py.model", "test.npy", "--rows", "5"):
            adds_up(one)
    save(KernelPerceptron().fit(X, y), "py.model")
    done = ros("explain", "py.model", "test.npy", code=1)
    assert "KernelPerceptron is not linear" in done.err


def test_what_it_prints(ros, folder):
    told = ros("explain", "logistic.model", "test.csv", "--rows", "2", "--top", "1").out
    assert all(len(line) <= 80 for line in told.splitlines())
    assert told.count("prediction ") == told.count("more)") == told.count("(intercept)") == 2
    assert "probability 0." in told
    assert told.splitlines()[0].startswith("test.csv:2  prediction ")


@pytest.mark.parametrize("label", ["-1", "1"])
def test_a_contribution_of_zero_has_no_sign(ros, folder, label):
    """Two classes share their weights, with two signs."""
    (folder / "zero.vw").write_text("1 |n a b:0\n-1 |n c b:0\n")
    ros("train", "zero.vw", "-o", "m", "-q")
    shown = ros("explain", "m", "zero.vw", f"--class={label}", "--rows", "1").out
    assert "+0.000" in shown
    assert "-0.000" not in shown
    assert "-0.0," not in ros("explain", "m", "zero.vw", f"--class={label}", "--json").out


def test_what_is_refused(ros, folder):
    assert (
        "--rows 0 must be 1 or more"
        in ros("explain", "m.model", "test.svm", "--rows", "0", code=2).err
    )
    assert "--top -1 must be 0" in ros("explain", "m.model", "test.svm", "--top", "-1", code=2).err
    ros("train", "train.svm", "-o", "v.model", "--learner", "voted", "-q")
    assert "votes of many weights" in ros("explain", "v.model", "test.svm", code=1).err


def test_a_file_without_rows_is_an_error(ros, folder):
    ros("train", "train.csv", "-o", "e.model", "-q")
    Path("none.csv").write_text(Path("test.csv").read_text().split("\n")[0] + "\n")
    found = ros("explain", "e.model", "none.csv", code=None)
    assert found.code != 0
    assert "none.csv: there are no examples to explain" in found.err
