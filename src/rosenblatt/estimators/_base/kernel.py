"""The kernel perceptron's input: rows in memory or on a device, and a kernel."""

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array, Rows, as_rows
from rosenblatt.estimators._base.checks import check_X
from rosenblatt.estimators._base.params import Rules, at_least, flag, one_of, positive
from rosenblatt.estimators._base.start import with_new_classes
from rosenblatt.learners.kernel_perceptron import kernel_values_gpu
from rosenblatt.learners.kernel_perceptron import learning as learner
from rosenblatt.learners.kernel_perceptron.kernel_values import CALLABLE, PRECOMPUTED, Grams, Kernel
from rosenblatt.learners.online import TIES, too_large

NAMES = ("linear", "poly", "polynomial", "rbf", "laplacian", PRECOMPUTED)
_HIGHEST = 1_000  # degree, far beyond what numbers can hold
_UNUSED = 1.0  # what stands for γ in a kernel without it


def _device(value: Any) -> bool:
    kind, colon, number = str(value).partition(":")
    return value is None or value == "cpu" or (kind == "cuda" and (not colon or number.isdigit()))


RULES: Rules = {
    "kernel": (
        lambda v: callable(v) or one_of(*NAMES)(v),
        "'linear', 'poly', 'rbf', 'laplacian', 'precomputed' or a function of two matrices",
    ),
    "degree": (
        lambda v: at_least(1, Integral)(v) and v <= _HIGHEST,
        f"a whole number from 1 to {_HIGHEST}",
    ),
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
    """Checked rows: ``matrix`` is an array, a CSR matrix, or a tensor on a device."""

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
        return kernel_values_gpu.DeviceGrams(kernel, self.matrix, state.kept, self.device)


def given(estimator: Any, X: Any, *, reset: bool) -> Given:
    """Check rows, and bring them where the work will be done."""
    tensor_of = _tensor_device(X)
    X = X if tensor_of else as_given(X)
    device = tensor_of or estimator.device
    if device in (None, "cpu"):
        X = check_X(estimator, X, reset=reset)
        return Given(X, None)
    kernel_values_gpu.check_device(device)
    if estimator.kernel == PRECOMPUTED or callable(estimator.kernel):
        raise ValueError(
            f"device={device!r} computes the library's own kernels; with "
            f"kernel={estimator.kernel!r} leave device out"
        )
    if tensor_of:
        kernel_values_gpu.check_tensor(X)
        check_X(estimator, X[:1].detach().cpu().numpy(), reset=reset)
        return Given(X, device)
    X = check_X(estimator, X, reset=reset)
    if sp.issparse(X):
        raise ValueError(
            f"X is sparse, which device={device!r} does not support: leave device out, or pass "
            "X.toarray() if that fits into memory"
        )
    return Given(kernel_values_gpu.to_device(X, device), device)


def _tensor_device(X: Any) -> str | None:
    """Return the name of the device on which a tensor of PyTorch lies, if it is not here."""
    return str(X.device) if getattr(X, "is_cuda", False) else None


def as_given(data: Any) -> Any:
    """Make an array of a tensor, wherever that lies."""
    return data.detach().cpu().numpy() if hasattr(data, "is_cuda") else data


def kernel_for(estimator: Any, data: Given) -> Kernel:
    """Return the kernel that the parameters ask for, for these rows."""
    kernel = estimator.kernel
    name = CALLABLE if callable(kernel) else "poly" if kernel == "polynomial" else kernel
    return Kernel(
        name,
        int(estimator.degree),
        _check_gamma(_gamma(estimator.gamma, data, name), data.dtype)
        if name in ("poly", "rbf", "laplacian")
        else _UNUSED,
        float(estimator.coef0),
        float(estimator.fit_intercept),
        kernel if name == CALLABLE else None,
    )


def _gamma(gamma: Any, data: Given, kernel: str) -> float:
    if not isinstance(gamma, str):
        return float(gamma)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = float(_variance(data)) if gamma == "scale" else 1.0
    if not np.isfinite(spread):
        raise too_large("squares of the features are", data.dtype)
    if kernel == "laplacian":
        spread **= 0.5  # its distances grow as the features do, not as their squares
    return 1 / (data.n_features * spread) if spread > 0 else 1.0


def _check_gamma(gamma: float, dtype: Any) -> float:
    with np.errstate(over="ignore"):
        if not np.isfinite(dtype.type(gamma)):
            raise ValueError(
                f"gamma is {gamma:.3g}, which is too large for {dtype}: scale the features up, or "
                "set gamma to a smaller number"
            )
    return gamma


def _variance(data: Given) -> Any:
    X = data.matrix
    if sp.issparse(X):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        # Not as a difference of means, which rounding may leave below zero.
        size, mean = data.n * data.n_features, X.sum(dtype=np.float64) / (data.n * data.n_features)
        return (np.square(X.data - mean).sum() + (size - X.nnz) * mean**2) / size
    return X.double().var(unbiased=False) if data.device else X.var(dtype=np.float64)


_PARAMETERS = {"poly": ("degree", "gamma", "coef0"), "rbf": ("gamma",), "laplacian": ("gamma",)}


def begin(
    estimator: Any,
    data: Given,
    classes: Array,
    codes: Array,
    warm: bool,
    rng: np.random.Generator | None = None,
    again: bool = False,
) -> learner.Learning:
    """Start from zero or from the current model; ``again`` if the rows may be those of before."""
    if estimator.kernel == PRECOMPUTED and data.n != data.n_features:
        raise ValueError(
            f"X has shape {(data.n, data.n_features)}; with kernel='precomputed' it must be a "
            "square matrix, the kernel values of all rows with each other"
        )
    joint = estimator.multi_class == "joint"
    if warm:
        state, codes = with_new_classes(estimator, classes, codes)
        kernel = as_fitted(estimator, state)
        if state.joint != joint and len(estimator._state.born) > 1:
            raise _fixed("multi_class", "joint" if state.joint else "ovr")
        state = state._replace(ties=TIES[estimator.ties], joint=joint)
        if again and _are_known(data, kernel, state):
            state = learner.rejoin(state)
    else:
        estimator.classes_ = classes
        kernel = kernel_for(estimator, data)
        state = learner.init(
            data.n_features,
            len(classes),
            kernel=kernel,
            dtype=data.dtype,
            joint=joint,
            ties=estimator.ties,
        )
    grams = data.grams(kernel, state)
    blocks = learner.deal(data.n, grams.block_size, rng)
    return learner.Learning(state, grams, codes, blocks, estimator.max_support)


def _are_known(data: Given, kernel: Kernel, state: learner.State) -> bool:
    """Say whether these are the rows that were learned from before: none is stored twice."""
    if data.n != state.seen:
        if kernel.name == PRECOMPUTED:
            raise ValueError(
                f"this model learned from {state.seen} rows, but X has {data.n}: a warm start "
                "with kernel='precomputed' needs the kernel values of the same rows"
            )
        return False
    rows = data.grams(kernel, state).rows_of(len(state.origin) + state.origin)
    return _same_rows(rows, state.kept)


def _same_rows(first: Rows, second: Rows) -> bool:
    return type(first) is type(second) and all(map(np.array_equal, first, second))


def as_fitted(estimator: Any, state: learner.State) -> Kernel:
    """Return the kernel that a model was learned with, or raise if other parameters are set."""
    wanted = kernel_for(estimator, Given(np.zeros((1, 1)), None))
    kernel = learner.kernel_of(state, wanted.function)
    if kernel.name != wanted.name:
        raise _fixed("kernel", kernel.name)
    for name in _PARAMETERS.get(kernel.name, ()):
        named = isinstance(getattr(estimator, name), str)  # γ is what the first rows made it
        if getattr(kernel, name) != getattr(wanted, name) and not named:
            raise _fixed(name, getattr(kernel, name))
    if kernel.bias != wanted.bias:
        raise _fixed("fit_intercept", bool(kernel.bias))
    return kernel


def _fixed(name: str, value: Any) -> ValueError:
    return ValueError(
        f"this model learned with {name}={value!r}, which cannot be changed afterwards; set it "
        "back, or fit again with warm_start=False"
    )
