"""The structured perceptron's face: classes as a special case, stopping, manners, bad input."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from rosenblatt import AveragedPerceptron, Perceptron, StructuredPerceptron, save
from tests.conftest import whole_numbers
from tests.learners.structured_problems import Classes, Labels, Table, sentences, tables

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


class Broken(Labels):
    """Labels, but for one method that gives something else or raises."""

    def __init__(self, name, value, after=3):
        super().__init__()
        self.name, self.value, self.after = name, value, after
        setattr(self, name, self.instead)

    def instead(self, *arguments):
        self.after -= 1
        if self.after > 0:
            return getattr(Labels, self.name)(self, *arguments)
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value


class Odd:
    """Cannot be compared."""

    __hash__ = None

    def __eq__(self, other):
        raise TypeError("no")


WHERE = r" \(at example \d+ and (its own output|the output found for it)\)$"
NUMBERS = "; features must be (finite )?numbers"
BAD_PROBLEMS = {
    "NaN": (Broken("features", {"a": np.nan}), f"returned nan for 'a'{NUMBERS}{WHERE}"),
    "infinity": (Broken("features", {"a": -np.inf}), f"returned -inf for 'a'{NUMBERS}{WHERE}"),
    "text": (Broken("features", {"a": "1"}), f"returned '1' for 'a'{NUMBERS}{WHERE}"),
    "no number": (Broken("features", {"a": None}), f"returned None for 'a'{NUMBERS}{WHERE}"),
    "a vector": (Broken("features", np.ones(3)), f"returned a vector after a dict; .*{WHERE}"),
    "no features": (Broken("features", None), f"must return a dict .*got NoneType{WHERE}"),
    "a matrix": (Broken("features", np.eye(2)), rf"got ndarray of shape \(2, 2\){WHERE}"),
    "ragged": (Broken("features", [[1], [1, 2]]), f"must return a dict .*got list{WHERE}"),
    "cost": (Broken("cost", -1), r"returned -1 at example \d+; costs are finite numbers"),
    "outputs": (Broken("argmax", Odd()), "cannot tell whether two outputs of type tuple are equal"),
    "no object": (Labels, r"problem is the class Labels; give an object of it, Labels\(\)"),
    "no problem": (None, r"no method 'features': give NoneType a method features\(x, y\), the f"),
    "no argmax": (Broken("argmax", 0).features, "problem has no method 'features'"),
}


@pytest.mark.parametrize("case", BAD_PROBLEMS)
def test_a_problem_that_is_wrong_is_named_and_changes_nothing(case):
    problem, message = BAD_PROBLEMS[case]
    options = {"shuffle": False, "early_stopping": case == "cost"}
    for model in (StructuredPerceptron(problem, **options), structured(**options).fit(X, Y)):
        model.set_params(problem=problem)
        before = dict(vars(model))
        with pytest.raises(ValueError, match=message) as error:
            model.fit(X, Y)
        assert "\n" not in str(error.value)
        assert vars(model) == before
        if isinstance(problem, Broken):
            problem.after = 3


class Least(Table):
    """Has the sign the wrong way round."""

    def scores(self, x, weights):
        return -super().scores(x, weights)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("cost_augmented", [True, False])
def test_an_argmax_that_returns_a_minimum_is_told_once(named, cost_augmented):
    made = [np.array([[1.0, 0.0], [0.0, 1.0]])] * 2
    model = structured(Least(made, named), cost_augmented=cost_augmented, shuffle=False)
    with pytest.warns(UserWarning, match="LARGEST") as caught:
        model.fit([0, 1], [1, 1])
    assert len(caught) == 1
    assert caught[0].filename == __file__
    # After the first example the right output scores 1 and the other one −1, which costs 1.
    call, score, found = "argmax(x, weights)", "score", -1
    if cost_augmented:
        call, score, found = "argmax_with_cost(x, weights, y_true)", "score + cost", 0
    assert str(caught[0].message) == (
        f"{call} returned an output of {score} {found} at example 1, but the right output has 1: "
        f"{call.split('(')[0]} must return the output of the LARGEST {score}; one that only "
        "searches, such as a beam, may ignore this"
    )
    assert model.mistakes_.tolist() == [2] * 10


def test_a_miss_is_told_by_the_number_that_the_caller_knows():
    made = [np.eye(2)] * 10
    model = structured(Least(made), early_stopping=True, validation_fraction=0.5)
    with pytest.warns(UserWarning, match=r"at example \d+,") as caught:
        model.fit(range(10), [1] * 10)
    found = []
    model.problem.argmax = lambda x, weights: found.append(x) or 0
    with pytest.warns(UserWarning, match="LARGEST"):
        model.fit(range(10), [1] * 10)
    assert f"at example {found[1]}," in str(caught[0].message)  # at the first all was a tie


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans(), st.sampled_from("fd"))
def test_a_right_argmax_is_never_blamed_for_rounding(seed, named, cost_augmented, dtype):
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.integers(-3, 4, size=rng.integers(1, 30))
    made = [rng.normal(size=(3, len(scale))) * scale for _ in range(5)]
    for table in made:  # as good as ties, which rounding decides
        table[1] = table[0] * (1 + np.finfo(dtype).eps * rng.normal(size=len(scale)))

    class Rounded(Table):
        def scores(self, x, weights):
            if named:
                weights = np.array([weights["column", j] for j in range(len(scale))])
            return self.tables[x].astype(dtype) @ weights.astype(dtype)

    model = structured(Rounded(made, named), cost_augmented=cost_augmented, max_iter=20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(range(5), rng.integers(3, size=5).tolist())


@pytest.mark.parametrize("cost_augmented", [True, False])
def test_an_argmax_that_returns_nothing(cost_augmented):
    call = "argmax_with_cost" if cost_augmented else "argmax"
    model = structured(Broken(call, None, 0), cost_augmented=cost_augmented, shuffle=False)
    with pytest.raises(ValueError, match=rf"^{call}\(x, .*\) returned None at example 0; does it"):
        model.fit(X, Y)


def test_nothing_may_be_an_output():
    class Maybe:
        def features(self, x, y):
            return {(x, y): 1}

        def argmax(self, x, weights):
            return max((None, "a"), key=lambda y: weights[x, y])

    model = structured(Maybe()).fit([1, 2], ["a", None])
    assert model.predict([1, 2, 3]) == ["a", None, None]


def test_one_input_is_not_a_list_of_inputs():
    model = structured().fit(X, Y)
    hint = "predict takes a list of inputs: for one input x, [x]"
    with pytest.raises(TypeError, match="not iterable") as error:
        model.predict(X[0])
    assert error.value.__notes__ == ["It was raised by the problem's argmax, at example 0", hint]
    with pytest.raises(TypeError) as error:
        model.predict([X[0], 5])
    assert error.value.__notes__ == ["It was raised by the problem's argmax, at example 1"]
    for one in ("text", 3, {"a": 1}):
        with pytest.raises(ValueError, match=r"X must be a sequence, .*; predict takes a list"):
            model.predict(one)


def test_vectors_have_one_length():
    class Growing:
        def features(self, x, y):
            return np.ones(x)

        def argmax(self, x, weights):
            return 0

    with pytest.raises(ValueError, match=f"returned 4 numbers after 3; .*{WHERE}"):
        structured(Growing(), shuffle=False).fit([3, 4], [1, 1])


def test_weights_that_grow_too_large():
    class Large:
        scale = 1e308

        def features(self, x, y):
            return {"a": self.scale * y} if x else [self.scale * y, 0.0]

        def argmax(self, x, weights):
            return -1

    for x in (0, 1):
        with pytest.raises(ValueError, match="grew too large for float64: scale the features down"):
            structured(Large()).fit([x], [1])


@pytest.mark.parametrize("name", ["features", "argmax", "cost"])
@pytest.mark.parametrize("error", [LookupError("mine"), KeyboardInterrupt()])
def test_what_a_problem_raises_comes_through(name, error):
    model = structured(early_stopping=True).fit(X, Y)
    before = dict(vars(model.set_params(problem=Broken(name, error, after=5))))
    with pytest.raises(type(error)) as caught:
        model.fit(X, Y)
    assert caught.value is error
    assert vars(model) == before
    if isinstance(error, LookupError):
        assert any(f"problem's {name}, at example" in note for note in error.__notes__)


BAD_EXAMPLES = {
    "too few outputs": ((X, Y[:-1]), "X has 30 inputs but y has 29 outputs; give one for each"),
    "empty": (([], []), "X is empty"),
    "no outputs": ((X, None), "y is None; give the right output"),
    "a number": ((3, Y), "X must be a sequence, such as a list or an array, got int"),
    "a text": ((X, "text"), "y must be a sequence, .*got str"),
    "a dict": ((X, dict.fromkeys(X)), "y must be a sequence, .*got dict"),
    "a set": ((set(X), Y), "X must be a sequence, .*got set"),
    "a table": ((pd.DataFrame({"a": [1]}), [1]), "got DataFrame; to use its rows, .*to_numpy"),
    "validation": ((X, Y, 5), r"validation must be a pair \(X, y\) .*got int"),
    "validation, outputs": ((X, Y, (X, Y[:3])), "validation X has 30 .*validation y has 3 outputs"),
    "validation, empty": ((X, Y, ([], [])), "validation X is empty"),
}


@pytest.mark.parametrize("case", BAD_EXAMPLES)
def test_examples_that_are_wrong_are_named_and_change_nothing(case):
    arguments, message = BAD_EXAMPLES[case]
    for model in (structured(), structured().fit(X, Y)):
        before = dict(vars(model))
        with pytest.raises(ValueError, match=message) as error:
            model.fit(*arguments)
        assert "\n" not in str(error.value)
        assert vars(model) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_iter": 0}, "max_iter must be a whole number, 1 or more, got 0"),
        ({"averaged": "yes"}, "averaged must be True or False, got 'yes'"),
        ({"cost_augmented": 1}, "cost_augmented must be True or False"),
        ({"tol": -1}, "tol must be None, or a number that is not negative"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be 'auto', or a whole"),
        ({"early_stopping": None}, "early_stopping must be True or False"),
        ({"validation_fraction": 1.0}, "validation_fraction must be a share"),
    ],
)
def test_parameters_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        structured(**options).fit(X, Y)


def test_costs_need_an_argmax_that_knows_them():
    class Plain(Labels):
        argmax_with_cost = None

    with pytest.raises(ValueError, match="no method 'argmax_with_cost': give Plain a method argm"):
        structured(Plain(), cost_augmented=True).fit(X, Y)


def test_one_example():
    model = structured().fit([(1, 2)], [(1, 0)])
    assert model.predict([(1, 2)]) == [(1, 0)]
    with pytest.raises(ValueError, match="no example to hold out beside one to learn from"):
        structured(early_stopping=True).fit([(1, 2)], [(1, 0)])


def test_it_must_be_fitted_first():
    for use in ("predict", "score", "margin", "mistake_bound"):
        with pytest.raises(NotFittedError):
            getattr(structured(), use)(*([X] if use == "predict" else [X, Y]))
    assert structured().fit(X, Y).predict([]) == []
