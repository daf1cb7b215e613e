"""All files of a run as one stream of blocks, whatever their formats.

From here a row goes to the module of its format (`_MODULES`), which yields `blocks.Block`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows
from rosenblatt.readers.blocks import Block, DataError, ErrorLog
from rosenblatt.readers.command_options import Reading, unused_option
from rosenblatt.readers.formats import FORMATS, recognise
from rosenblatt.readers.interactions import EVERY, parsed, parts_of, similar
from rosenblatt.readers.names import Hashed, Kept, Names, Numbered
from rosenblatt.readers.products import check_format
from rosenblatt.readers.sources import (
    Digest,
    FileDigest,
    Source,
    Stream,
    changed,
    digest_of,
    expand,
    open_stream,
)

_PEEK = 1 << 16


class Reader:
    """Reads files in blocks, as often as it is iterated over (standard input only once).

    Parameters
    ----------
    files : sequence of str or path
        Files, globs, or "-" for standard input.
    reading : Reading
        How to read them.
    names : Names or None
        Which columns features have. None chooses: the file's own numbers where features are
        numbered, a hash if ``bits`` are given, else a dictionary.
    bits : int or None
        Hash names to 2^bits columns.
    digest : bool
        Keep a digest of what is read the first time, for `read_so_far`.
    """

    def __init__(
        self,
        files: Sequence[str | Path],
        reading: Reading | None = None,
        *,
        names: Names | None = None,
        bits: int | None = None,
        digest: bool = False,
    ) -> None:
        self.reading = reading or Reading()
        self._frozen = names is not None and names.frozen
        self.sources = expand(files)
        self._digests = [Digest(source.name) for source in self.sources] if digest else None
        self._expected: list[FileDigest] = []
        self._ends = [0] * len(self.sources)  # how far each was read, in bytes
        self.errors = ErrorLog(self.reading.on_error == "skip")
        self._opened: tuple[Stream, str] | None = None
        self._used = False
        self.kind: str | None = None  # the first file's format
        self.label = self.reading.label  # the label's column, once it is found
        self.columns = self.reading.columns  # of tables, once it is decided what they hold
        self.others = self.reading.others  # whether there are more
        if names is None:
            numbered = bits is None and FORMATS[self.first_format()].numbered
            names = Numbered() if numbered else Kept() if bits is None else Hashed(bits)
        self.names = names

    @property
    def total(self) -> int | None:
        """The bytes of all files; None if that is not known."""
        sizes = [source.size for source in self.sources]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def once(self) -> bool:
        """Whether the data can be read only once."""
        return any(source.path is None for source in self.sources)

    def first_format(self) -> str:
        """Return the format of the first file. What it had to read for that is kept."""
        if self._opened is None:
            self._opened = self._open(0)
        return self._opened[1]

    def first_line(self) -> bytes:
        """Return the first line of the first file, or what can be seen of it."""
        self.first_format()
        assert self._opened is not None
        return self._opened[0].peek(_PEEK).partition(b"\n")[0]

    def read_so_far(self) -> list[FileDigest]:
        """Return of each file, as far as it was read, how many bytes and their digest."""
        found = []
        for number, digest in enumerate(self._digests or ()):
            now = digest.of(self.sources[number].path, self._ends[number])
            then = self._expected[number] if self._expected else (0, "")
            found.append(max(now, then))  # of a run that was resumed, and is not as far again yet
        if self._labels is not None and found:
            found.append(digest_of(self._labels, self._labels.stat().st_size))
        return found

    @property
    def _labels(self) -> Path | None:
        """The file of the labels, if it can be read again."""
        path = Path(self.reading.labels or "-")
        return path if self.reading.labels is not None and path.is_file() else None

    def expect(self, found: Sequence[FileDigest]) -> None:
        """Raise `DataError` if files are not those of `read_so_far`.

        Standard input is checked while it is read.
        """
        kept = [source.path if source.size is not None else None for source in self.sources]
        names = [source.name for source in self.sources]
        if self._labels is not None:
            kept, names = [*kept, self._labels], [*names, str(self._labels)]
        if len(found) != len(kept):
            raise ValueError("there are other files now than when the checkpoint was written")
        for path, name, then in zip(kept, names, found, strict=True):
            if path is not None and digest_of(path, then[0]) != then:
                raise changed(name)
        self._expected = list(found[: len(self.sources)])

    def _open(self, number: int, first: bool = True) -> tuple[Stream, str]:
        source = self.sources[number]
        digest = self._digests[number] if self._digests and first else None
        stream = open_stream(source, digest)
        try:
            kind = self.reading.format
            if kind == "auto":
                kind = self._recognised(source, stream)
            check_format(self.reading, kind, source.name)
            if self.kind is None:
                self._check_options(source.name, kind)
            self.kind = self.kind or kind
        except BaseException:
            stream.close()
            raise
        return stream, kind

    def _check_options(self, file: str, kind: str) -> None:
        """Refuse options without effect, unless they are of a model that learned from others."""
        reading = self.reading
        new = reading.usual is None and not reading.columns and not self._frozen
        if new and (problem := unused_option(kind, reading)) is not None:
            raise DataError(file, None, None, problem)

    def _recognised(self, source: Source, stream: Stream) -> str:
        try:
            return recognise(source.name, stream.peek(_PEEK), self.kind or self.reading.usual)
        except ValueError:
            if self.reading.usual is None:
                raise
            return self.reading.usual

    def close(self) -> None:
        """Close the file that was opened to look at it, if it was not read since."""
        if self._opened is not None:
            self._opened[0].close()
            self._opened = None

    def __del__(self) -> None:
        if hasattr(self, "_opened"):
            self.close()

    def __iter__(self) -> Iterator[Block]:
        """Yield the blocks of all files in turn, each valid until the next."""
        if self._used and self.once:
            raise ValueError("standard input can be read only once")
        first, self._used = not self._used, True
        before, label_type = 0, _LabelTypeCheck()
        for number, source in enumerate(self.sources):
            opened = self._opened if number == 0 else None
            self._opened = None if number == 0 else self._opened
            stream, kind = opened or self._open(number, first)
            if first and self._digests:
                again = self._expected and source.size is None  # files were looked at before
                self._digests[number].expect(self._expected[number] if again else None)
            with stream:
                module: Any = import_module(f"rosenblatt.readers.{FORMATS[kind].module}")
                # The label has the same column name in all files.
                label = self.label if number else self.reading.label
                learning = self.reading.labelled and not self.names.frozen
                reading = replace(self.reading, format=kind, label=label, learning=learning)
                reading = replace(reading, columns=self.columns, others=self.others)
                reading = replace(reading, usual=reading.usual or self.kind)
                blocks = module.blocks(stream, source.name, reading, self.names, self.errors)
                for block in blocks:
                    label_type.check(block)
                    self.label = self.errors.label or self.label  # its name, not its number
                    self.columns = self.errors.columns or self.columns
                    self.others |= self.errors.others
                    if first:
                        self._ends[number] = min(block.done, source.size or 0)
                    yield block._replace(done=before + block.done)
            if first:
                self._ends[number] = source.size or 0
                if self._digests:
                    self._digests[number].end()
            before += source.size or 0
        checked = self.reading.labelled and not (self.reading.remembered or self.names.frozen)
        if first and checked:
            self._check_products()

    def _check_products(self) -> None:
        """Raise `DataError` if a part of an interaction stood for no feature of any row."""
        parts = {*parts_of(parsed(self.reading.interactions))} - {EVERY}
        for part in sorted(parts - self.errors.multiplied):
            files = ", ".join(source.name for source in self.sources)
            keys = list(self.errors.keys)
            hint = (
                "it is the label" if part == self.label else similar(part, keys, "features' keys")
            )
            problem = f"no row has a feature of {part!r} to multiply (--interactions); {hint}"
            raise DataError(files, None, None, problem)


class _LabelTypeCheck:
    """Checks that labels are all numbers or all names, as the first one is."""

    def __init__(self) -> None:
        self.type: type | None = None
        self.first: object = None

    def check(self, block: Block) -> None:
        """Raise `DataError` at the first label of the other type."""
        labels = block.labels
        if labels is None or not len(labels):
            return
        if self.type is float and labels.dtype.kind == "f":
            return
        for label, line in zip(labels.tolist(), block.lines.tolist(), strict=True):
            if label is None or label != label:
                continue
            if self.type is None:
                self.type, self.first = type(label), label
            if type(label) is not self.type:
                raise DataError(
                    block.file,
                    line,
                    None,
                    f"labels are either all numbers or all names; the first was {self.first!r}, "
                    "this is",
                    str(label),
                )
            if self.type is float and labels.dtype.kind == "f":
                return


def labelled(block: Block) -> tuple[Array, Array]:
    """Return which rows have a label, and their labels: names, or whole numbers."""
    if block.labels is None:
        return np.empty(0, np.intp), np.empty(0, np.int64)
    return class_labels(block.labels, lambda row: (block.file, int(block.lines[row])))


def class_labels(labels: Array, place: Callable[[int], tuple[str, int]]) -> tuple[Array, Array]:
    """Return which labels are there, and these; ``place`` gives the file and line of a row."""
    if labels.dtype.kind == "O":
        rows = np.flatnonzero([label is not None and label == label for label in labels.tolist()])
        found = labels[rows]
        if not len(found) or isinstance(found[0], str):
            return rows, found
        found = found.astype(np.float64)
    else:
        rows = np.flatnonzero(labels == labels)
        found = labels if len(rows) == len(labels) else labels[rows]
    with np.errstate(invalid="ignore"):  # too large for an integer
        whole = found.astype(np.int64)
    if not np.array_equal(whole, found):
        odd = int(np.flatnonzero(whole != found)[0])
        file, line = place(int(rows[odd]))
        problem = (
            "a class must be a whole number or a name; name the label's column with --label, or "
            "predict numbers with --learner regression; found"
        )
        raise DataError(file, line, None, problem, f"{found[odd]:.10g}")
    return rows, whole


class CountingReader(Reader):
    """Reads files, and counts rows and bytes the first time.

    ``known`` counts the rows with a feature that has a column: if names are frozen, one that the
    model knows.

    Parameters
    ----------
    files, reading, names, bits, digest
        As in `Reader`.
    ignore_weights : bool
        Leave out importance weights; ``ignored`` counts the rows that had one other than 1.
    """

    def __init__(
        self,
        files: Sequence[str | Path],
        reading: Reading,
        *,
        names: Names | None = None,
        bits: int | None = None,
        ignore_weights: bool = False,
        digest: bool = False,
    ) -> None:
        super().__init__(files, reading, names=names, bits=bits, digest=digest)
        self.rows = self.known = self.bytes = self.ignored = 0
        self.ignore_weights, self._counting = ignore_weights, True
        self.first_errors = self.errors  # of the first pass: later ones find the same

    def __iter__(self) -> Iterator[Block]:
        """Yield the blocks of all files in turn."""
        counting, self._counting = self._counting, False
        if not counting:
            self.errors = ErrorLog(self.first_errors.skip)
        for block in super().__iter__():
            if counting:
                self.rows += len(block.lines)
                self.known += _filled(block.rows)
                self.bytes = max(self.bytes, block.done)
            if self.ignore_weights and block.weights is not None:
                if counting:
                    self.ignored += int(np.count_nonzero(block.weights != 1))
                block = block._replace(weights=None)
            yield block

    @property
    def described(self) -> list[list[Any]]:
        """The files: a name and a size each."""
        return [[source.name, source.size] for source in self.sources]

    def reading_header(self) -> dict[str, Any]:
        """Return what a model remembers of how its files were read.

        The label's column by its name: in a file without it, another one may be the last.
        """
        header = replace(self.reading, columns=self.columns, others=self.others).header()
        return {**header, "label": self.first_errors.label or header["label"], "usual": self.kind}


def _filled(rows: Rows) -> int:
    """Count the rows that have any feature."""
    if isinstance(rows, Dense):
        return len(rows.values) if rows.values.shape[1] else 0
    return int(np.count_nonzero(rows.indptr[1:] > rows.indptr[:-1]))


def numbers_of(block: Block) -> tuple[Array, Array]:
    """Return which rows have a number to predict, and these numbers."""
    labels = block.labels
    if labels is None:
        return np.empty(0, np.intp), np.empty(0)
    if labels.dtype.kind == "O":
        for label, line in zip(labels.tolist(), block.lines.tolist(), strict=True):
            if isinstance(label, str):
                problem = "regression predicts numbers, and the label is"
                raise DataError(block.file, line, None, problem, label)
        labels = np.array([np.nan if label is None else label for label in labels.tolist()], float)
    rows = np.flatnonzero(labels == labels)
    return rows, labels[rows].astype(np.float64)
