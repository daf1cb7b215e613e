"""Model files, opened for use: the model, and how files for it are read."""

from dataclasses import dataclass, replace
from typing import Any

from rosenblatt.cli.counted import Counted
from rosenblatt.cli.options import reading_of
from rosenblatt.cli.predictors import Online, Predictor, predictor_of
from rosenblatt.models.saving import load_with_extra
from rosenblatt.persist.errors import ModelFileError


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
            reading = reading_of(options, header if isinstance(header, dict) else {})
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
