"""Requests: what is refused, with a status, a reason and what to do."""

import json
import socket
import time
from contextlib import suppress

import numpy as np
import pytest

from rosenblatt import LogisticRegression, OnlineClassifier, SequenceTagger
from rosenblatt.serve import server
from rosenblatt.serve.payloads import Limits
from tests.serve.conftest import MAILS, serving

PREDICT, LEARN = "/v1/models/spam:predict", "/v1/models/spam:learn"
EXPLAIN = "/v1/models/spam:explain"
X = {"a": 1}
DEEP = b'{"a":' * 1_000 + b"1" + b"}" * 1_000


@pytest.mark.parametrize(
    ("path", "body", "status", "problem"),
    [
        (PREDICT, b"{", 400, "is not JSON"),
        (PREDICT, b"[1]", 400, "not a JSON object"),
        (PREDICT, b'{"instances": [NaN]}', 400, "is not JSON"),
        (PREDICT, b"[" * 100_000, 400, "is not JSON"),
        (PREDICT, {}, 422, "'instances' is missing"),
        (PREDICT, {"instances": {}}, 422, "'instances' is not a list"),
        (PREDICT, {"instances": [X], "parameter": {}}, 422, "'parameter' that means nothing"),
        (PREDICT, {"instances": [X], "parameters": {"keep": 1}}, 422, "'keep' is 1"),
        (PREDICT, {"instances": [X, 3]}, 422, "instance 1 cannot be used"),
        (PREDICT, b'{"instances": [{"a": 1e999}]}', 400, "is not JSON"),
        (PREDICT, {"instances": [X] * 10_001}, 413, "10,000 are allowed"),
        ("/v1/models/none:predict", {"instances": [X]}, 404, "no model 'none'"),
        (LEARN, {"instances": [X]}, 422, "'labels' is missing"),
        (LEARN, {"instances": [X], "labels": []}, 422, "1 instances and 0 labels"),
        (LEARN, {"instances": [], "labels": []}, 422, "nothing to learn from"),
        (LEARN, {"instances": [X], "ids": ["a"], "labels": ["x"]}, 422, "either"),
        (LEARN, {"instances": [X], "labels": [None]}, 422, "the label of instance 0"),
        (LEARN, {"instances": [X], "labels": [1.5]}, 422, "the label of instance 0"),
        (LEARN, b'{"instances": [{"a": 1}], "labels": [1e999]}', 400, "is not JSON"),
        (LEARN, {"instances": [X], "labels": ["x"], "weights": [-1]}, 422, "the weight"),
        (LEARN, {"instances": [[1]], "labels": ["x"]}, 422, "the content of instance 0"),
        (LEARN, {"ids": [1], "labels": ["x"]}, 422, "the id of instance 0"),
        (LEARN, b'{"instances": [{}], "labels": [%s]}' % DEEP, 422, "the label of instance 0"),
        (PREDICT, b'{"instances": [], "parameters": {"keep": %s}}' % DEEP, 422, "'keep' is"),
        (EXPLAIN, b'{"instances": [{}], "parameters": {"label": %s}}' % DEEP, 422, "'label' is"),
        ("/v1/models/spam:explain", {"instances": [X], "parameters": 3}, 422, "not an object"),
        ("/v1/models/spam:forget", {}, 404, "there is no :forget"),
        ("/nowhere", {}, 404, "nothing at this address"),
    ],
)
def test_a_request_that_is_wrong_changes_nothing(service, path, body, status, problem):
    found, answer = service("POST", path, body)
    assert found == status
    assert problem in answer["error"]
    assert answer["advice"]
    info = service("GET", "/v1/models/spam")[1]
    assert (info["position"], info["features"]) == (0, 0)


def test_a_body_that_is_too_large(tmp_path):
    limits = Limits(body=1_000, features=10)
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}, limits=limits) as asking:
        status, answer = asking.predict({"text": "x" * 2_000})
        assert (status, "larger than 1,000 bytes" in answer["error"]) == (413, True)
        status, answer = asking.predict({f"f{k}": [1] for k in range(11)})
        assert (status, "more than 10 values" in answer["error"]) == (413, True)
        line = b'{"text": "' + b"x" * 2_000 + b'"}'
        status = asking.raw("POST", PREDICT, line, content_type="application/x-ndjson")[0]
        assert status == 413
        status, answer = asking("POST", PREDICT, b"a=b", content_type="text/plain")
        assert (status, "'text/plain'" in answer["error"]) == (415, True)


