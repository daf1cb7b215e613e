"""Model files opened for use, with one interface for streams and estimators.

Both take rows as the readers make them. Classes are numbers here; `classes` says which they are.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from rosenblatt.data.labels import places
from rosenblatt.data.rows import Array, Rows, Sparse, all_finite, as_matrix
from rosenblatt.learners.online import NumberTooLargeError
from rosenblatt.models.saving import load_with_extra
from rosenblatt.models.stored_types import PIPELINE
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.readers.blocks import Block, DataError
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Kept, Names, Numbered, from_header
from rosenblatt.readers.reader import CountingReader
from rosenblatt.stream.explaining import Contributions, of_row
from rosenblatt.stream.model import StreamModel, classes_of
from rosenblatt.stream.regressor import OnlineRegressor
from rosenblatt.stream.rules import as_sparse
from rosenblatt.tagging.file_layout import TagReading

if TYPE_CHECKING:
    from rosenblatt.tagging.estimator import SequenceTagger


class Predicted(NamedTuple):
    """What a model says of rows.

    Attributes
    ----------
    codes : array
        The number of each row's class.
    ranking : array or None
        What an AUC ranks rows by: of two classes the score of the second one; of more a column for
        each, of probabilities if there are any, and else of scores.
    probabilities : array or None
        A column for each class; or of two classes the log-odds of the second one.
    """

    codes: Array
    ranking: Array | None
    probabilities: Array | None


class Online:
    """A model that learned from a stream."""

    def __init__(self, model: StreamModel) -> None:
        self.model, self.names = model, model._names
        self.learner = model._options.learner

    @property
    def classes(self) -> Array | None:
        """The classes, sorted; None if numbers are predicted."""
        return getattr(self.model, "classes_", None)

    def codes(self, rows: Rows) -> Array:
        """Return the number of each row's class."""
        return classes_of(self._scores(rows))

    def _scores(self, rows: Rows) -> Array:
        return _finite(self.model.scores(rows))

    def ranking(self, rows: Rows) -> Array:
        """Return the scores of rows: of two classes those of the second one alone."""
        return self._scores(rows)

    def all_of(self, rows: Rows) -> "Predicted":
        """Return all that there is about rows, for one computation of their scores."""
        scores = self._scores(rows)
        likely, fitted = None, self.model.calibration_
        if fitted is not None:
            odds = fitted.log_odds(scores)
            likely = odds if odds.ndim == 1 else _softmax(odds)
        return Predicted(classes_of(scores), _ranking(scores, likely), likely)

    def values(self, rows: Rows) -> Array:
        """Return the number predicted for each row."""
        if not isinstance(self.model, OnlineRegressor):
            raise ValueError("this model predicts classes, not numbers")
        return self.model.in_units(self._scores(rows))

    def scores(self, rows: Rows) -> Array:
        """Return the score of each class for each row; of two classes they are −s and s."""
        return _of_each(self._scores(rows))

    @property
    def has_probabilities(self) -> bool:
        """Whether there are `probabilities`."""
        return self.model.calibration_ is not None

    def probabilities(self, rows: Rows) -> Array:
        """Return the probability of each class, of logistic regression or once calibrated."""
        fitted = self.model.calibration_
        if fitted is None:
            raise ValueError(_no_probabilities(self.learner))
        return _softmax(fitted.log_odds(self._scores(rows)))

    def contributions(self, rows: Rows) -> Contributions:
        """Return what each feature of a single row contributes to its scores."""
        row = rows if isinstance(rows, Sparse) else as_sparse(rows)
        return self.model.contributions(row)

    @property
    def predicts_with(self) -> str | None:
        """Which weights predict: the "last" or the "mean"; None for votes."""
        return self.model.predicts_with

    def planes(self) -> tuple[Array, Array] | None:
        """Return the weights to predict with; for votes, their mean."""
        return np.atleast_2d(self.model.coef_), np.atleast_1d(self.model.intercept_)

    def deviations(self) -> Array | None:
        """Return the deviation of each feature that was standardised, 1 of others; None if none."""
        return self.model.deviations()


