"""What goes wrong with taggers: one line that says what, and the right code."""

from pathlib import Path

import numpy as np
import pytest

from rosenblatt import AveragedPerceptron, SequenceTagger, save
from rosenblatt.models.saving import load_with_extra

TEN = "-,word,-,-,pos,-,-,-,-,-"
DATA_ERRORS = {
    "no such file": (("train", "nothing.txt"), "there is no file nothing.txt"),
    "an empty file": (("train", "empty.txt"), "empty.txt: there are no tokens"),
    "ragged": (("train", "ragged.txt"), "ragged.txt:2: 1 column here, and 2 in line 1"),
    "not UTF-8": (("train", "latin.txt"), "latin.txt:1:1: this is not UTF-8"),
    "one column": (("train", "one.txt"), "nothing to look at but 'word', which has the tags"),
    "one tag": (("train", "same.txt"), "same.txt: all 2 tokens have 'X' in the column tag"),
    "no such tag": (
        ("train", "train.txt", "--tag", "colour"),
        "train.txt: there is no column 'colour' with tags; the columns are word, pos, tag",
    ),
    "a number too many": (("train", "train.txt", "--tag", "4"), "there is no column '4'"),
    "too few names": (
        ("train", "train.txt", "--columns", "word,tag"),
        "the file has 3 columns, and --columns has 2 names: word, tag",
    ),
    "no such column of CoNLL-U": (
        ("train", "train.conllu", "--columns", "worde"),
        "there is no column 'worde' in CoNLL-U; its columns are word, lemma, upos,",
    ),
    "CoNLL-U of nothing but tags": (
        ("train", "train.conllu", "--columns", "upos"),
        "there is nothing to look at but 'upos'",
    ),
    "columns as CoNLL-U": (("train", "train.txt", "--format", "conllu"), "CoNLL-U has 10"),
    "no dev file": (("train", "train.txt", "--dev", "nothing.txt"), "no file nothing.txt"),
    "dev without tags": (
        ("train", "train.txt", "--dev", "new.txt"),
        "new.txt: there is no column 'tag' with the right tags; the file has word, pos",
    ),
    "dev with other columns": (
        ("train", "train.txt", "--dev", "one.txt"),
        "one.txt: the file has 1 column; the tagger looks at word and pos, and learned from files "
        "with word, pos, tag",
    ),
    "a template of no column": (
        ("train", "train.txt", "--templates", "worde"),
        "template 'worde' needs a column 'worde', and there are word, pos; did you mean 'word'?",
    ),
    "tags that break the constraints": (
        ("train", "train.txt", "broken.txt", "--constraints", "iob2"),
        "broken.txt:3: the sentence that begins here breaks the constraints: it begins with I-NP. "
        "--constraints none allows any order",
    ),
    "constraints that allow nothing": (
        ("train", "pair.txt", "--constraints", "seen"),
        "allow more, or use --constraints none",
    ),
    "no model": (("apply", "nothing.model"), "nothing.model"),
    "no model file": (
        ("apply", "train.txt", "new.txt"),
        "train.txt: this is not a Rosenblatt model file",
    ),
    "an OnlineClassifier": (
        ("apply", "m.model", "new.txt"),
        "m.model is an OnlineClassifier, not a tagger; use rosenblatt predict",
    ),
    "an AveragedPerceptron": (
        ("evaluate", "averaged.model", "new.txt"),
        "averaged.model is an AveragedPerceptron, not a tagger; use rosenblatt evaluate",
    ),
    "inspect an OnlineRegressor": (
        ("inspect", "price.model"),
        "price.model is an OnlineRegressor, not a tagger; use rosenblatt inspect",
    ),
    "not trained": (
        ("apply", "untrained.model", "new.txt"),
        "untrained.model cannot be used: it has not learned anything yet",
    ),
    "apply to too few columns": (
        ("apply", "chunks.model", "one.txt"),
        "one.txt: the file has 1 column; the tagger looks at word and pos",
    ),
    "apply to too many columns": (
        ("apply", "pos.model", "train.txt"),
        "train.txt: the file has 3 columns; the tagger looks at word, and learned from files with "
        "word, upos; if others are meant, name them, such as --columns word,-,-",
    ),
    "apply to CoNLL-U without the columns": (
        ("apply", "chunks.model", "new.conllu"),
        "there is no column 'pos': the tagger looks at word and pos, and the file has word, lemma, "
        "upos, xpos, feats, head, deprel, deps, misc; if others are meant, name them, such as "
        "--columns -,word,-,pos,-,-,-,-,-,tag",
    ),
    "apply to CoNLL-U without a place": (
        ("apply", "chunks.model", "new.conllu", "--columns", TEN),
        "CoNLL-U has no column 'tag', as the tags are called; --json needs none; if others are "
        "meant, name them, such as --columns -,word,-,-,pos,-,-,-,-,tag",
    ),
    "evaluate too many columns": (
        ("evaluate", "pos.model", "train.txt"),
        "with word, upos; if others are meant, name them, such as --columns word,-,upos",
    ),
    "apply with names that are too few": (
        ("apply", "chunks.model", "new.txt", "--columns", "word"),
        "the file has 2 columns, and --columns has 1 name: word",
    ),
    "apply without the columns": (
        ("apply", "chunks.model", "new.txt", "--columns", "word,kind"),
        "there is no column 'pos': the tagger looks at word and pos, and the file has word, kind",
    ),
    "evaluate without tags": (
        ("evaluate", "chunks.model", "new.txt"),
        "new.txt: there is no column 'tag' with the right tags; the file has word, pos",
    ),
    "evaluate nothing": (("evaluate", "chunks.model", "empty.txt"), "there are no tokens"),
    "a tag that is not there": (("inspect", "chunks.model", "--after", "X"), "knows no tag 'X'"),
}
USAGE_ERRORS = {
    "no command": (("appl",), "No such command 'appl'"),
    "no files": (("train",), "Missing argument"),
    "unknown format": (("train", "train.txt", "--format", "csv"), "--format 'csv'"),
    "unknown constraints": (
        ("train", "train.txt", "--constraints", "iob3"),
        "did you mean 'iob",
    ),
    "order": (("train", "train.txt", "--order", "3"), "--order '3' is not one of 1, 2"),
    "no passes": (("train", "train.txt", "--passes", "0"), "--passes 0 must be 1 or more"),
    "passes of a word": (("train", "train.txt", "--passes", "x"), "is not a whole number"),
    "min-count": (("train", "train.txt", "--min-count", "0"), "--min-count 0 must be 1 or more"),
    "patience without dev": (("train", "train.txt", "--patience", "2"), "needs --dev"),
    "no patience": (
        ("train", "train.txt", "--dev", "dev.txt", "--patience", "0"),
        "--patience 0 must",
    ),
    "a seed below zero": (("train", "train.txt", "--seed", "-1"), "--seed -1 must be between"),
    "a template that ends early": (
        ("train", "train.txt", "--templates", "lower(word"),
        "--templates: template 'lower(word', at character 11: expected ')'",
    ),
    "a file of templates with a mistake": (
        ("train", "train.txt", "--templates", "wrong.templates"),
        "--templates wrong.templates: template 'word[', at character 6: expected",
    ),
    "no file of templates": (
        ("train", "train.txt", "--templates", "my.templates"),
        "'my.templates' is neither one of auto, pos, chunking, entities nor a file",
    ),
    "templates of nothing": (
        ("train", "train.txt", "--templates", "#"),
        "--templates: there are no templates; the least would be 'word'; '#' is neither one of",
    ),
    "templates that are no text": (
        ("train", "train.txt", "--templates", "latin.txt"),
        "--templates latin.txt cannot be read",
    ),
    "a list that is not given": (
        ("train", "train.txt", "--templates", "in(word, cities)"),
        "use the list 'cities': add --list cities=FILE",
    ),
    "a list without file": (("train", "train.txt", "--list", "cities"), "must be NAME=FILE"),
    "a list without name": (("train", "train.txt", "--list", "=cities.txt"), "must be NAME=FILE"),
    "a list that is not there": (("train", "train.txt", "--list", "a=no.txt"), "no such file"),
    "a list that is no text": (("train", "train.txt", "--list", "a=latin.txt"), "not UTF-8"),
    "a list of nothing": (("train", "train.txt", "--list", "a=empty.txt"), "no entries"),
    "two columns of a name": (
        ("train", "train.txt", "--columns", "word,word,tag"),
        "two columns are called 'word'",
    ),
    "a column without name": (
        ("train", "train.txt", "--columns", "word,,tag"),
        "is not a valid name",
    ),
    "a column of the bias": (
        ("train", "train.txt", "--columns", "bias,-,tag"),
        "is not a valid name",
    ),
    "no columns": (("train", "train.txt", "--columns", "-,-,-"), "skips every column"),
    "standard input twice": (("train", "-", "--dev", "-"), "standard input (-)"),
    "output over the input": (
        ("train", "train.txt", "-o", "train.txt"),
        "is one of the input files",
    ),
    "output over dev": (
        ("train", "train.txt", "--dev", "dev.txt", "-o", "dev.txt"),
        "is one of the input files",
    ),
    "output into nowhere": (("apply", "chunks.model", "new.txt", "-o", "no/x"), "no folder no"),
    "output over the model": (
        ("apply", "chunks.model", "new.txt", "-o", "chunks.model"),
        "is one of the input files",
    ),
    "text with columns": (
        ("apply", "pos.model", "letter.txt", "--text", "--columns", "word"),
        "--text has no columns",
    ),
    "text of a format": (
        ("apply", "pos.model", "letter.txt", "--text", "--format", "conllu"),
        "--text has no columns",
    ),
    "two forms": (
        ("evaluate", "chunks.model", "test.txt", "--json", "--conlleval"),
        "cannot be combined",
    ),
    "evaluate nothing": (("evaluate", "chunks.model"), "Missing argument"),
    "fewer than none": (("inspect", "chunks.model", "--top", "-1"), "--top -1 must be 0 or more"),
}


