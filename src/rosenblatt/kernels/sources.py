"""The text of a module of loops and of all that it imports, as a digest.

Compiled code can reach nothing else, as layers import downward only. The text is searched for
imports, not parsed, as that takes a hundredth of the time. A line of a docstring that looks like an
import is taken for one, which does no harm.
"""

import hashlib
import re
import time
from functools import cache
from pathlib import Path

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.M
)


_STARTED = time.time_ns()


@cache
def is_as_imported(source: Path, package: Path) -> bool:
    """Say whether a module and all that it reaches are on disk as this process imported them.

    A file that was written since is not what was compiled, and its digest not that of the code.
    """
    states = [path.stat() for path in reached(source, package)]
    return all(max(each.st_mtime_ns, each.st_ctime_ns) <= _STARTED for each in states)


@cache
def source_digest(source: Path, package: Path) -> str:
    """Digest the text of a module and of every module of the package that it reaches."""
    digest = hashlib.sha256()
    for path in sorted(reached(source, package)):
        digest.update(f"{path.relative_to(package)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def reached(source: Path, package: Path) -> set[Path]:
    """Return a module's file and those of all modules of the package that it imports."""
    found, new = set[Path](), {source}
    while new:
        found |= new
        new = {path for each in new for path in imported(each, package)} - found
    return found


@cache
def imported(source: Path, package: Path) -> frozenset[Path]:
    """Return the files of the package that a module's text imports, anywhere in it."""
    found = set[Path]()
    for origin, names, plain in _IMPORT.findall(source.read_text("utf-8")):
        if plain:
            asked = [part.split()[0] for part in plain.split("#")[0].split(",") if part.strip()]
        else:
            words = re.sub(r"#[^\n]*|[()]", " ", names).split(",")
            inside = origin if origin.endswith(".") else f"{origin}."
            asked = [origin, *(f"{inside}{word.split()[0]}" for word in words if word.strip())]
        for module in asked:
            inner = module.lstrip(".")
            dots = len(module) - len(inner)
            above = source.parents[dots - 1] if dots else None
            found.update(_files_of(inner, package, above))
    return frozenset(found)


@cache
def _files_of(module: str, package: Path, above: Path | None = None) -> tuple[Path, ...]:
    """Return the files that are executed when a module is imported, if it is of the package.

    ``above`` is the folder that a relative import begins in.
    """
    first, *parts = module.split(".")
    if above is not None:
        folder, parts = above, [part for part in (first, *parts) if part]
    elif first == package.name:
        folder = package
    else:
        return ()
    # The package's own first file only names what others define.
    found = () if folder == package else _executed(folder)
    for part in parts:
        folder = folder / part
        found += _executed(folder)
    return found


@cache
def _executed(place: Path) -> tuple[Path, ...]:
    """Return the file of a module or of a package's start, if there is one at this place."""
    paths = place.with_suffix(".py"), place / "__init__.py"
    return tuple(path for path in paths if path.is_file())
