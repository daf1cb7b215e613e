"""``train --l1``: weights that are exactly zero."""

import numpy as np
import pytest

from rosenblatt import load


@pytest.mark.parametrize(
    ("learner", "file", "l1"),
    [("logistic", "mails", 2), ("svm", "mails", 2), ("regression", "houses", 200)],
)
def test_fewer_features_have_a_weight(ros, folder, learner, file, l1):
    args = ["train", f"{file}.csv", "--learner", learner, "-q", "--passes", 3, "-o", "m.model"]
    if file == "mails":
        args += ["--text", "body", "--label", "kind"]
    ros(*args, "--l1", l1)
    model = load("m.model")
    assert model.predicts_with == "last"
    told = ros("inspect", "m.model", "--json").json
    assert told["features_with_weight"] == np.atleast_2d(model.coef_).any(axis=0).sum()
    assert 0 < told["features_with_weight"] < model.n_features_
    assert f"{told['features_with_weight']} have a weight other than 0" in " ".join(
        ros("inspect", "m.model").out.split()
    )
    assert len(ros("inspect", "m.model", "--all").out.splitlines()) <= model.n_features_
    ros(*args, "--l1", l1, "--average")
    assert load("m.model").predicts_with == "mean"
    ros(*args)
    assert load("m.model").predicts_with == "mean"
    assert "features_with_weight" not in ros("inspect", "m.model", "--json").json
    ros("train", f"{file}.csv", "--from", "m.model", "--l1", 1e6, "-o", "m.model", "-q")
    model = load("m.model")
    assert not model._state.weights.any()
    assert model._options.l1 == 1e6


def test_tune_tries_penalties(ros, folder):
    """With what `train` learns with the same options."""
    args = ("train.svm", "--scale", "standard", "-q")
    grid = ("--grid", "l1=0,1,5", "--grid", "passes=3", "--grid", "l2=1", "--test", 0)
    found = ros("tune", *args, *grid, "-o", "t.model", "--json").json
    assert [one["params"]["l1"] for one in found["settings"]] == [0, 1, 5]
    l1 = load("t.model")._options.l1
    ros("train", *args, "--l1", l1, "--passes", 3, "--l2", 1, "-o", "m.model")
    np.testing.assert_allclose(load("m.model").coef_, load("t.model").coef_, rtol=1e-5)
    error = ros("tune", "train.svm", "--grid", "l1=1", "--learner", "averaged", code=2).err
    assert "--grid l1 is not for averaged" in error


def test_a_checkpoint_knows_the_penalty(ros, folder):
    args = ("train", "train.csv", "--checkpoint", "c", "--passes", 3, "-q")
    ros(*args, "--l1", 2, "--l2", 1, "--checkpoint-every", 1e-9)
    assert "l1 was 2.0 and is now 3.0" in ros(*args, "--l1", 3, "--l2", 1, "--resume", code=1).err
    told = ros(*args, "--l2", 1, "--no-average", "--resume", code=1).err
    assert "l1 was 2.0 and is now not given" in told
    ros(*args, "--l1", 2, "--l2", 1, "--resume", "-o", "a.model")
    ros("train", "train.csv", "--passes", 3, "-q", "--l1", 2, "--l2", 1, "-o", "b.model")
    assert (load("a.model").coef_ == load("b.model").coef_).all()


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (("--learner", "averaged"), "--l1 is not for averaged, but for logistic, svm and"),
        (("--learning-rate", "inverse_sqrt"), "--l1 is for adaptive steps"),
        (("--workers", 2), "--l1 is for training with one process; weights that are mixed"),
    ],
)
def test_what_has_no_l1_penalty_says_so(ros, folder, option, told):
    assert told in " ".join(ros("train", "train.csv", "--l1", 1, *option, code=2).err.split())
    error = ros("train", "train.csv", "--l1", -1, code=2).err
    assert "--l1 -1 must be a number, not negative" in error
