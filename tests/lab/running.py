"""A lab in a process of its own, and ways to talk to it without a browser."""

import json
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import IO, Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from rosenblatt.lab.serve import Lab, listen

START = 240.0  # seconds: the very first start compiles
TRYING = Path(__file__).with_name("trying.py")


@dataclass
class Running:
    """A lab that runs in a process of its own."""

    process: subprocess.Popen[str]
    url: str
    said: IO[str]

    @property
    def port(self) -> int:
        return int(urlsplit(self.url).port or 0)

    @property
    def token(self) -> str:
        return urlsplit(self.url).path.strip("/")

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def errors(self) -> str:
        """Return what the lab has said on its standard error."""
        self.said.seek(0)
        return self.said.read()


@contextmanager
def started(*command: str, stop: Callable = subprocess.Popen.terminate) -> Iterator[Running]:
    """Run a lab until the block ends; its first line is its address."""
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            assert select.select([process.stdout], [], [], START)[0], "the lab does not start"
            running = Running(process, process.stdout.readline().strip(), said)
            assert running.url.startswith("http://"), running.errors()
            yield running
        finally:
            stop(process)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def run_aside(act: Callable[[], Any]) -> Any:
    """Run in a thread, for a loop may run in this one; return and raise what it does."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(act).result(60)


@contextmanager
def within(**options: Any) -> Iterator[Lab]:
    """Run a lab with the screen of `trying` in a thread of this process until the block ends."""
    ready = Event()
    command = (sys.executable, "-P", str(TRYING))
    lab = Lab(listen(0), command=command, on_ready=lambda url: ready.set(), **options)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(lab.serve_until_stopped)
        try:
            assert ready.wait(START), "the lab does not start"
            yield lab
        finally:
            lab.should_exit = True
            running.result(60)


def real(*options: str) -> tuple[str, ...]:
    """Return the command that runs the lab as people do."""
    return (sys.executable, "-m", "rosenblatt", "lab", "--no-open", "--port", "0", *options)


def trying(port: int = 0, token: str = "secret", limit: float = 60) -> tuple[str, ...]:
    """Return the command that runs a lab with the screen of `trying`."""
    return (sys.executable, str(TRYING), "serve", str(port), token, str(limit))


class Talk:
    """A page's side of the WebSocket."""

    def __init__(self, running: Running, ready: bool = True) -> None:
        url = f"{running.url.replace('http', 'ws', 1)}socket"
        self.opening = connect(url, origin=running.origin, compression=None, max_size=None)
        self.number, self.ready = 0, ready

    def __enter__(self) -> "Talk":
        self.socket = self.opening.__enter__()
        if self.ready:
            self.wait_for("ready")
        return self

    def __exit__(self, *error: Any) -> None:
        with suppress(ConnectionClosed):  # by the lab, in the midst of a message
            self.opening.__exit__(*error)

    def next(self, seconds: float = 60) -> dict:
        """Return the next message."""
        return json.loads(self.socket.recv(timeout=seconds))

    def wait_for(self, name: str, seconds: float = 60) -> dict:
        """Return the next message that has a part of a name, and skip others."""
        while True:
            message = self.next(seconds)
            if name in message:
                return message

    def say(self, said: Any, **options: Any) -> None:
        """Send anything; the lab may close the connection before it has heard all of it."""
        with suppress(ConnectionClosed):
            self.socket.send(said, **options)

    def send(self, do: str, /, **told: Any) -> int:
        """Ask without waiting for an answer; return the question's number."""
        self.number += 1
        self.say(json.dumps({"id": self.number, "do": do, "with": told}))
        return self.number

    def answer(self, number: int, seconds: float = 60) -> dict:
        """Return the last answer to a question, with its parts; skip what is not about it."""
        parts = []
        while True:
            message = self.next(seconds)
            if message.get("id") != number:
                continue
            if "part" not in message:
                return {**message, "parts": parts}
            parts.append(message["part"])

    def ask(self, do: str, /, **told: Any) -> dict:
        """Ask, and return the answer."""
        return self.answer(self.send(do, **told))

    def closed(self, seconds: float = 60) -> int:
        """Wait until the lab closes the connection; return its code."""
        try:
            while True:
                self.socket.recv(timeout=seconds)
        except ConnectionClosed as end:
            return end.rcvd.code if end.rcvd else 1006


def exchange(running: Running, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send bytes to a lab; return the status, headers and body that it answers with."""
    with socket.create_connection(("127.0.0.1", running.port), timeout=20) as stream:
        stream.sendall(request)
        said = b""
        while b"\r\n\r\n" not in said:
            piece = stream.recv(1 << 16)
            if not piece:
                break
            said += piece
        head, _, body = said.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1]) if lines[0] else 0
        headers = dict(line.lower().split(": ", 1) for line in lines[1:])
        length = int(headers.get("content-length", 0)) if status != 101 else 0
        if headers.get("connection") == "close" and "content-length" not in headers:
            length = 1 << 30
        with suppress(ConnectionResetError):  # it may not have read all of a long request
            while len(body) < length and (piece := stream.recv(1 << 16)):
                body += piece
    return status, headers, body


def request(path: str, headers: list[str], *, method: str = "GET", upgrade: bool = False) -> bytes:
    """Write an HTTP request, or the one that opens a WebSocket."""
    if upgrade:
        headers = [
            *headers,
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
    lines = [f"{method} {path} HTTP/1.1", *headers]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1")


def ask(
    running: Running,
    path: str | None = None,
    host: list[str] | None = None,
    origin: list[str] | None = None,
    method: str = "GET",
    upgrade: bool = False,
    more: tuple[str, ...] | list[str] = (),
) -> tuple[int, dict[str, str], bytes]:
    """Ask as a page of the lab does, but for what is told otherwise."""
    path = f"/{running.token}/{'socket' if upgrade else ''}" if path is None else path
    names = {"port": running.port, "other": running.port - 1}
    hosts = [f"127.0.0.1:{running.port}"] if host is None else host
    origins = ([running.origin] if upgrade else []) if origin is None else origin
    lines = [f"Host: {one.format(**names)}" for one in hosts]
    lines += [f"Origin: {one.format(**names)}" for one in origins]
    return exchange(running, request(path, [*lines, *more], method=method, upgrade=upgrade))


def lives(process: int) -> bool:
    """Say whether a process runs; one that has ended and that nobody asked about does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == process and fields[0] != "Z":
            found.append(int(entry.parent.name))
    return found


def until(what: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait until something is so, and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"not so after {seconds} seconds: {what}")
