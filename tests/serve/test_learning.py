"""Requests to learn: in order, once, on disk, and the same model as without a service."""

import json
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from rosenblatt import OnlineClassifier, OnlineRegressor
from rosenblatt.serve.model import Served
from rosenblatt.serve.states import Settings
from tests.serve.conftest import MAILS, learned_alone, on_disk, same, serving


def test_what_is_learned_is_what_a_model_learns_alone(service, tmp_path):
    assert service.learn(*MAILS[:1]) == (200, {"position": 1, "learned": 1})
    assert service.learn(*MAILS[1:]) == (200, {"position": 4, "learned": 3})
    alone = learned_alone(MAILS)
    served = service.service.api.models["spam"]
    assert same(served.front, alone)
    status, answer = service.predict(MAILS[0][0])
    assert status == 200
    assert answer["predictions"] == [alone.predict_one(MAILS[0][0])]
    assert answer["scores"] == [alone.scores_one(MAILS[0][0])]
    assert answer["probabilities"] == [alone.predict_proba_one(MAILS[0][0])]


def test_both_copies_stay_the_same(service):
    for _ in range(5):
        service.learn(*MAILS)
    served = service.service.api.models["spam"]
    while served._to_repeat:  # the answer comes before the second copy has learned
        time.sleep(0.01)
    assert same(served.front, served.back)


def test_a_start_goes_on_from_the_end(tmp_path):
    folder = tmp_path / "data"
    with serving(folder, {"spam": OnlineClassifier()}) as asking:
        asking.learn(*MAILS)
    assert same(on_disk(folder), learned_alone(MAILS))
    with serving(folder) as asking:
        assert asking.learn(*MAILS)[1]["position"] == 8
        progress = asking("GET", "/v1/models/spam")[1]["progress"]
        assert progress["examples"] == 8
    assert same(on_disk(folder), learned_alone(MAILS * 2))


def test_every_position_can_be_had_again(tmp_path):
    folder, examples = tmp_path / "data", MAILS * 3
    settings = Settings(snapshot_examples=5)
    with serving(folder, {"spam": OnlineClassifier()}, settings=settings) as asking:
        for start in range(0, len(examples), 3):
            asking.learn(*examples[start : start + 3])
    for position in range(len(examples) + 1):
        assert same(on_disk(folder, until=position), learned_alone(examples[:position]))


def test_old_snapshots_and_their_log_are_forgotten(tmp_path):
    folder = tmp_path / "data"
    settings = Settings(snapshot_examples=4, snapshots=2)
    with serving(folder, {"spam": OnlineClassifier()}, settings=settings) as asking:
        for _ in range(6):
            asking.learn(*MAILS)
    files = sorted(path.name for path in (folder / "spam").iterdir())
    assert len(files) == 2
    assert same(on_disk(folder), learned_alone(MAILS * 6))
    with pytest.raises(ValueError, match="no snapshot of spam up to position 3"):
        on_disk(folder, until=3)


def test_many_learn_at_once(service):
    def learn(number):
        return service.learn(({f"w{number}": 1, "x": number}, "ab"[number % 2]))[1]["position"]

    with ThreadPoolExecutor(8) as pool:
        positions = sorted(pool.map(learn, range(100)))
    assert positions == [*range(1, 101)]
    assert service.service.writer.n_commits <= 100


def test_a_key_is_learned_once(service):
    first = service.learn(*MAILS[:2], idempotency_key="one")
    again = service.learn(*MAILS[:2], idempotency_key="one")
    other = service.learn(*MAILS[:2], idempotency_key="two")
    assert first == again == (200, {"position": 2, "learned": 2})
    assert other[1]["position"] == 4


def test_a_key_is_learned_once_across_a_start(tmp_path):
    folder = tmp_path / "data"
    with serving(folder, {"spam": OnlineClassifier()}) as asking:
        first = asking.learn(*MAILS, idempotency_key="one")
    with serving(folder) as asking:
        assert asking.learn(*MAILS, idempotency_key="one") == first
        assert asking("GET", "/v1/models/spam")[1]["position"] == 4


