"""The loop over passes, with learners made up for it."""

import numpy as np
import pytest

from rosenblatt.passes import (
    BlockEnd,
    History,
    PassEnd,
    StopByMistakes,
    StopByValidation,
    choose_held_out,
    drive,
    passes_to_wait,
    run_passes,
)

N = 10


def passes_of(mistakes, seen=None):
    """Passes with these mistakes, in two blocks each; the state counts passes."""

    def one_pass(state, number, clean):
        if seen is not None:
            seen.append((number, clean))
        made = mistakes[number - 1]
        yield BlockEnd(state, np.arange(5), number, 5, made // 2, False)
        yield BlockEnd(state, np.arange(5, N), number, N, made, True)
        return PassEnd(state + 1, made)

    return one_pass


def ended(run, report=lambda *_: None, recorder=None):
    return drive(run, N, report, recorder)


def test_a_clean_pass_is_the_last():
    seen = []
    state, history = ended(run_passes(passes_of([4, 2, 0, 9], seen), 0, 10, StopByMistakes(N)))
    assert (state, history.mistakes, history.ending) == (3, [4, 2, 0], "converged")
    assert history.converged
    assert not history.ran_out
    assert seen == [(1, False), (2, False), (3, False)]


def test_passes_run_out():
    state, history = ended(run_passes(passes_of([4, 3, 2]), 0, 2, StopByMistakes(N)))
    assert (state, history.mistakes) == (2, [4, 3])
    assert history.ran_out
    assert not history.converged


@pytest.mark.parametrize(
    ("mistakes", "made"),
    [
        ([9, 8, 8, 8, 1], 4),  # twice no fewer
        ([9, 8, 7, 6, 5], 5),
        ([9, 9, 8, 8, 8], 5),  # what counts is the best so far
    ],
)
def test_no_more_progress(mistakes, made):
    stop = StopByMistakes(N, tol=0.1, passes=2)
    _, history = ended(run_passes(passes_of(mistakes), 0, 5, stop))
    assert history.passes == made
    assert history.ending == ("" if made == 5 and mistakes[-1] == 5 else "no more progress")


def test_a_fall_must_be_as_large_as_tol():
    stop = StopByMistakes(100, tol=0.05, passes=1)
    _, history = ended(run_passes(passes_of([60, 55, 51, 0]), 0, 9, stop))
    assert history.mistakes == [60, 55, 51]


def test_a_learner_may_say_enough():
    def one_pass(state, number, clean):
        yield BlockEnd(state, np.arange(N), number, N, 3, True)
        return PassEnd(state, 3, enough=number == 2)

    _, history = ended(run_passes(one_pass, 0, 9, StopByMistakes(N)))
    assert (history.passes, history.ending) == (2, "no more progress")


def test_no_mistake_without_a_proof_is_not_the_end():
    def one_pass(state, number, clean):
        yield BlockEnd(state, np.arange(N), number, N, 0, True)
        return PassEnd(state, 0, proof=number == 3)

    _, history = ended(run_passes(one_pass, 0, 9, StopByMistakes(N)))
    assert history.mistakes == [0, 0, 0]


@pytest.mark.parametrize("higher", [False, True])
def test_the_best_on_held_out_rows_is_kept(higher):
    scores = [0.5, 0.3, 0.3, 0.4, 0.1]
    if higher:
        scores = [-score for score in scores]
    stop = StopByValidation(0.0, 2, higher_is_better=higher)
    state, history = ended(
        run_passes(
            passes_of([9] * 5),
            0,
            5,
            stop,
            validate=lambda state: scores[state - 1],
            keep=lambda state: f"after pass {state}",
            higher_is_better=higher,
        )
    )
    assert state == 4  # two passes without a better score
    assert history.best == "after pass 2"  # the first of equals
    assert history.validation == scores[:4]
    assert history.ending == "no more progress"


def test_a_run_goes_on_from_its_history():
    history = History([4, 2], validation=[0.5, 0.2])
    state, after = ended(
        run_passes(
            passes_of([9, 9, 3, 0]),
            2,
            9,
            StopByMistakes(N),
            validate=lambda state: 0.1 * state,
            history=history,
        )
    )
    assert after is history
    assert (state, history.mistakes) == (4, [4, 2, 3, 0])
    assert history.best is None  # what was kept before is not here, and none was better


def test_driving_reports_and_records():
    reports, taken = [], []

    class Recorder:
        def take(self, mistakes):
            taken.append(mistakes)

    ended(
        run_passes(passes_of([4, 0]), 0, 9, StopByMistakes(N)),
        lambda *told: reports.append(told),
        Recorder(),
    )
    assert reports == [(0.5, 5, 2), (1.0, 10, 4), (1.5, 15, 4), (2.0, 20, 4)]
    assert taken == [4, 0]


def test_how_long_to_wait():
    assert passes_to_wait(7, 3) == 7
    assert passes_to_wait("auto", 10) == 100
    assert passes_to_wait("auto", 1) == 500
    assert passes_to_wait("auto", 10**6) == 5


def test_held_out_rows_leave_some_of_every_group():
    groups = [np.arange(40), np.arange(40, 43), np.array([43])]
    aside = choose_held_out(groups, 0.25, np.random.default_rng(1))
    assert [int(np.isin(group, aside).sum()) for group in groups] == [10, 1, 0]
    assert len(set(choose_held_out(groups, 0.99, np.random.default_rng(1)))) == 39 + 2
