"""Refusals: requests that change nothing, with a status and a reason."""

from collections.abc import Mapping
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
    """

    def __init__(self, status: int, what: str, advice: str) -> None:
        super().__init__(what)
        self.status, self.what, self.advice = status, what, advice

    def as_json(self) -> Mapping[str, Any]:
        """Return the body of the answer."""
        return {"error": self.what, "advice": self.advice}
