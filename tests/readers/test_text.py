"""The reader of raw text: labels and texts, line by line, whatever a file contains."""

import numpy as np
import pytest

from rosenblatt.readers import lines, text
from rosenblatt.readers.blocks import CONVERT, DataError, ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Hashed, Kept, Numbered

from . import raw_text
from .mutations import how_many
from .raw_text import Stream, rows_of


def read(raw, skip=False, names=None, **how):
    """The rows of a text as line, label and names of features; and the problems."""
    names, problems, rows = names or Kept(), ErrorLog(skip), []
    for block in text.blocks(Stream(raw), "f.txt", Reading(**how), names, problems):
        assert block.file == "f.txt"
        assert block.weights is None
        for line, label, columns in rows_of(block):
            rows.append((line, label, [names.name(column) for column in columns]))
    return rows, problems


def error(raw, **how):
    with pytest.raises(DataError) as caught:
        read(raw, **how)
    return str(caught.value)


@pytest.mark.parametrize(
    "raw", [b"", b"\n", b"\r\n\n  \n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b" "]
)
def test_nothing(raw):
    assert read(raw) == ([], ErrorLog())
    assert read(raw, label="") == ([], ErrorLog())


@pytest.mark.parametrize(
    ("raw", "rows"),
    [
        (b"spam\tfree offer\nham\thi\n", [(1, "spam", ["free", "offer"]), (2, "ham", ["hi"])]),
        (b"spam\tfree offer", [(1, "spam", ["free", "offer"])]),
        (b"\xef\xbb\xbfspam\tx\r\n\r\nham\ty\r\n", [(1, "spam", ["x"]), (3, "ham", ["y"])]),
        (b"spam free offer", [(1, "spam", ["free", "offer"])]),
        (b"  spam  free", [(1, "spam", ["free"])]),
        (b"very spam \tfree", [(1, "very spam", ["free"])]),
        (b"__label__spam free\n__label__ham\tx", [(1, "spam", ["free"]), (2, "ham", ["x"])]),
        (b"spam\ta\tb", [(1, "spam", ["a", "b"])]),
        (b"spam\t\nham\n", [(1, "spam", []), (2, "ham", [])]),
        (b"\tno label\n", [(1, None, ["no", "label"])]),
        (b"\t\n", [(1, None, [])]),
        (b"__label__ x\nspam\ty", [(1, None, ["x"]), (2, "spam", ["y"])]),
        (b"1\tx\n-1\ty\n\tz\n", [(1, 1.0, ["x"]), (2, -1.0, ["y"]), (3, None, ["z"])]),
        (b"\tz\n+.5e1\tx\n2.\ty\n", [(1, None, ["z"]), (2, 5.0, ["x"]), (3, 2.0, ["y"])]),
        (b"1_000\tx\n0x1\ty\n", [(1, "1_000", ["x"]), (2, "0x1", ["y"])]),
        ("größe\tx\n٣\ty\n".encode(), [(1, "größe", ["x"]), (2, "٣", ["y"])]),
        (b"spam\ta\0b\x1ac", [(1, "spam", ["a", "b", "c"])]),
        (b"spam\tol\xe9 \xff\xfe", [(1, "spam", ["ol\\xe9", "\\xff\\xfe"])]),
        (b"a\rb\tx\n", [(1, "a\rb", ["x"])]),
        (b"\xef\xbb\xbf\xef\xbb\xbfa\tx", [(1, "\ufeffa", ["x"])]),
    ],
)
def test_lines(raw, rows):
    assert read(raw) == (rows, ErrorLog())


def test_without_labels_the_whole_line_is_text():
    raw = b"spam\tfree\n\n\tx\n1 2\n \n\t\n"
    rows = [(1, None, ["spam", "free"]), (3, None, ["x"]), (4, None, ["9"]), (6, None, [])]
    assert read(raw, label="") == (rows, ErrorLog())


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a\tx\nb\xff\ty", 'f.txt:2:2: a label must be UTF-8; CONVERT, found: "b\\xff"'),
        ("  é".encode() + b"\xc3 y", 'f.txt:1:4: a label must be UTF-8; CONVERT, found: "é\\xc3"'),
        (b"__label__\xff x", 'f.txt:1:10: a label must be UTF-8; CONVERT, found: "\\xff"'),
        (b"a\tx\n\nnan\ty", 'f.txt:3:1: a label that is a number must be finite, found: "nan"'),
        (b"-1e999", 'f.txt:1:1: a label that is a number must be finite, found: "-1e999"'),
        (b"+Infinity\tx", 'f.txt:1:1: a label that is a number must be finite, found: "+Infinity"'),
        (
            b"1\tx\n \nspam\ty",
            'f.txt:3:1: the labels so far are numbers, and here is a name: "spam"',
        ),
        (b"spam\tx\n7\ty", 'f.txt:2:1: the labels so far are names, and here is a number: "7"'),
        (
            "__label__é  __label__b c".encode(),
            'f.txt:1:13: a line may have one label, and here is a second: "__label__b"',
        ),
    ],
)
def test_errors_say_where_and_what(raw, message):
    assert error(raw) == message.replace("CONVERT", CONVERT)


