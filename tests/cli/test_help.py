"""Help: quick, within 80 columns, and its examples work."""

import shlex
import subprocess
import sys
import tomllib
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest

from rosenblatt.cli.main import COMMANDS
from rosenblatt.cli.main import EXAMPLES as FIRST
from rosenblatt.datasets import status
from tests.conftest import takes_at_most

EXAMPLES = [
    (command, example)
    for command in COMMANDS
    if command not in ("lab", "serve")  # which do not end by themselves: they have own tests
    for example in import_module(f"rosenblatt.cli.commands.{command.replace('-', '_')}").EXAMPLES
]


def test_help_answers_at_once():
    command = [sys.executable, "-m", "rosenblatt", "--help"]
    assert b"Commands:" in subprocess.run(command, capture_output=True, check=True).stdout
    ask = partial(subprocess.run, command, capture_output=True, check=True)
    assert takes_at_most(0.3, ask)


def test_help_loads_nothing_large():
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from rosenblatt.cli.main import app, COMMANDS\n"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
        "for name in COMMANDS:\n"
        "    assert CliRunner().invoke(app, [name, '--help']).exit_code == 0\n"
        "print([n for n in ('numpy', 'numba', 'sklearn', 'scipy', 'pandas', 'pyarrow', 'rich',"
        " 'typer') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_quiet_run_loads_only_what_it_needs(folder):
    code = (
        "import sys\n"
        "sys.argv = ['rosenblatt', 'train', 'train.svm', '-o', 'new.model', '--quiet', "
        "'--passes', '2']\n"
        "from rosenblatt.cli.main import app\n"
        "app(standalone_mode=False)\n"
        "print([n for n in ('sklearn', 'pandas', 'pyarrow', 'rich', 'pydantic')"
        " if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("installed", [True, False])
def test_small_tables_are_read_without_pyarrow(tmp_path, installed):
    """To load pyarrow, and pandas with it, takes longer than all the rest of `predict`."""
    rows = "".join(f"{k},{k % 3},x{k % 2},{'yes' if k > 25 else 'no'}\n" for k in range(50))
    (tmp_path / "train.csv").write_text("a,b,c,label\n" + rows)
    code = (
        "import sys\n"
        f"sys.modules.update({{}} if {installed} else {{'pyarrow': None, 'pandas': None}})\n"
        "from rosenblatt.cli.main import app\n"
        "for command in (['train', 'train.csv', '-o', 'a.model', '--quiet'],\n"
        "                ['predict', 'a.model', 'train.csv', '-o', 'out.csv', '--quiet']):\n"
        "    app(command, standalone_mode=False)\n"
        "print([n for n in ('pyarrow', 'pandas') if sys.modules.get(n)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stderr, done.stdout.strip()) == ("", "[]")
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 51


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_complete_and_narrow(ros, command):
    told = ros(command, "--help").out
    assert all(len(line) <= 80 for line in told.splitlines())
    assert told.startswith(f"Usage: rosenblatt {command} ")
    examples = told.partition("\nExamples:\n")[2].splitlines()
    module = import_module(f"rosenblatt.cli.commands.{command.replace('-', '_')}")
    assert examples == [f"  {line}" for line in module.EXAMPLES]


def test_the_short_form_and_no_arguments_give_help(ros):
    assert ros("-h").out == ros("--help").out
    without = ros(code=None)
    assert "Usage: rosenblatt" in without.out + without.err


def test_version(ros):
    from rosenblatt import __version__

    assert ros("--version").out == f"rosenblatt {__version__}\n"


@pytest.mark.parametrize(("command", "example"), EXAMPLES)
def test_examples_work(ros, shell, folder, command, example):
    words = shlex.split(example)
    if command == "datasets" and "-o" in words and status(words[2]) != "here":
        pytest.skip(f"needs the data set {words[2]!r}, which is not here")
    if "|" in words or ">" in words:
        done = shell(example, folder)
        assert done.code == 0, done
    else:
        assert words[:2] == ["rosenblatt", command]
        ros(*words[1:])


def test_the_first_examples_work_in_turn(ros, folder):
    told = ros("--help").out
    assert told.endswith("Examples:\n" + "".join(f"  {line}\n" for line in FIRST))
    for line in FIRST:
        ros(*shlex.split(line)[1:])


def test_the_script_is_declared():
    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    module, name = declared["project"]["scripts"]["rosenblatt"].split(":")
    assert callable(getattr(import_module(module), name))


def test_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt", "--version"], capture_output=True, check=True
    )
    assert done.stdout.startswith(b"rosenblatt ")
