"""JSON lines: features as `features_of` says, and errors with line and column."""

import json
import math
import os
import random
import string
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.readers import jsonl, lines
from rosenblatt.readers.blocks import DataError, ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.features import features_of
from rosenblatt.readers.names import Hashed, Kept, Numbered
from rosenblatt.readers.reader import Reader
from rosenblatt.readers.sources import expand, open_stream
from tests.readers.back import read_back, stream_of
from tests.readers.damage import CORPUS, FUZZ, corpus_lines, fuzz, mutated


def lines_of(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_rows():
    content = lines_of(
        {"age": 41, "city": "Oslo", "label": 1},
        {"label": 0, "tags": ["a", "b"], "v": [1, 2.5], "in": {"side": True}, "none": None},
        {},
    )
    read = read_back(jsonl, content)
    assert read.rows == [
        [("age", 41.0), ("city=Oslo", 1.0)],
        [("tags=a", 1.0), ("tags=b", 1.0), ("v[0]", 1.0), ("v[1]", 2.5), ("in.side", 1.0)],
        [],
    ]
    assert read.labels[:2] == [1.0, 0.0]
    assert math.isnan(read.labels[2])
    assert read.lines == [1, 2, 3]
    (block,) = read.blocks
    assert block.weights is None
    assert block.file == "here"
    assert block.done == len(content)
    assert block.labels.dtype == np.float64
    assert [part.dtype for part in block.rows] == [np.int32, np.int32, np.float64]
    assert not any(part.flags.writeable for part in block.rows)


def test_float32_is_the_default():
    (block,) = jsonl.blocks(stream_of(b'{"a": 0.1}'), "x", Reading(), Kept(), ErrorLog())
    assert block.rows.values.dtype == np.float32
    assert block.labels is None


@pytest.mark.parametrize("key", ["label", "class", "target", "y"])
def test_default_labels(key):
    read = read_back(jsonl, lines_of({"a": 1}, {key: "x", "a": 2}, {"a": 3}))
    assert read.labels == [None, "x", None]
    assert read.blocks[0].labels.dtype == object
    assert read.dicts == [{"a": 1}, {"a": 2}, {"a": 3}]


def test_labels_are_looked_for_in_this_order():
    read = read_back(jsonl, lines_of({"y": 5, "class": 2, "a": 1}, {"y": 5, "a": 1}))
    assert read.labels[0] == 2
    assert read.dicts == [{"y": 5, "a": 1}, {"y": 5, "a": 1}]


def test_named_label_weight_drop():
    rows = [
        {"kind": True, "label": 3, "w": 2, "id": "abc"},
        {"kind": None, "w": None, "id": [[1]]},
        {"kind": 0.5},
    ]
    read = read_back(jsonl, lines_of(*rows), label="kind", weight="w", drop=("id", "not there"))
    assert read.rows == [[("label", 3.0)], [], []]
    assert read.labels[0] == 1.0
    assert read.labels[2] == 0.5
    assert math.isnan(read.labels[1])
    assert read.weights == [2.0, 1.0, 1.0]


def test_an_empty_label_is_none():
    assert read_back(jsonl, lines_of({"y": ""}, {"y": "a"})).labels == [None, "a"]


def test_texts():
    rows = [{"text": "Free offer", "n": 2}, {"text": None}, {}, {"text": ""}]
    read = read_back(jsonl, lines_of(*rows), text=("text",))
    assert read.rows == [[("n", 2.0), ("free", 1.0), ("offer", 1.0)], [], [], []]
    rows = [{"subject": "Free offer", "body": "see you"}]
    read = read_back(jsonl, lines_of(*rows), text=("body", "subject"), ngrams=2)
    names = ["body=see", "body=you", "subject=free", "subject=offer"]
    assert {*names} <= {*read.dicts[0]}
    assert len(read.rows[0]) == 6


def test_words_need_names():
    with pytest.raises(DataError, match="here: words are not numbers"):
        read_back(jsonl, lines_of({"t": "a b"}), names=Numbered(), text=("t",))


def test_numbered_and_hashed_and_frozen_names():
    read = read_back(jsonl, lines_of({"3": 1, "0": 2}), names=Numbered())
    assert read.blocks[0].rows.indices.tolist() == [3, 0]
    assert read.names.n_features == 4
    read = read_back(jsonl, lines_of({"a": 1, "17": 2}), names=Hashed(18))
    assert read.blocks[0].rows.indices.tolist() == Hashed(18).columns(["a", "17"]).tolist()
    names = Kept()
    names.columns(["a"])
    names.frozen = True
    read = read_back(jsonl, lines_of({"b": 1, "a": 2}, {"b": 1}, {"c": 1, "a": 3}), names=names)
    assert read.rows == [[("a", 2.0)], [], [("a", 3.0)]]


def test_a_name_that_is_no_number():
    content = lines_of({"1": 1}, {"age": 1}, {"2": 2})
    with pytest.raises(DataError, match="here:2: feature 'age' is not a number"):
        read_back(jsonl, content, names=Numbered())
    read = read_back(jsonl, content, names=Numbered(), skip=True)
    assert read.lines == [1, 3]
    assert read.problems.count == 1


# --- layout of the file ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\r\n \n\t\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"]
)
def test_nothing(content):
    read = read_back(jsonl, content)
    assert read.blocks == []


