"""Files of examples, read in blocks: bounded memory, whatever their size.

`read` gives all of them as a matrix and labels, where memory has room.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.readers.load import read as read

__all__ = ["read"]


def __getattr__(name: str) -> Any:
    if name == "read":  # loaded when first used: who reads in blocks does not need SciPy
        from rosenblatt.readers.load import read

        return read
    raise AttributeError(f"module 'rosenblatt.readers' has no attribute {name!r}")
