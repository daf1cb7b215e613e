"""CoNLL text: compiled = reference on anything, however it comes in pieces."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.readers.blocks import DataError
from rosenblatt.reference.text import sentences
from rosenblatt.tagging import conll
from rosenblatt.tagging.conll import Layout
from rosenblatt.tagging.file_layout import TEN
from tests.readers.mutations import how_many

from .conll_inputs import NUMBERED, PLAIN, TABBED, all_tokens, by_reader, texts, tokens


def by_reference(content, tabs, numbered):
    """What plain Python finds, or the line and a word for what is wrong."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in content:
        return content[: content.find(b"\0")].count(b"\n") + 1, "zero"
    for number, line in enumerate(content.split(b"\n"), 1):
        if b"\r" in line.rstrip(b"\r"):
            return number, "return"
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return content[: error.start].count(b"\n") + 1, "UTF-8"
    try:
        found = sentences(text, tabs, 10 if numbered else 3, numbered)
    except ValueError as error:
        return error.args
    return [[(line, row[1:] if numbered else row) for line, row in part] for part in found]


WORDS = {
    "ragged": (" here, and ", "a comment may only stand"),
    "empty": ("is empty",),
    "number": ("as the number of this token",),
    "zero": ("zero byte",),
    "return": ("carriage return",),
    "UTF-8": ("UTF-8",),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "tabbed", "numbered"])
def test_fuzz(name):
    lines = {"plain": PLAIN, "tabbed": TABBED, "numbered": NUMBERED}[name]
    tabs, numbered = name != "plain", name == "numbered"
    layout = Layout("conllu", "\t", TEN) if numbered else None
    layout = layout or Layout("columns", "\t" if tabs else " ", ("word", "pos", "tag"))
    rng, counts = random.Random(len(name)), [0, 0]
    for text in texts(lines, how_many() // 2, seed=len(name)):
        wanted = by_reference(text, tabs, numbered)
        found = by_reader(text, layout, 1 << 20)
        counts[isinstance(wanted, list)] += 1
        if isinstance(wanted, list):
            assert found == wanted, text
            assert by_reader(text, layout, rng.randint(1, 40)) == wanted, text
            continue
        line, word = wanted
        assert isinstance(found, DataError), text
        if "names are given" not in str(found):  # of the first line
            assert any(part in str(found) for part in WORDS[word]) or "UTF-16" in str(found), text
            assert found.line in (line, None), text
        assert isinstance(by_reader(text, layout, rng.randint(1, 40)), DataError), text
    assert min(counts) > sum(counts) // 10  # both happen often


@pytest.mark.slow
@pytest.mark.parametrize("name", ["columns", "numbered"])
def test_fuzz_layouts(name):
    rng, lines = random.Random(0), [*PLAIN, *TABBED] if name == "columns" else [*NUMBERED, b"# a A"]
    for text in texts(lines, how_many() // 4):
        whole, pieces = (by_reader(text, None, size) for size in (1 << 20, rng.randint(1, 40)))
        assert (
            pieces == whole or isinstance(pieces, DataError) is isinstance(whole, DataError) is True
        ), text


BOUNDS = """
import numpy as np
from rosenblatt.kernels.text.conll_lines import cut_fields
from rosenblatt.tagging.conll import Layout
from rosenblatt.tagging.file_layout import TEN
from tests.tagging.conll_inputs import NUMBERED, PLAIN, by_reader, texts

rows = np.empty((1, 0), np.int64)
try:
    cut_fields(np.full(1, 65, np.uint8), 0, 1, False, np.zeros(1, np.int64), rows, rows, 0)
except IndexError:
    print("checks are on")
for text in texts(PLAIN, 1000):
    by_reader(text, Layout("columns", " ", ("word", "pos", "tag")), 30)
for text in texts(NUMBERED, 1000):
    by_reader(text, Layout("conllu", "\\t", TEN), 30)
print("nothing was outside")
"""


@pytest.mark.slow
def test_no_access_out_of_bounds(bounded):
    bounded(BOUNDS)


WORD = st.text(st.characters(exclude_characters=" \t\r\n\0", exclude_categories=["Cs"]), min_size=1)


@given(
    st.lists(st.lists(st.tuples(WORD, WORD), min_size=1), min_size=1),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([" ", "  ", "\t"]),
    st.integers(1, 60),
)
def test_round_trip(tmp_path_factory, found, end, between, size):
    text = (end + end).join(end.join(between.join(token) for token in part) for part in found)
    path = tmp_path_factory.getbasetemp() / "round trip"
    path.write_bytes(text.encode())
    if text.startswith("\ufeff"):
        return  # that is a byte order mark
    wanted = [[list(token) for token in part] for part in found]
    read = conll.read(path, format="columns")
    assert [[row for _, row in part] for part in tokens(read)] == wanted
    in_parts = all_tokens(path, format="columns", size=size)
    assert [[row for _, row in part] for part in in_parts] == wanted
