"""Progress of training: a line now and then, and a bar on a terminal.

Every example is predicted before it is learned from. So the error rate of the first pass is an
unbiased estimate of the error on new examples; that of later passes is not.
"""

from collections.abc import Mapping
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rosenblatt.console import duration, four_digits, is_terminal, percent, rate, say
from rosenblatt.kernels.jit import working_time

if TYPE_CHECKING:
    from rosenblatt.tagging.fitting import Progress

_EACH = 10  # passes, beyond which there is a line for every so many-th only
_FIRST = 1_000  # examples before the first line; then twice as many, and so on
_PATIENCE = 0.5  # seconds before a bar is shown: short runs need none
_COLUMNS = {
    "pass": 4,
    "examples": 12,
    "mistakes": 10,
    "since last": 11,
    "total": 8,
    "log loss": 10,
    "examples/s": 12,
    "time left": 11,
    "validation": 11,
    "its log loss": 14,
    "AUC": 8,
}
_NOT_WITH_VALIDATION = ("mistakes", "log loss", "examples/s")  # of classes: a line has 80 columns
_SQUARED = {"since last": 17, "total": 13, "validation": 13}  # columns of numbers of any size


class Silent:
    """Shows nothing."""

    def plan(self, passes: int) -> None:
        """Take note of how many passes there will be at most."""

    def step(
        self,
        number: int,
        examples: int,
        wrong: float,
        done: float | None,
        loss: float | None = None,
    ) -> None:
        """Report the progress of a pass: its number, examples, mistakes, share done and loss."""

    def end_pass(
        self, validation: float | None = None, scores: Mapping[str, str] | None = None
    ) -> None:
        """Report the end of a pass, the validation error, and log loss and AUC in words."""

    def close(self) -> None:
        """End the report."""


