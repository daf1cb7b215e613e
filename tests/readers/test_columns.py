"""Tables: CSV, TSV, Parquet and Arrow give the same rows as JSON lines of the same examples."""

import csv
import datetime
import decimal
import gzip
import io
import json
import math
import random
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.readers import cells, columns, jsonl
from rosenblatt.readers.blocks import DataError, Problems
from rosenblatt.readers.features import features_of
from rosenblatt.readers.names import Hashed, Kept, Numbered
from rosenblatt.readers.reading import Reading
from rosenblatt.readers.records import records
from rosenblatt.readers.sources import expand, open_stream
from tests.readers.back import read_back, stream_of
from tests.readers.damage import FUZZ, corpus_lines, fuzz, mutated

COLUMNS = ["age", "city", "old", "height", "label"]
ROWS = [
    {"age": 41, "city": "Oslo", "old": True, "height": 1.83, "label": "yes"},
    {"age": None, "city": "New York", "old": False, "height": -0.5, "label": "no"},
    {"age": 7, "city": None, "old": None, "height": 1e-7, "label": None},
    {"age": 0, "city": "É, \"quoted\"\nline", "old": True, "height": None, "label": "yes"},
    {"age": 0, "city": "Oslo", "old": True, "height": 12345678.25, "label": "no"},
]  # fmt: skip


def separated(rows, names=COLUMNS, separator=",", header=True, line_end="\n"):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator=line_end)
    if header:
        writer.writerow(names)
    for row in rows:
        cells = [row.get(name) for name in names]
        writer.writerow([str(c).lower() if isinstance(c, bool) else c for c in cells])
    return out.getvalue().encode()


