"""A bar for work of many fits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(name: str, total: int, verbose: object) -> Iterator[Callable[..., None]]:
    """Give a function to call after each of ``total`` pieces of work; silent unless asked for."""
    if not verbose:
        yield lambda note="": None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=total, note="")

        def tick(note: str = "", done: int = 1) -> None:
            bar.update(task, advance=done, note=note)

        yield tick
        bar.update(task, completed=total)
