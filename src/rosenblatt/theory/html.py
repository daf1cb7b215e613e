"""What notebooks show of certificates and bounds: a picture, and the facts beside it."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.console import shortened
from rosenblatt.theory.pictures import meeting, proof, separation, support_bars

if TYPE_CHECKING:
    from rosenblatt.theory.bounds import MistakeBound
    from rosenblatt.theory.certificates import Inseparable, Separable
    from rosenblatt.theory.multiclass import Separations

Fact = tuple[str, str]
_CELL = 'style="text-align:left;vertical-align:top'
MOST_PICTURES = 10  # of several answers; each has up to some hundred marks


def of_separable(answer: "Separable") -> str:
    """Return a hyperplane that separates, and how far it is from both classes, as HTML."""
    head, *lines = str(answer).split("\n")
    picture = separation(answer) or support_bars(answer.support, answer.weights, answer.sketch)
    return _side_by_side(picture, head, _facts(lines), [])


def of_inseparable(answer: "Inseparable") -> str:
    """Return the points whose hulls meet as HTML."""
    head, *lines = str(answer).split("\n")
    picture = meeting(answer) or support_bars(answer.points, answer.weights, answer.sketch)
    return _side_by_side(picture, head, _facts(lines), [])


def of_several(answers: "Separations") -> str:
    """Return the answers for more than two classes: a table, and each picture to unfold."""
    lines = answers.table()
    rows = "".join(
        f'<tr><th scope="row" {_CELL};white-space:nowrap">{_written(name)}</th>'
        f'<td {_CELL}">{_written(good)}</td><td {_CELL}">{_written(why)}</td></tr>'
        for name, good, why in lines
    )
    shown = list(zip(lines, answers.values(), strict=True))[:MOST_PICTURES]
    pictures = "".join(
        f"<details><summary>{_written(name)}</summary>{answer._repr_html_()}</details>"
        for (name, _, _), answer in shown
    )
    rest = len(lines) - len(shown)
    more = f"<p>… and {rest:,} more, each by its key: answers[key]</p>" if rest else ""
    return (
        f"<div><p><strong>{_written(answers.summary())}</strong></p>"
        f"<table><tbody>{rows}</tbody></table>{pictures}{more}</div>"
    )


def of_bound(bound: "MistakeBound") -> str:
    """Return a bound on mistakes and what it is made of as HTML."""
    head, *lines = str(bound).split("\n")
    parts = [
        ("R, the longest row", f"{bound.radius:.6g}"),
        ("γ, the margin", f"{bound.margin:.6g}"),
    ]
    if bound.deviation:
        parts.insert(1, ("D, what rows lack to the margin", f"{bound.deviation:.6g}"))
    formula = "((R + D)/γ)²" if bound.theorem == "freund-schapire" else "(R/γ)²"
    parts.append((formula, f"{bound.bound:,.6g}"))
    notes = [line.strip() for line in lines[1:]]
    if bound.fit_intercept:
        notes.insert(0, "With an intercept, all this is of the rows (x, 1).")
    picture = proof(bound) if np.isfinite(bound.bound) else ""
    return _side_by_side(picture, head.rstrip(":"), parts, notes)


def _facts(lines: Sequence[str]) -> list[Fact]:
    """Split the lines of a text into names and facts; one without a name continues the last."""
    facts: list[Fact] = []
    for line in lines:
        name, _, fact = line.strip().partition("  ")
        if fact:
            facts.append((name, fact.strip()))
        else:
            facts.append(("", line.strip()))
    return facts


def _side_by_side(picture: str, title: str, facts: Sequence[Fact], notes: Sequence[str]) -> str:
    rows = "".join(
        f'<tr><th scope="row" {_CELL};white-space:nowrap">{_written(name)}</th>'
        f'<td {_CELL};overflow-wrap:anywhere">{_written(fact)}</td></tr>'
        for name, fact in facts
    )
    below = "".join(f"<p>{_written(note)}</p>" for note in notes)
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">'
        f'{picture}<div style="flex:1 1 20em;max-width:40em"><p><strong>{_written(title)}</strong>'
        f"</p><table><tbody>{rows}</tbody></table>{below}</div></div>"
    )


def _written(text: str) -> str:
    """Write a text that may hold labels: short, printable, and never HTML."""
    return escape(shortened(text, 400))
