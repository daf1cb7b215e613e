"""Drawing in SVG, and texts that are safe in a page whatever the files had in them."""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import Any

LONGEST = 60  # letters of a name that are shown


def shown(value: Any, most: int = LONGEST) -> str:
    r"""Write a value that comes from a file: short, printable, and not as HTML.

    >>> shown("<b>\x00" + "x" * 100, 8)
    '&lt;b&gt;\\x00…'
    """
    text = str(value)
    printable = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[: most + 1])
    short = printable if len(printable) <= most else printable[: most - 1] + "…"
    return escape(short)


def number(value: float, digits: int = 3) -> str:
    """Write a number for people: with separators, a true minus, and no more digits than needed.

    >>> number(1234567), number(-0.00012345), number(2.5), number(1e12)
    ('1,234,567', '−1.23e−4', '2.5', '1e12')
    """
    if value == 0:
        return "0"
    size = abs(value)
    if value == round(value) and size < 1e9:
        text = f"{value:,.0f}"
    elif 1e-3 <= size < 1e6:
        decimals = max(0, digits - 1 - floor(log10(size)))
        text = f"{value:,.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        mantissa, power = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        text = f"{mantissa}e{int(power)}"
    return text.replace("-", "−")


def short(value: float) -> str:
    """Write a number beside an axis, in a few letters.

    >>> short(25_000), short(1_500_000), short(0.25), short(-3)
    ('25k', '1.5M', '0.25', '−3')
    """
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= unit:
            part = value / (1e3 if letter == "k" else unit)
            return f"{part:.6g}{letter}".replace("-", "−")
    return f"{value:.6g}".replace("-", "−")


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers from low to high, at most so many.

    >>> ticks(0, 7), ticks(0, 1234)
    ([0.0, 2.0, 4.0, 6.0], [0.0, 500.0, 1000.0])
    """
    span = high - low
    if not span > 0:
        return [low]
    power = 10.0 ** floor(log10(span / most))
    step = next(s * power for s in (1, 2, 5, 10, 20) if span / (s * power) <= most - 1 + 1e-9)
    first = ceil(low / step - 1e-9)
    found = []
    while (value := first * step) <= high + 1e-9 * span:
        found.append(float(f"{value:.12g}"))
        first += 1
    return found


class Canvas:
    """A picture in the making."""

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self.width, self.height = width, height
        self._head = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
        self._parts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """Draw a straight line; ``kind`` is its class in the style sheet."""
        ends = f'x1="{_c(x1)}" y1="{_c(y1)}" x2="{_c(x2)}" y2="{_c(y2)}"'
        self._parts.append(f'<line {ends} class="{kind}"/>')

    def path(self, points: Sequence[tuple[float, float]], kind: str, close: bool = False) -> None:
        """Draw a line through points, or a shape."""
        steps = "L".join(f"{_c(x)} {_c(y)}" for x, y in points)
        self._parts.append(f'<path d="M{steps}{"Z" if close else ""}" class="{kind}"/>')

    def circle(self, x: float, y: float, r: float, kind: str, title: str = "") -> None:
        """Draw a dot. The title appears when one points at it."""
        inner = f"<title>{escape(title)}</title>" if title else ""
        place = f'cx="{_c(x)}" cy="{_c(y)}" r="{_c(r)}"'
        end = f">{inner}</circle>" if inner else "/>"
        self._parts.append(f'<circle {place} class="{kind}"{end}')

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        """Write a text, which is escaped already."""
        place = f'x="{_c(x)}" y="{_c(y)}" text-anchor="{anchor}"'
        self._parts.append(f'<text {place} class="{kind}">{text}</text>')

    def upright(self, x: float, y: float, text: str, kind: str = "") -> None:
        """Write a text from below to above, its middle at the place."""
        turn = f'transform="translate({_c(x)} {_c(y)}) rotate(-90)" text-anchor="middle"'
        self._parts.append(f'<text {turn} class="{kind}">{text}</text>')

    def svg(self, kind: str = "") -> str:
        """Return the picture."""
        box = f'viewBox="0 0 {_c(self.width)} {_c(self.height)}"'
        opening = f'<svg xmlns="http://www.w3.org/2000/svg" {box} class="{kind}" role="img">'
        return opening + self._head + "".join(self._parts) + "</svg>"


class Frame:
    """Axes of a picture: from data to places, with grid and numbers."""

    def __init__(
        self,
        canvas: Canvas,
        x: tuple[float, float],
        y: tuple[float, float],
        margins: tuple[float, float, float, float] = (14, 14, 40, 52),
    ) -> None:
        top, right, bottom, left = margins
        self.canvas, self.x_range, self.y_range = canvas, x, y
        self.left, self.right = left, canvas.width - right
        self.top, self.bottom = top, canvas.height - bottom

    def x(self, value: float) -> float:
        """Return where a value lies across."""
        low, high = self.x_range
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Return where a value lies down."""
        low, high = self.y_range
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    def points(self, pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """Return where points lie."""
        return [(self.x(x), self.y(y)) for x, y in pairs]

    def grid(self, across: Sequence[float], up: Sequence[float], percent: bool = False) -> None:
        """Draw lines at round numbers, with these beside the axes."""
        for value in up:
            place = self.y(value)
            self.canvas.line(self.left, place, self.right, place, "grid")
            text = f"{number(100 * value)}%" if percent else short(value)
            self.canvas.text(self.left - 7, place + 4, text, "tick", "end")
        for value in across:
            self.canvas.text(self.x(value), self.bottom + 17, short(value), "tick", "middle")

    def label(self, text: str) -> None:
        """Write what the horizontal axis shows."""
        middle = (self.left + self.right) / 2
        self.canvas.text(middle, self.canvas.height - 4, text, "axis", "middle")


def _c(value: float) -> str:
    """Write a coordinate."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
