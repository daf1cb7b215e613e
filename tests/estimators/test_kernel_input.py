"""What a kernel perceptron refuses, in one clear line, and that nothing changes then."""

import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import KernelPerceptron
from tests.conftest import whole_numbers
from tests.estimators.test_bad_input import bits

X, Y = whole_numbers(seed=1, n=30, d=4)


def refused(model, message, *args, method="fit", error=ValueError):
    before = bits(model)
    with pytest.raises(error, match=message) as caught:
        getattr(model, method)(*args)
    assert "\n" not in str(caught.value)
    assert bits(model) == before


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("kernel", "cubic", "kernel must be 'linear', 'poly', 'rbf', .* got 'cubic'"),
        ("kernel", None, "kernel must be 'linear'"),
        ("degree", 0, "degree must be a whole number from 1 to 1000, got 0"),
        ("degree", 2.5, "degree must be a whole number"),
        ("gamma", -1, "gamma must be 'scale', 'auto' or a positive number, got -1"),
        ("gamma", 0, "gamma must be"),
        ("gamma", "wide", "gamma must be"),
        ("gamma", float("nan"), "gamma must be"),
        ("coef0", float("inf"), "coef0 must be a finite number"),
        ("coef0", "one", "coef0 must be a finite number"),
        ("fit_intercept", 1, "fit_intercept must be True or False"),
        ("multi_class", "multinomial", "multi_class must be 'ovr' or 'joint'"),
        ("predict_with", "mean", "predict_with must be 'vote', 'average', 'last' or 'random'"),
        ("max_iter", 0, "max_iter must be a whole number, 1 or more"),
        ("ties", "none", "ties must be 'mistake' or 'positive'"),
        ("max_support", 0, "max_support must be None, or a whole number, 1 or more, got 0"),
        ("max_support", 1.5, "max_support must be None"),
        ("device", "tpu", "device must be None, 'cpu', 'cuda' .* got 'tpu'"),
        ("device", "cuda:first", "device must be"),
        ("device", "cuda:", "device must be"),
        ("device", 0, "device must be"),
    ],
)
def test_parameters_that_make_no_sense(parameter, value, message):
    fitted = KernelPerceptron(max_iter=2).fit(X, Y)
    for model in (KernelPerceptron(), fitted):
        model.set_params(**{parameter: value})
        refused(model, message, X, Y)
    refused(fitted, message, X, method="predict")
    refused(fitted, message, X, Y, method="partial_fit")


def one_each(A, B):
    return A.sum(axis=1)


def names(A, B):
    return np.full((len(A), len(B)), "much")


def nothing(A, B):
    return None


def complex_numbers(A, B):
    return A @ B.T * 1j


def holes(A, B):
    values = A @ B.T
    values[-1, 0] = np.nan
    return values


def infinite(A, B):
    return A @ B.T + np.inf


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (one_each, r"kernel one_each returned .* shape \(30,\) .* numbers of shape \(30, 30\)"),
        (names, "kernel names returned an array of shape .* and type <U4"),
        (nothing, r"kernel nothing returned an array of shape \(\) and type object"),
        (complex_numbers, "kernel complex_numbers returned .* type complex128"),
        (holes, "kernel holes returned nan for row .* must be finite"),
        (infinite, "kernel infinite returned inf for row 0 of its first argument and row 0 of"),
    ],
)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_a_function_that_returns_no_kernel_values_is_named(kernel, message, kind):
    def of_either(A, B):
        return kernel(*(Z.toarray() if sp.issparse(Z) else Z for Z in (A, B)))

    of_either.__name__ = kernel.__name__
    refused(KernelPerceptron(kernel=of_either), message, kind(X), Y)


def test_a_function_that_mixes_up_its_arguments():
    model = KernelPerceptron(kernel=lambda A, B: B @ A.T, max_iter=1).fit(X, Y)
    n = len(model.support_)
    message = rf"shape \(7, {n}\) .* for {n} and 7 rows; it must return numbers of shape \({n}, 7"
    refused(model, message, X[:7], method="predict")


