"""Choosing among settings and among classifiers: the lectures' protocol and their comparison."""

from rosenblatt.model_selection.compare import compare
from rosenblatt.model_selection.comparison import Comparison, Result
from rosenblatt.model_selection.grid_search import Setting
from rosenblatt.model_selection.logic_gates import corners
from rosenblatt.model_selection.prepare import prepare
from rosenblatt.model_selection.select import Selection, select

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
