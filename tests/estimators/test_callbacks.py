"""scikit-learn's callbacks are told of fits and passes, and can stop them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import (
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    GradientDescent,
    KernelPerceptron,
    LinearDiscriminant,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    NearestCentroid,
    PassiveAggressive,
    Perceptron,
    StructuredPerceptron,
    VotedPerceptron,
)
from rosenblatt.estimators._base import callbacks
from tests.conftest import whole_numbers
from tests.learners.structured_problems import Classes

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")
pytestmark = pytest.mark.filterwarnings(
    f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning"
)
LINEAR = [
    Perceptron(max_iter=4, tol=None),
    AveragedPerceptron(max_iter=4),
    VotedPerceptron(max_iter=4),
    PassiveAggressive(max_iter=4),
    AROW(max_iter=4),
    BatchPerceptron(max_iter=4),
    LogisticRegression(max_iter=4, learning_rate="inverse_sqrt", tol=None),
    LinearSVM(max_iter=4, learning_rate="inverse_sqrt", tol=None),
    GradientDescent(max_iter=4, tol=None),
    LinearRegression(max_iter=4, learning_rate="inverse_sqrt", tol=None),
    LogisticRegression(max_iter=4),
    LogisticRegression(max_iter=4, penalty="l1", alpha=0.01),
    LinearSVM(max_iter=4),
    LinearSVM(max_iter=4, loss="squared_hinge"),
]
OTHERS = [KernelPerceptron(max_iter=4)]
AT_ONCE = [LinearDiscriminant(), NaiveBayes(), NearestCentroid()]


def name_of(model):
    return type(model).__name__


class Listener:
    """Writes down what it is told; stops after some passes."""

    max_propagation_depth = None

    def __init__(self, passes=None):
        self.passes, self.told, self.models = passes, [], []

    def setup(self, estimator, context):
        self.told.append(("setup", context.task_name, context.max_subtasks))

    def teardown(self, estimator, context):
        self.told.append(("teardown", context.task_name, context.max_subtasks))

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        self.told.append(("begin", context.task_name, context.task_id))

    def on_fit_task_end(
        self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None
    ):
        self.told.append(("end", context.task_name, context.task_id))
        self.models.append(fitted_estimator)
        self.metadata = metadata
        return context.task_name == "pass" and self.passes == context.task_id + 1


def data():
    X, y = whole_numbers(seed=3, n=40, n_classes=3)
    return X.astype(float), y


@pytest.mark.parametrize("model", [*LINEAR, *OTHERS], ids=name_of)
def test_each_pass_is_told(model):
    X, y = data()
    listener = Listener()
    assert model.set_callbacks(listener) is model
    model.fit(X, y)
    n = model.n_iter_
    assert n > 1
    passes = [(what, "pass", k) for k in range(n) for what in ("begin", "end")]
    assert listener.told == [
        ("setup", "fit", 4),
        ("begin", "fit", 0),
        *passes,
        ("end", "fit", 0),
        ("teardown", "fit", 4),
    ]
    assert not {"_told", "_callback_fit_ctx", "_skl_callbacks_to_teardown"} & vars(model).keys()


@pytest.mark.parametrize("model", LINEAR, ids=name_of)
def test_the_model_after_a_pass_is_that_of_as_many_passes(model):
    X, y = data()
    listener = Listener()
    model = clone(model).set_callbacks(listener).fit(X, y)
    *after, whole = listener.models
    np.testing.assert_array_equal(whole.coef_, model.coef_)
    np.testing.assert_array_equal(after[-1].coef_, model.coef_)
    np.testing.assert_array_equal(after[-1].predict(X), model.predict(X))
    first = clone(model).set_params(max_iter=1)
    first.set_callbacks().fit(X, y)
    np.testing.assert_array_equal(after[0].predict(X), first.predict(X))


@pytest.mark.parametrize("model", [*LINEAR, *OTHERS], ids=name_of)
def test_a_callback_can_stop(model, recwarn):
    X, y = data()
    model = clone(model).set_params(max_iter=40, tol=1e-9).set_callbacks(Listener(passes=2))
    model.fit(X, y)
    assert model.n_iter_ == 2
    assert not model.converged_
    assert not [w for w in recwarn if issubclass(w.category, ConvergenceWarning)]


def test_a_callback_that_listens_changes_nothing():
    X, y = data()
    for model in (*LINEAR, *OTHERS, *AT_ONCE):
        plain, told = clone(model).set_callbacks(), clone(model).set_callbacks(Listener())
        np.testing.assert_array_equal(plain.fit(X, y).predict(X), told.fit(X, y).predict(X))


@pytest.mark.parametrize("model", AT_ONCE, ids=name_of)
def test_what_is_computed_at_once_is_one_task(model):
    X, y = data()
    listener = Listener()
    weights = np.arange(len(y)) % 3 + 1.0
    model.set_callbacks(listener).fit(X, y, sample_weight=weights)
    tasks = [("setup", "fit", 0), ("begin", "fit", 0), ("end", "fit", 0), ("teardown", "fit", 0)]
    assert listener.told == tasks
    np.testing.assert_array_equal(listener.metadata["sample_weight"], weights)
    np.testing.assert_array_equal(listener.models[0].predict(X), model.predict(X))


def test_structured_outputs_are_told_of_too():
    X, y = data()
    listener = Listener()
    model = StructuredPerceptron(Classes(3), max_iter=3).set_callbacks(listener)
    model.fit(list(X), y.tolist())
    assert ("end", "pass", model.n_iter_ - 1) in listener.told


@pytest.mark.parametrize("model", [Perceptron(), LogisticRegression(), NaiveBayes()], ids=name_of)
def test_a_fit_that_fails_is_torn_down_and_changes_nothing(model):
    X, y = data()
    listener = Listener()
    model.set_callbacks(listener)
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, np.zeros(len(y)))
    assert listener.told[-1][0] == "teardown"
    assert not {"classes_", "_told", "_callback_fit_ctx"} & vars(model).keys()
    assert model.fit(X, y).predict(X).shape == y.shape


def test_scores_are_monitored():
    X, y = data()
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = Perceptron(max_iter=5, tol=None).set_callbacks(monitor).fit(X, y)
    scores = [row["accuracy"] for row in monitor.get_logs().data]
    assert len(scores) == model.n_iter_ + 1
    assert scores[0] == scores[-1] == model.score(X, y)


def test_progress_bars_show_passes(capsys):
    pytest.importorskip("rich")
    X, y = data()
    AveragedPerceptron(max_iter=3).set_callbacks(callback.ProgressBar()).fit(X, y)
    told = capsys.readouterr()
    assert "AveragedPerceptron - fit" in told.out + told.err


def test_callbacks_reach_the_last_step_and_every_candidate():
    X, y = data()
    listener = Listener()
    pipeline = make_pipeline(StandardScaler(), Perceptron(max_iter=3, tol=None))
    pipeline.set_callbacks(listener).fit(X, y)
    assert [entry for entry in listener.told if entry[1:] == ("pass", 2)] == [
        ("begin", "pass", 2),
        ("end", "pass", 2),
    ]
    search = GridSearchCV(LogisticRegression(max_iter=2, tol=None), {"alpha": [0.1, 1.0]}, cv=2)
    listener = Listener()
    search.set_callbacks(listener).fit(X, y)
    assert listener.told.count(("end", "pass", 1)) >= 5  # four fits, and the best once more


def test_callbacks_are_no_part_of_a_model_file(tmp_path):
    X, y = data()
    model = Perceptron().set_callbacks(Listener()).fit(X, y)
    rosenblatt.save(model, tmp_path / "m.model")
    assert not hasattr(rosenblatt.load(tmp_path / "m.model"), "_skl_callbacks")


def test_what_is_no_callback_is_refused():
    with pytest.raises(TypeError, match="FitCallback"):
        Perceptron().set_callbacks(print)


def test_an_older_scikit_learn_has_none(monkeypatch):
    monkeypatch.setattr(callbacks, "find_spec", lambda name: None)
    assert not hasattr(Perceptron(), "set_callbacks")
    with pytest.raises(AttributeError) as error:
        Perceptron().set_callbacks()
    assert "scikit-learn 1.9 or later" in str(error.value.__cause__)
    assert Perceptron().fit([[0.0], [1.0]], [0, 1]).converged_
