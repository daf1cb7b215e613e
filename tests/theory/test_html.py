"""What a notebook shows of certificates and bounds: true pictures, and labels that are no HTML."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Separable, mistake_bound, separate
from rosenblatt.theory import Certificate
from rosenblatt.theory.html import MOST_PICTURES
from rosenblatt.theory.sketch import MOST

from .data import AND, XOR

SVG = "{http://www.w3.org/2000/svg}"
KNOWN = set(re.findall(r"\w+", "div svg title path circle rect text p strong table tbody tr th td"))
HOSTILE = "<script>alert('1')</script>", '"><img src=x onerror=alert(1)>&'
rng = np.random.default_rng(0)
FAR = rng.standard_normal((60, 5)) + np.repeat([[0.0], [9.0]], 30, axis=0)
HALVES = np.repeat([0, 1], 30)


def page(shown):
    """What is shown, as a tree: it is well-formed."""
    return ElementTree.fromstring(shown._repr_html_().replace("<br>", "<br/>"))


def picture(shown):
    (found,) = page(shown).findall(SVG + "svg")
    return found


def marks(svg, kind, radius=None):
    """Centres of the rows of a class inside the frame: dots of the first, squares of the second."""
    inner = svg.find(SVG + "svg")
    found = []
    for shape in inner.findall(SVG + ("rect" if kind else "circle")):
        if shape.find(SVG + "title") is None:
            continue
        if kind:
            half = float(shape.get("width")) / 2
            found.append((float(shape.get("x")) + half, float(shape.get("y")) + half))
        else:
            found.append((float(shape.get("cx")), float(shape.get("cy"))))
    return np.array(found)


def rings(svg):
    inner = svg.find(SVG + "svg")
    found = [s for s in inner.findall(SVG + "circle") if s.get("fill") == "none"]
    return np.array([(float(s.get("cx")), float(s.get("cy"))) for s in found])


def lines(svg, **look):
    """The corners of lines that look so."""
    found = []
    for path in svg.find(SVG + "svg").findall(SVG + "path"):
        if all(path.get(name.replace("_", "-")) == value for name, value in look.items()):
            numbers = np.array(re.findall(r"-?[\d.]+", path.get("d")), float)
            found.append(numbers.reshape(-1, 2))
    return found


SHOWN = {
    "separable": lambda: separate(*AND),
    "inseparable": lambda: separate(*XOR),
    "through the origin": lambda: separate(AND[0], AND[1], fit_intercept=False),
    "more features": lambda: separate(FAR, HALVES),
    "sparse": lambda: separate(sp.csr_matrix(FAR), HALVES),
    "many points": lambda: separate(np.tile(FAR, (40, 1)), np.tile(HALVES, 40)),
    "inseparable of more": lambda: separate(FAR, np.arange(60) % 2),
    "one feature": lambda: separate(FAR[:, :1], HALVES),
    "one point each": lambda: separate([[0.0, 0.0], [1.0, 1.0]], [0, 1]),
    "equal points": lambda: separate([[1.0, 1.0], [1.0, 1.0]], [0, 1]),
    "unlike features": lambda: separate(FAR[:, :2] * [1, 1e6], HALVES),
    "huge": lambda: separate(FAR[:, :2] * 1e200, HALVES),
    "tiny margin": lambda: separate([[0.0, 0], [1e-300, 0], [1, 1]], [0, 1, 1]),
    "read back": lambda: Certificate.from_json(separate(FAR, HALVES).to_json()),
    "inseparable, read back": lambda: Certificate.from_json(separate(*XOR).to_json()),
    "novikoff": lambda: mistake_bound(FAR, HALVES),
    "freund-schapire": lambda: mistake_bound(FAR, np.arange(60) % 2, fit_intercept=False),
}


@pytest.mark.parametrize("name", SHOWN)
def test_every_picture_is_described_and_disturbs_nothing(name):
    shown = SHOWN[name]()
    svg = picture(shown)
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == svg.find(SVG + "title").text
    assert len(svg.get("aria-label")) > 30
    html = shown._repr_html_()
    assert not re.search(r"\bid=|<style|<script|url\(|nan|inf[^o]", html)
    assert "currentColor" in html  # ink that is seen on any ground
    assert len(html) < 200 * MOST
    head = str(shown).split("\n")[0].rstrip(":")
    assert "".join(page(shown).find(".//strong").itertext()) == head


def test_a_line_lies_between_the_classes_and_support_points_on_its_margin():
    X, y = rng.standard_normal((40, 2)), np.repeat([0, 1], 20)
    X[y == 1] += 6
    answer = separate(X, y)
    svg = picture(answer)
    (line,) = lines(svg, stroke_width="2")
    along = (line[1] - line[0]) / np.linalg.norm(line[1] - line[0])
    normal = np.array([-along[1], along[0]])
    sides = [marks(svg, kind) @ normal - line[0] @ normal for kind in (0, 1)]
    assert len(sides[0]) == len(sides[1]) == 20
    assert sides[0].max() < 0 < sides[1].min() or sides[1].max() < 0 < sides[0].min()
    margin = min(abs(sides[0]).min(), abs(sides[1]).min())
    at = abs(rings(svg) @ normal - line[0] @ normal)
    assert len(at) == len(answer.support)
    assert at == pytest.approx(margin, abs=0.2)
    edges = [edge[0] @ normal - line[0] @ normal for edge in lines(svg, stroke_dasharray="5 4")]
    assert sorted(edges) == pytest.approx([-margin, margin], abs=0.2)


def test_more_features_are_shown_by_their_distance():
    answer = separate(FAR, HALVES)
    svg = picture(answer)
    (line,) = lines(svg, stroke_width="2")
    (left, _), (right, _) = (edge[0] for edge in lines(svg, stroke_dasharray="5 4"))
    scale = (right - left) / 2 / answer.margin
    distances = answer.hyperplane.signed_distance(FAR)
    for kind in (0, 1):
        seen = np.sort((marks(svg, kind)[:, 0] - line[0, 0]) / scale)
        assert seen == pytest.approx(np.sort(distances[kind == HALVES]), abs=0.1)


def test_the_cross_is_where_the_hulls_meet():
    X = np.array([[0.0, 0], [3, 0], [0, 3], [1, 1]])
    answer = separate(X, [0, 0, 0, 1])
    svg = picture(answer)
    (inner,) = marks(svg, 1)
    (cross,) = lines(svg, stroke_width="3")
    assert cross.mean(axis=0) == pytest.approx(inner, abs=0.2)
    assert len(rings(svg)) == 4


def test_of_many_rows_some_are_shown_with_all_that_matter():
    X = np.tile(FAR, (40, 1)) + 1e-3 * rng.standard_normal((2400, 5))
    answer = separate(X, np.tile(HALVES, 40))
    assert len(answer.sketch.rows) == len(set(answer.sketch.rows.tolist())) == MOST
    assert answer.sketch.rows[: answer.sketch.named].tolist() == answer.support.tolist()
    assert f"{MOST} of 2,400 rows" in picture(answer).get("aria-label")
    assert min(len(marks(picture(answer), kind)) for kind in (0, 1)) >= MOST / 3


def test_bars_are_as_long_as_the_weights():
    X, y = FAR, np.arange(60) % 2
    answer = separate(X, y)
    bars = lines(picture(answer), stroke="none")
    lengths = np.array([bar[:, 0].max() - bar[:, 0].min() for bar in bars])
    weights = -np.sort(-answer.weights)[: len(bars)]
    assert lengths / lengths[0] == pytest.approx(weights / weights[0], abs=0.01)


@pytest.mark.parametrize("y", [np.arange(60) % 2, HALVES])
def test_the_curves_of_a_bound_cross_at_it(y):
    bound = mistake_bound(FAR, y)
    svg = picture(bound)
    (low,), (end,) = lines(svg, stroke_dasharray="8 3"), lines(svg, stroke_dasharray="5 4")
    high = lines(svg, stroke_width="2")[0]
    below = low[:, 1] - high[:, 1] > 0  # y grows downwards
    inside = (high[:, 0] > high[0, 0]) & (high[:, 0] < end[0, 0] - 3)
    assert below[inside].all()
    assert not below[high[:, 0] > end[0, 0] + 3].any()


@pytest.mark.parametrize("flip", [False, True])
def test_labels_are_never_html(flip):
    labels = np.array(HOSTILE[::-1] if flip else HOSTILE)
    for X, y in (AND, XOR, (FAR, HALVES), (FAR, np.arange(60) % 2)):
        shown = separate(X, labels[np.asarray(y)])
        tree = page(shown)
        names = {element.tag.removeprefix(SVG) for element in tree.iter()}
        assert names <= KNOWN
        assert not any(name.startswith("on") for e in tree.iter() for name in e.attrib)
        assert "<script>" in picture(shown).get("aria-label")


def test_a_sketch_is_not_part_of_the_proof():
    answer = separate(*AND)
    again = Certificate.from_json(answer.to_json())
    assert again == answer
    assert again.sketch is None
    content = json.loads(answer.to_json())
    with pytest.raises(ValueError, match="sketch must be a Sketch"):
        Certificate.from_json(json.dumps({**content, "sketch": "<script>"}))
    with pytest.raises(TypeError, match="sketch must be a Sketch"):
        Separable(**{**vars(answer), "sketch": ([], [], [])})


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_several_answers_are_a_table_with_a_picture_of_each(multi_class):
    answers = separate(FAR, np.repeat(["a", "b", HOSTILE[0]], 20), multi_class=multi_class)
    tree = page(answers)
    assert "".join(tree.find(".//strong").itertext()) == answers.summary()
    rows = [tuple("".join(cell.itertext()) for cell in row) for row in tree.findall("table//tr")]
    assert rows == answers.table()
    unfolded = tree.findall("details")
    assert [one.find("summary").text for one in unfolded] == [row[0] for row in rows]
    for one, answer in zip(unfolded, answers.values(), strict=True):
        assert ElementTree.tostring(one.find("div")) == ElementTree.tostring(page(answer))
    names = {element.tag.removeprefix(SVG) for element in tree.iter()}
    assert names <= KNOWN | {"details", "summary"}


def test_of_many_answers_some_have_pictures():
    answers = separate(np.eye(6), list("abcdef"), multi_class="ovo")
    tree = page(answers)
    assert len(tree.findall("table//tr")) == 15
    assert len(tree.findall("details")) == MOST_PICTURES
    assert tree.findall("p")[-1].text == "… and 5 more, each by its key: answers[key]"
