"""How a tagger's training goes, told as it happens: a line a pass, and on a terminal a bar."""

from time import perf_counter

from rosenblatt.cli.output import is_terminal, percent, say
from rosenblatt.cli.progress import Bar, time_left
from rosenblatt.estimators.tagger_passes import Progress

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
        How many there will be at most.
    tokens : int
        How many tokens there are.
    metric : str or None
        What passes are judged by, if they are: F1 or accuracy.
    """

    def __init__(self, passes: int, tokens: int, metric: str | None) -> None:
        self.passes, self.tokens, self.metric = passes, tokens, metric
        self.bar = Bar(passes, "sentences") if is_terminal() else None
        self.began: float | None = None
        self.best = -1.0

    def __call__(self, now: Progress) -> None:
        """Write a line, if a pass is over."""
        if self.began is None:  # before this there were features to find
            self.began = perf_counter() - now.seconds
            self._write("".join(f"{name:>{width}}" for name, width in self._titles().items()))
        if now.sequences == now.of and (now.score is None) == (self.metric is None):
            self._line(now, perf_counter() - self.began)
        elif self.bar is not None:
            self.bar.show(now.number, now.sequences, now.sequences / now.of)

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.close()

    def _titles(self) -> dict[str, int]:
        return _WIDTHS if self.metric is None else {**_WIDTHS, f"dev {self.metric}": 15}

    def _line(self, now: Progress, seconds: float) -> None:
        cells = [
            f"{now.number}",
            f"{now.mistakes:,} of {now.of:,}",
            percent(now.wrong_tokens / self.tokens),
            f"{now.number * now.of / max(now.seconds, 1e-9):,.0f}",
            time_left(seconds * (self.passes - now.number) / now.number),
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
