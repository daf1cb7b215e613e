"""Do not trust the last weights.

Two clouds that overlap. After each of ten passes, the line of the last weights points somewhere
else; that of the mean stays. See [data that are not
separable](../guide/perceptron.md#data-that-are-not-separable).
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import AveragedPerceptron, Perceptron

rng = np.random.default_rng(4)
y = rng.choice([-1, 1], size=300)
X = rng.normal(size=(300, 2)) + np.outer(y, [0.75, 0.6])

figure, axes = plt.subplots(1, 2, figsize=(8, 4.3), sharey=True, layout="constrained")
for ax, model in zip(axes, (Perceptron(), AveragedPerceptron())):
    for label, colour in ((-1, "#0072B2"), (1, "#E69F00")):
        ax.scatter(*X[y == label].T, s=9, color=colour, alpha=0.6)
    scores = []
    for _ in range(10):
        model.partial_fit(X, y)
        w, b = model.coef_[0], model.intercept_[0]
        foot = -b * w / (w @ w)
        ax.axline(foot, foot + np.array([-w[1], w[0]]), color="#333333", lw=1)
        scores.append(model.score(X, y))
    name = type(model).__name__
    ax.set(title=f"{name}: {min(scores):.0%} to {max(scores):.0%} right")
    ax.set(xlim=(-4, 4), ylim=(-4, 4), aspect="equal", xlabel="$x_1$")
    print(f"{name}: {min(scores):.1%} to {max(scores):.1%} right after each pass")
plt.show()
