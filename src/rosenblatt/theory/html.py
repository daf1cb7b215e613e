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

Fact = tuple[str, str]


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
    cell = 'style="text-align:left;vertical-align:top'
    rows = "".join(
        f'<tr><th scope="row" {cell};white-space:nowrap">{_written(name)}</th>'
        f'<td {cell};overflow-wrap:anywhere">{_written(fact)}</td></tr>'
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
