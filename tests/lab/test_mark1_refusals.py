"""What the Mark I refuses: whatever no page of the lab sends."""

import numpy as np
import pytest

from rosenblatt.lab.calls import answer_to
from rosenblatt.lab.mark1.machine import LESSONS, PASSES
from rosenblatt.lab.screens.mark1 import Mark1
from tests.lab.mark1_asking import BAR, BLANK, CLEAR, CROSS, ask, finish, opened, passes, taught

BAD_NAMES = [
    None, "ab", [], ["a"], ["a"] * 2, [str(k) for k in range(11)], ["a", ""], ["a", "b,c"],
    ["a", 1],
    ["a", "x" * 13], ["a", "\n"], ["a", " b"], ["a", "\u202e"], {"a": 1, "b": 2}, [["a"], ["b"]],
]  # fmt: skip
BAD_VIEWS = [
    {"noise": -0.1}, {"noise": 0.51}, {"noise": "0"}, {"noise": None}, {"noise": True},
    {"noise": 10**400},
    {"right": 5}, {"right": -5}, {"right": 1.0}, {"right": True}, {"down": "1"}, {"down": 10**30},
    {"down": []}, {"seed": -1}, {"seed": 2**31}, {"seed": 0.5}, {"seed": None}, {"seed": 10**5000},
]  # fmt: skip
BAD_LESSONS = [
    None, {}, "x", [None], [[]], [{}], [taught(CROSS, 0)] * (LESSONS + 1), [taught(CROSS, 2)],
    [taught(CROSS, -1)], [taught(CROSS, 0.0)], [taught(CROSS, True)], [taught(None, 0)],
    [taught([1] * 400, 0)],
    [taught("A" * 10**5, 0)], [{**taught(CROSS, 0), "more": 1}], [{"picture": CROSS, "label": 0}],
    [passes(0)], [passes(-3)], [passes(PASSES + 1)], [passes(PASSES), passes(1)], [passes(1.5)],
    [passes(10**30)], [passes("2")], [passes(2, seed=2**31 - 1)], [{**passes(1), "label": 0}],
]  # fmt: skip


class TestRefusals:
    """What a page should never say is refused in one line, and changes nothing."""

    @pytest.fixture
    def screen(self):
        return opened("×|", [taught(CROSS, 0), taught(BAR, 1)])[0]

    def refused(self, screen, name, **told):
        before = screen.machine
        weights = before.weights()
        with pytest.raises(ValueError, match=r"^.{10,250}$") as found:
            finish(answer_to(screen, name, told))
        assert "\n" not in str(found.value)
        assert screen.machine is before
        np.testing.assert_array_equal(before.weights(), weights)

    @pytest.mark.parametrize("names", BAD_NAMES)
    def test_names(self, screen, names):
        self.refused(screen, "open", responses=names, lessons=[])
        self.refused(screen, "csv", responses=names, lessons=[])
        self.refused(screen, "code", responses=names, lessons=[], picture=BLANK, **CLEAR)

    @pytest.mark.parametrize("lessons", BAD_LESSONS, ids=range(len(BAD_LESSONS)))
    def test_lessons(self, screen, lessons):
        self.refused(screen, "open", responses=["a", "b"], lessons=lessons)
        self.refused(screen, "csv", responses=["a", "b"], lessons=lessons)

    @pytest.mark.parametrize("view", BAD_VIEWS, ids=range(len(BAD_VIEWS)))
    def test_views(self, screen, view):
        view = {**CLEAR, **view}
        self.refused(screen, "show", picture=BLANK, **view)
        self.refused(screen, "teach", picture=BLANK, label=0, **view)
        self.refused(screen, "train", **view)
        self.refused(screen, "held", **view)

    @pytest.mark.parametrize("drawn", [None, 1, [], {}, "", "A" * 66, "A" * 10**6, "\ud800" * 67])
    def test_pictures(self, screen, drawn):
        self.refused(screen, "show", picture=drawn, **CLEAR)
        self.refused(screen, "teach", picture=drawn, label=0, **CLEAR)
        self.refused(screen, "code", responses=["a", "b"], lessons=[], picture=drawn, **CLEAR)

    @pytest.mark.parametrize("label", [-1, 2, 0.5, "0", None, True, [], 10**30])
    def test_labels(self, screen, label):
        self.refused(screen, "teach", picture=BLANK, label=label, **CLEAR)
        if label is not None:
            self.refused(screen, "example", label=label, number=0)

    @pytest.mark.parametrize("number", [-1, 0.5, None, "1", 2**31])
    def test_numbers(self, screen, number):
        self.refused(screen, "example", label=0, number=number)

    def test_no_code_is_smuggled_in(self):
        hostile = ['"]; os = 1#', "'''", "\\"]
        text = ask(Mark1(), "code", responses=hostile, lessons=[], picture=BLANK, **CLEAR)
        found = {}
        exec(compile(text, "mark1.py", "exec"), found)
        assert found["names"] == hostile
        assert "os" not in found
