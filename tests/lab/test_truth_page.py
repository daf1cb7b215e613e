"""The screen of truth tables in a browser."""

from itertools import count
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from rosenblatt.lab.truth.functions import outputs_of, presets, threshold_functions
from tests.lab.watching import Watch

PARITY, PAIRS = 105, 4383
PROJECTOR = {"width": 1280, "height": 720}
turns = count()
SHOWN = """() => [
  document.querySelector('#truth-answer .badge').textContent,
  document.querySelectorAll('#truth-picture .meeting').length,
  [...document.querySelectorAll('#truth-table .output')].map((one) => one.textContent).join(''),
  document.querySelector('#truth-preset').value,
  document.querySelector('#truth-number').value]"""


@pytest.fixture(scope="module")
def shared(browser, lab):
    """One page for all tests here: a state is shown by its address."""
    watch = Watch({lab.origin})
    page = browser.new_page(viewport=PROJECTOR)
    page.set_default_timeout(20_000)
    watch.over(page)
    page.goto(f"{lab.url}#/truth")
    page.wait_for_selector("#truth-title", timeout=60_000)
    yield page
    page.close()
    assert not watch.faults(), "\n".join(watch.faults())


@pytest.fixture
def show(shared):
    """Show a state, and wait until it is answered."""

    def open_(state="n=2&f=1"):
        known = parse_qs(state)
        n, number = int(known.get("n", "2")[0]), int(known.get("f", "1")[0])
        # The address must change, whatever it was: one that is still due would be overtaken.
        again = f"{state}&again={next(turns)}"
        shared.evaluate("state => { location.hash = `#/truth?${state}`; }", again)
        digits = "".join(map(str, outputs_of(n, number)))
        expect(shared.locator("#truth-answer")).to_contain_text(f"f = {digits}")
        expect(shared.locator("#truth-fact")).to_contain_text(f"functions of {n} inputs")
        return shared

    yield open_
    shared.set_viewport_size(PROJECTOR)


def outputs(page):
    return [int(one) for one in page.locator("#truth-table .output").all_inner_texts()]


def corners(page):
    """Return where the picture has its corners."""
    return page.locator("#truth-picture .corner circle:not(.ring)").evaluate_all(
        "all => all.map((one) => [one.getAttribute('cx'), one.getAttribute('cy')])"
    )


@pytest.mark.quick
def test_and_is_a_unit(show):
    page = show("n=2&f=1&row=2")
    expect(page.locator("#truth-formula")).to_have_text("x1 + x2 ≥ 2")
    expect(page.locator("#truth-sign")).to_contain_text("sign(x1 + x2 − 2)")
    expect(page.locator("#truth-computed")).to_have_text("1·1 + 1·0 = 1 < 2 → 0")
    expect(page.locator("#truth-fact")).to_contain_text("14 of the 16 functions of 2 inputs")
    expect(page.locator("#truth-fact strong")).to_have_text("This is one of them.")
    expect(page.locator("#truth-picture .border")).to_be_visible()
    page.click("#truth-table [data-row='3'] [role=cell]")  # a click on the row, not on its output
    expect(page.locator("#truth-computed")).to_have_text("1·1 + 1·1 = 2 ≥ 2 → 1")
    assert outputs(page) == [0, 0, 0, 1]


@pytest.mark.quick
def test_xor_is_none(show):
    page = show("n=2&f=6")
    expect(page.locator("#truth-answer .badge")).to_have_text("✗ No threshold function")
    expect(page.locator("#truth-why")).to_contain_text("The rows 01 and 10 are 1")
    expect(page.locator("#truth-proof td")).to_contain_text(["01", "1", "½", "w2 ≥ θ"])
    expect(page.locator("#truth-clash")).to_contain_text("½·w1 + ½·w2 < θ")
    expect(page.locator("#truth-picture .hull line")).to_have_count(2)
    expect(page.locator("#truth-picture .meeting")).to_have_text("(½, ½)")
    expect(page.locator("#truth-table .proof")).to_have_count(4)


