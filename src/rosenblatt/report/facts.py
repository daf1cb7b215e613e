"""What `train` knows, and what one more look at the files tells, as a report.

`report_of(outcome, job)` is all that `train` needs. The files are read once more, for the length of
the longest example, the examples to draw, and the bound on the mistakes; standard input is not.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, as_matrix, as_rows, n_rows
from rosenblatt.evaluation.metrics import places
from rosenblatt.learners.blocks import block as some_rows
from rosenblatt.readers.options import Reading
from rosenblatt.readers.reader import Reader
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.training.trainer import lot_of

if TYPE_CHECKING:
    from rosenblatt.evaluation.predictors import Predictor
import shlex
from dataclasses import fields

from rosenblatt._version import __version__
from rosenblatt.readers.names import Numbered
from rosenblatt.report.content import Bound, Judged, Numbers, Points, Report, Strongest

if TYPE_CHECKING:
    from rosenblatt.evaluation.predictors import Predictor
    from rosenblatt.training.options import TrainOptions
    from rosenblatt.training.summary import Outcome


MOST_ROWS = 20_000  # that are kept
MOST_NUMBERS = 4_000_000
_STEPS = 100  # of a pass that is gone through again
_EFFORT = 2_000_000  # rows in all passes that may be gone through again


class Study:
    """What was found.

    Attributes
    ----------
    n : int
        How many rows have a label that the model knows.
    radius : float
        The length of the longest row; with an intercept, of the longest (x, 1).
    columns : array
        The columns that are not zero throughout.
    rows : CSR matrix or None
        The rows, if they are few.
    y : array
        The number of the class of each row kept.
    margins : array or None
        For two classes: by how much each row is on its side of the plane that was learned.
    weighted : bool
        Whether rows have importance weights.
    n_classes : int
        How many classes the model has.
    """

    def __init__(self, predictor: "Predictor") -> None:
        self.predictor = predictor
        assert predictor.classes is not None
        self.n, self.n_classes, self.weighted = 0, len(predictor.classes), False
        options = getattr(predictor.model, "_options", None)
        self.intercept = True if options is None else bool(options.fit_intercept)
        self._used = np.zeros(predictor.names.n_features, bool)
        self._counts = np.zeros(self.n_classes, np.int64)
        self._longest = 0.0
        self._kept: list[Any] | None = []
        self._numbers = 0
        self._codes: list[Array] = []
        self._margins: list[Array] = []
        self._plane = self._unit_plane()
        self.rows: Any = None
        self.margins: Array | None = None
        self.y = np.empty(0, np.intp)

    def _unit_plane(self) -> tuple[Array, float] | None:
        planes = self.predictor.planes()
        if planes is None or len(planes[0]) != 1:
            return None
        w, b = planes[0][0].astype(np.float64), float(planes[1][0])
        size = float(np.sqrt(w @ w + b * b))
        return None if not size > 0 else (w / size, b / size)

    def add(self, rows: Rows, labels: Array, weights: Array | None) -> None:
        """Look at some rows."""
        assert self.predictor.classes is not None
        self.weighted |= weights is not None and not bool((weights == 1).all())
        codes = places(self.predictor.classes, labels)
        X = as_matrix(rows, len(self._used))
        if (codes < 0).any():
            X, codes = X[codes >= 0], codes[codes >= 0]
        self.n += len(codes)
        self._counts += np.bincount(codes, minlength=self.n_classes)
        values = X if isinstance(rows, Dense) else X.data
        if isinstance(rows, Dense):
            self._used |= (X != 0).any(axis=0)
            squares = (X.astype(np.float64) ** 2).sum(axis=1)
        else:
            self._used[X.indices[values != 0]] = True
            squares = np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel()
        self._longest = max(self._longest, float(squares.max(initial=0.0)))
        if self._plane is not None:
            scores = X @ self._plane[0] + self._plane[1]
            self._margins.append((scores * (2 * codes - 1)).astype(np.float32))
        self._keep(X, codes)

    def _keep(self, X: Any, codes: Array) -> None:
        """Copy rows, as long as they are few."""
        if self._kept is None:
            return
        import scipy.sparse as sp

        self._kept.append(sp.csr_matrix(X, copy=True))
        self._codes.append(codes)
        self._numbers += self._kept[-1].nnz
        if self.n > MOST_ROWS or self._numbers > MOST_NUMBERS:
            self._kept, self._codes = None, []

    def close(self) -> None:
        """Put together what was kept."""
        import scipy.sparse as sp

        if self._kept:
            self.rows = sp.vstack(self._kept, format="csr")
            self.rows.sum_duplicates()
            self.y = np.concatenate(self._codes)
        self._kept = None
        if self._margins:
            self.margins = np.concatenate(self._margins)

    @property
    def radius(self) -> float:
        """The length of the longest row."""
        return float(np.sqrt(self._longest + self.intercept))

    @property
    def columns(self) -> Array:
        """The columns that are not zero throughout."""
        return np.flatnonzero(self._used)

    @property
    def n_features(self) -> int:
        """How many columns are not zero throughout."""
        return int(self._used.sum())

    def counts(self, classes: Sequence[Any]) -> list[int]:
        """Return how many rows each class has."""
        return self._counts.tolist() if len(classes) == self.n_classes else []

    def replayed(self, model: Any, passes: int, classes: Any = None) -> list[tuple[int, int]]:
        """Learn again, and say after every few rows how many mistakes were made; [] if too many.

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


