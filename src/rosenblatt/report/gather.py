"""What `train` knows, and what reading the files once more adds, as a report.

`report_of(outcome, options)` is all that `train` needs. The files are read again in float64, for
the bound on the mistakes, the examples to draw and the counts; standard input cannot be.
"""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._version import __version__
from rosenblatt.console import as_words
from rosenblatt.data.labels import places
from rosenblatt.data.rows import Array, Dense, Rows, as_matrix, as_rows, n_rows
from rosenblatt.geometry import Hyperplane
from rosenblatt.learner_registry import IN_MEMORY, LEARNERS, ONLINE, trainable
from rosenblatt.learners.blocks import block as some_rows
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Numbered
from rosenblatt.readers.reader import Reader
from rosenblatt.report.model_facts import FeatureWeights, Points, Report
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.training.cache import labelled_batch

if TYPE_CHECKING:
    from rosenblatt.prediction.model_files import Predictor
    from rosenblatt.theory.bounds import MistakeBound
    from rosenblatt.training.command_options import TrainOptions
    from rosenblatt.training.summary import TrainingResult

MOST_ROWS = 20_000  # that are kept
MOST_NUMBERS = 4_000_000
MOST_CELLS = 2_000_000  # of rows whose best bound is computed in a second or so
MOST_POINTS = 1500
MOST_WEIGHTS = 10  # features to each side
_STEPS = 100  # of a pass that is replayed
_EFFORT = 2_000_000  # rows in all passes that may be replayed

_SETTINGS = ("passes", "eta0", "ties", "distribution", "bits", "ngrams")


class Study:
    """What the rows of the training files are like.

    Attributes
    ----------
    n : int
        How many rows have a label that the model knows.
    radius : float
        The length of the longest row; with an intercept, of the longest (x, 1).
    used : array of bool
        The columns that are not zero throughout.
    counts : array of int
        How many rows each class has.
    rows : CSR matrix or None
        The rows in float64, if they are few.
    y : array
        The number of the class of each row kept.
    plane : Hyperplane or None
        For two classes: the hyperplane that was learned, its normal and offset of length one.
    margins : list of arrays
        By how much the rows are on its right side.
    weighted : bool
        Whether rows have importance weights.
    """

    def __init__(self, predictor: "Predictor") -> None:
        assert predictor.classes is not None
        self.classes = predictor.classes
        self.n, self.weighted = 0, False
        options = getattr(predictor.model, "_options", None)
        self.fit_intercept = options is None or bool(options.fit_intercept)
        self.used = np.zeros(predictor.names.n_features, bool)
        self.counts = np.zeros(len(self.classes), np.int64)
        self.plane = _unit_plane(predictor)
        self.margins: list[Array] = []
        self.rows: Any = None
        self.y = np.empty(0, np.intp)
        self._longest = 0.0
        self._kept: list[Any] = []
        self._codes: list[Array] = []
        self._few = True

    @property
    def radius(self) -> float:
        """The length of the longest row."""
        return float(np.sqrt(self._longest + self.fit_intercept))

    def add(self, rows: Rows, labels: Array, weights: Array | None) -> None:
        """Look at some rows."""
        self.weighted |= weights is not None and not bool((weights == 1).all())
        codes = places(self.classes, labels)
        X = as_matrix(rows, len(self.used)).astype(np.float64)  # a copy, as rows are read-only
        if (codes < 0).any():
            X, codes = X[codes >= 0], codes[codes >= 0]
        self.n += len(codes)
        self.counts += np.bincount(codes, minlength=len(self.classes))
        if isinstance(rows, Dense):
            self.used |= (X != 0).any(axis=0)
            squares = (X**2).sum(axis=1)
        else:
            self.used[X.indices[X.data != 0]] = True
            squares = np.asarray(X.power(2).sum(axis=1)).ravel()
        self._longest = max(self._longest, float(squares.max(initial=0.0)))
        if self.plane is not None:
            scores = X @ self.plane.normal + self.plane.offset
            self.margins.append(scores * (2 * codes - 1))
        self._keep(X, codes)

    def _keep(self, X: Any, codes: Array) -> None:
        """Copy rows, as long as they are few."""
        import scipy.sparse as sp

        if self._few:
            self._kept.append(sp.csr_matrix(X))
            self._codes.append(codes)
            self._few = self.n <= MOST_ROWS and sum(X.nnz for X in self._kept) <= MOST_NUMBERS

    def close(self) -> None:
        """Put together what was kept."""
        import scipy.sparse as sp

        if self._few and self._kept:
            self.rows = sp.vstack(self._kept, format="csr")
            self.rows.sum_duplicates()
            self.y = np.concatenate(self._codes)
        self._kept = []

    def replayed(self, model: Any, passes: int, classes: Any = None) -> list[tuple[int, int]]:
        """Learn again, and count the mistakes after every few rows; [] if there are too many.

        The same rows in the same order give the same mistakes. ``classes`` are those announced.
        """
        few = 0 < self.n * passes <= _EFFORT
        if self.rows is None or not isinstance(model, OnlineClassifier) or not few:
            return []
        again = OnlineClassifier.with_names(model._options, model._names, classes)
        dtype = np.dtype(model._options.dtype)
        rows, labels = as_rows(self.rows.astype(dtype)), model.classes_[self.y]
        steps = min(_STEPS, n_rows(rows))
        cuts = np.unique(np.linspace(0, n_rows(rows), steps + 1).astype(int)).tolist()
        curve, made = [], 0
        for number in range(passes):
            for start, stop in pairwise(cuts):
                made += again.learn_rows(some_rows(rows, start, stop), labels[start:stop])
                curve.append((number * self.n + stop, made))
        return curve