def test_labels_come_later(service, tmp_path):
    _, answer = service.predict(*[x for x, _ in MAILS], keep=True)
    ids = answer["ids"]
    assert len({*ids}) == 4
    body = {"ids": ids, "labels": [y for _, y in MAILS]}
    first = service("POST", "/v1/models/spam:learn", body)
    assert first == (200, {"position": 4, "learned": 4})
    assert same(service.service.api.models["spam"].front, learned_alone(MAILS))
    one = {"ids": ids[1:2], "labels": ["spam"]}
    assert service("POST", "/v1/models/spam:learn", one) == (200, {"position": 2, "learned": 1})
    assert service("GET", "/v1/models/spam")[1]["position"] == 4
    status, answer = service("POST", "/v1/models/spam:learn", {"ids": ["no"], "labels": ["a"]})
    assert status == 404
    assert "no prediction 'no' that is kept" in answer["error"]


def test_an_id_twice_in_a_request_is_learned_once(service):
    ids = service.predict({"a": 1}, keep=True)[1]["ids"]
    body = {"ids": ids * 2, "labels": ["x", "y"]}
    assert service("POST", "/v1/models/spam:learn", body)[1] == {"position": 1, "learned": 1}


def test_a_key_with_ids_is_answered_as_the_first_time(service):
    service.learn(*MAILS)
    ids = service.predict(*[{"a": k} for k in range(3)], keep=True)[1]["ids"]
    service("POST", "/v1/models/spam:learn", {"ids": ids[1:2], "labels": ["spam"]})
    body = {"ids": [ids[2], ids[1], ids[2], ids[0]], "labels": [7, "ham", "ham", "ham"]}
    first = service("POST", "/v1/models/spam:learn", body, idempotency_key="k")
    reason = first[1]["refused"][0].pop("error")
    assert "7" in reason
    assert first == (200, {"position": 7, "learned": 2, "refused": [{"instance": 0}]})
    again = service("POST", "/v1/models/spam:learn", body, idempotency_key="k")
    assert again[1]["refused"][0].pop("error") == reason
    assert again == first
    one = {"ids": [ids[0]], "labels": ["ham"]}
    first = service("POST", "/v1/models/spam:learn", one, idempotency_key="l")
    assert first == (200, {"position": 7, "learned": 1})
    assert service("POST", "/v1/models/spam:learn", one, idempotency_key="l") == first
    assert service("GET", "/v1/models/spam")[1]["position"] == 7


def test_keys_of_lines_are_apart_from_others(service):
    line = b'{"instance": {"a": 1}, "label": "x"}'
    kind = {"content_type": "application/x-ndjson", "idempotency_key": "k"}
    assert service.raw("POST", "/v1/models/spam:learn", line, **kind)[0] == 200
    for number, key in enumerate(("k", "k:0", "0:k", "lines:0:k")):
        assert service.learn(MAILS[0], idempotency_key=key)[1]["position"] == 2 + number