def saved(folder, kind, rows=ROWS, schema=None):
    """Write examples in a format, and return the path."""
    path = folder / f"examples.{kind}"
    table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows, schema)
    if kind == "parquet":
        pa.parquet.write_table(table, path, row_group_size=2)
    elif kind == "feather":
        pa.feather.write_feather(table, path, chunksize=2 + len(table) // 3)
    elif kind == "arrow":
        with pa.ipc.new_stream(path, table.schema) as out:
            out.write_table(table, 3 + len(table) // 3)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        path.write_bytes(separated(rows, separator="," if kind == "csv" else "\t"))
    return path


KINDS = ["csv", "tsv", "parquet", "feather", "arrow", "jsonl"]


@pytest.mark.parametrize("kind", KINDS)
def test_all_formats_agree(kind, tmp_path):
    path = saved(tmp_path, kind)
    read = read_back(jsonl if kind == "jsonl" else columns, path)
    without = [{k: v for k, v in row.items() if k != "label"} for row in ROWS]
    expected = [list(zip(*features_of(row), strict=True)) for row in without]
    assert read.rows == expected
    assert read.labels == [row["label"] for row in ROWS]
    first = 2 if kind in ("csv", "tsv") else 1
    assert read.lines == list(range(first, first + len(ROWS)))
    assert read.blocks[0].file == str(path)
    assert read.blocks[-1].done == path.stat().st_size
    for block in read.blocks:
        assert [part.dtype for part in block.rows] == [np.int32, np.int32, np.float64]
        assert not any(part.flags.writeable for part in block.rows)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("names", [Hashed(20), Kept()])
def test_all_formats_agree_on_texts_weights_and_drops(kind, names, tmp_path):
    rows = [
        {"id": "a", "subject": "Free offer", "n": 2, "w": 0.5, "body": "see you, see me", "y": 1},
        {"id": "b", "subject": None, "n": 3, "w": None, "body": "É ü", "y": 0},
        {"id": "c", "subject": "you", "n": None, "w": 2, "body": "", "y": None},
    ]
    content = separated(rows, list(rows[0]), "\t" if kind == "tsv" else ",")
    path = saved(tmp_path, kind, rows)
    if kind in ("csv", "tsv"):
        path.write_bytes(content)
    options = {"text": ("subject", "body"), "weight": "w", "drop": ("id",), "ngrams": 2}
    read = read_back(jsonl if kind == "jsonl" else columns, path, names, **options)
    assert read.weights == [0.5, 1.0, 2.0]
    assert read.labels[:2] == [1.0, 0.0]
    assert read.labels[2] is None or math.isnan(read.labels[2])
    jsonl_path = saved(tmp_path, "jsonl", rows)
    expected = read_back(jsonl, jsonl_path, Hashed(20), **options)
    if isinstance(names, Hashed):
        found = [sorted(part.tolist()) for part in np.split(*_split(read))]
        wanted = [sorted(part.tolist()) for part in np.split(*_split(expected))]
        assert found == wanted
    else:
        assert read.dicts[2] == {"subject=you": 1.0}
        assert {"n", "subject=free offer", "body=see you", "body=see"} <= set(read.dicts[0])
        order = [name.partition("=")[0] for name, _ in read.rows[0]]
        in_file = ["subject", "n", "body"] if kind != "jsonl" else ["n", "subject", "body"]
        assert list(dict.fromkeys(order)) == in_file


def _split(read):
    indices = np.concatenate([block.rows.indices for block in read.blocks])
    sizes = np.concatenate([np.diff(block.rows.indptr) for block in read.blocks])
    return indices, np.cumsum(sizes)[:-1]


@pytest.mark.parametrize("kind", ["csv", "tsv", "feather", "arrow"])
def test_packed_and_piped(kind, tmp_path):
    path = saved(tmp_path, kind)
    expected = read_back(columns, path)
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for read in (read_back(columns, packed), read_back(columns, path.read_bytes())):
        assert read.rows == expected.rows
        assert read.labels == expected.labels


def test_one_text_column_needs_no_prefix():
    read = read_back(columns, b"label,text\nspam,Free offer\n", text=("text",))
    assert read.rows == [[("free", 1.0), ("offer", 1.0)]]


# --- which column is what -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "label", "expected"),
    [
        ("a,label,y,b", None, "label"),
        ("a,y,class,b", None, "class"),
        ("a,target,b,y", None, "target"),
        ("a,y,b,c", None, "y"),
        ("a,b,c,d", None, "d"),
        ("a,b,c,d", "b", "b"),
        ("a,b,c,label", "b", "b"),
        ("a,b,c,d", "1", "a"),
        ("a,b,c,d", "-2", "c"),
        ("a,1,c,d", "1", "1"),
        ("a,b,c,d", "nothing", None),
    ],
)
def test_labels(header, label, expected):
    read = read_back(columns, header.encode() + b"\n5,6,7,8\n", format="csv", label=label)
    values = dict(zip(header.split(","), [5.0, 6.0, 7.0, 8.0], strict=True))
    assert read.labels == [values.pop(expected, None)]
    assert read.dicts == [values]


def test_the_last_column_that_is_not_something_else():
    read = read_back(columns, b"a,b,w,id\n1,2,3,4\n", weight="w", drop=("id",))
    assert (read.labels, read.weights, read.dicts) == ([2.0], [3.0], [{"a": 1.0}])


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"a,b\n1,2\n", {"text": ("c",)}, "here: there is no column 'c'; the columns are 'a', 'b'"),
        (b"a,b\n1,2\n", {"label": "3"}, "label should be in column 3, and there are 2 columns"),
        (b"a,b\n1,2\n", {"label": "0"}, "label should be in column 0"),
        (b"a,b\n1,2\n", {"drop": ("a",)}, "no column is left for features"),
        (b"a,b,a,y\n1,2,3,4\n", {}, "2 columns are called 'a'; the first line must be a header"),
        (b"a;b;c\n1;2;3\n", {}, r"separated by ','; here it seems to be ';': \"a;b;c\""),
        (b"a,w,y\n1,x,2\n", {"weight": "w"}, "the weights in column 'w' must be numbers"),
        (b"a\xff,b\n1,2\n", {}, "here:1: the first line is no UTF-8"),
        (b'"' + b"x" * 200_000 + b'",b\n1,2\n', {}, "here:1: the header cannot be read"),
    ],
)
def test_columns_that_do_not_fit(content, options, message):
    with pytest.raises(DataError, match=message):
        read_back(columns, content, format="csv", **options)


