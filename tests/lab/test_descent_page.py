"""Gradient descent in a real browser."""

import io
import re
from contextlib import redirect_stdout

import pytest
from playwright.sync_api import expect

from rosenblatt.lab.descent.problems import PROBLEMS

NAMES = ("batch", "mini", "stochastic")
NUMBER = r"-?[\d.]+(?:e-?\d+)?"
WAY = "document.querySelector('[data-path=batch] .ahead').getAttribute('d')"
SHOWN = """[location.hash, ...['#descent-paths', '#descent-text', '#descent-surface'].map(
    (at) => document.querySelector(at).textContent),
    ...[...document.querySelectorAll('.walked')].map((path) => path.getAttribute('d'))]"""


@pytest.fixture
def show(open_page, page):
    """Open the screen with a query, and wait until its paths and its surface are drawn."""

    def show_(query="", page=page):
        open_page(f"#/descent{query and '?'}{query}", page=page)
        page.wait_for_selector("main.descent[data-step]")
        page.wait_for_function("document.querySelector('#descent-surface canvas').width > 300")
        return page

    return show_


def place(page, selector):
    return [float(x) for x in re.findall(NUMBER, page.get_attribute(selector, "transform"))][:2]


def cell(page, name, what):
    return page.locator(f"#descent-paths [data-path={name}] [data-what={what}]")


def near_the_star(page, name):
    head, star = place(page, f"[data-head={name}]"), place(page, "#descent-surface .lowest")
    return all(abs(one - other) < 50 for one, other in zip(head, star, strict=True))


def slide(page, power):
    page.locator("#descent-slider").evaluate(
        "(it, value) => { it.value = value; it.dispatchEvent(new Event('input')); }", power
    )


@pytest.mark.quick
def test_three_paths_run_to_the_star_and_too_high_a_rate_diverges(show):
    page = show("step=0")
    for name in NAMES:
        assert place(page, f"[data-head={name}]") == place(page, "#descent-start")
        expect(cell(page, name, "moves")).to_have_text("0")
        assert not near_the_star(page, name)
    page.keyboard.press("ArrowRight")
    expect(cell(page, "batch", "moves")).to_have_text("1")
    page.keyboard.press("ArrowLeft")
    expect(cell(page, "batch", "moves")).to_have_text("0")
    page.locator("#go-play").click()
    page.wait_for_selector("main.descent[data-step='40']")
    for name in NAMES:
        expect(cell(page, name, "moves")).to_have_text("40")
        assert near_the_star(page, name)
    expect(cell(page, "batch", "fate")).to_have_text("arrived")
    expect(page.locator("#descent-text")).to_contain_text("never overshoots")
    expect(page.locator("[data-lost]")).to_have_count(0)
    slide(page, 0)
    expect(page.locator("[data-lost=batch]")).to_contain_text("Batch diverges")
    expect(page.locator("#descent-text")).to_contain_text("η = 1 is more than 2/L = 0.52")
    expect(page.locator("[data-exit=batch]")).to_be_visible()
    expect(page.locator("[data-over=batch]")).to_be_attached()
    expect(cell(page, "batch", "fate")).to_have_text("diverges")
    page.locator("#descent-show-batch").uncheck()
    expect(page.locator("[data-lost=batch]")).to_have_count(0)
    expect(page.locator("[data-lost=stochastic]")).to_have_count(1)
    slide(page, -1)
    expect(page.locator("[data-lost]")).to_have_count(0)
    page.select_option("#set-by", "example")
    for name, moves in zip(NAMES, ("20", "60", "240"), strict=True):
        expect(cell(page, name, "moves")).to_have_text(moves)


