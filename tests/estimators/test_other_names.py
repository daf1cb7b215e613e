"""What scikit-learn's estimators call a parameter is answered with its name here."""

import inspect

import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression as TheirLinearRegression
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.linear_model import PassiveAggressiveClassifier, SGDClassifier, SGDRegressor
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import NearestCentroid as TheirNearestCentroid
from sklearn.svm import SVC, LinearSVC

import rosenblatt
from rosenblatt import learner_registry
from rosenblatt.estimators._base.other_names import hint, name_here

THEIRS = [
    TheirPerceptron,
    SGDClassifier,
    PassiveAggressiveClassifier,
    LinearSVC,
    TheirLogisticRegression,
    TheirLinearRegression,
    SGDRegressor,
    TheirNearestCentroid,
    LinearDiscriminantAnalysis,
    GaussianNB,
    BernoulliNB,
    MultinomialNB,
    ComplementNB,
    SVC,
]
PARAMETERS = sorted({name for theirs in THEIRS for name in inspect.signature(theirs).parameters})
OURS = [row.estimator for row in learner_registry.LEARNERS.values() if row.name != "tagger"]


@pytest.mark.parametrize("name", OURS)
def test_every_parameter_of_theirs_is_here_or_has_a_hint(name):
    ours = getattr(rosenblatt, name)
    known = inspect.signature(ours).parameters
    needed = {"problem": None} if name == "StructuredPerceptron" else {}
    model = ours(**needed)
    for parameter in PARAMETERS:
        if parameter in known:
            continue
        with pytest.raises(TypeError) as error:
            ours(**needed, **{parameter: 1})
        start = f"{name} has no parameter {parameter!r}; "
        assert str(error.value).startswith(start)
        advice = str(error.value).removeprefix(start)
        assert advice == hint(parameter, known)
        assert len(advice) >= len("use C")
        # What it says to use is there.
        here = name_here(parameter, known)
        if here is not None and not here.startswith("AveragedPerceptron"):
            first = here.replace(":", "=").replace(",", "=").partition("=")[0].split()[0]
            assert first in known
        with pytest.raises(
            ValueError, match=f"^Invalid parameter '{parameter}' for estim"
        ) as error:
            model.set_params(**{parameter: 1})
        assert str(error.value).endswith(advice)
    assert repr(model) == repr(ours(**needed))


def test_other_names_are_as_wrong_as_ever():
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        rosenblatt.Perceptron(colour=1)
    with pytest.raises(ValueError, match="Invalid parameter 'colour' for estimator Perceptron"):
        rosenblatt.Perceptron().set_params(colour=1)


@pytest.mark.parametrize(
    ("model", "parameter", "advice"),
    [
        (rosenblatt.LogisticRegression, "C", r"use alpha, which is 1/\(C · rows\)"),
        (rosenblatt.NaiveBayes, "fit_prior", "use priors: 'empirical' for True"),
        (rosenblatt.NaiveBayes, "class_prior", "use priors"),
        (rosenblatt.Perceptron, "penalty", "it has no penalty, as LinearSVM"),
        (rosenblatt.Perceptron, "average", "use AveragedPerceptron"),
        (rosenblatt.LinearDiscriminant, "solver", "one method for all shapes"),
        (rosenblatt.KernelPerceptron, "probability", "use calibration='sigmoid'"),
    ],
)
def test_the_advice_fits_the_estimator(model, parameter, advice):
    with pytest.raises(TypeError, match=advice):
        model(**{parameter: 1})


def test_a_search_says_it_too():
    search = GridSearchCV(rosenblatt.LogisticRegression(), {"C": [1.0]}, cv=2)
    with pytest.raises(ValueError, match="Invalid parameter 'C' for estimator LogisticRegression"):
        search.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
