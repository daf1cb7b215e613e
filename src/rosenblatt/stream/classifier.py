"""`OnlineClassifier`: examples as dicts, one at a time, new features and classes at any time."""

from collections.abc import Iterable, Mapping, Sequence
from math import exp
from typing import Any, Self

import numpy as np

from rosenblatt.data.checks import is_finite
from rosenblatt.data.rows import Array
from rosenblatt.learners import adaptive, online
from rosenblatt.readers.dict_rows import DictRows, Part
from rosenblatt.readers.features import swapped
from rosenblatt.readers.names import Hashed, Kept, Names
from rosenblatt.stream.explaining import ordered
from rosenblatt.stream.frames import ClassifierFrames
from rosenblatt.stream.model import classes_of, exclusive, label_array
from rosenblatt.stream.one_by_one import OneByOne
from rosenblatt.stream.one_example import LEARNED, NOT_HERE, OVERFLOW, Single
from rosenblatt.stream.river import NoProbabilitiesError
from rosenblatt.stream.rules import Options, checked
from rosenblatt.stream.settings import ClassifierSettings

_PLAIN_LABELS = frozenset((bool, int, str))
_ONE = 1.0


class OnlineClassifier(ClassifierFrames, ClassifierSettings, OneByOne):
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
    l1 : float, default=0.0
        For adaptive steps: the penalty ``l1 · Σ |w|``, which makes weights exactly zero: the
        larger it is, the more. A mean of weights (``average=True``) has few zeros.
    forget : int or None, default=None
        For adaptive steps, and streams that drift: after so many examples one counts half, after
        twice as many a quarter. None never forgets. About 30,000 helps where the classes change
        slowly; one that is much too short makes predictions worse.
    scale : {"standard"} or None, default="standard"
        "standard" subtracts from a number the mean of its feature so far, and divides by its
        deviation so far, for features that have had a number other than 0 and 1; those that few
        examples have are divided only. ``coef_`` is for the numbers as they are. Hashed names are
        not scaled. None takes numbers as they are.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        For "passive-aggressive": PA-I or PA-II.
    dtype : {"float32", "float64"}, default="float32"
        The type of the weights.
    interactions : sequence of str or None, default=None
        Features that are multiplied: ``"user*ad"`` makes ``user=u1*ad=ad7`` of ``user=u1`` and
        ``ad=ad7``. A part is a key, or what comes before a ``^`` in keys; ``"*"`` is all pairs.

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
        How many of them learning was wrong about, each before it was learned from: by the last
        weights, with a score of exactly 0 as ``ties`` says, and without the first example of a new
        class. `rosenblatt.stream.metrics.Accuracy` counts what ``predict_one`` said.
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

    _river_base = "MiniBatchClassifier"

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
        l1: float = 0.0,
        forget: int | None = None,
        interactions: Sequence[str] | None = None,
    ) -> None:
        options = Options(
            str(learner),
            bool(fit_intercept),
            str(ties),
            eta0,
            bool(average),
            str(dtype),
            str(learning_rate),
            l2,
            scale,
            str(loss),
            l1,
            forget,
        )
        names: Names = Kept() if bits is None else Hashed(bits)
        self._set_up(checked(options), names, classes)
        self._multiply(interactions)
        self._given = None if classes is None else self.classes_.tolist()

    def _labels(self) -> list[Any]:
        return list(self.classes_.tolist())

    def _checked(self, y: Any) -> Array:
        label = label_array(y)
        if self._single is None or y not in self._single.codes:
            self.check_label(label)
        return label

    def _label(self, y: Any) -> Any:
        return _one_label(y)

    def _code(self, single: Single, y: Any) -> Any:
        return single.codes.get(y)

    def __repr__(self) -> str:
        """Say what it is and what it has learned so far."""
        seen = f"{len(self.classes_)} classes, {self.n_features_:,} features, {self.t_:,} examples"
        return f"OnlineClassifier({self._options.learner!r}: {seen})"

    def learn_one(
        self, x: Mapping[Any, Any], y: Any, weight: float = _ONE, *, w: float | None = None
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
        if weight is _ONE and w is None:
            done = self._learn_fast(x, y)
            if done is LEARNED:
                self._changed = True
                return self
            if done is OVERFLOW:
                raise self._overflow()
        return self._learn_or_refuse(x, y, weight, w)

    def _learn_or_refuse(self, x: Mapping[Any, Any], y: Any, weight: Any, w: Any) -> Self:
        """Learn from an example whose label or weight is not what it usually is."""
        if w is not None:
            if weight != 1:
                raise TypeError(f"weight={weight!r} and w={w!r} are the same; give one of them")
            weight = w
        if weight != 1:
            if not (is_finite(weight) and weight >= 0):
                raise ValueError(f"weight={weight!r} must be a finite number, not negative")
            weight = float(weight)
        label = y if type(y) in _PLAIN_LABELS else _one_label(y)
        single = self._single or self._fast_path()
        code = None if single is None else single.codes.get(label)
        done = NOT_HERE
        if single is not None and code is not None and weight:
            done = single.learn(x, code, float(weight))
        if done is NOT_HERE:
            return self._learn_elsewhere(x, _one_label(label), weight)
        if done is OVERFLOW:
            raise self._overflow()
        self._changed = True
        return self

    def _learn_elsewhere(self, x: Mapping[Any, Any], label: Any, weight: float) -> Self:
        """Learn from an example that is not for the fast path."""
        if (rows := self._dict_reader()) is not None:
            parts = rows.parts(x)
            if weight:
                weights = None if weight == 1 else np.array([weight], np.float64)
                self._learn_parts(label, rows, parts, weights)
            return self
        # The row may run code of the caller: not with the lock held.
        row = self._row(self._plain(x))
        if weight:
            self._learn_slowly(*row, label, weight)
        return self

    @exclusive
    def _learn_parts(
        self, label: Any, rows: DictRows, parts: list[Part], weights: Array | None = None
    ) -> None:
        """Learn from a dict with texts."""
        one, known = label_array(label), self.n_features_
        self.check_label(one)
        try:
            row = self._row_of(rows, parts, True)
            quick = weights is None and not rows.has_texts
            if not (quick and self._learn_row(row.indices, row.values, label, 1.0)):
                self.learn_rows(row, one, weights)
        except online.NumberTooLargeError:
            self._forget(known)
            raise self._overflow() from None
        except (MemoryError, ValueError):
            self._forget(known)
            raise

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
        found = self._predict_fast(x)
        if found is not NOT_HERE:
            return found
        if self._single is None and (single := self._fast_path()) is not None:
            found = single.predict(x)
            if found is not NOT_HERE:
                return found
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
        """Return the probability of each class for an example.

        "logistic" has probabilities; other learners do once they were calibrated: see `calibrate`.

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
        fitted = self.calibration_
        if fitted is None:
            raise NoProbabilitiesError(
                f"learner {self._options.learner!r} has no probabilities before it is calibrated; "
                "use calibrate, scores_one, or learner='logistic'"
            )
        classes, scores = self._scores_of(x)
        if scores is None:
            return dict.fromkeys(classes, 1.0)
        scores = [fitted.slope * score + fitted.offset for score in scores]
        if len(scores) == 1:
            scores = [0.0, scores[0]]
        top = max(scores)
        parts = [exp(score - top) for score in scores]
        total = sum(parts)
        return {label: part / total for label, part in zip(classes, parts, strict=True)}

    def calibrate(self, examples: Iterable[tuple[Mapping[Any, Any], Any]]) -> Self:
        """Fit probabilities to the scores of examples that were not learned from.

        Of two classes ``p = σ(slope · score + offset)`` (Platt 1999), of more ``p = softmax(slope ·
        scores)``. What is learned later leaves this as it is, until a class is new; calibrate
        again from time to time, as scores change. Classes are predicted by their scores as before.

        Parameters
        ----------
        examples : iterable of (dict, label)
            Some hundred are enough; those whose labels the model does not know are left out. Of
            those that it learned from, probabilities would be too sure.

        Returns
        -------
        self

        Examples
        --------
        >>> from rosenblatt import OnlineClassifier
        >>> mails = [("free offer", "spam"), ("see you", "ham"), ("free time", "ham")] * 20
        >>> mails = [({word: 1 for word in text.split()}, label) for text, label in mails]
        >>> model = OnlineClassifier("averaged")
        >>> for x, label in mails[:30]:
        ...     _ = model.learn_one(x, label)
        >>> model.calibrate(mails[30:]).predict_proba_one({"free": 1, "offer": 1})["spam"] > 0.8
        True
        """
        found: list[list[float]] = []
        codes: list[int] = []
        for x, y in examples:
            classes, scores = self._scores_of(x)
            if scores is None:
                raise ValueError("there is nothing to calibrate yet: learn from two classes first")
            label = _one_label(y)
            if label in classes:
                found.append(scores)
                codes.append(classes.index(label))
        if not found:
            raise ValueError("there are no examples with a label that the model knows")
        wide = {len(scores) for scores in found}
        if len(wide) > 1:  # another thread learns
            raise ValueError("a class was added while the model was calibrated; calibrate again")
        table = np.array(found)
        self.fit_calibration(table[:, 0] if wide == {1} else table, np.array(codes))
        return self

    def explain_one(self, x: Mapping[Any, Any], label: Any = None) -> dict[str, float]:
        """Return what each feature of an example contributes to the score of a class.

        A number that is standardised contributes its weight times what it is above the mean; one
        that is missing contributes nothing.

        Parameters
        ----------
        x : dict
            The features; those never seen before are left out.
        label : label, optional
            One of ``classes_``; by default the class that is predicted.

        Returns
        -------
        dict
            Features and contributions, the largest first, and at the end "(intercept)". They add up
            to the score in `scores_one`.

        Examples
        --------
        >>> from rosenblatt import OnlineClassifier
        >>> model = OnlineClassifier("perceptron", scale=None)
        >>> for word, label in [("offer", "spam"), ("lunch", "ham"), ("offer", "spam")]:
        ...     _ = model.learn_one({word: 1, "free": 2}, label)
        >>> model.explain_one({"free": 1, "lunch": 1}, "spam")
        {'lunch': -1.0, 'free': 0.0, '(intercept)': 0.0}
        """
        names, found, classes = self._contributions_one(x)
        scores = found.parts.sum(axis=1) + found.intercepts
        k = int(classes_of(scores if len(scores) == 1 else scores[np.newaxis])[0])
        if label is not None:
            one = _one_label(label)
            if one not in classes:
                raise ValueError(f"label={label!r} is not one of the classes of the model")
            k = classes.index(one)
        return ordered(names, found.of_class(k, len(classes) == 2))

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
        x = self._to_predict(x)
        if (rows := self._dict_reader()) is None:
            return self._scores_slowly(*self._row(self._plain(x)))
        return self._scores_with_texts(rows, rows.parts(x))

    @exclusive
    def _scores_with_texts(
        self, rows: DictRows, parts: list[Part]
    ) -> tuple[list[Any], Array | None]:
        classes = self.classes_.tolist()
        if len(classes) < 2:
            return classes, None
        row = self._row_of(rows, parts, False)
        single = None if rows.has_texts else self._single or self._fast_path()
        scores = None if single is None else single.scores_of_row(row.indices, row.values)
        if scores is None:
            return classes, self.scores(row)
        return classes, scores if len(scores) == 1 else scores[np.newaxis]

    @exclusive
    def _scores_slowly(self, names: list[str], numbers: Array) -> tuple[list[Any], Array | None]:
        """Return the classes, and the scores of an example if there are two of them."""
        classes = self.classes_.tolist()
        if len(classes) < 2:
            return classes, None
        row = self._known_row(names, numbers)
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
    if isinstance(label, Mapping):
        raise swapped()
    if not isinstance(label, str | int | float):
        raise ValueError(f"a label must be a name or a whole number, and {y!r} is neither")
    if isinstance(label, int) and not -(1 << 63) <= label < 1 << 63:
        raise ValueError(f"the label {label} is too large for a whole number of 64 bits")
    return label
