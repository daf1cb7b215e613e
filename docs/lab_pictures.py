"""Take the screenshots of the lab for the guide: start it and open its screens.

Run it from anywhere: ``python docs/lab_pictures.py``. It needs the extras ``lab`` and ``dev``, and
Chromium or Chrome.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

IMAGES = Path(__file__).resolve().parent / "guide" / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZE = {"width": 1280, "height": 720}
# The URL of each, and its colour scheme.
PICTURES = {
    "lab-playground": (
        "#/playground?preset=deck-b&step=5&show=regions,normal,update,bound",
        "light",
    ),
    "lab-xor": ("#/playground?preset=xor&step=6&show=regions,certificate", "light"),
    "lab-moons": (
        "#/playground?preset=moons&learner=kernel&with=predict:average,gamma:2&step=240&show=regions",
        "dark",
    ),
    "lab-compare": ("#/compare?preset=outlier&step=60", "light"),
    "lab-mark1": ("#/mark1?r=0,1,2,3,4,5,6,7,8,9&t=*12:0&dials=6", "light"),
    "lab-descent": ("#/descent", "dark"),
    "lab-truth": ("#/truth?n=3&f=23", "light"),
}


@contextmanager
def running_lab() -> Iterator[str]:
    """Run the lab on a free port, and give its address."""
    command = [sys.executable, "-m", "rosenblatt", "lab", "--no-open", "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        try:
            yield lab.stdout.readline().strip()
        finally:
            lab.terminate()


def photograph(page: Page, url: str, name: str) -> None:
    """Open an address, wait until all is drawn, and save a picture."""
    page.goto("about:blank")
    page.goto(url)
    page.locator("body[data-state=ready]").wait_for()
    if name == "lab-mark1":
        page.get_by_role("button", name="Show a digit").click()
    page.wait_for_timeout(2500)  # dials turn, paths are walked
    save(page, name)


def save(page: Page, name: str) -> None:
    """Save a picture of a page."""
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(256).save(IMAGES / f"{name}.png", optimize=True)  # a third of the size


def started(playwright: Playwright) -> Browser:
    """Start the browser, or say that there is none."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        sys.exit("no Chromium and no Chrome was found; install one, such as Debian's chromium")
    return playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])


def main() -> None:
    """Draw them all."""
    with running_lab() as address, sync_playwright() as playwright:
        browser = started(playwright)
        for name, (link, look) in PICTURES.items():
            options: Any = {"viewport": SIZE, "color_scheme": look}
            with browser.new_context(**options) as context:
                photograph(context.new_page(), address + link, name)
            print(f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
