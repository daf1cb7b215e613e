"""One more look at the files that a model was trained on, for its report."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, as_matrix, as_rows, n_rows
from rosenblatt.learners.blocks import block as some_rows
from rosenblatt.readers.reader import Reader
from rosenblatt.readers.reading import Reading
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.evaluation import places
from rosenblatt.stream.training import lot_of

if TYPE_CHECKING:
    from rosenblatt.cli.predictors import Predictor

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
