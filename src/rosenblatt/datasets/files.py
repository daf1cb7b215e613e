"""The files of data sets on this machine.

What was found is what the table says, byte for byte, or it is not used: a checksum covers the
unpacked content, so that a file may lie there packed with gzip.
"""

import gzip
import hashlib
import io
import os
import zlib
from pathlib import Path
from typing import NamedTuple

BROKEN = (EOFError, gzip.BadGzipFile, zlib.error)  # what unpacking says of a broken gzip file


class File(NamedTuple):
    """A file: its name, the size and SHA-256 of its unpacked content, and where it is, if it is."""

    name: str
    size: int
    sha256: str
    url: str | None = None


def folder() -> Path:
    """Return the folder of data sets: ``ROSENBLATT_DATA``, else one in the user's cache folder."""
    chosen = os.environ.get("ROSENBLATT_DATA")
    user = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    try:
        return Path(chosen or f"{user}/rosenblatt/data").expanduser()
    except RuntimeError as error:  # a user without a home folder, as in some containers
        raise FileNotFoundError(f"{error}; set ROSENBLATT_DATA to a folder for data sets") from None


def place(here: Path, file: File) -> Path | None:
    """Return where a file is, as it is or packed, if it is here."""
    for path in (here / file.name, here / f"{file.name}.gz"):
        if path.is_file():
            return path
    return None


def part(here: Path, file: File) -> Path:
    """Return where a file grows while it is downloaded."""
    return here / f"{file.name}.part"


def read(here: Path, file: File) -> bytes:
    """Return the unpacked content of a file that is here."""
    path = place(here, file) or here / file.name
    try:
        content = path.read_bytes()
        if path.name != file.name:
            content = _unpacked(content, file)
    except BROKEN as error:
        raise ValueError(f"{path} is broken ({error}); delete it, and load again") from None
    wrong = problem(file, len(content), hashlib.sha256(content).hexdigest())
    if wrong:
        raise ValueError(f"{path} {wrong}; delete it, and load again")
    return content


def problem(file: File, size: int, sha256: str) -> str:
    """Say in which way content of this size and checksum is not the file's, or nothing."""
    if size != file.size:
        return f"has {size} bytes unpacked, not {file.size}"
    return (
        "" if sha256 == file.sha256 else f"has the SHA-256 {sha256[:16]}…, not {file.sha256[:16]}…"
    )


def _unpacked(packed: bytes, file: File) -> bytes:
    """Unpack no more than tells whether it is the file: a few bytes can unpack to any number."""
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
        return stream.read(file.size + 1)
