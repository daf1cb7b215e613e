"""Downloading a file in pieces: an interrupted download is kept, and the next try continues it."""

import gzip
import hashlib
import os
import re
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn, TypeAlias
from urllib.error import HTTPError, URLError
from uuid import uuid4

from rosenblatt.datasets.files import BROKEN, File, part, place, problem

_SECONDS = 30.0  # without a byte, after which the connection counts as broken
_WAITS = (0.5, 1.0, 2.0)  # seconds before each further try
_PIECE = 1 << 16
_PASSING = {408, 425, 429, 500, 502, 503, 504}  # what a server says that may do better soon
_PLACE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")


class DownloadError(OSError):
    """A file could not be downloaded; what has come of it is kept."""


class WrongContentError(DownloadError):
    """The download is not the expected file."""


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
        except URLError as error:  # the server cannot be reached
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
        span = answer.headers.get("Content-Range", "")
        place = _PLACE.fullmatch(span)
        if not have or place is None or not have == int(place[1]) <= int(place[2]):
            self._start_over(f"requested the bytes from {have} on, the server sent {span!r}")
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
                    raise WrongContentError(f"the download has more than {self.most} bytes")
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


if sys.platform == "win32":
    import msvcrt

    def _acquire(handle: IO[bytes]) -> None:
        while True:
            try:
                return msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
            except PermissionError:  # another has it
                time.sleep(0.1)

    def _release(handle: IO[bytes]) -> None:
        msvcrt.locking(handle.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _acquire(handle: IO[bytes]) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    def _release(handle: IO[bytes]) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Hold the lock file at this path, waiting while another process or thread does.

    Its folder is made if there is none. Afterwards the lock file is gone, and so is the folder if
    it is empty. Yields whether the lock is held: some network file systems have no locks.
    """
    handle, held = _hold(path)
    try:
        yield held
    finally:
        if sys.platform != "win32":
            # While it is held: one who waits for it will see that it is gone, and make a new one.
            with suppress(OSError):
                path.unlink()
        if held:
            _release(handle)
        handle.close()
        with suppress(OSError):  # it is in use, or not empty
            if sys.platform == "win32":  # where a file that is open cannot be removed
                path.unlink(missing_ok=True)
            path.parent.rmdir()


def _hold(path: Path) -> tuple[IO[bytes], bool]:
    while True:
        # Another may be removing the lock file and its folder at any moment.
        with suppress(FileExistsError):
            path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError), ExitStack() as stack:
            handle = stack.enter_context(path.open("ab"))
            held = _taken(handle)
            if not held or os.path.samestat(os.fstat(handle.fileno()), path.stat()):
                stack.pop_all()  # it stays open
                return handle, held


def _taken(handle: IO[bytes]) -> bool:
    try:
        _acquire(handle)
    except OSError:
        return False
    return True


# Told how many bytes are here, of how many.
Progress: TypeAlias = Callable[[int, int], None]

_DIGESTED = 1 << 20
_PACKING = 1 << 20  # how many bytes a packed file may be larger than its content


def complete(
    name: str, files: tuple[File, ...], source: str, here: Path, progress: Progress | None = None
) -> None:
    """Download those files of a data set that are not in its folder yet."""
    missing = [file for file in files if place(here, file) is None]
    if any(file.url is None for file in missing):
        raise FileNotFoundError(
            f"data set {name!r} is not in {here} and must be fetched by hand, as its files "
            f"were converted ({source}); {_advice(name, files)}"
        )
    done, total = 0, sum(file.size for file in missing)
    tell = progress or _ignore
    for file in missing:
        try:
            _fetch(file, here, partial(_tell, tell, done, file.size, total))
        except DownloadError as error:
            kept = " (the downloaded part is kept)" if part(here, file).exists() else ""
            raise OSError(
                f"cannot get {file.name} of data set {name!r} from {file.url}: {error}; try again "
                f"online{kept}, or {_advice(name, files)}"
            ) from error
        except OSError as error:
            raise OSError(
                f"cannot keep {file.name} of data set {name!r} in {here}: {error}; free "
                "some space there, or set ROSENBLATT_DATA to another folder"
            ) from error
        done += file.size
        tell(done, total)


def _advice(name: str, files: tuple[File, ...]) -> str:
    listed = ", ".join(file.name for file in files)
    return (
        f"set ROSENBLATT_DATA to a folder that has {name}/ with the files {listed} (each as it is, "
        "or with .gz)"
    )


def _ignore(_done: int, _total: int) -> None:
    pass


def _tell(tell: Progress, done: int, size: int, total: int, came: int, coming: int) -> None:
    """Pass on progress with one file, which may come packed, as bytes of the data set's content."""
    tell(done + size * came // coming, total)


def _fetch(file: File, here: Path, report: Progress) -> None:
    """Download a file: it appears under its name whole and checked, or not at all."""
    with alone(here / f"{file.name}.lock") as locked:
        if place(here, file) is not None:
            return  # another process has just brought it
        # Without locks two may be here at once, so each has a part of its own, which is not kept.
        growing = part(here, file) if locked else here / f"{file.name}.{uuid4().hex}.part"
        try:
            whole = _whole(file, growing, report)
            with whole.open("r+b") as content:
                os.fsync(content.fileno())
            whole.replace(here / file.name)
            growing.unlink(missing_ok=True)
        finally:
            _beside(growing).unlink(missing_ok=True)
            if not locked:
                growing.unlink(missing_ok=True)


def _whole(file: File, growing: Path, report: Progress, *, again: bool = True) -> Path:
    """Return a path with the file's content, checked: its part, or what was packed in there."""
    assert file.url is not None
    packed = file.url.endswith(".gz")
    least, most = (1, file.size + _PACKING) if packed else (file.size, file.size)
    download = Download(file.url, growing, least, most, report)
    try:
        download.run()
        return _unpacked(growing, file) if packed else _checked(growing, file)
    except WrongContentError as error:
        growing.unlink(missing_ok=True)
        if not (again and download.mended):
            raise WrongContentError(f"{error}, and was deleted") from None
    # Pieces of several answers may be of different versions of the file. One answer cannot.
    return _whole(file, growing, report, again=False)


def _checked(path: Path, file: File) -> Path:
    with path.open("rb") as content:
        sha256 = hashlib.file_digest(content, "sha256").hexdigest()
    wrong = problem(file, path.stat().st_size, sha256)
    if wrong:
        raise WrongContentError(f"the download {wrong}")
    return path


def _beside(growing: Path) -> Path:
    """Return where the content of a packed file is put for a moment, until it has its name."""
    return growing.with_suffix(".unpacked")


def _unpacked(growing: Path, file: File) -> Path:
    """Unpack no more than tells whether it is the file: a few bytes can unpack to any number."""
    left = file.size + 1
    try:
        with gzip.open(growing) as stream, _beside(growing).open("wb") as out:
            while piece := stream.read(min(_DIGESTED, left)):
                out.write(piece)
                left -= len(piece)
    except BROKEN as error:
        raise WrongContentError(f"the download is not a complete gzip file ({error})") from None
    return _checked(_beside(growing), file)
