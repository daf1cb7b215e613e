"""`tag train --workers` and `tag train --cluster`: a tagger that learns in shards."""

from time import perf_counter
from typing import Any

from rosenblatt.distributed.checkpoint import Checkpoint
from rosenblatt.distributed.mixing import Rounds
from rosenblatt.distributed.tagger import check_tagger, fit_tagger
from rosenblatt.tagging.file_layout import TagReading
from rosenblatt.tagging.fitting import Progress
from rosenblatt.tagging.schemes import is_spans
from rosenblatt.training.cluster import Report, check_cluster, in_shards
from rosenblatt.training.progress import TagLines
from rosenblatt.training.tagger import TaggerResult, new_tagger, notes_for
from rosenblatt.training.tagger_options import TagOptions

_TOGETHER = ("rounds", "shards", "checkpoint")
_ALONE = {
    "passes": "say --rounds",
    "dev": "evaluate the model with rosenblatt tag evaluate",
}


def check_options(options: TagOptions) -> None:
    """Raise `UsageError` for options that make no sense on a cluster, or without one."""
    check_cluster(options, _TOGETHER, _ALONE)


def train_tagger_on_cluster(options: TagOptions) -> TaggerResult:
    """Train a tagger in shards."""
    model, began = new_tagger(options), perf_counter()
    check_tagger(model)
    in_shards(
        options,
        lambda cluster, plan, size: fit_tagger(
            cluster, model, options.files, options.tag, plan, size,
            format=options.format, names=options.names,
        ),
        TagReport,
    )  # fmt: skip
    assert model.metadata is not None
    reading = TagReading.from_header(model.metadata["reading"], list(model.feature_names_in_))
    notes = notes_for(options, reading)
    tags = [str(tag) for tag in model.classes_.tolist()]
    if is_spans(tags) and model.scheme_ is None and options.constraints == "auto":
        notes.append("any tag may follow any, since the tags follow no scheme such as iob2")
    kept = None if options.checkpoint is None else Checkpoint(options.checkpoint, {})
    return TaggerResult(model, reading, perf_counter() - began, notes, kept)


class TagReport(Report):
    """Shows the progress of rounds and their shards of sentences."""

    lines: TagLines | Any

    def new_lines(self, rounds: int) -> Any:
        """Return what writes a line after each round."""
        return TagLines(rounds, 0, None)

    def end_round(self, number: int, done: Rounds) -> None:
        """Write a line."""
        if not isinstance(self.lines, TagLines):
            return
        passes = done.passes[-1]
        if not self.lines.tokens:
            self.lines.tokens = sum(each.tokens for each in passes)
            self.lines.before = number - 1
        sentences = sum(each.examples for each in passes)
        wrong = sum(each.wrong_tokens for each in passes)
        spent = perf_counter() - self.began
        self.lines(Progress(number, sentences, sentences, done.mistakes[-1], wrong, spent))
