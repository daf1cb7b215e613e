"""Mistakes against the bound.

The mistakes of a perceptron, pass by pass, and Novikoff's (R/γ)², which they cannot exceed in any
order of the rows. See [the mistake bound](../guide/separability.md#the-mistake-bound).
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, mistake_bound
from rosenblatt.plot import plot_mistakes

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 8))
scores = X @ rng.normal(size=8)
X, y = X[abs(scores) > 1], np.sign(scores[abs(scores) > 1])
model = Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
bound = mistake_bound(X, y, fit_intercept=False)

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
plot_mistakes(model, bound, ax=ax)
print(f"{model.n_mistakes_} mistakes in {model.n_iter_} passes; at most {bound.bound:.0f}")
plt.show()
