"""Resume from mutated checkpoints: each is refused with a word, or training goes on to its end.

    python -m tests.training.mutated_checkpoints COUNT SEED

It runs by itself, so that a crash in compiled code is noticed and ends nothing else. It prints how
many checkpoints were refused, and what became of the others.
"""

import json
import os
import sys
import tempfile
import warnings
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np

from rosenblatt import load, save
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.persist import container
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.reader import Reader
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.rules import Options
from rosenblatt.training import checkpoints
from rosenblatt.training.trainer import Trainer
from tests.models.mutated_files import (
    BYTES,
    change_arrays,
    change_table,
    change_values,
    front_of,
    strange,
    walk,
)
from tests.stream.test_classifier import stream_of, write_vw

RUN = {"files": ["f"], "passes": 3}
MOST_SAVED = 1 << 20  # features: of more, files would be large, and say nothing else


def kinds():
    """Yield how to make trainers of all kinds."""
    for learner in trainable(ONLINE):
        for classes, bits, validated in ((2, None, False), (3, 6, True)):
            yield learner, classes, bits, validated


def trainer_of(folder, learner, classes, bits, validated):
    reader = Reader([folder / f"{classes}.vw"], Reading(), bits=bits, digest=True)
    model = OnlineClassifier.with_names(Options(learner), reader.names)
    counts = iter([9, 7, 8, *range(100)])
    validate = (lambda model: next(counts)) if validated else None
    return Trainer(model, reader, 3, validate=validate)


def made(folder, path, kind, blocks):
    """Write a checkpoint after so many blocks, and return its bytes."""
    trainer = trainer_of(folder, *kind)
    run = trainer.run()
    list(islice(run, blocks))
    checkpoints.write(path, trainer, RUN)
    run.close()
    return path.read_bytes()


def change_header(rng, header, arrays):
    names = ("kind", "run", "progress", "read", "model", "best")
    parts = {name: header[name] for name in names}
    for _ in range(rng.integers(1, 3)):
        places = list(walk(parts))
        where, key = places[rng.integers(len(places))]
        choice = rng.random()
        if choice < 0.1:
            where.pop(key)
        elif choice < 0.4 and isinstance(where[key], int | float):
            where[key] += [1, -1, 10**6, -(10**6)][rng.integers(4)]
        else:
            where[key] = strange(rng, parts)
    for name in names:
        header.pop(name, None)
    header.update(parts)


CONTENT = [change_header, change_header, change_values, change_arrays]


def mutate(rng, path, raw, others):
    """Write a mutated checkpoint; return its bytes if its checksums are wrong now."""
    if rng.random() < 0.3:
        changed = bytearray(raw)
        BYTES[rng.integers(len(BYTES))](rng, changed, others)
        path.write_bytes(changed)
        return changed
    path.write_bytes(raw)
    if rng.random() < 0.1:
        change_table(rng, path)
        return None
    header, arrays = container.read(path)
    CONTENT[rng.integers(len(CONTENT))](rng, header, arrays)
    container.write(path, header, arrays)
    return None


def attempt(path, trainer, tally):
    """Go on from a checkpoint. What is wrong with it is an error of the kind that is told."""
    where = "whole"
    try:
        checkpoints.Place(path).check()
        where = "resumed"
        checkpoints.resume(path, trainer, RUN)
        where = "ended"
        list(trainer.run())
        where = "saved"
        model = trainer.result()
        if model.n_features_ < MOST_SAVED:
            save(model, path)
            load(path)
    except (ValueError, OSError, MemoryError) as error:
        text = str(error)
        assert "\n" not in text, text
        assert len(text) < 1000, text
        tally[f"not {where}"] += 1
        return where == "whole"
    tally["went on"] += 1
    return False


def main(count, seed):
    os.fsync = lambda descriptor: None  # nobody will pull the plug
    warnings.simplefilter("ignore")
    rng, tally = np.random.default_rng(seed), Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "c"
        for classes in (2, 3):
            write_vw(folder / f"{classes}.vw", list(stream_of(40, classes)))
        whole = [(kind, made(folder, path, kind, blocks)) for kind in kinds() for blocks in (1, 2)]
        others = [raw for _, raw in whole]
        for number in range(count):
            kind, raw = whole[rng.integers(len(whole))]
            damaged = mutate(rng, path, raw, others)
            refused = attempt(path, trainer_of(folder, *kind), tally)
            assert damaged is None or refused or means_the_same(damaged, others), number
    print(json.dumps(tally))


def means_the_same(raw, others):
    """Say whether bytes differ from a checkpoint's in how they say the same only."""
    return any(front_of(raw) == front_of(known) for known in others)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
