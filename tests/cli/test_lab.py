"""``rosenblatt lab``: how it starts, what it says, how it ends."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path
from time import perf_counter

import pytest

from rosenblatt.cli.commands.lab import EXAMPLES
from tests.cli.test_terminal import in_terminal, width
from tests.conftest import takes_at_most

LOADED = (
    "print([n for n in ('starlette', 'uvicorn', 'websockets', 'anyio', 'numpy', 'sklearn', 'numba')"
    " if n in sys.modules])"
)


@pytest.fixture
def pretended(monkeypatch):
    """Serve nothing; return what would have been opened in a browser."""
    from rosenblatt.lab import serve

    opened = []

    def open_browser(lab, url):
        opened.append(url)
        return True

    def serve_until_stopped(lab):
        lab.listener.close()
        lab.on_ready("http://127.0.0.1:1957/key/")

    monkeypatch.setattr(serve.Lab, "open_browser", open_browser)
    monkeypatch.setattr(serve.Lab, "serve_until_stopped", serve_until_stopped)
    return opened


def loaded(code):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\n{LOADED}"],
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout.splitlines()[-1]


def test_ctrl_c_ends_it_well(tmp_path):
    args = ["lab", "--no-open", "--port", "0"]
    seen, code = in_terminal(args, tmp_path, b"\x03", "Ctrl-C ends the lab.\r\n")
    lines = seen.replace("^C", "").splitlines()
    assert code == 0
    assert lines[0].startswith("Getting ready")
    assert lines[1].startswith("http://127.0.0.1:")
    assert lines[-1] == "The lab is closed."
    assert all(width(line) <= 80 for line in lines)


def test_ctrl_c_while_it_starts(tmp_path):
    """However late the key is pressed: the process that computes takes a minute to start."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, time\nif 'rosenblatt.lab.worker' in sys.orig_argv:\n    time.sleep(60)\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    args = ["lab", "--no-open", "--port", "0"]
    seen, code = in_terminal(args, tmp_path, b"\x03", "Getting", PYTHONPATH=path)
    assert code in (0, 130)
    assert "Traceback" not in seen
    assert "http://" not in seen


