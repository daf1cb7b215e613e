"""The scores of estimators in ONNX: of hyperplanes, kernels and distances."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, as_matrix, n_rows
from rosenblatt.learners.kernel_perceptron.kernel_values import CALLABLE, PRECOMPUTED
from rosenblatt.models.onnx.graph import DOUBLE, Graph, Matrix
from rosenblatt.models.onnx.votes import hypotheses_of_kernel, hypotheses_of_voted, shares


class _Planes(NamedTuple):
    """Weights of shape (n_functions, n_features), and intercepts."""

    coef: Array
    intercept: Array


def check_scores(model: Any, kind: str) -> None:
    """Raise ``ValueError`` if ONNX has no operators for the scores of a fitted estimator."""
    if not hasattr(model, "n_features_in_") or hasattr(model, "scheme_"):
        raise ValueError(f"this {kind} cannot be exported to ONNX: it must be a fitted estimator")
    if getattr(model, "predict_with", "") == "random":
        raise ValueError(
            "predict_with='random' draws a hypothesis for each row, which ONNX's operators cannot; "
            "export it after model.set_params(predict_with='average')"
        )
    if _is_dual(model) and model._state.kernel == CALLABLE:
        raise ValueError(
            "a kernel that is a Python function cannot be exported to ONNX; use one that has a name"
        )
    if not (_is_dual(model) or _votes(model) or hasattr(model, "coef_") or has_distances(model)):
        raise ValueError(f"this {kind} has no scores that ONNX's operators can compute")


def _is_dual(model: Any) -> bool:
    return hasattr(model, "dual_coef_")


def _votes(model: Any) -> bool:
    return getattr(model, "predict_with", "") == "vote"


def has_distances(model: Any) -> bool:
    """Tell whether scores are distances, which need not be linear: a tie is of the first class."""
    return getattr(model, "metric", "euclidean") in ("manhattan", "hamming")


def dtype_of(model: Any, given: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of the numbers that a model computes with, of rows of a type."""
    if _is_dual(model) or _votes(model):
        own = model._state.kept.values.dtype
    elif not has_distances(model):
        own = _planes(model).coef.dtype
    else:  # numbers are equal in the narrower type
        own = min(given, model._dtype) if model.metric == "hamming" else DOUBLE
    return own  # type: ignore[no-any-return]


def scores(graph: Graph, model: Any, rows: Matrix) -> Matrix:
    """Add what `decision_function` gives of rows of this type: a column for each function."""
    if _is_dual(model):
        return _of_kernel(graph, model, rows)
    if _votes(model):
        products = graph.product(rows.name, _dense(model._state.kept, rows).T, "mistaken_rows")
        return shares(graph, rows, products, hypotheses_of_voted(model._state))
    if has_distances(model):
        return _of_distances(graph, model, rows)
    return _linear(graph, _planes(model), rows)


def _planes(model: Any) -> _Planes:
    if getattr(model, "predict_with", "") == "last":
        return _Planes(model._state.weights, model._state.intercept)
    coef = np.atleast_2d(model.coef_)
    return _Planes(coef, np.atleast_1d(np.asarray(model.intercept_, coef.dtype)))


def _linear(graph: Graph, planes: _Planes, rows: Matrix) -> Matrix:
    rows = graph.as_type(rows, planes.coef.dtype)
    weights = graph.constant("coef", planes.coef), graph.constant("intercept", planes.intercept)
    name = graph.add("Gemm", rows.name, *weights, transB=1)
    return Matrix(name, len(planes.coef), rows.dtype)


def _dense(kept: Any, rows: Matrix) -> Array:
    matrix = as_matrix(kept, rows.width)
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, rows.dtype)


# --- kernels ------------------------------------------------------------------------------------


