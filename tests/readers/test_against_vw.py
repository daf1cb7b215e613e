"""VW text and JSON, read as the vowpalwabbit package reads them: row by row, hash for hash.

The package is in the group ``bench`` of pyproject.toml, not in ``dev``; without it these tests are
skipped. What they found is also in tests that always run, in test_vw.py and test_vwjson.py.
"""

import json
import random
import subprocess
import sys

import numpy as np
import pytest

from rosenblatt.readers import vw, vwjson
from rosenblatt.readers.names import Hashed, Kept

from .plain import examples

vowpalwabbit = pytest.importorskip(
    "vowpalwabbit", reason="install the group bench to compare with vowpalwabbit"
)

MASK = 2**18 - 1
NO_LABEL = np.float32(3.4028235e38)
_WORDS = ["a", "b", "city", "naïve", "日本", "x_1", "http", "id17", "A.B", "-", "%", "0x", "1a"]
_NUMBERS = ["0.5", "2", "1e3", "+1", ".5", "-.5", "1.", "-2.25", "1E-2", "3e+1", "0", "-0", "007"]
_SPACES = ["user", "ad", "ü", "5", "17", "a", "as", "u", "0"]
_STRINGS = ["oslo", "x:y", "naïve", "http://a.b:80/", "-abc", "+", "日本", "_", "a=b", "12", "x"]


def value(rng):
    """Return what may follow a name: nothing, a number or a word, possibly after a blank."""
    kind = rng.randrange(8)
    blank = rng.choice(["", "", "", " ", "  "])
    if kind < 3:
        return ""
    if kind < 6:
        return f":{blank}{rng.choice(_NUMBERS)}"
    return f":{blank}{rng.choice([*_STRINGS[:-2], 'z'])}"


def name(rng):
    return rng.choice([*_WORDS, str(rng.randrange(300_000)), "12345678901234567890"])


def line_of(rng):
    """Make a line with some of all that the format has."""
    head = rng.choice(
        ["", "1", "-1", "1 2", "0.5 1e1", "1 2 0.5", "+1", "1e3 .5", "-.5", "3. 1 -2", " 1  2 "]
    )
    tag = rng.choice(["", "", "tag", "'tag", "'q ", "1", "it's", "a:b"])
    parts = [head + " " * (bool(head) and (bool(tag) or rng.random() < 0.9)) + tag]
    for _ in range(rng.randrange(4)):
        space = rng.choice(["", "", *_SPACES])
        scale = f":{rng.choice(_NUMBERS)}" if space and rng.random() < 0.2 else ""
        features = [
            rng.choice(
                [name(rng) + value(rng), f":{rng.choice(_NUMBERS)}", f":{rng.choice('uvw')}"]
            )
            for _ in range(rng.randrange(6))
        ]
        blanks = [rng.choice([" ", " ", "  ", "\t"]) for _ in features]
        words = "".join(blank + word for blank, word in zip(blanks, features, strict=True))
        # A bar that touches a value that is a word would be a part of it.
        last = words.rpartition(":")[2].strip() if ":" in words else "1"
        touches = last in _NUMBERS
        parts.append(space + scale + words + (rng.choice(["", " "]) if touches else " "))
    return "|".join(parts) if len(parts) > 1 else parts[0] + "|"


def theirs(workspace, line):
    """Return label, weight, tag and features as the package reads them."""
    example = workspace.parse(line, vowpalwabbit.LabelType.SIMPLE)
    try:
        found = sorted((i & MASK, v) for i, v in example.iter_features())
        label = example.get_simplelabel_label()
        weight = example.get_simplelabel_weight()
        return label, weight, example.get_tag(), found
    finally:
        workspace.finish_example(example)


def ours(module, line, **options):
    """Return the same as it is read here; values of zero are left out, as VW does."""
    found, problems = examples(
        module, line.encode() + b"\n", Hashed(18), skip=True, dtype="float32", **options
    )
    assert not problems.messages
    if not found:
        return NO_LABEL, 1.0, "", []
    ((_, label, weight, tag, columns, values),) = found
    label = NO_LABEL if label is None or label != label else label
    pairs = sorted((i, v) for i, v in zip(columns, values, strict=True) if v)
    return label, weight, tag, pairs


def assert_same(line, found, expected):
    assert found[2] == expected[2], line
    np.testing.assert_allclose(found[:2], expected[:2], rtol=1e-6, err_msg=line)
    assert [i for i, _ in found[3]] == [i for i, _ in expected[3]], line
    np.testing.assert_allclose(
        [v for _, v in found[3]], [v for _, v in expected[3]], rtol=1e-6, err_msg=line
    )


@pytest.mark.parametrize("ngrams", [1, 2, 3])
def test_lines(ngrams):
    options = f" --ngram {ngrams}" if ngrams > 1 else ""
    workspace = vowpalwabbit.Workspace(f"--quiet --noconstant -b 18{options}")
    rng = random.Random(ngrams)
    for _ in range(1500):
        line = line_of(rng)
        end = rng.choice(["", "\r"])
        assert_same(line, ours(vw, line + end, ngrams=ngrams), theirs(workspace, line + end))
    workspace.finish()


