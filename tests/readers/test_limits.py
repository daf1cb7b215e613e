"""Lines without end are errors at their limit, and blank ones without number are skipped."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.prediction import tagger_output
from rosenblatt.readers import chunks, csv, jsonl, lines, sources
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.matrix import read
from rosenblatt.readers.reader import Reader
from rosenblatt.tagging import conll, file_layout
from tests.conftest import every_quick, first_quick

LIMIT = 1 << 22
FAR = 1 << 26  # where a reader would notice, if it did not stop at its limit


class Endless:
    """Standard input that begins in a way, and then repeats something for very long."""

    def __init__(self, start, repeated, piece):
        self.start, self.fill, self.piece, self.given = start, repeated * piece, piece, 0

    def readinto(self, view):
        data = (self.start or self.fill)[: min(self.piece, len(view))]
        self.start = self.start[len(data) :]
        view[: len(data)] = data
        self.given += len(data)
        return len(data) if self.given < FAR else 0

    def read(self, n):
        room = bytearray(n)
        return bytes(room[: self.readinto(memoryview(room))])


@pytest.fixture(autouse=True)
def low_limits(monkeypatch):
    for module in (chunks, lines, csv):
        monkeypatch.setattr(module, "LONGEST", LIMIT)
    monkeypatch.setattr(csv, "_LONGEST", LIMIT)
    monkeypatch.setattr(tagger_output, "_MOST", LIMIT)


LINES = {
    "svmlight": (b"1 1:2\n1 ", b"2:3 ", 2),
    "svmlight, blank": (b"", b" ", 1),
    "vw": (b"1 | a:2\n1 |", b"ab ", 2),
    "vw, a name": (b"1 | a:2\n1 |", b"a", 2),
    "jsonl": (b'{"label": 1, "a": 2}\n{"a": [', b"1, ", 2),
    "jsonl, blank": (b"\n", b" ", 2),
    "csv": (b"a,b,y\n1,2,3\n1,", b"1,", 3),
    "csv, quoted": (b'a,b,y\n1,2,"', b"1,\n", 2),
    "csv, header": (b"\n\n", b"name,", 3),
    "csv, empty": (b"\n", b",", 2),
    "tsv": (b"a\tb\ty\n1\t2\t3\n", b"1\t", 3),
    "text": (b"ham\tsee you later\nham\t", b"you ", 2),
    "conll": (b"The DT\ncat NN\n\n", b"Yes UH ", 4),
    "conll, first": (b"", b"Yes UH ", 1),
    "plain": (b"One sentence.\n", b"a", 2),
}


@pytest.mark.parametrize("piece", first_quick([1 << 16, 1 << 20]))
@pytest.mark.parametrize("kind", every_quick(LINES, 4))
def test_a_line_without_end_is_an_error_at_its_limit(kind, piece, monkeypatch):
    start, repeated, line = LINES[kind]
    raw = Endless(start, repeated, piece)
    monkeypatch.setattr(sources, "_standard_input", lambda: raw)
    format_, _, _ = kind.partition(",")
    other = {
        "conll": lambda: conll.read("-"),
        "plain": lambda: list(tagger_output.paragraphs(sources.expand(["-"])[0])),
    }
    run = other.get(format_, lambda: read("-", format=format_))
    with pytest.raises(DataError, match=rf"^standard input:{line}:.*4 MiB"):
        run()
    assert raw.given < 2 * LIMIT


def test_a_long_line_is_searched_for_its_end_once(monkeypatch):
    raw = Endless(b"1 1:2\n1 ", b"2:3 ", 1 << 14)
    monkeypatch.setattr(sources, "_standard_input", lambda: raw)
    searched = []
    find = chunks.last_line_end
    monkeypatch.setattr(
        chunks, "last_line_end", lambda t, a, b: searched.append(b - a) or find(t, a, b)
    )
    with pytest.raises(DataError):
        read("-", format="svmlight")
    assert sum(searched) < 2 * LIMIT


SKIPPED = {
    "svmlight": (b"1 1:2\n", b"1 " + b"2:3 " * LIMIT + b"\n", b"-1 2:1\n"),
    "vw": (b"1 | a:2\n", b"1 |" + b"ab " * LIMIT + b"\n", b"-1 | b\n"),
    "jsonl": (b'{"y": 1, "a": 2}\n', b'{"a": "' + b"a" * 2 * LIMIT + b'"}\n', b'{"y": 0}\n'),
    "csv": (b"a,y\n1,2\n", b"1," * 2 * LIMIT + b"\r\n", b"2,1\n"),
    "text": (b"ham\tone\n", b"ham\t" + b"two " * LIMIT + b"\n", b"spam\tthree\n"),
}


@pytest.mark.parametrize("kind", SKIPPED)
def test_a_long_line_can_be_skipped(kind, tmp_path):
    first, long, last = SKIPPED[kind]
    path = tmp_path / "f"
    path.write_bytes(first + long + last)
    reader = Reader([path], Reading(format=kind, on_error="skip"))
    lines = np.concatenate([block.lines.copy() for block in reader]).tolist()
    assert lines == ([2, 4] if kind == "csv" else [1, 3])
    assert reader.errors.count == 1


FEW = {
    "svmlight": (b"1 1:2\n", b"-1 2:1\n"),
    "vw": (b"1 | a:2\n", b"-1 | b\n"),
    "jsonl": (b'{"label": 1, "a": 2}\n', b'{"label": 0, "b": 2}\n'),
    "csv": (b"a,b,y\n", b"1,3,4\n"),
    "tsv": (b"a\tb\ty\n", b"1\t3\t4\n"),
    "text": (b"ham\tsee you later\n", b"spam\tbuy it now\n"),
    "conll": (b"The DT\n", b"Yes UH\n"),
}
TABLES = ("csv", "tsv")  # where a blank is a cell
BLANK = [b"\n", b"\r\n", b" \n", b" \r\n"]


class Counted:
    """A function that says how often it was called, and with how much."""

    def __init__(self, monkeypatch, owner, name):
        self.function, self.calls, self.size = getattr(owner, name), 0, 0
        counted = self

        def call(*args, **options):
            counted.calls += 1
            counted.size += sum(len(a) for a in args if isinstance(a, bytes | str))
            return counted.function(*args, **options)

        monkeypatch.setattr(owner, name, call)


@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize(
    ("kind", "blank"),
    [
        pair
        for pair in itertools.product(FEW, BLANK)
        if pair[0] not in TABLES or b" " not in pair[1]
    ],
)
def test_blank_lines_are_not_looked_at_one_by_one(kind, blank, before, tmp_path, monkeypatch):
    path, n = tmp_path / f"f.{kind}", (3 << 20) // len(blank)
    first, second = FEW[kind]
    path.write_bytes(blank * n * before + first + blank * n + second)
    counted = {
        "jsonl": Counted(monkeypatch, jsonl._Rows, "add"),
        "csv": Counted(monkeypatch, csv, "_parsed"),
        "conll": Counted(monkeypatch, file_layout.LayoutOptions, "find"),
    }
    where = [before * n + 1, (before + 1) * n + 2]
    if kind == "conll":
        assert conll.read(path).lines.tolist() == where
        assert counted["conll"].size < path.stat().st_size  # not from the start each time
        return
    lines = [k for block in Reader([path], Reading(format=kind)) for k in block.lines.tolist()]
    assert lines == where[kind in TABLES :]
    assert counted["jsonl"].calls == 2 * (kind == "jsonl")
    assert counted["csv"].calls <= 2


@pytest.mark.parametrize("blank", [*BLANK, b" "])
def test_blank_lines_of_plain_text(blank, tmp_path, monkeypatch):
    path, counted = tmp_path / "f", Counted(monkeypatch, tagger_output, "split_sentences")
    path.write_bytes(b"\xef\xbb\xbf" + (b"One here.\n" + blank * (1 << 20)) * 2 + b"Two.")
    found = [
        sentence
        for some in tagger_output.paragraphs(sources.expand([path])[0])
        for sentence in some
    ]
    assert found == [["One", "here", "."], ["One", "here", "."], ["Two", "."]]
    assert counted.size < 100


def test_empty_cells_before_a_table(tmp_path):
    path = tmp_path / "f.csv"
    path.write_bytes(b",,\n" * 500_000 + b"a,b,y\n1,2,3\n")
    assert read(path)[0].toarray().tolist() == [[1, 2]]
    path.write_bytes(b'"",""\n' * 500_000 + b"a,b,y\n1,2,3\n")
    with pytest.raises(DataError, match=r"f.csv:1: there are .* bytes of empty cells here"):
        read(path)


def test_many_blank_lines_within_a_corpus_are_parts_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.tagging.conll.LONGEST", 1 << 16)
    path = tmp_path / "f"
    path.write_bytes(b"a A\n" + b"\n" * (1 << 20) + b"b B\n")
    parts = list(conll.parts(path, size=1 << 12))
    assert b"".join(part.text for part in parts) == path.read_bytes()
    assert max(len(part.text) for part in parts) < 1 << 18
    assert [n for part in parts for n in part.lines.tolist()] == [1, (1 << 20) + 2]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a,b,y\n1,2,3\n\n\n\n1,2,inf\n2,2,2\n", 6),
        (b"a,b,y\r\n1,2,3\r\n\r\n1,2,inf\r\n", 4),
        (b'\n\na,b,y\n1,"x\n\ny",3\n\n1,"z",inf\n', 8),
        (b"\ra,b,y\r1,2,3\r\r1,2,3,4\r", 5),
        (b"a,b,y\n\n1,2,3\n1,2,3,4\n5,6,7\n", 4),
    ],
)
def test_lines_of_a_table_are_counted_as_they_are(content, line, tmp_path: Path):
    path = tmp_path / "f.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=rf"f.csv:{line}: "):
        read(path, format="csv")