def test_a_function_may_go_wrong_when_predicting():
    good = [True]

    def fickle(A, B):
        return A @ B.T + (0 if good[0] else np.nan)

    model = KernelPerceptron(kernel=fickle).fit(X, Y)
    good[0] = False
    refused(model, "kernel fickle returned nan for row 0", X, method="predict")
    refused(model, "kernel fickle returned nan for row 0", X, Y, method="partial_fit")


def test_a_function_without_a_name_is_shown():
    kernel = partial(lambda A, B, power: np.nan * (A @ B.T) ** power, power=2)
    refused(KernelPerceptron(kernel=kernel), "kernel functools.partial.* returned nan", X, Y)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_too_large_for_their_type(dtype, kind):
    options = {"kernel": "poly", "degree": 9, "gamma": 1, "max_iter": 2}
    huge = (np.finfo(dtype).max ** 0.2 * X).astype(dtype)
    message = f"poly kernel of degree 9 are too large for float{8 * huge.itemsize}"
    if dtype == np.float32:
        message += ".*or use float64"
    refused(KernelPerceptron(**options), message, kind(huge), Y)
    small = X.astype(dtype)
    for how in ("vote", "average", "last", "random"):
        model = KernelPerceptron(**options, predict_with=how).fit(small, Y)
        before = model.predict(small)
        refused(model, message, kind(huge), method="predict")
        refused(model, message, kind(huge), Y, method="partial_fit")
        np.testing.assert_array_equal(model.predict(small), before)
    refused(model.set_params(warm_start=True), message, kind(huge), Y)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("power", [0.2, 0.45, 0.55, 0.9, 1.0])
def test_huge_values_end_in_finite_scores_or_an_error(kernel, dtype, power, kind):
    rng = np.random.default_rng(0)
    huge = kind((rng.uniform(-1, 1, (40, 3)) * np.finfo(dtype).max ** power).astype(dtype))
    for gamma in ("scale", "auto"):
        message = ""
        try:
            model = KernelPerceptron(kernel=kernel, gamma=gamma).fit(huge, rng.integers(2, size=40))
            assert np.all(np.isfinite(model.decision_function(huge)))
        except ValueError as error:
            message = str(error)
        assert not message or (
            "too large for float" in message and (power > 0.4 or gamma == "auto")
        )


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("calls", [1, 2, 3, 5])
def test_an_interrupted_fit_leaves_everything_as_it_was(method, fitted, calls):
    data, labels = whole_numbers(seed=2, n=5000, noise=0.5)
    left = [np.inf]

    def slow(A, B):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return A @ B.T

    model = KernelPerceptron(kernel=slow, max_iter=2, warm_start=True)
    if fitted:
        model.fit(data[:200], labels[:200])
    before = bits(model)
    left[0] = calls
    with pytest.raises(KeyboardInterrupt):
        getattr(model, method)(data, labels)
    assert bits(model) == before
    left[0] = np.inf
    model.fit(data, labels)
    fresh = KernelPerceptron(kernel=slow, max_iter=2, warm_start=True)
    if fitted:
        fresh.fit(data[:200], labels[:200])
    np.testing.assert_array_equal(model.dual_coef_, fresh.fit(data, labels).dual_coef_)


def test_a_table_of_kernel_values_has_its_shape():
    table = X @ X.T
    model = KernelPerceptron(kernel="precomputed", max_iter=2)
    refused(model, r"X has shape \(30, 4\); with kernel='precomputed' .* square", X, Y)
    refused(model, r"X has shape \(20, 30\)", table[:20], Y[:20])
    model.fit(table, Y)
    refused(model, r"X has 4 features.*expecting 30", X, method="predict")
    assert model.predict(table[:3]).shape == (3,)
    refused(model.set_params(warm_start=True), "20 features", table[:20, :20], Y[:20])
    with pytest.raises(AttributeError, match="keeps no rows; support_ has their numbers"):
        _ = model.support_vectors_
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as error:
        model.partial_fit(table, Y)
    assert "use fit" in str(error.value.__cause__)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kernel": "linear"}, "learned with kernel='poly'"),
        ({"degree": 4}, "learned with degree=2"),
        ({"gamma": 0.25}, "learned with gamma=0.5"),
        ({"coef0": 0}, "learned with coef0=1.0"),
        ({"fit_intercept": False}, "learned with fit_intercept=True"),
    ],
)
def test_the_kernel_of_a_model_is_fixed(changed, message):
    model = KernelPerceptron(kernel="poly", degree=2, gamma=0.5, max_iter=2, warm_start=True)
    model.fit(X, Y).set_params(**changed)
    refused(model, message, X, Y, method="partial_fit")
    refused(model, message, X, Y)
    refused(model, message, X, method="predict")
    refused(model, message, X, method="decision_function")
    model.set_params(warm_start=False).fit(X, Y)  # from the start it may be any
    assert model.predict(X).shape == (30,)


