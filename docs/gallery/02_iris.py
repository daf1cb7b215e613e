"""Three classes, three regions.

The averaged perceptron on two measurements of iris flowers. Each class has a linear function, the
largest wins, and so every region is convex. See [more than two
classes](../guide/perceptron.md#more-than-two-classes).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from rosenblatt import AveragedPerceptron
from rosenblatt.plot import plot_boundary

iris = load_iris()
X, y = iris.data[:, 2:], iris.target_names[iris.target]
model = AveragedPerceptron(max_iter=50, random_state=0).fit(X, y)

figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
plot_boundary(model, X, y, ax=ax)
ax.set(xlabel=iris.feature_names[2], ylabel=iris.feature_names[3])
print(f"{model.score(X, y):.1%} of {len(X)} flowers are on the right side")
plt.show()
