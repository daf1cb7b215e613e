"""What the columns of a table hold: decided when a model learns, and kept in the model."""

import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.readers import csv, tables
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.column_types import ColumnType
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.reader import CountingReader, Reader
from tests.readers.back import read_back, separated

WORDS = ["cat", "dog", "garden", "song", "river", "winter", "letter", "house"]


def learned(content, **options):
    """Read a table as `train` does."""
    return read_back(tables, content, learning=True, labelled=True, **options)


def known(what, read, **options):
    """Read a table as a model does that learned from another."""
    columns, label = read.problems.columns, read.problems.label
    return read_back(tables, what, columns=columns, label=label, **options)


def kinds(read):
    return {column.name: column.kind for column in read.problems.columns}


# --- kept ---------------------------------------------------------------------------------------

CODES = b"code,n,y\nA1,1,a\n17,2,b\n3,3,a\n"


def test_the_same_rows_have_the_same_features_whatever_the_others_are():
    read = learned(CODES)
    assert kinds(read) == {"code": "category", "n": "number", "y": "category"}
    alone = b"code,n,y\n17,2,b\n3,3,a\n"
    assert read_back(tables, alone).dicts[0] == {"code": 17.0, "n": 2.0}  # guessed anew
    again = known(alone, read)
    assert again.dicts == read.dicts[1:]
    assert again.dicts[0] == {"code=17": 1.0, "n": 2.0}


def test_labels_stay_names():
    read = learned(b"a,label\n1,1\n2,x\n")
    assert known(b"a,label\n1,1\n2,2\n", read).labels == ["1", "2"]
    with pytest.raises(DataError, match=r"here:3: column 'a' holds numbers, and .*: \"x\""):
        known(b"a,label\n1,1\nx,2\n", read)


def test_columns_that_were_not_there_are_left_out():
    read = known(b"extra,code,n\n5,17,2\n", learned(CODES))
    assert read.dicts == [{"code=17": 1.0, "n": 2.0}]


@pytest.mark.parametrize("code", [pa.array([17, 3]), pa.array([17.0, 3.0]), pa.array(["17", "3"])])
def test_kept_for_typed_columns_too(code, tmp_path):
    read = learned(CODES)
    path = tmp_path / "x.parquet"
    pa.parquet.write_table(pa.table({"code": code, "n": ["2", "3"]}), path)
    assert known(path, read).dicts == read.dicts[1:]
    pa.parquet.write_table(pa.table({"code": code, "n": ["2", "x"]}), path)
    with pytest.raises(DataError, match=r"x.parquet:2: column 'n' holds numbers, and .*: \"x\""):
        known(path, read)


def test_typed_columns_are_decided_by_their_types(tmp_path):
    path = tmp_path / "x.parquet"
    table = pa.table({"a": ["1", "2"], "b": pa.array([1, 2]).dictionary_encode(), "y": [0, 1]})
    pa.parquet.write_table(table, path)
    read = learned(path)
    assert kinds(read) == {"a": "category", "b": "number", "y": "number"}
    text = known(b"a,b,y\n1,2,0\n", read)
    assert text.dicts == [{"a=1": 1.0, "b": 2.0}]


def test_the_first_file_decides_for_all(tmp_path):
    (tmp_path / "a.csv").write_bytes(CODES)
    (tmp_path / "b.csv").write_bytes(b"code,n,y\n5,6,a\n")
    reader = CountingReader([tmp_path / "a.csv", tmp_path / "b.csv"], Reading(labelled=True))
    for _ in range(2):
        last = list(reader)[-1]
        assert [reader.names.name(k) for k in last.rows.indices] == ["code=5", "n"]
    header = reader.reading_header()
    assert header["columns"][0] == {"name": "code", "kind": "category"}
    assert Reading.from_header(header).columns == reader.columns


def test_a_header_without_columns_is_read_as_before(tmp_path):
    header = Reading().header()
    assert "columns" not in header
    (tmp_path / "a.csv").write_bytes(b"code,n\n17,2\n")
    reader = Reader([tmp_path / "a.csv"], Reading.from_header(header))
    assert next(iter(reader)).rows.values.tolist() == [17.0]


