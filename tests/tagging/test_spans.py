"""Spans are counted as conlleval does: token by token here, at once there."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.tagging.spans import Counts, Span, SpanReport, evaluate, report, spans

SCRIPT = ["O", "B-X", "I-X", "E-X", "B-Y", "I-Y", ".", "I", "B", "[", "]-X", ".-X", "O-X", "NN"]
PLAIN = ["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"]


def parts(tag):
    letter, kind = tag.split("-", 1) if "-" in tag else (tag, "")
    return {"U": "S", "L": "E", "M": "I"}.get(letter, letter), kind


def ends(before, tag):
    (a, kind), (b, next_kind) = before, tag
    return (
        a + b in {"BB", "BO", "IB", "IO", "EE", "EI", "EO"}
        or (a not in {"O", "."} and kind != next_kind)
        or a in {"[", "]"}
        or (a == "E" and b == "B")  # from here on what the script does not know
        or a == "S"
        or (a in {"B", "I", "E"} and b == "S")
    )


def starts(before, tag):
    (a, kind), (b, next_kind) = before, tag
    return (
        a + b in {"BB", "IB", "OB", "OI", "EE", "EI", "OE"}
        or (b not in {"O", "."} and kind != next_kind)
        or b in {"[", "]"}
        or (a == "E" and b == "B")  # from here on what the script does not know
        or b == "S"
        or (a == "S" and b in {"B", "I", "E"})
    )


def plain(true, predicted):
    """Do what the script does, line by line: a dict of [true, found, correct], and their sums."""
    types, total = {}, [0, 0, 0]

    def count(kind, what):
        types.setdefault(kind, [0, 0, 0])[what] += 1
        total[what] += 1

    lines = []
    for tags, found in zip(true, predicted, strict=True):
        lines += [*zip(map(parts, tags), map(parts, found), strict=True), (("O", ""), ("O", ""))]
    last, last_guess, correct = ("O", ""), ("O", ""), False
    for tag, guess in lines:
        if correct:
            over, guess_over = ends(last, tag), ends(last_guess, guess)
            if over and guess_over and last[1] == last_guess[1]:
                correct = False
                count(last[1], 2)
            elif over != guess_over or tag[1] != guess[1]:
                correct = False
        if starts(last, tag) and starts(last_guess, guess) and tag[1] == guess[1]:
            correct = True
        if starts(last, tag):
            count(tag[1], 0)
        if starts(last_guess, guess):
            count(guess[1], 1)
        last, last_guess = tag, guess
    if correct:
        count(last[1], 2)
    return {kind: tuple(counts) for kind, counts in types.items() if any(counts[:2])}, tuple(total)


def corpora(tags):
    """Two taggings of the same tokens, which often agree."""
    tag = st.sampled_from(tags)
    token = st.one_of(tag.map(lambda tag: (tag, tag)), st.tuples(tag, tag))
    return st.lists(st.lists(token, max_size=8), max_size=5).map(
        lambda rows: tuple([[token[k] for token in row] for row in rows] for k in (0, 1))
    )


@given(st.one_of(map(corpora, [SCRIPT, PLAIN, SCRIPT[:3] + SCRIPT[4:6], ["O", "I", ".", "["]])))
def test_counts_are_those_of_a_plain_loop(corpus):
    found, (types, total) = report(*corpus), plain(*corpus)
    assert found.types == types
    assert found.total == total
    assert list(found.types) == sorted(types)
    pairs = [pair for rows in zip(*corpus, strict=True) for pair in zip(*rows, strict=True)]
    assert (found.tokens, found.correct_tokens) == (len(pairs), sum(a == b for a, b in pairs))


@given(corpora(PLAIN))
def test_correct_spans_are_those_that_both_have(corpus):
    both = [
        [(row, *span) for row, tags in enumerate(sequences) for span in spans(tags)]
        for sequences in corpus
    ]
    assert report(*corpus).total == (*map(len, both), len(set(both[0]) & set(both[1])))


@given(st.lists(st.sampled_from([*SCRIPT, *PLAIN]), max_size=9))
def test_spans_are_as_many_as_are_counted(tags):
    found = spans(tags)
    assert len(found) == report([tags], [tags]).total.true
    assert all(a.stop <= b.start for a, b in pairwise(found))
    assert all(0 <= span.start < span.stop <= len(tags) for span in found)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("", ""),
        ("O O", ""),
        ("O I-X I-X O", "1:3:X"),
        ("B-X B-X I-X", "0:1:X 1:3:X"),
        ("B-Y I-X", "0:1:Y 1:2:X"),
        ("I-X I-Y B-Y", "0:1:X 1:2:Y 2:3:Y"),
        ("B-X E-X E-X I-X", "0:2:X 2:3:X 3:4:X"),
        ("B-X I-X E-X B-X E-X S-X O S-Y", "0:3:X 3:5:X 5:6:X 7:8:Y"),
        ("B-X I-X L-X U-X U-X B-X M-X E-X", "0:3:X 3:4:X 4:5:X 5:8:X"),
        ("S-X I-X B-X S-X", "0:1:X 1:2:X 2:3:X 3:4:X"),
        ("B I O I B", "0:2: 3:4: 4:5:"),
        ("B-gene-name I-gene-name I-gene", "0:2:gene-name 2:3:gene"),
        ("[-X ]-X [-X", "0:1:X 1:2:X 2:3:X"),
        ("B-X .", "0:1:X"),
        ("NN VB", ""),
    ],
)
def test_spans_of_a_sequence(tags, expected):
    found = " ".join(f"{start}:{stop}:{kind}" for start, stop, kind in spans(tags.split()))
    assert found == expected


def counts(true, predicted):
    return report(*([row.split() for row in rows.split("|")] for rows in (true, predicted))).total


@pytest.mark.parametrize(
    ("true", "predicted", "expected"),
    [
        ("B-X I-X O", "B-X I-X O", (1, 1, 1)),
        ("B-X I-X O", "I-X I-X O", (1, 1, 1)),  # a span all the same
        ("B-X I-X I-X", "B-X I-X O", (1, 1, 0)),
        ("B-X I-X I-X", "O B-X I-X", (1, 1, 0)),
        ("B-X B-X", "B-X I-X", (2, 1, 0)),
        ("B-X I-X", "B-X I-Y", (1, 2, 0)),
        ("B-X I-X", "B-Y I-Y", (1, 1, 0)),
        ("B-X I-X B-X", "B-X B-X B-X", (2, 3, 1)),
        ("B-X | I-X", "B-X | I-X", (2, 2, 2)),  # two sentences, two spans
        ("B-X | | O", "B-X | | B-X", (1, 2, 1)),
        ("O O", "B-X O", (0, 1, 0)),
        ("I I", "I .", (1, 1, 0)),
        ("I . | O", "I . | O", (1, 1, 1)),  # the script ends it with the text
        ("I . | O", "I . | I", (1, 2, 0)),
        ("I . | I", "I . | O", (2, 1, 0)),
    ],
)
def test_counts_by_hand(true, predicted, expected):
    assert counts(true, predicted) == expected


def test_scores_of_types():
    found = report([["B-X", "O", "B-Y", "I-Y", "O"]], [["B-X", "B-X", "B-Y", "O", "B-Z"]])
    assert found.types == {"X": (1, 2, 1), "Y": (1, 1, 0), "Z": (0, 1, 0)}
    assert (found.precision, found.recall, found.f1) == (1 / 4, 1 / 2, 1 / 3)
    assert (found.accuracy, found.types["X"].f1) == (2 / 5, 2 / 3)
    assert (found.types["Z"].precision, found.types["Z"].recall, found.types["Z"].f1) == (0, 0, 0)


@pytest.mark.parametrize("rows", [[], [[]], [[], []]])
def test_no_tokens(rows):
    found = report(rows, rows)
    assert found == SpanReport(0, 0, Counts(0, 0, 0), {})
    assert (found.accuracy, found.precision, found.recall, found.f1) == (0, 0, 0, 0)
    assert str(found) == "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0."


def test_no_spans():
    found = report([["O", "O"]], [["O", "O"]])
    assert (found.accuracy, found.f1, found.types) == (1, 0, {})


def test_text_is_that_of_the_script():
    true = ["B-NP I-NP B-VP O", "B-PP B-NP I-NP . B", "I-NP I O I-LST"]
    predicted = ["B-NP I-NP B-VP B-NP", "B-PP I-NP I-NP O B", "I-NP O I O"]
    found = report(*([row.split() for row in rows] for rows in (true, predicted)))
    assert str(found) == (
        "processed 13 tokens with 7 phrases; found: 8 phrases; correct: 5.\n"
        "accuracy:  53.85%; precision:  62.50%; recall:  71.43%; FB1:  66.67\n"
        "                 : precision:   0.00%; recall:   0.00%; FB1:   0.00  2\n"
        "                 : precision:   0.00%; recall:   0.00%; FB1:   0.00  2\n"
        "              LST: precision:   0.00%; recall:   0.00%; FB1:   0.00  0\n"
        "               NP: precision:  75.00%; recall: 100.00%; FB1:  85.71  4\n"
        "               PP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1\n"
        "               VP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1"
    )
    table = str(SpanReport(47_377, 45_452, Counts(23_852, 23_896, 22_306), {}))
    assert table == (
        "processed 47377 tokens with 23852 phrases; found: 23896 phrases; correct: 22306.\n"
        "accuracy:  95.94%; precision:  93.35%; recall:  93.52%; FB1:  93.43"
    )


def test_a_type_called_0_keeps_its_name():
    assert report([["B-0", "B"]], [["B-0", "O"]]).types == {"": (1, 0, 0), "0": (1, 1, 1)}


def test_tags_of_equal_parts_are_equal():
    found = report([["B", "B-"]], [["B-", "B"]])
    assert (found.correct_tokens, found.total) == (2, (2, 2, 2))


def test_bad_input():
    with pytest.raises(ValueError, match="there are 2 true sequences and 1 predicted"):
        report([["O"], ["O"]], [["O"]])
    with pytest.raises(ValueError, match="sequence 1 has 2 tags, and 1 predicted"):
        report([["O"], ["O", "O"]], [["O"], ["O"]])
    with pytest.raises(ValueError, match="must be arrays of the same length"):
        evaluate(["O"], [0, 0], [0], [0, 2])
    for offsets in ([0, 1], [1, 2], [0, 3, 2], []):
        with pytest.raises(ValueError, match="must rise from 0 to 2"):
            evaluate(["O"], [0, 0], [0, 0], offsets)
    for code in (-1, 1):
        with pytest.raises(ValueError, match="must be from 0 to 0"):
            evaluate(["O"], [0, 0], [0, code], [0, 2])


@pytest.mark.slow
def test_chunks_of_conll2000(dataset):
    tags = dataset("conll2000").y_test
    found = report(tags, tags)
    assert (found.tokens, found.total.true) == (47_377, 23_852)
    assert found.accuracy == found.precision == found.recall == found.f1 == 1
    assert found.types["NP"] == (12_422, 12_422, 12_422)
    assert spans(tags[0])[:2] == [Span(0, 3, "NP"), Span(3, 6, "NP")]

    classes, codes = np.unique(np.concatenate(tags.tolist()), return_inverse=True)
    rng = np.random.default_rng(0)
    noisy = np.where(
        rng.random(len(codes)) < 0.05, rng.integers(0, len(classes), len(codes)), codes
    )
    offsets = np.cumsum([0, *map(len, tags)])
    guess = np.split(classes[noisy], offsets[1:-1])
    found = evaluate(classes.tolist(), codes, noisy, offsets)
    assert (found.types, found.total) == plain(tags, guess)
    assert found.correct_tokens == np.count_nonzero(codes == noisy)
