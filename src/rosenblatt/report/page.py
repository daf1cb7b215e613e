"""The page about a trained model: one HTML file that needs no network and runs no script.

`description` says what the page shows, as plain texts and lists; ``page.html`` is its template.
"""

import os
import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from rosenblatt.console import count, percent, rate, shortened, size
from rosenblatt.evaluation.metrics import Confusion, Residuals, wilson
from rosenblatt.persist.atomic import write_atomically
from rosenblatt.report.charts import (
    MOST_LINES,
    by_pass,
    losses_chart,
    mistakes_chart,
    number,
    plane_chart,
    rates_chart,
)
from rosenblatt.report.model_facts import FeatureWeights, Report
from rosenblatt.report.template import render

MOST_CLASSES = 16  # that a table of all pairs shows
MOST_PAIRS = 12
MOST_PANELS = 12
_PER_SIDE = 4  # bars to each side, of several classes
_HEAT = 0.55  # of the darkest cell, on which ink can still be read
_PARTS = re.compile(r"[^_=^.]*[_=^.]|[^_=^.]+")  # of a name, between which a line may end


def write_report(path: str | os.PathLike[str], report: Report) -> None:
    """Write a report to a file, whole or not at all.

    Parameters
    ----------
    path : str or path
        The file, such as ``report.html``.
    report : Report
        What it says. The same report makes the same file, byte for byte.
    """
    write_atomically(path, [page(report).encode()])


def page(report: Report) -> str:
    """Return the page."""
    return render("page.html", description(report))


def description(report: Report) -> dict[str, Any]:
    """Return what the page shows; a part that is None or empty is left out."""
    return {
        "title": shortened(report.title, 120),
        "lead": " · ".join(_lead(report)),
        "tiles": _tiles(report),
        "learning": _learning(report),
        "test": _confusion(report.test) if isinstance(report.test, Confusion) else None,
        "boundary": _boundary(report),
        "weights": _weights(report.weights),
        "bound": _bound(report),
        "facts": _facts(report),
        "notes": [shortened(note, 400) for note in report.notes],
        # A line may end before an option, but not within its dashes.
        "command": report.command
        and {"words": [shortened(word, 4000) for word in report.command.split(" ")]},
        "version": shortened(report.version),
    }


_MEASURES = {
    "log loss": "the mean of −log of the probability of each label",
    "AUC": "the probability that scores rank two rows of different classes rightly",
}


def _lead(report: Report) -> list[str]:
    facts = [shortened(report.learner, 80), count(report.examples, "example")]
    facts.append(count(report.features, "feature"))
    return [*facts, count(len(report.classes), "class", "classes")] if report.classes else facts


def _tiles(report: Report) -> list[dict[str, str]]:
    test, tiles = report.test, []
    if isinstance(test, Residuals) and test.examples:
        detail = f"root mean square of {count(test.examples, 'example')}"
        tiles.append(_tile("Test error", number(test.rmse, 4), detail))
        tiles.append(_tile("R²", f"{test.r2:.4f}", f"mean absolute error {number(test.mae, 4)}"))
    elif isinstance(test, Confusion) and test.examples:
        tile = _tile("Test error", percent(1 - test.accuracy))
        wrong = f"{test.mistakes:,} of {test.examples:,} wrong"
        if test.has_weights:
            tiles.append(tile | {"detail": f"{wrong}, by importance weight"})
        else:
            low, high = (100 * end for end in wilson(test.mistakes, test.examples))
            interval = f"95% interval {low:.1f}–{high:.1f}%"
            tiles.append(tile | {"detail": f"{wrong};", "interval": interval})
        for name, value in report.test_scores:
            tiles.append(_tile(f"Test {name}", value, _MEASURES[name]))
    if report.passes:
        tiles += [_mistakes_tile(report), _passes_tile(report)]
    if report.seconds is not None:
        tiles.append(_tile("Training time", _duration(report.seconds), _speed(report)))
    return tiles


def _tile(name: str, value: str, detail: str = "") -> dict[str, str]:
    return {"name": name, "value": value, "detail": detail}


def _mistakes_tile(report: Report) -> dict[str, str]:
    first = percent(report.passes[0] / max(report.examples, 1))
    detail = f"{first} of the examples"
    if len(report.passes) > 1:
        detail = f"{report.passes[0]:,} in the first pass ({first})"
    return _tile("Mistakes while learning", f"{report.mistakes:,}", detail)


