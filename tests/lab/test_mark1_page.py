"""The Mark I in the browser: draw, teach, and see it guess."""

import csv
import math
import re

import numpy as np
import pytest
from playwright.sync_api import expect

CROSS = [[(4, 4), (15, 15)], [(4, 15), (15, 4)]]
OTHER_CROSS = [[(3, 5), (16, 14)], [(5, 16), (14, 3)]]
DIGITS = "#/mark1?r=0,1,2,3,4,5,6,7,8,9"


def ring(row, column, radius):
    turns = [2 * math.pi * k / 16 for k in range(17)]
    return [[(row + radius * math.sin(t), column + radius * math.cos(t)) for t in turns]]


def draw(page, lines):
    """Draw lines on the retina with the mouse; places are (row, column) of cells."""
    box = page.locator("#retina").bounding_box()
    cell = box["width"] / 20
    for line in lines:
        for k, (row, column) in enumerate(line):
            x, y = box["x"] + (column + 0.5) * cell, box["y"] + (row + 0.5) * cell
            page.mouse.move(x, y, steps=1 if k == 0 else 3)
            if k == 0:
                page.mouse.down()
        page.mouse.up()


def teach(page, label):
    """Say what the picture is; return what the page says to it."""
    page.locator("#said").evaluate("(said) => said.removeAttribute('data-lesson')")
    page.locator(f"[data-label='{label}']").click()
    expect(page.locator("#said")).to_have_attribute("data-lesson", re.compile(r"\d+"))
    return page.locator("#said").inner_text()


def expect_guess(page, label):
    expect(page.locator("#lamps")).to_have_attribute("data-guess", str(label))


def opened(page):
    expect(page.locator("#train")).to_be_enabled(timeout=30_000)
    return page


def weight(page, row, column):
    """Read a weight from its dial, as who points at it."""
    page.locator("#dials").scroll_into_view_if_needed()
    box = page.locator("#dials").bounding_box()
    cell = box["width"] / 20
    page.mouse.move(box["x"] + (column + 0.5) * cell, box["y"] + (row + 0.5) * cell)
    place = f"row {row + 1}, column {column + 1}: "
    expect(page.locator("#readout")).to_contain_text(place)
    return int(page.locator("#readout").inner_text().removeprefix(place).replace("−", "-"))


def slide(page, name, value):
    page.locator(f"#{name}").fill(str(value))


def sight(page):
    """Return how the retina looks."""
    return page.locator("#retina").screenshot()


def train(page, at_least):
    """Train on all until it ends by itself; return how many held-out pictures are right."""
    page.locator("#train").click()
    expect(page.locator("#train")).to_have_text("Stop")
    expect(page.locator("#train")).to_have_text("Train on all", timeout=20_000)
    page.wait_for_function(
        f"() => Number(document.getElementById('held').dataset.right) > {at_least}"
    )
    return int(page.locator("#held").get_attribute("data-right"))


def taken(page, what):
    page.locator("#take").click()
    page.locator(f"[data-take={what}]").click()


def test_learns_two_drawn_symbols(open_page):
    page = opened(open_page("#/mark1"))
    expect_guess(page, -1)
    draw(page, CROSS)
    assert weight(page, 4, 4) == 0
    assert "no answer" in teach(page, 0)
    assert weight(page, 4, 4) < 0  # the dials have turned towards the first response
    expect(page.locator("#dials")).to_have_attribute("data-still", "true")
    draw(page, ring(9.5, 9.5, 6))
    assert "wrong" in teach(page, 1)
    for _ in range(4):
        draw(page, CROSS)
        said = teach(page, 0)
        draw(page, ring(9.5, 9.5, 6))
        if "right" in said and "right" in teach(page, 1):
            break
    draw(page, OTHER_CROSS)
    expect_guess(page, 0)
    expect(page.locator("[data-response='0']")).to_have_attribute("data-lit", "")
    page.locator("#clear").click()
    draw(page, ring(10.5, 9, 5.3))
    expect_guess(page, 1)

    page.locator("#forget").click()
    expect_guess(page, -1)
    expect(page.locator("#said")).to_contain_text("forgotten")
    assert weight(page, 4, 4) == 0
    expect(page.locator("#forget")).to_be_disabled()


