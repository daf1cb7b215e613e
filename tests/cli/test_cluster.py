"""``train --workers`` and ``--cluster``: the same model on any number of processes."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from rosenblatt import load, save
from rosenblatt.models.saving import load_with_extra


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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.training.cluster.Report.__call__", interrupted)
        said = ros("train", *given, "--rounds", 4, *kept, code=130).err
    assert said.startswith("rounds has the state after the last complete round; --resume continues")
    assert Path("rounds").exists()
    said = ros("train", "train.csv", "-o", "m.model", *kept, "--resume", code=2).err
    assert "is that of a fit on a cluster: continue it with --workers or --cluster" in said
    said = ros("train", *given, "--rounds", 4, *kept, code=1).err
    assert "checkpoint of an earlier fit: continue from it with --resume" in said
    ros("train", *given, "--rounds", 4, *kept, "--resume")
    assert load("m.model").coef_.tobytes() == wanted
    assert not Path("rounds").exists()


HARD = ("--templates", "suffix(word, 1)")  # so that no round is without a mistake


@pytest.mark.parametrize("file", ["train.txt", "train.conllu"])
def test_a_tagger_of_one_shard_is_that_of_one_process_to_the_byte(ros, folder, at_once, file):
    """Header and all: how files are read, facts, and the words."""
    ros("tag", "train", file, "-o", "alone.model", "--quiet")
    ros("tag", "train", file, "--workers", 2, "--shards", 1, "-o", "shard.model", "--quiet")
    assert Path("shard.model").read_bytes() == Path("alone.model").read_bytes()


def test_a_tagger_is_trained_saved_and_used(ros, folder, at_once):
    given = ("train.txt", "--workers", 2, "--shards", 5, "--rounds", 4, *HARD)
    found = ros("tag", "train", *given, "-o", "m.model")
    assert "4 passes" in found.out
    assert "scheme iob2" in found.out
    lines = found.err.splitlines()
    assert lines[0].split()[:3] == ["pass", "wrong", "sentences"]
    assert [line.split()[0] for line in lines[1:]] == ["1", "2", "3", "4"]
    ros("tag", "train", "train.txt", *HARD, "-o", "alone.model", "--quiet")
    kept, alone = (load_with_extra(name)[1] for name in ("m.model", "alone.model"))
    assert kept["reading"] == alone["reading"]
    assert kept["summary"].keys() == alone["summary"].keys()
    assert kept["words"]["letters"].tolist() == alone["words"]["letters"].tolist()
    assert ros("tag", "evaluate", "m.model", "test.txt", "--json").json["accuracy"] > 0.5
    assert "word, pos" in ros("tag", "inspect", "m.model").out
    assert ros("tag", "apply", "m.model", "test.txt").out.count("\n") > 100
    save(load("m.model"), "again.model")
    assert Path("again.model").read_bytes() == Path("m.model").read_bytes()
    told = ros("tag", "train", *given, "--json").json
    assert (told["passes"], told["sentences"]) == (4, kept["summary"]["sentences"])


def test_a_tagger_s_columns_and_notes(ros, folder, at_once):
    options = ("--workers", 2, "--columns", "word,-,phrase", "--templates", "word; suffix(word, 2)")
    ros("tag", "train", "train.txt", *options, "-o", "m.model", "--quiet")
    kept = load_with_extra("m.model")[1]["reading"]
    assert kept == {
        "format": "columns",
        "names": ["word", "-", "phrase"],
        "inputs": ["word"],
        "tag": "phrase",
    }
    told = ros("tag", "train", "train.txt", "--workers", 2, "--tag", "pos", "--rounds", 1).err
    assert "the column tag after the tags is used as input" in told


def test_a_tagger_s_checkpoint_is_continued_and_deleted(ros, folder, at_once):
    given = ["train.txt", *HARD, "--workers", 2, "--shards", 4, "--rounds", 4, "-o", "m.model"]
    ros("tag", "train", *given)
    wanted = Path("m.model").read_bytes()
    kept = ["--checkpoint", "rounds"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.training.cluster.Report.__call__", interrupted)
        ros("tag", "train", *given, *kept, code=130)
    assert Path("rounds").exists()
    assert "with --resume" in ros("tag", "train", *given, *kept, code=1).err
    shown = ros("tag", "train", *given, *kept, "--resume").err.splitlines()
    assert [line.split()[0] for line in shown] == ["pass", "3", "4"]
    assert Path("m.model").read_bytes() == wanted
    assert not Path("rounds").exists()


def interrupted(self, number, shards, done):
    """Interrupt training after two rounds."""
    if len(done.passes) == 2:
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--workers", 0], "--workers 0 must be 1 or more"),
        (["--rounds", 3], "--rounds needs --workers or --cluster"),
        (["--checkpoint", "x"], "--checkpoint needs --workers or --cluster"),
        (["--workers", 2, "--resume"], "--resume needs --checkpoint"),
        (["--workers", 2, "--cluster", "tcp://x:1"], "choose one"),
        (["--workers", 2, "--passes", 3], "--passes is for training with one process"),
        (["--workers", 2, "--dev", "dev.txt"], "evaluate the model with rosenblatt tag evaluate"),
        (["--workers", 2, "-o", "x", "--checkpoint", "x"], "--output and --checkpoint are the"),
        (["--workers", 2, "--checkpoint", "train.txt"], "is one of the input files"),
    ],
)
def test_options_of_a_tagger_that_do_not_go_together(ros, folder, options, problem):
    assert problem in ros("tag", "train", "train.txt", *options, code=2).err


def test_a_tagger_s_files_are_checked(ros, folder, at_once):
    lines = Path("train.txt").read_text().splitlines()
    Path("broken.txt").write_text("\n".join([*lines, "", "alone"]))
    said = ros("tag", "train", "broken.txt", "--workers", 2, code=1).err
    assert f"broken.txt:{len(lines) + 2}: 1 column here" in said
    assert ros("tag", "train", "-", "--workers", 2, code=2).err.count("standard input") == 1
    Path("x").write_text("no checkpoint")
    given = ("train.txt", "--workers", 2, "--checkpoint", "x")
    assert ros("tag", "train", *given, code=1).err.count("\n") == 1
    assert Path("x").read_text() == "no checkpoint"


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
    said = ros("train", "train.csv", "--workers", 2, "--learner", "voted", code=2).err
    assert "are not for voted, whose hypotheses" in said
    assert said.endswith("take --learner averaged, which predicts nearly the same\n")


def test_the_summary_says_what_became_of_columns(ros, folder, at_once):
    lines = ["id,comment,x,label"]
    lines += [f"{k},it is number {k} of {k * k} words,{k % 5},{'ab'[k % 2]}" for k in range(300)]
    Path("rows.csv").write_text("\n".join(lines) + "\n")
    told = ros("train", "rows.csv", "-o", "one.model").out.splitlines()
    found = ros("train", "rows.csv", "--workers", 2, "-o", "two.model").out.splitlines()
    for name in ("columns", "text", "ignored"):
        (line,) = [line for line in told if line.startswith(name)]
        assert line in found


def test_files_are_looked_for_before_workers_start(ros, folder, monkeypatch):
    monkeypatch.setattr("rosenblatt.training.cluster.local_client", pytest.fail)
    for learner in ("logistic", "naive-bayes"):
        said = ros("train", "none.csv", "--workers", 2, "--learner", learner, code=1).err
        assert "there is no file none.csv" in said


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


@pytest.mark.slow
@pytest.mark.parametrize(("processes", "after"), [(2, 0.0), (3, 0.0), (3, 0.3), (4, 0.0), (4, 0.5)])
def test_ctrl_c_while_workers_start(folder, processes, after):
    """A terminal sends it to all processes, of which some have just begun to import."""
    command = [sys.executable, "-m", "rosenblatt", "train", "train.csv", "--workers", "2"]
    run = subprocess.Popen(
        [*command, "--rounds", "100000", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    while len(members(run.pid)) < processes:  # one that keeps track of resources, then workers
        time.sleep(0.005)
    time.sleep(after)
    os.killpg(run.pid, signal.SIGINT)
    said, _ = run.communicate(timeout=120)
    assert (run.returncode, said) == (130, "\nrosenblatt: interrupted\n")
    assert is_gone(run.pid)


def members(group):
    """Return the processes of a group."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if int((place / "stat").read_text().rpartition(")")[2].split()[2]) == group:
                found.append(int(place.name))
    return found


def is_gone(group):
    """Wait until no process of a group is left: the system takes a moment for the last one."""
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
