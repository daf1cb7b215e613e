"""What the state of each learner must be, so that compiled code can go on learning with it."""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from rosenblatt.data.rows import Dense, n_rows
from rosenblatt.kernels.online.perceptrons import Log
from rosenblatt.learners import adaptive, arow, averaged, batch, descent, perceptron, voted
from rosenblatt.learners.closed_form import discriminant, moments, naive_bayes, value_tables
from rosenblatt.learners.kernel_perceptron import learning as kernel
from rosenblatt.learners.kernel_perceptron.kernel_values import CALLABLE, PRECOMPUTED
from rosenblatt.learners.losses import LOSSES
from rosenblatt.learners.online import TIES, n_functions
from rosenblatt.models.checks import (
    DOUBLE,
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
    check_rising,
    check_rows,
    check_step,
    check_vector,
    check_weights,
    need,
)
from rosenblatt.models.stored_types import name_of
from rosenblatt.tagging import learner
from rosenblatt.tagging.features import MOST_COMBINATIONS, Features, Stored, combinations, plan_of
from rosenblatt.tagging.learner import MOST_TAGS, Model
from rosenblatt.tagging.schemes import SCHEMES
from rosenblatt.tagging.templates import MOST_PARTS, Template, check_columns, check_lists, parse
from rosenblatt.theory.ledger import Ledger
from rosenblatt.theory.replay import Call, Moves, Start

_SINGLE = (np.dtype(np.float32),)
_SMALL = tuple(map(np.dtype, (np.uint8, np.uint16, np.uint32)))
_KERNELS = ("linear", "poly", "rbf", "laplacian", CALLABLE, PRECOMPUTED)


def check_state(state: Any, allowed: Collection[str], sizes: Sizes) -> None:
    """Raise ``ModelFileError`` unless a state is of an allowed type, and sound."""
    name = name_of(state) or ""
    need(name in allowed, "the model's state is not of its kind")
    _CHECKS[name](state, sizes)


def holds_training_rows(state: Any) -> bool:
    """Say whether a state keeps rows that were learned from."""
    if not hasattr(state, "kept"):
        return False
    # Of a precomputed kernel there are rows without columns: only their numbers are known.
    kept = state.kept
    return bool(kept.values.size) if isinstance(kept, Dense) else n_rows(kept) > 0


def _linear(state: Any, sizes: Sizes) -> None:
    """Check what every state with weights that move has."""
    shape = sizes.functions, sizes.features
    weights = check_finite(state.weights, "weights", shape, FLOATS)
    check_finite(state.intercept, "intercept", shape[:1], (weights.dtype,))
    check_count(state.steps, "steps")
    check_count(state.updates, "updates")
    scaled = isinstance(state, perceptron.State | averaged.State | voted.State)
    (check_step if scaled else check_flag)(state.fit_intercept, "fit_intercept")


def _perceptron(state: Any, sizes: Sizes) -> None:
    _linear(state, sizes)
    check_count(state.ties, "ties", max(TIES.values()))


def _margin(state: Any, sizes: Sizes) -> None:
    _perceptron(state, sizes)
    check_count(state.mistakes, "mistakes")


def _arow(state: arow.State, sizes: Sizes) -> None:
    _margin(state, sizes)
    floats = (state.weights.dtype,)
    for name, like in (("evidence", state.weights), ("evidence_intercept", state.intercept)):
        array = check_finite(getattr(state, name), name, like.shape, floats)
        need(np.all(array >= 0), f"{name} has a negative number")


def _averaged(state: Any, sizes: Sizes) -> None:
    _perceptron(state, sizes)
    check_finite(state.total, "total", state.weights.shape)
    check_finite(state.total_intercept, "total_intercept", state.intercept.shape)


def _batch(state: batch.State, sizes: Sizes) -> None:
    _averaged(state, sizes)
    check_count(state.moves, "moves")
    # A log has no place for mistakes of a pass that was never ended.
    check_count(state.mistakes, "mistakes", 0)


