"""Files of kernel perceptrons: what they hold, what they cannot hold, and what is refused."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from rosenblatt import KernelPerceptron, load, save
from rosenblatt.models import read_header
from tests.models.forging import array, fitted_values, put, refused, state
from tests.models.zoo import SETTINGS, data, fitted, same_answers, same_model

KERNELS = [setting for setting in SETTINGS if setting.startswith("kernel")]
NO_NUMBER = {"is": "float", "value": "nan"}
ENDLESS = {"is": "float", "value": "inf"}


@pytest.mark.parametrize("setting", KERNELS)
def test_without_a_change_it_loads(forged, setting):
    same_model(fitted(setting), forged(setting, lambda header, arrays: None))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        # changes of coefficients
        (array("_state.row", put(0, 10**6)), "row must lie in"),
        (array("_state.row", put(-1, -1)), "row must lie in"),
        (array("_state.row", lambda a: a[:-1]), "row is of"),
        (array("_state.row", np.int32), "row is of int32"),
        (array("_state.function", put(0, 3)), "function must lie in"),
        (array("_state.function", put(0, -1)), "function must lie in"),
        (array("_state.function", lambda a: a[1:]), "function is of"),
        (array("_state.step", put(0, 0)), "step must rise from 1"),
        (array("_state.step", put(-1, 271)), "step must rise from 1 to 270"),
        (array("_state.step", lambda a: a[::-1]), "step must rise"),
        (array("_state.step", np.float64), "step is of float64"),
        (array("_state.step", lambda a: a[None]), "step must be a vector"),
        (array("_state.change", put(0, 2)), "change is larger than steps can make it"),
        (array("_state.change", put(-1, -(2**63))), "change is larger"),
        (array("_state.change", lambda a: a[:3]), "change is of"),
        (state(steps=3), "step must rise|born must lie"),
        (state(steps=0), "step must rise"),
        (state(steps=-1), "steps must be"),
        (state(updates=1.5), "updates must be"),
        # the rows that have coefficients
        (array("support_", put(-1, 90)), "origin must lie in 0…89"),
        (array("support_", put(0, -1)), "origin must lie in"),
        (array("support_", put(1, 0)), "origin must rise, each row once"),
        (array("support_", lambda a: a[:-1]), "origin is of"),
        (array("_state.kept.values", lambda a: a[:-1]), "origin is of"),
        (array("_state.kept.values", lambda a: a[:, :5]), "kept is of"),
        (array("_state.kept.values", put((0, 0), np.nan)), "kept has a number"),
        (state(kept=None), "kept must be rows"),
        (state(seen=10), "latest must be|origin must lie"),
        (state(latest=91), "latest must be a whole number from 0 to 90"),
        (state(first=0), "first must not be 0"),
        (state(first=2), "step must rise from 2"),
        (state(first=271), "first must be a whole number from 0 to 270"),
        # classes that come late
        (array("_state.born", put(0, 0)), "born must lie in 1…271"),
        (array("_state.born", put(0, 272)), "born must lie in 1…271"),
        (array("_state.born", put(0, -(2**63))), "born must lie in"),
        (array("_state.born", lambda a: a[:2]), "born is of"),
        # the kernel
        (state(kernel="cosine"), "no such kernel"),
        (state(kernel=["rbf"]), "no such kernel"),
        (state(kernel="precomputed"), "seen is not the number of kernel values"),
        (state(degree=0), "degree must not be 0"),
        (state(degree=2.0), "degree must be"),
        (state(gamma=0.0), "gamma must be positive"),
        (state(gamma=-1.0), "gamma must be positive"),
        (state(gamma=ENDLESS), "gamma must be positive and finite"),
        (state(gamma=NO_NUMBER), "gamma must be positive"),
        (state(gamma=None), "gamma must be a number"),
        (state(coef0=NO_NUMBER), "coef0 must be finite"),
        (state(coef0="1"), "coef0 must be a number"),
        (state(bias=0.5), "bias must be 0 or 1"),
        (state(bias=1), "bias must be a number"),
        (state(ties=2), "ties must be"),
        (state(joint=1), "joint must be"),
        # what can be read off
        (array("dual_coef_", lambda a: a[:, 1:]), "dual_coef_ is of"),
        (array("dual_coef_", put((0, 0), np.nan)), "dual_coef_ has a number"),
        (array("mean_dual_coef_", lambda a: a[:1]), "mean_dual_coef_ is of"),
        (fitted_values(gamma_="auto"), "gamma_ must be a number"),
        (fitted_values(t_=271), "t_ is not the number of steps"),
        (fitted_values(n_iter_=2**40), "a number for each pass"),
        (array("mistakes_", lambda a: a[:2]), "a number for each pass"),
        (fitted_values(n_features_in_=7), "kept is of"),
        (lambda header, arrays: header["fitted"].pop("support_"), "support_ is missing"),
        (lambda header, arrays: header.update(kind="VotedPerceptron"), "no parameter"),
    ],
)
def test_what_cannot_be_is_refused(forged, change, why):
    refused(forged, "kernel", change, why)


def test_coefficients_since_a_row_was_forgotten(forged):
    first = fitted("kernel, budget")._state.first
    assert first > 1
    for change, why in (
        (array("_state.change", put(0, first + 1)), "change is larger"),
        (array("_state.step", put(0, first - 1)), f"step must rise from {first} to 270"),
        (state(first=first + 1), f"step must rise from {first + 1}"),
    ):
        refused(forged, "kernel, budget", change, why)


def more_passes(header, arrays):
    arrays["mistakes_"] = np.zeros(5, int)
    header["fitted"]["n_iter_"] = 5


def test_there_are_no_more_passes_than_steps(forged):
    refused(forged, "kernel", more_passes, "more passes than steps")


def other_support(header, arrays):
    arrays["other"] = arrays["support_"][1:]
    header["fitted"]["support_"] = {"is": "array", "at": "other"}


def test_support_has_a_number_for_each_row(forged):
    refused(forged, "kernel", other_support, "support_ is of")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (fitted_values(n_features_in_=89), "seen is not the number of kernel values"),
        (state(seen=91), "seen is not the number of kernel values"),
        (array("support_", put(-1, 90)), "origin must lie in 0…89"),
        (array("_state.kept.values", lambda a: np.zeros((2**40, 0))), "origin is of"),
        (array("_state.kept.values", lambda a: np.zeros((len(a), 1))), "kept is of"),
        (state(kept=None), "rows without columns"),
        (state(kernel="rbf"), "kept is of"),
    ],
)
def test_a_precomputed_kernel_that_cannot_be_is_refused(forged, change, why):
    refused(forged, "kernel, precomputed", change, why)


def test_sparse_rows_that_cannot_be_are_refused(forged):
    for change, why in (
        (array("_state.kept.indices", put(0, 6)), "indices must lie in"),
        (array("_state.kept.indptr", put(-1, 10**6)), "indptr must rise"),
        (state(kernel="precomputed", seen=6), "rows without columns|latest must be"),
    ):
        refused(forged, "kernel", change, why, form="sparse")


@pytest.mark.parametrize("setting", KERNELS)
def test_the_header_says_whether_training_rows_are_inside(setting, tmp_path):
    path = tmp_path / "m.model"
    save(SETTINGS[setting](), path)
    assert read_header(path)["holds_training_rows"] is False
    for form in ("dense", "sparse"):
        save(fitted(setting, form), path)
        header = read_header(path)
        assert header["holds_training_rows"] is ("precomputed" not in setting)
        assert header["training"]["n_iter"] == 3
        assert "_state.origin" not in header["arrays"]  # support_ is the same


def test_a_function_can_be_given_again(tmp_path):
    X, y = data("kernel")
    model = KernelPerceptron(kernel=rbf_kernel, max_iter=2).fit(X, y)
    path = tmp_path / "m.model"
    with pytest.raises(TypeError, match=r"kernel is <function.*set_params\(kernel='linear'\)"):
        save(model, path)
    save(model.set_params(kernel="linear"), path)
    loaded = load(path)
    with pytest.raises(ValueError, match="this model learned with kernel='callable'"):
        loaded.predict(X)
    loaded.set_params(kernel=rbf_kernel)
    same_answers(model.set_params(kernel=rbf_kernel), loaded, X)
    same_model(model.partial_fit(X[:9], y[:9]), loaded.partial_fit(X[:9], y[:9]))


def test_a_budget_larger_than_any_machine_word(tmp_path):
    X, y = data("kernel")
    save(KernelPerceptron(max_support=10**30).fit(X, y), tmp_path / "m.model")
    loaded = load(tmp_path / "m.model").partial_fit(X, y)
    unlimited = KernelPerceptron().fit(X, y).partial_fit(X, y)
    np.testing.assert_array_equal(loaded.dual_coef_, unlimited.dual_coef_)
