"""Animations of learning."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

from rosenblatt import (
    AveragedPerceptron,
    BatchPerceptron,
    KernelPerceptron,
    Perceptron,
    trace,
)
from rosenblatt.plot import animate
from rosenblatt.plot import animation as module

X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])


def frames(path):
    """Return how long each frame stays, in milliseconds."""
    with Image.open(path) as image:
        assert image.format == "GIF"
        assert image.size == (640, 480)
        durations = []
        for k in range(image.n_frames):
            image.seek(k)
            durations.append(image.info["duration"])
    return durations


@pytest.fixture
def titles(monkeypatch):
    """Collect what the frames say instead of drawing them."""
    said = []
    draw = module._draw

    def drawn(figure, *rest):
        draw(figure, *rest)
        said.append(figure.axes[0].get_title(loc="left"))

    monkeypatch.setattr(module, "_draw", drawn)
    return said


@pytest.mark.slow
def test_a_frame_for_each_mistake_and_one_for_the_result(tmp_path, titles):
    path = animate(X, AND, path=tmp_path / "and.gif")
    assert path == tmp_path / "and.gif"
    steps = list(trace(X, AND))
    mistaken = [step for step in steps if step.mistake]
    assert frames(path) == [1000] * len(mistaken) + [4000]
    first = titles[0].splitlines()
    assert first == [
        "step 1, pass 1: row 0 is 0, taken for 1",
        "1 mistake so far · w = (0, 0) · b = −1",
    ]
    last = f"done after {steps[-1].step} steps, {steps[-1].pass_number} passes"
    assert titles[-1].splitlines()[0] == last
    assert "w = (3, 2) · b = −4" in titles[-1]


@pytest.mark.slow
def test_a_frame_for_each_step(tmp_path, titles):
    learner = Perceptron(fit_intercept=False, shuffle=False)
    rows, y = [[-1, 2], [1, 0], [1, 1]], ["no", "yes", "yes"]
    path = animate(rows, y, learner, str(tmp_path / "b.gif"), every="step", fps=2, hold=1)
    steps = list(trace(rows, y, learner))
    assert frames(path) == [500] * len(steps) + [1000]
    assert titles[1].startswith("step 2, pass 1: row 1 is yes, taken for yes")


@pytest.mark.slow
def test_too_many_frames(tmp_path, titles):
    with pytest.warns(UserWarning, match="learning continues after the 5 frames"):
        path = animate(X, XOR, path=tmp_path / "xor.gif", max_frames=5)
    assert len(frames(path)) == 5
    assert titles[-1].startswith("learning continues after 4 steps, 1 passes")
    mistakes = sum(step.mistake for step in trace(X, AND))
    path = animate(X, AND, path=tmp_path / "and.gif", max_frames=mistakes + 1)
    assert len(frames(path)) == mistakes + 1


@pytest.mark.slow
def test_a_frame_of_the_batch_perceptron_is_a_pass(tmp_path, titles):
    animate(X, AND, "batch", tmp_path / "name.gif")
    moves = BatchPerceptron(record=True).fit(X, AND).ledger_.replay(X)
    assert len(titles) == len(list(moves)) + 1
    assert titles[0].startswith("step 4, pass 1: 4 rows were mistaken\n4 mistakes so far")


@pytest.mark.slow
def test_the_result_of_the_averaged_perceptron_is_the_mean(tmp_path, titles):
    animate(X, AND, "averaged", tmp_path / "a.gif")
    model = AveragedPerceptron(shuffle=False).fit(X, AND)
    w = ", ".join(f"{value:.4g}" for value in model.coef_[0])
    assert f"w = ({w}) · b = {model.intercept_[0]:.4g}".replace("-", "−") in titles[-1]


def test_what_a_frame_shows(tmp_path):
    table = pd.DataFrame(X, columns=["width", "height"])
    points = module.scene.as_points(table, AND)
    moments = module._moments(trace(table, AND), "mistake", 100, False)
    shown = module._shown(points, moments)
    figure = Figure()
    for moment in moments[2:]:
        module._draw(figure, table, points, moment, shown)
        (ax,) = figure.axes
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "height")
        lines = {line.get_label(): line for line in ax.lines}
        state = moment.step.weights, moment.step.intercept
        line = lines["result" if moment.ending else "after"]
        assert np.allclose(line.get_xy1() @ state[0] + state[1], 0)
        if not moment.ending:
            (ring,) = [c for c in ax.collections if c.get_label() == "looked at"]
            np.testing.assert_array_equal(ring.get_offsets(), X[[moment.step.index]])
            before = moment.step.weights_before
            assert np.allclose(lines["before"].get_xy1() @ before + moment.step.intercept_before, 0)


@pytest.mark.slow
def test_no_figure_stays_open_and_no_file_but_the_animation(tmp_path):
    (tmp_path / "a.gif").write_bytes(b"old")
    with mpl.rc_context({"savefig.bbox": "tight"}):
        animate(X, AND, path=tmp_path / "a.gif")
    assert [path.name for path in tmp_path.iterdir()] == ["a.gif"]
    assert len(frames(tmp_path / "a.gif")) > 2
    assert plt.get_fignums() == []


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    (tmp_path / "a.gif").write_bytes(b"old")

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_draw", fail)
    with pytest.raises(KeyboardInterrupt):
        animate(X, AND, path=tmp_path / "a.gif")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


@pytest.mark.slow
def test_the_path_has_a_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert animate(X, AND).resolve() == tmp_path / "learning.gif"


def test_what_cannot_be_animated(tmp_path):
    path = tmp_path / "a.gif"
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        animate(X, AND, path=tmp_path / "none" / "a.gif")
    with pytest.raises(ValueError, match=r"must end in \.gif"):
        animate(X, AND, path=tmp_path / "a.mp4")
    with pytest.raises(ValueError, match="two features, got an X of shape"):
        animate(np.ones((4, 3)), AND, path=path)
    with pytest.raises(ValueError, match="y has 3 classes"):
        animate(X, [0, 1, 2, 2], path=path)
    with pytest.raises(ValueError, match="every must be 'mistake' or 'step'"):
        animate(X, AND, path=path, every="pass")
    for option in ({"max_frames": 1}, {"fps": 0.5}, {"hold": 0}):
        with pytest.raises(ValueError, match=f"{next(iter(option))} must be a whole number"):
            animate(X, AND, path=path, **option)
    with pytest.raises(ValueError, match="learner must be"):
        animate(X, AND, "adaline", path)
    with pytest.raises(ValueError, match="a KernelPerceptron has no weights"):
        animate(X, AND, KernelPerceptron(), path)
    assert list(tmp_path.iterdir()) == []
