"""The command line on Vowpal Wabbit's formats: what a model remembers of how it read them."""

from pathlib import Path

import numpy as np
import pytest

from rosenblatt import load, save

LINES = """\
1 |user age:0.41 city:Oslo |ad id17 17
-1 2 'second|user age:0.3 city:Rome |ad:2 id18 price:0.5
1 0.5 third|user age:0.25 |ad id17
-1 | no namespace :2
"""


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.vw").write_text(LINES)
    return tmp_path


def features(ros, model):
    shown = ros("inspect", model, "--all").out.splitlines()
    return {line.split("\t")[0] for line in shown}


def test_a_model_remembers_the_namespaces_that_it_ignores(ros, log):
    ros("train", "log.vw", "-o", "m", "-q", "--passes", 1, "--ignore", "user", "--bits", 18)
    first = ros("predict", "m", "log.vw", "--scores").out
    (log / "other.vw").write_text(LINES.replace("age:", "height:").replace("city:", "town:"))
    assert ros("predict", "m", "other.vw", "--scores").out == first
    ros("train", "log.vw", "-o", "all", "-q", "--passes", 1, "--bits", 18)
    assert ros("predict", "all", "other.vw", "--scores").out != first


def test_kept_namespaces_and_ngrams(ros, log):
    options = ("-q", "--passes", 1, "--ngrams", 2)
    ros("train", "log.vw", "-o", "m", *options, "--keep", "ad", "--keep", "default")
    found = features(ros, "m")
    assert {"ad^price", "ad^id18^price", "no^namespace", "namespace^0"} <= found
    assert not any(name.startswith("user") for name in found)
    one = ros("predict", "m", "log.vw", "--scores").out
    ros("train", "log.vw", "-o", "m", *options, "--ignore", "user")
    assert ros("predict", "m", "log.vw", "--scores").out == one


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--ignore", "usr"), "did you mean 'user'? There are 'user', 'ad', 'default'"),
        (("--label", "y"), "--label has no effect on VW text"),
        (("--ignore", "user", "--keep", "ad"), "--ignore and --keep contradict each other"),
    ],
)
def test_options_that_cannot_be_meant(ros, log, options, problem):
    done = ros("train", "log.vw", "-o", "m", "-q", *options, code=None)
    assert done.code
    assert problem in done.err
    assert not (log / "m").exists()


def test_costs_are_refused_or_skipped(ros, log):
    (log / "costs.vw").write_text(LINES + "1:0.5 2:1.5 | a b\n" + LINES)
    done = ros("train", "costs.vw", "-o", "m", "-q", code=None)
    assert done.code
    assert "costs.vw:5:1: costs of classes (class:cost), and no learner here is" in done.err
    ros("train", "costs.vw", "-o", "m", "-q", "--passes", 1, "--on-error", "skip")
    (log / "twice.vw").write_text(LINES * 2)
    ros("train", "twice.vw", "-o", "n", "-q", "--passes", 1)
    assert ros("inspect", "m", "--all").out == ros("inspect", "n", "--all").out


def test_json_is_read_alike_with_and_without_labels(ros, log):
    lines = [
        '{"_label": 1, "user": {"age": 0.41, "city": "Oslo"}, "_text": "see you"}',
        '{"_label": -1, "user": {"age": 0.3, "city": "Rome"}, "_tag": "second"}',
    ]
    (log / "log.json").write_text("\n".join(lines) + "\n")
    ros("train", "log.json", "-o", "m", "-q", "--passes", 1)
    assert {"user^cityRome", "user^age"} <= features(ros, "m")
    bare = "\n".join(lines).replace('"_label": 1, ', "").replace('"_label": -1, ', "")
    one = ros("predict", "m", "log.json", "--scores").out
    assert ros("predict", "m", "-", "--scores", stdin=bare + "\n").out == one


JSON_LINES = """\
{"_label": 1, "age": 0.5, "user": {"age": 0.41, "new": true}, "ad": {"price": 0.25}}
{"_label": -1, "age": 0.1, "user": {"age": 0.3}, "ad": {"price": 0.5, "id17": true}}
{"_label": 1, "age": 0.7, "user": {"age": 0.2, "old": true}, "ad": {"id18": true}}
{"_label": -1, "age": 0.2, "user": {"age": 0.9}, "ad": {"price": 0.75, "id17": true}}
"""
VW_LINES = """\
1 | age:0.5 |user age:0.41 new |ad price:0.25
-1 | age:0.1 |user age:0.3 |ad price:0.5 id17
1 | age:0.7 |user age:0.2 old |ad id18
-1 | age:0.2 |user age:0.9 |ad price:0.75 id17
"""
LAST_DICT = {"age": 0.2, "user^age": 0.9, "ad^price": 0.75, "ad^id17": True}


@pytest.mark.parametrize(
    "options",
    [
        ("--ignore", "user"),
        ("--keep", "ad", "--keep", "default"),
        ("--ignore", "default"),
        ("--ignore", "user", "--bits", "18", "--interactions", "ad*ad"),
    ],
)
@pytest.mark.parametrize("lines", [JSON_LINES, VW_LINES])
def test_dicts_are_filtered_as_the_files_were(ros, tmp_path, monkeypatch, lines, options):
    monkeypatch.chdir(tmp_path)
    Path("all.log").write_text(lines)
    Path("first.log").write_text("".join(lines.splitlines(keepends=True)[:-1]))
    once = ("--passes", 1, "--no-average", "--no-shuffle", "-q", *options)
    for name in ("first", "all"):
        ros("train", f"{name}.log", "-o", name, *once)
    model, whole = load("first"), load("all")
    scores = [model.scores_one(x) for x in (LAST_DICT, {**LAST_DICT, "user^new": 1})]
    if "default" not in options:
        assert scores[0] == scores[1]
    model.learn_one(LAST_DICT, -1)
    np.testing.assert_array_equal(model.coef_, whole.coef_)
    np.testing.assert_array_equal(model.intercept_, whole.intercept_)
    assert model.feature_names_ == whole.feature_names_
    save(model, "again")
    assert load("again").scores_one(LAST_DICT) == whole.scores_one(LAST_DICT)


def test_an_object_in_a_dict_is_a_namespace_to_be_left_out(ros, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("all.log").write_text(JSON_LINES)
    ros("train", "all.log", "-o", "m", "--passes", 1, "-q", "--ignore", "user")
    model = load("m")
    model.learn_one({"age": 0.1, "user": {"height": 1.8}, "user^age": 3, 5: 1}, 1)
    assert model.feature_names_ == ["age", "ad^price", "ad^id17", "ad^id18", "5"]
