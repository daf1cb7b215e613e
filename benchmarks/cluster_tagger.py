"""A tagger in ten shards on CoNLL-2000 chunking: F1 beside one process, and what a round costs.

``python benchmarks/cluster_tagger.py``. Costs are CPU seconds of the two worker processes and of
this one: on a machine with other work they mean more than the seconds that pass.
"""

import tempfile
import time
from pathlib import Path

from rosenblatt import SequenceTagger, datasets
from rosenblatt.distributed import evaluate, fit, local_client, rounds_of

WORKERS, SHARDS = 2, 10
PASSES, ROUNDS = 10, (10, 20)


def write(path, X, y):
    """Write sentences as a CoNLL file."""
    text = [
        "".join(f"{word} {pos} {tag}\n" for (word, pos), tag in zip(x, tags, strict=True))
        for x, tags in zip(X, y, strict=True)
    ]
    path.write_text("\n".join(text))
    return path


class Clock:
    """Adds up the CPU seconds of this process and of the workers."""

    def __init__(self, client):
        self.client = client
        self.before = self.now()

    def now(self):
        return time.process_time() + sum(self.client.run(time.process_time).values())

    def lap(self):
        before, self.before = self.before, self.now()
        return self.before - before


def serial(train, test):
    """Make passes with one process; return F1, and the CPU seconds of all and of a pass."""
    ends = []
    began = time.process_time()
    model = SequenceTagger(max_iter=PASSES).fit(
        *train, callback=lambda now: now.sequences == now.of and ends.append(time.process_time())
    )
    whole = time.process_time() - began
    return model.score(*test), whole, (ends[-1] - ends[0]) / (PASSES - 1)


def in_shards(client, path, test, rounds):
    """Make rounds on the workers; return F1, the CPU seconds, and what the rounds came to."""
    clock = Clock(client)
    size = -(-path.stat().st_size // SHARDS)
    model = fit(SequenceTagger(), path, client=client, rounds=rounds, shard_bytes=size)
    spent = clock.lap()
    return evaluate(model, test, client=client).f1, spent, rounds_of(model)


def main():
    data = datasets.load("conll2000")
    train, test = (list(data.X), list(data.y)), (list(data.X_test), list(data.y_test))
    with tempfile.TemporaryDirectory() as folder, local_client(WORKERS) as client:
        path, held = (
            write(Path(folder, "train.txt"), *train),
            write(Path(folder, "test.txt"), *test),
        )
        SequenceTagger(max_iter=1).fit(train[0][:100], train[1][:100])  # compiled code is loaded
        in_shards(client, path, held, 1)
        f1, whole, one = serial(train, test)
        print(f"one process, {PASSES} passes: F1 {100 * f1:.2f}, {whole:.1f} s; a pass {one:.2f} s")
        spent = {}
        for rounds in ROUNDS:
            found, spent[rounds], done = in_shards(client, path, held, rounds)
            sent = [sum(each.sent for each in passes) / 1e6 for passes in done.passes]
            print(
                f"{SHARDS} shards, {rounds} rounds: F1 {100 * found:.2f} "
                f"({100 * (found - f1):+.2f}), {spent[rounds]:.1f} s; MB sent in the first round "
                f"{sent[0]:.1f}, in the last {sent[-1]:.1f}"
            )
        each = (spent[ROUNDS[1]] - spent[ROUNDS[0]]) / (ROUNDS[1] - ROUNDS[0])
        print(f"a round of {SHARDS} shards: {each:.2f} s, of which {one:.2f} s are the pass itself")


if __name__ == "__main__":
    main()
