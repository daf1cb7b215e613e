"""The site: all public names are in the reference, pictures are drawn, notebooks run."""

import inspect
import json
import re
import subprocess
import sys
import tomllib
from importlib import import_module, util
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt import plot
from rosenblatt.cli.main import COMMANDS
from rosenblatt.lab.descent.problems import PROBLEMS
from rosenblatt.lab.plane.presets import PRESETS
from rosenblatt.learner_registry import LEARNERS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = sorted((DOCS / "guide").glob("*.md"))


@pytest.fixture(scope="module", autouse=True)
def scripts():
    """Import the scripts of ``docs`` as they import each other."""
    names = ("api", "build", "gallery", "make_site", "notebooks")
    sys.path.insert(0, str(DOCS))
    yield {name: import_module(name) for name in names}
    sys.path.remove(str(DOCS))
    for name in names:
        sys.modules.pop(name, None)


def documented(name):
    return getattr(import_module("rosenblatt"), name)


def test_every_public_name_is_in_the_reference(scripts):
    pages = scripts["api"].pages()
    listed = {name for names in scripts["api"].TOPICS.values() for name in names}
    assert listed == {name for name in rosenblatt.__all__ if name != "__version__"}
    for name in scripts["api"].public_names():
        part, _, rest = name.rpartition(".")
        page = pages[f"reference/{part or name}.md"]
        assert f"# {rest or name}\n" in page


@pytest.mark.parametrize("part", sorted(rosenblatt._PARTS))
def test_every_part_with_public_names_has_a_page(scripts, part):
    has_names = hasattr(import_module(f"rosenblatt.{part}"), "__all__")
    assert has_names == (part in scripts["api"].PARTS)


def test_a_name_has_an_example_and_all_parameters(scripts):
    """Those of `rosenblatt.reference` are shown as code instead, which is short."""
    api, found = scripts["api"], []
    for name in [*(f"rosenblatt.{name}" for name in api.public_names()), *api.RESULTS]:
        module, _, rest = name.rpartition(".")
        value = getattr(import_module(module), rest)
        if inspect.ismodule(value):  # pytest has imported it once more, for its examples
            value = getattr(value, rest)
        text = inspect.getdoc(value)
        if ">>> " not in text:
            found.append(f"{name} has no example")
        if module == "rosenblatt.reference" or is_error(value):
            continue
        described = re.findall(r"^([*\w, ]+?)(?: : |$)", text, re.MULTILINE)
        words = {word.strip(" *") for line in described for word in line.split(",")}
        missing = [word for word in inspect.signature(value).parameters if word not in words]
        found += [f"{name} does not describe {word}" for word in missing]
    assert found == []


def test_what_the_reference_leaves_out_exists_and_is_not_in_the_guide(scripts):
    classes = [documented(name) for name in rosenblatt.__all__ if inspect.isclass(documented(name))]
    guide = "".join(path.read_text(encoding="utf-8") for path in GUIDE)
    for name in scripts["api"].INTERNAL:
        assert any(hasattr(each, name) for each in classes), name
        assert f".{name}(" not in guide


def is_error(value):
    return inspect.isclass(value) and issubclass(value, Exception)


@pytest.mark.parametrize("name", [row.estimator for row in LEARNERS.values()])
def test_an_estimator_has_a_formula(name):
    assert re.search(r"``[^`]*[=←≤Σ][^`]*``", inspect.getdoc(documented(name)))


def test_pages_of_the_guide_explain_what_the_reference_says(scripts):
    """The heading exists: `_title` fails otherwise. And the page has the name."""
    api = scripts["api"]
    for names in api.TOPICS.values():
        for name, guide in names.items():
            page, _, anchor = guide.partition("#")
            assert api._title(page, anchor)
            assert re.search(rf"\b{name}\b", (DOCS / "guide" / page).read_text(encoding="utf-8"))


def test_the_gallery_has_twenty_pictures_and_every_kind_of_plot(scripts):
    shown = scripts["gallery"].pictures()
    assert len(shown) >= 20
    images = {path.name for path in (DOCS / "gallery" / "images").iterdir()}
    assert {Path(picture.image).name for picture in shown} == images
    code = "".join(picture.code for picture in shown)
    assert [name for name in plot.__all__ if name not in code] == []


