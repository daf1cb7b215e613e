"""``rosenblatt datasets``: what there is, and files that the other commands read."""

import gzip
import json

import numpy as np
import pytest

from rosenblatt.datasets import export as exporting
from rosenblatt.datasets.catalog import CATALOG
from rosenblatt.datasets.export import Exported, export, usual_ending
from rosenblatt.datasets.loading import DataSet, names
from rosenblatt.readers.matrix import read
from tests.conftest import first_quick


def made(X, y, feature_names, **parts):
    return DataSet("made", X, np.asarray(y), None, None, feature_names, "made here", **parts)


def test_the_list(ros):
    told = ros("datasets").out
    assert all(len(line) <= 80 for line in told.splitlines())
    assert [line.split()[0] for line in told.splitlines() if not line.startswith(" ")] == names()
    found = ros("datasets", "--json").json
    assert [fact["name"] for fact in found] == names()
    assert {fact["status"] for fact in found} <= {"here", "partly here", "not here"}


@pytest.mark.parametrize("name", names())
def test_details(ros, name):
    told = ros("datasets", name).out
    assert f"write it     rosenblatt datasets {name} -o {name}" in told
    found = ros("datasets", name, "--json").json
    assert found["name"] == name
    assert found["files"][0]["bytes"] > 0


def test_whether_it_is_here(ros, monkeypatch, tmp_path):
    monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path))
    assert all(fact["status"] == "not here" for fact in ros("datasets", "--json").json)
    err = ros("datasets", "sms_spam", "-o", tmp_path / "a.txt", code=1).err
    assert "must be fetched by hand" in err
    assert not (tmp_path / "a.txt").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("sonr",), "no data set is called 'sonr'; did you mean 'sonar'?"),
        (("-o", "a.csv"), "--output needs the name of a data set"),
        (("sonar", "-o", "a.xls"), "must end with .svm"),
        (("sonar", "--part", "all"), "--part 'all' is not one of train, test, validation"),
        (("sonar", "-o", "none/a.csv"), "there is no folder none"),
    ],
)
def test_what_makes_no_sense(ros, tmp_path, monkeypatch, args, message):
    monkeypatch.chdir(tmp_path)
    assert message in ros("datasets", *args, code=2).err


NUMBERS = np.array([[0.1, -2.0, 0], [1e-7, 3, 123456789.5]])


@pytest.mark.parametrize("ending", [".svm", ".csv", ".tsv", ".jsonl", ".csv.gz", ".svm.gz"])
def test_numbers_come_back_as_they_are(tmp_path, ending):
    path = str(tmp_path / f"a{ending}")
    done = export(made(NUMBERS, [3, 1], ("u", "v, w", "x")), "train", path)
    X, y = read(path, label=None if "svm" in ending else "label")
    assert X.toarray().tobytes() == NUMBERS.tobytes()
    assert y.tolist() == [3, 1]
    assert done["hint"] == f"rosenblatt train {path}"
    assert done["classes"] == {}


def test_sparse_rows(tmp_path):
    import scipy.sparse as sp

    X = sp.csr_matrix(NUMBERS)
    for ending in (".svm", ".csv", ".jsonl"):
        path = str(tmp_path / f"a{ending}")
        export(made(X, [3, 1], ("u", "v", "x")), "train", path)
        assert read(path)[0].toarray().tobytes() == NUMBERS.tobytes()


def test_named_classes_become_numbers_in_svmlight(ros, tmp_path):
    path = tmp_path / "a.svm"
    done = export(made(NUMBERS, ["rock", "metal"], ("u", "v", "x")), "train", str(path))
    assert done["classes"] == {"metal": -1, "rock": 1}
    assert [line.split()[0] for line in path.read_text().splitlines()] == ["1", "-1"]
    three = made(np.eye(3), list("cab"), ("u", "v", "x"))
    assert export(three, "train", str(path))["classes"] == {"a": 0, "b": 1, "c": 2}


TEXTS = np.array(['see "you"\tlater,\nat 5', "win\r\ncash", "naïve\u2028line"], object)


@pytest.mark.parametrize("ending", first_quick([".csv", ".tsv", ".jsonl"]))
def test_texts_in_tables(tmp_path, ending):
    texts = TEXTS[:2]
    path = str(tmp_path / f"a{ending}")
    done = export(made(texts, ["ham", "spam"], ("text",)), "train", path)
    assert done["hint"] == f"rosenblatt train {path} --text text"
    X, y = read(path, text=("text",))
    assert y.tolist() == ["ham", "spam"]
    words = read(_as_text(tmp_path, texts))[0]
    assert X.nnz == words.nnz


