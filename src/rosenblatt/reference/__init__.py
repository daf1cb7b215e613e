"""Each learner as the lectures write it, in plain NumPy: the specification in code.

They are slow, short, and meant to be read. The tests hold the compiled loops to them, mistake for
mistake; ``orders`` lists the rows in the order of visit, one list for each pass.
"""

from rosenblatt.reference.averaged import averaged
from rosenblatt.reference.batch import batch, batch_classes
from rosenblatt.reference.centroid import (
    centroids,
    distances,
    medians,
    modes,
    shrunken,
    shrunken_distances,
)
from rosenblatt.reference.descent import descent
from rosenblatt.reference.discriminant import discriminant
from rosenblatt.reference.gradient import perceptron_criterion_sgd
from rosenblatt.reference.kernel import joint, kernel_perceptron, one_against_all
from rosenblatt.reference.multiclass import multiclass
from rosenblatt.reference.naive_bayes import bernoulli, gaussian, multinomial
from rosenblatt.reference.nearest_points import nearest_points
from rosenblatt.reference.perceptron import perceptron
from rosenblatt.reference.structured import structured, structured_mean
from rosenblatt.reference.tagger import tagger, tagger_mean
from rosenblatt.reference.viterbi import viterbi
from rosenblatt.reference.voted import voted

__all__ = [
    "averaged",
    "batch",
    "batch_classes",
    "bernoulli",
    "centroids",
    "discriminant",
    "distances",
    "gaussian",
    "medians",
    "modes",
    "descent",
    "joint",
    "kernel_perceptron",
    "multiclass",
    "multinomial",
    "nearest_points",
    "one_against_all",
    "perceptron",
    "perceptron_criterion_sgd",
    "shrunken",
    "shrunken_distances",
    "structured",
    "structured_mean",
    "tagger",
    "tagger_mean",
    "viterbi",
    "voted",
]
