"""How much memory there is, so that what cannot fit is refused before it is begun."""

import os
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")
# The most that a container may use, and what it uses: version 2 of control groups, and 1.
_LIMITS = (
    ("memory.max", "memory.current"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
)


class TooLargeError(ValueError):
    """Files that do not fit into memory; says what they would take, and what there is."""


def free_memory() -> int | None:
    """Return how many bytes this process can still use; None if that cannot be known."""
    known = [free for free in (_of_the_machine(), *map(_of_the_group, _LIMITS)) if free is not None]
    return min(known, default=None)


def _of_the_machine() -> int | None:
    try:
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not every system tells
        return None


def _of_the_group(names: tuple[str, str]) -> int | None:
    try:
        most, used = ((_CGROUP / name).read_text().strip() for name in names)
        return None if most == "max" else max(0, int(most) - int(used))
    except (OSError, ValueError):
        return None


def in_words(n_bytes: float) -> str:
    """Write a number of bytes for people.

    >>> in_words(5 << 30), in_words(1_234_000)
    ('5.4 GB', '1.2 MB')
    """
    for unit, word in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:.1f} {word}"
    return f"{n_bytes:.0f} bytes"
