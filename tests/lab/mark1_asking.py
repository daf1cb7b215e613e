"""Asking the Mark I as a page does."""

import json

import numpy as np

from rosenblatt.lab.calls import answer_to
from rosenblatt.lab.mark1.pictures import pack
from rosenblatt.lab.screens.mark1 import Mark1

CLEAR = {"noise": 0, "right": 0, "down": 0, "seed": 0}


def picture(*cells):
    drawn = np.zeros((20, 20))
    for row, column in cells:
        drawn[row, column] = 1
    return pack(drawn.ravel())


BLANK = picture()
CROSS = picture(*((k, k) for k in range(4, 15)), *((k, 18 - k) for k in range(4, 15)))
BAR = picture(*((k, 9) for k in range(4, 15)))


def ask(screen, name, **told):
    """Ask as a page does: arguments and answers pass through JSON."""
    return answer_to(screen, name, json.loads(json.dumps(told)))


def opened(names, lessons=()):
    screen = Mark1()
    return screen, ask(screen, "open", responses=list(names), lessons=list(lessons))


def finish(parts):
    """Return the parts of a stream, and its result."""
    seen = []
    while True:
        try:
            seen.append(next(parts))
        except StopIteration as end:
            return seen, end.value


def taught(drawn, label, **view):
    return {"picture": drawn, "label": label, **CLEAR, **view}


def passes(number, **view):
    return {"passes": number, **CLEAR, **view}