@pytest.fixture
def broken(folder):
    """The folder, with some files that are wrong."""
    Path("empty.txt").write_text("")
    Path("ragged.txt").write_text("the O\ncat\n")
    Path("latin.txt").write_bytes(b"\xe9t\xe9 NN O\n")
    Path("one.txt").write_text("one\ntwo\n")
    Path("same.txt").write_text("one X\ntwo X\n")
    Path("pair.txt").write_text("one A\ntwo B\n\n")
    Path("broken.txt").write_text("the DT B-NP\n\ncat NN I-NP\n")
    Path("wrong.templates").write_text("word\nword[\n")
    save(SequenceTagger(), "untrained.model")
    save(AveragedPerceptron().fit([[1.0], [2.0]], [0, 1]), "averaged.model")
    return folder


@pytest.mark.parametrize("name", DATA_ERRORS)
def test_bad_data_is_one_line_and_code_1(ros, broken, name):
    args, told = DATA_ERRORS[name]
    before = {file: file.stat().st_mtime_ns for file in broken.iterdir()}
    done = ros("tag", *args, "--quiet", code=1)
    assert done.err.startswith("rosenblatt: ")
    assert done.err.count("\n") == 1
    assert told in done.err
    assert done.out == ""
    assert {file: file.stat().st_mtime_ns for file in broken.iterdir()} == before