def test_the_start_is_dragged_and_moved_by_keys(show):
    page = show()
    box = page.locator("#descent-start .ring").bounding_box()
    page.mouse.move(box["x"] + 7, box["y"] + 7)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 90, steps=4)
    page.mouse.up()
    x = page.get_attribute("#descent-start", "transform").removeprefix("translate(").split()[0]
    assert float(x) == pytest.approx(
        box["x"] + 60 - page.locator(".map").bounding_box()["x"], abs=2
    )
    page.wait_for_function(f"{WAY}.startsWith('M{x} ') && location.hash.includes('start=')")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"!{WAY}.startsWith('M{x} ')")
    assert place(page, "#descent-start")[0] > float(x)
    expect(page.locator("#descent-start")).to_have_attribute("aria-label", re.compile("w = .*b = "))
    pictures = set()
    for _ in range(3):  # as the system has it, light, dark
        pictures.add(page.evaluate("document.querySelector('.surface canvas').toDataURL()"))
        page.locator("#theme").click()
    assert len(pictures) == 2


def test_every_problem_and_loss_opens(show):
    page = show()
    for problem in PROBLEMS.values():
        page.select_option("#descent-problem", problem.name)
        for loss in problem.losses:
            page.select_option("#set-loss", loss)
            expect(page.locator("#descent-surface .words")).to_contain_text(f"{loss} loss")
        expect(page.locator("#descent-text")).not_to_be_empty()
        expect(page.locator(".error")).to_have_count(0)
        expect(page.locator("[data-line]")).to_have_count(3)
        expect(page.locator("#descent-data .point")).to_have_count(problem.n)


def test_a_link_shows_the_same(show, new_page):
    page = show("problem=margin")
    page.select_option("#set-rate", "inverse")
    page.locator("#set-batch").fill("5")
    page.locator("#set-batch").press("Enter")
    page.locator("#descent-show-mini").uncheck()
    slide(page, 0.2)
    page.locator("#descent-start").press("ArrowUp")
    page.wait_for_function("location.hash.includes('start=')")
    page.locator("#descent-start").blur()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("location.hash.includes('step=359')")
    shown = page.evaluate(SHOWN)
    for part in ("problem=margin", "rate=inverse", "batch=5", "eta=1.6", "paths=batch,stochastic"):
        assert part in shown[0]
    other = show(shown[0].partition("?")[2], page=new_page())
    assert other.evaluate(SHOWN) == shown
    assert other.input_value("#set-batch") == "5"
    assert not other.is_checked("#descent-show-mini")


def test_a_phone_and_a_link_with_nonsense(show, new_page):
    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    query = "problem=x&eta=fast&batch=1e9&start=a,b&step=-1&paths=none&rate=__proto__"
    page = show(query, page=phone)
    expect(page.locator("#descent-problem")).to_have_value("line")
    expect(page.locator("#descent-eta")).to_have_value("0.1")
    expect(page.locator("[data-head]")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("#descent-surface").scroll_into_view_if_needed()
    box = page.locator("#descent-surface").bounding_box()
    page.touchscreen.tap(box["x"] + 60, box["y"] + 90)
    page.wait_for_function("location.hash.includes('start=')")
    assert place(page, "#descent-start") == pytest.approx([60, 90], abs=3)


def test_it_can_be_taken_along(show):
    page = show("problem=blobs&eta=2&seed=4")
    page.locator("#take").click()
    page.locator("[data-take=code]").click()
    code = page.locator("#taken-text").text_content()
    page.keyboard.press("Escape")
    said = io.StringIO()
    with redirect_stdout(said):
        exec(code, {})
    assert said.getvalue().count("\n") == 3
    for line in said.getvalue().splitlines():
        name, moves, *numbers = line.split()
        expect(cell(page, name, "moves")).to_have_text(moves)
        shown = cell(page, name, "weights").text_content().replace("−", "-")
        found = [float(x) for x in re.findall(rf"(?<=[₁₂] ){NUMBER}", shown)]
        assert found == pytest.approx([float(x) for x in numbers[:2]], rel=6e-3)
    texts = {}
    for kind in ("csv", "svg"):
        page.locator("#take").click()
        with page.expect_download() as download:
            page.locator(f"[data-take={kind}]").click()
        assert download.value.suggested_filename == f"descent-blobs.{kind}"
        texts[kind] = download.value.path().read_text()
    assert texts["csv"].startswith("path,move,examples,w1,w2,loss\nbatch,0,0,-1.2,2.4,")
    assert "data:image/png" in texts["svg"]
    assert "Stochastic" in texts["svg"]