def test_a_message_quotes_a_part_of_what_is_large(service):
    service.learn(({"a": 1}, 1), ({"b": 1}, 2))
    for examples in ([({"a": 1}, "x" * 100_000)], [({"y" * 100_000: [[]]}, 1)]):
        status, answer = service.learn(*examples)
        assert (status, len(answer["error"]) < 1_000) == (422, True)


def test_a_bug_is_answered_in_json(service, monkeypatch):
    def fails(*_):
        raise KeyError("oops")

    monkeypatch.setattr(service.service.api.models["spam"], "predict", fails)
    status, answer = service.predict(X)
    assert (status, "KeyError" in answer["error"]) == (500, True)


def test_too_many_large_bodies_at_once(tmp_path):
    limits = Limits(together=5_000)
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}, limits=limits) as asking:
        status, headers, text = asking.raw("POST", PREDICT, b" " * 6_000)
        assert (status, headers["retry-after"]) == (503, "1")
        assert b"too many large requests" in text
        for _ in range(3):  # what is answered is counted no longer
            assert asking.predict({"text": "x" * 3_000})[0] == 200


def test_a_body_that_stops_coming(tmp_path):
    limits = Limits(seconds=0.2)
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}, limits=limits) as asking:
        head = (
            f"POST {PREDICT} HTTP/1.1\r\nhost: 127.0.0.1:{asking.port}\r\ncontent-length: 9\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", asking.port), 10) as connection:
            connection.sendall(head.encode() + b'{"in')
            assert b"408" in connection.recv(1000)


def test_a_head_that_does_not_come(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "PATIENCE", 0.2)
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}) as asking:
        with socket.create_connection(("127.0.0.1", asking.port), 10) as connection:
            connection.sendall(b"GET /v2/he")
            with suppress(ConnectionResetError):
                assert connection.recv(1000) == b""
        assert asking("GET", "/v2/health/live")[0] == 200


def flood(connection, data):
    for _ in range(5_000):
        connection.sendall(data)


def test_a_head_that_does_not_end(tmp_path):
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}) as asking:
        for begun in (b"GET /", b"GET / HTTP/1.1\r\nx: ", b"POST / HTTP/1.1\r\nhost: a\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", asking.port), 10) as connection:
                connection.sendall(begun)
                with pytest.raises(OSError, match=r"reset|pipe|aborted"):
                    flood(connection, b"x" * 10_000)
        body = b'{"instances": [{"text": "%s"}]}' % (b"x" * 1_000_000)
        assert asking.raw("POST", PREDICT, body)[0] == 200


def test_an_answer_that_is_not_read(tmp_path, monkeypatch):
    """The connection ends, also if more of the request would come."""
    monkeypatch.setattr(server, "READING", 0.3)
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}) as asking:
        asking.learn(*MAILS)
        head = (
            f"POST {PREDICT} HTTP/1.1\r\nhost: 127.0.0.1:{asking.port}\r\n"
            "content-type: application/x-ndjson\r\ncontent-length: 900000000\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", asking.port), 20) as connection:
            connection.sendall(head.encode())
            with pytest.raises(OSError, match=r"reset|pipe|aborted"):
                flood(connection, b'{"free": 1}\n' * 10_000)
        assert asking("GET", "/v2/health/live")[0] == 200


def test_an_answer_that_is_read_slowly_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "PATIENCE", 0.2)
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}) as asking:
        asking.learn(*[({"a": 1}, f"{k}" + "y" * 1_000) for k in range(30)])
        body = json.dumps({"instances": [X] * 300}).encode()
        head = f"POST {PREDICT} HTTP/1.1\r\nhost: 127.0.0.1:{asking.port}\r\n"
        head += f"connection: close\r\ncontent-length: {len(body)}\r\n\r\n"
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
            connection.connect(("127.0.0.1", asking.port))
            connection.sendall(head.encode() + body)
            time.sleep(1)
            text = b""
            while part := connection.recv(1 << 20):
                text += part
        _, _, answer = text.partition(b"\r\n\r\n")
        assert len(json.loads(answer)["predictions"]) == 300


