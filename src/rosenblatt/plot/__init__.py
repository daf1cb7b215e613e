"""Pictures of hyperplanes (extra ``plot``: matplotlib)."""

from rosenblatt.plot.boundary import plot_boundary

__all__ = ["plot_boundary"]
