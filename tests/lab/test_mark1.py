"""The Mark I: what it learns, what it refuses, and the code that comes to the same weights."""

import csv
import io
import subprocess
import sys

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.lab.mark1.machine import LESSONS, PASSES
from rosenblatt.lab.mark1.pictures import DIGITS, SYMBOLS, guesses, pack, see, stock, unpack
from rosenblatt.lab.screens.mark1 import Mark1
from tests.lab.mark1_asking import (
    BAR,
    BLANK,
    CLEAR,
    CROSS,
    ask,
    finish,
    opened,
    passes,
    picture,
    taught,
)


class TestRetina:
    def test_packs_both_ways(self):
        drawn = (np.random.default_rng(0).random(400) < 0.5).astype(float)
        assert len(pack(drawn)) == 67
        np.testing.assert_array_equal(unpack(pack(drawn)), drawn)

    @pytest.mark.parametrize("text", ["", "A" * 66, "A" * 68, "!" * 67, "é" * 67, "A" * 66 + "="])
    def test_refuses_what_is_no_picture(self, text):
        with pytest.raises(ValueError, match="67 letters"):
            unpack(text)

    def test_moves_and_loses_what_leaves(self):
        drawn = unpack(picture((0, 0), (10, 19)))
        seen = see(drawn, 0.0, 1, 2, seed=0).reshape(20, 20)
        assert np.argwhere(seen).tolist() == [[2, 1]]
        seen = see(drawn, 0.0, -4, -4, seed=0).reshape(20, 20)
        assert np.argwhere(seen).tolist() == [[6, 15]]

    def test_noise_flips_its_share_and_more_noise_the_same_cells(self):
        few, many = (see(np.zeros(400), noise, 0, 0, seed=3) for noise in (0.1, 0.3))
        assert 20 < few.sum() < 60
        assert 90 < many.sum() < 150
        assert (many >= few).all()
        np.testing.assert_array_equal(see(np.ones(400), 0.1, 0, 0, seed=3), 1 - few)

    def test_a_tie_is_no_guess(self):
        assert guesses(np.array([[1.0, 1, 0], [0, 2, 1]])).tolist() == [-1, 1]
        assert guesses(np.array([0.0, -1])).tolist() == [-1, 0]


class TestStock:
    def test_digits_are_scikit_learns_and_every_fifth_is_held_out(self):
        kept = stock(DIGITS)
        assert len(kept.labels) == 1437
        assert len(kept.held_labels) == 360
        assert set(np.unique(kept.pictures)) == {0, 1}
        assert kept.pictures.reshape(-1, 20, 20)[:, :, 9].any()

    def test_symbols_are_always_the_same_and_lie_on_their_side(self):
        kept = stock(["left", "right"])
        halves = kept.pictures.reshape(-1, 20, 2, 10).any(axis=(1, 3))
        np.testing.assert_array_equal(halves, np.eye(2, dtype=bool)[kept.labels])
        assert all(len(stock([name, "?"]).labels) == 80 for name in SYMBOLS)

    def test_other_names_have_none(self):
        assert not len(stock(["A", "B"]).labels)
        assert stock(["A", "B"]).held.shape == (0, 400)


class TestTeaching:
    def test_knows_nothing_at_first(self):
        screen, told = opened("×○")
        assert np.shape(told["weights"]) == (1, 400)
        assert not np.any(told["weights"])
        sight = ask(screen, "show", picture=CROSS, **CLEAR)
        assert list(sight["scores"]) == [0, 0]
        assert sight["guess"] == -1

    def test_learns_from_mistakes_alone(self):
        screen, _ = opened("×|")
        first = ask(screen, "teach", **taught(CROSS, 0))
        assert first["mistake"]
        assert first["before"]["guess"] == -1
        assert first["turned"] == unpack(CROSS).sum()
        np.testing.assert_array_equal(first["weights"][0], -unpack(CROSS))  # the first is negative
        again = ask(screen, "teach", **taught(CROSS, 0))
        assert not again["mistake"]
        assert again["turned"] == 0
        assert again["taught"] == 2
        assert ask(screen, "teach", **taught(BAR, 1))["mistake"]
        assert ask(screen, "show", picture=BAR, **CLEAR)["guess"] == 1
        assert ask(screen, "show", picture=CROSS, **CLEAR)["guess"] == 0

    def test_is_the_perceptron_of_the_library(self):
        screen, _ = opened("ABC")
        model, chance = Perceptron(), np.random.default_rng(1)
        for k in range(30):
            drawn = (chance.random(400) < 0.2).astype(float)
            told = ask(screen, "teach", **taught(pack(drawn), k % 3))
            model.partial_fit(drawn[None], [k % 3], classes=[0, 1, 2])
            assert told["mistake"] == (model.mistakes_[0] > 0)
        np.testing.assert_array_equal(told["weights"], model.coef_)
        np.testing.assert_array_equal(told["thresholds"], model.intercept_)

    def test_learns_what_it_is_shown(self):
        screen, _ = opened("×|")
        view = {"noise": 0.1, "right": 2, "down": -1, "seed": 5}
        sight = ask(screen, "show", picture=CROSS, **view)
        told = ask(screen, "teach", picture=CROSS, label=1, **view)
        np.testing.assert_array_equal(told["weights"][0], unpack(sight["seen"]))


