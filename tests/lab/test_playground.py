"""The playground in a real browser: what a page shows, read from the page."""

import math
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.lab.playground import Open, place, points, press, settled, shows, value
from tests.lab.running import Running

DECK_B = [  # looked at, score, weights after, mistakes so far
    (1, 0, [1, -2], 1),
    (2, 1, [1, -2], 1),
    (3, -1, [2, -1], 2),
    (4, -2, [2, -1], 2),
    (5, 0, [3, 1], 3),
    (6, 2, [3, 1], 3),
]
KEYS = """async () => {
  const [times, step] = [[], document.querySelector('#step')];
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  for (let k = 0; k < 40; k++) {
    const [before, began] = [step.dataset.value, performance.now()];
    window.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
    while (step.dataset.value === before) await frame();
    await frame();
    times.push(performance.now() - began);
  }
  return times;
}"""
# Steps a second, while it plays 60 of them.
PLAY = """async () => {
  const step = () => Number(document.querySelector('#step').dataset.value);
  document.querySelector('#go-play').click();
  const [from, began] = [step(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, 2000));
  return (step() - from) / ((performance.now() - began) / 1000);
}"""
PRESETS = ["deck-b", "deck-a", "deck-e", "and", "or", "xor", "outlier", "moons", "iris"]


@pytest.mark.quick
def test_deck_b_step_by_step(open_page: Open) -> None:
    page = open_page("#/playground?preset=deck-b")
    settled(page, "separable")
    shows(page, "w", [0, 0])
    assert page.evaluate("() => document.documentElement.scrollHeight") == 720
    for k, (looked, score, weights, mistakes) in enumerate(DECK_B, 1):
        press(page, "ArrowRight")
        shows(page, "step", k)
        shows(page, "looked", looked - 1)
        shows(page, "score", score)
        shows(page, "w", weights)
        shows(page, "b", 0)
        shows(page, "mistakes", mistakes)
    press(page, "End")
    shows(page, "step", 12)
    shows(page, "pass", 2)
    shows(page, "w", [3, 1])
    shows(page, "errors", 0)
    assert "converged" in page.inner_text("#ending")
    assert value(page, "bound") == pytest.approx(5)
    assert "= 5" in page.text_content(".chart text.bound")
    page.check("#show-bound")
    assert page.get_attribute("[data-radius]", "data-radius") == str(math.sqrt(5))
    assert float(page.get_attribute("[data-margin].gap", "data-margin")) == pytest.approx(1)


def test_back_reset_play_and_position(open_page: Open) -> None:
    page = open_page("#/playground?preset=deck-b&step=5")
    settled(page)
    shows(page, "w", [3, 1])
    press(page, "ArrowLeft")
    shows(page, "w", [2, -1])
    page.click("#go-reset")
    shows(page, "w", [0, 0])
    page.fill("#speed", "6")
    press(page, "Home")
    page.click("#go-play")
    shows(page, "step", 12)
    expect(page.locator("#go-play")).to_have_attribute("aria-label", "Play")
    page.fill("#position", "3")
    shows(page, "w", [2, -1])


def test_every_preset_opens_and_steps(open_page: Open) -> None:
    page = open_page("#/playground")
    settled(page)
    for name in PRESETS:
        page.select_option("#preset", name)
        expect(page.locator("#go-reset")).to_be_disabled()
        once = name in ("deck-e", "outlier")
        expect(page.locator("#data-note")).not_to_be_empty()
        if once:
            expect(page.locator("#go-step")).to_be_disabled()
            assert value(page, "step") == 0
        else:
            page.click("#go-step")
            shows(page, "step", 1)
        expect(page.locator(".error:visible")).to_have_count(0)
    page.select_option("#preset", "empty")
    expect(page.locator("[data-point]")).to_have_count(0)


def test_xor_becomes_separable_by_a_drag(open_page: Open) -> None:
    page = open_page("#/playground?preset=xor&show=regions,certificate")
    settled(page, "inseparable")
    expect(page.locator("[data-meets]")).to_have_count(4)
    expect(page.locator("[data-meeting]")).to_have_count(1)
    box = page.locator("[data-point='0']").bounding_box()
    far = page.locator("[data-point='3']").bounding_box()
    assert box
    assert far
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(far["x"] + 60, far["y"] - 40, steps=12)
    page.wait_for_selector("#verdict[data-kind=separable]")  # before the button is let go
    expect(page.locator("[data-support]").first).to_be_attached()
    page.mouse.up()
    press(page, "End")
    shows(page, "errors", 0)
    page.click("#undo")
    page.wait_for_selector("#verdict[data-kind=inseparable]")


