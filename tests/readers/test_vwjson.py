"""Vowpal Wabbit's JSON: names, values and columns as VW has them, and what is refused."""

import json

import pytest

from rosenblatt.readers import vwjson
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.formats import recognise
from rosenblatt.readers.names import Hashed, Kept

from .plain import examples

# The columns are those that vw --json --audit printed, with 18 bits.
LINE = {
    "_label": 1,
    "_tag": "t1",
    "city": "Oslo x:y",
    "n": 2.5,
    "ok": True,
    "no": False,
    "nul": None,
    "user": {"age": 41, "home": {"rooms": 3, "arr": [1, 0, 2.5]}, "name": "Bo"},
    "v": [0.5, 0, 1.5, None, 2],
    "_text": "a b:c d",
    "objs": [{"a": 1}, {"b": "q"}],
    "5": {"3": 1, "x": 2},
    "_ignored": {"q": 1},
}
FEATURES = [
    ("cityOslo_x_y", 111219, 1),
    ("n", 121004, 2.5),
    ("ok", 185439, 1),
    ("user^age", 23567, 41),
    ("home^rooms", 187361, 3),
    ("arr^0", 19604, 1),
    ("arr^1", 19605, 0),
    ("arr^2", 19606, 2.5),
    ("user^nameBo", 18293, 1),
    ("v^0", 248917, 0.5),
    ("v^1", 248918, 0),
    ("v^2", 248919, 1.5),
    ("v^3", 248920, 2),
    ("a", 92594, 1),
    ("b_c", 59201, 1),
    ("d", 70771, 1),
    ("objs^a", 43958, 1),
    ("objs^bq", 28552, 1),
    ("5^3", 8, 1),
    ("5^x", 114316, 2),
]


def read(line, names=None, **options):
    text = line if isinstance(line, bytes) else json.dumps(line).encode()
    return examples(vwjson, text, names, **options)


def test_a_line_has_the_features_of_vw():
    names = Kept()
    ((number, label, weight, tag, columns, values),), _ = read(LINE, names)
    assert (number, label, weight, tag) == (1, 1, 1, "t1")
    assert [names.name(j) for j in columns] == [name for name, _, _ in FEATURES]
    assert values == [value for _, _, value in FEATURES]
    ((*_, columns, values),), _ = read(LINE, Hashed(18))
    assert columns == [column for _, column, _ in FEATURES]
    # A dict of these names has the same columns.
    assert Hashed(18).columns([name for name, _, _ in FEATURES]).tolist() == columns


@pytest.mark.parametrize(
    ("label", "expected", "weight"),
    [
        ({"_label": -1}, -1, 1),
        ({"_label": "2.5"}, 2.5, 1),
        ({"_label": "1 2 0.5"}, 1, 2),
        ({"_label": {"Label": -1, "Weight": 2.5, "Initial": 1}}, -1, 2.5),
        ({"_label_label": 3, "_label_weight": 2}, 3, 2),
        ({"_label": "spam"}, "spam", 1),
        ({"_label": "spam 0.5"}, "spam", 0.5),
        ({"_label": None}, None, 1),
        ({"_label": ""}, None, 1),
        ({}, None, 1),
    ],
)
def test_labels_and_weights(label, expected, weight):
    ((_, found, own, _, _, _),), _ = read({**label, "a": 1})
    assert found == expected
    assert own == weight


def test_a_key_may_come_twice():
    names = Kept()
    ((*_, columns, values),), _ = read(
        b'{"a": {"_text": "x y", "b": 1, "b": 2, " k ": "v w"}}', names
    )
    assert [names.name(j) for j in columns] == ["a^x", "a^y", "a^b", "a^b", "a^k v_w"]
    assert values == [1, 1, 1, 2, 1]


