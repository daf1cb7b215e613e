"""A proof that there is no line.

One point of the wrong class in the middle of the other is enough. The certificate names a few
points whose hulls meet, and the weights that show it. See [why exclusive-or is not
separable](../guide/separability.md#why-exclusive-or-is-not-separable).
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import separate
from rosenblatt.plot import plot_certificate

rng = np.random.default_rng(3)
X = np.vstack([rng.normal([-2, 0], 0.8, (25, 2)), rng.normal([2, 1], 0.8, (25, 2))])
y = np.repeat(["left", "right"], 25)
X[7] = [2.2, 1.3]  # of the class on the left
answer = separate(X, y)

figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
plot_certificate(answer, X, y, ax=ax)
print(answer)
print(answer.verify(X, y))
plt.show()
