"""Stop before it learns the noise.

Logistic regression on few rows with many features: the training loss falls and falls, that of the
rows held out turns. The star marks the weights that are kept. See [early
stopping](../guide/gradient-descent.md#stopping-and-early-stopping).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification

from rosenblatt import LogisticRegression
from rosenblatt.plot import plot_loss_curve

X, y = make_classification(150, 100, n_informative=5, flip_y=0.15, random_state=2)
model = LogisticRegression(
    eta0=0.003,
    learning_rate="constant",
    average=False,
    penalty=None,
    early_stopping=True,
    n_iter_no_change=15,
    random_state=0,
).fit(X, y)

figure, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
plot_loss_curve(model, ax=ax)
print(f"best after pass {model.validation_curve_.argmin() + 1} of {model.n_iter_}")
plt.show()
