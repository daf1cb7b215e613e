"""Folds and scores of `compare` and `select`: scikit-learn's, in tables and data frames."""

import builtins

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import Ridge
from sklearn.metrics import balanced_accuracy_score, f1_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    StratifiedKFold,
    cross_validate,
)

from rosenblatt import (
    AveragedPerceptron,
    LinearDiscriminant,
    LogisticRegression,
    NearestCentroid,
    Perceptron,
    compare,
    prepare,
    select,
)
from rosenblatt.model_selection.scoring import asked_scores, scores_of

X, Y = load_breast_cancer(return_X_y=True)
NAMES = np.where(Y == 1, "benign", "malignant")
SCORES = ["balanced_accuracy", "roc_auc", "f1", "neg_log_loss"]
MODELS = {"lda": LinearDiscriminant(), "log": LogisticRegression(), "perceptron": Perceptron()}


def by_hand(model, y, cv, scoring):
    return cross_validate(prepare(clone(model), X), X, y, cv=cv, scoring=scoring)


@pytest.fixture(scope="module")
def found():
    return compare(X, Y, models=MODELS, cv=4, scoring=SCORES, orders=1, random_state=3)


def test_scores_in_folds_are_those_of_cross_validate(found):
    cv = StratifiedKFold(4, shuffle=True, random_state=3)
    for name in ("lda", "log"):
        model = MODELS[name]
        if "random_state" in model.get_params():
            model = clone(model).set_params(random_state=3)
        theirs = by_hand(model, Y, cv, SCORES)
        for score in SCORES:
            assert found[name].fold_scores[score] == pytest.approx(theirs[f"test_{score}"])
            assert found[name].scores[score] == pytest.approx(theirs[f"test_{score}"].mean())
        spread = theirs["test_balanced_accuracy"].std(ddof=1) / 2
        assert found[name].standard_error == pytest.approx(spread)
    assert (found.n_folds, found.judged_on, found.n_train) == (4, "folds", 569)
    assert found.scoring == tuple(SCORES)


def test_the_table_has_all_scores_and_says_which_are_missing(found):
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    for score in SCORES:
        assert score in text
    assert "569 rows in 4 folds; 30 features, 2 classes" in text
    assert "no neg_log_loss of perceptron: there is no predict_proba" in " ".join(text.split())
    assert found["perceptron"].scores["neg_log_loss"] is None
    assert found["perceptron"].scores["roc_auc"] > 0.9
    ranked = [result.name for result in found.ranked()]
    assert ranked == sorted(MODELS, key=lambda name: -found[name].scores[SCORES[0]])
    lines = [line.split()[0] for line in text.splitlines() if line.startswith(tuple(MODELS))]
    assert lines == ranked
    assert found.best.name == ranked[0]


def test_results_are_data_frames_sorted(found):
    frame = found.results
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.index) == [result.name for result in found.ranked()]
    assert list(frame.columns[:4]) == SCORES
    assert frame["balanced_accuracy"].is_monotonic_decreasing
    assert np.isnan(frame.loc["perceptron", "neg_log_loss"])
    assert frame.loc["lda", "accuracy"] == found["lda"].accuracy
    plain = compare(X, Y, models=["Perceptron", "NearestCentroid"], orders=1)
    low, high = plain.results.loc["Perceptron", ["low", "high"]]
    assert (low, high) == plain["Perceptron"].interval


