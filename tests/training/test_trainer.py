"""Passes over files, caches, validation and checkpoints."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from itertools import islice

import numpy as np
import pytest

from rosenblatt.data.rows import Sparse
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.readers import chunks
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.reader import Reader
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.regressor import OnlineRegressor
from rosenblatt.stream.rules import Options
from rosenblatt.training import checkpoints
from rosenblatt.training.cache import Cache
from rosenblatt.training.shuffling import Batch
from rosenblatt.training.trainer import Trainer
from tests.conftest import every_quick, first_quick
from tests.stream.test_classifier import same, stream_of, trained, write_vw
from tests.stream.test_regressor import same as same_regression


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "f.vw"
    write_vw(path, list(stream_of(1200, 3, kept=0.9)))
    return path


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunks.BufferPool.__init__, "__defaults__", (1 << 12,))


def trainer_of(path, passes=3, learner="averaged", bits=None, **options):
    reader = Reader([path], Reading(), bits=bits)
    model = OnlineClassifier.with_names(Options(learner), reader.names)
    return Trainer(model, reader, passes, **options)


@pytest.mark.parametrize("learner", every_quick(trainable(ONLINE), 4))
def test_chunks_and_caches_change_nothing(file, learner, monkeypatch):
    whole = trained(file, 3, learner=learner)
    monkeypatch.setattr(chunks.BufferPool.__init__, "__defaults__", (1 << 12,))
    for cache in (True, False):
        trainer = trainer_of(file, 3, learner, cache=cache)
        assert len(list(trainer.run())) > 20
        same(trainer.result(), whole)


@pytest.mark.parametrize("learner", trainable(ONLINE))
@pytest.mark.parametrize("bits", first_quick([None, 12], 1))
def test_resumed_after_any_block(file, tmp_path, small_chunks, learner, bits):
    whole = trainer_of(file, learner=learner, bits=bits)
    steps = len(list(whole.run()))
    for stop in (1, 2, steps // 3, steps // 2, steps - 1):
        first = trainer_of(file, learner=learner, bits=bits)
        run = first.run()
        list(islice(run, stop))
        checkpoints.write(tmp_path / "c", first, {"file": "f"})
        run.close()
        second = trainer_of(file, learner=learner, bits=bits)
        checkpoints.resume(tmp_path / "c", second, {"file": "f"})
        assert len(list(second.run())) <= steps
        same(second.result(), whole.result())
        assert second.progress == whole.progress


def test_a_checkpoint_is_for_its_own_run(file, tmp_path):
    trainer = trainer_of(file)
    list(trainer.run())
    checkpoints.write(tmp_path / "c", trainer, {"passes": 3})
    with pytest.raises(ValueError, match="another run: passes was 3 and is now 4; the same"):
        checkpoints.resume(tmp_path / "c", trainer_of(file), {"passes": 4})
    shorter = tmp_path / "g.vw"
    shorter.write_text(file.read_text()[:2000])
    first = trainer_of(file)
    run = first.run()
    next(run)
    checkpoints.write(tmp_path / "c", first, {})
    again = trainer_of(shorter)
    checkpoints.resume(tmp_path / "c", again, {})
    with pytest.raises(ValueError, match="not the ones it was made from"):
        list(again.run())
    (tmp_path / "c").write_bytes(b"nonsense")
    with pytest.raises(ModelFileError):
        checkpoints.resume(tmp_path / "c", trainer_of(file), {})


@pytest.mark.parametrize("last", [20, 10])  # of equal ones the first is kept
def test_the_best_pass_is_kept(file, last):
    counts = iter([30, 10, last])
    seen = []

    def validate(model):
        seen.append(model.coef_)
        return next(counts)

    trainer = trainer_of(file, validate=validate)
    list(trainer.run())
    assert trainer.progress.validation == [30, 10, last]
    np.testing.assert_array_equal(trainer.result().coef_, seen[1])
    assert not np.array_equal(seen[1], seen[2])


def test_a_clean_pass_is_the_last(tmp_path):
    path = tmp_path / "f.svm"
    path.write_text("1 1:1\n-1 1:-1\n" * 50)
    trainer = trainer_of(path, passes=9)
    list(trainer.run())
    assert trainer.progress.history == [2, 0]  # the first example has no rival yet


def test_rows_without_label_are_left_out(tmp_path):
    path = tmp_path / "f.vw"
    path.write_text("1 | a\n| b\n-1 | c\n| d\n1 | a\n")
    trainer = trainer_of(path, 2)
    list(trainer.run())
    assert trainer.progress.size == 3


def test_rows_without_label_may_name_features(tmp_path):
    path = tmp_path / "f.vw"
    names = "".join(f"| n{k} m{k}\n" for k in range(5000))
    path.write_text("1 | a\n-1 | c\n" * 20 + names)
    trainer = trainer_of(path, 1)
    list(trainer.run())
    model = trainer.result()
    assert model.coef_.shape == (1, model.n_features_)
    again = OnlineClassifier.from_parts(*model.to_parts())
    assert again.predict_one({"n4999": 1.0, "m4999": 2.0}) == model.predict_one({"n4999": 1.0})


@pytest.mark.parametrize("learner", trainable(ONLINE))
def test_resumed_arrays(tmp_path, learner):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((9000, 30)).astype(np.float32)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", (X @ rng.standard_normal(30) > 0).astype(int))

    def fresh():
        reader = Reader([tmp_path / "x.npy"], Reading(labels=str(tmp_path / "y.npy")))
        return Trainer(OnlineClassifier.with_names(Options(learner), reader.names), reader, 2)

    whole = fresh()
    list(whole.run())
    first = fresh()
    run = first.run()
    next(run)
    checkpoints.write(tmp_path / "c", first, {})
    run.close()
    second = fresh()
    checkpoints.resume(tmp_path / "c", second, {})
    list(second.run())
    same(second.result(), whole.result())


def test_labels_must_be_of_one_kind(tmp_path):
    path = tmp_path / "f.vw"
    path.write_text("1 | a\nspam | b\n")
    with pytest.raises(
        DataError, match=r"f\.vw:2: labels are either all numbers or all names.*spam"
    ):
        list(trainer_of(path).run())
    path.write_text("0.5 | a\n1 | b\n")
    with pytest.raises(DataError, match=r"f\.vw:1: a class must be a whole number.*0\.5"):
        list(trainer_of(path).run())


def test_cache_gives_back_what_was_put(small_chunks):
    rng = np.random.default_rng(0)
    cache, batches = Cache("float32"), []
    for _ in range(40):
        sizes = rng.integers(0, 5000, rng.integers(1, 20))
        indptr = np.r_[3, 3 + np.cumsum(sizes)].astype(np.int32)  # a view of larger arrays
        n = int(indptr[-1])
        rows = Sparse(indptr, rng.integers(0, 9, n).astype(np.int32), rng.random(n, np.float32))
        weights = rng.random(len(sizes)) if rng.random() < 0.3 else None
        labels = rng.choice(np.array(["a", "b"], object), len(sizes))
        batches.append((rows, labels, weights))
        cache.put(Batch(rows, labels, weights))
    cache.flush()
    assert len(cache.places) > 2
    for _ in range(2):
        found = [
            (*(part.copy() for part in batch.rows), batch.labels.copy(), batch.weights)
            for batch in cache
        ]
        labels = np.concatenate([batch[3] for batch in found])
        assert labels.tolist() == np.concatenate([labels for _, labels, _ in batches]).tolist()
        values = np.concatenate([batch[2] for batch in found])
        expected = [rows[2][rows[0][0] :] for rows, _, _ in batches]
        np.testing.assert_array_equal(values, np.concatenate(expected))
    cache.close()


KILLED = """
import sys
from pathlib import Path
from rosenblatt.readers import chunks
from rosenblatt.readers.reader import Reader
from rosenblatt.readers.command_options import Reading
from rosenblatt.training import checkpoints
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.rules import Options
from rosenblatt.training.trainer import Trainer

