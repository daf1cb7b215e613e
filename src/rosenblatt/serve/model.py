"""A model that is served: two copies of it, one that predicts while the other learns.

Both learn the same examples in the same order, so they are the same to the last bit. What predicts
is never changed while it does, and predictions never wait for what learns: the writer learns on the
copy behind, the copies change places, and the writer learns the same on the other.
"""

import copy
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from rosenblatt.data.rows import Array
from rosenblatt.models.saving import load
from rosenblatt.serve.errors import UNPROCESSABLE, WRONG_METHOD, RefusedError
from rosenblatt.serve.progress import Progress
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.regressor import OnlineRegressor

# What learning from an example may raise; it has changed nothing then.
REFUSALS = (ValueError, TypeError, ArithmeticError)
_LONGEST = 400  # characters of a reason


class Served:
    """A model that predicts and learns.

    Parameters
    ----------
    name : str
        What it is called.
    model : OnlineClassifier or OnlineRegressor
        The model, which is changed.
    position : int
        The position in its log after which it is in this state.
    progress : Progress, optional
        Its progressive error until then.

    Attributes
    ----------
    front, back : OnlineClassifier or OnlineRegressor
        What predicts, and what the writer learns on.
    """

    def __init__(
        self, name: str, model: Any, position: int = 0, progress: Progress | None = None
    ) -> None:
        self.name, self.position, self.number = name, position, 0
        self.back = model
        self.front = copy.deepcopy(model)
        self.predicts_numbers = isinstance(model, OnlineRegressor)
        self.progress = progress or Progress(self.predicts_numbers)
        self._saved: tuple[int, Array | None] = position, _weights_of(model)
        self._swapped = threading.Event()
        self._swapped.set()
        self._to_repeat: list[Sequence[Any]] = []
        self.unnoted: list[tuple[int, str]] = []  # refused positions that are not on disk as such
        self._next: Any = None

    @property
    def saved_at(self) -> int:
        """The position of the newest snapshot."""
        return self._saved[0]

    @property
    def kind(self) -> str:
        """What it is, for people."""
        return f"{type(self.front).__name__}, {self.front._options.learner}"

    # What predicts, in the thread that answers

    def predict(self, instances: list[Any], details: bool) -> dict[str, list[Any]]:
        """Return predictions, and scores and probabilities if there are any and they are wanted."""
        model = self.front
        found: dict[str, list[Any]] = {"predictions": each(instances, model.predict_one)}
        if not details or self.predicts_numbers:
            return found
        if not len(model.classes_):
            return found
        found["scores"] = [_named(model.scores_one(x)) for x in instances]
        if model.calibration_ is not None:
            found["probabilities"] = [_named(model.predict_proba_one(x)) for x in instances]
        return found

    def explain(self, instances: list[Any], label: Any) -> list[dict[str, float]]:
        """Return what each feature contributes to the score."""
        if self.predicts_numbers:
            if label is not None:
                raise RefusedError(
                    UNPROCESSABLE, "a model of numbers has no labels", "leave out parameters.label"
                )
            return each(instances, self.front.explain_one)
        try:
            return each(instances, lambda x: self.front.explain_one(x, label))
        except ValueError as error:
            raise RefusedError(UNPROCESSABLE, str(error), "give one of its classes") from None

    def metadata(self) -> dict[str, Any]:
        """Return what is known of it."""
        model = self.front
        found: dict[str, Any] = {
            "kind": self.kind,
            "position": self.position,
            "examples": model.t_,
            "features": model.n_features_,
        }
        if not self.predicts_numbers:
            found["classes"] = model.classes_.tolist()
            found["probabilities"] = model.calibration_ is not None
        return {**found, "progress": self.progress.as_json()}

    def weights(self, top: int) -> dict[str, Any]:
        """Return the largest weights, and those that changed most since the newest snapshot.

        Of numbers that are standardised a weight is that of one standard deviation.
        """
        model, (position, before) = self.front, self._saved
        now = _weights_of(model)
        was = np.zeros_like(now)
        if before is not None and len(before) == len(now):
            was[:, : before.shape[1]] = before[:, : now.shape[1]]
        return {
            "snapshot": position,
            "largest": self._named_weights(model, now, was, np.abs(now), top),
            "changed": self._named_weights(model, now, was, np.abs(now - was), top),
        }

    def _named_weights(
        self, model: Any, now: Array, was: Array, by: Array, top: int
    ) -> list[dict[str, Any]]:
        order = np.argsort(-by, axis=None, kind="stable")[:top]
        found = []
        for row, column in zip(*np.unravel_index(order, by.shape), strict=True):
            if not by[row, column]:
                break
            one = {"feature": model._names.name(int(column)) or f"#{column}"}
            if not self.predicts_numbers:
                one["class"] = str(model.classes_[row if len(now) > 1 else 1])
            weights = {"weight": float(now[row, column]), "before": float(was[row, column])}
            found.append({**one, **weights})
        return found

    def note_saved(self) -> None:
        """Note that the state of the copy behind is on disk."""
        self._saved = self.position, _weights_of(self.back)

    def swap(self) -> None:
        """Let the copies change places; to be called by the thread that predicts."""
        self.front, self.back = self.back, self.front
        self._swapped.set()

    # What learns, in the writer's thread

    def check(self, x: Any) -> None:
        """Raise if an example cannot be one."""
        self.back.predict_one(x)

    def learn(self, examples: Sequence[Any], now: float | None = None, repeat: bool = True) -> None:
        """Learn from examples on the copy behind; note the positions of those refused.

        ``now`` is when, if they are new; those of the log have been counted by the hour before.
        ``repeat`` says whether the other copy is to learn them in `catch_up`.
        """
        if repeat:
            self._to_repeat.append(examples)
        model, progress = self.back, self.progress
        for x, y, weight in examples:
            self.position += 1
            try:
                error = self._error_of(model.predict_one(x), y)
                model.learn_one(x, y, weight)
            except REFUSALS as problem:
                self.unnoted.append((self.position, said(problem)))
            else:
                if weight:
                    progress.update(error, now)

    def _error_of(self, predicted: Any, y: Any) -> float:
        if not self.predicts_numbers:
            return 0.0 if predicted == y else 1.0
        return abs(predicted - y) if predicted is not None else 0.0

    def about_to_swap(self) -> None:
        """Note that the copies will change places soon."""
        self._swapped.clear()

    def catch_up(self) -> None:
        """Learn on the other copy what the first one learned, once nobody predicts with it."""
        self._swapped.wait()
        for examples in self._to_repeat:
            for x, y, weight in examples:
                try:
                    self.back.learn_one(x, y, weight)
                except REFUSALS:
                    continue
        self._to_repeat.clear()

    def replayed(self) -> None:
        """Have both copies the same after a replay, before anybody predicts."""
        self.front = copy.deepcopy(self.back)

    def replace(self, model: Any) -> None:
        """Go on with another state, from the next swap on."""
        self.position += 1
        self.back, self._next = model, copy.deepcopy(model)
        self._to_repeat.clear()
        self.note_saved()

    def after_replacing(self) -> None:
        """Have the copy behind the same as what predicts now."""
        self._swapped.wait()
        self.back, self._next = self._next, None


