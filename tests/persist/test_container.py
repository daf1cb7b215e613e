"""A header and arrays in a file: they come back, others can read them, and no lie is believed."""

import json
import tracemalloc
import zlib

import numpy as np
import pytest
import safetensors
import safetensors.numpy

import rosenblatt
from rosenblatt.persist import container
from rosenblatt.persist.container import read, read_header, write
from rosenblatt.persist.errors import ModelFileError
from tests.persist.files import join, split

ARRAYS = {
    "weights": np.arange(6.0).reshape(2, 3),
    "fortran": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
    "strided": np.arange(12)[::3],
    "flags": np.array([True, False, True]),
    "empty": np.zeros((0, 4)),
    "number": np.array(7, np.uint16),
    "i32": np.arange(3, dtype=np.int32),
    "i16": np.arange(3, dtype=np.int16),
    "i8": np.arange(-1, 2, dtype=np.int8),
    "u64": np.array([2**64 - 1], np.uint64),
    "u32": np.array([[1]], np.uint32),
    "u8": np.arange(5, dtype=np.uint8),
}
HEADER = {"kind": "Test", "note": "é\n", "list": [1, 2.5, None, True], "nested": {"a": {}}}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.model"
    write(path, HEADER, ARRAYS)
    return path


def test_header_and_arrays_come_back(path):
    header, arrays = read(path)
    assert header.items() >= HEADER.items()
    assert (header["format"], header["library"]) == (1, rosenblatt.__version__)
    assert read_header(path) == header
    assert arrays.keys() == ARRAYS.keys()
    for name, array in arrays.items():
        assert array.dtype == ARRAYS[name].dtype
        np.testing.assert_array_equal(array, ARRAYS[name])
        assert array.shape == ARRAYS[name].shape
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert array.flags.aligned


def test_any_safetensors_tool_reads_it(path):
    with safetensors.safe_open(path, "numpy") as file:
        assert json.loads(file.metadata()["rosenblatt"]) == read_header(path)
        assert list(file.metadata()) == ["rosenblatt"]
        assert set(file.keys()) == ARRAYS.keys()
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(file.get_tensor(name), array)
    assert safetensors.numpy.load(path.read_bytes()).keys() == ARRAYS.keys()


def test_every_array_lies_at_a_multiple_of_its_type(path):
    table, _, data = split(path)
    start = path.stat().st_size - len(data)
    for name, place in table.items():
        assert (start + place["data_offsets"][0]) % ARRAYS[name].dtype.itemsize == 0


def test_the_same_content_gives_the_same_bytes(path):
    before = path.read_bytes()
    write(path, dict(reversed(HEADER.items())), dict(reversed(ARRAYS.items())))
    assert path.read_bytes() == before


def test_a_file_may_have_no_arrays(tmp_path):
    write(tmp_path / "m", {}, {})
    header, arrays = read(tmp_path / "m")
    assert arrays == {}
    assert header["arrays"] == {}


def test_what_the_format_does_not_have_is_refused(tmp_path):
    for bad in (np.array(["a"]), np.array([1j]), np.array([None]), np.zeros(1, np.float16)):
        with pytest.raises(TypeError, match="no place in a file for array 'x'"):
            write(tmp_path / "m", {}, {"x": bad})
    with pytest.raises(TypeError, match="__metadata__"):
        write(tmp_path / "m", {}, {"__metadata__": np.zeros(1)})
    with pytest.raises(ValueError, match="JSON compliant"):
        write(tmp_path / "m", {"x": float("nan")}, {})
    assert list(tmp_path.iterdir()) == []


def test_a_header_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(container, "MAX_HEADER", 1000)
    with pytest.raises(ValueError, match="the limit is 1,000: keep long lists as arrays"):
        write(tmp_path / "m", {"x": "a" * 1000}, {})


def refused(path, why):
    for reader in (read, read_header):
        with pytest.raises(ModelFileError, match=why) as caught:
            reader(path)
        assert str(caught.value).startswith(f"cannot load {path}: ")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"short",
        b"\x80\x04\x95" + b"a pickle" * 100,
        b"PK\x03\x04" + bytes(1000),
        bytes(1000),
        (1 << 63).to_bytes(8, "little") + b"{}",
        (100).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"\xff\xfe",
    ],
)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "m.model"
    path.write_bytes(content)
    refused(path, "not a Rosenblatt model file")


def test_other_safetensors_files_are_refused(tmp_path):
    path = tmp_path / "m.safetensors"
    safetensors.numpy.save_file({"x": np.zeros(3)}, path)
    refused(path, "a safetensors file, but not a Rosenblatt model file")
    safetensors.numpy.save_file({"x": np.zeros(3)}, path, {"format": "pt"})
    refused(path, "a safetensors file, but not a Rosenblatt model file")


def test_what_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.model")


def test_a_newer_format_says_to_upgrade(path):
    table, header, data = split(path)
    join(path, table, {**header, "format": 2, "unheard": "of"}, data)
    refused(path, "written by a newer version of Rosenblatt; upgrade")


@pytest.mark.parametrize("number", [0, -1, True, "1", 1.0, None, [1]])
def test_a_format_is_a_number(path, number):
    table, header, data = split(path)
    join(path, table, {**header, "format": number}, data)
    refused(path, "which format")


def test_the_header_has_a_checksum(path):
    table, header, data = split(path)
    join(path, table, {**header, "kind": "Other"}, data, sealed=False)
    refused(path, "the header is not as it was written")
    join(path, table, {**header, "crc32": 0}, data, sealed=False)
    refused(path, "the header is not as it was written")


