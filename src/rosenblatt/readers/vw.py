"""Vowpal Wabbit's text: ``label weight 'tag|namespace name:value name … |…``."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Sparse
from rosenblatt.kernels.text.parsing import Found, Spans
from rosenblatt.kernels.text.vw_lines import parse_vw
from rosenblatt.readers import chunks
from rosenblatt.readers.blocks import Block, ErrorLog
from rosenblatt.readers.chunks import Chunk, Parsed
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.formats import NUMBER
from rosenblatt.readers.names import Hashed, Kept, Names, split
from rosenblatt.readers.sources import Stream


class VwParsed(NamedTuple):
    """What a chunk became, with the labels that are names, and the tags."""

    parsed: Parsed
    labels: Array
    tags: list[str] | None


def blocks(
    stream: Stream, file: str, reading: Reading, names: Names, errors: ErrorLog
) -> Iterator[Block]:
    """Yield the rows of a text, each block valid until the next."""
    mask = names.mask if isinstance(names, Hashed) else 0
    keep, skip = not isinstance(names, Hashed), errors.skip

    def work(chunk: Chunk) -> VwParsed:
        buffer, found = chunk.buffer, chunk.buffer.found()

        def kernel() -> bool:
            while True:
                spans = buffer.spans(keep)
                done = parse_vw(
                    buffer.text, chunk.stop, mask, keep, skip, found, spans, buffer.marks
                )
                if done or found.counts[3]:
                    return bool(done)
                used = int(spans.ends[found.counts[1] - 1]) if found.counts[1] else 0
                buffer.more_letters(used)

        parsed = chunks.parse(chunk, found, skip, kernel)
        places, text = buffer.spans(keep).places, buffer.text
        return VwParsed(parsed, _labels(found, places, text), _tags(found, places, text))

    lines = 0
    for (parsed, labels, tags), chunk in chunks.in_order(stream, reading.dtype, work):
        lines += chunks.report_errors(parsed, chunk, file, lines, errors)
        found, n = parsed.found, int(parsed.found.counts[0])
        numbers = found.lines[:n] + (lines + 1)
        spans = chunk.buffer.spans(keep)
        rows = _named(chunks.rows_of(found), spans, names)
        weights = None if (spans.weights[:n] == 1).all() else spans.weights[:n]
        if parsed.good is not None:
            good = parsed.good
            rows, labels, numbers = chunks.copy_rows(rows, good), labels[good], numbers[good]
            weights = None if weights is None else weights[good]
            tags = None if tags is None else [tags[k] for k in good]
        lines += parsed.lines
        yield Block(rows, labels, weights, file, numbers, chunk.done, tags)


def _named(rows: Sparse, spans: Spans, names: Names) -> Sparse:
    """Find the columns of names that were kept."""
    if isinstance(names, Hashed):
        return rows
    n = len(rows.indices)
    letters, ends = spans.letters[: int(spans.ends[n - 1]) if n else 0], spans.ends[:n]
    if isinstance(names, Kept):
        columns = names.intern(letters, ends)
    else:
        columns = names.columns(split(letters, ends))
    rows = rows._replace(indices=columns.astype(np.int32))
    return chunks.without_entries(rows, columns >= 0) if (columns < 0).any() else rows


def _labels(found: Found, places: Array, text: Array) -> Array:
    """Return the labels; if some are names, an array of objects."""
    n = int(found.counts[0])
    labels: Array = found.labels[:n]
    if not found.counts[7]:
        return labels
    named: Array = labels.astype(object)
    for row in np.flatnonzero(np.isnan(labels)).tolist():
        named[row] = _label(chunks.letters_of(text, *places[row, :2].tolist()))
    return named


def _label(word: str) -> str | float | None:
    """Return a label that the compiled reader left: a name, a number of many digits, or nothing."""
    if not NUMBER.fullmatch(word):
        return word or None
    number = float(word)
    return number if math.isfinite(number) else word


def _tags(found: Found, places: Array, text: Array) -> list[str] | None:
    """Return the tags, if there is one."""
    where = places[: int(found.counts[0]), 2:]
    if not (where[:, 1] > where[:, 0]).any():
        return None
    return [chunks.letters_of(text, *span) for span in where.tolist()]