def test_names_that_do_not_fit():
    with pytest.raises(DataError, match="here: feature 'age' is no number"):
        read_back(columns, b"age,y\n1,2\n", Numbered())
    with pytest.raises(DataError, match="here: words are no numbers"):
        read_back(columns, b"t,y\na,2\n", Numbered(), text=("t",))
    read = read_back(columns, b"3,1,y\n1,2,0\n", Numbered())
    assert read.blocks[0].rows.indices.tolist() == [3, 1]


def test_frozen_names():
    names = Kept()
    names.columns(["a", "c=x"])
    names.frozen = True
    read = read_back(columns, b"a,b,c,y\n1,2,x,0\n3,4,z,1\n", names)
    assert read.rows == [[("a", 1.0), ("c=x", 1.0)], [("a", 3.0)]]


# --- CSV ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "options", "header"),
    [
        (b"1,2,3", {}, False),
        (b"1,,3", {}, False),
        (b"-1.5e3,.5,+2", {}, False),
        (b"5.1,3.5,setosa", {}, False),
        (b"39, State-gov, <=50K", {}, False),
        (b"2019,2020,2021", {}, False),
        (b"a,b,c", {}, True),
        (b"0,1,label", {}, True),
        (b"0,1,kind", {}, True),
        (b"1,2,kind", {}, True),
        (b"2019,2020,region", {"label": "region"}, True),
        (b"2019,2020,region", {"drop": ("2019",)}, False),
        (b'"a ""b""",b,"c\nd"', {}, True),
        (b" a , b , c ", {}, True),
        (b",a,b", {}, True),
    ],
)
def test_headers(first, options, header):
    second = b"7,8,9"
    read = read_back(columns, first + b"\n" + second + b"\n", format="csv", **options)
    assert read.lines[-1] - read.lines[0] == len(read.lines) - 1
    assert len(read.lines) == (1 if header else 2)
    if not header:
        assert {name.partition("=")[0] for name in read.dicts[-1]} <= {"c1", "c2"}


def test_names_of_columns():
    read = read_back(columns, b'\xef\xbb\xbf\n,"a ""b""", c ,"x\ny",y\n1,2,3,4,5\n6,7,8,9,10')
    assert read.dicts[0] == {"c1": 1.0, 'a "b"': 2.0, "c": 3.0, "x\ny": 4.0}
    assert read.lines == [4, 5]


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\r\n\r\n", b"\xef\xbb\xbf", b"a,b,c\n", b"a,b,c", b"a,b\r", b",,\n"]
)
def test_nothing(content):
    assert read_back(columns, content, format="csv").blocks == []
    assert read_back(columns, b"", format="parquet").blocks == []
    assert read_back(columns, b"", format="arrow").blocks == []


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", [True, False])
def test_line_ends(line_end, end):
    content = separated(ROWS[:3], line_end=line_end)
    read = read_back(columns, content if end else content.rstrip(b"\r\n"))
    assert len(read.rows) == 3
    assert read.labels == ["yes", "no", None]


def test_numbers_are_told_from_the_first_rows():
    content = b"""n,s,mixed,space,plus,truth,late,y
    1,a,1, 1 ,+1,true,,1
    2.5,b,x,2,-1,FALSE,,1
    NA,c,2,?,+.5e1,1,,0
    """.replace(b"    ", b"")
    read = read_back(columns, content)
    assert read.dicts == [
        {"n": 1, "s=a": 1, "mixed=1": 1, "space": 1, "plus": 1, "truth": 1},
        {"n": 2.5, "s=b": 1, "mixed=x": 1, "space": 2, "plus": -1, "truth": 0},
        {"s=c": 1, "mixed=2": 1, "plus": 5, "truth": 1},
    ]
    assert read.labels == [1.0, 1.0, 0.0]


