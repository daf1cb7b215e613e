"""The frame around the screens: tabs, address, look; how large and how quick the page is."""

import os
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from rosenblatt.lab.app import page_files
from tests.lab.pretended import pretend, told
from tests.lab.running import children, until

READY = "body[data-state=ready]"


@pytest.fixture
def first(page, slow_lab, watch):
    """A page with the screens made for tests."""
    watch.origins.add(slow_lab.origin)

    def open_(fragment=""):
        pretend(page).goto(f"{slow_lab.url}{fragment}")
        page.wait_for_selector(READY, state="attached")
        return page

    return open_


class TestTabs:
    def test_the_first_is_shown(self, first):
        page = first()
        assert page.title() == "First · Rosenblatt lab"
        expect(page.locator(".tabs a")).to_have_text(["First", "Second", "Later", "Broken"])
        expect(page.locator(".tabs [aria-current=page]")).to_have_text("First")
        expect(page.locator("#notice")).to_be_hidden()

    @pytest.mark.quick
    def test_another_is_chosen(self, first):
        page = first()
        told(page)
        page.click("text=Second")
        expect(page.locator("main.screen.second")).to_contain_text("This is the second screen")
        expect(page.locator(".tabs [aria-current=page]")).to_have_text("Second")
        assert told(page) == ["leave first", "open second 0"]
        assert page.title() == "Second · Rosenblatt lab"
        assert page.evaluate("wire.call('trying.kept')") == "second 0"

    @pytest.mark.parametrize(
        "fragment", ["#/none", "#/constructor", "#/__proto__", "#/toString?n=1", "#x", "#/?n=2"]
    )
    def test_what_is_no_screen_leads_to_the_first(self, first, fragment):
        expect(first(fragment).locator("main.screen.first")).to_be_visible()

    def test_one_that_cannot_be_drawn_says_so(self, first, watch):
        watch.allow("a fault of the screen")
        page = first("#/broken")
        expect(page.locator("main .error")).to_contain_text("a fault of the screen")
        page.click("#take")
        expect(page.locator("#take-menu button")).to_have_text(["Link to this"])
        page.click("text=Second")
        expect(page.locator("main")).to_contain_text("This is the second screen")

    def test_one_that_is_loaded_when_it_is_wanted(self, first):
        page = first("#/later?n=2")
        expect(page.locator("main.later #n")).to_have_text("2")
        assert page.title() == "Later · Rosenblatt lab"

    def test_one_that_is_left_before_it_is_loaded(self, first):
        page = first()
        told(page)
        page.click("text=Later")
        page.click("text=Second")
        page.wait_for_timeout(500)
        expect(page.locator("main #n")).to_have_count(1)
        assert told(page) == ["leave first", "open second 0"]

    def test_keys_suffice(self, first):
        page = first()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "screen"
        assert "#screen" not in page.url
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#n")).to_have_text("1")


class TestAddress:
    def test_it_says_what_is_shown(self, first, slow_lab):
        page = first("#/first?n=4")
        expect(page.locator("#n")).to_have_text("4")
        page.click("#more")
        page.wait_for_url(f"{slow_lab.url}#/first?n=5")

    def test_back_leads_to_all_of_it(self, first, slow_lab):
        page = first("#/first?n=4")
        page.click("#more")
        page.click("text=Second")  # at once: the address was about to be written
        expect(page.locator("main.second #n")).to_have_text("0")
        page.wait_for_timeout(400)
        assert page.url == f"{slow_lab.url}#/second"
        page.go_back()
        expect(page.locator("main.first #n")).to_have_text("5")

    def test_another_state_of_the_same_screen(self, first):
        page = first("#/first?n=4")
        page.click("#more")
        told(page)
        page.evaluate("() => { location.hash = '#/first?n=9'; }")
        expect(page.locator("#n")).to_have_text("9")
        page.wait_for_timeout(400)
        assert page.url.endswith("#/first?n=9")
        assert told(page) == ["follow first 9"]

    def test_it_is_read_as_it_was_written(self, first):
        page = first()
        values = {"a": "1,2;3:4/5", "b": "é &=?#+% '\"", "c": 0, "d": "", "e": None, "f": False}
        code = """async (values) => {
          const {address, read, write, flush} = await import('./js/address.js');
          write('first', values);
          flush();
          return [location.hash, read().screen, Object.fromEntries(read().params)];
        }"""
        found, screen, params = page.evaluate(
            code.replace("./js", f"{page.url.split('#')[0]}js"), values
        )
        assert "a=1,2;3:4/5" in found
        assert screen == "first"
        assert params == {"a": values["a"], "b": values["b"], "c": "0", "f": "false"}


class TestLook:
    @pytest.mark.quick
    def test_it_is_changed_and_kept(self, first):
        page = first()
        page.evaluate("addEventListener('themechange', () => tell('themechange'))")
        told(page)
        ground = "getComputedStyle(document.body).backgroundColor"
        assert page.evaluate(ground) == "rgb(246, 245, 241)"
        page.click("#theme")
        page.click("#theme")
        assert page.evaluate(ground) == "rgb(17, 22, 28)"
        assert told(page) == ["themechange", "themechange"]
        page.reload()
        page.wait_for_selector(READY, state="attached")
        assert page.evaluate(ground) == "rgb(17, 22, 28)"
        expect(page.locator("#theme")).to_have_attribute("aria-label", "Look: dark. Change")

    def test_it_is_the_system_s_until_then(self, first):
        page = first()
        page.evaluate("addEventListener('themechange', () => tell('themechange'))")
        page.emulate_media(color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 22, 28)"
        page.wait_for_function("told.includes('themechange')")

    @pytest.mark.parametrize("width", [320, 390, 768, 1280])
    def test_nothing_is_wider_than_the_page(self, first, width):
        page = first()
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_is_small():
    sizes = {name: len(content) for name, content in page_files().items()}
    assert sum(sizes.values()) < 300_000, sizes


def at_rest(lab):
    """Say whether none of a lab's processes is busy."""

    def work():
        stats = [Path(f"/proc/{child}/stat").read_text() for child in children(lab.process.pid)]
        return [stat.rpartition(")")[2].split()[11:13] for stat in stats]

    before = work()
    time.sleep(0.3)
    return before == work()


def test_the_first_view_is_quick(lab, open_page, new_page):
    """From nothing to a drawn screen of a lab that runs, as far as others leave it the machine."""
    open_page()
    times = []
    for _ in range(10):
        limit = max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))
        page = new_page()
        until(lambda: at_rest(lab), 60)  # a spare process is ready again
        began = time.perf_counter()
        page.goto(lab.url)
        page.wait_for_selector(READY, state="attached")
        page.locator("main > *").first.wait_for()
        times.append(time.perf_counter() - began)
        page.context.close()
        if times[-1] < limit:
            return
    raise AssertionError(f"it took {times} seconds")


@pytest.mark.quick
def test_every_screen_opens(open_page):
    page = open_page()
    names = page.eval_on_selector_all(".tabs a", "tabs => tabs.map((tab) => tab.dataset.name)")
    assert names
    for name in names:
        page.click(f".tabs a[data-name={name}]")
        page.locator(f"main.screen.{name} > *").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
