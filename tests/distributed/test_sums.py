"""Closed forms and batches: on a cluster what they are on one machine, to rounding."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st

from rosenblatt import (
    BatchPerceptron,
    GradientDescent,
    LinearDiscriminant,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    NearestCentroid,
    load,
    save,
)
from rosenblatt.distributed import fit
from tests.conftest import examples
from tests.distributed.eager import Eager

CLOSED_FORMS = [
    NearestCentroid(),
    NearestCentroid(shrink_threshold=0.5, priors="empirical"),
    NearestCentroid("manhattan"),
    NearestCentroid("hamming"),
    LinearDiscriminant(),
    LinearDiscriminant(shrinkage="auto"),
    NaiveBayes(),
    NaiveBayes("bernoulli"),
    NaiveBayes("multinomial"),
]
BATCHES = [
    BatchPerceptron(max_iter=30, tol=None),
    BatchPerceptron(max_iter=30, tol=None, normalize=False, learning_rate="inverse"),
    LogisticRegression(batch_size=None, max_iter=20, tol=None),
    LogisticRegression(batch_size=None, max_iter=20, tol=None, penalty="l2", alpha=0.01),
    LinearSVM(batch_size=None, max_iter=20, tol=None, penalty="l2", alpha=0.01),
    GradientDescent(loss="squared", batch_size=None, max_iter=20, tol=None, eta0=0.01),
    GradientDescent(loss="hinge", batch_size=None, max_iter=20, tol=None, penalty="l1", alpha=0.01,
                    learning_rate="inverse_sqrt"),
    GradientDescent(loss="squared_hinge", batch_size=None, max_iter=20, tol=None),
    GradientDescent(loss="modified_huber", batch_size=None, max_iter=20, tol=None,
                    penalty="elasticnet", alpha=0.01, l1_ratio=0.5),
]  # fmt: skip


def table(seed, n_classes, sparse=False, rows=60):
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_classes, size=rows)
    codes[:n_classes] = np.arange(n_classes)
    X = np.abs(rng.poisson(1.0, size=(rows, 5)) + codes[:, None] * rng.integers(0, 3, size=5))
    X = X.astype(float)
    return sp.csr_matrix(X) if sparse else X, np.array(["ham", "spam", "eggs"])[codes]


def cut(X, y, cuts):
    """Cut rows into shards, some of which may be empty."""
    places = [0, *sorted(cuts), len(y)]
    pairs = list(pairwise(places))
    return [X[a:b] for a, b in pairs], [y[a:b] for a, b in pairs]


def same(model, alone, X, tolerance=1e-9):
    assert model.classes_.tolist() == alone.classes_.tolist()
    for name in ("coef_", "intercept_", "centroids_", "class_prior_", "means_", "var_", "eta0_"):
        if name in vars(alone):
            own, theirs = getattr(model, name), getattr(alone, name)
            np.testing.assert_allclose(own, theirs, rtol=tolerance, atol=tolerance)
    assert model.predict(X).tolist() == alone.predict(X).tolist()


def name_of(model):
    return repr(model).replace("\n", "")


@pytest.mark.parametrize("model", CLOSED_FORMS, ids=name_of)
@examples(
    3,
    30,
    seed=st.integers(0, 1000),
    n_classes=st.sampled_from([2, 3]),
    sparse=st.booleans(),
    cuts=st.lists(st.integers(0, 60), max_size=5),
    balanced=st.booleans(),
)
def test_closed_forms_are_those_of_one_machine(model, seed, n_classes, sparse, cuts, balanced):
    X, y = table(seed, n_classes, sparse)
    options = model.get_params() | {"class_weight": "balanced" if balanced else None}
    alone = type(model)(**options).fit(X, y)
    same(fit(type(model)(**options), *cut(X, y, cuts), client=Eager()), alone, X)


@pytest.mark.parametrize("model", BATCHES, ids=name_of)
@examples(
    2,
    20,
    seed=st.integers(0, 1000),
    n_classes=st.sampled_from([2, 3]),
    sparse=st.booleans(),
    cuts=st.lists(st.integers(0, 60), max_size=5),
    balanced=st.booleans(),
)
def test_batches_are_those_of_one_machine(model, seed, n_classes, sparse, cuts, balanced):
    X, y = table(seed, n_classes, sparse)
    X = X + 0.01 * sp.random(*X.shape, 0.5, rng=seed) if sparse else X + seed / 1e5
    options = model.get_params() | {"class_weight": "balanced" if balanced else None}
    alone = type(model)(**options).fit(X, y)
    made = fit(
        type(model)(**options), *cut(sp.csr_matrix(X) if sparse else X, y, cuts), client=Eager()
    )
    # A step is searched for to a thousandth, so that a rounding may lead to another one.
    same(made, alone, X, 1e-2 if isinstance(made, LogisticRegression) else 1e-6)
    assert made.n_iter_ == alone.n_iter_
    if not isinstance(made, LogisticRegression):
        assert made.mistakes_.tolist() == alone.mistakes_.tolist()


@pytest.mark.parametrize(
    "model",
    [
        NaiveBayes(),
        BatchPerceptron(max_iter=5, tol=None),
        LogisticRegression(batch_size=None, max_iter=2, tol=None),
    ],
    ids=name_of,
)
def test_on_workers_they_fit_and_save(inside, model, tmp_path):
    X, y = table(0, 3)
    made = fit(model, *cut(X, y, [20, 40]), client=inside)
    assert made is model
    save(made, tmp_path / "m.model")
    assert load(tmp_path / "m.model").predict(X).tolist() == made.predict(X).tolist()


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (NearestCentroid(shrink_threshold="cv"), "goes through the rows once for each fold"),
        (LogisticRegression(), "batch_size=1 moves after every batch"),
        (LinearSVM(batch_size=None, early_stopping=True), "early_stopping=True needs rows"),
        (BatchPerceptron(learning_rate="line_search"), "needs the scores of all rows"),
        (NaiveBayes("multinomial"), "Negative values in data"),
    ],
    ids=name_of,
)
def test_what_they_cannot_do_is_one_line(model, why):
    X, y = table(0, 2)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=why) as found:
        fit(model, *cut(-X, y, [30]), client=Eager())
    assert "\n" not in str(found.value)
    assert vars(model) == before
