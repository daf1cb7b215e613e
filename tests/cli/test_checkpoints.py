"""``train --checkpoint`` and ``--resume``: nothing of somebody else's is lost, nothing is mixed."""

import gzip
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import load
from rosenblatt.persist import container
from rosenblatt.training.progress import Lines


def test_checkpoints_come_and_go(ros, folder):
    args = ("train", "train.svm", "--passes", 5, "--checkpoint", "c", "--checkpoint-every", 1e-9)
    done = ros(*args, "-o", "a.model", "--resume")
    assert "from the beginning" in done.err
    assert not Path("c").exists()
    ros(*args)
    assert Path("c").exists()
    done = ros(*args, "-o", "a.model", "--resume")
    assert "continuing from c: pass 5" in done.err
    ros("train", "train.svm", "--passes", 5, "-o", "b.model", "-q")
    np.testing.assert_array_equal(load("a.model").coef_, load("b.model").coef_)


def test_a_checkpoint_of_another_run_is_refused(ros, folder):
    ros("train", "train.svm", "--checkpoint", "c", "--checkpoint-every", "1e-9")
    again = ("--checkpoint", "c", "--resume")
    assert "passes" in ros("train", "train.svm", "--passes", "7", *again, code=1).err
    assert "files" in ros("train", "valid.svm", *again, code=1).err
    assert ros("train", "train.svm", "--checkpoint", "m.model", "--resume", code=2).err


def write_checkpoint(ros, *args):
    ros("train", *args, "--checkpoint", "c", "--checkpoint-every", "1e-9", "-q")
    return Path("c").read_bytes()


def test_a_checkpoint_of_an_earlier_version_goes_on(ros, folder):
    """One that says nothing of what rows decide: texts in lines of JSON, and the penalty."""
    args = ("train", "train.svm", "--learner", "averaged", "--passes", "3", "--checkpoint", "c")
    ros(*args, "--checkpoint-every", "1e-9", "-q")
    header, arrays = container.read("c")
    del header["progress"]["folds"]
    assert "others" not in header["run"]["reading"]
    own = {key: value for key, value in header.items() if key not in container.RESERVED}
    container.write("c", own, arrays)
    assert "continuing from c: pass" in ros(*args, "--resume").err


