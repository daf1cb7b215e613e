"""The fixtures of scikit-learn's tests, and the marks of those that are known not to pass."""

from pathlib import Path

import numpy as np
import pytest

from tests.sklearn_suite.differences import DIFFERENCES, SLOW
from tests.sklearn_suite.left_out import CASES

HERE = Path(__file__).parent


def pytest_configure(config):
    """Register the marks of scikit-learn's tests."""
    for mark in ("thread_unsafe", "no_check_spmatrix"):
        config.addinivalue_line("markers", f"{mark}: of scikit-learn")


@pytest.fixture
def global_random_seed():
    """Return the seed that scikit-learn takes by default."""
    return 42


@pytest.fixture
def global_dtype():
    """Return the type of numbers that scikit-learn takes by default."""
    return np.float64


def pytest_collection_modifyitems(items):
    """Expect the tests to fail that are listed, by their name alone or with its parameters.

    Cases of other estimators are left out.
    """
    items[:] = [item for item in items if HERE not in item.path.parents or not is_theirs(item)]
    for item in items:
        if HERE not in item.path.parents:
            continue
        item.add_marker(pytest.mark.filterwarnings("ignore"))
        if item.originalname in SLOW:
            item.add_marker(pytest.mark.slow)
        listed = DIFFERENCES.get(item.path.stem.removeprefix("test_"), {})
        reason = listed.get(item.name, listed.get(item.originalname))
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
            if not item.config.option.runxfail:  # the source of long files is slow to quote
                item.repr_failure = brief


def brief(excinfo, style=None):
    """Say what is wrong, without the lines that led there, which nobody looks at."""
    return excinfo.exconly()


def is_theirs(item):
    """Say whether a test is a case of an estimator that is not ours."""
    return any(part in item.name.partition("[")[2] for part in CASES)
