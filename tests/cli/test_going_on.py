"""``train --from``: a model goes on learning, as if its files and the new ones had been one run."""

import json
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import NearestCentroid, OnlineClassifier, load, save
from rosenblatt.learner_registry import ONLINE, REGRESSION, trainable
from rosenblatt.persist import container
from tests.conftest import first_quick

LEARNERS = list(trainable(ONLINE, REGRESSION))
STEPS = [
    ("logistic", "--learning-rate", "inverse_sqrt"),
    ("svm", "--average"),
    ("regression", "--average"),
    ("regression", "--learning-rate", "inverse_sqrt", "--eta0", "0.001"),
    ("perceptron", "--ties", "positive", "--no-intercept", "--float64"),
]
FORMATS = ["csv", "svm", "vw", "jsonl", "mails.csv"]


def parts_of(path):
    """Return all of a model but what is known of its files."""
    header, arrays = container.read(path)
    return {key: header[key] for key in header if key not in ("extra", "crc32")}, arrays


def assert_same(one, other):
    (header, arrays), (expected, expected_arrays) = parts_of(one), parts_of(other)
    assert header == expected
    assert arrays.keys() == expected_arrays.keys()
    for name, array in arrays.items():
        assert array.tobytes() == expected_arrays[name].tobytes(), name


def halves(folder, name, learner):
    """Write the parts of a file, and return their names and the options to read them."""
    if learner == "regression":
        name, label = "houses.csv", ("--label", "price")
    elif name == "mails.csv":
        label = ("--text", "body", "--label", "kind")
    else:
        label = () if name in ("svm", "vw") else ("--label", "bought")
        name = f"train.{name}"
    lines = (folder / name).read_text().splitlines(keepends=True)
    first = lines[:1] if name.endswith("csv") else []
    rows = lines[len(first) :]
    cut = len(rows) // 3
    kind = name.rpartition(".")[2]
    (folder / f"a.{kind}").write_text("".join(first + rows[:cut]))
    (folder / f"b.{kind}").write_text("".join(first + rows[cut:]))
    return f"a.{kind}", f"b.{kind}", label


def check_halves(ros, folder, name, learner, *options):
    a, b, label = halves(folder, name, learner)
    given = (*label, "--learner", learner, "--passes", 1, "-q", *options)
    if name == "vw":
        given = (*given, "--bits", 12)
    ros("train", a, *given, "-o", "a.model")
    ros("train", b, "--from", "a.model", "-o", "ab.model", "-q")
    ros("train", a, b, *given, "-o", "all.model")
    assert_same("ab.model", "all.model")
    a_reading, ab_reading = (load(path).metadata["reading"] for path in ("all.model", "ab.model"))
    assert a_reading == ab_reading


@pytest.mark.parametrize("name", first_quick(FORMATS, 3))
@pytest.mark.parametrize("learner", LEARNERS)
def test_one_pass_and_one_more_are_one_over_both(ros, folder, name, learner):
    check_halves(ros, folder, name, learner)


@pytest.mark.parametrize(("learner", "option"), [(one[0], one[1:]) for one in STEPS])
def test_all_options_go_on_with_the_model(ros, folder, learner, option):
    check_halves(ros, folder, "csv", learner, *option)


@pytest.mark.parametrize("learner", ["logistic", "perceptron", "voted"])
def test_numbers_of_features_that_were_kept_as_names(ros, folder, learner):
    """A model of few large numbers is saved by their names, and goes on with numbers."""
    rng = np.random.default_rng(0)
    numbers = np.array([3, 70_000, 1 << 22, 100_000_000, 5, 9])

    def lines(n, new):
        for _ in range(n):
            x = rng.normal(size=len(numbers)).round(2)
            there = [k for k in range(len(numbers)) if rng.random() < 0.4 and (new or k < 4)]
            row = " ".join(f"{numbers[k]}:{x[k]}" for k in sorted(there, key=lambda k: numbers[k]))
            yield f"{1 if x[there].sum() > 0 else -1} {row}\n"

    Path("a.svm").write_text("".join(lines(60, new=False)))
    Path("b.svm").write_text("".join(lines(60, new=True)))
    given = ("--learner", learner, "--passes", 1, "-q")
    ros("train", "a.svm", *given, "-o", "a.model")
    assert load("a.model").feature_names_ == [str(n) for n in sorted(numbers[:4])]
    ros("train", "b.svm", "--from", "a.model", "-q", "-o", "ab.model")
    ros("train", "a.svm", "b.svm", *given, "-o", "all.model")
    assert_same("ab.model", "all.model")


