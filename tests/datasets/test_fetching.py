"""Downloads arrive whole and checked under their names, or not at all, whatever happens."""

import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rosenblatt.datasets import download
from rosenblatt.datasets.files import File, folder

# A process of its own that fetches the file, and says when it is about to.
CHILD = """
import resource, signal, sys
from rosenblatt.datasets.download import complete
from rosenblatt.datasets.files import File, folder

signal.signal(signal.SIGINT, signal.default_int_handler)
name, size, sha256, url, limit = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), -1))
print("ready", flush=True)
complete("toy", (File(name, int(size), sha256, url),), "home", folder() / "toy")
"""


@pytest.fixture
def child(site, cache):
    """Start processes that fetch the file, and see that none outlives the test."""
    started = []

    def start(limit=-1):
        command = [sys.executable, "-c", CHILD, *map(str, site.file()), str(limit)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started.append(process)
        assert process.stdout.readline() == b"ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def until(holds):
    """Wait until something holds, or fail."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("path", ["/toy", "/toy.gz"])
def test_a_download_is_kept_and_used_again(site, cache, path):
    site.says({"content": gzip.compress(site.content) if path == "/toy.gz" else site.content})
    for _ in range(2):
        assert site.get(path) == site.content
    assert site.asked == [None]
    assert [p.name for p in (cache / "toy").iterdir()] == ["toy.csv"]


@pytest.mark.parametrize(
    ("path", "change", "answer", "reason"),
    [
        ("/toy", lambda c: c[:-1] + b"?", {}, "the download has the SHA-256 .*, and was deleted"),
        ("/toy", lambda c: c[:-1], {}, "it has 199999 bytes there, not 200000"),
        ("/toy", lambda c: c * 9, {}, "it has 1800000 bytes there, not 200000"),
        ("/toy", lambda c: c * 9, {"length": False}, "more than 200000 bytes, and was deleted"),
        (
            "/toy.gz",
            lambda c: gzip.compress(c)[:-9],
            {},
            "not a complete gzip file .*, and was deleted",
        ),
        ("/toy.gz", lambda c: c, {}, "not a complete gzip file .*, and was deleted"),
        ("/toy.gz", lambda c: gzip.compress(bytes(10**7)), {}, "has 200001 bytes unpacked, not"),
        ("/toy.gz", lambda c: c * 9, {}, "it has 1800000 bytes there, not 1 to 1248576"),
        ("/toy.gz", lambda c: c * 9, {"length": False}, "more than 1248576 bytes, and was deleted"),
    ],
)
def test_a_bad_download_leaves_nothing(site, cache, path, change, answer, reason):
    site.says({"content": change(site.content), **answer})
    with pytest.raises(OSError, match=reason) as caught:
        site.get(path)
    assert "set ROSENBLATT_DATA to a folder that has toy/ with the files toy.csv" in str(
        caught.value
    )
    assert "\n" not in str(caught.value)
    assert not list(cache.rglob("*"))
    assert len(site.asked) == 1


def test_nothing_is_fetched_if_a_part_cannot_be(site, cache):
    files = (site.file(), File("by_hand.csv", 3, "0" * 64))
    with pytest.raises(
        FileNotFoundError, match=r"must be fetched by hand, .* \(unzip it\); set ROSENBLATT"
    ):
        download.complete("toy", files, "unzip it", folder() / "toy")
    assert not site.asked


@pytest.mark.parametrize("path", ["/toy", "/toy.gz"])
def test_what_came_but_could_not_be_kept_is_not_downloaded_again(site, cache, monkeypatch, path):
    site.says({"content": gzip.compress(site.content) if path == "/toy.gz" else site.content})
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(OSError, match=r"cannot keep toy.csv .*: disk full; free some space"):
            site.get(path)
    assert [p.name for p in (cache / "toy").iterdir()] == ["toy.csv.part"]
    assert site.get(path) == site.content
    assert site.asked[:1] == [None]
    assert all(site.asked[1:])  # at most it was asked whether there is more
    assert [p.name for p in (cache / "toy").iterdir()] == ["toy.csv"]


def test_the_content_is_on_the_disk_before_it_has_its_name(site, cache, monkeypatch):
    steps = []
    sync, rename = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda f: steps.append(os.fstat(f).st_size) or sync(f))
    monkeypatch.setattr(Path, "replace", lambda *p: steps.append(p[1].name) or rename(*p))
    assert site.get() == site.content
    assert steps == [len(site.content), "toy.csv"]


def test_a_full_disk(site, child, part):
    process = child(limit=50_000)
    assert process.wait(60) == 1
    error = process.stderr.read().decode().splitlines()[-1]
    assert "cannot keep toy.csv of data set 'toy' in" in error
    assert (
        "File too large; free some space there, or set ROSENBLATT_DATA to another folder" in error
    )
    assert part.read_bytes() == site.content[:50_000]
    assert site.get() == site.content
    assert site.asked == [None, "bytes=50000-"]


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_one_who_is_stopped_goes_on_later(site, child, cache, part, sign):
    held = threading.Event()
    site.says({"cut": 150_000, "hold": held}, {})
    process = child()
    until(lambda: part.exists() and part.stat().st_size >= 100_000)
    assert not (cache / "toy" / "toy.csv").exists()
    process.send_signal(sign)
    assert process.wait(60) == -sign
    have = part.stat().st_size
    assert site.get() == site.content
    assert site.asked == [None, f"bytes={have}-"]
    assert [p.name for p in (cache / "toy").iterdir()] == ["toy.csv"]
    held.set()


def test_two_processes_download_it_once(site, child, cache):
    held = threading.Event()
    site.says({"cut": 50_000, "hold": held})
    both = [child(), child()]
    until(lambda: site.asked)
    time.sleep(0.3)  # the other would have asked by now
    held.set()
    assert [process.wait(60) for process in both] == [0, 0]
    assert site.asked == [None]
    assert (cache / "toy" / "toy.csv").read_bytes() == site.content
    assert [p.name for p in (cache / "toy").iterdir()] == ["toy.csv"]


def test_who_waits_for_another_that_fails_goes_on_itself(site, child, cache, part):
    held = threading.Event()
    site.says({"cut": 150_000, "hold": held}, {})
    first = child()
    until(lambda: part.exists() and part.stat().st_size >= 100_000)
    second = child()
    first.kill()
    assert second.wait(10) == 0
    assert site.asked[0] is None
    assert site.asked[1].startswith("bytes=1")
    held.set()


def test_many_threads_download_it_once(site, cache):
    with ThreadPoolExecutor(8) as pool:
        contents = list(pool.map(lambda _: site.get(), range(32)))
    assert contents == [site.content] * 32
    assert site.asked == [None]


@pytest.fixture
def no_locks(monkeypatch):
    def refuse(_):
        raise OSError("no locks available")

    monkeypatch.setattr(download, "_acquire", refuse)


def test_without_locks_a_failed_download_leaves_nothing(site, cache, waits, no_locks):
    site.says({"cut": 30_000})
    with pytest.raises(OSError, match="broke off after 120000 of 200000 bytes; try again online,"):
        site.get()
    assert not list(cache.rglob("*"))


def test_without_locks_nobody_shares_a_part(site, cache, no_locks):
    held = threading.Event()
    site.says({"cut": 50_000, "hold": held}, {})
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(site.get)
        until(lambda: site.asked)
        assert site.get() == site.content
        held.set()
        assert first.result(10) == site.content
    assert site.asked == [None, None]
    assert [p.name for p in (cache / "toy").iterdir()] == ["toy.csv"]


def test_a_lock_that_a_dead_process_left_is_no_hindrance(site, cache):
    (cache / "toy").mkdir(parents=True)
    (cache / "toy" / "toy.csv.lock").touch()
    assert site.get() == site.content
    assert [p.name for p in (cache / "toy").iterdir()] == ["toy.csv"]


def test_a_folder_that_cannot_be_made(site, cache):
    cache.write_bytes(b"a file")
    with pytest.raises(OSError, match=r"cannot keep toy.csv .* or set ROSENBLATT_DATA to another"):
        site.get()
    assert not site.asked


def test_progress_counts_up_to_the_whole(site, cache, part, waits):
    part.parent.mkdir(parents=True)
    part.write_bytes(site.content[:30_000])
    site.says({"cut": 50_000}, {})
    told = []
    site.get(progress=lambda done, total: told.append((done, total)))
    assert {total for _, total in told} == {200_000}
    done = [done for done, _ in told]
    assert done == sorted(done)
    assert done[0] > 30_000
    assert len(set(done)) >= 3
    assert told[-1] == (200_000, 200_000)


@pytest.mark.parametrize("length", [True, False])
def test_progress_counts_content_of_all_files_that_were_missing(site, cache, length):
    (cache / "toy").mkdir(parents=True)
    (cache / "toy" / "first").write_bytes(site.content)
    files = (site.file("first"), site.file("second", "/b.gz"), site.file("third", "/c.gz"))
    site.says({"content": gzip.compress(site.content), "length": length})
    told = []
    download.complete("toy", files, "home", folder() / "toy", lambda *now: told.append(now))
    assert {total for _, total in told} == {400_000}
    done = [done for done, _ in told]
    assert done == sorted(done)
    assert {200_000, 400_000} <= set(done)
    assert any(0 < now < 200_000 for now in done) == length
    assert done[-1] == 400_000


def test_whoever_watches_the_progress_may_stop_it(site, cache, part):
    def stop(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        site.get(progress=stop)
    have = part.stat().st_size
    assert have > 0
    assert site.get() == site.content
    assert site.asked == [None, f"bytes={have}-"]
