"""A page about a trained model: one HTML file with everything in it, to keep or to show.

It asks nothing of the network and runs no script. What comes from files is escaped.
"""

import os
from math import sqrt

from rosenblatt.persist.atomic import write_atomically
from rosenblatt.report.charts import (
    MOST_LINES,
    by_pass,
    losses_chart,
    mistakes_chart,
    plane_chart,
    rates_chart,
)
from rosenblatt.report.content import Bound, Judged, Numbers, Points, Report, Strongest
from rosenblatt.report.style import STYLE
from rosenblatt.report.svg import number, shown
from rosenblatt.report.tables import bound_table, confusion_table, facts_table, strongest_panels

__all__ = ["Bound", "Judged", "Numbers", "Points", "Report", "Strongest", "page", "write_report"]

_SAFE = "default-src 'none'; style-src 'unsafe-inline'"


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
    title = shown(report.title, 120)
    parts = [
        _opening(report, title),
        _learning(report),
        *(_judged(judged) for judged in report.judged),
        _plane(report),
        _strongest(report),
        _bound(report),
        _facts(report),
    ]
    made = f"Made by Rosenblatt {shown(report.version)}".strip()
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_SAFE}">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + f"\n</main>\n<footer>{made}.</footer>\n</body>\n</html>\n"
    )


def _section(title: str, *parts: str) -> str:
    return (
        f"<section>\n<h2>{title}</h2>\n"
        + "\n".join(part for part in parts if part)
        + "\n</section>"
    )


def _note(text: str) -> str:
    return f'<p class="note">{text}</p>' if text else ""


def _opening(report: Report, title: str) -> str:
    kinds = "" if not report.classes else f" · {len(report.classes):,} classes"
    lead = (
        f"{shown(report.learner, 80)} · {report.examples:,} examples · "
        f"{report.features:,} features{kinds}"
    )
    tiles = [tile for judged in report.judged if judged.n for tile in _error_tiles(judged)]
    if report.passes:
        tiles += [_mistakes_tile(report), _passes_tile(report)]
    if report.seconds is not None:
        tiles.append(_tile("Time to learn", _duration(report.seconds), _speed(report)))
    listed = f'<dl class="tiles">{"".join(tiles)}</dl>' if tiles else ""
    return f'<header>\n<h1>{title}</h1>\n<p class="lead">{lead}</p>\n{listed}\n</header>'


def _tile(name: str, value: str, detail: str) -> str:
    return (
        f'<div><dt>{name}</dt><dd class="value">{value}</dd><dd class="detail">{detail}</dd></div>'
    )


def _error_tiles(judged: Judged | Numbers) -> list[str]:
    name = f"{shown(judged.name).capitalize()} error"
    if isinstance(judged, Numbers):
        near = _tile(name, number(judged.rmse, 4), f"root mean square of {judged.n:,} examples")
        mean = f"mean absolute error {number(judged.mae, 4)}"
        return [near, _tile("R²", f"{judged.r2:.4f}", mean)]
    low, high = _interval(judged.wrong, judged.n)
    detail = (
        f"{judged.wrong:,} of {judged.n:,} wrong; "
        f'<span class="whole">95% interval {100 * low:.1f}–{100 * high:.1f}%</span>'
    )
    return [_tile(name, f"{100 * judged.wrong / judged.n:.2f}%", detail)]


def _mistakes_tile(report: Report) -> str:
    first = report.passes[0] / max(report.examples, 1)
    detail = f"{100 * first:.2f}% of the examples"
    if len(report.passes) > 1:
        detail = f"{report.passes[0]:,} in the first pass ({100 * first:.2f}%)"
    return _tile("Mistakes while learning", f"{report.mistakes:,}", detail)


def _passes_tile(report: Report) -> str:
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
    if not report.passes or not report.seconds:
        return ""
    rate = report.examples * len(report.passes) / report.seconds
    return f"{number(float(f'{rate:.2g}'))} examples a second"


