"""Models of streams as estimators that predict the same, to be exported."""

from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt.learner_registry import LEARNERS
from rosenblatt.stream.model import StreamModel
from rosenblatt.stream.rules import rule_of


def as_estimator(model: StreamModel) -> Any:
    """Return an estimator, or a pipeline of a scaler and one, that predicts like a stream's model.

    Its rows have the features as columns, in the order in which they were first seen.
    """
    if model._state is None:
        raise ValueError("this model has learned nothing yet: learn from two classes first")
    if model._scaling is not None and np.any(model._scaling.words):
        raise ValueError(
            "this model weights the words of a text by the others in it, which an ONNX file of "
            "rows of numbers cannot; learn with scale='numbers' (train --scale numbers)"
        )
    estimator = LEARNERS[model._options.learner].load()()
    fitted: dict[str, Any] = {"n_features_in_": model.n_features_}
    if not model.predicts_numbers:
        fitted["classes_"] = model.classes_
    names = model.feature_names_
    if names is not None:
        fitted["feature_names_in_"] = np.array(names, object)
    votes = rule_of(model._options).keeps_rows
    if votes:
        fitted["_state"] = model._state
    else:
        fitted["coef_"] = np.ascontiguousarray(model.coef_)
        fitted["intercept_"] = model.intercept_
    vars(estimator).update(fitted)
    return make_pipeline(_scaler(model), estimator) if votes and model._scaling else estimator


def _scaler(model: StreamModel) -> StandardScaler:
    """Return a scaler of the columns of numbers, which leaves the other columns as they are."""
    assert model._scaling is not None
    centre, scale = model._scaling.centre_and_scale()
    mean, deviation = np.zeros(model.n_features_), np.ones(model.n_features_)
    mean[model._scaling.features] = centre
    deviation[model._scaling.features] = np.where(scale > 0, scale, np.inf)  # all become zero
    scaler = StandardScaler()
    vars(scaler).update(mean_=mean, scale_=deviation, n_features_in_=model.n_features_)
    return scaler
