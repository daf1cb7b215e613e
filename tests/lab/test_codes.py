"""The code to take along: run as a script, it prints the frame's numbers, to the last digit."""

import ast
import csv
import runpy
import subprocess
import sys

import numpy as np
import pytest

from rosenblatt.lab.plane.code import Labels, compare_code, playground_code
from rosenblatt.lab.plane.learners import learners
from rosenblatt.lab.plane.points import as_grid, as_points
from rosenblatt.lab.plane.presets import preset
from rosenblatt.lab.plane.runs import Run, table
from rosenblatt.theory.bounds import mistake_bound
from rosenblatt.theory.separate import separate
from tests.conftest import first_quick
from tests.lab.asking import GRID, VIEW, clouds, names_of
from tests.lab.test_runs import SETTINGS

LEARNERS = learners()

STEP = 13


@pytest.fixture
def script(tmp_path, monkeypatch, capsys):
    """Run code in a folder of its own; return what it printed, by name."""

    def run(code, points=None, classes=None, name="playground", whole=False):
        monkeypatch.chdir(tmp_path)
        if points is not None:
            with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                rows = [[repr(x), repr(y), classes[c]] for x, y, c in points]
                csv.writer(file).writerows([["x₁", "x₂", "class"], *rows])
        (tmp_path / "code.py").write_text(code, encoding="utf-8")
        capsys.readouterr()
        runpy.run_path("code.py")
        out = capsys.readouterr().out
        return out if whole else numbers(out)

    return run


NAMES = ("w", "b", "mean w", "mean b", "support", "errors", "score", "mistakes")
RESULTS = {"mistakes": "mistakes", "errors": "wrong", "passes": "passes"}


def numbers(out, also=()):
    lines = [line.split(" = ", 1) for line in out.splitlines()]
    return {line[0]: ast.literal_eval(line[1]) for line in lines if line[0] in (*NAMES, *also)}


def plain(value):
    return np.asarray(value).tolist()


def assert_same(printed, frame):
    for name in ("w", "b"):
        assert printed.get(name) == (None if frame[name] is None else plain(frame[name]))
        if frame["mean"] is not None and frame["k"]:
            assert printed[f"mean {name}"] == plain(frame["mean"][name])
    if "support" in frame:
        assert printed["support"] == plain(frame["support"])
    assert printed["errors"] == frame["errors"]
    if frame["k"]:
        assert printed["mistakes"] == frame["mistakes"]
    assert printed.get("score") == (None if frame["score"] is None else plain(frame["score"]))


@pytest.mark.parametrize("classes", first_quick([2, 4]))
@pytest.mark.parametrize(("learner", "settings"), SETTINGS)
def test_it_prints_what_is_shown(script, learner, settings, classes):
    if LEARNERS[learner].two_classes_only and classes > 2:
        pytest.skip("for two classes")
    points = as_points(clouds(classes=classes), names_of(classes))
    run = Run(points, learner, settings, as_grid(VIEW, GRID))
    frame = run.at(STEP) or run.frame()
    assert_same(script(playground_code(points, learner, settings, STEP)), frame)


@pytest.mark.parametrize("learner", ["perceptron", "kernel", "voted", "regression", "centroid"])
@pytest.mark.parametrize("classes", [["-1", "+1"], ["b", "a"], ["no", "yes"], ["x'\"\n\\", "z"]])
def test_more_points_are_read_from_the_file(script, learner, classes):
    listed = clouds(80)
    points = as_points(listed, classes)
    run = Run(points, learner, {}, as_grid(VIEW, GRID))
    frame = run.at(STEP) or run.frame()
    code = playground_code(points, learner, {}, STEP)
    assert '"playground.csv"' in code
    assert_same(script(code, listed, classes), frame)