@pytest.mark.parametrize("path", sorted((DOCS / "gallery").glob("[0-9]*.py")), ids=lambda p: p.stem)
@pytest.mark.slow
def test_a_picture_is_drawn_and_something_printed(scripts, path, tmp_path, capsys):
    drawn = scripts["gallery"].draw(path, tmp_path)
    assert drawn.stat().st_size > 5_000
    assert drawn.suffix == Path(scripts["gallery"].picture(path).image).suffix
    assert capsys.readouterr().out


def test_lectures_name_what_exists(scripts):
    pages = sorted((DOCS / "lectures").glob("deck-*.md"))
    assert len(pages) == 5
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"`(?:rosenblatt\.)?([A-Za-z_]\w*(?:\.\w+)*)`", text):
            if name[0].isupper() or "." in name:
                found = rosenblatt
                for part in name.split("."):
                    found = getattr(found, part)
        for command in re.findall(r"`rosenblatt (\w+)", text):
            assert command in COMMANDS
        for learner in re.findall(r"--learner ([\w-]+)", text):
            assert learner in LEARNERS
        for preset in re.findall(r"preset=([\w-]+)", text):
            assert preset in PRESETS
        for problem in re.findall(r"problem=([\w-]+)", text):
            assert problem in PROBLEMS
        for screen in re.findall(r"'#/(\w+)", text):
            assert (ROOT / f"src/rosenblatt/lab/screens/{screen}.py").exists()


def test_the_readme_is_short():
    assert len(README.split()) <= 900


def test_the_readme_has_its_first_commands_first():
    assert README.index("make demo") < README.index("make test") < README.index("pip install")


def test_links_of_the_readme_are_absolute_on_the_index():
    spec = util.spec_from_file_location("setup_script", ROOT / "setup.py")
    script = util.module_from_spec(spec)
    spec.loader.exec_module(script)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    home = project["urls"]["Repository"]
    links = re.findall(r"\]\(([^)\s]+)\)", script.absolute(README, home))
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    assert f"{home}/raw/main/docs/guide/images/learning.gif" in links
    assert f"{home}/blob/main/docs/README.md" in links


def test_rows_of_the_readme_are_those_of_the_benchmarks():
    rows = re.findall(r"^\| .*×.* \|$", README.partition("## How fast it is")[2], re.MULTILINE)
    benchmarks = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert len(rows) == 6
    for row in rows:
        its, ours, ratio = (cell.strip() for cell in row.strip("|").split("|")[-3:])
        assert f"| {its} | {ours} | {ratio} |" in benchmarks


def test_links_out_of_the_site_lead_to_the_repository(scripts):
    site = scripts["make_site"]
    moved = site.moved_link
    assert moved("../README.md#the-lectures", "docs/guide/lab.md") == "index.md#the-lectures"
    assert moved("../../src/rosenblatt", "docs/guide/lab.md") == site.SOURCE_URL + "src/rosenblatt"
    assert moved("docs/adr/README.md", "CONTRIBUTING.md") == "adr/index.md"
    assert moved("https://example.org/a.md", "CONTRIBUTING.md") == "https://example.org/a.md"
    assert moved("#here", "CONTRIBUTING.md") == "#here"


