"""Raw text: a label and a text in each line.

A line is ``label<TAB>text``. In a line without a tab the label is the first word, and fastText's
``__label__spam some text`` means the same as ``spam some text``. Lines that are empty, or have only
spaces, are skipped. What is not UTF-8 stays as it is in a text, and is an error in a label.
"""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from rosenblatt.data.rows import Array, Sparse
from rosenblatt.kernels.words import cut_lines
from rosenblatt.readers.blocks import CONVERT, SHOWN, Block, DataError, Problems
from rosenblatt.readers.names import Names
from rosenblatt.readers.reading import Reading
from rosenblatt.readers.words import word_columns_of

CHUNK = 1 << 20
LONGEST_LINE = 1 << 26
_BOM = b"\xef\xbb\xbf"
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_NO_NUMBER = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)


class Stream(Protocol):
    """What text is read from; ``consumed`` counts the bytes taken, packed as they are."""

    consumed: int

    def read(self, n: int) -> bytes: ...


class Wrong(NamedTuple):
    """What is wrong with a label, and after how many of its characters."""

    problem: str
    after: int = 0


Value = float | str | Wrong | None


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
            return Wrong(
                f"a label must be UTF-8; {CONVERT}, found", len(word[: error.start].decode())
            )
        value = float(name) if _NUMBER.fullmatch(name) else name
        if _NO_NUMBER.fullmatch(name) or (isinstance(value, float) and math.isinf(value)):
            return Wrong("a label that is a number must be finite, found")
        self.kind = self.kind or type(value)
        if type(value) is self.kind:
            return value
        if self.kind is float:
            return Wrong("the labels so far are numbers, and here is a name")
        return Wrong("the labels so far are names, and here is a number")

    def array(self, values: list[Value]) -> Array | None:
        """Return labels as an array; None if there are none."""
        if all(value is None for value in values):
            return None
        return np.array(values, np.float64 if self.kind is float else object)


def blocks(
    stream: Stream, file: str, reading: Reading, names: Names, problems: Problems
) -> Iterator[Block]:
    """Yield the rows of a text. If ``reading.label`` is empty, lines have no label, only a text."""
    labels = None if reading.label == "" else Labels()
    for chunk, first in _chunks(stream, file, problems):
        text = np.frombuffer(chunk, np.uint8)
        room = chunk.count(b"\n") + 1
        parts, lines = np.empty((room, 6), np.int64), np.empty(room, np.int64)
        rows = cut_lines(text, labels is not None, parts, lines)
        parts, lines, values = parts[:rows], lines[:rows] + first, None
        if labels is not None:
            found, wrong = _labels(chunk, labels, parts)
            if wrong.any():
                _tell(wrong, chunk, found, parts, lines, file, problems)
                found = [found[row] for row in np.flatnonzero(~wrong)]
                parts, lines = parts[~wrong], lines[~wrong]
            values = labels.array(found)
        if len(lines):
            try:
                features = _features(text, parts, reading, names)
            except ValueError as error:  # the model knows no words, or there are too many
                raise DataError(file, None, None, str(error)) from None
            yield Block(features, values, None, file, lines, stream.consumed)


def _chunks(stream: Stream, file: str, problems: Problems) -> Iterator[tuple[bytes, int]]:
    """Yield whole lines, about a megabyte at a time, and the number of the first."""
    held: list[bytes] = []
    line, size, lost = 1, 0, False  # the line being read, its bytes so far, is it too long
    while piece := stream.read(CHUNK):
        end = piece.find(b"\n")
        size += len(piece) if end < 0 else end
        if size > LONGEST_LINE and not lost:
            problem = f"a line may have {LONGEST_LINE >> 20} MiB at most, and this begins"
            beginning = b"".join([*held[:1], piece])[: 2 * SHOWN].decode(errors="backslashreplace")
            problems.add(DataError(file, line, None, problem, beginning))
            held, lost = [], True
        if end < 0:
            held += [] if lost else [piece]
            continue
        if lost:
            piece, line, lost = piece[end + 1 :], line + 1, False
        whole = b"".join([*held, piece])
        cut = whole.rfind(b"\n") + 1
        if cut:
            yield (whole[:cut].removeprefix(_BOM) if line == 1 else whole[:cut]), line
            line += whole.count(b"\n", 0, cut)
        held, size = [whole[cut:]], len(whole) - cut
    if rest := b"".join(held):
        yield (rest.removeprefix(_BOM) if line == 1 else rest), line


def _labels(chunk: bytes, labels: Labels, parts: Array) -> tuple[list[Value], Array]:
    """Read the labels of lines, each word once; say in which lines something is wrong with them."""
    spans = zip(parts[:, 1].tolist(), parts[:, 2].tolist(), strict=True)
    words = [chunk[start:stop] for start, stop in spans]
    known = {word: labels.read(word) for word in dict.fromkeys(words)}
    wrong = parts[:, 5] >= 0
    bad = {word for word, value in known.items() if isinstance(value, Wrong)}
    if bad:
        wrong |= np.array([word in bad for word in words])
    return [known[word] for word in words], wrong


def _tell(
    wrong: Array,
    chunk: bytes,
    found: list[Value],
    parts: Array,
    lines: Array,
    file: str,
    problems: Problems,
) -> None:
    """Report the lines in which something is wrong with the label."""
    for row in np.flatnonzero(wrong).tolist():
        line, start, stop, _, end, second = parts[row].tolist()
        label = found[row]
        if isinstance(label, Wrong):
            problem, column = label.problem, start - line + label.after + 1
            text = chunk[start:stop]
        else:
            problem = "a line may have one label, and here is a second"
            column = len(chunk[line:second].decode(errors="replace")) + 1
            text = chunk[second:end].split()[0]
        shown = text.decode(errors="backslashreplace")
        problems.add(DataError(file, int(lines[row]), column, problem, shown))


def _features(text: Array, parts: Array, reading: Reading, names: Names) -> Sparse:
    """Return the words of the lines' texts as rows."""
    indptr, columns = word_columns_of(text, parts[:, 3], parts[:, 4], reading.ngrams, names)
    values = np.ones(len(columns), reading.dtype)
    arrays = indptr.astype(np.int32), columns.astype(np.int32), values
    for array in arrays:
        array.flags.writeable = False
    return Sparse(*arrays)