@pytest.mark.parametrize(
    "columns",
    [
        *(3, "x", {"a": 1}, [3], [["a", "number"]], [{"name": "a"}], [{"name": 1, "kind": "date"}]),
        *([{"name": "a", "kind": "?"}], [{"name": "a", "kind": "number", "style": "%Y-%m-%d"}]),
        *([{"name": "a", "kind": "date", "style": ","}], [{"name": "a", "kind": "text", "x": 1}]),
        *([{"name": "a", "kind": "number", "code": np.inf}], [{"name": "a", "kind": ["text"]}]),
        [{"name": "a", "kind": "number"}, {"name": "a", "kind": "text"}],
        [{"name": "a", "kind": "number", "code": "-999"}],
        *(
            [{"name": "a", "kind": "number", "word": 3}],
            [{"name": "a", "kind": "text", "word": "x"}],
        ),
    ],
)
def test_columns_of_a_damaged_model(columns):
    with pytest.raises(ValueError, match="column"):
        Reading.from_header({**Reading().header(), "columns": columns})


def test_what_a_model_keeps_of_a_column():
    for column in (
        ColumnType("a", "number"),
        ColumnType("b", "number", ",", -999.0),
        ColumnType("c", "date", "%d.%m.%Y"),
    ):
        assert ColumnType.from_header(column.header()) == column
    ignored = ColumnType("d", "ignored", reason="every value is different")
    assert ColumnType.from_header(ignored.header()) == ColumnType("d", "ignored")


CELLS = ["1", "2.5", "-3", "", "NA", "?", "x", "a b", "2024-01-31", "1,5", "$3", "-999", "-", "A1"]


@given(
    st.lists(st.lists(st.sampled_from(CELLS), min_size=3, max_size=3), min_size=1, max_size=40),
    st.sampled_from([",", ";"]),
)
def test_a_row_alone_has_the_features_it_has_among_others(rows, separator):
    def table(some):
        dicts = [dict(zip("abc", row, strict=True), y="p") for row in some]
        return separated(dicts, ["a", "b", "c", "y"], separator)

    read = learned(table(rows), skip=True, format="csv")
    kept = [rows[line - 2] for line in read.lines]
    if not kept or kinds(read).keys() <= {"y"}:
        return
    read.names.frozen = True
    for row, features in zip(kept, read.dicts, strict=True):
        # The first row makes the separator plain.
        alone = known(
            table([["1", "x", "1"], row]), read, names=read.names, skip=True, format="csv"
        )
        assert alone.dicts[-1] == features


# --- numbers -------------------------------------------------------------------------------------


def column(cells, name="a", **options):
    """Read a table with these cells in a column, and a column of numbers after it."""
    rows = [{name: cell, "x": k % 3 + 0.5, "y": k % 2} for k, cell in enumerate(cells)]
    separator = options.pop("separator", ",")
    return learned(separated(rows, [name, "x", "y"], separator), format="csv", **options)


def values(read, name="a"):
    return [row.get(name) for row in read.dicts]


@pytest.mark.parametrize(
    ("cells", "separator", "expected"),
    [
        (["1,5", "2", "-3,25"], ";", [1.5, 2, -3.25]),
        (["1,5", "2", "-3,25"], ",", [1.5, 2, -3.25]),
        (["1.234,5", "2", "NA"], ";", [1234.5, 2, None]),
        (["1,234", "5,678"], ";", [1.234, 5.678]),
        (["1,234", "5,678"], ",", [1234, 5678]),
        (["1,234,567.5", "12", "-5,000"], ";", [1234567.5, 12, -5000]),
        (["$3", "$1,200.50", "-$5"], ",", [3, 1200.5, -5]),
        (["3 €", "1.200,50 €", ""], ";", [3, 1200.5, None]),
        (["CHF 1'200.50", "CHF 3.00"], ",", [1200.5, 3]),
        (["12%", "7.5 %"], ",", [12, 7.5]),
        (["1 234,5", "2\u202f345,5"], ";", [1234.5, 2345.5]),
    ],
)
def test_ways_of_writing_numbers(cells, separator, expected):
    read = column(cells, separator=separator)
    assert values(read) == expected
    assert kinds(read)["a"] == "number"
    rows = separated([{"a": cells[0], "x": 1}], ["a", "x"], separator)
    assert values(known(rows, read, format="csv")) == expected[:1]


