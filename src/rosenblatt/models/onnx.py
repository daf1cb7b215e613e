"""Exporting linear models to ONNX, for runtimes in other languages."""

import json
import os
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._version import __version__
from rosenblatt.data.rows import Array
from rosenblatt.models.stored_types import PIPELINE, kind_of
from rosenblatt.persist.atomic import write_atomically

# Old enough that the runtimes in use read them, and new enough for all that is needed here.
_OPSET, _IR = 17, 8
_INPUTS = ("float32", "float64")
_LIMIT = (1 << 31) - (1 << 20)  # bytes of a message of protocol buffers, which an ONNX file is


def to_onnx(model: Any, path: str | os.PathLike[str], *, dtype: str = "float32") -> None:
    """Write a fitted linear model to an ONNX file.

    The file takes rows ``X`` of shape (n, n_features). A classifier's outputs are ``label``,
    ``scores`` as `decision_function` gives them, and ``probabilities`` where there is
    `predict_proba`; a regression's is ``prediction``. Scores are computed in the model's own
    precision, which is that of the rows it learned from. Ties are decided as `predict` does.

    Parameters
    ----------
    model : estimator
        Fitted, with ``coef_`` and ``intercept_``. A voted perceptron needs
        ``predict_with="average"`` or ``"last"``, as votes are not linear; so does a kernel
        perceptron, whose kernel must be the linear one.
    path : str or path
        The file. An old one is replaced as a whole or not at all.
    dtype : {"float32", "float64"}, default="float32"
        The type of the rows that the file takes. float32 is what most runtimes expect; float64
        rounds nothing, so that labels are the same for rows close to the boundary too.

    Raises
    ------
    ImportError
        If the package ``onnx`` is not there: ``pip install 'rosenblatt[onnx]'``.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.models import to_onnx
    >>> import onnxruntime
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> model = Perceptron(fit_intercept=False, shuffle=False).fit(X, [-1, 1, 1, -1, -1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_onnx(model, f"{folder}/deck_b.onnx")
    ...     session = onnxruntime.InferenceSession(f"{folder}/deck_b.onnx")
    >>> label, scores = session.run(None, {"X": np.array([[1, -1], [-1, 2]], np.float32)})
    >>> label.tolist(), scores.tolist()
    ([1, -1], [2.0, -1.0])
    """
    onnx = _import_onnx()
    kind = kind_of(model)
    if kind == PIPELINE:
        raise TypeError(
            "to_onnx exports the estimator at the end of a pipeline, pipeline[-1], and not the "
            "steps before it: its rows are what pipeline[:-1].transform makes"
        )
    if dtype not in _INPUTS:
        raise ValueError(f"dtype must be 'float32' or 'float64', got {dtype!r}")
    graph = _Graph(onnx, _planes(model, kind), dtype)
    if hasattr(model, "classes_"):
        graph.classifier(model)
    else:
        graph.regression()
    write_atomically(path, [graph.message(model, kind)])


def _import_onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            "exporting to ONNX needs the package onnx: pip install 'rosenblatt[onnx]'"
        ) from error
    return onnx


class _Planes(NamedTuple):
    """Weights of shape (n_functions, n_features), and intercepts."""

    coef: Array
    intercept: Array


def _planes(model: Any, kind: str) -> _Planes:
    """Return the linear functions that a model predicts with, or say why there are none."""
    if not hasattr(model, "n_features_in_") or hasattr(model, "scheme_"):
        raise ValueError(f"this {kind} cannot be exported to ONNX: it must be a fitted estimator")
    dual = hasattr(model, "dual_coef_")
    if dual and model._state.kernel != "linear":
        raise ValueError(
            f"the {model._state.kernel} kernel is not a linear model, so ONNX's operators cannot "
            "be that; of kernel perceptrons only those with kernel='linear' can be exported"
        )
    how = getattr(model, "predict_with", "average")
    if dual and how in ("average", "last"):
        return _sums(model, model.dual_coef_ if how == "last" else model.mean_dual_coef_)
    if how == "last":
        return _Planes(model._state.weights, model._state.intercept)
    if how != "average":
        raise ValueError(
            f"predict_with={how!r} is not a linear model, so ONNX's operators cannot be that; "
            "export it after model.set_params(predict_with='average')"
        )
    if not hasattr(model, "coef_"):
        raise ValueError(
            f"this {kind} has no hyperplanes, so it cannot be exported to ONNX; use "
            "metric='euclidean'"
        )
    coef = np.atleast_2d(model.coef_)
    return _Planes(coef, np.atleast_1d(np.asarray(model.intercept_, coef.dtype)))


def _sums(model: Any, dual: Array) -> _Planes:
    """Return what sums of products with rows come to: products with sums of rows."""
    return _Planes(np.asarray(dual @ model.support_vectors_), model._state.bias * dual.sum(axis=1))


