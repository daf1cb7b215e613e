"""A model file described, as text and as JSON."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.console import count, percent, several, shortened, size, text_width
from rosenblatt.data.rows import Array
from rosenblatt.learner_registry import LEARNERS
from rosenblatt.models.stored_types import STREAMS
from rosenblatt.persist.container import read_header
from rosenblatt.prediction.model_files import OpenModel, Predictor
from rosenblatt.readers.names import Hashed, Numbered
from rosenblatt.stream.explaining import INTERCEPT

_AT_ONCE = 1 << 16
_NAME = 26  # letters of a feature's name
_EFFECT = "per std. dev."  # the heading of what one standard deviation does
_LINE = 76  # letters of a class in a line of its own
_LABEL = 32  # letters of a class in the list of all
_BAR = 17  # letters of a bar to one side
_MOST_CLASSES = 8
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_KERNELS = {
    "linear": "x·z",
    "poly": "({gamma:.4g} x·z + {coef0:.4g})^{degree}",
    "rbf": "exp(−{gamma:.4g} ‖x − z‖²)",
    "laplacian": "exp(−{gamma:.4g} ‖x − z‖₁)",
    "precomputed": "its values are given in place of rows",
    "callable": "a function, which is not in the file",
}


class Function(NamedTuple):
    """A linear function.

    Attributes
    ----------
    label : object
        The class that positive weights speak for; "prediction" if numbers are predicted.
    against : object or None
        The class that negative weights speak for, if there are two.
    effects : array
        What one deviation of a number that was standardised does; else the weight.
    """

    label: Any
    against: Any
    weights: Array
    intercept: float
    effects: Array


def functions(predictor: Predictor) -> list[Function]:
    """Return the linear functions of a model: one for two classes, else one for each."""
    planes = predictor.planes()
    if planes is None:
        return []
    coef, intercept = planes
    deviations = predictor.deviations()
    effects = coef if deviations is None else coef * deviations
    pairs = list(zip(coef, intercept.tolist(), effects, strict=True))
    if predictor.classes is None:
        return [Function("prediction", None, *pairs[0])]
    classes = predictor.classes.tolist()
    if len(pairs) == 1 and len(classes) == 2:
        return [Function(classes[1], classes[0], *pairs[0])]
    return [Function(label, None, *pair) for label, pair in zip(classes, pairs, strict=True)]


def name_of(predictor: Predictor, column: int) -> str:
    """Return the name of a column; ``#17`` if names were hashed to column 17."""
    name = predictor.names.name(column)
    return f"#{column}" if name is None else name


class Weight(NamedTuple):
    """The weight of a feature, and what one deviation of it does if it was standardised."""

    feature: str
    weight: float
    effect: float


def strongest(predictor: Predictor, function: Function, top: int) -> list[Weight]:
    """Return the features with the largest effects, from the largest down.

    With two classes, that many for each.
    """
    effects = function.effects
    if function.against is None:
        chosen = _largest(np.abs(effects), top)
    else:
        chosen = np.concatenate([_largest(effects, top), _largest(-effects, top)])
    chosen = chosen[np.argsort(-effects[chosen], kind="stable")]
    return [
        Weight(name_of(predictor, int(j)), float(function.weights[j]), float(effects[j]))
        for j in chosen
    ]


def _largest(values: Array, top: int) -> Array:
    """Return the places of the largest values above zero."""
    size = min(top, len(values))
    if not size:
        return np.empty(0, np.intp)
    found = np.argpartition(-values, size - 1)[:size]
    return np.asarray(found[values[found] > 0])


def every_weight(predictor: Predictor) -> Iterator[str]:
    """Yield lines with name, class and weight between tabs, for all weights but zeros."""
    for function in functions(predictor):
        label = _escaped(str(function.label))
        if function.intercept:
            yield f"{INTERCEPT}\t{label}\t{function.intercept!r}\n"
        used = np.flatnonzero(function.weights)
        for start in range(0, len(used), _AT_ONCE):
            columns = used[start : start + _AT_ONCE]
            values = function.weights[columns]
            yield "".join(
                f"{_escaped(name_of(predictor, j))}\t{label}\t{value}\n"
                for j, value in zip(columns.tolist(), map(str, values), strict=True)
            )


def _escaped(text: str) -> str:
    r"""Write what would break a line or a column as Python does.

    >>> _escaped("a\tb")
    'a\\tb'
    """
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(c if c.isprintable() and c != "\\" else ascii(c)[1:-1] for c in text)


