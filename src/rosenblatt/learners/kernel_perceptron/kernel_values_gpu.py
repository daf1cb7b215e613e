"""Kernel values on a GPU, by PyTorch: the one module that imports it.

Products are computed in full float32 or float64: PyTorch may be set to use shorter numbers for
speed, and that is undone here while they run. Scores are summed in float64, as in main memory. So a
mistake can differ from that in main memory only where a score is zero up to rounding.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.checks import what_is_not_finite
from rosenblatt.data.rows import Array, Dense, Rows, as_matrix, n_rows
from rosenblatt.learners.kernel_perceptron.kernel_values import Kernel, Part

_TOO_FEW = "device={!r} needs {}; leave device out, or set device='cpu', to compute in main memory"


def check_device(device: str) -> None:
    """Raise ``ValueError`` unless there are PyTorch and a GPU of this name."""
    try:
        import torch
    except ImportError:
        advice = "PyTorch, which is not installed (pip install 'rosenblatt[gpu]')"
        raise ValueError(_TOO_FEW.format(device, advice)) from None
    if not torch.cuda.is_available():
        raise ValueError(_TOO_FEW.format(device, "a GPU that PyTorch can use, and there is none"))
    number = torch.device(device).index or 0
    if number >= torch.cuda.device_count():
        found = torch.cuda.device_count()
        raise ValueError(_TOO_FEW.format(device, f"GPU number {number}, and there are {found}"))


def check_tensor(X: Any) -> None:
    """Raise ``ValueError`` unless a tensor holds rows of finite numbers."""
    import torch

    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(
            f"X has shape {tuple(X.shape)}; it must have two dimensions, with at least one row and "
            "one column"
        )
    if X.dtype not in (torch.float32, torch.float64):
        raise ValueError(f"X has the type {X.dtype}; it must be float32 or float64: X.float()")
    finite = torch.isfinite(X)
    if not finite.all():
        row, column = (int(k) for k in (~finite).nonzero()[0])
        kind = what_is_not_finite(float(X[row, column]))
        raise ValueError(f"Input X contains {kind} at row {row}, column {column}")


def to_device(X: Array, device: str) -> Any:
    """Copy an array to a GPU."""
    import torch

    X = np.ascontiguousarray(X)
    # Of memory that may not be written to, a tensor would warn.
    return torch.as_tensor(X if X.flags.writeable else X.copy()).to(device)


class Table(NamedTuple):
    """Rows on the device; ``lengths`` are their squared lengths, if the kernel needs them."""

    values: Any
    lengths: Any


class DeviceGrams:
    """Kernel values computed on a GPU; scores and lists of changes come from main memory."""

    block_size, tile_size, ahead = 2048, 8192, 16

    def __init__(self, kernel: Kernel, rows: Any, kept: Rows, device: str) -> None:
        import torch

        self.torch, self.kernel, self.device = torch, kernel, device
        self.rows, self.known = rows.detach().contiguous(), n_rows(kept)
        matrix = as_matrix(kept, rows.shape[1])
        matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix
        self.kept = to_device(matrix, device)
        self.constant = torch.tensor(kernel.coef0, dtype=torch.float64, device=device)
        if kernel.name == "rbf":  # distances taken from about the mean row lose no digits to it
            some = self.kept if self.known else self.rows
            self.center = some[:: max(1, len(some) // 1000)].double().mean(0)

    def take(self, ids: Array) -> Table:
        """Copy rows, kept ones or new ones or both."""
        return self._table(self._rows(ids))

    def _rows(self, ids: Array) -> Any:
        index = self.torch.as_tensor(ids, device=self.device)
        if not self.known:
            return self.rows[index]
        old = index < self.known
        dtype = self.torch.promote_types(self.kept.dtype, self.rows.dtype)
        values = self.torch.empty((len(ids), self.rows.shape[1]), dtype=dtype, device=self.device)
        values[old] = self.kept[index[old]].to(dtype)
        values[~old] = self.rows[index[~old] - self.known].to(dtype)
        return values

    def _table(self, values: Any) -> Table:
        if self.kernel.name != "rbf":
            return Table(values, None)
        values = values - self.center.to(values.dtype)
        return Table(values, (values * values).sum(1))

    def cut(self, taken: Table, start: int) -> Table:
        """View all but the first of the rows that were taken."""
        lengths = None if taken.lengths is None else taken.lengths[start:]
        return Table(taken.values[start:], lengths)

    def rows_of(self, ids: Array) -> Rows:
        """Copy rows to main memory, to be kept."""
        return Dense(self._rows(ids).cpu().numpy())

    def lanes(self, ids: Array) -> Table:
        """Copy the rows of a block."""
        index = ids - self.known
        if index[-1] - index[0] == len(ids) - 1 and np.all(index[1:] > index[:-1]):
            return self._table(self.rows[int(index[0]) : int(index[-1]) + 1])
        return self._table(self.rows[self.torch.as_tensor(index, device=self.device)])

    def values(self, taken: Table, lanes: Table) -> Array:
        """Return the kernel values, a line for each row taken and a column for each example."""
        with _full_precision(self.torch):
            found: Array = self._values(taken, lanes).cpu().numpy()
        return found

    def add(self, parts: Iterable[Part], lanes: Table, scores: Array) -> None:
        """Add to a block's scores what changes of coefficients mean for them."""
        torch, total = self.torch, None
        with _full_precision(torch):
            for taken, row, function, change in parts:
                size = len(taken.values)
                coef = np.bincount(function * size + row, change, len(scores) * size)
                table = torch.as_tensor(coef.reshape(-1, size), device=self.device)
                sums = table @ self._values(taken, lanes).double()
                total = sums if total is None else total + sums
        if total is not None:
            scores += total.cpu().numpy()

    def _values(self, taken: Table, lanes: Table) -> Any:
        kernel, torch = self.kernel, self.torch
        dtype = torch.promote_types(taken.values.dtype, lanes.values.dtype)
        left, right = taken.values.to(dtype), lanes.values.to(dtype)
        if kernel.name == "poly":
            out = _power(
                torch.addmm(self.constant.to(dtype), left, right.T, alpha=kernel.gamma),
                kernel.degree,
            )
        elif kernel.name == "laplacian":
            out = torch.cdist(left, right, p=1)
        else:
            out = left @ right.T
        if kernel.name == "rbf":
            out = out.mul_(-2).add_(taken.lengths[:, None]).add_(lanes.lengths).clamp_(min=0)
        if kernel.name in ("rbf", "laplacian"):
            out = out.mul_(-kernel.gamma).exp_()
        return out.add_(kernel.bias) if kernel.bias else out


def _power(base: Any, degree: int) -> Any:
    """Raise to a power by squaring and multiplying, as in main memory."""
    bits = bin(degree)[3:]
    out = base.clone() if "1" in bits else base
    for bit in bits:
        out = out.square_()
        if bit == "1":
            out = out.mul_(base)
    return out


@contextmanager
def _full_precision(torch: Any) -> Iterator[None]:
    """Have products of float32 computed in float32, whatever the caller set."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
