"""The screen of truth tables: what it says is what the theory says."""

import json
from contextlib import redirect_stdout
from fractions import Fraction
from functools import partial
from io import StringIO
from itertools import product

import numpy as np
import pytest

from rosenblatt.lab.screens.truth import Truth
from rosenblatt.lab.truth.explanations import fraction, listed, logic, signed, words
from rosenblatt.lab.truth.functions import near, number_of, outputs_of, presets, threshold_functions
from rosenblatt.lab.truth.shapes import shapes, sides
from rosenblatt.theory.certificates import Inseparable
from rosenblatt.theory.threshold import ThresholdUnit, truth_table
from tests.conftest import takes_at_most

COUNTS = {2: 14, 3: 104, 4: 1882}
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]


@pytest.fixture
def screen():
    return Truth()


def value(text):
    """Read a fraction as the screen writes it."""
    plain = text.translate({ord("−"): "-"})
    short = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4"}
    return Fraction(short.get(plain, plain))


def check(found, outputs):
    """Check an answer against its table, without what made it."""
    n = found["n"]
    rows = truth_table(n)
    assert found["number"] == number_of(outputs)
    json.dumps(found, allow_nan=False)
    if found["threshold"]:
        unit = found["unit"]
        sums = rows @ np.array(unit["weights"])
        assert (sums >= unit["threshold"]).astype(int).tolist() == outputs
        assert [row["sum"] for row in found["rows"]] == sums.tolist()
        assert [row["fires"] for row in found["rows"]] == outputs
        assert unit["bias"] == -unit["threshold"]
        check_formula(unit["formula"], rows, outputs)
        for row, output in zip(found["rows"], outputs, strict=True):
            assert row["text"].endswith(f"→ {output}")
    else:
        proof = found["certificate"]
        for output in (0, 1):
            side = [one for one in proof["rows"] if one["output"] == output]
            weights = [value(one["weight"]) for one in side]
            assert sum(weights) == 1
            assert min(weights) > 0
            assert all(outputs[one["row"]] == output for one in side)
            mean = sum(w * rows[one["row"]] for w, one in zip(weights, side, strict=True))
            assert [float(share) for share in mean] == proof["meeting"]


def check_formula(formula, rows, outputs):
    """Read a formula with Python's own eyes, and compare what it says of every row."""
    text = formula.translate({ord("−"): "-", ord("·"): "*"}).replace("≥", ">=")
    for row, output in zip(rows.tolist(), outputs, strict=True):
        names = {f"x{j + 1}": bit for j, bit in enumerate(row)}
        assert eval(text, {}, names) == bool(output), (formula, row)


@pytest.mark.parametrize("n", [2, 3])
def test_all_functions(screen, n):
    found = [screen.solve(outputs_of(n, number)) for number in range(2**2**n)]
    for number, answer in enumerate(found):
        check(answer, outputs_of(n, number))
    assert sum(answer["threshold"] for answer in found) == COUNTS[n]
    assert [answer["threshold"] for answer in found] == threshold_functions(n).tolist()


@pytest.mark.slow
def test_a_sample_of_four_inputs(screen):
    rng = np.random.default_rng(4)
    known = threshold_functions(4)
    sample = [*rng.integers(0, 65536, 100), *rng.choice(np.flatnonzero(known), 80, replace=False)]
    for number in map(int, sample):
        outputs = outputs_of(4, number)
        answer = screen.solve(outputs)
        assert answer["threshold"] == known[number]
        check(answer, outputs)


def test_functions_that_are_monotone_but_no_threshold_function(screen):
    """Where each input has one direction, only the search for hulls finds the certificate."""
    known, seen = threshold_functions(4), 0
    ups = [(row, row | bit) for bit in (1, 2, 4, 8) for row in range(16) if not row & bit]
    for number in np.flatnonzero(~known).tolist():
        outputs = outputs_of(4, number)
        if all(outputs[low] <= outputs[high] for low, high in ups):
            check(screen.solve(outputs), outputs)
            seen += 1
    assert seen == 18


@pytest.mark.parametrize(("n", "count"), COUNTS.items())
def test_the_map(screen, n, count):
    found = screen.map(n)
    assert found["count"] == count
    assert found["text"].startswith(f"{count:,} of the {2**2**n:,} functions of {n} inputs")
    assert found["no"] == f"This is one of the other {2**2**n - count:,}."
    assert len(found["bits"]) < 12_000


