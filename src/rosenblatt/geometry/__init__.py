"""The geometry of hyperplanes."""

from rosenblatt.geometry.hyperplane import (
    Hyperplane,
    augment,
    join_weights,
    projection,
    split_weights,
)

__all__ = ["Hyperplane", "augment", "join_weights", "projection", "split_weights"]
