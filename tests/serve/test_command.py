"""``rosenblatt serve`` as one types it."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from rosenblatt import LogisticRegression, OnlineClassifier, OnlineRegressor, load, save
from rosenblatt.client import Client, ServiceError
from rosenblatt.serve.log import Log
from tests.serve.conftest import MAILS, learned_alone, on_disk, same


def run(folder, *words):
    command = [sys.executable, "-m", "rosenblatt", "serve", *words]
    env = {**os.environ, "COLUMNS": "80"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env=env)


@contextmanager
def started(folder, *words, notes=()):
    """Start the service; yield its address, stop it by SIGTERM, and look for notes."""
    command = [sys.executable, "-m", "rosenblatt", "serve", *words, "--port", "0"]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://"), process.stderr.read()
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 0
    assert told.splitlines()[-1] == "The service has stopped; all that was learned is on disk."
    assert all(note in told for note in notes)


def test_serve_learn_stop_and_go_back(tmp_path):
    save(learned_alone(MAILS), tmp_path / "mails.model")
    with started(tmp_path, "mails.model", "--new", "other", "--learner", "arow") as url:
        client = Client(url)
        assert client.models() == ["mails", "other"]
        for x, y in MAILS:
            client.learn("mails", x, y)
        new = tmp_path / "new.model"
        save(learned_alone(MAILS * 3), new)
        done = run(tmp_path, "replace", "mails", "new.model")
        assert done.stderr == "mails is new.model from position 5 on\n"
        done = run(tmp_path, "replace", "none", "new.model")
        assert done.returncode == 1
        assert "there is no model 'none' (the models are: mails" in done.stderr
        save(OnlineRegressor(), tmp_path / "numbers.model")
        done = run(tmp_path, "replace", "mails", "numbers.model")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert done.stderr.startswith("rosenblatt: the service refuses the model: mails is an")
        done = run(tmp_path, "rollback", "mails", "--to", "2")
        assert (done.returncode, "in use by another process" in done.stderr) == (1, True)
        client.close()
    data = tmp_path / "rosenblatt-service"
    assert same(on_disk(data, "mails"), load(new))
    done = run(tmp_path, "history", "mails")
    assert "It can go back to any position from 0 to 5." in done.stdout
    for words in (["history"], ["rollback", "--to", "1"]):
        done = run(tmp_path, *words)
        assert done.returncode == 2
        assert "Missing argument 'NAME'" in " ".join(done.stderr.split())
    done = run(tmp_path, "rollback", "mails", "--to", "2")
    assert done.stderr == "mails is as it was at position 2, and goes on at 6\n"
    assert same(on_disk(data, "mails"), learned_alone(MAILS[:2], learned_alone(MAILS)))
    with started(tmp_path) as url, Client(url) as client:
        assert client.info("mails")["position"] == 6
        assert client.learn("mails", *MAILS[0]) == 7


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["--data", "d", "--port", "0"], 2, "there is nothing to serve"),
        (["none.model"], 1, "none.model"),
        (["--new", "a/b"], 2, "cannot be part of an address"),
        (["--new", "incoming"], 2, "a file of the service is called incoming"),
        (["--new", "service.db"], 2, "a file of the service is called service.db"),
        (["a.model", "a=b.model"], 2, "two models are called a"),
        (["--new", "x", "--learner", "tree"], 2, "tree"),
        (["--new", "x", "--bits", "90"], 2, "--bits 90 must be between"),
        (["--new", "x", "--host", "0.0.0.0"], 2, "needs --token-file"),
        (["--new", "x", "--token-file", "short"], 1, "16 or more ASCII"),
        (["--new", "x", "--snapshots", "0"], 2, "--snapshots 0 must be 1 or more"),
        (["rollback", "x", "--data", "d"], 2, "--to POSITION is missing"),
        (["rollback", "x", "--to", "1", "--data", "d"], 2, "there is no service in d"),
        (["replace", "x", "--data", "d"], 2, "Missing argument 'FILE'"),
    ],
)
def test_what_makes_no_sense_is_said(tmp_path, words, code, problem):
    (tmp_path / "short").write_text("secret\n")
    done = run(tmp_path, *words)
    assert done.returncode == code
    assert problem in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "d").exists()


def test_a_new_model_that_is_there_goes_on_and_says_so(tmp_path):
    with started(tmp_path, "--new", "a", "--new", "b", "--bits", "9"):
        pass
    command = ["--new", "a", "--learner", "arow", "--bits", "9"]
    notes = ["a: going on with what rosenblatt-service has (logistic, 9 bits); --learner and"]
    with started(tmp_path, *command, notes=notes) as url, Client(url) as client:
        assert client.info("a")["kind"] == "OnlineClassifier, logistic"


def test_a_model_of_a_table_predicts_its_columns(tmp_path):
    days = ["2024-02-04", "2023-08-16", "2023-10-31", "2024-05-01"]
    rows = [
        {"day": days[k % 4], "city": "PR"[k % 2], "price": str(k % 7), "text": f"nice {k % 3} shop"}
        for k in range(40)
    ]
    lines = ["day,city,price,text,label"]
    lines += [",".join(row.values()) + f",{'ab'[k % 2]}" for k, row in enumerate(rows)]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    command = [sys.executable, "-m", "rosenblatt"]
    training = [*command, "train", "x.csv", "--text", "text", "-q", "-o", "x.model"]
    subprocess.run(training, cwd=tmp_path, check=True)
    told = subprocess.run(
        [*command, "predict", "x.model", "x.csv", "--scores"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()[1:]
    with started(tmp_path, "x.model") as url, Client(url) as client:
        typed = [{**row, "price": int(row["price"])} for row in rows]
        for given in (rows, typed):
            found = client.predict_many("x", given)
            assert found["predictions"] == [line.split(",")[0] for line in told]
            scores = [one["b"] for one in found["scores"]]
            assert scores == pytest.approx([float(line.split(",")[-1]) for line in told], rel=1e-4)
        wrong = {**rows[0], "price": "cheap"}
        for ask in (lambda: client.predict("x", wrong), lambda: client.learn("x", wrong, "a")):
            with pytest.raises(
                ServiceError, match=r"'price' holds numbers.*--category price"
            ) as error:
                ask()
            assert "skip" not in str(error.value)


def test_what_cannot_be_served(tmp_path):
    save(LogisticRegression(), tmp_path / "empty.model")
    done = run(tmp_path, "empty.model")
    assert "that cannot be served" in done.stderr
    save(OnlineClassifier(), tmp_path / "a.model")
    with started(tmp_path, "a.model") as url:
        port = url.rpartition(":")[2]
        done = run(tmp_path, "a.model", "--data", "other", "--port", port)
        assert "Address already in use; choose another with --port" in done.stderr


def test_a_folder_in_use_by_another_command_is_said(tmp_path):
    save(OnlineClassifier(), tmp_path / "a.model")
    log = Log(tmp_path / "rosenblatt-service")
    try:
        done = run(tmp_path, "replace", "a", "a.model")
    finally:
        log.close()
    assert (done.returncode, "in use by another process" in done.stderr) == (1, True)


@pytest.mark.skipif(not socket.has_ipv6, reason="there is no IPv6")
def test_an_address_of_ipv6_can_be_asked(tmp_path):
    with started(tmp_path, "--new", "a", "--host", "::1") as url, Client(url) as client:
        assert url.startswith("http://[::1]:")
        assert client.models() == ["a"]


def test_help_shows_the_options_of_the_first_command():
    text = run(None, "--help").stdout
    for word in ("MODEL", "--new", "--token-file", "rollback", "replace", "history"):
        assert word in text
    assert max(map(len, text.splitlines())) <= 80
