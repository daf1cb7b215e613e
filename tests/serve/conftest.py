"""A service in a thread of this process, and what asks it."""

import json
import threading
from contextlib import contextmanager
from http.client import HTTPConnection

import pytest

pytest.importorskip("prometheus_client")

from rosenblatt import OnlineClassifier
from rosenblatt.serve import states
from rosenblatt.serve.log import Log
from rosenblatt.serve.model import ReadOnly, learns
from rosenblatt.serve.server import Service, listen


class Asking:
    """Sends requests, and gives the status and the JSON of the answer."""

    def __init__(self, service):
        self.service, self.port = service, service.port

    def __call__(self, method, path, body=None, **headers):
        status, _, text = self.raw(method, path, body, **headers)
        return status, json.loads(text)

    def raw(self, method, path, body=None, **headers):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        connection.request(method, path, data, {"content-type": "application/json", **named})
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return found

    def learn(self, *examples, model="spam", **headers):
        body = {"instances": [x for x, _ in examples], "labels": [y for _, y in examples]}
        return self("POST", f"/v1/models/{model}:learn", body, **headers)

    def predict(self, *instances, model="spam", **parameters):
        body = {"instances": list(instances), "parameters": parameters}
        return self("POST", f"/v1/models/{model}:predict", body)


@contextmanager
def serving(folder, models=None, host="127.0.0.1", **options):
    """Serve models from a folder in a thread, and stop in order."""
    log = Log(folder)
    others = {}
    for name, model in (models or {}).items():
        if not learns(model):
            others[name] = ReadOnly(name, model)
        elif name not in log.models():
            states.add(log, name, model)
    served = {name: states.restored(log, name) for name in log.models()} | others
    ready = threading.Event()
    service = Service(
        log, served, host, listen(host, 0), on_ready=lambda url: ready.set(), **options
    )
    thread = threading.Thread(target=service.serve_until_stopped)
    thread.start()
    try:
        assert ready.wait(30)
        yield Asking(service)
    finally:
        service.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture
def service(tmp_path):
    """A service of a new model, "spam"."""
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}) as asking:
        yield asking


MAILS = [
    ({"free": 1, "offer": 1}, "spam"),
    ({"lunch": 1, "today": 1}, "ham"),
    ({"free": 1, "pills": 2.5, "from": "shop"}, "spam"),
    ({"see": 1, "you": 1, "tags": ["a", "b"]}, "ham"),
]


def learned_alone(examples, model=None):
    """Return a model that learned the same without a service."""
    model = OnlineClassifier() if model is None else model
    for x, y in examples:
        model.learn_one(x, y)
    return model


def same(one, other):
    """Say whether two models are the same to the last bit."""
    header, arrays = one.to_parts()
    header_2, arrays_2 = other.to_parts()
    return header == header_2 and all(
        a.tobytes() == arrays_2[name].tobytes() for name, a in arrays.items()
    )


def on_disk(folder, name="spam", until=None):
    """Return a model as the folder of a stopped service has it."""
    log = Log(folder)
    try:
        found = states.restored(log, name, until)
        assert same(found.front, found.back)
        return found.front
    finally:
        log.close()
