"""Dicts and JSON lines as rows of a table whose columns are known: the features of the CSV row."""

import datetime
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.readers import jsonl, tables
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.cells import MISSING
from rosenblatt.readers.column_types import DATES, ColumnType
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.dict_rows import DictRows
from rosenblatt.readers.names import Hashed, Kept, Numbered
from tests.readers.back import read_back, separated

TYPES = [
    ColumnType("a", "number"),
    ColumnType("a", "number", ","),
    ColumnType("a", "number", "."),
    ColumnType("a", "number", code=-999.0),
    ColumnType("a", "number", sparse=True),
    ColumnType("a", "category"),
    ColumnType("a", "text"),
    ColumnType("a", "ignored"),
    *(ColumnType("a", "date", style) for style in DATES),
]
CELLS = st.one_of(
    st.sampled_from(["", *sorted(MISSING), "NA", "nA", " ? ", "true", "False", "inf", "-inf"]),
    st.sampled_from(["-999", "1,234.50", "1.234,5 €", "$3", "12 %", "0x10", "1e3", " 7 ", "٣"]),
    st.sampled_from(["2024-02-30", "2024-05-01 10:30", "2024-05-01T23:59:59Z", "1/2/24 1:05 PM"]),
    st.sampled_from(["30.4.2024", "3-May-2021", "3 xyz 2021", "May 3, 2021", "0000-01-01"]),
    st.floats(allow_nan=False, allow_infinity=False).map(str),
    st.dates().map(str),
    st.text("abc DE,.%-12", max_size=12),
)


def known(module, what, columns, **options):
    return read_back(module, what, columns=tuple(columns), label="y", **options)


def row_of(x, columns, **options):
    """Return the names and values of a dict's features."""
    names = Kept()
    rows = DictRows(Reading(columns=tuple(columns), label="y", **options))
    found = rows.row(rows.parts(x), names, "float64", True)
    return [(names.name(k), v) for k, v in zip(*map(np.ndarray.tolist, found[1:]), strict=True)]


@given(st.sampled_from(TYPES), CELLS)
def test_a_cell_means_the_same_in_any_format(kind, cell):
    columns = [kind, ColumnType("b", "number")]
    table = known(tables, separated([{"a": cell, "b": 1}], ["a", "b"]), columns, skip=True)
    line = (json.dumps({"b": 1, "a": cell}) + "\n").encode()
    lines = known(jsonl, line, columns, skip=True)
    assert lines.rows == table.rows
    assert lines.problems.count == table.problems.count
    if table.rows:
        assert row_of({"b": 1, "a": cell}, columns) == table.rows[0]
    else:
        with pytest.raises(ValueError, match="column 'a'") as caught:
            row_of({"b": 1, "a": cell}, columns)
        problem = table.problems.messages[0].removeprefix("here:2: ")
        assert caught.value.problem.split(":")[0] == problem.split(":")[0]


@pytest.mark.parametrize("cell", ["nA", "N/a", "NoNe", "?"])
def test_a_missing_number_may_be_in_upper_or_lower_case(cell):
    columns = [ColumnType("a", "number"), ColumnType("b", "number")]
    table = known(tables, separated([{"a": cell, "b": 1}], ["a", "b"]), columns)
    assert table.rows == [row_of({"a": cell, "b": 1}, columns)] == [[("a=", 1.0), ("b", 1.0)]]


@pytest.mark.parametrize(
    ("kind", "value", "cell"),
    [
        ("number", 39, "39"),
        ("number", "39", "39"),
        ("number", True, "true"),
        ("number", None, ""),
        ("category", 3, "3"),
        ("category", 3.0, "3"),
        ("category", 2.5, "2.5"),
        ("category", " Oslo ", "Oslo"),
        ("category", True, "True"),
        ("text", 17, "17"),
        ("text", None, ""),
        ("date", "2024-05-01", "2024-05-01"),
    ],
)
def test_values_are_what_a_table_writes(kind, value, cell):
    columns = [ColumnType("a", kind, "%Y-%m-%d" if kind == "date" else ""), ColumnType("b", "text")]
    table = known(tables, separated([{"a": cell, "b": "x"}], ["a", "b"]), columns).rows[0]
    assert row_of({"a": value, "b": "x"}, columns) == table
    assert known(jsonl, json.dumps({"a": value, "b": "x"}).encode(), columns).rows[0] == table


