"""Which tags may follow which: what was seen, what constraints say, and whether it can be."""

from itertools import chain, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.tagging import schemes
from rosenblatt.tagging.schemes import Allowed, allowed_by, impossible_length, seen

NP = ["B-NP", "B-VP", "I-NP", "I-VP", "O"]


def coded(rows, classes):
    """Return tags as numbers, and offsets."""
    codes = [classes.index(tag) for row in rows for tag in row.split()]
    return np.array(codes, np.int64), np.cumsum([0, *(len(row.split()) for row in rows)])


def check_feasible(allowed, classes, tags, offsets):
    schemes.check_feasible(allowed, classes, tags, offsets, np.arange(len(offsets) - 1))


def free(n):
    return Allowed(np.ones(n, bool), np.ones((n, n), bool), np.ones(n, bool))


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@given(st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=5))
def test_seen_is_what_occurs(rows):
    offsets = np.cumsum([0, *map(len, rows)])
    found = seen(4, np.array([*chain.from_iterable(rows)], np.int64), offsets)
    pairs = {pair for row in rows for pair in pairwise(row)}
    assert {tuple(map(int, pair)) for pair in np.argwhere(found.pairs)} == pairs
    assert set(np.flatnonzero(found.first).tolist()) == {row[0] for row in rows if row}
    assert set(np.flatnonzero(found.last).tolist()) == {row[-1] for row in rows if row}


def test_no_constraints():
    tags, offsets = coded(["O B-NP"], NP)
    for constraints in (None, [], ()):
        allowed, scheme = allowed_by(constraints, NP, tags, offsets)
        assert scheme is None
        assert same(allowed, free(5))


def test_constraints_by_what_was_seen():
    tags, offsets = coded(["B-NP I-NP O", "", "O"], NP)
    allowed, scheme = allowed_by("seen", NP, tags, offsets)
    assert scheme is None
    assert same(allowed, seen(5, tags, offsets))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["B-NP I-NP O", "B-VP", "I-NP"], None),
        (["B-NP I-NP B-VP I-VP O", "O"], "iob2"),
        (["I-NP B-NP I-VP", "O"], "iob1"),
    ],
)
def test_auto_finds_the_scheme(rows, expected):
    classes = sorted({tag for row in rows for tag in row.split()})
    tags, offsets = coded(rows, classes)
    allowed, scheme = allowed_by("auto", classes, tags, offsets)
    assert scheme == expected
    if expected is None:
        assert same(allowed, free(len(classes)))
    else:
        assert same(allowed, allowed_by(expected, classes, tags, offsets)[0])
        assert not allowed.pairs.all()
    check_feasible(allowed, classes, tags, offsets)


def test_auto_does_not_forbid_all_tags_of_a_length():
    # In iobes these two cannot tag a single token.
    classes = ["B-X", "E-X"]
    tags, offsets = coded(["B-X E-X", "B-X E-X B-X E-X"], classes)
    allowed, scheme = allowed_by("auto", classes, tags, offsets)
    assert scheme is None
    assert same(allowed, free(2))
    asked, _ = allowed_by("iobes", classes, tags, offsets)
    with pytest.raises(ValueError, match="allow no sequence of 1 tag, and so could not tag one"):
        check_feasible(asked, classes, tags, offsets)


def test_parts_of_speech_are_free():
    tags, offsets = coded(["DT NN"], ["DT", "NN"])
    allowed, scheme = allowed_by("auto", ["DT", "NN"], tags, offsets)
    assert scheme is None
    assert same(allowed, free(2))


def test_a_scheme_that_is_asked_for():
    tags, offsets = coded(["O"], NP)
    allowed, scheme = allowed_by("iob2", NP, tags, offsets)
    assert scheme == "iob2"
    assert not allowed.pairs[NP.index("B-VP"), NP.index("I-NP")]
    assert not allowed.first[NP.index("I-NP")]
    with pytest.raises(ValueError, match="the tag 'E-X' is not of the scheme iob2"):
        allowed_by("iob2", ["E-X", "O"], tags * 0, np.array([0, 1]))