class Estimator:
    """An estimator, and what its columns are called."""

    def __init__(self, model: Any, names: Names, learner: str) -> None:
        self.model, self.names, self.learner = model, names, learner
        found = getattr(model, "classes_", None)
        planes = self.planes()
        largest = 0.0 if planes is None else max(float(np.abs(part).max()) for part in planes)
        self._largest = largest if planes is not None and np.isfinite(largest) else None
        texts = found is not None and found.dtype.kind in "US"
        # Rows come as plain matrices here, of which scikit-learn would say that they lack names.
        self._nameless = copy(model)
        vars(self._nameless).pop("feature_names_in_", None)
        self._classes: Array | None = found.astype(object) if texts else found  # type: ignore[union-attr]

    @property
    def classes(self) -> Array | None:
        """The classes, sorted; None if numbers are predicted."""
        return self._classes

    def _matrix(self, rows: Rows) -> Any:
        return matrix(rows, self.model.n_features_in_)

    def codes(self, rows: Rows) -> Array:
        """Return the number of each row's class."""
        assert self._classes is not None
        X = self._matrix(rows)
        self._check_scores(X)
        found = self._nameless.predict(X)
        if found.dtype.kind in "US":
            found = found.astype(object)
        return places(self._classes, found)

    def all_of(self, rows: Rows) -> Predicted:
        """Return all that there is about rows; their scores are computed once if they decide."""
        from rosenblatt.estimators._base.hyperplanes import ScoringClassifier  # loads scikit-learn

        X, model = self._matrix(rows), self._nameless
        likely = scores = None
        if hasattr(model, "decision_function"):
            self._check_scores(X)
            scores = np.asarray(model.decision_function(X))
        if hasattr(model, "predict_proba"):
            likely = np.asarray(model.predict_proba(X))
        by_scores = getattr(type(model), "predict", None) is ScoringClassifier.predict
        codes = classes_of(scores) if by_scores and scores is not None else self.codes(rows)
        if scores is None and likely is not None and likely.shape[1] == 2:
            scores = likely[:, 1]
        return Predicted(codes, scores if scores is None else _ranking(scores, likely), likely)

    def values(self, rows: Rows) -> Array:
        """Return the number predicted for each row."""
        return _finite(np.asarray(self._nameless.predict(self._matrix(rows))))

    def scores(self, rows: Rows) -> Array:
        """Return the score of each class for each row; of two classes they are −s and s."""
        if not hasattr(self.model, "decision_function"):
            raise ValueError(f"a model of {self.learner} has no scores; leave out --scores")
        X = self._matrix(rows)
        self._check_scores(X)
        scores = np.asarray(self._nameless.decision_function(X))
        if self._classes is not None and len(self._classes) == 1:
            return scores.reshape(-1, 1)
        return _of_each(scores)

    @property
    def has_probabilities(self) -> bool:
        """Whether there are `probabilities`."""
        return hasattr(self.model, "predict_proba")

    def probabilities(self, rows: Rows) -> Array:
        """Return the probability of each class for each row."""
        if not hasattr(self.model, "predict_proba"):
            raise ValueError(_no_probabilities(self.learner))
        X = self._matrix(rows)
        self._check_scores(X)
        return np.asarray(self._nameless.predict_proba(X))

    def contributions(self, rows: Rows) -> Contributions:
        """Return what each feature of a single row contributes to its scores."""
        planes, X = self.planes(), self._matrix(rows)
        if planes is None:
            raise ValueError(
                f"a model of {self.learner} is not linear, so features have no contributions"
            )
        row = X[0].toarray().ravel() if hasattr(X, "indptr") else np.asarray(X)[0]
        columns = np.flatnonzero(row)
        weights, intercept = (part.astype(np.float64) for part in planes)
        return of_row(columns, row[columns].astype(np.float64), weights[:, columns], intercept)

    def _check_scores(self, X: Any) -> None:
        """Raise `NumberTooLargeError` if a linear score of a row overflows."""
        if self._largest is None or not X.shape[0]:
            return
        values = X.data if hasattr(X, "indptr") else X
        largest = float(np.abs(values).max(initial=0.0))
        limit = float(np.finfo(np.result_type(X.dtype, self.model.coef_.dtype)).max)
        # The score is at most this; most rows are far from the limit, and need no second look.
        if (largest * X.shape[1] + 1) * self._largest >= limit:
            _finite(np.asarray(self._nameless.decision_function(X)))

    def deviations(self) -> Array | None:
        """Return None: an estimator takes numbers as they are."""
        return None

    def planes(self) -> tuple[Array, Array] | None:
        """Return the weights and intercepts, if it has hyperplanes."""
        if not hasattr(self.model, "coef_"):
            return None
        return np.atleast_2d(self.model.coef_), np.atleast_1d(self.model.intercept_)


