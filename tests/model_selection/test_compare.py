"""Every classifier under the same split."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import (
    BatchPerceptron,
    GradientDescent,
    LinearSVM,
    NaiveBayes,
    NearestCentroid,
    Perceptron,
    compare,
)
from rosenblatt.evaluation.metrics import wilson
from rosenblatt.learner_registry import BY_DEFAULT, comparable
from rosenblatt.learners.losses import FOR_CLASSES
from rosenblatt.model_selection import corners
from rosenblatt.model_selection.learners_to_compare import facts_of, result_of
from rosenblatt.model_selection.table_layout import Column, text_table

X, Y = load_breast_cancer(return_X_y=True)
PRESENT = [row.estimator for row in comparable(BY_DEFAULT).values()]


class Picky(ClassifierMixin, BaseEstimator):
    """Refuses all data."""

    def fit(self, X, y):
        raise RuntimeError("not\nfor me")


@pytest.fixture(scope="module")
def cancer():
    return compare(X, Y)


def test_every_classifier_is_there(cancer):
    for name in PRESENT:
        found = [result for result in cancer if result.name.startswith(name)]
        assert found, name
        assert found[0].error == ""
        assert found[0].accuracy > 0.88
    assert (cancer.n_train, cancer.n_test, cancer.judged_on) == (398, 171, "test")
    assert (cancer.n_features, cancer.n_classes) == (30, 2)
    assert cancer.guess == pytest.approx(0.63, abs=0.01)
    assert set(cancer.models) == {result.name for result in cancer}
    assert len(cancer) == len(cancer.table) == len(cancer.results)


def test_figures_are_the_models_own(cancer):
    result, model = cancer["Perceptron"], cancer.models["Perceptron"]
    assert result.mistakes == model["model"].n_mistakes_
    assert result.converged is False
    low, high = result.interval
    assert low < result.accuracy < high
    assert result.seconds > 0
    assert cancer["NearestCentroid"].mistakes is None
    assert cancer["NearestCentroid"].converged is None
    assert cancer.best.accuracy == max(result.accuracy for result in cancer)


def test_models_take_rows_as_they_were_given():
    test = np.arange(len(X)) % 3 == 0
    report = compare(X[~test], Y[~test], test=(X[test], Y[test]), models=["Perceptron"], orders=1)
    by_hand = make_pipeline(StandardScaler(), Perceptron(tol=None, max_iter=1000))
    assert report.models["Perceptron"].score(X[test], Y[test]) == report["Perceptron"].accuracy
    assert report["Perceptron"].differ is None
    assert by_hand.fit(X[~test], Y[~test]).score(X[test], Y[test]) > 0.9
    mean = report.models["Perceptron"]["prepare"].mean_
    np.testing.assert_allclose(mean, X[~test].mean(axis=0))  # test rows play no part


def test_always_the_same_or_can_differ(cancer):
    for result in cancer:
        exact = result.name in ("LogisticRegression", "LinearSVM")
        closed = result.name.startswith(("Nearest", "LinearD", "Naive", "Batch"))
        assert result.result == ("always the same" if closed or exact else "can differ")
        if closed:
            assert result.differ == 0.0
    assert cancer["Perceptron"].differ > 0
    if "LogisticRegression" in PRESENT:
        batch = rosenblatt.LogisticRegression(batch_size=None)
        assert result_of(batch, 0.0) == "always the same"
        assert facts_of(batch).optimisation == "gradient descent"
        batch.set_params(batch_size=8)
        assert facts_of(batch).optimisation == "SGD, batches of 8"


def test_every_learner_has_its_facts():
    kinds = {name: getattr(rosenblatt, name) for name in rosenblatt.__all__}
    learners = {name for name, kind in kinds.items() if hasattr(kind, "fit")}
    named = {row.estimator for row in comparable().values() if row.facts is not None}
    assert named == {name for name in learners if issubclass(kinds[name], ClassifierMixin)}
    assert named == {*PRESENT, "GradientDescent", "KernelPerceptron"}
    assert facts_of(DummyClassifier()) is None
    assert result_of(DummyClassifier(), None) is None


def test_gradient_descent_is_known_by_its_loss():
    report = compare(X, Y, models=["GradientDescent", GradientDescent(loss="squared")], orders=1)
    assert [result.name for result in report] == ["GradientDescent", "GradientDescent 2"]
    assert "−Σ_M y w·x" in report.describe()
    assert "Σ (y − w·x)²" in report.describe()
    errors = {facts_of(GradientDescent(loss=loss)).error for loss in FOR_CLASSES}
    assert len(errors) == len(FOR_CLASSES)
    assert facts_of(LinearSVM()).error == "Σ max(0, 1 − y w·x), and ‖w‖²"
    assert facts_of(LinearSVM(loss="squared_hinge")).error == "Σ max(0, 1 − y w·x)², and ‖w‖²"
    assert result_of(GradientDescent(batch_size=None), None) == "always the same"
    assert result_of(GradientDescent(), None) == "can differ"


def test_a_kernel_perceptron_is_compared_if_it_is_named(cancer):
    assert "KernelPerceptron" not in cancer.models
    report = compare(X, Y, models=["KernelPerceptron"])
    assert report["KernelPerceptron"].accuracy > 0.9
    assert report["KernelPerceptron"].result == "can differ"
    assert "Σ c sign(Σ a k)" in report.describe()
    assert max(map(len, report.describe().splitlines())) <= 80
    xor = compare(*corners("xor"), test=None, models=["Perceptron", "KernelPerceptron"])
    assert xor["KernelPerceptron"].accuracy == 1


@pytest.mark.slow
def test_what_was_seen_to_differ_is_not_called_the_same():
    shrunken = NearestCentroid(shrink_threshold="cv")
    assert result_of(shrunken, None) == result_of(shrunken, 0.0) == "can differ"
    for model in (NearestCentroid(), NaiveBayes(), DummyClassifier()):
        assert result_of(model, 0.01) == "can differ"
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60, 40)), rng.integers(2, size=60)
    report = compare(rows, labels, models=[shrunken], orders=4)
    assert report["NearestCentroid"].differ > 0
    assert "can differ (" in report.describe()
    assert "always the same" not in report.describe()


def test_the_same_seed_gives_the_same_figures(cancer):
    assert compare(X, Y) == cancer
    assert compare(X, Y, random_state=1) != cancer


def test_the_report_is_readable_and_frozen(cancer):
    for text in (str(cancer), repr(cancer), cancer.describe()):
        assert max(map(len, text.splitlines())) <= 80
        assert "AveragedPerceptron" in text
        assert "…" not in text
    assert "95% interval" in str(cancer)
    assert cancer._repr_html_().count("<tr>") == len(cancer) + 1
    assert len(pd.DataFrame(cancer.table)) == len(cancer)
    assert pickle.loads(pickle.dumps(cancer)) == cancer
    with pytest.raises(AttributeError):
        cancer.guess = 1.0
    with pytest.raises(TypeError, match="cannot be changed"):
        cancer.models["Perceptron"] = None
    with pytest.raises(KeyError, match="no learner is called 'Perceptrom' here; there are"):
        cancer["Perceptrom"]


@pytest.mark.slow
def test_large_figures_stay_in_80_columns():
    digits = compare(*load_digits(return_X_y=True))
    assert any("multinomial" in result.name for result in digits) == ("NaiveBayes" in PRESENT)
    assert max(map(len, str(digits).splitlines())) <= 80


def test_names_are_written_as_they_are():
    cells = [[":cat:", "[bold]x[/]"]]
    assert ":cat:  [bold]x[/]" in text_table([Column("a"), Column("b")], cells)


def test_a_failure_hides_no_one():
    models = {"picky": Picky(), "perceptron": Perceptron()}
    report = compare(X, Y, models=models)
    assert report["picky"].error == "not for me"
    assert report["picky"].accuracy is None
    assert report["perceptron"].accuracy > 0.9
    assert "picky was left out: not for me" in str(report)
    assert "picky" in report._repr_html_()
    assert list(report.models) == ["perceptron"]
    with pytest.raises(ValueError, match="no learner could be fitted"):
        _ = compare(X, Y, models=[Picky()]).best


def test_names_and_errors_are_escaped_in_html():
    class Rude(Picky):
        def fit(self, X, y):
            raise RuntimeError("<script>alert(1)</script>")

    html = compare(X, Y, models={"<b>rude</b>": Rude(), "<i>": DummyClassifier()})._repr_html_()
    assert "&lt;script&gt;" in html
    for tag in ("<script>", "<b>", "<i>"):
        assert tag not in html


def test_a_warning_that_the_user_made_an_error_is_one():
    class Warns(DummyClassifier):
        def fit(self, X, y):
            import warnings

            warnings.warn("look out", FutureWarning, stacklevel=2)
            return super().fit(X, y)

    with pytest.raises(FutureWarning, match="look out"):
        compare(X, Y, models=[Warns()])


def test_models_of_others_and_twice():
    models = [SGDClassifier(), "BatchPerceptron", BatchPerceptron(eta0=2), DummyClassifier()]
    report = compare(X, Y, models=models)
    names = [result.name for result in report]
    assert names == ["SGDClassifier", "BatchPerceptron", "BatchPerceptron 2", "DummyClassifier"]
    assert report["DummyClassifier"].result == "same here"
    assert report["DummyClassifier"].accuracy == report.guess
    assert compare(X, Y, models=models)["SGDClassifier"] == report["SGDClassifier"]  # seeded
    assert "–" in report.describe()
    own = make_pipeline(StandardScaler(), Perceptron())
    assert compare(X, Y, models=own)["Perceptron"].accuracy > 0.9


@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_pipelines_take_texts(kind):
    texts = ["cheap pills now", "meeting at noon", "cheap watches", "lunch at noon?"] * 10
    rows, labels = kind(texts), [1, 0, 1, 0] * 10
    models = {"nb": make_pipeline(CountVectorizer(), NaiveBayes("multinomial"))}
    for test in (0.3, None, (rows[:4], labels[:4])):
        report = compare(rows, labels, models=models, test=test)
        assert report["nb"].accuracy == 1.0
        assert report.n_features is None
        assert "test rows; 2 classes" in str(report) or test is None
        assert report.models["nb"].predict(["cheap lunch"]).shape == (1,)
    with pytest.raises(ValueError, match="not of two features"):
        report.plot()
    with pytest.raises(ValueError, match="X has no rows"):
        compare(rows[:0], labels[:0], models=models)
    with pytest.raises(ValueError, match="texts need a pipeline"):
        compare(rows, labels, models={**models, "Perceptron": Perceptron()})


def test_or_and_xor():
    for name, solvable in (("or", True), ("and", True), ("xor", False)):
        report = compare(*corners(name), test=None)
        assert report.judged_on == "training"
        assert report.n_train == report.n_test == 4
        for learner in ("Perceptron", "BatchPerceptron"):
            assert (report[learner].accuracy == 1.0) == solvable
            assert report[learner].converged == solvable
        assert "rows for training and evaluation" in str(report)


def test_corners():
    rows, y = corners("XOR", copies=3)
    assert rows.shape == (12, 2)
    assert y.sum() == 6
    np.testing.assert_array_equal(corners("or", spread=0.1)[0], corners("xor", spread=0.1)[0])
    for bad in ({"name": "nor"}, {"copies": 0}, {"spread": -1}):
        with pytest.raises(ValueError, match="must be"):
            corners(**{"name": "or", **bad})


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames(frame):
    iris = load_iris()
    table = frame({name: iris.data[:, k] for k, name in enumerate(iris.feature_names)})
    names = iris.target_names[iris.target]
    report = compare(table, names, models=["Perceptron", "AveragedPerceptron"])
    arrays = compare(iris.data, names, models=["Perceptron", "AveragedPerceptron"])
    assert report == arrays


@pytest.mark.slow
def test_binary_and_sparse_features():
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.3, size=(200, 20))
    y = (counts[:, :3].sum(axis=1) > 1).astype(int)
    dense, sparse = (
        compare(kind, y, models=["Perceptron"], scale=False)
        for kind in (counts, sp.csr_matrix(counts))
    )
    assert dense == sparse
    if "NaiveBayes" in PRESENT:
        assert "NaiveBayes multinomial" in compare(sp.csr_matrix(counts), y).models
        binary = compare(np.minimum(counts, 1), y)
        assert [r.name for r in binary if "Naive" in r.name] == ["NaiveBayes bernoulli"]


def test_verbose_shows_progress(capsys):
    compare(X, Y, models=["Perceptron"], verbose=1)
    assert "1/1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"models": ["Perceptrom"]},
            "no learner is called 'Perceptrom'; did you mean 'Perceptron'?",
        ),
        ({"models": "svm"}, "did you mean 'LinearSVM'. There are NearestCentroid, .*Gradient"),
        ({"models": ["gradientdescent"]}, "did you mean 'GradientDescent'"),
        ({"models": ["Zebra"]}, "no learner is called 'Zebra'. There are NearestCentroid"),
        ({"models": [Perceptron]}, "models must hold classifiers, such as Perceptron"),
        ({"models": []}, "models is empty"),
        ({"models": [StandardScaler()]}, "models must hold classifiers"),
        ({"y": X[:, 0]}, "Unknown label type: continuous.*LinearRegression"),
        ({"y": np.arange(len(Y))}, "569 different numbers in 569 rows.*LinearRegression"),
        ({"test": 0.0}, "test must be a share"),
        ({"test": (X[:5, :3], Y[:5])}, "X_test has 3 columns and X has 30"),
        ({"orders": 0}, "orders must be a whole number"),
        ({"random_state": None}, "random_state must be a whole number"),
        ({"y": np.zeros(len(Y))}, "y has one class"),
        ({"y": Y[:5]}, "X has 569 rows but y has 5"),
        ({"y": np.r_[Y[1:], 7]}, "class 7 has one row, and test=0.3"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        compare(X, options.pop("y", Y), **options)


def test_wilson():
    assert wilson(10, 10).high == 1.0
    assert wilson(0, 10).low == 0.0
    # Newcombe (1998), table I
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)


@pytest.mark.slow
def test_mushrooms_and_adults(dataset):
    mushroom = dataset("mushroom", as_frame=True)
    models = ["Perceptron", "AveragedPerceptron"]
    report = compare(mushroom.X, mushroom.y, models=models)
    assert report["Perceptron"].accuracy > 0.99
    assert report.n_features == 117
    adult = dataset("adult", as_frame=True)
    test = (
        pl.DataFrame({name: adult.X_test[name].tolist() for name in adult.X_test.columns}),
        adult.y_test,
    )
    report = compare(
        pl.DataFrame({name: adult.X[name].tolist() for name in adult.X.columns}),
        adult.y,
        test=test,
        models=models,
        orders=1,
    )
    assert report["AveragedPerceptron"].accuracy > 0.84
    assert "workclass=Private" in report.models["Perceptron"][:-1].get_feature_names_out()


def test_whole_weights_are_repetitions():
    y = Y
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    models = ["NearestCentroid", "NaiveBayes", "LinearDiscriminant"]
    options = {"models": models, "scale": False, "orders": 1}
    weighted = compare(
        X, y, sample_weight=weights, test=(X[:200], y[:200], weights[:200]), **options
    )
    again = np.repeat(np.arange(len(y)), weights)
    head = again[again < 200]
    repeated = compare(X[again], y[again], test=(X[head], y[head]), **options)
    assert weighted.guess == pytest.approx(repeated.guess)
    for name in models:
        assert weighted[name].accuracy == pytest.approx(repeated[name].accuracy)
        assert weighted[name].interval[0] < repeated[name].interval[0]  # fewer rows say less


def test_rows_to_judge_by_without_any_weight_are_refused():
    weights = np.zeros(len(Y))
    weights[np.unique(Y, return_index=True)[1]] = 1
    message = "the 20 rows to judge by all have weight 0"
    with pytest.raises(ValueError, match=message):
        compare(X, Y, sample_weight=weights, test=20, models=["Perceptron"])


def test_learners_without_weights_are_named():
    y = Y
    found = compare(X, y, sample_weight=np.ones(len(y)), models=["KernelPerceptron", "Perceptron"])
    assert found["KernelPerceptron"].error == "KernelPerceptron does not support sample_weight"
    assert found["Perceptron"].accuracy > 0.9