def test_every_array_has_a_checksum(path):
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    assert read_header(path)["kind"] == "Test"  # which reads no arrays
    with pytest.raises(ModelFileError, match="its checksum differs"):
        read(path)


def test_booleans_are_nothing_else(tmp_path):
    path = tmp_path / "m"
    write(path, {}, {"x": np.array([True, False])})
    table, header, _ = split(path)
    header["arrays"]["x"]["crc32"] = zlib.crc32(b"\x02\x00")
    join(path, table, header, b"\x02\x00")
    with pytest.raises(ModelFileError, match="neither true nor false"):
        read(path)


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("dtype", "F16", "unknown type 'F16'"),
        ("dtype", "O", "unknown type"),
        ("dtype", 8, "unknown type"),
        ("dtype", ["F64"], "unknown type"),
        ("dtype", "F32", "has a place of"),
        ("shape", [2, 4], "has a place of"),
        ("shape", [6], "not of the type and shape"),
        ("shape", [-2, -3], "invalid shape"),
        ("shape", [2.0, 3.0], "invalid shape"),
        ("shape", [True, 6], "invalid shape"),
        ("shape", "23", "invalid shape"),
        ("shape", [1] * 33, "invalid shape"),
        ("shape", [2**32, 2**32], "a shape that nothing could hold"),
        ("shape", [2**59, 2**59, 0], "a shape that nothing could hold"),
        ("shape", [10**400], "invalid shape"),
        ("data_offsets", [0, 10**400], "invalid offsets"),
        ("data_offsets", [0], "invalid offsets"),
        ("data_offsets", [-48, 0], "invalid offsets"),
        ("data_offsets", {"0": 48}, "invalid offsets"),
    ],
)
def test_a_table_that_cannot_be_is_refused(tmp_path, key, value, why):
    path = tmp_path / "m"
    write(path, HEADER, {"weights": ARRAYS["weights"]})
    table, header, data = split(path)
    table["weights"][key] = value
    if key != "data_offsets" and value != [6]:
        header["arrays"]["weights"][key] = value
    join(path, table, header, data)
    refused(path, why)


def test_overlaps_gaps_and_wrong_ends_are_refused(tmp_path):
    path = tmp_path / "m"
    write(path, {}, {"a": np.zeros(2), "b": np.ones(2)})
    table, header, data = split(path)
    good = path.read_bytes()

    def with_places(a, b):
        places = {
            "a": {**table["a"], "data_offsets": a},
            "b": {**table["b"], "data_offsets": b},
        }
        join(path, places, header, data)

    with_places([0, 16], [0, 16])
    refused(path, "overlaps another")
    with_places([0, 16], [8, 24])
    refused(path, "overlaps another")
    with_places([0, 16], [17, 33])
    refused(path, "leaves a gap")
    with_places([8, 24], [24, 40])
    refused(path, "leaves a gap")
    path.write_bytes(good + b"\x00")
    refused(path, "too long")
    path.write_bytes(good[:-1])
    refused(path, "cut short")


def test_the_header_and_the_table_must_name_the_same_arrays(tmp_path):
    path = tmp_path / "m"
    write(path, {}, {"a": np.zeros(2)})
    table, header, data = split(path)
    entry = header["arrays"]["a"]
    for wrong in ({}, {"b": entry}, {"a": entry, "b": entry}, [entry], None):
        join(path, table, {**header, "arrays": wrong}, data)
        refused(path, "names other arrays")
    for wrong in (5, {**entry, "more": 1}, {"dtype": "F64", "shape": [2]}):
        join(path, table, {**header, "arrays": {"a": wrong}}, data)
        refused(path, "must have crc32, dtype, shape")
    for wrong in (-1, 2**33, "0", None, 1.5):
        join(path, table, {**header, "arrays": {"a": {**entry, "crc32": wrong}}}, data)
        refused(path, "not a 32-bit number")
    join(path, {"a": {**table["a"], "more": 1}}, header, data)
    refused(path, "must have data_offsets, dtype, shape")
    join(path, {"a": 5}, header, data)
    refused(path, "must have data_offsets, dtype, shape")


@pytest.mark.parametrize("key", ["library", "crc32", "arrays"])
def test_no_part_of_the_header_may_be_missing(path, key):
    table, header, data = split(path)
    header.pop(key)
    join(path, table, header, data, sealed=key != "crc32")
    refused(path, "lacks what every header has")


def test_huge_promises_allocate_nothing(tmp_path):
    path = tmp_path / "m"
    write(path, {}, {"a": np.zeros(2)})
    table, header, data = split(path)
    table["a"] = {"dtype": "F64", "shape": [2**40], "data_offsets": [0, 2**43]}
    header["arrays"]["a"]["shape"] = [2**40]
    join(path, table, header, data)
    tracemalloc.start()
    try:
        refused(path, "cut short")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_reading_allocates_the_arrays_once(tmp_path):
    path = tmp_path / "m"
    write(path, {}, {"a": np.ones(1 << 20), "b": np.ones((1 << 10, 1 << 9), np.float32)})
    size = path.stat().st_size
    tracemalloc.start()
    try:
        arrays = read(path)[1]
        assert tracemalloc.get_traced_memory()[1] < size + (1 << 20)
    finally:
        tracemalloc.stop()
    assert arrays["a"].sum() == 1 << 20
