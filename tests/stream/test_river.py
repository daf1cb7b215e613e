"""The models are River's own, where River is installed."""

import copy
import pickle
import random
import re
import subprocess
import sys
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from rosenblatt import OnlineClassifier, OnlineRegressor, load, save
from rosenblatt.learner_registry import ONLINE, trainable

SETTINGS = {
    "learner": "svm",
    "bits": 9,
    "classes": ["a", "b"],
    "fit_intercept": False,
    "ties": "positive",
    "eta0": 0.25,
    "average": True,
    "dtype": "float64",
    "learning_rate": "inverse_sqrt",
    "l2": 0.5,
    "l1": 0.0,
    "forget": None,
    "scale": None,
    "loss": "hinge",
    "interactions": ["a*b"],
}


@pytest.fixture(scope="module")
def river():
    """Import the parts of River that are used here."""
    pytest.importorskip("river", reason="river is not installed (pip install --group dev)")
    import river.api

    return river.api


def taught(model, n=60):
    for k in range(n):
        x = {"p": k * 7 % 11 - 4.0, "q": k * 5 % 13 - 6.0, "city": "ab"[k % 2]}
        model.learn_one(x, 3.0 * x["p"] if model.predicts_numbers else "ba"[x["p"] > x["q"]])
    return model


@pytest.mark.parametrize(
    "code",
    [
        "import river.base as base; from rosenblatt import OnlineClassifier, OnlineRegressor",
        "from rosenblatt import OnlineClassifier, OnlineRegressor; import river.base as base",
        "from rosenblatt import OnlineClassifier as C, OnlineRegressor as R; c, r = C(), R();"
        "OnlineClassifier, OnlineRegressor = lambda: c, lambda: r; import river.base as base",
    ],
    ids=["river first", "ours first", "made before"],
)
def test_they_are_rivers_whichever_comes_first(river, code):
    code += (
        "\nc, r = OnlineClassifier(), OnlineRegressor()"
        "\nprint(isinstance(c, base.Classifier), isinstance(r, base.Regressor),"
        " isinstance(c, base.Base), isinstance(r, base.Base), isinstance(c, base.Estimator),"
        " isinstance(c, base.Regressor), isinstance(r, base.Classifier),"
        " isinstance(c, base.Transformer), issubclass(type(c), base.MiniBatchClassifier))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * 5 + ["False"] * 3 + ["True"]


def test_we_do_not_import_river():
    code = (
        "import sys; sys.modules['river'] = None;"
        "from rosenblatt import OnlineClassifier, OnlineRegressor;"
        "m = OnlineClassifier().clone().learn_one({'a': 1}, 0); isinstance(m, OnlineRegressor);"
        "OnlineRegressor().learn_one({'a': 1}, 2.5); str(m);"
        "print(*(name for name in sys.modules if name.startswith('river.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def checked(model):
    """List River's checks of a model that fail, with what they say."""
    from river import checks

    failed = []
    for check in checks.yield_checks(model):
        if check.__name__ in model._unit_test_skips():
            continue
        random.seed(0)  # River's checks shuffle with it
        try:
            check(model.clone())
        except Exception as error:
            failed.append((check.__name__, type(error).__name__, str(error)))
    return failed


@pytest.mark.parametrize(
    "model",
    [
        OnlineClassifier(),
        OnlineRegressor(),
        pytest.param(OnlineClassifier(dtype="float64"), marks=pytest.mark.slow),
        pytest.param(OnlineClassifier(bits=10, average=True), marks=pytest.mark.slow),
        pytest.param(OnlineClassifier(scale=None, eta0=0.1), marks=pytest.mark.slow),
        pytest.param(OnlineRegressor(dtype="float64"), marks=pytest.mark.slow),
        pytest.param(OnlineRegressor(bits=10, average=True), marks=pytest.mark.slow),
    ],
    ids=lambda model: f"{model!r}"[:18],
)
def test_rivers_checks_pass(river, model):
    assert checked(model) == []


@pytest.mark.slow
@pytest.mark.parametrize("learner", [name for name in trainable(ONLINE) if name != "logistic"])
def test_rivers_checks_pass_for_all_learners(river, learner):
    # The voted perceptron keeps rows, so its memory may grow.
    failed = {name for name, *_ in checked(OnlineClassifier(learner, dtype="float64"))}
    assert failed <= ({"check_bounded_memory_growth"} if learner == "voted" else set())


def test_rivers_checks_find_faults(river):
    class Broken(OnlineClassifier):
        def predict_one(self, x):
            x.clear()
            return super().predict_one(x)

    assert "check_predict_one_pure" in {name for name, *_ in checked(Broken())}


def test_settings_are_attributes_and_clones_have_them():
    for cls, settings in (
        (OnlineClassifier, SETTINGS),
        (
            OnlineRegressor,
            {k: v for k, v in SETTINGS.items() if hasattr(OnlineRegressor, k)},
        ),
    ):
        model = cls(**settings)
        assert {name: getattr(model, name) for name in settings} == settings
        assert model._get_params() == settings
        for copied in (model.clone(), clone(model), copy.copy(model), copy.deepcopy(model)):
            assert type(copied) is cls
            assert copied._get_params() == settings
        other = model.clone({"eta0": 0.75, "bits": None})
        assert other._get_params() == settings | {"eta0": 0.75, "bits": None}
        with pytest.raises(AttributeError, match=r"eta0 cannot be changed; model\.clone"):
            model.eta0 = 3
        with pytest.raises(TypeError, match="unknown"):
            model.clone({"unknown": 3})


@pytest.mark.parametrize("make", [OnlineClassifier, OnlineRegressor])
def test_every_parameter_is_an_attribute(make):
    defaults = {name: one.default for name, one in signature(make).parameters.items()}
    assert make()._get_params() == defaults
    assert make(l1=0.25).clone().l1 == 0.25
    assert make(forget=9).clone().forget == 9


@pytest.mark.parametrize("make", [OnlineClassifier, OnlineRegressor])
def test_a_clone_has_learned_nothing_and_a_copy_everything(make, tmp_path):
    model = taught(make())
    assert model.clone().t_ == 0
    assert model.clone().n_features_ == 0
    with pytest.raises(ValueError, match="cannot be kept"):
        model.clone({"l2": 1.0}, include_attributes=True)
    save(model, tmp_path / "a.model")
    kept = [
        model.clone(include_attributes=True),
        pickle.loads(pickle.dumps(model)),
        load(tmp_path / "a.model"),
    ]
    for one in kept:
        assert np.array_equal(one.coef_, model.coef_)
        assert one._get_params() == model._get_params()


def test_the_given_classes_are_kept(tmp_path):
    model = taught(OnlineClassifier(classes=["c", "a", "b"]))
    assert model.clone().classes_.tolist() == ["a", "b", "c"]
    save(model, tmp_path / "a.model")
    for one in (load(tmp_path / "a.model"), pickle.loads(pickle.dumps(model))):
        assert one.classes == ["a", "b", "c"]
        assert one.clone().classes_.tolist() == ["a", "b", "c"]
    header, arrays = model.to_parts()
    with pytest.raises(ValueError, match="given_classes are not among the classes"):
        OnlineClassifier.from_parts({**header, "given_classes": ["a", "z"]}, arrays)
    with pytest.raises(ValueError, match="not a list"):
        OnlineClassifier.from_parts({**header, "given_classes": {"a": 1}}, arrays)


def phishing(river, n=300):
    return list(river.datasets.Phishing().take(n))


def test_progressive_validation_counts_what_we_count(river):
    stream, model = phishing(river), OnlineClassifier()
    ours, right = OnlineClassifier(), 0
    for x, y in stream:
        right += ours.predict_one(x) == y
        ours.learn_one(x, y)
    score = river.evaluate.progressive_val_score(stream, model, river.metrics.Accuracy())
    assert score.get() == pytest.approx(right / len(stream), abs=1 / len(stream))
    assert np.array_equal(model.coef_, ours.coef_)


def test_progressive_validation_with_delays_and_probabilities(river):
    evaluate, metrics = river.evaluate, river.metrics
    score = evaluate.progressive_val_score(
        phishing(river), OnlineClassifier(classes=[False, True]), metrics.LogLoss(), delay=20
    )
    assert 0 < score.get() < 0.69
    bikes = list(river.datasets.TrumpApproval().take(300))
    model = river.preprocessing.StandardScaler() | OnlineRegressor()
    error = evaluate.progressive_val_score(
        bikes, model, metrics.MAE(), moment="ordinal_date", delay=3
    )
    assert error.get() < 3


def test_pipelines(river):
    scaled = river.preprocessing.StandardScaler() | OnlineClassifier()
    words = river.feature_extraction.BagOfWords(lowercase=True) | OnlineClassifier()
    assert isinstance(scaled, river.base.Classifier)
    for x, y in phishing(river):
        scaled.learn_one(x, y)
    assert scaled.predict_one(phishing(river, 1)[0][0]) in (True, False)
    for text, y in [("Free offer", "spam"), ("see you", "ham")] * 5:
        words.learn_one(text, y)
    assert words.predict_one("free gift") == "spam"
    again = words.clone()
    assert again["OnlineClassifier"].t_ == 0
    function = (lambda x: {"n": float(len(x))}) | OnlineRegressor()
    assert isinstance(function, river.compose.Pipeline)
    function.learn_one({"a": 1, "b": 2}, 2.0)
    assert "OnlineRegressor" in str(function)
    assert "OnlineClassifier" in scaled._repr_html_()


def test_transformers_with_names_and_numbers_of_their_own(river):
    features, scaling = river.feature_extraction, river.preprocessing
    mails = [({"text": t}, y) for t, y in [("free offer now", True), ("see you now", False)] * 20]
    # N-grams, as well as random features, have tuples as names.
    for first in (features.BagOfWords, features.TFIDF):
        grams = first(on="text", ngram_range=(1, 2)) | OnlineClassifier(scale=None)
        river.evaluate.progressive_val_score(mails, grams, river.metrics.Accuracy())
        assert "free offer" in grams["OnlineClassifier"].feature_names_
        assert grams.predict_one({"text": "a free offer"}) is True
    # Before it has seen a number, MinMaxScaler makes NaN of it.
    for model in (OnlineClassifier(), OnlineClassifier(bits=10, classes=[False, True])):
        for first in (scaling.MinMaxScaler(), features.RBFSampler(seed=1)):
            pipe, score = first | model.clone(), river.metrics.Accuracy()
            river.evaluate.progressive_val_score(phishing(river), pipe, score)
            assert score.get() > 0.75
    numbers = scaling.MinMaxScaler() | OnlineRegressor()
    bikes = list(river.datasets.TrumpApproval().take(100))
    error = river.evaluate.progressive_val_score(bikes, numbers, river.metrics.MAE())
    assert error.get() < 5


def test_pipelines_of_frames(river):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame([x for x, _ in phishing(river, 200)])
    y = pandas.Series([y for _, y in phishing(river, 200)])
    model = river.preprocessing.StandardScaler() | OnlineClassifier()
    model.learn_many(X[:100], y[:100])
    model.learn_many(X[100:], y[100:])
    assert np.mean(model.predict_many(X) == y) > 0.85
    assert model.predict_proba_many(X).columns.tolist() == [False, True]


def wrappers(river):
    model = OnlineClassifier()
    yield river.ensemble.BaggingClassifier(model, n_models=3, seed=1)
    yield river.ensemble.ADWINBaggingClassifier(model, n_models=3, seed=1)
    yield river.ensemble.VotingClassifier([model.clone(), OnlineClassifier(l2=1.0)])
    others = [OnlineClassifier(name) for name in ("averaged", "svm", "arow")]
    yield river.ensemble.VotingClassifier(others, use_probabilities=False)
    yield river.multiclass.OneVsRestClassifier(model)
    yield river.multiclass.OutputCodeClassifier(model, code_size=5, seed=1)
    yield river.imblearn.RandomUnderSampler(model, desired_dist={False: 0.5, True: 0.5}, seed=1)
    yield river.drift.DriftRetrainingClassifier(model)
    models = [OnlineClassifier(l2=l2) for l2 in (0.1, 1.0)]
    yield river.model_selection.SuccessiveHalvingClassifier(
        models, metric=river.metrics.Accuracy(), budget=400
    )


def test_wrappers_learn(river):
    for wrapper in wrappers(river):
        for x, y in phishing(river, 200):
            wrapper.learn_one(x, y)
        guesses = [wrapper.predict_one(x) == y for x, y in phishing(river, 200)]
        assert np.mean(guesses) > 0.75, wrapper


def test_the_clone_of_a_wrapper_has_learned_nothing(river):
    wrapper = river.imblearn.RandomUnderSampler(
        OnlineClassifier(eta0=0.3), desired_dist={False: 0.5, True: 0.5}
    )
    for x, y in phishing(river, 50):
        wrapper.learn_one(x, y)
    assert wrapper.classifier.t_ > 0
    assert wrapper.clone().classifier.t_ == 0
    assert wrapper.clone().classifier.eta0 == 0.3
    other = wrapper.clone({"classifier": (OnlineClassifier, {"eta0": 0.6})})
    assert other.classifier.eta0 == 0.6


def test_weights_are_rivers_w(river):
    one, other = OnlineRegressor(), OnlineRegressor()
    one.learn_one({"a": 1}, 2.0, w=3)
    other.learn_one({"a": 1}, 2.0, 3)
    assert np.array_equal(one.coef_, other.coef_)
    with pytest.raises(TypeError, match="give one of them"):
        one.learn_one({"a": 1}, 2.0, 3, w=2)


def test_memory_is_measured():
    model = OnlineClassifier(bits=12)
    before = taught(model)._raw_memory_usage
    assert before > 2 * 4 * 2**12  # weights and what the steps need
    taught(model, 500)
    assert model._raw_memory_usage < 1.5 * before
    assert OnlineClassifier(bits=16).learn_one({"a": 1}, 0).learn_one(
        {"a": 1}, 1
    )._raw_memory_usage > 4 * (1 << 16)


def test_the_guide_names_what_river_has(river):
    """Every dotted name in the first columns of the guide's tables, in its modules."""
    guide = Path(__file__).parents[2] / "docs/guide/from-river.md"
    rows = re.findall(r"^\|(.*?)(?<!\\)\|", guide.read_text(), re.M)
    names = {
        name for row in rows for name in re.findall(r"\b[a-z_]+(?:\.[a-z_]+)*\.[A-Za-z]\w*", row)
    }
    modules = {name.partition(".")[0] for name in names} - {"model", "metric", "detector", "pickle"}
    names = {name for name in names if name.partition(".")[0] in modules}
    assert len(names) > 30
    for name in names:
        found = river
        for part in name.split("."):
            found = getattr(found, part, None)
        assert found is not None, f"River has no {name}"