class ReadOnly:
    """A model that predicts and does not learn: a tagger, or an estimator of rows of numbers."""

    def __init__(self, name: str, model: Any) -> None:
        self.name, self.model = name, model
        self.is_tagger = type(model).__name__ == "SequenceTagger"

    @property
    def kind(self) -> str:
        """What it is, for people."""
        return type(self.model).__name__

    def predict(self, instances: list[Any], details: bool) -> dict[str, list[Any]]:
        """Return tags of sentences, or the classes or numbers of rows."""
        model = self.model
        if self.is_tagger:
            return {"predictions": self._tags(instances)}
        if not instances:
            return {"predictions": []}
        rows = self._rows(instances)
        found = {"predictions": model.predict(rows).tolist()}
        if details and hasattr(model, "decision_function"):
            found["scores"] = model.decision_function(rows).tolist()
        if details and hasattr(model, "predict_proba"):
            names = [str(label) for label in model.classes_.tolist()]
            likely = model.predict_proba(rows).tolist()
            found["probabilities"] = [dict(zip(names, one, strict=True)) for one in likely]
        return found

    def _tags(self, instances: list[Any]) -> list[list[Any]]:
        _check_sentences(instances)
        try:
            found = self.model.predict(instances)
        except REFUSALS as error:
            each(instances, lambda one: self.model.predict([one]))  # which of them is it?
            raise RefusedError(UNPROCESSABLE, str(error), "send sentences of one kind") from None
        return [list(map(_plain, tags)) for tags in found]

    def _rows(self, instances: list[Any]) -> Any:
        wide = int(self.model.n_features_in_)
        names = getattr(self.model, "feature_names_in_", None)
        for number, one in enumerate(instances):
            if isinstance(one, dict) and names is not None:
                missing = [name for name in names if name not in one]
                if missing:
                    raise _instance(number, f"has no {missing[0]!r}", "give all features by name")
                instances[number] = one = [one[name] for name in names]
            numbers = isinstance(one, list) and all(type(v) in (int, float) for v in one)
            if not numbers or len(one) != wide:
                raise _instance(
                    number, f"is not a list of {wide} numbers", "give one number for each feature"
                )
        rows = np.array(instances, np.float64)
        if names is None:
            return rows
        import pandas as pd

        return pd.DataFrame(rows, columns=names)

    def explain(self, instances: list[Any], label: Any) -> list[dict[str, float]]:
        """Refuse: only models of streams explain."""
        raise RefusedError(
            WRONG_METHOD,
            f"{self.name} is a {self.kind}, which has no explanations here",
            "use rosenblatt explain, or serve a model that rosenblatt train made",
        )

    def metadata(self) -> dict[str, Any]:
        """Return what is known of it."""
        found: dict[str, Any] = {"kind": self.kind, "learns": False}
        if hasattr(self.model, "classes_"):
            found["classes"] = self.model.classes_.tolist()
        return found


