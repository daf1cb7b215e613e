"""A site on this machine that answers by a script: well, badly, or not to the end."""

import hashlib
import random
import socket
import struct
import threading
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from rosenblatt.datasets import download
from rosenblatt.datasets import download as fetching
from rosenblatt.datasets.files import File, folder, read

CONTENT = random.Random(0).randbytes(200_000)


@dataclass
class Answer:
    """What the site does with a request; unless told otherwise, what a good server does."""

    content: bytes = CONTENT
    status: int | None = None  # instead of 200 or 206
    etag: str = ""
    modified: str = ""
    ranges: bool = True  # whether it knows about them
    conditions: bool = True  # whether it knows about If-Range
    length: bool = True  # whether it says how long its answer is
    chunked: bool = False
    place: str | None = None  # the Content-Range to claim
    cut: int | None = None  # after how many bytes of its answer it stops
    reset: bool = False  # whether the connection breaks then, and does not just end
    hold: threading.Event | None = None  # what it waits for then, before it goes on


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    def do_GET(self):
        answer = self.server.next()
        asked, condition = self.headers.get("Range"), self.headers.get("If-Range")
        self.server.asked.append(asked)
        self.server.conditions.append(condition)
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        if not answer.ranges or (
            condition and answer.conditions and condition not in (answer.etag, answer.modified)
        ):
            start = 0
        size = len(answer.content)
        if answer.status and answer.status != 416:
            self.head(answer, answer.status, b"")
        elif (start and start >= size) or answer.status == 416:
            self.head(answer, 416, b"", f"bytes */{size}")
        else:
            place = f"bytes {start}-{size - 1}/{size}" if start else None
            body = answer.content[start:]
            self.head(answer, 206 if place else 200, body, place)
            self.send(answer, body)

    def head(self, answer, status, body, place=None):
        self.send_response(status)
        headers = {"ETag": answer.etag, "Last-Modified": answer.modified}
        headers["Content-Range"] = (answer.place if answer.place is not None else place) or ""
        if not place:
            del headers["Content-Range"]
        headers["Content-Length"] = str(len(body)) if answer.length else ""
        headers["Transfer-Encoding"] = "chunked" if answer.chunked else ""
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()

    def send(self, answer, body):
        if answer.chunked:
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        cut = len(body) if answer.cut is None else answer.cut
        self.wfile.write(body[:cut])
        if answer.hold:
            answer.hold.wait(10)
            self.wfile.write(body[cut:])
        if answer.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def log_message(self, *_):
        pass


class Site(ThreadingHTTPServer):
    """Keeps what it was asked; each request has the next answer, and the last one for ever."""

    daemon_threads = True
    content = CONTENT

    def start(self):
        self.asked, self.conditions, self.script = [], [], [Answer()]

    def says(self, *answers):
        self.script = [Answer(**answer) for answer in answers]

    def next(self):
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def file(self, name="toy.csv", path="/toy"):
        """Return the file as the table of data sets would have it."""
        url = f"http://127.0.0.1:{self.server_port}{path}"
        return File(name, len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), url)

    def get(self, path="/toy", progress=None):
        """Fetch the file, and return its content."""
        file, here = self.file(path=path), folder() / "toy"
        fetching.complete("toy", (file,), "home", here, progress)
        return read(here, file)

    def handle_error(self, *_):
        pass  # those asking may go before they have their answer


@pytest.fixture
def site():
    server = Site(("127.0.0.1", 0), Handler)
    server.start()
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.01))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder of data sets that is not there yet."""
    monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path / "data"))
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    return tmp_path / "data"


@pytest.fixture
def part(cache):
    return cache / "toy" / "toy.csv.part"


@pytest.fixture
def waits(monkeypatch):
    """The seconds that would have been waited between tries."""
    waited = []
    monkeypatch.setattr(download, "time", SimpleNamespace(sleep=waited.append))
    return waited
