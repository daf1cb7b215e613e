"""svmlight text: compiled = reference on anything, and every error says where."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.readers import chunks, svmlight
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.names import MOST_COLUMNS, Hashed, Kept, Numbered
from rosenblatt.reference.text import svmlight_line
from tests.conftest import first_quick

from .mutations import corpus, how_many, inputs
from .plain import examples


def by_reference(content, dtype="float64"):
    """Read a whole text line by line; return the rows, and how many lines are wrong."""
    rows, wrong = [], 0
    lines = content.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
    for number, line in enumerate(lines, 1):
        try:
            found = svmlight_line(line)
            if found is None:
                continue
            label, pairs = found
            with np.errstate(over="ignore"):
                values = [float(np.dtype(dtype).type(value)) for _, value in pairs]
            if not all(map(math.isfinite, [label, *values])):
                raise ValueError("too large")
            columns = [index for index, _ in pairs]
            if any(index >= MOST_COLUMNS for index in columns):
                raise ValueError("index too large")
            rows.append((number, label, 1.0, "", columns, values))
        except ValueError:
            wrong += 1
    return rows, wrong


@pytest.mark.parametrize("dtype", first_quick(["float32", "float64"], 1))
def test_fuzz(dtype):
    lines = corpus("*.svm")
    for text in inputs(lines, how_many() // 2, seed=len(dtype)):
        found, problems = examples(svmlight, text, Numbered(), skip=True, dtype=dtype)
        rows, wrong = by_reference(text, dtype)
        assert (found, problems.count) == (rows, wrong), text


@given(
    st.lists(
        st.tuples(
            st.floats(-1e300, 1e300),
            st.dictionaries(st.integers(0, MOST_COLUMNS - 1), st.floats(-1e300, 1e300)),
        )
    ),
    st.integers(1, 40),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([repr, "{:.3g}".format, "{:.17e}".format, "{:.6f}".format]),
)
def test_round_trip(rows, piece, end, show):
    text = "".join(
        f"{show(label)} {' '.join(f'{j}:{show(v)}' for j, v in pairs.items())}{end}"
        for label, pairs in rows
    )
    found, _ = examples(svmlight, text.encode(), Numbered(), piece=piece)
    assert [row[1] for row in found] == [float(show(label)) for label, _ in rows]
    assert [row[4] for row in found] == [list(pairs) for _, pairs in rows]
    assert [row[5] for row in found] == [[float(show(v)) for v in p.values()] for _, p in rows]


@pytest.mark.parametrize(
    ("line", "column", "text"),
    [
        (b"1 2:x", 5, 'expected a finite number as value, found: "x"'),
        (b"1 2:nan", 5, 'expected a finite number as value, found: "nan"'),
        (b"1 2:1e999", 5, "too large for its type"),
        (b"x 2:1", 1, 'expected a number as label, found: "x"'),
        (b"1,2 2:1", 1, 'expected a number as label, found: "1,2"'),
        (b"1 2", 3, 'expected index:value, found: "2"'),
        (b"1 2:3 -4:1", 7, 'expected index:value, found: "-4:1"'),
        (b"1 99999999999:1", 3, "an index may be"),
        (b"1 2:", 5, 'found: "end of line"'),
        (b"1 \x00", 3, r'found: "\x00"'),
        ("1 2:3 é:1".encode(), 7, 'found: "é:1"'),
        (b"1 2:3 \xff:1", 7, r"\xff:1"),
    ],
)
def test_errors_say_where_and_what(line, column, text):
    content = b"1 1:1\n# comment\n\n" + line + b"\n1 1:1\n"
    with pytest.raises(DataError) as error:
        examples(svmlight, content, Numbered())
    assert str(error.value).startswith(f"f:4:{column}: ")
    assert text in str(error.value)
    found, problems = examples(svmlight, content, Numbered(), skip=True)
    assert [row[0] for row in found] == [1, 5]
    assert problems.count == 1
    assert problems.messages == [str(error.value)]


def test_line_numbers_go_on_over_chunks(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK", 64)
    monkeypatch.setattr(chunks.BufferPool.__init__, "__defaults__", (64,))
    lines = [b"1 1:1"] * 300
    lines[200] = b"bad"
    with pytest.raises(DataError, match=r"^f:201:1: "):
        examples(svmlight, b"\n".join(lines), Numbered())
    lines[200] = b"1 " + b" ".join(b"%d:1" % k for k in range(1000))  # longer than a chunk
    found, _ = examples(svmlight, b"\n".join(lines), Numbered())
    assert len(found) == 300
    assert found[200][4] == list(range(1000))


def test_a_line_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(chunks, "LONGEST", 1 << 20)
    line = b"1" + b" 1:1" * (1 << 19)
    with pytest.raises(
        DataError, match=r'^f:2:1: the line is longer than .* MiB; it begins: "1 1:1'
    ):
        examples(svmlight, b"1 1:1\n" + line, Numbered())
    for end in (b"", b"\n", b"\n1 1:1\n-1 2:1"):
        found, problems = examples(svmlight, b"1 1:1\n" + line + end, Numbered(), skip=True)
        assert [row[0] for row in found] == ([1, 3, 4] if len(end) > 1 else [1])
        assert problems.count == 1


def test_empty_files_have_no_rows():
    for content in (b"", b"\n", b"\n\r\n  \n", b"\xef\xbb\xbf", b"# nothing"):
        assert examples(svmlight, content, Numbered())[0] == []


def test_byte_order_mark_and_no_line_end():
    for piece in (1, 2, 3, 4, None):
        found, _ = examples(svmlight, b"\xef\xbb\xbf1 2:3\n-1 4:5", Numbered(), piece=piece)
        assert found == [(1, 1.0, 1.0, "", [2], [3.0]), (2, -1.0, 1.0, "", [4], [5.0])]


def test_many_rough_numbers():
    value = "0.1234567890123456789"
    text = "\n".join(f"1e0000000000000000000000 {k}:{value}" for k in range(9000)).encode()
    found, _ = examples(svmlight, text, Numbered())
    assert [row[5] for row in found] == [[float(value)]] * 9000


def test_a_line_of_rough_numbers():
    numbers = [f"{k}:1.5e-30" for k in range(6000)]
    found, _ = examples(svmlight, f"1 {' '.join(numbers)}\n-1 1:1\n".encode(), Numbered())
    assert found[0][5] == [1.5e-30] * 6000


def test_columns_are_what_names_say():
    text = b"1 5:1 300:2\n-1 7:3 5:4\n"
    assert [row[4] for row in examples(svmlight, text, Hashed(8))[0]] == [[5, 44], [7, 5]]
    names = Kept()
    assert [row[4] for row in examples(svmlight, text, names)[0]] == [[0, 2], [1, 0]]
    assert names.name(2) == "300"
    names = Numbered(6)
    names.frozen = True
    found = examples(svmlight, text, names)[0]
    assert [row[4:] for row in found] == [([5], [1.0]), ([5], [4.0])]