def test_spaces_around_cells_do_not_count():
    read = read_back(columns, b"39, State-gov ,  , <=50K\n50, Private, x y , >50K\n")
    assert read.dicts == [{"c1": 39, "c2=State-gov": 1}, {"c1": 50, "c2=Private": 1, "c3=x y": 1}]
    assert read.labels == ["<=50K", ">50K"]


def long_table(change, at=35_000):
    """Return rows of numbers, several blocks of them, with a change, near the end if not told."""
    rows = [b"%d,%d,x%d,%d" % (k, k % 7, k % 3, k % 2) for k in range(40_000)]
    rows[at:at] = change
    return b"a,b,c,label\n" + b"\n".join(rows) + b"\n"


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(cells, "_BLOCK", 1 << 16)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("row", "message"),
    [
        (b"1.5,2,x,0", None),
        (b"NA,,,", None),
        (b" 7 , 8,12,-3", None),
        (b"abc,2,x,0", "column 'a' held numbers so far; drop it, or read it as text: \"abc\""),
        (b"1,2,x,maybe", "column 'label' held numbers so far.*: \"maybe\""),
        (b"1e999,2,x,0", "the number in column 'a' must be finite: \"inf\""),
        (b"1,-Infinity,x,0", "the number in column 'b' must be finite: \"-inf\""),
        (b"1,2,x,inf", "the number in column 'label' must be finite"),
        (b"1,2,x", 'expected 4 cells, found 3: "1,2,x"'),
        (b"1,2,x,0,5", 'expected 4 cells, found 5: "1,2,x,0,5"'),
        (b"1,2,\xff\xfe,0", r"column 'c' is no UTF-8: \"\\x1a\\x1a\""),
        (b"\xff,2,x,0", r"column 'a' is no UTF-8: \"\\x1a\""),
    ],
)
def test_what_comes_later(row, message):
    content = long_table([row])
    if message is None:
        read = read_back(columns, content)
        assert len(read.rows) == 40_001
        assert len(read.blocks) > 5
        return
    with pytest.raises(DataError, match=f"^here:35002: {message}"):
        read_back(columns, content)
    read = read_back(columns, content, skip=True)
    assert read.lines == [k for k in range(2, 40_003) if k != 35_002]
    assert read.dicts[35_000]["a"] == 35_000
    assert read.problems.count == 1


def test_numbers_in_a_column_of_strings_are_strings():
    read = read_back(columns, b"a,y\nx,1\n3,1\n1e999,0\n")
    assert [row[0][0] for row in read.rows] == ["a=x", "a=3", "a=1e999"]


def test_a_column_that_is_empty_at_first(small_blocks):
    rows = b"".join(b"%d,,0\n" % k for k in range(20_000))
    read = read_back(columns, b"a,b,y\n" + rows + b"1,2.5,1\n1,,0\n")
    assert read.dicts[0] == {"a": 0.0}
    assert read.dicts[-2:] == [{"a": 1.0, "b": 2.5}, {"a": 1.0}]
    read = read_back(columns, b"a,b,y\n" + rows + b"1,x,1\n1,3,0\n")
    assert read.dicts[-2:] == [{"a": 1.0, "b=x": 1.0}, {"a": 1.0, "b=3": 1.0}]
    assert read_back(columns, b"a,b\n1,\n2,\n").blocks[0].labels is None


def test_weights():
    read = read_back(columns, b"a,w,y\n1,2,0\n1,,0\n1,0,1\n", weight="w")
    assert read.weights == [2.0, 1.0, 0.0]
    assert read_back(columns, b"a,w,y\n1,1,0\n1,1,1\n", weight="w").blocks[0].weights is None
    assert read_back(columns, b"a,y\n1,1\n", weight="w").weights == [1.0]
    for bad in (b"-1", b"inf"):
        content = b"a,w,y\n1,1,0\n1," + bad + b",0\n1,3,1\n"
        with pytest.raises(DataError, match="here:3: "):
            read_back(columns, content, weight="w")
        assert read_back(columns, content, weight="w", skip=True).weights == [1.0, 3.0]


