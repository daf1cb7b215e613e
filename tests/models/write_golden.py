"""Write model files of today's format for tomorrow's versions to load: one for each estimator.

    python -m tests.models.write_golden

A file that is there is never written again: what counts is that an old version wrote it. A new
format, or a new estimator, adds files.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from rosenblatt import NaiveBayes, NearestCentroid, save
from rosenblatt.models import read_header
from rosenblatt.persist.container import FORMAT
from tests.models.zoo import SETTINGS, data, quietly

FOLDER = Path(__file__).with_name("golden")
METHODS = ("predict", "decision_function", "predict_proba")
NAMES = np.array(["ham", "jam", "späm"])


def models():
    """Yield names and fitted models that between them hold everything a model can hold."""
    plain = {
        "perceptron": "perceptron",
        "averaged": "averaged",
        "averaged-small-intercept": "averaged, small intercept",
        "voted": "voted",
        "passive-aggressive": "passive-aggressive",
        "arow": "arow",
        "batch": "batch",
        "kernel": "kernel",
        "kernel-budget": "kernel, budget",
        "kernel-joint": "kernel, joint",
        "kernel-precomputed": "kernel, precomputed",
        "descent": "descent, batches",
        "descent-elasticnet": "descent, modified huber",
        "logistic": "logistic, average",
        "logistic-l1": "logistic, l1",
        "logistic-adaptive": "logistic, adaptive",
        "svm": "svm",
        "svm-squared-hinge": "svm, squared hinge",
        "discriminant": "discriminant",
        "discriminant-auto": "discriminant, auto",
        "centroid": "centroid",
        "centroid-cv": "centroid, cv",
        "bayes-bernoulli": "bayes, bernoulli",
        "regression": "regression",
        "regression-huber": "regression, huber",
        "regression-quantile": "regression, quantile",
    }
    for name, setting in plain.items():
        X, y = data(setting, 3, n=40)
        yield name, quietly(SETTINGS[setting]().fit, X, y)
    X, y = data("", 2, n=40)
    frame = pd.DataFrame(X, columns=["a", "b", "ç", "日本", "e f", ""])
    yield "perceptron-ledger", quietly(SETTINGS["perceptron, ledger"]().fit, frame, NAMES[y])
    yield "voted-sparse", quietly(SETTINGS["voted"]().fit, sp.csr_matrix(X.astype(np.float32)), y)
    yield "kernel-sparse", SETTINGS["kernel"]().fit(sp.csr_matrix(X.astype(np.float32)), NAMES[y])
    yield "bayes-names", NaiveBayes().fit(frame, NAMES.astype(object)[y])
    yield "centroid-manhattan", NearestCentroid("manhattan").fit(X.round(1), y == 1)
    wide = SETTINGS["discriminant"]().fit(np.hstack([X, X**2])[:9], y[:9])
    yield "discriminant-rows", wide
    yield "unfitted", SETTINGS["logistic, l1"]()


def answers(model, X):
    """Return what a model says of some rows, as JSON has it."""
    return {m: getattr(model, m)(X).tolist() for m in METHODS if X and hasattr(model, m)}


def main():
    FOLDER.mkdir(exist_ok=True)
    for name, model in models():
        path = FOLDER / f"{name}.v{FORMAT}.model"
        if path.exists():
            continue
        save(model, path, extra={"note": "golden", "scale": np.arange(3.0)})
        d = getattr(model, "n_features_in_", 0)
        rng = np.random.default_rng(7)
        X = rng.standard_normal((8, d)).round(2).tolist() if d else []
        record = {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "library": read_header(path)["library"],
            "params": {key: repr(value) for key, value in model.get_params().items()},
            "X": X,
            **quietly(answers, model, X),
        }
        lines = ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in record.items())
        path.with_suffix(".json").write_text(f"{{\n{lines}\n}}\n", "utf-8")
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
