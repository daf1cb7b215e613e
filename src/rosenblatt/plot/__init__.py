"""Pictures of hyperplanes, certificates, proofs and learning (extra ``plot``: matplotlib)."""

try:
    import matplotlib as matplotlib
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "rosenblatt.plot needs matplotlib: pip install 'rosenblatt[plot]'", name="matplotlib"
    ) from error

from rosenblatt.plot.animation import animate
from rosenblatt.plot.boundary import plot_boundary, plot_hyperplane
from rosenblatt.plot.bounds import plot_mistakes, plot_proof
from rosenblatt.plot.certificate import plot_certificate
from rosenblatt.plot.comparison import plot_comparison
from rosenblatt.plot.descent import plot_descent, plot_learning_rates
from rosenblatt.plot.losses import plot_loss_curve, plot_losses
from rosenblatt.plot.models import plot_path, plot_transitions
from rosenblatt.plot.passes import plot_passes

__all__ = [
    "plot_boundary",
    "plot_hyperplane",
    "plot_certificate",
    "plot_comparison",
    "plot_descent",
    "plot_learning_rates",
    "plot_losses",
    "plot_loss_curve",
    "plot_mistakes",
    "plot_passes",
    "plot_path",
    "plot_proof",
    "plot_transitions",
    "animate",
]
