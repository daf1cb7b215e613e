"""Pictures of hyperplanes (extra ``plot``: matplotlib)."""

try:
    import matplotlib as matplotlib
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "rosenblatt.plot needs matplotlib: pip install 'rosenblatt[plot]'", name="matplotlib"
    ) from error

from rosenblatt.plot.boundary import plot_boundary

__all__ = ["plot_boundary"]
