"""Long work shows how far it is, and Ctrl-C ends it at once and changes nothing."""

import os
import pty
import re
import subprocess
import sys

import pytest

from tests.conftest import first_quick

SHOW = """
import numpy as np
from rosenblatt import {name}
rng = np.random.default_rng(0)
X, y = rng.standard_normal((20_000, 50)), rng.integers(2, size=20_000)
{name}(max_iter=40, tol=None, verbose=1).fit(X, y)
"""

INTERRUPT = """
import os, signal, threading, time
import numpy as np
import scipy.sparse as sp
from rosenblatt import {name}
rng = np.random.default_rng(0)
X, y = rng.standard_normal((200_000, 50)), rng.integers({classes}, size=200_000)
X = {layout}(X)
model = {name}(max_iter=2, tol=None, **{options}).fit(X, y)  # compiled, or loaded

def flat(value):
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return tuple(map(flat, value)) if isinstance(value, tuple) else value

def bits():
    return {{name: flat(value) for name, value in vars(model).items() if name != "max_iter"}}

before = bits()
model.set_params(max_iter=100_000)
sent = []
def interrupt():
    time.sleep(0.7)
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    model.fit(X, y)
except KeyboardInterrupt:
    late = time.process_time() - sent[0]
    print(late, bits() == before)
"""


def in_terminal(code, columns=80):
    """Run code with a terminal for its output, and return what was drawn."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm"}
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=follower, stderr=follower, env=environment
    )
    os.close(follower)
    drawn = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        drawn += piece
    os.close(leader)
    assert child.wait() == 0, drawn.decode()
    return drawn.decode()


@pytest.mark.parametrize("name", first_quick(["Perceptron", "BatchPerceptron"], 1))
def test_a_terminal_shows_a_live_bar(name):
    drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", in_terminal(SHOW.format(name=name)))
    lines = [line for line in re.split(r"[\r\n]+", drawn) if line.strip()]
    assert all(len(line) <= 80 for line in lines)
    passes = [int(p) for p in re.findall(r"pass (\d+)/40", drawn)]
    assert passes[-1] == 40
    assert re.search(r"[\d,]+ mistakes · [\d.]+ [kM] rows/s", lines[-1])


@pytest.mark.slow
def test_a_pipe_gets_one_line():
    result = subprocess.run(
        [sys.executable, "-c", SHOW.format(name="Perceptron")], capture_output=True, text=True
    )
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    assert "pass 40/40" in result.stderr


@pytest.mark.slow
def test_a_notebook_shows_a_live_line():
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(SHOW.format(name="Perceptron"))]
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    (shown,) = [o for o in notebook.cells[0].outputs if o.output_type == "display_data"]
    text = shown["data"]["text/plain"]
    assert re.fullmatch(r"Perceptron █{12} pass 40/40 · [\d,]+ mistakes · .* rows/s", text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "classes", "layout", "options"),
    [
        ("Perceptron", 2, "", {}),
        ("Perceptron", 2, "", {"warm_start": True}),
        ("AveragedPerceptron", 10, "", {"warm_start": True}),
        ("VotedPerceptron", 2, "", {"warm_start": True}),
        ("VotedPerceptron", 2, "", {"record": True}),
        ("BatchPerceptron", 2, "", {"warm_start": True}),
        ("BatchPerceptron", 10, "", {"learning_rate": "line_search"}),
        ("Perceptron", 2, "sp.csr_matrix", {}),
        ("Perceptron", 2, "np.asfortranarray", {"warm_start": True}),
    ],
)
def test_ctrl_c_stops_at_once_and_changes_nothing(name, classes, layout, options):
    code = INTERRUPT.format(name=name, classes=classes, layout=layout, options=options)
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    late, unchanged = result.stdout.split()
    assert unchanged == "True"
    assert float(late) < 0.2
