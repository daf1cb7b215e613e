"""`OnlineClassifier`: examples as dicts, one at a time, new features and classes at any time."""

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any, Self, TypeVar

import numpy as np

from rosenblatt.data.rows import Array, Sparse, frozen
from rosenblatt.learners import adaptive, online
from rosenblatt.readers.features import features_of
from rosenblatt.readers.names import Hashed, Kept, Names
from rosenblatt.stream.encoding import copied
from rosenblatt.stream.model import StreamModel, classes_of, exclusive, label_array
from rosenblatt.stream.one_example import Single
from rosenblatt.stream.rules import Options, checked, rule_of

_MOST_CACHED = 32 << 20  # bytes of names whose columns are cached
_SLOT = 100  # bytes that a dict needs for a name, without the name itself
_PLAIN_LABELS = frozenset((bool, int, str))


T = TypeVar("T")


class OnlineClassifier(StreamModel):
    """A classifier that learns from a stream: for every example predict, look at the label, learn.

    An example is a dict. A number under a key is a feature of that name; a string makes a category,
    so that ``{"city": "Oslo"}`` is the feature ``city=Oslo`` with the value 1; a list of strings
    makes several; None is missing. New features and new classes may come at any time. The same
    examples from a file (`rosenblatt train`) give the same weights, to the last bit.

    Any number of threads may share one. Examples are learned one after the other, a prediction is
    that of the model between two examples, and `save`, `pickle` and `copy` take such a moment, too.
    While one is saved the others wait; to go on learning meanwhile, save a ``copy`` of it.

    Parameters
    ----------
    learner : str, default="averaged"
        What learns: "averaged", "perceptron", "voted", "passive-aggressive", "arow", "logistic" or
        "svm". "logistic" and "svm" are stochastic gradient descent on the logistic and the hinge
        loss. "voted" keeps every example it was wrong about. "passive-aggressive" and "arow" learn
        as :class:`PassiveAggressive` and :class:`AROW` do.
    bits : int or None, default=None
        Hash names to 2^bits columns (MurmurHash3), so that memory stays as it is for ever. None
        keeps the names in a dictionary, so that features can be named.
    classes : sequence or None, default=None
        Classes that will come, if they are known. They compete from the start; else a class does
        from its first example on, and nothing is learned before there are two.
    fit_intercept : bool, default=True
        Learn an intercept.
    ties : {"mistake", "positive"}, default="mistake"
        What a score of exactly zero is, as in :class:`Perceptron`.
    eta0 : float or "auto", default="auto"
        For gradient descent: the first step; "auto" is 1/L for examples of mean length. Steps decay
        as ``1/√(1 + t/10,000)``. For "passive-aggressive" it is C, and for "arow" 1/r; "auto" is 1.
    average : bool, default=True
        For gradient descent: predict with the mean of the weights after every step.
    learning_rate : {"inverse_sqrt", "adaptive"}, default="inverse_sqrt"
        For gradient descent: the same step for all features, or one for each, which shrinks with
        the slopes that the feature has seen (AdaGrad). ``eta0="auto"`` is then 0.5.
    l2 : float, default=0.3
        For adaptive steps: the penalty ``l2/2 · ‖w‖²`` against the losses of all examples, 1/C in
        scikit-learn's terms.
    scale : {"standard"} or None, default=None
        "standard" subtracts from a number the mean of its feature so far, and divides by its
        deviation so far, for features that have had a number other than 0 and 1; those that few
        examples have are divided only. ``coef_`` is for the numbers as they are. Hashed names are
        not scaled.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        For "passive-aggressive": PA-I or PA-II.
    dtype : {"float32", "float64"}, default="float32"
        The type of the weights.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels seen so far, sorted.
    coef_, intercept_ : arrays
        The weights to predict with: one row for two classes, else one for each. Columns are in the
        order of ``feature_names_``.
    n_features_ : int
        How many features were seen, or 2^bits.
    t_ : int
        How many examples were learned from.
    n_mistakes_ : int
        How many of them were predicted wrongly, each before it was learned from.

    References
    ----------
    F. Rosenblatt (1958), "The perceptron: a probabilistic model for information storage and
    organization in the brain", Psychological Review 65. For the hashing: K. Weinberger et al.
    (2009), "Feature hashing for large scale multitask learning", ICML.

    Examples
    --------
    >>> from rosenblatt import OnlineClassifier
    >>> model = OnlineClassifier()
    >>> mails = [("free offer", "spam"), ("see you", "ham"), ("free pills", "spam")] * 5
    >>> for text, label in mails:
    ...     _ = model.learn_one({word: 1 for word in text.split()}, label)
    >>> model.predict_one({"free": 1, "gift": 1}), model.n_mistakes_
    ('spam', 2)
    """

    def __init__(
        self,
        learner: str = "averaged",
        *,
        bits: int | None = None,
        classes: Sequence[Any] | None = None,
        fit_intercept: bool = True,
        ties: str = "mistake",
        eta0: float | str = "auto",
        average: bool = True,
        dtype: str = "float32",
        learning_rate: str = "inverse_sqrt",
        l2: float = adaptive.L2,
        scale: str | None = None,
        loss: str = "hinge",
    ) -> None:
        options = Options(
            str(learner),
            bool(fit_intercept),
            str(ties),
            eta0,
            bool(average),
            str(dtype),
            str(learning_rate),
            float(l2),
            scale,
            str(loss),
        )
        names: Names = Kept() if bits is None else Hashed(bits)
        self._set_up(checked(options), names, classes)

    def _set_up(self, options: Options, names: Names, classes: Any = None) -> None:
        self._lock: Any = threading.RLock()
        self._cache_size = 0
        self._one_by_one = rule_of(options).one_by_one and options.scale is None
        super()._set_up(options, names, classes)

    def exclusively(self, work: Callable[[], T]) -> T:
        """Call a function while no other thread learns or predicts.

        The lock is taken by a plain ``with``, which Ctrl-C cannot leave with the lock held. The
        outermost call closes the fast path to other threads, and opens it again.
        """
        outermost = not self._lock._is_owned()
        with self._lock:
            try:
                if outermost and self._single is not None:
                    self._single.closed = True
                return work()
            finally:
                if outermost and self._single is not None:
                    self._single.closed = False

    @property
    def _state(self) -> Any:
        """The learner's state. To be used within `exclusively` only."""
        if self._single is not None:
            steps, updates = self._single.counts
            self._stored_state = self._stored_state._replace(steps=steps, updates=updates)
        return self._stored_state

    @_state.setter
    def _state(self, state: Any) -> None:
        self._stored_state, self._changed = state, True
        self._single: Single | None = None

    def _fast_path(self) -> Single | None:
        """Return the fast path for one example, if there is one."""
        return self._make_fast_path() if self._has_fast_path() else None

    @exclusive
    def _make_fast_path(self) -> Single | None:
        state = self._stored_state
        if self._single is None and state is not None and self._has_fast_path():
            single = Single(state, self._column_cache, self.classes_.tolist())
            single.closed = True  # `exclusively` opens it
            self._single = single
        return self._single

    def _has_fast_path(self) -> bool:
        """Say whether there is a fast path, or will be once there are two classes."""
        return self._one_by_one and len(self.classes_) <= 2

    @exclusive
    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), *copied(*self.to_parts()), self.metadata)

    def __repr__(self) -> str:
        """Say what it is and what it has learned so far."""
        seen = f"{len(self.classes_)} classes, {self.n_features_:,} features, {self.t_:,} examples"
        return f"OnlineClassifier({self._options.learner!r}: {seen})"

    def learn_one(self, x: Mapping[Any, Any], y: Any, weight: float = 1.0) -> Self:
        """Learn from an example.

        Parameters
        ----------
        x : dict
            The features.
        y : label
            Its class, which may be new.
        weight : float
            How much it counts; 0 is to leave it out. It multiplies a perceptron's step, C of
            passive-aggressive and 1/r of AROW; where there is a loss, 3 counts as three examples.

        Returns
        -------
        self
        """
        if weight != 1:
            return self._learn_weighted(x, y, weight)
        label = y if type(y) in _PLAIN_LABELS else _one_label(y)
        single = self._single or self._fast_path()
        if single is not None:
            code = single.codes.get(label)
            if code is not None and single.learn(x, code) >= 0:
                self._changed = True
                return self
        one = label_array(_one_label(label))
        self._learn_slowly(one, *self._row(x))
        return self

    def _learn_weighted(self, x: Mapping[Any, Any], y: Any, weight: float) -> Self:
        if not (isinstance(weight, Real) and 0 <= float(weight) < np.inf):
            raise ValueError(f"weight={weight!r} must be a finite number, not negative")
        one, row = label_array(_one_label(y)), self._row(x)
        if weight:
            self._learn_slowly(one, *row, np.array([weight], np.float64))
        return self

    @exclusive
    def _learn_slowly(
        self, one: Array, names: list[str], numbers: Array, weights: Array | None = None
    ) -> None:
        self.check_label(one)
        known = self.n_features_
        try:
            row = self._sparse(self._names.columns(names), numbers)
            self.learn_rows(row, one, weights)
        except MemoryError:
            self._names.forget(known)
            raise
        except online.NumberTooLargeError:
            self._names.forget(known)
            what = "this example makes a score or a weight"
            raise online.too_large(what, np.dtype(self._options.dtype)) from None
        self._remember(names, row.indices)

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the class of an example; None if no class is known yet.

        Parameters
        ----------
        x : dict
            The features; those never seen before have no weight.

        Returns
        -------
        label
            One of ``classes_``.
        """
        single = self._single or self._fast_path()
        if single is not None:
            score = single.score(x)
            if score == score:
                return single.classes[score >= 0]
        classes, scores = self._scores_slowly(*self._row(x))
        if scores is None:
            return classes[0] if classes else None
        return classes[int(classes_of(scores)[0])]

    def scores_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the score of each class for an example, the largest of which is predicted.

        Two classes share one linear function: their scores are −s and s.
        """
        classes, scores = self._scores_slowly(*self._row(x))
        if scores is None:
            return dict.fromkeys(classes, 0.0)
        each = [-scores[0], scores[0]] if scores.ndim == 1 else scores[0]
        return dict(zip(classes, map(float, each), strict=True))

    @exclusive
    def _scores_slowly(self, names: list[str], numbers: Array) -> tuple[list[Any], Array | None]:
        """Return the classes, and the scores of an example if there are two of them."""
        classes = self.classes_.tolist()
        if len(classes) < 2:
            return classes, None
        columns = self._names.known(names)
        row = self._sparse(columns, numbers)
        if len(row.indices) == len(names):
            self._remember(names, columns)
        return classes, self.scores(row)

    def _remember(self, names: list[str], columns: Array) -> None:
        """Cache the columns of names, for the fast path."""
        if not self._has_fast_path():
            return
        # Names already there are counted again: it is only a limit.
        size = sum(map(sys.getsizeof, names)) + _SLOT * len(names)
        if self._cache_size + size > _MOST_CACHED:
            self._column_cache.clear()
            self._cache_size = 0
        if size <= _MOST_CACHED:
            self._column_cache.update(zip(names, columns.tolist(), strict=True))
            self._cache_size += size

    def _row(self, x: Mapping[Any, Any]) -> tuple[list[str], Array]:
        """Return the names and values of an example's features."""
        names, values = features_of(x)  # may run code of the caller: not with the lock held
        with np.errstate(over="ignore"):
            numbers = np.array(values, self._options.dtype)
        if not np.isfinite(numbers).all():
            at = int(np.argmin(np.isfinite(numbers)))
            raise ValueError(
                f"feature {names[at]!r} is {values[at]:.3g}, which is too large for "
                f"{self._options.dtype}; scale it, or use dtype='float64'"
            )
        return names, numbers

    def _sparse(self, columns: Array, numbers: Array) -> Sparse:
        known = columns >= 0
        if not known.all():
            columns, numbers = columns[known], numbers[known]
        indptr = np.array([0, len(columns)], np.int32)
        return frozen(Sparse(indptr, columns.astype(np.int32), numbers))


def _unpickled(
    kind: type[OnlineClassifier], header: dict[str, Any], arrays: dict[str, Array], metadata: Any
) -> OnlineClassifier:
    """Make the model that was pickled."""
    model = kind.from_parts(header, arrays)
    model.metadata = metadata
    return model


def _one_label(y: Any) -> Any:
    """Return a label as Python's own number or text, if it is one."""
    if type(y) is str or type(y) is bool:
        return y
    label = y.item() if isinstance(y, np.generic) else y
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    if not isinstance(label, str | int | float):
        raise ValueError(f"a label must be a name or a whole number, and {y!r} is neither")
    if isinstance(label, int) and not -(1 << 63) <= label < 1 << 63:
        raise ValueError(f"the label {label} is too large for a whole number of 64 bits")
    return label
