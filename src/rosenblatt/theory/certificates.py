"""What the two answers to "is it linearly separable?" share, and the verdict on one."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.geometry import Hyperplane
from rosenblatt.theory import exact_planes, hulls
from rosenblatt.theory.exact_planes import Plane, plane_of
from rosenblatt.theory.problem import Problem, as_problem, dense_rows
from rosenblatt.theory.sketch import Sketch
from rosenblatt.theory.wolfe import hull_distance

_SHOWN = 6
_TYPES: dict[str, type["Certificate"]] = {}


@dataclass(frozen=True)
class Verdict:
    """What a check found: true or false, and the reason in words.

    Attributes
    ----------
    ok : bool
        Whether the certificate is right, which is also what ``bool`` says.
    exact : bool
        Whether this is true beyond rounding.
    reason : str
        Why.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> X, y = [[0.0], [1.0], [3.0]], ["a", "a", "b"]
    >>> verdict = separate(X, y).verify(X, y)
    >>> verdict.ok, verdict.exact
    (True, True)
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
    """What both answers share: they can be compared, written down and read back.

    >>> from rosenblatt import separate
    >>> found = separate([[0.0], [1.0], [3.0]], ["a", "a", "b"])
    >>> Certificate.from_json(found.to_json()) == found, round(found.margin, 6)
    (True, 1.0)
    """

    separable: ClassVar[bool]
    fit_intercept: bool
    sketch: Sketch | None

    def to_json(self) -> str:
        """Write the certificate as JSON; numbers keep every bit."""
        return json.dumps({"certificate": type(self).__name__, **self._plain()})

    @staticmethod
    def from_json(text: str) -> "Certificate":
        """Read what `to_json` wrote."""
        try:
            content = json.loads(text)
            kind = content.pop("certificate")
            if kind not in _TYPES:
                raise ValueError(f"unknown type of certificate {kind!r}")
            return _TYPES[kind]._from_plain(content)
        except (ValueError, TypeError, LookupError, AttributeError, RuntimeError) as error:
            raise ValueError(
                f"this is not a certificate in JSON: {error!r}. Give the text that to_json() made, "
                "such as Path(name).read_text()"
            ) from None

    def __init_subclass__(cls) -> None:
        _TYPES[cls.__name__] = cls

    @classmethod
    def _from_plain(cls, content: dict[str, Any]) -> "Certificate":
        return cls(**content)

    def verify(self, X: Any, y: Any) -> Verdict:
        """Check the certificate against data, from their own bits, trusting nothing.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows that were given to `separate`.
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

    @abstractmethod
    def _repr_html_(self) -> str:
        """Return what a notebook shows."""


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


def _check_sketch(sketch: Any) -> None:
    if sketch is not None and not isinstance(sketch, Sketch):
        raise TypeError(f"sketch must be a Sketch or None, got {type(sketch).__name__}")


def set_field(target: Any, name: str, value: Any) -> None:
    """Set a field of a frozen certificate while it is made."""
    object.__setattr__(target, name, value)


def listed(values: Array, most: int = _SHOWN) -> str:
    """Write down the first few of some numbers."""
    text = ", ".join(f"{value:.6g}" for value in values[:most].tolist())
    return text if len(values) <= most else f"{text}, … ({len(values):,} in all)"


GAP = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Separable(Certificate):
    """A hyperplane with all points of a class on one side: the one farthest from both.

    Attributes
    ----------
    hyperplane : Hyperplane
        The plane, its normal of length one (to rounding); scores are signed distances. Of a plane
        in whole numbers it is the nearest in floats, with a normal up to three times as long where
        that is nearer.
    margin : float
        The distance of the nearest point: what the plane achieves, rounded down.
    margin_upper : float
        What no plane can exceed, rounded up. It is at most 1 + 10⁻⁶ times the margin, unless the
        data have so many features and support points that the search gave up before.
    support : array of int
        The points that determine the plane, as row numbers: those that lie nearest to it.
    weights : array of float
        Their convex weights, which prove ``margin_upper``: within each class they sum to one, and
        the two points that they single out are ``2·margin_upper`` apart. (Without an intercept
        all of them sum to one and the point is that far from the origin, for ``y·x``.)
    fit_intercept : bool
        Whether planes need not go through the origin.
    whole : tuple of int or None
        Normal and offset in whole numbers, if the plane needs more digits than float64 has:
        margins below about 10⁻¹⁰ of the data's size. It is this plane that ``margin`` is true of.
    classes : tuple or None
        The two labels, as text; the plane's positive side is the second one's.
    sketch : Sketch or None
        Some of the rows, which a notebook shows; it is not written down by ``to_json``.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> answer = separate([[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> answer.separable, round(answer.margin, 6), answer.support.tolist()
    (True, 0.353553, [1, 2, 3])
    """

    separable: ClassVar[bool] = True
    hyperplane: Hyperplane
    margin: float
    margin_upper: float
    support: Array
    weights: Array
    fit_intercept: bool = True
    whole: tuple[int, ...] | None = None
    classes: tuple[str, ...] | None = None
    sketch: Sketch | None = None

    def __post_init__(self) -> None:
        set_points(self, "support")
        _check_sketch(self.sketch)
        plane, bounds = self.hyperplane, (float(self.margin), float(self.margin_upper))
        if plane.normal.ndim != 1 or plane.normal.dtype.kind != "f":
            raise ValueError("a certificate has one hyperplane of floats")
        if not 0 <= bounds[0] <= bounds[1]:
            raise ValueError(f"margins must be numbers, the upper one no smaller: got {bounds}")
        set_field(self, "margin", bounds[0])
        set_field(self, "margin_upper", bounds[1])
        if self.classes is not None:
            set_field(self, "classes", tuple(map(str, self.classes)))
        if self.whole is not None:
            set_field(self, "whole", tuple(int(str(v), 0) for v in self.whole))
            if len(self.whole) != len(plane.normal) + 1 or not any(self.whole[:-1]):
                raise ValueError("whole must be a number for each weight, and the offset")

    def plane(self) -> Plane:
        """Return the plane in whole numbers."""
        if self.whole is not None:
            return Plane(np.array(self.whole[:-1], object), self.whole[-1], 0)
        return plane_of(self.hyperplane.normal, float(self.hyperplane.offset))

    def check(self, problem: Problem) -> Verdict:
        plane = self.plane()
        if len(plane.normal) != problem.n_features:
            features = f"{problem.n_features} features, and the plane has {len(plane.normal)}"
            return Verdict(False, False, f"the data have {features}")
        if plane.offset and not problem.fit_intercept:
            return Verdict(False, False, "the plane does not go through the origin")
        least = exact_planes.least(problem, plane)
        if least.value <= 0:
            where = "on the plane" if least.value == 0 else "on the wrong side of the plane"
            swapped = exact_planes.least(problem._replace(y=-problem.y), plane).value > 0
            hint = ". All rows do: the labels seem to be swapped" if swapped else ""
            return Verdict(False, False, f"row {least.row} lies {where}{hint}")
        achieved = exact_planes.distance(least.value, plane)
        if achieved < self.margin and not least.exact:
            least = exact_planes.least(problem, plane, exactly=True)
            achieved = exact_planes.distance(least.value, plane)
        if achieved < self.margin:
            less = f"{self.margin - achieved:.2g} less than the margin of {self.margin:.9g}"
            return Verdict(False, False, f"row {least.row} is {achieved:.9g} away, {less}")
        if int(self.support.max()) >= problem.n:
            return Verdict(False, False, "the support points are not among the rows")
        if self.whole is None:
            upper = exact_planes.upper_bound(problem, self.support, self.weights)
        else:
            upper = hull_distance(problem, self.support)
        if upper > self.margin_upper:
            text = (
                f"the support points allow margins up to {upper:.9g}, not {self.margin_upper:.9g}"
            )
            return Verdict(False, False, text)
        text = f"all {problem.n:,} points lie on their sides, {self.margin:.6g} or more away"
        return Verdict(True, True, text)

    def _plain(self) -> dict[str, Any]:
        return {
            "hyperplane": [self.hyperplane.normal.tolist(), float(self.hyperplane.offset)],
            "margin": float(self.margin),
            "margin_upper": float(self.margin_upper),
            "support": self.support.tolist(),
            "weights": self.weights.tolist(),
            "fit_intercept": self.fit_intercept,
            "whole": None if self.whole is None else [hex(v) for v in self.whole],
            "classes": None if self.classes is None else list(self.classes),
        }

    def _shown(self) -> dict[str, Any]:
        return {**self._plain(), "hyperplane": self.hyperplane}

    def __str__(self) -> str:
        through = "" if self.fit_intercept else " through the origin"
        short = "" if self.margin_upper <= self.margin * (1 + GAP) else " (not the best found)"
        side = "" if self.classes is None else f", {self.classes[1]!r} on its positive side"
        lines = [
            f"Separable: a hyperplane{through} separates the classes{side}.",
            f"  plane    {self.hyperplane}",
            f"  margin   {self.margin:.9g}; no plane has more than {self.margin_upper:.9g}{short}",
            f"  support  {listed(self.support)}",
        ]
        if self.whole is not None:
            lines.append("  The margin is about what rounding does to the data, and the plane")
            lines.append("  needs more digits than float64 has: see `whole`.")
        return "\n".join(lines)

    @classmethod
    def _from_plain(cls, content: dict[str, Any]) -> "Separable":
        return cls(Hyperplane(*content.pop("hyperplane")), **content)

    def _repr_html_(self) -> str:
        from rosenblatt.theory.html import of_separable

        return of_separable(self)


NEAR = 1e-12
_AGREE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Inseparable(Certificate):
    """A few points whose two convex hulls meet, so that no hyperplane can separate the classes.

    Attributes
    ----------
    points : array of int
        Row numbers: at most d + 2 (Kirchberger's theorem), or d + 1 without an intercept; more only
        if it is not proved.
    weights : array of float
        Positive weights: within each class they sum to one, and put the same point into both hulls.
        Without an intercept all of them sum to one, and ``Σ λ·y·x`` is the origin.
    fit_intercept : bool
        Whether planes need not go through the origin.
    residual : float
        0 if this is proved beyond rounding; otherwise how far apart the two points are, as a share
        of the largest range of a feature: at most 10⁻¹².
    sketch : Sketch or None
        Some of the rows, which a notebook shows; it is not written down by ``to_json``.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> print(separate([[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    Inseparable (exact): the hulls meet, so no hyperplane separates the classes.
      points   0, 1, 2, 3
      weights  0.5, 0.5, 0.5, 0.5
    """

    separable: ClassVar[bool] = False
    points: Array
    weights: Array
    fit_intercept: bool = True
    residual: float = 0.0
    sketch: Sketch | None = None

    def __post_init__(self) -> None:
        set_points(self, "points")
        _check_sketch(self.sketch)
        if isinstance(self.residual, bool) or not 0 <= float(self.residual) < np.inf:
            raise ValueError(f"residual must be zero or a positive number, got {self.residual!r}")
        set_field(self, "residual", float(self.residual))

    @property
    def exact(self) -> bool:
        """Whether it is proved beyond rounding."""
        return self.residual == 0

    def meeting_point(self, X: Any, y: Any) -> Array:
        """Return the point that both hulls share: the mean of the last class's points.

        Without an intercept it is the sum of all ``λ·x`` of that class, which its cone shares with
        the other's.
        """
        problem = as_problem(X, y, self.fit_intercept)
        verdict = self.check(problem)
        if not verdict:
            raise ValueError(f"this is not a certificate of these data: {verdict.reason}")
        weights = np.where(problem.y[self.points] > 0, self.weights, 0.0)
        rows, used = dense_rows(problem, self.points)
        point = np.zeros(problem.n_features)
        point[used] = weights @ rows
        return point

    def exact_weights(self, X: Any, y: Any) -> list[Any]:
        """Solve for the weights in fractions."""
        weights = hulls.exact_weights(as_problem(X, y, self.fit_intercept), self.points)
        if weights is None:
            raise ValueError("these points have no such weights in these data")
        return weights

    def check(self, problem: Problem) -> Verdict:
        points, n = self.points, problem.n
        if points.max() >= n:
            return Verdict(False, False, f"the points are not among the {n:,} rows")
        most = problem.n_features + 1 + self.fit_intercept
        if len(points) > most and not self.residual:
            text = f"{most} points are enough, and here are {len(points)}"
            return Verdict(False, False, text)
        if self.residual:
            sides = [problem.y[points] == side for side in (-1, 1)]
            groups = sides if self.fit_intercept else [np.full(len(points), True)]
            if not all(abs(self.weights[side].sum() - 1) <= _AGREE for side in groups):
                return Verdict(False, False, "the weights of a class do not sum to one")
            found = hulls.residual(problem, points, self.weights)
            ok = bool(found <= min(2 * self.residual, NEAR))
            return Verdict(ok, False, f"the hulls come within {found:.2g} of each other (residual)")
        known = hulls.common_point(problem, points, patient=True)
        if known is None:
            return Verdict(False, False, "the hulls of these points do not meet")
        off = float(np.abs(known.weights - self.weights).max())
        if not off <= known.error + _AGREE:
            return Verdict(False, False, f"the hulls meet, but with other weights (by {off:.2g})")
        return Verdict(True, True, f"the hulls of {len(points)} points meet")

    def _plain(self) -> dict[str, Any]:
        return {
            "points": self.points.tolist(),
            "weights": self.weights.tolist(),
            "fit_intercept": self.fit_intercept,
            "residual": float(self.residual),
        }

    def __str__(self) -> str:
        how = "exact" if self.exact else f"numerical, residual {self.residual:.2g}"
        if not self.exact:
            what = "the hulls meet as far as rounding can tell"
        elif self.fit_intercept:
            what = "the hulls meet, so no hyperplane separates the classes"
        else:
            what = "the hull of y·x holds the origin, so no plane does"
        return "\n".join(
            [
                f"Inseparable ({how}): {what}.",
                f"  points   {listed(self.points)}",
                f"  weights  {listed(self.weights)}",
            ]
        )

    def _repr_html_(self) -> str:
        from rosenblatt.theory.html import of_inseparable

        return of_inseparable(self)


__all__ = ["GAP", "NEAR", "Certificate", "Inseparable", "Separable", "Verdict"]