def test_too_many_connections(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 5)
    monkeypatch.setattr(server, "_TOLD", 0)
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}) as asking:
        held = [socket.create_connection(("127.0.0.1", asking.port), 10) for _ in range(5)]
        held.append(socket.create_connection(("127.0.0.1", asking.port), 10))
        with suppress(ConnectionResetError):
            assert held[-1].recv(1000) == b""
        for connection in held:
            connection.close()
        time.sleep(0.2)
        assert asking("GET", "/v2/health/live")[0] == 200


def test_who_may_ask(tmp_path):
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}) as asking:
        assert asking("GET", "/v1/models", host="evil.example")[0] == 421
        assert asking("GET", "/v1/models", origin="http://evil.example")[0] == 403
        own = f"http://127.0.0.1:{asking.port}"
        assert asking("GET", "/v1/models", origin=own)[0] == 200


def test_a_token_is_needed(tmp_path):
    token = "0123456789abcdef"
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}, token=token) as asking:
        status, headers, _ = asking.raw("GET", "/v1/models")
        assert (status, headers["www-authenticate"]) == (401, "Bearer")
        for wrong in ("Bearer", f"Bearer {token}x", token, "Bearer \xff"):
            assert asking("GET", "/v1/models", authorization=wrong)[0] == 401
        assert asking("GET", "/v1/models", authorization=f"Bearer {token}")[0] == 200
        assert asking("GET", "/v2/health/ready")[0] == 200
        assert asking("GET", "/metrics")[0] == 401


def test_an_explanation_adds_up(service):
    service.learn(*MAILS)
    x = MAILS[2][0]
    body = {"instances": [x], "parameters": {"label": "spam"}}
    status, answer = service("POST", "/v1/models/spam:explain", body)
    score = service.predict(x)[1]["scores"][0]["spam"]
    assert status == 200
    assert sum(answer["explanations"][0].values()) == pytest.approx(score, abs=1e-5)
    body["parameters"]["label"] = "nonsense"
    assert service("POST", "/v1/models/spam:explain", body)[0] == 422


def test_lines_are_predicted_one_by_one(service):
    service.learn(*MAILS)
    lines = b"".join(json.dumps(x).encode() + b"\n\n" for x, _ in MAILS)
    kind = {"content_type": "application/x-ndjson"}
    status, headers, text = service.raw("POST", PREDICT, lines, **kind)
    found = [json.loads(line) for line in text.splitlines()]
    assert status == 200
    assert headers["content-type"].startswith("application/x-ndjson")
    wanted = service.predict(*[x for x, _ in MAILS])[1]
    assert [one["prediction"] for one in found] == wanted["predictions"]
    assert [one["scores"] for one in found] == wanted["scores"]
    status, _, text = service.raw("POST", PREDICT, lines + b"{", **kind)
    assert status == 400
    assert b"line 9 is not JSON" in text


@pytest.mark.parametrize(
    ("line", "status", "problem"),
    [
        (b'{"instance": {"a": [[1]]}, "label": "x"}', 422, "line 1503 cannot be learned from"),
        (b'{"instance": {"a": 1}, "label": null}', 422, "the label of line 1503 is null"),
        (b'{"id": "none", "label": "x"}', 404, "line 1503 has the id 'none'"),
        (b"{", 400, "line 1503 is not JSON"),
    ],
)
def test_what_is_wrong_with_a_line_names_it(service, line, status, problem):
    good = b'{"instance": {"a": 1}, "label": "x"}\n'
    lines = good * 700 + b"\n\n" + good * 800 + line
    kind = {"content_type": "application/x-ndjson"}
    first, _, text = service.raw("POST", LEARN, lines, **kind)
    told, refused = map(json.loads, text.splitlines())
    assert (first, told["lines"], told["learned"]) == (200, [1, 1002], 1000)
    assert refused["error"].startswith(problem)
    status_alone, _, text = service.raw("POST", LEARN, line, **kind)
    assert status_alone == status
    assert json.loads(text)["error"].startswith(problem.replace("1503", "1"))


