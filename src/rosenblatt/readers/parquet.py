"""Parquet and Arrow files, read by pyarrow; `tables.TableReader` makes rows of their columns."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.arrow_cells import letters_of
from rosenblatt.readers.blocks import Block, BlockBuilder, DataError, ErrorLog
from rosenblatt.readers.cells import (
    Categories,
    Column,
    as_categories,
    as_numbers,
    decided,
    parser_of,
    unlike_the_others,
    without_code,
    without_missing,
)
from rosenblatt.readers.column_detection import decide_numbers
from rosenblatt.readers.column_types import CATEGORY, DATE, NUMBER, ColumnType
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Names
from rosenblatt.readers.sources import Stream, arrow
from rosenblatt.readers.tables import TableReader

_CELLS = 1 << 19  # in a block, about
_MOST_ROWS = 1 << 15
_BUFFER = 1 << 20
_ARROW_FILE = b"ARROW1\0\0"  # then what a stream has, then a list of where it all is
_FEATHER_1 = b"FEA1"


def parquet_blocks(
    stream: Stream,
    name: str,
    reading: Reading,
    names: Names,
    errors: ErrorLog,
    groups: range | None = None,
) -> Iterator[Block]:
    """Yield the rows of a Parquet file, which must be on disk, not compressed.

    ``groups`` are the numbers of some row groups, if only theirs are wanted.
    """
    parquet = arrow("Parquet", ".parquet")
    if not stream.peek(1):
        return
    if not stream.seekable:
        problem = "Parquet is read from its end: save the file to disk, unpacked, and name it"
        raise DataError(name, None, None, problem)
    with _damage(name, "Parquet"):
        file = parquet.ParquetFile(stream.source.path, buffer_size=_BUFFER, pre_buffer=False)
        with file:
            table = _table(file.schema_arrow, name, reading, names, errors)
            columns = [table.columns[k] for k in table.used]
            sizes = row_group_sizes(file)
            groups = range(len(sizes)) if groups is None else groups
            batches = file.iter_batches(
                _rows_of_block(table), list(groups), columns=columns, use_threads=False
            )
            before, total = sum(sizes[: groups.start]), sum(sizes[groups.start : groups.stop])
            yield from _blocks(batches, table, stream, total, errors, before)


def row_group_sizes(file: Any) -> list[int]:
    """Return the number of rows in each row group of an open Parquet file."""
    found = file.metadata
    return [found.row_group(k).num_rows for k in range(found.num_row_groups)]


def arrow_blocks(
    stream: Stream, name: str, reading: Reading, names: Names, errors: ErrorLog
) -> Iterator[Block]:
    """Yield the rows of Arrow's files (also called Feather) and streams."""
    pyarrow = arrow("Arrow")
    start = stream.peek(len(_ARROW_FILE))
    if not start:
        return
    if start.startswith(_FEATHER_1):
        problem = "this is Feather of version 1; write it again with a newer pyarrow"
        raise DataError(name, None, None, problem)
    with _damage(name, "Arrow"):
        if start == _ARROW_FILE and stream.seekable:
            # Not mapped into memory: if it were cut off meanwhile, that would end the process.
            with pyarrow.OSFile(str(stream.source.path)) as source:
                table = _table(pyarrow.ipc.open_file(source).schema, name, reading, names, errors)
                options = pyarrow.ipc.IpcReadOptions(included_fields=table.used)
                file = pyarrow.ipc.open_file(source, options=options)
                batches = (file.get_batch(k) for k in range(file.num_record_batches))
                pieces = _pieces(batches, table)
                yield from _blocks(pieces, table, stream, None, errors)
            return
        stream.read(len(_ARROW_FILE) if start == _ARROW_FILE else 0)
        batches = pyarrow.ipc.open_stream(pyarrow.PythonFile(_File(stream), "r"))
        table = _table(batches.schema, name, reading, names, errors)
        pieces = _pieces((batch.select(table.used) for batch in batches), table)
        yield from _blocks(pieces, table, stream, None, errors)


class TypedColumn:
    """A column that the file has a type for."""

    def __init__(self, name: str, file: str, first: bool = False) -> None:
        self.name, self.file, self.first = name, file, first

    def guess(self, array: Any, builder: BlockBuilder) -> Column:
        """Return its numbers or strings."""
        return typed_column(array, self.name, builder)

    def decide(self, array: Any, label: bool = False, keep: bool = False) -> ColumnType | None:
        """Return what the column holds, by its type and some rows; None if these have no value."""
        types = arrow("tables").types
        if array.null_count == len(array):
            return None
        if types.is_dictionary(array.type):
            return self.decide(array.dictionary_decode(), label, keep)
        if types.is_temporal(array.type):
            return ColumnType(self.name, DATE)
        column = typed_column(array, self.name, BlockBuilder(self.file, np.arange(len(array))))
        if not isinstance(column, Categories):
            assert column is not None
            column = column[np.isfinite(column)]
            if label or not len(column):
                return ColumnType(self.name, NUMBER) if len(column) else None
            return decide_numbers(self.name, column, self.first, keep)
        if label:
            return ColumnType(self.name, CATEGORY)
        found = decided(without_missing(column), self.name, False, keep)
        if found is not None and found.kind == NUMBER:  # the file says that these are strings
            return ColumnType(self.name, CATEGORY)
        return found

    def read(
        self, array: Any, kind: ColumnType, builder: BlockBuilder, label: bool = False
    ) -> Column:
        """Return its numbers or strings, whichever the model was trained with."""
        if kind.kind == DATE and (days := _days(array)) is not None:
            return days
        column = typed_column(array, self.name, builder)
        if isinstance(column, Categories):
            column = column if label else without_missing(column)
            if kind.kind == CATEGORY:
                return column
            column, bad = as_numbers(column, parser_of(kind))
            for row, text in bad.items():
                builder.reject(row, unlike_the_others(kind, label), text)
        elif column is not None and kind.kind == CATEGORY:
            return as_categories(column)
        return column if column is None else without_code(column, kind)

    def texts(self, array: Any) -> tuple[Array, Array]:
        """Return where each of its texts starts and where the last ends, and the bytes of all."""
        types = arrow("tables").types
        if types.is_dictionary(array.type):
            return self.texts(array.dictionary_decode())
        if not is_string(array.type) and not types.is_null(array.type):
            problem = f"column {self.name!r} holds {array.type}, which is not text"
            raise DataError(self.file, None, None, problem)
        return letters_of(array)


