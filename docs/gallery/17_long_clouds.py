"""When the nearest mean is not enough.

Long thin clouds: the nearest centroid cuts both, the linear discriminant knows their shape. See
[the linear discriminant](../guide/closed-form.md#the-linear-discriminant).
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import LinearDiscriminant, NearestCentroid
from rosenblatt.plot import plot_boundary

rng = np.random.default_rng(0)
shape = np.array([[2.2, 0.0], [1.7, 0.5]])
X = np.vstack([rng.normal(size=(80, 2)), rng.normal(size=(80, 2))]) @ shape.T
X[80:] += [2.5, 0.6]
y = np.repeat(["above", "below"], 80)

figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), sharey=True, layout="constrained")
for ax, model in zip(axes, (NearestCentroid(), LinearDiscriminant())):
    model.fit(X, y)
    plot_boundary(model, X, y, ax=ax)
    ax.set_title(f"{type(model).__name__}: {model.score(X, y):.0%} right")
    print(f"{type(model).__name__}: {model.score(X, y):.1%} right")
plt.show()
