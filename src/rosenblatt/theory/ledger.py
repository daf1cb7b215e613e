"""The ledger: every update that a perceptron made, in order.

A proof counts updates and measures w after each; with the ledger both can be done to a model that
has learned. It keeps row numbers and scores, no weights: those are had by replaying the updates.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.data.rows import Array, Rows, n_rows
from rosenblatt.geometry.hyperplane import length
from rosenblatt.kernels.online.perceptrons import Log
from rosenblatt.learners import online
from rosenblatt.theory import replay
from rosenblatt.theory.replay import Call, Change, Moves, Start

_SHOWN = 10


class Update(NamedTuple):
    """One line of the ledger: what indexing a :class:`Ledger` gives.

    Attributes
    ----------
    call : int
        The number of the call of ``fit`` or ``partial_fit``, from 1 on.
    step : int
        The number of the visit, from 1 on.
    index : int
        The mistaken row's number in the X that the call was given.
    label, prediction : object
        The row's class, and the one it was taken for.
    score : float or pair of floats
        ``w·x + b`` before the update; for K classes that of the right class, and of the other.
    eta : float
        The step size.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(shuffle=False, record=True).fit([[0.0], [1.0], [3.0]], [0, 0, 1])
    >>> update = model.ledger_[0]
    >>> update.step, update.index, update.label, update.prediction
    (1, 0, 0, 1)
    """

    call: int
    step: int
    index: int  # type: ignore[assignment]  # hides a method of tuples, for the better name
    label: Any
    prediction: Any
    score: Any
    eta: float


class Ledger:
    """Every update of a fitted perceptron, one entry for each mistaken row.

    An estimator with ``record=True`` keeps one in ``ledger_``. Each column is an array; indexing
    gives an :class:`Update`.

    Attributes
    ----------
    index : array of shape (n_updates,)
        The mistaken row's number in the X that the call was given.
    step : array of shape (n_updates,)
        The number of the visit, from 1 on; for the batch perceptron that of the move, which many
        mistakes make together.
    label, prediction : arrays of shape (n_updates,)
        The row's class, and the one it was taken for (a tie that counts as a mistake: the other).
    score : array of shape (n_updates,), or (n_updates, 2) for K classes
        ``w·x + b`` before the update; for K classes that of the right class, then that of the one
        it was taken for.
    eta : array of shape (n_updates,)
        The step size.
    call : array of shape (n_updates,)
        The number of the call of ``fit`` or ``partial_fit``, from 1 on.
    start : Start
        The weights that the first call began with.
    calls : tuple of Call
        What each call learned from, and how.

    Examples
    --------
    Deck B's example, with mistakes on the 1st, 3rd and 5th:

    >>> from rosenblatt import Perceptron
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> y = [-1, 1, 1, -1, -1, 1]
    >>> model = Perceptron(fit_intercept=False, shuffle=False, record=True).fit(X, y)
    >>> ledger = model.ledger_
    >>> print(ledger)
    3 updates
    step  row  label  taken for  score  η
       1    0     -1          1      0  1
       3    2      1         -1     -1  1
       5    4     -1          1      0  1
    >>> [change.weights.tolist() for change in ledger.replay(X)]
    [[1.0, -2.0], [2.0, -1.0], [3.0, 1.0]]

    The proof's two sides, kγ ≤ w·u ≤ ‖w‖ ≤ R√k, with a unit vector u that separates by γ:

    >>> import numpy as np
    >>> k, u = np.arange(1, 4), np.array([3.0, 1.0]) / np.sqrt(10)
    >>> gamma, R = min(y * (X @ u)), np.linalg.norm(X, axis=1).max()
    >>> norms, progress = ledger.norms(X), ledger.progress(X, u)
    >>> bool(np.all((k * gamma <= progress) & (progress <= norms) & (norms <= R * np.sqrt(k))))
    True
    """

    def __init__(self, start: Start, calls: tuple[Call, ...]) -> None:
        self.start = start
        self.calls = calls

    def _column(self, name: str) -> Array:
        return _frozen(np.concatenate([getattr(call.log, name) for call in self.calls]))

    @cached_property
    def index(self) -> Array:
        """The row of each update."""
        return self._column("row")

    @cached_property
    def step(self) -> Array:
        """The number of the visit or move of each."""
        return self._column("step")

    @cached_property
    def label(self) -> Array:
        """The class of each."""
        return _frozen(np.concatenate([c.classes[c.log.right] for c in self.calls]))

    @cached_property
    def prediction(self) -> Array:
        """The class that each was taken for."""
        return _frozen(np.concatenate([c.classes[c.log.wrong] for c in self.calls]))

    @cached_property
    def score(self) -> Array:
        """The score of each, or the two scores."""
        scores = [call.log.score for call in self.calls]
        if all(score.shape[1] == 1 for score in scores):
            return _frozen(np.concatenate(scores)[:, 0])
        return _frozen(np.concatenate([_pair(call) for call in self.calls]))

    @cached_property
    def eta(self) -> Array:
        """The step size of each."""
        return self._column("eta")

    @cached_property
    def call(self) -> Array:
        """The number of the call of each."""
        sizes = [len(call.log.row) for call in self.calls]
        return _frozen(np.repeat(np.arange(1, len(sizes) + 1), sizes))

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, k: int) -> Update:
        k = index(k)  # one update; slice the columns instead
        return Update(*(plain(getattr(self, name)[k]) for name in Update._fields))

    def __iter__(self) -> Iterator[Update]:
        return (self[k] for k in range(len(self)))

    def replay(self, X: Any) -> Iterator[Change]:
        """Yield w and b before and after each update, to the last bit those of the fit.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or a list of them
            The rows that were learned from; if several calls learned, a list with the X of each.

        Returns
        -------
        iterator of :class:`~rosenblatt.theory.replay.Change`
            One for each update; of the batch perceptron one for each move.
        """
        return replay.changes(self.start, self.calls, replay.check_rows(self.calls, X))

    def norms(self, X: Any) -> Array:
        """Return ``‖(w, b)‖`` after each update; of the batch perceptron after each move.

        For K classes it is the length of all K functions' weights and intercepts together.
        """
        rows = replay.check_rows(self.calls, X)
        lengths = [
            float(length(np.append(weights, intercept))[0])
            for entries, weights, intercept in replay.states(self.start, self.calls, rows)
            if entries
        ]
        return np.array(lengths)

    def progress(self, X: Any, direction: ArrayLike, offset: ArrayLike = 0.0) -> Array:
        """Return ``w·u + b·c`` after each update: how far it came along (u, c).

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or a list of them
            The rows that were learned from, as in :meth:`replay`.
        direction : array of shape (n_features,), or (n_classes, n_features) for K classes
            u. Along a unit vector (u, c) that separates the rows (x, 1) with margin γ, every
            mistake adds γ or more.
        offset : float, or array of shape (n_classes,)
            c, the part of the direction that the intercept goes along.

        Returns
        -------
        array of shape (n_updates,), or of the number of moves for the batch perceptron
        """
        return self._measured(
            X, direction, offset, lambda w, b, u, c: np.sum(w * u) + np.sum(b * c)
        )

    def distances(self, X: Any, direction: ArrayLike, offset: ArrayLike = 0.0) -> Array:
        """Return ``‖(w, b) − (u, c)‖`` after each update: how far it is from a solution.

        If (u, c) is R²/γ times the unit vector that separates the rows (x, 1) by γ, then from a
        zero start the square of this distance falls by R² or more at every mistake.
        The arguments are those of :meth:`progress`.
        """
        return self._measured(
            X,
            direction,
            offset,
            lambda w, b, u, c: np.sqrt(np.sum((w - u) ** 2) + np.sum((b - c) ** 2)),
        )

    def _measured(
        self, X: Any, direction: ArrayLike, offset: ArrayLike, measure: Callable[..., float]
    ) -> Array:
        """Compare the weights after each update with a vector."""
        rows = replay.check_rows(self.calls, X)
        along, across = np.asarray(direction, float), np.asarray(offset, float)
        made = []
        for entries, *live in replay.states(self.start, self.calls, rows):
            weights, intercept = replay.shown(*live)
            if along.shape != weights.shape:
                raise ValueError(f"direction has shape {along.shape}, expected {weights.shape}")
            if entries:
                made.append(measure(weights, intercept, along, across))
        return np.array(made)

    def __repr__(self) -> str:
        return f"<Ledger of {_count(len(self), 'update')} in {_count(len(self.calls), 'call')}>"

    def __str__(self) -> str:
        """Show the first few updates as a table."""
        lines = [("step", "row", "label", "taken for", "score", "η")]
        for update in (self[k] for k in range(min(len(self), _SHOWN))):
            score = ", ".join(f"{value:.4g}" for value in np.atleast_1d(update.score))
            named = str(update.label), str(update.prediction)
            lines.append((str(update.step), str(update.index), *named, score, f"{update.eta:.4g}"))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = [
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in lines
        ]
        more = [f"… and {len(self) - _SHOWN:,} more"] if len(self) > _SHOWN else []
        return "\n".join([_count(len(self), "update"), *(table if len(self) else []), *more])


class Recorder:
    """Writes the ledger of one call: a pass writes to ``log``, and `take` turns the page.

    If some rows were left out, ``kept`` are the numbers that the others had among ``n_given``.
    """

    def __init__(
        self,
        state: Any,
        rows: Rows,
        classes: Array,
        moves: Moves | None,
        earlier: Ledger | None,
        kept: Array | None = None,
        n_given: int = 0,
    ) -> None:
        n, dtype = n_rows(rows), state.weights.dtype
        shape = n if kept is None else n_given, state.weights.shape[1]
        self.kept = kept
        self.log = online.full_log(n, state.weights)
        self.pages = [Log(*(column[:0] for column in self.log))]
        self.call = Call(classes, shape, dtype, state.ties, moves, self.pages[0])
        self.earlier = () if earlier is None else earlier.calls
        self.start = _start(state) if earlier is None else earlier.start

    def take(self, mistakes: int) -> None:
        """Keep what a pass has written."""
        self.pages.append(Log(*(column[:mistakes].copy() for column in self.log)))

    def ledger(self) -> Ledger:
        """Bind the pages."""
        log = Log(*(np.concatenate(columns) for columns in zip(*self.pages, strict=True)))
        if self.kept is not None:
            log = log._replace(row=self.kept[log.row])
        return Ledger(self.start, (*self.earlier, self.call._replace(log=log)))


def log_of(recorder: Recorder | None) -> Log | None:
    """Return what a pass writes to: None if nothing is recorded, and the loops leave it out."""
    return None if recorder is None else recorder.log


def _start(state: Any) -> Start:
    return Start(state.weights.copy("K"), state.intercept.copy(), state.fit_intercept)


def plain(value: Any) -> Any:
    """Turn NumPy's numbers and texts into Python's, pairs into tuples; leave other labels alone."""
    if isinstance(value, np.ndarray):
        return tuple(value.tolist())
    known = isinstance(value, np.number | np.bool_ | np.str_ | np.bytes_)
    return value.item() if known else value


def _pair(call: Call) -> Array:
    """Return the scores of the right and of the wrong class; those of two classes are −s and s."""
    score = call.log.score
    if score.shape[1] == 1:
        score = score * np.where(call.log.right > 0, 1, -1)[:, None] * [1, -1]
    return np.asarray(score)


def _frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}" + ("" if n == 1 else "s")
