"""Terminals and pipes, in processes of their own."""

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def in_terminal(args, folder, keys=None, when="", **env):
    """Run a command in a terminal of 80 columns; press keys once a text is seen."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update({"TERM": "xterm-256color", **env})
        os.environ.pop("COLUMNS", None)
        os.execv(sys.executable, [sys.executable, "-m", "rosenblatt", *args])
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        seen += piece
        if keys and when.encode() in seen:
            os.write(terminal, keys)
            keys = None
    os.close(terminal)
    return seen.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def width(line):
    return max(len(part) for part in MOVES.sub("", line).split("\r"))


def test_a_terminal_of_80_columns(folder):
    for args in (["evaluate", "m.model", "test.svm"], ["inspect", "m.model"]):
        seen, code = in_terminal(args, folder)
        assert code == 0
        assert all(width(line) <= 80 for line in seen.splitlines())


def test_no_colours_if_they_are_not_wanted(folder):
    args = ["evaluate", "m.model", "test.svm"]
    seen, _ = in_terminal(args, folder, NO_COLOR="1")
    assert not re.search(r"\x1b\[3\d|\x1b\[38", seen)
    plain = subprocess.run(
        [sys.executable, "-m", "rosenblatt", *args], cwd=folder, capture_output=True, check=True
    )
    assert b"\x1b" not in plain.stdout + plain.stderr


@pytest.fixture
def long(folder):
    """A file that takes some seconds to learn from."""
    text = Path("train.svm").read_text()
    noise = "".join("+1" + line[2:] for line in text.splitlines(keepends=True)[:20])
    Path("long.svm").write_text((text + noise) * 1500)
    return folder


def test_ctrl_c(long):
    args = ["train", "long.svm", "--passes", "1000000", "-o", "x.model"]
    seen, code = in_terminal(args, long, b"\x03", "pass")
    assert code == 130
    assert MOVES.sub("", seen).splitlines()[-1] == "rosenblatt: interrupted"
    assert not (long / "x.model").exists()


def test_ctrl_c_takes_a_checkpoint(long):
    args = ["train", "long.svm", "--passes", "1000000", "--checkpoint", "c"]
    seen, code = in_terminal(args, long, b"\x03", "pass")
    assert code == 130
    assert "checkpoint written to c" in seen
    assert (long / "c").exists()


@pytest.mark.slow
def test_the_bar_leaves_the_lines_alone(long):
    args = ["train", "long.svm", "--passes", "40"]  # some seconds, where the bar waits for half
    seen, code = in_terminal(args, long)
    assert code == 0
    assert "of 40" in seen  # there was a bar
    clean = [line.split("\x1b[2K")[-1] for line in seen.splitlines()]
    table = [line for line in clean if re.match(r" +\d+ +[\d,]+ ", line)]
    ends = [int(line.split()[0]) for line in table if line.split()[1] == "480,000"]
    assert ends == [*range(1, 11), *range(20, 41, 10)]
    assert all(width(line) <= 80 for line in clean)


def test_nobody_reads_on(shell, folder):
    done = shell("rosenblatt predict m.model new.svm | head -n 1 > first; cat first", folder)
    assert done.out == "prediction\n"
    assert done.err == ""
    for command in ("predict m.model new.svm", "inspect m.model --all", "evaluate m.model new.svm"):
        done = shell(f"rosenblatt {command} | true", folder)
        assert done.err == "", command


def test_a_signal_ends_it(long):
    running = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", "train", "long.svm", "--passes", "1000000"],
        cwd=long,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stderr is not None
        running.stderr.readline()
        running.send_signal(signal.SIGINT)
        rest = running.communicate(timeout=60)[1]
    finally:
        running.kill()
    assert running.returncode == 130
    assert "Traceback" not in rest
    assert rest.splitlines()[-1] == "rosenblatt: interrupted"


def test_ctrl_c_is_not_lost_where_python_drops_exceptions():
    code = (
        "import signal, sys, time, weakref\n"
        "from rosenblatt.cli.main import interrupt_again\n"
        "sys.unraisablehook = interrupt_again\n"
        "class Gone: pass\n"
        "gone = Gone()\n"
        "callback = weakref.ref(gone, lambda _: signal.raise_signal(signal.SIGINT))\n"
        "try:\n"
        "    del gone\n"
        "    print('lost', flush=True)\n"
        "    time.sleep(60)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "lost\ninterrupted\n"
    assert done.stderr == ""


def test_pipes_and_packed_files(shell, folder):
    line = "gzip -dc train.svm.gz | rosenblatt train - -o p.model --json"
    assert shell(line, folder).json["examples"] == 300
    done = shell("rosenblatt predict p.model new.svm | tail -n +2 | wc -l", folder)
    assert done.out.strip() == "100"