def test_what_a_kernel_does_not_look_at_may_be_anything():
    model = KernelPerceptron(kernel="rbf", gamma=0.5, max_iter=2).fit(X, Y)
    before = model.predict(X)
    model.set_params(degree=7, coef0=3, multi_class="joint", predict_with="vote", max_support=5)
    np.testing.assert_array_equal(model.predict(X), before)


def test_a_gpu_needs_pytorch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    model = KernelPerceptron(device="cuda")
    message = r"device='cuda' needs PyTorch, which is not installed \(pip install .*; leave device"
    refused(model, message, X, Y)
    fitted = KernelPerceptron(max_iter=2).fit(X, Y).set_params(device="cuda:1")
    refused(fitted, "device='cuda:1' needs PyTorch", X, method="predict")


def test_a_gpu_needs_to_be_there(monkeypatch):
    found = SimpleNamespace(is_available=lambda: False, device_count=lambda: 2)
    index = {"cuda": None, "cuda:1": 1, "cuda:2": 2}
    torch = SimpleNamespace(cuda=found, device=lambda name: SimpleNamespace(index=index[name]))
    monkeypatch.setitem(sys.modules, "torch", torch)
    refused(KernelPerceptron(device="cuda"), "a GPU that PyTorch can use, and there is none", X, Y)
    found.is_available = lambda: True
    refused(KernelPerceptron(device="cuda:2"), "GPU number 2, and there are 2", X, Y)
    for kernel in ("precomputed", np.dot):
        model = KernelPerceptron(device="cuda:1", kernel=kernel)
        refused(model, "the library's own kernels; with kernel=.* leave device out", X, Y)
    model = KernelPerceptron(device="cuda:1")
    refused(model, "X is sparse, which device='cuda:1' does not support", sp.csr_matrix(X), Y)


@pytest.mark.slow
def test_without_a_device_pytorch_is_never_loaded():
    code = (
        "import sys; from rosenblatt import KernelPerceptron;"
        "model = KernelPerceptron(max_iter=2).fit([[0.], [1.]], [0, 1]);"
        "model.set_params(device='cpu').partial_fit([[2.]], [1]).predict([[0.]]);"
        "print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "rosenblatt.learners.kernel_perceptron.kernel_values_gpu" in loaded
    assert not {"torch", "matplotlib", "IPython"} & set(loaded)


def test_a_kernel_that_writes_to_its_rows_is_stopped():
    data, labels = whole_numbers(seed=2)

    def careless(A, B):
        A -= 1
        return A @ B.T

    with pytest.raises(ValueError, match="read-only"):
        KernelPerceptron(kernel=careless).fit(data, labels)


def test_rows_that_are_shown_cannot_be_written_to():
    data, labels = whole_numbers(seed=2)
    model = KernelPerceptron().fit(data, labels)
    for shown in (model.support_vectors_, model.support_):
        with pytest.raises(ValueError, match="read-only"):
            shown[:] = 0


def test_a_gamma_that_the_type_cannot_hold_is_named():
    data, labels = whole_numbers(seed=2)
    tiny = (data * 1e-30).astype(np.float32)
    with pytest.raises(
        ValueError, match=r"gamma is .* too large for float32: scale the features up"
    ):
        KernelPerceptron().fit(tiny, labels)


@pytest.mark.parametrize("steps", [[0.5, 1.5], "12", [], [3, 2], [[1, 2]]])
def test_stages_must_be_whole_numbers(steps):
    data, labels = whole_numbers(seed=2)
    with pytest.raises(ValueError, match="steps must be whole numbers"):
        next(KernelPerceptron().fit(data, labels).staged_predict(data, steps))
