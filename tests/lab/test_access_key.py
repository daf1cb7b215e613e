"""Who may ask: the right name, the right place, the right key."""

import re
from pathlib import Path

import pytest

from rosenblatt.lab.access_key import Guard
from tests.lab.running import Talk, ask, exchange

FOREIGN = [
    "evil.example:{port}",
    "evil.example",
    "127.0.0.1",
    "127.0.0.1:{other}",
    "localhost",
    "localhost:{other}",
    "localhost.:{port}",
    "127.0.0.1.:{port}",
    "127.0.0.1.evil.example:{port}",
    "localhost.evil.example:{port}",
    "LOCALHOST:{port}",
    "127.1:{port}",
    "2130706433:{port}",
    "0.0.0.0:{port}",
    "[::1]:{port}",
    "127.0.0.1:{port}@evil.example",
    "evil.example@127.0.0.1:{port}",
    "127.0.0.1:{port}, evil.example",
    "",
]
STRANGERS = [
    "null",
    "http://evil.example",
    "http://evil.example:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:{other}",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}.evil.example",
    "http://localhost.evil.example:{port}",
    "HTTP://127.0.0.1:{port}",
    "file://",
    "",
]


@pytest.mark.parametrize("upgrade", [False, True], ids=["HTTP", "WebSocket"])
class TestWho:
    def test_the_page_may(self, slow_lab, upgrade):
        for name in ("127.0.0.1", "localhost"):
            host = [f"{name}:{slow_lab.port}"]
            origin = [f"http://{name}:{slow_lab.port}"]
            status = ask(slow_lab, host=host, origin=origin, upgrade=upgrade)[0]
            assert status == (101 if upgrade else 200)

    @pytest.mark.parametrize("host", FOREIGN)
    def test_another_name_may_not(self, slow_lab, upgrade, host):
        status, _, body = ask(slow_lab, host=[host], upgrade=upgrade)
        assert status in ((403, 400) if upgrade else (421, 400))
        assert b"<html" not in body

    @pytest.mark.parametrize("hosts", [[], ["127.0.0.1:{port}"] * 2, ["127.0.0.1:{port}", "x"]])
    def test_nor_none_nor_two(self, slow_lab, upgrade, hosts):
        status, _, body = ask(slow_lab, host=hosts, upgrade=upgrade)
        assert status in ((403, 400) if upgrade else (421, 400))
        assert b"<html" not in body

    @pytest.mark.parametrize("origin", STRANGERS)
    def test_a_page_from_elsewhere_may_not(self, slow_lab, upgrade, origin):
        status, _, body = ask(slow_lab, origin=[origin], upgrade=upgrade)
        assert status == 403
        assert b"<html" not in body

    def test_nor_one_from_two_places(self, slow_lab, upgrade):
        both = [slow_lab.origin, "http://evil.example"]
        for origin in (both, both[::-1]):
            assert ask(slow_lab, origin=origin, upgrade=upgrade)[0] in (403, 400)

    @pytest.mark.parametrize(
        "path",
        [
            "/",
            "/socket",
            "/js/main.js",
            "/index.html",
            "//{token}/",
            "/{token}",
            "/{wrong}/",
            "/{wrong}/socket",
            "/{token}x/",
            "/{short}/",
            "/x{token}/",
            "/?{token}/",
            "/x/../{token}/",
            "/%00{token}/",
            "/{token}%00/",
            "/" + "a" * 7_000 + "/",
            "/%ff%fe/",
            "/%ed%a0%80/",
            "http://127.0.0.1/{token}/",
        ],
    )
    def test_without_the_key_nobody_may(self, slow_lab, upgrade, path):
        token = slow_lab.token
        path = path.format(token=token, wrong="A" * len(token), short=token[:-1])
        status, _, body = ask(slow_lab, path=path, upgrade=upgrade)
        assert status == 403
        assert b"<html" not in body
        assert b"import" not in body


def test_a_socket_must_say_where_it_comes_from(slow_lab):
    assert ask(slow_lab, origin=[], upgrade=True)[0] == 403


def test_an_old_client_that_names_nobody_may_not(slow_lab):
    status, _, _ = exchange(slow_lab, f"GET /{slow_lab.token}/ HTTP/1.0\r\n\r\n".encode())
    assert status == 421


def test_only_this_machine_can_ask(slow_lab):
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    if not tables[0].exists():
        pytest.skip("needs a system that lists its sockets in /proc")
    listening = []
    for table in tables:
        lines = table.read_text().splitlines()[1:] if table.exists() else []
        places = [line.split()[1] for line in lines if line.split()[3] == "0A"]
        listening += [place for place in places if int(place.split(":")[1], 16) == slow_lab.port]
    assert listening == [f"0100007F:{slow_lab.port:04X}"]  # 127.0.0.1, and no other


def test_the_key_is_long_and_new(lab):
    assert re.fullmatch(r"[\w-]{32}", lab.token)


def test_the_key_is_compared_in_constant_time(monkeypatch):
    compared = []

    def compare(a, b):
        compared.append((a, b))
        return a == b

    monkeypatch.setattr("rosenblatt.lab.access_key.compare_digest", compare)
    guard = Guard(None, 8000, "secret")
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/secreT/",
        "headers": [(b"host", b"localhost:8000")],
    }
    assert guard._why_not(scope)[0] == 403
    assert compared == [(b"/secreT/", b"/secret/")]


def test_the_key_is_in_no_log(slow_lab):
    for path in (None, "/", f"/{slow_lab.token}/none", "/" + "a" * 7_000):
        ask(slow_lab, path=path)
        ask(slow_lab, path=path, host=["evil.example"])
        ask(slow_lab, path=path, upgrade=True)
    with Talk(slow_lab) as talk:
        talk.ask("trying.fail")
        talk.socket.send(b"\0")
        talk.closed()
    assert "nobody thought of this" in slow_lab.errors()
    assert slow_lab.token not in slow_lab.errors()
