"""A model that learns from rows: names, classes and a learner's state, all of which may grow."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Self, TypeVar, cast

import numpy as np

from rosenblatt.data.labels import as_labels, check_labels, positions, union
from rosenblatt.data.rows import Array, Dense, Rows, Sparse, n_rows, take
from rosenblatt.kernels.interrupts import uninterrupted
from rosenblatt.learner_registry import LEARNERS
from rosenblatt.learners import online, voted
from rosenblatt.learners.blocks import block
from rosenblatt.passes import MANY_EXAMPLES, StoppingRule
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.dict_rows import DictRows, as_in_training
from rosenblatt.readers.interactions import parsed
from rosenblatt.readers.names import Hashed, Kept, Names, Numbered
from rosenblatt.stream import calibration, encoding, explaining, growing, rules
from rosenblatt.stream.calibration import LOGISTIC, Calibration
from rosenblatt.stream.encoding import Parts, copied
from rosenblatt.stream.explaining import Contributions
from rosenblatt.stream.river import RiverEstimator, join
from rosenblatt.stream.rules import Options, rule_of
from rosenblatt.stream.scaling import Scaling, words_of

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
_FIRST_WIDTH = 1024
_SMALL = 14  # bits of a width
M = TypeVar("M", bound="StreamModel")
_NEAR = 64  # rows after a new class: where there are many of them, the next one may be near


def exclusive(method: F) -> F:
    """Run a method in one thread at a time: see `OnlineClassifier.exclusively`."""

    @wraps(method)
    def run(self: "StreamModel", *args: Any) -> Any:
        return self.exclusively(lambda: method(self, *args))

    return cast(F, run)


class StreamModel(RiverEstimator):
    """A model that learns from rows whose columns are those of its names."""

    _state: Any
    _changed: bool
    predicts_numbers = False
    _of_labels = "classes_"  # the attribute that has what is known of them
    _given: list[Any] | None = None  # the classes that the constructor was given
    _metadata: dict[str, Any] | None
    _dict_rows: DictRows | ValueError | None  # for dicts that are not read as they are

    def _set_up(self, options: Options, names: Names, classes: Any = None) -> None:
        join()
        self._options, self._names = options, names
        self.metadata = None
        if not self.predicts_numbers:
            self.classes_ = np.empty(0, object)
        self._sum_squares = np.zeros(1)
        self._stored_state: Any = None
        self._calibration: Calibration | None = None
        scaled = options.scale and not isinstance(names, Hashed)
        words = words_of(options, names)
        self._scaling = Scaling(words) if scaled else None
        if words is not None and not words.n_features:
            words.counts_words = True
        self._state = None
        if classes is not None:
            if isinstance(classes, str):
                raise ValueError(f"classes={classes!r} must be a list of labels")
            given = as_labels(list(classes))
            check_labels(given)
            known = np.unique(given)
            self.classes_ = known.astype(object) if known.dtype.kind == "U" else known
            if len(known) > 1:
                self._state = rules.init(options, self._width(), len(known))

    @property
    def metadata(self) -> dict[str, Any] | None:
        """What a model file stores with it, such as how the files of training were read."""
        return self._metadata

    @metadata.setter
    def metadata(self, metadata: dict[str, Any] | None) -> None:
        self._metadata = metadata
        self._dict_rows = None if metadata is None else as_in_training(metadata.get("reading"))

    def _multiply(self, interactions: Sequence[str] | None) -> None:
        """Multiply features from now on; raise ``ValueError`` for what is no interaction."""
        if isinstance(interactions, str):
            raise ValueError(f"interactions={interactions!r} must be a list: [{interactions!r}]")
        if interactions is not None and not (
            isinstance(interactions, list | tuple)
            and all(isinstance(each, str) for each in interactions)
        ):
            raise TypeError(
                f"interactions={interactions!r} must be a list of strings such as 'user*ad'"
            )
        if interactions:
            parsed(interactions)
            reading = Reading(interactions=tuple(interactions), dtype=self._options.dtype)
            self.metadata = {"reading": reading.header()}

    @property
    def interactions(self) -> list[str] | None:
        """The features that are multiplied; None if there are none."""
        rows = self._dict_rows
        return [*rows.reading.interactions] or None if isinstance(rows, DictRows) else None

    def exclusively(self, work: Callable[[], T]) -> T:
        """Call a function while no other thread learns or predicts."""
        raise NotImplementedError

    @classmethod
    def with_names(cls, options: Options, names: Names, classes: Any = None) -> Self:
        """Make one whose features are named as a reader's are."""
        model = cls.__new__(cls)
        model._set_up(rules.checked(options, cls.predicts_numbers), names, classes)
        return model

    @exclusive
    def to_parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what a file keeps of it: a JSON header, and arrays."""
        self._widen()
        labels = getattr(self, self._of_labels)
        sum_squares = float(self._sum_squares[0])
        kept = Parts(self._options, self._names, labels, sum_squares, self._state, self._scaling)
        return encoding.to_parts(kept._replace(given=self._given, calibration=self._calibration))

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Undo `to_parts`; raise ``ValueError`` if that is not possible."""
        kept = encoding.from_parts(header, arrays, cls.predicts_numbers)
        model = cls.with_names(kept.options, kept.names)
        setattr(model, cls._of_labels, kept.labels)
        model._sum_squares = np.array([kept.sum_squares])
        model._scaling, model._given = kept.scaling, kept.given
        model._calibration = kept.calibration
        # As wide as it would be had it never been saved: how sums are grouped depends on that.
        if kept.state is not None:
            model._state = growing.widen(kept.state, model._width())
        return model

    @property
    def n_features_(self) -> int:
        """The number of features seen so far."""
        return self._names.n_features

    @property
    @exclusive
    def feature_names_(self) -> list[str] | None:
        """The names of the columns; None if they are hashed."""
        if isinstance(self._names, Hashed):
            return None
        return [str(self._names.name(column)) for column in range(self.n_features_)]

    @property
    @exclusive
    def t_(self) -> int:
        """The number of examples learned from."""
        return 0 if self._state is None else int(self._state.steps)

    @property
    @exclusive
    def n_mistakes_(self) -> int:
        """The number of mistakes made while learning."""
        return 0 if self._state is None else rules.mistakes_of(self._state)

    @property
    @exclusive
    def log_loss_sum(self) -> float | None:
        """The sum of the logistic losses before each step, by weight; None if not counted."""
        if not self.counts_log_loss or self._state is None:
            return None
        return float(self._state.loss_sum)

    @property
    def calibration_(self) -> Calibration | None:
        """What turns scores into probabilities: that of logistic regression, or what was fitted."""
        if self._calibration is None and rule_of(self._options).loss == "logistic":
            return LOGISTIC
        return self._calibration

    @exclusive
    def fit_calibration(self, scores: Array, codes: Array, weights: Array | None = None) -> None:
        """Fit `calibration_` to the scores and the classes of rows not learned from."""
        if len(codes) and (codes == codes[0]).all():
            raise calibration.OneClassError(
                f"all rows to calibrate with are of the class {self.classes_[codes[0]]}; give some "
                "of each"
            )
        self._calibration = calibration.fit(scores, codes, len(self.classes_), weights)

    @property
    def counts_log_loss(self) -> bool:
        """Whether the log loss of each example is counted before it is learned from."""
        rule = rule_of(self._options)
        return rule.loss == "logistic" and rule.adapts

    @property
    def predicts_with(self) -> str | None:
        """Which weights predict: the "last" or the "mean"; None for votes."""
        rule = rule_of(self._options)
        if rule.keeps_rows:
            return None
        averages = hasattr(rule.module, "average") and (rule.loss is None or self._options.average)
        return "mean" if averages else "last"

    @property
    def coef_(self) -> Array:
        """The weights to predict with."""
        return self._planes()[0]

    @property
    def intercept_(self) -> Array:
        """The intercepts to predict with."""
        return self._planes()[1]

    @exclusive
    def _planes(self) -> tuple[Array, Array]:
        if self._state is None:
            raise AttributeError("there are no weights yet: learn from two classes first")
        self._widen()
        weights, intercept = rules.planes(self._options, self._state)
        weights = weights[:, : self.n_features_]
        if self._scaling is not None:
            return self._scaling.for_raw_numbers(weights, intercept)
        return weights.copy("K"), intercept.copy()

    @exclusive
    def deviations(self) -> Array | None:
        """Return the deviation of each feature that is standardised, 1 of others; None if none."""
        if self._scaling is None or not self._scaling.size:
            return None
        found = np.ones(self.n_features_)
        found[self._scaling.features] = self._scaling.centre_and_scale()[1]
        return found

    @exclusive
    def learn_rows(self, rows: Rows, labels: Array, weights: Array | None = None) -> Any:
        """Learn from rows in order, whose columns are those of the names; return the mistakes.

        A class that is new takes part from its first row on. Rows before there are two classes
        teach nothing. ``weights`` say how much rows count; one with weight 0 is left out. A row
        that would make a number overflow raises `NumberTooLargeError` and changes no weight; those
        before it are learned, as if they had come one at a time.
        """
        used = None
        if weights is not None:
            rows, labels, weights, used = self._weighted(rows, labels, weights)
        self._widen()
        if self._scaling is not None:
            # First: whatever interrupts, nobody holds arrays of the columns that are no more.
            self._state = self._state
            zeros_left_out = isinstance(self._names, Numbered) and isinstance(rows, Sparse)
            rows = self._scaling.learn(_as_sparse(rows), self.n_features_, zeros_left_out)
        return self._learn_scaled(rows, labels, weights, used)

    def usual_passes(self, examples: int) -> int:
        """Return how many passes over so many examples are usual."""
        usual = LEARNERS[self._options.learner].passes
        return rule_of(self._options).passes(usual, examples or MANY_EXAMPLES)

    @exclusive
    def set_penalty(self, l2: float) -> None:
        """Learn with another L2 penalty from now on."""
        self._options = rules.checked(self._options._replace(l2=l2), self.predicts_numbers)
        self._state = self._state  # without the fast path, which has the penalty it began with

    def stopping_rule(self) -> StoppingRule:
        """Return what ends passes early: for perceptrons, one without a mistake."""
        return rule_of(self._options).stopping_rule()

    @exclusive
    def next_pass(self) -> None:
        """Begin another pass over the same rows."""
        if self._state is not None:
            self._state = rule_of(self._options).next_pass(self._options, self._state)

    def _learn_scaled(
        self, rows: Rows, labels: Array, weights: Array | None, used: Array | None
    ) -> Any:
        n, done, mistakes = len(labels), 0, 0
        undo: Callable[[], None] | None = None
        while done < n:
            stop, codes = self._known(labels, done, near=undo is not None)
            if len(self.classes_) > 1 and stop > done:
                y = online.targets(codes, len(self.classes_), np.dtype(self._options.dtype))
                part = rows if stop - done == n else block(rows, done, stop)
                theirs = None if weights is None else weights[done:stop]
                learned, wrong = self._learn(part, y, theirs)
                mistakes += wrong
                if learned < stop - done:
                    if undo is not None and not learned:
                        undo()
                    raise self._too_large(done + learned, used)
            done = stop
            if done < n:
                undo = self._add_class(labels[done])
        return mistakes

    def _learn(self, rows: Rows, y: Array, weights: Array | None) -> tuple[int, int]:
        """Return how many rows were learned from, all unless one overflows, and the mistakes."""
        before = self._state.steps
        state, mistakes = rules.update(
            self._options, self._state, rows, y, self._sum_squares, weights, self._scaling
        )
        self._state = state
        return state.steps - before, mistakes

    def _too_large(self, row: int, used: Array | None) -> online.NumberTooLargeError:
        row = row if used is None else int(used[row])
        what = f"row {row} makes a score or a weight"
        error = online.too_large(what, np.dtype(self._options.dtype))
        error.row = row
        return error

    def _known(self, labels: Array, start: int, near: bool) -> tuple[int, Array]:
        """Return where the first unknown class is, and the numbers of the classes up to there."""
        if not len(self.classes_) or (labels.dtype.kind == "O") != (
            self.classes_.dtype.kind == "O"
        ):
            return start, np.empty(0, np.intp)
        found, at, size = [], start, _NEAR if near else len(labels)
        while at < len(labels):
            part = labels[at : at + size]
            codes = positions(self.classes_, part)
            if codes is None:
                places = np.searchsorted(self.classes_, part)
                nearest = self.classes_[np.minimum(places, len(self.classes_) - 1)]
                new = int(np.flatnonzero(nearest != part)[0])
                found.append(places[:new])
                at += new
                break
            found.append(codes)
            at, size = at + len(part), 4 * size
        return at, found[0] if len(found) == 1 else np.concatenate(found)

    def check_label(self, one: Array) -> Array:
        """Return the classes with one more; raise ``ValueError`` if it cannot be one of them."""
        check_labels(one)
        known = self.classes_
        if not len(known):
            return one
        types = {(array.dtype, type(array.tolist()[0])) for array in (known[:1], one)}
        if len(types) > 1:
            return union(known, one)
        place = int(np.searchsorted(known, one)[0])
        there = place < len(known) and known[place] == one[0]
        return known if there else np.insert(known, place, one[0])

    def _add_class(self, label: Any) -> Callable[[], None]:
        """Add a class; return a function that removes it, before anything else is learned."""
        classes, before, fitted = self.classes_, self._state, self._calibration
        one = label_array(label)
        more, after = self.check_label(one), before
        place = int(np.searchsorted(more, one)[0])

        def grow() -> None:
            nonlocal after
            if before is not None:
                after = rules.grow(self._options, before, place, len(more))
            elif len(more) > 1:
                after = rules.init(self._options, self._width(), len(more))
            self.classes_, self._state, self._calibration = more, after, None

        uninterrupted(grow)
        self._widen()

        def undo() -> None:
            if before is not None and len(classes) > 2:
                growing.take_out(before, after, place)
            self.classes_, self._state, self._calibration = classes, before, fitted

        return undo

    def _widen(self) -> None:
        """Add weights for the features named since."""
        state = self._stored_state
        if state is not None and state.weights.shape[1] < self.n_features_:
            width = self._width()
            self._state = growing.widen(self._state, width)
            if self._scaling is not None and isinstance(self._names, Kept):
                self._scaling.widen(width)  # so that this happens once, and not twice

    def _width(self) -> int:
        """Return the number of columns to allocate: some more than there are."""
        if isinstance(self._names, Hashed):
            return self._names.n_features
        bits = (self.n_features_ - 1).bit_length()
        if bits < _SMALL:  # then it grows by four times, as the names do
            bits += bits % 2
        return max(_FIRST_WIDTH, 1 << bits)

    def _weighted(
        self, rows: Rows, labels: Array, weights: Array
    ) -> tuple[Rows, Array, Array | None, Array]:
        """Leave out rows without weight, and weights that are all 1.

        Return the numbers of the rows that are left, too.
        """
        used = np.flatnonzero(weights != 0)
        if len(used) < len(weights):
            rows, labels, weights = take(rows, used), labels[used], weights[used]
        return rows, labels, None if (weights == 1).all() else weights, used

    @exclusive
    def scores(self, rows: Rows) -> Array:
        """Return the scores of rows: one each for two classes, else one for each class."""
        _check_rows(rows)
        self._widen()  # rows without a label name features, too
        state, options = self._state, self._options
        if state is None:
            raise ValueError("there is nothing to predict yet: learn from two classes first")
        if self._scaling is not None:
            rows = self._scaling.transform(_as_sparse(rows))
        rows = rules.no_narrower(rows, state.weights.shape[1])
        if rule_of(options).keeps_rows:
            return voted.scores(state, rows)
        if isinstance(rows, Sparse) and n_rows(rows) == 1 and self._changed:
            # A stream learns after every prediction: to make all weights for one row is too much.
            weights, intercept = rules.planes_at(options, state, rows.indices)
            scores = (weights @ rows.values + intercept)[np.newaxis]
            return scores[:, 0] if len(weights) == 1 else scores
        return online.linear_scores(*self._current_planes(), rows)

    @exclusive
    def contributions(self, row: Sparse) -> Contributions:
        """Return what each feature of a single row contributes to its scores."""
        self._widen()
        if self._state is None:
            raise ValueError("there is nothing to explain yet: learn from two classes first")
        return explaining.of_stream(self._options, self._state, self._scaling, row)

    def _current_planes(self) -> tuple[Array, Array]:
        """Return the weights to predict with, computed only if something was learned."""
        if self._changed:
            weights, intercept = rules.planes(self._options, self._state)
            self._cached_planes = np.asfortranarray(weights), intercept
            self._changed = False
        return self._cached_planes

    @exclusive
    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), *copied(*self.to_parts()), self.metadata)

    @exclusive
    def predict(self, rows: Rows) -> Array:
        """Return the class of each row, as files are read; a dict has `predict_one`."""
        _check_rows(rows)
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, n_rows(rows))
        return np.asarray(self.classes_[classes_of(self.scores(rows))])

    def _forget(self, n_features: int) -> None:
        """Forget all features but the first few."""
        self._names.forget(n_features)
        if isinstance(self._dict_rows, DictRows):
            self._dict_rows.forget()
        if self._scaling is not None:
            self._state = self._state  # which may hold arrays of the columns
            self._scaling.forget(n_features)


def _unpickled(kind: type[M], header: dict[str, Any], arrays: dict[str, Array], metadata: Any) -> M:
    """Make the model that was pickled."""
    model = kind.from_parts(header, arrays)
    model.metadata = metadata
    return model


def _check_rows(rows: Any) -> None:
    """Point out how to predict for data frames and arrays."""
    if not isinstance(rows, Dense | Sparse):
        raise TypeError(
            f"this model takes dicts, one at a time, and got a {type(rows).__name__}. For a data "
            'frame use [model.predict_one(x) for x in frame.to_dict("records")]; for a file, the '
            "command rosenblatt predict"
        )


def _as_sparse(rows: Rows) -> Sparse:
    return rows if isinstance(rows, Sparse) else rules.as_sparse(rows)


def classes_of(scores: Array) -> Array:
    """Return the number of the class with the largest score, or of the sign with sign(0) = +1."""
    if scores.ndim == 1:
        return (scores >= 0).astype(np.intp)
    return np.asarray(scores.argmax(axis=1))


def label_array(label: Any) -> Array:
    """Return an array with one label."""
    return np.array([label], object if isinstance(label, str) else None)
