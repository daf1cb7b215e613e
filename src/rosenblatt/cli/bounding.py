"""How many mistakes a perceptron can make, as commands tell it."""

from typing import Any

from rosenblatt.data.rows import Array
from rosenblatt.theory.bounds import mistake_bound


def bound_facts(X: Any, y: Array, fit_intercept: bool) -> dict[str, Any]:
    """Return the bound on two classes and what it is made of, for JSON."""
    found = mistake_bound(X, y, fit_intercept)
    return {
        "mistakes": found.bound,
        "theorem": found.theorem,
        "radius": found.radius,
        "margin": found.margin,
        "deviation": found.deviation,
    }


def bound_in_words(facts: dict[str, Any]) -> str:
    """Write a bound in a line.

    >>> facts = {"mistakes": 5.0, "theorem": "novikoff", "radius": 5**0.5, "margin": 1.0}
    >>> bound_in_words(facts)
    'at most 5 by (R/γ)² with R = 2.236, γ = 1 (Novikoff)'
    """
    bound, radius, margin = facts["mistakes"], facts["radius"], facts["margin"]
    most = f"{int(bound):,}" if bound < 1e15 else f"{bound:.3g}"
    if facts["theorem"] == "novikoff":
        return f"at most {most} by (R/γ)² with R = {radius:.4g}, γ = {margin:.4g} (Novikoff)"
    parts = f"R = {radius:.4g}, D = {facts['deviation']:.4g}, γ = {margin:.4g}"
    return f"at most {most} in the first pass by ((R + D)/γ)² with {parts}"
