"""Making sure that a data set's files are here: what is missing is downloaded and checked."""

import gzip
import hashlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

from rosenblatt.datasets.download import Download, DownloadError, WrongContentError
from rosenblatt.datasets.files import BROKEN, File, part, place, problem
from rosenblatt.datasets.locking import alone

# Told how many bytes are here, of how many.
Progress: TypeAlias = Callable[[int, int], None]

_DIGESTED = 1 << 20
_PACKING = 1 << 20  # how many bytes a packed file may be larger than its content


def complete(
    name: str, files: tuple[File, ...], home: str, here: Path, progress: Progress | None = None
) -> None:
    """Download those files of a data set that are not in its folder yet."""
    missing = [file for file in files if place(here, file) is None]
    if any(file.url is None for file in missing):
        raise FileNotFoundError(
            f"data set {name!r} is not in {here} and must be fetched by hand, as its files "
            f"were converted ({home}); {_advice(name, files)}"
        )
    done, total = 0, sum(file.size for file in missing)
    tell = progress or _ignore
    for file in missing:
        try:
            _fetch(file, here, partial(_tell, tell, done, file.size, total))
        except DownloadError as error:
            kept = " (what came is kept)" if part(here, file).exists() else ""
            raise OSError(
                f"cannot get {file.name} of data set {name!r} from {file.url}: {error}; try again "
                f"online{kept}, or {_advice(name, files)}"
            ) from error
        except OSError as error:
            raise OSError(
                f"cannot keep {file.name} of data set {name!r} in {here}: {error}; make room "
                "there, or set ROSENBLATT_DATA to another folder"
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
        raise WrongContentError(f"what came {wrong}")
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
        raise WrongContentError(f"what came is no whole gzip file ({error})") from None
    return _checked(_beside(growing), file)
