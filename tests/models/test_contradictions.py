"""Model files whose parts contradict each other: refused by name, or models that do no harm."""

import os
import warnings
from pathlib import Path

import pytest

from rosenblatt import load, save
from rosenblatt.persist import container
from rosenblatt.persist.errors import ModelFileError
from tests.conftest import every_quick
from tests.models.contradictions import changed, every_change, harm, special
from tests.models.zoo import fitted, same_model

HERE = Path(__file__).parent
FOLDERS = [HERE / "golden", HERE / "golden_taggers", HERE.parent / "stream" / "golden"]
FILES = {path.name.split(".")[0]: path for f in FOLDERS for path in sorted(f.glob("*.model"))}
# One in so many changes is tried, and all of them in a long run.
STEP = 1 if int(os.environ.get("ROSENBLATT_FUZZ", "0")) >= 100_000 else 4

INFINITE, NAN = special("inf"), special("nan")
REFUSED = [
    # parameters that contradict the state
    ("perceptron", "params.fit_intercept", False, "fit_intercept=False, and it learned with True"),
    ("perceptron", "params.max_iter", 0, "max_iter must be a whole number, 1 or more, got 0"),
    ("perceptron", "fitted._state.fit_intercept", False, "it learned with False"),
    ("averaged-small-intercept", "params.intercept_scaling", 0.5, "intercept_scaling is not the"),
    ("averaged-small-intercept", "params.intercept_scaling", 0.0, "intercept_scaling must be"),
    ("averaged-small-intercept", "fitted._state.fit_intercept", 0.5, "intercept_scaling is not"),
    ("averaged-small-intercept", "fitted._state.fit_intercept", 1e300, "must be a step of"),
    ("averaged-small-intercept", "fitted._state.fit_intercept", NAN, "must be a step of"),
    ("arow", "fitted._state.fit_intercept", 0.5, "fit_intercept must be true or false"),
    ("logistic", "fitted._state.loss", "hinge", "it learned with loss=hinge"),
    ("regression", "fitted._state.loss", "logistic", "it learned with loss=logistic"),
    ("svm-squared-hinge", "fitted._state.loss", "logistic", "it learned with loss=logistic"),
    ("descent-elasticnet", "fitted._state.loss", "squares", "there is no such loss"),
    ("descent-elasticnet", "fitted._state.loss", "quantile", "loss_parameter=0.0 is not possible"),
    ("descent-elasticnet", "fitted._state.loss_parameter", 1.35, "1.35 is not possible with loss="),
    ("descent-elasticnet", "fitted._state.loss_parameter", NAN, "nan is not possible with loss="),
    ("descent-elasticnet", "params.l1_ratio", 1.5, "l1_ratio must be a share, from 0 to 1"),
    ("regression-quantile", "fitted._state.loss_parameter", 1.0, "1.0 is not possible with loss="),
    ("regression-quantile", "fitted._state.loss_parameter", None, "loss_parameter"),
    ("regression-quantile", "params.loss", "hinge", "loss must be one of squared, huber"),
    ("regression-huber", "params.epsilon", 0.0, "epsilon must be a positive number"),
    ("kernel", "params.kernel", "poly", "this model learned with kernel='rbf'"),
    ("kernel", "params.fit_intercept", False, "this model learned with fit_intercept=True"),
    ("kernel", "params.multi_class", "joint", "multi_class is not what it learned with"),
    ("kernel", "fitted._state.joint", True, "multi_class is not what it learned with"),
    ("kernel", "fitted._state.gamma", 2.0, "gamma_ is not the γ of the kernel"),
    ("kernel-joint", "params.degree", 3, "this model learned with degree=2"),
    ("bayes-names", "params.distribution", "bernoulli", "learned with distribution='gaussian'"),
    ("bayes-bernoulli", "params.binarize", 0.5, "this model learned with binarize=0.1"),
    ("bayes-bernoulli", "fitted._state.binarize", None, "learned with distribution='multinomial'"),
    ("centroid", "params.metric", "manhattan", "metric is not what it learned with"),
    ("centroid-manhattan", "params.metric", "euclidean", "metric is not what it learned with"),
    ("centroid-manhattan", "params.priors", "empirical", "needs metric='euclidean'"),
    ("discriminant", "params.shrinkage", "auto", "did not keep the sums for that"),
    ("discriminant-auto", "params.shrinkage", 0.5, "shrinkage_ is not what shrinkage asks for"),
    ("second-order", "params.order", 1, "order is not what it learned with"),
    ("chunks", "params.order", 2, "order is not what it learned with"),
    ("averaged-2", "params.learner", "perceptron", "arrays that no part of the model refers to"),
    ("averaged-2", "params.learner", "voted", "the state's numbers are not those of its learner"),
    ("averaged-2", "params.fit_intercept", False, "intercept is not zero, and fit_intercept=False"),
    ("averaged-2", "params.dtype", "float64", "is missing, or not float64"),
    ("svm-4", "params.average", False, "weights are averaged, and average=False"),
    ("passive-aggressive-2", "params.loss", "log", "loss='log' must be one of hinge, squared"),
    # counts that cannot be
    ("perceptron", "fitted.n_iter_", 4, "mistakes_ must have a number for each of 4 passes"),
    ("perceptron", "fitted.n_iter_", 0, "n_iter_ must not be 0"),
    ("perceptron", "fitted.n_mistakes_", 83, "n_mistakes_ is not the number of mistakes"),
    ("perceptron", "fitted.t_", 199, "t_ is not the number of steps"),
    ("perceptron", "fitted._state.steps", 81, "t_ is not the number of steps"),
    ("perceptron", "fitted._state.updates", 201, "updates is more than there were steps"),
    ("perceptron", "fitted.converged_", True, "converged_ is true, and the last pass made mist"),
    ("arow", "fitted.n_mistakes_", 1, "n_mistakes_ is not the number of mistakes"),
    ("arow", "fitted._state.mistakes", 201, "mistakes is more than there were steps"),
    ("batch", "fitted._state.moves", 801, "moves is more than there were"),
    ("logistic", "fitted._state.mistakes", 161, "mistakes is more than there were steps"),
    ("logistic", "fitted._state.averaged", 161, "averaged is more than there were steps"),
    ("logistic", "fitted._state.mass", 161.0, "mass is more than what was averaged"),
    ("logistic", "fitted._state.loss_sum", INFINITE, "loss_sum must be finite"),
    ("logistic", "fitted.eta0_", 0.0, "eta0_ must be positive and finite"),
    ("descent", "fitted._state.pull", -1.0, "pull must be finite and not negative"),
    ("kernel", "fitted._state.updates", 361, "updates is more than there were steps"),
    ("centroid", "fitted.variance_", 0.0, "variance_ must be positive"),
    ("centroid-cv", "fitted.threshold_", NAN, "threshold_ must be finite"),
    ("centroid-cv", "fitted.n_features_left_", 7, "n_features_left_ is too large"),
    ("discriminant", "fitted.shrinkage_", 1.5, "shrinkage_ must lie in 0…1"),
    ("chunks", "fitted.n_mistakes_", 5, "n_mistakes_ is not the number of mistakes"),
    ("chunks", "fitted.n_iter_", 2, "mistakes_ must have a number for each of 2 passes"),
    ("averaged-2", "state.updates", 39, "updates=39 is more than there were steps"),
    ("svm-4", "state.mistakes", 40, "mistakes=40 is more than there were steps"),
    ("svm-4", "state.averaged", 40, "averaged=40 is more than there were steps"),
    ("svm-4", "state.mass", 40.0, "mass=40.0 is more than what was averaged"),
    # a state that is null
    ("perceptron", "fitted._state", None, "the model's state is not of its kind"),
    ("chunks", "fitted._state", None, "the model's state is not of its kind"),
    ("averaged-2", "state", None, "there are 2 classes, but no weights"),
    ("averaged-2", "classes", ["ham"], "there are weights, but fewer than two classes"),
]
ARRAYS = [
    # infinite intercepts
    ("perceptron", "intercept_", 0, float("inf"), "intercept has a number that is not finite"),
    ("averaged", "intercept_", 0, float("inf"), "intercept_ has a number that is not finite"),
    ("logistic", "intercept_", 0, float("-inf"), "intercept_ has a number that is not finite"),
    ("bayes-names", "intercept_", 0, float("inf"), "infinite where a class is ruled out"),
    ("discriminant", "intercept_", 0, float("-inf"), "infinite where a class is ruled out"),
    ("centroid", "intercept_", 2, float("-inf"), "infinite where a class is ruled out"),
    # what is told twice
    ("arow-2", "evidence", 0, -1.0, "evidence has numbers below zero"),
    ("averaged", "_state.total", 0, float("nan"), "total has a number that is not finite"),
    ("perceptron", "mistakes_", 0, -1, "mistakes_ has a negative number"),
    ("perceptron", "mistakes_", 0, 24, "n_mistakes_ is less than the mistakes of the passes"),
    ("voted", "counts_", 0, 7, "counts_ is not how long hypotheses lived"),
    ("kernel", "dual_coef_", 0, 9.0, "dual_coef_ is not what the changes add up to"),
    ("bayes-names", "theta_", 0, 9.0, "theta_ is not what the state says"),
    ("bayes-names", "class_prior_", 0, 0.5, "class_prior_ must add up to 1"),
    ("bayes-names", "var_", 0, 0.0, "var_ must be positive"),
    ("bayes-bernoulli", "_state.sums", 0, -1.0, "sums are not of these rows"),
    ("bayes-bernoulli", "feature_log_prob_", 0, 1.0, "feature_log_prob_ are not log-probabilities"),
    ("discriminant", "priors_", 0, -0.5, "priors_ has a negative number"),
    ("discriminant", "means_", 0, 9.0, "means_ is not what the state says"),
    ("centroid-cv", "path_.errors", 0, 2.0, "path_ has errors above 1"),
    ("centroid-cv", "path_.n_features", 0, 7, "path_ has features that there are not"),
    ("perceptron-ledger", "ledger_.calls.0.log.eta", 0, float("nan"), "eta has a number that is"),
    ("perceptron-ledger", "ledger_.calls.0.log.step", 0, 0, "step must rise from 1 on"),
    ("chunks", "wrong_tokens_", 0, 0, "wrong_tokens_ has fewer tokens than sequences"),
]


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # nobody will pull the plug


