"""Files read into memory: what scikit-learn reads, bit for bit, and other formats."""

import gzip
import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt.readers import matrix
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.matrix import GrowingArray, TooLargeError, free_memory, gather, read
from rosenblatt.readers.names import Numbered
from rosenblatt.readers.reader import Reader


def same(ours, theirs):
    X, y = ours
    Z, z = theirs
    assert X.shape == Z.shape
    assert X.dtype == Z.dtype
    np.testing.assert_array_equal(X.indptr, Z.indptr)
    np.testing.assert_array_equal(X.indices, Z.indices)
    assert X.data.tobytes() == Z.data.tobytes()
    assert y.tobytes() == z.tobytes()


@pytest.fixture
def file(tmp_path):
    def write(text, name="a.svm"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def random_file(path, n=3000, zero_based=False, seed=0):
    rng = np.random.default_rng(seed)
    X = sp.random(n, 500, 0.05, "csr", random_state=seed)
    X.data = np.round(rng.standard_normal(X.nnz), 12) * 10.0 ** rng.integers(-9, 9, X.nnz)
    dump_svmlight_file(X, rng.integers(-1, 2, n), str(path), zero_based=zero_based)
    return path


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("zero_based", [True, False])
def test_it_reads_what_scikit_learn_reads(tmp_path, dtype, zero_based):
    path = random_file(tmp_path / "a.svm", zero_based=zero_based)
    assert path.stat().st_size > 1 << 20  # several blocks
    theirs = load_svmlight_file(str(path), dtype=np.dtype(dtype))
    same(read(path, dtype=dtype), theirs)
    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(path.read_bytes(), 1))
    same(read(str(packed), dtype=dtype), theirs)


@pytest.mark.parametrize("setting", [True, False, "auto"])
def test_where_counting_starts(file, setting):
    path = file("1 1:2 5:3\n-1 2:1\n0\n")
    same(read(path, zero_based=setting), load_svmlight_file(str(path), zero_based=setting))


def test_a_zero_where_counting_starts_at_one(file):
    with pytest.raises(ValueError, match="a feature has the number 0"):
        read(file("1 0:2\n"), zero_based=False)


@pytest.mark.parametrize(
    "text",
    ["1 0:2 5:3\n-1 1:1\n", "1\n-1\n", "2.5 1:1e-3\n", "1 qid:3 2:1 # note\n\n# none\n-1 4:0\n"],
)
def test_odd_files(file, text):
    path = file(text)
    same(read(path), load_svmlight_file(str(path)))