class Lines(Silent):
    """Writes lines to standard error, after 1,000, 2,000, 4,000, … examples and every pass.

    Parameters
    ----------
    passes : int
        The largest number of passes.
    validated : bool
        Whether there is a column for validation.
    squared : bool
        Whether the error is a sum of squares, instead of a number of mistakes.
    log_loss : bool
        Whether there is a column for the progressive log loss, or for that of validation.
    """

    def __init__(
        self,
        passes: int,
        *,
        validated: bool = False,
        squared: bool = False,
        log_loss: bool = False,
    ) -> None:
        self.passes, self.squared = passes, squared
        hidden: set[str] = set() if log_loss else {"log loss", "its log loss"}
        if squared or not validated:
            hidden |= {"its log loss", "AUC", *([] if validated else ["validation"])}
        else:
            hidden |= {*_NOT_WITH_VALIDATION}
        self.columns = [name for name in _COLUMNS if name not in hidden]
        self.widths = _COLUMNS
        if squared:
            self.columns.remove("mistakes")
            self.widths = _COLUMNS | _SQUARED
        # When the first examples had been learned: that includes the time to load and compile.
        self.began: float | None = None
        self.ahead: tuple[int, int, float] = (0, 0, 0.0)  # examples, pass and share of it by then
        self.bar = Bar(passes) if is_terminal() else None
        self.titled = False
        self.before = 0  # examples of the passes before
        self.next = _FIRST
        self.now: tuple[int, int, float, float | None] = (0, 0, 0, None)
        self.loss: float | None = None
        self.last: tuple[int, float] = (0, 0)  # examples and mistakes of this pass, at a line

    def plan(self, passes: int) -> None:
        """Take note of how many passes there will be at most."""
        self.passes = passes
        if self.bar is not None:
            self.bar.passes = passes

    def step(
        self,
        number: int,
        examples: int,
        wrong: float,
        done: float | None,
        loss: float | None = None,
    ) -> None:
        """Write a line if it is time to."""
        self.now, self.loss = (number, examples, wrong, done), loss
        if self.began is None:
            self.began, self.ahead = working_time(), (examples, number, done or 0.0)
        seen = self.before + examples
        if seen >= self.next:
            if done != 1.0:  # else the last line of the pass follows
                self._line()
            while self.next <= seen:
                self.next *= 2
        if self.bar is not None:
            self.bar.show(number, examples, done)

    def end_pass(
        self, validation: float | None = None, scores: Mapping[str, str] | None = None
    ) -> None:
        """Write the last line of a pass."""
        number, examples, wrong, _ = self.now
        self.now = (number, examples, wrong, 1.0)
        if self._shows(number) and (examples > self.last[0] or validation is not None):
            self._line(validation, scores or {})
        self.before += examples
        self.last = (0, 0)

    def _shows(self, number: int) -> bool:
        """Say whether there is a line for a pass: of many, not for each."""
        return number <= _EACH or number == self.passes or number % _EACH == 0

    def close(self) -> None:
        """Remove the bar."""
        if self.bar is not None:
            self.bar.close()

    def _line(
        self, validation: float | None = None, scores: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        number, examples, wrong, _ = self.now
        since = examples - self.last[0], wrong - self.last[1]
        speed, left = self._speed()
        cells = {
            "pass": f"{number}",
            "examples": f"{examples:,}",
            "mistakes": f"{wrong:,.0f}",
            "since last": self._rate(since[1], since[0]),
            "total": self._rate(wrong, examples),
            "log loss": "–" if self.loss is None else four_digits(self.loss),
            "examples/s": "–" if speed is None else f"{speed:,.0f}",
            "time left": "–" if left is None else time_left(left),
            "validation": "" if validation is None else self._rate(validation, 1),
            "its log loss": scores.get("log loss", ""),
            "AUC": scores.get("AUC", "").split(" ")[0],
        }
        self._write("".join(f"{cells[name]:>{self.widths[name]}}" for name in self.columns))
        self.last = (examples, wrong)

    def _speed(self) -> tuple[float | None, float | None]:
        """Return examples per second and the seconds left; None if it is too early to tell."""
        number, examples, _, done = self.now
        if self.began is None:
            return None, None
        seconds = working_time() - self.began
        speed = rate(self.before + examples - self.ahead[0], seconds)
        if done is None:
            return speed, None
        passes = rate(number + done - self.ahead[1] - self.ahead[2], seconds)
        return speed, (self.passes - number + 1 - done) / passes if passes else None

    def _rate(self, wrong: float, examples: int) -> str:
        if not examples:
            return "–"
        return four_digits((wrong / examples) ** 0.5) if self.squared else percent(wrong / examples)

    def _write(self, line: str) -> None:
        write = say if self.bar is None else self.bar.write
        if not self.titled:
            titles = {"since last": "rmse since last"} if self.squared else {}
            names = [titles.get(name, name) for name in self.columns]
            widths = [self.widths[name] for name in self.columns]
            write("".join(f"{n:>{w}}" for n, w in zip(names, widths, strict=True)))
            self.titled = True
        write(line)


def time_left(seconds: float) -> str:
    """Write a rough estimate of the time left."""
    return duration(max(60, seconds)) if seconds > 59.5 else f"{seconds:.0f} s"


class Bar:
    """A bar at the bottom of a terminal, after half a second."""

    def __init__(self, passes: int, what: str = "examples") -> None:
        self.passes, self.what = passes, what
        self.began: float | None = None
        self._progress: Any = None
        self._task: Any = None
        self._drawn = 0.0

    def show(self, number: int, examples: int, done: float | None) -> None:
        """Show the progress."""
        now = perf_counter()
        if self.began is None:
            self.began = now
        if now - self._drawn < 0.05 or now - self.began < _PATIENCE:
            return
        self._drawn = now
        values = {
            "description": f"pass {number} of {self.passes}",
            "total": None if done is None else 1.0,
            "completed": done or 0.0,
            "examples": f"{examples:,} {self.what}",
        }
        if self._progress is None:
            self._start(values)
        self._progress.update(self._task, **values)

    def _start(self, values: dict[str, Any]) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            TextColumn("{task.fields[examples]}"),
        )
        console = Console(stderr=True, highlight=False, markup=False, force_jupyter=False)
        self._progress = Progress(*columns, console=console, transient=True, expand=True)
        self._task = self._progress.add_task(**values)
        self._progress.start()

    def write(self, line: str) -> None:
        """Write a line above the bar."""
        if self._progress is None:
            say(line)
        else:
            self._progress.console.print(line)

    def close(self) -> None:
        """Remove it."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


_WIDTHS = {
    "pass": 4,
    "wrong sentences": 20,
    "wrong tokens": 14,
    "sentences/s": 13,
    "time left": 11,
}


class TagLines:
    """Writes a line to standard error after every pass.

    Parameters
    ----------
    passes : int
        The largest number of passes.
    tokens : int
        The number of tokens.
    metric : str or None
        What passes are evaluated by, if at all: F1 or accuracy.
    """

    def __init__(self, passes: int, tokens: int, metric: str | None) -> None:
        self.passes, self.tokens, self.metric = passes, tokens, metric
        self.bar = Bar(passes, "sentences") if is_terminal() else None
        self.began: float | None = None
        self.before = 0  # passes of a run that is continued
        self.best = -1.0

    def __call__(self, now: "Progress") -> None:
        """Write a line, if a pass is over."""
        if self.began is None:  # until now, features were extracted
            self.began = working_time() - now.seconds
            self._write("".join(f"{name:>{width}}" for name, width in self._titles().items()))
        if now.sequences == now.of and (now.score is None) == (self.metric is None):
            self._line(now, working_time() - self.began)
        elif self.bar is not None:
            self.bar.show(now.number, now.sequences, now.sequences / now.of)

    def close(self) -> None:
        """Remove the bar."""
        if self.bar is not None:
            self.bar.close()

    def _titles(self) -> dict[str, int]:
        return _WIDTHS if self.metric is None else {**_WIDTHS, f"dev {self.metric}": 15}

    def _line(self, now: "Progress", seconds: float) -> None:
        made = now.number - self.before
        speed, passes = rate(made * now.of, now.seconds), rate(made, seconds)
        cells = [
            f"{now.number}",
            f"{now.mistakes:,} of {now.of:,}",
            percent(now.wrong_tokens / self.tokens),
            "–" if speed is None else f"{speed:,.0f}",
            "–" if passes is None else time_left((self.passes - now.number) / passes),
        ]
        if now.score is not None:
            cells.append(percent(now.score))
        widths = self._titles().values()
        line = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        if now.score is not None and now.score > self.best:
            self.best = now.score
            line += " *"
        self._write(line)

    def _write(self, line: str) -> None:
        (say if self.bar is None else self.bar.write)(line)