def test_lines_with_errors_can_be_skipped():
    raw = b"nan\ta\n1\tb\nspam\tc\n\xff\td\n__label__2 e\n__label__2 __label__3 f\n2\tg\n"
    names = Kept()
    rows, problems = read(raw, skip=True, names=names)
    assert rows == [(2, 1.0, ["b"]), (5, 2.0, ["e"]), (7, 2.0, ["g"])]
    assert problems.count == 4
    assert [message.split(": ")[0] for message in problems.messages] == [
        f"f.txt:{place}" for place in ("1:1", "3:1", "4:1", "6:12")
    ]
    assert names.n_features == 3  # a line that is skipped leaves no names behind


def test_blocks_have_labels_of_one_kind_and_say_how_far_they_are():
    raw = b"1\tx\n\ty\n"
    (block,) = text.blocks(Stream(raw), "f", Reading(), Hashed(4), ErrorLog())
    np.testing.assert_array_equal(block.labels, [1.0, np.nan])
    assert block.labels.dtype == np.float64
    assert block.done == len(raw)
    (block,) = text.blocks(Stream(b"a\tx\n\ty\n"), "f", Reading(), Hashed(4), ErrorLog())
    assert block.labels.tolist() == ["a", None]
    (block,) = text.blocks(Stream(b"\tx\n"), "f", Reading(), Hashed(4), ErrorLog())
    assert block.labels is None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_are_of_the_types_that_learners_know(dtype):
    (block,) = text.blocks(Stream(b"a\tx y"), "f", Reading(dtype=dtype), Hashed(4), ErrorLog())
    assert [array.dtype for array in block.rows] == [np.int32, np.int32, np.dtype(dtype)]
    assert not any(array.flags.writeable for array in block.rows)


def test_runs_of_words():
    assert read(b"a\tx y z", ngrams=3)[0][0][2] == ["x", "x y", "x y z", "y", "y z", "z"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, 64])
def test_chunks_do_not_matter(monkeypatch, size):
    whole = [read(raw, skip=True) for raw in raw_text.corpus()]
    monkeypatch.setattr(lines, "_PIECE", size)
    assert [read(raw, skip=True) for raw in raw_text.corpus()] == whole


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("chunk", [1, 10, 11, 12, 40])
def test_a_line_that_is_too_long(monkeypatch, chunk, end):
    monkeypatch.setattr(lines, "_PIECE", chunk)
    monkeypatch.setattr(lines, "LONGEST", 40)
    at_most = b"a\t" + b"x" * 38
    raw = b"\n".join([at_most, b"b\ty", at_most + b"x", b"c\t" + b" z" * 500, b"d\tx", b""])
    raw += b"e\t" + b"x" * 60 + end
    assert error(raw).startswith("f.txt:3: the line is longer than 0 MiB; it begins: ")
    rows, problems = read(raw, skip=True)
    assert [(line, label) for line, label, _ in rows] == [(1, "a"), (2, "b"), (5, "d")]
    assert problems.count == 3


def test_lines_are_64_mib_at_most():
    assert lines.LONGEST == 64 << 20
    assert lines._PIECE < lines.LONGEST  # so that a line within a chunk is not too long


def test_long_lines_come_whole(monkeypatch):
    monkeypatch.setattr(lines, "_PIECE", 100)
    words = " ".join(chr(97 + k % 26) * (1 + k // 26) for k in range(1000))
    ((line, label, found),) = read(b"spam\t" + words.encode())[0]
    assert (line, label, found) == (1, "spam", words.split())


def test_models_with_numbered_features_know_no_words():
    assert error(b"a\tx", names=Numbered()).startswith("f.txt: words are not numbers")


def test_real_messages(dataset):
    data = dataset("sms_spam")
    raw = "".join(f"{y}\t{x}\n" for x, y in zip(data.X, data.y, strict=True)).encode()
    rows, _ = read(raw, names=Kept())
    assert [label for _, label, _ in rows] == data.y.tolist()
    assert len(rows) == 5574


@pytest.mark.slow
def test_damaged_texts_become_errors_or_blocks():
    count = how_many()
    assert raw_text.run(count, 0) == count
