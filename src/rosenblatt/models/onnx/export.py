"""Exporting models to ONNX, for runtimes in other languages."""

import os
from typing import Any

import numpy as np

from rosenblatt.models.stored_types import kind_of
from rosenblatt.persist.atomic import write_atomically

_INPUTS = ("float32", "float64")


def to_onnx(model: Any, path: str | os.PathLike[str], *, dtype: str = "float32") -> None:
    """Write a fitted model, or a pipeline with one at the end, to an ONNX file.

    The file takes rows ``X`` of shape (n, n_features). A pipeline that takes a data frame apart,
    as :func:`rosenblatt.prepare` makes them, becomes a file with one input of shape (n, 1) for each
    column that it uses, by the column's name. A classifier's outputs are ``label``, ``scores`` as
    `decision_function` gives them, and ``probabilities`` where there is `predict_proba`; a
    regression's is ``prediction``. Scores are computed in the model's own precision, which is that
    of the rows it learned from. Ties are decided as `predict` does.

    Parameters
    ----------
    model : estimator, pipeline, OnlineClassifier or OnlineRegressor
        Fitted. The steps of a pipeline are those that :func:`save` takes, but for words of texts:
        ONNX has no operator that finds words.
    path : str or path
        The file. An old one is replaced as a whole or not at all.
    dtype : {"float32", "float64"}, default="float32"
        The type of the numbers that the file takes. float32 is what most runtimes expect; float64
        rounds nothing, so that labels are the same for rows close to the boundary too.

    Raises
    ------
    ImportError
        If the package ``onnx`` is not there: ``pip install 'rosenblatt[onnx]'``.
    TypeError, ValueError
        If the model is none that ONNX can hold: the error says why, and what to do.

    Notes
    -----
    Of a table, columns of numbers are inputs of the type ``dtype``, NaN where one is missing; truth
    values are booleans; dates are numbers, days since 1970-01-01; and categories are strings,
    also where they were numbers (``"3"``). A missing category is ``"nan"`` or ``"None"``, which
    onnxruntime makes of NaN and None, or ``""``, unless the column has a category of that name.

    Votes and kernels take the rows that were mistaken: the file holds all of them, and so it holds
    training data. For each row that is predicted the runtime keeps a number for each mistake, votes
    of K classes K numbers, and a Laplacian kernel the support rows × the features; so predict some
    thousand rows at a time, or choose ``predict_with="average"``.

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
    kind = kind_of(model, "export")
    if dtype not in _INPUTS:
        raise ValueError(f"dtype must be 'float32' or 'float64', got {dtype!r}")
    from rosenblatt.models.onnx.model_graph import content  # which loads scikit-learn

    write_atomically(path, [content(onnx, model, kind, np.dtype(dtype))])


def _import_onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            "exporting to ONNX needs the package onnx: pip install 'rosenblatt[onnx]'"
        ) from error
    return onnx