def test_links_that_lead_nowhere_are_found(scripts, tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#x"></a><img src="c.png"><a href="#y"></a>')
    (tmp_path / "b.html").write_text('<p id="x"></p><a href="a.html"></a><a href="https://e.org">')
    assert scripts["make_site"].broken_links(tmp_path) == ["a.html: #y", "a.html: c.png"]


def test_names_are_linked_outside_code_and_links(scripts):
    text = "# `AROW`\n\n`AROW`, `AROW` [`LinearSVM`](x.md)\n\n```\n`AROW`\n```\n"
    linked = scripts["make_site"].with_names_linked(text, "docs/guide/lab.md")
    assert linked == text.replace("\n`AROW`,", "\n[`AROW`](../reference/AROW.md),")


def notebook_of(scripts, text, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(text)
    return json.loads(scripts["notebooks"].notebook(page))


def test_a_page_becomes_a_notebook(scripts, tmp_path):
    text = "# T\n\nSee [a](b.md).\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n\n"
    text += "<!-- needs: w8a -->\n\n```console\n$ ls\nfile\n```\n"
    cells = notebook_of(scripts, text, tmp_path)["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "code"]
    assert ["".join(cell["source"]) for cell in cells[1:]] == [
        "print(1)",
        "%%bash --no-raise-error\nls",
    ]
    assert "/guide/b.html)" in "".join(cells[0]["source"])


def cells_of(scripts, path, kind="code"):
    cells = json.loads(scripts["notebooks"].notebook(path))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


@pytest.mark.parametrize("path", GUIDE, ids=lambda path: path.stem)
def test_cells_of_a_notebook_are_the_code_of_its_page(scripts, path):
    """That code is run with the page; only where it finds pictures, tables and files differs."""
    import nbformat

    nbformat.validate(nbformat.reads(scripts["notebooks"].notebook(path), as_version=4))
    build, expected = scripts["build"], []
    text = path.read_text(encoding="utf-8")
    for block in build.page_blocks(text):
        code = block.code.replace('Path("docs/guide/images")', 'Path(".")')
        code = code.replace(f'Path("docs/guide/{path.name}")', f'Path("{path.name}")').strip("\n")
        file = re.match(r"# (\w+)\.py\n", code)
        if block.language == "console":
            typed = "".join(command.text for command in build.commands(block)).rstrip("\n")
            expected.append(f"%%bash --no-raise-error\n{typed}")
        elif file:
            expected += [f"%%writefile {file[1]}.py\n{code}", f"from {file[1]} import *"]
        else:
            expected.append(code)
    cells = cells_of(scripts, path)
    table = f"%%writefile {path.name}\n"
    assert [cell for cell in cells if not cell.startswith(table)] == expected
    # What a page's test provides, a notebook makes itself before it is used.
    code = "\n".join(cells)
    for name in ("IMAGES", "PAGE"):
        assert (use := re.search(rf"\b{name}\b.*", code)) is None or use[0].startswith(
            f'{name} = globals().get("{name}", Path("'
        )
    assert (table in code) == ("PAGE" in code)
    shown = build.image_links("\n\n".join(cells_of(scripts, path, "markdown")))
    pictures = [Path(link).name for link in build.image_links(text)]
    assert shown == [name for name in pictures if not name.startswith("lab-")]


def differs_in_a_notebook(text):
    """Tell whether a page's code does there what it does nowhere else.

    It writes and imports a file, reads a table that comes along, or starts threads or processes
    beside those of the kernel.
    """
    return re.search(
        r"^# \w+\.py$|\bPAGE\b|\b(threading|concurrent|local_client)\b", text, re.MULTILINE
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [path for path in GUIDE if differs_in_a_notebook(path.read_text(encoding="utf-8"))],
    ids=lambda path: path.stem,
)
def test_notebooks_of_the_guide_run(scripts, path, tmp_path, monkeypatch):
    import nbformat
    from nbclient import NotebookClient

    blocks = scripts["build"].page_blocks(path.read_text(encoding="utf-8"))
    needs = {block.needs for block in blocks if block.needs}
    missing = sorted(name for name in needs if not scripts["build"].is_here(name))
    if missing:
        pytest.skip(f"there is no {' or '.join(missing)} here")
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    command = bin_ / "rosenblatt"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rosenblatt "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:{Path(sys.executable).parent}", prepend=":")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    book = nbformat.reads(scripts["notebooks"].notebook(path), as_version=4)
    cells = [cell.source for cell in book.cells if cell.cell_type == "code"]
    if not any(cell.startswith("%%writefile") and ".py" in cell.split("\n")[0] for cell in cells):
        # Nothing here is for the consoles, which bash runs as it does for the page.
        book.cells = [cell for cell in book.cells if not cell.source.startswith("%%bash")]
    folder = {"metadata": {"path": str(tmp_path)}}
    with scripts["build"].services(path.read_text(encoding="utf-8"), tmp_path):
        NotebookClient(book, timeout=600, kernel_name="python3", resources=folder).execute()
    nbformat.validate(book)
    shown = scripts["build"].image_links("".join(cell.source + "\n\n" for cell in book.cells))
    drawn = [link for link in shown if Path(link).name != "service.png"]  # a photograph
    assert [link for link in drawn if not (tmp_path / link).exists()] == []


@pytest.mark.slow
def test_the_site_builds_without_a_warning():
    pytest.importorskip("sphinx", reason="the site needs the extra docs; `make site` installs it")
    done = subprocess.run(
        [sys.executable, DOCS / "make_site.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
