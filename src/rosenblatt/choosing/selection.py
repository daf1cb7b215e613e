"""The report of `select`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from rosenblatt.choosing.grid import brief
from rosenblatt.choosing.intervals import Interval
from rosenblatt.choosing.tables import Column, html_table, paragraph, percent, seconds, text_table

_SHOWN = 12


@dataclass(frozen=True)
class Setting:
    """One setting of the grid, and how well it did on rows that it was not learned from.

    Attributes
    ----------
    params : mapping
        The parameters.
    score : float
        The mean of ``scores``; NaN if it could not be fitted or judged.
    error : float or None
        The standard error of ``score``: of folds, from how they differ; of one validation set, from
        its size, for accuracy only. Folds share rows, so take it as a hint.
    seconds : float
        The mean time of a fit, the preparation of features included.
    scores : tuple of float
        One for each fold, or one.
    reason : str
        Why it could not be fitted or judged, else empty.
    """

    params: Mapping[str, Any]
    score: float
    error: float | None
    seconds: float = field(compare=False)
    scores: tuple[float, ...] = field(repr=False)
    reason: str = ""


@dataclass(frozen=True, repr=False)
class Selection:
    """What `select` found: the chosen setting, its model, and how well it does on unseen rows.

    Attributes
    ----------
    model : fitted estimator
        Learned with the chosen setting from all rows but the test rows. A pipeline, which makes the
        features first.
    params : mapping
        The chosen setting, by the names that the grid used.
    table : tuple of :class:`Setting`
        All settings in the order of the grid. ``pandas.DataFrame(report.table)`` is a data frame.
    score : float
        The chosen setting's validation score. It is too rosy: that setting was chosen for it.
    test_score : float or None
        The score on the test rows, which nothing else has seen.
    interval : (low, high) or None
        Wilson's 95 % interval of the test accuracy; None for other scores.
    scoring : str
        What the scores are.
    method : str
        How the settings were judged.
    n_train, n_validation, n_test : int
        Rows learned from while choosing, rows that judged the settings (in cross-validation the
        same rows, in turns), and rows that judged the model in the end.
    n_retrained : int
        Rows that the model was learned from in the end.
    """

    model: Any = field(compare=False)
    params: Mapping[str, Any]
    table: tuple[Setting, ...]
    score: float
    test_score: float | None
    interval: Interval | None
    scoring: str
    method: str
    n_train: int
    n_validation: int
    n_test: int
    n_retrained: int

    def __str__(self) -> str:
        ranked = self._ranked()
        columns, rows = self._cells(ranked[:_SHOWN])
        parts = [paragraph(self._opening(), "  "), "", text_table(columns, rows)]
        if len(ranked) > _SHOWN:
            parts.append(f"… and {len(ranked) - _SHOWN} more settings in .table")
        parts += [
            paragraph(f"{brief(setting.params)} could not be fitted: {setting.reason}", "  ")
            for setting in self.table
            if setting.reason
        ][:3]
        return "\n".join([*parts, "", paragraph(self._verdict(), "  ")])

    __repr__ = __str__  # what a prompt shows

    def _repr_html_(self) -> str:
        columns, rows = self._cells(self._ranked(), times=True)
        table = html_table(self._opening(), columns, rows)
        return f"{table}<p>{escape(self._verdict())}</p>"

    def _ranked(self) -> list[Setting]:
        """Return the settings from best to worst; the chosen one is the first of the best."""
        return sorted(self.table, key=lambda s: (s.reason != "", s.params != self.params, -s.score))

    def _opening(self) -> str:
        return (
            f"Chosen: {brief(self.params)}. Best of {len(self.table)} by {self.method}, judged by "
            f"{self.scoring}."
        )

    def _cells(
        self, settings: list[Setting], times: bool = False
    ) -> tuple[list[Column], list[list[str]]]:
        columns = [Column("setting"), Column("score", True), Column("± error", True)]
        rows = [[brief(s.params), _number(s.score), _number(s.error)] for s in settings]
        if times:  # they differ from run to run, and the text does not
            columns.append(Column("fit time", True))
            rows = [[*r, seconds(s.seconds)] for r, s in zip(rows, settings, strict=True)]
        return columns, rows

    def _verdict(self) -> str:
        retrained = f"Retrained on {self.n_retrained:,} rows."
        if self.test_score is None:
            return (
                f"{retrained} No test rows were set aside, so nothing is known yet of new ones: "
                f"the {self.score:.4g} above is too rosy."
            )
        if self.interval is None:
            found = f"{self.scoring} {self.test_score:.4g}"
        else:
            low, high = self.interval
            found = (
                f"{percent(self.test_score)}% right, {100 * (1 - self.test_score):.1f}% wrong; 95% "
                f"interval of the accuracy {percent(low)}–{percent(high)}%"
            )
        return f"{retrained} On {self.n_test:,} test rows, looked at once: {found}."


def _number(value: float | None) -> str:
    return "–" if value is None or value != value else f"{value:.4f}"