@pytest.mark.parametrize("name", USAGE_ERRORS)
def test_bad_usage_is_code_2(ros, broken, name):
    args, told = USAGE_ERRORS[name]
    done = ros("tag", *args, code=2)
    assert "\nError: " in done.err
    assert told in done.err
    assert done.out == ""


@pytest.mark.parametrize("command", ["predict", "evaluate", "inspect"])
def test_other_commands_meet_a_tagger(ros, folder, command):
    files = () if command == "inspect" else ("new.svm",)
    done = ros(command, "chunks.model", *files, code=1)
    instead = {"predict": "apply"}.get(command, command)
    told = f"rosenblatt: chunks.model is a sequence tagger: use rosenblatt tag {instead}\n"
    assert done.err == told


def test_hints_can_be_followed(ros, folder):
    """What one error says to write is not refused by another."""
    for args in (("new.conllu",), ("new.conllu", "--columns", TEN)):
        told = ros("tag", "apply", "chunks.model", *args, code=1).err
        names = told.split("--columns ")[1].strip()
        out = ros("tag", "apply", "chunks.model", "new.conllu", "--columns", names).out
        place = names.split(",").index("tag")
        tags = {line.split("\t")[place] for line in out.splitlines() if line[:1].isdigit()}
        assert tags <= {"B-NP", "I-NP", "B-VP", "B-PP", "O"}
        ros("tag", "evaluate", "chunks.model", "test.conllu", "--columns", names)
    told = ros("tag", "evaluate", "pos.model", "train.txt", code=1).err
    ros("tag", "evaluate", "pos.model", "train.txt", "--columns", told.split("--columns ")[1])


