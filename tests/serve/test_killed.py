"""A service that is killed under load: what was acknowledged is there once, nothing by halves."""

import json
import os
import signal
import subprocess
import sys
import time
from random import Random

import pytest

from rosenblatt import OnlineClassifier
from rosenblatt.serve.log import LEARNED, Log
from rosenblatt.serve.model import decode
from tests.serve.conftest import on_disk, same

KILLS = int(os.environ.get("ROSENBLATT_KILLS", "5"))


def start(folder, seed):
    """Start the service, and what asks it; return both processes."""
    command = [sys.executable, "-m", "rosenblatt", "serve", "--new", "m", "--data", folder]
    options = ["--port", "0", "--snapshot-every", "300", "--snapshots", "1000", "-q"]
    service = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    url = service.stdout.readline().strip()
    assert url.startswith("http://127.0.0.1:")
    asking = subprocess.Popen(
        [sys.executable, "-m", "tests.serve.learner_process", url, str(seed)],
        stdout=subprocess.PIPE,
        text=True,
    )
    return service, asking


def entries(folder):
    log = Log(folder)
    try:
        return list(log.entries(log.models()["m"], 0))
    finally:
        log.close()


@pytest.mark.slow
def test_acknowledged_examples_survive_kills(tmp_path):
    folder, draw = tmp_path / "data", Random(0)
    acknowledged = []
    for kill in range(KILLS):
        service, asking = start(folder, kill)
        asking.stdout.readline()  # it learns
        time.sleep(draw.uniform(0, 0.6))
        service.send_signal(signal.SIGKILL)
        service.wait()
        acknowledged += [json.loads(line) for line in asking.stdout.read().splitlines()]
        asking.wait()
        service.stdout.close(), asking.stdout.close()

        found = entries(folder)
        position, marks = 0, {}
        alone = OnlineClassifier()
        for entry in found:
            assert (entry.first, entry.kind) == (position + 1, LEARNED)
            examples = decode(entry.body)
            assert len(examples) == entry.size
            for x, y, weight in examples:
                position += 1
                assert x["mark"] not in marks
                marks[x["mark"]] = position
                alone.learn_one(x, y, weight)
        for last, learned, names in acknowledged:
            assert learned == len(names)
            assert [marks[one] for one in names] == [*range(last - learned + 1, last + 1)]
        assert same(on_disk(folder, "m"), alone)
    assert acknowledged
