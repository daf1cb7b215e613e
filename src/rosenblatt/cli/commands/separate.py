"""``rosenblatt separate``: whether a hyperplane parts the classes, with a proof either way."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.options import (
    Drop,
    Files,
    Format,
    Json,
    Label,
    Labels,
    Ngrams,
    OnError,
    Quiet,
    Text,
    Weight,
    check_output,
    check_standard_input,
)
from rosenblatt.console import (
    UsageError,
    count,
    is_terminal,
    put,
    put_json,
    put_table,
    say,
    visible,
)
from rosenblatt.readers.options import reading_given

if TYPE_CHECKING:
    from rosenblatt.data.rows import Array
    from rosenblatt.readers.in_memory import Table

EXAMPLES = (
    "rosenblatt separate train.svm",
    "rosenblatt separate train.csv --certificate proof.json",
    "rosenblatt separate train.svm --no-intercept --json",
    "rosenblatt separate mails.csv --text body --label kind --bound",
)
_PROOF = "Proof"
_SHOWN = 20  # points or weights
_TINY = 1e-9
_LARGE = 10_000_000  # numbers, from which on it is told how far the search is

Certificate = Annotated[
    str | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="Write the proof as JSON, to be checked by others.",
        rich_help_panel=_PROOF,
    ),
]
NoIntercept = Annotated[
    bool,
    typer.Option(
        "--no-intercept",
        help="Ask for a plane through the origin.",
        rich_help_panel=_PROOF,
    ),
]
Class = Annotated[
    str | None,
    typer.Option(
        "--class",
        metavar="LABEL",
        help="Ask about this class against all others.",
        rich_help_panel=_PROOF,
    ),
]
Bound = Annotated[
    bool,
    typer.Option(
        "--bound",
        help="Say, too, how many mistakes a perceptron can make.",
        rich_help_panel=_PROOF,
    ),
]


def separate(
    files: Files,
    certificate: Certificate = None,
    no_intercept: NoIntercept = False,
    class_: Class = None,
    bound: Bound = False,
    format: Format = "auto",  # noqa: A002
    label: Label = None,
    text: Text = None,
    ngrams: Ngrams = None,
    weight: Weight = None,
    drop: Drop = None,
    labels: Labels = None,
    on_error: OnError = "stop",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Decide whether a hyperplane parts two classes, and prove it.

    The proof is the plane with its margin, or a few points of both classes whose convex hulls
    meet. It is checked against the file before it is shown.
    """
    options = reading_given(locals())
    check_standard_input(files, labels)
    check_output(certificate, "--certificate", files)
    from rosenblatt.readers.in_memory import read_table
    from rosenblatt.readers.options import Reading

    table = read_table(files, Reading(dtype="float64", labelled=True, **options))
    table.check_classes()
    y = sides(table, class_)
    answer = decided(table, y, not no_intercept, quiet or json)
    verdict = answer.verify(table.X, y)
    facts = described(table, y, answer, verdict)
    if bound:
        from rosenblatt.theory.bounds import bound_facts

        facts["bound"] = bound_facts(table.X, y, not no_intercept)
    if certificate is not None:
        from rosenblatt.persist.atomic import write_atomically

        write_atomically(certificate, [answer.to_json().encode() + b"\n"])
        facts["certificate"] = certificate
    if json:
        put_json(facts)
    else:
        show(facts, quiet)
        say(f"proof       {certificate}", quiet=quiet or certificate is None)


def sides(table: "Table", label: str | None) -> "Array":
    """Return the labels of two classes: those of the file, or one class and "other"."""
    import numpy as np

    classes = table.classes
    if label is None:
        if len(classes) > 2:
            shown = ", ".join(map(str, classes[:6])) + (", …" if len(classes) > 6 else "")
            raise UsageError(
                f"there are {len(classes)} classes ({shown}), and a hyperplane parts two: ask "
                f"about one against the others, such as --class {classes[0]}"
            )
        return table.y
    known = {str(one): one for one in classes}
    if label not in known:
        shown = ", ".join(list(known)[:10])
        raise UsageError(f"--class {label!r} is not one of the classes: {shown}")
    return np.where(table.y == known[label], label, f"not {label}").astype(object)


def decided(table: "Table", y: "Array", fit_intercept: bool, quiet: bool) -> Any:
    """Ask whether the classes can be parted."""
    from rosenblatt.theory.separate import separate as decide

    X = table.X
    size = X.nnz if hasattr(X, "nnz") else X.size
    told = size > _LARGE and is_terminal() and not quiet
    try:
        return decide(X, y, fit_intercept, verbose=told)
    except RuntimeError as error:  # no answer that can be proved
        raise ValueError(str(error)) from None


def described(table: "Table", y: "Array", answer: Any, verdict: Any) -> dict[str, Any]:
    """Return what was found, for JSON."""
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
    """Print what was found."""
    first, second = (visible(str(label)) for label in facts["classes"])
    if quiet:
        put("separable" if facts["separable"] else "not separable")
        return
    through = "" if facts["intercept"] else " through the origin"
    if facts["separable"]:
        put(f"separable   yes: a hyperplane{through} parts {second} (+) from {first} (−)")
        put(f"margin      {facts['margin']:.6g}; no plane has more than {_upper(facts)}")
        _show_plane(facts["plane"])
        _show_points("support", facts["support"])
    else:
        met = "the hulls meet" if facts["exact"] else "the hulls meet as far as rounding can tell"
        put(f"separable   no: {met}, so no hyperplane{through} parts {second} from {first}")
        put(f"points      {len(facts['points'])} of {facts['examples']:,} show it:")
        _show_points("", facts["points"])
    how = "exactly" if facts["exact"] else "numerically"
    put(f"checked     {how}: {facts['reason']}")
    if "bound" in facts:
        from rosenblatt.theory.bounds import bound_in_words

        put(f"mistakes    {bound_in_words(facts['bound'])}")
    if facts["unlabelled"]:
        say(f"note: {count(facts['unlabelled'], 'row')} without a label left out")
    if facts["skipped"]:
        say(f"note: {count(facts['skipped'], 'line')} could not be read")


def _upper(facts: dict[str, Any]) -> str:
    return f"{facts['margin_upper']:.6g}"


def _show_plane(plane: dict[str, Any]) -> None:
    weights = plane["weights"]
    ranked = sorted(weights.items(), key=lambda pair: -abs(pair[1]))
    if len(ranked) <= 4:
        # What rounding left of a zero is not shown.
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
        put(f"{title:<11} {len(points)} points lie nearest:")
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
