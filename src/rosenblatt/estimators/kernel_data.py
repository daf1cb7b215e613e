"""What the kernel perceptron is given: rows here or on a device, and a kernel."""

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Rows, as_rows
from rosenblatt.estimators.checks import Rules, at_least, check_X, flag, one_of, positive
from rosenblatt.learners import gram_cuda
from rosenblatt.learners import kernel as learner
from rosenblatt.learners.gram import CALLABLE, PRECOMPUTED, Grams, Kernel

NAMES = ("linear", "poly", "polynomial", "rbf", "laplacian", PRECOMPUTED)
_NO_FEATURES = 1.0  # a stand-in where gamma is not looked at


def _device(value: Any) -> bool:
    kind, _, number = str(value).partition(":")
    return value is None or value == "cpu" or (kind == "cuda" and (not number or number.isdigit()))


RULES: Rules = {
    "kernel": (
        lambda v: callable(v) or one_of(*NAMES)(v),
        "'linear', 'poly', 'rbf', 'laplacian', 'precomputed' or a function of two matrices",
    ),
    "degree": (at_least(1, Integral), "a whole number, 1 or more"),
    "gamma": (
        lambda v: one_of("scale", "auto")(v) or positive(v),
        "'scale', 'auto' or a positive number",
    ),
    "coef0": (
        lambda v: isinstance(v, Real) and not flag(v) and bool(np.isfinite(float(v))),
        "a finite number",
    ),
    "multi_class": (one_of("ovr", "joint"), "'ovr' or 'joint'"),
    "max_support": (
        lambda v: v is None or at_least(1, Integral)(v),
        "None, or a whole number, 1 or more",
    ),
    "device": (_device, "None, 'cpu', 'cuda' or 'cuda:' and a number"),
}


class Given(NamedTuple):
    """Rows that were checked: ``matrix`` is an array, a CSR matrix, or a tensor on a device."""

    matrix: Any
    device: str | None

    @property
    def n(self) -> int:
        """Count the rows."""
        return int(self.matrix.shape[0])

    @property
    def n_features(self) -> int:
        """Count the features."""
        return int(self.matrix.shape[1])

    @property
    def dtype(self) -> Any:
        """Return the type of the numbers, as NumPy calls it."""
        return np.dtype(str(self.matrix.dtype).removeprefix("torch."))

    def grams(self, kernel: Kernel, state: learner.State) -> Grams:
        """Choose how kernel values of these rows with those kept, and each other, are computed."""
        if self.device is None:
            return learner.on_host(kernel, state, as_rows(self.matrix), self.n_features)
        return gram_cuda.DeviceGrams(kernel, self.matrix, state.kept, self.device)


def given(estimator: Any, X: Any, *, reset: bool) -> Given:
    """Check rows, and bring them where the work will be done."""
    tensor_of = _tensor_device(X)
    device = tensor_of or estimator.device
    if device in (None, "cpu"):
        X = check_X(estimator, X, reset=reset)
        return Given(X, None)
    gram_cuda.check_device(device)
    if estimator.kernel == PRECOMPUTED or callable(estimator.kernel):
        raise ValueError(
            f"device={device!r} computes the library's own kernels; with "
            f"kernel={estimator.kernel!r} leave device out"
        )
    if tensor_of:
        gram_cuda.check_tensor(X)
        check_X(estimator, X[:1].cpu().numpy(), reset=reset)
        return Given(X, device)
    X = check_X(estimator, X, reset=reset)
    if sp.issparse(X):
        raise ValueError(
            f"X is sparse, which device={device!r} does not support: leave device out, or pass "
            "X.toarray() if that fits into memory"
        )
    return Given(gram_cuda.to_device(X, device), device)


def _tensor_device(X: Any) -> str | None:
    """Return the name of the device on which a tensor of PyTorch lies, if it is not here."""
    return str(X.device) if getattr(X, "is_cuda", False) else None


def as_given(y: Any) -> Any:
    """Bring labels here that lie on a device."""
    return y.cpu().numpy() if hasattr(y, "is_cuda") else y


def kernel_for(estimator: Any, data: Given) -> Kernel:
    """Return the kernel that the parameters ask for, for these rows."""
    kernel = estimator.kernel
    name = CALLABLE if callable(kernel) else "poly" if kernel == "polynomial" else kernel
    return Kernel(
        name,
        int(estimator.degree),
        _gamma(estimator.gamma, data, name)
        if name in ("poly", "rbf", "laplacian")
        else _NO_FEATURES,
        float(estimator.coef0),
        float(estimator.fit_intercept),
        kernel if name == CALLABLE else None,
    )


def _gamma(gamma: Any, data: Given, kernel: str) -> float:
    if not isinstance(gamma, str):
        return float(gamma)
    spread = float(_variance(data)) if gamma == "scale" else 1.0
    if kernel == "laplacian":
        spread **= 0.5  # its distances grow as the features do, not as their squares
    return 1 / (data.n_features * spread) if spread > 0 else 1.0


def _variance(data: Given) -> Any:
    X = data.matrix
    if sp.issparse(X):
        return X.multiply(X).mean() - X.mean() ** 2
    return X.var(unbiased=False) if data.device else X.var(dtype=np.float64)


def as_fitted(estimator: Any, state: learner.State) -> Kernel:
    """Return the kernel that a model was learned with, or raise if other parameters are set."""
    wanted = kernel_for(estimator, Given(np.zeros((1, 1)), None))
    function = wanted.function
    kernel = learner.kernel_of(state, function)
    names = {"kernel": "name", "degree": "degree", "coef0": "coef0", "gamma": "gamma"}
    if isinstance(estimator.gamma, str):
        del names["gamma"]
    for name, field in names.items():
        old, new = getattr(kernel, field), getattr(wanted, field)
        if old != new:
            raise ValueError(
                f"this model learned with {name}={old!r}, which cannot be changed to {new!r} "
                "halfway; fit it anew with warm_start=False"
            )
    if kernel.bias != wanted.bias:
        raise ValueError(
            f"this model learned with fit_intercept={bool(kernel.bias)}, which cannot be changed "
            "halfway; fit it anew with warm_start=False"
        )
    return kernel


def same_rows(first: Rows, second: Rows) -> bool:
    """Say whether rows are the same, number for number."""
    return type(first) is type(second) and all(map(np.array_equal, first, second))
