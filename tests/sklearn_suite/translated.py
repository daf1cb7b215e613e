"""An estimator of ours that has the parameters of one of scikit-learn's."""

import inspect

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.class_weight import compute_sample_weight


class Translated(BaseEstimator):
    """Base of adapters that scikit-learn's tests subclass, clone and change the parameters of.

    ``theirs`` is the estimator whose parameters it has. `_ours` translates them; methods and
    fitted attributes are those of the estimator that it returns.
    """

    theirs = None

    def __init_subclass__(cls):
        if cls.theirs is None or "theirs" not in vars(cls):
            return
        signature = inspect.signature(cls.theirs.__init__)

        def init(self, *args, **params):
            bound = signature.bind(self, *args, **params)
            bound.apply_defaults()
            for name, value in list(bound.arguments.items())[1:]:
                setattr(self, name, value)

        init.__signature__ = signature
        cls.__init__ = init

    def _ours(self, total):
        """Return our estimator for rows whose weights add up to ``total``."""
        raise NotImplementedError

    def _ready(self, X, y, sample_weight=None):
        """Return our estimator, the one before where that may be gone on with."""
        new = self._ours(self._total(X, y, sample_weight))
        old = vars(self).get("model")
        goes_on = type(old) is type(new)
        self.model = old.set_params(**new.get_params()) if goes_on else new
        return self.model

    def _total(self, X, y, sample_weight):
        """Return how many rows there are, or what their weights add up to."""
        n = np.shape(X)[0]
        weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        class_weight = vars(self).get("class_weight")
        if class_weight is not None:
            weights = weights * compute_sample_weight(class_weight, y)
        return float(np.broadcast_to(weights, n).sum()) if weights.ndim < 2 else n

    def fit(self, X, y, sample_weight=None, **init):
        self._ready(X, y, sample_weight).fit(X, y, sample_weight=sample_weight, **init)
        return self

    def partial_fit(self, X, y, *args, sample_weight=None, **others):
        model = self._ready(X, y, sample_weight)
        model.partial_fit(X, y, *args, sample_weight=sample_weight, **others)
        return self

    def predict(self, X):
        return self._asked().predict(X)

    def decision_function(self, X):
        return self._asked().decision_function(X)

    def score(self, X, y, sample_weight=None):
        return self._asked().score(X, y, sample_weight)

    def _asked(self):
        """Return our estimator, one that has not learned if nothing was."""
        if "model" not in vars(self):
            self.model = self._ours(1)
        return self.model

    def set_callbacks(self, *callbacks):
        self._asked().set_callbacks(*callbacks)
        return self

    def __getattr__(self, name):
        if name.startswith("_") or name == "model":
            raise AttributeError(name)
        return getattr(self._asked(), name)

    def __setattr__(self, name, value):
        if name in ("coef_", "intercept_"):
            setattr(self.model, name, value)
        else:
            super().__setattr__(name, value)

    def __sklearn_is_fitted__(self):
        return hasattr(self._asked(), "n_features_in_")

    def __sklearn_tags__(self):
        return self._asked().__sklearn_tags__()
