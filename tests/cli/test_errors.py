"""What goes wrong: one line that says what, and the right code."""

import errno
import os
from pathlib import Path

import pytest

from rosenblatt.models.saving import load_with_extra, save

DATA_ERRORS = {
    "no such file": ("train", "nothing.svm"),
    "no such pattern": ("train", "nothing-*.svm"),
    "a folder": ("train", "."),
    "an empty file": ("train", "empty.svm"),
    "one class": ("train", "one.svm"),
    "one class, closed form": ("train", "one.svm", "--learner", "centroid"),
    "one class, batch": ("train", "one.svm", "--learner", "batch"),
    **{
        f"one class, {name}": (name, "one.svm") for name in ("compare", "tune", "separate", "trace")
    },
    "a bad line": ("train", "bad.svm"),
    "an unknown format": ("train", "noise.bin"),
    "no such label column": ("train", "train.csv", "--label", "colour"),
    "no such text column": ("train", "train.csv", "--text", "colour"),
    "no label at all": ("train", "train.jsonl", "--label", "colour"),
    "labels that are no numbers": ("train", "train.csv", "--learner", "regression"),
    "labels that are no classes": ("train", "houses.csv"),
    "labels that are no classes, batch": ("train", "houses.csv", "--learner", "batch"),
    "too few labels": ("train", "train.npy", "--labels", "test-labels.npy"),
    "no validation file": ("train", "train.svm", "--validation", "nothing.svm"),
    "no test file": ("train", "train.svm", "--test", "nothing.svm"),
    "a packed file that is cut": ("train", "cut.svm.gz"),
    "no model": ("predict", "nothing.model", "new.svm"),
    "a file that is no model": ("predict", "train.svm", "new.svm"),
    "a broken model": ("predict", "broken.model", "new.svm"),
    "files of another kind": ("predict", "m.model", "new.csv"),
    "no file to predict": ("predict", "m.model", "nothing.svm"),
    "evaluate without labels": ("evaluate", "m.model", "train.npy"),
    "inspect no model": ("inspect", "train.csv"),
}
USAGE_ERRORS = {
    "no command": ("trane",),
    "no files": ("train",),
    "unknown option": ("train", "train.svm", "--pases", "3"),
    "unknown learner": ("train", "train.svm", "--learner", "averagd"),
    "unknown format": ("train", "train.svm", "--format", "xml"),
    "unknown ties": ("train", "train.svm", "--ties", "never"),
    "passes of a word": ("train", "train.svm", "--passes", "many"),
    "no passes": ("train", "train.svm", "--passes", "0"),
    "too many bits": ("train", "train.svm", "--bits", "40"),
    "negative eta0": ("train", "train.svm", "--learner", "svm", "--eta0", "-1"),
    "eta0 of a perceptron": ("train", "train.svm", "--learner", "perceptron", "--eta0", "1"),
    "passes of a closed form": ("train", "train.svm", "--learner", "centroid", "--passes", "2"),
    "validation of a closed form": (
        *("train", "train.svm", "--learner", "batch"),
        *("--validation", "valid.svm"),
    ),
    "retrain on nothing": ("train", "train.svm", "--retrain"),
    "resume from nothing": ("train", "train.svm", "--resume"),
    "checkpoints all the time": (
        *("train", "train.svm", "--checkpoint", "c"),
        *("--checkpoint-every", "0"),
    ),
    "standard input twice": ("train", "-", "--no-cache"),
    "standard input for both": ("train", "-", "--test", "-"),
    "validation from standard input": ("train", "train.svm", "--validation", "-"),
    "one class": ("train", "train.svm", "--classes", "ham"),
    "no ngrams": ("train", "train.csv", "--ngrams", "0"),
    "on error, hope": ("train", "train.csv", "--on-error", "hope"),
    "output into nowhere": ("train", "train.svm", "-o", "nowhere/m.model"),
    "output to a folder": ("train", "train.svm", "-o", "."),
    "output over the input": ("train", "train.svm", "-o", "train.svm"),
    "output to a device": ("train", "train.svm", "-o", "/dev/null"),
    "predict over the model": ("predict", "m.model", "new.svm", "-o", "m.model"),
    "no model": ("predict",),
}


@pytest.fixture
def broken(folder):
    """The folder, with some files that are wrong."""
    Path("empty.svm").write_text("")
    Path("one.svm").write_text("1 1:1\n1 2:1\n")
    Path("bad.svm").write_text("1 1:1\n-1 2:x\n")
    Path("noise.bin").write_bytes(os.urandom(16).hex().encode() + b"\x00\x01 \xff\xfe;;\n")
    Path("cut.svm.gz").write_bytes(Path("train.svm.gz").read_bytes()[:300])
    model = bytearray(Path("m.model").read_bytes())
    model[-1] ^= 1
    Path("broken.model").write_bytes(model)
    return folder


@pytest.mark.parametrize("name", DATA_ERRORS)
def test_bad_data_is_one_line_and_code_1(ros, broken, name):
    before = {file: file.stat().st_mtime_ns for file in broken.iterdir()}
    done = ros(*DATA_ERRORS[name], "--quiet", code=1)
    assert done.err.startswith("rosenblatt: ")
    assert done.err.count("\n") == 1
    assert done.out == ""
    assert {file: file.stat().st_mtime_ns for file in broken.iterdir()} == before


