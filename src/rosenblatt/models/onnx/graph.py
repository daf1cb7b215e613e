"""A graph of ONNX operators under construction."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._version import __version__
from rosenblatt.data.rows import Array

# Old enough that the runtimes in use read them, and new enough for all that is needed here.
_OPSET, _IR = 17, 8
_ML, _ML_OPSET = "ai.onnx.ml", 3
_LIMIT = (1 << 31) - (1 << 20)  # bytes of a message of protocol buffers, which an ONNX file is
BOOL, INT64, TEXT = np.dtype(np.bool_), np.dtype(np.int64), np.dtype(np.str_)
DOUBLE = np.dtype(np.float64)


class Matrix(NamedTuple):
    """Numbers of a graph: the name of a tensor of shape (n, width), and their type."""

    name: str
    width: int
    dtype: np.dtype[Any]


class Graph:
    """An ONNX graph under construction; methods that add operators return the names of tensors.

    Parameters
    ----------
    onnx : module
    taken : names
        Those that tensors made on the way must not have: of inputs and outputs.
    """

    def __init__(self, onnx: Any, taken: Iterable[str]) -> None:
        self.onnx, self._taken = onnx, {*taken}
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._domains = {"": _OPSET}
        self._size = 0

    def input(self, name: str, dtype: Any, width: int, note: str = "") -> str:
        """Add an input of shape (n, width)."""
        self._inputs.append(self._info(name, dtype, ["n", width], note))
        return name

    def output(self, name: str, dtype: Any, shape: list[Any]) -> None:
        """Make a tensor an output."""
        self._outputs.append(self._info(name, dtype, shape))

    def _info(self, name: str, dtype: Any, shape: list[Any], note: str = "") -> Any:
        make = self.onnx.helper.make_tensor_value_info
        return make(name, self._type(dtype), shape, doc_string=note)

    def _type(self, dtype: Any) -> int:
        if np.dtype(dtype).kind == "U":
            return int(self.onnx.TensorProto.STRING)
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def _name(self, hint: str) -> str:
        name, number = hint, 1
        while name in self._taken:
            number += 1
            name = f"{hint}_{number}"
        self._taken.add(name)
        return name

    def add(self, operator: str, *inputs: str, output: str = "", **options: Any) -> str:
        """Add an operator, and return the name of what it gives."""
        output = output or self._name(operator.lower())
        self._nodes.append(
            self.onnx.helper.make_node(operator, list(inputs), [output], name=output, **options)
        )
        if options.get("domain") == _ML:
            self._domains[_ML] = _ML_OPSET
        return output

    def constant(self, name: str, values: Any) -> str:
        """Add numbers or texts, and return their name, which may get a number."""
        values, name = np.asarray(values), self._name(name)
        if values.dtype.kind in "UO":
            texts = [str(text).encode() for text in values.ravel().tolist()]
            kind = self.onnx.TensorProto.STRING
            tensor = self.onnx.helper.make_tensor(name, kind, values.shape, texts)
            self._size += sum(map(len, texts))
        else:
            tensor = self.onnx.numpy_helper.from_array(np.asarray(values, order="C"), name)
            self._size += values.nbytes
        if self._size > _LIMIT:
            raise ValueError(
                f"the model takes {self._size:,} bytes or more, and an ONNX file can hold "
                f"{_LIMIT:,}"
            )
        self._constants.append(tensor)
        return name

    def cast(self, tensor: str, dtype: Any) -> str:
        """Change the type of numbers."""
        return self.add("Cast", tensor, to=self._type(dtype))

    def as_type(self, rows: Matrix, dtype: np.dtype[Any]) -> Matrix:
        """Return numbers in a type, which they may have already."""
        if rows.dtype == dtype:
            return rows
        return Matrix(self.cast(rows.name, dtype), rows.width, dtype)

    def chosen(self, rows: Matrix, columns: Array) -> Matrix:
        """Return some columns."""
        if np.array_equal(columns, np.arange(rows.width)):
            return rows
        index = self.constant("columns", np.asarray(columns, np.int64))
        return Matrix(self.add("Gather", rows.name, index, axis=1), len(columns), rows.dtype)

    def codes(self, text: str, known: Mapping[str, int], other: int) -> str:
        """Look text up."""
        return self.add(
            "LabelEncoder",
            text,
            domain=_ML,
            keys_strings=list(known),
            values_int64s=list(known.values()),
            default_int64=other,
        )

    def beside(self, names: list[str]) -> str:
        """Put matrices side by side."""
        return names[0] if len(names) == 1 else self.add("Concat", *names, axis=1)

    def all_beside(self, parts: list[Matrix], dtype: np.dtype[Any]) -> Matrix:
        """Put matrices of a type side by side; some, or all, may have no columns."""
        parts = [part for part in parts if part.width]
        name = self.beside([part.name for part in parts]) if parts else ""
        return Matrix(name, sum(part.width for part in parts), dtype)

    def product(self, rows: str, table: Array, name: str) -> str:
        """Multiply rows by a matrix.

        Not by MatMul: with that onnxruntime fuses a scale before or after it, which it rounds to
        float32.
        """
        return self.add("Gemm", rows, self.constant(name, table))

    def constant_columns(self, rows: Matrix, values: Array) -> Matrix:
        """Return the same numbers for each row."""
        zeros = self.product(rows.name, np.zeros((rows.width, len(values)), rows.dtype), "zeros")
        name = self.add("Add", self.cast(zeros, DOUBLE), self.constant("constant", values))
        return Matrix(name, len(values), DOUBLE)

    def sum_of_last(self, tensor: str) -> str:
        """Sum over the last axis."""
        return self.add("ReduceSum", tensor, self.constant("last", np.array([-1])), keepdims=0)

    def flat(self, column: str, output: str = "") -> str:
        """Make a vector of a column."""
        return self.add("Reshape", column, self.constant("shape", np.array([-1])), output=output)

    def message(self, kind: str, facts: dict[str, str]) -> bytes:
        """Return the file's content, checked."""
        helper = self.onnx.helper
        graph = helper.make_graph(self._nodes, kind, self._inputs, self._outputs, self._constants)
        made = helper.make_model(
            graph,
            producer_name="rosenblatt",
            producer_version=__version__,
            ir_version=_IR,
            opset_imports=[helper.make_opsetid(*pair) for pair in self._domains.items()],
        )
        helper.set_model_props(made, {"kind": kind, **facts})
        self.onnx.checker.check_model(made, full_check=True)
        return bytes(made.SerializeToString())
