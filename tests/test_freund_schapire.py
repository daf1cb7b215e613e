"""The experiment of Freund and Schapire: what it counts is right, and it goes on where it was."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from rosenblatt import KernelPerceptron
from rosenblatt.learners.kernel_perceptron.kernel_values_cpu import HostGrams

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PASSES = [0.1, 1, 2, 3, 4]


@pytest.fixture(autouse=True)
def blocks_of_512(monkeypatch):
    monkeypatch.setattr(HostGrams, "block_size", 512)


def load_script():
    folder = ROOT / "benchmarks"
    path = folder / "freund_schapire_1999.py"
    spec = importlib.util.spec_from_file_location("freund_schapire_1999", path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))  # as for a script
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


script = load_script()


@pytest.fixture(scope="module")
def data():
    X, y = load_digits(return_X_y=True)
    X = (X / 16).astype(np.float32)
    return X[:1200], y[:1200], X[1200:], y[1200:]


def fitted(data, degree, passes):
    X, y, *_ = data
    model = KernelPerceptron(kernel="poly", degree=degree, gamma=1, fit_intercept=False)
    return model.set_params(shuffle=False, max_iter=passes).fit(X, y)


def silent(*_, **__):
    pass


class Stops:
    """Is told of progress, and presses Ctrl-C after so many times."""

    def __init__(self, after):
        self.left = after

    def __call__(self, *_, **__):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


def without_times(result):
    return {name: value for name, value in result.items() if name != "seconds"}


@pytest.mark.parametrize("degree", [1, 2])
def test_columns_are_those_of_fits_with_as_many_passes(data, degree, tmp_path):
    X, y, X_test, y_test = data
    result = script.Study(degree, PASSES, data, tmp_path).run(silent)
    assert result["passes"] == PASSES
    for k, T in enumerate(PASSES):
        rows = X[:120], y[:120], X_test, y_test
        model = fitted(rows, degree, 1) if T == 0.1 else fitted(data, degree, T)
        for way in ("vote", "average", "last"):
            error = np.mean(model.set_params(predict_with=way).predict(X_test) != y_test)
            assert result["errors"][way][k] == error
        assert result["mistakes"][k] == model.n_mistakes_
        assert result["support"][k] == len(model.support_)
        assert result["errors"]["last"][k] < result["errors"]["random"][k] < 0.6
    assert result["converged"] is None


@pytest.mark.parametrize("moment", [0, 1, 4, 11])
def test_a_study_that_was_stopped_comes_to_the_same(data, moment, tmp_path):
    whole = script.Study(2, PASSES, data, tmp_path / "whole")
    parts = script.Study(2, PASSES, data, tmp_path / "parts", save_after=0)
    for study in (whole, parts):
        study.result.parent.mkdir()
    expected = whole.run(silent)
    with pytest.raises(KeyboardInterrupt):
        parts.run(Stops(moment))
    assert parts.model.exists() == (moment >= 3)  # 1,200 rows are three blocks
    told = []
    assert without_times(parts.run(lambda *now, **_: told.append(now))) == without_times(expected)
    assert told[0][1] > moment // 3  # passes: nothing that was saved is learned again
    assert told[-1][1] == 4
    assert told[-1][2] == expected["mistakes"][-1]
    assert [path.name for path in parts.result.parent.iterdir()] == ["cpu-1200-degree-2.json"]


def test_the_time_of_what_was_saved_counts(data, tmp_path):
    study = script.Study(1, [4], data, tmp_path, save_after=0)
    with pytest.raises(KeyboardInterrupt):
        study.run(Stops(7))
    took = json.loads(study.seconds.read_text())
    assert list(took) == ["0", "1", "2"]
    study.seconds.write_text(json.dumps(took | {"2": 1000.0}))
    assert 1000 < study.run(silent)["seconds"]["fit"] < 1100


def test_what_is_done_is_found_and_cut_to_what_is_asked(data, tmp_path):
    result = script.Study(2, PASSES, data, tmp_path).run(silent)
    again = script.Study(2, PASSES, data, tmp_path)
    assert again.run(Stops(0)) == result
    fewer = script.Study(2, [1, 3], data, tmp_path).run(Stops(0))
    assert fewer["passes"] == [1, 3]
    assert fewer["errors"]["vote"] == [result["errors"]["vote"][k] for k in (1, 3)]
    assert fewer["support"] == [result["support"][k] for k in (1, 3)]
    with pytest.raises(KeyboardInterrupt):
        script.Study(2, [1, 5], data, tmp_path).run(Stops(0))
    again.forget()
    assert list(tmp_path.iterdir()) == []


def test_the_last_hypothesis_lives_on_after_a_clean_pass(data):
    X, y, X_test, y_test = data
    model = fitted(data, 3, 100).set_params(warm_start=True, max_iter=1)
    ended = model.t_ // len(y)
    assert model.converged_
    passes = [ended - 1, ended, ended + 3, 40]
    got = script.judge(model, X_test, y_test, passes, len(y))
    assert got["converged"] == ended
    assert model.t_ == ended * len(y)
    for T, column in zip(passes[2:], (2, 3), strict=True):
        while model.t_ < T * len(y):
            model.fit(X, y)  # a clean pass more
        for way in ("vote", "average", "last"):
            error = np.mean(model.set_params(predict_with=way).predict(X_test) != y_test)
            assert got["errors"][way][column] == error
    assert got["mistakes"][1:] == [model.n_mistakes_] * 3
    assert got["support"][1:] == [len(model.support_)] * 3


def test_scores_after_more_steps_than_were_made(data):
    X, y, X_test, _ = data
    model = fitted(data, 3, 100).set_params(warm_start=True, max_iter=1)
    made = model.t_
    scores = {}
    for way in script.WAYS:
        scores[way] = model.set_params(predict_with=way).decision_function(X_test)
    model.fit(X, y)
    rng = np.random.default_rng(0)
    for way in ("vote", "average", "last"):
        more = script.prolonged(way, scores[way], scores["last"], made, model.t_, rng)
        model.set_params(predict_with=way)
        np.testing.assert_allclose(more, model.decision_function(X_test), rtol=1e-9, atol=1e-9)
    many = np.repeat([[0.0, 1.0]], 10_000, axis=0)
    more = script.prolonged("random", many, 1 - many, 300, 400, rng)
    assert 0.23 < np.mean(more[:, 0] == 1) < 0.27  # as often as 100 of 400 steps are the last's
    np.testing.assert_array_equal(more.sum(axis=1), 1)


def test_the_command_stops_goes_on_and_prints(data, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(script, "digits", lambda n: data)
    command = ["--degrees", "1", "3", "--passes", "4", "--folder", str(tmp_path / "results")]
    calls = Stops(15)  # in the second degree
    with monkeypatch.context() as patch:
        patch.setattr(script, "in_lines", lambda: calls)
        assert script.main(command) == 130
    assert capsys.readouterr().err == (
        "\nstopped; the same command, without --fresh, goes on from here\n"
    )
    assert script.main(command) == 0
    printed = capsys.readouterr()
    assert "degree 1" not in printed.err  # it was done
    assert "degree 3, 4.0 passes: " in printed.err
    lines = printed.out.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0].split() == ["degree", "1", "T", "=", "0.1", "1", "2", "3", "4"]
    assert [line.split()[0] for line in lines[1:7]] == [*script.WAYS, "mistakes", "support"]
    assert re.search(r"fit \d+\.\d s", lines[7])
    assert (tmp_path / "results" / "errors.png").stat().st_size > 10_000
    assert script.main([*command, "--markdown"]) == 0
    block = capsys.readouterr().out
    assert block.startswith("<!-- table -->\n")
    assert block.endswith("<!-- table -->\n")
    figures, times = (
        [row.strip("| ").split("|") for row in part.splitlines() if row.startswith("|")]
        for part in re.split(r"\n\n(?=\| degree)", block)[1:]
    )
    assert [len(figures), *{len(row) for row in figures}] == [2 + 2 * 6, 2 + 5]
    assert [len(times), *{len(row) for row in times}] == [2 + 3, 1 + 2]


def test_a_progress_bar_shows_passes_mistakes_and_seconds(data, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    study = script.Study(4, PASSES, data, tmp_path)
    with script.progress(4) as tell:
        tell(study, 3.5, 1234, 56.7)
        tell(study, 4, 1250, 60, ended=True)
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capfd.readouterr().err)
    assert re.search(r"degree 4 ━+ 4 passes · 1,250 mistakes · 60 s", shown)


def test_too_few_passes_are_refused(capsys):
    with pytest.raises(SystemExit):
        script.main(["--passes", "0.05"])
    assert "--passes must be 0.1 or more" in capsys.readouterr().err


def test_settings_are_those_of_the_paper(data, tmp_path):
    model, took = script.Study(5, PASSES, data, tmp_path).start()
    assert took == {0: 0.0}
    wanted = {"kernel": "poly", "degree": 5, "gamma": 1, "coef0": 1, "fit_intercept": False}
    wanted |= {"shuffle": False, "multi_class": "ovr", "device": None, "tol": None}
    assert clone(model).get_params().items() >= wanted.items()
