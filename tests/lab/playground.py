"""Reading the playground's page, and using it."""

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Download, Page, expect

Open = Callable[..., Page]
expect.set_options(timeout=20_000)  # many tests may share few cores


def value(page: Page, name: str) -> Any:
    """Return the exact number that an element holds."""
    return json.loads(page.locator(f"#{name}").get_attribute("data-value") or "null")


def press(page: Page, *keys: str) -> None:
    """Press keys with nothing in focus that would take them."""
    page.evaluate("() => document.activeElement.blur()")
    for key in keys:
        page.keyboard.press(key)


def shows(page: Page, name: str, number: Any) -> None:
    """Wait until an element holds a number."""
    text = json.dumps(number, separators=(",", ":"))
    expect(page.locator(f"#{name}")).to_have_attribute("data-value", text)


def settled(page: Page, kind: str = "") -> None:
    """Wait for a verdict, and for a frame or for what is said instead."""
    page.wait_for_selector(f"#verdict[data-kind{f'={kind}' if kind else ''}]", state="attached")
    page.wait_for_selector("#step[data-value]", state="attached")


def place(page: Page, x: float, y: float) -> tuple[float, float]:
    """Return where a place lies on the page, told by two points of deck B."""
    corners = []
    for k in (4, 2):  # (−1, −2) and (1, 1)
        box = page.locator(f"[data-point='{k}']").bounding_box()
        assert box is not None
        corners.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    (left, low), (right, high) = corners
    return left + (x + 1) * (right - left) / 2, low + (y + 2) * (high - low) / 3


def save(page: Page, what: str) -> Download:
    """Take something along as a file."""
    with page.expect_download() as saved:
        page.click("#take")
        page.click(f"[data-take={what}]")
    return saved.value


def points(page: Page) -> list[tuple[float, float, str]]:
    """Return the points that the page would save."""
    lines = save(page, "csv").path().read_text().splitlines()[1:]
    return [(float(x), float(y), c) for x, y, c in (line.split(",") for line in lines)]
