"""Long work says how far it is, where somebody can see it, and Ctrl-C ends it at once."""

import json
import re
import subprocess
import sys
import threading

import pytest

from rosenblatt import waiting
from tests.estimators.test_progress import in_terminal

# As if two seconds were over, and with a look however soon the work is done.
LONG = "from rosenblatt import waiting; waiting.PATIENCE, waiting._OFTEN = 0.0, 0.001\n"
SEPARATE = """
import numpy as np
from rosenblatt import mistake_bound, separate
X, y = np.random.default_rng(0).standard_normal((300, 20)), np.arange(300) % 2
separate(X, y{options})
mistake_bound(X, y)
"""
DISCRIMINANT = """
import numpy as np
from rosenblatt import LinearDiscriminant
rng = np.random.default_rng(0)
LinearDiscriminant().fit(rng.standard_normal((1500, 1100)), np.arange(1500) % 2)
"""
# More columns than rows: singular values.
LEAST_SQUARES = """
import numpy as np
from rosenblatt import LinearRegression
rng = np.random.default_rng(0)
LinearRegression().fit(rng.standard_normal((900, 2000)), np.arange(900.0))
"""


def seen(drawn):
    """The texts that a terminal showed in its last line, one after the other."""
    return [line for line in re.split(r"\r\x1b\[K", drawn) if line.strip()]


def test_a_terminal_shows_a_line_that_goes_away():
    drawn = in_terminal(LONG + SEPARATE.format(options=""))
    texts = seen(drawn)
    assert re.match(r"separate: .* rows.* · [\d.]+ s", texts[0])
    assert any(text.startswith("mistake_bound: ") for text in texts)
    assert all(len(text) < 80 for text in texts)
    assert drawn.endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("name", "code"), [("LinearDiscriminant", DISCRIMINANT), ("LinearRegression", LEAST_SQUARES)]
)
def test_closed_forms_do_so_while_they_are_solved(name, code):
    texts = seen(in_terminal(LONG + code))
    assert re.match(rf"{name}: fitting · [\d.]+ s", texts[0])


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (SEPARATE.format(options=""), 0),  # before two seconds are over
        (LONG + SEPARATE.format(options=", verbose=False").replace("mistake_bound(X", "(X"), 0),
    ],
)
def test_what_is_short_or_silenced_shows_nothing(code, lines):
    assert seen(in_terminal(code)) == []


def test_a_pipe_gets_no_line():
    command = [sys.executable, "-c", LONG + SEPARATE.format(options="") + DISCRIMINANT]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("", "")


def test_a_bar_keeps_other_lines_away():
    code = LONG + (
        "from rosenblatt.model_selection.progress import progress\n"
        "with progress('fitting', 2, 1) as tick:\n"
        "    with waiting.late_line('inner') as say:\n"
        "        say('at work')\n"
        "    tick()\n"
    )
    drawn = in_terminal(code)
    assert "fitting" in drawn
    assert "inner" not in drawn


def test_watched_work_returns_and_raises():
    assert waiting.watched(lambda: 3, "test", "at work") == 3
    with pytest.raises(ZeroDivisionError):
        waiting.watched(lambda: 1 / 0, "test", "at work")
    here = []
    other = threading.Thread(
        target=lambda: here.append(waiting.watched(threading.current_thread, "test", ""))
    )
    other.start()
    other.join()
    assert here == [other]  # a thread that no Ctrl-C reaches does it itself


INTERRUPT = """
import json, os, signal, sys, threading, time
import numpy as np, scipy.sparse as sp
from rosenblatt import *
rng = np.random.default_rng(0)
dense, y = rng.standard_normal((4000, 2500)), np.arange(4000) % 2
low = rng.standard_normal((30_000, 40))
at = rng.integers(40_000, size=(20_000, 30))
wide = sp.csr_matrix((rng.standard_normal(at.size), at.ravel(), np.arange(0, at.size + 1, 30)))
half = np.arange(20_000) % 2
near = rng.standard_normal((300, 90))
near = np.hstack([near, near[:, :5] + 1e-14 * rng.standard_normal((300, 5))])
work = {
    "discriminant": lambda m: m.fit(dense, y),
    "sparse discriminant": lambda m: m.fit(wide[:, :3000], half),
    "separate": lambda m: separate(dense[:, :1500], y),
    "separate, sparse": lambda m: separate(wide, half),
    "separate, exactly": lambda m: separate(near, np.arange(300) % 2),
    "bound": lambda m: mistake_bound(wide, half),
    "compare": lambda m: compare(low, np.arange(30_000) % 5),
    "select": lambda m: select(
        Perceptron(), {"max_iter": list(range(50, 99))}, low, np.arange(30_000) % 2, n_jobs=1
    ),
    "kernel": lambda m: KernelPerceptron(max_iter=100, tol=None).fit(low, np.arange(30_000) % 2),
    "centroid": lambda m: [
        NearestCentroid(shrink_threshold="cv").fit(low, np.arange(30_000) % 7) for _ in range(99)
    ],
    "bayes": lambda m: [NaiveBayes().fit(low, np.arange(30_000) % 7) for _ in range(9999)],
}
few = rng.standard_normal((12, 3))
for warm in (LinearDiscriminant(), NaiveBayes(), KernelPerceptron()):
    warm.fit(few, np.arange(12) % 2)
separate(few, np.arange(12) % 2), mistake_bound(sp.csr_matrix(few), np.arange(12) % 2)
for name in json.loads(sys.argv[1]):
    model = LinearDiscriminant().fit(few, np.arange(12) % 2)
    before, sent = model.coef_.tobytes(), []
    def interrupt():
        time.sleep(0.3)
        sent.append(time.thread_time() and time.clock_gettime(clock))
        os.kill(os.getpid(), signal.SIGINT)
    clock = time.pthread_getcpuclockid(threading.main_thread().ident)
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        work[name](model)
        time.sleep(5)  # it was over before
    except KeyboardInterrupt:
        late = time.clock_gettime(clock) - sent[0]
        print(json.dumps([name, late, model.coef_.tobytes() == before]), flush=True)
os._exit(0)  # threads that nobody waits for are still at work
"""

QUICK = ["discriminant", "separate, sparse"]
OTHERS = [
    *("sparse discriminant", "separate", "separate, exactly", "bound", "compare", "select"),
    *("kernel", "centroid", "bayes"),
]


@pytest.mark.parametrize("names", [QUICK, pytest.param(OTHERS, marks=pytest.mark.slow)], ids=len)
def test_ctrl_c_ends_it_at_once_and_changes_nothing(names):
    command = [sys.executable, "-W", "ignore", "-c", INTERRUPT, json.dumps(names)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [name for name, _, _ in lines] == names
    for name, late, unchanged in lines:
        assert unchanged, name
        assert late < 0.5, (name, late)  # seconds of the main thread, whatever else is at work
