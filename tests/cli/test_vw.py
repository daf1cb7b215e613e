"""The command line on Vowpal Wabbit's formats: what a model remembers of how it read them."""

import pytest

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
