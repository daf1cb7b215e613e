"""Draw the guide's pictures of the lab: start it, open its screens, and photograph them.

Run it from anywhere: ``python docs/lab_pictures.py``. It needs the extras ``lab`` and ``dev``, and
a Chromium or Chrome on this machine.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).resolve().parent / "guide" / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZE = {"width": 1280, "height": 720}
# The playground's own examples, each at a step worth a picture.
PICTURES = {
    "lab-playground": ("#/playground?preset=deck-b&learner=perceptron&with=bias:0&step=3", "light"),
    "lab-xor": ("#/playground?preset=xor&learner=perceptron&show=regions,certificate", "light"),
    "lab-moons": ("#/playground?preset=moons&learner=kernel&step=200", "dark"),
    "lab-compare": ("#/compare?preset=outlier&step=40", "light"),
    "lab-mark1": ("#/mark1?preset=digits", "light"),
    "lab-descent": ("#/descent", "light"),
    "lab-truth": ("#/truth?n=3&f=23", "dark"),
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
        page.get_by_role("button", name="Train on all").click()
        page.get_by_text("pass 12").wait_for()
    page.wait_for_timeout(1500)  # dials turn, paths are walked
    page.screenshot(path=IMAGES / f"{name}.png")


def main() -> None:
    """Draw them all."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        sys.exit("no Chromium and no Chrome was found; install one, such as Debian's chromium")
    with running_lab() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for name, (link, look) in PICTURES.items():
            options: Any = {"viewport": SIZE, "color_scheme": look}
            with browser.new_context(**options) as context:
                photograph(context.new_page(), address + link, name)
            print(f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