# A model as the commands use it; ``classes`` is None if it predicts numbers.
Predictor: TypeAlias = Online | Estimator


def predictor_of(model: Any, extra: Mapping[str, Any]) -> Predictor:
    """Make a predictor of a loaded model, and freeze the names of its features."""
    if isinstance(model, StreamModel):
        made: Predictor = Online(model)
    else:
        if not hasattr(model, "n_features_in_"):
            raise ValueError(f"the {type(model).__name__} has not learned anything yet")
        learner = extra.get("learner", type(model).__name__)
        made = Estimator(model, _names(model, extra), str(learner))
    made.names.frozen = True
    return made


def _names(model: Any, extra: Mapping[str, Any]) -> Names:
    """Return the names that were kept with an estimator, or those that it knows itself."""
    kept = extra.get("names")
    if isinstance(kept, dict) and isinstance(kept.get("header"), dict):
        arrays = kept.get("arrays")
        found = arrays.items() if isinstance(arrays, dict) else ()
        own = {name: array for name, array in found if isinstance(array, np.ndarray)}
        names = from_header(kept["header"], own)
        if names.n_features != model.n_features_in_:
            raise ValueError("the names of the features are not those of the model")
        return names
    known = getattr(model, "feature_names_in_", None)
    if known is None:
        return Numbered(model.n_features_in_)
    named = Kept()
    named.columns([str(name) for name in known])
    return named


def matrix(rows: Rows, n_features: int) -> Any:
    """Return rows as estimators want them: a matrix in which no column is twice in a row."""
    X = as_matrix(rows, n_features)
    if hasattr(X, "indptr") and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _finite(scores: Array) -> Array:
    """Return scores or predictions, or raise `NumberTooLargeError` if one overflowed."""
    if all_finite(scores):
        return scores
    advice = ", or train with --float64" if scores.dtype == np.float32 else ""
    problem = f"the score of this row is too large for {scores.dtype}: scale the features{advice}"
    error = NumberTooLargeError(problem)
    error.row = int(np.argmin(np.isfinite(scores).reshape(len(scores), -1).all(axis=1)))
    raise error


@contextmanager
def located(block: Block, labelled_only: bool = False) -> Iterator[None]:
    """Say in which line of a file a score is too large; rows may be those with a label alone."""
    try:
        yield
    except NumberTooLargeError as error:
        lines = block.lines
        if labelled_only and block.labels is not None:
            have = [label is not None and label == label for label in block.labels.tolist()]
            lines = lines[np.array(have)]
        raise DataError(block.file, int(lines[error.row]), None, str(error)) from None


def _of_each(scores: Array) -> Array:
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def _softmax(scores: Array) -> Array:
    """Return probabilities, from the log-odds of two classes, or what a softmax takes."""
    scores = scores.astype(np.float64)
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    probabilities = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True))


def _ranking(scores: Array, probabilities: Array | None) -> Array:
    """Return what ranks rows: the scores of two classes, and of more probabilities if possible."""
    return scores if scores.ndim == 1 or probabilities is None else probabilities


def _no_probabilities(learner: str) -> str:
    return (
        f"a model of {learner} has no probabilities; use --scores, fit them (rosenblatt calibrate, "
        "or train --validation), or train with --learner logistic or naive-bayes"
    )


