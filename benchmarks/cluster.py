"""Training in shards on two local worker processes: overhead, speed, accuracy, bytes and memory.

``python benchmarks/cluster.py [COPIES]``: the file is 130 MB of text times COPIES, ten by default.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import files
import numpy as np
from cluster_costs import Job, Rates, costs

from rosenblatt import AveragedPerceptron, OnlineClassifier
from rosenblatt.distributed import evaluate, fit, local_client, rounds_of
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.file_fitting import Plan, fit_files
from rosenblatt.distributed.files import cut_files, read_shard
from rosenblatt.distributed.mixing import Start, learn_shard, mix
from rosenblatt.distributed.stream import StreamWork, ready_stream
from rosenblatt.evaluation.files import evaluate_files
from rosenblatt.prediction.model_files import Online
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.reader import CountingReader
from rosenblatt.stream.rules import Options
from rosenblatt.training.trainer import Trainer

WORKERS = 2
SHARDS = (2, 4, 8, 16, 32, 64)
ROUNDS = 5
BITS = int(files.BITS)


def clock(work):
    """Return what a function returns, and the seconds it took."""
    start = time.perf_counter()
    found = work()
    return found, time.perf_counter() - start


def overhead(client, shards, rounds=10):
    """Return the seconds of a round in which there is next to nothing to do."""
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(5, 4)) for _ in range(shards)]
    y = [np.array([0, 1, 0, 1, 0])] * shards
    times = [
        clock(lambda n=n: fit(AveragedPerceptron(), X, y, client=client, rounds=n))[1]
        for n in (1, 1 + rounds)
    ]
    return (times[1] - times[0]) / rounds


def serial(path, test, passes):
    """Train with one process; return the seconds and the accuracy."""
    reader = CountingReader([path], Reading(dtype="float32", labelled=True), bits=BITS)
    model = OnlineClassifier.with_names(Options("averaged"), reader.names)
    trainer = Trainer(model, reader, passes, shuffle=0 if passes > 1 else None)
    _, seconds = clock(lambda: list(trainer.run()))
    rows = CountingReader([test], Reading(dtype="float32", labelled=True), names=reader.names)
    return seconds, 1 - evaluate_files(Online(model), rows).error


def on_one_core(path, test):
    """Return the seconds of a pass of one process on one core: reading has threads of its own."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        return median(serial(path, test, 1)[0] for _ in range(3))
    finally:
        os.sched_setaffinity(0, allowed)


