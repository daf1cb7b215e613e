"""`train` chooses its penalty where there are few rows, says so, and resumes with the same."""

import numpy as np
import pytest

import rosenblatt
from tests.training.test_penalty import noisy


def write_table(path, X, y):
    lines = [",".join([*(f"x{k}" for k in range(X.shape[1])), "label"])]
    lines += [",".join([*map(str, row), str(one)]) for row, one in zip(X, y, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "t.csv", *noisy())


def test_train_chooses_and_says_so(ros, table, tmp_path):
    model = tmp_path / "m.model"
    done = ros("train", table, "-o", model, "--passes", 8)
    l2 = rosenblatt.load(model)._options.l2
    assert l2 > 0.3
    assert f"L2 {l2:g}, chosen by cross-validation (--l2 sets it)" in done.out
    assert ros("train", table, "--json", "-q").json["l2"] == l2
    same = ros("train", table, "-o", model, "--passes", 8, "--l2", l2)
    assert "chosen" not in same.out


@pytest.mark.parametrize(
    "option", [("--l2", 0.3), ("--no-shuffle",), ("--passes", 1), ("--learner", "averaged")]
)
def test_it_is_not_chosen_when_it_is_given_or_order_matters(ros, table, option):
    done = ros("train", table, *option)
    assert "penalty" not in done.out


def test_a_run_that_is_resumed_keeps_its_penalty(ros, table, tmp_path):
    checkpoint, one, other = (tmp_path / name for name in ("c", "a.model", "b.model"))
    args = ("train", table, "--passes", 4, "--checkpoint", checkpoint, "-q")
    ros(*args, "--checkpoint-every", 1e-9)
    resumed = ros(*args[:-1], "--resume", "-o", one)
    ros("train", table, "--passes", 4, "-q", "-o", other)
    models = [rosenblatt.load(path) for path in (one, other)]
    assert models[0]._options == models[1]._options
    l2 = models[0]._options.l2
    assert f"L2 {l2:g}, chosen by cross-validation (--l2 sets it)" in resumed.out
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)
    ros(*args, "--checkpoint-every", 1e-9)
    again = ros(*args, "--resume", "--l2", 0.3, code=1)
    assert "l2 was not given and is now 0.3" in again.err


def test_a_model_is_retrained_with_the_penalty_that_was_validated(ros, table, tmp_path):
    """However many passes were the best, also a single one, for which no penalty is chosen."""
    model = tmp_path / "m.model"
    others = write_table(tmp_path / "v.csv", *noisy(30, seed=1))
    told = ros("train", table, "--validation", others, "--retrain", "--passes", 5, "-o", model)
    assert "retraining on all files: 1 pass\n" in told.err
    chosen = ros("train", table, "--json", "-q", "--passes", 2).json["l2"]
    assert rosenblatt.load(model)._options.l2 == chosen
    assert f"L2 {chosen:g}, chosen by cross-validation" in told.out