OTHERWISE = [
    # A value of letters is a word here; VW reads some as zero, or as NaN, and drops the rest.
    ("1 |a e:e5 f", [57920], [57920, 182467]),
    ("1 |a e:- f", [57920], [57920, 172459]),
    ("1 |a e:nantes f", [], [57920, 158056]),
    # What begins as a number and is none is an error.
    ("1 |a c:inf", [120964], None),
    ("1 |a e:2abc f", [141992], None),
    ("1 |a e:12:30 f", [141992], None),
    # VW takes the bar for a part of the word.
    ("1 |a e:x|b c", [39484, 120964], None),
    # A namespace without a name may have a value, which VW does not read.
    ("1 |:2 a", [], [92594]),
    # Names are cut at their first caret, so that a dict may have them.
    ("1 |a^b c", [129673], [159606]),
    ("1 | a^b", [222838], [144016]),
    # A tab is a blank; VW drops what is before one, and takes a number after one for a word.
    ("1\t|a b", [144016], [144016]),
    ("1 |a f:\t.5", [45527], [57920]),
]


@pytest.mark.parametrize(("line", "columns", "own"), OTHERWISE)
def test_what_the_package_reads_otherwise(line, columns, own):
    """The guide lists these differences."""
    workspace = vowpalwabbit.Workspace("--quiet --noconstant -b 18")
    label, *_, expected = theirs(workspace, line)
    workspace.finish()
    assert sorted(i for i, _ in expected) == columns
    assert label == (1 if "\t|" not in line else NO_LABEL)
    found, problems = examples(vw, line.encode() + b"\n1 |\n", Hashed(18), skip=True)
    assert problems.count == (own is None)
    assert own is None or (sorted(found[0][4]), found[0][1]) == (sorted(own), 1)


def audit(path, *options):
    """Return for each line the names, columns and values that ``--audit`` prints."""
    command = [sys.executable, "-m", "vowpalwabbit", "-t", "--audit", "--noconstant", "--quiet"]
    out = subprocess.run(
        [*command, *options, "-d", str(path)], capture_output=True, check=True
    ).stdout.decode()
    rows = []
    for line in out.split("\n"):
        if line.startswith("\t"):
            rows.append([item.rsplit(":", 3)[:3] for item in line[1:].split("\t")])
    return rows


@pytest.mark.parametrize("ngrams", [1, 3])
def test_names_are_those_of_audit(tmp_path, ngrams):
    lines = [
        "1 |ns city:oslo a b^c 5:2 |ad:2 x:.5 at:http://q",
        "1 | city:oslo x |5 3 a",
        "1 |user a b |ü c:0 d",
    ]
    path = tmp_path / "x.vw"
    path.write_text("\n".join(lines) + "\n")
    rows = audit(path, *(["--ngram", str(ngrams)] if ngrams > 1 else []))
    for line, row in zip(lines, rows, strict=True):
        names = Kept()
        ((*_, columns, values),), _ = examples(vw, line.encode(), names, ngrams=ngrams)
        kept = {names.name(j) for j, v in zip(columns, values, strict=True) if v}
        # VW leaves the word out of a name in an n-gram, so that several have the same.
        shown = {name for name, *_ in row}
        assert {
            name for name in kept if ngrams == 1 or not {"city", "at"} & {*name.split("^")}
        } <= shown
        assert len(row) == sum(map(bool, values))


def object_of(rng, depth=0):
    """Make an object of Vowpal Wabbit's JSON."""
    # VW 9.11 writes where it must not if a namespace of JSON begins with a letter beyond ASCII.
    keys = [*_WORDS, *_SPACES, "_ignored", " k", "k y", "3"]
    spaces, found = [key for key in keys if key[0] < "~"], {}
    for _ in range(rng.randrange(6)):
        kind, key = rng.randrange(9), rng.choice(keys)
        space = rng.choice(spaces)
        if kind == 0 and depth < 3:
            found[space] = object_of(rng, depth + 1)
        elif kind == 1:
            found[space] = [rng.choice([1, 0, -2.5, None, 7]) for _ in range(rng.randrange(5))]
        elif kind == 2 and depth < 3:
            found[space] = [object_of(rng, depth + 2) for _ in range(2)]
        elif kind == 3:
            found[key] = rng.choice([True, False, None])
        elif kind == 4:
            found["_text"] = " ".join(rng.choice(_STRINGS) for _ in range(rng.randrange(4)))
        elif kind == 5:
            found[key] = rng.choice([*_STRINGS, "New York", "a|b", ""])
        else:
            found[key] = rng.choice([1, 2.5, -0.25, 0, 1e3, 123456])
    return found


def json_line(rng):
    label = rng.choice(
        [
            {"_label": 1},
            {"_label": "-1"},
            {"_label": "1 2 0.5"},
            {"_label": {"Label": 2, "Weight": 3}},
            {"_label_label": 0.5, "_label_weight": 2},
            {"_label": None},
        ]
    )
    return {**label, **object_of(rng), "zz": 1}


def test_json(tmp_path):
    rng = random.Random(3)
    lines = [json.dumps(json_line(rng), ensure_ascii=False) for _ in range(1500)]
    path = tmp_path / "x.json"
    path.write_text("\n".join(lines) + "\n")
    rows = audit(path, "--json")
    assert len(rows) == len(lines)
    for line, row in zip(lines, rows, strict=True):
        expected = sorted((int(column), float(number)) for _, column, number in row)
        found = ours(vwjson, line)[3]
        assert [i for i, _ in found] == [i for i, _ in expected], line
        np.testing.assert_allclose(
            [v for _, v in found], [v for _, v in expected], rtol=1e-5, err_msg=line
        )
