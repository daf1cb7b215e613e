"""Finding a data set's files: in a folder on this machine, else at their public homes.

What was found or fetched is what the table says, byte for byte, or it is not used: a checksum
covers the unpacked content, so that a file may lie there packed with gzip.
"""

import gzip
import hashlib
import io
import os
import tempfile
import urllib.request
import zlib
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError

_SECONDS = 30.0  # without a byte, after which a download has failed
_CHUNK = 1 << 20
_BROKEN = (EOFError, gzip.BadGzipFile, zlib.error)


class File(NamedTuple):
    """A file: its name, the size and SHA-256 of its unpacked content, and where it is, if it is."""

    name: str
    size: int
    sha256: str
    url: str | None = None


def folder() -> Path:
    """Return the folder of data sets: ``ROSENBLATT_DATA``, else one in the user's cache folder."""
    told = os.environ.get("ROSENBLATT_DATA")
    user = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    try:
        return Path(told or f"{user}/rosenblatt/data").expanduser()
    except RuntimeError as error:  # nobody's home: a user without an entry, as in some containers
        raise FileNotFoundError(f"{error}; set ROSENBLATT_DATA to a folder for data sets") from None


def contents(name: str, files: tuple[File, ...], home: str) -> dict[str, bytes]:
    """Return the unpacked content of each file of a data set, downloading those not here yet."""
    here = folder() / name
    missing = [file for file in files if _place(here, file) is None]
    for file in missing:
        if file.url is None:
            raise FileNotFoundError(
                f"data set {name!r} is not in {here} and must be fetched by hand, as its files "
                f"were converted ({home}); {_advice(name, files)}"
            )
    for file in missing:
        try:
            _fetch(file, here)
        except (OSError, HTTPException) as error:
            raise OSError(
                f"cannot get {file.name} of data set {name!r} from {file.url}: {error}; try again "
                f"online, or {_advice(name, files)}"
            ) from error
    return {file.name: _read(here, file) for file in files}


def _advice(name: str, files: tuple[File, ...]) -> str:
    listed = ", ".join(file.name for file in files)
    return (
        f"set ROSENBLATT_DATA to a folder that has {name}/ with the files {listed} (each as it is, "
        "or with .gz)"
    )


def _place(here: Path, file: File) -> Path | None:
    for path in (here / file.name, here / f"{file.name}.gz"):
        if path.is_file():
            return path
    return None


def _read(here: Path, file: File) -> bytes:
    path = _place(here, file)
    assert path is not None
    try:
        content = path.read_bytes()
        if path.name != file.name:
            content = _unpacked(content, file)
    except _BROKEN as error:
        raise ValueError(f"{path} is broken ({error}); delete it, and load again") from None
    problem = _problem(content, file)
    if problem:
        raise ValueError(f"{path} {problem}; delete it, and load again")
    return content


def _unpacked(packed: bytes, file: File) -> bytes:
    """Unpack no more than tells whether it is the file: a few bytes can unpack to any number."""
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
        return stream.read(file.size + 1)


def _problem(content: bytes, file: File) -> str:
    """Say in which way content is not the file's, or nothing."""
    if len(content) != file.size:
        return f"has {len(content)} bytes unpacked, not {file.size}"
    found = hashlib.sha256(content).hexdigest()
    return "" if found == file.sha256 else f"has the SHA-256 {found[:16]}…, not {file.sha256[:16]}…"


def _fetch(file: File, here: Path) -> None:
    """Download a file: it appears under its name whole and checked, or not at all."""
    assert file.url is not None
    content = _download(file.url, file.size)
    if file.url.endswith(".gz"):
        try:
            content = _unpacked(content, file)
        except _BROKEN as error:
            raise OSError(f"what came is no whole gzip file ({error})") from None
    problem = _problem(content, file)
    if problem:
        raise OSError(f"what came {problem}")
    here.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=here, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        Path(temporary).replace(here / file.name)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _download(url: str, size: int) -> bytes:
    """Return what is at an address, but never more than a data set of this size could be."""
    received = bytearray()
    try:
        response = urllib.request.urlopen(url, timeout=_SECONDS)
    except HTTPError as error:
        with error:  # it holds a connection
            raise OSError(str(error)) from None
    with response:
        while chunk := response.read(_CHUNK):
            received += chunk
            if len(received) > size + _CHUNK:
                raise OSError(f"more came than the {size} bytes it should be")
    return bytes(received)
