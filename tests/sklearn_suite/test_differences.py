"""The lists of differences name tests that there are."""

import importlib

import pytest
import sklearn

from tests.sklearn_suite import differences, left_out
from tests.sklearn_suite.loading import FOLDER


@pytest.mark.skipif(
    not sklearn.__version__.startswith(differences.VERSION), reason="of another scikit-learn"
)
@pytest.mark.parametrize("file", differences.DIFFERENCES)
def test_every_name_is_that_of_a_test(file):
    module = importlib.import_module(f"tests.sklearn_suite.test_{file}")
    for name, reason in differences.DIFFERENCES[file].items():
        assert name.partition("[")[0] in vars(module)
        assert len(reason) > 10


@pytest.mark.skipif(
    not sklearn.__version__.startswith(differences.VERSION), reason="of another scikit-learn"
)
@pytest.mark.parametrize("file", left_out.NOT_OURS)
def test_what_is_left_out_is_there(file):
    text = (FOLDER / file).read_text(encoding="utf-8")
    for name in left_out.NOT_OURS[file]:
        assert f"\ndef {name}(" in text
