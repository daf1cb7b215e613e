"""The client: what it asks, and what it does if there is no answer."""

import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from rosenblatt import OnlineClassifier
from rosenblatt.client import Client, ServiceError
from tests.serve.conftest import MAILS, learned_alone, same, serving


@pytest.fixture
def client(service):
    with Client(service.service.url) as client:
        yield client


def test_it_learns_and_predicts(client, service):
    for x, y in MAILS[:2]:
        client.learn("spam", x, y)
    assert client.learn_many("spam", [x for x, _ in MAILS[2:]], ["spam", "ham"])["position"] == 4
    alone = learned_alone(MAILS)
    assert same(service.service.api.models["spam"].front, alone)
    assert client.predict("spam", MAILS[0][0]) == alone.predict_one(MAILS[0][0])
    assert client.explain("spam", {"free": 1}) == alone.explain_one({"free": 1})
    assert client.models() == ["spam"]
    assert client.info("spam")["examples"] == 3


def test_labels_come_later(client, service):
    ids = client.predict_many("spam", [x for x, _ in MAILS], keep=True)["ids"]
    assert client.learn_later("spam", ids, [y for _, y in MAILS])["learned"] == 4
    assert same(service.service.api.models["spam"].front, learned_alone(MAILS))


def test_threads_share_a_client(client):
    examples = [({"number": number}, "ab"[number % 2]) for number in range(200)]
    with ThreadPoolExecutor(8) as threads:
        positions = list(threads.map(lambda one: client.learn("spam", *one), examples))
    assert sorted(positions) == list(range(1, 201))


def test_values_of_numpy_are_sent_and_what_json_lacks_is_not(client):
    x = {"a": np.float32(1.5), "b": np.int64(2), "c": np.array(["p", "q"])}
    assert client.learn("spam", x, np.int64(3), np.float64(1)) == 1
    assert client.predict("spam", x) == 3
    for wrong, error in ((float("nan"), ValueError), (object(), TypeError)):
        with pytest.raises(error, match=r"cannot be written as JSON .*leave out what is missing"):
            client.predict("spam", {"a": wrong})


def test_a_token_may_come_with_the_end_of_its_line(tmp_path):
    token = "0123456789abcdef"
    models = {"spam": OnlineClassifier()}
    with (
        serving(tmp_path / "data", models, token=token) as asking,
        Client(asking.service.url, f"{token}\n") as client,
    ):
        assert client.models() == ["spam"]


def test_a_client_that_nobody_closes_leaves_no_connection(service):
    client = Client(service.service.url)
    client.models()
    (connection,) = client._idle
    del client
    assert connection.sock is None


def test_a_refusal_says_what_and_what_to_do(client):
    with pytest.raises(ServiceError, match=r"no model 'none'.*the models are: spam") as error:
        client.predict("none", {})
    assert error.value.status == 404


def test_no_service(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    with pytest.raises(ConnectionError, match="is rosenblatt serve running"):
        Client("http://127.0.0.1:9").predict("spam", {})
    with pytest.raises(ValueError, match="is not an address"):
        Client("127.0.0.1:8957")


def test_a_model_is_not_put_in_place_twice(monkeypatch):
    asked = []

    class Lost(BaseHTTPRequestHandler):
        def do_PUT(self):
            asked.append(self.path)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Lost) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(ConnectionError, match="does not answer"):
            Client(f"http://127.0.0.1:{server.server_port}").replace("m", "f")
        server.shutdown()
    assert asked == ["/v1/models/m"]


def test_a_request_is_sent_again_with_the_same_key(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    keys = []

    class Busy(BaseHTTPRequestHandler):
        def do_POST(self):
            keys.append(self.headers["Idempotency-Key"])
            self.rfile.read(int(self.headers["content-length"]))
            if len(keys) == 1:  # the answer is lost
                return
            self.send_response(503 if len(keys) == 2 else 200)
            body = b'{"position": 1, "learned": 1}'
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Busy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = Client(f"http://127.0.0.1:{server.server_port}")
        assert client.learn("spam", {"a": 1}, "x") == 1
        client.close()
        server.shutdown()
    assert len(keys) == 3
    assert len({*keys}) == 1
