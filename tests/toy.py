"""Two toy learners, registered as any other, and what each part of the package makes of them.

`main` tries them, in a process of its own, and prints the results as JSON.
"""

import io
import json
import os
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from rosenblatt import BatchPerceptron, Perceptron, compare, learner_registry, load, save
from rosenblatt.learner_registry import LEARNERS

X = np.array([[-1.0, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]] * 3)
Y = np.array([-1, 1, 1, -1, -1, 1] * 3)


class ToyPerceptron(Perceptron):
    """A perceptron under another name."""


class ToyBatch(BatchPerceptron):
    """A batch perceptron under another name, which `train` trains in memory."""


def add_toys():
    names = {"module": "tests.toy", "title": "toy perceptron"}
    toy = LEARNERS["perceptron"]._replace(name="toy", estimator="ToyPerceptron", **names)
    batch = LEARNERS["batch"]._replace(name="toy-batch", estimator="ToyBatch", **names)
    learner_registry.register(toy)
    learner_registry.register(batch)


def tried(folder):
    """Return what commands, model files and the lab say of the toys."""
    return {**on_the_command_line(folder), **in_files(folder), **in_the_lab()}


def on_the_command_line(folder):
    from rosenblatt.cli.main import app

    data, found = folder / "d.svm", {}
    rows = zip(Y.tolist(), X.tolist(), strict=True)
    data.write_text("".join(f"{y} 1:{a} 2:{b}\n" for y, (a, b) in rows))

    def ros(*args):
        done = CliRunner().invoke(app, [str(arg) for arg in args])
        assert done.exit_code == 0, (args, done.output, done.exception)
        return done.stdout

    found["helps"] = {name: ros(name, "--help") for name in ("train", "compare", "tune", "trace")}
    found["trained"] = {}
    for name in ("toy", "perceptron", "toy-batch", "batch"):
        model, report = folder / f"{name}.model", folder / f"{name}.html"
        summary = ros("train", data, "--learner", name, "-o", model, "--report", report, "--json")
        found["trained"][name] = {
            "mistakes": json.loads(summary)["mistakes"],
            "coef": load(model).coef_.tolist(),
            "type": type(load(model)).__name__,
            "inspected": json.loads(ros("inspect", model, "--json"))["learner"],
            "titled": "toy perceptron" in report.read_text(),
            "predicted": ros("predict", model, data),
        }
    found["compared"] = json.loads(ros("compare", data, "--test", "0", "--json"))["learners"]
    found["tuned"] = json.loads(ros("tune", data, "--learner", "toy", "--folds", "2", "--json"))
    last = ros("trace", data, "--learner", "toy", "--json").splitlines()[-1]
    found["traced"] = json.loads(last)["summary"]
    return found


def in_files(folder):
    path = folder / "estimator.model"
    toy = ToyPerceptron(max_iter=3).fit(X, Y)
    save(toy, path)
    again = load(path)
    table = compare(X, Y, models=["ToyPerceptron", "Perceptron"], test=None)
    return {
        "saved": [type(again).__name__, np.array_equal(again.coef_, toy.coef_)],
        "described": table.describe(),
    }


def in_the_lab():
    from rosenblatt.lab.plane.code import playground_code
    from rosenblatt.lab.plane.learners import learners
    from rosenblatt.lab.plane.points import as_points
    from rosenblatt.lab.plane.runs import Run

    table = np.column_stack([X[:6], Y[:6] > 0]).tolist()
    points = as_points(table, ["-1", "1"])
    found = {"shown": learners()["toy"].described(), "frames": {}}
    for name in ("toy", "perceptron", "toy-batch"):
        run = Run(points, name, {"bias": False}, None)
        frames = list(run.frames(1, 100))
        found["frames"][name] = [[*frame["w"], frame["mistakes"]] for frame in frames]
    code, printed = playground_code(points, "toy", {"bias": False}, 3), io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "taken", "exec"), {})
    found["code"] = [code, printed.getvalue()]
    return found


def main(folder):
    os.environ["COLUMNS"] = "80"
    add_toys()
    print(json.dumps(tried(Path(folder)), default=lambda value: value.tolist()))
