"""Files whose checksums are right and whose content is not: refused, whatever it is.

Compiled loops check no bounds, so a number out of range in a file must not reach them.
"""

import numpy as np
import pytest

from tests.models.forging import array, fitted_values, put, refused, state


def test_without_a_change_it_loads(forged):
    forged("voted", lambda header, arrays: None)


@pytest.mark.parametrize(
    ("setting", "change", "why"),
    [
        # sizes that do not agree
        ("perceptron", array("coef_", lambda a: a[:, :5]), "weights is of|coef_ is of"),
        ("perceptron", array("coef_", lambda a: a[:2]), "expected .* and \\(3, 6\\)"),
        ("perceptron", array("coef_", lambda a: a.astype(int)), "is of int64"),
        ("perceptron", array("coef_", np.ravel), "expected"),
        ("perceptron", array("intercept_", lambda a: a[:1]), "intercept"),
        ("perceptron", array("intercept_", np.float32), "intercept is of float32"),
        ("perceptron", fitted_values(n_features_in_=7), "expected .* and \\(3, 7\\)"),
        ("perceptron", fitted_values(n_features_in_=10**18), "n_features_in_ must be a whole"),
        ("perceptron", fitted_values(n_features_in_=0), "must not be 0"),
        ("perceptron", fitted_values(n_features_in_=-6), "n_features_in_ must be"),
        ("perceptron", fitted_values(n_features_in_=6.0), "n_features_in_ must be"),
        ("perceptron", fitted_values(n_features_in_=None), "n_features_in_ must be"),
        ("perceptron", fitted_values(coef_=[[1.0]]), "coef_ must be an array"),
        ("perceptron", fitted_values(mistakes_="many"), "mistakes_ must be a vector"),
        ("perceptron", fitted_values(converged_=1), "converged_ must be true or false"),
        # classes
        ("perceptron", array("classes_", lambda a: a[::-1]), "must be sorted"),
        ("perceptron", array("classes_", lambda a: a * 0), "must be sorted"),
        ("perceptron", array("classes_", lambda a: a[:2]), "expected"),
        ("perceptron", array("classes_", lambda a: a[None]), "must be labels"),
        ("perceptron", array("classes_", lambda a: a[:0]), "must be labels"),
        ("perceptron", array("classes_", lambda a: a * np.nan), "must be sorted"),
        ("perceptron", array("classes_", lambda a: [0.0, 1.0, np.inf]), "label that is not finite"),
        # numbers that are none
        ("perceptron", array("coef_", put((0, 0), np.nan)), "not finite"),
        ("logistic", array("coef_", put((0, 0), np.inf)), "not finite"),
        ("bayes", array("coef_", put((0, 0), np.nan)), "not finite"),
        ("bayes", array("intercept_", put(0, np.nan)), "intercept_ has NaN"),
        # counts that are none
        ("perceptron", state(steps=-1), "steps must be"),
        ("perceptron", state(steps=10**30), "steps must be"),
        ("perceptron", state(steps=True), "steps must be"),
        ("perceptron", state(updates="3"), "updates must be"),
        ("perceptron", state(ties=2), "ties must be"),
        ("perceptron", state(fit_intercept=1), "fit_intercept must be"),
        ("batch", state(mistakes=1), "mistakes must be a whole number from 0 to 0"),
        ("batch", state(moves=-1), "moves must be"),
        ("batch", array("_state.total", lambda a: a[:, 1:]), "total is of"),
        ("averaged", array("_state.total", lambda a: a[:1]), "total is of"),
        ("averaged", array("_state.total", np.float32), "total is of float32"),
        ("averaged", array("_state.total_intercept", lambda a: a[:1]), "total_intercept is of"),
        # learners that want a margin
        ("passive-aggressive", state(mistakes=-1), "mistakes must be"),
        ("arow", state(mistakes=1.5), "mistakes must be"),
        ("arow", array("_state.evidence", put((0, 0), -0.5)), "evidence has a negative number"),
        ("arow", array("_state.evidence", put((0, 0), np.nan)), "evidence has a number that is"),
        ("arow", array("_state.evidence", lambda a: a[:1]), "evidence is of"),
        ("arow", array("_state.evidence", np.float32), "evidence is of float32"),
        ("arow", array("_state.evidence_intercept", put(0, -1.0)), "evidence_intercept has a neg"),
        # the voted perceptron's rows and log
        ("voted", array("_state.row", put(0, 10**6)), "row must lie in"),
        ("voted", array("_state.row", put(-1, -1)), "row must lie in"),
        ("voted", array("_state.row", lambda a: a[:-1]), "row is of"),
        ("voted", array("_state.row", np.int32), "row is of int32"),
        ("voted", array("_state.right", put(0, 3)), "right must lie in"),
        ("voted", array("_state.wrong", put(0, -1)), "wrong must lie in"),
        ("voted", array("_state.step", put(1, 10**9)), "step must rise"),
        ("voted", array("_state.step", lambda a: a[::-1]), "step must rise"),
        ("voted", state(zero=3), "zero must be"),
        ("voted", state(zero=-1), "zero must be"),
        ("voted", state(updates=5), "row is of"),
        ("voted", state(steps=1), "step must rise"),
        ("voted", array("_state.kept.values", lambda a: a[:, :5]), "kept is of"),
        ("voted", array("_state.kept.values", lambda a: a[:3]), "row must lie in"),
        ("voted", array("_state.kept.values", put((0, 0), np.nan)), "kept has a number"),
        ("voted", array("_state.kept.values", np.ravel), "kept must be rows"),
        ("voted", state(kept=None), "kept must be rows"),
        ("voted", array("counts_", lambda a: a[1:]), "counts_ is of"),
        # gradient descent
        ("logistic", state(loss="nothing"), "no such loss"),
        ("logistic", state(loss=["hinge"]), "no such loss"),
        ("logistic", state(mass="1"), "mass must be a number"),
        ("logistic", state(averaged=-1), "averaged must be"),
        ("logistic, l1", array("_state.pulled", lambda a: a[:, 1:]), "pulled is of"),
        ("logistic, l1", array("_state.pulled", lambda a: a[:2]), "pulled is of"),
        ("logistic, average", array("_state.total", lambda a: a[:, :1]), "total is of"),
        ("regression", array("_state.weights", lambda a: a[:, :1]), "weights is of"),
        ("regression", array("coef_", lambda a: a[:1]), "coef_ is of"),
        ("regression", fitted_values(intercept_="0"), "intercept_ must be a number"),
        # closed forms
        ("bayes", array("_state.mean", lambda a: a[:, 1:]), "mean is of"),
        ("bayes", array("_state.weight", lambda a: -a), "weight has a negative number"),
        ("bayes", array("_state.spread", lambda a: a[1:]), "spread is of"),
        ("bayes, bernoulli", array("_state.sums", lambda a: a[:2]), "sums is of"),
        ("bayes, bernoulli", state(binarize="0"), "binarize must be a number"),
        ("centroid, cv", array("path_.errors", lambda a: a[1:]), "path_ is of"),
        ("centroid, hamming", array("centroids_", lambda a: a[:, 1:]), "centroids_ is of"),
        ("centroid, hamming", state(n_features=5), "n_features is not"),
        ("centroid, hamming", array("_state.cells", put(1, 10**6)), "cells must rise"),
        ("centroid, hamming", array("_state.cells", put(-1, 3)), "cells must rise"),
        ("centroid, hamming", array("_state.cells", lambda a: a[1:]), "cells is of"),
        ("centroid, hamming", array("_state.values", lambda a: a[:-1]), "counts is of"),
        ("centroid, hamming", array("_state.counts", lambda a: a[:-1]), "counts is of"),
        # Tables with these were joined without end, which wrote past the end.
        ("centroid, manhattan", array("_state.values", put(3, np.nan)), "not finite"),
        ("centroid, manhattan", array("_state.values", lambda a: a[::-1]), "values must rise"),
        ("discriminant", array("_state.scatter", lambda a: a[:, 1:]), "scatter is of"),
        (
            "discriminant",
            array("_state.scatter", lambda a: a[:0]),
            "weight is not that of the rows",
        ),
        ("discriminant", array("_state.codes", lambda a: np.arange(1)), "codes is of"),
        ("discriminant", state(each=True), "scatter is of"),
        ("discriminant", fitted_values(shrinkage_="much"), "shrinkage_ must be a number"),
        # kinds
        ("averaged", lambda header, arrays: header.update(kind="Perceptron"), "not of its kind"),
        ("bayes", lambda header, arrays: header.update(kind="NearestCentroid"), "no parameter"),
        (
            "perceptron",
            lambda header, arrays: header.update(kind="RandomForest"),
            "no kind of model",
        ),
        ("perceptron", lambda header, arrays: header.update(kind=None), "no kind of model"),
        ("perceptron", lambda header, arrays: header.update(kind=["a"]), "no kind of model"),
        ("perceptron", lambda header, arrays: header.pop("kind"), "no kind of model"),
        ("perceptron", lambda header, arrays: header.pop("params"), "no params"),
        ("perceptron", lambda header, arrays: header.update(fitted=[]), "no fitted"),
        ("perceptron", lambda header, arrays: header["fitted"].pop("t_"), "t_ is missing"),
        ("perceptron", lambda header, arrays: header["fitted"].pop("_state"), "_state is missing"),
        ("perceptron", lambda header, arrays: header["fitted"].update(predict=1), "has no predict"),
        ("perceptron", lambda h, arrays: h["fitted"].update(__class__=1), "has no __class__"),
        ("perceptron", lambda h, arrays: h["params"].update(C=1), "no parameter 'C'.*upgrade"),
        ("perceptron", lambda h, arrays: arrays.update(more=np.zeros(3)), "no part of the model"),
    ],
)
def test_what_cannot_be_is_refused(forged, setting, change, why):
    refused(forged, setting, change, why)


