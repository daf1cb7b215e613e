"""Watching a kernel perceptron learn: one record for every example it looks at."""

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from rosenblatt.data.labels import encode
from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.checks import check_y
from rosenblatt.estimators._base.kernel import begin, given
from rosenblatt.estimators._base.params import check_params
from rosenblatt.estimators._base.start import generator, refuse_one_class
from rosenblatt.estimators.kernel import KernelPerceptron
from rosenblatt.learners.kernel_perceptron.kernel_values import Kernel
from rosenblatt.learners.kernel_perceptron.learning import Learning, kernel_of
from rosenblatt.passes import Following, History, Pass, StopByMistakes, passes_to_wait, run_passes


class KernelStep(NamedTuple):
    """What happened at one example.

    Attributes
    ----------
    index : int
        The example's row in X.
    function, change : arrays of int
        Which functions got a new coefficient for it, and by how much; none if it was no mistake.
        Two classes share function 0, K classes have one each.
    pass_number, step : int
        The number of the pass and of the step, both from 1 on.
    """

    index: int  # type: ignore[assignment]  # hides a method of tuples, for the better name
    function: Array
    change: Array
    pass_number: int
    step: int


class KernelTrace(NamedTuple):
    """The steps of a kernel perceptron, and what stays the same: the kernel, and whose rule."""

    kernel: Kernel
    joint: bool
    steps: Generator[KernelStep, None, History]


def trace_kernel(X: Any, y: Any, learner: KernelPerceptron) -> KernelTrace:
    """Learn as ``fit`` does, and yield a record of every example that is looked at.

    A block of rows is learned from when its first one is asked for.

    Parameters
    ----------
    X, y : array or sparse matrix, array
        Rows and labels, as for ``fit``.
    learner : KernelPerceptron
        It is copied, and stays as it is. Without ``max_support``.

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> from rosenblatt.tracing.kernel import trace_kernel
    >>> corners, xor = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = KernelPerceptron(kernel="poly", degree=2, gamma=1, max_iter=100, shuffle=False)
    >>> coefficients = [0, 0, 0, 0]
    >>> for step in trace_kernel(corners, xor, model).steps:
    ...     coefficients[step.index] += step.change.sum().item()
    >>> coefficients, step.pass_number, step.step
    ([-8, 6, 6, -5], 9, 36)
    """
    if not isinstance(learner, KernelPerceptron) or learner.max_support is not None:
        raise ValueError(f"learner must be a KernelPerceptron that forgets no row, got {learner!r}")
    model = clone(learner)
    check_params(model)
    data = given(model, X, reset=True)
    classes, codes = encode(check_y(model, y, data.n))
    refuse_one_class(classes)
    rng = generator(model.random_state) if model.shuffle else None
    task = begin(model, data, classes, codes, False, rng)
    return KernelTrace(kernel_of(task.state), task.joint, _steps(model, task, data.n, rng))


class _Noting:
    """Notes which rows each block visits."""

    def __init__(self, task: Learning) -> None:
        self.task, self.blocks, self.index = task, task.blocks, np.empty(0, np.intp)

    def visit(self, number: int, order: Array | None) -> int:
        block = self.blocks[number]
        self.index = block if order is None else block[order]
        return self.task.visit(number, order)


def _steps(
    model: Any, task: Learning, n: int, rng: np.random.Generator | None
) -> Generator[KernelStep, None, History]:
    noting, step = _Noting(task), 0

    def one_pass(_: Any, number: int, clean: bool) -> Pass:
        return model._visit(noting, number, rng)  # type: ignore[no-any-return]

    stop = StopByMistakes(n, model.tol, passes_to_wait(model.n_iter_no_change, n))
    run = run_passes(one_pass, None, model.max_iter, stop)
    blocks = Following(run)
    for here in blocks:
        log = task.log[-1]
        ends = np.searchsorted(log.step, step + 1 + np.arange(len(noting.index) + 1))
        for place, row in enumerate(noting.index.tolist()):
            step += 1
            part = slice(ends[place], ends[place + 1])
            yield KernelStep(row, log.function[part], log.change[part], here.number, step)
    history: History = blocks.result[1]
    return history
