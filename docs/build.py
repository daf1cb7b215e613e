"""Run the code of every guide page, which draws the page's pictures.

Run it from anywhere: ``python docs/build.py``. A page's blocks run in order in one namespace, as a
reader would type them. The name ``IMAGES`` is there from the start: the folder for pictures.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).resolve().parent
GUIDE = DOCS / "guide"

_BLOCK = re.compile(r"^```python[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


class Block(NamedTuple):
    """Code of a page, and the number of its first line there."""

    line: int
    code: str


def guide_pages() -> list[Path]:
    """List the guide's pages."""
    return sorted(GUIDE.glob("*.md"))


def python_blocks(text: str) -> list[Block]:
    """Find the blocks of Python code in Markdown text."""
    return [
        Block(text.count("\n", 0, found.start(1)) + 1, found[1]) for found in _BLOCK.finditer(text)
    ]


def image_links(text: str) -> list[str]:
    """Find the pictures that Markdown text shows, apart from those on the web."""
    return _links(text, "!")


def page_links(text: str) -> list[str]:
    """Find the files that Markdown text links to, apart from those on the web."""
    return _links(text, "")


def _links(text: str, mark: str) -> list[str]:
    found = _LINK.findall(_CODE.sub("", text))
    return [link for before, link in found if before == mark and "://" not in link]


def run_page(path: Path, images: Path) -> dict[str, Any]:
    """Run a page's blocks in order, with pictures going to a folder; return the names it made."""
    images.mkdir(parents=True, exist_ok=True)
    names: dict[str, Any] = {"__name__": path.stem, "IMAGES": images}
    for line, code in python_blocks(path.read_text(encoding="utf-8")):
        # Empty lines before the code make a traceback name the line of the page.
        exec(compile("\n" * (line - 1) + code, str(path), "exec"), names)
    return names


def main() -> None:
    """Run every page of the guide."""
    for page in guide_pages():
        print(f"{page.relative_to(DOCS.parent)} ...", flush=True)
        run_page(page, GUIDE / "images")


if __name__ == "__main__":
    main()
