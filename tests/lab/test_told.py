"""Frames tell what a page would have to compute: margins, factors, and whom a bound is for."""

import numpy as np
import pytest

from tests.lab.asking import clouds
from tests.lab.test_runs import all_frames, run_of


class TestWhatIsTold:
    """The page computes nothing: what it draws and writes is in the frames."""

    @pytest.mark.parametrize("learner", ["perceptron", "averaged", "svm", "centroid"])
    def test_the_margin_if_all_are_right(self, learner):
        points = [[-1, 0, 0], [-2, 1, 0], [1, 0.5, 1], [3, 1, 1]]
        run = run_of(learner, {}, points=points)
        for frame in all_frames(run):
            if frame["errors"] or not np.any((frame["mean"] or frame)["w"]):
                assert frame["margin"] is frame["nearest"] is None
                continue
            w, b = ((frame["mean"] or frame)[name] for name in "wb")
            away = np.abs(run.points.X @ w + b) / np.linalg.norm(w)
            assert frame["margin"] == pytest.approx(away.min())
            assert away[frame["nearest"]] == pytest.approx(away.min())
        assert frame["margin"] > 0

    @pytest.mark.parametrize(("learner", "settings", "classes"), [
        ("kernel", {}, 2), ("voted", {}, 2), ("perceptron", {}, 3)
    ])  # fmt: skip
    def test_no_margin_without_one_line(self, learner, settings, classes):
        points = [[4 * np.cos(2 * k), 4 * np.sin(2 * k), k % classes] for k in range(classes)]
        frames = all_frames(run_of(learner, settings, classes, points))
        assert frames[-1]["errors"] == 0
        assert all(frame["margin"] is None for frame in frames)

    @pytest.mark.parametrize(("learner", "settings"), [
        ("perceptron", {"rate": "inverse", "eta0": 0.7}), ("perceptron", {"order": "mistakes"}),
        ("averaged", {}), ("voted", {}), ("gradient", {"loss": "hinge"}), ("regression", {}),
    ])  # fmt: skip
    def test_the_factor(self, learner, settings):
        old = np.zeros(2)
        for frame in run_of(learner, settings).frames(1, 60):
            assert (frame["factor"] is not None) == frame["updated"]
            if frame["updated"]:
                x = np.array(clouds()[frame["rows"][0]][:2])
                assert frame["w"] - old == pytest.approx(frame["factor"] * x)
            old = frame["w"]

    @pytest.mark.parametrize(("learner", "settings", "classes"), [
        ("batch", {}, 2), ("kernel", {}, 2), ("svm", {}, 2), ("logistic", {"batch": "4"}, 2),
        ("perceptron", {}, 3), ("centroid", {}, 2),
    ])  # fmt: skip
    def test_no_factor_where_more_than_a_row_is_added(self, learner, settings, classes):
        frames = all_frames(run_of(learner, settings, classes))
        assert all(frame["factor"] is None for frame in frames)

    @pytest.mark.parametrize(("learner", "settings", "classes", "promise"), [
        ("perceptron", {}, 2, True), ("perceptron", {"order": "mistakes", "eta0": 3}, 2, True),
        ("perceptron", {"rate": "inverse"}, 2, False), ("perceptron", {}, 3, False),
        ("averaged", {}, 2, True), ("voted", {}, 2, True), ("batch", {}, 2, False),
        ("gradient", {}, 2, False), ("kernel", {}, 2, False), ("centroid", {}, 2, False),
    ])  # fmt: skip
    def test_for_whom_the_bound_is_a_promise(self, learner, settings, classes, promise):
        assert run_of(learner, settings, classes).opened()["applies"] is promise