@pytest.mark.parametrize("later", [0, 0.1], ids="seconds={}".format)
def test_ctrl_c_before_the_server_waits_for_it(tmp_path, later):
    """Also while the process that computes is half there, for which asyncio would wait for ever."""
    code = f"""
import contextlib, os, signal, sys, threading, uvicorn
uvicorn.Server.capture_signals = lambda self: contextlib.nullcontext()
start = uvicorn.Server.startup
async def startup(self, sockets=None):
    await start(self, sockets)
    threading.Timer({later}, os.kill, (os.getpid(), signal.SIGINT)).start()
uvicorn.Server.startup = startup
sys.argv[1:] = ["lab", "--no-open", "--port", "0"]
from rosenblatt.cli.main import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == "The lab is closed."


@pytest.mark.slow
def test_sigterm_ends_it(tmp_path):
    command = [sys.executable, "-m", "rosenblatt", "lab", "--no-open", "--port", "0", "--quiet"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout.readline().startswith("http://127.0.0.1:")
        running.terminate()
        out, err = running.communicate(timeout=60)
    assert running.returncode == -signal.SIGTERM
    assert (out, err) == ("", "")


def test_it_opens_the_browser(tmp_path):
    """With a file that leads to the page, as others can see what a browser is started with."""
    script = tmp_path / "browser"
    script.write_text(
        f'#!/bin/sh\necho "$@" > "{tmp_path}/opened.part"\n'
        f'cat {tmp_path}/rosenblatt-lab-*/*.html > "{tmp_path}/page"\n'
        f'mv "{tmp_path}/opened.part" "{tmp_path}/opened"\nsleep 2\n'
    )
    script.chmod(0o755)
    command = [sys.executable, "-m", "rosenblatt", "lab", "#/truth?n=2", "--port", "0", "--quiet"]
    environment = {**os.environ, "BROWSER": str(script), "HOME": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as running:
        try:
            address = running.stdout.readline().strip()
            end = perf_counter() + 60
            while not (tmp_path / "opened").exists():
                assert perf_counter() < end
        finally:
            running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
    assert address.endswith("/#/truth?n=2")
    assert address in (tmp_path / "page").read_text()
    opened = (tmp_path / "opened").read_text()
    assert opened.startswith(tmp_path.as_uri())
    assert address.split("/")[3] not in opened


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_work(ros, pretended, example):
    words = shlex.split(example)
    assert words[:2] == ["rosenblatt", "lab"]
    told = ros(*words[1:], *([] if "--port" in words else ["--port", "0"]))
    assert told.out.startswith("http://127.0.0.1:1957/key/")
    assert len(pretended) == (0 if "--no-open" in words else 1)


@pytest.mark.parametrize(
    "link",
    [
        "#/truth?n=3&f=12",
        "http://127.0.0.1:1957/AbCdEf/#/truth?n=3&f=12",
        "http://localhost:8000/x/#/truth?n=3&f=12",
    ],
)
def test_a_link_from_another_run(ros, pretended, link):
    out = ros("lab", link, "--port", "0").out
    assert out == "http://127.0.0.1:1957/key/#/truth?n=3&f=12\n"
    assert pretended == [out.strip()]


@pytest.mark.parametrize("link", ["", "truth", "http://127.0.0.1:1957/x/", "#truth", "#"])
def test_what_is_no_link(ros, link):
    told = ros("lab", link, code=2).err
    assert "is not a link from a lab" in told
    assert "'#/'" in told


def test_a_link_cannot_draw_in_the_terminal(ros, pretended):
    assert "\x1b" not in ros("lab", "#/x\x1b[2J", "--port", "0").out


def test_a_port_in_use(ros):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        told = ros("lab", "--no-open", "--port", port, code=1).err
    assert told == f"rosenblatt: port {port} is in use; choose another, or leave out --port\n"


@pytest.mark.parametrize("port", [-1, 65536, 10**9])
def test_no_port(ros, port):
    assert "must be between 0 and 65535" in ros("lab", "--port", port, code=2).err


@pytest.mark.parametrize("name", ["starlette", "uvicorn", "websockets"])
def test_without_the_extra_it_says_what_to_install(name):
    code = (
        "import sys\n"
        "class Lacking:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] == {name!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Lacking())\n"
        "sys.argv = ['rosenblatt', 'lab', '--no-open']\n"
        "from rosenblatt.cli.main import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        f"rosenblatt: the lab needs {name}, which is not installed: pip install 'rosenblatt[lab]'\n"
    )


def test_nothing_else_loads_a_server():
    assert loaded("import rosenblatt") == "[]"
    code = (
        "from click.testing import CliRunner\n"
        "from rosenblatt.cli.main import app\n"
        "for words in (['--help'], ['lab', '--help'], ['train', '--help']):\n"
        "    assert CliRunner().invoke(app, words).exit_code == 0"
    )
    assert loaded(code) == "[]"


def test_the_server_computes_nothing():
    found = loaded("import rosenblatt.cli.commands.lab, rosenblatt.lab.serve")
    assert not {"numpy", "sklearn", "numba"} & set(found.strip("[]").replace("'", "").split(", "))


def test_the_server_starts_at_once():
    code = "import rosenblatt.cli.main, rosenblatt.cli.commands.lab, rosenblatt.lab.serve"
    start = partial(subprocess.run, [sys.executable, "-c", code], check=True)
    assert takes_at_most(0.8, start)


def test_help_says_what_happens(ros):
    told = ros("lab", "--help").out
    assert "only on this machine" in told
    assert "1957" in told
    assert all(len(line) <= 80 for line in told.splitlines())


def test_pages_come_with_the_package():
    root = Path(__file__).parents[2]
    declared = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    globs = declared["package-data"]["rosenblatt.lab"]
    lab = root / "src" / "rosenblatt" / "lab"
    packed = {file for glob in globs for file in lab.glob(glob)}
    assert packed >= {file for file in (lab / "static").rglob("*") if file.is_file()}