def test_refused_lines_are_named(service):
    service.learn(*MAILS)
    lines = b'{"instance": {"a": 1}, "label": "ham"}\n\n{"instance": {"a": 1}, "label": 7}\n'
    _, _, text = service.raw("POST", LEARN, lines, content_type="application/x-ndjson")
    found = json.loads(text)
    assert [one["line"] for one in found["refused"]] == [3]
    wrong = b'{"free": 1}\n\n{"free": [[1]]}'
    status, _, text = service.raw("POST", PREDICT, wrong, content_type="application/x-ndjson")
    assert (status, json.loads(text)["error"][:26]) == (422, "line 3 cannot be used: fea")


def test_lines_are_not_for_every_address(service):
    service.learn(*MAILS)
    body = b'{"instances": [{"a": 1}]}'
    status = service.raw("POST", EXPLAIN, body, content_type="application/x-ndjson")[0]
    assert status == 415


def test_a_tagger_and_an_estimator_predict_and_do_not_learn(tmp_path):
    words = [["the", "dog", "barks"], ["a", "cat", "sleeps"]] * 5
    tagger = SequenceTagger().fit(words, [["D", "N", "V"]] * 10)
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [0.2, 0.9], [0.9, 0.1]])
    estimator = LogisticRegression().fit(rows, ["a", "b", "a", "b"])
    with serving(tmp_path / "data", {"tags": tagger, "rows": estimator}) as asking:
        assert asking.predict(words[0], model="tags") == (200, {"predictions": [["D", "N", "V"]]})
        status, answer = asking.predict([0.1, 1.0], model="rows")
        assert answer["predictions"] == ["a"]
        assert answer["probabilities"][0]["a"] > 0.5
        for wrong in (["a", []], [[1, 2]], [[["x"]]], [["a", "b"], "c"]):
            status, answer = asking.predict(words[0], wrong, model="tags")
            assert (status, "instance 1 cannot be used" in answer["error"]) == (422, True)
        for model, wrong in (("tags", {"a": 1}), ("rows", [1.0]), ("rows", {"x": 1})):
            status, answer = asking.predict(wrong, model=model)
            assert (status, "instance 0 is not a list" in answer["error"]) == (422, True)
        for model in ("tags", "rows"):
            status, answer = asking.learn(({"a": 1}, "b"), model=model)
            assert (status, "does not learn" in answer["error"]) == (405, True)


def test_tokens_have_the_columns_that_the_tagger_learned_from(tmp_path):
    sentence = [("the", "DT"), ("dog", "NN")]
    tagger = SequenceTagger().fit([sentence] * 5, [["D", "N"]] * 5)
    with serving(tmp_path / "data", {"tags": tagger}) as asking:
        pairs, dicts = [list(one) for one in sentence], [{"word": w, "pos": p} for w, p in sentence]
        for given in (pairs, dicts):
            assert asking.predict(given, model="tags") == (200, {"predictions": [["D", "N"]]})
        for wrong, where in (
            ([pairs, ["the", "dog"]], "instance 1 cannot be used: tokens have 1 column"),
            ([[["the", "DT", "x"]]], "instance 0 cannot be used: tokens have 3 columns"),
            ([[{"word": "the"}]], "instance 0 cannot be used: "),
            ([[["the", None]]], "instance 0 cannot be used: "),
            ([[[]]], "instance 0 cannot be used: "),
            ([pairs, dicts], "the tokens of X must be alike"),
        ):
            status, answer = asking.predict(*wrong, model="tags")
            assert (status, answer["error"][: len(where)]) == (422, where)


