"""Namespaces of Vowpal Wabbit's formats that are left out, or the only ones that are read."""

from collections.abc import Iterable
from difflib import get_close_matches

from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.command_options import Reading

DEFAULT = "default"  # what the namespace without a name is called in options
_LISTED = 12
_MANY = 4096  # rows, of which one should have each namespace that is named


class Namespaces:
    """The namespaces that ``--ignore`` or ``--keep`` name, and whether they were there.

    >>> Namespaces(Reading(drop=("user", "default")), "f").names
    ['user', '', 'default']
    """

    def __init__(self, reading: Reading, file: str) -> None:
        self.file, self.keep = file, bool(reading.keep)
        self.given = reading.keep or reading.drop
        # The one without a name may also be called by a blank, as VW does.
        self.names = [other for name in self.given for other in _meant(name)]
        self.unseen = set(self.given) if reading.learning and not reading.remembered else set()
        self._rows, self._there = 0, dict[str, None]()

    def wants(self, name: str) -> bool:
        """Say whether the features of a namespace are read."""
        return (name in self.names) == self.keep if self.names else True

    def look_at(self, seen: Iterable[str], there: Iterable[str], rows: int) -> None:
        """Take note of rows: which of `names` were seen in them, and which namespaces are there.

        Raise `DataError` if many rows have none of a namespace that was named.
        """
        self._there |= dict.fromkeys(there)
        self._rows += rows
        seen = set(seen)
        self.unseen = {name for name in self.unseen if not seen & {*_meant(name)}}
        if self._rows >= _MANY:
            self.check()

    def check(self) -> None:
        """Raise `DataError` if the rows so far have none of a namespace that was named."""
        if self.unseen and self._rows:
            raise DataError(self.file, None, None, self._unknown(list(self._there)))

    def _unknown(self, there: list[str]) -> str:
        name = min(self.unseen)
        close = get_close_matches(name, there, 1) or [
            one for one in there if len(name) == 1 and one.startswith(name)
        ]
        hint = f"did you mean {close[0]!r}? There are" if close else "there are"
        shown = ", ".join(repr(one or DEFAULT) for one in there[:_LISTED])
        more = ", …" if len(there) > _LISTED else ""
        option = "--keep" if self.keep else "--ignore"
        return f"{option} {name!r}: no line has this namespace; {hint} {shown}{more}"


def _meant(name: str) -> list[str]:
    """Return the namespaces that an option may mean by a name."""
    return ["", name] if name in (DEFAULT, " ") else [name]
