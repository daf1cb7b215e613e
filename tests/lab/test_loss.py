"""The page when the server is killed, comes back, has moved, or cannot compute."""

import signal
import sys
from contextlib import ExitStack

import pytest
from playwright.sync_api import expect

from tests.lab.pretended import pretend, told
from tests.lab.running import Talk, started, trying
from tests.lab.watching import Watch

NOISE = r"net::ERR_|WebSocket connection to|status of 403"
READY = "body[data-state=ready]"


def killed(process):
    process.send_signal(signal.SIGKILL)


@pytest.fixture
def watch():
    """The usual lab need not run."""
    return Watch(set())


@pytest.fixture
def lab_at(watch):
    """Start labs that a test kills; all of them have ended when it ends."""
    with ExitStack() as stack:

        def start(port=0, token="secret"):
            running = stack.enter_context(started(*trying(port, token), stop=killed))
            watch.origins.add(running.origin)
            watch.allow(NOISE)
            return running

        yield start


@pytest.fixture
def at(new_page):
    """Open a page with the screens made for tests."""

    def open_(url, beside=None):
        page = pretend(new_page(beside))
        page.goto(url)
        page.wait_for_selector(READY, state="attached")
        return page

    return open_


def write_server(folder, code):
    """Write a lab whose processes run some code, and which does not wait for the first of them."""
    script = folder / "server.py"
    script.write_text(
        "import sys\n"
        "from rosenblatt.lab.serve import Lab, listen\n"
        f"lab = Lab(listen(0), 'secret', command=(sys.executable, '-c', {code!r}))\n"
        "print(lab.url, flush=True)\n"
        "async def tell(): pass\n"
        "lab._tell = tell\n"
        "lab.serve_until_stopped()\n"
    )
    return str(script)


def kill(lab):
    lab.process.kill()
    lab.process.wait()


class TestServer:
    @pytest.mark.quick
    def test_killed_and_back(self, at, lab_at):
        lab = lab_at()
        page = at(f"{lab.url}#/first?n=3")
        page.evaluate(
            "() => { window.late = wire.call('trying.sleep', {seconds: 9}).catch((e) => e); }"
        )
        kill(lab)
        notice = page.locator("#notice.bad")
        expect(notice).to_be_visible(timeout=60_000)
        expect(notice).to_contain_text("The lab does not answer.")
        expect(notice).to_contain_text("rosenblatt lab")
        late = page.evaluate("late.then((e) => [e.message, e.lost, e.cancelled])")
        assert late == ["the lab does not answer", True, True]
        page.click("#more")  # the page goes on
        told(page)
        lab_at(lab.port)
        page.wait_for_selector(READY, state="attached")
        expect(page.locator("#notice")).to_be_hidden()
        page.wait_for_function("told.includes('ready first')")
        assert page.evaluate("wire.call('trying.kept')") == "first 4"

    def test_what_is_asked_again_and_again_is_answered_afterwards(self, at, lab_at):
        lab = lab_at()
        page = at(f"{lab.url}#/first")
        kill(lab)
        expect(page.locator("#notice.bad")).to_be_visible(timeout=60_000)
        # Each failed try ends what is asked before it, so ask until one gets through.
        page.evaluate(
            """async () => {
              window.gap = (async () => {
                for (;;) {
                  try {
                    return await wire.call('trying.echo', {value: 'late'});
                  } catch { /* again */ }
                }
              })();
            }"""
        )
        lab_at(lab.port)
        page.wait_for_selector(READY, state="attached")
        assert page.evaluate("gap") == "late"

    def test_stopped_in_order(self, at, lab_at):
        lab = lab_at()
        page = at(lab.url)
        lab.process.send_signal(signal.SIGINT)
        expect(page.locator("#notice.bad")).to_be_visible(timeout=60_000)
        lab.process.wait(60)
        assert lab.process.stdout.read() == "closed\n"

    def test_back_with_another_key(self, at, lab_at):
        lab = lab_at()
        page = at(f"{lab.url}#/second?n=7")
        page.click("#more")
        kill(lab)
        later = lab_at(lab.port, "other")
        notice = page.locator("#notice.bad")
        expect(notice).to_contain_text("started again, at a new address", timeout=60_000)
        at(later.url, beside=page)
        page.wait_for_url(f"{later.url}#/second?n=8")
        page.wait_for_selector(READY, state="attached")
        expect(page.locator("#n")).to_have_text("8")
        expect(notice).to_be_hidden()

    def test_a_page_that_did_not_hear_of_it_asks(self, at, lab_at):
        lab = lab_at()
        page = at(f"{lab.url}#/second?n=7")
        deaf = "() => { window.hear = wire.channel.onmessage; wire.channel.onmessage = null; }"
        page.evaluate(deaf)
        kill(lab)
        later = lab_at(lab.port, "other")
        at(later.url, beside=page)
        page.evaluate("() => { wire.channel.onmessage = hear; }")
        page.wait_for_url(f"{later.url}#/second?n=7")

    def test_it_moves_nowhere_else(self, at, lab_at):
        lab = lab_at()
        page = at(f"{lab.url}#/first")
        kill(lab)
        expect(page.locator("#notice.bad")).to_be_visible(timeout=60_000)
        places = ("'http://evil.example/'", "'javascript:alert(1)'", "'nonsense'", "7")
        for said in (*(f"{{at: {place}}}" for place in places), "null", "'x'"):
            page.evaluate(f"wire.channel.onmessage({{data: {said}}})")
            assert page.url.startswith(f"{lab.url}#/first"), said

    def test_too_many_pages(self, new_page, lab_at):
        lab = lab_at()
        with ExitStack() as stack:
            talks = [stack.enter_context(Talk(lab)) for _ in range(16)]
            page = pretend(new_page())
            page.goto(lab.url)
            expect(page.locator("#notice.bad")).to_contain_text("Too many pages")
            talks[0].socket.close()
            page.wait_for_selector(READY, state="attached")
            expect(page.locator("#notice")).to_be_hidden()

    def test_a_process_that_does_not_start(self, new_page, watch, tmp_path):
        watch.allow(NOISE)  # the lab ends before the page does
        with started(sys.executable, write_server(tmp_path, "1 / 0")) as lab:
            watch.origins.add(lab.origin)
            page = pretend(new_page())
            page.goto(lab.url)
            expect(page.locator("#notice.bad")).to_contain_text("does not start")
            assert "ZeroDivisionError" in lab.errors()

    def test_a_process_that_takes_its_time(self, new_page, watch, tmp_path):
        code = (
            "import json, sys, time\n"
            "time.sleep(3)\n"
            "print('=ready', flush=True)\n"
            "for line in sys.stdin:\n"
            "    answer = {'id': json.loads(line)['id'], 'result': None}\n"
            "    print('=' + json.dumps(answer), flush=True)\n"
        )
        watch.allow(NOISE)  # the lab ends before the page does
        with started(sys.executable, write_server(tmp_path, code)) as lab:
            watch.origins.add(lab.origin)
            page = pretend(new_page())
            page.goto(lab.url)
            expect(page.locator("#notice")).to_contain_text("Getting ready …")
            page.wait_for_selector(READY, state="attached")
            expect(page.locator("#notice")).to_be_hidden()
