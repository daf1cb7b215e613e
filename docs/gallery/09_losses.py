"""What an example costs.

Five losses over the margin of an example. The 0/1 loss is flat almost everywhere; the others have
slopes to follow. See [losses](../guide/gradient-descent.md#losses).
"""

import matplotlib.pyplot as plt

from rosenblatt.plot import plot_losses

figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
plot_losses(ax=ax)
print("drawn:", ", ".join(line.get_label() for line in ax.lines if line.get_label()[0] != "_"))
plt.show()
