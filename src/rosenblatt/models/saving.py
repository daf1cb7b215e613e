"""Saving models to files, and loading them."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from rosenblatt.models.encoding import Decoder, Encoder
from rosenblatt.models.stored_types import PIPELINE, STREAMS, class_of, kind_of, modules
from rosenblatt.persist import container
from rosenblatt.persist.errors import ModelFileError, naming

_EXTRA = "extra"
_NAMES = "names"  # of features, where an estimator learned from files
_READING = "reading"  # how these are read, where a tagger did
_BROKEN = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def save(model: Any, path: str | os.PathLike[str], extra: Mapping[str, Any] | None = None) -> None:
    """Save a model to a file.

    The file is a JSON header and arrays in safetensors' format; no pickle. It is written to a
    temporary file first and renamed, so that an error halfway, such as a full disk, leaves an old
    file as it was. A model that :func:`load` would refuse is not written.

    Parameters
    ----------
    model : estimator
        Any estimator of this package, fitted or not, an ``OnlineClassifier`` or
        ``OnlineRegressor``, or a pipeline such as :func:`rosenblatt.prepare`,
        ``select(...).model`` and ``compare(...).models`` give:
        scikit-learn's ``StandardScaler``, ``SimpleImputer``, ``MissingIndicator``,
        ``OneHotEncoder`` and ``ColumnTransformer``, what ``prepare`` has for texts and dates, and
        one of our estimators at the end. A parameter that is a function or a generator cannot be
        saved.
    path : str or path
        The file.
    extra : dict, optional
        Metadata to keep with the model: what JSON can hold, and arrays. :func:`load_with_extra`
        gives it back. An ``OnlineClassifier`` that was loaded, or an estimator or a tagger that
        learned from files, keeps what was there, such as how the files are read that it was trained
        on, unless something else is given.

    Raises
    ------
    TypeError
        If the model is of another kind, or holds what a file cannot.
    ValueError
        If the file could not be loaded, as a number in the model is not finite.
    OSError
        If the file cannot be written.

    Notes
    -----
    A voted or a kernel perceptron holds the training rows that it was mistaken about, and a linear
    discriminant all rows while they are fewer than the features; so do their files. The header says
    so in ``holds_training_rows``. Of a precomputed kernel only the rows' numbers are stored.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import Perceptron, load, save
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> model = Perceptron(fit_intercept=False, shuffle=False).fit(X, [-1, 1, 1, -1, -1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/deck_b.model")
    ...     again = load(f"{folder}/deck_b.model")
    >>> again.coef_.tolist(), again.mistakes_.tolist()
    ([[3.0, 1.0]], [3, 0])
    """
    kind = kind_of(model)
    if kind in STREAMS:
        # Another thread may be learning.
        model.exclusively(lambda: _write_stream(path, model, kind, extra))
    elif kind == PIPELINE:
        from rosenblatt.models.pipelines import to_pipeline_parts

        _write(path, *to_pipeline_parts(model), extra)
    else:
        from rosenblatt.models.estimator_encoding import to_parts

        known = getattr(model, "metadata", None)
        _write(path, *to_parts(model, kind), known if extra is None else extra)


def _write_stream(path: Any, model: Any, kind: str, extra: Mapping[str, Any] | None) -> None:
    header, arrays = model.to_parts()
    header = {"holds_training_rows": False, **header, "kind": kind}
    _write(path, header, arrays, model.metadata if extra is None else extra)


def _write(
    path: str | os.PathLike[str],
    header: dict[str, Any],
    arrays: dict[str, Any],
    extra: Mapping[str, Any] | None,
) -> None:
    if extra is not None:
        encoder = Encoder()
        header = {**header, _EXTRA: _encoded(encoder, dict(extra))}
        arrays = {**arrays, **encoder.arrays}
    try:
        container.write(path, header, arrays, check=_understood)
    except ModelFileError as error:
        raise ValueError(
            f"cannot save {os.fspath(path)}, as it could not be loaded: {error}. If a parameter "
            "was changed after fit, set it back or fit again"
        ) from None


def _encoded(encoder: Encoder, extra: dict[str, Any]) -> Any:
    try:
        return encoder.encode(extra, _EXTRA)
    except TypeError as error:
        raise TypeError(f"cannot save the metadata: {error}") from None


def load(path: str | os.PathLike[str]) -> Any:
    """Load a model that :func:`save` saved, by this version or an older one.

    It predicts and goes on learning to the last bit as the one that was saved. Nothing in a file is
    executed, and a file that was changed or cut is refused: an untrusted one may be wrong, but
    it can do no harm.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    estimator, pipeline, OnlineClassifier or OnlineRegressor
        Of a pipeline, the steps are scikit-learn's own objects.

    Raises
    ------
    rosenblatt.persist.container.ModelFileError
        If it is not a model file, a broken one, or one of a newer version. It is a ``ValueError``.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import LogisticRegression, load, save
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> model = LogisticRegression(max_iter=50, tol=None).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/m.model")
    ...     again = load(f"{folder}/m.model")
    >>> again.predict([[0.5], [2.5]]).tolist()
    ['no', 'yes']
    """
    return _loaded(path)[0]


def load_with_extra(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Load a model and the metadata kept with it; see :func:`load` and :func:`save`.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    model : estimator, OnlineClassifier or OnlineRegressor
    extra : dict
        Empty if nothing was kept.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rosenblatt import OnlineClassifier
    >>> with TemporaryDirectory() as folder:
    ...     save(OnlineClassifier("averaged"), f"{folder}/m.model", extra={"made": "today"})
    ...     model, extra = load_with_extra(f"{folder}/m.model")
    >>> model.t_, extra
    (0, {'made': 'today'})
    """
    model, header, decoder = _loaded(path)
    if header["kind"] in STREAMS:
        return model, model.metadata or {}
    with naming(path):
        return model, _extra(header, decoder)


def _extra(header: dict[str, Any], decoder: Decoder) -> dict[str, Any]:
    extra = decoder.decode(header.get(_EXTRA, {}))
    if not isinstance(extra, dict):
        raise ModelFileError("the metadata is not a dict")
    return extra


def _loaded(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any], Decoder]:
    header, arrays = container.read(path)
    if header.get("kind") == container.CHECKPOINT:
        name = os.fspath(path)
        raise ModelFileError(
            f"{name} is a checkpoint of unfinished training, not a model; finish it with "
            f"rosenblatt train ... --checkpoint {name} --resume"
        )
    with naming(path):
        return _understood(header, arrays)


def _understood(
    header: dict[str, Any], arrays: dict[str, Any]
) -> tuple[Any, dict[str, Any], Decoder]:
    """Make the model that a file holds, after a look at all of it."""
    decoder = Decoder(arrays)
    kind = header.get("kind")
    if not isinstance(kind, str) or kind not in {*modules(), PIPELINE}:
        raise ModelFileError(
            f"there is no kind of model {str(kind)[:50]!r} in this version. The file says that "
            f"version {header['library'][:20]} wrote it; if yours is older, upgrade"
        )
    own = {name: array for name, array in arrays.items() if not _is_extra(name)}
    if kind in STREAMS:
        model = _stream(kind, header, own)
        model.metadata = _extra(header, decoder) or None
        return model, header, decoder
    if kind == PIPELINE:
        from rosenblatt.models.pipelines import from_pipeline_parts as from_parts
    else:
        from rosenblatt.models.estimator_encoding import from_parts
    model = from_parts(header, decoder)
    if own.keys() - decoder.used:
        raise ModelFileError("there are arrays that no part of the model refers to")
    with suppress(ModelFileError):  # which `load_with_extra` raises: the model itself is whole
        extra = _extra(header, decoder)
        from_files = isinstance(extra.get(_NAMES), dict) or (
            hasattr(type(model), "metadata") and _READING in extra
        )
        if kind != PIPELINE and from_files:
            model.metadata = extra
    return model, header, decoder


def _is_extra(name: str) -> bool:
    return name.split(".")[0] == _EXTRA


def _stream(kind: str, header: dict[str, Any], arrays: dict[str, Any]) -> Any:
    own = {key: v for key, v in header.items() if key not in (*container.RESERVED, _EXTRA)}
    try:
        return class_of(kind).from_parts(own, arrays)
    except ModelFileError:
        raise
    except _BROKEN as error:
        raise ModelFileError(f"it is not a valid {kind}: {error}") from None
