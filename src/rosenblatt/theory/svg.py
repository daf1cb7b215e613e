"""Small pictures in SVG for notebooks, which look right on light and on dark ground.

Ink is the colour of the text around; the colours of the classes are seen on both grounds. There are
no ids, style sheets or scripts, so pictures do not disturb each other, nor the page.
"""

from collections.abc import Mapping, Sequence
from html import escape

INK = "currentColor"
COLOURS = "#1f83c9", "#d9642c"  # contrast 3:1 and more on white and on black; shapes differ as well
ALERT = "#d6336c"

Pair = tuple[float, float]


class Canvas:
    """Shapes in a frame, in units of the data; what lies outside the frame is cut off."""

    def __init__(self, x: Pair, y: Pair, size: Pair, margins: tuple[float, ...]) -> None:
        self.size, (top, right, bottom, left) = size, margins
        self.left, self.right = left, size[0] - right
        self.top, self.bottom = top, size[1] - bottom
        self._x, self._y = x, y
        self._inside: list[str] = []
        self._outside: list[str] = []

    def x(self, value: float) -> float:
        """Return where a value lies across."""
        low, high = self._x
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Return where a value lies down."""
        low, high = self._y
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    def path(self, points: Sequence[Pair], *, close: bool = False, **look: object) -> None:
        """Draw a line through points, or a shape."""
        steps = "L".join(f"{_c(self.x(x))} {_c(self.y(y))}" for x, y in points)
        look = {"fill": "none", "stroke": INK, **look}
        self._inside.append(f'<path d="M{steps}{"Z" * close}"{_attributes(look)}/>')

    def mark(self, x: float, y: float, kind: int, title: str = "", size: float = 3.5) -> None:
        """Draw a point of one of two classes: a dot, or a square."""
        self._inside.append(_mark(self.x(x), self.y(y), kind, size, title))

    def ring(self, x: float, y: float) -> None:
        """Draw a ring around a point."""
        place = {"cx": _c(self.x(x)), "cy": _c(self.y(y)), "r": 7}
        look = {"fill": "none", "stroke": INK, "stroke-width": 1.4}
        self._inside.append(f"<circle{_attributes(place | look)}/>")

    def cross(self, x: float, y: float, size: float = 7) -> None:
        """Draw a cross, to be seen on anything."""
        x, y = self.x(x), self.y(y)
        lines = [
            f"M{_c(x - size)} {_c(y - size)}L{_c(x + size)} {_c(y + size)}",
            f"M{_c(x - size)} {_c(y + size)}L{_c(x + size)} {_c(y - size)}",
        ]
        look = {"stroke": ALERT, "stroke-width": 3, "stroke-linecap": "round"}
        self._inside.append(f'<path d="{"".join(lines)}"{_attributes(look)}/>')

    def frame(self) -> None:
        """Draw the axes' lines, at the left and below."""
        corners = [(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)]
        steps = "L".join(f"{_c(x)} {_c(y)}" for x, y in corners)
        look = {"fill": "none", "stroke": INK, "stroke-opacity": 0.45}
        self._outside.append(f'<path d="M{steps}"{_attributes(look)}/>')

    def text(self, x: float, y: float, text: str, anchor: str = "start", fill: str = INK) -> None:
        """Write a text at a place of the whole picture, in pixels."""
        look = {"x": _c(x), "y": _c(y), "text-anchor": anchor, "fill": fill}
        self._outside.append(f"<text{_attributes(look)}>{escape(text)}</text>")

    def key(self, x: float, y: float, kind: int) -> None:
        """Draw a class's mark for a legend, at a place of the whole picture."""
        self._outside.append(_mark(x, y, kind, 4.5, ""))

    def svg(self, description: str) -> str:
        """Return the picture, with what it shows in words."""
        width, height = self.size
        across, down = self.right - self.left, self.bottom - self.top
        place = f"{_c(self.left)} {_c(self.top)} {_c(across)} {_c(down)}"
        inner = {"x": _c(self.left), "y": _c(self.top), "width": _c(across), "height": _c(down)}
        words = escape(description)
        return (
            f'<svg role="img" aria-label="{words}" xmlns="http://www.w3.org/2000/svg" '
            f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" '
            'style="max-width:100%;height:auto;color:inherit" '
            f'font-family="inherit" font-size="12"><title>{words}</title>'
            f'<svg{_attributes(inner)} viewBox="{place}">{"".join(self._inside)}</svg>'
            f"{''.join(self._outside)}</svg>"
        )


def _mark(x: float, y: float, kind: int, size: float, title: str) -> str:
    look = {"fill": COLOURS[kind], "fill-opacity": 0.85}
    shape, place = "circle", {"cx": _c(x), "cy": _c(y), "r": size}
    if kind:
        half = 0.9 * size
        shape = "rect"
        place = {
            "x": _c(x - half),
            "y": _c(y - half),
            "width": _c(2 * half),
            "height": _c(2 * half),
        }
    inside = f"<title>{escape(title)}</title>" if title else ""
    return f"<{shape}{_attributes(place | look)}>{inside}</{shape}>"


def _attributes(given: Mapping[str, object]) -> str:
    names = ((name.replace("_", "-"), value) for name, value in given.items())
    return "".join(f' {name}="{escape(str(value))}"' for name, value in names)


def _c(value: float) -> str:
    """Write a coordinate; far outside, where it is cut off anyway, it stays a short number."""
    return f"{min(max(value, -1e5), 1e5):.1f}".removesuffix(".0")
