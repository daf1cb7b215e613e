"""The structured perceptron."""

import warnings
from collections.abc import Callable, Mapping, Set
from dataclasses import field
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt.estimators._base.callbacks import telling, watched
from rosenblatt.estimators._base.checks import warn_of_running_out
from rosenblatt.estimators._base.descent import RULES as DESCENT_RULES
from rosenblatt.estimators._base.estimator import MistakeDriven, estimator_class
from rosenblatt.estimators._base.params import Rules, check_params, flag, unchanged_on_error
from rosenblatt.estimators._base.progress_line import reporting
from rosenblatt.estimators._base.start import generator
from rosenblatt.learners import structured as learner
from rosenblatt.learners.joint_features import Weights, shown
from rosenblatt.passes import (
    FIRST_BLOCK,
    BlockEnd,
    Blocks,
    History,
    Pass,
    PassEnd,
    StopByMistakes,
    StopByValidation,
    choose_held_out,
    drive,
    passes_to_wait,
    report_end,
    run_passes,
)

RULES: Rules = {
    "averaged": (flag, "True or False"),
    "cost_augmented": (flag, "True or False"),
    "early_stopping": DESCENT_RULES["early_stopping"],
    "validation_fraction": DESCENT_RULES["validation_fraction"],
}


class Examples(NamedTuple):
    """Inputs, the right output for each, and the numbers of those that are meant."""

    X: list[Any]
    y: list[Any]
    rows: list[int]


def examples(X: Any, y: Any, whose: str = "") -> Examples:
    """Return inputs and outputs as lists of one length that are not empty."""
    if y is None:
        raise ValueError(f"{whose}y is None; give the right output for each input")
    inputs, outputs = listed(X, f"{whose}X"), listed(y, f"{whose}y")
    if len(inputs) != len(outputs):
        raise ValueError(
            f"{whose}X has {len(inputs)} inputs but {whose}y has {len(outputs)} outputs; give one "
            "for each"
        )
    if not inputs:
        raise ValueError(f"{whose}X is empty; give at least one example")
    return Examples(inputs, outputs, list(range(len(inputs))))


def pair(validation: Any) -> tuple[Any, Any]:
    """Return what is a pair (X, y) of examples, or raise ``ValueError``."""
    if not isinstance(validation, tuple | list) or len(validation) != 2:
        raise ValueError(
            "validation must be a pair (X, y) of inputs and outputs, got "
            f"{type(validation).__name__}"
        )
    return validation[0], validation[1]


def listed(values: Any, name: str, hint: str = "") -> list[Any]:
    """Return a sequence as a list, or raise ``ValueError`` if it is none."""
    table = hasattr(values, "columns")
    if not table and not isinstance(values, str | bytes | Mapping | Set):
        try:
            return list(values)
        except TypeError:
            pass
    raise ValueError(
        f"{name} must be a sequence, such as a list or an array, got {type(values).__name__}"
        + ("; to use its rows, give its to_numpy()" if table else hint and f"; {hint}")
    )


def check_problem(problem: Any, cost_augmented: bool = False) -> None:
    """Raise ``ValueError`` if a problem lacks a method that is needed."""
    if isinstance(problem, type):
        raise ValueError(
            f"problem is the class {problem.__name__}; give an object of it, {problem.__name__}()"
        )
    need(problem, "features", "(x, y), the features of an input and an output")
    need(problem, "argmax", "(x, weights), the best output for an input")
    if cost_augmented:
        need(
            problem,
            "argmax_with_cost",
            "(x, weights, y_true), the output of the largest score and cost, for cost_augmented",
        )


def need(problem: Any, name: str, what: str) -> None:
    """Raise ``ValueError`` unless a problem has a method; ``what`` says what it is for."""
    if not callable(getattr(problem, name, None)):
        raise ValueError(
            f"problem has no method {name!r}: give {type(problem).__name__} a method {name}{what}"
        )


