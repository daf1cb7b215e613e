"""The former name of `rosenblatt.model_selection`; it goes with the next release."""

import warnings

from rosenblatt.model_selection import *  # noqa: F403

warnings.warn(
    "rosenblatt.choosing is now rosenblatt.model_selection", DeprecationWarning, stacklevel=2
)
