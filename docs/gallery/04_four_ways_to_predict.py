"""Four ways to predict.

A kernel perceptron on handwritten digits: the last weights, some at random, their mean, and their
votes, after a tenth of a pass and later. Voting and averaging are ahead from the
start, as in [Freund and Schapire's experiment](../guide/kernel-perceptron.md#the-1999-table).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from rosenblatt import KernelPerceptron
from rosenblatt.plot import plot_passes

X, y = load_digits(return_X_y=True)
X = X / np.linalg.norm(X, axis=1, keepdims=True)
passes, ways = [0.1, 0.3, 1, 3, 10], ["last", "random", "average", "vote"]
errors = {"degree 1": {way: [] for way in ways}, "degree 3": {way: [] for way in ways}}
for name, found in errors.items():
    for count in passes:
        rows = int(1200 * min(count, 1))
        model = KernelPerceptron(
            kernel="poly", degree=int(name[-1]), max_iter=max(1, round(count)), random_state=0
        ).fit(X[:rows], y[:rows])
        for way in ways:
            model.set_params(predict_with=way)
            found[way].append(1 - model.score(X[1200:], y[1200:]))
for name, found in errors.items():
    print(name, {way: f"{values[-1]:.1%}" for way, values in found.items()})
plot_passes(passes, errors)
plt.show()