TEN_NAMES = ["-", "word", "-", "pos", *"-----", "tag"]
WRONG_READINGS = [
    5,
    {},
    [],
    np.zeros(3),
    {"names": "word"},
    {"names": ["word", 5, "tag"]},
    {"names": ["word", "tag"]},
    {"names": ["word", "pos", "tag", "pos"]},
    {"names": ["word", "x", "pos", "x", "tag"]},
    {"names": np.zeros(3)},
    {"names": None},
    {"names": []},
    {"tag": "word"},
    {"tag": "-"},
    {"tag": ["tag"]},
    {"tag": "-", "names": ["word", "pos", "-"]},
    {"format": "conllu"},
    {"format": "conllu", "names": ["word", *TEN_NAMES[2:], "-"]},
    {"format": "conllu", "names": [*TEN_NAMES, *"-----"]},
    {"format": "conllu", "names": TEN_NAMES[1:]},
    {"format": ["conllu"], "names": TEN_NAMES},
    {"format": np.zeros(2)},
    {"format": None},
    {"tag": None},
    {"tag": "chunk"},
    {"format": "csv"},
    {"inputs": ["word"]},
    {"inputs": ["pos", "word"]},
    {"inputs": np.zeros(2)},
    {"inputs": [np.zeros(2), "pos"]},
    {"inputs": "wordpos"},
    {"more": 1},
]


@pytest.mark.parametrize("wrong", WRONG_READINGS, ids=str)
def test_models_that_say_nonsense_about_reading(ros, folder, wrong):
    model, extra = load_with_extra("chunks.model")
    reading = {**extra["reading"], **wrong} if isinstance(wrong, dict) and wrong else wrong
    save(model, "x.model", extra={**extra, "reading": reading})
    for command in (("apply", "x.model", "new.txt"), ("apply", "x.model", "new.conllu")):
        done = ros("tag", *command, code=1)
        assert done.err.startswith("rosenblatt: x.model does not say how to read files: ")
        assert done.err.count("\n") == 1
        assert "truth value" not in done.err


ODD_EXTRAS = [
    {"reading": {"format": "conllu", "names": TEN_NAMES, "inputs": ["word", "pos"], "tag": "tag"}},
    {"reading": {"format": "columns", "names": TEN_NAMES, "inputs": ["word", "pos"], "tag": "tag"}},
    {"reading": {"format": "columns", "names": ["pos", "word", "_", "\x1b"], "tag": "\x1b"}},
    {"reading": {"format": "columns", "names": ["tag", "word", "pos", ""], "tag": ""}},
    {"reading": None},
    {"words": 5},
    {"words": {"letters": "x", "ends": []}},
    {"words": {"letters": np.zeros(2), "ends": np.array([-5, 9])}},
    {"words": {"letters": np.zeros(2, np.uint8), "ends": np.array([9, 1])}},
    {"summary": 5},
    {"summary": {"files": np.zeros(2), "sentences": -1}},
    {"summary": None, "more": [[[]]]},
]


@pytest.mark.parametrize("odd", ODD_EXTRAS, ids=str)
@pytest.mark.parametrize("file", ["new.txt", "test.txt", "new.conllu"])
def test_models_that_say_odd_things(ros, folder, odd, file):
    """Whatever stands beside a model, there is a result or one line that says what is wrong."""
    model, extra = load_with_extra("chunks.model")
    if isinstance(odd.get("reading"), dict):
        odd = {"reading": {"inputs": ["word", "pos"], **odd["reading"]}}
    save(model, "x.model", extra={**extra, **odd})
    for args in (("apply", file), ("apply", file, "--json"), ("evaluate", file), ("inspect",)):
        done = ros("tag", args[0], "x.model", *args[1:], "--quiet", code=None)
        assert done.code in (0, 1)
        assert done.err.count("\n") == done.code
        assert done.err.rstrip("\n").isprintable()


def test_too_many_weights_for_order_2(ros, folder):
    lines = [f"w{k} T{k}\n" for k in range(600)]
    Path("many.txt").write_text("".join(lines))
    done = ros("tag", "train", "many.txt", "--order", "2", "-q", code=1)
    assert "--order 2 has a weight for every three of 600 tags" in done.err
    assert "use --order 1" in done.err