def test_several_errors_are_told_in_order():
    content = b"a,b,y\n1,2,0\n1,x\n1,inf,1\ninf,inf,1\n5\n3,4,0\n7,8,9,10\n"
    read = read_back(columns, content, skip=True, format="csv")
    assert read.lines == [2, 7]
    places = [message.split()[0] for message in read.problems.messages]
    assert places == ["here:3:", "here:4:", "here:5:", "here:6:", "here:8:"]
    assert read.problems.count == 5


def test_all_rows_are_bad():
    read = read_back(columns, b"a,b,y\n1\n2\n3\n", skip=True, format="csv")
    assert read.rows == []
    assert read.problems.count == 3


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("longest", [1 << 16, 1 << 26])
def test_a_quote_that_is_not_closed(longest, monkeypatch):
    monkeypatch.setattr("rosenblatt.readers.records.LONGEST", longest)
    content = long_table([b'1,2,"x,0'], 100)
    message = 'here:102: a quote is not closed, or a row is longer than .*: "1,2,"x,0"'
    with pytest.raises(DataError, match=message):
        read_back(columns, content)
    read = read_back(columns, content, skip=True)
    assert read.lines == [k for k in range(2, 40_003) if k != 102]
    assert read.problems.count == 1
    for end in (b'4,5,"6', b'4,5,"6\n', b'"4,5,6\r\n'):
        content = b"a,b,y\r\n1,2,3\r\n" + end
        with pytest.raises(DataError, match="here:3: a quote is not closed"):
            read_back(columns, content)
        assert read_back(columns, content, skip=True).lines == [2]


@pytest.mark.usefixtures("small_blocks")
def test_quoted_line_ends_at_the_ends_of_blocks():
    rows = [{"a": k, "text": "x\n" * (k % 9) + "y", "label": "l"} for k in range(20_000)]
    read = read_back(columns, separated(rows, ["a", "text", "label"]))
    assert [row[0][1] for row in read.rows] == list(range(20_000))
    assert len(read.rows[8]) == 2


@pytest.mark.parametrize("size", [1, 2, 3, 10, 1000])
def test_pieces_are_whole_records(size):
    texts = [b"1,2", b'"a\nb",3', b'5" pipe,"x"', b"", b'"q"x,""', b'"\r\n""\r",",\n"', b",", b'""']
    for line_end in (b"\n", b"\r\n", b"\r"):
        whole = [text.replace(b"\n", line_end) + line_end for text in texts]
        content = b"".join(whole)
        for last in (content, content[: -len(line_end)]):
            pieces = list(records(stream_of(last), b"", size, 5, ",", "x", Problems()))
            joined = b"".join(piece for _, piece in pieces)
            assert joined in (content, last + b"\n")
            ends = {len(b"".join(whole[:k])) for k in range(len(whole) + 1)}
            place, lines = 0, 5
            for before, piece in pieces:
                assert before == lines
                lines += len(piece.splitlines())
                place += len(piece)
                assert place in ends or place == len(joined)
            if size == 1:
                assert len(pieces) >= 6


def test_wide_rows():
    names = [f"f{k}" for k in range(30_000)]
    row = ",".join("0.12345678" for _ in names)
    content = (",".join([*names, "y"]) + "\n" + f"{row},1\n" * 20).encode()
    read = read_back(columns, content)
    assert [len(row) for row in read.rows] == [30_000] * 20


def test_too_large_for_float32():
    content = b"a,b,y\n1,2,0\n1,1e200,0\n"
    with pytest.raises(DataError, match="here:3: feature 'b' is too large for float32; scale it"):
        read_back(columns, content, dtype="float32")
    assert read_back(columns, content).dicts[1]["b"] == 1e200


