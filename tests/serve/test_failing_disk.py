"""The n-th write, sync or rename fails: what was there is intact, and the error is clear.

SQLite's own calls are made to fail by a library that comes before the system's, and by a limit on
the size of files, which writes run into; those of snapshots by making them raise.
"""

import errno
import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

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


FAILING = """
import pathlib, sys
from tests.serve.conftest import serving
from rosenblatt import OnlineClassifier
import json

folder, start = sys.argv[1:3]
learned, unknown = [], []
with serving(folder, {"spam": OnlineClassifier()}) as asking:
    pathlib.Path(start).touch()
    for number in range(6):
        examples = [({"x": number + k, f"f{number}": 1}, "ab"[k % 2]) for k in range(40)]
        try:
            status, answer = asking.learn(*examples)
        except OSError:  # the service has ended
            break
        if status == 200:
            learned += examples
        elif status == 503:
            assert "may or may not" in answer["error"] or "stopping" in answer["error"], answer
            unknown += examples if "may or may not" in answer["error"] else []
            break
        else:
            assert status == 500, answer
            assert "nothing was learned" in answer["error"], answer
print(json.dumps([learned, unknown]))
"""


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    """A library that makes calls of SQLite's fail."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs a C compiler, and Linux")
    made = tmp_path_factory.mktemp("shim") / "failing_calls.so"
    source = Path(__file__).with_name("failing_calls.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", made, source, "-ldl"], check=True)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("call", ["pwrite", "sync"])
def test_whichever_call_of_the_log_fails(tmp_path, shim, call):
    """The n-th write or sync fails, for every n: what was acknowledged is there, once."""
    for n in range(1, 200):
        folder, start = tmp_path / f"{n}", tmp_path / f"start-{n}"
        failing = {"LD_PRELOAD": shim, "FAIL_CALL": call, "FAIL_AT": n, "FAIL_FROM": start}
        done = subprocess.run(
            [sys.executable, "-c", FAILING, str(folder), str(start)],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, **{name: str(value) for name, value in failing.items()}},
        )
        assert done.stdout, done.stderr
        learned, unknown = json.loads(done.stdout.splitlines()[-1])
        learned, unknown = (list(map(tuple, part)) for part in (learned, unknown))
        found = on_disk(folder)
        assert same(found, learned_alone(learned)) or (
            unknown and same(found, learned_alone(learned + unknown))
        ), n
        if f"failed: {call}" not in done.stderr:  # there are fewer calls than that
            assert n > 6
            return
    raise AssertionError("there is no end of calls")


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