@pytest.mark.parametrize("name", USAGE_ERRORS)
def test_bad_usage_is_code_2(ros, folder, name):
    done = ros(*USAGE_ERRORS[name], code=2)
    assert "\nError: " in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_errors_say_what_and_where(ros, broken):
    assert ros("train", "bad.svm", "-q", code=1).err.startswith("rosenblatt: bad.svm:2:")
    assert "nothing.svm" in ros("train", "nothing.svm", "-q", code=1).err
    missing = ros("train", "train.csv", "--label", "colour", "-q", code=1).err
    assert "'colour'" in missing
    assert "'bought'" in missing
    assert "'averaged'?" in ros("train", "x", "--learner", "averagd", code=2).err


@pytest.mark.parametrize("command", ["train", "compare", "tune", "separate", "trace"])
def test_one_class_is_said_of_its_file(ros, broken, command):
    told = ros(command, "one.svm", "-q", code=1).err
    assert told.startswith("rosenblatt: one.svm: all 2 ")
    assert "have the label 1, so there is nothing to distinguish" in told


def test_one_class_is_found_in_one_pass(ros, broken):
    Path("one.csv").write_text("a,label\n1,x\n")
    told = ros("train", "one.csv", code=1).err.splitlines()
    only = "the only example has the label 'x', so there is nothing to distinguish"
    assert told[-1] == f"rosenblatt: one.csv: {only}"
    assert len(told) == 3  # a title, a pass, and the error


def test_latin_1_is_shown_as_its_bytes(ros, folder):
    Path("latin.csv").write_bytes("a,b,y\n1,Bern,0\n1,Zürich,1\n".encode("latin1"))
    assert ros("train", "latin.csv", "-q", code=1).err == (
        "rosenblatt: latin.csv:3:4: column 'b' is not UTF-8; convert the file, for example with "
        'iconv -f latin1 -t utf-8, found: "Z\\xfcrich"\n'
    )


def test_a_full_disk(ros, folder, monkeypatch):
    Path("full.model").write_bytes(b"old")
    real = os.write

    def full(descriptor, data):
        name = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        if ".full.model" in name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data)

    monkeypatch.setattr("os.write", full)
    done = ros("train", "train.svm", "-o", "full.model", "-q", code=1)
    assert "no space left" in done.err
    assert done.err.count("\n") == 1
    assert Path("full.model").read_bytes() == b"old"


def test_json_goes_to_standard_output_alone(ros, broken):
    done = ros("train", "bad.svm", "--json", "-q", code=1)
    assert done.out == ""
    assert done.err.count("\n") == 1


def test_interrupts(ros, folder, monkeypatch):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("rosenblatt.training.online.train_online", stop)
    assert "interrupted" in ros("train", "train.svm", code=130).err


def test_too_little_memory(ros, folder, monkeypatch):
    def full(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr("rosenblatt.training.online.train_online", full)
    assert "not enough memory" in ros("train", "train.svm", code=1).err


WRONG_READINGS = [{"ngrams": "x"}, {"ngrams": 2.5}, {"dtype": "object"}, {"dtype": 5}, {"text": 1}]


@pytest.mark.parametrize("wrong", WRONG_READINGS, ids=str)
def test_models_that_say_nonsense_about_reading(ros, folder, wrong):
    model, extra = load_with_extra("logistic.model")
    save(model, "x.model", extra={**extra, "reading": {**extra["reading"], **wrong}})
    for command in ("predict", "evaluate"):
        done = ros(command, "x.model", "test.csv", code=1)
        assert done.err.startswith("rosenblatt: x.model does not say how to read files: ")


@pytest.mark.parametrize("arrays", [5, ["letters", "ends"], {"letters": 1, "ends": None}], ids=str)
def test_models_whose_names_are_no_arrays(ros, folder, arrays):
    ros("train", "train.csv", "--learner", "centroid", "-o", "x.model", "-q")
    model, extra = load_with_extra("x.model")
    names = {**extra["names"], "arrays": arrays}
    save(model, "x.model", extra={**extra, "names": names})
    assert "x.model cannot be used" in ros("predict", "x.model", "test.csv", code=1).err


@pytest.mark.parametrize(
    "args",
    [
        ("train", "-", "-"),
        ("predict", "m.model", "-", "-"),
        ("evaluate", "m.model", "-", "-"),
        ("compare", "-", "-"),
        ("compare", "-", "--test", "-"),
        ("tune", "-", "-"),
        ("tune", "-", "--validation", "-"),
        ("tune", "-", "--test", "-"),
        ("separate", "-", "-"),
        ("trace", "-", "-"),
        ("train", "-", "--labels", "-"),
    ],
    ids=" ".join,
)
def test_standard_input_is_read_once(ros, folder, args):
    done = ros(*args, stdin="1 1:1\n-1 2:1\n", code=2)
    assert "standard input (-) can be read only once" in done.err