def _unit_plane(predictor: "Predictor") -> Hyperplane | None:
    planes = predictor.planes()
    if planes is None or len(planes[0]) != 1:
        return None
    w, b = planes[0][0].astype(np.float64), float(planes[1][0])
    size = float(np.sqrt(w @ w + b * b))
    return Hyperplane(w / size, b / size) if len(w) and 0 < size < np.inf else None


def study(
    files: Sequence[str], reading: Reading, predictor: "Predictor", ignore_weights: bool = False
) -> Study:
    """Read files once more, in float64."""
    names = predictor.names
    frozen, names.frozen = names.frozen, True
    result = Study(predictor)
    reader = Reader(files, replace(reading, dtype="float64"), names=names)
    try:
        for block in reader:
            batch = labelled_batch(block)
            if len(batch.labels):
                result.add(batch.rows, batch.labels, None if ignore_weights else batch.weights)
    finally:
        names.frozen = frozen
        reader.close()
    result.close()
    return result


def report_of(outcome: "TrainingResult", options: "TrainOptions") -> Report:
    """Make a report on a training run.

    Parameters
    ----------
    outcome : TrainingResult
        The model, and what was counted.
    options : TrainOptions
        The options of the run.
    """
    predictor = outcome.predictor
    learner = predictor.learner
    data = _studied(outcome, options)
    online = learner in trainable(ONLINE, IN_MEMORY)
    passes = outcome.mistakes if online else []
    notes = [*outcome.notes, *outcome.hints()]
    if outcome.mistakes and not online:
        share = 100 * outcome.mistakes[-1] / max(outcome.examples, 1)
        wrong = f"{outcome.mistakes[-1]:,} of the training examples ({share:.2f}%)"
        notes.insert(0, f"The model misclassifies {wrong}.")
    if _gone(outcome):
        notes.append(
            "The input cannot be read again, so there is no bound and no chart of examples."
        )
    bounded = data is not None and _is_bounded(outcome)
    bound, best = bound_of(data) if data is not None and bounded else (None, True)
    return Report(
        title=options.output or "Unsaved model",
        learner=LEARNERS[learner].title,
        examples=outcome.examples,
        features=predictor.names.n_features if data is None else int(data.used.sum()),
        classes=outcome.classes or [],
        command=command_of(options),
        parameters=_settings(options),
        files=[(name, size) for name, size in outcome.reader.described],
        counts=[] if data is None else data.counts.tolist(),
        passes=passes,
        curve=_curve(outcome, data, options) if online else [],
        losses=outcome.losses,
        validation=outcome.validation,
        test=None if outcome.test is None else outcome.test.metrics,
        test_scores=[] if outcome.test is None else outcome.test.score_facts(),
        weights=_weights(predictor),
        points=None if data is None else _points(data, predictor),
        bound=bound,
        bound_is_best=best,
        converged=passes[-1] == 0 if passes else None,
        seconds=outcome.seconds,
        notes=notes,
        version=__version__,
    )


def _is_bounded(outcome: "TrainingResult") -> bool:
    """Say whether the bound on mistakes holds: from zero weights, for numbers as they are."""
    predictor = outcome.predictor
    if outcome.origin is not None:
        return False
    scaling = getattr(predictor.model, "_scaling", None)
    return LEARNERS[predictor.learner].bounded and (scaling is None or scaling.idle)


def command_of(options: "TrainOptions") -> str:
    """Write the command that has these options: those that differ from the defaults.

    >>> from rosenblatt.training.command_options import TrainOptions
    >>> options = TrainOptions(["a b.svm"], output="m.model", text=["title"], float64=True)
    >>> command_of(options)
    "rosenblatt train 'a b.svm' --text title -o m.model --float64"
    """
    options = getattr(options, "given", None) or options
    words = ["rosenblatt", "train", *options.files]
    words += as_words(options, leave_out=("quiet", "json"))
    return shlex.join(words)


