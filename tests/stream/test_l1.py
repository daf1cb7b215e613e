"""An L1 penalty in streams: the same bits however examples come, and weights that are zero."""

import numpy as np
import pytest

from rosenblatt import OnlineClassifier, OnlineRegressor, load, save
from rosenblatt.distributed.file_fitting import check_stream
from rosenblatt.persist import container
from rosenblatt.readers.names import Kept
from rosenblatt.stream.rules import Options

WORDS = [f"w{k}" for k in range(40)]


def examples(n, n_classes, seed=0):
    """Yield dicts of words and numbers; what is to be predicted depends on a few of them."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        x = {str(word): 1.0 for word in rng.choice(WORDS, 5, replace=False)}
        x["age"], x["noise"] = float(rng.normal(40, 9)), float(rng.normal())
        score = 2.0 * ("w0" in x) - 2.0 * ("w1" in x) + (x["age"] - 40) / 5 + rng.normal() / 2
        yield (
            x,
            (score if n_classes == 0 else int(np.clip(score + n_classes / 2, 0, n_classes - 1))),
        )


def used(model):
    return int(np.count_nonzero(np.atleast_2d(model.coef_).any(axis=0)))


def learned_in_blocks(n_classes, **given):
    """Return a model that learned 300 examples as a file's are learned, 70 at a time."""
    make = OnlineRegressor if n_classes == 0 else OnlineClassifier
    learner = "regression" if n_classes == 0 else "logistic"
    options = Options(learner, True, "mistake", "auto", learning_rate="adaptive", scale="standard")
    block = make.with_names(options._replace(**given), Kept())
    found = list(examples(300, n_classes))
    for start in range(0, 300, 70):
        part = found[start : start + 70]
        rows = [block._row(x) for x, _ in part]
        names = [name for row in rows for name in row[0]]
        values = np.concatenate([row[1] for row in rows])
        one = block._sparse(block._names.columns(names), values)
        ends = np.cumsum([0, *(len(row[0]) for row in rows)]).astype(np.int32)
        labels = np.array([y for _, y in part], None if n_classes else float)
        block.learn_rows(one._replace(indptr=ends), labels)
    return block


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_one_at_a_time_or_in_blocks_is_the_same(n_classes, average, tmp_path):
    """Also after the model was saved halfway, with new features and classes on the way."""
    given = {"l1": 4.0, "average": average}
    make = OnlineRegressor if n_classes == 0 else OnlineClassifier
    single, again = make(**given), make(**given)
    for number, (x, y) in enumerate(examples(300, n_classes)):
        single.learn_one(x, y)
        again.learn_one(x, y)
        if number == 150:
            save(again, tmp_path / "m.model")
            again = load(tmp_path / "m.model")
    block = learned_in_blocks(n_classes, **given)
    for model in (again, block):
        assert model.coef_.tobytes() == single.coef_.tobytes()
        np.testing.assert_array_equal(model.intercept_, single.intercept_)
    if not average:
        assert 2 < used(single) < single.n_features_ // 2


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_larger_the_penalty_the_fewer_weights(n_classes):
    make = OnlineRegressor if n_classes == 0 else OnlineClassifier
    counts = []
    for l1 in (0.0, 1.0, 8.0, 1e6):
        model = make(l1=l1)
        for x, y in examples(200, n_classes):
            model.learn_one(x, y)
        counts.append(used(model))
    assert counts[0] == model.n_features_ == 42
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[1] > counts[2] > counts[3] == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"learner": "perceptron"}, "perceptron does not"),
        ({"learning_rate": "inverse_sqrt"}, "learning_rate='inverse_sqrt' does not"),
        ({"l1": -1.0}, "l1=-1.0 must be a number, not negative"),
        ({"l1": float("nan")}, "must be a number, not negative"),
    ],
)
def test_what_an_l1_penalty_makes_no_sense_for_is_refused(options, told):
    with pytest.raises(ValueError, match=told):
        OnlineClassifier(**{"l1": 1.0, **options})


def test_files_without_a_penalty_are_as_they_were(tmp_path):
    """Earlier versions can read them."""
    for l1 in (0.0, 2.0):
        model = OnlineClassifier(l1=l1)
        for x, y in examples(20, 2):
            model.learn_one(x, y)
        save(model, tmp_path / "m.model")
        header, _ = container.read(tmp_path / "m.model")
        assert header["params"].get("l1", 0.0) == l1
        assert ("l1" in header["params"]) == (l1 > 0)
        assert load(tmp_path / "m.model")._options == model._options


def test_a_cluster_has_no_l1_penalty():
    with pytest.raises(ValueError, match="l1 is for one process"):
        check_stream(OnlineClassifier(l1=1.0))
