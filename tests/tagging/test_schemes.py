"""What a scheme allows is what it would write itself."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.tagging.schemes import allowed, convert, is_spans, scheme_of
from rosenblatt.tagging.spans import spans

IOB = ["O", "B-X", "I-X", "B-Y", "I-Y"]
IOBES = [*IOB, "E-X", "S-X", "E-Y", "S-Y"]


def permits(rules, codes):
    first, pairs, last = rules
    return not codes or bool(
        first[codes[0]] and all(pairs[a, b] for a, b in pairwise(codes)) and last[codes[-1]]
    )


def seen(classes, sequences):
    """What is seen of transitions."""
    first, last = np.zeros((2, len(classes)), bool)
    pairs = np.zeros((len(classes), len(classes)), bool)
    for tags in sequences:
        codes = [classes.index(tag) for tag in tags]
        first[codes[0]] = last[codes[-1]] = True
        for a, b in pairwise(codes):
            pairs[a, b] = True
    return first, pairs, last


@pytest.mark.parametrize(
    ("scheme", "classes"), [("iob1", IOB), ("iob2", IOB), ("iobes", IOBES), ("iobes", IOBES[::-1])]
)
def test_what_is_allowed_is_what_would_be_written(scheme, classes):
    rules, n_allowed = allowed(classes, scheme), 0
    for length in range(5):
        for codes in product(range(len(classes)), repeat=length):
            tags = [classes[code] for code in codes]
            assert permits(rules, codes) == (convert(tags, scheme) == tags), tags
            n_allowed += permits(rules, codes)
    # The same spans in each scheme.
    assert n_allowed == sum(
        len({tuple(spans(t)) for t in product(IOB, repeat=n)}) for n in range(5)
    )


def test_letters_of_others():
    ours, theirs = ["O", "B-X", "I-X", "E-X", "S-X"], ["O", "B-X", "M-X", "L-X", "U-X"]
    for a, b in zip(allowed(ours, "iobes"), allowed(theirs, "iobes"), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("scheme", ["iob1", "iob2", "iobes"])
def test_other_tags_are_free(scheme):
    classes = ["NN", "O", "B-X", "I-X", "B-", "I", "Q-X"]
    first, pairs, last = allowed(classes, scheme)
    for code in (0, 4, 5, 6):
        assert first[code]
        assert last[code]
        assert pairs[code].all()
        assert pairs[:, code].all()


def test_allowed_rejects():
    with pytest.raises(ValueError, match="there is no scheme 'bio'; it must be one of iob2, iob1"):
        allowed(["O"], "bio")
    with pytest.raises(ValueError, match="there is no scheme None"):
        convert(["O"], None)
    with pytest.raises(ValueError, match="the tag 'E-X' is not of the scheme iob2; is it iobes"):
        allowed(["O", "B-X", "E-X"], "iob2")


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        (IOB, True),
        (IOBES, True),
        (["O", "I-X"], True),
        (["B-X", "L-X", "U-X", "O"], True),
        ([], False),
        (["O"], False),
        (["O", "E-X", "S-X"], False),
        (["PROPN", "VERB"], False),
        (["-LRB-", "-RRB-", "O"], False),
        (["B-word", "NN"], False),
        (["B", "I", "O"], False),
        (["B-", "O"], False),
        ([*IOB, "X-Y"], False),
    ],
)
def test_which_tags_are_spans(classes, expected):
    assert is_spans(classes) is expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("O B-X I-X | B-X B-Y", "iob2"),
        ("B-X", "iob2"),
        ("O I-X I-X | I-X B-X I-Y", "iob1"),
        ("O I-X", "iob1"),
        ("O B-X E-X S-Y | O", "iobes"),
        ("O B-X L-X U-Y | O", "iobes"),
        ("O B-X I-X | I-X O", None),
        ("B-X O I-X", None),
        ("O B-X | E-X", None),
        ("I-X E-X O | I-X E-X", None),
        ("DT NN VB", None),
        ("O O", None),
    ],
)
def test_scheme_of_what_was_seen(rows, expected):
    sequences = [row.split() for row in rows.split("|")]
    classes = sorted({tag for tags in sequences for tag in tags})
    assert scheme_of(classes, *seen(classes, sequences)) == expected


@given(st.lists(st.sampled_from(IOBES), max_size=12), st.permutations(["iob1", "iob2", "iobes"]))
def test_round_trips(tags, schemes):
    for scheme in schemes:
        there = convert(tags, scheme)
        assert spans(there) == spans(tags)
        assert permits(allowed(IOBES if scheme == "iobes" else IOB, scheme), place(there, scheme))
        assert convert(convert(there, schemes[0]), scheme) == there


def place(tags, scheme):
    return [(IOBES if scheme == "iobes" else IOB).index(tag) for tag in tags]


def test_what_is_no_span_stays():
    assert convert(["NN", "I", "I", "O-X", ".", "S"], "iob2") == ["NN", "I", "I", "O-X", ".", "B"]


@pytest.mark.slow
def test_chunks_of_conll2000_are_iob2(dataset):
    tags = [list(row) for row in dataset("conll2000").y]
    for scheme in ("iob2", "iob1", "iobes"):
        rows = [convert(row, scheme) for row in tags]
        classes = sorted({tag for row in rows for tag in row})
        assert scheme_of(classes, *seen(classes, rows)) == scheme
        if scheme == "iob2":
            assert rows == tags


@pytest.mark.slow
def test_parts_of_speech_have_no_scheme(dataset):
    tags = dataset("ud_english_ewt").y_test.tolist()
    classes = sorted({tag for row in tags for tag in row})
    assert scheme_of(classes, *seen(classes, tags)) is None