def test_tabs():
    read = read_back(columns, b'a\tb\ty\n1\tx, y\t0\n2\t"q"\t1\n')
    assert read.dicts == [{"a": 1.0, "b=x, y": 1.0}, {"a": 2.0, "b=q": 1.0}]


def test_a_first_line_that_never_ends(monkeypatch):
    monkeypatch.setattr("rosenblatt.readers.header._LONGEST", 1 << 21)
    with pytest.raises(DataError, match="here:1: the first line is longer than 2 MiB"):
        read_back(columns, b"a," * (1 << 21), format="csv")


def test_damaged_archive(tmp_path):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(long_table([]))[:-200])
    with pytest.raises(DataError, match=r"x\.csv\.gz: the gzip archive ends too soon"):
        read_back(columns, path)


def test_stopping_early(tmp_path):
    """Nobody reads the file after it was closed, although pyarrow reads ahead."""
    path = tmp_path / "x.csv"
    path.write_bytes(long_table([]) * 20)
    for _ in range(5):
        with open_stream(expand([path])[0]) as stream:
            blocks = columns.blocks(stream, "x", Reading(), Kept(), Problems())
            assert next(blocks).lines[0] == 2
            blocks.close()
            assert stream.consumed < path.stat().st_size


# --- Parquet and Arrow ----------------------------------------------------------------------------


def typed(kind, folder, **arrays):
    table = pa.table({**arrays, "y": pa.array([0, 1, 0])})
    return read_back(columns, saved(folder, kind, table))


@pytest.mark.parametrize("kind", ["parquet", "feather", "arrow"])
@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([1, None, 3], pa.int8()), [{"x": 1}, {}, {"x": 3}]),
        (pa.array([2**63, 0, 2], pa.uint64()), [{"x": 2.0**63}, {"x": 0}, {"x": 2}]),
        (pa.array([2**53 + 1, 0, 2], pa.int64()), [{"x": 2.0**53}, {"x": 0}, {"x": 2}]),
        (pa.array([1.5, math.nan, None], pa.float32()), [{"x": 1.5}, {}, {}]),
        (pa.array(np.array([1.5, 2, 3], np.float16)), [{"x": 1.5}, {"x": 2}, {"x": 3}]),
        (pa.array([True, False, None]), [{"x": 1}, {"x": 0}, {}]),
        (pa.array([decimal.Decimal("1.25"), None, 3]), [{"x": 1.25}, {}, {"x": 3}]),
        (pa.array(["a", None, ""]), [{"x=a": 1}, {}, {}]),
        (pa.array([" a", "NA", "3"], pa.large_string()), [{"x= a": 1}, {"x=NA": 1}, {"x=3": 1}]),
        (pa.array(["a", None, "b"]).dictionary_encode(), [{"x=a": 1}, {}, {"x=b": 1}]),
        (pa.array([1.5, None, 2]).dictionary_encode(), [{"x": 1.5}, {}, {"x": 2}]),
        (pa.nulls(3), [{}, {}, {}]),
    ],
)
def test_types(kind, array, expected, tmp_path):
    assert typed(kind, tmp_path, x=array).dicts == expected


@pytest.mark.parametrize("kind", ["parquet", "feather", "arrow"])
@pytest.mark.parametrize(
    "array",
    [
        pa.array([datetime.date(2024, 1, 1)] * 3),
        pa.array([datetime.datetime(2024, 1, 1)] * 3),
        pa.array([datetime.time(1)] * 3),
        pa.array([[1], [2], [3]]),
        pa.array([{"a": 1}] * 3),
        pa.array([b"a"] * 3),
    ],
)
def test_types_that_are_no_features(kind, array, tmp_path):
    with pytest.raises(DataError, match=r"column 'x' holds .*; drop it \(--drop x\), or convert"):
        typed(kind, tmp_path, a=pa.array([1, 2, 3]), x=array)
    table = pa.table({"x": array, "a": [1, 2, 3], "y": [0, 1, 0]})
    read = read_back(columns, saved(tmp_path, kind, table), drop=("x",))
    assert read.dicts == [{"a": 1}, {"a": 2}, {"a": 3}]
    with pytest.raises(DataError, match=r"column 'x' holds .*, which is no text"):
        read_back(columns, saved(tmp_path, kind, table), text=("x",))