def split(task: Examples, share: float, rng: np.random.Generator) -> tuple[Examples, Examples]:
    """Set a share of the examples aside, one at least."""
    n = len(task.rows)
    if n < 2:
        raise ValueError(
            "early_stopping needs an example to hold out and one to learn from: give more "
            "examples, or set early_stopping=False"
        )
    aside = set(choose_held_out([np.arange(n)], share, rng).tolist())
    held_out = [row for row in task.rows if row in aside]
    learned = [row for row in task.rows if row not in aside]
    return task._replace(rows=learned), task._replace(rows=held_out)


def warn_of_miss(miss: learner.Miss, cost_augmented: bool) -> None:
    """Warn that the right output scores more than the one returned as the best."""
    call, score = learner.call_name(cost_augmented), "score + cost" if cost_augmented else "score"
    name = call.partition("(")[0]
    warnings.warn(
        f"{call} returned an output of {score} {miss.found:.9g} at example {miss.example}, but the "
        f"right output has {miss.right:.9g}: {name} must return the output of the LARGEST {score}; "
        "an approximate search, such as a beam, may ignore this",
        UserWarning,
        stacklevel=3,
    )


def total_cost(problem: Any, task: Examples, weights: Any) -> float:
    """Return the sum of the costs of the outputs that weights predict."""
    weights, total = shown(weights), 0.0
    for i in task.rows:
        found = learner.decode(problem, task.X[i], task.y[i], i, weights)
        total += learner.cost_of(problem, task.y[i], found, i)
    return total


