"""Features of tokens as anyone would write them down: a text for each token and template."""

from collections import Counter
from itertools import chain, groupby

START, END = "<start>", "<end>"


def shape(text):
    kinds = [
        "X" if c.isupper() or c.istitle() else "x" if c.isalpha() else "0" if c.isdigit() else c
        for c in text
    ]
    return "".join(kind for kind, _ in groupby(kinds))


def text_of(value, token):
    """Return a value of a token (a dict), or None if it has none."""
    if value.of is None:
        return token[value.function]
    inner, k = text_of(value.of, token), value.argument
    if inner is None:
        return None
    if value.function == "lower":
        return inner.lower()
    if value.function == "shape":
        return shape(inner)
    if len(inner) < k:
        return None
    return inner[:k] if value.function == "prefix" else inner[len(inner) - k :]


def marks(texts, entries):
    """Write B and I at the entries of a list, from the left and the longest first."""
    found, at = [None] * len(texts), 0
    while at < len(texts):
        sizes = [len(e) for e in entries if e and texts[at : at + len(e)] == e]
        size = max(sizes, default=0)
        found[at : at + size] = ["B", *"I" * (size - 1)][:size]
        at += size or 1
    return found


def row_of(value, sequence, lists):
    """Return a value of all tokens of a sequence."""
    if value.function == "in" and value.of is not None:
        return marks([text_of(value.of, token) for token in sequence], lists[value.argument])
    return [text_of(value, token) for token in sequence]


def extract(templates, sequences, lists=None):
    """Return for each template each token's feature as (place outside or not, text) of each part.

    None if a part has no value.
    """
    return [
        list(chain.from_iterable(_of_sequence(template, s, lists or {}) for s in sequences))
        for template in templates
    ]


def _of_sequence(template, sequence, lists):
    rows = [row_of(part.value, sequence, lists) for part in template.parts]
    for t in range(len(sequence)):
        each = []
        for part, row in zip(template.parts, rows, strict=True):
            at = t + part.place
            inside = 0 <= at < len(sequence)
            each.append((inside, row[at] if inside else START if at < 0 else END))
        yield None if (True, None) in each else tuple(each)


def numbered(templates, sequences, lists=None, min_count=1):
    """Return the names of features in the order they are met, template by template, and numbers."""
    known = []
    for template, column in zip(templates, extract(templates, sequences, lists), strict=True):
        counts = Counter(feature for feature in column if feature is not None)
        known += [(template, feature) for feature, n in counts.items() if n >= min_count]
    return known


def numbers(known, templates, sequences, lists=None):
    """Return the number of each token's feature of each template, from 1 on; 0 is none."""
    place = {feature: number for number, feature in enumerate(known, 1)}
    columns = extract(templates, sequences, lists)
    pairs = zip(templates, columns, strict=True)
    return [[place.get((template, f), 0) for f in column] for template, column in pairs]


def name(template, feature):
    shown = [f"{part}={text}" for part, (_, text) in zip(template.parts, feature, strict=True)]
    return " & ".join(shown) or "bias"
