"""Curves instead of lines.

A kernel perceptron with a Gaussian kernel on two moons. It is still a perceptron: a sum of the
examples it got wrong. See [the kernel trick](../guide/kernel-perceptron.md#the-kernel-trick).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from rosenblatt import KernelPerceptron
from rosenblatt.plot import plot_boundary

X, y = make_moons(200, noise=0.15, random_state=0)
model = KernelPerceptron(kernel="rbf", gamma=2, random_state=0).fit(X, y)

figure, ax = plt.subplots(figsize=(7, 4.8), layout="constrained")
plot_boundary(model, X, y, ax=ax)
print(f"{model.score(X, y):.1%} right with {model.n_mistakes_} mistakes on the way")
plt.show()
