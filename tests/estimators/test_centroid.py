"""Nearest centroids: the lecture's and the paper's figures, scikit-learn's, and the edges."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import NearestCentroid as SklearnNearestCentroid
from sklearn.preprocessing import OrdinalEncoder

from rosenblatt import NaiveBayes, NearestCentroid, reference
from tests.conftest import LAYOUTS, rounding, whole_numbers
from tests.estimators.real_sets import NAMES, rows_and_labels
from tests.estimators.test_bad_input import BAD as BAD_ROWS
from tests.estimators.test_bad_input import X as GOOD
from tests.estimators.test_bad_input import Y, bits

DECK_E = np.array([[1.0, -2], [1, 4], [4, 2], [2, 2]]), np.array([-1, -1, 1, 1])
SETTINGS = [
    {},
    {"priors": "empirical"},
    {"shrink_threshold": 0.5, "priors": "empirical"},
    {"metric": "manhattan"},
    {"metric": "hamming"},
]


def test_deck_e():
    X, y = DECK_E
    model = NearestCentroid().fit(X, y)
    assert model.centroids_.tolist() == [[1, 1], [3, 2]]
    assert model.coef_.tolist() == [[2, 1]]
    assert model.intercept_.tolist() == [-5.5]
    assert model.decision_function([[2.75, 0], [0, 5.5]]).tolist() == [0, 0]
    assert X[model.predict(X) != y].tolist() == [[1, 4]]


def test_srbct(dataset):
    """Tibshirani et al. (2002): 63 and 20 samples, 2,308 genes, four cancers."""
    data = dataset("khan_srbct")

    def result(threshold):
        model = NearestCentroid(shrink_threshold=threshold, priors="empirical")
        model.fit(data.X, data.y)
        wrong = np.count_nonzero(model.predict(data.X_test) != data.y_test)
        assert np.count_nonzero(model.deviations_.any(axis=0)) == model.n_features_left_
        assert np.count_nonzero(np.ptp(model.centroids_, axis=0) > 1e-12) == model.n_features_left_
        return model.n_features_left_, wrong

    assert result(0) == (2308, 5)
    assert result(1) == (1561, 1)
    # At some thresholds in between, 1.25 to 1.35, there are two.
    assert {result(t)[1] for t in (1.5, 2, 2.5, 3, 3.5)} == {1}
    assert result(4) == (65, 1)
    assert result(4.34) == (43, 0)


def test_srbct_threshold_by_cross_validation(dataset):
    data = dataset("khan_srbct")
    model = NearestCentroid(shrink_threshold="cv", priors="empirical").fit(data.X, data.y)
    assert len(model.path_.thresholds) == 30
    assert model.path_.n_features[[0, -1]].tolist() == [2308, 0]
    assert model.path_.errors.min() == 0
    assert model.threshold_ == model.path_.thresholds[model.path_.errors == 0].max()
    assert model.n_features_left_ == 68
    assert model.score(data.X_test, data.y_test) == 0.95
    given = NearestCentroid(shrink_threshold=model.threshold_, priors="empirical")
    np.testing.assert_allclose(given.fit(data.X, data.y).coef_, model.coef_, atol=1e-12)


def test_scikit_learn_errs_where_we_do_not(dataset):
    data = dataset("khan_srbct")
    theirs = SklearnNearestCentroid(shrink_threshold=4.34, priors="empirical")
    theirs.fit(data.X, data.y)
    assert np.count_nonzero(theirs.predict(data.X_test) != data.y_test) == 1
    ours = NearestCentroid(shrink_threshold=4.34, priors="empirical").fit(data.X, data.y)
    # What was learned is the same; they divide by s_i when they classify, not by s_i + s_0.
    np.testing.assert_allclose(ours.centroids_, theirs.centroids_, atol=1e-10)
    np.testing.assert_allclose(ours.within_class_std_dev_, theirs.within_class_std_dev_)
    np.testing.assert_allclose(ours.deviations_, theirs.deviations_, atol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_scikit_learn(name, metric, dataset):
    X, y = rows_and_labels(name, dataset)
    ours = NearestCentroid(metric).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of features without variance, at which ours are silent
        dense = X.toarray() if sp.issparse(X) else X
        theirs = SklearnNearestCentroid(metric=metric).fit(dense, y)
    np.testing.assert_allclose(ours.centroids_, theirs.centroids_, atol=1e-6)
    scores = ours.decision_function(X)
    best = -np.abs(scores) if scores.ndim == 1 else np.sort(scores, axis=1)[:, -2:] @ [1, -1]
    clear = best < -1e-9  # ties go to another class here
    assert clear.any()
    np.testing.assert_array_equal(ours.predict(X)[clear], theirs.predict(dense)[clear])


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "sonar", "banknote"])
@pytest.mark.parametrize("threshold", [0.3, 2.0])
def test_shrinks_as_scikit_learn_does(name, threshold, dataset):
    X, y = rows_and_labels(name, dataset)
    ours = NearestCentroid(shrink_threshold=threshold).fit(X, y)
    theirs = SklearnNearestCentroid(shrink_threshold=threshold).fit(X, y)
    np.testing.assert_allclose(ours.centroids_, theirs.centroids_, rtol=1e-6)
    np.testing.assert_allclose(ours.deviations_, theirs.deviations_, rtol=1e-6, atol=1e-9)


def test_hamming_on_categories(dataset):
    """Deck B's categories, as numbers that stand for them."""
    data = dataset("mushroom")
    X, y = OrdinalEncoder().fit_transform(data.X), np.unique(data.y, return_inverse=True)[1]
    model = NearestCentroid("hamming").fit(X, y)
    points = reference.modes(X, y)
    np.testing.assert_array_equal(model.centroids_, points)
    far = reference.distances(X, points, "hamming")
    np.testing.assert_array_equal(model.predict(X), far.argmin(axis=1))
    assert 0.8 < model.score(X, y) < 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_those_of_normal_rows(n_classes):
    X, y = rounding(seed=1, n_classes=n_classes)
    model = NearestCentroid(priors="empirical").fit(X, y)
    means = reference.centroids(X, y)
    variance = ((X - means[y]) ** 2).mean()
    assert model.variance_ == pytest.approx(variance)
    log = -reference.distances(X, means) / (2 * variance) + np.log(np.bincount(y) / len(y))
    chances = np.exp(log) / np.exp(log).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), chances)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(chances))
    scaled = NearestCentroid(priors="empirical").fit(1000 * X, y)
    np.testing.assert_allclose(scaled.predict_proba(1000 * X), chances)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_every_layout_gives_the_same(layout, dtype, options):
    X, y = whole_numbers(seed=2, n_classes=3)
    view = LAYOUTS[layout](X.astype(dtype))
    expected = NearestCentroid(**options).fit(X, y)
    model = NearestCentroid(**options).fit(view, y)
    np.testing.assert_allclose(model.centroids_, expected.centroids_, atol=1e-12)
    scores = model.decision_function(view)
    np.testing.assert_allclose(scores, expected.decision_function(X), atol=1e-10)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("size", [1, 7])
