"""``rosenblatt inspect``: facts about a model, and its weights."""

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

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
        from rosenblatt.models import to_onnx

        model = opened.predictor.model if opened.pipeline is None else opened.pipeline
        to_onnx(model, onnx)
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
