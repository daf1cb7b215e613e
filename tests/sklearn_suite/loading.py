"""Read a test file of the installed scikit-learn, with other estimators under its names."""

import importlib.util
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
import sklearn

from tests.sklearn_suite import adapters
from tests.sklearn_suite.differences import VERSION
from tests.sklearn_suite.left_out import NOT_OURS

FOLDER = Path(sklearn.__file__).parent


def suite(file, names):
    """Return the test functions of a file, in which ``names``, by module, are our adapters.

    Decorators name estimators too, so the names are replaced while the file is executed. Of errors
    and warnings only the type is compared: ours say things in other words.
    """
    if not sklearn.__version__.startswith(VERSION):
        pytest.skip(
            f"the differences listed are those of scikit-learn {VERSION}", allow_module_level=True
        )
    path = FOLDER / file
    if not path.exists():
        pytest.skip(f"this scikit-learn came without {file}", allow_module_level=True)
    spec = importlib.util.spec_from_file_location(f"theirs_{path.stem}", path)
    loaded = importlib.util.module_from_spec(spec)
    ours = {
        module: {name: getattr(adapters, name) for name in chosen}
        for module, chosen in names.items()
    }
    with ExitStack() as stack:
        for module, replaced in ours.items():
            stack.enter_context(patch.multiple(module, **replaced))
        spec.loader.exec_module(loaded)
    loaded.pytest = Standing(pytest, {"raises": raises, "warns": warns})
    for name, value in vars(loaded).items():
        if isinstance(value, ModuleType) and value in ours:
            setattr(loaded, name, Standing(value, ours[value]))
    return {
        name: value
        for name, value in vars(loaded).items()
        if name.startswith("test_") and name not in NOT_OURS.get(file, {})
    }


def raises(expected, match=None):
    """Expect an error of a type, whatever it says."""
    return pytest.raises(expected)


def warns(expected, match=None):
    """Expect a warning of a type, whatever it says."""
    return pytest.warns(expected)


class Standing:
    """A module some of whose names are ours."""

    def __init__(self, module, ours):
        vars(self).update(ours)
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)
