"""Starting: the port, the key, the first process; small answers go out at once."""

import http.client
import socket
import sys
import time

import pytest

from rosenblatt.lab import serve
from rosenblatt.lab.serve import Lab, listen
from tests.lab.running import Talk, run_aside, until


@pytest.fixture
def taken():
    """A port that somebody else listens on."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_the_usual_port_or_any(monkeypatch, taken):
    monkeypatch.setattr(serve, "PORT", taken)
    with listen(None) as listener:
        host, port = listener.getsockname()
        assert host == "127.0.0.1"
        assert port not in (0, taken)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setattr(serve, "PORT", free.getsockname()[1])
    with listen(None) as listener:
        assert listener.getsockname()[1] == serve.PORT


def test_a_port_that_was_asked_for_and_is_taken(taken):
    with pytest.raises(ValueError, match=f"port {taken} is in use; choose another"):
        listen(taken)


def test_of_two_that_start_at_once_one_gets_the_port():
    with listen(0) as first, pytest.raises(ValueError, match="is in use"):
        listen(first.getsockname()[1])


def test_each_run_has_a_key_of_its_own():
    urls = set()
    for _ in range(3):
        with listen(0) as listener:
            urls.add(Lab(listener).url.rstrip("/").rpartition("/")[2])
    assert len(urls) == 3
    assert all(len(token) == 32 for token in urls)


def test_a_process_that_does_not_start_is_an_error(capfd):
    lab = Lab(listen(0), command=(sys.executable, "-c", "1 / 0"))
    with pytest.raises(ValueError, match="does not start"):
        run_aside(lab.serve_until_stopped)
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_what_fails_when_it_is_ready_ends_it():
    def ready(url):
        raise BrokenPipeError

    lab = Lab(listen(0), command=(sys.executable, "-c", "print('=ready')"), on_ready=ready)
    with pytest.raises(BrokenPipeError):
        run_aside(lab.serve_until_stopped)


def test_small_answers_are_not_held_back(slow_lab):
    """Without TCP_NODELAY each takes 40 ms, and so does each step in the page."""
    connection = http.client.HTTPConnection("127.0.0.1", slow_lab.port)

    def fetch():
        connection.request("GET", f"/{slow_lab.token}/icon.svg")
        connection.getresponse().read()

    def at_once(act):
        began = time.perf_counter()
        act()
        return time.perf_counter() - began < 0.02

    until(lambda: at_once(fetch))  # once is enough: on a busy machine most take longer
    connection.close()
    with Talk(slow_lab) as talk:
        until(lambda: at_once(lambda: talk.ask("trying.parts", count=3)))
