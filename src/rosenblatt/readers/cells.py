"""CSV and TSV: text in cells. Which columns are numbers is told from the first rows."""

import re
from collections.abc import Iterator
from threading import Condition
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.blocks import Block, DataError, Problems
from rosenblatt.readers.formats import NUMBER
from rosenblatt.readers.header import read_header, read_start
from rosenblatt.readers.names import Names
from rosenblatt.readers.parts import Draft, Known
from rosenblatt.readers.reading import Reading
from rosenblatt.readers.sources import Stream
from rosenblatt.readers.table import Categories, Column, Table
from rosenblatt.readers.unpacking import arrow

_BLOCK = 1 << 20  # bytes that pyarrow takes at once
_LARGEST_BLOCK = 1 << 24
_LINES = 64  # that a block should have at least
_BLOCKS = 4  # that are read ahead
_NAP = 0.05  # seconds
_NO_UTF8 = "\x1a"  # which means just that: a substitute
_ESCAPED = re.compile("[\udc80-\udcff]")
_MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?")
_TRUTH = {"true": 1.0, "false": 0.0, "inf": np.inf, "infinity": np.inf}


def blocks(
    stream: Stream,
    name: str,
    reading: Reading,
    names: Names,
    problems: Problems,
    separator: str = ",",
) -> Iterator[Block]:
    """Yield the rows of a file of separated cells."""
    arrow("CSV", ".csv")
    sample = read_start(stream, _BLOCK, name)
    header = read_header(sample, reading, separator, name)
    if header is None or (len(sample) == header.size and not stream.peek(1)):
        return
    cells = [Cells(column, name) for column in header.names]
    table = Table(name, header.names, [column.read for column in cells], reading)
    known, source = Known(names), _Source(sample[header.size :], stream)
    size = min(max(_BLOCK, _LINES * sample.find(b"\n")), _LARGEST_BLOCK)
    bad = _BadRows(name, header.lines, problems)
    try:
        for batch in _batches(source, table, separator, size, bad):
            draft = Draft(name, bad.lines(batch.num_rows))
            arrays = dict(zip(table.used, batch.columns, strict=True))
            if source.damaged:
                for k, array in arrays.items():
                    _refuse_damaged(array, table.columns[k], draft)
            yield table.block(arrays, draft, known, stream.consumed, problems)
    finally:
        source.stop()
    bad.report(np.inf)


class _Source:
    """The first block again, and then the stream; pyarrow reads it as a file, from a thread.

    pyarrow expects UTF-8 where it tells of bad rows. So a byte that is none becomes `_NO_UTF8`, and
    ``damaged`` says that this has happened.
    """

    closed = False

    def __init__(self, start: bytes, stream: Stream) -> None:
        self._start, self._stream = start, stream
        self._turn = Condition()
        self._ahead = 0
        self._hungry = self._stopped = self.damaged = False

    def read(self, n: int) -> bytes:
        with self._turn:
            while self._ahead >= _BLOCKS and not self._stopped:
                # Blocks without a row are never asked for, so whoever waits must not wait for them.
                if not self._turn.wait(_NAP) and self._hungry:
                    self._ahead = 0
            if self._stopped:
                return b""
            self._ahead += 1
            piece, self._start = self._start[:n], self._start[n:]
            if len(piece) < n:
                piece += self._stream.read(n - len(piece))
            return self._checked(piece, len(piece) < n)

    def _checked(self, piece: bytes, at_end: bool) -> bytes:
        try:
            piece.decode()
        except UnicodeDecodeError as error:
            if error.end == len(piece) and error.end - error.start < 4 and not at_end:
                # A letter may be cut in two: its second half comes next.
                piece, self._start = piece[: error.start], piece[error.start :] + self._start
                return piece
            self.damaged = True
            text = piece.decode(errors="surrogateescape")
            return _ESCAPED.sub(_NO_UTF8, text).encode()
        return piece

    def next(self, reader: Any) -> Any:
        """Return the next rows."""
        with self._turn:
            self._hungry = True
        batch = reader.read_next_batch()
        with self._turn:
            self._hungry = False
            self._ahead = max(0, self._ahead - 1)
            self._turn.notify_all()
        return batch

    def stop(self) -> None:
        """Read no more, not even in another thread."""
        with self._turn:
            self._stopped = True
            self._turn.notify_all()

    def close(self) -> None: ...


class _BadRows:
    """Rows with too many or too few cells, which pyarrow tells of while it reads."""

    def __init__(self, file: str, header: int, problems: Problems) -> None:
        self.file, self.header, self.problems = file, header, problems
        self.rows = 0
        self.waiting: list[tuple[int, DataError]] = []

    def tell(self, row: Any) -> str:
        """Take note of a row; pyarrow calls this."""
        number = row.number if row.number is not None else self.rows + 1
        problem = f"expected {row.expected_columns} cells, found {row.actual_columns}"
        error = DataError(self.file, self.header + number, None, problem, row.text)
        self.waiting.append((number, error))
        return "skip" if self.problems.skip else "error"

    def lines(self, n: int) -> Array:
        """Return the lines of the next n rows, and report the bad ones between them."""
        odd = [number for number, _ in self.waiting]
        following = np.arange(self.rows + 1, self.rows + n + len(odd) + 1)
        good = np.setdiff1d(following, odd, assume_unique=True)[:n]
        self.rows = int(good[-1]) if n else self.rows
        self.report(self.rows)
        return good + self.header

    def report(self, rows: float) -> None:
        """Report the bad ones among so many first rows. Others may have been met ahead."""
        while self.waiting and self.waiting[0][0] <= rows:
            self.problems.add(self.waiting.pop(0)[1])


