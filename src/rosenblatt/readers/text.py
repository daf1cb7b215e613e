"""Raw text: a label and a text in each line.

A line is ``label<TAB>text``. In a line without a tab the label is the first word, and fastText's
``__label__spam some text`` means the same as ``spam some text``. Lines that are empty, or have only
spaces, are skipped. What is not UTF-8 stays as it is in a text, and is an error in a label.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.data.arrays import read_only
from rosenblatt.data.rows import Array, Sparse
from rosenblatt.kernels.text.ngrams import Naming, count_distinct, number_runs, run_buffer
from rosenblatt.kernels.text.words import Words, cut, cut_lines, word_buffer
from rosenblatt.readers.blocks import CONVERT, Block, DataError, ErrorLog
from rosenblatt.readers.column_types import IGNORED, TEXT
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.dict_rows import quoted
from rosenblatt.readers.formats import NUMBER
from rosenblatt.readers.lines import whole_lines
from rosenblatt.readers.names import Hashed, Kept, Names, joined
from rosenblatt.readers.sources import Stream

MOST_NGRAMS = 10
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)


def word_columns(
    texts: Sequence[str], ngrams: int, names: Names, prefix: str = ""
) -> tuple[Array, Array, Array]:
    """Find the columns of texts.

    Parameters
    ----------
    texts : sequence of str
        One for each row.
    ngrams : int
        Runs of up to this many words are features; their words are joined by a space.
    names : Hashed or Kept
        Which column a feature stands for. Frozen names leave out those they do not know.
    prefix : str
        Put before every name, such as ``subject=``.

    Returns
    -------
    indptr : array of int64
        Row r has the columns from ``indptr[r]`` to ``indptr[r + 1]``.
    columns : array of int64
        No column is twice in a row.
    values : array of float64
        How often each is in its row, if the names are to count words; else 1.

    Examples
    --------
    >>> names = Kept()
    >>> indptr, columns, _ = word_columns(["Free offer!", "A free, free day"], 1, names)
    >>> indptr.tolist(), [names.name(column) for column in columns]
    ([0, 3, 7], ['free', 'offer', '!', 'a', 'free', ',', 'day'])
    """
    text, ends = joined(texts)
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])[: len(ends)]
    return word_columns_of(text, starts, ends, ngrams, names, prefix)


def word_columns_of(
    text: Array, starts: Array, stops: Array, ngrams: int, names: Names, prefix: str = ""
) -> tuple[Array, Array, Array]:
    """Find the columns of texts that lie in one array of bytes; see `word_columns`."""
    if not 1 <= ngrams <= MOST_NGRAMS:
        raise ValueError(f"ngrams={ngrams} must be between 1 and {MOST_NGRAMS}")
    if not isinstance(names, Hashed | Kept):
        raise ValueError("words are not numbers: keep the names of the features, or hash them")
    words = cut_texts(text, starts, stops)
    counts = words.firsts[1:] - words.firsts[:-1]
    longest = np.minimum(counts, ngrams)
    sizes = longest * counts - longest * (longest - 1) // 2  # counts + (counts − 1) + …
    indptr = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=indptr[1:])
    columns = np.empty(indptr[-1], np.int64)
    _number(words, ngrams, names, prefix, indptr, columns)
    most = int(sizes.max(initial=0))
    counts = np.empty(len(columns))
    count_distinct(indptr, columns, counts, np.empty(1 << (2 * most).bit_length(), np.int32))
    values = counts[: indptr[-1]]
    if not names.counts_words:
        values[:] = 1
    return indptr, columns[: indptr[-1]], values


def cut_texts(text: Array, starts: Array, stops: Array) -> Words:
    """Cut texts that lie in one array of bytes into words."""
    if text.dtype != np.uint8 or text.ndim != 1 or len(starts) != len(stops):
        raise ValueError("texts must be bytes in one array, each with a start and a stop")
    starts = np.ascontiguousarray(starts, np.int64)
    stops = np.ascontiguousarray(stops, np.int64)
    if len(starts) and not (
        starts.min() >= 0 and stops.max() <= len(text) and (starts <= stops).all()
    ):
        raise ValueError("texts must lie within the array, and start before they stop")
    text = np.ascontiguousarray(text)
    words = word_buffer(len(starts), int((stops - starts).sum()))
    cut(read_only(text), read_only(starts), read_only(stops), words)
    return words


def _number(
    words: Words, ngrams: int, names: Hashed | Kept, prefix: str, indptr: Array, columns: Array
) -> None:
    """Find the columns of all runs of words, growing the dictionary where needed."""
    before = prefix.encode("utf-8", "surrogatepass")
    run = run_buffer(before, ngrams)
    naming = Naming(run, len(before), getattr(names, "mask", 0), not names.frozen)
    row, known = 0, names.n_features
    while row < len(indptr) - 1:
        dictionary = names.dictionary if isinstance(names, Kept) else None
        row = number_runs(words, ngrams, naming, dictionary, row, indptr, columns)
        if isinstance(names, Kept) and row < len(indptr) - 1:
            names.make_room(len(run))
    if isinstance(names, Kept) and names.counts_words:
        names.mark_words(known)


class BadLabel(NamedTuple):
    """What is wrong with a label, and after how many of its characters."""

    problem: str
    after: int = 0


Value = float | str | BadLabel | None


class Labels:
    """The labels of a file: numbers if the first one is a number, and else names."""

    def __init__(self) -> None:
        self.kind: type | None = None

    def read(self, word: bytes) -> Value:
        """Return what a label says; None if it is empty."""
        if not word:
            return None
        try:
            name = word.decode()
        except UnicodeDecodeError as error:
            return BadLabel(
                f"a label must be UTF-8; {CONVERT}, found", len(word[: error.start].decode())
            )
        value = float(name) if NUMBER.fullmatch(name) else name
        if _NOT_FINITE.fullmatch(name) or (isinstance(value, float) and math.isinf(value)):
            return BadLabel("a label that is a number must be finite, found")
        self.kind = self.kind or type(value)
        if type(value) is self.kind:
            return value
        if self.kind is float:
            return BadLabel("the labels so far are numbers, and here is a name")
        return BadLabel("the labels so far are names, and here is a number")

    def array(self, values: list[Value]) -> Array | None:
        """Return labels as an array; None if there are none."""
        if all(value is None for value in values):
            return None
        return np.array(values, np.float64 if self.kind is float else object)


def blocks(
    stream: Stream, file: str, reading: Reading, names: Names, errors: ErrorLog
) -> Iterator[Block]:
    """Yield the rows of a text. If ``reading.label`` is empty, lines have no label, only a text."""
    _check_columns(reading, file)
    labels = None if reading.label == "" else Labels()
    for first, chunk, _ in whole_lines(stream, file, errors):
        text = np.frombuffer(chunk, np.uint8)
        most = chunk.count(b"\n") + 1
        parts, lines = np.empty((most, 6), np.int64), np.empty(most, np.int64)
        rows = cut_lines(text, labels is not None, parts, lines)
        parts, lines, values = parts[:rows], lines[:rows] + first, None
        if labels is not None:
            found, wrong = _labels(chunk, labels, parts)
            if wrong.any():
                _report_errors(wrong, chunk, found, parts, lines, file, errors)
                found = [found[row] for row in np.flatnonzero(~wrong)]
                parts, lines = parts[~wrong], lines[~wrong]
            values = labels.array(found)
        if len(lines):
            try:
                features = _features(text, parts, reading, names)
            except ValueError as error:  # the model knows no words, or there are too many
                raise DataError(file, None, None, str(error)) from None
            yield Block(features, values, None, file, lines, stream.consumed)


def _check_columns(reading: Reading, file: str) -> None:
    """Raise `DataError` if a model learned from columns, of which none is a text."""
    columns = [one for one in reading.columns if one.kind != IGNORED and one.name != reading.label]
    if columns and not reading.others and all(one.kind != TEXT for one in columns):
        problem = (
            "this is raw text, a label and a text in each line, and the model learned from the "
            f"columns {quoted([one.name for one in columns])}: give it a table, or lines of JSON, "
            "that have them"
        )
        raise DataError(file, None, None, problem)


def _labels(chunk: bytes, labels: Labels, parts: Array) -> tuple[list[Value], Array]:
    """Read the labels of lines, each word once; say in which lines something is wrong with them."""
    spans = zip(parts[:, 1].tolist(), parts[:, 2].tolist(), strict=True)
    words = [chunk[start:stop] for start, stop in spans]
    known = {word: labels.read(word) for word in dict.fromkeys(words)}
    wrong = parts[:, 5] >= 0
    bad = {word for word, value in known.items() if isinstance(value, BadLabel)}
    if bad:
        wrong |= np.array([word in bad for word in words])
    return [known[word] for word in words], wrong


def _report_errors(
    wrong: Array,
    chunk: bytes,
    found: list[Value],
    parts: Array,
    lines: Array,
    file: str,
    errors: ErrorLog,
) -> None:
    """Report the lines in which something is wrong with the label."""
    for row in np.flatnonzero(wrong).tolist():
        line, start, stop, _, end, second = parts[row].tolist()
        label = found[row]
        if isinstance(label, BadLabel):
            problem, column = label.problem, start - line + label.after + 1
            text = chunk[start:stop]
        else:
            problem = "a line may have one label, and here is a second"
            column = len(chunk[line:second].decode(errors="replace")) + 1
            text = chunk[second:end].split()[0]
        shown = text.decode(errors="backslashreplace")
        errors.add(DataError(file, int(lines[row]), column, problem, shown))


def _features(text: Array, parts: Array, reading: Reading, names: Names) -> Sparse:
    """Return the words of the lines' texts as rows."""
    indptr, columns, values = word_columns_of(text, parts[:, 3], parts[:, 4], reading.ngrams, names)
    arrays = indptr.astype(np.int32), columns.astype(np.int32), values.astype(reading.dtype)
    for array in arrays:
        array.flags.writeable = False
    return Sparse(*arrays)