def _of_kernel(graph: Graph, model: Any, rows: Matrix) -> Matrix:
    state, how = model._state, model.predict_with
    dual = (model.dual_coef_ if how == "last" else model.mean_dual_coef_).astype(DOUBLE)
    if not n_rows(state.kept):
        return graph.constant_columns(rows, np.zeros(len(dual)))
    if state.kernel == "linear" and how != "vote":
        # Sums of products with rows are products with sums of rows.
        planes = _Planes(np.asarray(dual @ model.support_vectors_), state.bias * dual.sum(axis=1))
        return _linear(graph, planes, rows)
    values = _kernel_values(graph, state, rows)
    if how == "vote":
        return shares(graph, rows, values, hypotheses_of_kernel(state))
    name = graph.product(graph.cast(values, DOUBLE), dual.T, "dual_coef")
    return Matrix(name, len(dual), DOUBLE)


def _kernel_values(graph: Graph, state: Any, rows: Matrix) -> str:
    """Add the kernel values of rows with each of the rows kept."""
    number = rows.dtype.type
    minus_gamma = number(-state.gamma)
    if state.kernel == PRECOMPUTED:
        out = graph.chosen(rows, state.origin).name
    elif state.kernel == "laplacian":
        far = graph.add("Abs", _differences(graph, rows, _dense(state.kept, rows)))
        out = _exponential(graph, graph.sum_of_last(far), minus_gamma)
    else:
        kept = _dense(state.kept, rows)
        out = graph.product(rows.name, kept.T, "support_vectors")
        if state.kernel == "poly":
            out = graph.add("Mul", out, graph.constant("gamma", number(state.gamma)))
            out = graph.add("Add", out, graph.constant("coef0", number(state.coef0)))
            out = _power(graph, out, state.degree)
        elif state.kernel == "rbf":
            out = _exponential(graph, _squares(graph, rows, kept, out), minus_gamma)
    return graph.add("Add", out, graph.constant("bias", number(state.bias))) if state.bias else out


def _power(graph: Graph, base: str, degree: int) -> str:
    """Raise to a power by squaring and multiplying: rounded as here, which decides ties."""
    out = base
    for bit in bin(degree)[3:]:
        out = graph.add("Mul", out, out)
        if bit == "1":
            out = graph.add("Mul", out, base)
    return out


def _squares(graph: Graph, rows: Matrix, kept: Array, products: str) -> str:
    """Add the squared distances from the rows kept, of the products with them."""
    lengths = graph.constant("squared_lengths", np.einsum("ij,ij->i", kept, kept))
    own = graph.add("ReduceSumSquare", rows.name, axes=[1], keepdims=1)
    twice = graph.add("Mul", products, graph.constant("minus_two", rows.dtype.type(-2)))
    out = graph.add("Add", graph.add("Add", twice, lengths), own)
    return graph.add("Max", out, graph.constant("zero", rows.dtype.type(0)))


def _exponential(graph: Graph, distances: str, factor: Any) -> str:
    return graph.add("Exp", graph.add("Mul", distances, graph.constant("minus_gamma", factor)))


# --- distances ----------------------------------------------------------------------------------


def _differences(graph: Graph, rows: Matrix, points: Array) -> str:
    """Add the differences from points, feature by feature: of all points at once."""
    alone = graph.add("Unsqueeze", rows.name, graph.constant("middle", np.array([1])))
    return graph.add("Sub", alone, graph.constant("points", points))


def _of_distances(graph: Graph, model: Any, rows: Matrix) -> Matrix:
    hamming, count = model.metric == "hamming", len(model.classes_)
    apart = _differences(graph, rows, model.centroids_.astype(rows.dtype))
    apart = graph.add("Abs", graph.add("Sign", apart) if hamming else apart)
    far = graph.sum_of_last(graph.cast(apart, DOUBLE))
    if hamming:
        far = graph.add("Div", far, graph.constant("n_features", DOUBLE.type(rows.width)))
    ruled_out = model._state.weight == 0
    if ruled_out.any():
        far = graph.add("Add", far, graph.constant("never", np.where(ruled_out, np.inf, 0)))
    if count == 1:
        return graph.constant_columns(rows, np.zeros(1))
    if count == 2:
        return Matrix(graph.product(far, np.array([[1.0], [-1.0]]), "first_less_second"), 1, DOUBLE)
    return Matrix(graph.add("Neg", far), count, DOUBLE)
