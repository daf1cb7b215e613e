"""`train --from`: options completed with those of the model that goes on learning."""

from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from rosenblatt.console import UsageError
from rosenblatt.data.labels import as_labels, union
from rosenblatt.learner_registry import ONLINE, REGRESSION, trainable
from rosenblatt.models.saving import load
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.formats import FORMATS
from rosenblatt.readers.names import Hashed
from rosenblatt.stream.compacting import expanded, is_compacted
from rosenblatt.stream.going_on import change
from rosenblatt.stream.model import StreamModel
from rosenblatt.stream.rules import rule_of
from rosenblatt.training.command_options import TrainOptions, check_understood, listed

_OF_ROWS = (
    "text",
    "drop",
    "keep",
    "category",
    "ngrams",
    "interactions",
)  # what the features of the model depend on
_OF_FILES = ("format", "label", "weight", "labels", "on_error")  # what may differ between files


class _Setting(NamedTuple):
    """An option of the command line, what was given, and what the model has."""

    option: str
    given: Any
    own: Any


@dataclass
class GoingOn(TrainOptions):
    """The options of `train --from`: those ``given``, and for the others those of the model."""

    given: TrainOptions | None = None
    model: StreamModel | None = None

    def reading(self, dtype: str | None = None) -> Reading:
        """Return how files are to be read: as those that the model learned from."""
        assert self.given is not None
        assert self.model is not None
        asked = {
            name: value
            for name, value in self.given.reading_given().items()
            if name in _OF_FILES or _reading(self.model) is None
        }
        known = _reading(self.model) or {}
        kept = {
            "dtype": dtype or self.model._options.dtype,
            "labelled": True,
            "remembered": True,
            **asked,
        }
        try:
            return Reading.from_header(known, **kept)
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"{self.origin} does not say how to read files: {error}") from None

    def begun(self) -> StreamModel:
        """Return the model, with the settings that are to change."""
        assert self.model is not None
        model = copy(self.model) if self.retrain else self.model
        settings: dict[str, Any] = {"eta0": self.eta0, "l2": self.l2, "l1": self.l1}
        if self.average or self.no_average:
            settings["average"] = self.average
        change(model, **{name: value for name, value in settings.items() if value is not None})
        for label in self.known_classes or ():
            if label not in model.classes_:
                model._add_class(label)
        return model


def with_model(job: TrainOptions) -> GoingOn:
    """Load the model to go on with, and complete the options; refuse those that contradict it."""
    job.check()
    if job.uses_cluster_options:
        raise UsageError(
            "--from is for training with one process: leave out --workers and --cluster"
        )
    path = str(job.origin)
    model = _loaded(path)
    learner = model._options.learner
    if job.learner != learner and "learner" in getattr(job, "named", {"learner"}):
        raise _contradiction(path, _Setting("learner", job.learner, learner))
    known = {field.name: getattr(job, field.name) for field in fields(TrainOptions)}
    whole = GoingOn(**{**known, "learner": learner}, given=job, model=model)
    names = dict.fromkeys(name for row in trainable().values() for name in row.options)
    check_understood(whole, names)
    _check_settings(path, whole, model)
    _check_classes(whole, model)
    options = model._options
    return replace(
        whole,
        passes=job.passes or 1,
        float64=options.dtype == "float64",
        learning_rate=options.learning_rate if rule_of(options).loss else None,
        forget=options.forget,
        no_intercept=not options.fit_intercept,
        bits=model._names.bits if isinstance(model._names, Hashed) else None,
    )


def _loaded(path: str) -> StreamModel:
    """Load a model that can go on learning."""
    model = load(path)
    if not isinstance(model, StreamModel):
        kind = type(model).__name__
        raise ModelFileError(
            f"{path} is {'an' if kind[0] in 'AEIOU' else 'a'} {kind}, which cannot go on learning: "
            f"--from is for models of {listed(trainable(ONLINE, REGRESSION))}. Train it again, on "
            "the old files and the new ones"
        )
    if model._state is None or not model.t_:
        raise ModelFileError(f"{path} has not learned anything yet: leave out --from")
    reading = _reading(model) or {}
    usual = reading.get("usual")
    if is_compacted(model, usual in FORMATS and FORMATS[usual].numbered):
        model = expanded(model)
    return model


def _reading(model: StreamModel) -> dict[str, Any] | None:
    """Return what the model says of how its files were read; None if it learned from no file."""
    found = (model.metadata or {}).get("reading")
    return found if isinstance(found, dict) else None


def _check_settings(path: str, job: GoingOn, model: StreamModel) -> None:
    """Refuse options that differ from the model's."""
    options, names, reading = model._options, model._names, _reading(model)
    own_bits = names.bits if isinstance(names, Hashed) else None
    settings = [
        _Setting("bits", job.bits, own_bits),
        _Setting("scale", job.scale, options.scale or "none"),
        _Setting("learning_rate", job.learning_rate, options.learning_rate),
        _Setting("ties", job.ties, options.ties),
        _Setting("forget", job.forget, options.forget),
        _Setting("no_intercept", job.no_intercept or None, not options.fit_intercept),
        _Setting("float64", job.float64 or None, options.dtype == "float64"),
    ]
    if reading is not None:
        given = job.reading_given()
        known = {name: reading.get(name) for name in _OF_ROWS}
        known["category"] = None  # columns are what they were
        settings += [_Setting(name, given.get(name), known[name]) for name in _OF_ROWS]
    for one in settings:
        given_value = list(one.given) if isinstance(one.given, tuple) else one.given
        own = list(one.own) if isinstance(one.own, tuple) else one.own
        if given_value is not None and given_value != own:
            raise _contradiction(path, one._replace(given=given_value, own=own))


def _contradiction(path: str, setting: _Setting) -> UsageError:
    option = "--" + setting.option.replace("_", "-")
    given = "" if setting.given is True else f" {_shown(setting.given)}"
    if setting.own in (None, False, []):
        own = f"which has no {option}"
    else:
        own = f"which has {option} {_shown(setting.own)}"
    return UsageError(f"{option}{given} contradicts {path}, {own}: leave it out")


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _check_classes(job: GoingOn, model: StreamModel) -> None:
    """Refuse classes of another type than the model's."""
    if job.known_classes is None or not hasattr(model, "classes_"):
        return
    try:
        union(model.classes_, as_labels(job.known_classes))
    except ValueError:
        some = ", ".join(map(str, model.classes_[:4].tolist()))
        raise UsageError(
            f"--classes {job.classes}: those of {job.origin} are of another type, such as {some}"
        ) from None
