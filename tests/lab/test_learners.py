"""The learners of the lab: their options, and what settings become."""

import json
from inspect import signature

import pytest

from rosenblatt.lab.plane.learners import as_learner, learners
from rosenblatt.lab.worker import _json

LEARNERS = learners()

GROUPS = ["Perceptrons", "Kernels", "Gradient descent", "Closed form"]


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
class TestEach:
    def test_is_told_in_full(self, learner):
        told = json.loads(_json(learner.described()))
        assert told["group"] in GROUPS
        assert told["kind"] == ("once" if told["group"] == "Closed form" else "steps")
        assert told["note"].endswith(".")
        names = [option["name"] for option in told["options"]]
        assert len(set(names)) == len(names)
        for option in told["options"]:
            assert option["kind"] in ("choice", "number", "flag")
            assert "default" in option
            for other, values in option.get("when", {}).items():
                assert other in names
                assert all(isinstance(value, str) for value in values)

    def test_its_defaults_are_the_page_s_own(self, learner):
        told = learner.described()["options"]
        given = {option["name"]: option["default"] for option in told}
        assert learner.keywords(given) == learner.keywords({})

    def test_every_choice_and_every_end_of_a_range_is_taken(self, learner):
        known = signature(learner.estimator_class).parameters
        for option in learner.options:
            ends = [name for name, _ in option.choices] or [option.least, option.most]
            for value in [True, False] if option.kind == "flag" else ends:
                settings = {option.name: value}
                if option.when is not None:
                    settings[option.when[0]] = option.when[1][0]
                if value in option.only:
                    other, values = option.only[value]
                    settings[other] = values[0]
                assert set(learner.keywords(settings)) <= set(known)
                learner.estimator(settings)

    def test_what_is_out_of_range_is_refused(self, learner):
        for option in learner.options:
            beyond = [option.most + 1, option.least - 1, float("nan"), float("inf"), True]
            wrong = {"choice": ["", 1, None, ["given"]], "flag": [0, 1, None, "true"]}
            for value in [*wrong.get(option.kind, beyond), None, {}, [], "no such thing"]:
                with pytest.raises(ValueError, match=f"{option.name} must be"):
                    learner.keywords({option.name: value})


def test_settings_are_those_of_the_learner():
    with pytest.raises(ValueError, match="no setting 'gamma' here; there are bias, order"):
        LEARNERS["perceptron"].keywords({"gamma": 1})
    for settings in (None, [], "bias", 3):
        with pytest.raises(ValueError, match="settings must be an object"):
            LEARNERS["perceptron"].keywords(settings)


def test_an_option_that_does_not_count_is_left_out():
    words = LEARNERS["kernel"].keywords({"kernel": "linear", "gamma": 3.0, "degree": 4})
    assert "gamma" not in words
    assert "degree" not in words
    assert LEARNERS["kernel"].keywords({"kernel": "poly", "degree": 4})["degree"] == 4
    assert "eta0" not in LEARNERS["gradient"].keywords({"eta0": 3.0})
    assert LEARNERS["gradient"].keywords({"rate": "constant", "eta0": 3})["eta0"] == 3.0


def test_whole_numbers_stay_whole():
    assert LEARNERS["perceptron"].keywords({"passes": 7.0})["max_iter"] == 7
    with pytest.raises(ValueError, match="passes must be a whole number from 1 to 1000"):
        LEARNERS["perceptron"].keywords({"passes": 7.5})


@pytest.mark.parametrize("name", [None, "", "Perceptron", 3, ["perceptron"]])
def test_no_learner(name):
    with pytest.raises(ValueError, match="there are perceptron, averaged"):
        as_learner(name)


@pytest.mark.parametrize("name", ["gradient", "logistic", "svm", "regression"])
def test_the_best_step_is_only_offered_with_all_points_a_move(name):
    told = {option["name"]: option for option in as_learner(name).described()["options"]}
    assert told["rate"]["only"] == {"line_search": {"batch": ("all",)}}
    as_learner(name).estimator({"rate": "line_search", "batch": "all"})
    for batch in ("1", "64"):
        with pytest.raises(ValueError, match="best along the line") as refusal:
            as_learner(name).estimator({"rate": "line_search", "batch": batch})
        assert "line_search" not in str(refusal.value)
        assert "batch_size" not in str(refusal.value)
