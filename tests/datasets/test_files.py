"""Downloads arrive whole and checked under their names, or not at all."""

import gzip
import hashlib
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rosenblatt.datasets import files
from rosenblatt.datasets.files import File, contents, folder

GOOD = b"1,2,a\n3,4,b\n"
SUM = hashlib.sha256(GOOD).hexdigest()


class Pages(BaseHTTPRequestHandler):
    """Serves a file whole, cut off in the middle, too long, or packed."""

    def do_GET(self):
        self.server.asked.append(self.path)
        body = {
            "/whole": GOOD,
            "/other": GOOD.replace(b"a", b"z"),
            "/cut": GOOD[:5],
            "/long": GOOD * 200_000,
            "/packed.gz": gzip.compress(GOOD, mtime=0),
            "/cut.gz": gzip.compress(GOOD, mtime=0)[:15],
            "/bomb.gz": gzip.compress(bytes(10_000_000)),
        }.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header(
            "Content-Length", str(len(GOOD) if self.path == "/cut" else len(body or b""))
        )
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    server.asked = []
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.01))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path / "data"))
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    return tmp_path / "data"


def wanted(site, path):
    return (File("toy.csv", len(GOOD), SUM, f"http://127.0.0.1:{site.server_port}{path}"),)


@pytest.mark.parametrize("path", ["/whole", "/packed.gz"])
def test_a_download_is_kept_and_used_again(site, cache, path):
    for _ in range(2):
        assert contents("toy", wanted(site, path), "home") == {"toy.csv": GOOD}
    assert site.asked == [path]
    assert [p.name for p in (cache / "toy").iterdir()] == ["toy.csv"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/other", "what came has the SHA-256"),
        ("/cut", "what came has 5 bytes|IncompleteRead"),
        ("/long", "more came than the 12 bytes"),
        ("/cut.gz", "no whole gzip file"),
        ("/bomb.gz", "what came has 13 bytes unpacked, not 12"),
        ("/missing", "404"),
    ],
)
def test_a_bad_download_leaves_nothing(site, cache, path, reason):
    with pytest.raises(OSError, match=reason) as caught:
        contents("toy", wanted(site, path), "home")
    assert "set ROSENBLATT_DATA to a folder that has toy/ with the files toy.csv" in str(
        caught.value
    )
    assert "\n" not in str(caught.value)
    assert not list(cache.rglob("*"))


def test_no_network(site, cache):
    site.shutdown()
    site.server_close()
    with pytest.raises(OSError, match="try again online, or set ROSENBLATT_DATA"):
        contents("toy", wanted(site, "/whole"), "home")


def test_nothing_is_fetched_if_a_part_cannot_be(site, cache):
    more = (*wanted(site, "/whole"), File("by_hand.csv", 3, "0" * 64))
    with pytest.raises(
        FileNotFoundError, match=r"must be fetched by hand, .* \(unzip it\); set ROSENBLATT"
    ):
        contents("toy", more, "unzip it")
    assert not site.asked


def test_a_failed_write_leaves_nothing(site, cache, monkeypatch):
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        contents("toy", wanted(site, "/whole"), "home")
    assert not list((cache / "toy").iterdir())


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("toy.csv", GOOD[:-1], "has 11 bytes unpacked, not 12"),
        ("toy.csv", GOOD.replace(b"a", b"b"), "has the SHA-256"),
        ("toy.csv.gz", gzip.compress(GOOD, mtime=0)[:-9], "is broken"),
        ("toy.csv.gz", GOOD, "is broken"),
    ],
)
def test_a_broken_file_in_the_folder_is_refused(cache, name, content, reason):
    (cache / "toy").mkdir(parents=True)
    (cache / "toy" / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{reason}.*delete it, and load again"):
        contents("toy", (File("toy.csv", len(GOOD), SUM),), "home")


def test_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path))
    assert folder() == tmp_path
    monkeypatch.delenv("ROSENBLATT_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert folder() == tmp_path / "cache" / "rosenblatt" / "data"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert folder() == tmp_path / "home" / ".cache" / "rosenblatt" / "data"
    monkeypatch.setenv("ROSENBLATT_DATA", "~nobody-of-this-name/data")
    with pytest.raises(FileNotFoundError, match="set ROSENBLATT_DATA"):
        files.folder()
