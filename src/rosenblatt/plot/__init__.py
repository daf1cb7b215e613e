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
from rosenblatt.plot.descent import plot_descent
from rosenblatt.plot.hyperplane import plot_hyperplane
from rosenblatt.plot.learning_rates import plot_learning_rates
from rosenblatt.plot.loss_curve import plot_loss_curve
from rosenblatt.plot.losses import plot_losses
from rosenblatt.plot.mistakes import plot_mistakes
from rosenblatt.plot.passes import plot_passes
from rosenblatt.plot.path import plot_path
from rosenblatt.plot.proof import plot_proof
from rosenblatt.plot.transitions import plot_transitions

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
