"""A world that changes.

A stream in which the right answer turns upside down after 3,000 examples. The last weights adapt;
the mean of all weights remembers for too long. See [learn from a click log that never
ends](../guide/click-log.md).
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import OnlineClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(6000, 3))
y = (X @ [2, -1, 1] + rng.normal(size=6000) > 0) ^ (np.arange(6000) >= 3000)

figure, ax = plt.subplots(figsize=(7.4, 4.2), layout="constrained")
for name, average in (("last weights", False), ("mean of all weights", True)):
    model = OnlineClassifier("logistic", average=average)
    wrong = []
    for row, label in zip(X.tolist(), y.tolist()):
        x = {"a": row[0], "b": row[1], "c": row[2]}
        wrong.append(model.predict_one(x) != label)  # before it learns from it
        model.learn_one(x, label)
    share = np.convolve(wrong, np.ones(200) / 200, mode="valid")
    ax.plot(np.arange(200, 6001), 100 * share, label=name)
    print(f"{name}: {np.mean(wrong):.1%} wrong")
ax.axvline(3000, color="#777777", ls=":", lw=1)
ax.set(xlabel="examples so far", ylabel="% wrong of the last 200", ylim=(0, None))
ax.legend(frameon=False)
plt.show()