def test_a_refusal_that_was_not_noted_before_a_crash_is_known_after_it(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    examples = ({"a": 1}, "ham"), ({"a": 1}, 7)
    with serving(folder, {"spam": OnlineClassifier()}) as asking:
        asking.learn(*MAILS)
        with monkeypatch.context() as patched:
            patched.setattr(asking.service.writer, "_note", lambda: False)
            first = asking.learn(*examples, idempotency_key="k")
            assert [one["instance"] for one in first[1]["refused"]] == [1]
            assert asking.learn(*examples, idempotency_key="k") == first
            asking.service.writer.stop()  # without a snapshot, as if it were killed
    with serving(folder) as asking:
        assert asking.learn(*examples, idempotency_key="k") == first
    with serving(folder) as asking:
        assert asking.learn(*examples, idempotency_key="k") == first


def test_a_refusal_is_answered_again_after_its_log_is_forgotten(tmp_path):
    settings = Settings(snapshot_examples=1, snapshots=1)
    with serving(tmp_path / "data", {"spam": OnlineClassifier()}, settings=settings) as asking:
        asking.learn(*MAILS)
        first = asking.learn(MAILS[0], ({"a": 1}, 7), idempotency_key="k")
        assert first[1]["refused"]
        for _ in range(3):
            asking.learn(*MAILS)
        assert asking.learn(MAILS[0], ({"a": 1}, 7), idempotency_key="k") == first


def test_predictions_are_kept_again_once_the_disk_is_well(service, monkeypatch):
    log, writer = service.service.writer.log, service.service.writer

    def fails():
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patched:
        patched.setattr(log, "commit", fails)
        assert service.learn(*MAILS)[0] == 500
        assert service.predict({"a": 1}, keep=True)[1]["ids"] == [None]
    writer._failed_at -= 2  # seconds
    (id_,) = service.predict({"a": 1}, keep=True)[1]["ids"]
    body = {"ids": [id_], "labels": ["x"]}
    assert service("POST", "/v1/models/spam:learn", body)[0] == 200
    assert writer.problem is None


def test_predictions_that_wait_to_be_kept_are_bounded(service, monkeypatch):
    monkeypatch.setattr("rosenblatt.serve.writer._MOST_KEPT", 1_000)
    log, may_go_on = service.service.writer.log, threading.Event()
    commit = log.commit
    monkeypatch.setattr(log, "commit", lambda: (may_go_on.wait(30), commit()))
    try:
        kept = [service.predict({"a": "x" * 400}, keep=True)[1]["ids"][0] for _ in range(6)]
    finally:
        may_go_on.set()
    assert [one is not None for one in kept] == [True] * 3 + [False] * 3
    body = {"ids": kept[:3], "labels": ["x"] * 3}
    assert service("POST", "/v1/models/spam:learn", body)[1]["learned"] == 3
    assert service.predict({"a": 1}, keep=True)[1]["ids"] != [None]


def test_an_alert_is_said(service, capfd):
    service.learn(*[({"a": 1}, "yes"), ({"b": 1}, "no")] * 1_000)
    service.learn(*[({"a": 1}, "no"), ({"b": 1}, "yes")] * 100)
    assert service("GET", "/v1/models/spam")[1]["progress"]["alert"]
    assert service.predict({})[0] == 200
    told = capfd.readouterr().err
    assert "rosenblatt serve: spam: the error over the last 1,000 examples is 0." in told
    service.learn(*[({"a": 1}, "no"), ({"b": 1}, "yes")] * 1_000)
    service.learn(({"a": 1}, "no"))
    assert "examples is back at 0" in capfd.readouterr().err


def test_counts_that_could_not_be_written_are_written_later(tmp_path, monkeypatch):
    folder = tmp_path / "data"

    def fails():
        raise sqlite3.OperationalError("disk I/O error")

    with serving(folder, {"spam": OnlineClassifier()}) as asking:
        asking.learn(*MAILS)
        with monkeypatch.context() as patched:
            patched.setattr(asking.service.writer.log, "commit", fails)
            assert asking.learn(*MAILS)[0] == 500
    with serving(folder) as asking:
        (history,) = asking("GET", "/v1/models/spam/history")[1]["history"]
        assert history["examples"] == 4


def test_what_the_model_cannot_learn_is_refused_and_the_rest_learned(service, tmp_path):
    service.learn(*MAILS)
    status, answer = service.learn(({"a": 1}, 7))
    assert (status, "instance 0" in answer["error"]) == (422, True)
    status, answer = service.learn(({"a": 1}, "ham"), ({"a": 1}, 7), ({"b": 1}, "spam"))
    assert status == 200
    assert answer["learned"] == 2
    assert [one["instance"] for one in answer["refused"]] == [1]
    good = [*MAILS, ({"a": 1}, "ham"), ({"b": 1}, "spam")]
    assert same(service.service.api.models["spam"].front, learned_alone(good))


def test_a_refusal_is_answered_again_and_is_the_same_after_a_start(tmp_path):
    folder = tmp_path / "data"
    examples = ({"a": 1}, "ham"), ({"a": 1}, 7)
    with serving(folder, {"spam": OnlineClassifier()}) as asking:
        asking.learn(*MAILS)
        first = asking.learn(*examples, idempotency_key="k")
        assert asking.learn(*examples, idempotency_key="k") == first
    with serving(folder) as asking:
        assert asking.learn(*examples, idempotency_key="k") == first
    assert same(on_disk(folder), learned_alone([*MAILS, examples[0]]))


def test_an_instance_that_is_none_has_nothing_learned(service):
    status, answer = service.learn(MAILS[0], ({"a": {"b": [None, [1]]}}, "spam"))
    assert status == 422
    assert "instance 1 cannot be learned from" in answer["error"]
    assert service("GET", "/v1/models/spam")[1]["position"] == 0


def test_weights_are_shown_of_a_model_that_grows_meanwhile(monkeypatch):
    served = Served("spam", learned_alone(MAILS))
    model = served.front
    wide, deviations = model.coef_.shape[1], model.deviations
    assert deviations() is not None

    def after_learning():
        model.learn_one({"new": 3.5}, "ham")
        return deviations()

    monkeypatch.setattr(model, "deviations", after_learning)
    assert len(served.weights(100)["largest"]) <= wide


def test_weights_count(service):
    body = {"instances": [{"a": 1}, {"b": 1}] * 2, "labels": ["x", "y"] * 2}
    body["weights"] = [1, 0.5, 3, 0]
    assert service("POST", "/v1/models/spam:learn", body)[0] == 200
    alone = OnlineClassifier()
    for x, y, weight in zip(body["instances"], body["labels"], body["weights"], strict=True):
        alone.learn_one(x, y, float(weight))
    assert same(service.service.api.models["spam"].front, alone)


def test_lines_are_learned_in_blocks(service):
    lines = [
        b'{"instance": {"x": %d}, "label": "%s"}\n' % (k, b"ab"[k % 2 : k % 2 + 1])
        for k in range(2500)
    ]
    status, _, text = service.raw(
        "POST", "/v1/models/spam:learn", b"\n".join(lines), content_type="application/x-ndjson"
    )
    assert status == 200
    answers = text.splitlines()
    assert len(answers) == 3
    assert b'"position":2500' in answers[-1]


def test_a_long_stream_is_learned_to_its_last_line(service):
    """Its first answers are written while most of it has not come yet."""
    lines = [
        b'{"instance": {"x": %d, "pad": "%s"}, "label": "%s"}\n' % (k, b"p" * 200, b"%d" % (k % 2))
        for k in range(20_000)
    ]
    status, _, text = service.raw(
        "POST", "/v1/models/spam:learn", b"".join(lines), content_type="application/x-ndjson"
    )
    assert status == 200
    answers = [json.loads(line) for line in text.splitlines()]
    assert [one["lines"] for one in answers] == [[k + 1, k + 1000] for k in range(0, 20_000, 1000)]
    assert answers[-1]["position"] == 20_000


def test_every_line_of_a_long_body_is_answered(service):
    # The body comes in many parts, and the first answers go out before the last part is there.
    kind = {"content_type": "application/x-ndjson"}
    lines = [
        b'{"instance": {"x": %d}, "label": "%s"}' % (k, b"ab"[k % 2 :][:1]) for k in range(20_000)
    ]
    _, _, text = service.raw("POST", "/v1/models/spam:learn", b"\n".join(lines), **kind)
    answers = [json.loads(line) for line in text.splitlines()]
    assert [one["lines"][0] for one in answers] == list(range(1, 20_000, 1_000))
    assert answers[-1]["position"] == 20_000
    lines = [b'{"x": %d}' % k for k in range(20_000)]
    _, _, text = service.raw("POST", "/v1/models/spam:predict", b"\n".join(lines), **kind)
    assert len(text.splitlines()) == 20_000


def test_a_full_disk_refuses_to_learn_and_predicts(service):
    writer = service.service.writer
    service.learn(*MAILS)
    before = service.predict(MAILS[0][0])
    writer.log.limit_pages(writer.log.pages())
    big = {f"feature {k}": 1 for k in range(5_000)}
    status, answer = service.learn((big, "spam"))
    assert (status, "disk is full" in answer["error"]) == (507, True)
    assert service.predict(MAILS[0][0]) == before
    assert service("GET", "/v1/models/spam")[1]["position"] == 4
    assert b"rosenblatt_log_writable 0.0" in service.raw("GET", "/metrics")[2]
    writer.log.limit_pages(1 << 30)
    assert service.learn((big, "spam"))[1]["position"] == 5


def test_a_commit_that_fails_has_nothing_learned(service, monkeypatch):
    log = service.service.writer.log

    def fails():
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patched:
        patched.setattr(log, "commit", fails)
        status, answer = service.learn(*MAILS)
    assert status == 500
    assert "disk I/O error" in answer["error"]
    assert service.learn(*MAILS)[1]["position"] == 4
    assert same(service.service.api.models["spam"].front, learned_alone(MAILS))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_sync_that_fails_ends_the_service(tmp_path, monkeypatch):
    """What it was to sync may be there after a power cut, and may not."""
    folder = tmp_path / "data"
    with serving(folder, {"spam": OnlineClassifier()}) as asking:
        asking.learn(*MAILS)
        log = asking.service.writer.log

        def fails():
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            raise error

        monkeypatch.setattr(log, "commit", fails)
        status, answer = asking.learn(*MAILS)
        assert (status, "may or may not have learned this" in answer["error"]) == (503, True)
    assert "disk I/O error" in str(asking.service.failed)
    assert same(on_disk(folder), learned_alone(MAILS))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_failure_after_the_commit_does_not_say_that_nothing_was_learned(tmp_path, monkeypatch):
    folder = tmp_path / "data"

    def fails(*_):
        raise RuntimeError("out of order")

    with serving(folder, {"spam": OnlineClassifier()}) as asking:
        monkeypatch.setattr(asking.service.api.models["spam"], "learn", fails)
        status, answer = asking.learn(*MAILS, idempotency_key="k")
        assert (status, "may or may not have learned" in answer["error"]) == (503, True)
    assert str(asking.service.failed) == "out of order"
    with serving(folder) as asking:
        answer = asking.learn(*MAILS, idempotency_key="k")
        assert answer == (200, {"position": 4, "learned": 4})
    assert same(on_disk(folder), learned_alone(MAILS))


def test_numbers_are_learned(tmp_path):
    with serving(tmp_path / "data", {"price": OnlineRegressor()}) as asking:
        examples = [({"size": k}, 2.0 * k) for k in range(50)]
        assert asking.learn(*examples, model="price")[0] == 200
        found = asking.predict({"size": 20}, model="price")[1]["predictions"][0]
        assert found == learned_alone(examples, OnlineRegressor()).predict_one({"size": 20})
        assert asking.learn(({"size": 1}, "much"), model="price")[0] == 422


def test_two_models_are_apart(tmp_path):
    models = {"one": OnlineClassifier(), "two": OnlineClassifier("arow", bits=10)}
    with serving(tmp_path / "data", models) as asking:
        asking.learn(*MAILS, model="one")
        asking.learn(*MAILS[:2], model="two")
    assert same(on_disk(tmp_path / "data", "one"), learned_alone(MAILS))
    alone = learned_alone(MAILS[:2], OnlineClassifier("arow", bits=10))
    assert same(on_disk(tmp_path / "data", "two"), alone)