def _as_text(tmp_path, texts):
    path = tmp_path / "words.txt"
    lines = [f"x\t{' '.join(text.split())}\n" for text in texts]
    path.write_text("".join(lines))
    return path


def test_lines_of_text(tmp_path):
    path = tmp_path / "a.txt"
    export(made(TEXTS, ["ham", "spam", "ham"], ("text",)), "train", str(path))
    lines = path.read_bytes().decode().split("\n")
    assert lines[0] == 'ham\tsee "you" later, at 5'
    assert lines[1] == "spam\twin  cash"
    assert len(lines) == 4
    assert read(path)[1].tolist() == ["ham", "spam", "ham"]


def test_categories(tmp_path):
    X = np.array([["a,b", 3], ["c", 4]], object)
    path = str(tmp_path / "a.csv")
    export(made(X, ["yes", "no"], ("kind", "n")), "train", path)
    assert read(path)[0].toarray().tolist() == [[1, 0, 3], [0, 1, 4]]
    with pytest.raises(Exception, match="svmlight is for numbers"):
        export(made(X, ["yes", "no"], ("kind", "n")), "train", str(tmp_path / "a.svm"))
    assert not (tmp_path / "a.svm").exists()


def test_sentences(tmp_path):
    X = np.empty(2, object)
    X[:] = [(("the", "DT"), ("cat", "NN")), (("sleeps", "VB"),)]
    y = np.empty(2, object)
    y[:] = [("B", "I"), ("O",)]
    data = DataSet("made", X, y, X[:1], y[:1], ("word", "pos"), "made here")
    path = tmp_path / "a.conll"
    export(data, "train", str(path))
    assert path.read_text() == "the\tDT\tB\ncat\tNN\tI\n\nsleeps\tVB\tO\n\n"
    export(data, "test", str(tmp_path / "a.jsonl"))
    (line,) = (tmp_path / "a.jsonl").read_text().splitlines()
    assert json.loads(line) == {"label": ["B", "I"], "word": ["the", "cat"], "pos": ["DT", "NN"]}
    for ending in (".csv", ".txt", ".svm"):
        with pytest.raises(Exception, match="instead"):
            export(data, "train", str(tmp_path / f"b{ending}"))
    with pytest.raises(Exception, match="no validation part"):
        Exported(data, "validation")
    with pytest.raises(Exception, match="for sentences"):
        export(made(NUMBERS, [3, 1], ("u", "v", "x")), "train", str(path))


def test_shuffled(tmp_path):
    X, y = np.arange(20.0).reshape(20, 1) + 1, np.arange(20)
    files = []
    for name in ("a.csv", "b.csv"):
        export(made(X, y, ("x",)), "train", str(tmp_path / name), shuffled=True)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]
    Z, z = read(tmp_path / "a.csv")
    assert sorted(z.tolist()) == y.tolist()
    assert z.tolist() != y.tolist()
    assert (Z.toarray()[:, 0] == z + 1).all()


def test_many_lines_are_written_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(exporting, "_LINES", 3)
    X = np.arange(1.0, 11).reshape(10, 1)
    path = tmp_path / "a.svm.gz"
    export(made(X, np.arange(10), ("x",)), "train", str(path))
    assert len(gzip.decompress(path.read_bytes()).splitlines()) == 10
    assert read(path)[0].toarray().tolist() == X.tolist()


def test_the_usual_endings():
    endings = {name: usual_ending(CATALOG[name]) for name in names()}
    assert endings["a9a"] == endings["w8a"] == ".svm"
    assert endings["sms_spam"] == endings["spamassassin"] == ".txt"
    assert endings["conll2000"] == endings["ud_english_ewt"] == ".conll"
    assert endings["adult"] == ".csv"


@pytest.mark.slow
def test_real_data_sets(ros, dataset, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = dataset("banknote")
    told = ros("datasets", "banknote", "-o", "bank.csv").err
    assert told.splitlines()[0].startswith("bank.csv: 1,372 examples, ")
    X, y = read("bank.csv")
    assert X.toarray().tobytes() == data.X.tobytes()
    assert y.tolist() == data.y.tolist()
    data = dataset("a9a")
    found = ros("datasets", "a9a", "--test", "-o", "a9a.svm", "--json").json
    assert found["examples"] == 16_281
    X, y = read("a9a.svm", n_features=123)
    assert (data.X_test != X).nnz == 0
    assert y.tolist() == data.y_test.tolist()
    dataset("sms_spam")
    ros("datasets", "sms_spam", "-o", "sms.txt", "--shuffle", "-q")
    assert ros("train", "sms.txt", "--json").json["mistakes"][0] < 200