def test_numbers_are_the_outputs_read_down():
    assert number_of(XOR) == 6
    assert outputs_of(2, 6) == XOR
    assert outputs_of(3, 1) == [0] * 7 + [1]


def test_next_and_previous(screen):
    assert screen.near(2, 0, 1, threshold=False)["outputs"] == XOR
    assert screen.near(2, 6, 1, threshold=False)["number"] == 9
    assert screen.near(2, 9, 1, threshold=False)["number"] == 6
    assert screen.near(2, 6, -1, threshold=False)["number"] == 9
    assert screen.near(4, 65535, 1, threshold=True)["number"] == 0
    for number, step in product((0, 5, 6, 7, 15), (1, -1)):
        around = [(number + step * k) % 16 for k in range(1, 17)]
        for wanted in (True, False):
            expected = next(k for k in around if threshold_functions(2)[k] == wanted)
            assert near(2, number, step, wanted) == expected


def test_and(screen):
    found = screen.solve(AND)
    assert found["title"] == "AND"
    assert found["logic"] == "x1 ∧ x2"
    assert found["unit"]["formula"] == "x1 + x2 ≥ 2"
    assert found["unit"]["sign"] == "sign(x1 + x2 − 2)"
    assert found["rows"][2]["text"] == "1·1 + 1·0 = 1 < 2 → 0"
    assert found["caption"] == "Drawn: x1 + x2 = 1½, half way between 1 and 2."


def test_xor(screen):
    found = screen.solve(XOR)
    proof = found["certificate"]
    assert "The rows 01 and 10 are 1, the rows 00 and 11 are 0." in proof["text"]
    assert "Their middles are the same point (½, ½)." in proof["text"]
    assert proof["together"] == ["½·w1 + ½·w2 ≥ θ", "½·w1 + ½·w2 < θ"]
    assert [one["asks"] for one in proof["rows"]] == ["w2 ≥ θ", "w1 ≥ θ", "0 < θ", "w1 + w2 < θ"]
    assert found["rows"][3]["text"] == "asks for w1 + w2 < θ"


def test_what_deck_a_says(screen):
    decks = {one.key: screen.solve(outputs_of(one.n, one.number)) for one in presets()}
    assert decks["and124"]["unit"]["formula"] == "x1 + x2 + x4 ≥ 3"
    assert decks["least2of134"]["unit"]["formula"] == "x1 + x3 + x4 ≥ 2"
    assert decks["pairs"]["logic"] == "(x1 ∧ x2) ∨ (x3 ∧ x4)"
    assert not decks["pairs"]["threshold"]
    assert decks["xor"]["logic"] == "(x1 ∧ ¬x2) ∨ (¬x1 ∧ x2)"


def test_presets(screen):
    all_ = screen.catalog()["presets"]
    assert len({one["key"] for one in all_}) == len({(one["n"], one["number"]) for one in all_})
    assert len(all_) == len(presets())
    for one in all_:
        found = screen.solve(outputs_of(one["n"], one["number"]))
        assert found["title"] == one["title"]
    no = {one.key for one in presets() if not threshold_functions(one.n)[one.number]}
    parities = {"xor", "xnor", "parity3", "parity4", "exactly1of3", "exactly2of4"}
    assert no == parities | {"choose", "pairs"}


@pytest.mark.parametrize("n", [2, 3])
def test_logic_says_the_same(n):
    python = {"∧": " and ", "∨": " or ", "¬": " not "}
    for number in range(2**2**n):
        outputs = outputs_of(n, number)
        text = logic(outputs, n)
        if len(set(outputs)) == 1:
            assert text == f"Always {outputs[0]}"
            continue
        for sign, word in python.items():
            text = text.replace(sign, word)
        for row, output in zip(truth_table(n).tolist(), outputs, strict=True):
            names = {f"x{j + 1}": bool(bit) for j, bit in enumerate(row)}
            assert eval(text, {}, names) == bool(output)


