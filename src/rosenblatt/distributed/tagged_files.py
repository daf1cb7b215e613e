"""CoNLL files as shards for a tagger: ranges of bytes that begin and end with sentences."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.distributed.files import FileShard, ShardError, lines_before, stream_of
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.chunks import CHUNK
from rosenblatt.readers.sources import expand, open_stream
from rosenblatt.tagging.conll import Layout, Lines, _Tables, cut_file
from rosenblatt.tagging.corpus import Corpus
from rosenblatt.tagging.file_layout import LayoutOptions, TagReading, choose, corpus_of
from rosenblatt.tagging.input import Tags, as_corpus, as_tags

READING = ("format", "names")
_LOOK = 1 << 16  # bytes read at once to find a blank line
_BLANK = re.compile(rb"\n[ \t\r]*\n")


class TaggedShard(NamedTuple):
    """A range of a file, how its lines are cut, the places of columns, and what these are.

    Whether there are tags is what ``tagged`` says.
    """

    file: FileShard
    layout: Layout
    places: dict[str, int]
    reading: TagReading
    tagged: bool

    @property
    def tag(self) -> str | None:
        """The column of the tags."""
        return self.reading.tag if self.tagged else None


class Sequences(NamedTuple):
    """The sequences of a shard; ``lines`` are those of tokens in its range, if it is one.

    There are no tags where none are needed.
    """

    corpus: Corpus
    tags: Tags | None
    lines: Array | None = None


def cut_tagged(
    files: Sequence[str | Path],
    tag: str | None,
    size: int,
    names: Sequence[str] | None = None,
    format: str = "auto",  # noqa: A002
    known: TagReading | None = None,
    tagged: bool = True,
) -> list[TaggedShard]:
    """Look at how files begin, decide what their columns are, and cut them at blank lines.

    What is packed is a shard a file. A tagger that has learned says what its columns are, which is
    what ``known`` is for; unless files must be ``tagged``, its input is all that is looked for.
    """
    options = LayoutOptions.of(format, None, None, None)
    shards: list[TaggedShard] = []
    for source in expand(files):
        if source.path is None:
            raise ValueError(
                "standard input can be read only once, and only here; name files on a cluster"
            )
        whole = FileShard(source.name, str(source.path.resolve()), "conll")
        with open_stream(source) as stream:
            first = next(cut_file(stream, source.name, options, _LOOK, False), None)
            seekable = stream.seekable and source.size is not None
        if first is None:
            raise DataError(source.name, None, None, "there are no tokens in it")
        layout = first.detected.layout
        if known is not None:
            reading, given = known, names
        elif not shards:
            reading, given = choose(layout, names, tag, source.name), None
        elif layout.names != shards[0].layout.names:
            then = shards[0]
            problem = (
                f"the columns are {', '.join(layout.names)}; in {then.file.name} "
                f"{', '.join(then.layout.names)}"
            )
            raise DataError(source.name, first.detected.line, None, problem)
        places = reading.find(layout, given, source.name, tagged)
        if not tagged:
            places = {name: places[name] for name in reading.inputs}
        ranges = _ranges(whole, source.size or 0, size) if seekable else [whole]
        shards += [TaggedShard(one, layout, places, reading, tagged) for one in ranges]
    return shards


def _ranges(whole: FileShard, length: int, size: int) -> Iterator[FileShard]:
    parts = max(1, round(length / size))
    with Path(whole.path).open("rb") as file:
        cuts = {after_blank_line(file, length * k // parts) for k in range(1, parts)}
    places = [0, *sorted(cut for cut in cuts if 0 < cut < length), length]
    for start, stop in pairwise(places):
        yield whole._replace(start=start, stop=stop)


def after_blank_line(file: Any, place: int) -> int:
    r"""Return where the first blank line from a place on ends.

    >>> import io
    >>> after_blank_line(io.BytesIO(b"a X\nb Y\n \t\nc X\n"), 2)
    11
    """
    file.seek(place)
    text = b""
    while piece := file.read(_LOOK):
        text += piece
        found = _BLANK.search(text)
        if found:
            return int(place + found.end())
        kept = max(text.rfind(b"\n"), 0)  # a blank line may go on in the next piece
        place, text = place + kept, text[kept:]
    return int(place + len(text))


def _blocks(shard: FileShard, layout: Layout) -> Iterator[Lines]:
    with stream_of(shard) as stream:
        options = LayoutOptions.of("auto", None, layout, None)
        yield from cut_file(stream, shard.name, options, CHUNK, False)


def _placed(shard: TaggedShard, problem: str) -> str:
    """Read a file from its start on, so that a problem in a range names the line in the file."""
    try:
        for _ in _blocks(shard.file._replace(start=0), shard.layout):
            pass
    except DataError as error:
        return str(error)
    return problem


def read_tagged(shard: TaggedShard, columns: Sequence[str] | None) -> Sequences | None:
    """Read the sentences of a shard; None if there are none."""
    file, layout, places, *_ = shard
    tag = shard.tag
    gathered = _Tables()
    try:
        for block in _blocks(file, layout):
            gathered.add(block)
    except DataError as error:
        raise ShardError(_placed(shard, str(error))) from None
    except FileNotFoundError:
        raise ShardError(
            f"{file.name}: a worker cannot find {file.path}; files must be where all workers see "
            "them under the same path"
        ) from None
    if not gathered.n_tokens:
        return None
    corpus = corpus_of(gathered.corpus(), layout, places)
    tags = None if tag is None else as_tags(corpus.columns[tag], corpus)
    looked_at = corpus.only(name for name in places if name != tag)
    return Sequences(as_corpus(looked_at, columns), tags, np.concatenate(gathered.lines))


def place_of(shard: TaggedShard, line: int) -> str:
    """Return where a line of a range is: ``file:line``."""
    return f"{shard.file.name}:{line + lines_before(shard.file)}"