@pytest.mark.parametrize(
    "cells", [["1,5", "x"], ["$3", "x3"], ["1.2.3", "4.5.6"], ["12 34", "5"], ["--5", "$1"], ["€"]]
)
def test_what_only_looks_like_numbers(cells):
    assert kinds(column(cells))["a"] == "category"


def test_one_bad_cell_does_not_make_a_category():
    """One value in a hundred, or one in twenty and more, may be a mistake; it is named."""
    cells = [str(k) for k in range(5, 50)]
    cells[3] = "x7"
    with pytest.raises(DataError) as caught:
        column(cells)
    assert str(caught.value) == (
        "here:5: column 'a' holds numbers, and this is something else; correct it, or skip such "
        'rows (--on-error skip); if they are codes, train with --category a; found: "x7"'
    )
    read = column(cells, skip=True)
    assert (read.problems.count, len(read.rows), kinds(read)["a"]) == (1, 44, "number")
    assert "a=" not in {name for row in read.dicts for name in row}
    assert kinds(column(cells[:19]))["a"] == "category"  # too few to tell
    read = column([*cells, "y8"])
    assert kinds(read)["a"] == "category"
    (found,) = [one for one in read.problems.columns if one.name == "a"]
    assert found.reason == "x7"  # named in the summary
    assert kinds(column(cells, category=("a",)))["a"] == "category"
    assert kinds(column(["1", "2", "3"] * 10, category=("a",)))["a"] == "category"
    with pytest.raises(DataError, match="there is no column 'b'"):
        column(cells, category=("b",))


@pytest.mark.parametrize("form", ["{},5", "{} €", "1.{:03d},25"])
def test_one_bad_cell_among_numbers_with_commas_or_signs(form):
    cells = [form.format(k) for k in range(5, 50)]
    cells[3] = "x7"
    with pytest.raises(DataError, match=r"^here:5: column 'a' holds numbers, .*: \"x7\""):
        column(cells, separator=";")
    assert kinds(column(cells, separator=";", skip=True))["a"] == "number"
    assert kinds(column([*cells, "y8"], separator=";"))["a"] == "category"


def test_a_column_that_turns_to_words_names_the_line(monkeypatch):
    monkeypatch.setattr(csv, "_BLOCK", 1 << 10)
    cells = [str(2 * k) for k in range(500)] + ["word"] * 500
    with pytest.raises(DataError, match=r"^here:502: column 'b' holds numbers, .*: \"word\""):
        column(cells, name="b")
    assert len(column(cells, name="b", skip=True).rows) == 500


# --- missing values ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cell", ["", " ", "NA", "n.a.", "N/A", "?", "null", "NULL", "-", ".", "nan", "None", "na"]
)
def test_missing_values_are_a_feature(cell):
    read = column(["1.5", cell, "2.5"])
    assert [row.get("a=") for row in read.dicts] == [None, 1.0, None]
    assert values(read) == [1.5, None, 2.5]
    assert read.problems.missing == {"a": 1}
    read = column(["red", cell, "blue"])
    assert [next(iter(row)) for row in read.dicts] == ["a=red", "a=", "a=blue"]
    names = [read.names.name(k) for k in range(read.names.n_features)]
    assert sorted(names) == ["a=", "a=blue", "a=red", "x"]


def test_columns_without_missing_values_have_no_such_feature():
    read = column(["1.5", "2.5"])
    assert {name for row in read.dicts for name in row} == {"a", "x"}
    read.names.frozen = True
    alone = known(b"a,x\n,1\n", read, names=read.names)
    assert alone.dicts == [{"x": 1.0}]


def test_cells_of_a_sparse_column_are_not_missing():
    for cells in (["1", "", ""], ["x", "", ""], ["7"] + ["8"] + [""] * 30):
        read = column(cells)
        assert read.problems.missing == {}
        assert set(read.dicts[-1]) == {"x"}


def test_missing_values_of_typed_columns(tmp_path):
    path = tmp_path / "x.parquet"
    table = {"a": [1.5, None, 2.5], "b": ["red", "?", "blue"], "c": [1, 2, None], "y": [0, 1, 0]}
    pa.parquet.write_table(pa.table(table), path)
    read = learned(path)
    assert read.dicts == [
        {"a": 1.5, "b=red": 1, "c": 1},
        {"a=": 1, "b=": 1, "c": 2},
        {"a": 2.5, "b=blue": 1, "c=": 1},
    ]


