"""Dragging as fast as a mouse tells of it: afterwards the run is where it was before."""

import time

import pytest
from playwright.sync_api import Page, expect

from tests.lab.playground import Open, press, settled, shows, value

RATE = 60  # moves a second
CALM = """async (base) => {
  const {wire} = await import(`${base}js/wire.js`);
  for (let calm = 0; calm < 8; calm++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (wire.pending.size) calm = 0;
  }
}"""


def drag(page: Page, mark: str, *places: tuple[float, float], moves: int = 12) -> None:
    """Drag a mark to places, in pixels from where it is, and wait until all is calm."""
    box = page.locator(mark).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    due, here = time.perf_counter(), (0.0, 0.0)
    for there in places:
        for k in range(1, moves + 1):
            due += 1 / RATE
            page.wait_for_timeout(max(0, 1000 * (due - time.perf_counter())))
            right, down = (a + (b - a) * k / moves for a, b in zip(here, there, strict=True))
            page.mouse.move(x + right, y + down)
        here = there
    page.mouse.up()
    page.evaluate(CALM, page.url.split("#")[0])


class TestPlayground:
    @pytest.fixture
    def page(self, open_page: Open) -> Page:
        page = open_page("#/playground?preset=and")
        settled(page)
        return page

    def test_at_the_end_it_stays_at_the_end(self, page: Page) -> None:
        press(page, "End")
        shows(page, "errors", 0)
        for k in range(10):
            far = 60 if k % 2 == 0 else -60
            drag(page, "[data-point='3']", (far, -far))
            assert value(page, "step") > 0
            assert value(page, "errors") == 0
            expect(page.locator("#go-end")).to_be_disabled()

    def test_at_a_step_it_stays_at_it(self, page: Page) -> None:
        """Even if there is no such step for some of the way: there the run ends after 12."""
        page.goto(f"{page.url}&step=20")
        shows(page, "step", 20)
        drag(page, "[data-point='3']", (60, -60), (0, 0))
        assert value(page, "step") == 20
        drag(page, "[data-point='3']", (60, -60))
        assert value(page, "step") == 12

    def test_unless_that_is_not_wanted(self, page: Page) -> None:
        page.uncheck("#keep")
        press(page, "End")
        shows(page, "errors", 0)
        drag(page, "[data-point='3']", (20, -20))
        assert value(page, "step") == 0

    def test_keys_that_repeat(self, page: Page) -> None:
        """Each is a drag of its own, and comes before the run of the one before is shown."""
        press(page, "End")
        shows(page, "errors", 0)
        page.locator(".plane .front").focus()
        page.keyboard.press("n")
        for _ in range(12):
            page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowLeft")
        page.evaluate(CALM, page.url.split("#")[0])
        assert value(page, "step") == 36
        expect(page.locator("#go-end")).to_be_disabled()


class TestCompare:
    @pytest.fixture
    def page(self, open_page: Open) -> Page:
        page = open_page("#/compare?preset=and&learners=perceptron;averaged")
        page.wait_for_selector("#step-count[data-value]", state="attached")
        return page

    def test_at_the_end_it_stays_at_the_end(self, page: Page) -> None:
        press(page, "End")
        expect(page.locator("#go-end")).to_be_disabled()
        for k in range(4):
            far = 20 if k % 2 == 0 else -20
            drag(page, "[data-card='0'] [data-point='3']", (far, -far))
            assert value(page, "step-count") > 0
            expect(page.locator("#go-end")).to_be_disabled()

    @pytest.mark.quick
    def test_at_a_step_it_stays_at_it(self, page: Page) -> None:
        page.goto(f"{page.url}&step=20")
        shows(page, "step-count", 20)
        drag(page, "[data-card='0'] [data-point='3']", (40, -40), (0, 0))
        assert value(page, "step-count") == 20


class TestDescent:
    @pytest.fixture
    def page(self, open_page: Open) -> Page:
        page = open_page("#/descent")
        page.wait_for_selector("[data-step]")
        return page

    def step(self, page: Page) -> int:
        return int(page.locator("[data-step]").get_attribute("data-step") or -1)

    def test_at_the_end_it_stays_at_the_end(self, page: Page) -> None:
        for k in range(4):
            far = 40 if k % 2 == 0 else -40
            drag(page, "#descent-start .ring", (far, -far))
            assert self.step(page) > 0
            expect(page.locator("#go-end")).to_be_disabled()

    def test_at_a_step_it_stays_at_it(self, page: Page) -> None:
        page.fill("#position", "7")
        drag(page, "#descent-start .ring", (40, -40), (0, 0))
        assert self.step(page) == 7