def test_what_cannot_be_fitted_or_scored_comes_last():
    class Odd(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            raise RuntimeError("not for me")

    models = {"odd": Odd(), "perceptron": Perceptron(), "log": LogisticRegression()}
    for how in ({"cv": 2}, {}):
        report = compare(X, Y, models=models, scoring="neg_log_loss", orders=1, **how)
        assert [result.name for result in report.ranked()] == ["log", "perceptron", "odd"]
        assert report.best.name == "log"
        assert list(report.results["error"]) == ["", "", "not for me"]
        assert set(report.models) == {"perceptron", "log"}
    with pytest.raises(ValueError, match=r"no learner could be scored.* there is no predict_proba"):
        _ = compare(X, Y, models=["Perceptron"], scoring="neg_log_loss").best


def test_models_of_folds_learned_from_all_rows(found):
    whole = prepare(LinearDiscriminant(), X).fit(X, Y)
    theirs = found.models["lda"]
    np.testing.assert_allclose(theirs["model"].coef_, whole["model"].coef_)


def test_splitters_and_listed_rows():
    groups = np.arange(len(Y)) % 3
    splitter = list(LeaveOneGroupOut().split(X, Y, groups))
    listed = compare(X, Y, models=["LinearDiscriminant"], cv=splitter, orders=1)
    masks = [(groups != k, groups == k) for k in range(3)]
    assert compare(X, Y, models=["LinearDiscriminant"], cv=masks, orders=1) == listed
    generator = GroupKFold(3).split(X, Y, groups)
    assert compare(X, Y, models=["LinearDiscriminant"], cv=generator, orders=1).n_folds == 3
    theirs = by_hand(LinearDiscriminant(), Y, splitter, "accuracy")["test_score"]
    assert listed["LinearDiscriminant"].fold_scores["accuracy"] == pytest.approx(theirs)
    own = StratifiedKFold(3, shuffle=True, random_state=5)
    assert compare(X, Y, models=["LinearDiscriminant"], cv=own, orders=1) == compare(
        X, Y, models=["LinearDiscriminant"], cv=3, random_state=5, orders=1
    )
    report = select(
        LinearDiscriminant(), {"shrinkage": [0.1]}, X, Y, cv=splitter, test=None, scoring="f1"
    )
    shrunken = by_hand(LinearDiscriminant(shrinkage=0.1), Y, splitter, "f1")["test_score"]
    assert report.table[0].scores == pytest.approx(shrunken)


def test_two_ways_to_judge_are_refused():
    with pytest.raises(ValueError, match="test and cv are two ways to judge"):
        compare(X, Y, cv=5, test=0.2)
    with pytest.raises(ValueError, match="cv=300 wants one for each fold"):
        compare(X, Y, cv=300)
    with pytest.raises(ValueError, match="cv must be a number of folds, 2 or more, a splitter"):
        compare(X, Y, cv=1)


def test_groups_are_given_as_pairs_of_row_numbers():
    told = r"cv=GroupKFold\(\) needs groups, .*cv=list\(GroupKFold\(…\).split\(X, y, groups\)\)"
    with pytest.raises(ValueError, match=told):
        compare(X, Y, cv=GroupKFold(3))
    with pytest.raises(ValueError, match=told):
        select(LinearDiscriminant(), {"shrinkage": [0.1]}, X, Y, cv=GroupKFold(3), test=None)


def test_weights_count_in_folds():
    weights = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    report = compare(
        X, Y, models=["NearestCentroid"], cv=3, scoring="balanced_accuracy", sample_weight=weights
    )
    folds = StratifiedKFold(3, shuffle=True, random_state=0).split(X, Y)
    theirs = []
    for learn, judge in folds:
        model = prepare(NearestCentroid(), X).fit(
            X[learn], Y[learn], model__sample_weight=weights[learn]
        )
        theirs.append(
            balanced_accuracy_score(Y[judge], model.predict(X[judge]), sample_weight=weights[judge])
        )
    assert report["NearestCentroid"].fold_scores["balanced_accuracy"] == pytest.approx(theirs)


@pytest.mark.parametrize("name", ["f1", "precision", "recall", "average_precision", "jaccard"])
def test_names_as_labels_count_the_second_class(name):
    """scikit-learn's scorer knows the label 1 alone."""
    assert sorted(set(NAMES))[1] == "malignant"
    named = compare(X, NAMES, models=["LinearDiscriminant"], scoring=name, orders=1)
    numbers = compare(X, 1 - Y, models=["LinearDiscriminant"], scoring=name, orders=1)
    assert named["LinearDiscriminant"].scores[name] == pytest.approx(
        numbers["LinearDiscriminant"].scores[name]
    )


def test_probabilities_of_named_classes_have_a_brier_score():
    named = compare(X, NAMES, models=["LogisticRegression"], scoring="neg_brier_score", orders=1)
    score = named["LogisticRegression"].scores["neg_brier_score"]
    assert -0.1 < score < 0


def test_scores_of_two_classes_are_refused_for_more():
    iris = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"'roc_auc' is for two classes.*; use 'roc_auc_ovr'"):
        compare(*iris, scoring="roc_auc")
    report = compare(*iris, models=["LogisticRegression"], scoring=["f1_macro", "roc_auc_ovr"])
    assert report["LogisticRegression"].scores["roc_auc_ovr"] > 0.9


