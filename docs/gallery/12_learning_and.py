"""A perceptron learns AND.

One frame for each mistake: the corner that was wrong is ringed, the line before the step is dashed.
After eighteen mistakes there is nothing left to correct. See [trace a
run](../guide/separability.md#trace-a-run).
"""

from rosenblatt.model_selection import corners
from rosenblatt.plot import animate

X, y = corners("and")
print("saved", animate(X, y, "perceptron", "learning.gif"))
