"""What can be taken along: a link, a picture, the points, the code."""

from xml.etree import ElementTree

import pytest
from matplotlib.image import imread
from playwright.sync_api import expect

from tests.lab.pretended import pretend
from tests.lab.watching import Watch

READY = "body[data-state=ready]"


@pytest.fixture
def watch(slow_lab):
    """The usual lab need not run."""
    return Watch({slow_lab.origin})


@pytest.fixture
def page(page, slow_lab):
    pretend(page).goto(f"{slow_lab.url}#/second?n=3")
    page.wait_for_selector(READY, state="attached")
    return page


def take(page, kind, folder):
    """Take something along; return the file."""
    page.click("#take")
    with page.expect_download() as download:
        page.click(f"[data-take={kind}]")
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def test_a_link(page):
    page.click("#more")
    page.click("#take")
    page.click("[data-take=link]")  # before the address was written by itself
    expect(page.locator("#taken-text")).to_have_text(page.url)
    assert page.url.endswith("#/second?n=4")
    expect(page.locator("#taken-command")).to_have_text("rosenblatt lab '#/second?n=4'")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.evaluate("() => { location.hash = `#/second?n=5&it='s`; }")  # a quote would end the text
    page.click("#take")
    page.click("[data-take=link]")
    command = "rosenblatt lab '#/second?n=5&it=%27s'"
    expect(page.locator("#taken-command")).to_have_text(command)


def test_a_drawing(page, tmp_path):
    file = take(page, "svg", tmp_path)
    assert file.name == "the-second.svg"
    drawing = ElementTree.parse(file).getroot()
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    assert (drawing.get("width"), drawing.get("height")) == ("200", "100")
    text = file.read_text()
    assert "var(" not in text  # style sheets are not taken along
    assert "unseen" not in text
    assert 'id="left"' in text  # what others in it refer to
    ground, _, clipped, circle = list(drawing)[:4]
    assert ground.get("fill") == "rgb(246, 245, 241)"
    assert clipped.get("fill") == "rgb(224, 138, 0)"
    assert circle.get("fill") == "rgb(0, 0, 255)"


def test_a_picture(page, tmp_path):
    file = take(page, "png", tmp_path)
    assert file.name == "the-second.png"
    pixels = (255 * imread(file)).round().astype(int)
    assert pixels.shape == (200, 400, 4)
    assert pixels[100, 50].tolist() == [224, 138, 0, 255]
    assert pixels[100, 300].tolist() == [0, 0, 255, 255]
    assert pixels[5, 395].tolist() == [246, 245, 241, 255]


def test_a_drawing_that_is_not_on_the_page(page):
    """A screen may make one for the purpose; the style sheets hold for it too."""
    code = """async (base) => {
      const {svgText} = await import(`${base}js/take.js`);
      const {s} = await import(`${base}js/dom.js`);
      const made = s('svg', {viewBox: '0 0 640 480'}, s('rect', {fill: 'var(--class-0)'}));
      const before = document.body.childElementCount;
      const text = svgText(made);
      return [text, document.body.childElementCount - before];
    }"""
    text, left = page.evaluate(code, page.url.split("#")[0])
    drawing = ElementTree.fromstring(text)
    assert (drawing.get("width"), drawing.get("height")) == ("640", "480")
    assert drawing[1].get("fill") == "rgb(0, 114, 178)"
    assert left == 0


def test_the_points(page, tmp_path):
    file = take(page, "csv", tmp_path)
    assert file.name == "the-second.csv"
    assert file.read_text() == "x1,x2,class\n1,2,a\n"


@pytest.mark.quick
def test_the_code(page, tmp_path):
    page.click("#take")
    page.click("[data-take=code]")
    expect(page.locator("dialog #taken-text")).to_have_text("print(3)\n")
    with page.expect_download() as download:
        page.click("text=Save the-second.py")
    download.value.save_as(tmp_path / "code.py")
    assert (tmp_path / "code.py").read_text() == "print(3)\n"


def test_it_is_copied(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#take")
    page.click("[data-take=code]")
    page.click("dialog >> text=Copy")
    expect(page.locator("dialog .primary")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "print(3)\n"


def test_what_does_not_work_says_so(page):
    page.evaluate("() => { URL.createObjectURL = () => { throw new Error('no room'); }; }")
    page.click("#take")
    page.click("[data-take=svg]")
    expect(page.locator("dialog")).to_contain_text("That did not work")
    expect(page.locator("dialog")).to_contain_text("no room")


def test_a_screen_without_pictures_offers_none(page):
    page.evaluate(
        """async (base) => {
          const {SCREENS} = await import(`${base}js/screens.js`);
          SCREENS.first.open = () => ({});
        }""",
        page.url.split("#")[0],
    )
    page.click("text=First")
    page.click("#take")
    expect(page.locator("#take-menu button")).to_have_text(["Link to this"])


def test_by_keys(page):
    page.focus("#take")
    page.keyboard.press("Enter")
    items = page.locator("#take-menu button")
    expect(items).to_have_count(5)
    expect(items.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(items.nth(4)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_contain_text("The same in Python")
    page.keyboard.press("Escape")
    expect(page.locator("#take")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator("#take-menu")).to_be_hidden()
    expect(page.locator("#take")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(5):
        page.keyboard.press("Tab")
    expect(page.locator("#take-menu")).to_be_hidden()
    expect(page.locator("#theme")).to_be_focused()


def test_a_click_elsewhere_closes_it(page):
    page.click("#take")
    page.click("main p")
    expect(page.locator("#take-menu")).to_be_hidden()
    expect(page.locator("#take")).to_have_attribute("aria-expanded", "false")
