"""Vowpal Wabbit's text: ``label weight 'tag|namespace name:value name … |…``."""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.data.arrays import read_only
from rosenblatt.data.rows import Array, Sparse, all_finite, frozen
from rosenblatt.kernels.text.hashing import hash_names
from rosenblatt.kernels.text.parsing import Found, Spaces, Spans
from rosenblatt.kernels.text.vw_grams import Grown, add_grams, count_grams
from rosenblatt.kernels.text.vw_lines import parse_vw
from rosenblatt.readers import chunks
from rosenblatt.readers.blocks import Block, DataError, ErrorLog
from rosenblatt.readers.chunks import Chunk, Parsed
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.formats import NUMBER
from rosenblatt.readers.names import Hashed, Kept, Names, joined, split
from rosenblatt.readers.namespaces import Namespaces
from rosenblatt.readers.products import SAMPLE, Products, TooManyProductsError, products_of
from rosenblatt.readers.sources import Stream

_SPACE = re.compile(rb"\|([^\s|:]*)")


class VwParsed(NamedTuple):
    """What a chunk became, with the labels that are names, the tags, and the namespaces seen."""

    parsed: Parsed
    features: Grown
    labels: Array
    tags: list[str] | None
    seen: Array


def blocks(
    stream: Stream, file: str, reading: Reading, names: Names, errors: ErrorLog
) -> Iterator[Block]:
    """Yield the rows of a text, each block valid until the next."""
    mask = names.mask if isinstance(names, Hashed) else 0
    products, skip, grams = products_of(reading, names), errors.skip, reading.ngrams > 1
    keep = products is not None or not isinstance(names, Hashed)
    if products is not None and grams and isinstance(names, Hashed):
        problem = "--ngrams and --interactions together need names: train without --bits"
        raise DataError(file, None, None, problem)
    chosen = Namespaces(reading, file)
    wanted, no_label = joined(chosen.names), _NoLabel(file)

    def work(chunk: Chunk) -> VwParsed:
        buffer, found = chunk.buffer, chunk.buffer.found()
        spaces = Spaces(*wanted, chosen.keep, np.zeros(len(chosen.names), np.uint8))

        def kernel() -> bool:
            while True:
                spans = buffer.spans(keep, grams)
                done = parse_vw(
                    buffer.text, chunk.stop, mask, keep, skip, found, spans, spaces, buffer.marks
                )
                if done or found.counts[3]:
                    return bool(done)
                used = int(spans.ends[found.counts[1] - 1]) if found.counts[1] else 0
                buffer.more_letters(used)

        parsed = chunks.parse(chunk, found, skip, kernel)
        spans, text = buffer.spans(keep, grams), buffer.text
        features = _grown(found, spans, reading.ngrams, mask) if grams else _as_read(found, spans)
        labels, tags = _labels(found, spans.places, text), _tags(found, spans.places, text)
        return VwParsed(parsed, features, labels, tags, spaces.seen)

    lines = 0
    for (parsed, features, labels, tags, seen), chunk in chunks.in_order(
        stream, reading.dtype, work
    ):
        lines += chunks.report_errors(parsed, chunk, file, lines, errors)
        found, n = parsed.found, int(parsed.found.counts[0])
        if chosen.unseen:
            known = zip(chosen.names, seen.tolist(), strict=True)
            chosen.look_at([name for name, yes in known if yes], _spaces_in(chunk), n)
        no_label.look_at(labels, tags)
        numbers = found.lines[:n] + (lines + 1)
        try:
            rows = _named(features, names, products)
        except ValueError as error:  # the model's features are numbers, or there are too many
            raise DataError(file, None, None, str(error)) from None
        spans = chunk.buffer.spans(keep, grams)
        weights = None if (spans.weights[:n] == 1).all() else spans.weights[:n]
        if parsed.good is not None:
            good = parsed.good
            rows, labels, numbers = chunks.copy_rows(rows, good), labels[good], numbers[good]
            weights = None if weights is None else weights[good]
            tags = None if tags is None else [tags[k] for k in good]
        if products is not None:
            rows, good = _multiplied(rows, products, file, numbers, errors)
            labels, numbers = labels[good], numbers[good]
            weights = None if weights is None else weights[good]
            tags = None if tags is None else [tags[k] for k in good.tolist()]
        lines += parsed.lines
        yield Block(rows, labels, weights, file, numbers, chunk.done, tags)
    chosen.check()
    if reading.learning:
        no_label.check()


