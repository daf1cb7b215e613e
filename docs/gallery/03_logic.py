"""OR, AND and XOR.

Deck E's comparison, with six classifiers: all draw a line, and no line solves XOR. See [nearest
centroid against perceptron](../guide/closed-form.md#nearest-centroid-against-perceptron).
"""

import matplotlib.pyplot as plt

from rosenblatt import compare
from rosenblatt.model_selection import corners
from rosenblatt.plot import plot_comparison

models = ["NearestCentroid", "LinearDiscriminant", "Perceptron", "AveragedPerceptron"]
tables = {}
for name in ("or", "and", "xor"):
    X, y = corners(name, copies=20, spread=0.13)
    tables[name.upper()] = compare(X, y, models=models, test=None)
    print(tables[name.upper()], end="\n\n")
plot_comparison(tables)
plt.show()
