"""A running lab, and a real browser that opens it."""

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.lab.running import Running, Talk, real, started, trying
from tests.lab.watching import Watch, wait_for_function

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--no-sandbox",  # in a container nobody but root is there, and Chromium wants to be told
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
HOW = (
    "needs Chromium: apt-get install chromium (Debian, Ubuntu), or .venv/bin/playwright install "
    "chromium, or put chromium or google-chrome on PATH"
)
NEEDED = ("CI", "ROSENBLATT_NEEDS_BROWSER")  # where one of these is set, no browser is a failure


@pytest.fixture(scope="session")
def lab() -> Iterator[Running]:
    """The lab of this session, as ``rosenblatt lab`` runs it."""
    with started(*real()) as running:
        yield running


@pytest.fixture(scope="session")
def slow_lab() -> Iterator[Running]:
    """A lab with the screen of `trying`, which can be as slow as a test likes."""
    with started(*trying()) as running:
        yield running


@pytest.fixture(scope="session")
def hasty_lab() -> Iterator[Running]:
    """A lab as `slow_lab`, which gives up on what takes longer than two seconds."""
    with started(*trying(limit=2)) as running:
        yield running


@pytest.fixture
def talk(slow_lab: Running) -> Iterator[Talk]:
    """A page's side of the WebSocket, without a page."""
    with Talk(slow_lab) as talk:
        yield talk


@pytest.fixture
def another(slow_lab: Running) -> Iterator[Talk]:
    """A second page, open all the while; it must notice nothing of what the first one does."""
    with Talk(slow_lab) as talk:
        talk.ask("trying.keep", value="mine")
        process = talk.ask("trying.process")["result"]
        yield talk
        assert talk.ask("trying.kept")["result"] == "mine"
        assert talk.ask("trying.process")["result"] == process


def find_chromium(own: str) -> str:
    """Return a Chromium of this machine, or Playwright's; without one skip, or fail in CI."""
    for found in (*map(shutil.which, NAMES), own):
        if found and Path(found).exists():
            return found
    if any(map(os.environ.get, NEEDED)):
        pytest.fail(HOW)
    pytest.skip(HOW)


@pytest.fixture(scope="session")
def launch() -> Iterator[Callable[..., Browser]]:
    """Start Chromium, with more options if need be."""
    with sync_playwright() as playwright:
        found = find_chromium(playwright.chromium.executable_path)

        def start(*flags: str) -> Browser:
            return playwright.chromium.launch(executable_path=found, args=[*FLAGS, *flags])

        yield start


@pytest.fixture(scope="session")
def browser(launch: Callable[..., Browser]) -> Iterator[Browser]:
    """Chromium; without one the test is skipped, but fails where one must be."""
    browser = launch()
    yield browser
    browser.close()


@pytest.fixture
def watch(lab: Running) -> Watch:
    """What the pages of a test did wrong; ``watch.allow(pattern)`` lets a complaint pass."""
    return Watch({lab.origin})


@pytest.fixture
def new_page(browser: Browser, watch: Watch) -> Iterator[Callable[..., Page]]:
    """Make a page in a context of its own, or in that of another page; all of them are watched."""
    contexts = []

    def make(beside: Page | None = None, **options) -> Page:
        if beside is None:
            options = {"viewport": {"width": 1280, "height": 720}, **options}
            context = browser.new_context(**options)
            context.set_default_timeout(20_000)
            contexts.append(context)
        else:
            context = beside.context
        page = context.new_page()
        page.wait_for_function = partial(wait_for_function, page)
        watch.over(page)
        return page

    yield make
    for context in contexts:
        context.close()
    assert not watch.faults(), "\n".join(watch.faults())


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """A fresh page of 1280 × 720; a console error or a request elsewhere fails the test."""
    return new_page()


@pytest.fixture
def open_page(page: Page, lab: Running) -> Callable[..., Page]:
    """Open ``open_page("#/truth?n=2")``, or a whole address, and wait until the lab is ready."""

    def open_(address: str = "", page: Page = page) -> Page:
        page.goto(address if address.startswith("http") else f"{lab.url}{address}")
        page.wait_for_selector("body[data-state=ready]", state="attached", timeout=60_000)
        return page

    return open_
