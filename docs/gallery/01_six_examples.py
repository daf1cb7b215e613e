"""Six examples by hand.

Deck B's example: the perceptron errs on the first, third and fifth point, and each time `w` moves
by the point it got wrong. `trace` yields the steps; [the guide](../guide/perceptron.md) has the
same numbers in a table.
"""

import matplotlib.pyplot as plt

from rosenblatt import Hyperplane, Perceptron, trace
from rosenblatt.plot import plot_hyperplane

X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
y = [-1, 1, 1, -1, -1, 1]
learner = Perceptron(fit_intercept=False, shuffle=False)
mistakes = [step for step in trace(X, y, learner) if step.mistake]

figure, axes = plt.subplots(1, 3, figsize=(10.5, 4.2), layout="constrained")
for ax, step in zip(axes, mistakes):
    plot_hyperplane(Hyperplane(step.weights, 0.0), X, y, ax=ax).get_legend().remove()
    w = ", ".join(f"{value:g}" for value in step.weights)
    ax.set_title(f"after step {step.step}: w = ({w})".replace("-", "−"))
    print(f"step {step.step}: point {X[step.index]} of class {step.label:+d}, now w = ({w})")
plt.show()
