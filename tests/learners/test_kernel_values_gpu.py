"""Kernel values from a GPU teach the same, mistake for mistake, as those from main memory.

``python tests/learners/test_kernel_values_gpu.py`` runs it where there is no pytest.
"""

import traceback
import warnings

import numpy as np
import scipy.sparse as sp

from rosenblatt import KernelPerceptron

try:
    import pytest
except ImportError:
    pytest = None
try:
    import torch
except ImportError:
    torch = None

READY = torch is not None and torch.cuda.is_available()
if pytest is not None:
    pytestmark = pytest.mark.skipif(not READY, reason="needs PyTorch and a GPU")

DEVICE = "cuda"
WAYS = ("vote", "average", "last", "random")
KERNELS = (
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 4, "gamma": 0.3, "coef0": 0.1},
    {"kernel": "poly", "degree": 7, "gamma": 0.05, "coef0": -0.5, "fit_intercept": False},
    {"kernel": "rbf", "gamma": 0.05},
    {"kernel": "rbf"},
    {"kernel": "laplacian", "gamma": 0.02, "fit_intercept": False},
    {"kernel": "laplacian"},
)


def rows(n=3000, d=20, dtype=np.float32, n_classes=3, seed=0):
    """Rows with curved classes and some noise: more of them than a block holds."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    y = np.digitize((X[:, :6] ** 2).sum(axis=1) + rng.standard_normal(n) / 2, [4, 7])
    return X, np.minimum(y, n_classes - 1)


def whole(n=3000, d=12, seed=1):
    """Rows of small integers, whose polynomials are exact on either machine."""
    rng = np.random.default_rng(seed)
    return rng.integers(-2, 3, (n, d)).astype(np.float32), rng.integers(4, size=n)


def fitted(X, y, device, **options):
    settings = {"shuffle": False, "max_iter": 2, "device": device, **options}
    return KernelPerceptron(**settings).fit(X, y)


def assert_same(model, other, X, exact=False):
    """Assert the same mistakes, and the same scores up to rounding."""
    assert model.mistakes_.tolist() == other.mistakes_.tolist()
    for name in ("support_", "dual_coef_", "mean_dual_coef_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(other, name))
    tolerance = 2e-5 if model.support_vectors_.dtype == np.float32 else 1e-10
    for how in WAYS:
        ours, theirs = (
            each.set_params(predict_with=how).decision_function(X) for each in (model, other)
        )
        if exact and how != "average":  # whose coefficients are no whole numbers
            np.testing.assert_array_equal(ours, theirs)
        elif how == "vote":  # a hypothesis whose score is about zero may vote either way
            apart = np.abs(ours - theirs)
            assert np.mean(apart > 5 / model.t_) < 0.01
            assert apart.max() < 0.05
        else:
            scale = np.abs(theirs[np.isfinite(theirs)]).max()
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale)
        assert np.mean(model.predict(X) == other.predict(X)) > 0.999


def refused(message, work):
    found = None
    try:
        work()
    except ValueError as error:
        found = str(error)
    assert found is not None, f"no error, where {message!r} was expected"
    assert message in found, found
    assert "\n" not in found


def state_of(model):
    return {name: id(value) for name, value in vars(model).items()}


def test_every_kernel_and_type_makes_the_same_mistakes():
    for dtype in (np.float32, np.float64):
        for n_classes in (2, 3):
            X, y = rows(dtype=dtype, n_classes=n_classes)
            for options in KERNELS:
                host, gpu = (fitted(X, y, device, **options) for device in (None, DEVICE))
                np.testing.assert_allclose(gpu.gamma_, host.gamma_, rtol=1e-6)
                if options.get("gamma") or options["kernel"] == "linear":
                    assert_same(gpu, host, X[:700])
                assert gpu.support_vectors_.dtype == dtype
                np.testing.assert_array_equal(gpu.support_vectors_, X[gpu.support_])


def test_joint_learning_and_both_tie_rules_on_whole_numbers():
    X, y = whole()
    for rule in ("ovr", "joint"):
        for ties in ("mistake", "positive"):
            options = {"kernel": "poly", "degree": 3, "gamma": 1, "multi_class": rule, "ties": ties}
            host, gpu = (fitted(X, y, device, **options) for device in (None, DEVICE))
            assert_same(gpu, host, X[:700], exact=True)
            np.testing.assert_array_equal(gpu._state.step, host._state.step)


def test_one_block_shuffled_is_the_same_order():
    X, y = rows(n=500)
    options = {"kernel": "rbf", "gamma": 0.05, "shuffle": True, "random_state": 3, "max_iter": 4}
    assert_same(fitted(X, y, DEVICE, **options), fitted(X, y, None, **options), X)


def test_a_budget_and_a_lower_one():
    X, y = whole()
    for rule in ("ovr", "joint"):
        options = {"kernel": "poly", "degree": 2, "gamma": 1, "multi_class": rule}
        host, gpu = (fitted(X, y, device, max_support=100, **options) for device in (None, DEVICE))
        assert_same(gpu, host, X[:700], exact=True)
        assert len(gpu.support_) == 100
        for model in (host, gpu):
            model.set_params(max_support=30).partial_fit(X[:50], y[:50])
        assert_same(gpu, host, X[:700], exact=True)
        assert len(gpu.support_) == 30


def test_pieces_are_one_pass_and_may_come_from_either_machine():
    X, y = whole()
    options = {"kernel": "poly", "degree": 3, "gamma": 1}
    one = fitted(X, y, None, max_iter=1, **options)
    pieces = KernelPerceptron(**options)
    kinds = (
        (None, np.asarray),
        (DEVICE, np.asarray),
        (None, sp.csr_matrix),
        (DEVICE, np.float64),
        (None, np.float64),
        (DEVICE, lambda Z: torch.as_tensor(Z, device=DEVICE)),
    )
    for part in range(12):
        cut = slice(part * 250, part * 250 + 250)
        device, kind = kinds[part % len(kinds)]
        pieces.set_params(device=device).partial_fit(kind(X[cut]), y[cut], classes=range(4))
    np.testing.assert_array_equal(pieces.dual_coef_, one.dual_coef_)
    np.testing.assert_array_equal(pieces.support_, one.support_)
    for device in (None, DEVICE):
        pieces.set_params(device=device)
        np.testing.assert_array_equal(pieces.decision_function(X), one.decision_function(X))


def test_a_warm_start_goes_on_and_keeps_each_row_once():
    X, y = whole()
    options = {"kernel": "poly", "degree": 3, "gamma": 1}
    six = fitted(X, y, None, max_iter=6, **options)
    warm = fitted(X, y, DEVICE, max_iter=3, warm_start=True, **options).fit(X, y)
    np.testing.assert_array_equal(warm.dual_coef_, six.dual_coef_)
    assert len(np.unique(warm.support_)) == len(warm.support_)


def test_classes_that_come_late():
    X, y = whole()
    options = {"kernel": "poly", "degree": 2, "gamma": 1}
    models = []
    for device in (None, DEVICE):
        model = KernelPerceptron(device=device, **options)
        for classes in ([2], [1, 2], [0, 1, 2, 3]):
            some = np.isin(y, classes)
            model.partial_fit(X[some], y[some])
        models.append(model)
    assert_same(models[1], models[0], X[:300], exact=True)


def test_tensors_are_taken_as_they_are():
    X, y = rows()
    options = {"kernel": "rbf", "gamma": 0.05}
    on_device, labels = torch.as_tensor(X, device=DEVICE), torch.as_tensor(y, device=DEVICE)
    array, tensor = fitted(X, y, DEVICE, **options), fitted(on_device, labels, None, **options)
    assert_same(tensor, array, X)
    assert isinstance(tensor.support_vectors_, np.ndarray)
    for how in WAYS:
        tensor.set_params(predict_with=how, device=DEVICE)
        expected = tensor.decision_function(X)
        tensor.set_params(device=None)
        found = tensor.decision_function(on_device)
        np.testing.assert_array_equal(found, expected)
    every_second = torch.as_tensor(np.repeat(X, 2, axis=1), device=DEVICE)[:, ::2]
    np.testing.assert_array_equal(tensor.predict(every_second), tensor.predict(on_device))
    here = torch.as_tensor(X)  # a tensor in main memory is an array
    host = fitted(here, torch.as_tensor(y), None, **options)
    assert_same(host, fitted(X, y, None, **options), X)
    np.testing.assert_array_equal(on_device.cpu().numpy(), X)


def test_stages_are_those_of_main_memory():
    X, y = whole()
    options = {"kernel": "poly", "degree": 3, "gamma": 1, "max_iter": 3, "multi_class": "joint"}
    host, gpu = (fitted(X, y, device, **options) for device in (None, DEVICE))
    for how in ("vote", "average", "last"):
        stages = [
            list(model.set_params(predict_with=how).staged_decision_function(X[:500]))
            for model in (gpu, host)
        ]
        np.testing.assert_allclose(*stages, rtol=1e-9, atol=1e-9)


def test_arrays_of_any_layout_without_a_warning():
    X, y = rows(n=600)
    options = {"kernel": "rbf", "gamma": 0.05}
    plain = fitted(X, y, DEVICE, **options)
    frozen = X.copy()
    frozen.flags.writeable = False
    views = (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X[::-1].copy()[::-1], frozen)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for view in views:
            model = fitted(view, y, DEVICE, **options)
            np.testing.assert_array_equal(model.dual_coef_, plain.dual_coef_)
            np.testing.assert_array_equal(model.predict(view), plain.predict(X))


def test_values_too_large_are_an_error_and_change_nothing():
    X, y = whole(n=3000)
    for dtype in (np.float32, np.float64):
        options = {"kernel": "poly", "degree": 9, "gamma": 1, "device": DEVICE}
        huge = np.finfo(dtype).max ** 0.2 * X.astype(dtype)
        message = f"poly kernel of degree 9 are too large for {np.dtype(dtype)}"
        fresh = KernelPerceptron(**options)
        before = state_of(fresh)
        refused(message, lambda fresh=fresh, huge=huge: fresh.fit(huge, y))
        assert state_of(fresh) == before
        model = KernelPerceptron(max_iter=1, **options).fit(X[:500].astype(dtype), y[:500])
        before = state_of(model)
        for how in WAYS:
            model.predict_with = how
            refused(message, lambda model=model, huge=huge: model.predict(huge))
        refused(message, lambda model=model, huge=huge: model.partial_fit(huge, y))
        model.predict_with = "vote"
        assert state_of(model) == before


def test_shorter_numbers_that_the_caller_chose_are_not_used():
    X, y = rows()
    options = {"kernel": "poly", "degree": 3, "gamma": 0.3}
    plain = fitted(X, y, DEVICE, **options)
    scores = plain.decision_function(X)
    earlier = torch.get_float32_matmul_precision()
    try:
        for precision in ("high", "medium"):
            torch.set_float32_matmul_precision(precision)
            model = fitted(X, y, DEVICE, **options)
            np.testing.assert_array_equal(model.dual_coef_, plain.dual_coef_)
            np.testing.assert_array_equal(model.decision_function(X), scores)
            assert torch.get_float32_matmul_precision() == precision
    finally:
        torch.set_float32_matmul_precision(earlier)


def test_what_a_device_does_not_do_is_said():
    X, y = rows(n=100)
    model = KernelPerceptron(device=DEVICE)
    refused("X is sparse", lambda: model.fit(sp.csr_matrix(X), y))
    refused("GPU number 99", lambda: KernelPerceptron(device="cuda:99").fit(X, y))
    for kernel in (lambda A, B: A @ B.T, "precomputed"):
        given = KernelPerceptron(kernel=kernel, device=DEVICE)
        refused("leave device out", lambda given=given: given.fit(X @ X.T, y))
    tensor = torch.as_tensor(X, device=DEVICE)
    holes = tensor.clone()
    holes[7, 2] = float("nan")
    refused("contains NaN at row 7, column 2", lambda: KernelPerceptron().fit(holes, y))
    refused("two dimensions", lambda: KernelPerceptron().fit(tensor[0], y))
    refused("two dimensions", lambda: KernelPerceptron().fit(tensor[:0], y[:0]))
    refused("must be float32 or float64", lambda: KernelPerceptron().fit(tensor.half(), y))
    refused("100 rows but y has 99", lambda: KernelPerceptron().fit(tensor, y[:99]))
    model.fit(tensor, y)
    refused("expecting 20", lambda: model.predict(tensor[:, :5]))


if __name__ == "__main__":
    if not READY:
        raise SystemExit("needs PyTorch and a GPU")
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    failed = []
    for name, test in tests.items():
        try:
            test()
        except Exception:
            traceback.print_exc()
            failed.append(name)
        print("FAILED" if name in failed else "passed", name, flush=True)
    raise SystemExit(f"{len(failed)} of {len(tests)} failed" if failed else 0)
