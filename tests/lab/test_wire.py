"""The page's calls: in order, the last of many, and what is slow can be cancelled."""

import pytest
from playwright.sync_api import expect

from tests.lab.pretended import pretend, told
from tests.lab.running import lives, until
from tests.lab.watching import Watch

READY = "body[data-state=ready]"


@pytest.fixture
def watch():
    """The usual lab need not run."""
    return Watch(set())


@pytest.fixture
def at(new_page):
    """Open a page with the screens made for tests."""

    def open_(url, beside=None):
        page = pretend(new_page(beside))
        page.goto(url)
        page.wait_for_selector(READY, state="attached")
        return page

    return open_


@pytest.fixture
def page(at, slow_lab, watch):
    watch.origins.add(slow_lab.origin)
    return at(f"{slow_lab.url}#/first?n=3")


class TestSlow:
    def test_it_is_shown_and_can_be_cancelled(self, page):
        process = page.evaluate("wire.call('trying.process')")
        page.evaluate("() => { window.slow = wire.call('trying.spin').catch((e) => e); }")
        told(page)
        notice = page.locator("#notice")
        expect(notice).to_contain_text("Computing …")
        page.click("#cancel")
        assert page.evaluate("slow.then((e) => [e.cancelled, e.lost])") == [True, True]
        expect(notice).to_be_hidden()
        page.wait_for_function("told.includes('ready first')")
        until(lambda: not lives(process))
        assert page.evaluate("wire.call('trying.kept')") == "first 3"

    def test_all_that_waits_is_cancelled(self, page):
        page.evaluate(
            """() => {
              const quiet = (promise) => promise.then(() => 'answered', (e) => e.cancelled);
              window.all = Promise.all([quiet(wire.call('trying.spin')),
                quiet(wire.call('trying.echo')), quiet(wire.call('trying.echo'))]);
            }"""
        )
        page.click("#cancel")
        assert page.evaluate("all") == [True, True, True]
        expect(page.locator("#notice")).to_be_hidden()

    def test_a_quiet_one_is_not_shown(self, page):
        page.evaluate("wire.call('trying.sleep', {seconds: 1}, {quiet: true})")
        expect(page.locator("#notice")).to_be_hidden()

    def test_what_takes_too_long_says_so(self, at, hasty_lab, watch):
        watch.origins.add(hasty_lab.origin)
        page = at(f"{hasty_lab.url}#/first?n=3")
        error = page.evaluate(
            "wire.call('trying.spin').catch((e) => [e.message, e.lost, e.cancelled])"
        )
        assert "longer than 2 seconds" in error[0]
        assert error[1:] == [True, False]
        expect(page.locator("#notice")).to_be_hidden()

    def test_the_screen_is_opened_again_after_what_was_asked_before(self, page):
        told(page)
        page.evaluate(
            """async () => {
              await wire.call('trying.die').catch((e) => tell(e.message.slice(0, 25)));
              wire.call('trying.keep', {value: 'asked in between'});  // there is no process now
            }"""
        )
        page.wait_for_function("told.includes('ready first')")
        assert told(page) == ["the process that computes", "state ready", "ready first"]
        assert page.evaluate("wire.call('trying.kept')") == "first 3"

    def test_what_waits_in_the_page_can_be_cancelled(self, page):
        got = page.evaluate(
            """async () => {
              await wire.call('trying.die').catch(() => 0);
              const late = wire.call('trying.keep', {value: 'never'});
              wire.cancel(late.id);
              return late.catch((e) => [e.cancelled, e.lost]);
            }"""
        )
        assert got == [True, False]

    def test_two_pages(self, page, at, slow_lab):
        other = at(f"{slow_lab.url}#/second", beside=page)
        page.evaluate("() => { window.slow = wire.call('trying.spin').catch((e) => e.cancelled); }")
        other.evaluate(
            """async () => {
              for (let k = 0; k < 20; k += 1) await wire.call('trying.echo', {value: k});
            }"""
        )
        assert other.evaluate("wire.call('trying.kept')") == "second 0"
        page.click("#cancel")
        assert page.evaluate("slow") is True


class TestCalls:
    @pytest.mark.quick
    def test_parts(self, page):
        code = """async () => {
          const parts = [];
          const onPart = (part) => parts.push(part);
          const result = await wire.call('trying.parts', {count: 5}, {onPart});
          return [parts, result];
        }"""
        assert page.evaluate(code) == [[0, 1, 2, 3, 4], 5]

    def test_an_error_says_what_the_library_says(self, page):
        code = "wire.call('trying.refuse').catch((e) => [e.message, e.lost, e.cancelled])"
        assert page.evaluate(code) == ["row 3 has no label; give it one", False, False]

    def test_what_is_too_large_is_refused_before_it_is_sent(self, page):
        code = (
            "wire.call('trying.echo', {value: 'ä'.repeat(3e6)}).catch((e) => [e.message, e.lost])"
        )
        message, lost = page.evaluate(code)
        assert "larger than the lab takes" in message
        assert not lost
        assert page.evaluate("wire.call('trying.echo', {value: 'ä'.repeat(1e6)})") == "ä" * 10**6
        # Should the server take less than the page thinks, it closes the connection, and says why.
        page.evaluate(
            """() => {
              window.end = wire.call('trying.sleep', {seconds: 1}).catch((e) => e.message);
              wire.socket.onclose({code: 1009});
            }"""
        )
        assert "larger than the lab takes" in page.evaluate("end")

    def test_a_screen_that_is_left_keeps_nobody_waiting(self, page):
        took = page.evaluate(
            """async () => {
              const began = performance.now();
              const end = (promise) => promise.then(() => 'answered', (e) => e.message);
              window.ends = Promise.all([end(wire.call('trying.sleep', {seconds: 1.9})),
                end(wire.call('trying.sleep', {seconds: 1.8})),
                ...[1, 2].map((value) => end(wire.latest('kind', 'trying.echo', {value})))]);
              location.hash = '#/second';
              await ends;
              return performance.now() - began;
            }"""
        )
        assert page.evaluate("ends") == ["cancelled", "cancelled", "cancelled", "answered"]
        assert took < 1800
        page.wait_for_selector("main.second")
        page.wait_for_function("told.includes('ready second')")
        assert page.evaluate("wire.call('trying.kept')") == "second 0"

    def test_of_many_the_last_counts(self, page):
        code = """async () => {
          const ask = (value) => wire.latest('kind', 'trying.echo', {value});
          return Promise.all([ask(1), ask(2), ask(3), ask(4)]);
        }"""
        assert page.evaluate(code) == [1, None, None, 4]

    def test_also_if_the_first_fails(self, page):
        code = """async () => {
          const ask = (value) => wire.latest('kind', 'trying.echo', {value});
          const first = wire.latest('kind', 'trying.die', {}).catch((e) => e.lost);
          const second = ask('second');
          return [await first, await second, await ask('third')];
        }"""
        assert page.evaluate(code) == [True, "second", "third"]

    def test_one_listener_that_fails_stops_no_other(self, page, watch):
        watch.allow("a listener's own fault")
        page.evaluate(
            """() => {
              wire.on('ready', () => { throw new Error("a listener's own fault"); });
              wire.on('ready', () => tell('heard'));
              wire.call('trying.die').catch(() => 0);
            }"""
        )
        page.wait_for_function("told.includes('heard')")