def test_pieces_are_the_whole(options, size):
    X, y = whole_numbers(seed=3, n=60, n_classes=3)
    weights = np.arange(60) % 3 + 1
    whole = NearestCentroid(**options).fit(X, y, weights)
    model = NearestCentroid(**options)
    for start in range(0, 60, size):
        part = slice(start, start + size)
        view = sp.csr_matrix(X[part]) if start % 2 else X[part]
        model.partial_fit(view, y[part], sample_weight=weights[part])
    np.testing.assert_allclose(model.centroids_, whole.centroids_, atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), whole.decision_function(X), atol=1e-10)
    again = NearestCentroid(**options).fit(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_allclose(model.decision_function(X), again.decision_function(X), atol=1e-10)


def test_far_from_the_origin():
    X, y = rounding(seed=4, n_classes=3)
    near = NearestCentroid(shrink_threshold=1.0).fit(X, y)
    far = NearestCentroid(shrink_threshold=1.0).fit(X + 1e6, y)
    np.testing.assert_allclose(far.deviations_, near.deviations_, atol=1e-6)
    np.testing.assert_array_equal(far.predict(X + 1e6), near.predict(X))


def test_ties():
    X = [[-1.0], [1.0], [3.0]]
    for metric in ("euclidean", "manhattan", "hamming"):
        two = NearestCentroid(metric).fit(X[:2], [0, 1])
        assert two.predict([[0.0]]).tolist() == [1 if metric == "euclidean" else 0]
        assert NearestCentroid(metric).fit(X, [0, 1, 2]).predict([[0.0]]).tolist() == [0]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_without_rows_is_never_chosen(options, n_classes):
    model = NearestCentroid(**options)
    names = list("abc"[:n_classes])
    model.partial_fit([[1.0, 2.0], [1.0, 3.0]], ["b", "b"], classes=names)
    X = np.array([[0.0, 0.0], [1.0, 2.0], [-5.0, 1e6]])
    assert set(model.predict(X)) == {"b"}
    assert not np.isnan(model.decision_function(X)).any()
    if "metric" not in options:
        expected = np.zeros((3, n_classes))
        expected[:, 1] = 1
        np.testing.assert_array_equal(model.predict_proba(X), expected)
        with pytest.raises(ValueError, match="class 'a' is ruled out, as no row of it was seen"):
            _ = model.hyperplane_
    model.partial_fit([[9.0, 9.0]], ["a"])
    assert model.predict([[9.0, 9.0], [1.0, 2.0]]).tolist() == ["a", "b"]
    model.partial_fit([[-9.0, -9.0]], ["d"])
    assert model.predict([[9.0, 9.0], [1.0, 2.0], [-9.0, -9.0]]).tolist() == ["a", "b", "d"]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_one_class_so_far(options):
    model = NearestCentroid(**options).partial_fit([[1.0], [2.0]], ["b", "b"])
    assert model.predict([[7.0]]).tolist() == ["b"]
    assert model.decision_function([[7.0]]).tolist() == [0]
    if "metric" not in options:
        assert model.predict_proba([[7.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize("options", SETTINGS[:3], ids=str)
def test_one_row_for_each_class(options):
    model = NearestCentroid(**options).fit([[0.0, 0.0], [0.0, 4.0]], [0, 1])
    assert model.predict([[5.0, 1.0], [5.0, 3.0]]).tolist() == [0, 1]
    assert np.isfinite(model.predict_proba([[5.0, 1.0]])).all()
    assert model.variance_ == 1


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_features_without_spread(kind):
    """Most s_i are zero, so s_0 is the median of the others."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([np.full(40, 0.1), np.full(40, 0.3), 7.0 * y, rng.standard_normal(40)])
    model = NearestCentroid(shrink_threshold=0.0).fit(kind(X), y)
    within = model.within_class_std_dev_
    assert within[:3].tolist() == [0, 0, 0]
    np.testing.assert_allclose(model.deviations_[:, :2], 0, atol=1e-9)
    unit = np.sqrt(1 / 20 - 1 / 40) * within[3]
    np.testing.assert_allclose(model.deviations_[:, 2], [-3.5 / unit, 3.5 / unit])
    assert model.score(kind(X), y) == 1


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_constant_data_are_a_tie(options, kind):
    X = np.full((6, 2), 0.1)
    model = NearestCentroid(**options).fit(kind(X), [0, 0, 0, 1, 1, 1])
    assert model.predict(kind(X)).tolist() == [0 if "metric" in options else 1] * 6
    if "metric" not in options:
        np.testing.assert_allclose(model.predict_proba(kind(X)), 0.5)


def test_metrics_without_hyperplanes_say_so():
    model = NearestCentroid("manhattan")
    with pytest.raises(NotFittedError):
        _ = model.hyperplane_
    model.fit(*DECK_E)
    for name in ("coef_", "intercept_", "hyperplane_"):
        with pytest.raises(AttributeError, match=f"metric='manhattan' has no hyperplanes.*{name}"):
            getattr(model, name)
    with pytest.raises(AttributeError, match="distances but no probabilities"):
        _ = model.predict_proba
    assert not hasattr(model, "predict_log_proba")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = model.nonsense
    model.set_params(metric="euclidean").fit(*DECK_E)
    assert hasattr(model, "coef_")
    model.set_params(metric="hamming").fit(*DECK_E)
    assert not hasattr(model, "coef_")


def test_settings_that_change_leave_nothing_behind():
    X, y = rounding(seed=5, n_classes=3)
    model = NearestCentroid(shrink_threshold="cv").fit(X, y)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match="needs all rows at once: call fit"):
        _ = model.partial_fit
    model.set_params(shrink_threshold=None).fit(X, y)
    assert bits(model) == bits(NearestCentroid().fit(X, y))


def test_folds_as_scikit_learn_splits():
    X, y = rounding(seed=6, n_classes=3)
    split = KFold(5, shuffle=True, random_state=0)
    found = NearestCentroid(shrink_threshold="cv", cv=split, thresholds=[0.0, 1.0, 2.5]).fit(X, y)
    for threshold, error in zip(found.path_.thresholds, found.path_.errors, strict=True):
        model = NearestCentroid(shrink_threshold=threshold)
        chosen = cross_val_predict(model, X, y, cv=split)
        assert error == pytest.approx(np.mean(chosen != y))
    listed = NearestCentroid(shrink_threshold="cv", cv=list(split.split(X)), thresholds=[0, 1, 2.5])
    np.testing.assert_array_equal(listed.fit(X, y).path_.errors, found.path_.errors)
    weights = np.arange(len(y)) % 2  # every second row is as good as absent
    half = NearestCentroid(shrink_threshold="cv", cv=list(split.split(X))).fit(X, y, weights)
    kept = np.flatnonzero(weights)
    halves = [(0, np.flatnonzero(np.isin(kept, test))) for _, test in split.split(X)]
    alone = NearestCentroid(shrink_threshold="cv", cv=halves).fit(X[kept], y[kept])
    np.testing.assert_array_equal(half.path_.errors, alone.path_.errors)


def test_a_class_with_one_row_is_unknown_to_its_fold():
    X, y = rounding(seed=7, n_classes=2)
    X, y = np.vstack([X, X[:1] + 50]), np.append(y, 2)
    model = NearestCentroid(shrink_threshold="cv", priors="empirical").fit(X, y)
    assert (model.path_.errors >= 1 / len(y) - 1e-12).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "cosine"}, "metric must be 'euclidean', 'manhattan' or 'hamming'"),
        ({"shrink_threshold": -1}, "shrink_threshold must be None, 'cv' or a number"),
        ({"shrink_threshold": np.nan}, "shrink_threshold must be"),
        ({"shrink_threshold": np.inf}, "shrink_threshold must be"),
        ({"shrink_threshold": "best"}, "shrink_threshold must be"),
        ({"shrink_threshold": True}, "shrink_threshold must be"),
        ({"metric": "hamming", "shrink_threshold": 1.0}, "shrink_threshold=1.0 needs metric"),
        ({"metric": "manhattan", "priors": "empirical"}, "priors='empirical' needs metric"),
        ({"priors": "equal"}, "priors must be 'uniform', 'empirical' or a number for each"),
        ({"priors": [0.5, 0.2, 0.3]}, "priors has 3 numbers, but there are 2 classes"),
        ({"priors": [0.5, 0.6]}, "not probabilities: none may be negative"),
        ({"priors": [-0.5, 1.5]}, "not probabilities"),
        ({"priors": [np.nan, 1.0]}, "not probabilities"),
        ({"priors": None}, "priors must be"),
        ({"shrink_threshold": "cv", "cv": 1}, "cv must be a number of folds, 2 or more, got 1"),
        ({"shrink_threshold": "cv", "cv": "ten"}, "cv must be a number of folds"),
        ({"shrink_threshold": "cv", "cv": True}, "cv must be a number of folds"),
        ({"shrink_threshold": "cv", "cv": [([0], [1])]}, "cv tests row 0 0 times"),
        ({"shrink_threshold": "cv", "cv": [([0], [99])]}, "row outside of 0…29 in split 0"),
        ({"shrink_threshold": "cv", "cv": [(0, range(30))]}, "cv tests rows in one split only"),
        ({"shrink_threshold": "cv", "thresholds": 1}, "thresholds must be a whole number, 2"),
        ({"shrink_threshold": "cv", "thresholds": [-1.0]}, "thresholds must be"),
        ({"shrink_threshold": "cv", "thresholds": "many"}, "thresholds must be"),
    ],
)
def test_parameters_that_make_no_sense(options, message):
    X, y = whole_numbers(seed=1, n=30, d=4)
    model = NearestCentroid().fit(X, y)
    model.set_params(**options)
    before = bits(model)
    with pytest.raises(ValueError, match=message) as error:
        model.fit(X[::-1], y[::-1])
    assert "\n" not in str(error.value)
    assert bits(model) == before


@pytest.mark.parametrize("options", [*SETTINGS, {"shrink_threshold": "cv"}], ids=str)
@pytest.mark.parametrize("case", BAD_ROWS)
def test_rows_that_make_no_sense(options, case):
    X, y, message = BAD_ROWS[case]
    for model in (NearestCentroid(**options), NearestCentroid(**options).fit(GOOD, Y)):
        before = bits(model)
        once = "cv" in options.values() or case == "one class"  # which a stream may begin with
        methods = ["fit"] if once else ["fit", "partial_fit"]
        for method in methods:
            with pytest.raises(ValueError, match=message) as error:
                getattr(model, method)(X, y)
            assert "\n" not in str(error.value).strip()
            assert bits(model) == before


def test_what_cannot_go_on():
    X, y = whole_numbers(seed=1, n=30, d=4)
    model = NearestCentroid().fit(X, y).set_params(metric="hamming")
    for label in (0, 7):  # a class that is known, and one that is new
        with pytest.raises(ValueError, match="cannot continue from what another metric learned"):
            model.partial_fit(X[:1], [label])
    model = NearestCentroid(priors=[0.5, 0.5]).fit(X, y)
    before = bits(model)
    with pytest.raises(ValueError, match="priors has 2 numbers, but there are 3 classes"):
        model.partial_fit(X[:1], [2])
    assert bits(model) == before
    with pytest.raises(ValueError, match="priors are zero for every class that was seen"):
        NearestCentroid(priors=[0.0, 1.0]).partial_fit(X[:1], [0], classes=[0, 1])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_hamming_does_not_depend_on_the_type_of_what_is_asked(kind):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    wide = (rng.integers(0, 3, (60, 8)) * (1 + y[:, None] % 2) + rng.integers(0, 2, (60, 8))) / 10
    narrow = kind(wide.astype(np.float32))
    wide = kind(wide)
    expected = NearestCentroid("hamming").fit(wide, y).decision_function(wide)
    for one in (narrow, wide):
        for two in (narrow, wide):
            model = NearestCentroid("hamming").fit(one, y)
            np.testing.assert_array_equal(model.decision_function(two), expected)
            model = NearestCentroid("hamming").partial_fit(one[:30], y[:30])
            model.partial_fit(two[30:], y[30:])
            for asked in (narrow, wide):
                np.testing.assert_array_equal(model.decision_function(asked), expected)


def test_the_size_of_the_weights_moves_no_median():
    X, y = [[0], [1], [2], [3], [10], [11]], [0, 0, 0, 0, 1, 1]
    for w in (1.0, 0.1, 0.3, 7e-5, 1e9 / 3):
        model = NearestCentroid("manhattan").fit(X, y, [w] * 6)
        assert model.centroids_.tolist() == [[1.5], [10.5]]


def test_weights_count_rows_where_that_matters():
    X, y = whole_numbers(seed=1, n=30, d=4)
    tenth = np.full(30, 0.01)
    np.testing.assert_allclose(
        NearestCentroid(priors="empirical").fit(X, y, tenth).predict_proba(X),
        NearestCentroid(priors="empirical").fit(X, y).predict_proba(X),
    )
    with pytest.raises(ValueError, match=r"sample_weight adds up to 0.3, but shrinking 2 classes"):
        NearestCentroid(shrink_threshold=1.0).fit(X, y, tenth)


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("power", [0.4, 0.6, 1.0])
def test_huge_values_end_in_finite_centroids_or_an_error(options, power):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (40, 3)) * np.finfo(float).max ** power
    model, message = NearestCentroid(**options), ""
    try:
        model.fit(X, np.arange(40) % 2)
        assert np.isfinite(model.centroids_).all()
        assert set(model.predict(X)) <= {0, 1}
    except ValueError as error:
        message = str(error)
    assert not message or ("too large for float64" in message and power > 0.5)


@pytest.mark.parametrize(
    "model",
    [
        NearestCentroid(),
        NearestCentroid(shrink_threshold=0.1),
        NearestCentroid(shrink_threshold="cv", cv=3),
        NearestCentroid("manhattan"),
        NearestCentroid("hamming"),
        NaiveBayes(),
        NaiveBayes("bernoulli"),
        NaiveBayes("multinomial"),
    ],
    ids=str,
)
def test_sparse_rows_stay_sparse(model):
    """As an array, these rows would take 1.6 GB."""
    columns = np.random.default_rng(0).integers(100_000, size=20_000)
    X = sp.csr_matrix((np.ones(20_000), columns, np.arange(0, 20_001, 10)), (2_000, 100_000))
    y = np.arange(2_000) % 2
    model.fit(X[:100], y[:100]).predict(X[:10])  # compiled
    tracemalloc.start()
    try:
        model.fit(X, y).predict(X)
        assert tracemalloc.get_traced_memory()[1] < 80e6
    finally:
        tracemalloc.stop()
