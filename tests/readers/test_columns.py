"""Tables: CSV, TSV, Parquet and Arrow give the same rows as JSON lines of the same examples."""

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

from rosenblatt.readers import jsonl, tables
from rosenblatt.readers.blocks import DataError, ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.features import features_of
from rosenblatt.readers.names import Hashed, Kept, Numbered
from rosenblatt.readers.reader import Reader
from tests.readers.back import read_back, separated, stream_of

COLUMNS = ["age", "city", "old", "height", "label"]
ROWS = [
    {"age": 41, "city": "Oslo", "old": True, "height": 1.83, "label": "yes"},
    {"age": None, "city": "New York", "old": False, "height": -0.5, "label": "no"},
    {"age": 7, "city": None, "old": None, "height": 1e-7, "label": None},
    {"age": 0, "city": "É, \"quoted\"\nline", "old": True, "height": None, "label": "yes"},
    {"age": 0, "city": "Oslo", "old": True, "height": 12345678.25, "label": "no"},
]  # fmt: skip


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
        path.write_bytes(separated(rows, COLUMNS, "," if kind == "csv" else "\t"))
    return path


KINDS = ["csv", "tsv", "parquet", "feather", "arrow", "jsonl"]


@pytest.mark.parametrize("kind", KINDS)
def test_all_formats_agree(kind, tmp_path):
    path = saved(tmp_path, kind)
    read = read_back(jsonl if kind == "jsonl" else tables, path)
    without = [{k: v for k, v in row.items() if k != "label"} for row in ROWS]
    expected = [list(zip(*features_of(row), strict=True)) for row in without]
    assert read.rows == expected
    assert read.labels == [row["label"] for row in ROWS]
    # There is a header in text, and the fourth row has two lines.
    assert read.lines == ([2, 3, 4, 5, 7] if kind in ("csv", "tsv") else [1, 2, 3, 4, 5])
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
    read = read_back(jsonl if kind == "jsonl" else tables, path, names, **options)
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
    expected = read_back(tables, path)
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for read in (read_back(tables, packed), read_back(tables, path.read_bytes())):
        assert read.rows == expected.rows
        assert read.labels == expected.labels


def test_one_text_column_needs_no_prefix():
    read = read_back(tables, b"label,text\nspam,Free offer\n", text=("text",))
    assert read.rows == [[("free", 1.0), ("offer", 1.0)]]


# --- which column is what -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "label", "expected"),
    [
        ("a,label,y,b", None, "label"),
        ("a,y,class,b", None, "class"),
        ("a,target,b,y", None, "target"),
        ("a,y,b,c", None, "y"),
        ("a,Label,y,b", None, "Label"),
        ("CLASS,a,b,c", None, "CLASS"),
        ("Target,a,b,y", None, "Target"),
        ("Y,a,b,c", None, "Y"),
        ("Label,a,label,c", None, "label"),
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
    read = read_back(tables, header.encode() + b"\n5,6,7,8\n", format="csv", label=label)
    values = dict(zip(header.split(","), [5.0, 6.0, 7.0, 8.0], strict=True))
    assert read.labels == [values.pop(expected, None)]
    assert read.dicts == [values]


def test_the_last_column_that_is_not_something_else():
    read = read_back(tables, b"a,b,w,id\n1,2,3,4\n", weight="w", drop=("id",))
    assert (read.labels, read.weights, read.dicts) == ([2.0], [3.0], [{"a": 1.0}])


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"a,b\n1,2\n", {"text": ("c",)}, "here: there is no column 'c'; the columns are 'a', 'b'"),
        (b"a,b\n1,2\n", {"label": "3"}, "label should be in column 3, and there are 2 columns"),
        (b"a,b\n1,2\n", {"label": "0"}, "label should be in column 0"),
        (b"a,b\n1,2\n", {"drop": ("a",)}, "no column is left for features"),
        (b"a,b,a,y\n1,2,3,4\n", {}, "2 columns are called 'a'; give them different names"),
        (
            b"a;b;c\n1,2,3\n4,5,6\n7,8,9\n",
            {},
            r"separated by ','; here it seems to be ';': \"a;b;c\"",
        ),
        (b"a,w,y\n1,x,2\n", {"weight": "w"}, "the weights in column 'w' must be numbers"),
        (b"a\xe9,b\n1,2\n", {}, r'here:1:2: this is not UTF-8; .*iconv.*, found: "\\xe9,b"'),
        (b'"a,b"\n"1,2"\n', {}, 'here:1: the whole line is in quotes, .*; remove them: "a,b"'),
        (b'"' + b"x" * 200_000 + b'",b\n1,2\n', {}, "here:1: the header cannot be read"),
    ],
)
def test_columns_that_do_not_fit(content, options, message):
    with pytest.raises(DataError, match=message):
        read_back(tables, content, format="csv", **options)


def test_names_that_do_not_fit():
    with pytest.raises(DataError, match="here: feature 'age' is not a number"):
        read_back(tables, b"age,y\n1,2\n", Numbered())
    with pytest.raises(DataError, match="here: words are not numbers"):
        read_back(tables, b"t,y\na,2\n", Numbered(), text=("t",))
    read = read_back(tables, b"3,1,y\n1,2,0\n", Numbered())
    assert read.blocks[0].rows.indices.tolist() == [3, 1]


