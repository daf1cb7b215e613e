"""Too small, good, too large.

The same descent with three step sizes. The first creeps, the last overshoots and diverges. See
[choose a step size](../guide/gradient-descent.md#choose-a-step-size).
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import LinearRegression
from rosenblatt.plot import plot_learning_rates

rng = np.random.default_rng(1)
X = rng.normal(size=(60, 1))
y = 2 * X[:, 0] + 1 + rng.normal(scale=0.6, size=60)
rates = {"too small": 0.02, "good": 0.3, "too large": 1.1}
plot_learning_rates(LinearRegression(batch_size=None), X, y, rates, start=[-2, -1.5])
print("step sizes:", rates)
plt.show()
