"""What the columns of a table hold: decided when a model learns, and kept in the model."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from rosenblatt.readers import tables
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.column_types import ColumnType
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.reader import CountingReader, Reader
from tests.readers.back import read_back


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
    with pytest.raises(DataError, match=r"here:3: column 'a' holds numbers, .*: \"x\""):
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
    with pytest.raises(DataError, match=r"x.parquet:2: column 'n' holds numbers, .*: \"x\""):
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
