"""The geometry of hyperplanes."""

from rosenblatt.geometry.augmented import augment, join_weights, split_weights

__all__ = ["augment", "join_weights", "split_weights"]
