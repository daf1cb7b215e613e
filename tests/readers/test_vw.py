"""Vowpal Wabbit's text: compiled = reference on anything, and every error says where."""

import math

import numpy as np
import pytest

from rosenblatt.readers import vw
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.names import Hashed, Kept
from rosenblatt.reference.text import vw_line

from .mutations import corpus, how_many, inputs
from .plain import examples


def as_label(word):
    try:
        number = float(word) if not word.strip("+-.0123456789eE") else math.nan
    except ValueError:
        return word or None
    return number if math.isfinite(number) else word or None


def by_reference(content, dtype):
    """Read a whole text line by line; return the rows, and how many lines are wrong."""
    rows, wrong = [], 0
    lines = content.decode("utf-8", "backslashreplace").split("\n")
    for number, line in enumerate(lines, 1):
        try:
            found = vw_line(line)
            if found is None:
                continue
            with np.errstate(over="ignore"):
                values = [float(np.dtype(dtype).type(value)) for _, value in found.features]
            if not all(map(math.isfinite, values)):
                raise ValueError("too large")
            names = [name for name, _ in found.features]
            rows.append((number, as_label(found.label), found.weight, found.tag, names, values))
        except ValueError:
            wrong += 1
    return rows, wrong


def same_label(one, other):
    missing = other is None and (one is None or one != one)
    return missing or one == other


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fuzz(dtype):
    lines = corpus("*.vw")
    for text in inputs(lines, how_many() // 2, seed=len(dtype)):
        names = Kept()
        found, problems = examples(vw, text, names, skip=True, dtype=dtype)
        rows, wrong = by_reference(text, dtype)
        assert problems.count == wrong, text
        named = [(*row[:4], [names.name(j) for j in row[4]], row[5]) for row in found]
        assert [(row[0], *row[2:]) for row in named] == [(row[0], *row[2:]) for row in rows], text
        assert all(same_label(a[1], b[1]) for a, b in zip(named, rows, strict=True)), text
        hashed = Hashed(18)
        again, problems = examples(vw, text, hashed, skip=True, dtype=dtype)
        assert problems.count == wrong, text
        if "\\x" not in text.decode(errors="backslashreplace"):  # else names are not as they were
            expected = [hashed.columns(row[4]).tolist() for row in rows]
            assert [row[4] for row in again] == expected, text
        assert [row[5] for row in again] == [row[5] for row in rows], text


def test_the_tutorials_line():
    text = (
        b"1 1.0 |MetricFeatures:3.28 height:1.5 length:2.0 "
        b"|Says black with white stripes |x HasStripes\n"
    )
    names = Kept()
    ((line, label, weight, tag, columns, values),), _ = examples(vw, text, names)
    assert (line, label, weight, tag) == (1, 1.0, 1.0, "")
    assert [names.name(j) for j in columns] == [
        "MetricFeatures^height",
        "MetricFeatures^length",
        "Says^black",
        "Says^with",
        "Says^white",
        "Says^stripes",
        "x^HasStripes",
    ]
    assert values == [1.5 * 3.28, 2.0 * 3.28, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("line", "column", "text"),
    [
        (b"1 a b", 3, "expected a | before the features"),
        (b"1 -2 |a", 3, 'expected an importance weight that is not negative, found: "-2"'),
        (b"1 x |a", 3, "expected an importance weight"),
        (b"1 |a b:x", 8, 'expected a finite number as value, found: "x"'),
        (b"1 |a b:", 8, 'found: "end of line"'),
        (b"1 |a :2", 6, 'expected the name of a feature, found: ":2"'),
        (b"1 |a:x b", 6, "expected a finite number as value"),
        (b"1 |a b:1e999", 8, "too large"),
        (b"1 2 3 4 |a", 7, "expected a number as label"),
    ],
)
def test_errors_say_where_and_what(line, column, text):
    content = b"1 |a b\n\n" + line + b"\r\n-1 |a b\n"
    with pytest.raises(DataError) as error:
        examples(vw, content)
    assert str(error.value).startswith(f"f:3:{column}: ")
    assert text in str(error.value)
    found, problems = examples(vw, content, skip=True)
    assert [row[0] for row in found] == [1, 4]
    assert problems.messages == [str(error.value)]


def test_names_longer_than_the_text():
    space = b"n" * 5000
    text = b"1 |" + space + b" " + b" ".join(b"f%d" % k for k in range(3000)) + b"\n"
    names = Kept()
    ((_, _, _, _, columns, _),), _ = examples(vw, text * 1, names)
    assert columns == list(range(3000))
    assert names.name(2999) == (space + b"^f2999").decode()


def test_a_line_of_rough_numbers():
    numbers = " ".join(f"n{k}:1.5e-30" for k in range(6000))
    for names in (Kept(), Hashed(18)):
        found, _ = examples(vw, f"1 |a {numbers}\n-1 |a b\n".encode(), names)
        assert found[0][5] == [1.5e-30] * 6000


def test_labels_that_are_names():
    found, _ = examples(vw, b"spam |a b\nham |a c\n|a d\n")
    assert [row[1] for row in found] == ["spam", "ham", None]
