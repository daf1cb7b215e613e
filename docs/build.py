"""Run the code of every guide page, which draws the page's pictures.

Run it from anywhere: ``python docs/build.py``. A page's blocks run in order, as a reader would type
them, in a temporary folder. Python blocks share one namespace, which defines ``IMAGES``, the folder
for pictures, and ``PAGE``, the path of the page. A block that begins with a comment such as
``# log.py`` is also written to that file; what a block prints must be shown below it, in a block of
``output``. Console blocks are run by bash; see `run_console`.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout, suppress
from doctest import ELLIPSIS, OutputChecker
from fcntl import LOCK_EX, flock
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from signal import SIGKILL
from typing import Any, NamedTuple

DOCS = Path(__file__).resolve().parent
GUIDE = DOCS / "guide"

_BLOCK = re.compile(
    r"^```(?P<language>python|console)[ \t]*\n(?P<code>.*?)^```[ \t]*$"
    r"(?:\n+```output[ \t]*\n(?P<output>.*?)^```[ \t]*$)?"
    r"|^<!-- needs: (?P<needs>(?:package )?\w+) -->$",
    re.MULTILINE | re.DOTALL,
)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
FILE = re.compile(r"# (\w+\.py)\n")
_DONE = "=== done: "
# What differs between runs: times and rates, the size of a model's header, and how bash reports a
# killed process.
_VARIES = (
    (re.compile(r"(\.model), [\d.]+ (bytes|[kMG]B)$", re.MULTILINE), r"\1, SIZE"),
    (re.compile(r"\bin [\d.:]+( s)?(, [\d.,]+ \w+/s)?(?=;|$)", re.MULTILINE), "in TIME"),
    (
        re.compile(
            r"(%( +\d+\.\S+)?|–) +([\d,]+|–) +(\d+ s|[\d:]+|–)(?= +[\d.]+%( \*)?$|$)",
            re.MULTILINE,
        ),
        r"\1 TIME",
    ),
    (re.compile(r"^\S+:( line \d+:)? +\d+ Killed.*$", re.MULTILINE), "Killed"),
)


class Block(NamedTuple):
    """A block of a page: its language, first line number, what it needs, and what it prints."""

    language: str
    line: int
    code: str
    needs: str = ""
    output: str = ""


class Command(NamedTuple):
    """A console command, its line number, and the output that the page shows."""

    line: int
    text: str
    output: str


def guide_pages() -> list[Path]:
    """List the guide's pages."""
    return sorted(GUIDE.glob("*.md"))


def page_blocks(text: str) -> list[Block]:
    """Find the blocks of Markdown text that can be run.

    After a line ``<!-- needs: sms_spam -->`` they need this data set, and after ``<!-- needs:
    package river -->`` this package, until a line ``<!-- needs: nothing -->``.
    """
    found, needs = [], ""
    for match in _BLOCK.finditer(text):
        if match["needs"]:
            needs = "" if match["needs"] == "nothing" else match["needs"]
        else:
            line = text.count("\n", 0, match.start("code")) + 1
            output = match["output"] or ""
            found.append(Block(match["language"], line, match["code"], needs, output))
    return found


def commands(block: Block) -> list[Command]:
    """Find the commands of a console block: each begins with ``$``, and ``>`` continues it."""
    found: list[Command] = []
    typing = False
    for line, text in enumerate(block.code.splitlines(keepends=True), block.line):
        if text.startswith("$ "):
            found.append(Command(line, text[2:], ""))
        elif typing and text.startswith("> "):
            found[-1] = found[-1]._replace(text=found[-1].text + text[2:])
            continue
        elif not found:
            raise ValueError(f"line {line}: a console begins with a command, $ …")
        else:
            found[-1] = found[-1]._replace(output=found[-1].output + text)
        typing = text.startswith("$ ")
    return found


def image_links(text: str) -> list[str]:
    """Find the local pictures that Markdown text shows."""
    return _links(text, "!")


def page_links(text: str) -> list[str]:
    """Find the local files that Markdown text links to."""
    return _links(text, "")


def _links(text: str, mark: str) -> list[str]:
    found = _LINK.findall(CODE.sub("", text))
    return [link for before, link in found if before == mark and "://" not in link]


