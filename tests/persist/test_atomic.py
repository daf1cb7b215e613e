"""A file is replaced as a whole or not at all, whatever fails."""

import errno
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rosenblatt.persist import atomic
from rosenblatt.persist.atomic import write_atomically

CALLS = ("open", "write", "fsync", "close", "replace", "chmod", "link", "unlink")
PARTS = [b"new ", memoryview(b"content"), b"", b"!" * 5]
NEW = b"new content!!!!!"


class Faulty:
    """Counts calls of the os module, and lets the n-th fail, or each that ``when`` says yes to."""

    def __init__(self, monkeypatch, fail_at=None, error=errno.EIO, names=CALLS, when=None):
        self.log, self.fail_at, self.error, self.when = [], fail_at, error, when
        for name in names:
            monkeypatch.setattr(os, name, self.wrapped(name, getattr(os, name)))

    def wrapped(self, name, original):
        def call(*args, **options):
            self.log.append(name)
            number = len(self.log)
            if number == self.fail_at or (self.when and self.when(name, args)):
                raise OSError(self.error, os.strerror(self.error))
            return original(*args, **options)

        return call


def problem_of(path):
    """Return the error that writing ends in, or None."""
    try:
        write_atomically(path, PARTS)
    except OSError as error:
        return error
    return None


def only_file(folder):
    (path,) = folder.iterdir()
    return path


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "m.model"
    path.write_bytes(b"old")
    return path


def test_what_is_written_is_there(tmp_path):
    path = tmp_path / "new.model"
    write_atomically(path, PARTS)
    assert path.read_bytes() == NEW
    write_atomically(str(path), [b"again"])
    assert path.read_bytes() == b"again"
    assert only_file(tmp_path) == path


def test_everything_is_synced_before_it_is_renamed(old, monkeypatch):
    synced = []
    fsync, replace = os.fsync, os.replace

    def noting_fsync(descriptor):
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        synced.append((kind, os.fstat(descriptor).st_size))
        fsync(descriptor)

    def noting_replace(source, target):
        synced.append(("rename", Path(source).read_bytes()))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noting_fsync)
    monkeypatch.setattr(os, "replace", noting_replace)
    write_atomically(old, PARTS)
    assert [what for what, _ in synced] == ["file", "rename", "folder"]
    assert synced[0][1] == len(NEW)
    assert synced[1][1] == NEW


def test_at_any_time_the_name_stands_for_the_old_file_or_the_new_one(old, monkeypatch):
    seen = []

    def look(name, args):
        seen.append((name, old.read_bytes()))
        return False

    Faulty(monkeypatch, when=look)
    write_atomically(old, PARTS)
    assert {content for _, content in seen} == {b"old", NEW}
    last_old = max(k for k, (_, content) in enumerate(seen) if content == b"old")
    assert seen[last_old][0] == "replace"


def count_calls(folder):
    with pytest.MonkeyPatch.context() as patch:
        counter = Faulty(patch)
        path = folder / "m.model"
        write_atomically(path, PARTS)
        return counter.log


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
def test_any_call_may_fail_and_the_old_file_stays(tmp_path, error):
    folder = tmp_path / "count"
    folder.mkdir()
    (folder / "m.model").write_bytes(b"old")
    calls = count_calls(folder)
    assert {"open", "write", "fsync", "replace", "close", "link"} <= set(calls)
    failed = 0
    for n in range(1, len(calls) + 1):
        folder = tmp_path / str(n)
        folder.mkdir()
        path = folder / "m.model"
        path.write_bytes(b"old")
        with pytest.MonkeyPatch.context() as patch:
            faulty = Faulty(patch, fail_at=n, error=error)
            problem = problem_of(path)
        if problem is None:  # the old file's second name may fail to come or go
            assert path.read_bytes() == NEW
            assert faulty.log[n - 1] in ("link", "unlink", "close")
        else:
            failed += 1
            assert problem.errno == error
            assert path.read_bytes() == b"old", faulty.log
            assert "the old file is as it was" in str(problem)
            assert "\n" not in str(problem)
        left = {p.name for p in folder.iterdir()} - {"m.model"}
        assert all(calls[n - 1] == "unlink" for _ in left), (n, calls[n - 1], left)
    assert failed >= 8


