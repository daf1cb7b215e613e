"""Files with random damage: a reader gives whole blocks, or says what is wrong; nothing else."""

import os
from contextlib import suppress
from pathlib import Path

import numpy as np

from rosenblatt.readers.blocks import Block, DataError, ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Kept
from tests.readers.back import read_back, stream_of

CORPUS = Path(__file__).with_name("corpus")
FUZZ = int(os.environ.get("ROSENBLATT_FUZZ", "8000"))


def corpus_lines(pattern):
    """Return the lines of the files in the corpus."""
    files = sorted(CORPUS.glob(pattern))
    return [line for file in files for line in file.read_bytes().split(b"\n")]


def mutated(line, parts, chance):
    """Change a line in a few random ways."""
    line = bytearray(line)
    for _ in range(chance.randint(0, 4)):
        at = chance.randrange(len(line) + 1)
        kind = chance.randrange(6)
        if kind == 0:
            line[at : at + chance.randint(0, 5)] = b""
        elif kind == 1:
            line[at:at] = bytes([chance.randrange(256)])
        elif kind == 2:
            line[at:at] = chance.choice(parts)
        elif kind == 3 and line:
            line[at % len(line)] ^= 1 << chance.randrange(8)
        elif kind == 4:
            line[at:at] = line[at : at + chance.randint(1, 20)] * chance.randint(1, 3)
        else:
            line = line[at:] + line[:at]
    return bytes(line)


def fuzz(module, content, **options):
    """Read anything: blocks that are whole, or a DataError; the same with and without pyarrow."""
    for skip in (False, True):
        with suppress(DataError):
            read_back(module, content, skip=skip, **options)
        names, problems = Kept(), ErrorLog(skip)
        blocks = module.blocks(stream_of(content), "here", Reading(**options), names, problems)
        with suppress(DataError):
            for block in blocks:
                check(block, names.n_features)
        assert all(message.startswith("here") for message in problems.messages)
        assert not any("\n" in message for message in problems.messages)


def check(block, n_features):
    assert isinstance(block, Block)
    indptr, indices, values = block.rows
    n = len(block.lines)
    assert len(indptr) == n + 1
    assert indptr[0] == 0
    assert indptr[-1] == len(indices) == len(values)
    assert (np.diff(indptr) >= 0).all()
    assert ((indices >= 0) & (indices < n_features)).all()
    assert np.isfinite(values).all()
    assert (np.diff(block.lines) > 0).all()
    assert block.labels is None or len(block.labels) == n
    assert block.weights is None or (len(block.weights) == n and (block.weights >= 0).all())
