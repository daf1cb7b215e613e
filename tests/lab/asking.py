"""Asking screens as a page does: names and JSON in, JSON out."""

import json
from base64 import b64decode

import numpy as np

from rosenblatt.lab.worker import Desk

VIEW = [-3.0, 3.0, -2.0, 2.0]
GRID = [12, 8]
SIGNS = ["-1", "+1"]
HOSTILE = [
    None, True, 0, -1, 1.5, 1e308, "", "x", "9" * 400, [], [[]], [None], ["a", "b"], {}, {"a": 1},
    [[1, 2]], [1, 2], [0, 0], [[0, 0, 9]], [["1", "2", 0]], [[1e300, 0, 0]], [[1, 2, True, 4]],
    [10**30], 10**30, [[10**400, 0, 0]], "\ud800", [[[0]]], [{}], {"learner": []},
]  # fmt: skip


class Refused(Exception):  # noqa: N818
    """What the page is told instead of an answer."""


def asker(screen):
    """Return a function that asks a fresh screen: ``ask("open", points=…)``."""
    desk = Desk()

    def ask(name, /, **told):
        question = {"id": 1, "do": f"{screen}.{name}", "with": told}
        parts, answer = [], None
        for line in desk.answers(json.loads(json.dumps(question))):
            answer = json.loads(line[1:])
            parts += answer.get("part", [])
        if "error" in answer:
            raise Refused(answer["error"])
        return (parts, answer["result"]) if name == "steps" else answer["result"]

    return ask


def as_points(X, y):
    """Return points as a page has them."""
    return [[float(a), float(b), int(c)] for (a, b), c in zip(X, y, strict=True)]


def clouds(n=40, classes=2, seed=0):
    """Return points of overlapping clouds."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    middles = rng.normal(size=(classes, 2)) * 1.2
    return as_points((middles[y] + rng.normal(size=(n, 2)) * 0.7).round(3), y)


def names_of(classes):
    """Return names of so many classes."""
    return SIGNS if classes == 2 else [f"class {k}" for k in range(classes)]


def cells(region, classes=2):
    """Unpack a region: the signs of two classes with how clear they are, or the classes."""
    if classes == 2:
        return np.frombuffer(b64decode(region), np.int8)
    both = np.frombuffer(b64decode(region), np.uint8)
    return both[: len(both) // 2]


def refuses_what_is_hostile(ask, name, good, *, also=()):
    """Replace each argument by what no page sends: it is answered, or refused in words."""
    ask(name, **good)
    for key in good:
        for bad in (*HOSTILE, *also):
            try:
                ask(name, **{**good, key: bad})
            except Refused as refusal:
                text = str(refusal)
                assert text, (key, bad)
                assert "the lab itself failed" not in text, (key, bad, text)