@estimator_class
class StructuredPerceptron(MistakeDriven):
    """The structured perceptron: outputs of any kind, as long as the best one can be found.

    ``ŷ = argmax_z w·Φ(x, z)`` over all outputs z, and on a mistake ``w ← w + Φ(x, y) − Φ(x, ŷ)``.
    Outputs may be sequences, trees, matchings or orders, far too many to list: the features Φ and
    the argmax come from the problem. The bound on the mistakes does not depend on how many outputs
    there are.

    Parameters
    ----------
    problem : object
        What to learn. It has the methods

        - ``features(x, y)``: the features Φ(x, y), as a dict from any names to numbers or as a
          vector of numbers, whose length never changes.
        - ``argmax(x, weights)``: the output of the largest score ``weights @ features``. Weights by
          name may also be read one by one: ``weights[name]``, 0.0 for a name that has none yet.

        and, where they are wanted,

        - ``cost(y_true, y)``: how bad an output is, 0 if it is right. By default 0 or 1.
        - ``argmax_with_cost(x, weights, y_true)``: the output of the largest sum of score and cost.
        - ``rival(x, weights, y)``: the best output other than y, or None if there is no other.
    averaged : bool
        Predict with the mean of the weights after every step, instead of the last.
    cost_augmented : bool
        Learn from ``argmax_with_cost`` instead of ``argmax``: the right output must beat each other
        by its cost, or it is a mistake.
    early_stopping : bool
        Hold out ``validation_fraction`` of the examples and go by their mean cost; the weights with
        the least are kept. ``tol=None`` counts as 0 then: any fall will do.
    validation_fraction : float
        The share of the examples to hold out for that.
    shuffle : bool
        Visit the examples in a new random order each pass, instead of the given one.
    random_state : int, RandomState or None
        Seed of the orders, and of what is held out.

    Attributes
    ----------
    weights_ : Weights or array of shape (n_features,)
        The weights that predict, as a mapping from names or as a vector, like the features.
    last_weights_ : Weights or array of shape (n_features,)
        The weights as they were last; without ``averaged`` the same.
    radius_ : float
        R, the length of the longest update.
    cost_ : float
        The largest cost of an output learned from; 0 without ``cost_augmented``.
    validation_curve_ : array of shape (n_iter_,)
        The mean cost of the examples held out after each pass, if any were.

    Notes
    -----
    Inputs and outputs may be anything; outputs are compared with ``==``, and lists, tuples and
    arrays element by element. If several outputs have the largest score, argmax may return any.
    The mistake bound needs an argmax that finds a best output; one that only searches, such as a
    beam, may do well without a promise. At each mistake ``fit`` compares the scores, with the cost
    if ``cost_augmented``: a right output that scores more than the one found, by more than
    rounding, shows that argmax did not find a best one, and the first is reported by a UserWarning.

    References
    ----------
    M. Collins (2002), "Discriminative training methods for hidden Markov models: theory and
    experiments with perceptron algorithms", EMNLP.

    Examples
    --------
    Three classes, the smallest set of outputs that is of interest; the features are those of the
    input, once for each class:

    >>> from rosenblatt import StructuredPerceptron
    >>> class Classes:
    ...     def features(self, x, y):
    ...         return {(y, word): 1 for word in x.split()}
    ...     def argmax(self, x, weights):
    ...         return max("abc", key=lambda y: weights @ self.features(x, y))
    >>> X, y = ["red round", "green round", "green long", "red long"], ["a", "b", "c", "a"]
    >>> model = StructuredPerceptron(Classes(), shuffle=False).fit(X, y)
    >>> model.predict(["red", "green round ripe"]), model.mistakes_.tolist(), model.converged_
    (['a', 'b'], [3, 3, 0], True)
    """

    _rules = RULES

    problem: Any = field(kw_only=False)
    averaged: bool = True
    cost_augmented: bool = False
    early_stopping: bool = False
    validation_fraction: float = 0.1
    shuffle: bool = True
    random_state: Any = 0

    def fit(self, X: Any, y: Any, validation: Any = None) -> Self:
        """Learn from all examples until a pass is clean or the stopping rule applies.

        Parameters
        ----------
        X : sequence of n_samples inputs
            Whatever the problem takes.
        y : sequence of n_samples outputs
            The right one for each.
        validation : pair (X, y), optional
            Examples to stop early by, instead of some that are held out.
        """
        with telling(self, X, y, subtasks=self.max_iter), unchanged_on_error(self):
            check_params(self)
            check_problem(self.problem, self.cost_augmented)
            task, rng = examples(X, y), generator(self.random_state)
            held_out = None if validation is None else examples(*pair(validation), "validation ")
            if validation is None and self.early_stopping:
                task, held_out = split(task, self.validation_fraction, rng)
            n = len(task.rows)
            wait = passes_to_wait(self.n_iter_no_change, n)
            start = learner.init(self.problem, task.X, task.y, task.rows[0])
            misses: list[learner.Miss] = []
            one_pass = self._passes(task, rng, misses)
            if held_out is None:
                stop: Any = StopByMistakes(n, self.tol, wait)
                run = run_passes(one_pass, start, self.max_iter, watched(stop, self))
            else:
                stop = StopByValidation(self.tol or 0.0, wait)
                cost = partial(self._mean_cost, held_out)
                rule, keep = watched(stop, self), self._kept
                run = run_passes(one_pass, start, self.max_iter, rule, validate=cost, keep=keep)
            with reporting(type(self).__name__, self.max_iter, self.verbose) as report:
                state, history = drive(run, n, report)
                report_end(history, n, report)
            self._finish(state, history)
        if misses:
            warn_of_miss(misses[0], bool(self.cost_augmented))
        if history.ran_out and self.tol is not None and held_out is None:
            warn_of_running_out(
                self, "these features may not separate the right outputs from all others"
            )
        return self

    def predict(self, X: Any) -> list[Any]:
        """Return the best output for each input.

        Parameters
        ----------
        X : sequence of n_samples inputs
            Whatever the problem takes.

        Returns
        -------
        list of n_samples outputs
        """
        check_is_fitted(self)
        check_problem(self.problem)
        weights = shown(self.weights_)
        hint, found = "predict takes a list of inputs: for one input x, [x]", []
        for i, x in enumerate(listed(X, "X", hint)):
            try:
                found.append(learner.decode(self.problem, x, None, i, weights))
            except Exception as error:
                if i == 0:  # later, those before it were inputs
                    error.add_note(hint)
                raise
        return found

    def score(self, X: Any, y: Any) -> float:
        """Return 1 − the mean cost: without a cost, the share of outputs that are right.

        Parameters
        ----------
        X, y : sequences
            Inputs, and the right output for each.
        """
        check_is_fitted(self)
        check_problem(self.problem)
        task = examples(X, y)
        n = len(task.rows)
        return (n - total_cost(self.problem, task, self.weights_)) / n

    def margin(self, X: Any, y: Any, weights: Any = None) -> float:
        """Return the margin δ by which weights, scaled to length one, tell right outputs from all.

        It is the least difference ``u·Φ(x, y) − u·Φ(x, z)``, where z is the rival of y, which the
        problem must find by its method ``rival``. It is negative if an output is wrong.

        Parameters
        ----------
        X, y : sequences
            Inputs, and the right output for each.
        weights : mapping or array, optional
            By default ``weights_``.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        check_problem(self.problem)
        need(self.problem, "rival", "(x, weights, y), the best output other than y, for a margin")
        task = examples(X, y)
        weights = self.weights_ if weights is None else weights
        from rosenblatt.theory.bounds import structured_margin

        return structured_margin(self.problem, task.X, task.y, weights)

    def mistake_bound(self, X: Any, y: Any, weights: Any = None) -> float:
        """Return what ``n_mistakes_`` cannot exceed: ``(R/δ)²`` (Collins 2002, theorem 1).

        R is ``radius_`` and δ the margin of any weights that get all examples right. The number of
        outputs plays no part. With ``cost_augmented`` and costs of up to c, it is ``(R² + 2c)/δ²``.

        Parameters
        ----------
        X, y : sequences
            The examples that were learned from.
        weights : mapping or array, optional
            Weights that get them right. By default ``weights_`` or ``last_weights_``, whichever has
            the larger margin.

        Returns
        -------
        float
            The bound, up to rounding.
        """
        check_is_fitted(self, "radius_")
        tried = [weights]
        if weights is None:
            tried = [self.weights_, self.last_weights_][: 1 + bool(self.averaged)]
        margin = max(self.margin(X, y, each) for each in tried)
        if margin <= 0:
            raise ValueError(
                f"the margin of these weights is {margin:.3g}, so they bound nothing: some output "
                "scores no less than a right one. Increase max_iter until converged_ is True, set "
                "cost_augmented=True if there are ties, or give weights that have a margin"
            )
        from rosenblatt.theory.bounds import structured_bound

        return structured_bound(self.radius_, self.cost_, margin)

    def _passes(
        self,
        task: Examples,
        rng: np.random.Generator,
        misses: list[learner.Miss],
    ) -> Callable[[learner.State, int, bool], Pass]:
        n, blocks = len(task.rows), Blocks(1, FIRST_BLOCK)  # of one example, more if time allows
        given = np.array(task.rows)
        options: Any = {"cost_augmented": bool(self.cost_augmented), "misses": misses}

        def one_pass(state: learner.State, number: int, clean: bool) -> Pass:
            order = rng.permutation(given) if self.shuffle else given
            before = state.updates
            for start, stop in blocks.cut(n):
                part = order[start:stop]
                rows = part.tolist()
                state = learner.update(state, self.problem, task.X, task.y, rows, **options)
                mistakes = state.updates - before
                yield BlockEnd(state, part, number, stop, mistakes, stop == n)
            return PassEnd(state, mistakes)

        return one_pass

    def _mean_cost(self, task: Examples, state: learner.State) -> float:
        """Return the mean cost of examples that were held out."""
        weights = learner.average(state) if self.averaged else state.weights
        return total_cost(self.problem, task, weights) / len(task.rows)

    def _kept(self, state: learner.State) -> tuple[Any, Any]:
        """Return copies of the weights that predict and of the last ones."""
        last = state.weights.copy()
        return (learner.average(state) if self.averaged else last), last

    def _finish(self, state: learner.State, history: History) -> None:
        mean, last = history.best or self._kept(state)
        if history.validation:
            self.validation_curve_ = np.array(history.validation)
        elif hasattr(self, "validation_curve_"):
            del self.validation_curve_  # it is of an earlier fit
        named = isinstance(last, dict)
        self.weights_ = Weights(mean) if named else mean
        self.last_weights_ = Weights(last) if named else last
        self._set_counts(history, state.updates)
        self.radius_, self.cost_ = state.radius, state.cost
