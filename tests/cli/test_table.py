"""All rows of files in memory, for the commands that need them so."""

import numpy as np
import pytest

from rosenblatt.readers import matrix
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.matrix import TooLargeError
from rosenblatt.readers.named_columns import read_table


@pytest.fixture
def write(tmp_path):
    def write(text, name="a.svm"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_rows_labels_and_names(write):
    table = read_table([write("age,city,label\n41,Oslo,yes\n30,Rome,no\n", "a.csv")])
    assert table.names == ("age", "city=Oslo", "city=Rome")
    assert table.X.tolist() == [[41, 1, 0], [30, 0, 1]]  # two thirds are not zero: an array
    assert table.y.tolist() == ["yes", "no"]
    assert table.classes == ["no", "yes"]


def test_numbers_are_whole(write):
    table = read_table([write("-1 1:1 9:1\n+1 2:1\n")])
    assert table.y.dtype == np.int64
    assert table.X.shape == (2, 9)
    assert hasattr(table.X, "indptr")
    assert (table.names[0], table.names[8], table.first) == ("1", "9", 1)
    with pytest.raises(DataError, match=r"a\.svm:2: a class must be a whole number or a name"):
        read_table([write("1 1:1\n1.5 1:1\n")])


def test_numbers_as_the_file_has_them(write):
    table = read_table([write("-1 1:1\n")], first=0, dense=False)
    assert table.X.shape == (1, 2)
    assert table.names == ("0", "1")


def test_rows_without_labels_are_left_out(write):
    lines = '{"label": "a", "x": 1}\n{"x": 2}\n\n{"label": "b", "x": 3}\n'
    table = read_table([write(lines, "a.jsonl"), write('{"label": "b", "x": 4}\n', "b.jsonl")])
    assert table.unlabelled == 1
    assert table.X[:, 0].tolist() == [1, 3, 4]
    assert [table.place(row)[1] for row in range(3)] == [1, 4, 1]
    assert [table.place(row)[0][-7:] for row in range(3)] == ["a.jsonl", "a.jsonl", "b.jsonl"]
    assert table.where(2).endswith("b.jsonl:1")
    with pytest.raises(ValueError, match=r"no row of .*c\.jsonl has a label"):
        read_table([write('{"x": 2}\n', "c.jsonl")])


def test_numbers_far_apart(write):
    """Of 134 million columns, only the two that rows have: names of all would take 10 GB."""
    file = write("1 134217727:1\n2 3:1\n")
    for first in ("auto", 0):
        table = read_table([file], first=first, dense=False)
        assert table.names == ("3", "134217727")
        assert table.X.toarray().tolist() == [[0, 1], [1, 0]]
        other = read_table([write("1 0:1 3:5 4:1 134217727:7\n", "b.svm")], like=table)
        assert other.X.toarray().tolist() == [[5, 7]]
    assert read_table([write("1 134217727:0\n2\n")]).X.shape[1] == 1
    assert read_table([write("1 0:1\n2 4194302:1\n")]).X.shape == (2, 4_194_303)


def test_other_files_in_the_same_way(write):
    table = read_table([write("1 1:1 3:1\n-1 2:1\n")])
    other = read_table([write("1 1:5 7:9 0:3\n", "b.svm")], like=table)
    assert other.X.tolist() == [[5, 0, 0]]
    assert other.names == table.names
    assert not table.columns.frozen
    words = read_table([write("ham\tsee you\nspam\twin cash\n", "a.txt")])
    new = read_table([write("ham\tsee cash now\n", "b.txt")], like=words)
    names = np.array(words.names)
    assert sorted(names[new.X[0] > 0]) == ["cash", "see"]


def test_hashed_names(write):
    table = read_table([write("ham\tsee you\n", "a.txt")], bits=4)
    assert table.names[:2] == ("#0", "#1")
    assert len(table.names) == 16


def test_weights_and_skipped_lines(write):
    table = read_table([write("1 0.5 | a\n-1 | b\n", "a.vw")])
    assert table.weights.tolist() == [0.5, 1]
    table = read_table([write("1 1:1\n1 1:x\n-1 1:2\n")], Reading(on_error="skip"))
    assert table.errors.count == 1
    assert [table.place(row)[1] for row in (0, 1)] == [1, 3]


def test_files_that_are_too_large(write, monkeypatch):
    monkeypatch.setattr(matrix, "free_memory", lambda: 10)
    with pytest.raises(TooLargeError, match="would take about"):
        read_table([write("1 1:1 2:2\n")])
