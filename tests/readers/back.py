"""Reading a file back: its examples as lists of names and values, whatever its format."""

import copy
import csv
import io
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from rosenblatt.data.rows import Dense
from rosenblatt.readers import arrow_cells, plain_cells
from rosenblatt.readers import csv as csv_files
from rosenblatt.readers.blocks import ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Kept
from rosenblatt.readers.sources import Source, Stream, _Plain, expand, open_stream


@dataclass
class Read:
    """What was read."""

    rows: list = field(default_factory=list)
    labels: list = field(default_factory=list)
    weights: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    blocks: list = field(default_factory=list)
    problems: ErrorLog = None
    names: Kept = None

    @property
    def dicts(self):
        return [dict(row) for row in self.rows]


def stream_of(content, name="here"):
    """Return a stream of bytes, as if from a pipe."""
    return Stream(Source(name, None, None), _Plain(io.BytesIO(content), True), b"", packed=False)


def read_back(module, what, names=None, skip=False, **options):
    """Read bytes, or the file of a path, with a reader; CSV with and without pyarrow."""
    again = copy.deepcopy(names)
    with splitting(arrow_cells) as used:
        found = _outcome(module, what, names, skip, options)
    if used:
        with splitting(plain_cells):
            assert_same(found, _outcome(module, what, again, skip, options))
    if isinstance(found, Exception):
        raise found
    return found


@contextmanager
def splitting(module):
    """Split CSV records with `arrow_cells` or `plain_cells`; yield a list of the files' sizes."""
    used, original = [], csv_files._splitter

    def splitter(size):
        used.append(size)
        return module

    csv_files._splitter = splitter
    try:
        yield used
    finally:
        csv_files._splitter = original


def assert_same(one, other):
    """Compare what was read, bit for bit, or the errors."""
    assert type(one) is type(other)
    if isinstance(one, Exception):
        assert str(one) == str(other)
        return
    assert one.names.n_features == other.names.n_features
    for column in range(one.names.n_features):
        assert one.names.name(column) == other.names.name(column)
    assert repr(one.problems) == repr(other.problems)
    assert len(one.blocks) == len(other.blocks)
    for mine, others in zip(one.blocks, other.blocks, strict=True):
        assert_same_block(mine, others)


def assert_same_block(one, other):
    """Compare blocks; a NaN is like any other."""
    assert (one.file, one.done, one.tags) == (other.file, other.done, other.tags)
    for mine, others in zip((*one.rows, *one[1:3]), (*other.rows, *other[1:3]), strict=True):
        assert type(mine) is type(others)
        if mine is not None:
            assert mine.dtype == others.dtype
            assert repr(mine.tolist()) == repr(others.tolist())  # which tells 0 from -0
    np.testing.assert_array_equal(one.lines, other.lines)


def _outcome(module, what, names, skip, options):
    """Return what was read, or the error."""
    try:
        return _read_back(module, what, names, skip, options)
    except (ValueError, ModuleNotFoundError) as error:
        return error


def _read_back(module, what, names, skip, options):
    if isinstance(what, bytes):
        stream, name = stream_of(what), "here"
    else:
        source = expand([what])[0]
        stream, name = open_stream(source), source.name
    result = Read(problems=ErrorLog(skip), names=names if names is not None else Kept())
    options = {"dtype": "float64", **options}
    with stream:
        blocks = module.blocks(stream, name, Reading(**options), result.names, result.problems)
        for block in blocks:
            add(result, block)
    return result


def add(result, block):
    n = len(block.lines)
    result.blocks.append(block)
    result.lines += block.lines.tolist()
    result.labels += [None] * n if block.labels is None else block.labels.tolist()
    result.weights += [1.0] * n if block.weights is None else block.weights.tolist()
    if isinstance(block.rows, Dense):
        result.rows += [list(enumerate(row)) for row in block.rows.values.tolist()]
        return
    indptr, indices, values = (part.tolist() for part in block.rows)
    assert len(indptr) == n + 1
    assert indptr[-1] == len(indices) == len(values)
    known = {k: result.names.name(k) for k in set(indices)}
    for row in range(n):
        places = range(indptr[row], indptr[row + 1])
        result.rows.append([(known[indices[k]], values[k]) for k in places])


def separated(rows, names, separator=",", line_end="\n"):
    """Write examples as Python's own module does."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator=line_end)
    writer.writerow(names)
    for row in rows:
        cells = [row.get(name) for name in names]
        writer.writerow([str(c).lower() if isinstance(c, bool) else c for c in cells])
    return out.getvalue().encode()
