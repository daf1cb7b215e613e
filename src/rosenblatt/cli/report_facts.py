"""What `train` knows, and what one more look at the files tells, as a report.

`report_of(outcome, job)` is all that `train` needs. The files are read once more, for the length of
the longest example, the examples to draw, and the bound on the mistakes; standard input is not.
"""

import shlex
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._version import __version__
from rosenblatt.cli.report_content import Bound, Judged, Numbers, Points, Report, Strongest
from rosenblatt.cli.report_study import Study, study
from rosenblatt.data.rows import Array
from rosenblatt.readers.names import Numbered

if TYPE_CHECKING:
    from rosenblatt.cli.job import Job
    from rosenblatt.cli.outcome import Outcome
    from rosenblatt.cli.predictors import Predictor

WORDS = {
    "averaged": "averaged perceptron",
    "voted": "voted perceptron",
    "batch": "batch perceptron",
    "logistic": "logistic regression",
    "svm": "linear SVM",
    "naive-bayes": "naive Bayes",
    "centroid": "nearest centroid",
    "discriminant": "linear discriminant",
    "regression": "linear regression",
}
BOUNDED = ("perceptron", "averaged", "voted")  # that make the perceptron's mistakes
LEARN_BY_MISTAKES = (*BOUNDED, "logistic", "svm", "batch")
MOST_STRONG = 10  # features to each side
MOST_POINTS = 1500
MOST_CELLS = 2_000_000  # of rows whose best bound is found in a second or so
_SETTINGS = ("passes", "eta0", "ties", "distribution", "bits", "ngrams")


def report_of(outcome: "Outcome", job: "Job") -> Report:
    """Make a report of what came out of training.

    Parameters
    ----------
    outcome : Outcome
        The model, and what was counted.
    job : Job
        What was asked for.
    """
    predictor = outcome.predictor
    learner = predictor.learner
    found = _studied(outcome, job)
    online = learner in LEARN_BY_MISTAKES
    passes = outcome.mistakes if online else []
    notes = [*outcome.notes, *outcome.hints()]
    if outcome.mistakes and not online:
        share = 100 * outcome.mistakes[-1] / max(outcome.examples, 1)
        wrong = f"{outcome.mistakes[-1]:,} of the training examples ({share:.2f}%)"
        notes.insert(0, f"It classifies {wrong} wrongly.")
    if _gone(outcome):
        notes.append("The input is gone, so there is no bound and no picture of examples.")
    return Report(
        title=job.output or "A model that was not saved",
        learner=WORDS.get(learner, learner),
        examples=outcome.examples,
        features=predictor.names.n_features if found is None else found.n_features,
        classes=outcome.classes or [],
        command=command_of(job),
        parameters=_settings(job),
        files=[(name, size) for name, size in outcome.reader.described],
        counts=[] if found is None or outcome.classes is None else found.counts(outcome.classes),
        passes=passes,
        curve=_curve(outcome, found, job) if online else [],
        losses=outcome.losses,
        validation=outcome.validation,
        judged=_judged(outcome),
        strongest=_strongest(predictor),
        points=None if found is None else _points(found, predictor),
        bound=None if found is None or learner not in BOUNDED else bound_of(found, job),
        converged=passes[-1] == 0 if passes else None,
        seconds=outcome.seconds,
        notes=notes,
        version=__version__,
    )


def command_of(job: "Job") -> str:
    """Write the command that does a job: what differs from the defaults.

    >>> from rosenblatt.cli.job import Job
    >>> command_of(Job(["a b.svm"], output="m.model", text=["title", "body"], float64=True))
    "rosenblatt train 'a b.svm' -o m.model --float64 --text title --text body"
    """
    words = ["rosenblatt", "train", *job.files]
    for option in fields(job):
        value = getattr(job, option.name)
        if option.name in ("files", "quiet", "json") or value in (option.default, None):
            continue
        name = "-o" if option.name == "output" else "--" + option.name.replace("_", "-")
        if value is True:
            words.append(name)
            continue
        for item in value if isinstance(value, list) else [value]:
            words += [name, f"{item:g}" if isinstance(item, float) else str(item)]
    return shlex.join(words)


def _settings(job: "Job") -> dict[str, Any]:
    told = {name: getattr(job, name) for name in _SETTINGS}
    told["passes"] = f"at most {job.n_passes:,}" if job.learner in LEARN_BY_MISTAKES else None
    told["intercept"] = "no" if job.no_intercept else None
    told["type"] = job.dtype
    return {name: value for name, value in told.items() if value is not None}


def _judged(outcome: "Outcome") -> list[Judged | Numbers]:
    if outcome.test is None:
        return []
    counted: Any = outcome.test.counted
    if hasattr(counted, "rmse"):
        return [Numbers("test", counted.examples, counted.rmse, counted.mae, counted.r2)]
    return [Judged("test", counted.classes.tolist(), counted.matrix, counted.labels)]