def test_each_preset(show):
    page = show()
    for one in presets():
        page.select_option("#truth-preset", one.key)
        expect(page.locator("#truth-title")).to_have_text(one.title)
        yes = bool(threshold_functions(one.n)[one.number])
        digits = "".join(map(str, outputs_of(one.n, one.number)))
        shown = page.evaluate(SHOWN)
        badge = "✓ Threshold function" if yes else "✗ No threshold function"
        assert shown == [badge, int(not yes), digits, one.key, str(one.number)]


@pytest.mark.quick
def test_the_keyboard_sets_outputs(show):
    page = show("n=2&f=1&row=0")
    page.locator("#truth-table .output").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(page.locator("#truth-title")).to_have_text("x2")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#truth-title")).to_have_text("OR")
    page.keyboard.press("End")
    page.keyboard.press("Space")
    expect(page.locator("#truth-title")).to_have_text("XOR: one or the other")
    assert outputs(page) == [0, 1, 1, 0]
    page.keyboard.press("ArrowDown")  # there is no further row
    expect(page.locator("#truth-computed")).to_have_text("Row 11 asks for w1 + w2 < θ.")


@pytest.mark.quick
def test_buttons(show):
    page = show("n=3&f=23")
    page.click("text=Invert")
    expect(page.locator("#truth-number")).to_have_value("232")
    page.click("text=All 1")
    expect(page.locator("#truth-formula")).to_have_text("0 ≥ 0")
    page.click("text=All 0")
    expect(page.locator("#truth-title")).to_have_text("Always 0")
    page.click("text=Random")
    expect(page.locator("#truth-answer .badge")).to_be_visible()
    page.click(".segmented [data-n='4']")
    expect(page.locator("#truth-title")).to_have_text("AND of 4")
    expect(page.locator("#truth-table .output")).to_have_count(16)


def test_numbers_and_the_search(show):
    page = show("n=2&f=0")
    page.click("#truth-next-no")
    expect(page.locator("#truth-number")).to_have_value("6")
    page.click("#truth-next")
    expect(page.locator("#truth-title")).to_have_text("OR")
    page.click("#truth-before-no")
    expect(page.locator("#truth-number")).to_have_value("6")
    page.click("#truth-previous")
    expect(page.locator("#truth-title")).to_have_text("x2")
    for typed, becomes in (("9", "9"), ("16", "9"), ("-1", "9"), ("2.5", "9"), ("", "9")):
        page.fill("#truth-number", typed)
        page.press("#truth-number", "Enter")
        page.locator("#truth-number").blur()
        expect(page.locator("#truth-number")).to_have_value(becomes)
    expect(page.locator("#truth-title")).to_contain_text("XNOR")


@pytest.mark.quick
def test_the_map_chooses(show):
    page = show("n=2&f=0")
    size = page.locator("#truth-map").bounding_box()["width"]
    page.click("#truth-map", position={"x": size * 0.6, "y": size * 0.4})  # third, second row
    expect(page.locator("#truth-number")).to_have_value("6")
    page.locator("#truth-map").press("ArrowRight")
    expect(page.locator("#truth-number")).to_have_value("7")
    page.locator("#truth-map").press("ArrowUp")
    expect(page.locator("#truth-number")).to_have_value("3")
    page.click(".segmented [data-n='4']")
    expect(page.locator("#truth-fact")).to_contain_text("1,882 of the 65,536")
    page.click("#truth-map", position={"x": 31.5, "y": 17.5})
    expect(page.locator("#truth-number")).to_have_value(str(17 * 256 + 31))
    expect(page.locator("#truth-title")).to_have_text("(x1 ∧ x2) ∨ (x3 ∧ x4)")
    expect(page.locator("#truth-fact strong")).to_have_text("This is one of the other 63,654.")


