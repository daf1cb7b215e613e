"""Files as shards: ranges of bytes that begin and end with lines, and how a worker reads one.

A shard of a file is a small description (its path, a range, the columns as they were decided), from
which any worker makes the same rows. Text is cut at line ends, and CSV at those that are not within
quotes, Parquet between row groups. What is packed, and other binary formats, are a shard a file.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, Sparse, frozen, n_rows, take
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.readers.blocks import KEPT_MESSAGES, Block, DataError, ErrorLog
from rosenblatt.readers.column_types import ColumnType
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.formats import FORMATS, separator_of
from rosenblatt.readers.matrix import GrowingArray
from rosenblatt.readers.names import Hashed, Kept, Names, Numbered
from rosenblatt.readers.reader import Reader, _LabelTypeCheck, labelled
from rosenblatt.readers.sources import MOST_AHEAD, Source, Stream, _Plain, open_stream
from rosenblatt.stream.rules import as_sparse

SHARD_BYTES = 1 << 26  # to predict
MOST_BYTES = 1 << 30  # to learn from
NAMESPACED = ("vw", "vwjson")
TEXT_FORMATS = ("svmlight", "vw", "csv", "tsv", "jsonl", "vwjson", "text")
TABLES = ("csv", "tsv")
PARQUET = "parquet"
_PIECE = 1 << 22  # bytes read at once to count something
_LOOK = 1 << 16  # bytes read at once to find a line end


class ShardError(ValueError):
    """Something in a file cannot be read; the message names file and line."""

    quotes_data = True


class FileShard(NamedTuple):
    """A range of bytes of a file, or of the row groups of a Parquet file, to read its rows from.

    ``header`` is what a table's range is read after, and ``header_lines`` how many lines that is;
    ``stop`` is None if the whole file is one shard.
    """

    name: str
    path: str
    format: str
    start: int = 0
    stop: int | None = None
    header: bytes = b""
    separator: str = ","

    @property
    def place(self) -> str:
        """The file, and the range if it is not the whole of it."""
        if self.stop is None:
            return self.name
        if self.format == PARQUET:
            return f"{self.name}, row groups {self.start + 1:,} to {self.stop:,}"
        return f"{self.name}, bytes {self.start:,} to {self.stop:,}"


class Cut(NamedTuple):
    """All shards, how they are read, and what is known of the files."""

    shards: list[FileShard]
    reading: Reading
    names: Names
    described: list[list[Any]]
    usual: str | None


def cut_files(files: Sequence[str | Path], reading: Reading, bits: int | None, size: int) -> Cut:
    """Look at files, decide how they are read, and cut them into shards of about a size.

    The columns of tables are decided by the first rows of the first file, as one machine does.
    """
    if reading.labels is not None:
        reading = replace(reading, labels=str(Path(reading.labels).resolve()))
    reader = Reader(files, reading, bits=bits)
    try:
        if reader.once:
            raise ValueError(
                "standard input can be read only once, and only here; name files on a cluster"
            )
        shards: list[FileShard] = []
        for number in range(len(reader.sources)):
            stream, kind = reader._open(number)
            with stream:
                shards += _shards(stream, kind, reading, size)
        if FORMATS[reader.first_format()].module in ("tables", "jsonl"):
            next(iter(reader), None)  # which decides what the columns are, and the label's
        described = [[source.name, source.size] for source in reader.sources]
        label = reader.label
        decided = replace(reading, columns=reader.columns, others=reader.others, label=label)
        return Cut(shards, decided, reader.names, described, reader.kind)
    finally:
        reader.close()


def _shards(stream: Stream, kind: str, reading: Reading, size: int) -> Iterator[FileShard]:
    source = stream.source
    assert source.path is not None
    whole = FileShard(source.name, str(source.path.resolve()), kind)
    if kind == PARQUET and stream.seekable and source.size:
        yield from _row_groups(whole, max(1, round(source.size / size)))
        return
    if not stream.seekable or kind not in TEXT_FORMATS or source.size is None:
        yield whole
        return
    separator = "\t"
    header, first = b"", 0
    if kind in TABLES:
        start = stream.peek(MOST_AHEAD)
        separator = "\t" if kind == "tsv" else separator_of(start)
        header, first = _header(stream, reading, separator)
    parts = max(1, round(source.size / size))
    wanted = [source.size * k // parts for k in range(1, parts)]
    with Path(whole.path).open("rb") as file:
        cuts = sorted({_line_end(file, place) for place in wanted if place > first})
    places = [0, *(cut for cut in cuts if first < cut < source.size), source.size]
    for start_at, stop in pairwise(places):
        yield whole._replace(
            start=start_at,
            stop=stop,
            header=header if start_at else b"",
            separator=separator,
        )


def _row_groups(whole: FileShard, parts: int) -> Iterator[FileShard]:
    """Cut a Parquet file between row groups, into about as many shards of about as many rows."""
    from rosenblatt.readers.parquet import row_group_sizes
    from rosenblatt.readers.sources import arrow

    try:
        with arrow("Parquet", ".parquet").ParquetFile(whole.path) as file:
            ends = np.cumsum([0, *row_group_sizes(file)])
    except (arrow("Parquet").ArrowException, OSError):
        yield whole  # whose reader says what is wrong with it
        return
    wanted = [int(ends[-1]) * k // parts for k in range(1, parts)]
    cuts = sorted({0, *np.searchsorted(ends, wanted).tolist(), len(ends) - 1})
    if len(cuts) < 3:
        yield whole
        return
    for start, stop in pairwise(cuts):
        yield whole._replace(start=start, stop=stop)


def _header(stream: Stream, reading: Reading, separator: str) -> tuple[bytes, int]:
    """Return what ranges of a table are read after, and where its rows begin."""
    from rosenblatt.readers import csv

    text, before = csv.read_start(stream, MOST_AHEAD, stream.source.name, separator)
    found = csv.read_header(text, before, reading, separator, stream.source.name)
    if found is None:
        return b"", 0
    if not found.size:  # no header: names are given, so that no row is taken for one
        return separator.join(found.names).encode() + b"\n", 0
    header = text[: found.size]
    assert stream.source.path is not None
    with stream.source.path.open("rb") as file:  # blank lines may come before it
        at = file.read(_PIECE).find(header)
    rows = at + found.size if at >= 0 else stream.source.size or 0
    return header if header.endswith((b"\n", b"\r")) else header + b"\n", rows


def _line_end(file: Any, place: int) -> int:
    """Return where the line of a byte ends."""
    file.seek(place)
    while piece := file.read(_LOOK):
        end = piece.find(b"\n")
        if end >= 0:
            return int(place + end + 1)
        place += len(piece)
    return place


def outside_quotes(cluster: Cluster, shards: Sequence[FileShard]) -> list[FileShard]:
    """Join the ranges of tables that would cut a quoted cell: there the quotes so far are odd."""
    tables = [shard for shard in shards if shard.format in TABLES and shard.stop is not None]
    with cluster.tasks("counting quotes") as tasks:
        counts = tasks.results(*[tasks.submit("quotes", quotes_in, shard) for shard in tables])
    odd = {
        (shard.path, shard.start): count % 2 for shard, count in zip(tables, counts, strict=True)
    }
    found: list[FileShard] = []
    open_quote = 0
    for shard in shards:
        if open_quote and found and shard.path == found[-1].path:
            found[-1] = found[-1]._replace(stop=shard.stop)
        else:
            open_quote = 0
            found.append(shard)
        open_quote ^= odd.get((shard.path, shard.start), 0)
    return found


def quotes_in(shard: FileShard) -> int:
    """Count the quotes in a range."""
    return sum(piece.count(b'"') for piece in _pieces(shard.path, shard.start, shard.stop))


def lines_before(shard: FileShard) -> int:
    """Count the lines of a file before a range, less those that it is read after."""
    if not shard.start:
        return 0
    lines = sum(piece.count(b"\n") for piece in _pieces(shard.path, 0, shard.start))
    return lines - shard.header.count(b"\n")


def _pieces(path: str, start: int, stop: int | None) -> Iterator[bytes]:
    with Path(path).open("rb") as file:
        file.seek(start)
        left = np.inf if stop is None else stop - start
        while left and (piece := file.read(int(min(_PIECE, left)))):
            left -= len(piece)
            yield piece


class _Range:
    """A file that begins with some bytes, goes on at a place, and ends at another."""

    def __init__(self, shard: FileShard) -> None:
        assert shard.stop is not None
        self._file = Path(shard.path).open("rb", buffering=0)  # noqa: SIM115 (closed below)
        self._file.seek(shard.start)
        self._ahead, self._left = memoryview(shard.header), shard.stop - shard.start

    def readinto(self, view: memoryview) -> int:
        if self._ahead:
            piece, self._ahead = self._ahead[: len(view)], self._ahead[len(view) :]
            view[: len(piece)] = piece
            return len(piece)
        got = self._file.readinto(view[: self._left]) or 0
        self._left -= got
        return got

    def read(self, n: int) -> bytes:
        piece = bytearray(n)
        return bytes(piece[: self.readinto(memoryview(piece))])

    def close(self) -> None:
        self._file.close()


@dataclass
class RangeErrors(ErrorLog):
    """The errors of a range of a file, whose lines are counted from the start of the file."""

    shard: FileShard = field(default_factory=lambda: FileShard("", "", ""))
    before: int | None = None  # lines of the file before the range, once they are counted

    def add(self, error: DataError) -> None:
        """Count an error, or raise it unless errors are skipped."""
        if not self.skip:
            raise self.placed(error)
        self.count += 1
        if len(self.messages) < KEPT_MESSAGES:
            self.messages.append(str(self.placed(error)))

    def placed(self, error: DataError) -> ShardError:
        """Return an error that names the line in the file."""
        message = str(error)
        if error.line is not None and self.shard.start and self.shard.format != PARQUET:
            local = f"{error.file}:{error.line}"
            if self.before is None:
                self.before = lines_before(self.shard)
            line = error.line + self.before
            message = f"{error.file}:{line}{message.removeprefix(local)}"
        return ShardError(message)


@contextmanager
def placed_errors(shard: FileShard) -> Iterator[None]:
    """Let errors in the rows of a shard name the line in the file."""
    try:
        yield
    except DataError as error:
        raise RangeErrors(shard=shard).placed(error) from None


class Read(NamedTuple):
    """The rows of a file shard: those with a label, whose columns are the shard's own.

    ``unlabelled`` counts the other rows.
    """

    rows: Rows
    labels: Array
    weights: Array | None
    names: Names
    errors: ErrorLog
    unlabelled: int


def fresh_names(kind: Names) -> Names:
    """Return names of the same type that know none yet."""
    if isinstance(kind, Hashed):
        return Hashed(kind.bits)
    if isinstance(kind, Numbered):
        return Numbered()
    names = Kept()
    names.counts_words = kind.counts_words
    return names


def blocks_of(
    shard: FileShard, reading: Reading, names: Names, errors: RangeErrors
) -> Iterator[Block]:
    """Yield the rows of a shard; errors name the line in the file."""
    learning = reading.labelled and not names.frozen
    # Whether the namespaces that options name are there is said by a file's first lines.
    learning &= not (shard.format in NAMESPACED and shard.start)
    reading = replace(reading, format=shard.format, learning=learning)
    check = _LabelTypeCheck()
    module: Any = import_module(f"rosenblatt.readers.{FORMATS[shard.format].module}")
    try:
        with stream_of(shard) as stream:
            if shard.stop is not None and shard.format in TABLES:
                csv: Any = import_module("rosenblatt.readers.csv")
                found = csv.blocks(stream, shard.name, reading, names, errors, shard.separator)
            elif shard.stop is not None and shard.format == PARQUET:
                parquet: Any = import_module("rosenblatt.readers.parquet")
                groups = range(shard.start, shard.stop)
                found = parquet.parquet_blocks(stream, shard.name, reading, names, errors, groups)
            else:
                found = module.blocks(stream, shard.name, reading, names, errors)
            for block in found:
                check.check(block)
                yield block
    except DataError as error:
        raise errors.placed(error) from None
    except FileNotFoundError:
        raise ShardError(
            f"{shard.name}: a worker cannot find {shard.path}; files must be where all workers see "
            "them under the same path"
        ) from None


def stream_of(shard: FileShard) -> Stream:
    """Open the range of a shard."""
    source = Source(shard.name, Path(shard.path), None)
    if shard.stop is None or shard.format == PARQUET:
        return open_stream(source._replace(size=Path(shard.path).stat().st_size))
    return Stream(source, _Plain(_Range(shard), True), b"", packed=False)


def read_shard(shard: FileShard, reading: Reading, kind: Names, weightless: bool = False) -> Read:
    """Read the rows of a shard that have a label, and unless ``weightless`` a weight."""
    names = fresh_names(kind)
    errors = RangeErrors(skip=reading.on_error == "skip", shard=shard)
    rows = _GrowingRows(reading.dtype, (shard.stop or 0) - shard.start)
    labels: list[Array] = []
    weights: list[Array | None] = []
    unlabelled = 0
    for block in blocks_of(shard, reading, names, errors):
        try:
            have, found = labelled(block)
        except DataError as error:
            raise errors.placed(error) from None
        unlabelled += len(block.lines) - len(have)
        if len(have):
            rows.add(block.rows, have, block.done)
            labels.append(found.copy())
            weights.append(None if block.weights is None else block.weights[have])
    every = None
    if any(each is not None for each in weights):
        pairs = zip(weights, labels, strict=True)
        every = np.concatenate([np.ones(len(own)) if w is None else w for w, own in pairs])
    together = np.concatenate(labels) if labels else np.empty(0, np.int64)
    seen = ErrorLog(**{each.name: getattr(errors, each.name) for each in fields(ErrorLog)})
    if every is not None and not (weightless or every.all()):  # rows of weight zero teach nothing
        used = np.flatnonzero(every)
        return Read(take(rows.whole(), used), together[used], every[used], names, seen, unlabelled)
    return Read(rows.whole(), together, every, names, seen, unlabelled)


class _GrowingRows:
    """Rows below each other, in arrays that are as large as those of all bytes will become.

    So every number is copied once, and there is no moment with two copies of all. Of rows that are
    arrays every number is stored.
    """

    def __init__(self, dtype: str, size: int) -> None:
        self._size = size
        self._indptr, self._indices = GrowingArray(np.int64), GrowingArray(np.int32)
        self._values = GrowingArray(dtype)
        self._indptr.extend(1, 0)[0] = 0

    def add(self, rows: Rows, have: Array, done: int | None) -> None:
        """Copy some rows of a block, up to whose end so many bytes were read."""
        if len(have) < n_rows(rows):
            rows = take(rows, have)
        sparse = as_sparse(rows) if isinstance(rows, Dense) else rows
        start, stop = int(sparse.indptr[0]), int(sparse.indptr[-1])
        before, n = self._indices.used, stop - start
        # For a hundredth more than the bytes so far suggest, as lines differ in length.
        grown = 1.01 * max(self._size / done, 1) if done else 0.0
        numbers = int(grown * (before + n))
        self._indices.extend(n, numbers)[:] = sparse.indices[start:stop]
        self._values.extend(n, numbers)[:] = sparse.values[start:stop]
        ends = self._indptr.extend(len(have), int(grown * (self._indptr.used + len(have))))
        np.add(sparse.indptr[1:], before - start, out=ends)

    def whole(self) -> Sparse:
        """Return all rows."""
        indptr, indices = self._indptr.whole(), self._indices.whole()
        kind = np.int32 if indptr[-1] < 1 << 31 else np.int64
        return frozen(
            Sparse(indptr.astype(kind), indices.astype(kind, copy=False), self._values.whole())
        )


def new_columns(
    known: tuple[ColumnType, ...], errors: Sequence[ErrorLog]
) -> tuple[ColumnType, ...]:
    """Return columns that were empty in the first rows, as the first shard with a value decided."""
    names = {column.name for column in known}
    found: dict[str, ColumnType] = {}
    for log in errors:
        for column in log.columns:
            if column.name not in names:
                found.setdefault(column.name, column)
    return tuple(found.values())


def all_errors(logs: Sequence[ErrorLog]) -> ErrorLog:
    """Return the errors of all shards, and what was found out about columns."""
    every = ErrorLog()
    for log in logs:
        every.count += log.count
        every.messages = [*every.messages, *log.messages][:KEPT_MESSAGES]
        every.label = every.label or log.label
        every.columns = log.columns or every.columns
        every.others |= log.others
        for name, times in log.missing.items():
            every.missing[name] = every.missing.get(name, 0) + times
        for name, value in log.constants.items():
            same = every.constants.setdefault(name, value) == value
            every.constants[name] = value if same else None
    return every
