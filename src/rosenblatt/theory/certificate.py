"""What the two answers to "is it linearly separable?" share, and the verdict on one."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.theory.problem import Problem, as_problem

_SHOWN = 6
_KINDS: dict[str, type["Certificate"]] = {}


@dataclass(frozen=True)
class Verdict:
    """What a check found: true or false, and the reason in words.

    ``exact`` says that it is true beyond rounding.
    """

    ok: bool
    exact: bool
    reason: str

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        how = "exact" if self.exact else "numerical"
        return f"verified ({how}): {self.reason}" if self.ok else f"not verified: {self.reason}"


class Certificate(ABC):
    """What both answers share: they can be compared, written down and read back."""

    separable: ClassVar[bool]
    fit_intercept: bool

    def to_json(self) -> str:
        """Write the certificate as JSON; numbers keep every bit."""
        return json.dumps({"certificate": type(self).__name__, **self._plain()})

    @staticmethod
    def from_json(text: str) -> "Certificate":
        """Read what `to_json` wrote."""
        try:
            content = json.loads(text)
            kind = content.pop("certificate")
            if kind not in _KINDS:
                raise ValueError(f"there is no certificate of the kind {kind!r}")
            return _KINDS[kind]._from_plain(content)
        except (ValueError, TypeError, LookupError, AttributeError, RuntimeError) as error:
            raise ValueError(
                f"this is no certificate in JSON: {error!r}. Give the text that to_json() made, "
                "such as Path(name).read_text()"
            ) from None

    def __init_subclass__(cls) -> None:
        _KINDS[cls.__name__] = cls

    @classmethod
    def _from_plain(cls, content: dict[str, Any]) -> "Certificate":
        return cls(**content)

    def verify(self, X: Any, y: Any) -> Verdict:
        """Check the certificate against data, from their own bits, trusting nobody.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows that were asked about.
        y : array of shape (n_samples,)
            Their labels.

        Returns
        -------
        Verdict
            True or false in an ``if``; ``reason`` says why, ``exact`` whether beyond rounding.
        """
        try:
            problem = as_problem(X, y, self.fit_intercept)
        except ValueError as error:
            return Verdict(False, False, f"these cannot be the certificate's data: {error}")
        return self.check(problem)

    @abstractmethod
    def check(self, problem: Problem) -> Verdict:
        """Do the same for data that were checked before."""

    @abstractmethod
    def _plain(self) -> dict[str, Any]:
        """Return the fields as JSON can hold them."""

    def __bool__(self) -> bool:
        return self.separable

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._plain() == other._plain()

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        parts = (f"{name}={value!r}" for name, value in self._shown().items())
        return f"{type(self).__name__}({', '.join(parts)})"

    def _shown(self) -> dict[str, Any]:
        return self._plain()


def set_points(certificate: Any, name: str) -> None:
    """Check row numbers and their weights, and make arrays of them that cannot be changed."""
    rows, weights = np.array(getattr(certificate, name)), np.array(certificate.weights, np.float64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows) or rows.min() < 0:
        raise ValueError(f"{name} must be row numbers, from 0 on")
    if len(set(rows.tolist())) < len(rows):
        raise ValueError(f"{name} must be different rows")
    if weights.shape != rows.shape or not np.all(np.isfinite(weights) & (weights >= 0)):
        raise ValueError(f"weights must be one number for each of {name}, none negative")
    if not isinstance(certificate.fit_intercept, bool | np.bool_):
        raise ValueError(f"fit_intercept must be True or False, got {certificate.fit_intercept!r}")
    rows = rows.astype(np.intp)
    rows.flags.writeable = weights.flags.writeable = False
    set_field(certificate, name, rows)
    set_field(certificate, "weights", weights)


def set_field(target: Any, name: str, value: Any) -> None:
    """Set a field of a frozen certificate while it is made."""
    object.__setattr__(target, name, value)


def listed(values: Array, most: int = _SHOWN) -> str:
    """Write down the first few of some numbers."""
    text = ", ".join(f"{value:.6g}" for value in values[:most].tolist())
    return text if len(values) <= most else f"{text}, … ({len(values):,} in all)"
