"""Damaged texts for the reader of raw text, made from a corpus by seeded mutations."""

import io
import math
import random
from pathlib import Path

import numpy as np

from rosenblatt.kernels.text.hashing import hash_names
from rosenblatt.readers import text
from rosenblatt.readers.blocks import DataError, ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Hashed, Kept
from rosenblatt.reference.words import features, parts

TOKENS = [
    *(
        b"\n",
        b"\r\n",
        b"\r",
        b"\t",
        b" ",
        b"\0",
        b"'",
        b"^",
        b"9" * 20,
        b"a" * 70,
        b"\xff",
        b"\x80",
    ),
    *(
        b"\xc2",
        b"\xe2\x80",
        b"\xef\xbb\xbf",
        b"__label__",
        b"nan",
        b"1e999",
        b"-1.5",
        b"\n\n",
        b"\tx",
    ),
    *(s.encode() for s in "é’£…\xa0\u2028😀"),
]


class Stream(io.BytesIO):
    """A stream that gives as little as it likes at a time."""

    def __init__(self, raw, rng=None):
        super().__init__(raw)
        self.consumed, self.rng = 0, rng

    def readinto(self, buffer):
        n = len(buffer)
        got = super().readinto(buffer[: n if self.rng is None else self.rng.randint(1, n)])
        self.consumed += got
        return got


def corpus():
    """The files to start from."""
    return [path.read_bytes() for path in sorted(Path(__file__).parent.glob("corpus/*.txt"))]


def mutated(bases, rng):
    """Part of a file, with a few changes."""
    raw = rng.choice(bases)
    start = rng.randrange(len(raw))
    raw = bytearray(raw[start : start + rng.randint(1, 150)])
    for _ in range(rng.randint(0, 4)):
        at = rng.randrange(len(raw) + 1)
        match rng.randrange(5):
            case 0:
                raw[at:at] = rng.choice(TOKENS)
            case 1:
                raw[at : at + 1] = bytes([rng.randrange(256)])
            case 2:
                del raw[at : at + rng.randint(1, 20)]
            case 3:
                raw[at:at] = raw[max(0, at - rng.randint(1, 20)) : at]
            case 4:
                other = rng.choice(bases)
                begin = rng.randrange(len(other))
                raw[at:] = other[begin : begin + rng.randint(1, 60)]
    return bytes(raw)


def expected(raw, labelled):
    """The number, the label and the text of each line, in plain Python."""
    for k, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        whole = line.removesuffix(b"\r")
        if whole.strip(b" "):
            yield k, *(parts(whole) if labelled else (b"", whole))


def read(raw, rng):
    """Read a text, and compare what becomes of it with the reference."""
    names = rng.choice([Kept(), Hashed(rng.choice([3, 20]))])
    reading = Reading(label=rng.choice([None, None, ""]), ngrams=rng.randint(1, 3))
    problems = ErrorLog(skip=rng.random() < 0.8)
    found, caught = [], None
    try:
        for block in text.blocks(Stream(raw, rng), "f.txt", reading, names, problems):
            found += rows_of(block)
    except DataError as error:
        caught = error
    if caught is not None:
        assert not problems.skip
        assert str(caught).startswith(f"f.txt:{caught.line}:{caught.column}: ")
        return
    wanted = {k: rest for k, *rest in expected(raw, reading.label is None)}
    assert len(found) + problems.count == len(wanted)
    assert [line for line, _, _ in found] == sorted({line for line, _, _ in found})
    for line, label, columns in found:
        word, body = wanted[line]
        assert label == (None if not word else word.decode() if type(label) is str else float(word))
        assert columns == columns_of(features(body, reading.ngrams), names)


def rows_of(block):
    """The line, the label and the columns of each row."""
    rows = block.rows
    labels = [None] * len(block.lines) if block.labels is None else block.labels.tolist()
    assert len(labels) == len(block.lines) == len(rows.indptr) - 1
    assert len(rows.indices) == len(rows.values) == rows.indptr[-1]
    assert (rows.values == 1).all()
    for k, (line, label) in enumerate(zip(block.lines.tolist(), labels, strict=True)):
        columns = rows.indices[rows.indptr[k] : rows.indptr[k + 1]].tolist()
        missing = isinstance(label, float) and math.isnan(label)
        yield line, None if missing else label, columns


def columns_of(words, names):
    """The columns of names that need not be UTF-8, each once."""
    letters, ends = np.frombuffer(b"".join(words), np.uint8), np.cumsum([len(w) for w in words])
    if isinstance(names, Kept):
        found = names.intern(letters, ends.astype(np.int64))
    else:
        found = np.empty(len(words), np.int64)
        hash_names(letters, ends.astype(np.int64), names.mask, found)
    return list(dict.fromkeys(found[found >= 0].tolist()))


def run(count, seed):
    """Read so many damaged texts."""
    rng, bases = random.Random(seed), corpus()
    for _ in range(count):
        read(mutated(bases, rng), rng)
    return count