def in_shards(client, path, test, shards, rounds):
    """Train on workers; return the seconds, the accuracy, and what the rounds came to."""
    model = OnlineClassifier("averaged", bits=BITS, scale=None)
    size = -(-path.stat().st_size // shards)
    _, seconds = clock(lambda: fit(model, path, client=client, rounds=rounds, shard_bytes=size))
    return seconds, evaluate(model, test, client=client).accuracy, model


def seconds_of_rounds(client, path, shards, rounds=4):
    """Return the median seconds of a round after the first."""
    model, ends = OnlineClassifier("averaged", bits=BITS, scale=None), []

    def note(number, ready, done):
        if len(done.passes) == number:
            ends.append(time.perf_counter())

    plan = Plan(rounds, "mistakes", None, False, note)
    size = -(-path.stat().st_size // shards)
    fit_files(Cluster(client), model, [path], Reading(), plan, size)
    return median(np.diff(ends))


def work_alone(path, shards):
    """Read, learn and mix on one worker; return the seconds of each, and what was worked on."""
    model = OnlineClassifier("averaged", bits=BITS, scale=None)
    size, reading = -(-path.stat().st_size // shards), Reading(dtype="float32", labelled=True)
    cut = cut_files([path], reading, BITS, size)
    read, reading_took = clock(lambda: read_shard(cut.shards[0], cut.reading, cut.names))
    classes = np.unique(read.labels)
    fitted = OnlineClassifier.with_names(model._options, cut.names, classes.tolist())
    work = StreamWork(fitted._options, len(classes), False, ("",))
    start, shard = Start(fitted._state), ready_stream(read, None, classes, None)
    learned = [learn_shard(work, "mistakes", shard, start, [0, 0, k], False) for k in range(2)]
    _, learning = clock(lambda: learn_shard(work, "mistakes", shard, start, [0, 0, 2], False))
    _, mixing = clock(lambda: mix(work.learner, start, *learned))
    return {
        "seconds": (reading_took, learning, mixing),
        "bytes": cut.shards[0].stop,
        "examples": len(read.labels),
        "entries": len(read.rows.indices),
        "changed": learned[0].passes[0].sent,
    }


def transfer(client, size=1 << 26):
    """Return the bytes a second from one worker to another."""
    one, other = list(client.scheduler_info()["workers"])[:2]
    made = client.submit(np.ones, size // 8, workers=[one], pure=False)
    made.result()
    return size / clock(client.submit(len, made, workers=[other], pure=False).result)[1]


def rates_and_job(client, path, overheads):
    """Measure what the model of costs needs."""
    found = client.submit(work_alone, path, 8, pure=False).result()
    found = client.submit(work_alone, path, 8, pure=False).result()  # once all is compiled
    reading, learning, mixing = found["seconds"]
    each, fixed = np.polyfit(list(overheads), list(overheads.values()), 1)
    rates = Rates(
        found["bytes"] / reading,
        found["entries"] / learning,
        2 * found["changed"] / mixing,
        transfer(client),
        max(fixed, 0.0),
        each,
    )
    rows = found["examples"]
    examples = rows * path.stat().st_size / found["bytes"]
    entries = found["entries"] / rows
    return rates, Job(examples, found["bytes"] / rows, entries, 1 << BITS, 12, found["changed"])


def peak():
    """Return the most memory that this process had, in MB."""
    with Path("/proc/self/status").open() as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def forget_peak():
    """Let the peak begin anew: that of a child begins with that of who started it."""
    Path("/proc/self/clear_refs").write_text("5")


def memory(client, path, test, shards):
    """Return by how much a worker's memory grows at most, in MB, and what its rows take."""
    client.run(forget_peak)
    before = client.run(peak)
    _, _, model = in_shards(client, path, test, shards, 2)
    grown = max(after - before[k] for k, after in client.run(peak).items() if k in before)
    entries = sum(line.count(b" ") for line in path.open("rb")) - 2 * model.t_ / 2
    return grown, (8 * entries + 12 * model.t_ / 2) / 1e6 / WORKERS


def main():
    files.COPIES = int(sys.argv[1]) if len(sys.argv) > 1 else files.COPIES
    place = files.folder()
    path, test = place / "large.vw", place / "test.vw"
    size = path.stat().st_size
    print(f"{size / 1e9:.2f} GB of text, {WORKERS} workers, {os.cpu_count()} cores")
    with local_client(WORKERS) as client:
        overheads = {shards: overhead(client, shards) for shards in SHARDS}
        for shards, seconds in overheads.items():
            print(f"overhead of a round with {shards:2} shards: {seconds:.3f} s")
        serial(place / "tiny.vw", test, 1)  # compiled code is loaded
        in_shards(client, place / "tiny.vw", test, 2, 1)
        one = median(serial(path, test, 1)[0] for _ in range(3))
        print(f"one process, one pass: {one:.2f} s; on one core {on_one_core(path, test):.2f} s")
        for shards in SHARDS:
            once = median(in_shards(client, path, test, shards, 1)[0] for _ in range(3))
            print(f"{shards:2} shards, read and one round: {once:.2f} s ({one / once:.2f} times)")
        rates, job = rates_and_job(client, path, overheads)
        print(rates, job, sep="\n")
        for shards in SHARDS:
            model, seen = (
                costs(job, rates, WORKERS, shards),
                seconds_of_rounds(client, path, shards),
            )
            print(
                f"{shards:2} shards, a later round: {seen:.3f} s; by the model {model.round:.3f} s"
            )
        five, accuracy = serial(path, test, ROUNDS)
        print(f"one process, {ROUNDS} passes: {five:.2f} s, accuracy {accuracy:.4f}")
        for shards in (2, 8, 64):
            seconds, found, model = in_shards(client, path, test, shards, ROUNDS)
            sent = [sum(each.sent for each in passes) for passes in rounds_of(model).passes]
            told = ", ".join(f"{n / 1e6:.1f}" for n in sent)
            print(f"{shards:2} shards, {ROUNDS} rounds: {seconds:.2f} s, accuracy {found:.4f}")
            print(f"   MB sent in each round: {told}")
        for shards in (2, 16):
            grown, rows = memory(client, path, test, shards)
            print(f"{shards:2} shards: a worker grows by {grown:.0f} MB, for {rows:.0f} MB of rows")


if __name__ == "__main__":
    tempfile.tempdir = os.environ.get("TMPDIR")
    main()