def _weights_of(model: Any) -> Array:
    """Return the weights, a row for each class; of two classes one."""
    if model.t_ == 0 or (hasattr(model, "classes_") and len(model.classes_) < 2):
        return np.zeros((1, 0))
    found = np.atleast_2d(model.coef_)
    deviations = model.deviations()
    # Meanwhile the writer may have added features.
    return found if deviations is None else found * deviations[..., : found.shape[1]]


def opened(path: str | Path) -> Any:
    """Load a model that can be served; raise ``ValueError`` for others."""
    model = load(path)
    if isinstance(model, OnlineClassifier | OnlineRegressor):
        return model
    name = type(model).__name__
    if name == "SequenceTagger" and hasattr(model, "classes_"):
        return model
    if not hasattr(model, "n_features_in_") or name == "Pipeline":
        raise ValueError(
            f"{path} holds a {name} that cannot be served; serve a model made by rosenblatt train, "
            "a tagger, or a fitted estimator"
        )
    return model


def learns(model: Any) -> bool:
    """Say whether a model can go on learning from single examples."""
    return isinstance(model, OnlineClassifier | OnlineRegressor)


def each(instances: list[Any], work: Any) -> list[Any]:
    """Apply a function to instances; an error names the one that it is about."""
    found = []
    for number, x in enumerate(instances):
        try:
            found.append(work(x))
        except REFUSALS as error:
            raise _instance(
                number, f"cannot be used: {said(error)}", "correct it, and send all again"
            ) from None
    return found


def said(error: Exception) -> str:
    """Return what an error says, with options of commands, and none that requests lack.

    It may quote what came, which may be large.
    """
    text = str(error).replace(', or skip such rows (on_error="skip")', "")
    text = re.sub(r'category=\["(.*?)"\]', r"--category \1", text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def encode(value: Any) -> bytes:
    """Return what the log keeps of examples, or of an instance."""
    return orjson.dumps(value)


def decode(body: bytes) -> Any:
    """Undo `encode`."""
    return orjson.loads(body)


def _instance(number: int, problem: str, advice: str) -> RefusedError:
    return RefusedError(UNPROCESSABLE, problem, advice, number)


def _check_sentences(instances: list[Any]) -> None:
    for number, one in enumerate(instances):
        if not isinstance(one, list) or not all(isinstance(x, str | list | dict) for x in one):
            raise _instance(number, "is not a list of tokens", 'give ["The", "dog", "barks"]')


def _plain(tag: Any) -> Any:
    return tag.item() if hasattr(tag, "item") else tag


def _named(scores: dict[Any, float]) -> dict[str, float]:
    return {str(label): score for label, score in scores.items()}
