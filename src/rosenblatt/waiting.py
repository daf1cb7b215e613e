"""Long work that says how far it is: a line appears after two seconds, and Ctrl-C need not wait."""

import _thread
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from time import perf_counter
from typing import Any, TypeAlias, TypeVar

from rosenblatt.console import duration, is_terminal, shortened

T = TypeVar("T")
Say: TypeAlias = Callable[[str], None]

PATIENCE = 2.0  # seconds until a line appears
_OFTEN = 0.1  # seconds between two texts of it
_clear = True  # no other bar is being drawn


def in_notebook() -> bool:
    """Say whether this runs in a notebook, where bars of a terminal are not drawn."""
    # Asking for a shell that was never imported would load IPython for nothing.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")


@contextmanager
def live_line(text: str) -> Iterator[Say]:
    """Show a line in a notebook, and give a function that puts another text in its place."""
    from IPython.display import display

    line = _Line(text)
    handle: Any = display(line, display_id=True)
    drawn = perf_counter()

    def show(text: str) -> None:
        nonlocal drawn
        line.text = text
        if perf_counter() - drawn > _OFTEN:
            drawn = perf_counter()
            handle.update(line)

    try:
        yield show
    finally:
        handle.update(line)


class _Line:
    """A line of text that a notebook shows as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


@contextmanager
def drawing() -> Iterator[None]:
    """Keep late lines away while a bar is drawn, which they would run into."""
    global _clear
    before, _clear = _clear, False
    try:
        yield
    finally:
        _clear = before


@contextmanager
def late_line(name: str) -> Iterator[Say]:
    """Give a function to say how far work is; what it says is a line if that takes its time.

    An empty text says that the last one is still true. The line appears after two seconds, on a
    terminal or in a notebook, and says how long it takes. On a terminal it goes away at the end, in
    a notebook the last one stays.
    """
    if not (_clear and _is_main()) or not (in_notebook() or is_terminal()):
        yield _nothing
        return
    line = (_NotebookLine if in_notebook() else _TerminalLine)(name)
    with drawing():
        try:
            yield line.say
        finally:
            line.end()


def _is_main() -> bool:
    """Say whether this is the thread and the process that a user looks at."""
    alone = multiprocessing.current_process().name == "MainProcess"
    return alone and threading.current_thread() is threading.main_thread()


def _nothing(text: str) -> None:
    """Say nothing."""


class _LateLine:
    """A line that waits until work takes its time."""

    def __init__(self, name: str) -> None:
        self.name, self.start, self.drawn, self.text = name, perf_counter(), 0.0, ""

    def say(self, text: str) -> None:
        """Draw a text, or the last one again, unless it is too early, or too soon after that."""
        now, self.text = perf_counter(), text or self.text
        if now - self.start >= PATIENCE and now - self.drawn >= _OFTEN:
            self.drawn = now
            self.draw(f"{self.name}: {self.text} · {duration(now - self.start)}")

    def draw(self, text: str) -> None:
        """Put a text in the place of the last one."""
        raise NotImplementedError

    def end(self) -> None:
        """Leave the line."""
        raise NotImplementedError


class _TerminalLine(_LateLine):
    def draw(self, text: str) -> None:
        # The last column stays free: a terminal may go on in the next line otherwise.
        shown = shortened(text, get_terminal_size().columns - 1)
        print(f"\r\x1b[K{shown}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class _NotebookLine(_LateLine):
    handle: Any = None

    def draw(self, text: str) -> None:
        from IPython.display import display

        if self.handle is None:
            self.handle = display(_Line(text), display_id=True)
        else:
            self.handle.update(_Line(text))

    def end(self) -> None:
        if self.handle is not None:
            self.handle.update(_Line(f"{self.name}: {duration(perf_counter() - self.start)}"))


def watched(work: Callable[[], T], name: str, text: str) -> T:
    """Do work that cannot be interrupted, such as a large matrix product, and wait for it.

    A thread does it, so that Ctrl-C need not wait. Work whose result nobody waits for any longer
    goes on to its end, so it must change nothing that others see.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    result: list[T] = []
    errors: list[BaseException] = []
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            done.release()

    threading.Thread(target=run, name=f"rosenblatt {name}", daemon=True).start()
    with late_line(name) as say:
        while not done.acquire(timeout=_OFTEN):
            say(text)
    if errors:
        raise errors[0]
    return result[0]
