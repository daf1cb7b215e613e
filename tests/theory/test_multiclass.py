"""Separability of more than two classes."""

import json
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st

from rosenblatt import Inseparable, Separable, separate
from rosenblatt.theory.certificates import Certificate
from rosenblatt.theory.multiclass import Separations
from tests.conftest import examples

ROWS = np.array([[0.0, 0], [1, 0], [2, 0], [1, 1]])
LABELS = ["x", "y", "z", "y"]


def whole_numbers(seed, n_classes):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 12)])
    return rng.integers(-3, 4, (len(y), 2)).astype(float), y


@examples(
    quick=10,
    full=200,
    seed=st.integers(0, 10_000),
    n_classes=st.integers(3, 4),
    fit_intercept=st.booleans(),
)
def test_each_answer_is_that_of_two_classes(seed, n_classes, fit_intercept):
    X, y = whole_numbers(seed, n_classes)
    rest = separate(X, y, fit_intercept)
    assert list(rest) == list(range(n_classes))
    for label, answer in rest.items():
        expected = separate(X, y == label, fit_intercept)
        assert answer.separable == expected.separable
        assert answer.verify(*rest.part(label, X, y))
    pairs = separate(X, y, fit_intercept, multi_class="ovo")
    assert list(pairs) == list(combinations(range(n_classes), 2))
    for (a, b), answer in pairs.items():
        rows = np.isin(y, (a, b))
        assert answer.separable == separate(X[rows], y[rows], fit_intercept).separable
        assert answer.verify(*pairs.part((a, b), X, y))
        # A class that is separable from all others is so from each.
        assert answer.separable or not (rest[a].separable or rest[b].separable)
    for answers in (rest, pairs):
        assert answers.separable == all(answer.separable for answer in answers.values())
        assert bool(answers) == answers.separable
        verdict = answers.verify(X, y)
        assert verdict.ok
        assert verdict.exact
        again = Separations.from_json(answers.to_json())
        assert again == answers
        assert again.verify(X, y)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix, sp.csc_matrix, np.ndarray.tolist])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_every_layout(layout, multi_class):
    found = separate(layout(ROWS), LABELS, multi_class=multi_class)
    assert found == separate(ROWS, LABELS, multi_class=multi_class)
    assert found.verify(layout(ROWS), LABELS)


def test_it_reads_as_a_table():
    assert str(separate(ROWS, LABELS)).splitlines() == [
        "Not separable: 2 of 3 classes are linearly separable from the rest.",
        "  class   separable",
        "  x       yes         margin 0.5",
        "  y       no          3 points show it",
        "  z       yes         margin 0.5",
    ]
    assert str(separate(ROWS, LABELS, multi_class="ovo")).splitlines()[:3] == [
        "Separable: 3 of 3 pairs of classes are linearly separable.",
        "  classes   separable",
        "  x – y     yes         margin 0.5",
    ]


def test_two_classes_are_answered_as_ever():
    for multi_class in ("ovr", "ovo"):
        assert isinstance(separate([[0.0], [1.0]], [0, 1], multi_class=multi_class), Separable)
        same = separate([[0.0], [0.0]], [0, 1], multi_class=multi_class)
        assert isinstance(same, Inseparable)


def test_the_class_is_on_the_positive_side():
    answers = separate(ROWS, LABELS)
    assert "'x' on its positive side" in str(answers["x"])
    assert answers["x"].hyperplane.score(ROWS)[0] > 0
    pair = separate(ROWS, LABELS, multi_class="ovo")["x", "z"]
    assert "'z' on its positive side" in str(pair)
    assert pair.hyperplane.score(ROWS[[0, 2]]).round(6).tolist() == [-1, 1]


def test_other_data_are_not_what_it_is_about():
    answers = separate(ROWS, LABELS)
    other = answers.verify(ROWS, ["x", "y", "y", "z"])
    assert not other
    assert other.reason.startswith("y: ")
    for y in (["x", "y", "w", "y"], ["x", "y", "y", "y"], ["x"] * 4, ["x"]):
        found = answers.verify(ROWS, y)
        assert not found
        assert "these cannot be the certificates' data" in found.reason
    moved = answers.verify(ROWS[[1, 0, 2, 3]], LABELS)
    assert not moved


def test_rows_of_a_pair():
    answers = separate(ROWS, LABELS, multi_class="ovo")
    rows = answers.rows(("x", "z"), LABELS)
    assert rows.tolist() == [0, 2]
    assert rows[answers["x", "z"].support].tolist() == [0, 2]
    assert separate(ROWS, LABELS).rows("x", LABELS).tolist() == [0, 1, 2, 3]


def test_labels_keep_their_types():
    for labels in ([0, 1, 2, 1], [False, True, True, False], [-1.0, 0.0, 1.0, 0.0]):
        answers = separate(ROWS, labels)
        if len(set(labels)) > 2:
            assert list(answers) == sorted(set(labels))
            assert list(Separations.from_json(answers.to_json())) == sorted(set(labels))


def test_progress_names_the_class(capsys):
    separate(ROWS, LABELS, verbose=True)
    told = capsys.readouterr().err.splitlines()
    assert all(line.startswith("separate: ") for line in told)
    assert {line.split(": ")[1] for line in told} == {"x", "y", "z"}


@pytest.mark.parametrize("multi_class", ["auto", None, "multinomial", 1])
def test_unknown_questions(multi_class):
    with pytest.raises(ValueError, match="multi_class must be 'ovr' or 'ovo', got"):
        separate(ROWS, LABELS, multi_class=multi_class)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content.pop("answers"),
        lambda content: content.update(answers=content["answers"][:2]),
        lambda content: content.update(multi_class="all"),
        lambda content: content.update(certificate="Separable"),
        lambda content: content.update(classes=3),
        lambda content: content["answers"][0].update(weights=[2]),
    ],
)
def test_json_that_is_none_of_these(damage):
    content = json.loads(separate(ROWS, LABELS).to_json())
    damage(content)
    with pytest.raises(ValueError, match="these are not the certificates of several classes"):
        Separations.from_json(json.dumps(content))


def test_one_certificate_is_not_several():
    one = separate([[0.0], [1.0]], [0, 1]).to_json()
    with pytest.raises(ValueError, match="not the certificates of several"):
        Separations.from_json(one)
    with pytest.raises(ValueError, match="unknown type of certificate 'Separations'"):
        Certificate.from_json(separate(ROWS, LABELS).to_json())