@pytest.mark.parametrize("n", range(1, 12))
def test_without_an_old_file_a_failure_leaves_nothing(tmp_path, monkeypatch, n):
    path = tmp_path / "m.model"
    with monkeypatch.context() as patch:
        Faulty(patch, fail_at=n, names=("open", "write", "fsync", "replace"))
        problem = problem_of(path)
    if problem is None:
        assert n > 7
        assert path.read_bytes() == NEW
    else:
        assert "nothing was written" in str(problem)
        assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_clear_line(old, monkeypatch):
    Faulty(monkeypatch, names=("write",), error=errno.ENOSPC, when=lambda *_: True)
    with pytest.raises(OSError, match="cannot write") as caught:
        write_atomically(old, PARTS)
    assert str(caught.value) == (
        f"cannot write {old}: no space left on the device; the old file is as it was"
    )
    assert caught.value.errno == errno.ENOSPC
    assert old.read_bytes() == b"old"
    assert only_file(old.parent) == old


def test_a_disk_that_is_full_in_truth():
    # Every write to this device says that no space is left.
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        with pytest.raises(OSError, match="No space left"):
            os.write(full, b"x")
    finally:
        os.close(full)
    with pytest.raises(OSError, match="not a regular file"):
        write_atomically("/dev/full", PARTS)
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_without_a_second_name_the_message_says_what_is_there(old, monkeypatch):
    folders = []

    def when(name, args):
        if name == "open" and Path(str(args[0])).is_dir():
            folders.append(True)
        return name == "link" or (name == "fsync" and bool(folders))

    Faulty(monkeypatch, names=("open", "link", "fsync"), when=when)
    with pytest.raises(OSError, match="the new file is in place"):
        write_atomically(old, PARTS)
    assert old.read_bytes() == NEW
    assert only_file(old.parent) == old


@pytest.mark.parametrize("error", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_cannot_sync_folders_will_do(old, monkeypatch, error):
    fsync = os.fsync

    def no_folders(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(error, os.strerror(error))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", no_folders)
    write_atomically(old, PARTS)
    assert old.read_bytes() == NEW


def test_short_writes_are_gone_on_with(old, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    write_atomically(old, PARTS)
    assert old.read_bytes() == NEW


def test_a_device_that_takes_nothing_is_an_error(old, monkeypatch):
    monkeypatch.setattr(os, "write", lambda descriptor, data: 0)
    with pytest.raises(OSError, match="the device failed"):
        write_atomically(old, PARTS)
    assert old.read_bytes() == b"old"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError])
def test_an_interrupt_halfway_leaves_the_old_file(old, stop):
    def parts():
        yield b"half"
        raise stop

    with pytest.raises(stop):
        write_atomically(old, parts())
    assert old.read_bytes() == b"old"
    assert only_file(old.parent) == old


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path, umask):
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "m.model", PARTS)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "m.model").stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o444])
def test_an_existing_file_keeps_its_permissions(old, mode):
    old.chmod(mode)
    write_atomically(old, PARTS)
    assert stat.S_IMODE(old.stat().st_mode) == mode
    assert old.read_bytes() == NEW


def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    real, link = tmp_path / "a" / "real.model", tmp_path / "b" / "link.model"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomically(link, PARTS)
    assert link.is_symlink()
    assert real.read_bytes() == NEW
    real.unlink()  # a link to nothing makes the file
    write_atomically(link, PARTS)
    assert real.read_bytes() == NEW
    assert only_file(real.parent) == real


