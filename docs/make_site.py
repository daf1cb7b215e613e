"""Build the site: ``python docs/make_site.py``, or ``make site``.

The pages are those of the repository, in ``docs`` and beside it, and three kinds that are made
here: the reference (`api`), the gallery and the notebooks. They are gathered in
``out/site/source``, where links that lead out of the site become links to the repository. Sphinx
writes HTML to ``out/site/html``, with warnings as errors, and all links within it are checked.
"""

import os
import re
import shutil
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent))

import api
import build
import gallery
import notebooks

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
OUT = ROOT / "out" / "site"
_PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SOURCE_URL = _PYPROJECT["project"]["urls"]["Repository"] + "/blob/main/"
_LINK = re.compile(r"(\]\()([^)\s]+)(\))")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
# Links and headings, in which a name is not made a link; or a name that stands alone as code.
_NAME = re.compile(r"!?\[[^\]]*\]\([^)]*\)|^#.*$|`(?P<name>[\w.]+)`", re.MULTILINE)
# How the sections of the site follow each other, and what the header calls them.
SECTIONS = {
    "guide/index": "Guide",
    "reference/index": "Reference",
    "gallery/index": "Gallery",
    "lectures/index": "Lectures",
    "benchmarks": "Benchmarks",
    "quality": "How well it predicts",
    "cluster-costs": "What a cluster costs",
    "compiled-code": "Compiled code",
    "learners": "The learners",
    "contributing": "Contributing",
    "adr/index": "Decisions",
    "security": "Security",
    "code_of_conduct": "Code of conduct",
    "changelog": "Changes",
}


def place_of(path: str) -> str | None:
    """Return where a file of the repository is in the site; None if it is not there."""
    if path == "docs/README.md":
        return "guide/index.md"
    if path.endswith("/README.md") and path.startswith("docs/"):
        return path.removeprefix("docs/").replace("README", "index")
    if path == "docs/site/index.md":
        return "index.md"
    if path.startswith("docs/site/"):
        return None
    if path.startswith("docs/gallery/") and path.endswith(".py"):
        return path.removeprefix("docs/").replace(".py", ".md")
    if path.startswith("docs/") and path.endswith((".md", ".png", ".gif", ".svg")):
        return path.removeprefix("docs/")
    if "/" not in path and path.endswith(".md") and path != "README.md":
        return path.lower()
    return None


def pages() -> Iterator[str]:
    """List the Markdown pages of the repository that are part of the site."""
    for path in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        if place_of(name) is not None:
            yield name


