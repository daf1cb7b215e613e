"""What is shown of training while it goes on."""

import pytest

from rosenblatt.kernels import jit
from rosenblatt.training import progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still unless it is set."""
    time = [0.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: time[0])
    monkeypatch.setattr(jit, "perf_counter", lambda: time[0])
    monkeypatch.setattr(jit.waiting, "seconds", 0.0)
    return time


def test_rates_leave_out_the_start(capsys, clock):
    lines = progress.Lines(4)
    clock[0] = 100.0  # everything was compiled
    lines.step(1, 1_000, 10, 0.5)
    lines.step(1, 2_000, 20, 1.0)
    lines.end_pass()
    clock[0] = 100.1
    lines.step(2, 2_000, 20, 1.0)
    lines.end_pass()
    clock[0] = 105.0
    lines.step(3, 2_000, 20, 1.0)
    lines.end_pass()
    *first, last = [line.split()[5:] for line in capsys.readouterr().err.splitlines()[1:]]
    assert first == [["–", "–"]] * 3
    assert last == ["1,000", "2", "s"]  # 5,000 examples in 5 s, and 2 s for each pass


def test_rates_leave_out_the_time_to_compile(capsys, clock):
    lines = progress.Lines(3)
    lines.step(1, 1_000, 10, 1.0)
    lines.end_pass()
    clock[0] = 9.0
    jit.waiting.seconds += 8.0  # a loop that only the second pass needs
    lines.step(2, 1_000, 10, 1.0)
    lines.end_pass()
    last = capsys.readouterr().err.splitlines()[-1].split()
    assert last[5:] == ["1,000", "1", "s"]


def test_the_time_left_follows_the_plan(capsys, clock):
    lines = progress.Lines(5)
    lines.step(1, 100, 10, 1.0)
    lines.end_pass()
    lines.plan(11)  # as many passes as the number of examples calls for
    clock[0] = 2.0
    lines.step(2, 100, 10, 1.0)
    lines.end_pass()
    last = capsys.readouterr().err.splitlines()[-1].split()
    assert last[-3:] == ["50", "18", "s"]  # 100 examples in 2 s, and 9 passes to go


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e5, 1e12])
def test_errors_of_regression_of_any_size_have_columns_of_their_own(capsys, scale):
    lines = progress.Lines(1, validated=True, squared=True)
    lines.step(1, 1_000, 1_000 * (1.2345678 * scale) ** 2, 1.0)
    lines.end_pass((1.2345678 * scale) ** 2)
    title, line = capsys.readouterr().err.splitlines()
    assert len(title) == len(line) <= 100
    assert title.split()[2:6] == ["rmse", "since", "last", "total"]
    cells = line.split()
    assert cells[2] == cells[3] == cells[-1]
    assert float(cells[2].replace(",", "")) == pytest.approx(1.2345678 * scale, rel=1e-3)


def test_short_runs_have_no_bar(monkeypatch, clock):
    bar = progress.Bar(5)
    clock[0] = 10.0  # after loading and compiling
    bar.show(1, 100, 0.5)
    clock[0] = 10.4
    bar.show(1, 200, 1.0)
    assert bar._progress is None


@pytest.mark.parametrize("validated", [False, True])
def test_of_many_passes_a_few_have_a_line(capsys, validated):
    lines = progress.Lines(67, validated=validated)
    for number in range(1, 68):
        lines.step(number, 100, 10, 1.0)
        lines.end_pass(0.25 if validated else None)
    shown = [int(line.split()[0]) for line in capsys.readouterr().err.splitlines()[1:]]
    assert shown == [*range(1, 11), 20, 30, 40, 50, 60, 67]