@given(st.lists(st.dictionaries(st.integers(0, 40), st.floats(-1e9, 1e9), max_size=5), max_size=6))
def test_any_rows(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("any") / "a.svm"
    lines = [" ".join(["1", *(f"{j}:{row[j]!r}" for j in sorted(row))]) for row in rows]
    path.write_text("".join(line + "\n" for line in lines))
    if rows:
        same(read(path, format="svmlight"), load_svmlight_file(str(path)))


def test_the_number_of_features(file):
    path = file("1 1:2 5:3\n")
    same(read(path, n_features=9), load_svmlight_file(str(path), n_features=9))
    with pytest.raises(ValueError, match="n_features=2, but the files have 5 features"):
        read(path, n_features=2)
    with pytest.raises(ValueError, match="these have names"):
        read(file("label,a\n1,2\n", "a.csv"), n_features=3)


def test_several_files_are_one(tmp_path):
    paths = [random_file(tmp_path / f"{k}.svm", seed=k, n=200) for k in range(3)]
    X, y = read(tmp_path / "*.svm")
    whole = tmp_path / "whole"
    whole.write_bytes(b"".join(path.read_bytes() for path in paths))
    same((X, y), load_svmlight_file(str(whole)))


def test_order_and_duplicates_are_put_right(file):
    X, _ = read(file("1 5:3 2:1 5:4\n"))
    assert X.has_canonical_format
    assert X.toarray().tolist() == [[0, 1, 0, 0, 7]]


def test_other_formats(file):
    X, y = read(file("age,city,label\n41,Oslo,yes\n30,Rome,no\n", "a.csv"))
    assert X.toarray().tolist() == [[41, 1, 0], [30, 0, 1]]
    assert y.tolist() == ["yes", "no"]
    lines = [{"x": 1.5, "label": 1}, {"x": 2, "z": 1, "label": None}]
    X, y = read(file("".join(json.dumps(line) + "\n" for line in lines), "a.jsonl"))
    assert X.toarray().tolist() == [[1.5, 0], [2, 1]]
    assert y[0] == 1
    assert np.isnan(y[1])
    X, _ = read(file("ham\tsee you\n", "a.txt"), bits=10)
    assert X.shape == (1, 1024)
    assert X.nnz == 2


def test_arrays(tmp_path):
    A = np.arange(12.0).reshape(6, 2)
    np.save(tmp_path / "a.npy", A)
    np.save(tmp_path / "y.npy", np.arange(6))
    X, y = read(tmp_path / "a.npy", labels=str(tmp_path / "y.npy"))
    np.testing.assert_array_equal(X, A)
    np.testing.assert_array_equal(y, np.arange(6))
    X, y = read([tmp_path / "a.npy", tmp_path / "a.npy"])
    assert X.shape == (12, 2)
    assert np.isnan(y).all()
    (tmp_path / "b.svm").write_text("1 1:1\n")
    with pytest.raises(DataError, match="cannot be read as one"):
        read([tmp_path / "a.npy", tmp_path / "b.svm"])


def test_lines_and_files(file):
    paths = [file("# none\n1 1:1\n\n-1 2:1\n"), file("1 1:1\n", "b.svm")]
    found = gather(Reader(paths, Reading()), first="auto", lines=True)
    assert found.lines.tolist() == [2, 4, 1]
    assert [start for _, start in found.files] == [0, 2]
    assert found.first == 1


def test_features_that_were_never_seen_are_left_out(file):
    names = Numbered(3)
    names.frozen = True
    found = gather(Reader([file("1 0:9 1:1 2:2 7:3\n")], Reading(), names=names), first=1)
    assert found.X.toarray().tolist() == [[1, 2]]


def test_weights(file):
    path = file("1 0.5 | a\n-1 | b\n", "a.vw")
    assert gather(Reader([path], Reading())).weights.tolist() == [0.5, 1]
    assert gather(Reader([file("1 | a\n", "b.vw")], Reading())).weights is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "xls"}, "format='xls' must be auto or one of svmlight"),
        ({"dtype": "int8"}, "dtype='int8' must be float32 or float64"),
        ({"zero_based": "perhaps"}, "zero_based='perhaps' must be True, False or 'auto'"),
    ],
)
def test_what_makes_no_sense(file, options, message):
    with pytest.raises(ValueError, match=message):
        read(file("1 1:1\n"), **options)
    with pytest.raises(ValueError, match="there is no file to read"):
        read([])


def test_files_too_large_for_memory(tmp_path, monkeypatch):
    path = random_file(tmp_path / "a.svm")
    monkeypatch.setattr(matrix, "free_memory", lambda: 100_000)
    with pytest.raises(TooLargeError, match=r"the 1\.\d MB of files would take about .* kB of mem"):
        read(path)
    monkeypatch.setattr(matrix, "free_memory", lambda: None)
    assert read(path)[0].shape[0] == 3000


def test_free_memory(tmp_path, monkeypatch):
    assert free_memory() > 1 << 20
    monkeypatch.setattr(matrix, "_CGROUP", tmp_path)
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("2000\n")
    assert free_memory() == 3000
    (tmp_path / "memory.max").write_text("max\n")
    monkeypatch.setattr(matrix, "_MEMINFO", tmp_path / "none")
    assert free_memory() > 1 << 20


def test_growing_without_an_expectation():
    growing = GrowingArray(np.int64)
    for k in range(1000):
        growing.extend(3, 0)[:] = k
    assert growing.whole().tolist() == [k for k in range(1000) for _ in range(3)]