@pytest.mark.parametrize(
    ("kind", "value", "feature"),
    [
        ("number", float("nan"), ("a=", 1.0)),
        ("number", np.float32(np.nan), ("a=", 1.0)),
        ("number", pd.NA, ("a=", 1.0)),
        ("number", np.int8(7), ("a", 7.0)),
        ("category", np.float32(np.nan), ("a=", 1.0)),
        ("category", np.int64(7), ("a=7", 1.0)),
        ("category", np.datetime64("NaT"), ("a=", 1.0)),
        ("date", pd.NaT, ("a=", 1.0)),
        ("date", np.datetime64("NaT"), ("a=", 1.0)),
        ("date", datetime.date(1970, 1, 2), ("a", 1.0)),
        ("date", datetime.datetime(1970, 1, 2, 12), ("a", 1.5)),
        ("date", pd.Timestamp("1970-01-02 12:00"), ("a", 1.5)),
        ("date", np.datetime64("1970-01-02T12:00"), ("a", 1.5)),
    ],
)
def test_values_of_python(kind, value, feature):
    assert row_of({"a": value}, [ColumnType("a", kind)]) == [feature]


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        (
            "number",
            [1],
            "column 'a' holds one number or string in each row, and this is a list",
        ),
        ("category", {"b": 1}, "one number or string in each row, and this is a dict"),
        ("text", ["b"], "one number or string in each row, and this is a list"),
        ("category", b"b", "one number or string in each row, and this is a bytes; convert it"),
        ("number", Decimal(7), "one number or string in each row, and this is a Decimal"),
        ("number", float("inf"), "the number in column 'a' must be finite"),
        ("number", 10**400, "the number in column 'a' must be finite"),
        ("number", "x", "column 'a' holds numbers, and this is something else; .*: \"x\""),
        ("date", 5, "column 'a' holds dates, and this is something else; .*: \"5\""),
        ("category", object, "column 'a'"),
    ],
)
def test_values_that_no_cell_can_have(kind, value, problem):
    with pytest.raises(ValueError, match=problem):
        row_of({"a": value}, [ColumnType("a", kind)])


COLUMNS = (
    ColumnType("id", "ignored"),
    ColumnType("n", "number"),
    ColumnType("few", "number", sparse=True),
    ColumnType("note", "text"),
    ColumnType("city", "category"),
    ColumnType("y", "number"),
)


def test_order_absent_keys_and_other_keys():
    line = b'{"other": [[1]], "city": null, "note": "see you", "id": 5, "y": "1"}\n'
    read = known(jsonl, line, COLUMNS)
    assert read.rows == [[("see", 1.0), ("you", 1.0), ("city=", 1.0), ("n=", 1.0)]]
    assert read.labels == [1.0]
    assert read.problems.absent == ["n", "few"]
    table = known(tables, b"id,note,city,y\n5,see you,,1\n", COLUMNS)
    assert (table.rows, table.labels) == (read.rows, read.labels)
    assert table.problems.absent == ["n", "few"]
    assert row_of({"note": "see you", "city": None}, COLUMNS) == read.rows[0]
    # A key that some rows have is not absent.
    read = known(jsonl, b'{"n": 1}\n{"few": 2, "note": "", "city": "A"}\n', COLUMNS)
    assert read.problems.absent == []
    assert read.labels == [None, None]


def test_none_of_the_columns():
    with pytest.raises(DataError, match=r"here: none of the columns .* \('n', .*keys are 'a', 'b'"):
        known(jsonl, b'{"a": 1}\n{"b": 2}\n', COLUMNS)
    rows = DictRows(Reading(columns=COLUMNS), alone=True)
    with pytest.raises(ValueError, match=r"none of the columns .* the keys are 'free', '3'"):
        rows.parts({"free": 1, 3: 1})
    assert rows.parts({})[-1] == (["n=", "city=", "y="], [1.0] * 3)
    with pytest.raises(TypeError, match="an example must be a dict"):
        rows.parts([1])


def test_labels_are_of_the_table_s_type():
    names = (ColumnType("n", "number"), ColumnType("y", "category"))
    assert known(jsonl, b'{"n": 1, "y": 3}\n{"n": 1, "y": "a"}\n', names).labels == ["3", "a"]
    numbers = (ColumnType("n", "number"), ColumnType("y", "number"))
    read = known(jsonl, b'{"n": 1, "y": "3"}\n{"n": 1, "y": "NA"}\n{"n": 1, "y": true}', numbers)
    assert read.labels[::2] == [3.0, 1.0]
    with pytest.raises(DataError, match=r"here:1:10: the labels in column 'y' are numbers"):
        known(jsonl, b'{"n": 1, "y": "a"}\n', numbers)


def test_missing_values_are_counted_when_learning():
    read = known(jsonl, b'{"n": 1}\n{"n": null}\n{}\n', COLUMNS[:2], learning=True)
    assert read.problems.missing == {"n": 2}
    assert read.dicts == [{"n": 1.0}, {"n=": 1.0}, {"n=": 1.0}]


