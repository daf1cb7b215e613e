"""How files are to be read: what a model remembers, so that new files are read the same way."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from rosenblatt.console import UsageError, choice
from rosenblatt.readers.formats import FORMATS

MOST_NGRAMS = 10  # as in `words`, which takes its time to load


@dataclass(frozen=True)
class Reading:
    """How to read files.

    Attributes
    ----------
    format : str
        "auto" recognises each file's format; else one of `FORMATS`.
    usual : str or None
        The format of files whose own is not plain: that of the files a model learned from.
    label : str or None
        The column or key of the label; None is "label", "class", "target" or "y" where one of
        these is there, and else the last column.
    text : tuple of str
        Columns or keys whose text is cut into words.
    ngrams : int
        Runs of up to so many words are features.
    weight : str or None
        The column or key of importance weights.
    drop : tuple of str
        Columns or keys to leave out.
    labels : str or None
        For ``.npy``: the file with the labels.
    on_error : str
        "stop" at a line that cannot be read, or "skip" it.
    dtype : str
        "float32" or "float64", of the values.
    labelled : bool
        Refuse a table without the column of the label, rather than read rows without labels.
    learning : bool
        Refuse files without the other columns that are asked for; a reader sets it while names are
        learned.
    """

    format: str = "auto"
    usual: str | None = None
    label: str | None = None
    text: tuple[str, ...] = ()
    ngrams: int = 1
    weight: str | None = None
    drop: tuple[str, ...] = ()
    labels: str | None = None
    on_error: str = "stop"
    dtype: str = "float32"
    labelled: bool = False
    learning: bool = False

    def header(self) -> dict[str, Any]:
        """Return what a model file keeps: all but what belongs to one run or one file."""
        kept = asdict(self)
        for name in ("format", "labels", "on_error", "labelled", "learning"):
            del kept[name]
        return kept

    @classmethod
    def from_header(cls, header: dict[str, Any], **changes: Any) -> Self:
        """Undo `header`; what is not of the right kind raises ``ValueError``."""
        known = {field.name for field in fields(cls)}
        odd = sorted(set(header) - known)
        if odd:
            raise ValueError(f"reading has {odd[0]!r}, which this version does not know")
        values = {k: tuple(v) if isinstance(v, list) else v for k, v in header.items()}
        for name, value in values.items():
            if not _ALLOWED[name](value):
                raise ValueError(f"reading has {name}={str(value)[:50]!r}, which makes no sense")
        return cls(**{**values, **changes})


def _text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(item, str) for item in value)


# What a header may say, as it may be anybody's.
_ALLOWED: dict[str, Callable[[Any], bool]] = {
    "format": lambda value: value in ("auto", *FORMATS),
    "usual": lambda value: value is None or value in FORMATS,
    "label": _text_or_none,
    "text": _texts,
    "ngrams": lambda value: type(value) is int and 1 <= value <= MOST_NGRAMS,
    "weight": _text_or_none,
    "drop": _texts,
    "labels": _text_or_none,
    "on_error": lambda value: value in ("stop", "skip"),
    "dtype": lambda value: value in ("float32", "float64"),
    "labelled": lambda value: isinstance(value, bool),
    "learning": lambda value: isinstance(value, bool),
}


OPTIONS = ("format", "label", "text", "ngrams", "weight", "drop", "labels", "on_error")


def reading_given(given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the options that say how to read files, among all that were given."""
    return reading_options(**{name: given[name] for name in OPTIONS})


def reading_options(
    *,
    format: str = "auto",  # noqa: A002
    label: str | None = None,
    text: list[str] | None = None,
    ngrams: int | None = None,
    weight: str | None = None,
    drop: list[str] | None = None,
    labels: str | None = None,
    on_error: str = "stop",
) -> dict[str, Any]:
    """Check the options that say how to read files; return those that were given."""
    choice(format, ("auto", *FORMATS), "--format")
    choice(on_error, ("stop", "skip"), "--on-error")
    if ngrams is not None and not 1 <= ngrams <= 10:
        raise UsageError(f"--ngrams {ngrams} must be between 1 and 10")
    given: dict[str, Any] = {"label": label, "ngrams": ngrams, "weight": weight, "labels": labels}
    given = {name: value for name, value in given.items() if value is not None}
    given |= {"text": tuple(text)} if text else {}
    given |= {"drop": tuple(drop)} if drop else {}
    return {**given, "format": format, "on_error": on_error}
