"""``train`` shuffles: what is interrupted, and what is wrong, is found again."""

import numpy as np
import pytest

from rosenblatt import load
from rosenblatt.training import shuffling
from rosenblatt.training.progress import Lines


@pytest.mark.parametrize("options", [(), ("--no-cache",), ("--learner", "averaged")])
@pytest.mark.parametrize("window", [1 << 22, 500])
def test_a_run_that_was_interrupted_goes_on_in_the_same_order(
    ros, folder, monkeypatch, options, window
):
    monkeypatch.setattr(shuffling, "WINDOW", window)
    ros("train", "train.csv", "-o", "whole.model", "--passes", 3, *options, "-q")
    often = ("--checkpoint", "c", "--checkpoint-every", 1e-9, "--passes", 3, *options)
    steps = []

    def stop(*args):
        steps.append(args)
        if len(steps) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Lines, "step", lambda self, *args: stop(*args))
        ros("train", "train.csv", *often, code=130)
    ros("train", "train.csv", "-o", "again.model", *often, "--resume", "-q")
    whole, again = load("whole.model"), load("again.model")
    np.testing.assert_array_equal(whole.coef_, again.coef_)


def test_an_error_names_the_line_wherever_the_row_was_put(ros, folder):
    lines = [f"{k % 2 * 2 - 1} 1:{k}" for k in range(1, 40)]
    lines[22] = "1 1:3e38 2:3e38"
    (folder / "big.svm").write_text("\n".join(lines) + "\n")
    found = ros("train", "big.svm", "--scale", "none", code=1).err
    assert "big.svm:23: this example makes a score or a weight too large" in found