def test_functions_and_mappings_of_scores():
    def hits(model, X, y):
        return int(np.sum(model.predict(X) == y))

    scorer = make_scorer(f1_score, pos_label=0)
    asked = {"f1 of 0": scorer, "hits": hits}
    report = compare(X, Y, models=["LinearDiscriminant"], scoring=asked, orders=1)
    result = report["LinearDiscriminant"]
    assert result.scores["hits"] == round(result.accuracy * report.n_test)
    assert list(report.results.columns[:2]) == ["f1 of 0", "hits"]
    assert list(asked_scores([hits, scorer, scorer])) == ["hits", "your score", "your score 2"]
    assert scores_of({}, None) == ()


def test_a_score_that_is_not_finite_is_none():
    report = compare(X, Y, models=["Perceptron"], scoring=lambda model, X, y: np.nan, orders=1)
    assert report["Perceptron"].score is None
    assert "it is not a finite number" in str(report)


def test_many_scores_are_all_shown():
    scores = [*SCORES, "recall", "precision", "jaccard", "average_precision", "neg_brier_score"]
    text = str(compare(X, Y, models=["LogisticRegression"], scoring=scores, orders=1))
    assert all(name in text for name in scores)
    assert "…" not in text


def test_select_reports_all_scores_and_the_first_chooses():
    grid = {"max_iter": [1, 5, 20], "random_state": [0]}
    report = select(AveragedPerceptron(), grid, X, NAMES, cv=3, scoring=["recall", "roc_auc"])
    search = GridSearchCV(
        prepare(AveragedPerceptron(), X),
        {f"model__{name}": values for name, values in grid.items()},
        scoring={
            "recall": make_scorer(lambda y, p: np.mean(p[y == "malignant"] == "malignant")),
            "roc_auc": "roc_auc",
        },
        refit=False,
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
    )
    rest, _ = _parts(NAMES)
    search.fit(X[rest], NAMES[rest])
    for name in ("recall", "roc_auc"):
        theirs = search.cv_results_[f"mean_test_{name}"]
        assert [setting.means[name] for setting in report.table] == pytest.approx(theirs)
    assert report.scoring == "recall"
    assert report.score == max(setting.score for setting in report.table)
    assert set(report.test_scores) == {"recall", "roc_auc"}
    assert report.test_scores["recall"] == report.test_score
    told = " ".join(str(report).split())
    assert f"recall {report.test_score:.4g}; roc_auc {report.test_scores['roc_auc']:.4g}." in told
    frame = report.results
    assert list(frame.columns) == [
        "param_max_iter",
        "param_random_state",
        "recall",
        "roc_auc",
        "standard_error",
        "seconds",
        "reason",
    ]
    assert frame["recall"].is_monotonic_decreasing
    assert frame.loc[0, "param_max_iter"] == report.params["max_iter"]


def _parts(y):
    from rosenblatt.model_selection.splits import as_part, hold_out

    rows = as_part(np.arange(len(y)).reshape(-1, 1), y)
    rest, test, _ = hold_out(rows, 0.2, "test", stratify=True, random_state=0)
    return rest.X.ravel(), test.X.ravel()


def test_accuracy_first_keeps_its_interval_and_the_majority_class():
    report = select(
        LinearDiscriminant(), {"shrinkage": [0, 0.1]}, X, Y, scoring=["accuracy", "roc_auc"]
    )
    alone = select(LinearDiscriminant(), {"shrinkage": [0, 0.1]}, X, Y)
    assert (report.interval, report.guess) == (alone.interval, alone.guess)
    assert report.test_scores["accuracy"] == alone.test_score


def test_regressors_are_selected_by_several_scores():
    y = X[:, 0] * 2 + X[:, 1]
    report = select(
        Ridge(), {"alpha": [0.1, 1.0]}, X[:, :3], y, scoring=["r2", "neg_mean_squared_error"]
    )
    assert report.table[0].means["neg_mean_squared_error"] < 0
    assert select(Ridge(), {"alpha": [0.1]}, X[:, :3], y).scoring == "R²"


def test_without_pandas_the_error_says_what_to_do(found, monkeypatch):
    real = builtins.__import__

    def no_pandas(name, *args, **options):
        if name == "pandas":
            raise ImportError("No module named 'pandas'")
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", no_pandas)
    with pytest.raises(ImportError, match=r"pip install pandas. .table holds the same results"):
        _ = found.results
    assert len(found.table) == 3