def _settings(options: "TrainOptions") -> dict[str, Any]:
    settings = {name: getattr(options, name) for name in _SETTINGS}
    passes = options.learner in trainable(ONLINE, IN_MEMORY)
    if passes and (options.passes or not options.adapts):
        settings["passes"] = f"at most {options.n_passes:,}"
    settings["intercept"] = "no" if options.no_intercept else None
    settings["type"] = options.dtype
    return {name: value for name, value in settings.items() if value is not None}


def _curve(
    outcome: "TrainingResult", data: Study | None, options: "TrainOptions"
) -> list[tuple[int, int]]:
    """Return examples seen and mistakes made: at every block, or finer where rows are few."""
    steps = outcome.curve
    if data is not None and not outcome.validation and _is_bounded(outcome):
        finer = data.replayed(outcome.predictor.model, len(outcome.mistakes), options.known_classes)
        if finer and finer[-1][1] == sum(outcome.mistakes):
            return finer
    if steps and steps[-1][1] == sum(outcome.mistakes):
        return steps
    ends = np.cumsum(outcome.mistakes).tolist()
    return [(outcome.examples * k, made) for k, made in enumerate(ends, 1)]


def _weights(predictor: "Predictor") -> list[FeatureWeights]:
    planes = predictor.planes()
    if planes is None:
        return []
    W, classes = planes[0], predictor.classes
    if len(W) > 1 and classes is not None:
        return [
            FeatureWeights(label, None, _largest(w, predictor))
            for label, w in zip(classes.tolist(), W, strict=True)
        ]
    sides = (None, None) if classes is None else classes.tolist()[:2]
    return [FeatureWeights(sides[1], sides[0], _largest(W[0], predictor))]


def _largest(w: Array, predictor: "Predictor") -> list[tuple[str, float]]:
    """Return the features with the largest weights, to both sides."""
    order = np.argsort(w, kind="stable")
    picked = dict.fromkeys([*order[:MOST_WEIGHTS].tolist(), *order[-MOST_WEIGHTS:].tolist()])
    return [(_name(predictor, j), float(w[j])) for j in picked if w[j] != 0]


def _name(predictor: "Predictor", column: int) -> str:
    name = predictor.names.name(column)
    if isinstance(predictor.names, Numbered):
        return f"feature {name}"
    return f"#{column}" if name is None else name


def _studied(outcome: "TrainingResult", options: "TrainOptions") -> Study | None:
    """Read the files again, if they are still there."""
    if _gone(outcome) or outcome.classes is None:
        return None
    files = [*options.files, *(options.validation or [])] if outcome.retrained else options.files
    reading = replace(options.reading(), columns=outcome.reader.columns)
    return study(files, reading, outcome.predictor, options.ignore_weights)


def _gone(outcome: "TrainingResult") -> bool:
    """Say whether the files cannot be read again: standard input, or a pipe with a name."""
    return any(source.size is None for source in outcome.reader.sources)


def _points(data: Study, predictor: "Predictor") -> Points | None:
    """Return examples to draw, if they have two features."""
    columns, planes = np.flatnonzero(data.used), predictor.planes()
    if len(columns) != 2 or planes is None or data.rows is None:
        return None
    W, b = planes
    if max(data.y.max(initial=0) + 1, 2) > max(len(W), 2):
        return None
    n = len(data.y)
    chosen = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).astype(int))
    X = np.asarray(data.rows[chosen][:, columns].todense(), np.float64)
    assert predictor.classes is not None
    y = np.array(predictor.classes.tolist(), object)[data.y[chosen]]
    names = _name(predictor, int(columns[0])), _name(predictor, int(columns[1]))
    return Points(X, y, names, W[:, columns], b, data.n)


def bound_of(data: Study) -> tuple["MistakeBound | None", bool]:
    """Return the bound of a theorem on a perceptron's mistakes, and whether it is the best one.

    For many rows it is Freund and Schapire's for the hyperplane that was learned.
    """
    from rosenblatt.theory.bounds import bound_of_plane, mistake_bound

    if data.weighted or len(data.classes) != 2:
        return None, True
    if data.rows is not None and data.n * int(data.used.sum()) <= MOST_CELLS:
        X = data.rows[:, np.flatnonzero(data.used)]
        try:
            return mistake_bound(X, data.y, fit_intercept=data.fit_intercept), True
        except RuntimeError:  # rounding leaves it open whether a hyperplane separates the classes
            pass
    if data.plane is None:
        return None, True
    margins = np.concatenate(data.margins)
    return bound_of_plane(data.plane, margins, data.radius, data.fit_intercept), False
