"""The compiled cutting of texts and lines is what the reference says, and stays in bounds."""

import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.kernels.text.ngrams import count_distinct
from rosenblatt.kernels.text.words import cut, cut_lines, word_buffer
from rosenblatt.reference import words as reference

# What the rules tell apart, whole and broken off.
PIECES = [
    *(
        b"a",
        b"Z",
        b"rest",
        b"'",
        b"1",
        b"23",
        b" ",
        b"\t",
        b"\n",
        b"\r",
        b"\0",
        b"\x7f",
        b"!",
        b"$",
    ),
    *(b"^", b"#", b"@[`{~", b"__label__", b"\xc2", b"\xe2", b"\xe2\x80", b"\x80", b"\xbf", b"\xff"),
    *(s.encode() for s in "éж語😀£\xa0\x85«\xbf‘’“”–…\u2000\u200b\u2028\u202f\u2030\u205f\u206f⁰"),
    *(b"x" * 60, b"9" * 63, b"-" * 64, b"\x80" * 66, "ж".encode() * 33, "–".encode() * 21),
]
pieces = st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)
texts = st.one_of(st.text(max_size=40).map(str.encode), st.binary(max_size=40), pieces)


def frozen(raw):
    return np.frombuffer(raw, np.uint8)  # cannot be written to


def words_of(raws):
    """The words of texts that lie one after the other."""
    stops = np.cumsum([len(raw) for raw in raws], dtype=np.int64)
    starts = stops - np.array([len(raw) for raw in raws], np.int64)
    words = word_buffer(len(raws), sum(map(len, raws)))
    n = cut(frozen(b"".join(raws)), starts, stops, words)
    spaces = words.gaps[: n + 1]
    assert (words.letters[spaces] == 32).all()
    cuts = [bytes(words.letters[a + 1 : b]) for a, b in pairwise(spaces)]
    bounds = words.firsts.tolist()
    assert bounds[-1] == n
    return [cuts[a:b] for a, b in pairwise(bounds)]


@given(st.lists(texts, max_size=4))
def test_words_are_those_of_the_reference(raws):
    assert words_of(raws) == [reference.words(raw) for raw in raws]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        (" \t\r\n\0\x1f\x7f\xa0\u2003\u200b", ""),
        ("Don't, don’t!", "don't , don't !"),
        ("'tis the dogs' 'n' rock'n'roll's", "' tis the dogs ' ' n ' rock'n'roll's"),
        ("o''clock 9'a a'9", "o '' clock 9 ' a a ' 9"),
        ("FREE!!! £1000 $$$ 07732584351", "free !!! £ 9999 $$$ 99999999999"),
        ("mp3 2nite x=1", "mp 9 9 nite x = 9"),
        ("Ünïcode ЖЖ 日本語 😀", "Ünïcode ЖЖ 日本語 😀"),
        ("“quoted” –and…so\u00a0on", "“ quoted ” – and … so on"),
        ("a!?b", "a !? b"),
        ("https://x.y/?q=1", "https :// x . y /? q = 9"),
        ("^_^ a^b", "^_^ a ^ b"),
    ],
)
def test_words_by_example(text, words):
    assert words_of([text.encode()]) == [words.encode().split()]


@pytest.mark.parametrize(
    ("word", "counts"),
    [
        (b"a" * 64, 64),
        (b"a" * 65, 64),
        (b"a" * 1000, 64),
        (b"9" * 65, 64),
        (b"=" * 65, 64),
        (b"a" * 63 + "é".encode() + b"b", 65),  # to the end of a character
        (b"a" * 63 + "😀".encode() + "é".encode(), 67),
        (b"a" * 64 + "é".encode(), 64),
        ("é".encode() * 40, 64),
        (b"\x80" * 100, 67),
        (b"a" * 63 + b"'" + b"b" * 9, 64),
        (b"a" * 64 + b"'b" + b"\x80" * 3, 64),  # what was left out does not go on
    ],
)
def test_long_words_end(word, counts):
    assert words_of([word + b" next"]) == [[word[:counts], b"next"]]


def test_texts_may_overlap_and_leave_gaps():
    words = word_buffer(3, 12)
    n = cut(frozen(b"one two three"), np.array([4, 0, 4]), np.array([7, 2, 11]), words)
    assert n == 4
    assert bytes(words.letters[: words.gaps[n] + 1]) == b" two on two thr "
    assert words.firsts.tolist() == [0, 1, 2, 4]


@given(
    st.lists(
        st.lists(st.integers(-2, 30) | st.sampled_from([2**30 - 1, 2**20]), max_size=12), max_size=6
    )
)
def test_distinct_columns(rows):
    indptr = np.cumsum([0, *map(len, rows)])
    columns = np.array([c for row in rows for c in row], np.int64)
    most = max([len(row) for row in rows], default=0)
    counts = np.empty(len(columns))
    slots = np.empty(1 << (2 * most).bit_length(), np.int32)
    count_distinct(indptr, columns, counts, slots)
    expected = [Counter(c for c in row if c >= 0) for row in rows]
    assert indptr.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    assert columns[: indptr[-1]].tolist() == [c for row in expected for c in row]
    assert counts[: indptr[-1]].tolist() == [n for row in expected for n in row.values()]


def parts_of(raw, labelled=True):
    room = raw.count(b"\n") + 1
    parts, lines = np.empty((room, 6), np.int64), np.empty(room, np.int64)
    n = cut_lines(frozen(raw), labelled, parts, lines)
    return parts[:n].tolist(), lines[:n].tolist()


@given(st.one_of(pieces, st.text("a \t\r\n\v\f_", max_size=30).map(str.encode)), st.booleans())
def test_lines_are_cut_as_the_reference_says(raw, labelled):
    expected = []
    for k, line in enumerate(raw.split(b"\n")):
        whole = line.removesuffix(b"\r")
        if whole.strip(b" "):
            expected.append((k, *(reference.parts(whole) if labelled else (b"", whole))))
    parts, lines = parts_of(raw, labelled)
    found = [
        (k, raw[start:stop], raw[text:end])
        for k, (_, start, stop, text, end, _) in zip(lines, parts, strict=True)
    ]
    assert found == expected
    starts = [0, *(k + 1 for k, byte in enumerate(raw) if byte == 10)]
    assert [part[0] for part in parts] == [starts[k] for k in lines]


def test_a_second_label_is_found():
    raw = b"__label__a  __label__b c\n__label__a c __label__b\na __label__b\n__label__a\t__label__"
    assert [part[5] for part in parts_of(raw)[0]] == [12, -1, -1, raw.rindex(b"__label__")]


IN_BOUNDS = """
import random, sys
from pathlib import Path
import numba, numpy as np
from rosenblatt.kernels import jit

assert numba.config.BOUNDSCHECK == 1
assert jit.runtime().endswith("checked")  # code without the checks has other names

sys.path.insert(0, sys.argv[1])
from tests.readers import raw_text
from rosenblatt.kernels.text.words import Words, cut

try:
    words = Words(np.empty(2, np.uint8), np.empty(9, np.int64), np.empty(2, np.int64))
    cut(np.frombuffer(b"long", np.uint8), np.array([0]), np.array([4]), words)
except IndexError:
    print("checks bounds")
for base in raw_text.corpus():
    raw_text.read(base, random.Random(0))
print("read", raw_text.run(1500, 7))
"""


@pytest.mark.slow
def test_nothing_is_accessed_out_of_bounds(tmp_path):
    root = Path(__file__).parents[2]
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", IN_BOUNDS, str(root)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split("\n")[:2] == ["checks bounds", "read 1500"]
