"""Kernel values on a GPU, by PyTorch: the one module that imports it.

Products are computed in full float32 or float64: PyTorch may be set to use shorter numbers for
speed, and that is undone here while they run. Scores are summed in float64, as in main memory. So a
mistake can differ from that in main memory only where a score is zero up to rounding.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, as_matrix, n_rows
from rosenblatt.learners.gram import Kernel, Part

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
        raise ValueError(f"Input X contains NaN or infinity at row {row}, column {column}")


def to_device(X: Array, device: str) -> Any:
    """Copy an array to a GPU."""
    import torch

    return torch.as_tensor(X).to(device)


class Table(NamedTuple):
    """Rows on the device; ``lengths`` are their squared lengths, if the kernel needs them."""

    values: Any
    lengths: Any


class DeviceGrams:
    """Kernel values computed on a GPU; scores and lists of changes come from main memory."""

    block_size = 2048

    def __init__(self, kernel: Kernel, rows: Any, kept: Rows, device: str) -> None:
        import torch

        self.torch, self.kernel, self.rows, self.device = torch, kernel, rows.contiguous(), device
        self.known = n_rows(kept)
        matrix = as_matrix(kept, rows.shape[1])
        self.kept = torch.as_tensor(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
        self.kept = self.kept.to(device)

    def take(self, ids: Array) -> Table:
        """Copy rows, kept ones or new ones or both."""
        index = self.torch.as_tensor(ids, device=self.device)
        old = index < self.known
        if not self.known:
            return self._table(self.rows[index])
        dtype = self.torch.promote_types(self.kept.dtype, self.rows.dtype)
        values = self.torch.empty((len(ids), self.rows.shape[1]), dtype=dtype, device=self.device)
        values[old] = self.kept[index[old]].to(dtype)
        values[~old] = self.rows[index[~old] - self.known].to(dtype)
        return self._table(values)

    def _table(self, values: Any) -> Table:
        lengths = (values * values).sum(1) if self.kernel.name == "rbf" else None
        return Table(values, lengths)

    def cut(self, taken: Table, start: int) -> Table:
        """View all but the first of the rows that were taken."""
        lengths = None if taken.lengths is None else taken.lengths[start:]
        return Table(taken.values[start:], lengths)

    def rows_of(self, ids: Array) -> Rows:
        """Copy rows to main memory, to be kept."""
        return Dense(self.take(ids).values.cpu().numpy())

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
                coef = np.zeros((len(scores), len(taken.values)))
                np.add.at(coef, (function, row), change)
                on_device = torch.as_tensor(coef, device=self.device)
                sums = on_device @ self._values(taken, lanes).double()
                total = sums if total is None else total + sums
        if total is not None:
            scores += total.cpu().numpy()

    def _values(self, taken: Table, lanes: Table) -> Any:
        kernel, torch = self.kernel, self.torch
        dtype = torch.promote_types(taken.values.dtype, lanes.values.dtype)
        left, right = taken.values.to(dtype), lanes.values.to(dtype)
        out = torch.cdist(left, right, p=1) if kernel.name == "laplacian" else left @ right.T
        if kernel.name == "poly":
            out = _power(out.mul_(kernel.gamma).add_(kernel.coef0), kernel.degree)
        elif kernel.name == "rbf":
            out = out.mul_(-2).add_(taken.lengths[:, None]).add_(lanes.lengths).clamp_(min=0)
        if kernel.name in ("rbf", "laplacian"):
            out = out.mul_(-kernel.gamma).exp_()
        return out.add_(kernel.bias) if kernel.bias else out


def _power(base: Any, degree: int) -> Any:
    """Raise to a power by squaring and multiplying, as in main memory."""
    out = base
    for bit in bin(degree)[3:]:
        out = out * out
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
