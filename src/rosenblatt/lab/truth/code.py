"""The Python code that finds what the screen of truth tables shows."""

_START = '''\
"""The truth table {digits}: {what}, as the lab shows it."""

from rosenblatt import ThresholdUnit
from rosenblatt.theory import truth_table

inputs = truth_table({n})
outputs = {outputs}
answer = ThresholdUnit.from_truth_table(outputs)
'''

_UNIT = """
print(answer)  # the unit: it fires where this holds
for row, fires in zip(inputs, answer(inputs)):
    print(*row, "→", int(fires), " sum", row @ answer.weights)
assert answer.truth_table().tolist() == [bool(output) for output in outputs]
"""

_CERTIFICATE = """
print(answer)  # rows of the table, whose hulls meet
weights = answer.exact_weights(inputs, outputs)
for row, weight in zip(answer.points, weights):
    print(*inputs[row], "→", outputs[row], " weight", weight)
pairs = [(inputs[row], weight) for row, weight in zip(answer.points, weights) if outputs[row]]
print("meeting point", *[sum(weight * int(x[j]) for x, weight in pairs) for j in range({n})])
assert answer.verify(inputs, outputs)
"""


def code(outputs: list[int], n: int, title: str, threshold: bool) -> str:
    """Return a script that prints the unit, or the certificate that there is none."""
    what = "a threshold function" if threshold else "no threshold function"
    digits = "".join(map(str, outputs))
    text = _START + (_UNIT if threshold else _CERTIFICATE)
    return text.format(digits=digits, what=f"{title}, {what}", n=n, outputs=outputs)
