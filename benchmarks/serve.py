"""`rosenblatt serve` under load, beside River behind the same Starlette without any log.

python benchmarks/serve.py [--soak MINUTES] prints a table. The load comes from another process on
the same machine, which takes about one of the two cores.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
ROWS = 1_000_000


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def process(words):
    made = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
    try:
        yield made
    finally:
        made.terminate()
        made.wait(60)


@contextmanager
def serving(folder, peer=False):
    """Start one of the two; yield its port and its process, once it answers."""
    port = free_port()
    words = ["-m", "rosenblatt", "serve", "--new", "m", "--data", folder, "--port", str(port), "-q"]
    with process([str(HERE / "serve_peer.py"), str(port)] if peer else words) as made:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        load(port, "learn-100", 1, 1)  # so that there is a model, and all is compiled
        load(port, "predict", 1, 1)
        yield port, made


def load(port, kind, connections, seconds, rate=None):
    words = [sys.executable, str(HERE / "serve_load.py"), str(port), kind, str(connections)]
    words += [str(seconds)] + ([str(rate)] if rate else [])
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert not found["wrong"], found
    return found


def started_load(port, kind, connections, seconds, rate=None):
    words = [sys.executable, str(HERE / "serve_load.py"), str(port), kind, str(connections)]
    words += [str(seconds)] + ([str(rate)] if rate else [])
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def row(name, peer, ours, floor, ok):
    print(f"| {name} | {peer} | {ours} | {floor} | {'ok' if ok else 'MISS'} |", flush=True)


def memory(pid):
    """Return the resident memory of a process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def rates(seconds):
    """Measure both services; print a row for each figure."""
    with tempfile.TemporaryDirectory() as folder:
        with serving(folder, peer=True) as (port, _):
            theirs = {
                "single": load(port, "predict", 16, seconds),
                "half": load(port, "predict", 16, seconds, 1_000),
                "batch": load(port, "predict-100", 4, seconds),
                "learn": load(port, "learn", 64, seconds),
                "learn-batch": load(port, "learn-500", 4, seconds),
            }
        with serving(folder) as (port, _):
            ours = {
                "single": load(port, "predict", 16, seconds),
                "half": load(port, "predict", 16, seconds, 1_000),
                "batch": load(port, "predict-100", 4, seconds),
                "learn": load(port, "learn", 64, seconds),
                "learn-batch": load(port, "learn-500", 4, seconds),
            }
            alone = load(port, "predict", 4, seconds, 500)
            learning = started_load(port, "learn", 8, seconds + 2, 300)
            time.sleep(1)
            under = load(port, "predict", 4, seconds, 500)
            learning.communicate()

    def rate(key):
        return f"{theirs[key]['rate']:,.0f}/s", f"{ours[key]['rate']:,.0f}/s"

    row("single predictions", *rate("single"), "≥ 2,000/s", ours["single"]["rate"] >= 2_000)
    p99 = [f"{1e3 * one['half']['p99']:.2g} ms" for one in (theirs, ours)]
    row("p99 of 1,000 single predictions a second", *p99, "< 10 ms", ours["half"]["p99"] < 0.01)
    row("predictions, batches of 100", *rate("batch"), "≥ 50,000/s", ours["batch"]["rate"] >= 5e4)
    row(
        "learning one by one, 64 clients", *rate("learn"), "≥ 1,000/s", ours["learn"]["rate"] >= 1e3
    )
    batches = ours["learn-batch"]["rate"]
    row("learning, batches of 500", *rate("learn-batch"), "≥ 20,000/s", batches >= 2e4)
    p99 = 1e3 * alone["p99"], 1e3 * under["p99"]
    row(
        "p99 of 500 predictions a second, alone and while 300 a second are learned",
        "",
        f"{p99[0]:.2g} and {p99[1]:.2g} ms",
        "≤ 2×",
        p99[1] <= 2 * p99[0],
    )


def replay():
    """Measure the start with a log of a million examples."""
    from random import Random

    from serve_load import example

    from rosenblatt import OnlineClassifier
    from rosenblatt.serve import states
    from rosenblatt.serve.log import LEARNED, Entry, Log
    from rosenblatt.serve.model import encode

    draw = Random(1)
    block = [[*example(draw), 1.0] for _ in range(1_000)]
    body = encode(block)
    with tempfile.TemporaryDirectory() as folder:
        log = Log(folder)
        states.add(log, "m", OnlineClassifier())
        log.begin()
        for first in range(1, ROWS + 1, len(block)):
            log.append(1, Entry(first, len(block), LEARNED, body))
        log.commit()
        start = time.perf_counter()
        states.restored(log, "m")
        took = time.perf_counter() - start
        log.close()
    ours = f"{ROWS / took:,.0f}/s"
    row("start with 1,000,000 examples in the log", "", ours, "≥ 100,000/s", ROWS / took >= 1e5)


def soak(minutes):
    """Load it fully for minutes; print its memory."""
    with tempfile.TemporaryDirectory() as folder, serving(folder) as (port, made):
        half = minutes * 60 / 2
        loads = [
            started_load(port, "learn", 8, minutes * 60),
            started_load(port, "predict", 8, minutes * 60),
        ]
        seen = []
        start = time.perf_counter()
        while time.perf_counter() - start < minutes * 60 - 2:
            time.sleep(10)
            seen.append((time.perf_counter() - start, memory(made.pid)))
        found = [json.loads(one.communicate()[0]) for one in loads]
        assert not any(one["wrong"] for one in found)
    first = max(mb for at, mb in seen if at < half)
    last = max(mb for at, mb in seen if at >= half)
    ours = f"{first:.0f} and {last:.0f} MB"
    rate = " and ".join(f"{one['rate']:,.0f}/s" for one in found)
    name = f"{minutes:g} minutes, {rate} learned and predicted: memory in both halves"
    row(name, "", ours, "≤ 1.05×", last <= 1.05 * first)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--soak", type=float, default=10.0, metavar="MINUTES")
    options = parser.parse_args()
    print("| dicts of 57 numbers | River, no log | rosenblatt serve | floor | |")
    print("|---|---|---|---|---|")
    rates(options.seconds)
    replay()
    if options.soak:
        soak(options.soak)


if __name__ == "__main__":
    main()
