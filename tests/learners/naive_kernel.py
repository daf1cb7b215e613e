"""The kernel perceptron's history, from the reference, and what its definitions make of that."""

from functools import partial

import numpy as np

from rosenblatt.data.rows import as_rows
from rosenblatt.learners.kernel_perceptron import learning as learner
from rosenblatt.learners.kernel_perceptron.kernel_values import Kernel
from rosenblatt.learners.online import n_functions
from rosenblatt.reference.kernel import joint, kernel_perceptron, one_against_all

# How classes learn: how many they are, and whether jointly.
RULES = {"two classes": (2, False), "one against all": (4, False), "jointly": (4, True)}
CUBIC = Kernel("poly", degree=3, gamma=1.0, coef0=1.0, bias=1.0)


def gram(kernel, X, Z):
    """Return kernel values of whole numbers, without rounding."""
    values = X.astype(float) @ Z.astype(float).T
    if kernel.name == "poly":
        values = (kernel.gamma * values + kernel.coef0) ** kernel.degree
    return values + kernel.bias


def steps_of(table, y, rule, orders, ties="mistake", budget=None):
    """Yield what the reference does: the row, the coefficients and the changes of each step."""
    n_classes, jointly = RULES[rule]
    return kernel_perceptron(
        table,
        y,
        orders,
        n_functions(n_classes),
        partial(joint if jointly else one_against_all, ties=ties),
        np.inf if budget is None else budget,
    )


def history(*args, **options):
    """Return all that `steps_of` yields."""
    return list(steps_of(*args, **options))


def first_known(steps):
    """Return the step, from 1 on, in which a row was last forgotten: earlier ones are lost."""
    first, before = 1, 0 * steps[0][1]
    for step, (i, a, change) in enumerate(steps, start=1):
        kept = a.copy()
        kept[:, i] -= change
        first = step if np.any(kept != before) else first
        before = a
    return first


def remembered(steps):
    """Return the coefficients of each step since a row was last forgotten."""
    return np.array([a for _, a, _ in steps[first_known(steps) - 1 :]])


def mistakes_of(steps, rule):
    """Count mistakes: of each function by itself, or of all of them together."""
    jointly = RULES[rule][1]
    return sum(bool(c.any()) if jointly else np.count_nonzero(c) for *_, c in steps)


def learn(view, y, rule, passes=3, kernel=CUBIC, ties="mistake", budget=None):
    """Learn with the compiled loops, in order."""
    n_classes, jointly = RULES[rule]
    d = view.shape[1]
    state = learner.init(d, n_classes, kernel=kernel, dtype=view.dtype, joint=jointly, ties=ties)
    grams = learner.on_host(kernel, state, as_rows(view), d)
    blocks = learner.deal(len(y), grams.block_size)
    task = learner.Learning(state, grams, y, blocks, budget)
    for _ in range(passes):
        for number in range(len(blocks)):
            task.visit(number)
    return task.finish()


def hypotheses(state, n):
    """Return the coefficients of each step that a state knows of, for the n rows that came."""
    changes = np.zeros((state.steps + 1, len(state.born), n), int)
    np.add.at(changes, (state.step, state.function, state.origin[state.row]), state.change)
    return np.cumsum(changes, axis=0)[state.first :]


def definition(how, scores, jointly):
    """Return the scores by a way to predict, given those of each step: steps, functions, rows."""
    if how == "last":
        return scores[-1]
    if how == "average":
        return scores.mean(axis=0)
    if jointly:
        winners = np.eye(scores.shape[1])[scores.argmax(axis=1)]  # steps, rows, functions
        return winners.mean(axis=0).T
    return np.where(scores >= 0, 1, -1).mean(axis=0)