chunks.BufferPool.__init__.__defaults__ = (1 << 12,)
path, checkpoint, resume = sys.argv[1:]
reader = Reader([path], Reading())
trainer = Trainer(OnlineClassifier.with_names(Options(), reader.names), reader, 400)
if resume == "yes":
    checkpoints.resume(checkpoint, trainer, {})
print("ready", flush=True)
for step in trainer.run():
    checkpoints.write(checkpoint, trainer, {})
    print(step.number, flush=True)
print("done", flush=True)
"""


@pytest.mark.slow
def test_killed_at_any_moment(file, tmp_path):
    """``kill -9`` while it writes checkpoints all the time: the last one loads, always."""
    script, checkpoint = tmp_path / "run.py", tmp_path / "c"
    script.write_text(textwrap.dedent(KILLED))
    rng = random.Random(0)
    kills, resume, done = int(os.environ.get("ROSENBLATT_KILLS", 4)), "no", False
    left: list[int] = []
    while not done:
        command = [sys.executable, str(script), str(file), str(checkpoint), resume]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            if kills:
                time.sleep(rng.random() * 0.3)
                process.send_signal(signal.SIGKILL)
                kills -= 1
            done = process.stdout.read().endswith("done\n")
        resume = "yes" if checkpoint.exists() else "no"
        left.append(len(list(tmp_path.glob(".c.*"))))
    assert max(left) <= 2  # a temporary file and a second name, which the next process removes
    assert left[-1] == 0
    final = trainer_of(file)
    checkpoints.resume(checkpoint, final, {})
    whole = trainer_of(file, 400)
    list(whole.run())
    same(final.model, whole.result())


@pytest.mark.parametrize("rate", ["adaptive", "inverse_sqrt"])
def test_a_regression_is_resumed_after_any_block(tmp_path, small_chunks, rate):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 3))
    lines = [f"{100 * a + b} |n a:{a} b:{b} c:{c}\n" for a, b, c in rows.round(4).tolist()]
    (tmp_path / "r.vw").write_text("".join(lines))
    options = Options("regression", learning_rate=rate, scale="standard")

    def trainer_to_predict():
        reader = Reader([tmp_path / "r.vw"], Reading())
        model = OnlineRegressor.with_names(options, reader.names)
        return Trainer(model, reader, 3, shuffle=0)

    whole = trainer_to_predict()
    steps = len(list(whole.run()))
    for stop in (1, steps // 2, steps - 1):
        first = trainer_to_predict()
        run = first.run()
        list(islice(run, stop))
        checkpoints.write(tmp_path / "c", first, {"file": "f"})
        run.close()
        second = trainer_to_predict()
        checkpoints.resume(tmp_path / "c", second, {"file": "f"})
        list(second.run())
        same_regression(second.result(), whole.result())
        assert second.progress == whole.progress
