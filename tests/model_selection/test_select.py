"""Model selection in four steps."""

from time import sleep

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import coo_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import ElasticNet, Ridge
from sklearn.metrics import make_scorer, recall_score
from sklearn.model_selection import GroupKFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import SVC

from rosenblatt import (
    AveragedPerceptron,
    BatchPerceptron,
    KernelPerceptron,
    LinearDiscriminant,
    LogisticRegression,
    NearestCentroid,
    Perceptron,
    compare,
    select,
)
from rosenblatt.kernels import jit
from rosenblatt.model_selection.grid_search import Judging, Setting, Task, further_values
from rosenblatt.model_selection.splits import Part

X, Y = load_breast_cancer(return_X_y=True)
GRID = {"eta0": [1.0, 0.1]}
PASSES = {"max_iter": [100, 50]}
N = 100
ROWS, LABELS = np.c_[np.arange(N), np.zeros(N)], np.arange(N) % 2
SEEN: dict[str, list] = {"fit": [], "predict": []}


class Watcher(ClassifierMixin, BaseEstimator):
    """Notes the rows that it sees by their first feature, and prefers ``good=2``."""

    def __init__(self, good=0, fail=False):
        self.good = good
        self.fail = fail

    def fit(self, X, y):
        if self.fail:
            raise ValueError("it was\ntold to")
        SEEN["fit"].append(frozenset(X[:, 0].astype(int)))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        SEEN["predict"].append(frozenset(X[:, 0].astype(int)))
        right = X[:, 0].astype(int) % 2
        return right if self.good == 2 else np.zeros_like(right)


@pytest.fixture(autouse=True)
def _nothing_seen():
    for calls in SEEN.values():
        calls.clear()


def test_the_four_steps_with_a_validation_set():
    report = select(Watcher(), {"good": [0, 1, 2]}, ROWS, LABELS, validation=0.25, scale=False)
    *search, final = SEEN["fit"]
    *judged, tested = SEEN["predict"]
    assert len(search) == len(judged) == 3
    assert len(set(search)) == len(set(judged)) == 1  # the same parts for every setting
    train, validation = search[0], judged[0]
    assert (len(train), len(validation), len(tested)) == (55, 25, 20)
    assert final == train | validation  # retrained on both
    assert not final & tested
    assert not train & validation
    assert report.params == {"good": 2}
    assert (report.score, report.test_score) == (1.0, 1.0)
    assert (report.n_train, report.n_validation, report.n_test) == (55, 25, 20)
    assert report.n_retrained == 80
    assert [setting.score for setting in report.table[:2]] == pytest.approx([0.5, 0.5], abs=0.03)


def test_test_rows_are_seen_once_in_cross_validation():
    report = select(Watcher(), {"good": [0, 2]}, ROWS, LABELS, cv=4, scale=False)
    *judged, tested = SEEN["predict"]
    assert len(judged) == 8
    assert all(not tested & rows for rows in SEEN["fit"] + judged)
    assert frozenset().union(*judged) == SEEN["fit"][-1]
    assert frozenset().union(*judged) | tested == set(range(N))
    assert report.n_validation == report.n_train == 80
    assert np.mean(report.table[0].scores) == report.table[0].score
    assert report.table[0].error == pytest.approx(np.std(report.table[0].scores, ddof=1) / 2)


def test_test_rows_given_are_seen_once_and_the_rest_is_not_split():
    other = np.c_[np.arange(1000, 1010), np.zeros(10)]
    report = select(
        Watcher(), {"good": [2]}, ROWS, LABELS, test=(other, np.arange(10) % 2), scale=False
    )
    assert SEEN["predict"][-1] == frozenset(range(1000, 1010))
    assert not any(rows & SEEN["predict"][-1] for rows in SEEN["predict"][:-1] + SEEN["fit"])
    assert (report.n_retrained, report.n_test, report.test_score) == (100, 10, 1.0)


