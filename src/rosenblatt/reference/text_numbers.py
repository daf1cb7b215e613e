"""Numbers in text, as svmlight and Vowpal Wabbit's files have them."""

import re
from decimal import Decimal

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def number(text: str) -> float:
    """Return the number that a text is, or raise ``ValueError``; ``inf`` and ``nan`` are none."""
    if not NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is no number")
    return float(text)


def short_number(text: str) -> float:
    """Do the same for numbers that one rounding makes: m · 10^e with m ≤ 2^53 and |e| ≤ 22."""
    value = number(text)
    try:
        _, digits, exponent = Decimal(text).as_tuple()
    except ArithmeticError:
        raise ValueError(f"{text!r} has an exponent that no number needs") from None
    before = len(re.sub(r"^[+-]?|[.].*|[eE].*", "", text))
    if int("".join(map(str, digits))) > 2**53 or abs(int(exponent)) > 22 or before > 18:
        raise ValueError(f"{text!r} has more digits than a weight needs")
    return value
