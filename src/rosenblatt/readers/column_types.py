"""What a column of a table holds, as the first rows decide and a model file keeps."""

import math
from typing import Any, NamedTuple, Self

NUMBER, CATEGORY, DATE, TEXT, IGNORED = KINDS = ("number", "category", "date", "text", "ignored")
DECIMAL_COMMA, SIGNS = ",", "."  # how numbers are written that are not plain
DATES = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y"),
    *("%m/%d/%y", "%d/%m/%y", "%d.%m.%y", "%d-%b-%Y", "%d %b %Y", "%b %d %Y", "%b %d, %Y"),
)


class ColumnType(NamedTuple):
    """What a column holds.

    Attributes
    ----------
    name : str
        Its name in the header.
    kind : str
        "number", "category", "date" (days since 1970), "text" (cut into words) or "ignored".
    style : str
        Of numbers: "," if they have a decimal comma, "." if they have currency signs or thousands
        separators, "" if they are plain. Of dates: their format, one of `DATES`.
    code : float or None
        The number that stands for a missing value, such as −999.
    word : str
        The word that does, such as "unknown"; "" if there is none but those that are known.
    sparse : bool
        Nearly all cells are empty, or all others are the same, so that an empty one is no feature.
    reason : str
        Why it is ignored, or what is odd about it; for the summary, not for a model file.
    """

    name: str
    kind: str
    style: str = ""
    code: float | None = None
    sparse: bool = False
    word: str = ""
    reason: str = ""

    def header(self) -> dict[str, Any]:
        """Return what a model file keeps."""
        kept: dict[str, Any] = {"name": self.name, "kind": self.kind}
        if self.style:
            kept["style"] = self.style
        if self.code is not None:
            kept["code"] = self.code
        if self.sparse:
            kept["sparse"] = True
        if self.word:
            kept["word"] = self.word
        return kept

    @classmethod
    def from_header(cls, header: Any) -> Self:
        """Undo `header`; raise ``ValueError`` for what it cannot have written."""
        if not isinstance(header, dict) or not {"name", "kind"} <= set(header) <= _KEPT:
            raise ValueError(f"a column is described by {str(header)[:50]!r}, which makes no sense")
        made = cls(**header)
        styles = {NUMBER: ("", DECIMAL_COMMA, SIGNS), DATE: ("", *DATES)}
        allowed = isinstance(made.name, str) and made.kind in KINDS
        allowed = allowed and made.style in styles.get(made.kind, ("",))
        allowed = allowed and type(made.sparse) is bool and type(made.word) is str
        allowed = allowed and (not made.word or made.kind in (NUMBER, DATE))
        code = made.code
        if not allowed or not (code is None or (type(code) is float and math.isfinite(code))):
            raise ValueError(f"a column is described by {str(header)[:50]!r}, which makes no sense")
        return made


_KEPT = frozenset(("name", "kind", "style", "code", "sparse", "word"))


def columns_from_header(header: Any) -> tuple[ColumnType, ...]:
    """Return the columns that a model file names; raise ``ValueError`` if they cannot be."""
    if not isinstance(header, list):
        raise ValueError("the columns of its tables are not a list")
    columns = tuple(ColumnType.from_header(column) for column in header)
    if len({column.name for column in columns}) < len(columns):
        raise ValueError("a column of its tables occurs twice")
    return columns
