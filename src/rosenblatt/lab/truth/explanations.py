"""A Boolean function, its unit or its certificate, in words for a student."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from rosenblatt.theory.threshold import ThresholdUnit, truth_table

MOST_TERMS = 4
_SHORT = {"1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾"}


def fraction(value: Fraction) -> str:
    """Write a fraction: ½, 3, 1½, 2/5, −¼."""
    sign = "−" if value < 0 else ""
    whole, rest = divmod(abs(value), 1)
    if not rest:
        return f"{sign}{whole}"
    short = _SHORT.get(str(rest))
    if short is None:
        return f"{sign}{abs(value)}"
    return f"{sign}{whole or ''}{short}"


def bits(row: Sequence[int]) -> str:
    """Write a row's inputs: 011."""
    return "".join(map(str, row))


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Write "a", "a and b", "a, b and c"."""
    return f" {last} ".join(part for part in (", ".join(parts[:-1]), parts[-1]) if part)


def logic(outputs: Sequence[int], n: int) -> str | None:
    """Write a function as a disjunction of conjunctions; None if that takes too many."""
    rows = [tuple(row) for row in truth_table(n).tolist()]
    ones = {row for row, output in zip(rows, outputs, strict=True) if output}
    if len(ones) in (0, len(rows)):
        return "Always 1" if ones else "Always 0"
    terms = _cover(ones, n)
    if len(terms) > MOST_TERMS:
        return None
    # As people write them: x1 before x2, and a plain input before a negated one.
    terms.sort(key=lambda term: [(value is None, value == 0) for value in term])
    written = [_conjunction(term) for term in terms]
    if len(written) > 1:
        written = [f"({one})" if "∧" in one else one for one in written]
    return " ∨ ".join(written)


Term = tuple[int | None, ...]


def _cover(ones: set[tuple[int, ...]], n: int) -> list[Term]:
    """Return terms that hold on these rows and no other: none can be shorter, and few of them."""
    held = {
        term: rows
        for term in product((None, 0, 1), repeat=n)
        if (rows := _rows_of(term)) and rows <= ones
    }
    prime = {t: rows for t, rows in held.items() if not any(rows < more for more in held.values())}
    chosen: list[Term] = []
    left = set(ones)
    while left:
        sole = [
            term
            for row in left
            for term in [t for t in prime if row in prime[t]]
            if sum(row in rows for rows in prime.values()) == 1
        ]
        best = max(sole or prime, key=lambda term: len(prime[term] & left))
        chosen.append(best)
        left -= prime[best]
    return chosen


def _rows_of(term: Term) -> set[tuple[int, ...]]:
    return set(product(*((0, 1) if value is None else (value,) for value in term)))


def _conjunction(term: Term) -> str:
    literals = [f"{'' if v else '¬'}x{j + 1}" for j, v in enumerate(term) if v is not None]
    return " ∧ ".join(literals)


def words(unit: ThresholdUnit) -> str | None:
    """Say when a unit fires, where its weights are −1, 0 and 1; None elsewhere."""
    used = [(w, name) for w, name in zip(unit.weights, unit.names, strict=True) if w]
    if not used:
        return "Always fires." if unit.threshold <= 0 else "Never fires."
    if any(abs(w) > 1 for w, _ in used):
        return None
    literals = [name if w > 0 else f"not {name}" for w, name in used]
    least = unit.threshold + sum(w < 0 for w, _ in used)
    if len(used) == 1:
        return f"Fires if {literals[0]} holds; nothing else counts."
    if least == len(used):
        both = "both" if len(used) == 2 else "all"
        return f"Fires if {listed(literals)} {both} hold."
    if least == 1:
        return f"Fires if {listed(literals, 'or')} holds; one is enough."
    return f"Fires if at least {least} of these {len(used)} hold: {', '.join(literals)}."


def weighted(unit: ThresholdUnit) -> str:
    """Write w·x: x1 + 2·x2."""
    return str(unit).rpartition(" ≥ ")[0]


def plane(unit: ThresholdUnit, between: tuple[int, int] | None) -> str:
    """Say which plane is drawn: the one half way between two sums."""
    if between is None:
        return ""
    low, high = map(_whole, between)
    middle = fraction(Fraction(sum(between), 2))
    return f"Drawn: {weighted(unit)} = {middle}, half way between {low} and {high}."


def signed(unit: ThresholdUnit) -> str:
    """Write a unit as sign(w·x + b)."""
    if not unit.threshold:
        return f"sign({weighted(unit)})"
    bias = f"{'+' if unit.threshold < 0 else '−'} {abs(unit.threshold)}"
    left = weighted(unit)
    return f"sign({f'{left} {bias}' if left != '0' else bias.replace(' ', '').lstrip('+')})"


def computation(unit: ThresholdUnit, row: Sequence[int]) -> str:
    """Write what a unit does on a row: 1·1 + 1·0 = 1 < 2 → 0."""
    terms = [
        f"{'−' if w < 0 else '+'} {abs(w)}·{x}" for w, x in zip(unit.weights, row, strict=True)
    ]
    text = " ".join(terms)
    text = text[2:] if text.startswith("+") else f"−{text[2:]}"
    total = sum(w * x for w, x in zip(unit.weights, row, strict=True))
    fires = total >= unit.threshold
    ends = f"{_whole(total)} {'≥' if fires else '<'} {_whole(unit.threshold)} → {int(fires)}"
    return f"{text} = {ends}"


def _whole(value: int) -> str:
    return str(value).replace("-", "−")


def demand(output: int, coefficients: Sequence[Fraction | int]) -> str:
    """Write what a row asks of any unit: w1 + w2 ≥ θ."""
    terms = [
        f"w{j + 1}" if value == 1 else f"{fraction(Fraction(value))}·w{j + 1}"
        for j, value in enumerate(coefficients)
        if value
    ]
    return f"{' + '.join(terms) or '0'} {'≥' if output else '<'} θ"


def why_not(ones: list[str], zeros: list[str], even: bool, meeting: str) -> str:
    """Explain a certificate: rows with outputs 1 and 0, whose hulls meet in a point."""
    start = f"The rows {listed(ones)} are 1, the rows {listed(zeros)} are 0."
    if even and len(ones) == len(zeros) == 2:
        return (
            f"{start} Their middles are the same point {meeting}. A unit that fires on both of the "
            "first reaches θ in the middle, so it fires on at least one of the second."
        )
    return (
        f"{start} With the weights below, both have the same mean {meeting}. A unit that fires on "
        "all of the first reaches θ there, so it fires on at least one of the second."
    )
