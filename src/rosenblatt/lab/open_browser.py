"""Opening the page in a browser without telling others its key.

What a program is started with can be seen by every user of the machine. So the browser is not
started with the page's address, which holds the key, but with that of a file only its owner can
read, which leads there.

The file is in a folder of its own in the home folder, and the folder's name has no dot in front:
browsers that come as a snap can read neither hidden folders nor the temporary one. Both are gone
as soon as the page is connected, or else when the lab ends. What a killed lab has left is removed
by the next one: its key is worth nothing any more.
"""

import os
import re
import sys
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path
from stat import S_ISREG
from tempfile import mkdtemp
from threading import Thread
from urllib.parse import urlsplit

_FOLDER, _MARK = "rosenblatt-lab-", "<!doctype html><!-- leads to Rosenblatt's lab -->"
_PAGE = (
    '{mark}<html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
    '<meta http-equiv="refresh" content="0; url={url}"><title>Rosenblatt</title>'
    '<p><a href="{url}">To the lab</a>\n'
)


class Opening:
    """A browser that is sent to an address, and the file that sends it there."""

    def __init__(self) -> None:
        self.file: Path | None = None

    def open(self, url: str) -> bool:
        """Open an address in the browser, and go on; say whether there is one."""
        screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
        if sys.platform.startswith("linux") and not any(map(os.environ.get, screens)):
            return False  # what could be found are browsers for terminals, which know no JavaScript
        try:
            browser = webbrowser.get()
            self.file = _write(url)
        except (webbrowser.Error, OSError, RuntimeError):  # the last: there is no home folder
            return False
        Thread(target=browser.open, args=(self.file.as_uri(),), daemon=True).start()
        return True

    def done(self) -> None:
        """Remove the file: the browser is there, or will not come any more."""
        if self.file is not None:
            _remove(self.file)
            self.file = None


def clean(is_free: Callable[[int], bool]) -> None:
    """Remove the files of labs that were killed: those whose port nobody has."""
    with suppress(OSError, RuntimeError):
        for file in Path.home().glob(f"{_FOLDER}*/*.html"):
            port = re.fullmatch(r"[1-9]\d{0,4}", file.stem)
            if port and int(port[0]) < 1 << 16 and _is_ours(file) and is_free(int(port[0])):
                _remove(file)


def _write(url: str) -> Path:
    """Write the file that leads to an address; nobody else can read it, or put one in its place."""
    folder = Path(mkdtemp(prefix=_FOLDER, dir=Path.home()))  # with mode 0700
    file = folder / f"{urlsplit(url).port}.html"
    page = _PAGE.format(mark=_MARK, url=escape(url))
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(page.encode("utf-8", "replace"))
    except BaseException:
        _remove(file)
        raise
    return file


def _is_ours(file: Path) -> bool:
    with suppress(OSError):
        if S_ISREG(file.lstat().st_mode):
            return file.read_bytes().startswith(_MARK.encode())
    return False


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink()
    with suppress(OSError):
        file.parent.rmdir()
