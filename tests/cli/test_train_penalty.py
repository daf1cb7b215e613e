"""`train` chooses its penalty where there are few rows, says so, and resumes with the same."""

import numpy as np
import pytest

import rosenblatt
from tests.training.test_penalty import noisy


@pytest.fixture
def table(tmp_path):
    X, y = noisy()
    path = tmp_path / "t.csv"
    lines = [",".join([*(f"x{k}" for k in range(X.shape[1])), "label"])]
    lines += [",".join([*map(str, row), str(one)]) for row, one in zip(X, y, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


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
    ros(*args, "--resume", "-o", one)
    ros("train", table, "--passes", 4, "-q", "-o", other)
    models = [rosenblatt.load(path) for path in (one, other)]
    assert models[0]._options == models[1]._options
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)
    ros(*args, "--checkpoint-every", 1e-9)
    again = ros(*args, "--resume", "--l2", 0.3, code=1)
    assert "l2 was not given and is now 0.3" in again.err
