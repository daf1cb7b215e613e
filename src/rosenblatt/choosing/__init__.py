"""Choosing among settings and among classifiers: the lectures' protocol and their comparison."""

from rosenblatt.choosing.compare import compare
from rosenblatt.choosing.comparison import Comparison, Result
from rosenblatt.choosing.corners import corners
from rosenblatt.choosing.prepare import prepare
from rosenblatt.choosing.select import select
from rosenblatt.choosing.selection import Selection, Setting

__all__ = [
    "Comparison",
    "Result",
    "Selection",
    "Setting",
    "compare",
    "corners",
    "prepare",
    "select",
]