@pytest.fixture
def forged(tmp_path):
    """Write a model file with another content, and try to load it."""
    path = tmp_path / "forged.model"

    def load_it(header, arrays):
        container.write(path, header, arrays)
        try:
            return load(path), None
        except ModelFileError as error:
            why = str(error)
        assert why.startswith(f"cannot load {path}: ")
        assert "\n" not in why
        return None, why

    return load_it


@pytest.mark.parametrize(("name", "path", "value", "why"), REFUSED)
def test_what_contradicts_the_rest_is_refused(name, path, value, why, forged):
    header, arrays = container.read(FILES[name])
    _, told = forged(changed(header, path.split("."), value), arrays)
    assert told is not None
    assert why in told


@pytest.mark.parametrize(("name", "array", "at", "value", "why"), ARRAYS)
def test_numbers_that_contradict_the_rest_are_refused(name, array, at, value, why, forged):
    header, arrays = container.read(FILES[name])
    arrays[array].reshape(-1)[at] = value
    _, told = forged(header, arrays)
    assert told is not None
    assert why in told


def test_weights_without_a_state_are_refused(forged):
    header, arrays = container.read(FILES["averaged-2"])
    _, why = forged({**header, "state": None, "classes": []}, arrays)
    assert why is not None
    assert "the state that they belong to is null" in why


@pytest.mark.parametrize("name", every_quick(FILES, 4))
def test_each_part_is_mutated_by_itself(name, forged):
    header, arrays = container.read(FILES[name])
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert harm(load(FILES[name]), "nothing") is None
        for number, (what, *content) in enumerate(every_change(header, arrays)):
            if number % STEP == len(name) % STEP:
                model, why = forged(*content)
                refused += why is not None
                assert model is None or harm(model, what) is None, (what, harm(model, what))
    assert refused or name in ("unfitted", "empty")


def test_a_threshold_moved_by_hand_is_kept(tmp_path):
    model = fitted("averaged")
    model.intercept_ += 0.5
    model.coef_[:, 0] = 0
    save(model, tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    same_model(model, again)
