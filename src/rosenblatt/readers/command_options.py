"""How files are read: the options of the commands, and what a model file keeps of them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any, Self

from rosenblatt.console import InputFiles, UsageError, choice, option
from rosenblatt.readers.column_types import ColumnType, columns_from_header
from rosenblatt.readers.formats import FORMATS
from rosenblatt.readers.interactions import parsed

MOST_NGRAMS = 10  # as in `rosenblatt.readers.text`, which takes its time to load


@dataclass(frozen=True)
class Reading:
    """How to read files.

    Attributes
    ----------
    format : str
        "auto" recognises each file's format; else one of `FORMATS`.
    usual : str or None
        The format of files whose own is not obvious: that of the training files of a model.
    label : str or None
        The column or key of the label; None is "label", "class", "target" or "y", in
        upper or lower case, where one of these is there, and else the last column.
    text : tuple of str
        Columns or keys whose text is split into words.
    ngrams : int
        Sequences of up to this many words are features.
    weight : str or None
        The column or key of importance weights.
    drop : tuple of str
        Columns or keys to ignore; in Vowpal Wabbit's formats namespaces.
    keep : tuple of str
        Columns, keys or namespaces that are read, and no others. With it nothing is dropped.
    category : tuple of str
        Columns of tables that are categories, whatever they look like.
    columns : tuple of ColumnType
        What the columns of tables hold, if that is known: from the training files of a model. In
        a table all others are ignored. Without them the first rows decide.
    others : bool
        The columns are keys of JSON lines that hold texts or dates: others are not ignored, but
        taken as they are.
    interactions : tuple of str
        Columns, keys or namespaces whose features are multiplied, as in ``user*ad``.
    labels : str or None
        For ``.npy``: the file with the labels.
    on_error : str
        "stop" at a line that cannot be read, or "skip" it.
    dtype : str
        "float32" or "float64", of the values.
    labelled : bool
        Refuse a table without the column of the label, rather than read rows without labels.
    remembered : bool
        The names in it are those of a model that goes on learning: a file need not have them.
    learning : bool
        Refuse files without the other columns that are named; a reader sets it while it learns
        names.

    Examples
    --------
    >>> Reading(label="species", drop=("id",)).label
    'species'
    """

    format: str = "auto"
    usual: str | None = None
    label: str | None = None
    text: tuple[str, ...] = ()
    ngrams: int = 1
    weight: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    columns: tuple[ColumnType, ...] = ()
    others: bool = False
    interactions: tuple[str, ...] = ()
    labels: str | None = None
    on_error: str = "stop"
    dtype: str = "float32"
    labelled: bool = False
    remembered: bool = False
    learning: bool = False

    def header(self) -> dict[str, Any]:
        """Return what a model file keeps: all but what belongs to one run or one file."""
        kept = asdict(self)
        for name in (
            "format",
            "category",
            "labels",
            "on_error",
            "labelled",
            "learning",
            "remembered",
        ):
            del kept[name]
        if self.columns:
            kept["columns"] = [column.header() for column in self.columns]
        else:
            del kept["columns"]  # so that earlier versions can read files without tables
        if not (self.others and self.columns):
            del kept["others"]
        if not self.interactions:
            del kept["interactions"]
        if not self.keep:
            del kept["keep"]
        return kept

    @classmethod
    def from_header(cls, header: dict[str, Any], **changes: Any) -> Self:
        """Undo `header`; raise ``ValueError`` for values of the wrong type."""
        known = {field.name for field in fields(cls)}
        odd = sorted(set(header) - known)
        if odd:
            raise ValueError(f"reading has {odd[0]!r}, which this version does not know")
        header = dict(header)
        columns = columns_from_header(header.pop("columns", []))
        values = {k: tuple(v) if isinstance(v, list) else v for k, v in header.items()}
        for name, value in values.items():
            if not _ALLOWED[name](value):
                raise ValueError(f"reading has {name}={str(value)[:50]!r}, which makes no sense")
        return cls(**{**values, "columns": columns, **changes})


_NO_COLUMNS = "its features have numbers, and neither columns nor namespaces"
_OF_LINES = {
    "label": "the label is the first word of a line",
    "weight": "the weight is the second word of a line",
    "text": "its words are features already; --ngrams makes sequences of them",
    "category": "every feature without a value is a category already",
}
_OF_OBJECTS = {
    "label": "the label is under _label; --format jsonl reads other keys",
    "weight": "the weight is in the label",
    "text": "texts are under _text; --format jsonl reads other keys",
    "category": "every string is a category already",
    "ngrams": "they are made of raw text and of VW text",
}
# Options that formats have no use for, and why.
_UNUSED = {
    "vw": ("VW text", _OF_LINES),
    "vwjson": ("VW's JSON", _OF_OBJECTS),
    "svmlight": ("svmlight", {"drop": _NO_COLUMNS, "keep": _NO_COLUMNS}),
    "npy": ("npy", {"drop": _NO_COLUMNS, "keep": _NO_COLUMNS}),
    "text": (
        "raw text",
        dict.fromkeys(("drop", "keep"), "a line is a label and a text, without columns"),
    ),
}


def unused_option(kind: str, reading: Reading) -> str | None:
    """Say which option has no effect on files of a format, and why; None if none is given.

    >>> unused_option("vw", Reading(label="species"))
    '--label has no effect on VW text: the label is the first word of a line'
    """
    called, reasons = _UNUSED.get(kind, (kind, {}))
    usual = Reading()
    for name, reason in reasons.items():
        if getattr(reading, name) != getattr(usual, name):
            option = {"drop": "ignore"}.get(name, name)
            return f"--{option} has no effect on {called}: {reason}"
    return None


def _text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(item, str) for item in value)


def _interactions(value: Any) -> bool:
    try:
        return _texts(value) and isinstance(parsed(value), tuple)
    except ValueError:
        return False


# The values that a header may have: it is untrusted.
_ALLOWED: dict[str, Callable[[Any], bool]] = {
    "format": lambda value: value in ("auto", *FORMATS),
    "usual": lambda value: value is None or value in FORMATS,
    "label": _text_or_none,
    "text": _texts,
    "ngrams": lambda value: type(value) is int and 1 <= value <= MOST_NGRAMS,
    "weight": _text_or_none,
    "drop": _texts,
    "keep": _texts,
    "category": _texts,
    "others": lambda value: isinstance(value, bool),
    "interactions": _interactions,
    "labels": _text_or_none,
    "on_error": lambda value: value in ("stop", "skip"),
    "dtype": lambda value: value in ("float32", "float64"),
    "labelled": lambda value: isinstance(value, bool),
    "remembered": lambda value: isinstance(value, bool),
    "learning": lambda value: isinstance(value, bool),
}


_reading = partial(option, group="Reading files")


@dataclass
class FileOptions(InputFiles):
    """Files, and the options that say how to read them with or without labels."""

    format: str = _reading(f"auto, {', '.join(FORMATS)}.", default="auto", metavar="NAME")
    label: str | None = _reading(
        "The column or key of the label, by name or number [default: label, class, target or y "
        "in any case, else the last].",
        metavar="COLUMN",
    )
    text: list[str] | None = _reading(
        "A column of text, which is split into words; may be repeated.", metavar="COLUMN"
    )
    ngrams: int | None = _reading(
        "Sequences of up to N words are features, too [default: 1].", metavar="N"
    )
    category: list[str] | None = _reading(
        "A column of a table that is neither numbers nor text, but a category; may be repeated.",
        metavar="COLUMN",
    )
    weight: str | None = _reading("The column of importance weights.", metavar="COLUMN")
    drop: list[str] | None = _reading(
        "A column to ignore, in VW's formats a namespace ('default' has no name); may be repeated.",
        metavar="COLUMN",
        names=("--drop", "--ignore"),
    )
    keep: list[str] | None = _reading(
        "A column, or in VW's formats a namespace, to read and no others; may be repeated.",
        metavar="COLUMN",
    )
    on_error: str = _reading(
        "What to do with a line that cannot be read.", default="stop", metavar="stop|skip"
    )

    def reading_given(self) -> dict[str, Any]:
        """Check how files are to be read; return what was given."""
        choice(self.format, ("auto", *FORMATS), "--format")
        choice(self.on_error, ("stop", "skip"), "--on-error")
        if self.ngrams is not None and not 1 <= self.ngrams <= MOST_NGRAMS:
            raise UsageError(f"--ngrams {self.ngrams} must be between 1 and {MOST_NGRAMS}")
        if self.drop and self.keep:
            raise UsageError("--ignore and --keep contradict each other; give one of them")
        given = {k: v for k, v in vars(self).items() if k in READING_NAMES and v is not None}
        return {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}


@dataclass
class ReadingOptions(FileOptions):
    """Files, and the options that say how to read them."""

    labels: str | None = _reading("For .npy: the file with the labels.", metavar="FILE")

    def reading(self, dtype: str = "float64") -> Reading:
        """Return how labelled files are to be read."""
        return Reading(dtype=dtype, labelled=True, **self.reading_given())


READING_NAMES = {declared.name for declared in fields(ReadingOptions)} - {"files"}
READING_NAMES |= {"interactions"}  # which only the commands have that learn
