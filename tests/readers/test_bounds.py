"""The compiled readers look at nothing outside of their arrays, whatever they read."""

import pytest

SCRIPT = """
import numpy as np
from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.text.parsing import end_of_line
from rosenblatt.readers import svmlight, vw
from rosenblatt.readers.names import Hashed, Kept, Numbered
from tests.readers.mutations import corpus, inputs
from tests.readers.plain import examples

try:
    end_of_line(np.zeros(3, np.uint8), 0)
except IndexError:
    print("checks are on")
for text in inputs(corpus("*.svm"), 1500):
    examples(svmlight, text, Numbered(), skip=True)
for text in inputs(corpus("*.vw"), 1500):
    examples(vw, text, Kept(), skip=True)
    examples(vw, text, Hashed(10), skip=True)
print("nothing was outside")
"""


@pytest.mark.slow
def test_no_access_out_of_bounds(bounded):
    bounded(SCRIPT)