@pytest.mark.parametrize(
    "content",
    [
        b'{"a":1}\n\n{"a":2}\n',
        b'{"a":1}\r\n\r\n{"a":2}\r\n',
        b'\xef\xbb\xbf{"a":1}\n \t\n{"a":2}',
        b'\xef\xbb\xbf  {"a":1}  \n\n\t{ "a" : 2 }\r',
    ],
)
def test_line_ends(content):
    read = read_back(jsonl, content)
    assert read.rows == [[("a", 1.0)], [("a", 2.0)]]
    assert read.lines == [1, 3]


def test_duplicates_big_numbers_and_half_characters():
    content = (
        b'{"a": 1, "a": 2, "b": 123456789012345678901234567890, "c": 1e-999}\n'
        b'{"k": "\\ud83d\\ude00", "l": "\\ud83d", "m": "\\\\ud83d", "\\udE00": 1, '
        b'"n": "\\ud83d\\ud83d\\ude00"}'
    )
    read = read_back(jsonl, content)
    assert read.rows == [
        [("a", 2.0), ("b", 123456789012345678901234567890.0), ("c", 0.0)],
        [
            ("k=😀", 1.0),
            ("l=\ufffd", 1.0),
            ("m=\\ud83d", 1.0),
            ("\ufffd", 1.0),
            ("n=\ufffd😀", 1.0),
        ],
    ]


