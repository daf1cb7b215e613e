"""Arrays on disk: rows and pictures in blocks, with labels from another file."""

import gzip
import io
import math
import random
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from rosenblatt.data.rows import Dense, Sparse
from rosenblatt.readers import npy
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.names import Hashed, Kept, Numbered
from tests.readers.back import read_back

X = np.arange(24).reshape(6, 4) - 5


@pytest.fixture
def save(tmp_path):
    """Write an array, and return its path."""

    def write(array, name="x.npy"):
        np.save(tmp_path / name, array)
        return tmp_path / name

    return write


def read(path, names=None, **options):
    names = names if names is not None else Numbered()
    return read_back(npy, path, names, **options)


@pytest.mark.parametrize("dtype", ["u1", "i1", "<i8", ">i2", "f2", "<f4", ">f8", "?"])
@pytest.mark.parametrize("shape", [(6, 4), (6, 2, 2), (6, 2, 1, 2), (24, 1)])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kept", ["float32", "float64"])
def test_rows(dtype, shape, order, kept, save):
    array = np.asarray(X.astype(dtype).reshape(shape), order=order)
    found = read(save(array), dtype=kept)
    (block,) = found.blocks
    assert isinstance(block.rows, Dense)
    assert block.rows.values.dtype == kept
    assert block.rows.values.flags.c_contiguous
    assert not block.rows.values.flags.writeable
    np.testing.assert_array_equal(block.rows.values, array.reshape(len(array), -1))
    assert block.labels is None
    assert block.weights is None
    assert found.lines == list(range(1, len(array) + 1))
    assert found.names.n_features == array[0].size


def test_blocks(save, monkeypatch):
    monkeypatch.setattr(npy, "MOST_BYTES", 100)
    path = save(X)
    found = read(path)
    assert [len(block.lines) for block in found.blocks] == [3, 3]
    size = path.stat().st_size
    assert [block.done for block in found.blocks] == [size // 2, size]
    assert found.lines == [1, 2, 3, 4, 5, 6]
    monkeypatch.setattr(npy, "MOST_BYTES", 1)
    assert len(read(path).blocks) == 6


def test_no_rows(save, tmp_path):
    assert read(save(np.empty((0, 5)))).blocks == []
    (tmp_path / "empty.npy").touch()
    assert read(tmp_path / "empty.npy").blocks == []


# --- names ----------------------------------------------------------------------------------------


def test_kept_names(save):
    found = read(save(X), Kept())
    assert isinstance(found.blocks[0].rows, Dense)
    assert found.names.name(3) == "3"
    names = Kept()
    names.columns(["other", "2"])
    found = read(save(X), names)
    assert isinstance(found.blocks[0].rows, Sparse)
    assert found.rows[0] == [("0", -5.0), ("1", -4.0), ("2", -3.0), ("3", -2.0)]
    assert found.blocks[0].rows.indices[:4].tolist() == [2, 3, 1, 4]


def test_hashed_names_and_wider_ones(save):
    for names in (Hashed(10), Hashed(1), Numbered(9)):
        found = read(save(X), names)
        (block,) = found.blocks
        assert isinstance(block.rows, Sparse)
        assert [part.dtype for part in block.rows] == [np.int32, np.int32, np.float64]
        assert block.rows.indptr.tolist() == [0, 4, 8, 12, 16, 20, 24]
        assert not any(part.flags.writeable for part in block.rows)
        np.testing.assert_array_equal(block.rows.values.reshape(6, 4), X)
    assert read(save(X), Hashed(2)).blocks[0].rows.values.shape == (6, 4)


def test_frozen_names(save):
    same = Numbered(4)
    same.frozen = True
    assert isinstance(read(save(X), same).blocks[0].rows, Dense)
    for n in (3, 5):
        other = Numbered(n)
        other.frozen = True
        with pytest.raises(DataError, match=f"rows have 4 numbers, and the model's have {n}"):
            read(save(X), other)
    names = Kept()
    names.columns(["0", "1"])
    names.frozen = True
    with pytest.raises(DataError, match="rows have 4 numbers, and the model knows 2 of them"):
        read(save(X), names)


# --- what cannot be read --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.arange(3.0), r"shape \(3,\) and type float64; .* one number a row is X.reshape"),
        (np.float64(3), r"shape \(\) and type float64"),
        (np.zeros((2, 1, 1, 1, 1)), r"shape \(2, 1, 1, 1, 1\)"),
        (np.zeros((3, 0)), r"shape \(3, 0\)"),
        (np.array([["a", "b"]]), "type <U1; rows must hold numbers"),
        (np.array([[1j]]), "type complex128"),
        (np.array([["2020"]], "M8[Y]"), "type datetime64"),
        (np.zeros((2, 2), [("a", "f8")]), "rows must hold numbers"),
    ],
)
def test_arrays_that_are_no_rows(array, message, save):
    with pytest.raises(DataError, match=rf"x\.npy: it has the {message}|x\.npy.*{message}"):
        read(save(array))