class TestTraining:
    def test_reaches_the_digits_that_were_held_out(self):
        screen, _ = opened(DIGITS)
        for k in range(5):
            parts, result = finish(ask(screen, "train", **{**CLEAR, "seed": k}))
            assert len(parts) == 4
            assert parts[-1]["mistakes"] == result["mistakes"]
        assert result["looked"] == 1437
        assert result["held"] == 360
        assert result["right"] > 0.85 * 360
        assert ask(screen, "held", **CLEAR) == {"right": result["right"], "held": 360}
        assert ask(screen, "held", **{**CLEAR, "right": 3})["right"] < 0.5 * 360

    def test_converges_on_squares_left_and_right(self):
        _, told = opened(["left", "right"], [passes(3)])
        assert [one["mistakes"] for one in told["curve"]][-1] == 0
        assert told["curve"][-1]["right"] == told["curve"][-1]["held"] == 40
        weights = np.reshape(told["weights"], (20, 20))
        assert weights[:, :10].sum() < 0 < weights[:, 10:].sum()

    def test_goes_over_what_was_taught_too(self):
        screen, _ = opened("AB", [taught(CROSS, 0), taught(BAR, 1)])
        _, result = finish(ask(screen, "train", **CLEAR))
        assert result["looked"] == 2
        assert result["held"] == 0

    def test_needs_a_picture(self):
        screen, _ = opened("AB")
        with pytest.raises(ValueError, match="draw one"):
            finish(ask(screen, "train", **CLEAR))

    def test_ends_at_the_limit(self):
        screen, _ = opened("AB", [taught(CROSS, 0), passes(PASSES)])
        with pytest.raises(ValueError, match="forget"):
            finish(ask(screen, "train", **CLEAR))

    def test_remembers_so_many_lessons(self):
        screen, _ = opened("AB", [taught(CROSS, 0)] * LESSONS)
        with pytest.raises(ValueError, match="forget"):
            ask(screen, "teach", **taught(BAR, 1))

    def test_lessons_build_the_same_machine_again(self):
        screen, _ = opened("×○+")
        lessons = [
            taught(CROSS, 0),
            passes(2, seed=4, noise=0.1, right=1),
            taught(BAR, 2, noise=0.2),
        ]
        ask(screen, "teach", **lessons[0])
        curve = [
            finish(ask(screen, "train", noise=0.1, right=1, down=0, seed=seed))[1]
            for seed in (4, 5)
        ]
        told = ask(screen, "teach", **lessons[2])
        _, again = opened("×○+", lessons)
        np.testing.assert_array_equal(told["weights"], again["weights"])
        np.testing.assert_array_equal(told["thresholds"], again["thresholds"])
        assert [{k: one[k] for k in again["curve"][0]} for one in curve] == again["curve"]


class TestExamples:
    def test_are_of_the_response_asked_for(self):
        screen, _ = opened(["3", "8", "A"])
        three = ask(screen, "example", label=0, number=7)
        assert three["label"] == 0
        assert unpack(three["picture"]).any()
        assert ask(screen, "example", label=0, number=8)["picture"] != three["picture"]
        labels = {ask(screen, "example", label=None, number=k)["label"] for k in range(12)}
        assert labels == {0, 1}

    def test_there_may_be_none(self):
        screen, _ = opened(["3", "A"])
        with pytest.raises(ValueError, match="draw one"):
            ask(screen, "example", label=1, number=0)


class TestTakingAlong:
    def test_csv_has_what_was_seen(self):
        screen, _ = opened(["a", 'q"'])
        lessons = [taught(CROSS, 1, right=1), passes(1)]
        text = ask(screen, "csv", responses=["a", 'q"'], lessons=lessons)
        head, row = csv.reader(io.StringIO(text))
        assert len(head) == len(row) == 401
        assert row[0] == 'q"'
        np.testing.assert_array_equal(np.array(row[1:], float), see(unpack(CROSS), 0, 1, 0, 0))

    @pytest.mark.parametrize(
        ("names", "lessons"),
        [
            ("×○", [taught(CROSS, 0), taught(BAR, 1, noise=0.1, down=2, seed=3)]),
            ("0123456789", [passes(2), taught(CROSS, 1), passes(1, noise=0.05, right=-1, seed=9)]),
            (["a'b\\", '"""', "{noise}"], [taught(CROSS, 0), taught(BAR, 2), passes(2)]),
        ],
    )
    def test_code_comes_to_the_same(self, names, lessons, capsys):
        view = {"noise": 0.1, "right": 1, "down": 0, "seed": 2}
        screen, told = opened(names, lessons)
        text = ask(screen, "code", responses=list(names), lessons=lessons, picture=CROSS, **view)
        found = {}
        exec(compile(text, "mark1.py", "exec"), found)
        np.testing.assert_array_equal(found["model"].coef_, told["weights"])
        np.testing.assert_array_equal(found["model"].intercept_, told["thresholds"])
        sight = ask(screen, "show", picture=CROSS, **view)
        assert found["guess"] == sight["guess"]
        np.testing.assert_array_equal(found["shown"], unpack(sight["seen"]))
        held = ask(screen, "held", **view)
        said = f"right on {held['right']} of {held['held']} pictures"
        assert (said in capsys.readouterr().out) == bool(held["held"])

    @pytest.mark.slow
    def test_code_is_a_script(self, tmp_path):
        text = ask(Mark1(), "code", responses=["×", "○"], lessons=[], picture=BLANK, **CLEAR)
        (tmp_path / "mark1.py").write_text(text, encoding="utf-8")
        command = [sys.executable, str(tmp_path / "mark1.py")]
        assert (
            "no lesson"
            in subprocess.run(command, capture_output=True, text=True, check=True).stdout
        )
