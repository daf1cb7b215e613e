"""A tagger's file described, as text and as JSON."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.console import count, percent, size
from rosenblatt.data.rows import Array
from rosenblatt.inspection.model import bar_line, file_facts
from rosenblatt.persist.container import read_header
from rosenblatt.prediction.model_files import OpenTagger
from rosenblatt.training.tagger import mistakes_in_words, tags_in_words

START = "<start>"
_NAME, _BAR = 38, 13  # letters of a feature's name, and of a bar to one side
_MOST_TAGS = 8
_SHOWN = 4  # files


def described(opened: OpenTagger, tag: str | None, after: str | None, top: int) -> dict[str, Any]:
    """Describe a tagger, for JSON."""
    header, model = read_header(opened.path), opened.model
    tags = opened.tags if tag is None else [tag]
    return {
        **file_facts(opened.path, header),
        "order": model.order_,
        "tags": opened.tags,
        "scheme": model.scheme_,
        "columns": list(opened.reading.inputs),
        "tag_column": opened.reading.tag,
        "templates": list(model.templates_),
        "features": model.n_features_,
        "reading": opened.reading.header(),
        "training": training_of(opened),
        "weights": [
            {
                "tag": name,
                "strongest": [
                    {"feature": feature, "weight": weight}
                    for feature, weight in _features(opened, name, top)
                ],
            }
            for name in tags
        ],
        "transitions": [
            {"after": before, "tag": name, "weight": weight}
            for before, name, weight in (
                _strongest(opened, top) if after is None else _after(opened, after)
            )
        ],
    }


def training_of(opened: OpenTagger) -> dict[str, Any]:
    """Return what is known of how it was trained: more of taggers made at the command line."""
    model = opened.model
    known = {
        "passes": int(model.n_iter_),
        "mistakes": model.mistakes_.tolist(),
        "wrong_tokens": model.wrong_tokens_.tolist(),
        "converged": bool(model.converged_),
    }
    summary = opened.extra.get("summary")
    if not isinstance(summary, dict):
        return known
    return {**summary, **known} if _sound(summary) else {**known, "damaged": True}


def _sound(summary: dict[str, Any]) -> bool:
    """Say whether the types in a summary are right: the file may come from anywhere."""
    files, scores = summary.get("files"), summary.get("validation")
    counts = [summary.get(name) for name in ("sentences", "tokens")]
    best = summary.get("best_pass")
    return (
        isinstance(files, list)
        and all(isinstance(file, list) and len(file) == 2 for file in files)
        and all(type(number) is int and 0 < number < 1 << 63 for number in counts)
        and isinstance(scores, list)
        and all(isinstance(score, float) for score in scores)
        and (best is None or (type(best) is int and 0 < best <= len(scores)))
        and summary.get("metric") in (None, "F1", "accuracy")
    )


def facts_of(opened: OpenTagger) -> list[tuple[str, str]]:
    """Describe a tagger, as pairs of a name and a text."""
    model, training = opened.model, training_of(opened)
    header = read_header(opened.path)
    facts = [
        ("model", f"{opened.path}, {size(Path(opened.path).stat().st_size)}"),
        ("tagger", f"{header['kind']}, order {model.order_}"),
        ("data", _data(training)),
        ("mistakes", mistakes_in_words(training)),
        ("dev", _dev(training)),
        ("tags", tags_in_words(opened.tags, model.scheme_, opened.reading.tag)),
        ("input", ", ".join(opened.reading.inputs)),
        ("templates", f"{len(model.templates_)}: {'; '.join(model.templates_)}"),
        ("features", f"{model.n_features_:,}"),
        ("format", f"{header['format']}, written by version {header['library']}"),
    ]
    return [(name, fact) for name, fact in facts if fact]


def _data(training: dict[str, Any]) -> str:
    if training.get("damaged"):
        return "the summary of its training is damaged"
    files = [str(name) for name, _ in training.get("files", [])]
    parts = [", ".join(files[:_SHOWN])]
    if len(files) > _SHOWN:
        parts = [f"{parts[0]} and {len(files) - _SHOWN} more"]
    for what in ("sentence", "token"):
        if f"{what}s" in training:
            parts.append(count(training[f"{what}s"], what))
    parts.append(count(training["passes"], "pass", "passes"))
    return ", ".join(part for part in parts if part)


def _dev(training: dict[str, Any]) -> str:
    best = training.get("best_pass")
    if not best:
        return ""
    score = percent(training["validation"][best - 1])
    return f"{training['metric']} {score} after {count(best, 'pass', 'passes')}: kept"


def charts(opened: OpenTagger, tag: str | None, top: int) -> Iterator[str]:
    """Draw the strongest features of each tag, or of one, and the strongest transitions."""
    tags = _many_first(opened) if tag is None else [tag]
    for name in tags[:_MOST_TAGS]:
        features = _features(opened, name, top)
        yield from _chart("feature", f"{name} ▸", features)
    if len(tags) > _MOST_TAGS:
        more = count(len(tags) - _MOST_TAGS, "more tag")
        yield f"\n… and {more}; --tag shows any, and --json has them all"
    if tag is None:
        found = [(f"{a} → {b}", weight) for a, b, weight in _strongest(opened, top)]
        yield from _chart("transition", "", found)


def following(opened: OpenTagger, tag: str) -> Iterator[str]:
    """Draw the weights of all tags after one."""
    return _chart(f"after {tag}", "", [(name, w) for _, name, w in _after(opened, tag)])


def _chart(what: str, title: str, weights: list[tuple[str, Any]]) -> Iterator[str]:
    yield ""
    yield f"{what:<{_NAME}} {'weight':>11}  {'':>{_BAR}}│{title}"
    largest = max((abs(weight) for _, weight in weights if weight is not None), default=0.0) or 1.0
    for name, weight in weights:
        yield bar_line(name, weight, (weight or 0.0) / largest, _NAME, _BAR)


def _features(opened: OpenTagger, tag: str, top: int) -> list[tuple[str, float]]:
    """Return the strongest features of a tag, from the largest weight down."""
    found = opened.model.features_of(opened.model.classes_[_place(opened, tag)], top)
    return sorted(found, key=lambda pair: -pair[1])


def _place(opened: OpenTagger, tag: str) -> int:
    tags = opened.tags
    if tag not in tags:
        raise ValueError(f"{opened.path} knows no tag {tag!r}; its tags are {', '.join(tags)}")
    return tags.index(tag)


def _many_first(opened: OpenTagger) -> list[str]:
    """Return the tags; those with the largest transition weights come first."""
    weights = _weights(opened)
    learned = np.abs(weights).sum(axis=0, where=np.isfinite(weights))
    return [opened.tags[k] for k in np.argsort(-learned, kind="stable").tolist()]


def _weights(opened: OpenTagger) -> Array:
    """Return the weight of each tag after each tag, and in the last row after the start."""
    return np.vstack([opened.model.transitions_, opened.model.start_])


def _strongest(opened: OpenTagger, top: int) -> list[tuple[str, str, float]]:
    """Return the transitions with the largest weights, from the largest down."""
    weights, names = _weights(opened), [*opened.tags, START]
    sizes = np.where(np.isfinite(weights), np.abs(weights), 0.0).ravel()
    chosen = np.argsort(-sizes, kind="stable")[:top]
    chosen = chosen[sizes[chosen] > 0]
    pairs = [divmod(place, len(opened.tags)) for place in chosen.tolist()]
    found = [(names[a], opened.tags[b], float(weights[a, b])) for a, b in pairs]
    return sorted(found, key=lambda triple: -triple[2])


def _after(opened: OpenTagger, tag: str) -> list[tuple[str, str, float | None]]:
    """Return the weights of all tags after one; None is not allowed, and comes last."""
    row = _weights(opened)[-1 if tag == START else _place(opened, tag)]
    order = np.argsort(-row, kind="stable").tolist()
    return [(tag, opened.tags[k], float(row[k]) if np.isfinite(row[k]) else None) for k in order]
