"""``rosenblatt separate``: whether a hyperplane separates the classes, with a proof either way."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.command_builder import check_output, check_standard_input
from rosenblatt.console import (
    OutputOptions,
    UsageError,
    choice,
    note_skipped,
    option,
    put,
    put_json,
    put_table,
    say,
    visible,
)
from rosenblatt.readers.command_options import ReadingOptions

if TYPE_CHECKING:
    from rosenblatt.data.rows import Array
    from rosenblatt.readers.named_columns import Table

EXAMPLES = (
    "rosenblatt separate train.svm",
    "rosenblatt separate train.csv --certificate proof.json",
    "rosenblatt separate train.svm --no-intercept --json",
    "rosenblatt separate mails.csv --text body --label kind --bound",
    "rosenblatt separate train.svm --multi-class ovo",
)
_SHOWN = 20  # points or weights
_TINY = 1e-9
_KINDS = ("ovr", "ovo")
_proof = partial(option, group="Proof")


@dataclass
class SeparateOptions(OutputOptions, ReadingOptions):
    """The options of `separate`."""

    certificate: str | None = _proof(
        "Write the proof as JSON, so that others can check it.", metavar="FILE"
    )
    no_intercept: bool = _proof("Only consider hyperplanes through the origin.", default=False)
    class_: str | None = _proof("Separate this class from all others.", metavar="LABEL")
    multi_class: str = _proof(
        "For more than two classes: ovr separates each from the rest, ovo each pair.",
        metavar="|".join(_KINDS),
        default="ovr",
    )
    bound: bool = _proof(
        "Also print the bound on the number of mistakes of a perceptron.", default=False
    )


def separate(options: SeparateOptions) -> None:
    """Decide whether a hyperplane separates two classes, and prove it.

    The proof is the hyperplane with its margin, or a few points of both classes whose convex hulls
    meet. It is checked against the file before it is shown. Of more than two classes, each is
    separated from the rest.
    """
    choice(options.multi_class, _KINDS, "--multi-class")
    certificate, fit_intercept = options.certificate, not options.no_intercept
    reading = options.reading()
    check_standard_input(options.files, options.labels)
    check_output(certificate, "--certificate", options.files)
    from rosenblatt.readers.named_columns import read_table

    table = read_table(options.files, reading)
    table.check_classes()
    y = table.y if options.class_ is None else against_others(table, options.class_)
    several = options.class_ is None and len(table.classes) > 2
    if several and options.bound:
        raise UsageError(
            f"--bound is of two classes, and there are {len(table.classes)}: choose one against "
            f"all others, such as --class {table.classes[0]}"
        )
    answer = decide(table, y, options)
    verdict = answer.verify(table.X, y)
    facts = (described_all if several else described)(table, y, answer, verdict)
    if options.bound:
        from rosenblatt.theory.bounds import bound_facts

        facts["bound"] = bound_facts(table.X, y, fit_intercept)
    if certificate is not None:
        from rosenblatt.persist.atomic import write_atomically

        write_atomically(certificate, [answer.to_json().encode() + b"\n"])
        facts["certificate"] = certificate
    if options.json:
        put_json(facts)
        return
    if several:
        show_all(facts, answer, options.quiet)
    else:
        show(facts, options.quiet)
    if not options.quiet:
        note_skipped(table.unlabelled, table.errors, options.quiet)
    say(f"proof       {certificate}", quiet=options.quiet or certificate is None)


def against_others(table: "Table", label: str) -> "Array":
    """Return the labels of two classes: one, and all others together."""
    import numpy as np

    known = {str(one): one for one in table.classes}
    if label not in known:
        shown = ", ".join(list(known)[:10])
        raise UsageError(f"--class {label!r} is not one of the classes: {shown}")
    return np.where(table.y == known[label], label, f"not {label}").astype(object)


def decide(table: "Table", y: "Array", options: SeparateOptions) -> Any:
    """Decide whether the classes are separable."""
    from rosenblatt.theory.separate import separate as separate_rows

    kind, intercept = options.multi_class, not options.no_intercept
    verbose = False if options.quiet or options.json else None
    try:
        return separate_rows(table.X, y, intercept, multi_class=kind, verbose=verbose)
    except RuntimeError as error:  # no answer that can be proved
        raise ValueError(str(error)) from None


def described(table: "Table", y: "Array", answer: Any, verdict: Any) -> dict[str, Any]:
    """Return the result, for JSON."""
    return {
        **_about(table, y, answer, verdict),
        **proof(table, y, answer),
        **_left_out(table),
    }


def described_all(table: "Table", y: "Array", answers: Any, verdict: Any) -> dict[str, Any]:
    """Return the result for more than two classes, for JSON."""
    found = []
    for key, answer in answers.items():
        labels = list(key) if isinstance(key, tuple) else [key]
        shown = proof(table, y, answer, answers.rows(key, y))
        found.append({"classes": labels, "separable": answer.separable, **shown})
    facts = {**_about(table, y, answers, verdict), "multi_class": answers.multi_class}
    return {**facts, "answers": found, **_left_out(table)}


def _about(table: "Table", y: "Array", answer: Any, verdict: Any) -> dict[str, Any]:
    return {
        "separable": answer.separable,
        "exact": verdict.exact,
        "verified": bool(verdict),
        "reason": verdict.reason,
        "examples": table.n,
        "features": len(table.names),
        "classes": sorted({*y.tolist()}),
        "intercept": answer.fit_intercept,
    }


def _left_out(table: "Table") -> dict[str, Any]:
    return {"unlabelled": table.unlabelled, "skipped": table.errors.count}


def proof(
    table: "Table", y: "Array", answer: Any, counted: "Array | None" = None
) -> dict[str, Any]:
    """Return what proves an answer; ``counted`` are the rows that it counts, if not all."""
    rows = answer.support if answer.separable else answer.points
    rows = rows if counted is None else counted[rows]
    points = [
        {**place, "class": y[row], "weight": weight}
        for place, row, weight in zip(
            table.places(rows), rows.tolist(), answer.weights.tolist(), strict=True
        )
    ]
    if not answer.separable:
        return {"residual": answer.residual, "points": points}
    w, b = answer.hyperplane.normal.tolist(), float(answer.hyperplane.offset)
    used = {name: value for name, value in zip(table.names, w, strict=True) if value}
    return {
        "margin": answer.margin,
        "margin_upper": answer.margin_upper,
        "plane": {"weights": used, "offset": b},
        "support": points,
    }


def show_all(facts: dict[str, Any], answers: Any, quiet: bool = False) -> None:
    """Print the result for more than two classes."""
    if quiet:
        put("separable" if facts["separable"] else "not separable")
        return
    pairs = facts["multi_class"] == "ovo"
    good = sum(answer.separable for answer in answers.values())
    what = "pairs of classes are separable" if pairs else "classes are separable from the rest"
    through = "" if facts["intercept"] else " through the origin"
    start = "yes" if facts["separable"] else "no"
    put(f"separable   {start}: {good:,} of {len(answers):,} {what}{through}")
    put_table(("classes" if pairs else "class", "separable", "proof"), answers.table(), left=2)
    how = "exactly" if facts["exact"] else "numerically"
    put(f"checked     {how}: {facts['reason']}")


def show(facts: dict[str, Any], quiet: bool = False) -> None:
    """Print the result."""
    first, second = (visible(str(label)) for label in facts["classes"])
    if quiet:
        put("separable" if facts["separable"] else "not separable")
        return
    through = "" if facts["intercept"] else " through the origin"
    if facts["separable"]:
        put(f"separable   yes: a hyperplane{through} separates {second} (+) from {first} (−)")
        margin, upper = facts["margin"], facts["margin_upper"]
        put(f"margin      {margin:.6g}; no hyperplane has more than {upper:.6g}")
        _show_plane(facts["plane"])
        _show_points("support", facts["support"])
    else:
        met = "the hulls meet" + ("" if facts["exact"] else " up to rounding errors")
        put(f"separable   no: {met}, so no hyperplane{through} separates {second} from {first}")
        put(f"points      {len(facts['points'])} of {facts['examples']:,} show it:")
        _show_points("", facts["points"])
    how = "exactly" if facts["exact"] else "numerically"
    put(f"checked     {how}: {facts['reason']}")
    if "bound" in facts:
        from rosenblatt.theory.bounds import bound_in_words

        put(f"mistakes    {bound_in_words(facts['bound'])}")


def _show_plane(plane: dict[str, Any]) -> None:
    weights = plane["weights"]
    ranked = sorted(weights.items(), key=lambda pair: -abs(pair[1]))
    if len(ranked) <= 4:
        # Rounding errors of zero are not shown.
        least = _TINY * abs(ranked[0][1])
        terms = [
            f"{value:+.4g}·{'x' if name.isdigit() else ''}{name}"
            for name, value in weights.items()
            if abs(value) > least
        ]
        terms += [f"{plane['offset']:+.4g}"] if abs(plane["offset"]) > least else []
        put(f"plane       {' '.join(terms)} = 0".replace("-", "−"))
        return
    put(f"plane       {len(ranked):,} weights; the largest:")
    shown = [[name, f"{value:+.6f}"] for name, value in ranked[:5]]
    put_table(("feature", "weight"), shown)


def _show_points(title: str, points: list[dict[str, Any]]) -> None:
    several = len({point["file"] for point in points}) > 1
    if title:
        put(f"{title:<11} {len(points)} nearest points:")
    rows = [
        [
            f"{point['file']}:{point['line']}" if several else f"{point['line']}",
            point["class"],
            f"{point['weight']:.6g}",
        ]
        for point in points[:_SHOWN]
    ]
    put_table(("line", "class", "weight"), rows, left=2)
    if len(points) > _SHOWN:
        put(f"… and {len(points) - _SHOWN} more (--json)")
