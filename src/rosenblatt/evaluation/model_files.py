"""Model files, opened for use: the model, and how files for it are read."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rosenblatt.evaluation.predictors import Online, Predictor, predictor_of
from rosenblatt.models.saving import load_with_extra
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.readers.counting import Counted
from rosenblatt.readers.options import Reading
from rosenblatt.tagging.columns import TagReading

if TYPE_CHECKING:
    from rosenblatt.tagging.estimator import SequenceTagger


@dataclass
class Opened:
    """A model file."""

    path: str
    predictor: Predictor
    extra: dict[str, Any]

    def reader(
        self, files: list[str], options: dict[str, Any], labels_aside: bool = False
    ) -> Counted:
        """Return a reader of files for this model: as it learned, unless told otherwise.

        If labels are set aside, lines of text need not have one before a tab.
        """
        try:
            # A model that was made in Python learned from what it was given, in float64 mostly.
            header = self.extra.get("reading", {"dtype": "float64"})
            reading = Reading.from_header(header if isinstance(header, dict) else {}, **options)
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"{self.path} does not say how to read files: {error}") from None
        reader = Counted(files, reading, names=self.predictor.names)
        if labels_aside and reader.first_format() == "text" and not _has_label(reader.first_line()):
            reader.reading = replace(reader.reading, label="")
        return reader


def _has_label(line: bytes) -> bool:
    return b"\t" in line or line.startswith(b"__label__")


def open_model(path: str, for_taggers: str) -> Opened:
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
    return Opened(path, predictor, extra)


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
