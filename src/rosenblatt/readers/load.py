"""Files of examples as a matrix and labels, where memory has room for them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rosenblatt.data.rows import Array
from rosenblatt.readers.gathering import gather
from rosenblatt.readers.names import Numbered
from rosenblatt.readers.reader import Reader
from rosenblatt.readers.reading import FORMATS, Reading

_FIRST: dict[Any, int | str] = {True: 0, False: 1, "auto": "auto"}


def read(
    files: str | Path | Sequence[str | Path],
    *,
    format: str = "auto",  # noqa: A002
    dtype: str = "float64",
    zero_based: bool | str = "auto",
    n_features: int | None = None,
    bits: int | None = None,
    **options: Any,
) -> tuple[Any, Array]:
    r"""Read files of examples into memory.

    Of svmlight files it gives what :func:`sklearn.datasets.load_svmlight_file` gives, bit for bit,
    and many times as fast. Several files are read as if they were one.

    Parameters
    ----------
    files : str, path, or sequence of these
        Files, patterns such as ``"part-*.svm"``, or "-" for standard input. They may be packed with
        gzip or zstd.
    format : str, default="auto"
        "svmlight", "vw", "csv", "tsv", "parquet", "arrow", "jsonl", "text" or "npy"; "auto" tells
        each file's from how it begins.
    dtype : {"float64", "float32"}, default="float64"
        The type of the features.
    zero_based : bool or "auto", default="auto"
        Whether the features of svmlight files are numbered from 0 on. "auto" says no if none has
        the number 0.
    n_features : int, optional
        How many columns X has, for numbered features; by default as many as are needed.
    bits : int, optional
        Hash the names of features to 2^bits columns.
    **options
        How to read other formats: ``label``, ``text``, ``ngrams``, ``weight``, ``drop``,
        ``labels`` and ``on_error``, as :class:`rosenblatt.readers.reading.Reading` has them.

    Returns
    -------
    X : CSR matrix of shape (n_samples, n_features)
        The rows; an array if the files are (``.npy``).
    y : array of shape (n_samples,)
        The labels: float64 numbers, NaN where a row has none; or an object array of strings, None
        where a row has none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rosenblatt.readers.load import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "two.svm")
    ...     _ = file.write_text("+1 1:0.5 3:2\n-1 2:1\n")
    ...     X, y = read(file)
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    if format not in ("auto", *FORMATS):
        raise ValueError(f"format={format!r} must be auto or one of {', '.join(FORMATS)}")
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype={dtype!r} must be float32 or float64")
    if zero_based not in (True, False, "auto"):
        raise ValueError(f"zero_based={zero_based!r} must be True, False or 'auto'")
    listed = [files] if isinstance(files, str | Path) else list(files)
    if not listed:
        raise ValueError("there is no file to read; name one")
    reader = Reader(listed, Reading(format=format, dtype=dtype, **options), bits=bits)
    if n_features is not None and not isinstance(reader.names, Numbered):
        reader.close()
        raise ValueError(
            "n_features is for features with numbers, and these have names: how many there are is "
            "known when all are read (bits=18 hashes them to 2^18 columns)"
        )
    examples = gather(reader, first=_FIRST[zero_based], n_features=n_features)
    return examples.X, examples.y
