"""The registry: a learner that is registered is everywhere, and the docs say what it says."""

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import rosenblatt
from rosenblatt.cli.main import COMMANDS
from rosenblatt.learner_registry import LEARNERS, Learner, register
from rosenblatt.readers import read, svmlight
from rosenblatt.readers.formats import FORMATS, recognise
from rosenblatt.readers.reader import Reader

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def toys(tmp_path_factory):
    """What the package makes of two toy learners, in a process of their own."""
    folder = str(tmp_path_factory.mktemp("toys"))
    done = subprocess.run(
        [sys.executable, "-c", f"from tests.toy import main; main({folder!r})"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_help_names_a_registered_learner(toys):
    helps = {name: re.sub(r"-\n +", "-", told) for name, told in toys["helps"].items()}
    for command, told in helps.items():
        assert {"toy", "toy-batch"} <= set(re.findall(r"[\w-]+", told)), command
    assert "toy-batch 1000" in " ".join(helps["train"].split())


def test_train_trains_it(toys):
    trained = toys["trained"]
    for toy, own in (("toy", "perceptron"), ("toy-batch", "batch")):
        assert trained[toy]["inspected"] == toy
        assert trained[toy]["titled"]
        assert not trained[own]["titled"]
        for name in ("mistakes", "coef", "predicted"):
            assert trained[toy][name] == trained[own][name]
    assert trained["toy"]["type"] == "OnlineClassifier"
    assert trained["toy-batch"]["type"] == "ToyBatch"


def test_compare_tune_and_trace_run_it(toys):
    compared = {result["learner"]: result for result in toys["compared"]}
    assert compared["toy"]["error"] == compared["perceptron"]["error"]
    assert compared["toy-batch"]["always_the_same"] is True
    assert toys["tuned"]["learner"] == "toy"
    assert "--learner toy" in toys["tuned"]["command"]
    assert toys["traced"]["bound"] is not None


def test_its_facts_are_in_the_table(toys):
    rows = [line.split() for line in toys["described"].splitlines() if "Perceptron" in line]
    toy, own = rows
    assert toy[0] == "ToyPerceptron"
    assert toy[1:] == own[1:]


def test_its_model_file_brings_it_back(toys):
    assert toys["saved"] == ["ToyPerceptron", True]


def test_the_lab_shows_it_step_by_step(toys):
    assert toys["shown"]["title"] == "Toy perceptron"
    assert toys["shown"]["kind"] == "steps"
    assert toys["frames"]["toy"] == toys["frames"]["perceptron"]
    assert toys["frames"]["toy"][-1] == [3.0, 1.0, 3]  # deck B
    assert len(toys["frames"]["toy-batch"]) > 6
    code, printed = toys["code"]
    assert "from tests.toy import ToyPerceptron" in code
    assert "w = [2.0, -1.0]" in printed


@pytest.mark.parametrize("taken", [{"name": "svm"}, {"estimator": "LinearSVM"}])
def test_a_name_that_is_taken_is_refused(taken):
    names = {"name": "new", "estimator": "New", "title": "", "module": "", **taken}
    before = dict(LEARNERS)
    with pytest.raises(ValueError, match="already"):
        register(Learner(**names))
    assert before == LEARNERS


def test_the_documentation_has_the_registry_s_table():
    place = ROOT / "docs" / "learners.py"
    spec = importlib.util.spec_from_file_location("docs_learners", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = place.with_suffix(".md").read_text(encoding="utf-8")
    assert written == module.page(), "run python docs/learners.py"


def test_type_checkers_see_every_name():
    tree = ast.parse(Path(rosenblatt.__file__).read_text(encoding="utf-8"))
    blocks = [node.body for node in tree.body if isinstance(node, ast.If)]
    seen = {name.asname for block in blocks for line in block for name in line.names}
    assert seen == {*rosenblatt.__all__} - {"__version__"}
    assert {row.estimator for row in LEARNERS.values()} <= seen


def test_a_file_format_is_its_module_and_a_row(file, monkeypatch):
    row = FORMATS["svmlight"]._replace(module="toy", endings=(".toy",), rank=9)
    toy = ModuleType("toy")
    toy.blocks = lambda *args: (block._replace(file="toy") for block in svmlight.blocks(*args))
    monkeypatch.setitem(sys.modules, "rosenblatt.readers.toy", toy)
    monkeypatch.setitem(FORMATS, "toy", row)
    same = b"-1 3:1 11:1\n+1 5:1\n"
    assert [recognise(name, same) for name in ("a.toy", "a")] == ["toy", "svmlight"]
    X, y = read(file(same, "a.svm"))
    for options in ({"format": "toy"}, {}):
        rows, labels = read(file(same, "a.toy"), **options)
        assert (rows != X).nnz == 0
        assert labels.tolist() == y.tolist()
    assert {block.file for block in Reader([file(same, "a.toy")])} == {"toy"}


def test_a_command_is_its_module_and_a_name():
    folder = Path(rosenblatt.__file__).parent / "cli" / "commands"
    assert {path.stem for path in folder.glob("[a-z]*.py")} == {
        name.replace("-", "_") for name in COMMANDS
    }
