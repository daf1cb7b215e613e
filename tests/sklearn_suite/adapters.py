"""Our estimators by the names and with the parameters of scikit-learn's.

Parameters are translated and nothing else. What has no counterpart raises what the estimator says.
"""

import rosenblatt


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


def LinearSVC(*, dual=None, multi_class="ovr", **params):
    return rosenblatt.LinearSVM(**params)


def LogisticRegression(*, dual=False, solver="lbfgs", n_jobs=None, **params):
    return rosenblatt.LogisticRegression(**params)