def run_page(path: Path, images: Path, folder: Path) -> list[str]:
    """Run a page's blocks in order in a folder, with pictures going to another.

    Return the data sets and packages that are not on this machine; their blocks were skipped.
    """
    images.mkdir(parents=True, exist_ok=True)
    names: dict[str, Any] = {"__name__": path.stem, "IMAGES": images, "PAGE": path.resolve()}
    missing = []
    text = path.read_text(encoding="utf-8")
    with chdir(folder), services(text, folder):
        for block in page_blocks(text):
            if block.needs and not is_here(block.needs):
                missing.append(block.needs)
            elif block.language == "python":
                run_python(path, block, names)
            else:
                run_console(path, block)
    return sorted(set(missing))


@contextmanager
def services(text: str, folder: Path) -> Iterator[None]:
    """Let one page at a time start a service, as all have the usual port, and stop what it left."""
    if "rosenblatt serve" not in text:
        yield
        return
    with (Path(tempfile.gettempdir()) / "rosenblatt-guide.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        try:
            yield
        finally:
            for path in folder.glob("*.pid"):
                with suppress(ProcessLookupError):
                    os.kill(int(path.read_text()), SIGKILL)


def is_here(needs: str) -> bool:
    """Say whether a data set, or a ``package NAME``, is on this machine."""
    from rosenblatt import datasets

    if needs.startswith("package "):
        return find_spec(needs.removeprefix("package ")) is not None
    return datasets.status(needs) == "here"


def run_python(path: Path, block: Block, names: dict[str, Any]) -> None:
    """Run a block of Python in a namespace.

    What it prints must be what the page shows, except for times and for what ``...`` matches.
    """
    file = FILE.match(block.code)
    if file:
        Path(file[1]).write_text(block.code, encoding="utf-8")
    # Blank lines before the code make tracebacks show the line number of the page.
    code = compile("\n" * (block.line - 1) + block.code, str(path), "exec")
    with redirect_stdout(StringIO()) as printed:
        exec(code, names)
    where = f"{path}:{block.line}: this block"
    assert is_shown(block.output, printed.getvalue()), f"{where} printed\n{printed.getvalue()}"


def run_console(path: Path, block: Block) -> None:
    """Run the commands of a console in one shell, 80 columns wide.

    If the page shows output, it must equal the actual output, except for times and for what ``...``
    matches. If it shows none, the command must exit with 0.
    """
    typed = commands(block)
    script = "exec 2>&1 </dev/null\n"
    script += "".join(f"{command.text}echo '{_DONE}'$?\n" for command in typed)
    with tempfile.TemporaryDirectory() as shims:
        shim = Path(shims, "rosenblatt")
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rosenblatt "$@"\n')
        shim.chmod(0o755)
        before = [shims, str(Path(sys.executable).parent), os.environ["PATH"]]
        variables = {"PATH": os.pathsep.join(before), "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
        run = subprocess.run(
            ["bash", "-c", script], env=os.environ | variables, stdout=subprocess.PIPE, check=False
        )
    parts = re.split(rf"{_DONE}(\d+)\n", run.stdout.decode())
    assert len(parts) == 2 * len(typed) + 1, f"{path}:{block.line}: bash stopped: {parts[-1]}"
    for command, output, status in zip(typed, parts[::2], parts[1::2], strict=False):
        where = f"{path}:{command.line}: {command.text}"
        if command.output:
            assert is_shown(command.output, output), f"{where}printed\n{output}"
        else:
            assert status == "0", f"{where}ended with {status} and\n{output}"


def is_shown(shown: str, output: str) -> bool:
    """Say whether the output shown on a page is what a command printed."""
    return OutputChecker().check_output(_plain(shown), _plain(output), ELLIPSIS)


def _plain(text: str) -> str:
    """Replace what differs between runs, and strip trailing blanks."""
    for pattern, instead in _VARIES:
        text = pattern.sub(instead, text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def main() -> None:
    """Run every page of the guide."""
    for page in guide_pages():
        print(f"{page.relative_to(DOCS.parent)} ...", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            missing = run_page(page, GUIDE / "images", Path(folder))
        if missing:
            print(f"  skipped the blocks that need {' or '.join(missing)}", flush=True)


if __name__ == "__main__":
    main()