@pytest.mark.parametrize("classes", first_quick([2, 3]))
@pytest.mark.parametrize("learner", LEARNERS)
def test_before_the_first_step(script, learner, classes):
    if LEARNERS[learner].two_classes_only and classes > 2:
        pytest.skip("for two classes")
    points = as_points(clouds(classes=classes), names_of(classes))
    printed = script(playground_code(points, learner, {}, 0))
    frame = Run(points, learner, {}, None).frame()
    assert printed["errors"] == frame["errors"]
    assert printed.get("w") == (None if frame["w"] is None else plain(frame["w"]))
    assert printed.get("mistakes", 0) == 0


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", ["deck-a", "xor", "iris"])
def test_the_verdict_and_the_bound(script, name, bias):
    told = preset(name)
    points = as_points(told["points"], told["classes"])
    code = playground_code(points, "perceptron", {"bias": bias}, 2)
    out = script(code, told["points"], told["classes"], whole=True)
    if points.binary:
        assert str(separate(points.X, points.y, fit_intercept=bias)) in out
        assert str(mistake_bound(points.X, points.y, fit_intercept=bias)) in out
        return
    for k, label in enumerate(told["classes"]):
        proof = separate(points.X, points.y == k, fit_intercept=bias)
        assert f"{label} against the rest:\n{proof}\n" in out


@pytest.mark.slow
def test_deck_b_in_a_process_of_its_own():
    told = preset("deck-b")
    points = as_points(told["points"], told["classes"])
    code = playground_code(points, told["learner"], told["settings"], 5)
    assert "X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]" in code
    assert "y = [-1, 1, 1, -1, -1, 1]" in code
    made = "Perceptron(tol=None, fit_intercept=False, shuffle=False, max_iter=100)"
    assert f"learner = {made}" in code
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("w = [3.0, 1.0]\nb = 0.0\n")
    assert "Separable: a hyperplane through the origin separates the classes" in done.stdout


def test_labels_sort_as_the_page_s_classes_do():
    def labels(classes):
        points = as_points([[0, 0, k] for k in range(len(classes))], classes)
        return Labels.of(points).values

    assert labels(["-1", "+1"]) == [-1, 1]
    assert labels(["0", "1"]) == [0, 1]
    assert labels(["9", "10"]) == [9, 10]
    assert labels(["no", "yes"]) == ["no", "yes"]
    assert labels(["yes", "no"]) == [0, 1]
    assert labels(["1", "0"]) == [0, 1]
    assert labels(["1", "+1"]) == [0, 1]
    assert labels(["²", "x"]) == [0, 1]


@pytest.mark.parametrize("step", [0, STEP])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("names", [list(LEARNERS)[k : k + 4] for k in range(0, len(LEARNERS), 4)])
def test_several_learners(script, names, classes, step):
    points = as_points(clouds(classes=classes), names_of(classes))
    known = [name for name in names if classes == 2 or not LEARNERS[name].two_classes_only]
    learners = [(name, {}) for name in [*known, "voted"][:4]]
    runs = [Run(points, *one, None) for one in learners]
    rows = {row["name"]: row["cells"] for row in table(runs)["rows"]}
    out = script(compare_code(points, learners, step), whole=True)
    for k, run in enumerate(runs):
        part = out.split(f"{k + 1}. {run.learner.title}\n")[1].split(f"\n{k + 2}. ")[0]
        printed = numbers(part, [f"{name} at the end" for name in RESULTS.values()])
        assert_same(printed, run.at(step) or run.frame())
        for name, title in RESULTS.items():
            assert printed.get(f"{title} at the end") == rows[name][k]


def test_without_results(script):
    points = as_points(clouds(), names_of(2))
    shaky = {"rate": "constant", "eta0": 100, "batch": "all"}
    code = compare_code(points, [("regression", shaky), ("centroid", {})], 1)
    assert "# The table has no results of it: it diverges, or takes long." in code
    assert script(code, whole=True).count("at the end") == 1


@pytest.mark.parametrize("step", [None, -1, 1.0, "1", True, 10**9])
def test_bad_steps(step):
    points = as_points(clouds(), names_of(2))
    with pytest.raises(ValueError, match="step must be a whole number"):
        playground_code(points, "perceptron", {}, step)


def test_no_line_is_too_long():
    for learner in LEARNERS:
        for classes in (2, 4):
            points = as_points(clouds(60, classes), names_of(classes))
            code = playground_code(points, learner, {}, STEP)
            assert max(map(len, code.splitlines())) <= 100
