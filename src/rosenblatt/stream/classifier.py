"""`OnlineClassifier`: examples as dicts, one at a time, new features and classes at any time."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from rosenblatt.data.labels import check_labels, positions, union
from rosenblatt.data.rows import Array, Rows, Sparse, n_rows, take
from rosenblatt.learners import online, voted
from rosenblatt.learners.blocks import block
from rosenblatt.readers.features import features_of
from rosenblatt.readers.names import Hashed, Kept, Names
from rosenblatt.stream import parts, rules
from rosenblatt.stream.parts import Parts
from rosenblatt.stream.rules import ONLINE, Options
from rosenblatt.stream.single import Single

_FIRST_WIDTH = 1024
_MOST_KNOWN = 1 << 20


class OnlineClassifier:
    """A classifier that learns from a stream: for every example predict, look at the label, learn.

    An example is a dict. A number under a key is a feature of that name; a string makes a category,
    so that ``{"city": "Oslo"}`` is the feature ``city=Oslo`` with the value 1; a list of strings
    makes several; None is missing. New features and new classes are welcome at any time. The same
    examples from a file (`rosenblatt train`) give the same weights, to the last bit.

    Parameters
    ----------
    learner : {"averaged", "perceptron", "voted", "logistic", "svm"}, default="averaged"
        What learns. "logistic" and "svm" are stochastic gradient descent on the logistic and the
        hinge loss. "voted" keeps every example it was wrong about.
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
        as ``1/√(1 + t/10,000)``.
    average : bool, default=True
        For gradient descent: predict with the mean of the weights after every step.
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
    ('spam', 1)
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
    ) -> None:
        options = Options(learner, bool(fit_intercept), ties, eta0, bool(average), str(dtype))
        names: Names = Kept() if bits is None else Hashed(bits)
        self._set_up(rules.checked(options), names, classes)

    def _set_up(self, options: Options, names: Names, classes: Any = None) -> None:
        self._options, self._names = options, names
        self.classes_ = np.empty(0, object)
        self._pace = np.zeros(1)
        self._known_columns: dict[str, int] = {}
        self._kept_state: Any = None
        self._state = None
        if classes is not None:
            known = np.unique(np.asarray(classes))
            check_labels(known)
            self.classes_ = known
            if len(known) > 1:
                self._state = rules.init(options, self._width(), len(known))

    @classmethod
    def with_names(cls, options: Options, names: Names, classes: Any = None) -> Self:
        """Make one whose features are named as a reader's are."""
        model = cls.__new__(cls)
        model._set_up(rules.checked(options), names, classes)
        return model

    @property
    def _state(self) -> Any:
        """The learner's state."""
        if self._single is not None:
            steps, updates = self._single.counts
            self._kept_state = self._kept_state._replace(steps=steps, updates=updates)
        return self._kept_state

    @_state.setter
    def _state(self, state: Any) -> None:
        self._kept_state, self._changed = state, True
        self._single: Single | None = None
        self._codes: dict[Any, float] = {}

    def _short_way(self) -> Single | None:
        """Return the short way for one example, if there is one."""
        if self._single is None and self._options.learner in ("perceptron", "averaged"):
            state = self._kept_state
            if state is not None and len(state.weights) == 1:
                self._single = Single(state, self._known_columns)
                self._both = self.classes_.tolist()
                self._codes = dict(zip(self._both, (-1.0, 1.0), strict=True))
        return self._single

    def to_parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what a file keeps of it: a JSON header, and arrays."""
        pace = float(self._pace[0])
        kept = Parts(self._options, self._names, self.classes_, pace, self._state)
        return parts.to_parts(kept)

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Undo `to_parts`; raise ``ValueError`` if that is not possible."""
        kept = parts.from_parts(header, arrays)
        model = cls.with_names(kept.options, kept.names)
        model.classes_, model._state, model._pace = kept.classes, kept.state, np.array([kept.pace])
        return model

    def __repr__(self) -> str:
        """Say what it is and what it has learned so far."""
        seen = f"{len(self.classes_)} classes, {self.n_features_:,} features, {self.t_:,} examples"
        return f"OnlineClassifier({self._options.learner!r}: {seen})"

    @property
    def n_features_(self) -> int:
        """The number of features seen so far."""
        return self._names.n_features

    @property
    def feature_names_(self) -> list[str] | None:
        """The names of the columns; None if they are hashed."""
        if isinstance(self._names, Hashed):
            return None
        return [str(self._names.name(column)) for column in range(self.n_features_)]

    @property
    def t_(self) -> int:
        """The number of examples learned from."""
        return 0 if self._state is None else int(self._state.steps)

    @property
    def n_mistakes_(self) -> int:
        """The number of mistakes made while learning."""
        state = self._state
        return 0 if state is None else int(getattr(state, "mistakes", state.updates))

    @property
    def coef_(self) -> Array:
        """The weights to predict with."""
        return self._planes()[0]

    @property
    def intercept_(self) -> Array:
        """The intercepts to predict with."""
        return self._planes()[1]

    def _planes(self) -> tuple[Array, Array]:
        if self._state is None:
            raise AttributeError("there are no weights yet: learn from two classes first")
        weights, intercept = rules.planes(self._options, self._state)
        return weights[:, : self.n_features_].copy("K"), intercept.copy()

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> Self:
        """Learn from an example.

        Parameters
        ----------
        x : dict
            The features.
        y : label
            Its class, which may be new.

        Returns
        -------
        self
        """
        label = _one_label(y)
        single = self._single or self._short_way()
        if single is not None and label in self._codes:
            self._changed = True
            if single.learn(x, self._codes[label]) >= 0:
                return self
        self.learn_rows(self._row(x), label_array(label))
        return self

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
        if len(self.classes_) < 2:
            return self.classes_.tolist()[0] if len(self.classes_) else None
        single = self._single or self._short_way()
        if single is not None:
            score = single.score(x)
            if score == score:
                return self._both[score >= 0]
        scores = self.scores(self._known_row(x))
        return self.classes_.tolist()[int(classes_of(scores)[0])]

    def scores_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the score of each class for an example, the largest of which is predicted.

        Two classes share one linear function: their scores are −s and s.
        """
        if len(self.classes_) < 2:
            return dict.fromkeys(self.classes_.tolist(), 0.0)
        scores = self.scores(self._known_row(x))
        each = [-scores[0], scores[0]] if scores.ndim == 1 else scores[0]
        return dict(zip(self.classes_.tolist(), map(float, each), strict=True))

    def _row(self, x: Mapping[Any, Any]) -> Sparse:
        names, values = features_of(x)
        numbers = self._numbers(values)  # before the names: a bad value leaves nothing behind
        columns = self._names.columns(names)
        self._remember(names, columns)
        return self._sparse(columns, numbers)

    def _known_row(self, x: Mapping[Any, Any]) -> Sparse:
        names, values = features_of(x)
        frozen, self._names.frozen = self._names.frozen, True
        try:
            columns = self._names.columns(names)
        finally:
            self._names.frozen = frozen
        return self._sparse(columns, self._numbers(values))

    def _remember(self, names: list[str], columns: Array) -> None:
        """Take note of the columns of names, for the short way."""
        if len(self._known_columns) + len(names) > _MOST_KNOWN:
            self._known_columns.clear()
        self._known_columns.update(zip(names, columns.tolist(), strict=True))

    def _numbers(self, values: list[float]) -> Array:
        with np.errstate(over="ignore"):
            numbers = np.array(values, self._options.dtype)
        if not np.isfinite(numbers).all():
            largest = max(values, key=abs)
            raise ValueError(f"a value is too large for {self._options.dtype}: {largest:.3g}")
        return numbers

    def _sparse(self, columns: Array, numbers: Array) -> Sparse:
        known = columns >= 0
        if not known.all():
            columns, numbers = columns[known], numbers[known]
        indptr = np.array([0, len(columns)], np.int32)
        return _frozen(Sparse(indptr, columns.astype(np.int32), numbers))

    def learn_rows(self, rows: Rows, labels: Array, weights: Array | None = None) -> int:
        """Learn from rows in order, whose columns are those of the names; return the mistakes.

        A class that is new takes part from its first row on. Rows before there are two classes
        teach nothing. ``weights`` scale the steps of rows; a row with weight 0 is left out.
        """
        if weights is not None:
            rows, labels, weights = self._weighted(rows, labels, weights)
        self._widen()
        n, done, mistakes = len(labels), 0, 0
        while done < n:
            stop, codes = self._known(labels, done)
            if len(self.classes_) > 1 and stop > done:
                y = online.targets(codes, len(self.classes_), np.dtype(self._options.dtype))
                if weights is not None:
                    y = y * weights[done:stop].astype(y.dtype)
                part = rows if stop - done == n else block(rows, done, stop)
                mistakes += self._learn(part, y)
            done = stop
            if done < n:
                self._add_class(labels[done])
        return mistakes

    def _learn(self, rows: Rows, y: Array) -> int:
        state, mistakes = rules.update(self._options, self._state, rows, y, self._pace)
        self._state = state
        return mistakes

    def _known(self, labels: Array, start: int) -> tuple[int, Array]:
        """Return where the first unknown class is, and the numbers of the classes up to there."""
        rest = labels[start:]
        if not len(self.classes_) or (rest.dtype.kind == "O") != (self.classes_.dtype.kind == "O"):
            return start, np.empty(0, np.intp)
        codes = positions(self.classes_, rest)
        if codes is not None:
            return len(labels), codes
        new = np.flatnonzero(~np.isin(rest, self.classes_))[0]
        found = positions(self.classes_, rest[:new])
        assert found is not None
        return start + int(new), found

    def _add_class(self, label: Any) -> None:
        """Make room for a class."""
        one = label_array(label)
        check_labels(one)
        old = self.classes_
        self.classes_ = union(old, one) if len(old) else one
        if len(self.classes_) < 2:
            return
        if self._state is None:
            self._state = rules.init(self._options, self._width(), len(self.classes_))
            return
        places = positions(self.classes_, old)
        assert places is not None
        self._state = rules.grow(self._options, self._state, places, len(self.classes_))
        self._widen()

    def _widen(self) -> None:
        """Make room for the features named since."""
        width = 0 if self._state is None else self._state.weights.shape[1]
        if self._state is not None and width < self.n_features_:
            self._state = rules.widen(self._state, self._width())

    def _width(self) -> int:
        """Return the columns to make room for: some more than there are."""
        if isinstance(self._names, Hashed):
            return self._names.n_features
        return max(_FIRST_WIDTH, 1 << (self.n_features_ - 1).bit_length())

    def _weighted(
        self, rows: Rows, labels: Array, weights: Array
    ) -> tuple[Rows, Array, Array | None]:
        """Leave out rows without weight; refuse weights that the learner has no use for."""
        used = np.flatnonzero(weights != 0)
        if len(used) < len(weights):
            rows, labels, weights = take(rows, used), labels[used], weights[used]
        if (weights == 1).all():
            return rows, labels, None
        more = len(set(self.classes_.tolist()) | set(labels.tolist())) > 2
        if more or not ONLINE[self._options.learner].weights_examples:
            what = "more than two classes" if more else f"learner {self._options.learner!r}"
            raise ValueError(
                f"importance weights other than 0 and 1 (here {weights[weights != 1][0]:g}) have "
                f"no meaning for {what}; leave them out (--ignore-weights)"
            )
        return rows, labels, weights

    def scores(self, rows: Rows) -> Array:
        """Return the scores of rows: one each for two classes, else one for each class."""
        state, options = self._state, self._options
        if state is None:
            raise ValueError("there is nothing to predict yet: learn from two classes first")
        rows = rules.no_narrower(rows, state.weights.shape[1])
        if ONLINE[options.learner].module is voted:
            return voted.scores(state, rows)
        return online.linear_scores(*self._current_planes(), rows)

    def _current_planes(self) -> tuple[Array, Array]:
        """Return the weights to predict with, made anew only if something was learned."""
        if self._changed:
            self._kept_planes = rules.planes(self._options, self._state)
            self._changed = False
        return self._kept_planes

    def predict(self, rows: Rows) -> Array:
        """Return the class of each row."""
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, n_rows(rows))
        return np.asarray(self.classes_[classes_of(self.scores(rows))])


def classes_of(scores: Array) -> Array:
    """Return the number of the class with the largest score, or of the sign with sign(0) = +1."""
    if scores.ndim == 1:
        return (scores >= 0).astype(np.intp)
    return np.asarray(scores.argmax(axis=1))


def _one_label(y: Any) -> Any:
    """Return a label as Python's own number or text, if it is one."""
    kind = type(y)
    if kind is str or kind is int or kind is bool:
        return y
    label = y.item() if isinstance(y, np.generic) else y
    if isinstance(label, float) and label.is_integer():
        return int(label)
    if not isinstance(label, str | int | float):
        raise ValueError(f"a label must be a name or a whole number, and {y!r} is neither")
    return label


def label_array(label: Any) -> Array:
    """Return an array with one label."""
    return np.array([label], object if isinstance(label, str) else None)


def _frozen(rows: Sparse) -> Sparse:
    for part in rows:
        part.flags.writeable = False
    return rows
