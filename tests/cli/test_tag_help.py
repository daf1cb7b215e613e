"""Help of ``rosenblatt tag``: quick, within 80 columns, and its examples work."""

import shlex
import subprocess
import sys
from importlib import import_module

import pytest

from rosenblatt.cli.commands.tag import tag
from rosenblatt.tagging import file_layout, schemes, templates
from rosenblatt.training.tagger_options import CONSTRAINTS, IGNORED, TAG_FORMATS, TEMPLATES

EXAMPLES = {name: import_module(f"rosenblatt.cli.tag.{name}").EXAMPLES for name in tag.names}


def test_help_loads_nothing_large():
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from rosenblatt.cli.main import app\n"
        f"for name in {tag.names!r}:\n"
        "    assert CliRunner().invoke(app, ['tag', name, '--help']).exit_code == 0\n"
        "print([n for n in ('numpy', 'numba', 'sklearn', 'scipy', 'pandas', 'pyarrow', 'rich',"
        " 'pydantic') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


def test_a_command_loads_no_other():
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from rosenblatt.cli.main import app\n"
        "assert CliRunner().invoke(app, ['tag', 'apply', '--help']).exit_code == 0\n"
        "print(sorted(n for n in sys.modules if n.startswith('rosenblatt.cli.tag.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "['rosenblatt.cli.tag.apply']"


@pytest.mark.parametrize("command", EXAMPLES)
def test_help_is_complete_and_narrow(ros, command):
    told = ros("tag", command, "--help").out
    assert all(len(line) <= 80 for line in told.splitlines())
    assert told.startswith(f"Usage: rosenblatt tag {command} ")
    examples = told.partition("\nExamples:\n")[2].splitlines()
    assert examples == [f"  {line}" for line in EXAMPLES[command]]


@pytest.mark.parametrize(
    ("command", "example"), [(name, line) for name in EXAMPLES for line in EXAMPLES[name]]
)
def test_examples_work(ros, shell, folder, command, example):
    words = shlex.split(example)
    if "|" in words:
        done = shell(example, folder)
        assert done.code == 0, done
    else:
        assert words[:3] == ["rosenblatt", "tag", command]
        ros(*words[1:])


def test_without_a_command_there_is_help(ros):
    without = ros("tag", code=None)
    assert without.out + without.err == ros("tag", "--help").out
    assert all(f"\n  {name} " in without.out + without.err for name in tag.names)


def test_a_command_that_is_nearly_right(ros):
    assert "Did you mean 'apply'?" in ros("tag", "appl", code=2).err
    assert "Did you mean 'train'" in ros("trane", code=2).err


def test_names_are_those_of_the_library():
    assert ("auto", *templates.NAMES) == TEMPLATES
    assert set(CONSTRAINTS) == {"auto", "none", "seen", *schemes.SCHEMES}
    assert TAG_FORMATS == ("auto", file_layout.COLUMNS, file_layout.CONLLU)
    assert IGNORED == file_layout.LEFT_OUT