def _passes_tile(report: Report) -> dict[str, str]:
    if report.converged is None or (len(report.passes) == 1 and not report.converged):
        detail = "over all examples"
    else:
        detail = "the last without a mistake" if report.converged else "the last with mistakes"
    return _tile("Passes", f"{len(report.passes):,}", detail)


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _speed(report: Report) -> str:
    speed = rate(report.examples * len(report.passes), report.seconds or 0.0)
    return f"{number(float(f'{speed:.2g}'))} examples/s" if speed else ""


def _learning(report: Report) -> dict[str, Any] | None:
    if report.losses:
        note = "Root mean squared error, each example predicted before its step."
        return {"note": note, "losses": losses_chart(report)}
    if not report.curve:
        return None
    note = "Each example is predicted before it is learned from."
    if 1 < len(report.passes) <= MOST_LINES:
        note += " Dotted lines separate the passes."
    charts = {
        "mistakes": mistakes_chart(report),
        "heading": "Error rate of each pass" if by_pass(report) else "Error rate while learning",
        "rates": rates_chart(report),
    }
    return {"note": note, "charts": charts}


def _confusion(test: Confusion) -> dict[str, Any] | None:
    """Describe the confusion matrix; of many classes, the pairs that are confused most."""
    if not test.examples:
        return None
    note = f"{count(test.examples, 'example')} that the model did not learn from."
    if len(test.classes) > MOST_CLASSES:
        return {"note": note, **_worst_pairs(test)}
    note += (
        " Recall is the share of a class that is recognised, precision the share of the "
        "predictions of a class that are right."
    )
    right, columns = test.matrix.diagonal().tolist(), test.matrix.sum(axis=0).tolist()
    rows = [
        {
            "label": shortened(label, 24),
            "cells": [_cell(n, sum(row), k == j) for j, n in enumerate(row)],
            "recall": _share(row[k] if k < len(row) else 0, sum(row)),
        }
        for k, (label, row) in enumerate(zip(test.labels, test.matrix.tolist(), strict=True))
    ]
    table = {
        "span": len(test.classes),
        "classes": [shortened(label, 24) for label in test.classes.tolist()],
        "rows": rows,
        "precisions": [_share(n, column) for n, column in zip(right, columns, strict=True)],
        "accuracy": _share(sum(right), test.examples),
    }
    return {"note": note, "table": table}


def _cell(n: int, total: int, right: bool) -> dict[str, str]:
    heat = f"{_HEAT * (n / total) ** 0.45:.3f}" if n else "0"
    return {"kind": "right" if right else "error", "heat": heat, "count": f"{n:,}"}


def _worst_pairs(test: Confusion) -> dict[str, Any]:
    table = test.matrix.tolist()
    pairs = [(-n, k, j) for k, row in enumerate(table) for j, n in enumerate(row) if k != j and n]
    rows = [
        {
            "label": shortened(test.labels[k], 30),
            "predicted": shortened(test.labels[j], 30),
            "count": f"{-n:,}",
            "share": _share(-n, sum(table[k])),
        }
        for n, k, j in sorted(pairs)[:MOST_PAIRS]
    ]
    return {"pairs": {"rows": rows}, "more": _more(len(pairs), MOST_PAIRS)}


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "–"


def _more(n: int, shown: int) -> str:
    return f"{n - shown:,}" if n > shown else ""


def _boundary(report: Report) -> dict[str, Any] | None:
    points = report.points
    if points is None:
        return None
    some = "" if len(points.y) == points.total else f" of {points.total:,}"
    return {
        "note": f"{len(points.y):,}{some} examples. The background shows the predicted class.",
        "chart": plane_chart(points, report.classes),
        "classes": [
            {"kind": f"c{k % 8}{' square' if k % 2 else ''}", "label": shortened(label, 30)}
            for k, label in enumerate(report.classes)
        ],
    }


def _weights(weights: Sequence[FeatureWeights]) -> dict[str, Any] | None:
    if not weights:
        return None
    note = "The features with the largest weights. "
    if weights[0].label is None:
        note += "Bars to the right increase the prediction, bars to the left decrease it."
    elif weights[0].against is not None:
        note += "Bars to the right speak for one class, bars to the left for the other."
    else:
        note += "Bars to the right speak for the class, bars to the left against it."
    return {
        "note": note,
        "kind": "panels" if len(weights) > 1 else "panel-alone",
        "panels": [_panel(one, len(weights) > 1) for one in weights[:MOST_PANELS]],
        "more": _more(len(weights), MOST_PANELS),
    }


