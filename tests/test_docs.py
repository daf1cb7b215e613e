"""The documentation's code and commands run, its numbers hold, and its pictures exist."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def load_script(name):
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = load_script("build")
PHOTOGRAPHS = {f"{name}.png" for name in load_script("lab_pictures").PICTURES}
PAGES = [README, *build.guide_pages()]
MARKDOWN = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(path):
    return str(path.relative_to(ROOT))


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_runs(page, tmp_path):
    images, folder = tmp_path / "images", tmp_path / "folder"
    folder.mkdir()  # whatever an example writes is thrown away
    missing = build.run_page(page, images, folder)
    if missing:
        pytest.skip(f"there is no {' or '.join(missing)} here; all else on the page runs")
    made = {path.name for path in images.iterdir()}
    shown = {Path(link).name for link in build.image_links(page.read_text(encoding="utf-8"))}
    if page.name == "lab.md":
        assert shown == PHOTOGRAPHS
    elif page != README:
        assert made == shown - {
            "service.png"
        }  # but for a photograph, a page shows what it draws, and draws what it shows


@pytest.mark.parametrize("page", MARKDOWN, ids=name_of)
def test_pictures_and_pages_linked_exist(page):
    text = page.read_text(encoding="utf-8")
    links = [*build.image_links(text), *build.page_links(text)]
    missing = [link for link in links if not (page.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_consoles_fit_a_terminal(page):
    for block in build.page_blocks(page.read_text(encoding="utf-8")):
        if block.language == "console":
            long = [line for line in block.code.splitlines() if len(line) > 80]
            assert [line for line in long if not line.startswith("rosenblatt: ")] == []  # errors


def test_the_index_has_every_page():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    linked = {Path(link).name for link in build.page_links(index) if link.startswith("guide/")}
    assert linked == {page.name for page in build.guide_pages()}


def test_a_block_knows_its_line_and_language():
    text = "# T\n\n```python\nx = 1\n```\n\n```\nno Python\n```\n\n```console\n$ ls\nfile\n```\n"
    python, console = ("python", 4, "x = 1\n", "", ""), ("console", 12, "$ ls\nfile\n", "", "")
    assert build.page_blocks(text) == [python, console]
    assert build.page_blocks("# Nothing to run\n") == []


def test_a_block_knows_what_data_it_needs():
    block = "```python\nx = 1\n```\n"
    marks = "<!-- needs: w8a -->\n", "<!-- needs: nothing -->\n"
    text = block + marks[0] + block + block + marks[1] + block
    assert [found.needs for found in build.page_blocks(text)] == ["", "w8a", "w8a", ""]


def test_blocks_share_names_and_errors_name_the_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\nThen\n\n```python\nassert x == 2\n```\n")
    with pytest.raises(AssertionError) as caught:
        build.run_page(page, tmp_path / "images", tmp_path)
    last = caught.traceback[-1]
    assert (Path(last.path), last.lineno + 1) == (page, 8)


def test_a_page_can_read_itself(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("| 4 | 1.7 |\n\n```python\nassert '| 4 | 1.7 |' in PAGE.read_text()\n```\n")
    assert build.run_page(page, tmp_path / "images", tmp_path) == []


def page_of(tmp_path, *lines):
    page = tmp_path / "page.md"
    page.write_text("\n".join(lines) + "\n")
    return page


def test_blocks_share_a_folder(tmp_path):
    python = ("```python", "# say.py", "def say():", "    print('hello')", "```")
    console = ("```console", "$ python -c 'import say; say.say()' | tee said.txt", "hello", "```")
    after = (
        "```python",
        "from pathlib import Path",
        "assert Path('said.txt').read_text() == 'hello\\n'",
        "```",
    )
    page = page_of(tmp_path, *python, *console, *after)
    assert build.run_page(page, tmp_path / "images", tmp_path) == []
    assert (tmp_path / "said.txt").exists()


def test_blocks_without_their_data_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path / "nothing"))
    left_out, run = ("```python", "assert False", "```"), ("```console", "$ touch this", "```")
    marks = "<!-- needs: w8a -->", "<!-- needs: nothing -->"
    page = page_of(tmp_path, marks[0], *left_out, marks[1], *run)
    assert build.run_page(page, tmp_path / "images", tmp_path) == ["w8a"]
    assert (tmp_path / "this").exists()


def test_blocks_without_their_package_are_left_out(tmp_path):
    left_out, run = ("```python", "assert False", "```"), ("```console", "$ touch this", "```")
    marks = "<!-- needs: package no_such -->", "<!-- needs: package pytest -->"
    page = page_of(tmp_path, marks[0], *left_out, marks[1], *run)
    assert build.run_page(page, tmp_path / "images", tmp_path) == ["package no_such"]
    assert (tmp_path / "this").exists()


def test_commands_of_a_console():
    block = build.Block("console", 7, "$ cat <<E\n> a\n> E\na\n\n> b\n$ ls\n")
    first, second = ("cat <<E\na\nE\n", "a\n\n> b\n"), ("ls\n", "")
    assert build.commands(block) == [(7, *first), (13, *second)]
    with pytest.raises(ValueError, match="line 3: a console begins with a command"):
        build.commands(build.Block("console", 3, "a\n"))


def test_output_is_compared_where_it_is_shown(tmp_path):
    (tmp_path / "images").mkdir()

    def run(*lines):
        page = page_of(tmp_path, "```console", *lines, "```")
        return build.run_page(page, tmp_path / "images", tmp_path)

    assert run("$ echo a", "a", "$ echo b", "$ x=c", "$ echo $x >&2", "c") == []
    with pytest.raises(AssertionError, match=r"page\.md:4: echo b\nprinted\nb"):
        run("$ echo a", "a", "$ echo b", "c")
    with pytest.raises(AssertionError, match=r"page\.md:2: false\nended with 1"):
        run("$ false")
    with pytest.raises(AssertionError, match=r"page\.md:2: bash stopped"):
        run("$ exit 0", "$ echo b")


@pytest.mark.parametrize(
    ("shown", "output"),
    [
        ("5 passes in 0.11 s, 16.1 MB/s\n", "5 passes in 12 s, 1.2 GB/s\n"),
        ("1 pass in 0.11 s\n", "1 pass in 1:15\n"),
        ("1 pass in 0.1 s; the last weights", "1 pass in 3 s, 9.2 MB/s; the last weights"),
        ("   1  9  2  1.00%  1.23%  11,222  0 s\n", "   1  9  2  1.00%  1.23%  5,111  1:02\n"),
        ("   1  9  2  1.00%  1.23%  2  –  3.00%\n", "   1  9  2  1.00%  1.23%  5  1 s  3.00%\n"),
        ("   1  9  2  1.00%  1.23%  0.43  11,222  0 s\n", "   1  9  2  1.00%  1.23%  0.43  –  –\n"),
        ("saved       m.model, 186.6 kB\n", "saved       m.model, 1.2 MB\n"),
        ("a\n...\nb\n", "a\n1\n2\nb\n"),
        ("Killed\n", "bash: line 2: 16579 Killed                  timeout -s KILL 1 sleep 9\n"),
    ],
)
def test_times_and_sizes_may_differ(shown, output):
    assert build.is_shown(shown, output)


@pytest.mark.parametrize(
    ("shown", "output"),
    [
        ("5 passes in 1 s, 1.0 MB/s\n", "6 passes in 1 s, 1.0 MB/s\n"),
        ("1 pass in 1 s; the last weights", "1 pass in 1 s; the mean weights"),
        ("   1  9  2  1.00%  1.23%  11,222  0 s\n", "   1  9  2  1.00%  1.24%  11,222  0 s\n"),
        ("   1  9  2  1.00%  1.23%  2  –  3.00%\n", "   1  9  2  1.00%  1.23%  2  –  3.01%\n"),
        ("   1  9  2  1.00%  1.23%  0.43  9  0 s\n", "   1  9  2  1.00%  1.23%  0.44  9  0 s\n"),
        ("1.02% wrong, 16 of 1,574\n", "1.08% wrong, 17 of 1,574\n"),
        ("sms.txt: 5,574 examples, 477.9 kB\n", "sms.txt: 5,574 examples, 480.0 kB\n"),
        ("a\n", "a\nb\n"),
    ],
)
def test_nothing_else_may(shown, output):
    assert not build.is_shown(shown, output)


def test_links_on_the_web_are_left_alone():
    text = "![a](images/a.png) ![b](https://example.org/b.png) [c](c.md#part) [d](#here)"
    assert build.image_links(text) == ["images/a.png"]
    assert build.page_links(text) == ["c.md"]
