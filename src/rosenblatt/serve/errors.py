"""Refusals: requests that change nothing, with a status and a reason."""

from collections.abc import Mapping, Sequence
from typing import Any

BAD, UNAUTHORISED, FORBIDDEN, MISSING, WRONG_METHOD = 400, 401, 403, 404, 405
STOPPED, TOO_LARGE, WRONG_TYPE, MISDIRECTED, UNPROCESSABLE = 408, 413, 415, 421, 422
BROKEN, BUSY, FULL = 500, 503, 507


class RefusedError(Exception):
    """A request that is refused: what is wrong, where, and what to do.

    Parameters
    ----------
    status : int
        The HTTP status.
    what : str
        What is wrong, and where.
    advice : str
        What to do about it.
    place : int, optional
        The instance of the request that it is about, with which the message then begins.
    """

    def __init__(self, status: int, what: str, advice: str, place: int | None = None) -> None:
        shown = what if place is None else f"instance {place} {what}"
        super().__init__(shown)
        self.status, self.what, self.advice = status, shown, advice
        self._said, self._place = what, place

    def in_lines(self, numbers: Sequence[int]) -> "RefusedError":
        """Return the same about a line, of those with these numbers."""
        if self._place is None:
            return self
        what = f"line {numbers[self._place]} {self._said}"
        return RefusedError(self.status, what, self.advice)

    def as_json(self) -> Mapping[str, Any]:
        """Return the body of the answer."""
        return {"error": self.what, "advice": self.advice}
