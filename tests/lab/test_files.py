"""What is served: the page's files and no others, with what every answer forbids."""

import re
import socket
from importlib import resources

import pytest

from rosenblatt.lab.app import page_files
from tests.lab.running import ask, exchange, request


def test_every_file_needs_the_key(slow_lab):
    files = page_files()
    assert {"index.html", "js/main.js", "css/lab.css", "icon.svg"} <= set(files)
    for name, content in files.items():
        status, _, body = ask(slow_lab, path=f"/{slow_lab.token}/{name}")
        assert (status, body) == (200, content), name
        for without in (f"/{name}", f"/{'A' * len(slow_lab.token)}/{name}"):
            assert ask(slow_lab, path=without)[0] == 403, name


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_the_page_is_only_read(slow_lab, method):
    assert ask(slow_lab, method=method)[0] == 405


def test_head(slow_lab):
    with socket.create_connection(("127.0.0.1", slow_lab.port), timeout=20) as stream:
        lines = [f"Host: 127.0.0.1:{slow_lab.port}", "Connection: close"]
        stream.sendall(request(f"/{slow_lab.token}/", lines, method="HEAD"))
        said = b"".join(iter(lambda: stream.recv(1 << 16), b""))
    assert said.startswith(b"HTTP/1.1 200")
    assert said.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    "tail",
    [
        "../",
        "../lab/worker.py",
        "../../../../etc/passwd",
        "%2e%2e/worker.py",
        "%2e%2e%2fworker.py",
        "..%2f..%2fworker.py",
        "..%5cworker.py",
        "js/../../worker.py",
        "js/%2e%2e/index.html",
        "/etc/passwd",
        "//etc/passwd",
        "%2fetc%2fpasswd",
        "js//main.js",
        "./index.html",
        "index.html%00",
        "index.html%00.js",
        "js",
        "js/",
        "INDEX.HTML",
        "index.html/",
        "file:///etc/passwd",
        "a" * 30_000,
        "worker.py",
        "..",
    ],
)
def test_a_path_never_leads_to_another_file(slow_lab, tail):
    status, _, body = ask(slow_lab, path=f"/{slow_lab.token}/{tail}")
    assert status in (403, 404)
    assert body not in page_files().values()
    assert b"root:" not in body
    assert b"import" not in body


def test_a_request_that_is_too_long_is_refused(slow_lab):
    assert ask(slow_lab, path=f"/{slow_lab.token}/" + "a" * 200_000)[0] in (400, 403, 414)
    assert ask(slow_lab, more=["X: " + "a" * 200_000])[0] == 400
    assert ask(slow_lab)[0] == 200


def test_what_is_no_request_is_refused(slow_lab):
    for nonsense in (b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\0\r\n\r\n"):
        assert exchange(slow_lab, nonsense)[0] == 400
    assert ask(slow_lab)[0] == 200


def test_every_answer_forbids_what_the_page_does_not_need(slow_lab):
    for path in (None, f"/{slow_lab.token}/js/main.js", f"/{slow_lab.token}/none", "/"):
        headers = ask(slow_lab, path=path)[1]
        policy = dict(
            part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == "'self'"
        assert policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
        assert "unsafe" not in headers["content-security-policy"]
        assert "*" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "deny"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert not {"server", "access-control-allow-origin", "set-cookie"} & set(headers)


def test_files_say_what_they_are(slow_lab):
    kinds = {"": "text/html", "js/main.js": "text/javascript", "css/lab.css": "text/css"}
    for name, kind in kinds.items():
        headers = ask(slow_lab, path=f"/{slow_lab.token}/{name}")[1]
        assert headers["content-type"] == f"{kind}; charset=utf-8"


def test_no_code_and_no_style_stands_in_the_page():
    page = page_files()["index.html"].decode()
    assert re.search(r"<script(?![^>]* src=)", page) is None
    assert re.search(r"<style|\sstyle=|\son\w+=|javascript:", page) is None
    assert re.search(r"(src|href)=\"(?:https?:|//)", page) is None
    for name, text in page_files().items():
        if name.endswith(".js"):
            assert not re.search(r"\beval\(|new Function\(|document\.write\(", text.decode()), name


def test_nothing_leads_elsewhere():
    for name, content in page_files().items():
        told = content.decode().replace("http://www.w3.org/", "")
        assert not re.findall(r"https?://\S+|@import|url\(\s*['\"]?(?:https?:)?//", told), name


def test_only_kinds_of_files_that_a_page_has_are_served():
    folder = resources.files("rosenblatt.lab") / "static"
    assert {name.rpartition(".")[2] for name in page_files()} <= {"html", "css", "js", "svg"}
    assert (folder / "index.html").is_file()
