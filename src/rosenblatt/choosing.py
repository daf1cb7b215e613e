"""The former name of `rosenblatt.model_selection`; it goes with the next release."""

import sys
import warnings
from importlib import import_module

from rosenblatt.model_selection import *  # noqa: F403

warnings.warn(
    "rosenblatt.choosing is now rosenblatt.model_selection", DeprecationWarning, stacklevel=2
)
for name in ("compare", "prepare", "select"):
    sys.modules[f"{__name__}.{name}"] = import_module(f"rosenblatt.model_selection.{name}")
