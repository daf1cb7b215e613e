"""A model as the commands see it, whether it learned from a stream or is an estimator.

Both take rows as the readers make them. Classes have numbers here; `classes` says which they are.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rosenblatt.data.rows import Array, Rows, as_matrix
from rosenblatt.evaluation.metrics import Confusion, Residuals, places
from rosenblatt.models.saving import load_with_extra
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.readers.names import Kept, Names, Numbered, from_header
from rosenblatt.readers.options import Reading
from rosenblatt.readers.reader import CountingReader
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.model import classes_of
from rosenblatt.tagging.columns import TagReading

if TYPE_CHECKING:
    from rosenblatt.tagging.estimator import SequenceTagger


class Predictor(Protocol):
    """What predicts. ``classes`` is None if numbers are predicted."""

    model: Any
    names: Names
    learner: str

    @property
    def classes(self) -> Array | None: ...

    def codes(self, rows: Rows) -> Array:
        """Return the number of each row's class."""

    def values(self, rows: Rows) -> Array:
        """Return the number predicted for each row."""

    def scores(self, rows: Rows) -> Array:
        """Return the score of each class for each row."""

    def probabilities(self, rows: Rows) -> Array:
        """Return the probability of each class for each row."""

    def planes(self) -> tuple[Array, Array] | None:
        """Return the weights, one row for each linear function, and intercepts, if there are."""


class Online:
    """A model that learned from a stream."""

    def __init__(self, model: OnlineClassifier) -> None:
        self.model, self.names = model, model._names
        self.learner = model._options.learner

    @property
    def classes(self) -> Array | None:
        """The classes, sorted."""
        return self.model.classes_

    def codes(self, rows: Rows) -> Array:
        """Return the number of each row's class."""
        return classes_of(self.model.scores(rows))

    def values(self, rows: Rows) -> Array:
        """Refuse: it has classes."""
        raise ValueError("this model predicts classes, not numbers")

    def scores(self, rows: Rows) -> Array:
        """Return the score of each class for each row; of two classes they are −s and s."""
        return _of_each(self.model.scores(rows))

    def probabilities(self, rows: Rows) -> Array:
        """Return the probability of each class, of which logistic regression alone knows."""
        if self.learner != "logistic":
            raise ValueError(_no_probabilities(self.learner))
        scores = self.model.scores(rows).astype(np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def planes(self) -> tuple[Array, Array] | None:
        """Return the weights to predict with; for votes, their mean."""
        return self.model.coef_, self.model.intercept_


class Estimator:
    """An estimator, and what its columns are called."""

    def __init__(self, model: Any, names: Names, learner: str) -> None:
        self.model, self.names, self.learner = model, names, learner
        found = getattr(model, "classes_", None)
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
        found = self._nameless.predict(self._matrix(rows))
        if found.dtype.kind in "US":
            found = found.astype(object)
        return places(self._classes, found)

    def values(self, rows: Rows) -> Array:
        """Return the number predicted for each row."""
        return np.asarray(self._nameless.predict(self._matrix(rows)))

    def scores(self, rows: Rows) -> Array:
        """Return the score of each class for each row; of two classes they are −s and s."""
        if not hasattr(self.model, "decision_function"):
            raise ValueError(f"a model of {self.learner} has no scores; leave out --scores")
        scores = np.asarray(self._nameless.decision_function(self._matrix(rows)))
        if self._classes is not None and len(self._classes) == 1:
            return scores.reshape(-1, 1)
        return _of_each(scores)

    def probabilities(self, rows: Rows) -> Array:
        """Return the probability of each class for each row."""
        if not hasattr(self.model, "predict_proba"):
            raise ValueError(_no_probabilities(self.learner))
        return np.asarray(self._nameless.predict_proba(self._matrix(rows)))

    def planes(self) -> tuple[Array, Array] | None:
        """Return the weights and intercepts, if it has hyperplanes."""
        if not hasattr(self.model, "coef_"):
            return None
        return np.atleast_2d(self.model.coef_), np.atleast_1d(self.model.intercept_)


def predictor_of(model: Any, extra: Mapping[str, Any]) -> Predictor:
    """Make a predictor of what a file held; its names learn no more."""
    if isinstance(model, OnlineClassifier):
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


def metrics_for(predictor: Predictor) -> Confusion | Residuals:
    """Return what counts how good the predictions are."""
    return Residuals() if predictor.classes is None else Confusion(predictor.classes)


def _of_each(scores: Array) -> Array:
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def _no_probabilities(learner: str) -> str:
    return (
        f"a model of {learner} has no probabilities; use --scores, or train with --learner "
        "logistic or naive-bayes"
    )


@dataclass
class OpenModel:
    """A model file."""

    path: str
    predictor: Predictor
    extra: dict[str, Any]

    def reader(
        self, files: list[str], options: dict[str, Any], labels_aside: bool = False
    ) -> CountingReader:
        """Return a reader of files for this model: as it learned, unless told otherwise.

        If labels are set aside, lines of text need not have one before a tab.
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


def open_model(path: str, for_taggers: str) -> OpenModel:
    """Load a model; raise ``ValueError`` if it cannot predict.

    One that tags sequences is for another command, which is named.
    """
    model, extra = load_with_extra(path)
    if type(model).__name__ == "SequenceTagger":
        raise ModelFileError(f"{path} is a sequence tagger: use rosenblatt {for_taggers}")
    try:
        predictor = predictor_of(model, extra)
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"{path} cannot be used: {error}") from None
    if predictor.classes is not None and len(predictor.classes) < 1:
        raise ModelFileError(f"{path} cannot be used: it has not learned anything yet")
    if isinstance(predictor, Online) and predictor.model._state is None:
        raise ModelFileError(f"{path} cannot be used: it has not learned from two classes yet")
    return OpenModel(path, predictor, extra)


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
    """Load a tagger; raise ``ValueError`` if it is none, naming a command to use instead."""
    model, extra = load_with_extra(path)
    kind = type(model).__name__
    if kind != "SequenceTagger":
        article = "an" if kind[0] in "AEIOU" else "a"
        raise ModelFileError(f"{path} is {article} {kind}, and no tagger; use rosenblatt {instead}")
    if not hasattr(model, "classes_"):
        raise ModelFileError(f"{path} cannot be used: it has not learned anything yet")
    try:
        names = [str(name) for name in model.feature_names_in_]
        reading = TagReading.from_header(extra.get("reading"), names)
    except ValueError as error:
        raise ModelFileError(f"{path} does not say how to read files: {error}") from None
    return OpenTagger(path, model, reading, extra)