def study(
    files: Sequence[str], reading: Reading, predictor: "Predictor", ignore_weights: bool = False
) -> Study:
    """Read files once more."""
    names = predictor.names
    frozen, names.frozen = names.frozen, True
    found = Study(predictor)
    reader = Reader(files, reading, names=names)
    try:
        for block in reader:
            lot = lot_of(block)
            if len(lot.labels):
                weights = None if ignore_weights else lot.weights
                found.add(lot.rows, lot.labels, weights)
    finally:
        names.frozen = frozen
        reader.close()
    found.close()
    return found


WORDS = {
    "averaged": "averaged perceptron",
    "voted": "voted perceptron",
    "batch": "batch perceptron",
    "logistic": "logistic regression",
    "svm": "linear SVM",
    "naive-bayes": "naive Bayes",
    "centroid": "nearest centroid",
    "discriminant": "linear discriminant",
    "regression": "linear regression",
}
BOUNDED = ("perceptron", "averaged", "voted")  # that make the perceptron's mistakes
LEARN_BY_MISTAKES = (*BOUNDED, "logistic", "svm", "batch")
MOST_STRONG = 10  # features to each side
MOST_POINTS = 1500
MOST_CELLS = 2_000_000  # of rows whose best bound is found in a second or so
_SETTINGS = ("passes", "eta0", "ties", "distribution", "bits", "ngrams")


def report_of(outcome: "Outcome", job: "TrainOptions") -> Report:
    """Make a report of what came out of training.

    Parameters
    ----------
    outcome : Outcome
        The model, and what was counted.
    job : TrainOptions
        What was asked for.
    """
    predictor = outcome.predictor
    learner = predictor.learner
    found = _studied(outcome, job)
    online = learner in LEARN_BY_MISTAKES
    passes = outcome.mistakes if online else []
    notes = [*outcome.notes, *outcome.hints()]
    if outcome.mistakes and not online:
        share = 100 * outcome.mistakes[-1] / max(outcome.examples, 1)
        wrong = f"{outcome.mistakes[-1]:,} of the training examples ({share:.2f}%)"
        notes.insert(0, f"It classifies {wrong} wrongly.")
    if _gone(outcome):
        notes.append("The input is gone, so there is no bound and no picture of examples.")
    return Report(
        title=job.output or "A model that was not saved",
        learner=WORDS.get(learner, learner),
        examples=outcome.examples,
        features=predictor.names.n_features if found is None else found.n_features,
        classes=outcome.classes or [],
        command=command_of(job),
        parameters=_settings(job),
        files=[(name, size) for name, size in outcome.reader.described],
        counts=[] if found is None or outcome.classes is None else found.counts(outcome.classes),
        passes=passes,
        curve=_curve(outcome, found, job) if online else [],
        losses=outcome.losses,
        validation=outcome.validation,
        judged=_judged(outcome),
        strongest=_strongest(predictor),
        points=None if found is None else _points(found, predictor),
        bound=None if found is None or learner not in BOUNDED else bound_of(found, job),
        converged=passes[-1] == 0 if passes else None,
        seconds=outcome.seconds,
        notes=notes,
        version=__version__,
    )


