"""Options are declared once: as fields, from which commands, help and command lines are made."""

import re
from dataclasses import MISSING, fields
from importlib import import_module

import click
import pytest

from rosenblatt.cli.command_builder import Command
from rosenblatt.cli.commands.serve import serve
from rosenblatt.cli.commands.tag import tag
from rosenblatt.cli.main import COMMANDS, app
from rosenblatt.console import as_words, option_names
from rosenblatt.training.command_options import TrainOptions
from rosenblatt.training.tagger_options import TagOptions

GROUPS = {"tag": tag, "serve": serve}
NAMES = [(name,) for name in COMMANDS if name not in GROUPS]
NAMES += [(group, name) for group, commands in GROUPS.items() for name in commands.names]


def command(names: tuple[str, ...]) -> Command:
    found = (GROUPS[names[0]] if len(names) > 1 else app).get_command(None, names[-1])
    assert isinstance(found, Command)
    return found


def parsed(names, *args):
    found = command(names)
    return found.options(**found.make_context(names[-1], list(args)).params)


def required(names):
    return ["x" for field in fields(command(names).options) if field.default is MISSING]


@pytest.mark.parametrize("names", NAMES, ids=" ".join)
def test_every_option_is_in_the_help_once(ros, names):
    told = ros(*names, "--help").out
    starts = re.findall(r"^ +(-.*?)(?:  |$)", told, re.MULTILINE)
    named = [word.strip(",") for start in starts for word in start.split()]
    for field in fields(command(names).options):
        if "group" in field.metadata:
            assert f"\n{field.metadata['group']}:\n" in told
            assert [named.count(name) for name in option_names(field)] == [1] * len(
                option_names(field)
            )


@pytest.mark.parametrize("names", NAMES, ids=" ".join)
def test_defaults_are_those_of_the_fields(names):
    options = parsed(names, *required(names))
    for field in fields(options):
        if field.default is not MISSING:
            assert getattr(options, field.name) == field.default
            assert type(getattr(options, field.name)) is type(field.default)


EXAMPLES = {bool: [], int: ["7"], float: ["0.5"], str: ["text"], list[str]: ["a", "b c"]}


@pytest.mark.parametrize("names", NAMES, ids=" ".join)
def test_words_give_the_same_options(names):
    before = required(names)
    for field in fields(command(names).options):
        if "group" not in field.metadata:
            continue
        kind = next((k for k in EXAMPLES if k == field.type or (k | None) == field.type), None)
        assert kind is not None, field
        for name in option_names(field):
            words = [word for value in EXAMPLES[kind] for word in (name, value)] or [name]
            options = parsed(names, *before, *words)
            assert isinstance(getattr(options, field.name), kind if kind != list[str] else list)
            assert as_words(options)[1::2] == words[1::2]
            assert parsed(names, *before, *as_words(options)) == options


def test_lists_numbers_and_flags():
    given = ["--text", "a", "--passes", "3", "x", "--text", "b", "y", "-q", "--eta0", "1e-3"]
    options = parsed(("train",), *given)
    assert isinstance(options, TrainOptions)
    assert options.files == ["x", "y"]
    assert options.text == ["a", "b"]
    assert (options.passes, options.eta0, options.quiet) == (3, 0.001, True)
    assert options == TrainOptions(["x", "y"], text=["a", "b"], passes=3, eta0=0.001, quiet=True)


@pytest.mark.parametrize("name", ["--dev", "--validation"])
def test_a_tagger_s_validation_has_two_names(name):
    assert parsed(("tag", "train"), "x", name, "y") == TagOptions(["x"], dev=["y"])


def test_a_number_that_is_none():
    with pytest.raises(click.BadParameter, match=r"'3.5' is not a whole number\."):
        parsed(("train",), "x", "--passes", "3.5")
    with pytest.raises(click.BadParameter, match=r"'much' is not a number\."):
        parsed(("train",), "x", "--eta0", "much")


def test_suggestions(ros):
    assert "No such command 'traces'. Did you mean 'trace'?" in ros("traces", code=2).err
    assert "Did you mean 'apply'?" in ros("tag", "app", code=2).err
    assert "Did you mean" not in ros("xyz", code=2).err
    assert "--passes" in ros("train", "x", "--pases", "3", code=2).err


def test_usage_errors_say_where_help_is(ros):
    told = "Usage: rosenblatt train [OPTIONS] FILE...\nTry 'rosenblatt train --help' for help.\n\n"
    assert (
        ros("train", "x", "--passes", "0", code=2).err
        == f"{told}Error: --passes 0 must be 1 or more\n"
    )
    assert ros("train", code=2).err == f"{told}Error: Missing argument 'FILE...'.\n"


def test_advice_names_options_and_no_parameters(ros, folder):
    (folder / "few.svm").write_text("1 1:1 2:1\n-1 1:1 2:1\n1 1:-2\n-1 2:3\n1 2:3\n-1 1:-1\n")
    (folder / "other.svm").write_text("1 1:1 2:1\n5 1:1 2:1\n")
    batch = ros("train", "few.svm", "--learner", "batch", "--passes", 3).err
    assert "increase --passes" in batch
    counts = ("--learner", "naive-bayes", "--distribution", "multinomial")
    tests = {
        "use --distribution gaussian": ("train", "few.svm", *counts),
        "--test 0.2 of 6 rows": ("tune", "few.svm"),
        "--test 0.1 of 6 rows": ("compare", "few.svm", "--test", 0.1),
        "--validation 0.1 of": ("tune", "few.svm", "--validation", 0.1, "--test", 0),
        "the test rows have the label 5,": ("compare", "few.svm", "--test", "other.svm"),
    }
    for advice, args in tests.items():
        told = ros(*args, "--quiet", code=1).err
        assert advice in told
        batch += told
    for parameter in ("max_iter", "tol=", "test=", "validation=", "y_test", "'gaussian'"):
        assert parameter not in batch


def test_a_command_is_a_function_with_options():
    for names in NAMES:
        package = "rosenblatt.cli." + (names[0] if len(names) > 1 else "commands")
        name = names[-1].replace("-", "_")
        module = import_module(f"{package}.{name}")
        assert command(names).options is getattr(module, name).__annotations__["options"]
        assert module.EXAMPLES