def test_labels_and_weights_have_fewer_words_for_it():
    read = learned(b"a,w,y\n1,1,+\n2,2,-\n3,?,+\n", weight="w")
    assert read.labels == ["+", "-", "+"]
    assert read.weights == [1.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("numbers", "code"),
    [
        ([-999, -999, *range(20, 60)], -999.0),
        ([-999, -999, *np.linspace(-30, 40, 50)], -999.0),
        ([-99, -99, *range(0, 5000, 50)], -99.0),
        ([-999, *range(20, 60)], None),  # once
        ([-999, -999, *range(-5000, 5000, 100)], None),  # one of many
        ([-998, -998, *range(20, 60)], None),
        ([-999, -999, 3, 4], None),  # too few to tell
    ],
)
def test_numbers_that_stand_for_missing_values(numbers, code):
    read = column([f"{number:g}" for number in numbers])
    (found,) = [one for one in read.problems.columns if one.name == "a"]
    assert found.code == code
    times = numbers.count(code) if code else 0
    assert sum("a=" in row for row in read.dicts) == times
    alone = known(b"a,x\n-999,1\n-99,1\n", read)
    assert [row.get("a") for row in alone.dicts].count(None) == (code is not None)


@pytest.mark.parametrize("form", ["{}", "{},5", "{:02d}.01.2024", "2024-01-{:02d}"])
def test_a_word_that_stands_for_missing_values(form, tmp_path):
    """The only one without digits among numbers or dates, and there more than once."""
    cells = [form.format(k) for k in range(3, 27)]
    read = column([*cells, "k.A.", "k.A."], separator=";")
    (found,) = [one for one in read.problems.columns if one.name == "a"]
    assert (found.kind in ("number", "date"), found.word) == (True, "k.A.")
    assert ColumnType.from_header(found.header()) == found
    assert [row.get("a=") for row in read.dicts] == [None] * 24 + [1.0, 1.0]
    assert read.problems.missing == {"a": 2}
    alone = known(separated([{"a": "K.A.", "x": 1}, {"a": cells[0], "x": 1}], ["a", "x"]), read)
    assert alone.dicts == [{"a=": 1.0, "x": 1.0}, {"a": values(read)[0], "x": 1.0}]
    path = tmp_path / "x.parquet"
    pa.parquet.write_table(pa.table({"a": ["k.A.", cells[0]], "x": [1, 1]}), path)
    assert known(path, read).dicts == alone.dicts
    two_words = [*cells, "k.A.", "k.A.", "lost"]
    few, many, codes = [*cells[:18], "k.A.", "k.A."], [*cells, *["k.A."] * 30], [*cells, "9+", "9+"]
    for others in (two_words, few, many, codes):
        assert kinds(column(others, separator=";"))["a"] in ("category", "ignored")


# --- text, dates, ids ----------------------------------------------------------------------------

SENTENCES = [f"we met {a} near the {b}" for a in WORDS for b in WORDS]


def test_text_is_cut_into_words():
    read = column(SENTENCES)
    assert kinds(read)["a"] == "text"
    assert {"we", "met", "near", "the", WORDS[0], WORDS[1], "x"} == set(read.dicts[1])
    again = known(separated([{"a": "we met", "x": 1}], ["a", "x"]), read)
    assert again.dicts == [{"we": 1.0, "met": 1.0, "x": 1.0}]
    assert kinds(column(SENTENCES, category=("a",)))["a"] == "category"
    assert kinds(column(SENTENCES[:5] * 20))["a"] == "category"  # the same few again and again
    assert kinds(column(SENTENCES[:19]))["a"] == "category"


def test_two_columns_of_text_have_prefixes():
    rows = [{"a": text, "b": text[::-1], "x": 1, "y": k % 2} for k, text in enumerate(SENTENCES)]
    read = learned(separated(rows, ["a", "b", "x", "y"]))
    assert {"a=we", "b=ew", "x"} <= set(read.dicts[0])
    # Also in a file that has only one of the two.
    assert known(b"a,x\nwe,1\n", read).dicts == [{"a=we": 1.0, "x": 1.0, "b=": 1.0}]


