"""What a tagger's weights and features must be, so that loops can run over them."""

from typing import Any

import numpy as np

from rosenblatt.models.checks import (
    WHOLE,
    check_array,
    check_finite,
    check_range,
    check_rising,
    check_vector,
    need,
)
from rosenblatt.tagging.features import MOST_COMBINATIONS, Features, Stored, combinations, plan_of
from rosenblatt.tagging.learner import MOST_TAGS, Model
from rosenblatt.tagging.schemes import SCHEMES
from rosenblatt.tagging.templates import MOST_PARTS, Template, check_columns, check_lists, parse

_SINGLE = (np.dtype(np.float32),)
_SMALL = tuple(map(np.dtype, (np.uint8, np.uint16, np.uint32)))


def check_model(model: Model, n_classes: int) -> None:
    """Raise ``ModelFileError`` unless weights are sound."""
    K = n_classes
    need(2 <= K <= MOST_TAGS, f"there must be 2 to {MOST_TAGS:,} tags")
    counts = check_vector(model.counts, "counts", _SMALL[1:]).astype(np.int64)
    labels = check_vector(model.labels, "labels", _SMALL)
    check_range(labels, "labels", K)
    check_range(counts - 1, "counts, less one,", K)
    check_finite(model.values, "values", labels.shape, _SINGLE)
    need(counts.sum() == len(labels), "there must be as many labels as counts say")
    inside = np.ones(len(labels), bool)
    inside[(np.cumsum(counts) - counts)[: len(counts)]] = False
    rises = labels[1:] > labels[:-1]
    need(np.all(rises, where=inside[1:]), "the labels of a feature must rise")
    for name, array, shape in (
        ("bigrams", model.bigrams, (K + 1, K)),
        ("trigrams", model.trigrams, (K + 1, K + 1, K)),
    ):
        if array is None and name == "trigrams":
            continue
        table = check_array(array, name, shape, _SINGLE)
        need(not np.isnan(table).any() and table.max() < np.inf, f"{name} has what is no weight")
    check_array(model.last, "last", (K,), (np.dtype(bool),))


def check_tagger(fitted: dict[str, Any], model: Model) -> None:
    """Raise ``ModelFileError`` unless features fit to the columns, and weights to the features."""
    stored = fitted["_features"]
    need(isinstance(stored, Stored), "_features must be features")
    scheme = fitted["scheme_"]
    need(scheme is None or (type(scheme) is str and scheme in SCHEMES), "there is no such scheme")
    templates = _check_templates(stored, [str(name) for name in fitted["feature_names_in_"]])
    counts = check_array(stored.counts, "counts", (len(templates),), WHOLE)
    keys = check_vector(stored.keys, "keys", WHOLE)
    check_range(counts, "counts", len(keys) + 1)  # each by itself: a sum may run over
    need(len(keys) == counts.sum() == len(model.counts), "there must be a key for each feature")
    sizes = _check_texts(stored, len(plan_of(templates).values))
    _check_keys(templates, keys, counts, sizes)
    try:
        Features.from_stored(stored)
    except ValueError as error:
        need(False, str(error))


def _check_templates(stored: Stored, columns: list[str]) -> list[Template]:
    texts, lists = stored.templates, stored.lists
    whole = type(texts) is tuple and texts and all(type(text) is str for text in texts)
    need(whole, "templates must be texts")
    need(
        type(lists) is dict and all(type(entries) is list for entries in lists.values()),
        "lists must have entries",
    )
    for entries in lists.values():
        for entry in entries:
            good = type(entry) is list and all(type(word) is str for word in entry)
            need(good, "an entry of a list must be words")
    try:
        templates = parse(texts)
        check_columns(templates, columns)
        check_lists(templates, lists)
    except ValueError as error:
        need(False, str(error))
    need(tuple(map(str, templates)) == texts, "templates must be written out, each once")
    most = max(len(template.parts) for template in templates)
    need(most <= MOST_PARTS, "a template has too many parts")
    return templates


def _check_texts(stored: Stored, n_values: int) -> Any:
    """Check the texts of values, and return how many each value has."""
    sizes = check_array(stored.sizes, "sizes", (n_values,), WHOLE)
    letters = check_vector(stored.letters, "letters", _SMALL[:1])
    ends = check_vector(stored.ends, "ends", WHOLE)
    check_range(sizes, "sizes", len(ends) + 1)
    need(sizes.sum() == len(ends), "sizes must add up to the texts")
    if len(ends):
        check_rising(ends, "ends", int(ends[0]), len(letters))
        need(ends[0] >= 0, "ends must not be negative")
    return sizes


def _check_keys(templates: list[Template], keys: Any, counts: Any, sizes: Any) -> None:
    """Check that each key is a combination of values that there are."""
    plan, first = plan_of(templates), 0
    for q, count in enumerate(counts.tolist()):
        most = combinations(plan, q, sizes)
        need(most < MOST_COMBINATIONS, "a template has more combinations than can be numbered")
        check_range(keys[first : first + count], "keys", most)
        first += count
