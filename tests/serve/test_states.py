"""States on disk: going back, replacing, and folders that are not as they should be."""

import os
import sqlite3

import pytest

from rosenblatt import OnlineClassifier, OnlineRegressor, save
from rosenblatt.serve import states
from rosenblatt.serve.log import FILE, Log, LogError
from rosenblatt.serve.states import Settings
from tests.serve.conftest import MAILS, learned_alone, on_disk, same, serving


@pytest.fixture
def folder(tmp_path):
    """The folder of a service that learned twelve examples and stopped."""
    folder = tmp_path / "data"
    settings = Settings(snapshot_examples=5)
    with serving(folder, {"spam": OnlineClassifier()}, settings=settings) as asking:
        for _ in range(4):
            asking.learn(*MAILS[:3])
    return folder


def with_log(folder, work):
    log = Log(folder)
    try:
        return work(log)
    finally:
        log.close()


def test_a_model_goes_back_and_on(folder):
    examples = MAILS[:3] * 4
    assert with_log(folder, lambda log: states.roll_back(log, "spam", 4)) == 13
    assert same(on_disk(folder), learned_alone(examples[:4]))
    with serving(folder) as asking:
        assert asking.learn(MAILS[3])[1]["position"] == 14
    assert same(on_disk(folder), learned_alone([*examples[:4], MAILS[3]]))
    assert with_log(folder, lambda log: states.roll_back(log, "spam", 12)) == 15
    assert same(on_disk(folder), learned_alone(examples))
    assert same(on_disk(folder, until=13), learned_alone(examples[:4]))


def test_a_way_back_is_found_without_its_snapshots(folder):
    before = with_log(folder, lambda log: states.restored(log, "spam", 4)).progress
    with_log(folder, lambda log: states.roll_back(log, "spam", 4))
    with serving(folder) as asking:
        asking.learn(MAILS[3])
    for position in (13, 14):
        (folder / "spam" / f"{position:015d}.model").unlink()
    after = with_log(folder, lambda log: states.restored(log, "spam", 13)).progress
    assert after.to_json() == before.to_json()
    assert same(on_disk(folder), learned_alone([*(MAILS[:3] * 4)[:4], MAILS[3]]))


def test_another_model_takes_over(folder):
    new = learned_alone(MAILS * 5, OnlineClassifier("arow"))
    assert with_log(folder, lambda log: states.replace(log, "spam", new)) == 13
    with serving(folder) as asking:
        asking.learn(*MAILS)
    assert same(
        on_disk(folder), learned_alone(MAILS, learned_alone(MAILS * 5, OnlineClassifier("arow")))
    )
    assert same(on_disk(folder, until=12), learned_alone(MAILS[:3] * 4))


def test_another_model_takes_over_while_it_is_served(tmp_path):
    folder = tmp_path / "data"
    new = learned_alone(MAILS * 5, OnlineClassifier("arow"))
    with serving(folder, {"spam": OnlineClassifier()}) as asking:
        asking.learn(*MAILS)
        file = states.put_incoming(folder, new, "new")
        status, answer = asking("PUT", "/v1/models/spam", {"incoming": file.name})
        assert (status, answer["position"]) == (200, 5)
        assert asking.predict(MAILS[0][0])[1]["predictions"] == [new.predict_one(MAILS[0][0])]
        assert asking("GET", "/v1/models/spam/weights")[1]["snapshot"] == 5
        assert b'snapshot_position{model="spam"} 5.0' in asking.raw("GET", "/metrics")[2]
        assert asking.learn(*MAILS)[1]["position"] == 9
        for wrong in ("../spam/000000000000000.model", "no", 3, None):
            assert asking("PUT", "/v1/models/spam", {"incoming": wrong})[0] == 404
        other = states.put_incoming(folder, OnlineRegressor(), "other")
        status, answer = asking("PUT", "/v1/models/spam", {"incoming": other.name})
        assert (status, "under another name" in answer["error"]) == (422, True)
    learned = learned_alone(MAILS, learned_alone(MAILS * 5, OnlineClassifier("arow")))
    assert same(on_disk(folder), learned)


def test_a_model_of_another_kind_is_refused(folder):
    with pytest.raises(ValueError, match="the new model an OnlineRegressor"):
        with_log(folder, lambda log: states.replace(log, "spam", OnlineRegressor()))
    assert same(on_disk(folder), learned_alone(MAILS[:3] * 4))


def test_a_damaged_snapshot_is_passed_over(folder):
    (newest, *_) = with_log(folder, lambda log: log.snapshots(log.models()["spam"]))
    (folder / "spam" / f"{newest.position:015d}.model").write_bytes(b"nonsense")
    assert same(on_disk(folder), learned_alone(MAILS[:3] * 4))


def test_damage_in_the_log_is_noticed(folder):
    for path in sorted((folder / "spam").iterdir())[1:]:
        path.unlink()
    database = sqlite3.connect(folder / FILE)
    database.execute(
        "UPDATE log SET body = CAST(replace(body, 'free', 'tree') AS BLOB) WHERE first = 4"
    )
    database.commit()
    database.close()
    with pytest.raises(LogError, match="the entry at position 4 is damaged"):
        on_disk(folder)
    assert same(on_disk(folder, until=3), learned_alone(MAILS[:3]))


def test_a_gap_in_the_log_is_noticed(folder):
    for path in sorted((folder / "spam").iterdir())[1:]:
        path.unlink()
    database = sqlite3.connect(folder / FILE)
    database.execute("DELETE FROM log WHERE first = 4")
    database.commit()
    database.close()
    with pytest.raises(LogError, match="positions 4 to 6 of spam are missing"):
        on_disk(folder)


def test_one_process_at_a_time(folder):
    log = Log(folder)
    with pytest.raises(LogError, match="is in use by another process"):
        Log(folder)
    log.close()
    Log(folder).close()


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / FILE).write_bytes(b"not a database, but some text" * 100)
    with pytest.raises(LogError, match="cannot be used"):
        Log(tmp_path)
    (tmp_path / FILE).unlink()
    database = sqlite3.connect(tmp_path / FILE)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(LogError, match="has version 99"):
        Log(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="folders are not synced")
def test_new_folders_are_synced_and_private(tmp_path, monkeypatch):
    synced, real = set(), os.fsync

    def fsync(descriptor):
        synced.add(os.fstat(descriptor).st_ino)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    folder = tmp_path / "data"
    log = Log(folder)
    states.add(log, "spam", OnlineClassifier())
    log.close()
    assert {one.stat().st_ino for one in (tmp_path, folder, folder / "spam")} <= synced
    assert {one.stat().st_mode & 0o777 for one in (folder, folder / "spam")} == {0o700}


def test_files_that_nothing_tells_of_are_deleted(folder):
    extra = folder / "spam" / "000000000000999.model"
    save(OnlineClassifier(), extra)
    with_log(folder, lambda log: states.tidy(log, "spam"))
    assert not extra.exists()
    assert same(on_disk(folder), learned_alone(MAILS[:3] * 4))