def test_ids_are_left_out():
    ids = [f"u{k * k:x}" for k in range(100)]
    assert kinds(column(ids)) == {"a": "ignored", "x": "number", "y": "number"}
    read = column(ids)
    assert set(read.dicts[0]) == {"x"}
    assert set(known(b"a,x\nu1,1\n", read).dicts[0]) == {"x"}
    assert kinds(column(ids, category=("a",)))["a"] == "category"
    assert kinds(column(ids[:50] * 2))["a"] == "category"
    numbers = [str(k) for k in range(100)]
    assert kinds(column(numbers))["a"] == "ignored"  # the rows, counted
    squares = [str(k * k) for k in range(100)]
    for name, kind in (("a", "number"), ("CustomerID", "ignored"), ("user_id", "ignored")):
        assert kinds(column(squares, name=name))[name] == kind
    assert kinds(column(["7", "8"] * 50, name="id"))["id"] == "number"
    assert kinds(column([f"{k / 7:.3f}" for k in range(100)], name="id"))["id"] == "number"


def test_something_is_left_to_learn_from():
    rows = b"".join(b"%d,u%d,%d\n" % (k, k, k % 2) for k in range(50))
    assert kinds(learned(b"a,b,y\n" + rows))["b"] == "category"
    assert set(learned(b"a,b,y\n" + rows).dicts[7]) == {"a", "b=u7"}


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["2024-01-31", "1970-01-02"], [19753, 1]),
        (["2024-01-31 12:00", "1970-01-02T06:00:00Z"], [19753.5, 1.25]),
        (["31.01.2024", "2.1.1970"], [19753, 1]),
        (["1/31/2024", "1/2/1970"], [19753, 1]),
        (["31/1/2024", "2/1/1970"], [19753, 1]),
        (["31-Jan-2024", "02-Jan-1970"], [19753, 1]),
        (["Jan 31, 2024 6:00 PM", "Jan 2, 1970 12:00 am"], [19753.75, 1]),
        (["2024/01/31", "NA"], [19753, None]),
    ],
)
def test_dates_are_days(cells, expected):
    read = column(cells)
    assert kinds(read)["a"] == "date"
    assert values(read) == expected
    alone = separated([{"a": cells[0], "x": 1}, {"a": "?", "x": 1}], ["a", "x"])
    assert values(known(alone, read)) == [expected[0], None]
    with pytest.raises(DataError, match=r"here:2: column 'a' holds dates, .*: \"soon\""):
        known(b"a,x\nsoon,1\n", read)


@pytest.mark.parametrize("style", ["%d.%m.%Y", "%m/%d/%Y", "%b %d, %Y", "%d-%m-%Y", "%d/%m/%y"])
def test_iso_dates_may_be_in_any_column_of_dates(style):
    day = datetime.date(2024, 1, 31)
    read = column([day.strftime(style)] * 3)
    assert values(read) == [19753] * 3
    assert values(known(b"a,x\n2024-01-31,1\n2024-01-31T12:00,1\n", read)) == [19753, 19753.5]


def test_what_is_no_date():
    for cells in (["2024-13-01", "2024-14-01"], ["1-2-3", "4-5-6"], ["40/40/2024", "41/40/2024"]):
        assert kinds(column(cells))["a"] == "category"


def test_typed_dates_are_days(tmp_path):
    path = tmp_path / "x.parquet"
    day, time = datetime.date(2024, 1, 31), datetime.datetime(2024, 1, 31, 12)
    pa.parquet.write_table(pa.table({"a": [day, None], "b": [time, time], "y": [0, 1]}), path)
    read = learned(path)
    assert read.dicts == [{"a": 19753.0, "b": 19753.5}, {"a=": 1.0, "b": 19753.5}]
    assert values(known(b"a,b\n2024-01-31,2024-01-31 12:00\n", read)) == [19753]


def test_constant_columns_are_noted():
    read = column(["web"] * 30)
    assert {name for name, value in read.problems.constants.items() if value is not None} == {"a"}


def test_columns_that_a_file_does_not_have_count_as_missing():
    read = column(["1", "NA", "2"])
    again = known(b"x,z\n1,2\n", read)
    assert again.dicts == [{"x": 1.0, "a=": 1.0}]
    assert again.problems.absent == ["a"]
    with pytest.raises(DataError, match=r"none of the columns that the model learned from .*'a'"):
        known(b"z,w\n1,2\n", read)
