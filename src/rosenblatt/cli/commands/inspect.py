"""``rosenblatt inspect``: what a model is, and what it looks for."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.options import Json, Model, Quiet, check_output
from rosenblatt.console import UsageError, put, put_facts, put_json, say

if TYPE_CHECKING:
    from rosenblatt.evaluation.predictors import OpenModel

EXAMPLES = (
    "rosenblatt inspect m.model",
    "rosenblatt inspect m.model --top 3 --json",
    "rosenblatt inspect m.model --all | sort -k 3 -g | tail -n 5",
    "rosenblatt inspect m.model --onnx m.onnx",
)
_WHAT = "What to show"

Top = Annotated[
    int,
    typer.Option(
        "--top",
        metavar="N",
        help="How many of the strongest features to show for each class.",
        show_default=True,
        rich_help_panel=_WHAT,
    ),
]
All = Annotated[
    bool,
    typer.Option(
        "--all",
        help="Write every weight that is not zero: name, class and weight, with tabs between "
        "them; of two classes, the one that positive weights speak for.",
        rich_help_panel=_WHAT,
    ),
]
Onnx = Annotated[
    str | None,
    typer.Option("--onnx", metavar="FILE", help="Export the model to ONNX.", rich_help_panel=_WHAT),
]


def inspect(
    model: Model,
    top: Top = 10,
    all: All = False,  # noqa: A002
    onnx: Onnx = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show what a model is, and what it looks for.

    Bars to the right speak for a class, bars to the left against it, or for the other of two.
    """
    if top < 0:
        raise UsageError(f"--top {top} must be 0 or more")
    if all and json:
        raise UsageError("--all and --json: take one")
    check_output(onnx, "--onnx", [model])
    from rosenblatt.evaluation.predictors import open_model
    from rosenblatt.inspection.model import charts, described, facts_of

    opened = open_model(model, "tag inspect")
    if onnx is not None:
        _export(opened, onnx)
        say(f"written to {onnx}", quiet=quiet)
    if all:
        _write_all(opened)
    elif json:
        put_json(described(opened, top))
    elif onnx is None:
        put_facts(facts_of(opened))
        for line in () if quiet or not top else charts(opened, top):
            put(line)


def _write_all(opened: "OpenModel") -> None:
    from rosenblatt.inspection.model import every_weight

    if opened.predictor.planes() is None:
        raise ValueError(f"{opened.path} has no weights: {opened.predictor.learner} is not linear")
    for part in every_weight(opened.predictor):
        sys.stdout.write(part)


def _export(opened: "OpenModel", path: str) -> None:
    from rosenblatt.models.onnx import to_onnx

    to_onnx(_exportable(opened), path)


def _exportable(opened: "OpenModel") -> Any:
    """Return an estimator that predicts as a model that learned from a stream does."""
    import numpy as np

    from rosenblatt.evaluation.predictors import Online

    predictor = opened.predictor
    if not isinstance(predictor, Online):
        return predictor.model
    if predictor.learner == "voted":
        raise ValueError("votes are no linear model, so ONNX cannot have them; train with averaged")
    if predictor.learner == "logistic":
        from rosenblatt.estimators.logistic import LogisticRegression as Face
    else:
        from rosenblatt.estimators.perceptron import (  # type: ignore[assignment]
            Perceptron as Face,
        )
    face, model = Face(), predictor.model
    coef, intercept = np.ascontiguousarray(model.coef_), model.intercept_
    found = {"coef_": coef, "intercept_": intercept, "classes_": model.classes_}
    names = model.feature_names_
    if names is not None:
        found["feature_names_in_"] = np.array(names, object)
    face.__dict__.update(found, n_features_in_=coef.shape[1])
    return face