def _voted(state: voted.State, sizes: Sizes) -> None:
    _averaged(state, sizes)
    classes, size = max(sizes.classes, 2), (state.updates,)
    kept = check_rows(state.kept, "kept", sizes.features)
    check_range(check_array(state.row, "row", size, WHOLE), "row", kept)
    for name in ("right", "wrong"):
        check_range(check_array(getattr(state, name), name, size, WHOLE), name, classes)
    check_count(state.zero, "zero", classes - 1)
    step = check_array(state.step, "step", size, WHOLE)
    check_rising(np.concatenate([[1], step, [state.steps + 1]]), "step", 1, state.steps + 1)
    if len(check_vector(state.size, "size")):
        check_weights(state.size, "size", size)


def _kernel(state: kernel.State, sizes: Sizes) -> None:
    for name in ("steps", "updates", "seen"):
        check_count(getattr(state, name), name)
    check_count(state.latest, "latest", state.seen)
    check_count(state.ties, "ties", max(TIES.values()))
    check_flag(state.joint, "joint")
    _check_kernel(state)
    table = state.kernel == PRECOMPUTED
    need(not table or state.seen == sizes.features, "seen is not the number of kernel values")
    need(not table or isinstance(state.kept, Dense), "kept must be rows without columns")
    kept = check_rows(state.kept, "kept", 0 if table else sizes.features)
    origin = check_array(state.origin, "origin", (kept,), WHOLE)
    check_range(origin, "origin", state.seen)
    need(np.all(origin[1:] > origin[:-1]), "origin must rise, each row once")
    born = check_array(state.born, "born", (sizes.functions,), WHOLE)
    need(np.all((born >= 1) & (born <= state.steps + 1)), f"born must lie in 1…{state.steps + 1}")
    first = check_count(state.first, "first", max(state.steps, 1))
    need(first, "first must not be 0")
    step = check_vector(state.step, "step", WHOLE)
    last = state.steps if len(step) else first
    check_rising(np.concatenate([[first], step, [last]]), "step", first, last)
    check_range(check_array(state.row, "row", step.shape, WHOLE), "row", kept)
    function = check_array(state.function, "function", step.shape, WHOLE)
    check_range(function, "function", sizes.functions)
    change = check_array(state.change, "change", step.shape, WHOLE)
    # The first step's may be sums of earlier ones, of which each step made one at most.
    most = np.where(step > first, 1, first)
    need(np.all((change >= -most) & (change <= most)), "change is larger than steps can make it")


def _check_kernel(state: kernel.State) -> None:
    need(isinstance(state.kernel, str) and state.kernel in _KERNELS, "there is no such kernel")
    need(check_count(state.degree, "degree"), "degree must not be 0")
    for name in ("gamma", "coef0", "bias"):
        check_number(getattr(state, name), name)
    need(0 < state.gamma < np.inf, "gamma must be positive and finite")
    need(np.isfinite(state.coef0), "coef0 must be finite")
    need(state.bias in (0, 1), "bias must be 0 or 1")


def _check_loss(state: Any) -> None:
    need(isinstance(state.loss, str) and state.loss in LOSSES, "there is no such loss")
    check_number(state.loss_parameter, "loss_parameter")
    name, value = LOSSES[state.loss].parameter, state.loss_parameter
    sound = {"epsilon": 0 < value < np.inf, "quantile": 0 < value < 1}.get(name, value == 0)
    need(sound, f"loss_parameter={value} is not possible with loss={state.loss}")


def _descent(state: descent.State, sizes: Sizes) -> None:
    _linear(state, sizes)
    shape = state.weights.shape
    _check_loss(state)
    check_finite(state.total, "total", shape)
    check_finite(state.total_intercept, "total_intercept", shape[:1])
    for name in ("mistakes", "averaged"):
        check_count(getattr(state, name), name)
    for name in ("loss_sum", "mass", "pull"):
        check_number(getattr(state, name), name)
        need(0 <= getattr(state, name) < np.inf, f"{name} must be finite and not negative")
    # A penalty makes less of what came before; nothing makes more.
    need(state.mass <= state.averaged * (1 + 1e-6), "mass is more than what was averaged")
    pulled = type(state.pulled) is np.ndarray and state.pulled.size > 0
    check_finite(state.pulled, "pulled", shape if pulled else (shape[0], 0))


