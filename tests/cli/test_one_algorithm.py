"""One name is one algorithm: a command and the estimator of that name learn the same weights."""

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt
from rosenblatt.learner_registry import CLOSED_FORM, ONLINE, REGRESSION, trainable
from tests.conftest import every_quick, first_quick

PASSES = 3
IN_ORDER = {"max_iter": PASSES, "tol": None}
# A stream does not know how long it will be, so its steps fall with 10,000 rows, and not a pass.
DESCENT = {**IN_ORDER, "shuffle": False, "eta0": 0.1, "decay_steps": 10_000}
ESTIMATORS = {
    "perceptron": rosenblatt.Perceptron(**IN_ORDER, shuffle=False),
    "averaged": rosenblatt.AveragedPerceptron(**IN_ORDER, shuffle=False),
    "voted": rosenblatt.VotedPerceptron(**IN_ORDER, shuffle=False),
    "passive-aggressive": rosenblatt.PassiveAggressive(**IN_ORDER, shuffle=False, C=0.1),
    "arow": rosenblatt.AROW(**IN_ORDER, shuffle=False, r=10),
    "logistic": rosenblatt.LogisticRegression(**DESCENT, average=True, penalty=None),
    "svm": rosenblatt.LinearSVM(**DESCENT, average=True, penalty=None),
    "batch": rosenblatt.BatchPerceptron(**{**IN_ORDER, "tol": 1e-4}),
    "naive-bayes": rosenblatt.NaiveBayes("gaussian"),
    "centroid": rosenblatt.NearestCentroid(),
    "discriminant": rosenblatt.LinearDiscriminant(),
    "regression": rosenblatt.LinearRegression(**DESCENT, average=True),
}
AS_IT_IS = ("--passes", PASSES, "--no-shuffle", "--scale", "none")
WITH_STEPS = ("--eta0", DESCENT["eta0"])
GIVEN = {
    **dict.fromkeys(("perceptron", "averaged", "voted"), AS_IT_IS),
    **dict.fromkeys(
        ("logistic", "svm", "regression"),
        (*AS_IT_IS, *WITH_STEPS, "--learning-rate", "inverse_sqrt"),
    ),
    **dict.fromkeys(("passive-aggressive", "arow"), (*AS_IT_IS, *WITH_STEPS)),
    "batch": ("--passes", PASSES),
    "naive-bayes": ("--distribution", "gaussian"),
}


def rows(n_classes):
    """Rows without zeros, so that a file has every number."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((160, 5)).round(3) + 0.0005
    y = (X @ rng.standard_normal((5, n_classes))).argmax(axis=1)
    flips = rng.random(len(y)) < 0.1
    y[flips] = rng.integers(n_classes, size=flips.sum())
    return X, y


def written(path, X, y):
    lines = (
        f"{label} " + " ".join(f"{k}:{value:.17g}" for k, value in enumerate(row))
        for label, row in zip(y.tolist(), X.tolist(), strict=True)
    )
    path.write_text("\n".join(lines) + "\n")
    return path


def weights(model):
    return np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)


def test_every_learner_is_here():
    assert set(ESTIMATORS) == set(trainable())


@pytest.mark.parametrize("n_classes", first_quick([3, 2]))
@pytest.mark.parametrize("learner", trainable())
@pytest.mark.filterwarnings("ignore:BatchPerceptron stopped")
def test_train_learns_what_the_estimator_learns(ros, learner, n_classes, tmp_path):
    X, y = rows(n_classes)
    file, model = written(tmp_path / "rows.svm", X, y), tmp_path / "m.model"
    words = ["train", file, "-o", model, "--learner", learner, "--float64", *GIVEN.get(learner, ())]
    if learner in trainable(ONLINE, CLOSED_FORM):
        words += ["--classes", ",".join(map(str, range(n_classes)))]
    ros(*words)
    online = learner in trainable(ONLINE, REGRESSION)
    sparse = sp.csr_matrix(X) if online else X
    fitted = ESTIMATORS[learner].fit(sparse, y)
    trained = rosenblatt.load(model)
    # The closed forms add up blocks, and the loops of dense rows sum in another order.
    exact = 0.0 if online else 1e-9
    for mine, its in zip(weights(trained), weights(fitted), strict=True):
        np.testing.assert_allclose(mine, its, rtol=exact, atol=exact)


@pytest.mark.parametrize("n_classes", first_quick([3, 2]))
@pytest.mark.parametrize(
    ("learner", "estimator"),
    [("logistic", rosenblatt.LogisticRegression), ("svm", rosenblatt.LinearSVM)],
)
def test_steps_for_each_feature_are_those_of_the_estimator(
    ros, learner, estimator, n_classes, tmp_path
):
    X, y = rows(n_classes)
    file, model = written(tmp_path / "rows.svm", X, y), tmp_path / "m.model"
    classes = ("--classes", ",".join(map(str, range(n_classes))))
    steps = ("--learning-rate", "adaptive", "--eta0", 0.25, "--l2", 0.5, *AS_IT_IS)
    ros("train", file, "-o", model, "--learner", learner, "--float64", *classes, *steps)
    options = {"learning_rate": "adaptive", "eta0": 0.25, "alpha": 0.5 / len(y)}
    fitted = estimator(**options, **IN_ORDER, shuffle=False).fit(sp.csr_matrix(X), y)
    for mine, its in zip(weights(rosenblatt.load(model)), weights(fitted), strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-12)


@pytest.mark.parametrize("n_classes", first_quick([3, 2]))
@pytest.mark.parametrize("learner", every_quick(trainable(ONLINE), 3))
def test_tune_learns_what_train_learns(ros, learner, n_classes, tmp_path):
    file = written(tmp_path / "rows.svm", *rows(n_classes))
    one, other = tmp_path / "train.model", tmp_path / "tune.model"
    ros("train", file, "-o", one, "--learner", learner, "--passes", PASSES, "--float64")
    grid = ("--grid", f"passes={PASSES}", "--test", 0, "--folds", 2)
    ros("tune", file, "-o", other, "--learner", learner, *grid, "--float64")
    for trained, tuned in zip(
        weights(rosenblatt.load(one)), weights(rosenblatt.load(other)), strict=True
    ):
        np.testing.assert_array_equal(trained, tuned)


@pytest.mark.parametrize("n_classes", first_quick([3, 2]))
@pytest.mark.parametrize("learner", [name for name in trainable() if name != "regression"])
@pytest.mark.filterwarnings("ignore:BatchPerceptron stopped")
def test_compare_learns_what_the_estimator_learns(learner, n_classes):
    X, y = rows(n_classes)
    model = ESTIMATORS[learner]
    found = rosenblatt.compare(X, y, models={learner: model}, test=None, scale=False, orders=1)
    for compared, alone in zip(
        weights(found.models[learner]["model"]), weights(model.fit(X, y)), strict=True
    ):
        np.testing.assert_array_equal(compared, alone)
