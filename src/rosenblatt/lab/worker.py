"""What runs in the process of one tab: answers questions by calling the screens.

A question is ``{"id": 7, "do": "playground.open", "with": {…}}``. Its answer is ``{"id": 7, "result":
…}`` or ``{"id": 7, "error": "what, where and what to do"}``; before that may come any number of ``{"id":
7, "part": …}``. A line begins with "+" if more are to follow, else with "=".
"""

import json
import os
import sys
import traceback
from collections.abc import Iterator
from inspect import isgenerator
from typing import Any, TextIO

from rosenblatt.lab.calls import answer_to
from rosenblatt.lab.screens import SCREENS


class Desk:
    """Keeps what the tab's screens remember, and answers."""

    def __init__(self) -> None:
        self.screens: dict[str, Any] = {}

    def answers(self, question: dict[str, Any]) -> Iterator[str]:
        """Yield the answers to a question, as lines."""
        number = question.get("id")
        try:
            result = self._do(question["do"], question.get("with") or {})
            if isgenerator(result):
                result = yield from _parts(number, result)
            yield f"={_json({'id': number, 'result': result})}"
        except ValueError as error:
            yield f"={_json({'id': number, 'error': str(error)})}"
        except Exception as error:
            traceback.print_exc()
            text = f"the lab itself failed: {error!r}. The terminal it runs in shows where"
            yield f"={_json({'id': number, 'error': text})}"

    def _do(self, name: str, told: dict[str, Any]) -> Any:
        screen, _, call = name.partition(".")
        if screen not in SCREENS:
            raise ValueError(f"there is no screen {screen!r}")
        if screen not in self.screens:
            self.screens[screen] = SCREENS[screen]()
        return answer_to(self.screens[screen], call, told)


def _parts(number: Any, result: Any) -> Any:
    while True:
        try:
            part = next(result)
        except StopIteration as end:
            return end.value
        yield f"+{_json({'id': number, 'part': part})}"


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    """Return NumPy's numbers and arrays as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is nothing that JSON can hold")


def run(questions: TextIO, answers: TextIO) -> None:
    """Answer until nobody asks any more."""
    desk = Desk()
    desk.answers({})
    print("=ready", file=answers, flush=True)
    for line in questions:
        for answer in desk.answers(json.loads(line)):
            print(answer, file=answers, flush=True)


def main() -> None:
    """Answer on the standard streams; what anything else prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    run(os.fdopen(0, encoding="utf-8", closefd=False), answers)


if __name__ == "__main__":
    main()
