"""Long work shows how far it is, and Ctrl-C ends it at once and changes nothing."""

import json
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
import json, os, signal, sys, threading, time
import numpy as np
import rosenblatt
import scipy.sparse as sp

rng = np.random.default_rng(0)
dense = rng.standard_normal((200_000, 50))
layouts = {"": dense, "sparse": sp.csr_matrix(dense), "Fortran": np.asfortranarray(dense)}

def flat(value):
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return tuple(map(flat, value)) if isinstance(value, tuple) else value

def bits(model):
    return {name: flat(value) for name, value in vars(model).items() if name != "max_iter"}

def interrupt(sent):
    time.sleep(0.7)
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

for name, classes, layout, options in json.loads(sys.argv[1]):
    X, y = layouts[layout], rng.integers(classes, size=200_000)
    model = getattr(rosenblatt, name)(max_iter=2, tol=None, **options)
    model.fit(X, y)  # compiled, or loaded
    before = bits(model)
    model.set_params(max_iter=100_000)
    sent = []
    threading.Thread(target=interrupt, args=(sent,), daemon=True).start()
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        late = time.process_time() - sent[0]
        print(json.dumps([name, late, bits(model) == before]))
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
def test_ctrl_c_stops_at_once_and_changes_nothing():
    cases = [
        ("Perceptron", 2, "", {}),
        ("Perceptron", 2, "", {"warm_start": True}),
        ("AveragedPerceptron", 10, "", {"warm_start": True}),
        ("VotedPerceptron", 2, "", {"warm_start": True}),
        ("VotedPerceptron", 2, "", {"record": True}),
        ("BatchPerceptron", 2, "", {"warm_start": True}),
        ("BatchPerceptron", 10, "", {"learning_rate": "line_search"}),
        ("Perceptron", 2, "sparse", {}),
        ("Perceptron", 2, "Fortran", {"warm_start": True}),
    ]
    command = [sys.executable, "-c", INTERRUPT, json.dumps(cases)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    for case, line in zip(cases, result.stdout.splitlines(), strict=True):
        name, late, unchanged = json.loads(line)
        assert name == case[0]
        assert unchanged, case
        assert late < 0.2, case
