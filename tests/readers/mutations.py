"""Inputs for fuzz runs: lines of a corpus, mutated by a seeded generator."""

import os
import random
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
_BYTES = [0, 9, 10, 13, 32, 34, 35, 39, 43, 44, 45, 46, 48, 49, 57, 58, 94, 101, 123, 124, 125, 255]


def how_many(default=8_000):
    """Return the number of inputs: ROSENBLATT_FUZZ, else the default."""
    return int(os.environ.get("ROSENBLATT_FUZZ", default))


def corpus(pattern):
    """Return the lines of the corpus files that match a pattern."""
    files = sorted(CORPUS.glob(pattern))
    assert files, f"no corpus matches {pattern}"
    return [line for file in files for line in file.read_bytes().split(b"\n") if line]


def inputs(lines, count, seed=0, end=b"\n"):
    """Yield small files: one to four lines, some of them mutated."""
    rng = random.Random(seed)
    for _ in range(count):
        chosen = [mutated(rng.choice(lines), lines, rng) for _ in range(rng.randint(1, 4))]
        text = end.join(chosen)
        yield text + (end if rng.random() < 0.7 else b"")


def mutated(line, lines, rng):
    """Change a line in a few places, or leave it as it is."""
    line = bytearray(line)
    for _ in range(rng.choice([0, 0, 1, 1, 2, 5])):
        at = rng.randint(0, len(line))
        kind = rng.randrange(6)
        if kind == 0:
            line[at:at] = bytes([rng.choice(_BYTES)])
        elif kind == 1 and line:
            line[at % len(line)] = rng.choice(_BYTES) if rng.random() < 0.7 else rng.randrange(256)
        elif kind == 2:
            del line[at : at + rng.randint(1, 4)]
        elif kind == 3:
            other = rng.choice(lines)
            start = rng.randint(0, len(other))
            line[at:at] = other[start : start + rng.randint(1, 12)]
        elif kind == 4:
            line[at:at] = line[at : at + 3] * rng.randint(1, 9)
        else:
            line[at:at] = rng.choice(
                [b"1e999", b"nan", b"inf", b"1e-999", b"0." + b"3" * 25, b"9" * 30, b"\r", b"\x00"]
            )
    return bytes(line)
