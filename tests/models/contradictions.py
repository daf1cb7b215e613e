"""Change one thing of a model file at a time, to what it cannot be beside all the rest.

Unlike `mutated_files`, which draws changes at random, this goes through every parameter, count,
number and array of a file in turn. Checksums are right, and so are types and shapes.
"""

import copy

import numpy as np
import scipy.sparse as sp

from rosenblatt import OnlineClassifier, SequenceTagger

# What a parameter may be somewhere: each is tried in the place of each.
WORDS = {
    "average": (False, True, 7),
    "batch_size": (1, 8, None),
    "constraints": (None, "auto", "iob2", "bilou", "seen"),
    "distribution": ("gaussian", "bernoulli", "multinomial"),
    "dtype": ("float32", "float64"),
    "kernel": ("linear", "poly", "rbf", "laplacian", "precomputed", "none"),
    "learner": ("averaged", "perceptron", "voted", "arow", "passive-aggressive", "logistic", "svm"),
    "learning_rate": ("constant", "inverse", "optimal", "line_search", "step", "auto", "none"),
    "loss": ("hinge", "squared_hinge", "logistic", "squared", "perceptron", "quantile", "none"),
    "metric": ("euclidean", "manhattan", "hamming", "none"),
    "multi_class": ("ovr", "joint"),
    "order": (1, 2),
    "penalty": (None, "l1", "l2", "elasticnet"),
    "predict_with": ("vote", "average", "last", "random", "none"),
    "priors": (None, "empirical", "uniform", [0.5, 0.5], [1.0]),
    "scheme_": (None, "iob1", "iob2", "bilou", "none"),
    "shrinkage": (None, "auto", 0.3),
    "ties": ("mistake", "positive"),
}


def special(word):
    return {"is": "float", "value": word}


def others(key, value):
    """Return what something may be changed to."""
    if type(value) is bool:
        return [not value, None]
    if type(value) is int:
        numbers = {0, 1, 2, value - 1, value + 1, 2 * value + 3, 10**6, 2**52, -1}
        return [*sorted(numbers - {value}), *WORDS.get(key, ()), None]
    if type(value) is float:
        numbers = [0.0, -1.0, 0.5, 1e300, *map(special, ("nan", "inf", "-inf"))]
        return [number for number in [*numbers, value + 1, None] if number != value]
    return [word for word in WORDS.get(key, ()) if word != value] + [None] * (value is not None)


