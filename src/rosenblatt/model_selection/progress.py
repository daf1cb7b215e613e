"""A bar for work of many fits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rosenblatt.estimators._base.progress_line import text_bar
from rosenblatt.waiting import drawing, in_notebook, live_line


@contextmanager
def progress(name: str, total: int, verbose: object) -> Iterator[Callable[..., None]]:
    """Give a function to call after each of ``total`` pieces of work; silent unless asked for."""
    if not verbose:
        yield lambda note="": None
        return
    shown = _in_notebook if in_notebook() else _in_terminal
    with drawing(), shown(name, total) as tick:
        yield tick


@contextmanager
def _in_terminal(name: str, total: int) -> Iterator[Callable[..., None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(stderr=True, force_jupyter=False)) as bar:
        task = bar.add_task(name, total=total, note="")

        def tick(note: str = "", done: int = 1) -> None:
            bar.update(task, advance=done, note=note)

        yield tick
        bar.update(task, completed=total)


@contextmanager
def _in_notebook(name: str, total: int) -> Iterator[Callable[..., None]]:
    with live_line(f"{name}: starting") as show:
        so_far = 0

        def tick(note: str = "", done: int = 1) -> None:
            nonlocal so_far
            so_far = min(so_far + done, total)
            show(f"{text_bar(name, so_far, total)}{so_far}/{total} {note}".rstrip())

        yield tick
        tick(done=total)