def _interval(wrong: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share."""
    z = 1.959963984540054
    share, spread = wrong / n, z * z / n
    reach = sqrt(share * (1 - share) * spread + spread * spread / 4)
    middle = share + spread / 2
    return max(0.0, (middle - reach) / (1 + spread)), min(1.0, (middle + reach) / (1 + spread))


def _learning(report: Report) -> str:
    if report.losses:
        caption = "The root of the mean squared error, each example predicted before its step."
        chart = f'<figure class="wide">{losses_chart(report)}</figure>'
        return _section("Learning", _note(caption), chart)
    if not report.curve:
        return ""
    caption = "Each example is predicted before it is learned from."
    if 1 < len(report.passes) <= MOST_LINES:
        caption += " Dotted lines part the passes."
    second = "Error rate of each pass" if by_pass(report) else "Error rate while learning"
    return _section(
        "Learning",
        _note(caption),
        f'<div class="pair"><figure><h3>Mistakes so far</h3>{mistakes_chart(report)}</figure>'
        f"<figure><h3>{second}</h3>{rates_chart(report)}</figure></div>",
    )


def _judged(judged: Judged | Numbers) -> str:
    if isinstance(judged, Numbers) or not judged.n:
        return ""
    words = (
        "New examples" if judged.name == "test" else f"{shown(judged.name).capitalize()} examples"
    )
    caption = f"{judged.n:,} examples that were not learned from."
    if len(judged.classes) <= 16:
        caption += (
            " “Found” is the share of a class that was recognised, “correct” the share of the "
            "predictions of a class that were right."
        )
    return _section(words, _note(caption), confusion_table(judged))


def _plane(report: Report) -> str:
    if report.points is None:
        return ""
    points = report.points
    some = "" if len(points.y) == points.total else f" of {points.total:,}"
    key = "".join(
        f'<li><i class="c{k % 8}{" square" if k % 2 else ""}"></i>{shown(label, 30)}</li>'
        for k, label in enumerate(report.classes)
    )
    key += '<li><i class="ring"></i>on the wrong side</li>'
    return _section(
        "The boundary",
        _note(
            f"{len(points.y):,}{some} examples. The ground has the colour of the class that is "
            "predicted there."
        ),
        f'<figure class="wide">{plane_chart(points, report.classes)}'
        f'<ul class="key">{key}</ul></figure>',
    )


def _strongest(report: Report) -> str:
    if not report.strongest:
        return ""
    caption = "The features with the largest weights. "
    if report.strongest[0].label is None:
        caption += "Bars to the right make the number larger, bars to the left smaller."
    elif report.strongest[0].against is not None:
        caption += "Bars to the right speak for one class, bars to the left for the other."
    else:
        caption += "Bars to the right speak for the class, bars to the left against it."
    return _section("What it looks for", _note(caption), strongest_panels(report.strongest))


def _bound(report: Report) -> str:
    bound = report.bound
    if bound is None:
        return ""
    return _section("What the theory promises", _note(_promise(bound)), bound_table(bound))


def _promise(bound: Bound) -> str:
    if bound.bound is None:
        return (
            "Novikoff’s theorem: if a plane parts the classes with the margin γ, a perceptron "
            "makes at most (R/γ)² mistakes. γ is not known here."
        )
    most = f"{int(bound.bound):,}" if bound.bound < 1e15 else number(bound.bound)
    if bound.theorem == "novikoff":
        return (
            "A plane parts the classes, so by Novikoff’s theorem (1962) a perceptron makes at most "
            f"{most} mistakes on these examples, in any order and in any number of passes."
        )
    whose = "the best plane found" if bound.best else "the plane that was learned"
    return (
        f"By Freund and Schapire’s theorem (1999) a perceptron makes at most {most} mistakes in "
        f"its first pass, whether or not a plane parts the classes; γ and D are those of {whose}."
    )


def _facts(report: Report) -> str:
    notes = "".join(f'<p class="note">{shown(note, 400)}</p>' for note in report.notes)
    # A line may end before an option, and not within its dashes.
    words = (f'<span class="word">{shown(word, 4000)}</span>' for word in report.command.split(" "))
    command = f"<pre><code>{' '.join(words)}</code></pre>" if report.command else ""
    again = _section("To make it again", command) if command else ""
    return _section("Facts", facts_table(report), notes) + "\n" + again
