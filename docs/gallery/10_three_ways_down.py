"""Three ways down.

Batch, mini-batch and stochastic descent are one thing with three batch sizes: all rows, some, one.
See [batch, mini-batch and stochastic
descent](../guide/gradient-descent.md#batch-mini-batch-and-stochastic-descent).
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import LinearRegression
from rosenblatt.plot import plot_descent

rng = np.random.default_rng(1)
X = rng.normal(size=(60, 1))
y = 2 * X[:, 0] + 1 + rng.normal(scale=0.6, size=60)
options = {"learning_rate": "constant", "average": False, "tol": None}
models = {
    "batch": LinearRegression(batch_size=None, eta0=0.2, max_iter=20, **options),
    "mini-batches of 10": LinearRegression(batch_size=10, eta0=0.1, max_iter=6, **options),
    "stochastic": LinearRegression(batch_size=1, eta0=0.05, max_iter=2, **options),
}

figure, ax = plt.subplots(figsize=(7, 5.2), layout="constrained")
plot_descent(models, X, y, start=[-2, -1.5], ax=ax)
for name, model in models.items():
    model.fit(X, y)
    print(f"{name}: w = {model.coef_[0]:.2f}, b = {model.intercept_:.2f}")
plt.show()