def test_without_a_test():
    report = select(Watcher(), {"good": [2]}, ROWS, LABELS, test=None, validation=0.2, scale=False)
    assert report.test_score is report.interval is None
    assert "too rosy" in str(report)


def test_a_score_of_the_users_is_computed_once_on_test_rows():
    calls = []

    def score(model, X, y):
        calls.append(len(y))
        return float(np.mean(model.predict(X) == y))

    report = select(Watcher(), {"good": [0, 2]}, ROWS, LABELS, cv=4, scoring=score, scale=False)
    assert calls == [20] * 9
    assert report.scoring == "score"
    assert report.interval is None


def test_nothing_leaks_into_the_scale():
    report = select(Perceptron(), GRID, X, Y, cv=3)
    rest = report.model["prepare"].mean_ * report.n_retrained
    assert report.n_retrained < len(X)
    assert not np.allclose(rest / report.n_retrained, X.mean(axis=0))


@pytest.mark.filterwarnings("ignore:No setting beats the majority")
def test_ties_go_to_the_first():
    for order in ([0, 1], [1, 0]):
        report = select(Watcher(), {"good": order}, ROWS, LABELS, cv=4, scale=False)
        assert report.params == {"good": order[0]}
    # From zero weights a constant step size changes no prediction.
    for order in ([1.0, 8.0], [8.0, 1.0]):
        assert select(Perceptron(), {"eta0": order}, X, Y, cv=3).params["eta0"] == order[0]


@pytest.mark.filterwarnings("ignore:No setting beats the majority")
def test_keys_are_tried_in_the_order_given():
    report = select(Watcher(), {"good": [1, 0], "fail": [False]}, ROWS, LABELS, cv=2, scale=False)
    assert [dict(s.params) for s in report.table] == [
        {"good": 1, "fail": False},
        {"good": 0, "fail": False},
    ]
    two = [{"good": [2]}, {"fail": [False]}]
    assert len(select(Watcher(), two, ROWS, LABELS, cv=2, scale=False).table) == 2


def test_the_same_seed_gives_the_same_report():
    first, second = (select(AveragedPerceptron(), PASSES, X, Y, random_state=3) for _ in range(2))
    assert first == second
    assert str(first) == str(second) == repr(first)
    np.testing.assert_array_equal(first.model["model"].coef_, second.model["model"].coef_)
    assert select(AveragedPerceptron(), PASSES, X, Y, random_state=4) != first


@pytest.mark.slow
def test_processes_make_no_difference():
    alone = select(AveragedPerceptron(), PASSES, X, Y, cv=3)
    assert select(AveragedPerceptron(), PASSES, X, Y, cv=3, n_jobs=2) == alone


def test_the_report_is_readable_and_frozen():
    grid = {"eta0": np.geomspace(0.001, 1000, 15), "learning_rate": ["constant"]}
    report = select(Perceptron(), grid, X, Y, cv=2)
    text = str(report)
    assert max(map(len, text.splitlines())) <= 80
    assert "… and 3 more settings in .table" in text
    assert "On 114 test rows, looked at once" in text
    low, high = report.interval
    assert low < report.test_score < high
    assert report._repr_html_().count("<tr>") == 16
    assert len(pd.DataFrame(report.table)) == 15
    with pytest.raises(AttributeError):
        report.score = 1.0
    with pytest.raises(TypeError):
        report.params["eta0"] = 1.0


def test_settings_that_cannot_be_fitted_lose():
    grid = {"fail": [True, False], "good": [2]}
    report = select(Watcher(), grid, ROWS, LABELS, cv=2, scale=False)
    assert report.params["fail"] is False
    assert report.table[0].reason == "it was told to"
    assert "fail=True, good=2 could not be fitted: it was told to" in str(report)
    with pytest.raises(ValueError, match="no setting of the grid could be fitted: it was told to"):
        select(Watcher(), {"fail": [True]}, ROWS, LABELS, cv=2, scale=False)


