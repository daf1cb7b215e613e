"""Platt's sigmoid and the temperature of a softmax, by their definitions: what is minimised."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def sigmoid_loss(slope: float, offset: float, scores: Array, codes: Array, w: Array) -> float:
    """Return the loss of ``σ(slope · s + offset)`` with the smoothed targets of Platt (1999)."""
    above, below, loss = w[codes == 1].sum(), w[codes == 0].sum(), 0.0
    for s, code, weight in zip(scores, codes, w, strict=True):
        target = (above + 1) / (above + 2) if code == 1 else 1 / (below + 2)
        odds = slope * s + offset
        loss += weight * (np.logaddexp(0, odds) - target * odds)
    return loss


def softmax_loss(slope: float, scores: Array, codes: Array, w: Array) -> float:
    """Return the loss of ``softmax(slope · s)``; ``1/(n + 2)`` of a target is for all classes."""
    smooth, k, loss = 1 / (w.sum() + 2), scores.shape[1], 0.0
    for s, code, weight in zip(slope * scores, codes, w, strict=True):
        target = smooth / k + (1 - smooth) * np.eye(k)[code]
        loss -= weight * float(target @ (s - np.logaddexp.reduce(s)))
    return loss