def test_what_is_known_of_a_number_without_a_weight_is_kept(ros, folder):
    """Of a perceptron that was never mistaken about it."""
    Path("a.svm").write_text("1 1:2\n-1 1:-2\n1 1:2.5 100000000:3\n-1 1:-2 100000000:-1\n" * 3)
    Path("b.svm").write_text("-1 1:2 100000000:9\n1 100000000:4\n" * 3)
    given = ("--learner", "perceptron", "--passes", 1, "-q")
    ros("train", "a.svm", *given, "-o", "a.model")
    assert load("a.model").coef_.tolist()[0][1] == 0
    ros("train", "b.svm", "--from", "a.model", "-q", "-o", "ab.model")
    ros("train", "a.svm", "b.svm", *given, "-o", "all.model")
    assert_same("ab.model", "all.model")


def test_new_features_and_new_classes(ros, folder):
    Path("a.csv").write_text("size,kind,label\n" + "1,x,p\n2,y,q\n3,x,p\n1,y,q\n" * 5)
    Path("b.csv").write_text("kind,size,label\n" + "z,5,r\nx,2,p\n" * 9)
    ros("train", "a.csv", "-o", "a.model", "-q")
    done = ros("train", "b.csv", "--from", "a.model", "-o", "b.model", "--json").json
    assert done["classes"] == ["p", "q", "r"]
    assert (done["examples"], done["passes"], done["features"]) == (18, 1, 4)
    assert load("b.model").feature_names_ == ["size", "kind=x", "kind=y", "kind=z"]
    assert ros("train", "b.csv", "--from", "a.model", "--classes", "s,t", "--json").json[
        "classes"
    ] == list("pqrst")


def test_the_model_may_be_replaced(ros, folder):
    before = load("logistic.model")
    done = ros("train", "valid.csv", "--from", "logistic.model", "-o", "logistic.model")
    told = f"from logistic.model, which had learned from {before.t_:,} examples"
    assert told in done.out
    assert "examples    100\n" in done.out
    after = load("logistic.model")
    assert after.t_ == before.t_ + 100
    shown = " ".join(ros("inspect", "logistic.model").out.split())
    assert f"100 examples, 1 pass, after logistic.model ({before.t_:,} examples)" in shown
    told = ros("inspect", "logistic.model", "--json").json["training"]
    assert told["from"] == ["logistic.model", before.t_]
    ros("predict", "logistic.model", "new.csv")


def test_a_model_goes_on_in_several_passes(ros, folder):
    """The first of them adds to the mean and to the penalty of the model's last pass."""
    ros("train", "train.csv", "--passes", 3, "--no-shuffle", "-o", "a.model", "-q")
    state = load("a.model")._state
    assert (state.passes, state.averaged) == (3, 300)
    ros("train", "valid.csv", "--from", "a.model", "-o", "b.model", "-q")
    state = load("b.model")._state
    assert (state.passes, state.averaged) == (3, 400)
    done = ros("train", "valid.csv", "--from", "a.model", "--passes", 3, "-o", "c.model", "--json")
    assert len(done.json["mistakes"]) == 3
    state = load("c.model")._state
    assert (state.passes, state.averaged) == (5, 100)


def test_what_may_change(ros, folder):
    """The penalty, the step size and the mean; the weights change with the penalty alone."""
    ros("train", "train.csv", "--passes", 2, "--l2", 1, "-o", "a.model", "-q")
    one = Path("one.csv")
    one.write_text("age,visits,city,bought\n0.1,0.2,Oslo,yes\n")
    weights = {}
    for name, option in {
        "same": (),
        "eta0": ("--eta0", 1e-6),
        "l2": ("--l2", 1000),
        "last": ("--no-average",),
    }.items():
        ros("train", one, "--from", "a.model", *option, "-o", "b.model", "-q")
        model = load("b.model")
        weights[name] = model._state.weights[0, :4].copy()
        assert model.predicts_with == ("last" if name == "last" else "mean")
        assert model._state.averaged == (0 if name == "last" else 301)
    before = load("a.model")._state.weights[0, :4]
    np.testing.assert_allclose(weights["eta0"], before, rtol=1e-4)
    assert (weights["last"] == weights["same"]).all()
    assert (np.abs(weights["l2"]) < np.abs(weights["same"]) / 10).all()


def test_what_contradicts_the_model_is_refused(ros, folder):
    ros("train", "mails.csv", "--text", "body", "--label", "kind", "-o", "t.model", "-q")
    args = ("train", "train.csv", "--from", "logistic.model")
    told = {
        ("--learner", "svm"): "--learner svm contradicts logistic.model, which has --learner",
        ("--scale", "none"): "--scale none contradicts logistic.model, which has --scale standard",
        ("--bits", 18): "--bits 18 contradicts logistic.model, which has no --bits: leave it out",
        ("--float64",): "--float64 contradicts logistic.model, which has no --float64: leave",
        ("--no-intercept",): "which has no --no-intercept",
        ("--learning-rate", "inverse_sqrt"): "which has --learning-rate adaptive",
        ("--drop", "city"): "--drop city contradicts logistic.model, which has no --drop",
        ("--ties", "mistake"): "--ties is not for logistic",
        ("--classes", "1,2"): "are of another type, such as no, yes",
        ("--workers", 2): "--from is for training with one process",
        ("--report", "logistic.model"): "is one of the input files",
    }
    before = Path("logistic.model").read_bytes()
    for option, expected in told.items():
        assert expected in " ".join(ros(*args, *option, code=2).err.split()), option
    error = ros("train", "mails.csv", "--from", "t.model", "--text", "kind", code=2).err
    assert "--text kind contradicts t.model, which has --text body" in error
    ros("train", "mails.csv", "--from", "t.model", "--text", "body", "-q")
    ros(*args, "--learner", "logistic", "--scale", "standard", "--learning-rate", "adaptive", "-q")
    assert Path("logistic.model").read_bytes() == before