def _adaptive(state: adaptive.State, sizes: Sizes) -> None:
    _linear(state, sizes)
    shape, types = state.weights.shape, (state.weights.dtype,)
    _check_loss(state)
    for name, kind in (("total", DOUBLE), ("sums", types), ("roots", types)):
        check_finite(getattr(state, name), name, shape, kind)
        check_finite(getattr(state, f"{name}_intercept"), f"{name}_intercept", shape[:1], kind)
    for roots in (state.roots, state.roots_intercept):
        need(roots.min(initial=0.0) >= 0, "roots must not be negative")
    for name in ("mistakes", "averaged", "passes"):
        check_count(getattr(state, name), name)
    need(state.passes, "passes must be 1 or more")
    check_number(state.loss_sum, "loss_sum")
    need(0 <= state.loss_sum < np.inf, "loss_sum must be finite and not negative")


def _moments(state: moments.State, sizes: Sizes) -> None:
    check_weights(state.weight, "weight", (sizes.classes,))
    check_finite(state.mean, "mean", (sizes.classes, sizes.features))
    check_weights(state.spread, "spread", (sizes.features,))


def _counts(state: naive_bayes.State, sizes: Sizes) -> None:
    check_weights(state.weight, "weight", (sizes.classes,))
    check_finite(state.sums, "sums", (sizes.classes, sizes.features))
    if state.binarize is not None:
        check_number(state.binarize, "binarize")
        need(np.isfinite(state.binarize), "binarize must be finite")


def _values(state: value_tables.State, sizes: Sizes) -> None:
    check_weights(state.weight, "weight", (sizes.classes,))
    check_count(state.n_features, "n_features")
    need(state.n_features == sizes.features, "n_features is not the number of features")
    numbers = check_vector(state.values, "values")
    check_finite(numbers, "values", numbers.shape)
    check_weights(state.counts, "counts", numbers.shape)
    cells = check_array(state.cells, "cells", (sizes.classes * sizes.features + 1,), WHOLE)
    check_rising(cells, "cells", 0, len(numbers))
    # Joining two tables walks along both by their order; within a cell it has to be one.
    inside = np.ones(len(numbers), bool)
    inside[cells[:-1][cells[:-1] < len(numbers)]] = False
    need(np.all(numbers[1:] > numbers[:-1], where=inside[1:]), "values must rise within a cell")


def _discriminant(state: discriminant.State, sizes: Sizes) -> None:
    K, _, d = sizes
    check_weights(state.weight, "weight", (K,))
    check_finite(state.mean, "mean", (K, d))
    check_flag(state.each, "each")
    kept = check_rows(state.kept, "kept", d, DOUBLE)
    check_range(check_array(state.codes, "codes", (kept,), WHOLE), "codes", K)
    check_weights(state.kept_weight, "kept_weight", (kept,))
    keeps = type(state.scatter) is np.ndarray and not len(state.scatter)
    need(kept < d if keeps else not kept, "there must be rows or sums of them, and not both")
    if keeps:
        total = np.bincount(state.codes, state.kept_weight, K)
        need(np.array_equal(total, state.weight), "weight is not that of the rows")
    groups = 0 if keeps else K if state.each else 1
    check_finite(state.scatter, "scatter", (groups, d, d))
    for name in ("third", "fourth"):
        check_finite(getattr(state, name), name, (groups if state.each else 0, d, d))


def _tagger(state: learner.Model, sizes: Sizes) -> None:
    check_model(state, sizes.classes)


# By the permanent names of the types.
_CHECKS: dict[str, Callable[[Any, Sizes], None]] = {
    "perceptron.State": _perceptron,
    "averaged.State": _averaged,
    "voted.State": _voted,
    "passive_aggressive.State": _margin,
    "arow.State": _arow,
    "batch.State": _batch,
    "kernel.State": _kernel,
    "descent.State": _descent,
    "adaptive.State": _adaptive,
    "moments.State": _moments,
    "counts.State": _counts,
    "values.State": _values,
    "discriminant.State": _discriminant,
    "tagger.Model": _tagger,
}


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
    check_step(start.fit_intercept, "ledger_.start.fit_intercept")


def _check_call(call: Call, n_features: int) -> None:
    n_classes = check_classes(call.classes, "ledger_.classes")
    shape, log, moves = call.shape, call.log, call.moves
    need(type(shape) is tuple and len(shape) == 2, "ledger_ must say which shape X had")
    rows = check_count(shape[0], "ledger_.shape")
    need(type(shape[1]) is int and shape[1] == n_features, "ledger_ is of other features")
    need(
        isinstance(call.dtype, np.dtype) and call.dtype in FLOATS,
        "ledger_.dtype is not a float",
    )
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


