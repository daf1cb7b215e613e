"""The scores by which models are judged: scikit-learn's, by name, or functions."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    f1_score,
    get_scorer,
    get_scorer_names,
    jaccard_score,
    make_scorer,
    precision_score,
    recall_score,
)

from rosenblatt.console import UsageError
from rosenblatt.data.rows import Array
from rosenblatt.model_selection.grid import near
from rosenblatt.model_selection.learners_to_compare import inner_of, unused_name
from rosenblatt.model_selection.splits import Part
from rosenblatt.model_selection.weighted_fit import score_rows

ACCURACY = "accuracy"
_RANKING = ("decision_function", "predict_proba")
# Scores of one class, which scikit-learn's scorers of these names take to be the label 1.
_OF_ONE_CLASS: dict[str, tuple[Any, dict[str, Any]]] = {
    "f1": (f1_score, {}),
    "precision": (precision_score, {}),
    "recall": (recall_score, {}),
    "jaccard": (jaccard_score, {}),
    "average_precision": (average_precision_score, {"response_method": _RANKING}),
    "neg_brier_score": (
        brier_score_loss,
        {"response_method": "predict_proba", "greater_is_better": False},
    ),
}
# Scores of two classes, and what to take for more.
_FOR_MORE = {name: f"{name}_macro" for name in ("f1", "precision", "recall", "jaccard")} | {
    "roc_auc": "roc_auc_ovr"
}


class Score(NamedTuple):
    """A score: what it is called, and the function of a model, rows and labels. More is better."""

    name: str
    function: Any


class Marks(NamedTuple):
    """What a model scores, by name: None where ``reasons`` says why it has no such score."""

    values: dict[str, float | None]
    reasons: dict[str, str]


def asked_scores(scoring: Any) -> dict[str, Any]:
    """Return the scores that were asked for, by name, the one that ranks first; {} if none was.

    >>> asked_scores(["f1", "roc_auc"]), asked_scores({"area": "roc_auc"}), asked_scores(None)
    ({'f1': 'f1', 'roc_auc': 'roc_auc'}, {'area': 'roc_auc'}, {})
    """
    if scoring is None:
        return {}
    pairs: Iterable[tuple[Any, Any]] = [(None, scoring)]
    if isinstance(scoring, Mapping):
        pairs = scoring.items()
    elif isinstance(scoring, list | tuple):
        pairs = ((None, one) for one in scoring)
    asked: dict[str, Any] = {}
    for name, one in pairs:
        if isinstance(one, str):
            _check_name(one)
        elif not callable(one) or isinstance(one, type):
            raise ValueError(
                "scoring must be the name of a score, a function of a model, X and y, or a list "
                f"or mapping of such, got {one!r}"
            )
        own = one if isinstance(one, str) else getattr(one, "__name__", "your score")
        asked[unused_name(own if name is None else str(name), asked)] = one
    if not asked:
        raise ValueError("scoring is empty; leave it out to judge by the usual score")
    return asked


def check_option(names: list[str] | None) -> None:
    """Raise `UsageError` if the option --scoring names what is no score."""
    try:
        asked_scores(names)
    except ValueError as error:
        raise UsageError(str(error).replace("scoring=", "--scoring ")) from None


def _check_name(name: str) -> None:
    if name not in get_scorer_names():
        close = near(name, get_scorer_names())
        meant = f"; did you mean {close!r}?" if close else "."
        raise ValueError(
            f"scoring={name!r} is no score of scikit-learn's{meant} "
            "See sklearn.metrics.get_scorer_names()"
        )


def scores_of(asked: Mapping[str, Any], classes: Array | None) -> tuple[Score, ...]:
    """Return the scores that were asked for, for labels of these classes; None for numbers.

    A score of one class is that of the label 1, as in scikit-learn; if neither of two labels is 1,
    of the second one, which is the positive class of all models.
    """
    labels = [] if classes is None else classes.tolist()
    return tuple(Score(name, _function(one, labels)) for name, one in asked.items())


def _function(one: Any, labels: list[Any]) -> Any:
    if not isinstance(one, str):
        return one
    if len(labels) > 2 and one in _FOR_MORE:
        raise ValueError(
            f"scoring={one!r} is for two classes, and y has {len(labels)}; use {_FOR_MORE[one]!r}"
        )
    if len(labels) == 2 and one in _OF_ONE_CLASS and 1 not in labels:
        function, options = _OF_ONE_CLASS[one]
        return make_scorer(function, pos_label=labels[1], **options)
    return get_scorer(one)


def marks_of(scores: Iterable[Score], model: Any, rows: Part) -> Marks:
    """Score a fitted model by some rows, by each score that it can be given."""
    marks = Marks({}, {})
    for name, function in scores:
        value = None
        try:
            value = score_rows(function, model, rows)
        except Warning:
            raise  # the user's filters made an error of it
        except Exception as error:
            marks.reasons[name] = _reason(model, in_a_line(error))
        if value is not None and not np.isfinite(value):
            value, marks.reasons[name] = None, "it is not a finite number"
        marks.values[name] = value
    return marks


def _reason(model: Any, message: str) -> str:
    if "predict_proba" not in message or hasattr(model, "predict_proba"):
        return message
    can = "; calibration='sigmoid' adds it"
    return f"there is no predict_proba{can if hasattr(inner_of(model), 'calibration') else ''}"


def in_a_line(error: Exception) -> str:
    """Return the message of an error in one line."""
    return " ".join(str(error).split()) or type(error).__name__
