"""A connection that sends half a request is not kept."""

import asyncio
import socket
import threading

import pytest
import uvicorn
from uvicorn.server import ServerState

from rosenblatt.lab import serve
from rosenblatt.lab.serve import Patience
from tests.conftest import first_quick
from tests.lab.running import Running, Talk, request, run_aside, within


@pytest.fixture(scope="module")
def lab():
    """A lab that waits a third of a second for what usually comes in a few milliseconds."""
    usual, serve.PATIENCE = serve.PATIENCE, 0.3
    try:
        with within() as lab:
            yield Running(None, lab.url, None)
    finally:
        serve.PATIENCE = usual


def whole(lab, upgrade=False):
    path = f"/{lab.token}/{'socket' if upgrade else 'icon.svg'}"
    host = f"Host: 127.0.0.1:{lab.port}"
    return request(path, [host, f"Origin: {lab.origin}"], upgrade=upgrade)


def ends(stream):
    """Return what was answered once the connection is closed; fail if it stays open."""
    said = b""
    try:
        while piece := stream.recv(1 << 16):
            said += piece
    except ConnectionResetError:
        pass
    return said


def connected(lab):
    return socket.create_connection(("127.0.0.1", lab.port), timeout=4)  # less than uvicorn's


@pytest.mark.parametrize("upgrade", [False, True], ids=["HTTP", "WebSocket"])
@pytest.mark.parametrize("part", first_quick([0, 1, 30, -2, -1], 2))
def test_half_a_request(lab, part, upgrade):
    with connected(lab) as stream:
        stream.sendall(whole(lab, upgrade)[:part])
        assert ends(stream) == b""


def test_half_of_the_next_one(lab):
    with connected(lab) as stream:
        stream.sendall(whole(lab) + whole(lab)[:30])
        assert ends(stream).count(b"HTTP/1.1 200") == 1


def test_half_a_body(lab):
    with connected(lab) as stream:
        stream.sendall(whole(lab).replace(b"\r\n\r\n", b"\r\nContent-Length: 9\r\n\r\nhalf"))
        assert ends(stream).count(b"HTTP/1.1 200") == 1


def test_one_that_comes_in_drops(lab):
    """However often a byte comes, the time is that of the whole."""
    closed = threading.Event()

    def drip(stream):
        try:
            stream.sendall(b"GET / HTTP/1.1\r\n")
            while not closed.wait(0.05):
                stream.sendall(b"x")
        except OSError:
            pass

    with connected(lab) as stream:
        dripping = threading.Thread(target=drip, args=(stream,))
        dripping.start()
        try:
            assert ends(stream) == b""
        finally:
            closed.set()
            dripping.join()


def test_a_socket_that_is_open_may_be_silent(lab):
    with Talk(lab) as talk:
        assert threading.Event().wait(2 * serve.PATIENCE) is False
        assert talk.ask("trying.echo", value=1)["result"] == 1


def test_each_request_has_a_time_of_its_own():
    """The clock stands while the lab is to answer, and starts anew with the answer."""

    async def clocks():
        async def app(scope, receive, send):
            seen.append(protocol.clock)
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

        seen = []
        config = uvicorn.Config(app, lifespan="off", log_config=None, ws="none")
        protocol = Patience(config, ServerState(), {})
        protocol.connection_made(Pretended(protocol))
        for _ in range(2):
            seen.append(protocol.clock)
            protocol.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n")
            assert protocol.clock is seen[-1]
            protocol.data_received(b"\r\n")
            await asyncio.gather(*protocol.tasks)
        protocol.connection_lost(None)
        return [*seen, protocol.clock]

    first, none, second, nothing, end = run_aside(lambda: asyncio.run(clocks()))
    assert none is nothing is end is None
    assert first is not second
    assert first.cancelled()
    assert second.cancelled()


class Pretended(asyncio.Transport):
    """A connection to nobody."""

    def __init__(self, protocol):
        super().__init__()
        self.protocol = protocol

    def get_protocol(self):
        return self.protocol

    def is_closing(self):
        return False

    def write(self, data):
        pass

    def close(self):
        pass