def call(**values):
    def change(header, arrays):
        first = header["fitted"]["ledger_"]["calls"]["items"][0]
        assert values.keys() <= first.keys()
        first.update(values)

    return change


LOG = "ledger_.calls.0.log"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (fitted_values(ledger_=None), "must be a ledger"),
        (array(f"{LOG}.row", put(0, 90)), "row must lie in"),
        (array(f"{LOG}.row", put(0, -1)), "row must lie in"),
        (array(f"{LOG}.right", put(0, 3)), "right must lie in"),
        (array(f"{LOG}.wrong", put(0, 5)), "wrong must lie in"),
        (array(f"{LOG}.step", lambda a: a[1:]), "step is of"),
        (array(f"{LOG}.eta", lambda a: a[1:]), "eta is of"),
        (array(f"{LOG}.score", lambda a: a[:, :1]), "score is of"),
        (array("ledger_.start.weights", lambda a: a[:, 1:]), "start is of"),
        (array("ledger_.start.intercept", lambda a: a[:1]), "start is of"),
        (call(shape=[90, 6]), "which shape"),
        (call(shape={"is": "tuple", "items": [90, 5]}), "other features"),
        (call(shape={"is": "tuple", "items": [-1, 6]}), "shape must be"),
        (call(dtype={"is": "dtype", "name": "<i8"}), "not a float"),
        (call(dtype="float64"), "not a float"),
        (call(ties=9), "ties must be"),
        (call(moves=3), "must be moves"),
        (call(log=None), "must have a log"),
        (call(classes=None), "must be labels"),
        (lambda h, a: h["fitted"]["ledger_"].update(calls=[]), "must have calls"),
        (
            lambda h, a: h["fitted"]["ledger_"].update(calls={"is": "tuple", "items": []}),
            "must have calls",
        ),
        (
            lambda h, a: h["fitted"]["ledger_"].update(calls={"is": "tuple", "items": [1]}),
            "must have calls",
        ),
    ],
)
def test_a_ledger_that_cannot_be_is_refused(forged, change, why):
    refused(forged, "perceptron, ledger", change, why)