def _panel(one: FeatureWeights, several: bool) -> dict[str, Any]:
    ranked = sorted(one.features, key=lambda pair: (-pair[1], pair[0]))
    if several and len(ranked) > 2 * _PER_SIDE:
        ranked = ranked[:_PER_SIDE] + ranked[-_PER_SIDE:]
    most = max((abs(weight) for _, weight in ranked), default=1.0) or 1.0
    panel: dict[str, Any] = {"bars": [_bar(name, w, 100 * w / most) for name, w in ranked]}
    if one.against is not None:
        negative, positive = shortened(one.against, 30), shortened(one.label, 30)
        panel["sides"] = {"negative": negative, "positive": positive}
    elif one.label is not None:
        panel["label"] = shortened(one.label, 30)
    return panel


def _bar(name: str, weight: float, reach: float) -> dict[str, Any]:
    return {
        "words": _PARTS.findall(shortened(name, 40)),
        "start": f"{100 + min(reach, 0):.2f}",
        "width": f"{abs(reach):.2f}",
        "kind": "pro" if reach >= 0 else "contra",
        "weight": number(weight),
    }


def _bound(report: Report) -> dict[str, Any] | None:
    bound = report.bound
    if bound is None:
        return None
    novikoff = bound.theorem == "novikoff"
    most = f"{int(bound.bound):,}" if bound.bound < 1e15 else number(bound.bound)
    whose = "the best hyperplane" if report.bound_is_best else "the hyperplane that was learned"
    if novikoff:
        note = (
            "A hyperplane separates the classes, so by Novikoff’s theorem (1962) a perceptron "
            f"makes at most {most} mistakes on these examples, in any order and in any number of "
            "passes."
        )
    else:
        note = (
            f"By Freund and Schapire’s theorem (1999) a perceptron makes at most {most} mistakes "
            "in its first pass, whether or not a hyperplane separates the classes; γ and D are "
            f"those of {whose}."
        )
    space = " of (x, 1)" if bound.fit_intercept else ""
    facts = {
        "R, the longest example": f"{number(bound.radius, 6)}{space}",
        "γ, the margin": number(bound.margin, 6),
        "D, the deviation": "" if novikoff else number(bound.deviation, 6),
        f"{'(R/γ)²' if novikoff else '((R + D)/γ)²'}, the bound": number(bound.bound, 6),
    }
    return {"note": note, "facts": _rows(facts)}


def _facts(report: Report) -> list[dict[str, Any]]:
    """List the learner, its settings, files and counts."""
    facts: dict[str, Any] = {"learner": shortened(report.learner, 200)}
    facts |= {shortened(name): shortened(v, 200) for name, v in report.parameters.items()}
    facts |= {
        "files": _files(report),
        "examples": f"{report.examples:,}",
        "features": f"{report.features:,}",
        "classes": _classes(report),
        "passes made": f"{len(report.passes):,}" if report.passes else "",
        "mistakes in each pass": _listed([f"{n:,}" for n in report.passes]),
        "validation error after each": _listed(
            [number(v**0.5, 4) if report.losses else percent(v) for v in report.validation]
        ),
        "error (rmse) in each pass": _listed([number(loss**0.5, 4) for loss in report.losses]),
        "training time": "" if report.seconds is None else f"{report.seconds:.3g} s",
    }
    return _rows(facts)


def _rows(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Describe a table of names and values; a value is a text or a list of lines."""
    return [
        {"name": name, "lines": value if isinstance(value, list) else [value]}
        for name, value in facts.items()
        if value
    ]


def _files(report: Report) -> list[str]:
    each = [
        shortened(name, 120) + ("" if n_bytes is None else f" ({size(n_bytes)})")
        for name, n_bytes in report.files[:10]
    ]
    more = _more(len(report.files), len(each))
    return [*each, f"… and {more} more"] if more else each


def _classes(report: Report) -> str:
    each = [
        shortened(label, 30) + ("" if n is None else f" ({n:,})")
        for label, n in zip_longest(report.classes[:20], report.counts[:20])
    ]
    more = _more(len(report.classes), len(each))
    return ", ".join([*each, f"… and {more} more"] if more else each)


def _listed(values: Sequence[str]) -> str:
    if len(values) > 20:
        values = [*values[:10], "…", *values[-3:]]
    return ", ".join(values)