def command_of(job: "TrainOptions") -> str:
    """Write the command that does a job: what differs from the defaults.

    >>> from rosenblatt.training.options import TrainOptions
    >>> options = TrainOptions(["a b.svm"], output="m.model", text=["title"], float64=True)
    >>> command_of(options)
    "rosenblatt train 'a b.svm' -o m.model --float64 --text title"
    """
    words = ["rosenblatt", "train", *job.files]
    for option in fields(job):
        value = getattr(job, option.name)
        if option.name in ("files", "quiet", "json") or value in (option.default, None):
            continue
        name = "-o" if option.name == "output" else "--" + option.name.replace("_", "-")
        if value is True:
            words.append(name)
            continue
        for item in value if isinstance(value, list) else [value]:
            words += [name, f"{item:g}" if isinstance(item, float) else str(item)]
    return shlex.join(words)


def _settings(job: "TrainOptions") -> dict[str, Any]:
    told = {name: getattr(job, name) for name in _SETTINGS}
    told["passes"] = f"at most {job.n_passes:,}" if job.learner in LEARN_BY_MISTAKES else None
    told["intercept"] = "no" if job.no_intercept else None
    told["type"] = job.dtype
    return {name: value for name, value in told.items() if value is not None}


def _judged(outcome: "Outcome") -> list[Judged | Numbers]:
    if outcome.test is None:
        return []
    counted: Any = outcome.test.metrics
    if hasattr(counted, "rmse"):
        return [Numbers("test", counted.examples, counted.rmse, counted.mae, counted.r2)]
    return [Judged("test", counted.classes.tolist(), counted.matrix, counted.labels)]


def _curve(outcome: "Outcome", found: Study | None, job: "TrainOptions") -> list[tuple[int, int]]:
    """Return examples seen and mistakes made: at every block, or finer where rows are few."""
    steps = outcome.curve
    if found is not None and not outcome.validation and job.learner in BOUNDED:
        finer = found.replayed(outcome.predictor.model, len(outcome.mistakes), job.known_classes)
        if finer and finer[-1][1] == sum(outcome.mistakes):
            return finer
    if steps and steps[-1][1] == sum(outcome.mistakes):
        return steps
    ends = np.cumsum(outcome.mistakes).tolist()
    return [(outcome.examples * k, made) for k, made in enumerate(ends, 1)]


def _strongest(predictor: "Predictor") -> list[Strongest]:
    planes = predictor.planes()
    if planes is None:
        return []
    W, classes = planes[0], predictor.classes
    if len(W) > 1 and classes is not None:
        return [
            Strongest(label, None, _largest(w, predictor))
            for label, w in zip(classes.tolist(), W, strict=True)
        ]
    sides = (None, None) if classes is None else classes.tolist()[:2]
    return [Strongest(sides[1], sides[0], _largest(W[0], predictor))]


def _largest(w: Array, predictor: "Predictor") -> list[tuple[str, float]]:
    """Return the features with the largest weights, to both sides."""
    order = np.argsort(w, kind="stable")
    picked = dict.fromkeys([*order[:MOST_STRONG].tolist(), *order[-MOST_STRONG:].tolist()])
    return [(_name(predictor, j), float(w[j])) for j in picked if w[j] != 0]