def test_objects_are_refused(tmp_path):
    np.save(tmp_path / "o.npy", np.array([[{}, 1]], object), allow_pickle=True)
    with pytest.raises(DataError, match=r"o\.npy: the array cannot be read .*and no objects"):
        read(tmp_path / "o.npy")


def test_numbers_must_be_finite(save):
    bad = X.astype(float)
    bad[2, 1], bad[2, 3], bad[4, 0] = math.nan, math.inf, -math.inf
    with pytest.raises(DataError, match=r'x\.npy:3:2: a number must be finite, .*: "nan"'):
        read(save(bad))
    found = read(save(bad), skip=True)
    assert found.lines == [1, 2, 4, 6]
    assert found.problems.count == 2
    with pytest.raises(DataError, match="not too large for float32"):
        read(save(np.array([[1.0, 1e200]])), dtype="float32")
    assert read(save(np.array([[1.0, 1e200]]))).rows[0][1] == (1, 1e200)
    assert read(save(np.full((1, 2), math.nan)), skip=True).blocks == []


@pytest.mark.parametrize("cut", [3, 6, 8, 9, 20, 60, 127, 128, 200, -1])
def test_cut_files(cut, save):
    path = save(X)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(DataError, match=r"x\.npy: the array cannot be read"):
        read(path)


HEADERS = [
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999, 999999999999), }",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 4), }",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,",
    b"{'descr': '<f8', 'fortran_order': 3, 'shape': (2, 2), }",
    b"{'descr': 'zz', 'fortran_order': False, 'shape': (2, 2), }",
    b"{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }",
    b"__import__('os').abort()",
    b"(" * 5000,
    b"[" * 50,
    b"\xff\xfe\0",
    b"",
]


@pytest.mark.parametrize("header", HEADERS)
def test_damaged_headers(header, tmp_path):
    path = tmp_path / "h.npy"
    size = len(header).to_bytes(2, "little")
    path.write_bytes(b"\x93NUMPY\x01\x00" + size + header + bytes(32))
    with pytest.raises(DataError, match=r"h\.npy: "):
        read(path)


@pytest.mark.filterwarnings("ignore")
def test_any_damage(save):
    path, chance = save(X.astype("f4")), random.Random(3)
    content = path.read_bytes()
    for _ in range(500):
        bad = bytearray(content)
        for _ in range(chance.randint(1, 3)):
            bad[chance.randrange(6, 128)] ^= 1 << chance.randrange(8)
        path.write_bytes(bytes(bad))
        try:
            found = read(path, skip=True)
        except DataError as error:
            message = str(error)
            assert "\n" not in message
            continue
        assert all(np.isfinite(block.rows.values).all() for block in found.blocks)


def test_from_disk_only(save, tmp_path):
    path = save(X)
    (tmp_path / "x.npy.gz").write_bytes(gzip.compress(path.read_bytes()))
    for what in (tmp_path / "x.npy.gz", path.read_bytes()):
        with pytest.raises(DataError, match=r"arrays \(\.npy\) are read from disk: save the file"):
            read(what)


# --- labels ---------------------------------------------------------------------------------------

