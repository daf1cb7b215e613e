"""Opening the page: the browser gets a file that leads to it, and so nobody else gets the key."""

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from rosenblatt.lab import open_browser
from rosenblatt.lab.open_browser import Opening
from tests.lab.running import until, within

URL = "http://127.0.0.1:1957/key/#/truth?n=2"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder that is empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


@pytest.fixture
def opened(home, monkeypatch):
    """What a browser was told to open."""
    told = []

    class Browser:
        def open(self, url):
            told.append(url)

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(open_browser.webbrowser, "get", Browser)
    return told


def told_file(opened):
    return Path(unquote(urlsplit(until(lambda: opened)[0]).path))


def left_by_a_killed_lab(home, port):
    """Leave what a lab on a port leaves when it is killed."""
    file = open_browser._write(f"http://127.0.0.1:{port}/key/")
    assert file.parent.parent == home
    return file


class TestFile:
    def test_it_leads_to_the_page(self, opened):
        assert Opening().open(URL)
        file = told_file(opened)
        assert URL in file.read_text()
        assert "key" not in opened[0]

    @pytest.mark.skipif(os.name != "posix", reason="needs modes of files")
    def test_nobody_else_can_read_it(self, opened):
        mask = os.umask(0)
        try:
            Opening().open(URL)
        finally:
            os.umask(mask)
        file = told_file(opened)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700

    def test_confined_browsers_can_read_it(self, home, opened):
        """Snaps see the home folder, but nothing hidden in it, and a /tmp of their own."""
        Opening().open(URL)
        file = told_file(opened)
        assert file.parent.parent == home
        assert not file.parent.name.startswith(".")

    def test_a_link_cannot_write_in_it(self, opened):
        Opening().open(f'{URL}"><script>alert(1)</script>\udcff')
        text = told_file(opened).read_text("utf-8")
        assert "<script" not in text
        assert text.count('"') % 2 == 0

    def test_it_goes_when_the_browser_has_come(self, home, opened):
        one = Opening()
        one.open(URL)
        told_file(opened)
        one.done()
        one.done()
        assert list(home.iterdir()) == []


class TestBrowser:
    def test_without_a_screen_there_is_none(self, home, monkeypatch):
        monkeypatch.setattr(sys, "platform", "linux")
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
            monkeypatch.delenv(name, raising=False)
        assert not Opening().open(URL)
        assert list(home.iterdir()) == []

    def test_one_that_nobody_has(self, home, opened, monkeypatch):
        def get():
            raise open_browser.webbrowser.Error

        monkeypatch.setattr(open_browser.webbrowser, "get", get)
        assert not Opening().open(URL)
        assert list(home.iterdir()) == []

    def test_no_place_for_the_file(self, opened, monkeypatch, tmp_path):
        monkeypatch.setenv("HOME", str(tmp_path / "none"))
        monkeypatch.setenv("USERPROFILE", str(tmp_path / "none"))
        assert not Opening().open(URL)
        assert opened == []

    def test_one_that_takes_its_time_is_not_waited_for(self, home, opened, monkeypatch):
        class Slow:
            go, opened = threading.Event(), threading.Event()

            def open(self, url):
                self.go.wait(10)
                self.opened.set()

        monkeypatch.setattr(open_browser.webbrowser, "get", Slow)
        assert Opening().open(URL)
        assert not Slow.opened.is_set()
        Slow.go.set()
        assert Slow.opened.wait(10)


class TestLab:
    def test_at_its_end_the_file_is_gone(self, home, opened):
        with within() as lab:
            lab.open_browser(lab.url)
            assert told_file(opened).exists()
        assert list(home.iterdir()) == []

    @pytest.mark.skipif(os.name != "posix", reason="needs signals")
    @pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
    def test_a_signal_ends_it(self, home, end):
        began = """
import webbrowser
from rosenblatt.lab.serve import Lab, listen
webbrowser.get = lambda: type("Browser", (), {"open": print})
lab = Lab(listen(0), command=("echo", "=ready"), on_ready=lambda url: lab.open_browser(url))
lab.serve_until_stopped()
"""
        environment = {**os.environ, "HOME": str(home), "DISPLAY": ":0"}
        command = [sys.executable, "-uc", began]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as running:
            opened = running.stdout.readline().decode()
            running.send_signal(end)
        assert opened.startswith(home.as_uri())
        if end == signal.SIGKILL:
            assert len(list(home.iterdir())) == 1
            with within():
                pass
        assert list(home.iterdir()) == []

    def test_what_a_killed_one_left_is_removed(self, home):
        file = left_by_a_killed_lab(home, 1)
        with within() as lab:
            assert not file.exists()
            file = left_by_a_killed_lab(home, lab.port)
            with within():
                assert file.exists()  # this one runs
        assert list(home.iterdir()) == [file.parent]

    def test_what_others_left_is_not(self, home):
        folder = home / "rosenblatt-lab-mine"
        folder.mkdir()
        (folder / "1.html").write_text("<!doctype html>mine")
        (folder / "notes.html").write_text(open_browser._MARK)
        (folder / "99999.html").write_text(open_browser._MARK)
        (folder / "2.html").symlink_to(folder / "notes.html")
        before = sorted(folder.iterdir())
        with within():
            assert sorted(folder.iterdir()) == before

    @pytest.mark.quick
    def test_a_browser_gets_to_the_page(self, browser, home, opened):
        with within() as lab:
            lab.open_browser(f"{lab.url}#/truth?n=2")
            file = told_file(opened)
            page = browser.new_page()
            try:
                page.goto(opened[0])
                page.wait_for_url(f"{lab.url}#/truth?n=2")
                assert page.evaluate("document.referrer") == ""
                until(lambda: not file.parent.exists())
            finally:
                page.close()