@pytest.mark.parametrize("names", [Kept(), Hashed(18)])
def test_predicting_learns_no_names(names):
    rows = DictRows(Reading(columns=COLUMNS))
    first = rows.row(rows.parts({"n": 1, "note": "a b", "city": "A"}), names, "float32", True)
    size = names.n_features
    again = rows.row(rows.parts({"n": 1, "note": "b c", "city": "B"}), names, "float32", False)
    assert names.n_features == size
    assert not names.frozen
    assert len(again.indices) == (5 if isinstance(names, Hashed) else 3)
    assert first.values.dtype == again.values.dtype == np.float32
    with pytest.raises(ValueError, match="not a number"):
        rows.row(rows.parts({"n": 1}), Numbered(), "float32", True)


# --- labels -------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", [None, "kind"])
def test_a_label_that_no_row_has_is_an_error(label):
    wanted = "'kind'" if label else "'label', 'class', 'target' or 'y'"
    problem = f"no row has the key {wanted} of the label; name it with --label; there are 'a', 'b'"
    content = b'{"a": 1}\n{"a": 1, "b": 2}\n'
    with pytest.raises(DataError, match=problem):
        read_back(jsonl, content, label=label, labelled=True)
    assert read_back(jsonl, content, label=label).labels == [None, None]
    assert read_back(jsonl, content + b'{"kind": null}', label="kind", labelled=True).lines


def test_a_label_that_no_row_has_is_told_after_some_rows(monkeypatch):
    monkeypatch.setattr(jsonl, "MOST_ROWS", 2)
    with pytest.raises(DataError, match="no row has the key"):
        read_back(jsonl, b'{"a": 1}\n{"a": 2}\n{"Label": 1}\n', labelled=True)
    assert len(read_back(jsonl, b'{"a": 1}\n{"Target": 1}\n', labelled=True).lines) == 2


# --- texts and dates ----------------------------------------------------------------------------


def lines(n=60, **more):
    rows = [
        {
            "note": f"see you at {k} in room {k * 7}",
            "when": f"2024-05-{k % 28 + 1:02d}",
            "city": "Oslo",
            "tags": ["a b c", "d"],
            "n": k,
            "label": k % 2,
            **more,
        }
        for k in range(n)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def learned(content, **options):
    return read_back(jsonl, content, learning=True, labelled=True, **options)


def kinds(read):
    return {column.name: column.kind for column in read.problems.columns}


def test_texts_and_dates_in_json_lines():
    read = learned(lines())
    assert kinds(read) == {"note": "text", "when": "date"}
    assert read.rows[1] == [
        *(("city=Oslo", 1.0), ("tags=a b c", 1.0), ("tags=d", 1.0), ("n", 1.0)),
        ("when", 19845.0),
        *((word, 1.0) for word in ("see", "you", "at", "9", "in", "room")),
    ]
    # What follows is read accordingly, by a model too; what is missing adds nothing.
    later = b'{"note": "see 5", "when": null, "extra": "a b c d"}\n{"when": "2024-01-01 12:00"}\n'
    again = known(jsonl, later, read.problems.columns, others=True)
    assert again.rows == [[("extra=a b c d", 1.0), ("see", 1.0), ("9", 1.0)], [("when", 19723.5)]]
    table = known(tables, b"n,note,when\n5,see 5,\n", read.problems.columns, others=True)
    assert table.dicts == [{"n": 5.0, "see": 1.0, "9": 1.0}]
    with pytest.raises(DataError, match=r"here:201:.* column 'when' holds dates, .*: \"soon\""):
        learned(lines(200) + b'{"when": "soon"}\n')
    with pytest.raises(DataError, match=r"here:201:2: column 'note' holds one number or string"):
        learned(lines(200) + b'{"note": ["a"], "label": 1}\n')


@pytest.mark.parametrize("option", ["category", "drop", "text", "label", "weight"])
def test_keys_that_have_a_role_are_left_alone(option):
    name = ("note",) if option in ("category", "drop", "text") else "note"
    if option == "weight":
        with pytest.raises(DataError, match="a weight must be"):
            learned(lines(), weight="note")
        return
    assert kinds(learned(lines(), **{option: name})) == {"when": "date"}


def test_few_rows_and_other_values_decide_nothing():
    assert kinds(learned(lines(19))) == {"when": "date"}
    assert kinds(learned(lines() + b'{"note": 5, "when": [1]}\n')) == {}
    assert not learned(lines(), columns=COLUMNS).problems.others
    assert kinds(read_back(jsonl, lines())) == {}  # not learning


def test_the_first_rows_decide_whatever_the_blocks_are(monkeypatch):
    whole = learned(lines(300))
    monkeypatch.setattr(jsonl, "PATIENCE", -1.0)
    assert learned(lines(300)).rows == whole.rows
    monkeypatch.setattr(jsonl, "MOST_ROWS", 250)
    assert learned(lines(300)).rows == whole.rows
