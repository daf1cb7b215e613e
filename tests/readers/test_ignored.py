"""Columns and keys that --ignore leaves out, or --keep keeps; and options without effect."""

import json

import numpy as np
import pytest

from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.command_options import Reading, unused_option
from rosenblatt.readers.names import Kept
from rosenblatt.readers.reader import Reader

ROWS = [
    {"a": 1.5, "b": 2, "c": "x", "note": "see you", "label": 0},
    {"a": 2.5, "b": 1, "c": "y", "note": "no way", "label": 1},
    {"a": 1, "b": 7, "c": "x", "note": "see that", "label": 0},
]


@pytest.fixture(params=["csv", "jsonl", "parquet"])
def path(request, tmp_path):
    file = tmp_path / f"rows.{request.param}"
    if request.param == "jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    elif request.param == "csv":
        lines = [",".join(map(str, row.values())) for row in ROWS]
        file.write_text("\n".join([",".join(ROWS[0]), *lines]) + "\n")
    else:
        pa = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pa.Table.from_pylist(ROWS), file)
    return file


def features_in(path, names=None, **options):
    names = Kept() if names is None else names
    reader = Reader([path], Reading(dtype="float64", labelled=True, **options), names=names)
    rows = [block.rows for block in reader]
    assert sum(len(row.indptr) - 1 for row in rows) == len(ROWS)
    return {names.name(int(j)).split("=")[0] for row in rows for j in row.indices}


def test_columns_and_keys_are_left_out_or_kept(path):
    text = {"text": ("note",)}
    words = {"see", "you", "no", "way", "that"}
    assert features_in(path, drop=("note", "c")) == {"a", "b"}
    assert features_in(path, keep=("a", "b")) == {"a", "b"}
    assert features_in(path, keep=("a", "c")) == features_in(path, drop=("b", "note")) == {"a", "c"}
    assert features_in(path, keep=("a",), **text) == {"a", *words}
    assert features_in(path, keep=("a", "note"), **text) == {"a", *words}
    assert features_in(path, keep=("c",), category=("b",)) == {"b", "c"} or path.suffix == ".jsonl"


def test_unknown_columns_and_keys_are_an_error(path):
    with pytest.raises(DataError, match=r"(there is no column|no row has the key) 'A'"):
        features_in(path, keep=("a", "A"))


def test_the_last_column_is_the_label_unless_it_is_kept(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,c\n1,2,3\n4,5,6\n7,9,8\n")
    reader = Reader([path], Reading(labelled=True, keep=("a", "c")))
    (block,) = reader
    assert block.labels.tolist() == [2, 5, 9]
    assert np.diff(block.rows.indptr).tolist() == [2, 2, 2]


def test_what_is_kept_is_part_of_the_reading():
    reading = Reading(keep=("a", "b"))
    assert Reading.from_header(reading.header()).keep == ("a", "b")
    assert "keep" not in Reading().header()  # earlier versions would not know it
    with pytest.raises(ValueError, match="reading has keep="):
        Reading.from_header({"keep": 3})


@pytest.mark.parametrize(
    ("kind", "options", "problem"),
    [
        ("vw", {"label": "y"}, "--label has no effect on VW text: the label is the first word"),
        ("vw", {"weight": "w"}, "--weight has no effect on VW text"),
        ("vw", {"text": ("t",)}, "--text has no effect on VW text"),
        ("vw", {"category": ("t",)}, "--category has no effect on VW text"),
        ("vwjson", {"label": "y"}, "--label has no effect on VW's JSON: the label is under _label"),
        ("vwjson", {"ngrams": 2}, "--ngrams has no effect on VW's JSON"),
        ("svmlight", {"drop": ("a",)}, "--ignore has no effect on svmlight"),
        ("svmlight", {"keep": ("a",)}, "--keep has no effect on svmlight"),
        ("npy", {"keep": ("a",)}, "--keep has no effect on npy"),
        ("text", {"drop": ("a",)}, "--ignore has no effect on raw text"),
    ],
)
def test_options_without_effect_are_refused(kind, options, problem, tmp_path):
    assert unused_option(kind, Reading(**options)).startswith(problem)
    assert unused_option(kind, Reading()) is None
    lines = {
        "vw": "1 | a\n",
        "vwjson": '{"_label": 1, "a": 1}\n',
        "svmlight": "1 1:2\n",
        "text": "ham\tsee you\n",
        "npy": "",
    }
    path = tmp_path / "rows"
    path.write_text(lines[kind])
    reading = Reading(format=kind, **options)
    with pytest.raises(DataError, match="has no effect on"):
        list(Reader([path], reading))
    if kind in ("vw", "vwjson"):  # a model that learned from a table may read other files
        names = Kept()
        names.frozen = True
        assert [len(block.lines) for block in Reader([path], reading, names=names)] == [1]
