"""Separability, certificates, bounds, and the ledger of every update.

Names are loaded when first used: an estimator needs the ledger alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.theory.certificates import Certificate as Certificate
    from rosenblatt.theory.threshold import truth_table as truth_table

_MODULES = {"Certificate": "certificates", "truth_table": "threshold"}

__all__ = ["Certificate", "truth_table"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rosenblatt.theory' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.theory.{_MODULES[name]}"), name)