@pytest.mark.parametrize("kind", ["parquet", "feather", "arrow"])
def test_infinity_in_a_typed_column(kind, tmp_path):
    x = pa.array([1.0, -math.inf, 3.0])
    with pytest.raises(DataError, match=r"examples\.\w+:2: the number in column 'x' must be fin"):
        typed(kind, tmp_path, x=x)
    path = saved(tmp_path, kind, pa.table({"x": x, "y": [0, 1, 0]}))
    read = read_back(columns, path, skip=True)
    assert (read.lines, read.problems.count) == ([1, 3], 1)


@pytest.mark.parametrize("kind", ["parquet", "feather", "arrow"])
def test_text_in_typed_columns(kind, tmp_path):
    for array in (pa.array(["a b", None, "c"]), pa.array(["a b", None, "c"], pa.large_string())):
        table = pa.table({"t": array, "y": ["p", "q", "p"]})
        read = read_back(columns, saved(tmp_path, kind, table.slice(0)), text=("t",))
        assert read.dicts == [{"a": 1, "b": 1}, {}, {"c": 1}]
        assert read.labels == ["p", "q", "p"]


def test_parquet_must_lie_on_disk(tmp_path):
    path = saved(tmp_path, "parquet")
    packed = tmp_path / "x.parquet.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for what in (packed, path.read_bytes()):
        with pytest.raises(DataError, match="Parquet is read from its end: save the file to disk"):
            read_back(columns, what)


def test_feather_1():
    with pytest.raises(DataError, match="Feather of version 1; write it again"):
        read_back(columns, b"FEA1" + bytes(100))


@pytest.mark.parametrize("kind", ["parquet", "feather", "arrow"])
def test_damaged_tables(kind, tmp_path):
    """Cut or flipped bytes: rows or a DataError, and no crash."""
    rows = [{"a": k / 7, "c": f"x{k % 5}", "label": k % 2} for k in range(300)]
    path = saved(tmp_path, kind, rows)
    content, chance = path.read_bytes(), random.Random(kind)
    errors = 0
    for turn in range(300):
        bad = bytearray(content)
        if turn % 3 == 0:
            bad = bad[: chance.randrange(8, len(bad))]
        else:
            for _ in range(chance.randint(1, 4)):
                bad[chance.randrange(6, len(bad))] ^= 1 << chance.randrange(8)
        path.write_bytes(bytes(bad))
        try:
            for block in read_back(
                columns, path, format={"feather": "arrow"}.get(kind, kind)
            ).blocks:
                assert np.isfinite(block.rows.values).all()
        except DataError as error:
            errors += 1
            message = str(error)
            assert message.startswith(str(path))
            assert "\n" not in message
    assert errors > 60


def test_large_batches_are_cut(tmp_path):
    table = pa.table({"a": np.arange(100_000.0), "y": np.zeros(100_000)})
    path = tmp_path / "x.arrow"
    pa.feather.write_feather(table, path, chunksize=100_000, compression="uncompressed")
    read = read_back(columns, path)
    assert max(len(block.lines) for block in read.blocks) == 1 << 15
    assert read.lines == list(range(1, 100_001))
    assert [row[0][1] for row in read.rows] == list(range(100_000))


# --- memory ---------------------------------------------------------------------------------------

