"""Checkpoints: a fit continues after any round to the same bits, and only the same fit does."""

import threading

import numpy as np
import pytest

from rosenblatt import (
    AROW,
    AveragedPerceptron,
    NaiveBayes,
    OnlineClassifier,
    Perceptron,
    load,
    save,
)
from rosenblatt.distributed import fit, rounds_of
from rosenblatt.persist.errors import ModelFileError
from tests.distributed.eager import Eager
from tests.distributed.test_files import write
from tests.distributed.test_mixing import whole_numbers


@pytest.mark.parametrize("kind", [Perceptron, AveragedPerceptron, AROW])
@pytest.mark.parametrize("random_state", [0, None])
def test_continuing_gives_the_same_bits(kind, random_state, tmp_path):
    X, y = whole_numbers(1, 5, rows=30)
    path = tmp_path / "rounds"
    first = fit(kind(random_state=random_state), X, y, client=Eager(), rounds=6, checkpoint=path)
    wanted = first.coef_.tobytes(), first.mistakes_.tolist(), first.t_
    again = fit(
        kind(random_state=random_state),
        X,
        y,
        client=Eager(),
        rounds=6,
        checkpoint=path,
        resume=True,
    )
    assert (again.coef_.tobytes(), again.mistakes_.tolist(), again.t_) == wanted
    if random_state is not None:
        path.unlink()
        for rounds in (2, 3, 6):
            model = kind(random_state=random_state)
            fit(model, X, y, client=Eager(), rounds=rounds, checkpoint=path, resume=True)
        assert (model.coef_.tobytes(), model.mistakes_.tolist(), model.t_) == wanted
        assert rounds_of(model).passes == rounds_of(first).passes


def test_one_shard_for_each_thread_unless_a_fit_is_resumed(tmp_path):
    rows, path = write(tmp_path, "csv"), tmp_path / "rounds"
    first, fewer, more = Eager(), Eager(), Eager()
    first.threads, fewer.threads = 5, 3
    wanted = fit(OnlineClassifier(), rows, client=first, rounds=4)
    assert len(rounds_of(wanted).passes[0]) == 5
    assert len(rounds_of(fit(OnlineClassifier(), rows, client=fewer)).passes[0]) == 3
    fit(OnlineClassifier(), rows, client=first, rounds=2, checkpoint=path)
    model = OnlineClassifier()
    fit(model, rows, client=more, rounds=4, checkpoint=path, resume=True)
    assert model.coef_.tobytes() == wanted.coef_.tobytes()


def test_files_that_are_read_in_another_way(tmp_path):
    rows, path = write(tmp_path, "csv"), tmp_path / "rounds"
    given = {"client": Eager(), "rounds": 2, "checkpoint": path, "shard_bytes": 1000}
    fit(OnlineClassifier(bits=10), rows, **given)
    with pytest.raises(ValueError, match="of another fit: reading was"):
        fit(OnlineClassifier(bits=10), rows, **given, resume=True, ngrams=2)
    cluster = Eager()
    with pytest.raises(ValueError, match="is the checkpoint of an earlier fit"):
        fit(OnlineClassifier(bits=10), rows, **given | {"client": cluster})
    assert cluster.done == []  # nothing was read before


def test_files_continue_too(tmp_path):
    rows, path = write(tmp_path, "csv"), tmp_path / "rounds"
    wanted = fit(OnlineClassifier(), rows, client=Eager(), rounds=4, shard_bytes=1000)
    for rounds in (1, 4):
        model = OnlineClassifier()
        fit(
            model, rows, client=Eager(), rounds=rounds, shard_bytes=1000,
            checkpoint=path, resume=True,
        )  # fmt: skip
    assert model.coef_.tobytes() == wanted.coef_.tobytes()
    rows.write_text(rows.read_text())
    with pytest.raises(ValueError, match="checkpoint of another fit: shards was"):
        fit(
            OnlineClassifier(), rows, client=Eager(), shard_bytes=1000, checkpoint=path, resume=True
        )


@pytest.mark.parametrize(
    ("model", "shards", "options", "problem"),
    [
        (AveragedPerceptron(), 3, {}, "estimator was 'Perceptron' and is now 'AveragedPerceptron'"),
        (Perceptron(eta0=2.0), 3, {}, r"eta0 was 1\.0 and is now 2\.0"),
        (Perceptron(), 4, {}, "shards was 3 and is now 4"),
        (Perceptron(), 3, {"mixing": "uniform"}, "mixing was 'mistakes' and is now 'uniform'"),
        (Perceptron(), 3, {"resume": False}, "continue from it with resume=True, or delete it"),
    ],
)
def test_another_fit_is_refused(model, shards, options, problem, tmp_path):
    path = tmp_path / "rounds"
    fit(Perceptron(), *whole_numbers(1, 3), client=Eager(), rounds=2, checkpoint=path)
    before = path.read_bytes()
    options = {"resume": True, **options}
    with pytest.raises(ValueError, match=problem) as found:
        fit(model, *whole_numbers(1, shards), client=Eager(), checkpoint=path, **options)
    assert "\n" not in str(found.value)
    assert path.read_bytes() == before


def test_what_is_not_a_checkpoint_stays(tmp_path):
    path, (X, y) = tmp_path / "file", whole_numbers(1, 3)
    save(Perceptron().fit(X[0], y[0]), path)
    with pytest.raises(ValueError, match="is not a checkpoint of a fit on a cluster"):
        fit(Perceptron(), X, y, client=Eager(), checkpoint=path, resume=True)
    path.write_bytes(b"something else")
    with pytest.raises(ModelFileError):
        fit(Perceptron(), X, y, client=Eager(), checkpoint=path, resume=True)
    with pytest.raises(ValueError, match="NaiveBayes makes none"):
        fit(NaiveBayes(), X, y, client=Eager(), checkpoint=tmp_path / "other")


def test_a_checkpoint_is_not_a_model(tmp_path):
    path = tmp_path / "rounds"
    fit(Perceptron(), *whole_numbers(1, 3), client=Eager(), rounds=2, checkpoint=path)
    with pytest.raises(ModelFileError, match="checkpoint of unfinished training"):
        load(path)


def test_two_fits_at_once(inside):
    wanted = [
        fit(kind(), *whole_numbers(2, 6, rows=40), client=Eager(), rounds=5).coef_.tobytes()
        for kind in (Perceptron, AveragedPerceptron)
    ]
    found = {}

    def run(kind):
        model = fit(kind(), *whole_numbers(2, 6, rows=40), client=inside, rounds=5)
        found[kind] = model.coef_.tobytes()

    threads = [
        threading.Thread(target=run, args=(kind,)) for kind in (Perceptron, AveragedPerceptron)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[Perceptron], found[AveragedPerceptron]] == wanted


def test_nothing_is_left_on_the_cluster(inside):
    X, y = whole_numbers(3, 4)
    fit(Perceptron(), X, y, client=inside, rounds=3)
    with pytest.raises(ValueError, match="NaN"):
        fit(Perceptron(), [X[0], np.full((8, 4), np.nan)], y[:2], client=inside)

    def held(dask_scheduler):
        return [key for key in dask_scheduler.tasks if str(key).startswith("rosenblatt_")]

    for _ in range(100):
        if not inside.run_on_scheduler(held):
            break
    assert inside.run_on_scheduler(held) == []
