"""The geometry of hyperplanes."""

from rosenblatt.geometry.augmented import augment, join_weights, split_weights
from rosenblatt.geometry.hyperplane import Hyperplane, projection

__all__ = ["Hyperplane", "augment", "join_weights", "projection", "split_weights"]
