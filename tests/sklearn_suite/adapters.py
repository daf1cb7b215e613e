"""Our estimators by the names and with the parameters of scikit-learn's.

Parameters are translated and nothing else. What has no counterpart raises what the estimator says.
"""

import numpy as np
from sklearn import linear_model, svm

import rosenblatt
from tests.sklearn_suite.translated import Translated


def Perceptron(*, n_jobs=None, **params):
    return rosenblatt.Perceptron(**params)


def PassiveAggressiveClassifier(*, n_jobs=None, average=False, **params):
    if average:
        params["average"] = average  # and hear what there is instead
    return rosenblatt.PassiveAggressive(**params)


def NearestCentroid(metric="euclidean", **params):
    return rosenblatt.NearestCentroid(metric, **params)


def LinearDiscriminantAnalysis(solver="svd", store_covariance=False, tol=1e-4, **params):
    return rosenblatt.LinearDiscriminant(**params)


def GaussianNB(*, priors=None, **params):
    return rosenblatt.NaiveBayes(
        "gaussian", priors="empirical" if priors is None else priors, **params
    )


def counts(distribution, fit_prior=True, class_prior=None, force_alpha=True, **params):
    priors = class_prior
    if priors is None:
        priors = "empirical" if fit_prior else "uniform"
    return rosenblatt.NaiveBayes(distribution, priors=priors, **params)


def BernoulliNB(**params):
    return counts("bernoulli", **params)


def MultinomialNB(**params):
    return counts("multinomial", **params)


def ComplementNB(**params):
    return counts("complement", **params)


class LinearSVC(Translated):
    theirs = svm.LinearSVC

    def _ours(self, total):
        rivals = self.multi_class == "crammer_singer"  # whose loss is the hinge
        return rosenblatt.LinearSVM(
            loss="hinge" if rivals else self.loss,
            penalty=self.penalty,
            alpha=1 / (self.C * total),
            **same(self, "tol fit_intercept class_weight verbose random_state max_iter"),
        )


class LogisticRegression(Translated):
    theirs = linear_model.LogisticRegression

    def _ours(self, total):
        penalty = self.penalty
        if penalty == "deprecated":
            penalty = {0: "l2", 1: "l1"}.get(self.l1_ratio, "elasticnet")
        return rosenblatt.LogisticRegression(
            penalty=penalty,
            alpha=1 / (self.C * total),
            **({"l1_ratio": self.l1_ratio} if penalty == "elasticnet" else {}),
            **same(self, "tol fit_intercept class_weight random_state max_iter verbose warm_start"),
        )

    @property
    def n_iter_(self):
        """What is a number here is an array of one there."""
        return np.atleast_1d(self._asked().n_iter_)


class LinearRegression(Translated):
    theirs = linear_model.LinearRegression

    def _ours(self, total):
        others = {"positive": True} if self.positive else {}  # and hear that there is none
        return rosenblatt.LinearRegression(fit_intercept=self.fit_intercept, tol=self.tol, **others)


class InverseScaling:
    """The steps of their learning_rate="invscaling"."""

    def __init__(self, power):
        self.power = power

    def __call__(self, t):
        return t**-self.power


LOSSES = {"log_loss": "logistic", "squared_error": "squared"}
OF_DESCENT = (
    "penalty fit_intercept max_iter tol shuffle verbose random_state early_stopping "
    "validation_fraction n_iter_no_change warm_start average"
)


def descent(theirs):
    """Return the parameters of gradient descent that two estimators share."""
    halves = 2 if theirs.loss == "squared_error" else 1  # of theirs, where ours is the square
    rate, steps = theirs.learning_rate, {"eta0": theirs.eta0 / halves}
    if rate == "optimal":  # whose first step follows from the loss
        rate, steps = "optimal" if theirs.penalty == "l2" else "auto", {}
    elif rate == "invscaling":
        rate = InverseScaling(theirs.power_t)
    # "adaptive" is another method of that name: AdaGrad's steps here, a division by 5 there.
    elastic = {"l1_ratio": theirs.l1_ratio} if theirs.penalty == "elasticnet" else {}
    return {
        "loss": LOSSES.get(theirs.loss, theirs.loss),
        "alpha": theirs.alpha * halves,
        "learning_rate": rate,
        **steps,
        **elastic,
        **same(theirs, OF_DESCENT),
    }


class SGDClassifier(Translated):
    theirs = linear_model.SGDClassifier
    loss_functions = linear_model.SGDClassifier.loss_functions

    def _ours(self, total):
        params = {"class_weight": self.class_weight, **descent(self)}
        if params["loss"] == "logistic":
            del params["loss"]
            return rosenblatt.LogisticRegression(solver="descent", **params)
        return rosenblatt.GradientDescent(**params)


class SGDRegressor(Translated):
    theirs = linear_model.SGDRegressor

    def _ours(self, total):
        return rosenblatt.LinearRegression(solver="descent", epsilon=self.epsilon, **descent(self))

    @property
    def intercept_(self):
        """What is a number here is an array of one there."""
        return np.atleast_1d(self._asked().intercept_)


def same(theirs, names):
    """Return the parameters that have the same name and meaning here."""
    return {name: getattr(theirs, name) for name in names.split()}