def test_adding_and_removing_by_mouse(open_page: Open) -> None:
    page = open_page("#/playground?preset=deck-b")
    settled(page)
    marks = page.locator("[data-point]")
    page.mouse.click(*place(page, 2, 2))
    expect(marks).to_have_count(7)
    page.keyboard.down("Shift")
    page.mouse.click(*place(page, 2, -2))
    page.keyboard.up("Shift")
    page.mouse.click(*place(page, -2, 1), button="right")
    expect(marks).to_have_count(9)
    added = points(page)[6:]
    assert [c for _, _, c in added] == ["+1", "-1", "-1"]
    assert np.allclose([p[:2] for p in added], [(2, 2), (2, -2), (-2, 1)], atol=0.03)
    page.mouse.dblclick(*place(page, 2, 2))
    expect(marks).to_have_count(8)
    page.mouse.click(*place(page, 2, -2))
    page.keyboard.press("Delete")
    expect(marks).to_have_count(7)
    for left in (8, 9, 8):
        page.keyboard.press("Control+z")
        expect(marks).to_have_count(left)
    page.keyboard.press("Control+y")
    expect(marks).to_have_count(9)
    page.mouse.move(*place(page, 2, -2))  # out of the plane: gone
    page.mouse.down()
    page.mouse.move(5, 300, steps=4)
    page.mouse.up()
    expect(marks).to_have_count(8)


def test_editing_by_keyboard(open_page: Open) -> None:
    page = open_page("#/playground?preset=deck-b")
    settled(page)
    page.locator("#fit").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    expect(page.locator(".plane .front")).to_be_focused()
    for key in ("2", "Shift+ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("[data-point]")).to_have_count(7)
    for key in ("p", "ArrowUp", "1", "c"):
        page.keyboard.press(key)
    expect(page.locator("[data-point='6']")).to_have_attribute("data-class", "0")
    x, y, c = points(page)[-1]
    assert (x > 0, y > 0, c) == (True, True, "-1")
    page.locator("#fit").focus()
    for key in (*["Shift+Tab"] * 3, "n", "p", "Delete"):
        page.keyboard.press(key)
    expect(page.locator("[data-point]")).to_have_count(6)


def test_csv_files(open_page: Open, tmp_path: Path) -> None:
    page = open_page("#/playground?preset=deck-b&step=3")
    settled(page)
    shows(page, "w", [2, -1])
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b,class\n1,2,x\n3,4,y,5\n")
    page.set_input_files("#csv", bad)
    expect(page.locator("#data-error")).to_contain_text("line 3")
    shows(page, "w", [2, -1])
    good = tmp_path / "good.csv"
    rows = [f"{k},{k * 7 % 5},{k % 3},{'cat' if k > 4 else 'dog'}" for k in range(10)]
    good.write_text("\n".join(["age,size,teeth,kind", *rows]) + "\n")
    page.set_input_files("#csv", good)
    expect(page.locator("[data-point]")).to_have_count(10)
    expect(page.locator("#data-error")).to_be_hidden()
    page.select_option("#column-1", "teeth")
    expect(page.locator(".plane .name").last).to_contain_text("teeth")
    assert points(page)[4] == (4.0, 1.0, "dog")
    page.click("#undo")
    page.click("#undo")
    expect(page.locator("[data-point]")).to_have_count(6)


def test_steps_are_drawn_at_once(open_page: Open) -> None:
    """As far as others leave it the machine; benchmarks/lab.py measures it on one at rest."""
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    rng = np.random.default_rng(0)
    cloud = ";".join(
        f"{x:.4f},{y:.4f},{k % 2}" for k, (x, y) in enumerate(rng.normal(size=(200, 2)))
    )
    page = open_page(f"#/playground?points={cloud}&learner=perceptron")
    settled(page)
    shows(page, "step", 0)
    times = page.evaluate(KEYS)
    assert np.median(times) < 50 * busy
    page.fill("#speed", "6")
    assert page.evaluate(PLAY) > 45 / busy


def test_a_kernel_solves_xor(open_page: Open) -> None:
    page = open_page("#/playground?preset=xor&learner=kernel&with=kernel:poly,predict:last")
    settled(page, "inseparable")
    press(page, "End")
    expect(page.locator("#ending")).to_contain_text("converged")
    shows(page, "errors", 0)
    assert page.locator(".plane .line.bold").count() == 1


def test_on_a_phone(new_page: Callable[..., Page], lab: Running, open_page: Open) -> None:
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    open_page("#/playground?preset=deck-b", page=page)
    settled(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390
    page.tap("#go-step")
    shows(page, "w", [1, -2])
    page.touchscreen.tap(*place(page, 1.5, 2))
    expect(page.locator("[data-point]")).to_have_count(7)