def _curve(outcome: "Outcome", found: Study | None, job: "Job") -> list[tuple[int, int]]:
    """Return examples seen and mistakes made: at every block, or finer where rows are few."""
    steps = outcome.curve
    if found is not None and not outcome.validation and job.learner in BOUNDED:
        finer = found.replayed(outcome.predictor.model, len(outcome.mistakes), job.known_classes)
        if finer and finer[-1][1] == sum(outcome.mistakes):
            return finer
    if steps and steps[-1][1] == sum(outcome.mistakes):
        return steps
    ends = np.cumsum(outcome.mistakes).tolist()
    return [(outcome.examples * k, made) for k, made in enumerate(ends, 1)]


def _strongest(predictor: "Predictor") -> list[Strongest]:
    planes = predictor.planes()
    if planes is None:
        return []
    W, classes = planes[0], predictor.classes
    if len(W) > 1 and classes is not None:
        return [
            Strongest(label, None, _largest(w, predictor))
            for label, w in zip(classes.tolist(), W, strict=True)
        ]
    sides = (None, None) if classes is None else classes.tolist()[:2]
    return [Strongest(sides[1], sides[0], _largest(W[0], predictor))]


def _largest(w: Array, predictor: "Predictor") -> list[tuple[str, float]]:
    """Return the features with the largest weights, to both sides."""
    order = np.argsort(w, kind="stable")
    picked = dict.fromkeys([*order[:MOST_STRONG].tolist(), *order[-MOST_STRONG:].tolist()])
    return [(_name(predictor, j), float(w[j])) for j in picked if w[j] != 0]


def _name(predictor: "Predictor", column: int) -> str:
    name = predictor.names.name(column)
    if isinstance(predictor.names, Numbered):
        return f"feature {name}"
    return f"#{column}" if name is None else name


def _studied(outcome: "Outcome", job: "Job") -> Study | None:
    """Look at the files again, if they are still there."""
    if _gone(outcome) or outcome.classes is None:
        return None
    files = [*job.files, *(job.validation or [])] if outcome.retrained else job.files
    return study(files, job.reading(), outcome.predictor, job.ignore_weights)


def _gone(outcome: "Outcome") -> bool:
    """Say whether the files cannot be read again: standard input, or a pipe with a name."""
    return any(source.size is None for source in outcome.reader.sources)


def _points(found: Study, predictor: "Predictor") -> Points | None:
    """Return examples to draw, if they have two features."""
    columns, planes = found.columns, predictor.planes()
    if len(columns) != 2 or planes is None or found.rows is None:
        return None
    W, b = planes
    if max(found.y.max(initial=0) + 1, 2) > max(len(W), 2):
        return None
    n = len(found.y)
    chosen = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).astype(int))
    X = np.asarray(found.rows[chosen][:, columns].todense(), np.float64)
    assert predictor.classes is not None
    y = np.array(predictor.classes.tolist(), object)[found.y[chosen]]
    names = _name(predictor, int(columns[0])), _name(predictor, int(columns[1]))
    return Points(X, y, names, W[:, columns], b, found.n)


def bound_of(found: Study, job: "Job") -> Bound | None:
    """Return what a theorem says of the mistakes of a perceptron on these rows.

    Of few rows the best there is; else Freund and Schapire's, for the plane that was learned.
    """
    if found.weighted or found.n_classes != 2:
        return None
    with_one = not job.no_intercept
    if found.margins is None:
        return Bound(found.radius, fit_intercept=with_one)
    if found.rows is not None and found.n * len(found.columns) <= MOST_CELLS:
        from rosenblatt.theory.bounds import mistake_bound

        X = found.rows[:, found.columns]
        try:
            best = mistake_bound(X, found.y, fit_intercept=with_one)
        except RuntimeError:  # rounding leaves it open whether a plane parts the classes
            pass
        else:
            facts = best.radius, best.margin, best.bound, best.deviation, best.theorem
            return Bound(*facts, fit_intercept=with_one)
    margin, deviation, bound = freund_schapire(found.margins, found.radius)
    return Bound(found.radius, margin, bound, deviation, "freund-schapire", False, with_one)


def freund_schapire(margins: Array, radius: float) -> tuple[float, float, float]:
    """Return γ, D and the bound ((R + D)/γ)² of one plane, with the γ that makes it smallest.

    >>> [round(value, 3) for value in freund_schapire(np.ones(10), 2.0)]
    [1.0, 0.0, 4.0]
    """
    ordered = np.sort(margins.astype(np.float64))
    largest = max(float(np.abs(ordered).max(initial=0.0)), radius, 1e-300)
    positive = ordered[ordered > 0]
    some = positive[np.unique(np.linspace(0, len(positive) - 1, 500).astype(int))]
    gammas = np.concatenate([np.geomspace(1e-6 * largest, 1e4 * largest, 2000), some])
    below = np.searchsorted(ordered, gammas)
    first = np.concatenate([[0.0], np.cumsum(ordered)])[below]
    second = np.concatenate([[0.0], np.cumsum(ordered**2)])[below]
    lack = np.sqrt(np.maximum(below * gammas**2 - 2 * gammas * first + second, 0.0))
    bounds = ((radius + lack) / gammas) ** 2
    best = int(bounds.argmin())
    return float(gammas[best]), float(lack[best]), float(bounds[best])
