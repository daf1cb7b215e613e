"""Gradient descent: what the page is told is what the estimators do."""

import csv
import io
from base64 import b64decode
from itertools import pairwise

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.lab.calls import answer_to
from rosenblatt.lab.descent.problems import PROBLEMS
from rosenblatt.lab.descent.settings import PATHS, read
from rosenblatt.lab.descent.surface import ground_of
from rosenblatt.lab.screens.descent import Descent
from rosenblatt.lab.worker import _json

EVERY = [(problem.name, loss) for problem in PROBLEMS.values() for loss in problem.losses]


def ask(name, **told):
    answer = answer_to(Descent(), name, told)
    _json(answer)  # it can be sent: no NaN, nothing that JSON lacks
    return answer


def run(problem="line", shown=None, **settings):
    return ask("run", settings={"problem": problem, **settings}, shown=shown)


def points_of(path):
    return np.frombuffer(b64decode(path["points"]), np.float32).reshape(-1, 2)


def words(answer):
    return {name: path["fate"]["word"] for name, path in answer["paths"].items()}


def limit(problem="line", loss="squared", alpha=0.0):
    return 2 / ground_of(problem, loss, alpha).bends.most


def test_the_catalog_names_problems_that_can_be_run():
    catalog = ask("catalog")
    assert [one["name"] for one in catalog["problems"]] == [*PROBLEMS]
    for one in catalog["problems"]:
        values = {option["name"]: option["default"] for option in one["options"]}
        assert read({"problem": one["name"], **values}) == read({"problem": one["name"]})
        assert len(one["X"]) == len(one["y"])
        assert one["note"].endswith(".")


@pytest.mark.parametrize(("problem", "loss"), EVERY)
def test_every_surface_can_be_drawn(problem, loss):
    settings = {"problem": problem, "loss": loss, "rate": "constant"}
    ground = ask("ground", settings=settings)
    left, right, bottom, top = ground["view"]
    start = PROBLEMS[problem].start
    assert left < start[0] < right
    assert bottom < start[1] < top
    grid = ask("heights", settings=settings, view=ground["view"], grid=[40, 30])
    heights = np.frombuffer(b64decode(grid["heights"]), np.float32).reshape(30, 40)
    surface = ground_of(problem, loss, read(settings).alpha).surface
    assert heights[0, -1] == pytest.approx(surface(np.array([right, top])), rel=1e-6)
    assert heights[-1, 0] == pytest.approx(surface(np.array([left, bottom])), rel=1e-6)
    assert heights.min() == pytest.approx(grid["low"], rel=1e-6)
    assert heights.max() == pytest.approx(grid["high"], rel=1e-6)
    if ground["kind"] == "point":
        assert left < ground["lowest"][0] < right
        assert bottom < ground["lowest"][1] < top
        assert ground["bottom"] <= grid["low"]
    else:
        assert ground["lowest"] is None
        assert (grid["flat"] is not None) == (ground["kind"] == "flat")
    if grid["flat"] is not None:
        assert surface(np.array(grid["flat"])) == 0


@pytest.mark.parametrize(("problem", "loss"), EVERY)
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_nothing_around_the_star_is_lower(problem, loss, alpha):
    ground = ground_of(problem, loss, alpha)
    if ground.lowest is None:
        assert alpha == 0
        return
    turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    for size in (1e-4, 1e-2, 1.0):
        ring = ground.lowest + size * np.column_stack([np.cos(turns), np.sin(turns)])
        assert ground.surface.at(ring).min() >= ground.bottom - 1e-12


def test_the_curvature_of_squares_is_exact():
    most, least, anywhere = ground_of("line", "squared", 0.1).bends
    rows = np.column_stack([PROBLEMS["line"].X, np.ones(12)])
    bend = 2 * rows.T @ rows / 12 + np.diag([0.1, 0])
    np.testing.assert_allclose([least, most], np.linalg.eigvalsh(bend))
    assert anywhere == most


