"""The structured perceptron and problems, examples or parameters that are wrong."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from rosenblatt import StructuredPerceptron
from tests.learners.structured_problems import Broken, Labels, Table, sentences

X, Y = sentences(seed=1)
NOISY_X, NOISY_Y = sentences(seed=2, n=60, noise=0.2)


def structured(problem=None, **options):
    return StructuredPerceptron(problem or Labels(), **options)


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
        f"{call.split('(')[0]} must return the output of the LARGEST {score}; an "
        "approximate search, such as a beam, may ignore this"
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
    with pytest.raises(ValueError, match=rf"^{call}\(x, .*\) returned None at example 0; is a"):
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
    with pytest.raises(ValueError, match="needs an example to hold out and one to learn from"):
        structured(early_stopping=True).fit([(1, 2)], [(1, 0)])


def test_it_must_be_fitted_first():
    for use in ("predict", "score", "margin", "mistake_bound"):
        with pytest.raises(NotFittedError):
            getattr(structured(), use)(*([X] if use == "predict" else [X, Y]))
    assert structured().fit(X, Y).predict([]) == []