STRINGS = ["a", "é", "c", "a", "b", "c"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (np.arange(6), [0.0, 1, 2, 3, 4, 5]),
        (np.arange(6, dtype=">u2").reshape(6, 1), [0.0, 1, 2, 3, 4, 5]),
        (np.array([True, False] * 3), [1.0, 0, 1, 0, 1, 0]),
        (np.arange(6) / 2, [0.0, 0.5, 1, 1.5, 2, 2.5]),
        (np.array(STRINGS), STRINGS),
        (np.array([s.encode() for s in STRINGS]), STRINGS),
        (np.array(["a", "", "c", "a", "b", "c"]), ["a", None, "c", "a", "b", "c"]),
    ],
)
def test_labels_in_an_array(labels, expected, save, monkeypatch):
    monkeypatch.setattr(npy, "MOST_BYTES", 100)
    path = save(labels, "y.npy")
    found = read(save(X), labels=str(path))
    assert found.labels == expected
    kind = object if isinstance(expected[0], str) else np.float64
    assert {block.labels.dtype for block in found.blocks} == {np.dtype(kind)}
    assert len(found.blocks) == 2


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"1\n-2\n3.5\n+4\n1e3\n0", [1.0, -2, 3.5, 4, 1000, 0]),
        (b"\xef\xbb\xbf1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n", [1.0, 2, 3, 4, 5, 6]),
        (b"1\n2\nx\n 4 \n5\n6\n", ["1", "2", "x", "4", "5", "6"]),
        ("\n".join(STRINGS).encode(), STRINGS),
        (b"a\n\nb\nc\nd\ne\n", ["a", None, "b", "c", "d", "e"]),
        (gzip.compress(b"1\n2\n3\n4\n5\n6\n", mtime=0), [1.0, 2, 3, 4, 5, 6]),
    ],
)
def test_labels_in_lines(content, expected, save, tmp_path):
    (tmp_path / "y.txt").write_bytes(content)
    assert read(save(X), labels=str(tmp_path / "y.txt")).labels == expected


def test_a_number_without_a_label(save, tmp_path):
    (tmp_path / "y.txt").write_bytes(b"1\n\n3\n4\n5\n6\n")
    labels = read(save(X), labels=str(tmp_path / "y.txt")).labels
    assert math.isnan(labels[1])
    assert labels[2:] == [3.0, 4.0, 5.0, 6.0]


def test_labels_of_skipped_rows(save):
    bad = X.astype(float)
    bad[1, 1] = math.nan
    path = save(np.arange(6), "y.npy")
    assert read(save(bad), labels=str(path), skip=True).labels == [0.0, 2, 3, 4, 5]


def packed_array(array):
    out = io.BytesIO()
    np.save(out, array)
    return gzip.compress(out.getvalue())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1\n2\n3\n", r"y: there are 3 labels, and .*x\.npy has 6 rows"),
        (b"1\n" * 7, r"y:7: there are more labels than the 6 rows"),
        (b"1\n" * 99, r"y:7: there are more labels than the 6 rows"),
        (b"", "y: there are 0 labels"),
        (
            b"1\n\xff\n3\n4\n5\n6\n",
            r'y:2: a label must be UTF-8; convert .* iconv .*, found: "\\xff"',
        ),
        (np.arange(5), "y: there are 5 labels"),
        (np.zeros((6, 2)), r"y: labels must be a vector .* float64 of shape \(6, 2\)"),
        (np.zeros(6, complex), "y: labels must be a vector .* complex128"),
        (np.array([1, 2, math.inf, 1, 2, 3]), "y:3: a label must be finite"),
        (np.array([b"\xff"] * 6), "y:1: a label must be UTF-8"),
        (b"\x93NUMPY\x01", "y: the array cannot be read"),
        (packed_array(np.arange(6)), r"y: arrays \(\.npy\) are read from disk"),
    ],
)
def test_labels_that_do_not_fit(content, message, save, tmp_path):
    path = tmp_path / "y"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        save(content, "y.npy").rename(path)
    with pytest.raises(DataError, match=message):
        read(save(X), labels=str(path))
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read(save(X), labels=str(tmp_path / "nothing"))


# --- memory ---------------------------------------------------------------------------------------

MEMORY = """
    import sys, tracemalloc
    from rosenblatt.readers import npy
    from rosenblatt.readers.blocks import ErrorLog
    from rosenblatt.readers.names import Numbered
    from rosenblatt.readers.command_options import Reading
    from rosenblatt.readers.sources import expand, open_stream
    tracemalloc.start()
    rows, total = 0, 0.0
    with open_stream(expand([sys.argv[1]])[0]) as stream:
        for block in npy.blocks(stream, "x", Reading(), Numbered(), ErrorLog()):
            rows += len(block.lines)
            total += float(block.rows.values[:, 0].sum())
    print(rows, total, tracemalloc.get_traced_memory()[1])
"""


def test_memory_is_bounded(tmp_path):
    """Pictures of 200 MB, as bytes, would be 800 MB as float32."""
    path = tmp_path / "pictures.npy"
    pictures = np.lib.format.open_memmap(path, "w+", np.uint8, (20_000, 100, 100))
    pictures[-1] = 1
    pictures.flush()
    command = [sys.executable, "-c", textwrap.dedent(MEMORY), str(path)]
    rows, total, most = subprocess.check_output(command).split()
    assert (int(rows), float(total)) == (20_000, 1.0)
    assert int(most) < 30_000_000