def test_words():
    unit = ThresholdUnit
    assert words(unit.conjunction(1, -2)) == "Fires if x1 and not x2 both hold."
    assert words(unit.disjunction(1, 2, -3)) == "Fires if x1, x2 or not x3 holds; one is enough."
    assert words(unit.at_least(2, 1, 3, 4)) == "Fires if at least 2 of these 3 hold: x1, x3, x4."
    assert words(unit((0, -1), 0)) == "Fires if not x2 holds; nothing else counts."
    assert words(unit((0, 0), 1)) == "Never fires."
    assert words(unit((2, 1, 1), 2)) is None
    assert signed(unit((0, 0), 1)) == "sign(−1)"
    assert signed(unit((0, 0), -1)) == "sign(1)"
    assert signed(unit((-1, -1), -1)) == "sign(−x1 − x2 + 1)"
    assert [fraction(Fraction(*f)) for f in [(3, 2), (-1, 4), (2, 5), (4, 2), (-7, 5)]] == [
        "1½",
        "−¼",
        "2/5",
        "2",
        "−7/5",
    ]
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_uneven_weights_are_explained(screen, monkeypatch):
    """No table of four inputs needs such a certificate, but it would be told right."""
    answer = Inseparable([0, 3, 5, 6, 7], [1 / 3, 1 / 3, 1 / 3, 1 / 3, 2 / 3])
    monkeypatch.setattr(ThresholdUnit, "from_truth_table", lambda table: answer)
    outputs = [1, 1, 1, 0, 1, 0, 0, 1]  # 011, 101 and 110 lie around a point between 000 and 111
    found = screen.solve(outputs)
    assert not found["threshold"]
    assert (
        "With the weights below, both have the same mean (⅔, ⅔, ⅔)."
        in (found["certificate"]["text"])
    )
    check(found, outputs)


def test_planes_part_the_corners(screen):
    for n, number in [(2, 1), (2, 4), (3, 23), (3, 1), (4, 31), (4, 1), (4, 255)]:
        unit = ThresholdUnit.from_truth_table(outputs_of(n, number))
        drawn, level = shapes(unit), sum(sides(unit)) / 2
        if n == 2:
            assert np.allclose(np.array(drawn["line"]) @ unit.weights, level)
            assert (np.array(drawn["on"]) @ unit.weights >= level - 1e-9).all()
            assert (np.array(drawn["off"]) @ unit.weights <= level + 1e-9).all()
        for plane in drawn.get("planes", []):
            points = np.array(plane["polygon"])
            if n == 4:
                points = np.column_stack([np.full(len(points), plane["cube"]), points])
            assert np.allclose(points @ unit.weights, level)
            on_edges = (np.isclose(points, 0) | np.isclose(points, 1)).sum(axis=1)
            assert (on_edges >= n - 1).all()
            assert len(points) >= 3
    assert len(shapes(ThresholdUnit.conjunction(1, 2, 3))["planes"][0]["polygon"]) == 3
    assert len(shapes(ThresholdUnit.at_least(2, 1, 2, 3))["planes"][0]["polygon"]) == 6
    assert shapes(ThresholdUnit((1, 0, 0, 0), 1)) == {"planes": []}  # between the cubes
    assert shapes(ThresholdUnit((0, 0, 0), 1)) == {"planes": []}
    assert shapes(ThresholdUnit((0, 0), 0))["off"] == []


@pytest.mark.parametrize("outputs", [AND, XOR, outputs_of(3, 23), outputs_of(4, 4383), [1] * 8])
def test_code_prints_what_is_shown(screen, outputs):
    shown = screen.solve(outputs)
    said = StringIO()
    with redirect_stdout(said):
        exec(screen.code(outputs), {})
    lines = said.getvalue().splitlines()
    if shown["threshold"]:
        assert lines[0] == shown["unit"]["formula"]
        assert [line.rpartition("sum ")[2] for line in lines[1:]] == [
            str(row["sum"]) for row in shown["rows"]
        ]
    else:
        proof = shown["certificate"]
        assert "Inseparable (exact)" in lines[0]
        assert lines[-1] == "meeting point " + " ".join(
            str(Fraction(value)) for value in proof["meeting"]
        )
        assert sum("weight 1/2" in line for line in lines) == len(proof["rows"])


def test_csv(screen):
    assert screen.csv(XOR) == "x1,x2,output\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n"


def test_answers_in_time(screen):
    screen.solve(AND)
    rng = np.random.default_rng(0)
    yes = rng.choice(np.flatnonzero(threshold_functions(4)), 60, replace=False)
    for number in map(int, [*yes, *rng.integers(0, 65536, 60)]):
        assert takes_at_most(0.1, partial(screen.solve, outputs_of(4, number)))
