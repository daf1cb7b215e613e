"""Workers that die: real processes, real signals, and the same bits."""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import AveragedPerceptron, OnlineClassifier, Perceptron, SequenceTagger
from rosenblatt.distributed import ClusterError, fit, rounds_of
from rosenblatt.distributed.local import local_client, remote_client
from tests.distributed.eager import Eager
from tests.distributed.test_files import write
from tests.distributed.test_mixing import whole_numbers

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("ROSENBLATT_KILLS", 4))


@pytest.fixture(scope="module")
def workers():
    """A client with two worker processes, that may die three times at the same task."""
    with local_client(2) as client:
        yield client


def kill_one(client, after):
    """Kill a worker process after so many seconds, in a thread."""

    def kill():
        time.sleep(after)
        nanny = random.Random(after).choice(list(client.cluster.workers.values()))
        if nanny.process is not None and nanny.process.pid is not None:
            os.kill(nanny.process.pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def test_a_killed_worker_changes_no_bit(workers):
    X, y = whole_numbers(0, 64, rows=200)
    wanted = fit(AveragedPerceptron(), X, y, client=Eager(), rounds=4)
    moments = random.Random(0)
    for _ in range(KILLS):
        thread = kill_one(workers, moments.uniform(0.05, 2.0))
        model = fit(AveragedPerceptron(), X, y, client=workers, rounds=4)
        thread.join()
        assert model.coef_.tobytes() == wanted.coef_.tobytes()
        assert rounds_of(model).passes == rounds_of(wanted).passes


def test_files_are_read_again(workers, tmp_path):
    path = write(tmp_path, "csv", n=2000)
    wanted = fit(OnlineClassifier(), path, client=Eager(), rounds=3, shard_bytes=10_000)
    moments = random.Random(1)
    for _ in range(2):
        thread = kill_one(workers, moments.uniform(0.05, 1.0))
        model = fit(OnlineClassifier(), path, client=workers, rounds=3, shard_bytes=10_000)
        thread.join()
        assert model.coef_.tobytes() == wanted.coef_.tobytes()


def test_too_many_deaths_are_one_line_and_leave_a_checkpoint(workers, tmp_path):
    X, y = whole_numbers(2, 6, rows=50)

    def rate(deadly):
        def eta(t):
            # The first round has fewer updates; a later one kills whoever works on it.
            if deadly and t > 130:
                os.kill(os.getpid(), signal.SIGKILL)
            return 1.0 / t

        return eta

    path = tmp_path / "rounds"
    wanted = fit(Perceptron(learning_rate=rate(False)), X, y, client=Eager(), rounds=6)
    model = Perceptron(learning_rate=rate(True))
    with pytest.raises(ClusterError, match=r"round \d of 6: workers died 4 times") as found:
        fit(model, X, y, client=workers, rounds=6, checkpoint=path)
    assert "\n" not in str(found.value)
    assert f"{path} has the state after round" in str(found.value)
    assert not hasattr(model, "coef_")
    again = Perceptron(learning_rate=rate(False))
    fit(again, X, y, client=workers, rounds=6, checkpoint=path, resume=True)
    assert again.coef_.tobytes() == wanted.coef_.tobytes()
    assert again.mistakes_.tolist() == wanted.mistakes_.tolist()


@contextmanager
def elsewhere():
    """Start a scheduler and a worker as users do; give the address and the scheduler."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, dask = f"tcp://127.0.0.1:{port}", [sys.executable, "-m", "dask"]
    place = ["--host", "127.0.0.1", "--port", str(port)]
    started = [
        subprocess.Popen([*dask, *args, "--no-dashboard"], stderr=subprocess.DEVNULL)
        for args in (["scheduler", *place], ["worker", address, "--nthreads", "1", "--no-nanny"])
    ]
    try:
        yield address, started[0]
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.parametrize("kind", ["rows", "sentences"])
def test_a_lost_scheduler_is_one_line_and_leaves_a_checkpoint(tmp_path, kind):
    path, kept, size = tmp_path / "tags.conll", tmp_path / "rounds", 2_000
    if kind == "rows":
        path, size = write(tmp_path, "csv", n=2000), 10_000
    else:
        from tests.distributed.test_tagger import sentences
        from tests.distributed.test_tagger import write as write_tags

        write_tags(tmp_path, *sentences(0, n=400))

    def new():
        return (
            OnlineClassifier("perceptron") if kind == "rows" else SequenceTagger("suffix(word, 1)")
        )

    def kill_once_there_is_a_checkpoint(scheduler, moments):
        while not kept.exists():
            time.sleep(0.01)
        moments.append(time.monotonic())
        scheduler.kill()

    with elsewhere() as (address, scheduler):
        moments, model = [], new()
        args = (scheduler, moments)
        thread = threading.Thread(target=kill_once_there_is_a_checkpoint, args=args)
        thread.start()
        lost = pytest.raises(ClusterError, match="the connection to the scheduler was lost")
        with lost as found, remote_client(address) as client:
            fit(model, path, client=client, rounds=5000, shard_bytes=size, checkpoint=kept)
        ended = time.monotonic()
        thread.join()
    assert ended - moments[0] < 20
    assert "\n" not in str(found.value)
    made = int(re.search(r"has the state after round (\d+); resume=True", str(found.value))[1])
    with elsewhere() as (address, _), remote_client(address) as client:
        again = fit(
            new(), path, client=client, rounds=made + 2, shard_bytes=size, checkpoint=kept,
            resume=True,
        )  # fmt: skip
    wanted = fit(new(), path, client=Eager(), rounds=made + 2, shard_bytes=size)
    assert rounds_of(again).passes == rounds_of(wanted).passes
    for one, other in zip(again._state, wanted._state, strict=True):
        assert np.array_equal(one, other)


def test_scattered_data_are_lost_in_one_line(workers):
    X, y = whole_numbers(2, 2, rows=50)
    pairs = workers.scatter(list(zip(X, y, strict=True)))
    for nanny in list(workers.cluster.workers.values()):
        os.kill(nanny.process.pid, signal.SIGKILL)
    time.sleep(1.0)
    with pytest.raises(ClusterError, match="cannot be computed again were lost") as found:
        fit(Perceptron(), pairs, client=workers)
    assert "\n" not in str(found.value)


def test_a_bad_line_is_named_by_a_worker(workers, tmp_path):
    path = write(tmp_path, "svmlight", n=500)
    lines = path.read_text().splitlines()
    lines[401] = "1 2:x"
    path.write_text("\n".join(lines))
    with pytest.raises(ValueError, match=rf"^{path}:402:5: expected a finite number"):
        fit(OnlineClassifier(), path, client=workers, shard_bytes=1000)


def test_many_columns_travel_as_changes(workers):
    rng = np.random.default_rng(0)
    X = sp.random(4000, 1 << 20, 2e-6, "csr", rng=rng)
    y = rng.choice([0, 1], size=4000)
    parts = [(X[k::8], y[k::8]) for k in range(8)]
    model = fit(AveragedPerceptron(), parts, client=workers, rounds=2)
    changed = np.count_nonzero(model._state.weights)
    for passes in rounds_of(model).passes:
        # Indices of 4 bytes, and 8 for each of two numbers.
        assert sum(each.sent for each in passes) <= 1.2 * 8 * changed * (4 + 8 + 8)
        assert max(each.sent for each in passes) < 8 << 20
