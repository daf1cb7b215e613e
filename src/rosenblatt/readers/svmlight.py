"""svmlight and LIBSVM text: ``label index:value index:value … # comment``."""

from collections.abc import Iterator

import numpy as np

from rosenblatt.data.rows import Sparse
from rosenblatt.kernels.text.svmlight_lines import parse_svmlight
from rosenblatt.readers import chunks
from rosenblatt.readers.blocks import Block, ErrorLog
from rosenblatt.readers.chunks import Chunk, Parsed
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import MOST_COLUMNS, Hashed, Names, Numbered
from rosenblatt.readers.sources import Stream

_ANY = (1 << 62) - 1


def blocks(
    stream: Stream, file: str, reading: Reading, names: Names, errors: ErrorLog
) -> Iterator[Block]:
    """Yield the rows of a text, each block valid until the next."""
    most = _ANY if isinstance(names, Hashed) else MOST_COLUMNS - 1
    mask = names.mask if isinstance(names, Hashed) else -1
    skip = errors.skip

    def work(chunk: Chunk) -> Parsed:
        buffer, found = chunk.buffer, chunk.buffer.found()
        kernel = parse_svmlight, (buffer.text, chunk.stop, most, mask, skip, found, buffer.marks)
        return chunks.parse(chunk, found, skip, lambda: bool(kernel[0](*kernel[1])))

    lines = 0
    for parsed, chunk in chunks.in_order(stream, reading.dtype, work):
        lines += chunks.report_errors(parsed, chunk, file, lines, errors)
        found, n = parsed.found, int(parsed.found.counts[0])
        rows, labels = chunks.rows_of(found), found.labels[:n]
        numbers = found.lines[:n] + (lines + 1)
        if parsed.good is not None:
            rows, labels = chunks.copy_rows(rows, parsed.good), labels[parsed.good]
            numbers = numbers[parsed.good]
        rows = placed(rows, names, int(found.counts[5]))
        lines += parsed.lines
        yield Block(rows, labels, None, file, numbers, chunk.done)


def placed(rows: Sparse, names: Names, width: int) -> Sparse:
    """Move numbered features to the columns that the names say."""
    if isinstance(names, Hashed):
        return rows
    if isinstance(names, Numbered):
        names.seen(width)
        if width <= names.n_features:
            return rows
        return chunks.without_entries(
            rows, rows.indices < names.n_features
        )  # frozen: these were never learned
    used, where = np.unique(rows.indices, return_inverse=True)
    columns = names.columns([str(number) for number in used.tolist()])[where]
    rows = rows._replace(indices=columns.astype(np.int32))
    return chunks.without_entries(rows, columns >= 0) if (columns < 0).any() else rows