def places(value, path=()):
    """Yield the path of every number, flag and text of a header, and of every null."""
    if isinstance(value, dict):
        for key in sorted(value):
            if key not in ("is", "at", "as", "order", "readonly", "ends", "dtype"):
                yield (*path, key)
                yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for key, item in enumerate(value):
            yield (*path, key)
            yield from places(item, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def changed(header, path, new):
    header = copy.deepcopy(header)
    at(header, path[:-1])[path[-1]] = new
    return header


def header_changes(header, parts):
    """Yield what was changed, and the header with that change."""
    for part in parts:
        for path in places(header.get(part), (part,)):
            value = at(header, path)
            new = [None] if isinstance(value, dict | list) else others(path[-1], value)
            for other in new:
                what = f"{'.'.join(map(str, path))}: {str(value)[:30]} -> {other}"
                yield what, changed(header, path, other)


def values_for(array):
    if array.dtype.kind == "f":
        return [np.nan, np.inf, -np.inf, -1.0, float(np.finfo(array.dtype).max)]
    if array.dtype.kind == "b":
        return []
    info = np.iinfo(array.dtype)
    return [v for v in (-1, 0, 1, 10**6, info.max, info.min) if info.min <= v <= info.max]


def array_changes(arrays):
    """Yield what was changed, and the arrays with that change: the first or last item, or all."""
    for name, array in arrays.items():
        for where in (0, -1, slice(None)):
            for value in values_for(array) if array.size else ():
                new = array.copy()
                new.reshape(-1)[where] = value
                if not np.array_equal(new, array):
                    yield f"{name}[{where}] = {value}", {**arrays, name: new}
        if array.size > 1:
            yield f"{name} reversed", {**arrays, name: array[::-1].copy()}
        if array.dtype.kind in "iuf" and array.size:
            for value in (1, -1):
                new = array.copy()
                with np.errstate(over="ignore"):
                    new.reshape(-1)[0] += np.asarray(value).astype(array.dtype)
                yield f"{name}[0] {value:+}", {**arrays, name: new}


def every_change(header, arrays):
    """Yield what was changed, the header and the arrays."""
    parts = ("params", "fitted", "state", "classes", "names", "pace")
    for what, new in header_changes(header, parts):
        if not what.startswith("params.verbose"):
            yield what, new, arrays
    for what, new in array_changes({k: a for k, a in arrays.items() if k[:5] != "extra"}):
        yield what, header, {**arrays, **new}


def harm(model, what):
    """Use a model; return what it does that no model may, whatever is in its file, or None.

    It predicts a class, or says in one line why it cannot, and so it goes on learning.
    """
    # Weights that are finite and too large make scores that are not, in a model that was fitted.
    large = "e+308" in what or "e+38" in what
    calls = _calls(model)
    for number, (name, args, sound) in enumerate(calls):
        may_say_no = name in ("learn_one", "partial_fit") or large
        try:
            found = getattr(model, name)(*args)
        except MemoryError:  # of sparse rows there may be any number of columns
            continue
        except ValueError as error:
            if not may_say_no or "\n" in str(error):
                return f"{name} (call {number}): {error!r}"
            continue
        except Exception as error:
            return f"{name} (call {number}): {error!r}"
        if not large and not sound(found):
            return f"{name} (call {number}): {str(found)[:60]}"
    return None


def _calls(model):
    """Return what to ask of a model, with a function that says whether the answer can be."""
    if isinstance(model, OnlineClassifier):
        return _stream_calls(model)
    if not hasattr(model, "n_features_in_"):
        return []
    if isinstance(model, SequenceTagger):
        words = ["the", "old", "man", "New", "York", "späm", "", "x" * 50]
        columns = {str(name): words for name in model.feature_names_in_}, [0, 0, 0, 0, 0, 1, 1, 2]
        tagged = ("predict", columns, lambda tags: np.isin(tags, model.classes_).all())
        sure = ("token_confidence", columns, lambda gaps: not np.isnan(gaps).any())
        return [tagged, sure, ("features_of", (model.classes_[-1],), lambda found: True)]
    shape = 3, model.n_features_in_
    many = shape[1] > 10**5
    X = sp.csr_matrix(shape) if many else np.linspace(0, 2, 3 * shape[1]).reshape(shape)
    labels = model.classes_ if hasattr(model, "classes_") else np.arange(3.0)
    known = np.isin if hasattr(model, "classes_") else (lambda found, _: np.isfinite(found))
    calls = [("predict", (X,), lambda found: known(found, labels).all())]
    if hasattr(model, "decision_function"):
        calls.append(("decision_function", (X,), lambda scores: not np.isnan(scores).any()))
    if hasattr(model, "predict_proba"):
        calls.append(("predict_proba", (X,), lambda p: np.allclose(p.sum(axis=1), 1)))
    if hasattr(model, "partial_fit"):
        y = labels[np.arange(3) % len(labels)]
        return [*calls, ("partial_fit", (X, y), lambda found: found is model), *calls]
    return calls


def _stream_calls(model):
    x, label = {"f1": 1.0, "f2": 2.0, "new": 1.0}, [*model.classes_.tolist(), "ham"][0]
    scored = ("scores_one", (x,), lambda scores: np.isfinite([*scores.values()]).all())
    predicted = ("predict_one", (x,), lambda found: found in [None, *model.classes_.tolist()])
    learned = ("learn_one", (x, label), lambda found: found.n_mistakes_ <= found.t_)
    return [predicted, scored, learned, learned, predicted, scored, ("to_parts", (), bool)]
