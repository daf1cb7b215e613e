"""The documentation's code runs, its numbers hold, and its pictures exist."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def load_build():
    spec = importlib.util.spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = load_build()
PAGES = [README, *build.guide_pages()]
MARKDOWN = [README, *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # whatever an example writes is thrown away
    images = tmp_path / "images"
    build.run_page(page, images)
    made = {path.name for path in images.iterdir()}
    shown = {Path(link).name for link in build.image_links(page.read_text(encoding="utf-8"))}
    assert page == README or made == shown  # a page shows what it draws, and draws what it shows


@pytest.mark.parametrize("page", MARKDOWN, ids=name_of)
def test_pictures_and_pages_linked_exist(page):
    text = page.read_text(encoding="utf-8")
    links = [*build.image_links(text), *build.page_links(text)]
    missing = [link for link in links if not (page.parent / link).exists()]
    assert missing == []


def test_a_block_knows_its_line():
    text = "# T\n\n```python\nx = 1\n```\n\n```\nno Python\n```\n\n```python\nx += 1\ny = x\n```\n"
    assert build.python_blocks(text) == [(4, "x = 1\n"), (12, "x += 1\ny = x\n")]
    assert build.python_blocks("# Nothing to run\n") == []


def test_blocks_share_names_and_errors_name_the_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\nThen\n\n```python\nassert x == 2\n```\n")
    with pytest.raises(AssertionError) as caught:
        build.run_page(page, tmp_path / "images")
    last = caught.traceback[-1]
    assert (Path(last.path), last.lineno + 1) == (page, 8)


def test_links_on_the_web_are_left_alone():
    text = "![a](images/a.png) ![b](https://example.org/b.png) [c](c.md#part) [d](#here)"
    assert build.image_links(text) == ["images/a.png"]
    assert build.page_links(text) == ["c.md"]
