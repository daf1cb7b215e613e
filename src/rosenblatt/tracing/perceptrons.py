"""Watching a perceptron learn: one record for every example it looks at."""

from collections.abc import Generator
from typing import Any, NamedTuple

from sklearn.base import clone

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.linear import LinearPerceptron
from rosenblatt.estimators._base.start import Task, begin
from rosenblatt.estimators.kernel import KernelPerceptron
from rosenblatt.kernels.online.perceptrons import Log
from rosenblatt.learner_registry import traceable
from rosenblatt.learners import online
from rosenblatt.passes import Following, History, Run, row_by_row
from rosenblatt.theory.ledger import plain
from rosenblatt.theory.replay import shown, snapshot


class Step(NamedTuple):
    """What happened at one example.

    Weights are a vector and an intercept a number for two classes; K classes have K of each, and K
    scores. The arrays are read-only copies, and steps between which nothing changed share them.

    Attributes
    ----------
    index : int
        The example's row in X.
    label : object
        Its class.
    score : float or array of shape (n_classes,)
        ``w·x + b`` before the step.
    mistake : bool
        Whether the learner erred.
    weights, intercept : array, float or array
        w and b after the step. Those of the batch perceptron change with the last step of a pass.
    prediction : object
        The class that the example was taken for; at a tie that counts as a mistake, the wrong one.
    weights_before, intercept_before : array, float or array
        w and b before the step.
    pass_number, step : int
        The number of the pass and of the step, both from 1 on.
    mean_weights, mean_intercept : array, float or array; or None
        The mean so far, of the averaged and the voted perceptron.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> step = next(trace([[1.0, 2.0], [3.0, 0.0]], [0, 1]))
    >>> step.index, step.label, step.score, step.mistake
    (0, 0, 0.0, True)
    >>> step.weights.tolist(), step.intercept
    ([-1.0, -2.0], -1.0)
    """

    index: int  # type: ignore[assignment]  # hides a method of tuples, for the better name
    label: Any
    score: Any
    mistake: bool
    weights: Array
    intercept: Any
    prediction: Any
    weights_before: Array
    intercept_before: Any
    pass_number: int
    step: int
    mean_weights: Array | None = None
    mean_intercept: Any = None


def trace(X: Any, y: Any, learner: Any = None) -> Generator[Step, None, History]:
    """Learn as ``fit`` does, and yield a record of every example that is looked at.

    Nothing is learned before it is asked for. After the last step the weights are to the last bit
    those of ``fit``; of the averaged and the voted perceptron, so are the means.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Rows of numbers.
    y : array of shape (n_samples,)
        Labels of two or more classes.
    learner : estimator or str, default=None
        An estimator, whose parameters hold and which is not changed; or "perceptron" (the default),
        "averaged", "voted" or "batch", which visit the rows in the order given, with an intercept
        that counts as a feature of value 1.

    Returns
    -------
    iterator of :class:`Step`

    Examples
    --------
    Deck B's example. The first pass errs on the 1st, 3rd and 5th, the second on none:

    >>> from rosenblatt import Perceptron, trace
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> y = [-1, 1, 1, -1, -1, 1]
    >>> steps = list(trace(X, y, Perceptron(fit_intercept=False, shuffle=False)))
    >>> [(s.step, s.score, s.weights.tolist()) for s in steps if s.mistake]
    [(1, 0.0, [1.0, -2.0]), (3, -1.0, [2.0, -1.0]), (5, 0.0, [3.0, 1.0])]
    >>> len(steps), steps[-1].pass_number
    (12, 2)
    """
    model = _unfitted(learner)
    task = begin(model, X, y)
    log = online.full_log(len(task.y), task.state.weights)
    return _steps(model, task, model._run(task, row_by_row, log), log)


def _unfitted(learner: Any) -> LinearPerceptron:
    """Make an estimator of a name, or of another estimator."""
    if learner is None:
        learner = "perceptron"
    if isinstance(learner, str) and learner in traceable():
        return in_order(learner)
    if isinstance(learner, KernelPerceptron):
        raise ValueError(
            "a KernelPerceptron has no weights, which are what is traced; with kernel='linear' it "
            "learns as a Perceptron does, which has"
        )
    if not isinstance(learner, LinearPerceptron):
        names = ", ".join(map(repr, traceable()))
        raise ValueError(f"learner must be {names}, or an estimator of these, got {learner!r}")
    model: LinearPerceptron = clone(learner)
    return model


def in_order(learner: str, **options: Any) -> LinearPerceptron:
    """Make the estimator of a name, which is to visit the rows in the order given."""
    kind = traceable()[learner].load()
    known = kind().get_params()
    if "shuffle" in known:
        options["shuffle"] = False
    if "intercept_scaling" in known:
        options["intercept_scaling"] = 1.0  # of which the bound speaks
    model: LinearPerceptron = kind(**options)
    return model


def _steps(
    model: LinearPerceptron, task: Task, run: Run, log: Log
) -> Generator[Step, None, History]:
    rows, y = task.rows, task.y
    names = [plain(label) for label in model.classes_]
    before, updates, made = snapshot(*task.state[:2]), task.state.updates, 0
    blocks = Following(run)
    for here in blocks:
        state, row = here.state, int(here.block[0])
        score = online.score_of(*before, rows, row)
        after = snapshot(*state[:2]) if state.updates > updates else before
        online.check_weights(*after)
        mistake = here.mistakes > made
        right = names[int(y[row] > 0 if len(names) == 2 else y[row])]
        mean = model._hyperplanes(state)
        yield Step(
            row,
            right,
            float(score[0]) if len(names) == 2 else score,
            mistake,
            *shown(*after),
            names[log.wrong[here.mistakes - 1]] if mistake else right,
            *shown(*before),
            here.number,
            state.steps,
            *((None, None) if mean[0] is state.weights else shown(*snapshot(*mean))),
        )
        before, updates, made = after, state.updates, 0 if here.last else here.mistakes
    history: History = blocks.result[1]
    return history
