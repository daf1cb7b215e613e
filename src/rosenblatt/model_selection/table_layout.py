"""Tables as text of 80 columns and as HTML for notebooks."""

from collections.abc import Sequence
from html import escape
from textwrap import fill
from typing import NamedTuple

WIDTH = 80


class Column(NamedTuple):
    """A column's heading, of a line or two, whether it holds figures, and is never broken."""

    title: str
    figures: bool = False
    whole: bool = False


def width_of(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    """Return how wide a table is if no cell is broken.

    >>> width_of([Column("learner"), Column("time", True)], [["Perceptron", "1.2 ms"]])
    18
    """
    titles = [column.title.split("\n") for column in columns]
    widths = [max(map(len, [*title, *(row[k] for row in rows)])) for k, title in enumerate(titles)]
    return sum(widths) + 2 * (len(widths) - 1)


def text_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int = WIDTH) -> str:
    """Set a table in plain text, the same on every terminal.

    >>> print(text_table([Column("learner"), Column("time", True)], [["Perceptron", "1.2 ms"]]))
    learner       time
    ──────────────────
    Perceptron  1.2 ms
    """
    from io import StringIO

    from rich.box import Box
    from rich.console import Console
    from rich.table import Table

    rule = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
    table = Table(box=rule, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for column in columns:
        table.add_column(
            column.title,
            justify="right" if column.figures else "left",
            no_wrap=column.figures or column.whole,
        )
    for row in rows:
        table.add_row(*row)
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        color_system=None,
        markup=False,
        highlight=False,
        emoji=False,
        force_jupyter=False,  # else it would be shown in the notebook, and not be in the text
    )
    console.print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())


def fitting_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], most: int) -> str:
    """Set a table without as many of its last columns as it takes to fit, but keep the first ones.

    ``most`` of these are never left out, however wide the table is then.
    """
    n = len(columns)
    while n > most and width_of(columns[:n], [row[:n] for row in rows]) > WIDTH:
        n -= 1
    columns, rows = columns[:n], [row[:n] for row in rows]
    return text_table(columns, rows, max(WIDTH, width_of(columns, rows)))


def paragraph(text: str, indent: str = "") -> str:
    """Break a text into lines of at most 80 columns."""
    return fill(text, WIDTH, subsequent_indent=indent)


def html_table(title: str, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """Set a table in HTML, with a caption."""
    head = "".join(f"<th>{escape(c.title).replace(chr(10), '<br>')}</th>" for c in columns)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td style='text-align:{'right' if c.figures else 'left'}'>{escape(cell)}</td>"
            for c, cell in zip(columns, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    caption = f"<caption style='text-align:left'>{escape(title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def seconds(time: float) -> str:
    """Write a time in three figures.

    >>> seconds(0.0000123), seconds(0.0123), seconds(12.3)
    ('12 µs', '12.3 ms', '12.3 s')
    """
    if time < 0.9995e-3:
        return f"{1e6 * time:.0f} µs"
    if time < 1:
        return f"{1e3 * time:.3g} ms"
    return f"{time:.3g} s" if time < 1000 else f"{time:,.0f} s"


def count(number: int) -> str:
    """Write a number in at most seven characters.

    >>> count(428962), count(31_977_000)
    ('428,962', '32.0 M')
    """
    return f"{number:,}" if number < 1_000_000 else f"{number / 1e6:,.1f} M"


def percent(share: float) -> str:
    """Write a share in percent, and never 100 for what is not all.

    >>> percent(0.9999), percent(1.0), percent(0.5)
    ('99.9', '100', '50.0')
    """
    if share == 1.0:
        return "100"
    return f"{min(100 * share, 99.9) if share < 1 else 100 * share:.1f}"
