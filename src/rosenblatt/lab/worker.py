"""What runs in the process of one tab: answers questions by calling the screens.

A question is ``{"id": 7, "do": "playground.open", "with": {…}}``. Its answer is ``{"id": 7,
"result": …}`` or ``{"id": 7, "error": "what, where and what to do"}``; before that may come any
number of ``{"id": 7, "part": …}``. A line begins with "+" if more are to follow, else with "=".
"""

import json
import os
import signal
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from inspect import isgenerator
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, TextIO

from rosenblatt.lab.calls import FORGET, answer_to
from rosenblatt.lab.screens import SCREENS

try:
    import resource
except ImportError:  # as on Windows
    resource = None  # type: ignore[assignment]

ALONE = 90  # seconds for one question without a server, which allows less
MEMORY = 4 << 30  # bytes, beyond what a process needs to start


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
        except Exception as error:
            yield f"={_json({'id': number, 'error': _message(error)})}"

    def _do(self, name: str, arguments: dict[str, Any]) -> Any:
        screen, _, call = name.partition(".")
        if screen not in SCREENS:
            raise ValueError(f"the lab has no screen {screen[:60]!r}; reload the page")
        if screen not in self.screens:
            self.screens[screen] = SCREENS[screen]()
        return answer_to(self.screens[screen], call, arguments)


def _message(error: Exception) -> str:
    """Return the message for the page: what is wrong with its question, or that the lab failed."""
    if isinstance(error, MemoryError):
        return "this needs more memory than the lab allows; try fewer points"
    if isinstance(error, OverflowError):
        return f"a number is too large: {error}"
    if isinstance(error, ValueError):
        return str(error)
    traceback.print_exc()
    return f"the lab itself failed: {error!r}. The terminal it runs in shows where"


def _parts(number: Any, result: Any) -> Any:
    while True:
        try:
            part = next(result)
        except StopIteration as end:
            return end.value
        yield f"+{_json({'id': number, 'part': part})}"


def _json(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"), default=_plain)
    except ValueError as error:  # the lab's own fault, not that of the question
        raise TypeError(f"an answer that JSON cannot hold: {error}") from None


def _plain(value: Any) -> Any:
    """Return NumPy's numbers and arrays as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def warm_up() -> None:
    """Learn and decide a little, so that the page's first step need not wait for it to load."""
    from rosenblatt import Perceptron, mistake_bound, separate, trace

    X, y = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, -1, 1]
    for learner in (None, Perceptron(shuffle=False)):
        deque(trace(X, y, learner), maxlen=0)
    separate(X, y)
    separate([*X, [0.0, 0.0]], [*y, 1])
    mistake_bound(X, y)


def run(questions: Iterable[str], answers: TextIO) -> None:
    """Answer questions until there are no more."""
    desk = Desk()
    print("=ready", file=answers, flush=True)
    for line in questions:
        if line.strip() == FORGET:
            desk = Desk()
            print("=forgotten", file=answers, flush=True)
            continue
        with _at_most(ALONE):
            for answer in desk.answers(json.loads(line)):
                print(answer, file=answers, flush=True)


@contextmanager
def _at_most(seconds: int) -> Iterator[None]:
    """End the process after so many seconds, whatever it does, where the system has alarms."""
    set_alarm = getattr(signal, "alarm", lambda seconds: None)
    set_alarm(seconds)
    try:
        yield
    finally:
        set_alarm(0)


def questions_from(stream: TextIO) -> Iterator[str]:
    """Yield questions as they come; end the process with the last, even while it computes."""
    lines: SimpleQueue[str] = SimpleQueue()

    def read() -> None:
        for line in stream:
            lines.put(line)
        os._exit(0)  # who would have read the answer is gone

    Thread(target=read, daemon=True).start()
    while True:
        yield lines.get()


def limit_memory() -> None:
    """Have the system refuse what would crowd out all else, where it can.

    What counts is data: address space is not a measure, as threads and compiled code set aside far
    more of it than they use. How much a start takes depends on the machine's cores.
    """
    if resource is None:
        return
    used = 0
    with suppress(OSError):  # not on Linux
        status = Path("/proc/self/status").read_text(encoding="ascii")
        used = int(status.partition("VmData:")[2].split()[0]) << 10
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = used + MEMORY
    if most in (resource.RLIM_INFINITY, -1) or wanted < most:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, most))


def main() -> None:
    """Answer on the standard streams; what anything else prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warm_up()
    limit_memory()
    with suppress(BrokenPipeError):
        run(questions_from(os.fdopen(0, encoding="utf-8", closefd=False)), answers)


if __name__ == "__main__":
    main()
