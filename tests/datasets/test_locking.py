"""A lock has one holder at a time, and nothing of it stays."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from rosenblatt.datasets import download


def test_only_one_at_a_time_holds_a_lock(tmp_path):
    path, inside, most = tmp_path / "folder" / "lock", [], []

    def enter(_):
        with download.alone(path) as held:
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.001)
            inside.pop()
        return held

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(enter, range(200)))
    assert set(most) == {1}
    assert not list(tmp_path.iterdir())


def test_a_lock_ends_though_a_forked_process_has_its_file(tmp_path, monkeypatch):
    acquire, shared, waiting = download._acquire, [], threading.Event()

    def share(handle):
        if shared:
            waiting.set()
        acquire(handle)
        shared.append(os.dup(handle.fileno()))

    def enter():
        with download.alone(tmp_path / "lock"):
            pass

    monkeypatch.setattr(download, "_acquire", share)
    with download.alone(tmp_path / "lock"):
        second = threading.Thread(target=enter, daemon=True)
        second.start()
        assert waiting.wait(60)
        time.sleep(0.1)
    second.join(60)
    assert not second.is_alive()
    for number in shared:
        os.close(number)
