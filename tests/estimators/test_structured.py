"""The structured perceptron's face: classes as a special case, stopping, manners."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

from rosenblatt import AveragedPerceptron, Perceptron, StructuredPerceptron, save
from tests.conftest import whole_numbers
from tests.learners.structured_problems import Broken, Classes, Labels, Table, sentences, tables

X, Y = sentences(seed=1)
NOISY_X, NOISY_Y = sentences(seed=2, n=60, noise=0.2)


def structured(problem=None, **options):
    return StructuredPerceptron(problem or Labels(), **options)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("ties", ["mistake", "positive"])
@pytest.mark.parametrize("n_classes", [3, 5])
@pytest.mark.parametrize("clean", [True, False])
def test_classes_are_the_perceptron_to_the_last_bit(n_classes, ties, bias, clean):
    rows, y = whole_numbers(seed=4, n_classes=n_classes, noise=0.1)
    if clean:
        scores = rows @ np.random.default_rng(1).integers(-3, 4, size=(rows.shape[1], n_classes))
        ahead = np.diff(np.sort(scores, axis=1)[:, -2:])[:, 0] > 2
        rows, y = rows[ahead], scores[ahead].argmax(axis=1)
    options = {"shuffle": False, "max_iter": 200 if clean else 20, "tol": None}
    last = Perceptron(fit_intercept=bias, ties=ties, **options).fit(rows, y)
    mean = AveragedPerceptron(fit_intercept=bias, ties=ties, **options).fit(rows, y)
    model = structured(Classes(n_classes, bias), cost_augmented=ties == "mistake", **options)
    model.fit(rows, y)
    assert model.mistakes_.tolist() == last.mistakes_.tolist()
    assert (model.n_mistakes_, model.n_iter_) == (last.n_mistakes_, last.n_iter_)
    assert model.converged_ == last.converged_ == clean
    np.testing.assert_array_equal(table(last, bias), model.last_weights_.reshape(n_classes, -1))
    np.testing.assert_array_equal(table(mean, bias), model.weights_.reshape(n_classes, -1))
    assert model.predict(rows) == mean.predict(rows).tolist()
    assert model.score(rows, y) == mean.score(rows, y)
    model.set_params(averaged=False).fit(rows, y)
    np.testing.assert_array_equal(model.weights_, model.last_weights_)
    np.testing.assert_array_equal(table(last, bias), model.weights_.reshape(n_classes, -1))


def table(model, bias):
    return np.column_stack([model.coef_, model.intercept_]) if bias else model.coef_


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_mistakes_keep_to_their_bound(seed, cost_augmented):
    made, inputs, y, u = tables(seed)
    model = structured(Table(made), max_iter=10_000, cost_augmented=cost_augmented).fit(inputs, y)
    assert model.converged_
    assert model.mistakes_.sum() == model.n_mistakes_
    assert model.n_mistakes_ <= model.mistake_bound(inputs, y, u) * (1 + 1e-9)
    widest = max(model.margin(inputs, y), model.margin(inputs, y, model.last_weights_))
    if widest > 0:
        assert model.n_mistakes_ <= model.mistake_bound(inputs, y) * (1 + 1e-9)
    elif model.n_mistakes_:  # a tie, which costs would have told from a win
        assert not cost_augmented
        with pytest.raises(ValueError, match="cost_augmented=True if there are ties"):
            model.mistake_bound(inputs, y)


def test_the_margin_of_any_weights():
    model = structured(max_iter=50, cost_augmented=True).fit(X, Y)
    assert model.margin(X, Y, {(word, word % 2): 7.0 for word in range(12)}) == pytest.approx(
        1 / np.sqrt(12)
    )
    assert model.margin(X, Y) > 0
    assert model.margin(NOISY_X, NOISY_Y) < 0
    with pytest.raises(ValueError, match="margin of these weights is -0"):
        model.mistake_bound(NOISY_X, NOISY_Y)
    with pytest.raises(ValueError, match="weights must be finite numbers, by name or as a vector"):
        model.margin(X, Y, "heavy")
    with pytest.raises(ValueError, match=r"weights are a vector but features.* returns a dict"):
        model.margin(X, Y, [1.0, 2.0])
    vectors = structured(Table([np.eye(2)])).fit([0], [0])
    for wrong, kind in (({"a": 1.0}, "a dict"), ([1.0, 2.0, 3.0], "a vector of 3")):
        with pytest.raises(ValueError, match=f"weights are {kind} but .* returns a vector of 2; g"):
            vectors.margin([0], [0], wrong)

    class Nothing(Labels):
        rival = None

    with pytest.raises(ValueError, match=r"no method 'rival': give Nothing a method rival\(x, w"):
        model.set_params(problem=Nothing()).margin(X, Y)


def test_names_and_vectors_learn_the_same():
    made, inputs, y, _ = tables(12345, separable=False)
    named, plain = (structured(Table(made, n), max_iter=5).fit(inputs, y) for n in (True, False))
    assert named.mistakes_.tolist() == plain.mistakes_.tolist()
    for weights, other in [
        (named.weights_, plain.weights_),
        (named.last_weights_, plain.last_weights_),
    ]:
        assert [weights["column", j] for j in range(len(other))] == other.tolist()
    assert named.radius_ == pytest.approx(plain.radius_)


def test_the_same_seed_gives_the_same_bits():
    options = {"max_iter": 3}
    one, two = (structured(**options).fit(NOISY_X, NOISY_Y) for _ in range(2))
    assert dict(one.weights_) == dict(two.weights_)
    other = structured(random_state=1, **options).fit(NOISY_X, NOISY_Y)
    assert dict(one.weights_) != dict(other.weights_)
    generator = structured(random_state=np.random.RandomState(3), **options)
    assert generator.fit(NOISY_X, NOISY_Y).n_iter_ == 3


def test_costs_are_what_is_judged():
    model = structured(max_iter=2).fit(NOISY_X, NOISY_Y)
    pairs = list(zip(NOISY_Y, model.predict(NOISY_X), strict=True))
    cost = np.mean([Labels().cost(y, found) for y, found in pairs])
    assert model.score(NOISY_X, NOISY_Y) == pytest.approx(1 - cost)

    class Plain(Labels):
        cost = property()  # it has none

    model.set_params(problem=Plain())
    exact = np.mean([y == found for y, found in pairs])
    assert model.score(NOISY_X, NOISY_Y) == exact < 1 - cost


def test_outputs_may_be_arrays_and_inputs_rows():
    class Signs:
        """Say for each number on which side of zero it is."""

        def features(self, x, y):
            return {"same": x @ y}

        def argmax(self, x, weights):
            return np.where(weights["same"] * x > 0, 1, -1)

    rows = np.array([[1.0, -2.0], [-1.0, 3.0], [2.0, 2.0]])
    model = structured(Signs(), shuffle=False).fit(rows, np.sign(rows))
    assert model.mistakes_.tolist() == [1, 0]
    assert dict(model.last_weights_) == {"same": 2.0}  # of 1·1 − 1·(−1), the rest was right
    np.testing.assert_array_equal(model.predict(rows), np.sign(rows))
    assert model.score(rows, np.sign(rows).astype(int).tolist()) == 1.0


def test_early_stopping_keeps_the_best_weights():
    judges = sentences(seed=9, n=20)
    model = structured(max_iter=40, n_iter_no_change=4)
    model.fit(NOISY_X, NOISY_Y, validation=judges)
    curve = model.validation_curve_
    best = int(np.argmin(curve))
    assert model.n_iter_ == len(curve) == len(model.mistakes_) == best + 5 < 40
    assert model.score(*judges) == pytest.approx(1 - curve.min())
    short = structured(max_iter=best + 1).fit(NOISY_X, NOISY_Y)
    assert dict(short.weights_) == dict(model.weights_)
    assert dict(short.last_weights_) == dict(model.last_weights_)
    assert not hasattr(short, "validation_curve_")
    assert model.n_mistakes_ == model.mistakes_.sum()
    model.fit(NOISY_X, NOISY_Y)
    assert not hasattr(model, "validation_curve_")


def test_early_stopping_goes_by_what_is_held_out_alone():
    judges, stopped = sentences(seed=9, n=20, noise=0.1), []
    for seed in range(10):
        model = structured(max_iter=40, tol=0.0, n_iter_no_change=1, random_state=seed)
        curve = model.fit(NOISY_X, NOISY_Y, validation=judges).validation_curve_
        falls = np.diff(curve) < 0  # one pass that is no better is enough
        assert falls[:-1].all()
        assert not falls[-1]
        stopped.append(len(curve))
    assert max(stopped) > 3


@pytest.mark.parametrize("averaged", [True, False])
def test_early_stopping_holds_some_examples_out(averaged):
    seen = set()

    class Watched(Labels):
        def features(self, x, y):
            seen.add(x)
            return super().features(x, y)

    inputs = [(word,) * (1 + word // 12) for word in range(40)]
    outputs = [tuple(word % 2 for word in x) for x in inputs]
    options = {"early_stopping": True, "validation_fraction": 0.25, "averaged": averaged}
    model = structured(Watched(), max_iter=3, **options).fit(inputs, outputs)
    assert len(seen) <= 30
    with pytest.raises(ValueError, match=r"returned -1 at example (\d+)") as error:
        structured(Broken("cost", -1, 0), **options).fit(inputs, outputs)
    assert inputs[int(str(error.value).split("example ")[1].split(";")[0])] not in seen
    assert len(model.validation_curve_) == model.n_iter_
    again = structured(max_iter=3, **options).fit(inputs, outputs)
    assert dict(again.weights_) == dict(model.weights_)
    given_some = structured(max_iter=3, early_stopping=True)
    given_some.fit(inputs, outputs, validation=(X, Y))  # nothing is held out then
    alone = structured(max_iter=3).fit(inputs, outputs)
    assert given_some.mistakes_.tolist() == alone.mistakes_.tolist()


def test_more_passes_stop_when_they_no_longer_pay():
    model = structured(max_iter=200, tol=0.01, n_iter_no_change=3).fit(NOISY_X, NOISY_Y)
    assert not model.converged_
    assert model.n_iter_ < 100
    with pytest.warns(ConvergenceWarning, match="stopped after 2 passes, none of them clean") as w:
        structured(max_iter=2, tol=0.0).fit(NOISY_X, NOISY_Y)
    assert w[0].filename == __file__


def test_scikit_learn_can_choose_settings():
    model = structured(max_iter=3)
    twin = clone(model)
    assert isinstance(twin.problem, Labels)
    assert {**twin.get_params(), "problem": 0} == {**model.get_params(), "problem": 0}
    assert twin.set_params(averaged=False).averaged is False
    assert "Labels" in repr(model)
    search = GridSearchCV(model, {"max_iter": [1, 8], "averaged": [True, False]}, cv=3)
    search.fit(NOISY_X, NOISY_Y)
    assert search.best_score_ == pytest.approx(
        cross_val_score(search.best_estimator_, NOISY_X, NOISY_Y, cv=3).mean()
    )
    assert search.predict(X) == search.best_estimator_.predict(X)
    search = GridSearchCV(model, {"problem": [Labels(1), Labels(2)]}, cv=3)
    with pytest.warns(UserWarning, match="LARGEST score"):  # one label alone cannot be right
        search.fit(X, Y)
    assert search.best_params_["problem"].n_labels == 2


def test_a_progress_bar(capsys):
    structured(max_iter=4, verbose=1).fit(NOISY_X, NOISY_Y)
    assert "pass 4/4" in capsys.readouterr().err


def test_a_file_cannot_hold_it_and_the_error_helps(tmp_path):
    model = structured().fit(X, Y)
    for kind in (model, type("Mine", (StructuredPerceptron,), {})(Labels())):
        with pytest.raises(TypeError, match=r"its problem is code.* Keep its weights_") as caught:
            save(kind, tmp_path / "m.model")
        assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    kept = json.loads(json.dumps([[*name, value] for name, value in model.weights_.items()]))
    again = structured()
    again.weights_ = {(word, label): value for word, label, value in kept}
    assert again.predict(NOISY_X) == model.predict(NOISY_X)
    assert pickle.loads(pickle.dumps(model)).weights_ == model.weights_