def described(opened: OpenModel, top: int) -> dict[str, Any]:
    """Describe a model, for JSON."""
    header, predictor = read_header(opened.path), opened.predictor
    classes = predictor.classes
    return {
        **file_facts(opened.path, header),
        "learner": predictor.learner,
        "steps": None if opened.pipeline is None else _steps(opened.pipeline),
        "parameters": _parameters(opened, header),
        "classes": None if classes is None else classes.tolist(),
        "features": predictor.names.n_features,
        **({} if (used := with_weight(predictor)) is None else {"features_with_weight": used}),
        "feature_names": getattr(predictor.names, "kind", "kept"),
        "holds_training_rows": header.get("holds_training_rows", False),
        "reading": opened.extra.get("reading"),
        "training": _training(opened, header),
        "kernel": _kernel(predictor.model),
        "weights": [
            {
                "class": function.label,
                "against": function.against,
                "intercept": function.intercept,
                "strongest": [
                    {"feature": name, "weight": weight, "per_deviation": effect}
                    for name, weight, effect in strongest(predictor, function, top)
                ],
            }
            for function in functions(predictor)
        ],
    }


def _steps(pipeline: Any) -> list[dict[str, Any]]:
    """Name the steps of a pipeline before its last one, and the columns that each takes."""
    found: list[dict[str, Any]] = []
    for place, (_, step) in enumerate(pipeline.steps):
        if hasattr(step, "steps"):
            found += _steps(step)
        elif hasattr(step, "transformers"):
            found += [
                {"columns": [str(column) for column in columns], "steps": _classes_of(part)}
                for _, part, columns in getattr(step, "transformers_", step.transformers)
            ]
        elif place < len(pipeline.steps) - 1 and not isinstance(step, str):
            names = getattr(step, "feature_names_in_", None)
            columns = None if names is None else [str(name) for name in names]
            found.append({"columns": columns, "steps": _classes_of(step)})
    return found


def _classes_of(step: Any) -> list[str]:
    """Name the classes of a step, without those that only turn cells into numbers or text."""
    if hasattr(step, "steps"):
        return [name for _, part in step.steps for name in _classes_of(part)]
    name = step if isinstance(step, str) else type(step).__name__
    return [] if name == "FunctionTransformer" else [name]


def _steps_in_words(steps: list[dict[str, Any]]) -> str:
    """Write which columns get which steps.

    >>> _steps_in_words([{"columns": ["age", "pay"], "steps": ["SimpleImputer", "StandardScaler"]}])
    'age, pay: SimpleImputer, StandardScaler'
    """
    parts = []
    for step in steps:
        names = ["all columns"] if step["columns"] is None else list(step["columns"])
        more = f" and {len(names) - 6} more" if len(names) > 6 else ""
        parts.append(f"{', '.join(names[:6])}{more}: {', '.join(step['steps'])}")
    return "; ".join(parts)


def file_facts(path: str, header: dict[str, Any]) -> dict[str, Any]:
    """Return the size of a model file, its format, the version that wrote it, and its kind."""
    return {
        "file": path,
        "bytes": Path(path).stat().st_size,
        "format": header["format"],
        "version": header["library"],
        "kind": header["kind"],
    }


def _parameters(opened: OpenModel, header: dict[str, Any]) -> dict[str, Any]:
    if header["kind"] in STREAMS:
        params = dict(header["params"])
        row = LEARNERS[params["learner"]]
        unused = [name for name in ("ties", "eta0") if name not in row.options]
        if row.stream is None or row.stream.loss is None:
            unused += ["average", "learning_rate", "l2"]
        if row.estimator != "PassiveAggressive":
            unused.append("loss")
        return {name: value for name, value in params.items() if name not in unused}
    model: Any = opened.predictor.model
    return dict(model.get_params(deep=False))


def _kernel(model: Any) -> dict[str, Any] | None:
    """Return what a kernel perceptron decides by; None of others, which have no kernel."""
    if not hasattr(model, "dual_coef_"):
        return None
    state = model._state
    names = [name for name in ("gamma", "coef0", "degree") if f"{{{name}" in _KERNELS[state.kernel]]
    return {
        "name": state.kernel,
        **{name: getattr(state, name) for name in names},
        "intercept": bool(state.bias),
        "support": len(model.support_),
        "rows": state.seen,
    }


