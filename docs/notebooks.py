"""The guide's pages as notebooks: text becomes Markdown cells, and each block of code a cell.

`make_site` writes them beside the pages, to download. A console becomes a cell of bash; what it
printed is left out, as are the outputs of Python, which appear when a cell runs. A downloaded
notebook is alone: its links lead to the site, its pictures go to the folder it is in, and a page
that reads a table of its own gets a file of it.
"""

import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import build

_ROOT = Path(__file__).resolve().parent.parent
_SITE = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
_COMMENT = re.compile(r"^<!-- .*? -->\n", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!\w+:)([^)\s]+)\)")
_FENCE = re.compile(
    r"^```(?P<language>python|console|output)[ \t]*\n(?P<code>.*?)^```[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_SHOWN = re.compile(r"^!\[([^\]]*)\]\(images/([^)]+)\)$", re.MULTILINE)
_FOLDER = 'Path("docs/guide/images")'
_PAGE = re.compile(r'Path\("docs/guide/([\w-]+\.md)"\)')
_MARK = "<!-- table -->"


def notebook(page: Path) -> str:
    """Return a page of the guide as the text of a notebook."""
    written = page.read_text(encoding="utf-8")
    text = _COMMENT.sub("", written)
    cells: list[dict[str, Any]] = []
    end = 0
    for block in _FENCE.finditer(text):
        _add_text(cells, text[end : block.start()])
        end = block.end()
        if block["language"] == "python":
            if page_read := _PAGE.search(block["code"]):
                table = _MARK.join(["", written.split(_MARK)[1], ""])
                _add(cells, "code", f"%%writefile {page_read[1]}\n{table}")
            code = _PAGE.sub(r'Path("\1")', block["code"].replace(_FOLDER, 'Path(".")'))
            if file := build.FILE.match(code):
                _add(cells, "code", f"%%writefile {file[1]}\n{code}")
                code = f"from {file[1].removesuffix('.py')} import *"
            _add(cells, "code", code)
        elif block["language"] == "console":
            commands = build.commands(build.Block("console", 0, block["code"]))
            _add(
                cells,
                "code",
                "%%bash --no-raise-error\n" + "".join(command.text for command in commands),
            )
    _add_text(cells, text[end:])
    content = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _add_text(cells: list[dict[str, Any]], text: str) -> None:
    text = _SHOWN.sub(lambda shown: f"![{shown[1]}]({_picture(shown[2])})", text)
    text = _LINK.sub(lambda link: f"[{link[1]}]({_on_site(link[2])})", text)
    _add(cells, "markdown", text)


def _picture(name: str) -> str:
    """Return where a notebook finds a picture: it draws all but those of the lab."""
    return f"{_SITE['Documentation']}/_images/{name}" if name.startswith("lab-") else name


def _on_site(link: str) -> str:
    base = _SITE["Documentation"].rstrip("/")
    target, hash_, anchor = link.partition("#")
    if not target:
        return link
    parts = target.split("/")
    up = parts.count("..")
    rest = "/".join(part for part in parts if part != "..").replace("README.md", "index.md")
    folder = "guide/" if up == 0 or rest == "index.md" else ""
    return f"{base}/{folder}{rest.replace('.md', '.html')}{hash_}{anchor}"


def _add(cells: list[dict[str, Any]], kind: str, text: str) -> None:
    text = text.strip("\n")
    if not text.strip():
        return
    # A cell's name is the same each time, so that the same page is the same file.
    name = hashlib.sha256(f"{len(cells)} {text}".encode()).hexdigest()[:12]
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    cells.append(cell | {"source": text.splitlines(keepends=True)})