@pytest.mark.quick
def test_the_cube_turns(show):
    page = show(f"n=3&f={PARITY}")
    before = corners(page)
    page.locator("#truth-picture").press("ArrowLeft")
    turned = corners(page)
    assert turned != before
    box = page.locator("#truth-picture").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 0.6 * box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 20, steps=4)
    page.mouse.up()
    assert corners(page) not in (before, turned)
    assert outputs(page) == outputs_of(3, PARITY)
    page.click("#truth-front")
    assert corners(page) == before
    expect(page.locator("#truth-front")).to_be_hidden()


def test_corners_are_chosen_then_flipped(show):
    page = show(f"n=4&f={PAIRS}")
    expect(page.locator("#truth-picture .hull line")).to_have_count(2)
    corner = page.locator("#truth-picture [data-row='5'] .digit")
    corner.click()
    expect(page.locator("#truth-computed")).to_have_text("Row 0101 asks for w2 + w4 < θ.")
    corner.click()
    expect(page.locator("#truth-table [data-row='5'] .output")).to_have_text("1")


def test_a_link_shows_the_same(show, new_page, open_page):
    page = show("n=4&f=31&row=13")
    page.locator("#truth-picture").press("ArrowUp")
    page.click("#truth-table [data-row='11'] [role=cell]")
    page.click("#take")
    page.click("[data-take=link]")
    link = page.inner_text("#taken-text")
    page.keyboard.press("Escape")
    assert link.endswith("#/truth?n=4&f=31&row=11&turn=115,19")
    other = open_page(link, new_page())
    expect(other.locator("#truth-formula")).to_have_text("3·x1 + 2·x2 + x3 + x4 ≥ 5")
    expect(other.locator("#truth-computed")).to_have_text("3·1 + 2·0 + 1·1 + 1·1 = 5 ≥ 5 → 1")
    assert corners(other) == corners(page)


def test_addresses_that_make_no_sense(show):
    for state in ("n=9&f=1", "n=2&f=99", "f=x&row=7&turn=a,b", "n=2&f=-1&turn=999,1e9", ""):
        page = show("n=2&f=6")
        page.evaluate("state => { location.hash = `#/truth?${state}`; }", state)
        expect(page.locator("#truth-title")).to_have_text("AND")
        expect(page.locator("#truth-computed")).to_have_text("1·1 + 1·1 = 2 ≥ 2 → 1")


def test_what_is_taken_along(show):
    page = show(f"n=4&f={PAIRS}")
    taken = {}
    for what in ("csv", "svg", "png"):
        page.click("#take")
        with page.expect_download() as download:
            page.click(f"[data-take={what}]")
        assert download.value.suggested_filename == f"truth-4-{PAIRS}.{what}"
        taken[what] = Path(download.value.path()).read_bytes()
    assert taken["csv"].decode().splitlines()[:2] == ["x1,x2,x3,x4,output", "0,0,0,0,0"]
    assert "(x1 ∧ x2) ∨ (x3 ∧ x4): no threshold function" in taken["svg"].decode()
    assert "var(" not in taken["svg"].decode()
    assert taken["png"].startswith(b"\x89PNG")
    expect(page.locator(".truth-taken")).to_have_count(0)
    page.click("#take")
    page.click("[data-take=code]")
    expect(page.locator("#taken-text")).to_contain_text("ThresholdUnit.from_truth_table(outputs)")
    page.keyboard.press("Escape")


@pytest.mark.parametrize("number", [31, PAIRS])
def test_fits_a_phone_and_a_projector(show, number):
    page = show(f"n=4&f={number}")
    code = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    assert page.evaluate(code) == [1280, 720]
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(code)[0] == 390
    small = page.locator("#truth-table .output, main .btn").evaluate_all(
        "all => all.filter((one) => one.offsetParent && Math.min(one.offsetWidth, one.offsetHeight)"
        " < 36).map((one) => one.outerHTML)"
    )
    assert small == []
