"""What a ledger must be, so that its updates can be made again in compiled code."""

from typing import Any

import numpy as np

from rosenblatt.kernels.online import Log
from rosenblatt.learners.online import TIES, n_functions
from rosenblatt.models.checks import (
    FLOATS,
    WHOLE,
    Sizes,
    check_array,
    check_classes,
    check_count,
    check_finite,
    check_flag,
    check_number,
    check_range,
    check_vector,
    need,
)
from rosenblatt.theory.ledger import Ledger
from rosenblatt.theory.replay import Call, Moves, Start


def check_ledger(ledger: Any, sizes: Sizes) -> None:
    """Raise ``ModelFileError`` unless a ledger is one of a model of this size."""
    need(isinstance(ledger, Ledger), "ledger_ must be a ledger")
    start, calls = ledger.start, ledger.calls
    need(isinstance(start, Start) and type(calls) is tuple and calls, "ledger_ must have calls")
    need(all(isinstance(call, Call) for call in calls), "ledger_ must have calls")
    known = calls[0].classes
    for call in calls:
        _check_call(call, sizes.features)
        need(call.classes.dtype.kind == known.dtype.kind, "ledger_ has labels of different types")
        need(np.isin(known, call.classes).all(), "ledger_ loses classes from call to call")
        known = call.classes
    shape = n_functions(len(calls[0].classes)), sizes.features
    weights = check_finite(start.weights, "ledger_.start", shape, FLOATS)
    check_finite(start.intercept, "ledger_.start", shape[:1], (weights.dtype,))
    check_flag(start.fit_intercept, "ledger_.start.fit_intercept")


def _check_call(call: Call, n_features: int) -> None:
    n_classes = check_classes(call.classes, "ledger_.classes")
    shape, log, moves = call.shape, call.log, call.moves
    need(type(shape) is tuple and len(shape) == 2, "ledger_ must say which shape X had")
    rows = check_count(shape[0], "ledger_.shape")
    need(type(shape[1]) is int and shape[1] == n_features, "ledger_ is of other features")
    need(isinstance(call.dtype, np.dtype) and call.dtype in FLOATS, "ledger_.dtype is no float")
    check_count(call.ties, "ledger_.ties", max(TIES.values()))
    need(moves is None or isinstance(moves, Moves), "ledger_.moves must be moves")
    if moves is not None:
        check_number(moves.scale, "ledger_.moves.scale")
        need(0 < moves.scale < np.inf, "ledger_.moves.scale must be positive and finite")
        check_flag(moves.upscale, "ledger_.moves.upscale")
    need(isinstance(log, Log), "ledger_ must have a log")
    size = check_vector(log.row, "ledger_.row", WHOLE).shape
    check_range(log.row, "ledger_.row", rows)
    step = check_array(log.step, "ledger_.step", size, WHOLE)
    rises = not len(step) or (step[0] >= 1 and np.all(step[1:] >= step[:-1]))
    need(rises, "ledger_.step must rise from 1 on")
    for name in ("right", "wrong"):
        column = check_array(getattr(log, name), f"ledger_.{name}", size, WHOLE)
        check_range(column, f"ledger_.{name}", n_classes)
    check_finite(log.eta, "ledger_.eta", size)
    functions = min(n_functions(n_classes), 2)
    check_finite(log.score, "ledger_.score", (*size, functions), FLOATS)