@pytest.mark.parametrize("problem", ["line", "valley"])
def test_batch_descent_diverges_just_above_two_over_l(problem):
    edge = limit(problem)
    told = {"problem": problem, "by": "move", "moves": 1000}
    below, above = run(eta=0.99 * edge, **told), run(eta=1.02 * edge, **told)
    assert words(below)["batch"] == "arrived"
    assert words(above)["batch"] == "diverges"
    assert f"is more than 2/L = {edge:.3g}: batch descent overshoots and diverges" in above["text"]
    assert "more than" not in below["text"]
    # What must diverge is said to, also before it has gone far.
    soon = run(problem, eta=1.001 * edge, by="move", moves=3)
    assert words(soon)["batch"] == "diverges"


def test_logistic_descent_cannot_settle_above_two_over_l():
    edge = limit("threshold", "logistic")
    far = run("threshold", eta=1.3 * edge, by="move", moves=300)
    near = run("threshold", eta=0.7 * edge, by="move", moves=300)
    assert (words(far)["batch"], words(near)["batch"]) == ("wanders", "arrived")
    assert "cannot settle there" in far["text"]


@pytest.mark.parametrize(("problem", "loss"), EVERY)
def test_paths_end_where_fit_ends(problem, loss):
    settings = {"problem": problem, "loss": loss, "by": "example", "passes": 3, "eta": 0.05}
    chosen, answer = read(settings), ask("run", settings=settings)
    for name, path in answer["paths"].items():
        model = chosen.model(name)
        start = np.array(chosen.start)
        split = (start[:1], start[1:]) if chosen.problem.fit_intercept else (start, [0.0])
        model.fit(chosen.problem.X, chosen.problem.y, *split)
        ends = np.append(model.coef_, model.intercept_)[:2]
        np.testing.assert_allclose(path["end"], ends, rtol=1e-12)
        np.testing.assert_allclose(points_of(path)[-1], path["end"], rtol=1e-6)
        assert points_of(path)[0] == pytest.approx(chosen.start, rel=1e-6)
        assert path["moves"] == len(points_of(path)) - 1 == 3 * chosen.moves_a_pass(name)


def test_moves_or_examples_are_counted():
    by_example = run(by="example", passes=5, batch=5)["paths"]
    seen = {k: np.frombuffer(b64decode(p["seen"]), np.int32) for k, p in by_example.items()}
    assert seen["batch"].tolist() == [0, 12, 24, 36, 48, 60]
    assert seen["mini"].tolist()[:5] == [0, 5, 10, 12, 17]
    assert {int(one[-1]) for one in seen.values()} == {60}
    by_move = run(by="move", moves=17)["paths"]
    assert {path["moves"] for path in by_move.values()} == {17}


def test_deck_bs_stochastic_path_is_the_perceptron():
    settings = {"order": "given", "eta": 1.0, "start": [0, 0], "by": "example", "passes": 4}
    answer = run("deck-b", **settings)
    problem = PROBLEMS["deck-b"]
    perceptron = Perceptron(fit_intercept=False, shuffle=False).fit(problem.X, problem.y)
    assert answer["paths"]["stochastic"]["end"].tolist() == perceptron.coef_[0].tolist()
    assert words(answer)["stochastic"] == "loss 0"


def test_the_sentence_is_about_the_paths_shown():
    text = run(eta=1.0)["text"]
    assert "batch descent overshoots" in text
    assert "The others diverge too" in text
    assert "batch descent overshoots" not in run(eta=1.0, shown=["stochastic"])["text"]
    assert run(eta=1.0, shown=["stochastic"])["text"].startswith("Stochastic descent diverges")
    assert run(shown=[])["text"] == ""
    assert "Stochastic descent wanders: every point pulls elsewhere." in run(eta=0.1)["text"]
    assert "no lowest point" in run("margin", loss="logistic", alpha=0.0)["text"]
    assert "turns the weights round" in run("margin", eta=20.0)["text"]
    assert "η plays no part" in run(rate="line_search")["text"]


