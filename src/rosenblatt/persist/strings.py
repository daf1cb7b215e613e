"""Texts as arrays: their UTF-8 bytes in a row, and where each ends."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.persist.errors import ModelFileError

# A name read from a file system may hold half of a character; it must come back as it was.
_HALVES = "surrogatepass"


def encode(texts: Iterable[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    r"""Return the bytes of all texts, and the end of each among them.

    >>> blob, ends = encode(["ham", "", "späm"])
    >>> blob.tobytes(), ends.tolist()
    (b'hamsp\xc3\xa4m', [3, 3, 8])
    """
    parts = [text.encode("utf-8", _HALVES) for text in texts]
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    return np.frombuffer(b"".join(parts), np.uint8), ends


def decode(blob: NDArray[Any], ends: NDArray[Any], what: str = "texts") -> list[str]:
    """Return the texts again, or raise ``ModelFileError`` if these arrays cannot be theirs.

    >>> decode(*encode(["ham", "", "späm"]))
    ['ham', '', 'späm']
    """
    vectors = blob.ndim == 1 == ends.ndim
    if not vectors or blob.dtype != np.uint8 or ends.dtype != np.int64:
        raise ModelFileError(f"{what} must be a vector of bytes and one of their ends")
    last = int(ends[-1]) if len(ends) else 0
    if last != len(blob) or (len(ends) and ends[0] < 0) or np.any(ends[1:] < ends[:-1]):
        raise ModelFileError(f"{what} do not end where their bytes do")
    data = blob.tobytes()
    try:
        return [data[a:b].decode("utf-8", _HALVES) for a, b in pairwise([0, *ends.tolist()])]
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{what} are not UTF-8 ({error.reason})") from None