def test_learns_digits_and_takes_them_along(open_page, new_page):
    page = opened(open_page(f"{DIGITS}&dials=3", new_page(reduced_motion="reduce")))
    assert train(page, at_least=0.85 * 360) <= 360
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0
    expect(page.locator("#held")).to_contain_text("of 360 held-out digits are right")
    expect(page.locator("#curve")).to_contain_text("held out")

    page.locator("#which").select_option("7")
    page.locator("#show").click()
    expect(page.locator("[data-label='7']")).to_have_class(re.compile("known"))
    clear = sight(page)
    slide(page, "noise", 20)
    page.wait_for_function("() => document.getElementById('held').textContent.includes('noise')")
    noisy = int(page.locator("#held").get_attribute("data-right"))
    page.wait_for_function("() => Number(document.getElementById('held').dataset.right) < 330")
    assert sight(page) != clear
    slide(page, "right", 3)
    page.wait_for_function(f"() => Number(document.getElementById('held').dataset.right) < {noisy}")
    teach(page, 7)
    seen = {place: weight(page, *place) for place in [(5, 9), (10, 10), (14, 8), (9, 12), (0, 0)]}
    assert len(set(seen.values())) > 2
    scores = page.locator("#lamps .mono").all_inner_texts()

    taken(page, "code")
    found = {}
    exec(compile(page.locator("#taken-text").inner_text(), "mark1.py", "exec"), found)
    page.keyboard.press("Escape")
    weights = found["model"].coef_[3].reshape(20, 20)
    assert {place: weights[place] for place in seen} == seen
    assert [f"{score:g}".replace("-", "−") for score in found["scores"][0]] == scores

    with page.expect_download() as download:
        taken(page, "csv")
    _, row = csv.reader(download.value.path().read_text("utf-8").splitlines())
    assert row[0] == "7"
    assert np.array_equal(np.array(row[1:], float), found["shown"])
    with page.expect_download() as download:
        taken(page, "svg")
    assert download.value.path().read_text().count("<path") > 20

    taken(page, "link")
    link = page.locator("#taken-text").inner_text()
    again = opened(open_page(link, new_page(viewport={"width": 390, "height": 844})))
    expect(again.locator("#lamps .mono")).to_have_text(scores)
    expect(again.locator("#held")).to_have_text(
        page.locator("#held").inner_text().replace("\n", "")
    )
    assert all(weight(again, *place) == value for place, value in seen.items())
    wide = "document.documentElement.scrollWidth - innerWidth"
    assert again.evaluate(wide) == 0


def test_a_new_process_is_given_the_lessons_again(open_page):
    page = opened(open_page("#/mark1?r=left,right"))
    train(page, at_least=38)
    before = weight(page, 10, 14)
    assert before > 0
    page.evaluate(
        "import(new URL('js/wire.js', document.baseURI)).then(({wire}) => wire.socket.close())"
    )
    expect(page.locator("#train")).to_be_disabled()
    opened(page)
    assert weight(page, 10, 14) == before
    page.locator("#show").click()
    page.wait_for_function(
        "() => document.querySelector('.known')?.dataset.label === "
        "document.getElementById('lamps').dataset.guess"
    )


@pytest.mark.quick
def test_draws_with_keys_and_changes_responses(open_page):
    page = opened(open_page("#/mark1"))
    page.locator("#retina").focus()
    for key in [
        "Space",
        "ArrowRight",
        "Space",
        "ArrowDown",
        "Enter",
        "ArrowDown",
        "Space",
        "Space",
    ]:
        page.keyboard.press(key)
    teach(page, 1)
    cells = {(9, 9): 1, (9, 10): 1, (10, 10): 1, (11, 10): 0}
    assert {place: weight(page, *place) for place in cells} == cells
    page.locator("#dials").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#readout")).to_have_text("row 10, column 9: 0")

    page.locator("#edit").click()
    page.locator("#add-response").click()
    page.locator("[data-response='2'] input").fill("house")
    page.locator("#edit").click()
    expect(page.locator("#lamps .name")).to_have_text(["×", "○", "house"])
    expect(page.locator("#teach button")).to_have_count(3)
    expect_guess(page, 1)  # what it was taught is kept
    page.locator("#edit").click()
    page.locator("[data-response='0'] input").fill("house")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_contain_text("called house already")
    page.get_by_label("Remove ○").click()
    page.locator("#edit").click()
    expect(page.locator("#lamps .name")).to_have_text(["×", "house"])
    expect_guess(page, -1)
    page.locator("#invert").click()
    page.wait_for_function("() => location.hash.includes('&p=_____')")
    page.locator("#clear").click()
    page.wait_for_function("() => !location.hash.includes('&p=')")
    expect(page.locator("#hint")).to_be_visible()


def test_fits_a_phone(open_page, new_page):
    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    opened(open_page(DIGITS, phone))
    assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    high = "[...document.querySelectorAll('.mark1 button')].map((b) => b.offsetHeight || 99)"
    assert min(phone.evaluate(high)) >= 36
    box = phone.locator("#retina").bounding_box()
    phone.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(phone.locator("#hint")).to_be_hidden()


def test_an_address_that_makes_no_sense_is_told(open_page):
    page = open_page("#/mark1?r=a,a&t=5:x;*x&p=zz&noise=1e99&x=k&dials=-3")
    expect(page.locator("#fault")).to_contain_text("wo responses are called 'a'")
    opened(page)
    draw(page, CROSS)
    teach(page, 0)
    expect_guess(page, 0)
