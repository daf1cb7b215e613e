"""Errors of functions name parameters; those of commands, from the same code, name options."""

from pathlib import Path

import pytest

from rosenblatt import OnlineClassifier, Perceptron
from rosenblatt.console import with_parameters
from rosenblatt.distributed import evaluate, fit, predict
from rosenblatt.readers import read
from rosenblatt.readers.column_types import ColumnType
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.dict_rows import DictRows
from tests.distributed.eager import Eager

TABLE = "a,b,kind\n" + "1,2,yes\n2,1,no\n" * 20


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    Path("t.vw").write_text("1 | a:1\n-1 | b:1\n")
    Path("t.svm").write_text("1 1:1\n-1 2:1\n")


@pytest.mark.parametrize(
    ("file", "options", "problem"),
    [
        ("t.vw", {"label": "kind"}, "t.vw: label has no effect on VW text"),
        ("t.vw", {"text": ("kind",)}, "features already; ngrams makes sequences of them"),
        ("t.vw", {"interactions": ("a*b",), "ngrams": 2, "bits": 9}, "ngrams and interactions .*"),
        ("t.svm", {"drop": ("kind",)}, "t.svm: drop has no effect on svmlight"),
        ("t.csv", {"interactions": ("a*c",)}, r"no column 'c' to multiply \(interactions\)"),
    ],
)
def test_reading_names_parameters(folder, file, options, problem):
    with pytest.raises(ValueError, match=problem) as found:
        read(file, **options)
    assert "--" not in str(found.value)


def test_a_cluster_calls_the_label_y(folder):
    with pytest.raises(ValueError, match=r"no column 'kin' for the labels \(y\); did you") as found:
        fit(Perceptron(), "t.csv", "kin", client=Eager())
    assert found.value.file == "t.csv"
    with pytest.raises(ValueError, match="y has no effect on VW text"):
        fit(Perceptron(), "t.vw", "kind", client=Eager())
    model = fit(OnlineClassifier(), "t.csv", "kind", client=Eager())
    Path("odd.csv").write_text("a,b,kind\n1,many,yes\n")
    for apply in (predict, evaluate):
        with pytest.raises(
            ValueError, match=r'on_error="skip"\); if they are codes, train with cat'
        ):
            apply(model, "odd.csv", client=Eager())


def test_a_dict_names_parameters_and_a_line_of_json_options(folder):
    rows = DictRows(Reading(columns=(ColumnType("a", "number"),)), alone=True)
    with pytest.raises(ValueError, match=r'rows \(on_error="skip"\); .* category=\["a"\]') as found:
        rows.parts({"a": "many"})
    assert "(--on-error skip); if they are codes, train with --category a; found" in (
        found.value.problem
    )
    with pytest.raises(ValueError, match=r'or train with drop=\["a"\]'):
        rows.parts({"a": [1, 2]})
    Path("t.jsonl").write_text('{"a": "many"}\n')
    reading = {"columns": (ColumnType("a", "number"),)}
    with pytest.raises(ValueError, match=r'on_error="skip"\); if they are codes, train with cat'):
        read("t.jsonl", **reading)


def test_too_many_products_of_a_dict():
    model = OnlineClassifier(interactions=["a*b"])
    many = {str(k): 1.0 for k in range(300)}
    with pytest.raises(ValueError, match=r"multiply fewer features \(interactions\)"):
        model.learn_one({"a": many, "b": many}, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hash the features (--bits 18)", "hash the features (bits=18)"),
        ("say which, with --columns", "say which, with names"),
        ("train with --float64: now", 'train with dtype="float64": now'),
        (
            "'--label' or \"--label\" of the data, a--b",
            "'--label' or \"--label\" of the data, a--b",
        ),
        ("--format jsonl, --ignore-weights", 'format="jsonl", ignore_weights'),
    ],
)
def test_options_in_errors(text, expected):
    assert with_parameters(text) == expected
