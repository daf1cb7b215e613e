"""Values as JSON and arrays: what comes back, and what is neither taken nor believed."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.rows import Dense, Sparse
from rosenblatt.learners import perceptron
from rosenblatt.models.encoding import Decoder, Encoder
from rosenblatt.models.stored_types import build, name_of, value_types
from rosenblatt.persist.container import NAMES
from rosenblatt.persist.errors import ModelFileError
from tests.models.zoo import same


def through(value):
    encoder = Encoder()
    text = json.dumps(encoder.encode(value, "it"), allow_nan=False)
    for array in encoder.arrays.values():
        assert array.dtype.str in NAMES
        assert array.flags.c_contiguous
    decoder = Decoder({name: array.copy() for name, array in encoder.arrays.items()})
    result = decoder.decode(json.loads(text))
    assert decoder.used == encoder.arrays.keys()
    return result


SQUARE = np.arange(6.0).reshape(2, 3)
FROZEN = np.arange(3)
FROZEN.flags.writeable = False


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -(10**30),
        0.1,
        -0.0,
        1e-320,
        float("nan"),
        float("-inf"),
        "",
        "é\x00\ud800",
        [1, [2, []]],
        (1, (2.5,), []),
        {"a": (1,), "b": {"c": None}, "is": "array", "": 0},
        np.float64(0.1),
        np.float32(0.1),
        np.float16(0.1),
        np.float32("nan"),
        np.int8(-3),
        np.uint64(2**64 - 1),
        np.bool_(True),
        np.dtype("f4"),
        SQUARE,
        np.asfortranarray(SQUARE),
        SQUARE.astype(np.float32).T,
        np.asfortranarray(np.arange(24).reshape(2, 3, 4)),
        np.zeros((0, 4)),
        np.zeros((3, 0), order="F"),
        np.array(3.5),
        np.array([True, False]),
        np.array([1, 2], np.float16),
        np.array([1, 2], ">f8"),
        np.array([1, 2], ">u2"),
        np.array(["a", "", "日本"]),
        np.array("alone"),
        np.asfortranarray([["a", "bc", "d"], ["e", "f", "\x00g"]]),
        np.array([], "U5"),
        np.array(["a", "bc"], ">U3"),
        np.array([b"a", b"\xff\x00b"]),
        np.array(["2001-01-01", "NaT"], "M8[ns]"),
        np.array([5, -7], "m8[25s]"),
        np.array(["a", "b\ud800", ""], object),
        np.array([["a", "b"]], object),
        np.array([], object),
        np.array([1, 2.5, True, "x", float("inf")], object),
        FROZEN,
        perceptron.init(3, 3, sparse=True),
        Dense(SQUARE),
        Sparse(np.array([0, 1]), np.array([2]), np.array([0.5])),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_values_come_back(value):
    same(value, through(value))


def test_an_array_in_no_order_comes_back_in_c_order():
    result = through(np.arange(24.0).reshape(2, 3, 4)[:, ::2])
    np.testing.assert_array_equal(result, np.arange(24.0).reshape(2, 3, 4)[:, ::2])
    assert result.flags.c_contiguous


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_matrices_come_back(kind, index):
    matrix = kind(np.array([[0, 1.5, 0], [2, 0, 0]], np.float32))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    result = through(matrix)
    assert type(result) is kind
    assert result.shape == matrix.shape
    for name in ("data", "indices", "indptr"):
        same(getattr(matrix, name), getattr(result, name))


def test_an_array_in_two_places_is_stored_once():
    encoder = Encoder()
    text = encoder.encode([SQUARE, {"a": SQUARE}, SQUARE.copy()], "it")
    assert len(encoder.arrays) == 2
    first, second, third = Decoder(encoder.arrays).decode(text)
    assert first is second["a"]
    assert third is not first


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=4)
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


@given(json_values)
def test_nested_values_come_back(value):
    same(value, through(value))


@pytest.mark.parametrize(
    "value",
    [
        len,
        lambda t: t,
        object(),
        {1, 2},
        {1: 2},
        b"bytes",
        1j,
        range(3),
        np.random.default_rng(0),
        np.random.RandomState(0),
        np.longdouble(1),
        np.datetime64("2001-01-01"),
        np.array([1j]),
        np.array([object()]),
        np.array([("a", 1)], "U1,i4"),
        np.ma.masked_array([1]),
        sp.csc_matrix(SQUARE),
        type("State", (perceptron.State,), {})(*perceptron.init(2)),
        perceptron.State,
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_values_are_refused_by_name(value):
    for where in (value, [value], {"x": value}):
        with pytest.raises(TypeError, match=r"^it[\w.]* is ") as caught:
            Encoder().encode(where, "it")
        assert "\n" not in str(caught.value)


STORED = {
    "x": np.arange(6.0).reshape(2, 3),
    "i": np.arange(3),
    "blob": np.frombuffer(b"abc", np.uint8),
    "ends": np.array([1, 2, 3]),
    "code": np.full((2, 3), 97, np.uint32),
    "huge": np.full((2, 3), 0x110000, np.uint32),
}


@pytest.mark.parametrize(
    "json",
    [
        {"is": "array"},
        {"is": "array", "at": "y"},
        {"is": "array", "at": 3},
        {"is": "array", "at": ["x"]},
        {"is": "array", "at": "x", "more": 1},
        {"is": "array", "at": "x", "order": "C"},
        {"is": "array", "at": "i", "order": "F"},
        {"is": "array", "at": "x", "as": "<U3"},
        {"is": "array", "at": "x", "as": "O"},
        {"is": "array", "at": "x", "as": "object"},
        {"is": "array", "at": "x", "as": "(3,)f8"},
        {"is": "array", "at": "x", "as": "<f8,<f8"},
        {"is": "array", "at": "x", "as": "<i8"},
        {"is": "array", "at": "x", "as": 8},
        {"is": "array", "at": "i", "as": "<M8[parsec]"},
        {"is": "array", "at": "code", "as": "<U4"},
        {"is": "array", "at": "code", "as": "<U0"},
        {"is": "array", "at": "code", "as": "<U999999999"},
        {"is": "array", "at": "huge", "as": "<U3"},
        {"is": "texts", "at": "blob", "ends": "ends", "shape": [4]},
        {"is": "texts", "at": "blob", "ends": "ends", "shape": [-3]},
        {"is": "texts", "at": "blob", "ends": "ends", "shape": 3},
        {"is": "texts", "at": "blob", "ends": "ends", "shape": [3] + [1] * 80},
        {"is": "texts", "at": "blob", "ends": "i", "shape": [3]},
        {"is": "texts", "at": "x", "ends": "ends", "shape": [3]},
        {"is": "objects", "items": [[1]], "shape": [1]},
        {"is": "objects", "items": [None], "shape": [1]},
        {"is": "objects", "items": {"a": 1}, "shape": [1]},
        {"is": "scalar", "dtype": "<f4", "value": "1"},
        {"is": "scalar", "dtype": "<f4", "value": 1},
        {"is": "scalar", "dtype": "|i1", "value": 300},
        {"is": "scalar", "dtype": "|u1", "value": -1},
        {"is": "scalar", "dtype": "|b1", "value": 1},
        {"is": "scalar", "dtype": "<U3", "value": "abc"},
        {"is": "scalar", "dtype": "O", "value": 1},
        {"is": "scalar", "dtype": "<f4"},
        {"is": "float", "value": 1.0},
        {"is": "float", "value": "infinity"},
        {"is": "dtype", "name": "O"},
        {"is": "dtype", "name": "V8"},
        {"is": "tuple", "items": 3},
        {"is": "tuple", "items": {"a": 1}},
        {"is": "dict", "items": [1]},
        {"is": "csr_matrix", "data": 1, "indices": 2, "indptr": 3, "shape": [1, 1]},
        {"is": "os.system", "command": "true"},
        {"is": "builtins.eval"},
        {"is": "rosenblatt.learners.perceptron.State"},
        {"is": "perceptron.State"},
        {"is": "perceptron.State", "weights": 1, "__class__": 2},
        {"is": "perceptron.init", "n_features": 10**12},
        {"is": None},
        {"is": ["array"]},
        {"is": {}},
    ],
    ids=repr,
)
def test_json_that_stands_for_nothing_is_refused(json):
    for where in (json, [json], {"x": json}, {"is": "tuple", "items": [json]}):
        with pytest.raises(ModelFileError):
            Decoder(STORED).decode(where)


def test_a_file_cannot_ask_for_many_copies_of_one_array():
    """Else a few bytes for each mention would take the memory of an array."""
    for first, second in (
        ({"is": "array", "at": "x"}, {"is": "array", "at": "x", "as": ">f8"}),
        (
            {"is": "array", "at": "x", "as": ">f8"},
            {"is": "array", "at": "x", "as": ">f8", "order": "F"},
        ),
        (
            {"is": "array", "at": "blob"},
            {"is": "texts", "at": "blob", "ends": "ends", "shape": [3]},
        ),
        (
            {"is": "texts", "at": "blob", "ends": "ends", "shape": [3]},
            {"is": "texts", "at": "none", "ends": "ends", "shape": [3]},
        ),
    ):
        stored = {**STORED, "none": STORED["blob"]}
        with pytest.raises(ModelFileError, match="described in two ways"):
            Decoder(stored).decode([first, second])
        one, two = Decoder(stored).decode([first, first])
        assert one is two


@pytest.mark.parametrize(
    ("indptr", "indices", "data", "shape"),
    [
        ([0, 1, 2], [0, 3], [1.0, 2.0], [2, 3]),
        ([0, 1, 2], [0, -1], [1.0, 2.0], [2, 3]),
        ([0, 1, 3], [0, 1], [1.0, 2.0], [2, 3]),
        ([0, 2, 1], [0, 1], [1.0, 2.0], [2, 3]),
        ([1, 1, 2], [0, 1], [1.0, 2.0], [2, 3]),
        ([0, 1, 2], [0, 1], [1.0], [2, 3]),
        ([0, 1, 2], [0, 1], [1.0, 2.0], [3, 3]),
        ([0, 1, 2], [0, 1], [1.0, 2.0], [2]),
        ([0, 1, 2], [0, 1], [1.0, 2.0], [2, 3, 1]),
        ([0, 1, 2], [0, 1], ["a", "b"], [2, 3]),
        ([], [0, 1], [1.0, 2.0], [2, 3]),
        ([0.0, 1.0, 2.0], [0, 1], [1.0, 2.0], [2, 3]),
    ],
)
def test_a_broken_sparse_matrix_is_refused(indptr, indices, data, shape):
    kind = np.float64 if 2.0 in indptr and isinstance(indptr[0], float) else np.int64
    encoder = Encoder()
    json = {
        "is": "csr_array",
        "indptr": encoder.encode(np.array(indptr, kind), "p"),
        "indices": encoder.encode(np.array(indices), "i"),
        "data": encoder.encode(np.array(data), "d"),
        "shape": shape,
    }
    with pytest.raises(ModelFileError):
        Decoder(encoder.arrays).decode(json)


def test_the_names_in_files_lead_to_their_types():
    for name in value_types():
        with pytest.raises(ModelFileError, match="must have"):
            build(name, {"no": 1})
    assert name_of(perceptron.init(2)) == "perceptron.State"
    with pytest.raises(ModelFileError, match="no kind of value"):
        build("perceptron.Stat", {})
