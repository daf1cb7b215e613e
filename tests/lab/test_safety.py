"""Attacks by real pages in a real browser: from elsewhere, under another name, from within."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from tests.lab.pretended import pretend
from tests.lab.running import until
from tests.lab.watching import Watch

READY = "body[data-state=ready]"


class Elsewhere(BaseHTTPRequestHandler):
    """A site of somebody else."""

    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers)))
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Elsewhere</title>")

    def log_message(self, *args):
        pass


@contextmanager
def site():
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        server.asked, server.daemon_threads = [], True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def watch(slow_lab):
    return Watch({slow_lab.origin})


@pytest.fixture
def elsewhere(watch):
    with site() as server:
        server.url = f"http://127.0.0.1:{server.server_port}/"
        watch.origins.add(server.url.rstrip("/"))
        yield server


@pytest.fixture
def home(page, slow_lab):
    pretend(page).goto(f"{slow_lab.url}#/first")
    page.wait_for_selector(READY, state="attached")
    return page


class TestFromElsewhere:
    """Even with the key, which a page elsewhere cannot know."""

    @pytest.fixture
    def page(self, page, elsewhere, watch):
        watch.allow(".")  # its complaints are its own
        page.goto(elsewhere.url)
        return page

    @pytest.mark.quick
    def test_no_socket(self, page, slow_lab):
        code = """(url) => new Promise((resolve) => {
          const socket = new WebSocket(url);
          socket.onopen = () => resolve('open');
          socket.onclose = (event) => resolve(event.code);
        })"""
        for name in ("127.0.0.1", "localhost"):
            url = f"ws://{name}:{slow_lab.port}/{slow_lab.token}/socket"
            assert page.evaluate(code, url) == 1006

    @pytest.mark.parametrize("mode", ["cors", "no-cors"])
    def test_no_file(self, page, slow_lab, mode):
        code = (
            """([url, mode]) => fetch(url, {mode}).then((a) => a.text()).catch(() => 'refused')"""
        )
        assert page.evaluate(code, [f"{slow_lab.url}index.html", mode]) in ("refused", "")

    @pytest.mark.parametrize(("kind", "name"), [("img", "icon.svg"), ("script", "js/dom.js")])
    def test_nothing_of_it_is_shown_there(self, page, slow_lab, kind, name):
        code = """([kind, url]) => new Promise((resolve) => {
          const element = document.createElement(kind);
          if (kind === 'script') element.type = 'module';
          element.onload = () => resolve('loaded');
          element.onerror = () => resolve('refused');
          element.src = url;
          document.body.append(element);
        })"""
        assert page.evaluate(code, [kind, f"{slow_lab.url}{name}"]) == "refused"

    def test_it_stands_in_no_frame(self, page, slow_lab):
        page.evaluate(
            """(url) => new Promise((resolve) => {
              const frame = document.createElement('iframe');
              frame.onload = resolve;
              frame.src = url;
              document.body.append(frame);
            })""",
            slow_lab.url,
        )
        frame = page.frames[-1]
        assert "Rosenblatt" not in frame.content()

    def test_no_window_of_it_can_be_held(self, page, slow_lab):
        with page.context.expect_page() as opened:
            page.evaluate("(url) => { window.held = window.open(url); }", slow_lab.url)
        opened.value.wait_for_load_state()
        page.wait_for_function("held.closed")  # to the page that opened it, it is as good as gone


def test_under_another_name(launch, slow_lab):
    """DNS rebinding: a foreign name leads to this machine."""
    chromium = launch("--host-resolver-rules=MAP evil.example 127.0.0.1")
    try:
        page = chromium.new_page()
        answer = page.goto(f"http://evil.example:{slow_lab.port}/{slow_lab.token}/")
        assert answer.status == 421
        expect(page.locator("body")).to_contain_text("answers to 127.0.0.1 and localhost only")
        code = """(url) => new Promise((resolve) => {
          const socket = new WebSocket(url);
          socket.onopen = () => resolve('open');
          socket.onclose = (event) => resolve(event.code);
        })"""
        url = f"ws://evil.example:{slow_lab.port}/{slow_lab.token}/socket"
        assert page.evaluate(code, url) == 1006
    finally:
        chromium.close()


def test_by_the_name_of_this_machine_it_works(page, slow_lab, watch):
    url = slow_lab.url.replace("127.0.0.1", "localhost")
    watch.origins.add(f"http://localhost:{slow_lab.port}")
    pretend(page).goto(url)
    page.wait_for_selector(READY, state="attached")


class TestFromWithin:
    """What gets into the page all the same can do nothing."""

    @pytest.mark.quick
    def test_no_code_is_run(self, home, watch):
        watch.allow("Content Security Policy")
        code = """() => {
          const script = document.createElement('script');
          script.textContent = 'window.harmed = 1';
          document.body.append(script);
          const button = document.createElement('button');
          button.setAttribute('onclick', 'window.harmed = 2');
          document.body.append(button);
          button.click();
          setTimeout('window.harmed = 3', 0);
          setTimeout(() => { // not at once, for what the test itself evaluates may do this
            try { (0, eval)('window.harmed = 4'); } catch { /* as it should */ }
            try { new Function('window.harmed = 6')(); } catch { /* as it should */ }
          }, 0);
          location.href = 'javascript:window.harmed = 5';
        }"""
        home.evaluate(code)
        home.wait_for_timeout(100)
        assert home.evaluate("window.harmed") is None

    def test_nothing_is_told_elsewhere(self, home, elsewhere, watch):
        watch.allow("Content Security Policy")
        code = """async (url) => {
          const image = new Image();
          image.src = `${url}image`;
          navigator.sendBeacon(`${url}beacon`);
          const form = document.createElement('form');
          form.action = `${url}form`;
          document.body.append(form);
          form.submit();
          try { new WebSocket(`${url.replace('http', 'ws')}socket`); } catch { /* as it should */ }
          return fetch(`${url}fetch`, {mode: 'no-cors'}).then(() => 'told', () => 'refused');
        }"""
        assert home.evaluate(code, elsewhere.url) == "refused"
        home.wait_for_timeout(200)
        assert elsewhere.asked == []

    def test_no_style_is_written_in(self, home, watch):
        watch.allow("Content Security Policy")
        code = """() => {
          const field = document.getElementById('n');
          field.setAttribute('style', 'color: rgb(1, 2, 3)');
          return getComputedStyle(field).color;
        }"""
        assert home.evaluate(code) != "rgb(1, 2, 3)"

    def test_text_is_text(self, home):
        code = """async (base) => {
          const {h, put} = await import(`${base}js/dom.js`);
          const place = h('p', {}, '<img src=x onerror="window.harmed = 1">');
          put(document.getElementById('screen'), place);
          return place.childElementCount;
        }"""
        assert home.evaluate(code, home.url.split("#")[0]) == 0


def test_the_key_is_not_told_to_where_a_link_leads(home, elsewhere, slow_lab):
    home.evaluate(
        """(url) => {
          const link = document.createElement('a');
          link.href = `${url}link`;
          link.textContent = 'elsewhere';
          document.body.append(link);
        }""",
        elsewhere.url,
    )
    home.click("text=elsewhere")
    asked = until(lambda: [headers for path, headers in elsewhere.asked if path == "/link"])[0]
    assert "Referer" not in asked
    assert slow_lab.token not in str(asked)
    assert home.evaluate("document.referrer") == ""


def test_what_is_kept_in_the_browser_is_the_look(home):
    home.click("#theme")
    assert home.evaluate("Object.keys(localStorage)") == ["theme"]
    assert home.evaluate("sessionStorage.length") == 0
    assert home.context.cookies() == []
