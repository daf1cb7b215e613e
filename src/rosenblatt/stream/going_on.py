"""A stream's model made ready to go on learning: with other settings."""

from typing import Any

from rosenblatt.learners import adaptive
from rosenblatt.stream import rules
from rosenblatt.stream.model import StreamModel
from rosenblatt.stream.rules import rule_of


def change(model: StreamModel, **settings: Any) -> None:
    """Learn with other options from now on: ``eta0``, ``l2``, ``l1`` or ``average``.

    Another penalty changes the weights, to those of all examples so far with that one. Another step
    size leaves them as they are. A mean that is no longer wanted is forgotten.
    """
    before = model._options
    options = rules.checked(before._replace(**settings), model.predicts_numbers)
    state = model._state
    if state is not None and options != before:
        if rule_of(options).adapts:
            state = adaptive.with_pace(state, rules.pace(before), rules.pace(options))
        if before.average and not options.average and hasattr(state, "averaged"):
            state = _without_mean(state)
    model._options, model._state = options, state


def _without_mean(state: Any) -> Any:
    state.total[...], state.total_intercept[...] = 0, 0
    return state._replace(averaged=0, **({"mass": 0.0} if hasattr(state, "mass") else {}))
