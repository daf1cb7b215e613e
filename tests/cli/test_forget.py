"""``train --forget``: streams that change."""

import numpy as np
import pytest

from rosenblatt import load


@pytest.mark.parametrize("learner", ["logistic", "svm", "regression"])
def test_one_pass_in_the_order_of_the_file(ros, folder, learner):
    file = "houses.csv" if learner == "regression" else "train.svm"
    args = ("train", file, "--learner", learner, "--forget", 50, "-q")
    ros(*args, "-o", "m.model")
    model = load("m.model")
    assert (model.forget, model.predicts_with) == (50, "last")
    ros(*args, "--passes", 1, "--no-shuffle", "--no-average", "-o", "same.model")
    assert load("same.model").coef_.tobytes() == model.coef_.tobytes()
    assert "forget" in ros("inspect", "m.model").out
    ros("train", file, "--learner", learner, "--passes", 1, "-q", "-o", "never.model")
    assert (load("never.model").coef_ != model.coef_).any()
    assert "forget" not in ros("inspect", "never.model").out


def test_it_goes_on_forgetting(ros, folder):
    ros("train", "train.svm", "--forget", 50, "-q", "-o", "m.model")
    ros("train", "train.svm", "--from", "m.model", "-q", "-o", "on.model")
    ros("train", "train.svm", "train.svm", "--forget", 50, "-q", "-o", "both.model")
    assert load("on.model").forget == 50
    assert load("on.model").coef_.tobytes() == load("both.model").coef_.tobytes()
    error = ros("train", "train.svm", "--from", "m.model", "--forget", 9, code=2).err
    assert "--forget 9 contradicts m.model, which has --forget 50: leave it out" in " ".join(
        error.split()
    )
    ros("train", "train.svm", "--from", "m.model", "--l2", 9, "-q", "-o", "other.model")
    assert np.abs(load("other.model").coef_).sum() < np.abs(load("on.model").coef_).sum()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--learner", "averaged"), "--forget is not for averaged, but for logistic, svm and"),
        (("--learning-rate", "inverse_sqrt"), "--forget is for adaptive steps"),
        (("--average",), "--forget and --average cannot be combined"),
        (("--validation", "train.svm", "--retrain"), "--forget and --retrain cannot be combined"),
        (("--workers", 2), "--forget is for training with one process"),
        (("--forget", 0), "--forget 0 must be a number of examples, 1 or more"),
    ],
)
def test_what_cannot_forget_says_so(ros, folder, options, told):
    error = ros("train", "train.svm", "--forget", 9, *options, code=2).err
    assert told in " ".join(error.split())