def _batches(
    source: _Source, table: Table, separator: str, size: int, bad: _BadRows
) -> Iterator[Any]:
    """Yield the needed columns of some rows at a time, as text: nothing is guessed or refused."""
    pyarrow, reader = arrow("CSV"), arrow("CSV", ".csv")
    names = [str(k) for k in range(len(table.columns))]
    used = [str(k) for k in table.used]
    try:
        batches = reader.open_csv(
            pyarrow.PythonFile(source, "r"),
            reader.ReadOptions(use_threads=False, block_size=size, column_names=names),
            reader.ParseOptions(
                delimiter=separator, newlines_in_values=True, invalid_row_handler=bad.tell
            ),
            reader.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(used, pyarrow.string()),
                include_columns=used,
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
        while True:
            yield source.next(batches)
    except StopIteration:
        return
    except pyarrow.ArrowException as error:
        if bad.waiting and not bad.problems.skip:
            raise bad.waiting[0][1] from None
        problem = f"the rows cannot be read ({error})"
        if "straddling" in str(error):
            problem = f"a row is longer than {size >> 20} MiB; is a quote not closed?"
        place = bad.header + bad.rows + 1
        raise DataError(bad.file, None, None, f"{problem} after line {place - 1}") from None


def _refuse_damaged(array: Any, name: str, draft: Draft) -> None:
    """Refuse rows with something that was no UTF-8."""
    found = arrow("CSV", ".compute").match_substring(array, _NO_UTF8).to_numpy(zero_copy_only=False)
    for row in np.flatnonzero(found == True).tolist():  # noqa: E712 - there may be None
        draft.refuse(row, f"column {name!r} is no UTF-8", array[row].as_py())


class Cells:
    """A column of cells. Its first rows with a value tell whether it holds numbers."""

    def __init__(self, name: str, file: str) -> None:
        self.name, self.file = name, file
        self.numeric: bool | None = None
        self.pyarrow, self.compute = arrow("CSV"), arrow("CSV", ".compute")

    def read(self, array: Any, draft: Draft) -> Column:
        """Return the numbers or strings of an array; a column of numbers stays one."""
        if self.numeric is not False:
            numbers, bad = self._numbers(array)
            if self.numeric is None and not bad and not np.isnan(numbers).all():
                self.numeric = True
            if self.numeric:
                problem = f"column {self.name!r} held numbers so far; drop it, or read it as text"
                for row, text in bad.items():
                    draft.refuse(row, problem, text)
                return numbers
            if self.numeric is None and not bad:
                return None
            self.numeric = False
        return self._categories(array)

    def _numbers(self, array: Any) -> tuple[Array, dict[int, str]]:
        """Return cells as numbers, NaN where there is none; and those that are something else."""
        try:
            return self._floats(array), {}
        except self.pyarrow.ArrowInvalid:
            array = self.compute.utf8_trim_whitespace(array)
        missing = self.compute.is_in(array, self.pyarrow.array(_MISSING))
        array = self.compute.if_else(missing, self.pyarrow.scalar(None, array.type), array)
        try:
            return self._floats(array), {}
        except self.pyarrow.ArrowInvalid:
            column = self._categories(array)
        found = [_number(value) for value in column.values]
        numbers = np.array([*(np.nan if v is None else v for v in found), np.nan])[column.codes]
        odd = np.array([*(v is None for v in found), False])[column.codes]
        rows = np.flatnonzero(odd).tolist()
        return numbers, {row: column.values[column.codes[row]] for row in rows}

    def _floats(self, array: Any) -> Array:
        numbers = self.compute.cast(array, self.pyarrow.float64())
        return np.asarray(numbers.to_numpy(zero_copy_only=False))

    def _categories(self, array: Any) -> Categories:
        encoded = array.dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy()
        # Spaces around a cell do not count, as files with ", " between the cells are common.
        values = [value.strip() for value in encoded.dictionary.to_pylist()]
        if "" in values:
            codes = np.where(np.array([*map(bool, values), False])[codes], codes, -1)
        return Categories(codes, values)


def _number(cell: str) -> float | None:
    """Return a cell's number, if it is one; true is 1 and false is 0."""
    if NUMBER.fullmatch(cell):
        return float(cell)
    sign = -1.0 if cell.startswith("-") else 1.0
    word = cell.lstrip("+-").lower() if cell[:2] not in ("+-", "-+", "--", "++") else cell
    truth = _TRUTH.get(word)
    return None if truth is None else sign * truth
