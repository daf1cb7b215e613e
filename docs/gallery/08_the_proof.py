"""The proof as a picture.

Every mistake adds at least γ to `w·u`, and at most R² to `‖w‖²`. So `w` is caught between a line
and a root, and the two cross. `record=True` keeps a ledger of every update, from which this is
drawn. See [the proof, step by step](../guide/separability.md#the-proof-step-by-step).
"""

import matplotlib.pyplot as plt

from rosenblatt import Perceptron, mistake_bound
from rosenblatt.model_selection import corners
from rosenblatt.plot import plot_proof

X, y = corners("and")
model = Perceptron(shuffle=False, record=True).fit(X, y)
bound = mistake_bound(X, y)

figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
plot_proof(model.ledger_, X, bound, ax=ax)
print(f"{model.n_mistakes_} mistakes; the lines cross at {bound.bound:.1f}")
plt.show()
