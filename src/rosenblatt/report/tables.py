"""The tables of a report: who was taken for whom, the strongest features, the facts."""

from collections.abc import Sequence

from rosenblatt.report.content import Bound, Judged, Report, Strongest
from rosenblatt.report.svg import number, shown

MOST_CLASSES = 16  # that a table of all pairs shows
MOST_PAIRS = 12
MOST_PANELS = 12
_PER_SIDE = 4  # of several classes
_HEAT = 0.55  # of the darkest cell, on which ink can still be read


def confusion_table(judged: Judged) -> str:
    """Make a table of the classes and what they were taken for; the darker, the more."""
    if len(judged.classes) > MOST_CLASSES:
        return _worst_pairs(judged)
    heads = "".join(f'<th scope="col">{shown(label, 24)}</th>' for label in judged.classes)
    labels = [shown(label, 24) for label in judged.labels or judged.classes]
    rows = []
    for k, (label, row) in enumerate(zip(labels, judged.confusion.tolist(), strict=True)):
        total = sum(row)
        cells = "".join(_cell(value, total, j == k) for j, value in enumerate(row))
        recall = _percent(row[k] if k < len(row) else 0, total)
        rows.append(f'<tr><th scope="row">{label}</th>{cells}<td class="margin">{recall}</td></tr>')
    columns = judged.confusion.sum(axis=0).tolist()
    right = judged.confusion.diagonal().tolist()
    precision = "".join(
        f'<td class="margin">{_percent(hits, column)}</td>'
        for hits, column in zip(right, columns, strict=True)
    )
    span = len(judged.classes)
    return (
        f'<div class="scroll"><table class="confusion"><thead>'
        f'<tr><td></td><th colspan="{span}" class="over" scope="colgroup">predicted</th>'
        f'<td></td></tr><tr><th scope="col" class="corner">true class</th>{heads}'
        f'<th scope="col" class="margin">found</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody>"
        f'<tfoot><tr><th scope="row" class="margin">correct</th>{precision}'
        f'<td class="margin">{_percent(sum(right), judged.n)}</td></tr></tfoot></table></div>'
    )


def _cell(value: int, total: int, right: bool) -> str:
    share = value / total if total else 0.0
    heat = f' style="--heat:{_HEAT * share**0.45:.3f}"' if value else ""
    kind = "right" if right else "error"
    return f'<td class="{kind}"{heat}>{value:,}</td>'


def _worst_pairs(judged: Judged) -> str:
    """List the pairs that were confused most, where classes are too many for a table."""
    table, labels = judged.confusion, judged.labels or judged.classes
    pairs = [
        (int(table[k, j]), k, j)
        for k in range(table.shape[0])
        for j in range(table.shape[1])
        if k != j and table[k, j]
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1:]))
    rows = "".join(
        f"<tr><td>{shown(labels[k], 30)}</td><td>{shown(judged.classes[j], 30)}</td>"
        f'<td class="figure">{n:,}</td>'
        f'<td class="figure">{_percent(n, int(table[k].sum()))}</td></tr>'
        for n, k, j in pairs[:MOST_PAIRS]
    )
    heads = '<th scope="col">true class</th><th scope="col">taken for</th>'
    heads += '<th scope="col" class="figure">times</th>'
    heads += '<th scope="col" class="figure">of the class</th>'
    more = len(pairs) - MOST_PAIRS
    rest = f'<p class="note">… and {more:,} more pairs.</p>' if more > 0 else ""
    return (
        f'<div class="scroll"><table class="list"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{rest}"
    )


def strongest_panels(strongest: Sequence[Strongest]) -> str:
    """Show weights as bars to both sides: one panel for two classes, else one for each class."""
    panels = []
    for one in strongest[:MOST_PANELS]:
        ranked = sorted(one.features, key=lambda pair: (-pair[1], pair[0]))
        if len(strongest) > 1 and len(ranked) > 2 * _PER_SIDE:
            ranked = ranked[:_PER_SIDE] + ranked[-_PER_SIDE:]
        panels.append(_panel(one, ranked))
    left = len(strongest) - MOST_PANELS
    more = f'<p class="note">… and {left:,} more classes.</p>' if left > 0 else ""
    kind = "panels" if len(strongest) > 1 else "panel-alone"
    return f'<div class="{kind}">{"".join(panels)}</div>{more}'


