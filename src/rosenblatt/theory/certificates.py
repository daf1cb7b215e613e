"""The two answers to "is it linearly separable?", each with what it takes to check it."""

from rosenblatt.theory.certificate import Certificate, Verdict
from rosenblatt.theory.inseparable import NEAR, Inseparable
from rosenblatt.theory.separable import GAP, Separable

__all__ = ["GAP", "NEAR", "Certificate", "Inseparable", "Separable", "Verdict"]
