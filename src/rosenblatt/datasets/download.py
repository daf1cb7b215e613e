"""Downloading a file in pieces: what has come is kept, and the next try goes on from there."""

import re
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn
from urllib.error import HTTPError, URLError

_SECONDS = 30.0  # without a byte, after which the connection counts as broken
_WAITS = (0.5, 1.0, 2.0)  # seconds before each further try
_PIECE = 1 << 16
_PASSING = {408, 425, 429, 500, 502, 503, 504}  # what a server says that may do better soon
_PLACE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")


class DownloadError(OSError):
    """A file could not be downloaded; what has come of it is kept."""


class WrongContentError(DownloadError):
    """What came is not the file, and is of no use."""


class _BrokenOffError(DownloadError):
    """The next try may bring the rest."""


class _Span(NamedTuple):
    """Which bytes an answer brings: from, up to (if it says so), of how many in all (if known)."""

    start: int
    stop: int | None
    total: int | None


@dataclass
class Download:
    """The download of one file to its part, the file that grows until all has come.

    Nobody else may write to the part meanwhile. Its content is not checked here, so whoever uses it
    must: where pieces came in several answers (``mended``), they may not fit together.
    """

    url: str
    part: Path
    least: int  # how many bytes it may have
    most: int
    report: Callable[[int, int], None]  # called with the bytes here, and how many there will be
    mended: bool = False
    mark: str = ""  # the server's name for this version of the file: its ETag, or its date

    def run(self) -> None:
        """Bring all of the file, in a few tries."""
        for wait in (*_WAITS, None):
            try:
                self._try()
                break
            except _BrokenOffError:
                if wait is None:
                    raise
                time.sleep(wait)

    def _try(self) -> None:
        have = self.part.stat().st_size if self.part.exists() else 0
        if have > self.most:
            self.part.unlink()
            have = 0
        self.mended = have > 0
        if have == self.least == self.most:
            return
        answer = self._ask(have)
        if answer is None:
            return
        with answer:
            span = self._span(answer, have)
            self.mended = span.start > 0
            if not (self.mended and self.mark):
                self.mark = _mark(answer)
            with self.part.open("ab" if span.start else "wb") as out:
                self._copy(answer, out, span)

    def _ask(self, have: int) -> Any:
        """Return the server's answer to a request for the rest, or nothing where there is none."""
        headers = {"Range": f"bytes={have}-"} if have else {}
        if have and self.mark:
            headers["If-Range"] = self.mark
        request = urllib.request.Request(self.url, headers=headers)
        try:
            return urllib.request.urlopen(request, timeout=_SECONDS)
        except HTTPError as error:
            with error:  # it holds a connection
                if error.code == 416 and have:
                    if error.headers.get("Content-Range") == f"bytes */{have}":
                        return None
                    self._start_over(f"there is nothing after the {have} bytes that have come")
                kind = _BrokenOffError if error.code in _PASSING else DownloadError
                raise kind(str(error)) from None
        except URLError as error:  # there is no way to the server
            raise DownloadError(str(error.reason)) from None
        except (OSError, HTTPException) as error:
            raise _BrokenOffError(f"no answer ({error})") from None

    def _span(self, answer: Any, have: int) -> _Span:
        """Return which bytes an answer brings, once it is sure that they are of use."""
        if answer.status == 206:
            span = self._rest(answer, have)
        elif answer.status == 200:
            span = _Span(0, answer.length, answer.length)
        else:
            raise DownloadError(f"the server's answer is {answer.status} {answer.reason}")
        if span.total is not None and not self.least <= span.total <= self.most:
            raise DownloadError(f"it has {span.total} bytes there, not {self._sizes()}")
        if self.least == self.most:
            span = span._replace(total=self.most)
        return span

    def _sizes(self) -> str:
        return f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"

    def _rest(self, answer: Any, have: int) -> _Span:
        told = answer.headers.get("Content-Range", "")
        place = _PLACE.fullmatch(told)
        if not have or place is None or not have == int(place[1]) <= int(place[2]):
            self._start_over(f"asked for what follows byte {have}, the server sent {told!r}")
        header = "ETag" if self.mark.startswith('"') else "Last-Modified"
        if self.mark and answer.headers.get(header, self.mark) != self.mark:
            self._start_over("the file changed while it was on its way")
        total = None if place[3] == "*" else int(place[3])
        return _Span(have, int(place[2]) + 1, total)

    def _start_over(self, reason: str) -> NoReturn:
        self.part.unlink(missing_ok=True)
        self.mark = ""
        raise _BrokenOffError(reason)

    def _copy(self, answer: Any, out: IO[bytes], span: _Span) -> None:
        have = span.start
        try:
            while piece := _read(answer, None if span.stop is None else span.stop - have):
                have += len(piece)
                if have > self.most:
                    raise WrongContentError(f"what came has more than {self.most} bytes")
                out.write(piece)
                if span.total is not None:
                    self.report(have, span.total)
        except _BrokenOffError as error:
            raise _BrokenOffError(f"it broke off after {have} bytes ({error})") from None
        if span.total is not None and have < span.total:
            raise _BrokenOffError(f"it broke off after {have} of {span.total} bytes")


def _read(answer: Any, left: int | None) -> bytes:
    """Return the next bytes as soon as there are any, so that none is lost when it breaks off."""
    try:
        piece: bytes = answer.read1(_PIECE if left is None else min(_PIECE, left))
    except (OSError, HTTPException) as error:
        raise _BrokenOffError(str(error)) from None
    return piece


def _mark(answer: Any) -> str:
    """Return what tells versions of a file apart. A weak ETag does not, byte for byte."""
    etag: str = answer.headers.get("ETag", "")
    date: str = answer.headers.get("Last-Modified", "")
    return etag if etag.startswith('"') else date