class _Graph:
    """An ONNX graph under construction; each method adds nodes and returns what they give."""

    def __init__(self, onnx: Any, planes: _Planes, dtype: str) -> None:
        self.onnx, self.planes, self.dtype = onnx, planes, planes.coef.dtype
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.outputs: list[Any] = []
        columns = planes.coef.shape[1]
        self.input = self._info("X", np.dtype(dtype), ["n", columns])
        self.rows = "X"
        if np.dtype(dtype) != self.dtype:
            self.rows = self.add("Cast", ["X"], to=self._type(self.dtype))

    def _type(self, dtype: Any) -> int:
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def _info(self, name: str, dtype: Any, shape: list[Any]) -> Any:
        number = self.onnx.TensorProto.STRING if dtype is str else self._type(dtype)
        return self.onnx.helper.make_tensor_value_info(name, number, shape)

    def add(self, operator: str, inputs: list[str], output: str = "", **options: Any) -> str:
        """Add a node, and return the name of what it gives."""
        output = output or f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, inputs, [output], **options))
        return output

    def constant(self, name: str, values: Any) -> str:
        """Add numbers or texts, and return their name."""
        values = np.asarray(values)
        if values.dtype.kind in "UO":
            texts = [str(text).encode() for text in values.tolist()]
            kind, shape = self.onnx.TensorProto.STRING, values.shape
            tensor = self.onnx.helper.make_tensor(name, kind, shape, texts)
        else:
            tensor = self.onnx.numpy_helper.from_array(np.ascontiguousarray(values), name)
        self.constants.append(tensor)
        return name

    def give(self, name: str, dtype: Any, shape: list[Any]) -> None:
        """Make something an output."""
        self.outputs.append(self._info(name, dtype, shape))

    def scores(self, rows: str) -> str:
        """Add ``X Wᵀ + b``, a column for each function."""
        coef, intercept = self.planes
        weights = [self.constant("coef", coef), self.constant("intercept", intercept)]
        return self.add("Gemm", [rows, *weights], transB=1)

    def flat(self, column: str, output: str = "") -> str:
        """Make a vector of a column."""
        return self.add("Squeeze", [column, "one"], output)

    def regression(self) -> None:
        """Add all of a regression."""
        self.constant("one", np.array([1]))
        self.flat(self.scores(self.rows), "prediction")
        self.give("prediction", self.dtype, ["n"])

    def classifier(self, model: Any) -> None:
        """Add all of a classifier."""
        self.constant("one", np.array([1]))
        rows, n_classes = self._binarized(model), len(model.classes_)
        scores = self.scores(rows)
        labels = _labels(model.classes_)
        if n_classes > 2:
            place = self.add("ArgMax", [scores], axis=1, keepdims=0)
            self.add("Identity", [scores], "scores")
        else:
            zero = self.constant("zero", np.zeros((), self.dtype))
            above = self.add("GreaterOrEqual", [self.flat(scores, "scores"), zero])
            place = self.add("Cast", [above], to=self._type(np.int64))
        # A single class is what either side of its hyperplane gives.
        texts = self.constant("classes", labels if n_classes > 1 else np.repeat(labels, 2))
        self.add("Gather", [texts, place], "label", axis=0)
        self.give("label", str if labels.dtype.kind in "UO" else labels.dtype, ["n"])
        self.give("scores", self.dtype, ["n", n_classes] if n_classes > 2 else ["n"])
        if hasattr(model, "predict_proba"):
            self._probabilities(self._odds(scores, model), n_classes)

    def _binarized(self, model: Any) -> str:
        """Turn rows into zeros and ones, if the model is of these."""
        if getattr(model, "distribution", "") != "bernoulli":
            return self.rows
        limit = self.constant("limit", np.array(model._limit(), self.dtype))
        ones = self.add("Greater", [self.rows, limit])
        return self.add("Cast", [ones], to=self._type(self.dtype))

    def _odds(self, scores: str, model: Any) -> str:
        """Return log-odds: what scores are, but for a factor and an offset."""
        factor, offset = 1 / getattr(model, "variance_", 1.0), 0.0
        fitted = getattr(model, "calibration_", None)
        if fitted is not None:
            from rosenblatt.stream.calibration import Calibration  # few models have one

            if not isinstance(fitted, Calibration):
                raise ValueError(
                    "to_onnx does not export an isotonic calibration: use calibration='sigmoid', "
                    "or export without probabilities after model.set_params(calibration=None)"
                )
            factor, offset = fitted
        if factor != 1:
            scores = self.add("Mul", [scores, self.constant("slope", np.array(factor, self.dtype))])
        if offset:
            scores = self.add("Add", [scores, self.constant("shift", np.array(offset, self.dtype))])
        return scores

    def _probabilities(self, scores: str, n_classes: int) -> None:
        if n_classes == 2:
            first = self.add("Sigmoid", [self.add("Neg", [scores])])
            self.add("Concat", [first, self.add("Sigmoid", [scores])], "probabilities", axis=1)
        else:
            self.add("Softmax", [scores], "probabilities", axis=1)
        self.give("probabilities", self.dtype, ["n", n_classes])

    def message(self, model: Any, kind: str) -> bytes:
        """Return the file's content, checked."""
        size = self.planes.coef.nbytes
        if size > _LIMIT:
            raise ValueError(f"coef_ takes {size:,} bytes, and an ONNX file can hold {_LIMIT:,}")
        helper = self.onnx.helper
        graph = helper.make_graph(self.nodes, kind, [self.input], self.outputs, self.constants)
        made = helper.make_model(
            graph,
            producer_name="rosenblatt",
            producer_version=__version__,
            ir_version=_IR,
            opset_imports=[helper.make_opsetid("", _OPSET)],
        )
        names = getattr(model, "feature_names_in_", None)
        facts = {} if names is None else {"feature_names": json.dumps(names.tolist())}
        helper.set_model_props(made, {"kind": kind, **facts})
        self.onnx.checker.check_model(made, full_check=True)
        return bytes(made.SerializeToString())


def _labels(classes: Array) -> Array:
    """Return labels as ONNX has them: whole numbers of 64 bits, or texts."""
    if classes.dtype.kind == "O" and not all(isinstance(label, str) for label in classes):
        classes = np.array(classes.tolist())
    if classes.dtype.kind in "UO":
        return classes
    if classes.dtype.kind in "biuf":
        whole = classes.astype(np.int64)
        if np.array_equal(whole, classes):
            return whole
    raise ValueError(
        f"classes_ are of {classes.dtype}; ONNX has labels that are texts or whole numbers"
    )
