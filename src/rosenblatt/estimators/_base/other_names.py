"""Parameters of scikit-learn's estimators that have another name here, or none."""

from collections.abc import Collection, Mapping

# By name: the parameters that must be there, and what to use then; the first that fits.
_USE: Mapping[str, tuple[tuple[str, str], ...]] = {
    "C": (("alpha penalty", "alpha, which is 1/(C · rows)"), ("l2", "l2, which is 1/C")),
    "l1_ratio": (("penalty", "penalty='l1' or penalty='l2'"),),
    "power_t": (
        ("decay_steps", "learning_rate: 'inverse' is power_t=1, 'inverse_sqrt' is power_t=0.5"),
    ),
    "average": (("ties max_iter", "AveragedPerceptron, which predicts with the mean"),),
    "early_stopping": (("max_iter tol", "tol and n_iter_no_change, which stop it, too"),),
    "validation_fraction": (("max_iter tol", "tol and n_iter_no_change, which stop it"),),
    "fit_prior": (("priors", "priors: 'empirical' for True, 'uniform' for False"),),
    "class_prior": (("priors", "priors"),),
    "shrinking": (("max_support", "max_support, which bounds how much is kept"),),
    "alpha": (("shrinkage", "shrinkage"), ("shrink_threshold", "shrink_threshold")),
    "penalty": (("shrinkage", "shrinkage"), ("shrink_threshold", "shrink_threshold")),
    "max_iter": (("passes", "passes"),),
    "probability": (("calibration", "calibration='sigmoid'"),),
}
_AT_ONCE = "the model is computed at once from sums over the rows, in whatever order"
_NO_PENALTY = "it has no penalty, as LinearSVM, LogisticRegression and GradientDescent have"
_KERNEL = "KernelPerceptron has it"
_SHRUNKEN = "NearestCentroid has it"
_SCATTER = "LinearDiscriminant has it"
_COUNTS = "NaiveBayes has it"

# Why there is no such parameter, where nothing stands for it.
_NONE: Mapping[str, str] = {
    "C": _NO_PENALTY,
    "alpha": _NO_PENALTY,
    "penalty": _NO_PENALTY,
    "l1_ratio": _NO_PENALTY,
    "loss": "the estimator is its loss; GradientDescent has a choice of them",
    "epsilon": "none of its losses has such a width",
    "n_jobs": "it takes as many threads as help by itself",
    "dual": "there is one formulation, which is chosen for you",
    "solver": "there is one method for all shapes of data",
    "multi_class": "more than two classes compete in one model; "
    "sklearn.multiclass.OneVsRestClassifier learns each against the rest",
    "power_t": "its steps do not become shorter that way; use GradientDescent",
    "learning_rate": "all steps have the same length; GradientDescent has schedules",
    "eta0": "no prediction depends on the length of its steps",
    "intercept_scaling": "the intercept is not penalised, so its scale does not matter",
    "class_weight": "all classes count the same",
    "average": _AT_ONCE,
    "early_stopping": _AT_ONCE,
    "validation_fraction": _AT_ONCE,
    "n_iter_no_change": _AT_ONCE,
    "max_iter": _AT_ONCE,
    "tol": _AT_ONCE,
    "shuffle": _AT_ONCE,
    "warm_start": _AT_ONCE + "; partial_fit adds rows",
    "random_state": "nothing is random",
    "verbose": _AT_ONCE + ", and that takes no time to watch",
    "fit_intercept": "the intercept follows from the model of the classes",
    "priors": "classes count by their rows; use class_weight or sample_weight",
    "fit_prior": "classes count by their rows; use class_weight or sample_weight",
    "class_prior": "classes count by their rows; use class_weight or sample_weight",
    "force_alpha": "alpha is always used as it is given, 0 included",
    "store_covariance": "LinearDiscriminant computes covariance_ when you ask for it",
    "positive": "weights of either sign are learned",
    "copy_X": "X is never changed",
    "metric": _SHRUNKEN,
    "shrink_threshold": _SHRUNKEN,
    "shrinkage": _SCATTER,
    "n_components": _SCATTER,
    "covariance_estimator": _SCATTER,
    "var_smoothing": _COUNTS,
    "binarize": _COUNTS,
    "norm": _COUNTS,
    "kernel": _KERNEL,
    "degree": _KERNEL,
    "gamma": _KERNEL,
    "coef0": _KERNEL,
    "shrinking": "it needs no such heuristic",
    "cache_size": "it keeps as many kernel values as help by itself",
    "probability": "sklearn.calibration.CalibratedClassifierCV gives probabilities to any",
    "decision_function_shape": "decision_function returns a score for each class",
    "break_ties": "a tie goes to the first class of the largest score",
}


def name_here(name: object, known: Collection[str]) -> str | None:
    """Return what to use for a parameter that others have under another name.

    >>> name_here("C", ["alpha", "penalty"]), name_here("C", ["alpha", "binarize"])
    ('alpha, which is 1/(C · rows)', None)
    """
    for needed, instead in _USE.get(str(name), ()):
        if set(needed.split()) <= set(known):
            return instead
    return None


def hint(name: object, known: Collection[str]) -> str | None:
    """Say what to do about a parameter that scikit-learn's estimators have; None for others.

    >>> hint("fit_prior", ["alpha", "priors"]), hint("random_state", ["alpha", "priors"])
    ("use priors: 'empirical' for True, 'uniform' for False", 'nothing is random')
    """
    here = name_here(name, known)
    return f"use {here}" if here is not None else _NONE.get(str(name))
