"""The progressive error, its window and its band."""

import json
from random import Random

import pytest

from rosenblatt.serve.progress import Progress


def test_errors_over_all_time_and_a_window():
    progress = Progress(window=10)
    for k in range(100):
        progress.update(float(k >= 95))
    assert (progress.error, progress.window_error) == (0.05, 0.5)


def test_an_alert_begins_and_ends():
    progress, draw = Progress(), Random(1)
    seen = []
    for k in range(20_000):
        rate = 0.5 if 10_000 <= k < 11_500 else 0.1
        progress.update(float(draw.random() < rate))
        seen.append(progress.alert)
    assert not any(seen[:10_000])
    assert seen[10_500]
    assert not seen[-1]
    assert progress.alerts == 1
    assert progress.drifts >= 1


def test_the_band_is_that_of_chance():
    """Of a steady stream, the window is out of a band of four standard errors hardly ever."""
    draw, alerts = Random(2), 0
    for _ in range(20):
        progress = Progress()
        for _ in range(5_000):
            progress.update(float(draw.random() < 0.2))
        alerts += progress.alerts
    assert alerts <= 1


def test_errors_beyond_all_measure_leave_the_window_again():
    progress = Progress(of_numbers=True)
    for error in [1.0] * 300 + [1e300, 1e308] * 8 + [1.0] * 1_030:
        progress.update(error)
    assert progress.window_error == 1.0
    assert progress.band() is not None


def test_it_goes_on_from_a_snapshot():
    progress, draw = Progress(), Random(3)
    errors = [float(draw.random() < 0.3) for _ in range(3_000)]
    for error in errors[:1_500]:
        progress.update(error)
    again = Progress.from_json(progress.to_json(), False)
    for error in errors[1_500:]:
        progress.update(error)
        again.update(error)
    assert again.error == progress.error
    assert again.window_error == pytest.approx(progress.window_error, abs=1e-12)
    assert json.loads(again.to_json())["recent"] == errors[-1_000:]


def test_stretches_of_time_are_counted_once():
    progress = Progress()
    for k in range(10):
        progress.update(1.0, now=1_000.0 + 4 * k)
    counts = [(1_000, 3, 3.0), (1_010, 2, 2.0), (1_020, 3, 3.0), (1_030, 2, 2.0)]
    assert [tuple(row) for row in progress.history] == counts
    assert progress.take_unsaved() == counts
    assert progress.take_unsaved() == []
    (first, second) = progress.points(2)
    assert first == {"start": 1_000, "seconds": 20, "examples": 5, "errors": 5.0}
    assert (second["start"], second["examples"]) == (1_020, 5)