def test_frozen_names():
    names = Kept()
    names.columns(["a", "c=x"])
    names.frozen = True
    read = read_back(tables, b"a,b,c,y\n1,2,x,0\n3,4,z,1\n", names)
    assert read.rows == [[("a", 1.0), ("c=x", 1.0)], [("a", 3.0)]]


# --- Parquet and Arrow ----------------------------------------------------------------------------


def typed(kind, folder, **arrays):
    table = pa.table({**arrays, "y": pa.array([0, 1, 0])})
    return read_back(tables, saved(folder, kind, table))


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
    read = read_back(tables, saved(tmp_path, kind, table), drop=("x",))
    assert read.dicts == [{"a": 1}, {"a": 2}, {"a": 3}]
    with pytest.raises(DataError, match=r"column 'x' holds .*, which is not text"):
        read_back(tables, saved(tmp_path, kind, table), text=("x",))


@pytest.mark.parametrize("kind", ["parquet", "feather", "arrow"])
def test_infinity_in_a_typed_column(kind, tmp_path):
    x = pa.array([1.0, -math.inf, 3.0])
    with pytest.raises(DataError, match=r"examples\.\w+:2: the number in column 'x' must be fin"):
        typed(kind, tmp_path, x=x)
    path = saved(tmp_path, kind, pa.table({"x": x, "y": [0, 1, 0]}))
    read = read_back(tables, path, skip=True)
    assert (read.lines, read.problems.count) == ([1, 3], 1)


@pytest.mark.parametrize("kind", ["parquet", "feather", "arrow"])
def test_text_in_typed_columns(kind, tmp_path):
    for array in (pa.array(["a b", None, "c"]), pa.array(["a b", None, "c"], pa.large_string())):
        table = pa.table({"t": array, "y": ["p", "q", "p"]})
        read = read_back(tables, saved(tmp_path, kind, table.slice(0)), text=("t",))
        assert read.dicts == [{"a": 1, "b": 1}, {}, {"c": 1}]
        assert read.labels == ["p", "q", "p"]


def test_parquet_must_lie_on_disk(tmp_path):
    path = saved(tmp_path, "parquet")
    packed = tmp_path / "x.parquet.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for what in (packed, path.read_bytes()):
        with pytest.raises(DataError, match="Parquet is read from its end: save the file to disk"):
            read_back(tables, what)


def test_feather_1():
    with pytest.raises(DataError, match="Feather of version 1; write it again"):
        read_back(tables, b"FEA1" + bytes(100))


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
                tables, path, format={"feather": "arrow"}.get(kind, kind)
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
    read = read_back(tables, path)
    assert max(len(block.lines) for block in read.blocks) == 1 << 15
    assert read.lines == list(range(1, 100_001))
    assert [row[0][1] for row in read.rows] == list(range(100_000))


# --- memory ---------------------------------------------------------------------------------------

MEMORY = """
    import resource, sys
    from rosenblatt.readers import jsonl, tables
    from rosenblatt.readers.blocks import ErrorLog
    from rosenblatt.readers.names import Kept
    from rosenblatt.readers.command_options import Reading
    from rosenblatt.readers.sources import expand, open_stream

    def count(path):
        module, rows = jsonl if "json" in path else tables, 0
        with open_stream(expand([path])[0]) as stream:
            for block in module.blocks(stream, path, Reading(), Kept(), ErrorLog()):
                rows += len(block.lines)
        return rows

    count(sys.argv[1])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(count(sys.argv[2]), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
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
    assert kilobytes < 30_000


def test_streams_of_bytes_are_closed():
    stream = stream_of(b"a,y\n1,2\n")
    with stream:
        assert len(list(tables.blocks(stream, "x", Reading(), Kept(), ErrorLog()))) == 1
    assert stream.closed


@pytest.mark.parametrize("option", [{"weight": "heft"}, {"drop": ("c", "di")}, {"text": ("t",)}])
def test_a_column_that_is_not_there_is_told_when_learning(tmp_path, option):
    path = tmp_path / "f.csv"
    path.write_text("a,c,label\n1,2,x\n3,4,y\n")
    missing = next(name for v in option.values() for name in ([v] if isinstance(v, str) else v))
    missing = "di" if "drop" in option else missing
    with pytest.raises(DataError, match=f"there is no column '{missing}'"):
        list(Reader([path], Reading(labelled=True, **option)))


def test_strings_that_are_not_utf8(tmp_path):
    path = tmp_path / "f.parquet"
    texts = pa.array([b"Z\xfcrich", b"Z\\xfcrich", None, "Zürich".encode()], pa.binary())
    table = pa.table({"s": texts.view(pa.string()), "y": [1, 2, 3, 4]})
    pa.parquet.write_table(table, path)
    with pytest.raises(
        DataError, match=r'f.parquet:1: column \'s\' is not UTF-8; .*: "Z\\xfcrich"'
    ):
        read_back(tables, path)
    read = read_back(tables, path, skip=True)
    assert read.lines == [2, 3, 4]
    assert read.rows == [[("s=Z\\xfcrich", 1)], [], [("s=Zürich", 1)]]
