"""Each learner as the lectures write it, in plain NumPy: the specification in code.

They are slow, short, and meant to be read. The tests hold the compiled loops to them, mistake for
mistake; ``orders`` lists the rows in the order of visit, one list for each pass.
"""

from rosenblatt.reference.closed_form import (
    bernoulli,
    centroids,
    complement,
    discriminant,
    distances,
    gaussian,
    medians,
    modes,
    multinomial,
    shrunken,
    shrunken_distances,
)
from rosenblatt.reference.descent import adaptive, descent
from rosenblatt.reference.drift import adwin
from rosenblatt.reference.kernel import joint, kernel_perceptron, one_against_all
from rosenblatt.reference.margin import arow, passive_aggressive
from rosenblatt.reference.mixing import iterative_mixing, tagger_mixing
from rosenblatt.reference.nearest_points import nearest_points
from rosenblatt.reference.perceptron import (
    averaged,
    batch,
    batch_classes,
    multiclass,
    perceptron,
    perceptron_criterion_sgd,
    voted,
)
from rosenblatt.reference.products import product_hash, products
from rosenblatt.reference.tagger import structured, structured_mean, tagger, tagger_mean, viterbi

__all__ = [
    "adaptive",
    "adwin",
    "arow",
    "averaged",
    "batch",
    "batch_classes",
    "bernoulli",
    "centroids",
    "complement",
    "discriminant",
    "distances",
    "gaussian",
    "medians",
    "modes",
    "descent",
    "iterative_mixing",
    "joint",
    "kernel_perceptron",
    "multiclass",
    "multinomial",
    "nearest_points",
    "one_against_all",
    "passive_aggressive",
    "perceptron",
    "perceptron_criterion_sgd",
    "product_hash",
    "products",
    "shrunken",
    "shrunken_distances",
    "structured",
    "structured_mean",
    "tagger",
    "tagger_mean",
    "tagger_mixing",
    "viterbi",
    "voted",
]
