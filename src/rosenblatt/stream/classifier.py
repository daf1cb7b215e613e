"""`OnlineClassifier`: examples as dicts, one at a time, new features and classes at any time."""

import threading
from collections.abc import Callable, Mapping, Sequence
from math import exp
from numbers import Real
from typing import Any, Self, TypeVar

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.online.one_example import NOT_THIS, OVERFLOW
from rosenblatt.kernels.online.standardize import DENSE, SPARSE
from rosenblatt.learners import adaptive, online
from rosenblatt.readers.dict_rows import DictRows, Part
from rosenblatt.readers.features import features_of
from rosenblatt.readers.names import Hashed, Kept, Names, Numbered
from rosenblatt.stream.model import StreamModel, classes_of, exclusive, label_array
from rosenblatt.stream.one_example import Lookup, Single, TableSingle
from rosenblatt.stream.rules import Options, checked, rule_of

_PLAIN_LABELS = frozenset((bool, int, str))


T = TypeVar("T")


class OnlineClassifier(StreamModel):
    """A classifier that learns from a stream: for every example predict, look at the label, learn.

    An example is a dict. A number under a key is a feature of that name; a string makes a category,
    so that ``{"city": "Oslo"}`` is the feature ``city=Oslo`` with the value 1; a list of strings
    makes several; None is missing. New features and new classes may come at any time. The same
    examples from a file (`rosenblatt train --passes 1`) give the same weights, to the last bit.

    One that `load` returns reads dicts as the files were read that it learned from. If these were
    tables, a dict is a row: what each column holds is known, such as text, dates or missing values,
    and keys that were no column are ignored. If they were JSON lines, texts and dates in them are
    cut into words and made numbers.

    With no option it is logistic regression with a step size for each feature, on numbers
    standardised as they come, and the last weights predict. That was the best over streams that
    drift and streams that do not; see ``docs/quality.md``.

    Any number of threads may share one. Examples are learned one after the other, a prediction is
    that of the model between two examples, and `save`, `pickle` and `copy` take such a moment, too.
    While one is saved the others wait; to go on learning meanwhile, save a ``copy`` of it.

    Parameters
    ----------
    learner : str, default="logistic"
        What learns: "logistic", "svm", "averaged", "perceptron", "voted", "passive-aggressive" or
        "arow". "logistic" and "svm" are stochastic gradient descent on the logistic and the hinge
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
        For gradient descent: the first step; "auto" is 0.5 for adaptive steps, and else 1/L for
        examples of mean length. For "passive-aggressive" it is C, and for "arow" 1/r; "auto" is 1.
    average : bool, default=False
        For gradient descent: predict with the mean of the weights after every step (Cesa-Bianchi,
        Conconi and Gentile 2004), which is for streams that do not drift; else the last weights
        predict, which follow a stream that does (Zinkevich 2003). ``n_mistakes_`` counts mistakes
        of the last weights. The "averaged" perceptron always predicts with its mean.
    learning_rate : {"adaptive", "inverse_sqrt"}, default="adaptive"
        For gradient descent: a step size for each feature, which shrinks with the slopes that the
        feature has seen (AdaGrad), or the same for all, which decays as ``1/√(1 + t/10,000)``.
    l2 : float, default=0.3
        For adaptive steps: the penalty ``l2/2 · ‖w‖²`` against the losses of all examples, 1/C in
        scikit-learn's terms.
    scale : {"standard"} or None, default="standard"
        "standard" subtracts from a number the mean of its feature so far, and divides by its
        deviation so far, for features that have had a number other than 0 and 1; those that few
        examples have are divided only. ``coef_`` is for the numbers as they are. Hashed names are
        not scaled. None takes numbers as they are.
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
    predicts_with : str or None
        Which weights ``coef_`` are: "last" or "mean"; None if "voted" hypotheses vote.

    References
    ----------
    F. Rosenblatt (1958), "The perceptron: a probabilistic model for information storage and
    organization in the brain", Psychological Review 65. For the default: H. B. McMahan et al.
    (2013), "Ad click prediction: a view from the trenches", KDD. For the hashing: K. Weinberger et
    al. (2009), "Feature hashing for large scale multitask learning", ICML. On means and drift: N.
    Cesa-Bianchi, A. Conconi and C. Gentile (2004), "On the generalization ability of on-line
    learning algorithms", IEEE Transactions on Information Theory 50; M. Zinkevich (2003), "Online
    convex programming and generalized infinitesimal gradient ascent", ICML.

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
        learner: str = "logistic",
        *,
        bits: int | None = None,
        classes: Sequence[Any] | None = None,
        fit_intercept: bool = True,
        ties: str = "mistake",
        eta0: float | str = "auto",
        average: bool = False,
        dtype: str = "float32",
        learning_rate: str = "adaptive",
        l2: float = adaptive.L2,
        scale: str | None = "standard",
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
        self._lookup = Lookup(options.dtype)
        self._one_by_one = rule_of(options).one_by_one
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
            self._stored_state = self._stored_state._replace(**self._single.counts)
        return self._stored_state

    @_state.setter
    def _state(self, state: Any) -> None:
        self._stored_state, self._changed = state, True
        self._single: Single | None = None

    def _fast_path(self) -> Single | None:
        """Return the fast path for one example, if there is one."""
        return self._make_fast_path() if self._one_by_one else None

    @exclusive
    def _make_fast_path(self) -> Single | None:
        state = self._stored_state
        if self._single is None and state is not None and self._one_by_one:
            begin = SPARSE if isinstance(self._names, Numbered) else DENSE
            labels, scaling = self.classes_.tolist(), self._scaling
            rows = self._dict_rows
            if isinstance(rows, ValueError) or (rows is not None and rows.has_texts):
                return None
            if scaling is not None and len(scaling.words):
                return None
            given = self._options, state, self._lookup, labels, scaling, self._sum_squares, begin
            single = Single(*given) if rows is None else TableSingle(rows, *given)
            if rule_of(self._options).adapts:
                self._sum_squares = single.sum_squares
            single.closed = True  # `exclusively` opens it
            single.leave_out(self._lookup.unknown(self._names))
            self._single = single
        return self._single

    def __repr__(self) -> str:
        """Say what it is and what it has learned so far."""
        seen = f"{len(self.classes_)} classes, {self.n_features_:,} features, {self.t_:,} examples"
        return f"OnlineClassifier({self._options.learner!r}: {seen})"

    def learn_one(
        self, x: Mapping[Any, Any], y: Any, weight: float = 1.0, *, w: float | None = None
    ) -> Self:
        """Learn from an example.

        Parameters
        ----------
        x : dict
            The features.
        y : label
            Its class, which may be new.
        weight : float
            How much it counts; 0 is to leave it out. It multiplies a perceptron's step, C of
            passive-aggressive (and its step, if it is below 1) and 1/r of AROW; where there is a
            loss, 3 counts as three examples.
        w : float, optional
            The same under River's name.

        Returns
        -------
        self
        """
        if w is not None:
            if weight != 1:
                raise TypeError(f"weight={weight!r} and w={w!r} are the same; give one of them")
            weight = w
        if weight != 1:
            return self._learn_weighted(x, y, weight)
        label = y if type(y) in _PLAIN_LABELS else _one_label(y)
        single = self._single or self._fast_path()
        code = None if single is None else single.codes.get(label)
        done = NOT_THIS
        if single is not None and code is not None:
            done = single.learn(x, code)
        if done == NOT_THIS and (rows := self._rows_with_texts()) is not None:
            self._learn_parts(_one_label(label), rows, rows.parts(x))
        elif done == NOT_THIS:
            x = self._plain(x)  # may run code of the caller: not with the lock held
            names, values = features_of(x)
            if single is not None and code is not None:
                done = single.learn_features(x, names, values, code)
            if done == NOT_THIS:
                numbers = self._numbers(names, values)
                self._learn_slowly(x, _one_label(label), names, numbers)
        if done == OVERFLOW:
            raise self._overflow()
        self._changed = True
        return self

    def _learn_weighted(self, x: Mapping[Any, Any], y: Any, weight: float) -> Self:
        if not (isinstance(weight, Real) and 0 <= float(weight) < np.inf):
            raise ValueError(f"weight={weight!r} must be a finite number, not negative")
        label, weights = _one_label(y), np.array([weight], np.float64)
        if (rows := self._rows_with_texts()) is not None:
            parts = rows.parts(x)
            if weight:
                self._learn_parts(label, rows, parts, weights)
            return self
        x = self._plain(x)
        row = self._row(x)
        if weight:
            self._learn_slowly(x, label, *row, weights)
        return self

    @exclusive
    def _learn_parts(
        self, label: Any, rows: DictRows, parts: list[Part], weights: Array | None = None
    ) -> None:
        """Learn from a dict with texts."""
        one, known = label_array(label), self.n_features_
        self.check_label(one)
        try:
            self.learn_rows(self._row_of(rows, parts, True), one, weights)
        except online.NumberTooLargeError:
            self._forget(known)
            raise self._overflow() from None
        except (MemoryError, ValueError):
            self._forget(known)
            raise

    @exclusive
    def _learn_slowly(
        self,
        x: Any,
        label: Any,
        names: list[str],
        numbers: Array,
        weights: Array | None = None,
    ) -> None:
        known = self.n_features_
        if self._single is None or label not in self._single.codes:
            self.check_label(label_array(label))
        try:
            columns, new = self._columns_of(names)
            if weights is not None or not self._learn_row(columns, numbers, label):
                row = self._sparse(np.array(columns, np.int64), numbers)
                self.learn_rows(row, label_array(label), weights)
        except MemoryError:
            self._forget(known)
            raise
        except online.NumberTooLargeError:
            self._forget(known)
            raise self._overflow() from None
        if self._one_by_one:
            self._lookup.remember(list(new), list(new.values()))
            self._lookup.learned(x, known, self.n_features_)
            if self._single is not None:
                self._single.leave_out(self._lookup.unknown(self._names))

    def _columns_of(self, names: list[str]) -> tuple[list[int], dict[str, int]]:
        """Return the columns of names, and of those among them that were not cached."""
        cached = self._lookup.names
        columns: list[Any] = list(map(cached.get, names))
        if None not in columns:
            return columns, {}
        new = [name for name, column in zip(names, columns, strict=True) if column is None]
        only_words = self._scaling is not None and self._scaling.only_words
        known = self.n_features_ if only_words else 0
        found = dict(zip(new, self._names.columns(new).tolist(), strict=True))
        if only_words and isinstance(self._names, Kept):
            self._names.mark_words(known)  # as in a dict nothing else tells words from categories
        columns = [
            found[name] if column is None else column
            for name, column in zip(names, columns, strict=True)
        ]
        return columns, {name: column for name, column in found.items() if column >= 0}

    def _learn_row(self, columns: list[int], numbers: Array, label: Any) -> bool:
        """Learn from a row on the fast path; False if it is not for that."""
        self._widen()
        single = self._single or self._fast_path()
        code = None if single is None else single.codes.get(label)
        if single is None or code is None or min(columns, default=0) < 0:
            return False
        done = single.learn_row(columns, numbers, code)
        if done == OVERFLOW:
            raise self._overflow()
        self._changed = True
        return done >= 0

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
            code = single.predict(x)
            if code >= 0:
                return single.classes[code]
        classes, scores = self._found_slowly(x)
        if scores is None:
            return classes[0] if classes else None
        return classes[int(classes_of(scores)[0])]

    def scores_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the score of each class for an example, the largest of which is predicted.

        Two classes share one linear function: their scores are −s and s.
        """
        classes, scores = self._scores_of(x)
        if scores is None:
            return dict.fromkeys(classes, 0.0)
        if len(scores) == 1:
            scores = [-scores[0], scores[0]]
        return dict(zip(classes, scores, strict=True))

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each class for an example, which only "logistic" has.

        Parameters
        ----------
        x : dict
            The features; those never seen before have no weight.

        Returns
        -------
        dict
            Classes and their probabilities, which add up to 1.

        Examples
        --------
        >>> from rosenblatt import OnlineClassifier
        >>> model = OnlineClassifier("logistic", classes=["ham", "spam"])
        >>> model.predict_proba_one({"free": 1})
        {'ham': 0.5, 'spam': 0.5}
        """
        if rule_of(self._options).loss != "logistic":
            raise ValueError(
                f"learner {self._options.learner!r} has no probabilities; use scores_one, or "
                "learner='logistic'"
            )
        classes, scores = self._scores_of(x)
        if scores is None:
            return dict.fromkeys(classes, 1.0)
        if len(scores) == 1:
            scores = [0.0, scores[0]]
        top = max(scores)
        parts = [exp(score - top) for score in scores]
        total = sum(parts)
        return {label: part / total for label, part in zip(classes, parts, strict=True)}

    def _scores_of(self, x: Mapping[Any, Any]) -> tuple[list[Any], list[float] | None]:
        """Return the classes, and the scores of an example if there are two of them."""
        single = self._single or self._fast_path()
        if single is not None:
            found = single.scores(x)
            if found is not None:
                return single.classes, found
        classes, scores = self._found_slowly(x)
        return classes, None if scores is None else scores.ravel().tolist()

    def _found_slowly(self, x: Mapping[Any, Any]) -> tuple[list[Any], Array | None]:
        """Return the classes, and the scores of an example if there are two of them."""
        if (rows := self._rows_with_texts()) is None:
            return self._scores_slowly(*self._row(self._plain(x)))
        return self._scores_with_texts(rows, rows.parts(x))

    @exclusive
    def _scores_with_texts(
        self, rows: DictRows, parts: list[Part]
    ) -> tuple[list[Any], Array | None]:
        classes = self.classes_.tolist()
        if len(classes) < 2:
            return classes, None
        return classes, self.scores(self._row_of(rows, parts, False))

    @exclusive
    def _scores_slowly(self, names: list[str], numbers: Array) -> tuple[list[Any], Array | None]:
        """Return the classes, and the scores of an example if there are two of them."""
        classes = self.classes_.tolist()
        if len(classes) < 2:
            return classes, None
        columns = self._names.known(names)
        row = self._sparse(columns, numbers)
        if self._one_by_one and len(row.indices) == len(names):
            self._lookup.remember(names, columns.tolist())
        single = self._single or self._fast_path()
        if single is not None:
            scores = single.scores_of_row(row.indices, row.values)
            if scores is not None:
                return classes, scores if len(scores) == 1 else scores[np.newaxis]
        return classes, self.scores(row)


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
