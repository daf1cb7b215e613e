"""What goes wrong with a model file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


class ModelFileError(ValueError):
    """A file is not a model file, or is broken; the message says what is wrong with it.

    Examples
    --------
    >>> import os
    >>> from rosenblatt import load
    >>> try:
    ...     load(os.devnull)
    ... except ModelFileError as error:
    ...     print(str(error).partition(": ")[2])
    this is not a Rosenblatt model file, or it is truncated
    """

    quotes_data = True


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the file's name before what is wrong with it."""
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(f"cannot load {os.fspath(path)}: {error}") from None