def check_model(model: Model, n_classes: int) -> None:
    """Raise ``ModelFileError`` unless weights are valid."""
    K = n_classes
    need(2 <= K <= MOST_TAGS, f"there must be 2 to {MOST_TAGS:,} tags")
    counts = check_vector(model.counts, "counts", _SMALL[1:]).astype(np.int64)
    labels = check_vector(model.labels, "labels", _SMALL)
    check_range(labels, "labels", K)
    check_range(counts - 1, "counts, less one,", K)
    check_finite(model.values, "values", labels.shape, _SINGLE)
    need(counts.sum() == len(labels), "there must be as many labels as counts say")
    inside = np.ones(len(labels), bool)
    inside[(np.cumsum(counts) - counts)[: len(counts)]] = False
    rises = labels[1:] > labels[:-1]
    need(np.all(rises, where=inside[1:]), "the labels of a feature must rise")
    for name, array, shape in (
        ("bigrams", model.bigrams, (K + 1, K)),
        ("trigrams", model.trigrams, (K + 1, K + 1, K)),
    ):
        if array is None and name == "trigrams":
            continue
        table = check_array(array, name, shape, _SINGLE)
        need(
            not np.isnan(table).any() and table.max() < np.inf,
            f"{name} has NaN or infinity",
        )
    check_array(model.last, "last", (K,), (np.dtype(bool),))


def check_tagger(fitted: dict[str, Any], model: Model) -> None:
    """Raise ``ModelFileError`` unless features fit to the columns, and weights to the features."""
    stored = fitted["_features"]
    need(isinstance(stored, Stored), "_features must be features")
    scheme = fitted["scheme_"]
    need(scheme is None or (type(scheme) is str and scheme in SCHEMES), "there is no such scheme")
    templates = _check_templates(stored, [str(name) for name in fitted["feature_names_in_"]])
    counts = check_array(stored.counts, "counts", (len(templates),), WHOLE)
    keys = check_vector(stored.keys, "keys", WHOLE)
    check_range(counts, "counts", len(keys) + 1)  # each by itself: a sum may run over
    need(len(keys) == counts.sum() == len(model.counts), "there must be a key for each feature")
    sizes = _check_texts(stored, len(plan_of(templates).values))
    _check_keys(templates, keys, counts, sizes)
    try:
        Features.from_stored(stored)
    except ValueError as error:
        need(False, str(error))


def _check_templates(stored: Stored, columns: list[str]) -> list[Template]:
    texts, lists = stored.templates, stored.lists
    whole = type(texts) is tuple and texts and all(type(text) is str for text in texts)
    need(whole, "templates must be texts")
    need(
        type(lists) is dict and all(type(entries) is list for entries in lists.values()),
        "lists must have entries",
    )
    for entries in lists.values():
        for entry in entries:
            good = type(entry) is list and all(type(word) is str for word in entry)
            need(good, "an entry of a list must be words")
    try:
        templates = parse(texts)
        check_columns(templates, columns)
        check_lists(templates, lists)
    except ValueError as error:
        need(False, str(error))
    need(tuple(map(str, templates)) == texts, "templates must be written out, each once")
    most = max(len(template.parts) for template in templates)
    need(most <= MOST_PARTS, "a template has too many parts")
    return templates


def _check_texts(stored: Stored, n_values: int) -> Any:
    """Check the texts of values, and return how many each value has."""
    sizes = check_array(stored.sizes, "sizes", (n_values,), WHOLE)
    letters = check_vector(stored.letters, "letters", _SMALL[:1])
    ends = check_vector(stored.ends, "ends", WHOLE)
    check_range(sizes, "sizes", len(ends) + 1)
    need(sizes.sum() == len(ends), "sizes must add up to the texts")
    if len(ends):
        check_rising(ends, "ends", int(ends[0]), len(letters))
        need(ends[0] >= 0, "ends must not be negative")
    return sizes


def _check_keys(templates: list[Template], keys: Any, counts: Any, sizes: Any) -> None:
    """Check that each key is a combination of values that there are."""
    plan, first = plan_of(templates), 0
    for q, count in enumerate(counts.tolist()):
        most = combinations(plan, q, sizes)
        need(most < MOST_COMBINATIONS, "a template has more combinations than can be numbered")
        check_range(keys[first : first + count], "keys", most)
        first += count
