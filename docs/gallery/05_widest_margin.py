"""The widest margin.

Two clouds that a line separates, and the proof: the hulls of the classes keep their distance, and
the line runs halfway between them. See [why AND is
separable](../guide/separability.md#why-and-is-separable).
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import separate
from rosenblatt.plot import plot_certificate

rng = np.random.default_rng(3)
X = np.vstack([rng.normal([-2, 0], 0.8, (25, 2)), rng.normal([2, 1], 0.8, (25, 2))])
y = np.repeat(["left", "right"], 25)
answer = separate(X, y)

figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
plot_certificate(answer, X, y, ax=ax)
print(answer)
print(answer.verify(X, y))
plt.show()