def test_half_characters_in_labels_and_texts_can_be_printed():
    content = b'{"label": "\\ud800x", "t": "a \\udfff b"}'
    read = read_back(jsonl, content, text=("t",))
    assert read.labels == ["\ufffdx"]
    read.labels[0].encode()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"a": }', r'3:7: expected a JSON object on one line \(Expecting value\), found: "}"'),
        (b'{"a": 1', r'3:8: .*Expecting \',\' delimiter\), found: "end of line"'),
        (b'{"a": 1} {"b": 2}', r'3:10: .*Extra data\), found: "{"b": 2}"'),
        ('{"äöü": 1,, }'.encode(), r"3:11: .*Expecting property name"),
        (b'{"a": "x\x00y"}', r"3:9: .*Invalid control character"),
        (b"\x00\x00", r"3:1: .*Expecting value"),
        (b'{"a": yes}', "3:7: "),
        (b'{"a": "\\x"}', "3:8: .*Invalid"),
        (b'{"a": 1}\xff', r'3:9: this is not UTF-8; convert .*iconv.*, found: "\\xff"'),
        ('{"é": "'.encode() + b'\xe9\xe8"}', "3:8: this is not UTF-8; convert"),
        (b'{"a": "\xed\xa0\x80"}', "3:8: this is not UTF-8; convert"),
        (b'{"a": "NaN", "b": NaN}', '3:19: a number must be finite; leave .*instead of: "NaN}"'),
        (b'{"a": [1, -Infinity]}', "3:11: a number must be finite"),
        (b'{"a": Infinity}', "3:7: a number must be finite"),
        (b'{"b": 1, "a": 1e999}', "3:10: feature 'a' is inf; it must be finite"),
        (b'{"a": 1' + b"0" * 400 + b"}", "3:2: feature 'a' is inf"),
        (b'{"a": 1' + b"0" * 5000 + b"}", "3:1: a number has too many digits"),
        (b'{"a": ' * 99_999, "3:1: lists or objects are nested too deeply"),
        (b"[" * 99_999, "3:1: lists or objects are nested too deeply"),
        (b'{"a":' * 60 + b"1" + b"}" * 60, "3:2: feature 'a.*deeper than 50 dicts"),
        (b'{"z": 1, "a": [[1]]}', r"3:10: feature 'a\[0\]' is a list"),
        (b"[1, 2]", r'3:1: expected a JSON object with names and values, found: "\[1, 2\]"'),
        (b"3", "3:1: expected a JSON object with"),
        (b"null", "3:1: expected a JSON object with"),
        (b'{"label": [1]}', "3:2: a label must be a finite number or a string"),
        (b'{"label": {"a": 1}}', "3:2: a label must be"),
        (b'{"label": 1e999}', "3:2: a label must be a finite number"),
        (b'{"label": 1' + b"0" * 400 + b"}", "3:2: a label must be a finite number"),
        (b'{"label": 3}', "3:2: labels were strings so far, and this is a number; use one"),
        (b'{"w": -1}', "3:2: a weight must be a finite number that is not negative"),
        (b'{"w": "1"}', "3:2: a weight must be"),
        (b'{"w": 1e999}', "3:2: a weight must be"),
        (b'{"t": 3}', "3:2: the text 't' must be a string"),
        (b'{"t": ["a"]}', "3:2: the text 't' must be a string"),
    ],
)
def test_errors(line, message):
    good = b'{"label": "x", "a": 1}\n'
    content = good + b"\n" + line + b"\n" + good
    options = {"weight": "w", "text": ("t",)}
    with pytest.raises(DataError, match=f"^here:{message}") as caught:
        read_back(jsonl, content, **options)
    assert len(str(caught.value)) < 250
    assert "\n" not in str(caught.value)
    assert caught.value.line == 3
    read = read_back(jsonl, content, skip=True, **options)
    assert read.lines == [1, 4]
    assert read.labels == ["x", "x"]
    assert read.problems.count == 1
    assert read.problems.messages == [str(caught.value)]


def test_numbers_then_strings():
    content = lines_of({"y": 1}, {"y": True}, {"y": "a"})
    with pytest.raises(DataError, match="here:3:2: labels were numbers so far, and this is a str"):
        read_back(jsonl, content)


def test_the_first_label_of_a_bad_line_says_nothing():
    content = b'{"y": "a", "x": NaN}\n{"y": 1}\n{"y": "a", "x": [[]]}\n{"y": 2}\n'
    assert read_back(jsonl, content, skip=True).labels == [1.0, 2.0]


def test_too_large_for_float32():
    content = lines_of({"a": 1}, {"b": 1e200, "c": -1e300}, {"a": 2})
    message = "here:2: feature 'b' is too large for float32; scale it, or use float64"
    with pytest.raises(DataError, match=message):
        read_back(jsonl, content, dtype="float32")
    read = read_back(jsonl, content, dtype="float32", skip=True)
    assert (read.lines, read.problems.count) == ([1, 3], 1)
    assert read_back(jsonl, content).dicts[1] == {"b": 1e200, "c": -1e300}


def test_long_lines(monkeypatch):
    monkeypatch.setattr(lines, "LONGEST", 5000)
    monkeypatch.setattr(lines, "_PIECE", 700)
    long = b'{"a": "' + b"x" * 9000 + b'"}\n'
    fits = b'{"a": "' + b"x" * 4000 + b'"}\n'
    content = fits + long + b'{"b": 1}\n' + long[:-1]
    with pytest.raises(DataError, match=r'here:2: the line is longer .*; it begins: "{"a": "xxx'):
        read_back(jsonl, content)
    read = read_back(jsonl, content, skip=True)
    assert read.lines == [1, 3]
    assert read.problems.count == 2
    assert read.rows[1] == [("b", 1.0)]


def test_the_limit_of_a_line_holds():
    line = b'{"a": "' + b"x" * (1 << 26) + b'"}'
    with pytest.raises(DataError, match="longer than 64 MiB"):
        read_back(jsonl, line)


# --- blocks ---------------------------------------------------------------------------------------