def _training(opened: OpenModel, header: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of how it was trained: more of models made at the command line."""
    known = opened.extra.get("summary")
    if isinstance(known, dict):
        return known if _sound(known) else {"damaged": True}
    if header["kind"] in STREAMS:
        model = opened.predictor.model
        made = getattr(model, "n_mistakes_", None)
        return {"examples": model.t_, "mistakes": [] if made is None else [made]}
    stored = header.get("training", {})
    return dict(stored) if isinstance(stored, dict) and _sound(stored) else {"damaged": True}


def _sound(training: dict[str, Any]) -> bool:
    """Say whether the types in a summary are right: the file may come from anywhere."""
    files, mistakes = training.get("files", []), training.get("mistakes")
    counts = [training.get(name) for name in ("examples", "passes", "n_iter")]
    origin = training.get("from") or ["", 0]
    if not isinstance(origin, list) or list(map(type, origin)) != [str, int]:
        return False
    counts.append(origin[1])
    return (
        isinstance(files, list)
        and all(isinstance(file, list) and len(file) == 2 for file in files)
        and (mistakes is None or isinstance(mistakes, list))
        and all(type(number) is int and 0 <= number < 1 << 63 for number in mistakes or [])
        and all(n is None or (type(n) is int and 0 <= n < 1 << 63) for n in counts)
    )


def facts_of(opened: OpenModel) -> list[tuple[str, str]]:
    """Describe a model, as pairs of a name and a text."""
    model = described(opened, 0)
    parameters = model["parameters"]
    # Of several classes' kernel functions, each may be mistaken about a row.
    once = model["kernel"] is None or len(model["classes"]) < 3
    facts = [
        ("model", f"{opened.path}, {size(model['bytes'])}"),
        ("learner", f"{model['learner']} ({model['kind']})"),
        ("steps", _steps_in_words(model["steps"] or [])),
        ("parameters", ", ".join(f"{k}={v!r}" for k, v in parameters.items() if k != "learner")),
        ("data", _data(model["training"])),
        *_kernel_facts(model["kernel"]),
        ("mistakes", _mistakes(model["training"], once)),
        ("classes", _classes(model["classes"])),
        ("features", _features(opened)),
        *_chosen(model["reading"]),
        ("format", f"{model['format']}, written by version {model['version']}"),
        ("privacy", "holds training rows" if model["holds_training_rows"] else ""),
    ]
    return [(name, fact) for name, fact in facts if fact]


def _chosen(reading: Any) -> list[tuple[str, str]]:
    """Say which features are multiplied, and which columns are read or not, if that was chosen."""
    told = {"interactions": "products", "keep": "only", "drop": "without"}
    known = reading if isinstance(reading, dict) else {}
    return [(word, ", ".join(map(str, known.get(name) or ()))) for name, word in told.items()]


def _kernel_facts(kernel: dict[str, Any] | None) -> list[tuple[str, str]]:
    if kernel is None:
        return []
    formula = _KERNELS[kernel["name"]].format(**kernel)
    plus = ", plus 1 for the intercept" if kernel["intercept"] else ""
    return [
        ("kernel", f"{kernel['name']}: {formula}{plus}"),
        ("support", f"{kernel['support']:,} of {count(kernel['rows'], 'row')}"),
    ]


def _data(training: dict[str, Any]) -> str:
    if training.get("damaged"):
        return "the summary of its training is damaged"
    files = [str(name) for name, _ in training.get("files", [])]
    parts = [", ".join(files[:4]) + (f" and {len(files) - 4} more" if len(files) > 4 else "")]
    if training.get("examples") is not None:
        parts.append(count(int(training["examples"]), "example"))
    passes = training.get("passes", training.get("n_iter"))
    if passes:
        parts.append(count(int(passes), "pass", "passes"))
    if training.get("from"):
        path, before = training["from"]
        parts.append(f"after {shortened(path)} ({count(before, 'example')})")
    return ", ".join(part for part in parts if part)


def _mistakes(training: dict[str, Any], once: bool) -> str:
    """List the mistakes; and their share of the rows, if each counts once at most."""
    mistakes = training.get("mistakes") or []
    if not mistakes:
        return ""
    examples = training.get("examples")
    share = f"({percent(mistakes[-1] / examples)})" if examples and once else ""
    where = "in each pass " if len(mistakes) > 1 else ""
    return several([f"{number:,}" for number in mistakes], where + share)


def _classes(classes: list[Any] | None) -> str:
    if classes is None:
        return "none: it predicts numbers"
    some = ", ".join(shortened(label, _LABEL, middle=True) for label in classes[:_MOST_CLASSES])
    return f"{len(classes)}: {some}{', …' if len(classes) > _MOST_CLASSES else ''}"


def _features(opened: OpenModel) -> str:
    names = opened.predictor.names
    if isinstance(names, Hashed):
        found = f"names hashed to 2^{names.bits} = {names.n_features:,} columns"
    else:
        kind = "numbered" if isinstance(names, Numbered) else "named"
        found = f"{names.n_features:,}, {kind}"
    used = with_weight(opened.predictor)
    return found if used is None else f"{found}; {used:,} have a weight other than 0"


def with_weight(predictor: Predictor) -> int | None:
    """Count the features with a weight, if an L1 penalty makes others zero."""
    options, planes = getattr(predictor.model, "_options", None), predictor.planes()
    if not getattr(options, "l1", 0.0) or planes is None:
        return None
    return int(np.count_nonzero(planes[0].any(axis=0)))


def charts(opened: OpenModel, top: int) -> Iterator[str]:
    """Draw the strongest weights of each class, or of each side for two."""
    found = functions(opened.predictor)
    if not found:
        dual = hasattr(opened.predictor.model, "dual_coef_")
        what = "kernel values with the support rows" if dual else "distances to centres"
        yield f"\nThere are no weights to show: {what} decide."
    for function in found[:_MOST_CLASSES]:
        yield ""
        yield from chart(function, strongest(opened.predictor, function, top))
    if found and opened.predictor.deviations() is not None:
        yield (
            f"\nBars are for one standard deviation of a number ({_EFFECT}), which makes\n"
            "columns of different units comparable; a weight is for one unit."
        )
    if found and opened.pipeline is not None and len(opened.pipeline) > 1:
        yield "\nWeights are for the features that the steps make of the columns."
    if len(found) > _MOST_CLASSES:
        yield f"\n… and {len(found) - _MOST_CLASSES} more classes; --json and --all have them all"


def chart(function: Function, features: list[Weight]) -> Iterator[str]:
    """Draw effects as bars to both sides of a line, behind the weights."""
    scaled = not np.array_equal(function.weights, function.effects)
    width, bar = (_NAME - 1, _BAR - 5) if scaled else (_NAME, _BAR)
    left, right = (
        "" if label is None else shortened(label, bar - 2, middle=True)
        for label in (function.against, function.label)
    )
    for arrow, label, short in (("◂", function.against, left), ("▸", function.label, right)):
        if "…" in short:
            yield f"{arrow} {shortened(label, _LINE, middle=True)}"
    left = left and f"◂ {left}"
    padding = " " * (bar - text_width(left))
    titles = f"{'weight':>11}" + (f" {_EFFECT:>14}" if scaled else "")
    yield f"{'feature':<{width}} {titles}  {padding}{left}│{right} ▸"
    largest = max((abs(one.effect) for one in features), default=0.0) or 1.0
    for one in [*features, Weight(INTERCEPT, function.intercept, 0.0)]:
        own = one.effect in (0.0, one.weight)  # it was not standardised
        effect = f" {'–' if own else _signed(one.effect):>14}" if scaled else ""
        yield bar_line(one.feature, one.weight, one.effect / largest, width, bar, effect)


def bar_line(
    name: str,
    weight: float | None,
    share: float,
    width: int = _NAME,
    bar: int = _BAR,
    after: str = "",
) -> str:
    """Draw a bar to one side of a line, behind a name and a number; None is written as a dash.

    ``width`` and ``bar`` say how many columns the name and a bar to one side may take; ``after``
    follows the number.
    """
    name = shortened(name, width, middle=True)
    padding = " " * (width - text_width(name))
    number = "–" if weight is None else _signed(weight)
    line = f"{name}{padding} {number:>11}{after}  "
    length = abs(share) * bar
    if share < 0:
        return f"{line}{'█' * round(length):>{bar}}│"
    whole, rest = divmod(round(8 * length), 8)
    partial = _EIGHTHS[rest] if rest else ""
    return f"{line}{'':>{bar}}│{'█' * whole}{partial}"


def _signed(number: float) -> str:
    return f"{number:+#.4g}".rstrip(".")
