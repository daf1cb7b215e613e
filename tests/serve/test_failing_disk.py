"""The n-th write, sync or rename fails: what was there is intact, and the error is clear.

SQLite's own calls are made to fail by a limit on the size of files, which writes run into, in a
process of its own; those of snapshots by making them raise.
"""

import errno
import json
import os
import subprocess
import sys
from contextlib import suppress

import pytest

from rosenblatt import OnlineClassifier
from rosenblatt.serve import states
from rosenblatt.serve.log import Log
from rosenblatt.serve.states import Settings
from tests.serve.conftest import MAILS, learned_alone, on_disk, same, serving

SURELY = 3  # the first calls, without which there is no snapshot
CALLS = ("write", "fsync", "replace", "rename", "link", "unlink", "open")
LIMITED = """
import resource, signal, sys
from tests.serve.conftest import MAILS, serving
from rosenblatt import OnlineClassifier

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder, limit = sys.argv[1], int(sys.argv[2])
learned, refused = [], set()
with serving(folder, {"spam": OnlineClassifier()}) as asking:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    for number in range(12):
        examples = [({"x": number + k, f"f{number}": 1}, "ab"[k % 2]) for k in range(8)]
        status, answer = asking.learn(*examples)
        if status == 200:
            learned += examples
        else:
            assert status in (500, 507), answer
            assert "nothing was learned" in answer["error"], answer
            refused.add(status)
        assert asking.predict({"x": 1})[0] == 200
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    status, answer = asking.learn(*MAILS)
    assert status == 200, answer
    learned += MAILS
import json
print(json.dumps([learned, sorted(refused)]))
"""


@pytest.mark.parametrize("limit", [1, 4_200, 9_000, 20_000, 33_000, 50_000])
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_write_of_the_log_fails(tmp_path, limit):
    folder = tmp_path / "data"
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(folder), str(limit)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    learned, refused = json.loads(done.stdout.splitlines()[-1])
    assert refused or limit > 33_000
    assert same(on_disk(folder), learned_alone([tuple(one) for one in learned]))


class Failing:
    """Makes the n-th of some calls fail, as a disk would."""

    def __init__(self, monkeypatch, n):
        self.left, self.failed = n, False
        for name in CALLS:
            monkeypatch.setattr(os, name, self.wrapped(getattr(os, name)))

    def wrapped(self, call):
        def run(*args, **options):
            self.left -= 1
            if self.left == 0:
                self.failed = True
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return call(*args, **options)

        return run


@pytest.mark.parametrize("n", range(1, 25))
def test_a_call_of_a_snapshot_fails(tmp_path, n):
    """Whichever it is, the state is that before or after, and learning goes on."""
    folder = tmp_path / "data"
    with serving(folder, {"spam": OnlineClassifier()}) as asking:
        asking.learn(*MAILS)
    log = Log(folder)
    try:
        served = states.restored(log, "spam")
        with pytest.MonkeyPatch.context() as patched:
            failing = Failing(patched, n)
            with suppress(OSError):
                states.snapshot(log, served, Settings(snapshots=1))
                assert not failing.failed or n > SURELY
            log.roll_back()
    finally:
        log.close()
    assert same(on_disk(folder), learned_alone(MAILS))
    with serving(folder) as asking:
        assert asking.learn(*MAILS)[0] == 200
    assert same(on_disk(folder), learned_alone(MAILS * 2))
