"""Compiling the common signatures ahead, in several processes at once.

``common.json`` lists the signatures that the README, the guide and the commands with their default
options call, and which run needs which; ``docs/signatures.py`` records it. `warm_up` compiles them,
``make wheel`` puts them into a wheel, and where a loop must be compiled in interactive use, those
that runs like this one need, too, are compiled beside it.

As a program, ``python -m rosenblatt.kernels.warm_up``, this is one of those processes: it reads
numbers of signatures from standard input, a line each, and answers each with the name of the entry,
or with an empty line if it cannot be compiled.
"""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from rosenblatt.kernels import compile_cache, signatures

LIST = Path(__file__).with_name("common.json")
START = 2.0  # seconds to load Numba, and to compile what it needs itself
SECONDS = 0.8  # of one processor, to compile a signature
_WORKER = "ROSENBLATT_COMPILES"  # in the environment of processes that compile
_FEW = 3  # signatures, for which it does not pay to start processes


class Signature(NamedTuple):
    """A compiled function and the types it is called with, as text."""

    function: str
    types: tuple[Any, ...]

    def loop(self) -> Any:
        """Return the function itself."""
        return signatures.find(self.function)

    def entry(self) -> tuple[Path, str]:
        """Return the folder of the source and the name of the entry in the cache."""
        loop = self.loop()
        return loop.source.parent, loop.entry_name(self.types)


class Common(NamedTuple):
    """The signatures that are compiled ahead, and for each run the numbers of those it needs."""

    signatures: tuple[Signature, ...]
    runs: dict[str, frozenset[int]]


@cache
def common() -> Common:
    """Read the list; it is empty if it cannot be read."""
    try:
        found = json.loads(LIST.read_text("utf-8"))
    except (OSError, ValueError):
        return Common((), {})
    return Common(
        tuple(Signature(function, tuple(types)) for function, *types in found["signatures"]),
        {run: frozenset(numbers) for run, numbers in found["runs"].items()},
    )


def is_there(signature: Signature) -> bool:
    """Say whether a signature is compiled, without loading it."""
    return compile_cache.read(*signature.entry()) is not None


def missing(numbers: Collection[int] | None = None) -> list[int]:
    """Return the numbers of common signatures that are not compiled yet."""
    known = common().signatures
    return [
        k for k in (range(len(known)) if numbers is None else numbers) if not is_there(known[k])
    ]


def warm_up(
    numbers: Collection[int],
    report: Callable[[str], None] = lambda name: None,
    workers: int | None = None,
    **environment: str,
) -> dict[int, str]:
    """Compile common signatures in processes of their own; return the names of their entries.

    What a process failed to compile is left out. ``report`` gets each name as it is there.
    """
    waiting: SimpleQueue[int] = SimpleQueue()
    for number in numbers:
        waiting.put(number)
    names: dict[int, str] = {}

    def work() -> None:
        with _process(environment) as worker:
            assert worker.stdin is not None
            assert worker.stdout is not None
            with suppress(Empty, BrokenPipeError):
                while True:
                    number = waiting.get_nowait()
                    worker.stdin.write(f"{number}\n")
                    worker.stdin.flush()
                    line = worker.stdout.readline()
                    if not line:
                        break  # the process is no more
                    if name := line.strip():
                        names[number] = name
                        report(name)
            with suppress(BrokenPipeError):
                worker.stdin.close()

    count = min(workers or cores(), len(numbers))
    with ThreadPoolExecutor(max(count, 1)) as threads:
        for done in [threads.submit(work) for _ in range(count)]:
            done.result()
    return names


def _process(environment: dict[str, str]) -> "subprocess.Popen[str]":
    """Start a process that compiles, with this package, whatever folder it is started in."""
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
    env = {**os.environ, "PYTHONPATH": path, _WORKER: "1", **environment}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=env,
    )


def cores() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def seconds_for(n: int, processes: int | None = None) -> float:
    """Say about how long it takes to compile so many signatures, and to start compiling."""
    return START + SECONDS * max(n, 1) / (processes or cores())


_told: set[str] = set()  # the signatures that were announced


def announce(calls: list[tuple[str, Any]]) -> None:
    """Say that loops must be compiled; compile all that runs with these calls need, if several.

    It is said whenever something must be compiled that no earlier line was about.
    """
    known, here = common().signatures, repr(Signature(*calls[-1]))
    if _WORKER in os.environ or here in _told:
        return
    more = missing(likely(calls))
    _told.update([here, *(repr(known[k]) for k in more)])
    several = len(more) > _FEW and cores() > 1
    seconds = seconds_for(len(more), cores() if several else 1)
    loops = f"{len(more)} loops" if len(more) > 1 else "a loop"
    print(f"compiling {loops}, once, about {seconds:.0f} s", file=sys.stderr, flush=True)
    if several:
        warm_up(more)


def likely(calls: list[tuple[str, Any]]) -> frozenset[int]:
    """Return what the shortest of the recorded runs calls that made all these calls, too."""
    known = {repr(signature): k for k, signature in enumerate(common().signatures)}
    numbers = {known.get(repr(Signature(*call)), -1) for call in calls}
    runs = [run for run in common().runs.values() if run >= numbers]
    return min(runs, key=len, default=frozenset(numbers - {-1}))


def answer(lines: Iterator[str]) -> Iterator[str]:
    """Compile the signature of each number; return the names of entries, empty for failures."""
    for line in lines:
        try:
            signature = common().signatures[int(line)]
            signature.loop().compile(signature.types)
            yield signature.entry()[1]
        except Exception:  # whatever Numba meets: the signatures after it are compiled all the same
            yield ""


if __name__ == "__main__":
    gc.freeze()  # what a compilation leaves behind is little, and looked for at every turn
    gc.disable()
    for name in answer(sys.stdin):
        print(name, flush=True)