def _as_read(found: Found, spans: Spans) -> Grown:
    """Return the features of a chunk as they were read."""
    rows, entries = int(found.counts[0]), int(found.counts[1])
    ends = spans.ends[:entries]
    return Grown(
        found.indptr[: rows + 1],
        found.indices[:entries],
        found.values[:entries],
        spans.letters[: int(ends[-1]) if len(ends) else 0],
        ends,
    )


def _grown(found: Found, spans: Spans, ngrams: int, mask: int) -> Grown:
    """Return the features of a chunk with their n-grams."""
    rows, following = int(found.counts[0]), np.empty(int(found.counts[1]), np.int64)
    entries, letters = count_grams(found, spans, ngrams, following)
    grown = Grown(
        np.empty(rows + 1, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries, found.values.dtype),
        np.empty(letters, np.uint8),
        np.empty(entries if len(spans.ends) else 0, np.int64),
    )
    add_grams(found, spans, ngrams, mask, following, grown)
    return grown


def _named(features: Grown, names: Names, products: Products | None) -> Sparse:
    """Make rows, and find the columns of names that were kept, marked for what multiplies them."""
    rows = frozen(Sparse(*features[:3]))
    if isinstance(names, Hashed) and products is None:
        return rows
    letters, ends = features.letters, features.ends
    if isinstance(names, Kept):
        columns = names.intern(letters, ends)
    elif isinstance(names, Hashed):
        columns = np.empty(len(ends), np.int64)
        hash_names(read_only(letters), ends, names.mask, columns)
    else:
        columns = names.columns(split(letters, ends))
    if products is not None:
        if not products.keys:
            first = ends[:SAMPLE]
            products.note(split(letters[: int(first[-1]) if len(first) else 0], first))
        rows = rows._replace(indices=products.marked(letters, ends, columns))
    else:
        rows = rows._replace(indices=columns.astype(np.int32))
    return chunks.without_entries(rows, columns >= 0) if (columns < 0).any() else rows


def _multiplied(
    rows: Sparse, products: Products, file: str, lines: Array, errors: ErrorLog
) -> tuple[Sparse, Array]:
    """Return rows with their products, and which of them are left; report the others."""
    try:
        rows = products.rows(rows)
    except TooManyProductsError as error:
        raise DataError(file, int(lines[error.row]), None, error.problem) from None
    errors.note_products(products)
    good = np.arange(len(lines))
    if not all_finite(rows.values):
        ends = np.searchsorted(rows.indptr, np.flatnonzero(~np.isfinite(rows.values)), "right")
        odd = np.unique(ends) - 1
        for row in odd.tolist():
            problem = f"a product of features is too large for {rows.values.dtype}; scale them"
            errors.add(DataError(file, int(lines[row]), None, problem))
        good = np.delete(good, odd)
        rows = chunks.copy_rows(rows, good)
    return frozen(rows), good


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


def _spaces_in(chunk: Chunk) -> list[str]:
    """Return the namespaces of a chunk, for an error."""
    text = bytes(chunk.buffer.text[chunk.start : chunk.stop])
    return [
        space.decode(errors="backslashreplace") for space in dict.fromkeys(_SPACE.findall(text))
    ]


class _NoLabel:
    """Notices a file in which words that were meant as labels are tags."""

    def __init__(self, file: str) -> None:
        self.file, self.tag = file, ""
        self.labelled = False

    def look_at(self, labels: Array, tags: list[str] | None) -> None:
        """Look at the labels and tags of a chunk."""
        if not self.labelled and len(labels):
            there = labels != None if labels.dtype == object else labels == labels  # noqa: E711
            self.labelled = bool(np.any(there))
            if not self.labelled and tags is not None:
                self.tag = self.tag or next(filter(None, tags))

    def check(self) -> None:
        """Raise `DataError` if there were tags, and no label."""
        if self.tag and not self.labelled:
            problem = (
                "no line has a label: a word that touches the bar is a tag, as in Vowpal Wabbit; "
                "if it is the label, put a blank before the bar; the first is"
            )
            raise DataError(self.file, None, None, problem, self.tag)
