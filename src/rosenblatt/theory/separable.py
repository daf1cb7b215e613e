"""The answer yes: a hyperplane, its margin, and the proof that no other has a larger one."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.geometry import Hyperplane
from rosenblatt.theory import planes
from rosenblatt.theory.certificate import Certificate, Verdict, listed, set_field, set_points
from rosenblatt.theory.exact_search import hull_distance
from rosenblatt.theory.planes import Plane, plane_of
from rosenblatt.theory.problem import Problem

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

    def __post_init__(self) -> None:
        set_points(self, "support")
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
        least = planes.least(problem, plane)
        if least.value <= 0:
            where = "on the plane" if least.value == 0 else "on the wrong side of the plane"
            swapped = planes.least(problem._replace(y=-problem.y), plane).value > 0
            hint = ". All rows do: the labels seem to be swapped" if swapped else ""
            return Verdict(False, False, f"row {least.row} lies {where}{hint}")
        achieved = planes.distance(least.value, plane)
        if achieved < self.margin and not least.exact:
            least = planes.least(problem, plane, exactly=True)
            achieved = planes.distance(least.value, plane)
        if achieved < self.margin:
            less = f"{self.margin - achieved:.2g} less than the margin of {self.margin:.9g}"
            return Verdict(False, False, f"row {least.row} is {achieved:.9g} away, {less}")
        if int(self.support.max()) >= problem.n:
            return Verdict(False, False, "the support points are not among the rows")
        if self.whole is None:
            upper = planes.upper_bound(problem, self.support, self.weights)
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
            f"Separable: a hyperplane{through} parts the classes{side}.",
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
