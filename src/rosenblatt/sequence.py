"""The former name of `rosenblatt.tagging`; it goes with the next release."""

import sys
import warnings
from importlib import import_module

warnings.warn("rosenblatt.sequence is now rosenblatt.tagging", DeprecationWarning, stacklevel=2)
_MODULES = {
    **{name: name for name in ("corpus", "features", "schemes", "spans", "templates", "tokenize")},
    **{"chains": "schemes", "defaults": "templates", "values": "word_attributes"},
}
for former, name in _MODULES.items():
    module = import_module(f"rosenblatt.tagging.{name}")
    sys.modules[f"{__name__}.{former}"] = globals()[former] = module
