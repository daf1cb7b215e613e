"""Reading bytes with the readers, for tests."""

import io

from rosenblatt.readers.blocks import ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Kept


class Bytes(io.BytesIO):
    """Bytes to read, in pieces of any size."""

    def __init__(self, content, piece=None):
        super().__init__(content)
        self.piece = piece

    @property
    def consumed(self):
        return self.tell()

    def readinto(self, buffer):
        view = memoryview(buffer)
        return super().readinto(view if self.piece is None else view[: self.piece])


def examples(module, content, names=None, *, skip=False, dtype="float64", piece=None, **options):
    """Return what a reader finds: for each row line, label, weight, tag, columns and values."""
    names, problems = Kept() if names is None else names, ErrorLog(skip)
    found = []
    reading = Reading(dtype=dtype, **options)
    for block in module.blocks(Bytes(content, piece), "f", reading, names, problems):
        indptr, indices, values = block.rows
        for i, line in enumerate(block.lines.tolist()):
            part = slice(indptr[i], indptr[i + 1])
            found.append(
                (
                    line,
                    None if block.labels is None else block.labels[i],
                    1.0 if block.weights is None else block.weights[i],
                    "" if block.tags is None else block.tags[i],
                    indices[part].tolist(),
                    values[part].tolist(),
                )
            )
    return found, problems