def test_what_is_not_a_whole_checkpoint_stays(ros, folder):
    """Neither a file that mentions checkpoints, nor a damaged one is touched."""
    whole = write_checkpoint(ros, "train.svm")
    notes = b"My thesis, Chapter 1: Checkpoints. A Checkpoint is ..."
    for text in (notes, whole[:-1], whole[: len(whole) // 2], whole + b" "):
        Path("c").write_bytes(text)
        for more in ([], ["--resume"]):
            found = ros("train", "train.svm", "-o", "a.model", "--checkpoint", "c", *more, code=2)
            assert "not a complete checkpoint, so it is not overwritten" in found.err
        assert Path("c").read_bytes() == text
    assert not Path("a.model").exists()


def test_what_took_the_place_of_a_checkpoint_stays(ros, folder, monkeypatch):
    """Also if it comes while training runs, it is neither overwritten nor deleted."""
    step, steps = Lines.step, []

    def spoil(self, *args):
        steps.append(args)
        if len(steps) == 2:
            Path("c").write_text("my thesis")
        return step(self, *args)

    monkeypatch.setattr(Lines, "step", spoil)
    every = ("--checkpoint", "c", "--checkpoint-every", 1e-9)
    done = ros("train", "train.svm", "-o", "a.model", *every)
    assert "no checkpoint was written, training continues" in done.err
    assert "the model is saved, but the checkpoint could not be deleted" in done.err
    assert Path("c").read_text() == "my thesis"
    assert load("a.model").t_


def test_a_checkpoint_that_cannot_be_written_is_a_warning(ros, folder, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rosenblatt.training.checkpoints.write", full)
    every = ("--checkpoint", "c", "--checkpoint-every", 1e-9)
    done = ros("train", "train.svm", "-o", "a.model", "-q", *every)
    assert "no checkpoint was written, training continues: no space left on device" in done.err
    ros("train", "train.svm", "-o", "b.model", "-q")
    np.testing.assert_array_equal(load("a.model").coef_, load("b.model").coef_)


def spoiled(content):
    """Change a digit in the middle; the size stays."""
    if content.startswith(b"\x1f\x8b"):
        return gzip.compress(spoiled(gzip.decompress(content)), 0)
    half = len(content) // 2
    if content.startswith(b"\x93NUMPY"):
        return content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :]
    at = content.index(b"0.", half) + 2
    return content[:at] + (b"1" if content[at : at + 1] != b"1" else b"2") + content[at + 1 :]


@pytest.mark.parametrize(
    "name", ["train.svm", "train.csv", "train.jsonl", "packed.svm.gz", "x.npy"]
)
@pytest.mark.parametrize("passes", [1, 3])
def test_a_file_that_changed_is_noticed(ros, folder, name, passes):
    args: tuple = (name, "--passes", passes)
    if name == "x.npy":
        rng = np.random.default_rng(0)
        X = rng.standard_normal((500, 3)).astype(np.float32)
        np.save("x.npy", X)
        np.save("y.npy", (X.sum(axis=1) > 0).astype(int))
        args = (*args, "--labels", "y.npy")
    if name.startswith("packed"):
        Path(name).write_bytes(gzip.compress(Path("train.svm").read_bytes(), 0))
    if name == "train.jsonl":
        args = (*args, "--label", "bought")
    write_checkpoint(ros, *args)
    again = ("--checkpoint", "c", "--resume", "-q")
    ros("train", *args, *again)
    for changed in ("y.npy", name) if name == "x.npy" else (name,):
        before = Path(changed).read_bytes()
        Path(changed).write_bytes(spoiled(before))
        found = ros("train", *args, "-o", "a.model", *again, code=1)
        assert f"{changed}: it has changed since the checkpoint was written" in found.err
        assert not Path("a.model").exists()
        Path(changed).write_bytes(before)
    ros("train", *args, *again)


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_that_changed_is_noticed(ros, folder, packed):
    pack = partial(gzip.compress, mtime=0) if packed else bytes
    text = Path("train.svm").read_bytes()
    args = ("train", "-", "--passes", "3", "--checkpoint", "c")
    ros(*args, "--checkpoint-every", "1e-9", "-q", stdin=pack(text))
    ros(*args, "--resume", "-q", stdin=pack(text))
    for other in (text.replace(b"1:0.1", b"1:0.2", 1), text[:-200], text[:100]):
        found = ros(*args, "--resume", "-o", "a.model", "-q", stdin=pack(other), code=1)
        assert "standard input: it has changed since the checkpoint" in found.err
    assert not Path("a.model").exists()


def test_a_validation_file_that_changed_is_noticed(ros, folder):
    args = ("train.svm", "--validation", "valid.svm")
    write_checkpoint(ros, *args)
    Path("valid.svm").write_text(Path("valid.svm").read_text().replace("1:0.", "1:1.", 1))
    found = ros("train", *args, "--checkpoint", "c", "--resume", code=1)
    assert "another run: valid.svm has changed; the same options and files" in found.err


CHANGES = {
    "learner": (["--learner", "svm"], "learner was 'logistic' and is now 'svm'"),
    "passes": (["--passes", "7"], "passes was not given and is now 7"),
    "intercept": (["--no-intercept"], "the intercept (--no-intercept) was on and is now off"),
    "bits": (["--bits", "8"], "bits was not given and is now 8"),
    "classes": (["--classes", "1,-1"], "classes was not given and is now 1, -1"),
    "format": (["--format", "svmlight"], "format was 'auto' and is now 'svmlight'"),
    "dtype": (["--float64"], "the type of numbers (--float64) was 'float32' and is now 'float64'"),
    "validation": (
        ["--validation", "valid.svm"],
        "validation was not given and is now valid.svm",
    ),
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_checkpoint_of_another_run_stays(ros, folder, change):
    more, difference = CHANGES[change]
    before = write_checkpoint(ros, "train.svm")
    args = ("train", "train.svm", "-o", "a.model", "--checkpoint", "c", *more)
    refused = ros(*args, "--checkpoint-every", 1e-9, code=1).err
    assert f"c is a checkpoint of another run ({difference}" in refused
    assert "): name another file, or delete it" in refused
    refused = ros(*args, "--resume", code=1).err
    assert f"c is a checkpoint of another run: {difference}" in refused
    assert "; the same options and files are needed to resume" in refused
    assert Path("c").read_bytes() == before
    assert not Path("a.model").exists()


def test_files_that_are_not_those_of_a_checkpoint_are_named(ros, folder):
    write_checkpoint(ros, "train.svm")
    found = ros("train", "valid.svm", "--checkpoint", "c", "--resume", code=1).err
    assert "another run: the files were train.svm and are now valid.svm; the same" in found
    size = Path("train.svm").stat().st_size
    with Path("train.svm").open("a") as file:
        file.write("1 1:1\n")
    found = ros("train", "train.svm", "--checkpoint", "c", "--resume", code=1).err
    assert f"train.svm has changed: it had {size:,} bytes and now has {size + 6:,};" in found


def test_progress_is_not_lost_for_want_of_resume(ros, folder):
    before = write_checkpoint(ros, "train.svm", "--passes", 5)
    args = ("train", "train.svm", "--passes", 5, "-o", "a.model", "--checkpoint", "c")
    found = ros(*args, code=1).err
    assert "c is a checkpoint of this run, in pass 5" in found
    assert "go on from it with --resume, or delete it to start again" in found
    assert Path("c").read_bytes() == before
    ros(*args, "--resume", "-q")  # it writes none of its own, and the old one is done with
    assert not Path("c").exists()


@pytest.mark.parametrize("every", [1e-9, 1e9])
def test_a_checkpoint_that_another_run_writes_meanwhile_stays(ros, folder, monkeypatch, every):
    theirs = write_checkpoint(ros, "train.svm", "--learner", "svm")
    Path("c").unlink()
    step, steps = Lines.step, []

    def intrude(self, *args):
        steps.append(args)
        if len(steps) == 2:
            Path("c").write_bytes(theirs)
        return step(self, *args)

    monkeypatch.setattr(Lines, "step", intrude)
    done = ros(
        "train", "train.svm", "-o", "a.model", "--checkpoint", "c", "--checkpoint-every", every
    )
    wrote = every < 1
    assert ("training continues: c is a checkpoint of another run" in done.err) == wrote
    assert ("the model is saved, but the checkpoint could not be deleted" in done.err) == wrote
    assert Path("c").read_bytes() == theirs
    assert load("a.model").t_


@pytest.mark.parametrize("more", [[], ["--resume"]])
def test_an_empty_file_may_be_used(ros, folder, more):
    """As ``mktemp`` makes it."""
    args = ("train", "train.svm", "--passes", 5, "--checkpoint", "c", "--checkpoint-every", 1e-9)
    Path("c").touch()
    done = ros(*args, *more)
    assert ("no checkpoint c yet: starting from the beginning" in done.err) == bool(more)
    assert "continuing from c: pass 5" in ros(*args, "-o", "a.model", "--resume").err
    assert not Path("c").exists()


@pytest.mark.parametrize("command", [["predict", "c", "train.svm"], ["inspect", "c"]])
def test_a_checkpoint_is_not_a_model(ros, folder, command):
    write_checkpoint(ros, "train.svm")
    message = (
        "c is a checkpoint of unfinished training, not a model; finish it with rosenblatt train "
        "... --checkpoint c --resume"
    )
    assert f"rosenblatt: {message}" in ros(*command, code=1).err
    with pytest.raises(ValueError, match=message.replace("...", r"\.\.\.")):
        load("c")
