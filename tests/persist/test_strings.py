"""Texts come back as they were, and nothing else passes for texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.persist.errors import ModelFileError
from rosenblatt.persist.strings import decode, encode


@given(st.lists(st.text(st.characters(), max_size=8), max_size=8))
def test_any_texts_come_back(texts):
    blob, ends = encode(texts)
    assert (blob.dtype, ends.dtype) == (np.uint8, np.int64)
    assert decode(blob, ends) == texts


def test_half_characters_and_zeros_come_back():
    texts = ["\ud800", "a\x00", "\x00", "", "日本"]
    assert decode(*encode(texts)) == texts


BLOB = np.frombuffer(b"hamspam", np.uint8)


@pytest.mark.parametrize(
    ("blob", "ends"),
    [
        (BLOB, [3, 8]),
        (BLOB, [3, 6]),
        (BLOB, [-1, 7]),
        (BLOB, [5, 3, 7]),
        (BLOB, []),
        (BLOB[:0], [1]),
        (BLOB[None], [7]),
        (BLOB.astype(np.int8), [7]),
        (np.array([255], np.uint8), [1]),
        (np.frombuffer("é".encode(), np.uint8), [1, 2]),
    ],
)
def test_what_cannot_be_texts_is_refused(blob, ends):
    with pytest.raises(ModelFileError, match="names"):
        decode(blob, np.array(ends, np.int64), "names")


def test_ends_must_be_whole_numbers_in_a_line():
    for ends in (np.array([7.0]), np.array([[7]]), np.array(7)):
        with pytest.raises(ModelFileError):
            decode(BLOB, ends)
