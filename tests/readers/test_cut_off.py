"""Files that somebody cuts off while they are read: an error, and not the end of the process."""

import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from rosenblatt.readers import npy
from rosenblatt.readers.blocks import DataError

# In a process of its own, as a signal would end this one.
READ = """
    import os, sys
    from rosenblatt.readers.reader import Reader

    for path in sys.argv[1:]:
        try:
            for _ in Reader([path]):
                os.truncate(path, 4096)
            print(path, "was read")
        except ValueError as error:
            print(error)
"""


@pytest.mark.slow
def test_a_file_that_is_cut_off_while_it_is_read(tmp_path):
    rows, table = np.ones((30_000, 20)), {f"x{k}": np.arange(300_000.0) for k in range(4)}
    np.save(tmp_path / "rows.npy", rows)
    np.save(tmp_path / "columns.npy", np.asfortranarray(rows.repeat(15, 0)))
    pa.feather.write_feather(pa.table(table), tmp_path / "t.arrow", compression="uncompressed")
    pa.parquet.write_table(pa.table(table), tmp_path / "t.parquet", row_group_size=50_000)
    files = [str(tmp_path / n) for n in ("rows.npy", "columns.npy", "t.arrow", "t.parquet")]
    command = [sys.executable, "-c", textwrap.dedent(READ), *files]
    child = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert child.returncode == 0, child.stderr[-2000:]
    rows, columns, arrow, parquet = child.stdout.splitlines()
    assert rows == f"{files[0]}: the file was cut off while it was read; try again when it is whole"
    assert columns.startswith(f"{files[1]}: the file was cut off while it was read")
    assert arrow.startswith(f"{files[2]}: the Arrow file is damaged")
    assert parquet.startswith(f"{files[3]}: there are 50,000 rows of 300,000: it was cut off while")


@pytest.mark.parametrize("shape", [(7,), (7, 5), (7, 3, 4), (7, 2, 3, 2), (7, 0), (0, 5), (1, 1)])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">i2", "u1", "<U3"])
def test_rows_are_those_of_the_array(shape, order, dtype, tmp_path, monkeypatch):
    monkeypatch.setattr(npy, "_AHEAD", 100)
    X = np.arange(np.prod(shape)).reshape(shape).astype(dtype, order)
    np.save(tmp_path / "x.npy", X)
    with npy.Stored(tmp_path / "x.npy", "x") as stored:
        assert (stored.shape, stored.dtype) == (X.shape, X.dtype)
        for start, stop in ((0, 7), (0, 2), (2, 5), (5, 9), (1, 2)) if shape[0] == 7 else ((0, 1),):
            rows = stored.rows(start, stop)
            assert rows.dtype == X.dtype
            assert rows.tolist() == X[start:stop].tolist()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x93NUMPY\x01", "magic"),
        (b"\x93NUMPY\x03\0\x05\0\0\0{}   ", "names of columns"),
        (b"\x93NUMPY\x01\0\x04\0os()", "malformed"),
        (b"other", "magic"),
    ],
)
def test_headers_that_cannot_be(content, why, tmp_path):
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    with pytest.raises(DataError, match=rf"^x: the array cannot be read \(.*{why}.*\); save it"):
        npy.Stored(path, "x")


@pytest.mark.parametrize(
    ("array", "why"),
    [(np.array([None]), "objects"), (np.zeros((100, 10)), r"it has 8,127 bytes of 8,128")],
)
def test_arrays_that_cannot_be(array, why, tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, array, allow_pickle=True)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match=why):
        npy.Stored(path, "x")