@dataclass
class OpenModel:
    """A model file.

    ``pipeline`` is what it holds if that is a pipeline; ``predictor`` is then its last step.
    """

    path: str
    predictor: Predictor
    extra: dict[str, Any]
    pipeline: Any = None

    def reader(
        self, files: list[str], options: dict[str, Any], labels_aside: bool = False
    ) -> CountingReader:
        """Return a reader that reads files as those of training, unless options say otherwise.

        With ``labels_aside`` lines of text need no label before a tab.
        """
        try:
            # A model that was made in Python learned from what it was given, in float64 mostly.
            header = self.extra.get("reading", {"dtype": "float64"})
            reading = Reading.from_header(header if isinstance(header, dict) else {}, **options)
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"{self.path} does not say how to read files: {error}") from None
        reader = CountingReader(files, reading, names=self.predictor.names)
        if labels_aside and reader.first_format() == "text" and not _has_label(reader.first_line()):
            reader.reading = replace(reader.reading, label="")
        return reader


def _has_label(line: bytes) -> bool:
    return b"\t" in line or line.startswith(b"__label__")


def open_model(path: str, for_taggers: str, pipelines: bool = False) -> OpenModel:
    """Load a model; raise ``ValueError`` if it cannot predict.

    For a sequence tagger, the error names the command to use. A pipeline takes data frames rather
    than files, so it is an error unless ``pipelines`` are asked for.
    """
    model, extra = load_with_extra(path)
    if type(model).__name__ == "SequenceTagger":
        raise ModelFileError(f"{path} is a sequence tagger: use rosenblatt {for_taggers}")
    pipeline = model if type(model).__name__ == PIPELINE else None
    if pipeline is not None and not pipelines:
        raise ModelFileError(
            f"{path} is a pipeline, which takes data frames rather than files: predict with it in "
            f"Python, rosenblatt.load({path!r}).predict(frame)"
        )
    try:
        predictor = predictor_of(model, extra) if pipeline is None else _last_step(pipeline, extra)
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"{path} cannot be used: {error}") from None
    if predictor.classes is not None and len(predictor.classes) < 1:
        raise ModelFileError(f"{path} cannot be used: it has not learned anything yet")
    if isinstance(predictor, Online) and predictor.model._state is None:
        raise ModelFileError(f"{path} cannot be used: it has not learned from two classes yet")
    return OpenModel(path, predictor, extra, pipeline)


def _last_step(pipeline: Any, extra: Mapping[str, Any]) -> Predictor:
    """Make a predictor of the estimator at the end of a pipeline, with the features it gets."""
    model, before = pipeline, []
    while type(model).__name__ == PIPELINE:
        before.append(model[:-1])
        model = model[-1]
    made = predictor_of(model, extra)
    names: Any = None
    try:
        for steps in before:
            names = steps.get_feature_names_out(names) if len(steps) else names
    except ValueError:  # two features would have the same name
        return made
    found = [] if names is None else [str(name) for name in names]
    if len({*found}) == model.n_features_in_:
        made.names = Kept()
        made.names.columns(found)
        made.names.frozen = True
    return made


@dataclass
class OpenTagger:
    """A tagger, and how files for it are read."""

    path: str
    model: "SequenceTagger"
    reading: TagReading
    extra: dict[str, Any]

    @property
    def tags(self) -> list[str]:
        """The tags that it knows, as files have them."""
        return [str(tag) for tag in self.model.classes_.tolist()]


def open_tagger(path: str, instead: str) -> OpenTagger:
    """Load a tagger; raise ``ValueError`` for other models, naming a command to use instead."""
    model, extra = load_with_extra(path)
    kind = type(model).__name__
    if kind != "SequenceTagger":
        article = "an" if kind[0] in "AEIOU" else "a"
        raise ModelFileError(f"{path} is {article} {kind}, not a tagger; use rosenblatt {instead}")
    if not hasattr(model, "classes_"):
        raise ModelFileError(f"{path} cannot be used: it has not learned anything yet")
    try:
        names = [str(name) for name in model.feature_names_in_]
        reading = TagReading.from_header(extra.get("reading"), names)
    except ValueError as error:
        raise ModelFileError(f"{path} does not say how to read files: {error}") from None
    return OpenTagger(path, model, reading, extra)
