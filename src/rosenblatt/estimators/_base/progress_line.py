"""A live line for long work: passes, mistakes so far, rows a second."""

from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

from rosenblatt.passes import Reporter
from rosenblatt.waiting import drawing, in_notebook, live_line

if TYPE_CHECKING:
    from collections.abc import Iterator


def silent(passes: float, rows: int, mistakes: int, end: str = "") -> None:
    """Report nothing."""


@contextmanager
def reporting(name: str, max_iter: int, verbose: int) -> "Iterator[Reporter]":
    """Give a function to report progress with; it draws a bar if ``verbose`` asks for one."""
    if not verbose:
        yield silent
        return
    shown = _in_notebook if in_notebook() else _in_terminal
    with drawing(), shown(name, max_iter) as reporter:
        yield reporter


@contextmanager
def _in_terminal(name: str, max_iter: int) -> "Iterator[Reporter]":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True, force_jupyter=False)
    columns: list[Any] = [TextColumn("{task.description}"), TextColumn("{task.fields[note]}")]
    if console.is_terminal:
        columns.insert(1, BarColumn(bar_width=12))
    with Progress(*columns, console=console, refresh_per_second=8) as bar:
        task = bar.add_task(name, total=max_iter, note="")
        start = perf_counter()

        def report(passes: float, rows: int, mistakes: int, end: str = "") -> None:
            text = note(passes, max_iter, rows, mistakes, start, end)
            bar.update(task, completed=max_iter if end else passes, note=text)

        yield report


@contextmanager
def _in_notebook(name: str, max_iter: int) -> "Iterator[Reporter]":
    start = perf_counter()
    with live_line(f"{name}: starting") as show:

        def report(passes: float, rows: int, mistakes: int, end: str = "") -> None:
            text = note(passes, max_iter, rows, mistakes, start, end)
            show(text_bar(name, max_iter if end else passes, max_iter) + text)

        yield report


def text_bar(name: str, done: float, total: float, width: int = 12) -> str:
    """Draw a bar of letters."""
    full = round(width * done / total)
    return f"{name} {'█' * full}{'░' * (width - full)} "


def note(
    passes: float, max_iter: int, rows: int, mistakes: int, start: float, end: str = ""
) -> str:
    """Say how far it is, in words, or how it ended."""
    rate = rows / max(perf_counter() - start, 1e-9)
    far = f"{int(passes):,} passes, {end}" if end else f"pass {int(passes):,}/{max_iter:,}"
    return f"{far} · {mistakes:,} mistakes · {_short(rate)} rows/s"


def _short(number: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f} {letter}"
    return f"{number:.0f} "