def is_string(kind: Any) -> bool:
    """Say whether an Arrow type is a string type."""
    return str(kind) in ("string", "large_string", "string_view")


def _days(array: Any) -> Array | None:
    """Return dates as days since 1970; None if these are not dates."""
    pyarrow, compute = arrow("tables"), arrow("tables", ".compute")
    if pyarrow.types.is_date(array.type) or pyarrow.types.is_timestamp(array.type):
        seconds = compute.cast(compute.cast(array, pyarrow.timestamp("us")), pyarrow.int64())
        return np.asarray(seconds.to_numpy(zero_copy_only=False), np.float64) / (86_400 * 1e6)
    return None


def _table(schema: Any, file: str, reading: Reading, names: Names, errors: ErrorLog) -> TableReader:
    columns = [TypedColumn(name, file, k == 0) for k, name in enumerate(schema.names)]
    return TableReader(file, columns, reading, names, errors)


def _rows_of_block(table: TableReader) -> int:
    return min(max(_CELLS // len(table.used), 1), _MOST_ROWS)


def _pieces(batches: Iterator[Any], table: TableReader) -> Iterator[Any]:
    """Cut batches of the columns that are used, which may be of any size."""
    rows = _rows_of_block(table)
    for batch in batches:
        batch.validate(full=True)  # nothing in it has been looked at so far
        for start in range(0, batch.num_rows, rows):
            yield batch.slice(start, rows)


def _blocks(
    batches: Iterator[Any],
    table: TableReader,
    stream: Stream,
    total: int | None,
    errors: ErrorLog,
    before: int = 0,
) -> Iterator[Block]:
    """Make blocks of batches; ``total`` rows are in them, if that is known, after ``before``."""
    rows = 0
    for batch in batches:
        first = before + rows + 1
        builder = BlockBuilder(table.file, np.arange(first, first + batch.num_rows))
        rows += batch.num_rows
        done = (
            stream.consumed if total is None else (stream.source.size or 0) * rows // max(total, 1)
        )
        arrays = dict(zip(table.used, batch.columns, strict=True))
        block = table.block(arrays, builder, done, errors)
        if len(block.lines):
            yield block
    if total not in (None, rows):  # pyarrow does not mind
        problem = f"there are {rows:,} rows of {total:,}: it was cut off while it was read"
        raise DataError(table.file, None, None, f"{problem}; try again when it is whole")


def typed_column(array: Any, name: str, builder: BlockBuilder) -> Column:
    """Return the numbers or strings of an Arrow array."""
    pyarrow, compute = arrow("tables"), arrow("tables", ".compute")
    kind, types = array.type, pyarrow.types
    if types.is_null(kind):
        return None
    if types.is_dictionary(kind):
        return typed_column(array.dictionary_decode(), name, builder)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        numbers = compute.cast(array, pyarrow.float64(), safe=False)
        return np.asarray(numbers.to_numpy(zero_copy_only=False))
    if types.is_decimal(kind):
        return np.array([np.nan if v is None else float(v) for v in array.to_pylist()], float)
    if is_string(kind):
        encoded = compute.cast(array, pyarrow.large_binary()).dictionary_encode()
        codes, found = encoded.indices.fill_null(-1).to_numpy(), encoded.dictionary.to_pylist()
        values = [value.decode(errors="backslashreplace") for value in found]
        for k in [k for k, value in enumerate(values) if "\\x" in value and not _is_utf8(found[k])]:
            problem = (
                f"column {name!r} is not UTF-8; write the file again, with text that is, found"
            )
            for row in np.flatnonzero(codes == k).tolist():
                builder.reject(row, problem, values[k])
        if "" in values:
            codes = np.where(codes == values.index(""), -1, codes)
        return Categories(codes, values)
    problem = f"column {name!r} holds {kind}, which is neither numbers nor strings; drop it"
    raise DataError(builder.file, None, None, f"{problem} (--drop {name}), or convert it first")


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


class _File:
    """A stream with the interface that pyarrow expects of a file."""

    closed = False

    def __init__(self, stream: Stream) -> None:
        self.read = stream.read

    def close(self) -> None: ...


@contextmanager
def _damage(file: str, format: str) -> Iterator[None]:  # noqa: A002
    """Name the file of an error of pyarrow."""
    pyarrow = arrow(format)
    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        problem = f"the {format} file is damaged, or uses what is not supported here ({error})"
        raise DataError(file, None, None, " ".join(problem.split())) from None