def moved_link(link: str, page: str) -> str:
    """Return a link of a page of the repository as it must be in the site."""
    target, hash_, anchor = link.partition("#")
    if not target or urlsplit(link).scheme:
        return link
    path = PurePosixPath(os.path.normpath(PurePosixPath(page).parent / target)).as_posix()
    place, here = place_of(path), place_of(page)
    assert here is not None
    if place is None:
        return SOURCE_URL + path + hash_ + anchor
    return os.path.relpath(place, PurePosixPath(here).parent) + hash_ + anchor


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Change Markdown, leaving code as it is."""
    parts, end = [], 0
    for code in build.CODE.finditer(text):
        parts += [change(text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, change(text[end:])])


def staged(page: str) -> str:
    """Return a page of the repository as Sphinx reads it."""
    text = (ROOT / page).read_text(encoding="utf-8")

    def change(part: str) -> str:
        return _LINK.sub(lambda link: link[1] + moved_link(link[2], page) + link[3], part)

    return with_names_linked(outside_code(text, change), page)


def with_names_linked(text: str, page: str) -> str:
    """Link the first mention of each class to the reference; in the lectures, of every name."""
    here = place_of(page)
    assert here is not None
    if not here.startswith(("guide/", "lectures/", "learners")):
        return text
    seen: set[str] = set()

    def linked(found: re.Match[str]) -> str:
        name = found["name"]
        place = api.place_of_name(name) if name else None
        every = here.startswith("lectures/")
        if place is None or name in seen or not (every or name[0].isupper()):
            return found[0]
        if not every:
            seen.add(name)
        return f"[{found[0]}]({os.path.relpath(place, PurePosixPath(here).parent)})"

    parts, end = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_NAME.sub(linked, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, _NAME.sub(linked, text[end:])])


def toctree(names: list[str]) -> str:
    """Return a hidden table of contents, which the theme shows above or beside the pages."""
    lines = "\n".join(
        f"{SECTIONS[name]} </{name}>" if name in SECTIONS else f"/{name}" for name in names
    )
    return f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{lines}\n```\n"


def gather() -> dict[str, str]:
    """Return the text of every page of the site by its place."""
    found = {place: staged(page) for page in pages() if (place := place_of(page)) is not None}
    found |= api.pages() | gallery.pages()
    guides = [f"guide/{path.name}" for path in build.guide_pages()]
    index = found["guide/index.md"]
    order = [f"guide/{link}" for link in build.page_links(index) if f"guide/{link}" in guides]
    for place in guides:
        name = PurePosixPath(place).with_suffix(".ipynb").name
        title, end, rest = found[place].partition("\n")
        note = f"\n{{download}}`Download as a notebook <{name}>`\n"
        found[place] = title + end + note + rest
    members = {
        "index.md": list(SECTIONS),
        "guide/index.md": order,
        **{
            f"{part}/index.md": sorted(
                place for place in found if place.startswith(f"{part}/") and "index" not in place
            )
            for part in ("adr", "lectures")
        },
        "reference/index.md": api.order(),
        "gallery/index.md": gallery.order(),
    }
    for place, names in members.items():
        listed = [name.removesuffix(".md") for name in dict.fromkeys(names)]
        found[place] += toctree([name for name in listed if f"{name}.md" in found])
    return found


def write(source: Path) -> None:
    """Write the pages and pictures of the site to a folder; what is unchanged stays as it is."""
    kept = set()

    def put(place: str, content: bytes) -> None:
        path = source / place
        kept.add(path)
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    for place, text in gather().items():
        put(place, text.encode())
    for path in build.guide_pages():
        put(f"guide/{path.stem}.ipynb", notebooks.notebook(path).encode())
    for path in DOCS.rglob("images/*"):
        put(path.relative_to(DOCS).as_posix(), path.read_bytes())
    for path in [path for path in source.rglob("*") if path.is_file() and path not in kept]:
        path.unlink()


class Links(HTMLParser):
    """What a page links to, and what can be linked to on it."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors.add(values.get("id") or "")
        for name in ("href", "src"):
            if link := values.get(name):
                self.links.append(link)


def broken_links(html: Path) -> list[str]:
    """List the links within a folder of pages that lead nowhere, and what comes from elsewhere."""
    parsed: dict[Path, Links] = {}
    for path in html.rglob("*.html"):
        if "_static" in path.parts:  # a template of the theme
            continue
        links = parsed[path] = Links()
        links.feed(path.read_text(encoding="utf-8"))
    broken = []
    for path, page in parsed.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            wrong = not target.exists()
            if parts.fragment and target in parsed:
                wrong = unquote(parts.fragment) not in parsed[target].anchors
            if wrong:
                broken.append(f"{path.relative_to(html)}: {link}")
    return sorted(set(broken))


def main() -> int:
    """Build the site and check it."""
    from sphinx.cmd.build import build_main

    start = time.perf_counter()
    write(OUT / "source")
    html = OUT / "html"
    if "--fresh" in sys.argv:
        shutil.rmtree(OUT / "doctrees", ignore_errors=True)
        shutil.rmtree(html, ignore_errors=True)
    options = ["-q", "-W", "--keep-going", "-n", "-j", "auto", "-c", str(DOCS / "site")]
    folders = ["-d", str(OUT / "doctrees"), str(OUT / "source"), str(html)]
    if build_main([*options, *folders]):
        return 1
    if broken := broken_links(html):
        print("Links that lead nowhere:", *broken, sep="\n  ", file=sys.stderr)
        return 1
    count = sum(1 for _ in html.rglob("*.html"))
    print(f"{count} pages in {time.perf_counter() - start:.1f} s: {html / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