MEMORY = """
    import resource, sys
    from rosenblatt.readers import columns, jsonl
    from rosenblatt.readers.blocks import Problems
    from rosenblatt.readers.names import Kept
    from rosenblatt.readers.reading import Reading
    from rosenblatt.readers.sources import expand, open_stream

    def count(path):
        module, rows = jsonl if "json" in path else columns, 0
        with open_stream(expand([path])[0]) as stream:
            for block in module.blocks(stream, path, Reading(), Kept(), Problems()):
                rows += len(block.lines)
        return rows

    count(sys.argv[1])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(count(sys.argv[2]), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather", "arrow"])
def test_memory_is_bounded(kind, tmp_path):
    """A file ten times as long takes little more memory than the short one."""
    small, rows = tmp_path / f"small.{kind}", 150_000
    large = tmp_path / f"large.{kind}"
    part = pa.table(
        {f"x{k}": np.random.default_rng(k).normal(size=rows).round(3) for k in range(8)}
    )
    part = part.append_column("y", pa.array(["a", "b"] * (rows // 2)))
    for path, times in ((small, 1), (large, 10)):
        if kind == "csv":
            content = io.BytesIO()
            pa.csv.write_csv(part, content)
            header, _, body = content.getvalue().partition(b"\n")
            path.write_bytes(header + b"\n" + body * times)
            continue
        table = pa.concat_tables([part] * times)
        if kind == "parquet":
            pa.parquet.write_table(table, path, row_group_size=rows)
        elif kind == "feather":
            pa.feather.write_feather(table, path, compression="uncompressed")
        else:
            with pa.ipc.new_stream(path, table.schema) as out:
                out.write_table(table, 10_000)
    command = [sys.executable, "-c", textwrap.dedent(MEMORY), str(small), str(large)]
    found, kilobytes = map(int, subprocess.check_output(command).split())
    assert found == 10 * rows
    # Pages of a mapped file count, though they are the system's, and free.
    mapped = large.stat().st_size // 1000 if kind == "feather" else 0
    assert kilobytes < 30_000 + mapped


# --- anything at all ------------------------------------------------------------------------------

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
TEXTS = CELLS.map(str.strip)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**60), 2**60)


@given(st.lists(st.tuples(NUMBERS | st.none(), TEXTS, NUMBERS, TEXTS), min_size=1, max_size=8), st.sampled_from(",\t"))  # fmt: skip  # noqa: E501
def test_round_trip(rows, separator):
    """What Python writes as CSV is read as `features_of` says."""
    names = ["n", "s", "m", "label"]
    # A word first, so that the column is one of strings whatever follows.
    rows = [(1.5, "word", 1.0, "word"), *rows]
    dicts = [dict(zip(names, row, strict=True)) for row in rows]
    content = separated(dicts, names, separator)
    read = read_back(columns, content, format="csv" if separator == "," else "tsv")
    expected = []
    for row in dicts:
        features, values = features_of({k: v for k, v in row.items() if k != "label"})
        expected.append(list(zip(features, values, strict=True)))
    assert read.rows == expected
    assert read.labels == [row["label"] or None for row in dicts]


PARTS = [
    *(b",", b'"', b'""', b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b",,,,", b"label"),
    *(b"1e999", b"inf", b"nan", b"NA", b"?", b"true", b" ", b"\t", b";", b"'", b"1_0", b"0x1"),
    *(b'"a\nb"', b"-", b"+", b"\xe2\x80\xa8", b"9" * 400, b"age", b"w", b"\\"),
]


@pytest.mark.parametrize("part", range(4))
def test_fuzz(part):
    chance = random.Random(part)
    corpus = corpus_lines("*.csv")
    for _ in range(FUZZ // 4):
        picked = [corpus[0]] * chance.randint(0, 1) + chance.choices(corpus, k=chance.randint(1, 4))
        content = b"\n".join(mutated(line, PARTS, chance) for line in picked)
        fuzz(columns, content, format=chance.choice(["csv", "tsv"]), weight="w", drop=("city",))


def test_streams_of_bytes_are_closed():
    stream = stream_of(b"a,y\n1,2\n")
    with stream:
        assert len(list(columns.blocks(stream, "x", Reading(), Kept(), Problems()))) == 1
    assert stream.closed
