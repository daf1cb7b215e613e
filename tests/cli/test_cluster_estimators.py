"""``train --workers`` for learners that need sums alone: what one process makes and says."""

import numpy as np
import pytest

from rosenblatt.models import load_with_extra

LEARNERS = ["centroid", "naive-bayes", "discriminant", "batch"]


def same(one, other):
    """Say whether two values are equal; arrays but for rounding."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return one == other


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("file", ["train.csv", "train.svm", "train.vw", "train.jsonl"])
def test_the_model_is_that_of_one_process(ros, folder, at_once, file, learner):
    given = ["train", file, "--learner", learner, "--float64", "--json"]
    given += ["--label", "bought"] if file == "train.jsonl" else []
    alone = ros(*given, "-o", "alone.model").json
    found = ros(*given, "--workers", 2, "--shards", 5, "-o", "shards.model").json
    for name in ("seconds", "mb_per_second", "model", "model_bytes"):
        del alone[name], found[name]
    assert found == alone
    (wanted, facts), (model, extra) = map(load_with_extra, ("alone.model", "shards.model"))
    assert same(extra, facts)
    assert model.get_params() == wanted.get_params()
    assert model.classes_.dtype == wanted.classes_.dtype
    np.testing.assert_allclose(model.coef_, wanted.coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, wanted.intercept_, rtol=1e-9, atol=1e-9)
    assert ros("predict", "shards.model", "test.csv" if file.endswith("csv") else file).out


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_summary_is_that_of_one_process(ros, folder, at_once, learner):
    given = ["train", "train.csv", "--learner", learner, "--test", "test.csv"]
    alone, found = ros(*given), ros(*given, "--workers", 2)
    assert found.out.splitlines()[1:] == alone.out.splitlines()[1:]
    assert found.err == alone.err


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--bits", 10], "1,024"),
        (["--learner", "naive-bayes", "--distribution", "bernoulli"], "naive-bayes"),
        (["--learner", "batch", "--passes", 3], "batch, 3 passes"),
        (["--learner", "batch", "--no-intercept", "--eta0", 0.5, "--passes", 2], "batch, 2 passes"),
    ],
)
def test_options(ros, folder, at_once, options, wanted):
    given = ["train", "train.vw", "--learner", "centroid", *options]
    alone, found = ros(*given), ros(*given, "--workers", 2)
    assert wanted in found.out
    assert found.out.splitlines()[1:] == alone.out.splitlines()[1:]


@pytest.mark.parametrize("learner", ["centroid", "naive-bayes"])
def test_classes_that_do_not_occur(ros, folder, at_once, learner):
    given = ["train", "train.svm", "--learner", learner, "--classes", "-1,1,7", "--json"]
    alone, found = ros(*given, code=None), ros(*given, "--workers", 2, code=None)
    assert found.code == alone.code
    if not alone.code:
        assert found.json["classes"] == alone.json["classes"]
        assert found.json["mistakes"] == alone.json["mistakes"]
