"""The gallery: each file of ``docs/gallery`` draws a picture. ``python docs/gallery.py`` draws all.

A file begins with a docstring: a title, a blank line, and what the picture shows. It can be pasted
or run on its own, and ends with ``plt.show()``, in place of which the figure is saved here.
"""

import ast
import os
import shutil
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).resolve().parent / "gallery"
IMAGES = FOLDER / "images"


class Picture(NamedTuple):
    """A picture: its file's name, its title, the text below it, and the code that draws it."""

    name: str
    image: str
    title: str
    text: str
    code: str


def pictures() -> list[Picture]:
    """List the pictures in order of their files' numbers."""
    return [picture(path) for path in sorted(FOLDER.glob("[0-9]*.py"))]


def picture(path: Path) -> Picture:
    """Read a file of the gallery."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    title, _, text = (ast.get_docstring(tree) or "").partition("\n\n")
    code = "".join(source.splitlines(keepends=True)[tree.body[0].end_lineno :]).strip() + "\n"
    ending = "gif" if "animate(" in code else "png"
    return Picture(path.stem, f"images/{path.stem}.{ending}", title.rstrip("."), text.strip(), code)


def draw(path: Path, images: Path) -> Path:
    """Run a file of the gallery in a temporary folder, and save its figure, or its animation."""
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    target = images / f"{path.stem}.png"
    names: dict[str, Any] = {"__name__": "__main__"}
    show = plt.show
    try:
        plt.show = lambda: _save(plt.gcf(), target)
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
            for animation in Path().glob("*.gif"):
                target = target.with_suffix(".gif")
                shutil.copyfile(animation, target)
    finally:
        plt.show = show
        plt.close("all")
    return target


def _save(figure: Any, target: Path) -> None:
    from PIL import Image

    figure.savefig(target, dpi=120)
    with Image.open(target) as image:
        small = image.convert("RGB").quantize(256)
    small.save(target, optimize=True)


def pages() -> dict[str, str]:
    """Return the pages of the gallery by their place in the site."""
    shown = pictures()
    cards = "\n".join(
        f":::{{grid-item-card}} {picture.title}\n:link: {picture.name}\n:link-type: doc\n"
        f":img-top: {picture.image}\n:img-alt: {picture.title}\n:::\n"
        for picture in shown
    )
    title = (FOLDER / "README.md").read_text(encoding="utf-8")
    grid = f"::::{{grid}} 1 2 3 3\n:gutter: 3\n:class-container: gallery\n\n{cards}\n::::\n"
    index = f"{title}\n{grid}"
    found = {"gallery/index.md": index}
    for one in shown:
        found[f"gallery/{one.name}.md"] = (
            f"# {one.title}\n\n{one.text}\n\n![{one.title}]({one.image})\n\n"
            f"```python\n{one.code}```\n"
        )
    return found


def order() -> list[str]:
    """List the places of the pages in order."""
    return [f"gallery/{picture.name}" for picture in pictures()]


def main() -> None:
    """Draw the pictures, or those that are named."""
    os.environ.setdefault("MPLBACKEND", "agg")
    IMAGES.mkdir(exist_ok=True)
    for path in sorted(FOLDER.glob("[0-9]*.py")):
        if not sys.argv[1:] or any(word in path.stem for word in sys.argv[1:]):
            print(f"{draw(path, IMAGES).name}", flush=True)


if __name__ == "__main__":
    main()
