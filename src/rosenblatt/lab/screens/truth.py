"""Truth tables: the threshold unit of a Boolean function, or the certificate that there is none."""

from base64 import b64encode
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.lab.calls import call
from rosenblatt.lab.truth import explanations
from rosenblatt.lab.truth.code import code
from rosenblatt.lab.truth.functions import (
    INPUTS,
    near,
    number_of,
    outputs_of,
    presets,
    threshold_functions,
    titles,
)
from rosenblatt.lab.truth.shapes import shapes, sides
from rosenblatt.theory.certificates import Inseparable
from rosenblatt.theory.threshold import ThresholdUnit, truth_table


class Truth:
    """Answers for the screen; it remembers nothing."""

    @call
    def catalog(self) -> dict[str, Any]:
        """Return the functions that have a name."""
        return {"presets": [one._asdict() for one in presets()]}

    @call
    def solve(self, outputs: Any) -> dict[str, Any]:
        """Return the unit of a truth table, or the rows that prove that there is none."""
        n = _inputs_of(outputs)
        answer = ThresholdUnit.from_truth_table(outputs)
        result: dict[str, Any] = {
            "n": n,
            "number": number_of(outputs),
            "title": _title(outputs, n),
            "logic": explanations.logic(outputs, n),
            "threshold": answer.separable,
        }
        turn = "" if n == 2 else " Drag to turn."
        if isinstance(answer, ThresholdUnit):
            plane = explanations.plane(answer, sides(answer))
            return result | {
                "unit": _unit(answer),
                "rows": _computations(answer),
                "caption": plane and f"{plane}{turn}",
                "summary": f"{result['title']}: {answer}",
            }
        rows = [
            {"text": f"asks for {explanations.demand(output, row)}"}
            for output, row in zip(outputs, truth_table(n).tolist(), strict=True)
        ]
        proof = _certificate(answer, outputs, n)
        return result | {
            "certificate": proof,
            "rows": rows,
            "caption": f"The hulls meet in {proof['where']}.{turn}",
            "summary": f"{result['title']}: no threshold function",
        }

    @call
    def map(self, n: Any) -> dict[str, Any]:
        """Return, for all functions of n inputs, which are threshold functions: a bit for each."""
        _check_n(n)
        known = threshold_functions(n)
        count, total = int(known.sum()), len(known)
        text = f"{count:,} of the {total:,} functions of {n} inputs are threshold functions."
        return {
            "n": n,
            "count": count,
            "total": total,
            "bits": b64encode(np.packbits(known).tobytes()).decode(),
            "text": text,
            "yes": "This is one of them.",
            "no": f"This is one of the other {total - count:,}.",
        }

    @call
    def near(self, n: Any, number: Any, step: Any, threshold: Any) -> dict[str, Any]:
        """Return the next function, up or down, that is a threshold function, or that is none."""
        _check_number(n, number)
        if type(step) is not int or step not in (-1, 1):
            raise ValueError(f"a step is 1 or -1, got {step!r}")
        if type(threshold) is not bool:
            raise ValueError(f"threshold is true or false, got {threshold!r}")
        result = near(n, number, step, threshold)
        return {"number": result, "outputs": outputs_of(n, result)}

    @call
    def csv(self, outputs: Any) -> str:
        """Return the table as CSV."""
        n = _inputs_of(outputs)
        names = [f"x{j + 1}" for j in range(n)]
        lines = [[*row, y] for row, y in zip(truth_table(n).tolist(), outputs, strict=True)]
        return "".join(f"{','.join(map(str, line))}\n" for line in [[*names, "output"], *lines])

    @call
    def code(self, outputs: Any) -> str:
        """Return Python code that finds the same."""
        n = _inputs_of(outputs)
        answer = ThresholdUnit.from_truth_table(outputs)
        return code(outputs, n, _title(outputs, n), answer.separable)


def _title(outputs: list[int], n: int) -> str:
    number = number_of(outputs)
    return titles().get((n, number)) or explanations.logic(outputs, n) or f"Function {number:,}"


def _unit(unit: ThresholdUnit) -> dict[str, Any]:
    return {
        "weights": unit.weights,
        "threshold": unit.threshold,
        "bias": -unit.threshold,
        "formula": str(unit),
        "sign": explanations.signed(unit),
        "words": explanations.words(unit),
        "shapes": shapes(unit),
    }


def _computations(unit: ThresholdUnit) -> list[dict[str, Any]]:
    rows = truth_table(len(unit.weights))
    sums, fires = rows @ np.array(unit.weights), unit(rows)
    return [
        {"sum": total, "fires": int(on), "text": explanations.computation(unit, row)}
        for row, total, on in zip(rows.tolist(), sums.tolist(), fires, strict=True)
    ]


def _certificate(answer: Inseparable, outputs: list[int], n: int) -> dict[str, Any]:
    """Return the rows with their weights in fractions, and the point that they share."""
    table = truth_table(n)
    weights = [Fraction(weight) for weight in answer.exact_weights(table, outputs)]
    points = answer.points.tolist()
    sides: dict[int, list[str]] = {0: [], 1: []}
    rows = []
    meeting = [Fraction(0)] * n
    for point, weight in zip(points, weights, strict=True):
        row, output = table[point].tolist(), outputs[point]
        sides[output].append(explanations.bits(row))
        asks = explanations.demand(output, row)
        rows.append(
            {"row": point, "output": output, "weight": explanations.fraction(weight), "asks": asks}
        )
        if output:
            meeting = [m + weight * x for m, x in zip(meeting, row, strict=True)]
    where = f"({', '.join(explanations.fraction(value) for value in meeting)})"
    even = set(weights) == {Fraction(1, 2)}
    return {
        "rows": sorted(rows, key=lambda one: (-one["output"], one["row"])),
        "together": [explanations.demand(1, meeting), explanations.demand(0, meeting)],
        "meeting": [float(value) for value in meeting],
        "where": where,
        "text": explanations.why_not(sides[1], sides[0], even, where),
    }


def _inputs_of(outputs: Any) -> int:
    """Check a table's outputs; return how many inputs it has."""
    sizes = {2**n: n for n in INPUTS}
    if not isinstance(outputs, list) or len(outputs) not in sizes:
        raise ValueError("a table is a list of 4, 8 or 16 outputs; reload the page")
    for row, output in enumerate(outputs):
        if type(output) is not int or output not in (0, 1):
            raise ValueError(f"an output is 0 or 1, and that of row {row} is {str(output)[:40]!r}")
    return sizes[len(outputs)]


def _check_n(n: Any) -> None:
    if type(n) is not int or n not in INPUTS:
        raise ValueError(f"there are 2, 3 or 4 inputs, got {str(n)[:40]!r}")


def _check_number(n: Any, number: Any) -> None:
    _check_n(n)
    if type(number) is not int or not 0 <= number < 2**2**n:
        most = 2**2**n - 1
        raise ValueError(f"functions of {n} inputs have numbers 0 to {most:,}; choose one of them")
