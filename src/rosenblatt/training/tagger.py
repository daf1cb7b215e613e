"""The command `tag train`: reads files, trains a tagger, and describes the result."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.console import (
    count,
    duration,
    percent,
    put_facts,
    say,
    several,
    size,
    visible,
)
from rosenblatt.kernels.jit import working_time
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.sources import expand
from rosenblatt.tagging import schemes
from rosenblatt.tagging.conll import LocatedCorpus, read
from rosenblatt.tagging.corpus import WORD, Column, Corpus
from rosenblatt.tagging.estimator import SequenceTagger
from rosenblatt.tagging.file_layout import TagReading, choose, corpus_of
from rosenblatt.tagging.metadata import metadata_of
from rosenblatt.tagging.schemes import BrokenConstraintsError, nearest_scheme
from rosenblatt.training.progress import TagLines
from rosenblatt.training.tagger_options import TagOptions

if TYPE_CHECKING:
    from rosenblatt.distributed.checkpoint import Checkpoint

_SHOWN_TAGS = 8
_WORTH_A_RATE = 10_000  # tokens


@dataclass
class TaggerResult:
    """The result of training a tagger.

    Attributes
    ----------
    model : SequenceTagger
        The tagger.
    reading : TagReading
        How its files are read.
    checkpoint : Checkpoint or None
        What is not needed once the model is saved.
    """

    model: Any
    reading: TagReading
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    checkpoint: "Checkpoint | None" = None

    def facts(self) -> dict[str, Any]:
        """Return what the model file keeps: only what is the same when the run is repeated."""
        facts: dict[str, Any] = self.model.metadata["summary"]
        return facts

    def as_json(self, saved: str | None) -> dict[str, Any]:
        """Return the whole result."""
        return {
            **self.facts(),
            "tags": self.model.classes_.tolist(),
            "scheme": self.model.scheme_,
            "columns": list(self.reading.inputs),
            "tag_column": self.reading.tag,
            "templates": list(self.model.templates_),
            "features": self.model.n_features_,
            "seconds": round(self.seconds, 4),
            "tokens_per_second": round(self._rate),
            "model": saved,
            "model_bytes": None if saved is None else Path(saved).stat().st_size,
            "notes": self.notes,
        }

    @property
    def _rate(self) -> float:
        return float(self.facts()["tokens"] * self.model.n_iter_ / max(self.seconds, 1e-9))


def show(result: TaggerResult, saved: str | None, quiet: bool) -> None:
    """Print the result of training: all of it, or only the score."""
    lines = _lines(result, saved)
    if quiet:
        wanted = "mistakes" if result.facts()["metric"] is None else "dev"
        lines = [(name, text) for name, text in lines if name == wanted]
    put_facts(lines)
    for note in result.notes:
        say(f"note: {note}", quiet=quiet)


def _lines(result: TaggerResult, saved: str | None) -> list[tuple[str, str]]:
    model, facts = result.model, result.facts()
    took = f"{count(model.n_iter_, 'pass', 'passes')} in {duration(result.seconds)}"
    if facts["tokens"] > _WORTH_A_RATE:
        took += f", {result._rate:,.0f} tokens/s"
    lines = [
        ("tagger", took),
        ("sentences", f"{facts['sentences']:,}, with {count(facts['tokens'], 'token')}"),
        ("input", ", ".join(result.reading.inputs)),
        ("tags", tags_in_words(model.classes_.tolist(), model.scheme_, result.reading.tag)),
        ("features", f"{model.n_features_:,}, of {count(len(model.templates_), 'template')}"),
        ("mistakes", mistakes_in_words(facts)),
    ]
    if facts["best_pass"] is not None:
        best = max(facts["validation"])
        after = count(facts["best_pass"], "pass", "passes")
        lines.append(("dev", f"{facts['metric']} {percent(best)} after {after}: kept"))
    if saved is None:
        lines.append(("saved", "nothing; -o FILE saves the model"))
    else:
        lines.append(("saved", f"{saved}, {size(Path(saved).stat().st_size)}"))
    return lines


def tags_in_words(tags: list[Any], scheme: str | None, column: str) -> str:
    """Write some of the tags, their scheme and their column."""
    shown = " ".join(visible(str(tag)) for tag in tags[:_SHOWN_TAGS])
    shown += " …" if len(tags) > _SHOWN_TAGS else ""
    kept = f"; scheme {scheme}" if scheme else ""
    return f"{len(tags)} in column {column}: {shown}{kept}"


def mistakes_in_words(training: dict[str, Any]) -> str:
    """Write the number of wrong sentences in each pass."""
    mistakes, sentences = training["mistakes"], training.get("sentences")
    share = f" ({percent(mistakes[-1] / sentences)})" if sentences else ""
    where = "sentences in each pass" if len(mistakes) > 1 else "sentences"
    return several([f"{number:,}" for number in mistakes], where + share)


_SHOWN = 10
_MANY_TAGS = 300


def train_tagger(options: TagOptions) -> TaggerResult:
    """Read the files, and train a tagger."""
    began = working_time()
    described = [[source.name, source.size] for source in expand(options.files)]
    expand(options.dev or [])  # report a missing file now, not in an hour
    gathered = read(options.files, format=options.format)
    reading = choose(gathered.layout, options.names, options.tag, gathered.files[0])
    corpus = _corpus(gathered, reading)
    dev = None
    if options.dev:
        dev = _corpus(read(options.dev, format=options.format), reading)
    say(
        f"read {count(len(corpus), 'sentence')}, {count(corpus.n_tokens, 'token')}"
        + (f"; dev {len(dev):,} and {dev.n_tokens:,}" if dev is not None else ""),
        quiet=options.quiet,
    )
    tags = corpus.columns[reading.tag].values()
    if len(tags) < 2:
        raise ValueError(
            f"{', '.join(gathered.files)}: all {count(corpus.n_tokens, 'token')} have "
            f"{tags[0]!r} in the column {reading.tag}, so there is nothing to learn; is it the "
            "right column (--tag)?"
        )
    if len(tags) > _MANY_TAGS:
        say(
            f"note: there are {len(tags):,} different tags in the column {reading.tag}; is it the "
            "right column (--tag)? Training time grows with the square of their number",
            quiet=options.quiet,
        )
    new = [tag for tag in _tags(dev, reading) if tag not in {*tags}]
    of_spans = schemes.is_spans(tags)
    metric = "F1" if of_spans else "accuracy"
    model = _fit(options, gathered, reading, corpus, dev, metric)
    words = corpus.columns.get(WORD)
    model.metadata = metadata_of(
        model,
        reading,
        described,
        len(corpus),
        corpus.n_tokens,
        None if words is None else (words.letters, words.ends),
        None if dev is None else metric,
    )
    result = TaggerResult(model, reading, notes=notes_for(options, reading, new))
    if of_spans and model.scheme_ is None and options.constraints == "auto":
        result.notes.append(_no_scheme(gathered, corpus.columns[reading.tag]))
    result.seconds = working_time() - began
    return result


def _corpus(gathered: LocatedCorpus, reading: TagReading) -> Corpus:
    places = reading.find(gathered.layout, None, gathered.files[0], True)
    return corpus_of(gathered.corpus, gathered.layout, places)


def _tags(corpus: Corpus | None, reading: TagReading) -> list[str]:
    return [] if corpus is None else corpus.columns[reading.tag].values()


def _fit(
    options: TagOptions,
    gathered: LocatedCorpus,
    reading: TagReading,
    corpus: Corpus,
    dev: Corpus | None,
    metric: str,
) -> Any:
    model, held = new_tagger(options), None
    if dev is not None:
        held = (dev.only(reading.inputs), dev.columns[reading.tag])
    lines = TagLines(options.n_passes, corpus.n_tokens, None if dev is None else metric)
    try:
        return model.fit(
            corpus.only(reading.inputs),
            corpus.columns[reading.tag],
            validation=held,
            callback=None if options.quiet else lines,
        )
    except BrokenConstraintsError as error:
        raise _placed(error, gathered) from None
    finally:
        lines.close()


def new_tagger(options: TagOptions) -> SequenceTagger:
    """Return a tagger that is yet to learn."""
    return SequenceTagger(
        options.template_text,
        lists=options.entries or None,
        order=options.order,
        constraints=None if options.constraints == "none" else options.constraints,
        min_count=options.min_count,
        max_iter=options.n_passes,
        n_iter_no_change=options.patience or 5,
        random_state=options.seed,
    )


def _no_scheme(gathered: LocatedCorpus, tags: Column) -> str:
    """Report that tags follow no scheme, and where they first break the closest one."""
    scheme, broken = nearest_scheme(tags.values(), tags.codes, gathered.corpus.offsets)
    if not broken:
        return f"the tags follow {scheme}, but not all of its tags occur; so any tag may follow any"
    first = broken[0]
    place = gathered.place(int(gathered.corpus.offsets[first.sequence]))
    return (
        f"any tag may follow any, since {count(len(broken), 'sentence')} would break {scheme}; the "
        f"first begins at {place}: {first.why}"
    )


def _placed(error: BrokenConstraintsError, gathered: LocatedCorpus) -> DataError:
    """Return an error that says where in the files tags break the constraints."""
    token = int(gathered.corpus.offsets[error.sequence])
    file, _, line = gathered.place(token).rpartition(":")
    problem = f"the sentence that begins here breaks the constraints: {error.why}"
    return DataError(file, int(line), None, f"{problem}. --constraints none allows any order")


def notes_for(options: TagOptions, reading: TagReading, new: Sequence[str] = ()) -> list[str]:
    """Return what a user should know; ``new`` are tags that only ``--dev`` has."""
    notes = []
    if new:
        shown = ", ".join(visible(tag) for tag in new[:_SHOWN])
        more = ", …" if len(new) > _SHOWN else ""
        notes.append(f"tags of --dev that do not occur in the training files: {shown}{more}")
    after = reading.names[reading.names.index(reading.tag) + 1 :]
    following = [name for name in after if name in reading.inputs]
    if options.columns is None and following and reading.format == "columns":
        like = ["-" if name in following else name for name in reading.names]
        notes.append(
            f"the column {' and '.join(following)} after the tags is used as input, so new files "
            f"must have it, too; --columns {','.join(like)} skips it"
        )
    return notes
