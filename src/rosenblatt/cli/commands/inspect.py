"""``rosenblatt inspect``: facts about a model, and its weights."""

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.command_builder import check_output
from rosenblatt.console import (
    ModelFile,
    OutputOptions,
    UsageError,
    option,
    put,
    put_facts,
    put_json,
    say,
)

if TYPE_CHECKING:
    from rosenblatt.prediction.model_files import OpenModel

EXAMPLES = (
    "rosenblatt inspect m.model",
    "rosenblatt inspect m.model --top 3 --json",
    "rosenblatt inspect m.model --all | sort -k 3 -g | tail -n 5",
    "rosenblatt inspect m.model --onnx m.onnx",
)
_shown = partial(option, group="What to show")


@dataclass
class InspectOptions(OutputOptions, ModelFile):
    """The options of `inspect`."""

    top: int = _shown(
        "How many of the features with the largest weights to show for each class.",
        default=10,
        metavar="N",
    )
    all: bool = _shown(
        "Write every nonzero weight: name, class and weight, separated by tabs; of two classes, "
        "the one that positive weights are for.",
        default=False,
    )
    onnx: str | None = _shown("Export the model to ONNX.", metavar="FILE")


def inspect(options: InspectOptions) -> None:
    """Show facts about a model, and its feature weights.

    Bars to the right are for a class; bars to the left are against it, or for the other of two.
    """
    top, onnx = options.top, options.onnx
    if top < 0:
        raise UsageError(f"--top {top} must be 0 or more")
    if options.all and options.json:
        raise UsageError("--all and --json cannot be combined")
    check_output(onnx, "--onnx", [options.model])
    from rosenblatt.inspection.model import charts, described, facts_of
    from rosenblatt.prediction.model_files import open_model

    opened = open_model(options.model, "tag inspect", pipelines=True)
    if onnx is not None:
        from rosenblatt.models.onnx import to_onnx

        to_onnx(_exportable(opened), onnx)
        say(f"written to {onnx}", quiet=options.quiet)
    if options.all:
        _write_all(opened)
    elif options.json:
        put_json(described(opened, top))
    elif onnx is None:
        put_facts(facts_of(opened))
        for line in () if options.quiet or not top else charts(opened, top):
            put(line)


def _write_all(opened: "OpenModel") -> None:
    from rosenblatt.inspection.model import every_weight

    if opened.predictor.planes() is None:
        raise ValueError(f"{opened.path} has no weights: {opened.predictor.learner} is not linear")
    for part in every_weight(opened.predictor):
        sys.stdout.write(part)


def _exportable(opened: "OpenModel") -> Any:
    """Return an estimator that predicts like a model of a stream."""
    import numpy as np

    from rosenblatt.learner_registry import LEARNERS
    from rosenblatt.prediction.model_files import Online
    from rosenblatt.stream.rules import rule_of

    predictor = opened.predictor
    if opened.pipeline is not None:
        raise ValueError(
            f"{opened.path} is a pipeline, of which ONNX can represent the last step alone: export "
            "that in Python, rosenblatt.models.to_onnx(pipeline[-1], FILE)"
        )
    if not isinstance(predictor, Online):
        return predictor.model
    if rule_of(predictor.model._options).keeps_rows:
        raise ValueError(
            "a voted perceptron is not a linear model, so ONNX cannot represent it; train averaged"
        )
    estimator, model = LEARNERS[predictor.learner].load()(), predictor.model
    coef, intercept = np.ascontiguousarray(model.coef_), model.intercept_
    fitted = {"coef_": coef, "intercept_": intercept}
    if not model.predicts_numbers:
        fitted["classes_"] = model.classes_
    names = model.feature_names_
    if names is not None:
        fitted["feature_names_in_"] = np.array(names, object)
    estimator.__dict__.update(fitted, n_features_in_=coef.shape[-1])
    return estimator
