"""What a perceptron looks for.

The weights of ten digits, as pictures: purple pixels speak for the digit, orange ones against it.
See [more than two classes](../guide/perceptron.md#more-than-two-classes).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from rosenblatt import AveragedPerceptron

X, y = load_digits(return_X_y=True)
model = AveragedPerceptron(random_state=0).fit(X[:1200], y[:1200])

figure, axes = plt.subplots(2, 5, figsize=(8, 3.8), layout="constrained")
most = abs(model.coef_).max()
for digit, ax in enumerate(axes.flat):
    weights = model.coef_[digit].reshape(8, 8)
    ax.imshow(weights, cmap="PuOr", vmin=-most, vmax=most)
    ax.set(title=str(digit), xticks=[], yticks=[])
print(f"{model.score(X[1200:], y[1200:]):.1%} of unseen digits are recognised")
plt.show()