def test_pairs_that_are_forbidden():
    tags, offsets = np.array([0, 1]), np.array([0, 2])
    for pairs in ([(2, 7), (7, 7)], np.array([[2, 7], [7, 7]]), {(2, 7), (7, 7)}, [[2, 7], [7, 7]]):
        allowed, scheme = allowed_by(pairs, [2, 5, 7], tags, offsets)
        assert scheme is None
        assert np.argwhere(~allowed.pairs).tolist() == [[0, 2], [2, 2]]
        assert allowed.first.all()
        assert allowed.last.all()


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ("iob3", "constraints must be None, 'auto', 'seen', 'iob2', 'iob1', 'iobes' or a list of "
                 "pairs that are forbidden, got 'iob3'"),
        (5, "constraints must be a list of pairs, got 5"),
        (True, "constraints must be a list of pairs, got True"),
        (["B-NP"], "a constraint must be a pair of tags that is forbidden, got 'B-NP'"),
        (["ab"], "a constraint must be a pair of tags that is forbidden, got 'ab'"),
        ([5], "a constraint must be a pair of tags that is forbidden, got 5"),
        ([("O",)], r"a constraint must be a pair of tags that is forbidden, got \('O',\)"),
        ([("O", "O", "O")], "a constraint must be a pair"),
        ([("O", "B-PP")], "constraints name the tag 'B-PP', which is not in y"),
        ([("O", ["O"])], r"constraints name the tag \['O'\], which is not in y"),
    ],
)  # fmt: skip
def test_constraints_that_are_none(constraints, message):
    tags, offsets = coded(["O"], NP)
    with pytest.raises(ValueError, match=message):
        allowed_by(constraints, NP, tags, offsets)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["O", "I-NP"], "sequence 1 of y breaks the constraints: it begins with I-NP"),
        (["O", "", "B-NP O I-NP"],
         "sequence 2 of y breaks the constraints: token 2 has I-NP after O"),
        (["B-VP I-NP"], "sequence 0 of y breaks the constraints: token 1 has I-NP after B-VP"),
    ],
)  # fmt: skip
def test_tags_that_break_constraints(rows, message):
    tags, offsets = coded(rows, NP)
    allowed, _ = allowed_by("iob2", NP, tags, offsets)
    with pytest.raises(ValueError, match=message):
        check_feasible(allowed, NP, tags, offsets)


def test_sequences_keep_their_numbers():
    tags, offsets = coded(["O", "I-NP"], NP)
    allowed, _ = allowed_by("iob2", NP, tags, offsets)
    with pytest.raises(ValueError, match="sequence 7 of y breaks the constraints"):
        schemes.check_feasible(allowed, NP, tags, offsets, np.array([3, 7]))


def test_a_sequence_that_ends_too_early():
    classes = ["B-X", "E-X", "S-X"]
    tags, offsets = coded(["S-X", "B-X"], classes)
    allowed, _ = allowed_by("iobes", classes, tags, offsets)
    with pytest.raises(
        ValueError, match="sequence 1 of y breaks the constraints: it ends with B-X"
    ):
        check_feasible(allowed, classes, tags, offsets)


@given(st.integers(1, 3), st.integers(0, 2**32 - 1), st.floats(0.2, 0.9))
def test_lengths_that_cannot_be_tagged(n, seed, share):
    rng = np.random.default_rng(seed)
    allowed = Allowed(*(rng.random(shape) < share for shape in (n, (n, n), n)))

    def possible(length):
        return any(
            allowed.first[path[0]]
            and all(allowed.pairs[pair] for pair in pairwise(path))
            and allowed.last[path[-1]]
            for path in product(range(n), repeat=length)
        )

    bad = [length for length in range(1, 7) if not possible(length)]
    found = impossible_length(allowed)
    assert found == bad[0] if bad else found is None or found > 6


def test_cycles_that_meet_late():
    # One goes round in 5 steps and misses one of them, the other in 7: in 35 steps, once neither is
    # at its end. Twice the number of tags would be too early to say that all is well.
    pairs = np.zeros((12, 12), bool)
    for cycle in (range(5), range(5, 12)):
        for i, j in pairwise([*cycle, cycle[0]]):
            pairs[i, j] = True
    first, last = np.zeros(12, bool), np.ones(12, bool)
    first[[0, 5]] = True
    last[[4, 5]] = False  # lengths 5, 10, …, and 1, 8, 15, …, 29, 36, …
    lengths = [n for n in range(1, 40) if n % 5 == 0 and n % 7 == 1]
    assert impossible_length(Allowed(first, pairs, last)) == lengths[0]
    last[[4, 5]], last[[4, 11]] = True, False
    assert impossible_length(Allowed(first, pairs, last)) == 35