def test_what_is_refused_names_its_line(service):
    service.learn(*MAILS)
    kind = {"content_type": "application/x-ndjson"}
    path = PREDICT.replace("predict", "learn")
    lines = [b'{"instance": {"x": 1}, "label": "ham"}'] * 3000
    lines[1200] = b'{"instance": {"x": 1}, "label": 1}'
    lines[2499] = b'{"instance": {"x": 1e300}, "label": "ham"}'
    answers = service.raw("POST", path, b"\n".join(lines), **kind)[2].splitlines()
    assert json.loads(answers[1])["refused"][0]["line"] == 1201
    last = json.loads(answers[-1])
    assert last["error"].startswith("line 2500 cannot be learned from: feature 'x' is 1e+300")
    assert last["advice"] == "correct it; the lines up to 2,000 were learned, and none after"
    assert service("GET", "/v1/models/spam")[1]["position"] == 2004
    status, _, text = service.raw("POST", path, b'{"id": "a", "label": 1}', **kind)
    assert (status, json.loads(text)["error"][:15]) == (404, "line 1 has the ")
    assert json.loads(text)["advice"].endswith("; nothing was learned")
    status, _, text = service.raw("POST", path, b'{"instance": {}, "label": null}', **kind)
    assert (status, json.loads(text)["error"]) == (422, "the label of line 1 is null")
    status, _, text = service.raw("POST", PREDICT, b'{"x": 1}\n\n{"x": 1e300}', **kind)
    assert (status, json.loads(text)["error"][:21]) == (422, "line 3 cannot be used")
    status, _, text = service.raw("POST", PREDICT, b'{"x": 1}{"x": 2}', **kind)
    assert (status, "--data-binary" in json.loads(text)["advice"]) == (400, True)


def test_a_wrong_action_or_method_says_which_there_are(service):
    status, answer = service("POST", "/v1/models/spam:forget", {})
    assert (status, answer["error"]) == (404, "there is no :forget")
    assert answer["advice"] == "a model has :predict, :learn, :explain"
    assert service("GET", "/v1/models/spam:forget") == (status, answer)
    status, answer = service("GET", PREDICT)
    assert (status, answer["error"]) == (405, ":predict takes a body")
    status, headers, text = service.raw("POST", "/v1/models", b"{}")
    assert (status, headers["allow"].replace("HEAD", "").strip(", ")) == (405, "GET")
    assert json.loads(text)["advice"] == "use GET; see /openapi.json"


def test_what_is_known_of_the_service(service):
    service.learn(*MAILS)
    assert service("GET", "/v1/models") == (200, {"models": ["spam"]})
    assert service("GET", "/v2/health/live") == (200, {"live": True})
    assert service("GET", "/v2/health/ready") == (200, {"ready": True})
    info = service("GET", "/v1/models/spam")[1]
    assert info["classes"] == ["ham", "spam"]
    assert info["progress"]["examples"] == 4
    (history,) = service("GET", "/v1/models/spam/history")[1]["history"]
    assert history["examples"] == 4
    assert abs(history["start"] - time.time()) < 100
    weights = service("GET", "/v1/models/spam/weights")[1]
    assert weights["snapshot"] == 0
    assert {one["feature"] for one in weights["largest"]} >= {"free", "lunch", "tags=a"}
    assert all(one["before"] == 0 and one["class"] == "spam" for one in weights["changed"])
    text = service.raw("GET", "/metrics")[2].decode()
    assert 'rosenblatt_requests_total{call="learn",model="spam",status="200"} 1.0' in text
    assert 'rosenblatt_examples_total{model="spam"} 4.0' in text
    description = service("GET", "/openapi.json")[1]
    for path, item in description["paths"].items():
        for method in item:
            if method != "parameters":
                status, headers, _ = service.raw(
                    method.upper(), path.replace("{name}", "spam"), b"{}"
                )
                answer = item[method]["responses"][str(status)]
                assert headers["content-type"].partition(";")[0] in answer["content"]
                if status == 415:
                    assert "application/x-ndjson" not in item[method]["requestBody"]["content"]
    known = {(r.path, m) for r in service.service.api.routes() for m in r.methods - {"HEAD"}}
    told = {(p, m.upper()) for p, item in description["paths"].items() for m in item}
    assert known - told == {("/openapi.json", "GET")}
