"""A tagger evaluated on files: correct tokens, spans and sentences."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.evaluation.files import class_metrics
from rosenblatt.evaluation.metrics import Confusion
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.prediction.model_files import OpenTagger
from rosenblatt.readers.names import Vocabulary
from rosenblatt.readers.sources import expand
from rosenblatt.tagging import schemes, spans
from rosenblatt.tagging.conll import Part, parts
from rosenblatt.tagging.corpus import WORD, Column
from rosenblatt.tagging.file_layout import corpus_of


class TaggerEvaluation:
    """How good a tagger is on some files.

    Attributes
    ----------
    metrics : Confusion
        Which tags were predicted for which.
    report : SpanReport
        Spans, as conlleval counts them.
    sentences, right : int
        How many there are, and how many of them have all tags right.
    new, new_right : int
        How many tokens are words that were not in training, and how many of them are right.
    """

    def __init__(self, tagger: OpenTagger) -> None:
        self.tagger, self.tags = tagger, sorted(tagger.tags)
        self._place = np.array([self.tags.index(tag) for tag in tagger.tags])
        self.metrics = Confusion(np.array(self.tags, object))
        self.report = spans.SpanReport(0, 0, spans.Counts(0, 0, 0), {})
        self.sentences = self.right = self.new = self.new_right = 0
        self.words = _words(tagger)

    @property
    def of_spans(self) -> bool:
        """Whether the tags are those of spans."""
        return schemes.is_spans(self.tags)

    def add(self, part: Part, names: Sequence[str] | None) -> None:
        """Evaluate the sentences of a part."""
        reading, model = self.tagger.reading, self.tagger.model
        places = reading.find(part.layout, names, part.file, True)
        corpus = corpus_of(part.corpus, part.layout, places)
        if not corpus.n_tokens:
            return
        found = self._place[model.codes(corpus.only(reading.inputs))]
        truth = corpus.columns[reading.tag]
        values = np.array(truth.values(), object)
        self.metrics.add(values[truth.codes], found)
        every = list(dict.fromkeys([*self.tags, *values.tolist()]))
        gold = np.array([every.index(value) for value in values.tolist()])[truth.codes]
        self.report = _sum(self.report, spans.evaluate(every, gold, found, corpus.offsets))
        right = gold == found
        self.sentences += len(corpus)
        self.right += int(np.logical_and.reduceat(right, corpus.offsets[:-1]).sum())
        if self.words is not None:
            new = _unknown(self.words, corpus.columns[WORD])
            self.new += int(np.count_nonzero(new))
            self.new_right += int(np.count_nonzero(right & new))

    def as_json(self) -> dict[str, Any]:
        """Return all figures."""
        new = None
        if self.words is not None:
            share = self.new_right / self.new if self.new else None
            new = {"tokens": self.new, "right": self.new_right, "accuracy": share}
        return {
            "tokens": self.metrics.examples,
            "mistakes": self.metrics.mistakes,
            "accuracy": self.metrics.accuracy,
            "sentences": self.sentences,
            "sentences_right": self.right,
            "new_words": new,
            "unknown_tags": self.metrics.unknown,
            "spans": self._spans() if self.of_spans else None,
            **class_metrics(self.metrics),
        }

    def _spans(self) -> dict[str, Any]:
        def figures(counts: spans.Counts) -> dict[str, Any]:
            names = ("precision", "recall", "f1")
            return {**{name: getattr(counts, name) for name in names}, **counts._asdict()}

        types = {name: figures(counts) for name, counts in self.report.types.items()}
        return {**figures(self.report.total), "types": types}


def evaluate_tagger(
    tagger: OpenTagger,
    files: list[str],
    format: str,  # noqa: A002
    names: Sequence[str] | None,
) -> TaggerEvaluation:
    """Tag the sentences of files that have tags, and count what is right."""
    evaluation = TaggerEvaluation(tagger)
    for part in parts(files, format=format):
        evaluation.add(part, names)
    if not evaluation.sentences:
        shown = ", ".join(source.name for source in expand(files))
        raise ValueError(f"{shown}: there are no tokens")
    return evaluation


def _words(tagger: OpenTagger) -> Vocabulary | None:
    """Return the words of a tagger's training, if its file has them."""
    kept = tagger.extra.get("words")
    if kept is None or WORD not in tagger.reading.inputs:
        return None
    try:
        words = Vocabulary.from_arrays(kept["letters"], kept["ends"], "words")
    except (AttributeError, LookupError, TypeError, ValueError):
        raise ModelFileError(f"{tagger.path}: its list of training words is damaged") from None
    words.frozen = True
    return words


def _unknown(words: Vocabulary, column: Column) -> Array:
    """Say of each token whether its word is not among those known."""
    new: Array = words.intern(column.letters, column.ends) < 0
    return new[column.codes]


def _sum(one: spans.SpanReport, other: spans.SpanReport) -> spans.SpanReport:
    """Add up the counts of two parts."""

    def plus(a: spans.Counts, b: spans.Counts) -> spans.Counts:
        return spans.Counts(*(x + y for x, y in zip(a, b, strict=True)))

    none = spans.Counts(0, 0, 0)
    names = sorted({*one.types, *other.types})
    types = {name: plus(one.types.get(name, none), other.types.get(name, none)) for name in names}
    return spans.SpanReport(
        one.tokens + other.tokens,
        one.correct_tokens + other.correct_tokens,
        plus(one.total, other.total),
        types,
    )
