"""Pictures of hyperplanes, certificates, proofs and learning (extra ``plot``: matplotlib)."""

try:
    import matplotlib as matplotlib
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "rosenblatt.plot needs matplotlib: pip install 'rosenblatt[plot]'", name="matplotlib"
    ) from error

from rosenblatt.plot.animation import animate
from rosenblatt.plot.boundary import plot_boundary
from rosenblatt.plot.certificate import plot_certificate
from rosenblatt.plot.comparison import plot_comparison
from rosenblatt.plot.hyperplane import plot_hyperplane
from rosenblatt.plot.mistakes import plot_mistakes
from rosenblatt.plot.proof import plot_proof

__all__ = [
    "plot_boundary",
    "plot_hyperplane",
    "plot_certificate",
    "plot_comparison",
    "plot_mistakes",
    "plot_proof",
    "animate",
]