def test_models_that_cannot_go_on(ros, folder):
    save(NearestCentroid().fit([[0.0], [1.0]], [0, 1]), "c.model")
    save(OnlineClassifier(), "empty.model")
    told = {
        "c.model": "c.model is a NearestCentroid, which cannot go on learning: --from is for "
        "models of perceptron, averaged",
        "pos.model": "is a SequenceTagger, which cannot go on learning",
        "empty.model": "has not learned anything yet",
        "nowhere.model": "no such file",
        "train.csv": "not",
    }
    for path, expected in told.items():
        assert expected in ros("train", "train.csv", "--from", path, code=1).err, path
    error = ros("train", "train.svm", "--from", "logistic.model", code=1).err
    assert "mixed types" in error
    Path("w0.csv").write_text("age,visits,city,bought,w\n1,2,Oslo,yes,0\n")
    ros("train", "w0.csv", "--from", "logistic.model", "--weight", "w", code=1)


def test_a_model_made_in_python_goes_on(ros, folder):
    rows = [json.loads(line) for line in Path("train.jsonl").read_text().splitlines()]
    model = OnlineClassifier()
    for row in rows[:100]:
        model.learn_one({k: v for k, v in row.items() if k != "bought"}, row["bought"])
    save(model, "a.model")
    Path("b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[100:]))
    ros("train", "b.jsonl", "--from", "a.model", "--label", "bought", "-o", "b.model", "-q")
    for row in rows[100:]:
        model.learn_one({k: v for k, v in row.items() if k != "bought"}, row["bought"])
    save(model, "c.model")
    assert_same("b.model", "c.model")


@pytest.mark.parametrize("learner", ["logistic", "voted", "regression"])
def test_a_checkpoint_goes_on_from_the_model(ros, folder, learner):
    a, b, label = halves(folder, "csv", learner)
    ros("train", a, *label, "--learner", learner, "-o", "a.model", "-q")
    args = ("train", b, "--from", "a.model", "--passes", 3, "--checkpoint", "c", "-q")
    expected = ros("train", b, "--from", "a.model", "--passes", 3, "-o", "b.model", "--json").json
    ros(*args, "--checkpoint-every", "1e-9")
    assert Path("c").exists()
    found = ros(*args, "--resume", "-o", "c.model", "--json").json
    assert_same("b.model", "c.model")
    for name in ("mistakes", "losses", "from", "examples"):
        assert found[name] == expected[name]
    ros(*args, "--checkpoint-every", "1e-9")
    ros("train", a, *label, "--learner", learner, "-o", "a.model", "-q", "--passes", 2)
    assert "another run: a.model has changed" in ros(*args, "--resume", code=1).err


def test_validation_and_retraining_begin_with_the_model(ros, folder):
    args = ("--from", "logistic.model", "--passes", 4, "--validation", "valid.csv", "-q")
    done = ros("train", "test.csv", *args, "--retrain", "-o", "a.model", "--json").json
    ros("train", "test.csv", "valid.csv", "--from", "logistic.model", "--passes",
        done["best_pass"], "-o", "b.model", "-q")  # fmt: skip
    assert_same("a.model", "b.model")
    done = ros("train", "test.csv", *args, "--test", "train.csv", "--report", "r.html", "--json")
    assert len(done.json["validation"]) == 4
    assert "--from" in Path("r.html").read_text()
    assert done.json["test"]["accuracy"] > 0.9


def test_the_squared_error_is_that_of_the_new_rows(ros, folder):
    a, b, label = halves(folder, "csv", "regression")
    both = ros("train", a, b, *label, "--learner", "regression", "--passes", 1, "--json").json
    args = (*label, "--learner", "regression", "--passes", 1)
    first = ros("train", a, *args, "-o", "a.model", "--json").json
    second = ros("train", b, "--from", "a.model", "--json").json
    sums = first["losses"][0] * 50 + second["losses"][0] * 100
    assert both["losses"][0] * 150 == pytest.approx(sums)


def test_a_penalty_that_has_no_effect_is_refused(ros, folder):
    error = ros("train", "train.csv", "--l2", 1, "--learning-rate", "inverse_sqrt", code=2).err
    assert "--l2 is for adaptive steps" in error
