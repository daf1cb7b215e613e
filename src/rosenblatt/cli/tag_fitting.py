"""A tagger learns from files, as the options say."""

from time import perf_counter
from typing import Any

from rosenblatt.cli.output import count, say, visible
from rosenblatt.cli.tag_columns import Reading, choose, corpus_of
from rosenblatt.cli.tag_job import TagJob
from rosenblatt.cli.tag_outcome import TagOutcome
from rosenblatt.cli.tag_progress import TagLines
from rosenblatt.estimators.tagger import SequenceTagger
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.conll import Gathered, read
from rosenblatt.readers.sources import expand
from rosenblatt.sequence import schemes
from rosenblatt.sequence.chains import BrokenConstraintsError, nearest_scheme
from rosenblatt.sequence.corpus import Column, Corpus

_SHOWN = 10
_MANY_TAGS = 300
_OPTIONS = {
    "set constraints=None": "take --constraints none",
    "set order=1": "take --order 1",
    "order=2": "--order 2",
}


def train_tagger(job: TagJob) -> TagOutcome:
    """Read, learn, and return what came out."""
    began = perf_counter()
    described = [[source.name, source.size] for source in expand(job.files)]
    expand(job.dev or [])  # what is not there is to be known now, and not in an hour
    gathered = read(job.files, format=job.format)
    reading = choose(gathered.layout, job.names, job.tag, gathered.files[0])
    corpus = _corpus(gathered, reading)
    dev = None
    if job.dev:
        judged = read(job.dev, format=job.format)
        dev = _corpus(judged, reading)
    say(
        f"read {count(len(corpus), 'sentence')}, {count(corpus.n_tokens, 'token')}"
        + (f"; to judge by {len(dev):,} and {dev.n_tokens:,}" if dev is not None else ""),
        quiet=job.quiet,
    )
    tags = corpus.columns[reading.tag].values()
    if len(tags) < 2:
        raise ValueError(
            f"{', '.join(gathered.files)}: all {count(corpus.n_tokens, 'token')} have "
            f"{tags[0]!r} in the column {reading.tag}, so there is nothing to learn; is it the "
            "right one (--tag)?"
        )
    if len(tags) > _MANY_TAGS:
        say(
            f"note: there are {len(tags):,} different tags in the column {reading.tag}; is it the "
            "right one (--tag)? The time grows with their square",
            quiet=job.quiet,
        )
    new = [tag for tag in _tags(dev, reading) if tag not in {*tags}]
    of_spans = schemes.is_spans(tags)
    outcome = TagOutcome(
        _fit(job, gathered, reading, corpus, dev, "F1" if of_spans else "accuracy"),
        reading,
        described,
        corpus,
        metric=None if dev is None else "F1" if of_spans else "accuracy",
        notes=[*_notes(job, reading, new)],
    )
    if of_spans and outcome.model.scheme_ is None and job.constraints == "auto":
        outcome.notes.append(_no_scheme(gathered, corpus.columns[reading.tag]))
    outcome.seconds = perf_counter() - began
    return outcome


def _corpus(gathered: Gathered, reading: Reading) -> Corpus:
    places = reading.find(gathered.layout, None, gathered.files[0], True)
    return corpus_of(gathered.corpus, gathered.layout, places)


def _tags(corpus: Corpus | None, reading: Reading) -> list[str]:
    return [] if corpus is None else corpus.columns[reading.tag].values()


def _fit(
    job: TagJob,
    gathered: Gathered,
    reading: Reading,
    corpus: Corpus,
    dev: Corpus | None,
    metric: str,
) -> Any:
    model = SequenceTagger(
        job.asked,
        lists=job.entries or None,
        order=job.order,
        constraints=None if job.constraints == "none" else job.constraints,
        min_count=job.min_count,
        max_iter=job.passes,
        n_iter_no_change=job.patience or 5,
        random_state=job.seed,
    )
    held = None
    if dev is not None:
        held = (dev.only(reading.inputs), dev.columns[reading.tag])
    lines = TagLines(job.passes, corpus.n_tokens, None if dev is None else metric)
    try:
        return model.fit(
            corpus.only(reading.inputs),
            corpus.columns[reading.tag],
            validation=held,
            callback=None if job.quiet else lines,
        )
    except BrokenConstraintsError as error:
        raise _placed(error, gathered) from None
    except ValueError as error:
        raise ValueError(_with_options(str(error))) from None
    finally:
        lines.close()


def _no_scheme(gathered: Gathered, tags: Column) -> str:
    """Say that tags keep to no scheme, and where they first break the one they are nearest to."""
    scheme, broken = nearest_scheme(tags.values(), tags.codes, gathered.corpus.offsets)
    if not broken:
        return f"the tags keep to {scheme}, which needs other tags, too; so each may follow each"
    first = broken[0]
    place = gathered.place(int(gathered.corpus.offsets[first.sequence]))
    return (
        f"each tag may follow each, as {count(len(broken), 'sentence')} would break {scheme}; the "
        f"first begins at {place}: {first.why}"
    )


def _placed(error: BrokenConstraintsError, gathered: Gathered) -> DataError:
    """Say where in the files it is that tags break the constraints."""
    token = int(gathered.corpus.offsets[error.sequence])
    file, _, line = gathered.place(token).rpartition(":")
    problem = f"the sentence that begins here breaks the constraints: {error.why}"
    return DataError(file, int(line), None, f"{problem}. --constraints none allows all")


def _with_options(text: str) -> str:
    """Write parameters as the options that stand for them."""
    for parameter, option in _OPTIONS.items():
        text = text.replace(parameter, option)
    return text


def _notes(job: TagJob, reading: Reading, new: list[str]) -> list[str]:
    notes = []
    if new:
        shown = ", ".join(visible(tag) for tag in new[:_SHOWN])
        more = ", …" if len(new) > _SHOWN else ""
        notes.append(f"tags of --dev that are not in the training files: {shown}{more}")
    after = reading.names[reading.names.index(reading.tag) + 1 :]
    behind = [name for name in after if name in reading.inputs]
    if job.columns is None and behind and reading.format == "columns":
        like = ["-" if name in behind else name for name in reading.names]
        notes.append(
            f"behind the tags, it looks at the column {' and '.join(behind)}, which new files "
            f"must have, too; --columns {','.join(like)} leaves that out"
        )
    return notes