class Compiling(Watcher):
    """One whose loops are compiled when it is first fitted."""

    def fit(self, X, y):
        sleep(0.3)
        jit.waiting.seconds += 0.3
        return super().fit(X, y)


def test_times_leave_out_what_was_compiled():
    report = select(Compiling(), {"good": [2]}, ROWS, LABELS, cv=2, scale=False)
    assert report.table[0].seconds < 0.15
    result = compare(ROWS, LABELS, models={"c": Compiling(good=2)}, orders=1)["c"]
    assert result.seconds < 0.15


def test_a_score_that_fails_says_why_and_nothing_else(recwarn):
    iris = load_iris(return_X_y=True)
    with pytest.raises(
        ValueError, match="scoring='f1' is for two classes, and y has 3; use 'f1_macro'"
    ) as caught:
        select(NearestCentroid(), {"shrink_threshold": [None, 1.0]}, *iris, scoring="f1")
    assert "\n" not in str(caught.value)
    assert not recwarn.list

    def broken(model, X, y):
        raise RuntimeError("no\nscore")

    with pytest.raises(ValueError, match="has a score: scoring='broken' failed: no score"):
        select(NearestCentroid(), {"shrink_threshold": [None]}, *iris, scoring=broken)


def test_the_name_of_a_score_is_escaped_in_html():
    def score(model, X, y):
        return 1.0

    score.__name__ = "<script>"
    report = select(Watcher(), {"good": [2]}, ROWS, LABELS, scoring=score, cv=2)
    assert "<script>" not in report._repr_html_()


def test_only_the_last_model_warns():
    with pytest.warns(ConvergenceWarning) as caught:
        select(Perceptron(max_iter=2), GRID, X, Y, cv=3)
    assert len(caught) == 1


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_and_short_names(frame):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 200)
    table = frame({"colour": colour, "size": rng.normal(size=200)})
    report = select(
        AveragedPerceptron(), {"max_iter": [5, 20], "model__ties": ["mistake"]}, table,
        colour == "red", validation=0.2,
    )  # fmt: skip
    assert report.test_score == 1.0
    assert report.params == {"max_iter": 5, "model__ties": "mistake"}
    assert "colour=red" in report.model[:-1].get_feature_names_out()


def test_pipelines_and_texts():
    texts = ["cheap pills now", "meeting at noon", "cheap watches", "lunch at noon?"] * 10
    model = make_pipeline(CountVectorizer(), Perceptron())
    report = select(model, {"countvectorizer__binary": [False, True]}, texts, [1, 0, 1, 0] * 10)
    assert report.test_score == 1.0
    assert report.model.predict(["cheap lunch"]).shape == (1,)


def test_other_estimators_and_scores():
    iris = load_iris(return_X_y=True)
    assert select(SVC(), {"C": [0.1, 1, 10]}, *iris).test_score > 0.9
    report = select(Ridge(), {"alpha": [0.01, 1.0]}, *load_diabetes(return_X_y=True))
    assert report.scoring == "R²"
    assert 0.2 < report.test_score < 0.7
    recall = make_scorer(recall_score)
    assert select(BatchPerceptron(max_iter=20, tol=None), GRID, X, Y, scoring=recall).score > 0.9
    assert select(Perceptron(), GRID, X, Y, scoring="roc_auc", validation=0.2).score > 0.9


@pytest.mark.filterwarnings("ignore:No setting beats the majority")
def test_splitters_of_scikit_learn():
    assert len(select(Watcher(), {"good": [1]}, ROWS, LABELS, cv=ShuffleSplit(3)).table) == 1
    with pytest.raises(ValueError, match="groups"):
        select(Watcher(), {"good": [1]}, ROWS, LABELS, cv=GroupKFold(3))


def test_verbose_shows_progress(capsys):
    select(Watcher(), {"good": [1, 2]}, ROWS, LABELS, cv=2, scale=False, verbose=1)
    assert "4/4" in capsys.readouterr().err