KEPT = "_state.kept"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (array(f"{KEPT}.indices", put(0, 6)), "indices must lie in"),
        (array(f"{KEPT}.indices", put(0, -1)), "indices must lie in"),
        (array(f"{KEPT}.indices", lambda a: a[1:]), "must be numbers"),
        (array(f"{KEPT}.indices", np.int64), "indices is of int64"),
        (array(f"{KEPT}.indptr", put(0, 1)), "indptr must rise"),
        (array(f"{KEPT}.indptr", put(-1, 10**6)), "indptr must rise"),
        (array(f"{KEPT}.indptr", put(1, 10**6)), "indptr must rise"),
        (array(f"{KEPT}.indptr", lambda a: a[:0]), "indptr must rise"),
        (array(f"{KEPT}.values", lambda a: a[1:]), "must be numbers"),
        (array(f"{KEPT}.values", lambda a: a * np.nan), "not finite"),
        (array(f"{KEPT}.values", lambda a: a.astype(int)), "kept is of int64"),
    ],
)
def test_sparse_rows_that_cannot_be_are_refused(forged, change, why):
    refused(forged, "voted", change, why, form="sparse")


def test_names_that_cannot_be_are_refused(forged):
    def change(header, arrays):
        texts = {"is": "objects", "items": ["a"], "shape": [1]}
        header["fitted"]["feature_names_in_"] = texts

    refused(forged, "perceptron", change, "feature_names_in_ is of")

    def no_texts(header, arrays):
        texts = {"is": "objects", "items": [1, 2, 3, 4, 5, 6], "shape": [6]}
        header["fitted"]["feature_names_in_"] = texts

    refused(forged, "perceptron", no_texts, "feature_names_in_ must be texts")


def test_labels_of_mixed_types_are_refused(forged):
    def change(header, arrays):
        labels = {"is": "objects", "items": ["a", 1, 2], "shape": [3]}
        header["fitted"]["classes_"] = labels
        del arrays["classes_"]

    refused(forged, "averaged", change, "must be sorted")