def test_blocks_are_of_bounded_size():
    row = lines_of({"a": 1, "y": 0})
    read = read_back(jsonl, row * 10_000)
    assert [len(block.lines) for block in read.blocks] == [4096, 4096, 1808]
    assert read.lines == list(range(1, 10_001))
    assert [block.done for block in read.blocks] == sorted(block.done for block in read.blocks)
    wide = lines_of({"a": "x" * 100_000, "y": 0})
    read = read_back(jsonl, wide * 100)
    assert max(len(block.lines) for block in read.blocks) == 42


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 100])
def test_pieces_of_any_size(piece, monkeypatch):
    content = (CORPUS / "good.jsonl").read_bytes()
    expected = read_back(jsonl, content)
    monkeypatch.setattr(lines, "_PIECE", piece)
    read = read_back(jsonl, content)
    assert (read.rows, read.lines) == (expected.rows, expected.lines)
    assert str(read.labels) == str(expected.labels)


def test_many_names_are_not_all_remembered(monkeypatch):
    monkeypatch.setattr("rosenblatt.readers.blocks.MOST_CACHED", 50)
    rows = [{f"f{k % 200}": k, "same": 1} for k in range(20_000)]
    assert read_back(jsonl, lines_of(*rows)).dicts == rows


def test_what_came_slowly_is_handed_on(monkeypatch, tmp_path):
    monkeypatch.setattr(jsonl, "PATIENCE", 0.05)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    more = threading.Event()

    def write():
        with path.open("wb", buffering=0) as out:
            out.write(b'{"a": 1}\n')
            more.wait(0.2)
            out.write(b'{"a": 2}\n{"a"')
            more.wait()
            out.write(b": 3}\n")

    writer = threading.Thread(target=write)
    writer.start()
    with open_stream(expand([path])[0]) as stream:
        blocks = jsonl.blocks(stream, "pipe", Reading(), Kept(), ErrorLog())
        assert next(blocks).lines.tolist() == [1, 2]
        more.set()
        assert next(blocks).lines.tolist() == [3]
        assert list(blocks) == []
    writer.join()


# --- anything at all ------------------------------------------------------------------------------

KEYS = st.text(max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=6), st.booleans())
def test_round_trip(rows, ascii_only):
    """Whatever can be written as JSON is read as `features_of` says, or refused as it does."""
    content = b"".join(
        json.dumps(row, ensure_ascii=ascii_only, allow_nan=True).encode() + b"\n" for row in rows
    )
    expected = []
    for row in rows:
        try:
            expected.append(list(zip(*features_of(row), strict=True)))
        except (ValueError, TypeError):
            continue
    read = read_back(jsonl, content, label="no such key", skip=True)
    assert read.rows == expected
    assert read.problems.count == len(rows) - len(expected)


PARTS = [
    *(b"{", b"}", b"[", b"]", b'"', b":", b",", b"\\", b"\\u", b"\\ud800", b"NaN", b"-Infinity"),
    *(b"1e999", b"null", b"true", b"\n", b"\r\n", b"\0", b"\xef\xbb\xbf", b"\xff", b'"label":'),
    *(b'{"a":1}', b'"w": -1,', b'"t": "x y",', b"9" * 330, b'"":""', b"\xe2\x80\xa8", b"- 1"),
]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_fuzz(part):
    chance = random.Random(part)
    corpus = corpus_lines("*.jsonl")
    for _ in range(FUZZ // 4):
        picked = chance.choices(corpus, k=chance.randint(1, 3))
        content = b"\n".join(mutated(line, PARTS, chance) for line in picked)
        fuzz(jsonl, content, weight="w", text=("t",))


@pytest.mark.parametrize("letters", ['{}[]":,\\ud1eE-+.truefalsnN \n', string.printable])
def test_fuzz_random_letters(letters):
    chance = random.Random(letters)
    for _ in range(FUZZ // 10):
        fuzz(jsonl, "".join(chance.choices(letters, k=chance.randrange(60))).encode())


@pytest.mark.parametrize("option", [{"weight": "heft"}, {"drop": ("b", "di")}, {"text": ("t",)}])
def test_a_key_that_no_row_has_is_told_when_learning(tmp_path, option):
    path = tmp_path / "f.jsonl"
    path.write_text('{"a": 1, "label": "x"}\n{"b": 1, "label": "y"}\n')
    with pytest.raises(DataError, match=r"no row has the key '(heft|di|t)'; there are 'a', 'lab"):
        list(Reader([path], Reading(labelled=True, **option)))
    assert list(Reader([path], Reading(**option)))  # a model that predicts may do without