@pytest.mark.parametrize(
    ("line", "column", "problem"),
    [
        ({"_label": "1:2:0.5"}, 2, "contextual bandit"),
        ({"_label": "1:0.5 2:1.5"}, 2, "no learner here is cost-sensitive"),
        ({"_label": "1,2"}, 2, "no learner here is multilabel"),
        ({"_label": {"Action": 1, "Cost": 2, "Probability": 0.5}}, 13, "Action: the cost of an"),
        (
            {"_label": {"Label": 1, "Foo": 2}},
            25,
            "Foo: no part of a label; these are Label, Weight",
        ),
        ({"_label_cost": 2, "a": 1}, 2, "_label_cost: the cost of an action"),
        ({"_label_cost": 2, "_label_probability": 1, "c": {}, "p": [1]}, 2, "dsjson"),
        ({"_multi": [{"a": 1}]}, 2, "_multi: an example of several lines"),
        ({"_labelIndex": 1}, 2, "_labelIndex: an example of several lines"),
        ({"_slots": []}, 2, "conditional contextual bandit or slates"),
        ({"_label": True}, 2, "a label must be a finite number or a string"),
        ({"_label": [1]}, 2, "a label must be a finite number or a string"),
        ({"_label": "a b c"}, 2, "a label is one word"),
        ({"_label_weight": -1}, 2, "not negative"),
        ({"_tag": 3}, 2, "_tag must be a string"),
        ({"a": ["x"]}, 2, "a list holds numbers or objects"),
        ({"a": [[1]]}, 2, "a list holds numbers or objects"),
        (b'{"a": 1e999}', 2, "a number must be finite"),
        (b'{"a": NaN}', 7, "a number must be finite"),
        (b"[1]", 1, "expected a JSON object"),
        (b'{"a": 1', 8, "expected a JSON object"),
        (b'{"\xff": 1}', 3, "this is not UTF-8"),
        (b'{"a":' * 60 + b"1" + b"}" * 60, 2, "nested deeper than 50"),
    ],
)
def test_errors_say_where_and_what(line, column, problem):
    text = line if isinstance(line, bytes) else json.dumps(line).encode()
    with pytest.raises(DataError) as error:
        read(b'{"_label": 1}\n' + text)
    assert str(error.value).startswith(f"f:2:{column}: "), error.value
    assert problem in str(error.value)
    found, problems = read(b'{"_label": 1}\n' + text + b'\n\n{"_label": 2, "a": 1}\n', skip=True)
    assert [row[0] for row in found] == [1, 4]
    assert problems.messages == [str(error.value)]


def test_namespaces_are_left_out_or_kept():
    def left(**options):
        names = Kept()
        read(LINE, names, learning=True, **options)
        return [names.name(j) for j in range(names.n_features)]

    alone = [name for name, _, _ in FEATURES if "^" not in name]
    assert left(keep=("default",)) == alone
    assert left(keep=("user", "5")) == ["user^age", "user^nameBo", "5^3", "5^x"]
    assert left(drop=("default", "v", "arr", "objs")) == [
        "user^age",
        "home^rooms",
        "user^nameBo",
        "5^3",
        "5^x",
    ]
    with pytest.raises(
        DataError, match=r"--ignore 'usr': no line .* did you mean 'user'\? There are"
    ):
        left(drop=("usr",))


def test_values_too_large_for_float32_are_refused():
    found, problems = read(
        b'{"_label": 1, "a": 1e39, "_tag": "x"}\n{"_label": 2, "a": 1, "_tag": "y"}\n',
        skip=True,
        dtype="float32",
    )
    assert [(row[0], row[1], row[3]) for row in found] == [(2, 2, "y")]
    assert "too large" in problems.messages[0]


@pytest.mark.parametrize(
    ("start", "usual", "kind"),
    [
        (b'{"_label": 1, "a": 2}\n', None, "vwjson"),
        (b'{"a": 2, "_label": {"Label": 1}}\n', None, "vwjson"),
        (b'{"_label_cost": 1, "c": {}}\n', None, "vwjson"),
        (b'{"a": 2, "_multi": []}\n', None, "vwjson"),
        (b'{"a": 2}\n{"_label": 1}\n', None, "vwjson"),
        (b'{"_label": 1, "a": [1, 2', None, "vwjson"),
        (b'{"label": 1, "_id": 2}\n', None, "jsonl"),
        (b'{"a": {"_label": 1}}\n', None, "jsonl"),
        (b'{"a": 2}\n', "vwjson", "vwjson"),
        (b'{"_label": 1, "a": 2}\n', "jsonl", "jsonl"),
    ],
)
def test_it_is_recognised_by_its_label(start, usual, kind):
    assert recognise("x.json", start, usual) == kind