def _name(predictor: "Predictor", column: int) -> str:
    name = predictor.names.name(column)
    if isinstance(predictor.names, Numbered):
        return f"feature {name}"
    return f"#{column}" if name is None else name


def _studied(outcome: "Outcome", job: "TrainOptions") -> Study | None:
    """Look at the files again, if they are still there."""
    if _gone(outcome) or outcome.classes is None:
        return None
    files = [*job.files, *(job.validation or [])] if outcome.retrained else job.files
    return study(files, job.reading(), outcome.predictor, job.ignore_weights)


def _gone(outcome: "Outcome") -> bool:
    """Say whether the files cannot be read again: standard input, or a pipe with a name."""
    return any(source.size is None for source in outcome.reader.sources)


def _points(found: Study, predictor: "Predictor") -> Points | None:
    """Return examples to draw, if they have two features."""
    columns, planes = found.columns, predictor.planes()
    if len(columns) != 2 or planes is None or found.rows is None:
        return None
    W, b = planes
    if max(found.y.max(initial=0) + 1, 2) > max(len(W), 2):
        return None
    n = len(found.y)
    chosen = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).astype(int))
    X = np.asarray(found.rows[chosen][:, columns].todense(), np.float64)
    assert predictor.classes is not None
    y = np.array(predictor.classes.tolist(), object)[found.y[chosen]]
    names = _name(predictor, int(columns[0])), _name(predictor, int(columns[1]))
    return Points(X, y, names, W[:, columns], b, found.n)


def bound_of(found: Study, job: "TrainOptions") -> Bound | None:
    """Return what a theorem says of the mistakes of a perceptron on these rows.

    Of few rows the best there is; else Freund and Schapire's, for the plane that was learned.
    """
    if found.weighted or found.n_classes != 2:
        return None
    with_one = not job.no_intercept
    if found.margins is None:
        return Bound(found.radius, fit_intercept=with_one)
    if found.rows is not None and found.n * len(found.columns) <= MOST_CELLS:
        from rosenblatt.theory.bounds import mistake_bound

        X = found.rows[:, found.columns]
        try:
            best = mistake_bound(X, found.y, fit_intercept=with_one)
        except RuntimeError:  # rounding leaves it open whether a plane parts the classes
            pass
        else:
            facts = best.radius, best.margin, best.bound, best.deviation, best.theorem
            return Bound(*facts, fit_intercept=with_one)
    margin, deviation, bound = freund_schapire(found.margins, found.radius)
    return Bound(found.radius, margin, bound, deviation, "freund-schapire", False, with_one)


def freund_schapire(margins: Array, radius: float) -> tuple[float, float, float]:
    """Return γ, D and the bound ((R + D)/γ)² of one plane, with the γ that makes it smallest.

    >>> [round(value, 3) for value in freund_schapire(np.ones(10), 2.0)]
    [1.0, 0.0, 4.0]
    """
    ordered = np.sort(margins.astype(np.float64))
    largest = max(float(np.abs(ordered).max(initial=0.0)), radius, 1e-300)
    positive = ordered[ordered > 0]
    some = positive[np.unique(np.linspace(0, len(positive) - 1, 500).astype(int))]
    gammas = np.concatenate([np.geomspace(1e-6 * largest, 1e4 * largest, 2000), some])
    below = np.searchsorted(ordered, gammas)
    first = np.concatenate([[0.0], np.cumsum(ordered)])[below]
    second = np.concatenate([[0.0], np.cumsum(ordered**2)])[below]
    lack = np.sqrt(np.maximum(below * gammas**2 - 2 * gammas * first + second, 0.0))
    bounds = ((radius + lack) / gammas) ** 2
    best = int(bounds.argmin())
    return float(gammas[best]), float(lack[best]), float(bounds[best])