RARE = np.array([0] * 50 + [1] * 49 + [2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": {"eta": [1]}}, "Perceptron has no parameter 'eta'; did you mean 'eta0'?"),
        ({"grid": {"eta": [1]}}, "There are calibration, class_weight, eta0, fit_intercept"),
        ({"grid": {}}, "grid is empty"),
        ({"grid": {"eta0": []}}, r"grid\['eta0'\] is empty"),
        ({"grid": {"eta0": 1.0}}, r"must list the values to try, such as \[1.0\]"),
        ({"grid": {"ties": "mistake"}}, r"must list the values to try"),
        ({"grid": 5}, "grid must map parameters"),
        ({"grid": ["eta0"]}, "a list of mappings"),
        ({"validation": 0.2, "cv": 5}, "validation and cv are two ways to judge"),
        ({"y": RARE}, "class 2 has one row, and test=0.2 .* at least 2 are needed"),
        ({"y": np.repeat([0, 1], [96, 4])}, "class 1 has 3 rows, and cv=5 wants one for each fold"),
        ({"y": np.zeros(100)}, "y has one class, 0.0"),
        ({"y": np.zeros(99)}, "X has 100 rows but y has 99 labels"),
        ({"test": 1.0}, "test must be a share between 0 and 1"),
        ({"test": 0.001}, "test=0.001 of 100 rows is 0"),
        ({"test": 99}, "test=99 of 100 rows is 99, and 1 of 100 are left"),
        ({"test": 0.5, "validation": 0.5}, "validation=0.5 of 100 rows is 50, and 0 of 50 are"),
        ({"test": "some"}, "test must be a share"),
        ({"test": (ROWS,)}, "test must be a share, a pair"),
        ({"test": (ROWS, LABELS + 1)}, "y_test has the label 2, which y has not"),
        ({"test": (ROWS[:0], LABELS[:0])}, "X_test has no rows"),
        ({"cv": "five"}, "cv must be a number of folds, 2 or more"),
        ({"cv": 1}, "cv must be a number of folds, 2 or more"),
        ({"scoring": "accuraci"}, "no score of scikit-learn's; did you mean 'accuracy'?"),
        ({"scoring": "acc"}, "no score of scikit-learn's; did you mean 'accuracy'?"),
        ({"scoring": "Roc"}, "did you mean 'roc_auc'?"),
        ({"scoring": 5}, "scoring must be the name of a score, a function"),
        ({"scoring": []}, "scoring is empty"),
        ({"scoring": ["accuracy", "f2"]}, "scoring='f2' is no score of scikit-learn's"),
        ({"y": np.arange(100)}, "100 different numbers in 100 rows.*LinearRegression"),
        ({"cv": [([0], [1])]}, "cv lists rows of X, and test=0.2 would set some of these aside"),
        ({"cv": [([0], [100])], "test": None}, "cv names row 100, and X has the rows 0 to 99"),
        ({"cv": [([0], [])], "test": None}, "cv must hold pairs of row numbers, got the type"),
        ({"cv": [[0]], "test": None}, "cv must hold pairs, of the rows to learn from"),
        ({"cv": [], "test": None}, "cv has no folds"),
        ({"X": np.full((100, 2), np.nan)}, "contains NaN at row 0, column 0"),
    ],
)
def test_what_is_refused(options, message):
    given = {"grid": GRID, "X": ROWS, "y": LABELS, **options}
    with pytest.raises(ValueError, match=message) as caught:
        select(Perceptron(), given.pop("grid"), given.pop("X"), given.pop("y"), **given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_settings_no_better_than_the_majority_class_are_said(scoring):
    labels = np.arange(N) % 5 == 0
    with pytest.warns(UserWarning, match="No setting beats the majority class: always predicting"):
        report = select(Watcher(), {"good": [0, 1]}, ROWS, labels, scale=False, scoring=scoring)
    assert report.score == report.guess == (0.5 if scoring else 0.8)
    assert report.beats_guessing is False
    assert "No setting beats the majority class" in " ".join(str(report).split())
    assert "No setting beats the majority class" in report._repr_html_()


def test_settings_better_than_the_majority_class(recwarn):
    report = select(Watcher(), {"good": [0, 2]}, ROWS, LABELS, scale=False)
    assert (report.guess, report.score, report.beats_guessing) == (0.5, 1.0, True)
    assert not recwarn
    assert "majority" not in str(report)


def test_unknown_parameters_of_a_pipeline():
    model = make_pipeline(StandardScaler(), Perceptron())
    with pytest.raises(ValueError, match="did you mean 'perceptron__eta0'"):
        select(model, {"eta0": [1]}, ROWS, LABELS)


def test_a_class_is_no_estimator():
    with pytest.raises(ValueError, match="write the parentheses"):
        select(Perceptron, GRID, ROWS, LABELS)


def test_pipelines_take_any_sparse_matrix():
    model = make_pipeline(MaxAbsScaler(), Perceptron())
    report = select(model, {"perceptron__eta0": [1.0]}, coo_matrix(X), Y, cv=2)
    assert report.test_score > 0.8


def test_infinity_in_a_frame_is_named():
    table = pd.DataFrame({"a": np.arange(100.0), "b": np.arange(100.0)})
    table.loc[7, "b"] = np.inf
    with pytest.raises(ValueError, match=r"column 'b' of X has infinity \(inf\) at row 7"):
        select(Perceptron(), GRID, table, LABELS)
    for mixed in (table.astype(object), table.astype(object).to_numpy()):
        with pytest.raises(ValueError, match=r"column ('b'|1) of X has infinity \(inf\) at row 7"):
            select(Perceptron(), GRID, mixed, LABELS)


@pytest.mark.slow
def test_hamming_distance_on_mushrooms(dataset):
    table = dataset("mushroom", as_frame=True)
    grid = {"metric": ["euclidean", "hamming"]}
    frame = pl.DataFrame({name: table.X[name].tolist() for name in table.X.columns})
    report = select(NearestCentroid(), grid, frame, table.y, validation=0.2)
    # Of features that are zeros and ones both distances make much the same.
    assert [setting.score for setting in report.table] == pytest.approx([0.889, 0.889], abs=0.002)
    assert 0.85 < report.test_score < 0.95


def test_weights_count_in_learning_and_judging():
    rows = np.repeat([[0.0], [1.0]], [75, 25], axis=0)
    labels = np.r_[np.tile([1, 1, 0], 25), np.ones(25, int)]
    weights = np.where(labels == 0, 9.0, 1.0)
    options = {"validation": 20, "test": (rows, labels, weights), "scale": False}
    model = LogisticRegression(random_state=0)
    found = select(model, {"alpha": [1e-4]}, rows, labels, sample_weight=weights, **options)
    assert found.test_score == pytest.approx(1 - 50 / 300)
    assert found.guess < found.score
    judged = select(
        model, {"alpha": [1e-4]}, rows, labels, sample_weight=weights, scoring="recall", **options
    )
    assert judged.test_score == pytest.approx(25 / 75)


def test_weights_that_cannot_be_used_are_refused():
    ones = np.ones(len(Y))
    with pytest.raises(ValueError, match="KernelPerceptron does not support sample_weight"):
        select(KernelPerceptron(), {"gamma": [1.0]}, X, Y, sample_weight=ones)
    with pytest.raises(ValueError, match="scoring must take the keyword sample_weight"):
        select(Perceptron(), GRID, X, Y, sample_weight=ones, scoring=lambda model, X, y: 0.0)
    with pytest.raises(ValueError, match="scoring must take the keyword sample_weight"):
        select(Perceptron(), GRID, X, Y, test=(X, Y, ones), scoring=lambda model, X, y: 0.0)
    with pytest.raises(ValueError, match="expected \\(569,\\)"):
        select(Perceptron(), GRID, X, Y, sample_weight=ones[1:])


class Peak(ClassifierMixin, BaseEstimator):
    """Is the better the nearer ``strength`` is to 30, and refuses more than 500."""

    def __init__(self, strength=1.0, other=1):
        self.strength = strength
        self.other = other

    def fit(self, X, y):
        if self.strength > 500:
            raise ValueError("too strong")
        self.classes_ = np.unique(y)
        return self

    def score(self, X, y):
        return 1 / (1 + abs(np.log(self.strength / 30)))

    def predict(self, X):
        return np.zeros(len(X), int)


def of_peak(values, **options):
    return select(Peak(), {"strength": values}, ROWS, LABELS, test=None, scoring=_own, **options)


def _own(model, X, y):
    return model.score(X, y)


def test_a_best_value_at_the_edge_is_said():
    found = of_peak([0.3, 3.0])
    assert found.params == {"strength": 3.0}
    assert found.to_try == {"strength": 30.0}
    words = "strength=3 is the largest value that was tried: strength=30 may be better still."
    assert words in str(found)
    assert words in found._repr_html_()
    assert "strength=300 is the smallest value" in str(of_peak([300.0, 400.0]))
    for values in ([3.0, 30.0, 300.0], [3.0]):
        assert not of_peak(values).to_try


def test_equal_values_are_no_edge():
    found = select(Peak(), {"other": [1, 2, 4]}, ROWS, LABELS, test=None, scoring=_own)
    assert found.params == {"other": 1}
    assert not found.to_try


def test_the_grid_is_extended_if_asked_for():
    found = of_peak([0.03, 0.3], extend=2)
    assert [s.params["strength"] for s in found.table] == [0.03, 0.3, 3.0, 30.0]
    assert (found.params, found.beyond) == ({"strength": 30.0}, 2)
    assert "so 2 settings were tried beyond it" in str(found)
    one = of_peak([0.3, 3.0], extend=1)
    assert (one.params, one.beyond) == ({"strength": 30.0}, 1)
    inside = of_peak([3.0, 30.0, 300.0], extend=2)
    assert inside.beyond == 0
    with pytest.raises(ValueError, match="extend must be a whole number, 0 or more, got -1"):
        of_peak([1.0], extend=-1)


def test_values_that_are_refused_end_the_grid():
    found = select(Peak(), {"strength": [0.4, 500.0]}, ROWS, LABELS, scoring=_own, extend=2)
    assert (found.params, found.beyond) == ({"strength": 500.0}, 0)  # 625,000 cannot be fitted
    assert not found.to_try


@pytest.mark.parametrize(
    ("model", "name", "advised"),
    [
        (LinearDiscriminant(), "shrinkage", {}),  # a number from 0 to 1
        (ElasticNet(), "l1_ratio", {}),
        (Ridge(), "alpha", {"alpha": 2.0}),
        (SVC(), "random_state", {}),
    ],
)
def test_only_values_that_are_allowed_are_advised(model, name, advised):
    table = tuple(
        Setting({name: value}, score, None, 0.0, (score,))
        for value, score in ((0.5, 0.1), (1, 0.2))
    )
    task = Task(model, Part(ROWS, LABELS), Judging([], "", N, N), (), accuracy=True)
    assert further_values(table, task, {name: name}) == advised


def test_c_is_called_alpha_here():
    words = r"LogisticRegression has no parameter 'C'; use alpha, which is 1/\(C · rows\)"
    with pytest.raises(ValueError, match=words):
        select(LogisticRegression(), {"C": [1.0, 10.0]}, X, Y)
    with pytest.raises(TypeError, match=words):
        LogisticRegression(C=1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'lr'"):
        LogisticRegression(lr=1.0)
    with pytest.raises(TypeError, match="NearestCentroid has no parameter 'C'; it has no penalty"):
        NearestCentroid(C=1.0)
    with pytest.raises(ValueError, match="NearestCentroid has no parameter 'C'; did you mean"):
        select(NearestCentroid(), {"C": [1.0]}, X, Y)