def test_the_table_has_every_move():
    settings = {"problem": "blobs", "by": "example", "passes": 2}
    rows = list(csv.DictReader(io.StringIO(ask("csv", settings=settings))))
    assert [*rows[0]] == ["path", "move", "examples", "w1", "w2", "loss"]
    for name, path in ask("run", settings=settings)["paths"].items():
        mine = [row for row in rows if row["path"] == name]
        assert len(mine) == path["moves"] + 1
        assert [float(mine[-1]["w1"]), float(mine[-1]["w2"])] == path["end"].tolist()
        assert mine[-1]["examples"] == "56"
        assert all(int(a["move"]) + 1 == int(b["move"]) for a, b in pairwise(mine))


@pytest.mark.parametrize("eta", [1e3, 30.0, 3.0])
@pytest.mark.parametrize("start", [[1e4, -1e4], [0, 0]])
@pytest.mark.parametrize(("problem", "loss"), EVERY)
def test_the_longest_steps_are_survived(problem, loss, start, eta):
    settings = {"problem": problem, "loss": loss, "eta": eta, "start": start, "rate": "constant"}
    settings |= {"by": "example", "passes": 4}
    assert {*ask("run", settings=settings)["paths"]} == {*PATHS}
    assert ask("csv", settings=settings).count("\n") > 3


BAD = [
    None,
    [],
    {},
    {"problem": "lines"},
    {"problem": ["line"]},
    {"problem": "line", "loss": "hinge"},
    {"problem": "line", "colour": 1},
    {"problem": "line", "eta": 0},
    {"problem": "line", "eta": -1},
    {"problem": "line", "eta": "0.1"},
    {"problem": "line", "eta": True},
    {"problem": "line", "eta": float("nan")},
    {"problem": "line", "eta": float("inf")},
    {"problem": "line", "eta": 10**400},
    {"problem": "line", "batch": 0},
    {"problem": "line", "batch": 13},
    {"problem": "line", "batch": 2.5},
    {"problem": "line", "passes": 10**9},
    {"problem": "line", "moves": 1001},
    {"problem": "line", "seed": -1},
    {"problem": "line", "alpha": 11},
    {"problem": "line", "rate": "step"},
    {"problem": "line", "order": True},
    {"problem": "line", "by": None},
    {"problem": "line", "start": [0]},
    {"problem": "line", "start": [0, float("nan")]},
    {"problem": "line", "start": [0, 1e5]},
    {"problem": "line", "start": [0, 10**400]},
    {"problem": "line", "start": "00"},
    {"problem": "threshold", "loss": "hinge", "rate": "line_search"},
]


@pytest.mark.parametrize("settings", BAD, ids=lambda one: repr(one)[:60])
@pytest.mark.parametrize("call", ["ground", "run", "csv", "code"])
def test_bad_settings_are_refused(call, settings):
    with pytest.raises(ValueError, match=r"must be|no setting|smooth loss"):
        ask(call, settings=settings)


@pytest.mark.parametrize(
    ("view", "grid"),
    [
        (None, [9, 9]),
        ([0, 1, 0], [9, 9]),
        ([1, 0, 0, 1], [9, 9]),
        ([0, 1, 0, float("nan")], [9, 9]),
        ([0, 1, 0, 1e7], [9, 9]),
        ([0, 1, 0, 1], [1, 9]),
        ([0, 1, 0, 1], [9, 10**6]),
        ([0, 1, 0, 1], [9, 9.5]),
        ([0, 1, 0, 1], 9),
    ],
)
def test_bad_views_are_refused(view, grid):
    with pytest.raises(ValueError, match=r"^(view|grid) must"):
        ask("heights", settings={"problem": "line"}, view=view, grid=grid)


@pytest.mark.parametrize("shown", ["batch", ["batch", "all"], [[]], 3])
def test_unknown_paths_are_refused(shown):
    with pytest.raises(ValueError, match="shown must be"):
        run(shown=shown)