def _panel(one: Strongest, ranked: Sequence[tuple[str, float]]) -> str:
    most = max((abs(weight) for _, weight in ranked), default=1.0) or 1.0
    rows = "".join(_bar(name, weight, weight / most) for name, weight in ranked)
    label = shown(one.label, 30)
    if one.label is None:
        head = ""
    elif one.against is None:
        head = f"<caption><b>{label}</b></caption>"
    else:
        head = (
            f'<caption class="sides"><span>← <b class="for0">{shown(one.against, 30)}</b></span>'
            f'<span><b class="for1">{label}</b> →</span></caption>'
        )
    widths = '<colgroup><col class="name"><col><col class="weight"></colgroup>'
    return f'<table class="bars">{head}{widths}<tbody>{rows}</tbody></table>'


def _bar(name: str, weight: float, share: float) -> str:
    width = 100 * abs(share)
    start = 100.0 if share >= 0 else 100.0 - width
    kind = "pro" if share >= 0 else "contra"
    bar = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 10" '
        'preserveAspectRatio="none" aria-hidden="true">'
        f'<rect x="{start:.2f}" y="1" width="{width:.2f}" height="8" class="{kind}"/>'
        '<line x1="100" y1="0" x2="100" y2="10" class="zero"/></svg>'
    )
    return (
        f'<tr><th scope="row">{_breakable(shown(name, 40))}</th>'
        f'<td class="bar">{bar}</td><td class="figure">{number(weight)}</td></tr>'
    )


def _breakable(name: str) -> str:
    """Let a name go on in the next line after what parts its words."""
    for mark in "_=^.":
        name = name.replace(mark, mark + "<wbr>")
    return name


def facts_table(report: Report) -> str:
    """List what is known: the learner, its settings, files and counts."""
    facts = [("learner", shown(report.learner, 200))]
    facts += [(shown(name), shown(value, 200)) for name, value in report.parameters.items()]
    facts += [("files", _files(report))] if report.files else []
    facts += [("examples", f"{report.examples:,}"), ("features", f"{report.features:,}")]
    if report.classes:
        facts.append(("classes", _classes(report)))
    if report.passes:
        facts.append(("passes made", f"{len(report.passes):,}"))
        facts.append(("mistakes in each pass", _listed([f"{n:,}" for n in report.passes])))
    if report.validation:
        shares = [f"{100 * share:.2f}%" for share in report.validation]
        facts.append(("validation error after each", _listed(shares)))
    if report.losses:
        roots = [number(loss**0.5, 4) for loss in report.losses]
        facts.append(("error (rmse) in each pass", _listed(roots)))
    if report.seconds is not None:
        facts.append(("time to learn", f"{report.seconds:.3g} s"))
    return definitions(facts)


def definitions(facts: Sequence[tuple[str, str]]) -> str:
    """Make a table of names and what they stand for; both are escaped already."""
    rows = "".join(f'<tr><th scope="row">{name}</th><td>{fact}</td></tr>' for name, fact in facts)
    return f'<table class="facts"><tbody>{rows}</tbody></table>'


def bound_table(bound: Bound) -> str:
    """List what the bound is made of."""
    space = " of (x, 1)" if bound.fit_intercept else ""
    facts = [("R, the longest example", f"{number(bound.radius, 6)}{space}")]
    if bound.margin is not None:
        facts.append(("γ, the margin", number(bound.margin, 6)))
    if bound.theorem == "freund-schapire":
        facts.append(("D, what examples lack to it", number(bound.deviation, 6)))
    if bound.bound is not None:
        name = "(R/γ)²" if bound.theorem == "novikoff" else "((R + D)/γ)²"
        facts.append((f"{name}, the bound", number(bound.bound, 6)))
    return definitions(facts)


def _files(report: Report) -> str:
    each = [
        f"{shown(name, 120)}" + ("" if size is None else f" ({_size(size)})")
        for name, size in report.files[:10]
    ]
    if len(report.files) > len(each):
        each.append(f"… and {len(report.files) - len(each):,} more")
    return "<br>".join(each)


def _classes(report: Report) -> str:
    counts: list[int | None] = [*report.counts] or [None] * len(report.classes)
    each = [
        shown(label, 30) + ("" if n is None else f" ({n:,})")
        for label, n in zip(report.classes[:20], counts, strict=False)
    ]
    more = len(report.classes) - len(each)
    return ", ".join(each) + (f", … and {more:,} more" if more > 0 else "")


def _listed(values: Sequence[str]) -> str:
    if len(values) > 20:
        values = [*values[:10], "…", *values[-3:]]
    return ", ".join(values)


def _size(n_bytes: float) -> str:
    for unit, word in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:.1f} {word}"
    return f"{n_bytes:.0f} bytes"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "–"
