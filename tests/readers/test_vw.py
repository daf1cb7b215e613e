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


def by_reference(content, dtype, ngrams=1):
    """Read a whole text line by line; return the rows, and how many lines are wrong."""
    rows, wrong = [], 0
    lines = content.decode("utf-8", "backslashreplace").split("\n")
    for number, line in enumerate(lines, 1):
        try:
            found = vw_line(line, ngrams)
            if found is None:
                continue
            with np.errstate(over="ignore"):
                values = [float(np.dtype(dtype).type(value)) for _, value in found.features]
            if not all(map(math.isfinite, values)):
                raise ValueError("too large")
            names = [name for name, _ in found.features]
            label, weight, tag = as_label(found.label), found.weight, found.tag
            rows.append((number, label, weight, tag, names, values, found.hashes))
        except ValueError:
            wrong += 1
    return rows, wrong


def again_if_named(rows):
    """Return the rows whose names say all: with several carets a name may be a chain or a run."""
    return [row for row in rows if all(name.count("^") < 2 for name in row[4])]


def same_label(one, other):
    missing = other is None and (one is None or one != one)
    return missing or one == other


@pytest.mark.slow
@pytest.mark.parametrize("ngrams", [1, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fuzz(dtype, ngrams):
    lines, reading = corpus("*.vw"), {"dtype": dtype, "ngrams": ngrams}
    for text in inputs(lines, how_many() // 4, seed=len(dtype) + ngrams):
        names = Kept()
        found, problems = examples(vw, text, names, skip=True, **reading)
        rows, wrong = by_reference(text, dtype, ngrams)
        if ngrams > 1 and "\\x" in text.decode(errors="backslashreplace"):
            continue  # which namespaces belong together is not seen in what Python decodes
        assert problems.count == wrong, text
        named = [(*row[:4], [names.name(j) for j in row[4]], row[5]) for row in found]
        assert [(row[0], *row[2:]) for row in named] == [(row[0], *row[2:6]) for row in rows], text
        assert all(same_label(a[1], b[1]) for a, b in zip(named, rows, strict=True)), text
        hashed = Hashed(18)
        again, problems = examples(vw, text, hashed, skip=True, **reading)
        assert problems.count == wrong, text
        if "\\x" not in text.decode(errors="backslashreplace"):  # else names are not as they were
            expected = [[name & hashed.mask for name in row[6]] for row in rows]
            assert [row[4] for row in again] == expected, text
            for row in again_if_named(rows) if ngrams == 1 else ():
                assert hashed.columns(row[4]).tolist() == [name & hashed.mask for name in row[6]]
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
        (b"1 |a b:2x", 8, 'expected a finite number as value, found: "2x"'),
        (b"1 |a b:12:30", 8, "expected a finite number as value"),
        (b"1 |a b:-inf", 8, "expected a finite number as value"),
        (b"1 |a b: NaN", 9, "expected a finite number as value"),
        (b"1 |a \r:2", 6, "expected the name of a feature"),
        (b"1 |a b:x|c d", 8, "a bar within a value"),
        (b"1 |a b: |c d", 9, "a bar within a value"),
        (b"'first 1 |a", 1, "a tag comes last before the bar, after label and weight; found: \"'f"),
        (b"1:2:0.5 |a", 1, "the cost of an action (action:cost:probability), and no learner"),
        (b"1 2:2:0.5 |a", 3, "contextual bandit"),
        (b"ca 1:2:3:4 |a", 4, "contextual bandit"),
        (b"1:0.5 2:1.5 |a", 1, 'write the one class of the line as its label, instead of: "1:0.5"'),
        (b"1 2:1.5 |a", 3, "no learner here is cost-sensitive"),
        (b"1,2,3 |a", 1, "no learner here is multilabel"),
        (b"shared |a", 1, "every line is an example; write the features into each line"),
        (b"ccb shared |a", 5, "conditional contextual bandit or slates"),
        (b"slates slot 0 1:0.8 |a", 8, "conditional contextual bandit or slates"),
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


# What the vowpalwabbit package reads: label, weight, tag, and columns with 18 bits, and values.
FACTS = [
    ("1 |a b", 1, 1, "", [(144016, 1)]),
    ("1|a b", None, 1, "1", [(144016, 1)]),
    ("tag|a b", None, 1, "tag", [(144016, 1)]),
    ("'tag |a b", None, 1, "tag", [(144016, 1)]),
    ("1 tag|a b", 1, 1, "tag", [(144016, 1)]),
    ("1 2 tag|a b", 1, 2, "tag", [(144016, 1)]),
    ("1 2 0.5 tag|a b", 1, 2, "tag", [(144016, 1)]),
    ("1 2 0.5 'it's |a b", 1, 2, "it's", [(144016, 1)]),
    ("1e3 .5 |a b:-.5", 1000, 0.5, "", [(144016, -0.5)]),
    ("|5 3 a -3 03", None, 1, "", [(8, 1), (66185, 1), (209885, 1), (8, 1)]),
    ("|a :0.5 b :2 :", None, 1, "", [(92594, 0.5), (144016, 1), (92595, 2), (92596, 1)]),
    ("| :0.5 | :2", None, 1, "", [(0, 0.5), (0, 2)]),
    ("|ns city:oslo :abc b^c", None, 1, "", [(135751, 1), (16258, 1), (55607, 1)]),
    ("| city:oslo", None, 1, "", [(225458, 1)]),
    ("|a:2 b:x c", None, 1, "", [(208956, 1), (120964, 2)]),
    (
        "|a e: 5 f: .5 g:  oslo b:",
        None,
        1,
        "",
        [(141992, 5), (57920, 0.5), (168919, 1), (144016, 1)],
    ),
    ("| a|b c|d", None, 1, "", [(92594, 1), (37234, 1)]),
    ("|a 12345678901234567890", None, 1, "", [(29828, 1)]),
]


@pytest.mark.parametrize(("line", "label", "weight", "tag", "features"), FACTS)
def test_a_line_is_read_as_vw_reads_it(line, label, weight, tag, features):
    ((_, found, own_weight, own_tag, columns, values),), _ = examples(
        vw, line.encode() + b"\n", Hashed(18)
    )
    assert same_label(found, label)
    assert (own_weight, own_tag) == (weight, tag)
    assert columns == [column for column, _ in features]
    assert values == [value for _, value in features]


def test_names_of_features_without_a_name_or_with_a_word():
    names = Kept()
    line = b"1 |ns city:oslo :0.5 :abc b^c |5 :1 3 a:\n"
    ((*_, columns, _),), _ = examples(vw, line, names)
    expected = ["ns^city^oslo", "ns^0", "ns^abc", "ns^b^c", "5^0", "5^3", "5^a"]
    assert [names.name(j) for j in columns] == expected
    # A dict has the same columns, but for a name with two carets: that is taken as one name.
    ((*_, hashed, _),), _ = examples(vw, line, Hashed(18))
    assert [a == b for a, b in zip(Hashed(18).columns(expected).tolist(), hashed, strict=True)] == [
        False,
        *[True] * 6,
    ]


def test_ngrams_are_those_of_vw():
    names = Kept()
    text = b"1 |ns a b |nt c:2 d:0 |x e |ns f\n"
    ((*_, columns, values),), _ = examples(vw, text, names, ngrams=3)
    assert [names.name(j) for j in columns][6:] == [
        "ns^a^b",
        "ns^b^c",
        "nt^c^f",
        "ns^a^b^c",
        "ns^b^c^f",
    ]
    assert values == [1, 1, 2, 0, 1, 1, 1, 1, 1, 1, 1]
    text = b"1 |ns a b |nt c:2 city:oslo :3\n"  # columns that vw --ngram 3 printed
    ((*_, columns, _),), _ = examples(vw, text, Hashed(18), ngrams=3)
    grams = [218362, 180704, 207829, 15688, 40618, 159997, 71072]
    assert columns == [180474, 50664, 248728, 22173, 14367, *grams]


def test_ngrams_in_pieces_and_with_long_names():
    line = b"1 |" + b"n" * 300 + b" " + b" ".join(b"f%d" % k for k in range(3000)) + b"\n"
    names = Kept()
    found, _ = examples(vw, line * 3, names, ngrams=2)
    assert [len(row[4]) for row in found] == [5999] * 3
    assert names.name(5998) == "n" * 300 + "^f2998^f2999"
    assert found[0][4] == found[1][4] == list(range(5999))


def spaces_of(text, **options):
    """Return the names of the features that are left."""
    names = Kept()
    examples(vw, text, names, **options)
    return [names.name(j) for j in range(names.n_features)]


def test_namespaces_are_left_out_or_kept():
    text = b"1 |user a b:x |ad:2 c | d |userid e\n-1 | f |ad g\n"
    assert spaces_of(text, drop=("user",)) == ["ad^c", "d", "userid^e", "f", "ad^g"]
    assert spaces_of(text, drop=("default", "ad")) == ["user^a", "user^b^x", "userid^e"]
    assert spaces_of(text, keep=("user",)) == ["user^a", "user^b^x"]
    assert spaces_of(text, keep=(" ", "userid")) == ["d", "userid^e", "f"]
    assert spaces_of(text, keep=("ad",), ngrams=2, learning=True) == ["ad^c", "ad^g"]
    hashed, _ = examples(vw, text, Hashed(18), drop=("user", "default"))
    expected = Hashed(18).columns(["ad^c", "userid^e", "ad^g"]).tolist()
    assert [row[4] for row in hashed] == [expected[:2], expected[2:]]
    assert [row[5] for row in hashed] == [[2, 1], [1]]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            {"drop": ("usr",)},
            "--ignore 'usr': no line has this namespace; did you mean 'user'? There",
        ),
        (
            {"keep": ("u",)},
            "--keep 'u': no line has this namespace; did you mean 'user'? There are",
        ),
        ({"drop": ("x",)}, "--ignore 'x': no line has this namespace; there are 'user', 'ad'"),
        ({"drop": ("default",)}, "--ignore 'default': no line has this namespace; there are"),
    ],
)
def test_unknown_namespaces(options, problem):
    text = b"1 |user a |ad b\n"
    with pytest.raises(DataError) as error:
        examples(vw, text, learning=True, **options)
    assert str(error.value).startswith(f"f: {problem}")
    examples(vw, text, **options)  # to predict, it need not be there


def test_a_file_of_tags_only_is_refused_where_labels_are_needed():
    with pytest.raises(DataError, match=r'no line has a label: a word that touches.*: "1"'):
        examples(vw, b"1|a b\n-1|a c\n", learning=True)
    examples(vw, b"1|a b\n-1 |a c\n", learning=True)
    found, _ = examples(vw, b"1|a b\n")
    assert same_label(found[0][1], None)


@pytest.mark.parametrize(
    "label", ["a:b", "1:a", "a,b", "1,a", "1,", "New-York", "ccb", "slates", "ca", "12:"]
)
def test_names_that_look_a_little_like_costs(label):
    found, _ = examples(vw, f"{label} |a b\n{label} 2 tag|a b\n".encode())
    assert [row[1] for row in found] == [label, label]