def test_links_in_a_circle_are_an_error(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.symlink_to(two)
    two.symlink_to(one)
    with pytest.raises(OSError, match="cannot write"):
        write_atomically(one, PARTS)


def test_what_cannot_be_written_to_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such folder; nothing was written"):
        write_atomically(tmp_path / "no" / "m.model", PARTS)
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        write_atomically(tmp_path, PARTS)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a regular file"):
        write_atomically(pipe, PARTS)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_name_may_be_as_long_as_names_can_be(tmp_path):
    path = tmp_path / ("m" * 255)
    write_atomically(path, PARTS)
    assert path.read_bytes() == NEW


KILLED = """
import os, signal, sys
from rosenblatt.persist import atomic

def parts():
    yield b"half of "
    if sys.argv[2] == "wait":
        print("writing", flush=True)
        sys.stdin.readline()
    elif sys.argv[2] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    yield b"it"

if sys.argv[2] == "swap":
    atomic._sync = lambda folder: os.kill(os.getpid(), signal.SIGKILL)
atomic.write_atomically(sys.argv[1], parts())
"""


def writer(path, how):
    """Start a process that is killed while it writes (or swaps), or waits for a line."""
    command = [sys.executable, "-c", KILLED, str(path), how]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def afresh(monkeypatch):
    """As if this process had written nothing yet."""
    monkeypatch.setattr(atomic, "_tidied", set())


def test_remains_of_a_killed_process_are_removed(old, afresh):
    for how in ("kill", "swap"):
        with writer(old, how) as process:
            process.wait()
    # The second process removed what the first one left, and left the old file's second name.
    assert sorted(path.suffix for path in old.parent.iterdir()) == [".model", ".old"]
    with writer(old, "kill") as process:
        process.wait()
    assert sorted(path.suffix for path in old.parent.iterdir()) == [".model", ".tmp"]
    write_atomically(old, PARTS)
    assert only_file(old.parent) == old


def test_what_a_living_process_writes_stays(old, afresh):
    with writer(old, "wait") as process:
        assert process.stdout.readline() == "writing\n"
        write_atomically(old, PARTS)
        assert len(list(old.parent.iterdir())) == 2
        process.communicate("go on\n")
    assert old.read_bytes() == b"half of it"
    assert only_file(old.parent) == old


def test_what_is_not_ours_stays(old, afresh):
    token = "0123456789abcdef"
    others = [f".m.model.{token}.tmp", f".n.model.{token}.rosenblatt.tmp", "m.model.tmp"]
    others += [f".m.model.{token[1:]}.rosenblatt.tmp", f".m.model.{token}.rosenblatt.tmp.bak"]
    for name in others:
        (old.parent / name).write_text("mine")
    folder, link = (old.parent / f".m.model.{token[:-1]}{n}.rosenblatt.tmp" for n in "12")
    folder.mkdir()
    link.symlink_to(old.parent / "m.model.tmp")
    write_atomically(old, PARTS)
    assert len(list(old.parent.iterdir())) == len(others) + 3
    assert folder.is_dir()
    assert link.is_symlink()


def test_remains_of_another_user_stay(old, afresh, monkeypatch):
    remains = old.parent / ".m.model.0123456789abcdef.rosenblatt.tmp"
    remains.write_text("theirs")
    monkeypatch.setattr(os, "geteuid", lambda: old.stat().st_uid + 1)
    write_atomically(old, PARTS)
    assert remains.exists()


def test_a_remain_is_locked_until_it_is_gone(old, afresh, monkeypatch):
    """Else a writer could lock the file, and lose it."""
    (old.parent / ".m.model.0123456789abcdef.rosenblatt.tmp").write_text("a part")
    unlink, locked = os.unlink, []

    def checked(path, *args, **options):
        if str(path).endswith("0123456789abcdef.rosenblatt.tmp"):
            with Path(path).open() as file, pytest.raises(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locked.append(path)
        return unlink(path, *args, **options)

    monkeypatch.setattr(os, "unlink", checked)
    write_atomically(old, PARTS)
    assert len(locked) == 1
    assert only_file(old.parent) == old


def test_a_temporary_file_that_somebody_locked_is_left_to_them(old, monkeypatch):
    """It was taken for a remain as soon as it was there, and is about to be deleted."""
    flock, names = fcntl.flock, []

    def late(descriptor, how):
        (name,) = (path.name for path in old.parent.iterdir() if path != old)
        names.append(name)
        if len(names) == 1:
            raise BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK))
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    write_atomically(old, PARTS)
    assert len(set(names)) == 2
    assert old.read_bytes() == NEW
    assert only_file(old.parent) == old


SAVES = """
import sys
from rosenblatt.persist import atomic

for k in range(100):
    atomic._tidied.clear()  # look for remains every time
    atomic.write_atomically(sys.argv[1], [sys.argv[2].encode(), b"!" * 100])
"""


def test_several_processes_write_one_file(old):
    """None takes what another is writing for remains."""
    each = [
        subprocess.Popen([sys.executable, "-c", SAVES, old, str(n)], stderr=subprocess.PIPE)
        for n in range(4)
    ]
    problems = [process.communicate()[1] for process in each]
    assert [process.returncode for process in each] == [0] * len(each), problems
    assert old.read_bytes()[1:] == b"!" * 100
    assert only_file(old.parent) == old
