"""The code that gradient descent's screen gives says what the page shows."""

import subprocess
import sys
from base64 import b64decode

import numpy as np
import pytest

from rosenblatt.lab.descent.settings import PATHS
from tests.lab.test_descent_calls import ask, points_of

SETTINGS = [
    {"problem": "line"},
    {"problem": "line", "eta": 0.7},
    {"problem": "valley", "rate": "line_search", "by": "move", "moves": 31},
    {"problem": "threshold", "loss": "hinge", "rate": "inverse", "decay": 7, "seed": 3},
    {"problem": "blobs", "alpha": 0.2, "start": [0.1, -0.3], "order": "given"},
    {"problem": "margin", "batch": 5},
    {"problem": "deck-b", "loss": "perceptron"},
]


@pytest.mark.slow
def test_the_code_reproduces_the_ends():
    codes = [ask("code", settings=settings) for settings in SETTINGS]
    done = subprocess.run([sys.executable, "-c", "\n".join(codes)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    lines = iter(done.stdout.splitlines())
    for settings in SETTINGS:
        paths = ask("run", settings=settings)["paths"]
        for name in PATHS:
            said, moves, first, second, loss, word = next(lines).split(maxsplit=5)
            assert (said, int(moves)) == (name, paths[name]["moves"])
            assert [float(first), float(second)] == paths[name]["end"].tolist()
            assert float(loss) == paths[name]["loss"]
            assert word == paths[name]["fate"]["word"]
    assert next(lines, None) is None


@pytest.mark.parametrize("by", ["move", "example"])
@pytest.mark.parametrize("step", [0, 30, 39, 5000])
def test_the_code_stops_at_the_step_that_is_shown(by, step, capsys):
    """With η = 0.5, stochastic descent comes back by luck, and the page says that it diverges."""
    settings = {"problem": "line", "eta": 0.5, "by": by, "passes": 4, "moves": 40, "batch": 5}
    shown = ["batch", "stochastic"]
    exec(ask("code", settings=settings, shown=shown, step=step), {})
    paths = ask("run", settings=settings)["paths"]
    for line, name in zip(capsys.readouterr().out.splitlines(), shown, strict=True):
        said, k, *numbers, word = line.split(maxsplit=5)
        path, k = paths[name], int(k)
        seen = np.frombuffer(b64decode(path["seen"]), np.int32)
        now = min(step, path["moves"]) if by == "move" else int(np.sum(seen <= step)) - 1
        assert (said, k) == (name, now)
        losses = np.frombuffer(b64decode(path["losses"]), np.float32)
        np.testing.assert_allclose(
            [float(one) for one in numbers], [*points_of(path)[k], losses[k]], rtol=1e-6
        )
        assert word == (path["fate"]["word"] if k == path["moves"] else "...")


@pytest.mark.parametrize("step", [-1, 1.5, "3", True])
def test_no_step_is_refused(step):
    with pytest.raises(ValueError, match="step must be"):
        ask("code", settings={"problem": "line"}, step=step)
