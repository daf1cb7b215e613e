"""A tagger's file, opened for use."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.tag_columns import Reading
from rosenblatt.models.saving import load_with_extra
from rosenblatt.persist.errors import ModelFileError

if TYPE_CHECKING:
    from rosenblatt.estimators.tagger import SequenceTagger


@dataclass
class OpenTagger:
    """A tagger, and how files for it are read."""

    path: str
    model: "SequenceTagger"
    reading: Reading
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
        reading = Reading.from_header(extra.get("reading"), names)
    except ValueError as error:
        raise ModelFileError(f"{path} does not say how to read files: {error}") from None
    return OpenTagger(path, model, reading, extra)
