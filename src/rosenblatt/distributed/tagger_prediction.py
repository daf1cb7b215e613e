"""A `SequenceTagger` that tags and is evaluated over shards."""

import operator
from functools import partial
from typing import Any

from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.mixing import in_tree
from rosenblatt.distributed.sources import rows_of
from rosenblatt.distributed.tagged_files import Sequences, read_tagged
from rosenblatt.distributed.tagger import cut_source, parts_of, same
from rosenblatt.tagging.estimator import SequenceTagger
from rosenblatt.tagging.file_layout import TagReading
from rosenblatt.tagging.input import is_flat, numbered
from rosenblatt.tagging.spans import Counts, SpanReport
from rosenblatt.tagging.spans import evaluate as evaluate_spans


def predict_sequences(
    cluster: Cluster, model: SequenceTagger, source: Any, shard_bytes: int, **reading: Any
) -> list[list[Any]]:
    """Return the tags of each sequence of all shards, in their order."""
    model._need_fitted("_state")
    with cluster.tasks("tagging") as tasks:
        known = reading_of(model)
        files = cut_source(source, None, shard_bytes, known, tagged=False, **reading)
        given = tasks.submit("publish", same, model)
        if files:
            read = [tasks.submit("read", read_tagged, one, None) for one in files]
            found = [tasks.submit("tag", tag_part, given, part) for part in read]
        else:
            rows = rows_of(cluster, source)
            found = [tasks.submit("tag", tag_sequences, given, part) for part in rows]
        return [tags for part in tasks.results(*found) for tags in part]


def reading_of(model: SequenceTagger) -> TagReading:
    """Return what the columns of files are for a tagger: as those that it learned from."""
    header = (model.metadata or {}).get("reading")
    return TagReading.from_header(header, tuple(map(str, model.feature_names_in_)))


def tag_part(model: SequenceTagger, part: Sequences | None) -> list[list[Any]]:
    """Tag the sequences of a file shard."""
    return [] if part is None else model.predict(part.corpus)


def tag_sequences(model: SequenceTagger, X: Any) -> list[list[Any]]:
    """Tag the sequences of a shard."""
    return list(model.predict(list(X) if hasattr(X, "__iter__") and not is_flat(X) else X))


def evaluate_sequences(
    cluster: Cluster, model: SequenceTagger, source: Any, y: Any, shard_bytes: int, **reading: Any
) -> SpanReport:
    """Count right tokens and spans in all shards, as `SequenceTagger.evaluate` does."""
    model._need_fitted("_state")
    with cluster.tasks("evaluating") as tasks:
        stored = model.metadata and "reading" in model.metadata and y is None
        known = reading_of(model) if stored and not reading.get("names") else None
        files = cut_source(source, y, shard_bytes, known, **reading)
        parts = parts_of(tasks, source, y, files, list(map(str, model.feature_names_in_)))
        given = tasks.submit("publish", same, model)
        found = [tasks.submit("evaluate", evaluate_part, given, part) for part in parts]
        joined = in_tree(found, partial(tasks.submit, "add", operator.add))
        (report,) = tasks.results(joined)
    if not report.tokens:
        raise ValueError("no shard has tokens, so there is nothing to evaluate")
    return report  # type: ignore[no-any-return]


def evaluate_part(model: SequenceTagger, part: Sequences | None) -> SpanReport:
    """Count right tokens and spans of a shard."""
    if part is None:
        return SpanReport(0, 0, Counts(0, 0, 0), {})
    assert part.tags is not None
    gold, every = numbered(part.tags, model.classes_)
    codes, offsets = model.codes(part.corpus), part.corpus.offsets
    return evaluate_spans(list(map(str, every)), gold, codes, offsets)
