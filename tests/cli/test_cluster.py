"""``train --workers`` and ``--cluster``: the same model on any number of processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rosenblatt import load


def test_a_model_is_trained_tested_saved_and_used(ros, folder, at_once):
    options = ["--workers", 2, "--shards", 6, "--rounds", 4, "-o", "m.model"]
    found = ros("train", "train.csv", *options, "--test", "test.csv")
    assert "logistic, 4 passes" in found.out
    assert "% wrong" in found.out
    assert found.err.splitlines()[0].split()[:3] == ["pass", "examples", "mistakes"]
    assert len(found.err.splitlines()) == 5
    assert ros("evaluate", "m.model", "test.csv", "--json").json["accuracy"] > 0.8
    assert ros("inspect", "m.model").out
    assert len(ros("predict", "m.model", "test.csv").out.splitlines()) > 100


@pytest.mark.parametrize("learner", ["averaged", "perceptron", "passive-aggressive", "arow", "svm"])
def test_learners(ros, folder, at_once, learner):
    given = ("train.svm", "--workers", 2, "--learner", learner, "--test", "test.svm", "--json")
    found = ros("train", *given).json
    assert found["test"]["accuracy"] > 0.8
    assert found["learner"] == learner
    assert 1 <= found["passes"] <= 10


def test_the_result_does_not_depend_on_the_workers(ros, folder, at_once):
    for name, cluster in (("a", ["--workers", 1]), ("b", ["--cluster", "tcp://there:8786"])):
        ros("train", "train.vw", *cluster, "--shards", 5, "-o", f"{name}.model", "--quiet")
    assert Path("a.model").read_bytes() == Path("b.model").read_bytes()


def test_a_checkpoint_is_continued_and_deleted(ros, folder, at_once):
    given = ["train.csv", "--workers", 2, "--shards", 4, "-o", "m.model", "--quiet"]
    ros("train", *given, "--rounds", 4)
    wanted = load("m.model").coef_.tobytes()
    kept = ["--checkpoint", "rounds"]
    from rosenblatt.training import cluster

    seen = []

    def stop(self, number, shards, done):
        seen.append(number)
        if len(done.passes) == 2:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster._Report, "__call__", stop)
        assert ros("train", *given, "--rounds", 4, *kept, code=130).err.endswith("interrupted\n")
    assert Path("rounds").exists()
    said = ros("train", *given, "--rounds", 4, *kept, code=1).err
    assert "checkpoint of an earlier fit: continue from it with --resume" in said
    ros("train", *given, "--rounds", 4, *kept, "--resume")
    assert load("m.model").coef_.tobytes() == wanted
    assert not Path("rounds").exists()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--workers", 0], "--workers 0 must be 1 or more"),
        (["--rounds", 3], "--rounds needs --workers or --cluster"),
        (["--shards", 3], "--shards needs --workers or --cluster"),
        (["--workers", 2, "--cluster", "tcp://x:1"], "choose one"),
        (
            ["--workers", 2, "--passes", 3],
            "--passes is for training with one process; say --rounds",
        ),
        (["--workers", 2, "--validation", "test.csv"], "--validation is for training with one"),
        (["--workers", 2, "--learner", "regression"], "not for regression, which"),
        (["--workers", 2, "--learner", "centroid", "--rounds", 3], "sums in one round"),
        (["--workers", 2, "--learner", "batch", "--rounds", 3], "each pass (--passes)"),
        (["--workers", 2, "--learner", "batch", "--checkpoint", "c"], "is not for batch"),
        (["--workers", 2, "--rounds", 0], "--rounds 0 must be 1 or more"),
    ],
)
def test_options_that_do_not_go_together(ros, folder, options, problem):
    assert problem in ros("train", "train.csv", *options, code=2).err


def test_learners_that_do_not_distribute_are_one_line(ros, folder, at_once):
    said = ros("train", "train.csv", "--workers", 2, "--learner", "voted", code=1).err
    assert "the voted perceptron does not distribute" in said
    assert len(said.splitlines()) == 1


def test_an_address_where_nothing_is(ros, folder, monkeypatch):
    monkeypatch.setattr("rosenblatt.distributed.local.PATIENCE", "1s")
    said = ros("train", "train.csv", "--cluster", "tcp://127.0.0.1:9", code=1).err
    assert said.startswith("rosenblatt: there is no Dask scheduler at tcp://127.0.0.1:9: check the")
    assert len(said.splitlines()) == 1
    assert ros("train", "train.csv", "--cluster", "nowhere", code=1).err.count("\n") == 1


@pytest.mark.slow
def test_real_workers_make_the_same_model(folder, shell):
    for workers, name in ((2, "two"), (1, "one")):
        given = f"train.csv --shards 6 --rounds 3 --quiet --workers {workers} -o {name}.model"
        found = shell(f"rosenblatt train {given}")
        assert (found.code, found.err) == (0, "")
    assert Path("one.model").read_bytes() == Path("two.model").read_bytes()


@pytest.mark.slow
def test_ctrl_c_ends_everything(folder):
    command = [sys.executable, "-m", "rosenblatt", "train", "train.csv", "--workers", "2"]
    command += ["--shards", "16", "--rounds", "100000"]
    for whole_group in (True, False):
        run = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        while not (line := run.stderr.readline()).startswith("   2 "):
            assert line
        (os.killpg if whole_group else os.kill)(run.pid, signal.SIGINT)
        _, said = run.communicate(timeout=60)
        assert run.returncode == 130
        assert said.splitlines()[-1] == "rosenblatt: interrupted"
        assert "Traceback" not in said
        assert is_gone(run.pid)


def is_gone(group):
    """Wait until no process of a group is left: the system takes a moment for the last one."""
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
