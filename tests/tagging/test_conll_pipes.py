"""CoNLL text from pipes."""

import gzip
import io
import os
import threading
from types import SimpleNamespace

import pytest

from rosenblatt.readers import lines
from rosenblatt.readers.blocks import DataError
from rosenblatt.tagging import conll

from .conll_inputs import tokens


class Pipe:
    """Standard input, and what it says."""

    def __init__(self, monkeypatch):
        source, self.target = os.pipe()
        self.raw = os.fdopen(source, "rb", buffering=0)
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=self.raw))

    def write(self, text):
        os.write(self.target, text.encode())

    def close(self):
        os.close(self.target)


def test_a_pipe_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(lines, "PATIENCE", 0.05)
    pipe = Pipe(monkeypatch)
    pipe.write("a A\nb B\n\nc")
    parts = conll.parts("-")
    # Nobody writes, and nothing has ended: the sentence comes all the same.
    first = next(parts)
    assert tokens(first) == [[(1, ["a", "A"]), (2, ["b", "B"])]]
    assert first.file == "standard input"
    pipe.write(" C\n\n")
    assert tokens(next(parts)) == [[(4, ["c", "C"])]]
    pipe.write("d D\ne")
    pipe.write(" E")
    pipe.close()
    assert tokens(next(parts)) == [[(6, ["d", "D"]), (7, ["e", "E"])]]
    assert next(parts, None) is None
    pipe.raw.close()


def test_a_pipe_that_is_left(monkeypatch):
    monkeypatch.setattr(lines, "PATIENCE", 0.05)
    pipe = Pipe(monkeypatch)
    pipe.write("first A\n\n")
    parts = conll.parts("-")
    next(parts)
    parts.close()
    pipe.close()
    for thread in threading.enumerate():
        if thread.name == "reading":
            thread.join(10)
            assert not thread.is_alive()
    pipe.raw.close()


def test_errors_of_pipes(monkeypatch):
    for content, problem in {
        b"a A\n\nb\n": "^standard input:3: 1 column here, and 2 in line 1",
        gzip.compress(b"a A\n\n" * 9)[:-8]: "^standard input: the gzip archive is truncated",
    }.items():
        for read in (conll.read, lambda files: list(conll.parts(files))):
            monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
            with pytest.raises(DataError, match=problem):
                read("-")


def test_all_of_a_pipe_is_read(monkeypatch):
    content = b"a A\nb B\n\n" * 200_000
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert len(conll.read("-").corpus) == 200_000
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    parts = list(conll.parts("-"))
    assert b"".join(part.text for part in parts) == content
    assert 1 <= len(parts) <= 4
