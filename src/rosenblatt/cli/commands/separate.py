"""``rosenblatt separate``: whether a hyperplane separates the classes, with a proof either way."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.command_builder import check_output, check_standard_input
from rosenblatt.console import (
    OutputOptions,
    UsageError,
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
)
_SHOWN = 20  # points or weights
_TINY = 1e-9
_proof = partial(option, group="Proof")


@dataclass
class SeparateOptions(OutputOptions, ReadingOptions):
    """The options of `separate`."""

    certificate: str | None = _proof(
        "Write the proof as JSON, so that others can check it.", metavar="FILE"
    )
    no_intercept: bool = _proof("Only consider hyperplanes through the origin.", default=False)
    class_: str | None = _proof("Separate this class from all others.", metavar="LABEL")
    bound: bool = _proof(
        "Also print the bound on the number of mistakes of a perceptron.", default=False
    )


def separate(options: SeparateOptions) -> None:
    """Decide whether a hyperplane separates two classes, and prove it.

    The proof is the hyperplane with its margin, or a few points of both classes whose convex hulls
    meet. It is checked against the file before it is shown.
    """
    certificate, fit_intercept = options.certificate, not options.no_intercept
    reading = options.reading()
    check_standard_input(options.files, options.labels)
    check_output(certificate, "--certificate", options.files)
    from rosenblatt.readers.named_columns import read_table

    table = read_table(options.files, reading)
    table.check_classes()
    y = two_classes(table, options.class_)
    answer = decide(table, y, fit_intercept, options.quiet or options.json)
    verdict = answer.verify(table.X, y)
    facts = described(table, y, answer, verdict)
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
    show(facts, options.quiet)
    if not options.quiet:
        note_skipped(table.unlabelled, table.errors, options.quiet)
    say(f"proof       {certificate}", quiet=options.quiet or certificate is None)


def two_classes(table: "Table", label: str | None) -> "Array":
    """Return the labels of two classes: those of the file, or one class and "other"."""
    import numpy as np

    classes = table.classes
    if label is None:
        if len(classes) > 2:
            shown = ", ".join(map(str, classes[:6])) + (", …" if len(classes) > 6 else "")
            raise UsageError(
                f"there are {len(classes)} classes ({shown}), but a hyperplane separates two: "
                f"choose one against all others, such as --class {classes[0]}"
            )
        return table.y
    known = {str(one): one for one in classes}
    if label not in known:
        shown = ", ".join(list(known)[:10])
        raise UsageError(f"--class {label!r} is not one of the classes: {shown}")
    return np.where(table.y == known[label], label, f"not {label}").astype(object)


def decide(table: "Table", y: "Array", fit_intercept: bool, quiet: bool) -> Any:
    """Decide whether the classes are separable."""
    from rosenblatt.theory.separate import separate as separate_rows

    try:
        return separate_rows(table.X, y, fit_intercept, verbose=False if quiet else None)
    except RuntimeError as error:  # no answer that can be proved
        raise ValueError(str(error)) from None


def described(table: "Table", y: "Array", answer: Any, verdict: Any) -> dict[str, Any]:
    """Return the result, for JSON."""
    rows = answer.support if answer.separable else answer.points
    points = [
        {**place, "class": y[row], "weight": weight}
        for place, row, weight in zip(
            table.places(rows), rows.tolist(), answer.weights.tolist(), strict=True
        )
    ]
    facts: dict[str, Any] = {
        "separable": answer.separable,
        "exact": verdict.exact,
        "verified": bool(verdict),
        "reason": verdict.reason,
        "examples": table.n,
        "features": len(table.names),
        "classes": sorted({*y.tolist()}),
        "intercept": answer.fit_intercept,
    }
    if answer.separable:
        w, b = answer.hyperplane.normal.tolist(), float(answer.hyperplane.offset)
        used = {name: value for name, value in zip(table.names, w, strict=True) if value}
        facts |= {
            "margin": answer.margin,
            "margin_upper": answer.margin_upper,
            "plane": {"weights": used, "offset": b},
            "support": points,
        }
    else:
        facts |= {"residual": answer.residual, "points": points}
    return {**facts, "unlabelled": table.unlabelled, "skipped": table.errors.count}


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
