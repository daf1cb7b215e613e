r"""CoNLL text: a token a line with its columns, and a blank line between sentences.

Columns are separated by any number of blanks and tabs; or each by one tab, if there is one in the
first line that is not blank: then they may have blanks in them, and must not be empty. All lines
have as many columns as the first. Nothing is a comment. No other space separates columns, such as
the no-break space, and a line of other spaces is not blank.

CoNLL-U has ten columns with a tab between them, the first with the numbers of tokens, from 1 on in
each sentence. Lines with numbers such as ``3-4`` (tokens written as one word) or ``3.1`` (one not
in the text) are not tokens. Lines that begin with ``#`` before a sentence are comments.

Lines end with a line feed, before which carriage returns are left out; within a line these are an
error. So is what is not UTF-8. A byte order mark at the start of a file is not part of its text.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rosenblatt.console import count
from rosenblatt.data.rows import Array
from rosenblatt.kernels.text.conll_lines import EMPTY, OK, RAGGED, Cut, cut_tokens, token_buffer
from rosenblatt.readers.blocks import SHOWN, DataError
from rosenblatt.readers.chunks import CHUNK, LONGEST
from rosenblatt.readers.lines import BYTE_ORDER_MARK, blocks, check_letters, line_ends
from rosenblatt.readers.names import Vocabulary
from rosenblatt.readers.sources import Source, Stream, expand, open_stream
from rosenblatt.tagging.corpus import Column, Corpus
from rosenblatt.tagging.file_layout import CONLLU, FileLayout, Layout, LayoutOptions

Files = str | Path | Source | Sequence[str | Path]


class Lines(NamedTuple):
    """Whole sentences of a file, cut into fields; and how many lines there are before them."""

    text: bytes
    cut: Cut
    before: int
    file: str
    detected: FileLayout


def cut_file(
    stream: Stream, file: str, options: LayoutOptions, size: int, patience: bool
) -> Iterator[Lines]:
    """Yield a file in blocks with tokens, and what follows the last one, if there is one.

    Where very much without tokens stands between sentences, it is a block of its own.
    """
    detected, some, text = None, False, b""
    held: list[bytes] = []  # cut already, and without tokens
    before = lines = seen = 0  # lines before these, before the text, and before the next piece
    for piece, last in blocks(stream, file, size, patience):
        check_letters(piece, file, seen)
        blank = detected is None and not text and _is_blank(piece, seen)
        seen += line_ends(piece)
        if blank:
            held.append(piece)
            lines = seen
            continue
        text += piece
        detected = detected or options.find(text, file, last, lines)
        if detected is None or not (text or held):
            continue
        cut = _cut(text, file, lines, detected)
        held.append(text)
        if len(cut.starts) or (some and (last or sum(map(len, held)) >= LONGEST)):
            whole = b"".join(held)
            cut = _moved(cut, len(whole) - len(text), lines - before)
            yield Lines(whole, cut, before, file, detected)
            before, held, some = seen, [], True
        text, lines = b"", seen


def _is_blank(piece: bytes, before: int) -> bool:
    """Say whether a piece of a text, with ``before`` lines before it, has blank lines only."""
    return not piece.removeprefix(b"" if before else BYTE_ORDER_MARK).strip(b" \t\r\n")


def _cut(text: bytes, file: str, before: int, detected: FileLayout) -> Cut:
    """Cut lines into fields; raise `DataError` where a line is not as the others."""
    letters = np.frombuffer(text, np.uint8)
    start = len(BYTE_ORDER_MARK) if not before and text.startswith(BYTE_ORDER_MARK) else 0
    format, separator, names = detected.layout  # noqa: A001
    columns = np.full(len(names), -1)
    columns[[place for place, _ in detected.kept]] = np.arange(len(detected.kept))
    cut = token_buffer(line_ends(text) + 1, len(detected.kept))
    n, sentences = cut_tokens(letters, start, separator == "\t", format == CONLLU, columns, cut)
    if cut.wrong[0] != OK:
        raise _problem(text, cut, file, before, detected)
    return Cut(
        cut.starts[:n],
        cut.stops[:n],
        cut.lines[:n],
        cut.begins[:, :n],
        cut.ends[:, :n],
        cut.offsets[: sentences + 1],
        cut.wrong,
    )


def _moved(cut: Cut, size: int, lines: int) -> Cut:
    """Shift the positions of tokens by the bytes and lines before them."""
    if not size:
        return cut
    return cut._replace(
        starts=cut.starts + size,
        stops=cut.stops + size,
        lines=cut.lines + lines,
        begins=cut.begins + size,
        ends=cut.ends + size,
    )


def _problem(text: bytes, cut: Cut, file: str, before: int, detected: FileLayout) -> DataError:
    """Say what is wrong with a line."""
    code, line, start, number = cut.wrong.tolist()
    whole = text[start:].split(b"\n", 1)[0].rstrip(b"\r").decode()
    width = len(detected.layout.names)
    line += before + 1
    if code == EMPTY:
        column = len("\t".join(whole.split("\t")[:number])) + 1 + (number > 0)
        problem = f"column {number + 1} is empty; write _ for no value"
        return DataError(file, line, column, problem)
    if code != RAGGED:
        problem = f"expected {number} as the number of this token, found"
        return DataError(file, line, 1, problem, whole.partition("\t")[0])
    here = f"{count(number, 'column')} here, and"
    if detected.layout.format != CONLLU:
        comment = (
            "; # does not start a comment" if "#" in (whole[0], chr(detected.first[0])) else ""
        )
        problem = f"{here} {width} in line {detected.line}{comment}"
    elif whole.startswith("#"):
        problem = "a comment may only stand before a sentence, and this is within one"
    else:
        problem = f"{here} CoNLL-U has {width} with a tab between them"
    return DataError(file, line, None, problem, whole[: 2 * SHOWN])


__all__ = ["LocatedCorpus", "Layout", "Part", "parts", "read"]


class Part(NamedTuple):
    """Some sentences of a file, and the text they are in.

    The texts of a file's parts add up to its own. The last part may have no tokens: it is what
    follows the last sentence. So may others, where very many blank lines follow a sentence.

    Attributes
    ----------
    corpus : Corpus
        The sentences.
    text : bytes
        What was read, as it was.
    starts, stops : arrays
        Where in the text the line of each token starts, and where it ends without its line end.
    lines : array
        The line of each token in the file, from 1 on.
    file : str
        The name of their file, for messages.
    layout : Layout
        How the lines were cut.
    """

    corpus: Corpus
    text: bytes
    starts: Array
    stops: Array
    lines: Array
    file: str
    layout: Layout

    def place(self, token: int) -> str:
        """Return where a token is: ``file:line``."""
        return f"{self.file}:{self.lines[token]}"


class LocatedCorpus(NamedTuple):
    """The sentences of some files.

    Attributes
    ----------
    corpus : Corpus
        The sentences of all files.
    lines : array
        The line of each token in its file, from 1 on.
    files : tuple of str
        The names of the files, for messages.
    ends : array
        How many tokens there are up to the end of each file.
    layout : Layout
        How the lines of the first file were cut.
    """

    corpus: Corpus
    lines: Array
    files: tuple[str, ...]
    ends: Array
    layout: Layout

    def place(self, token: int) -> str:
        """Return where a token is: ``file:line``."""
        file = self.files[int(np.searchsorted(self.ends, token, "right"))]
        return f"{file}:{self.lines[token]}"


def read(
    files: Files,
    *,
    format: str = "auto",  # noqa: A002
    names: Sequence[str] | None = None,
    layout: Layout | None = None,
    only: Iterable[str] | None = None,
) -> LocatedCorpus:
    r"""Read the sentences of files into memory.

    Parameters
    ----------
    files : str, path, `Source`, or sequence of str and paths
        Files, patterns such as ``"part-*.gz"``, or "-" for standard input. They may be packed with
        gzip or zstd.
    format : {"auto", "columns", "conllu"}, default="auto"
        "auto" recognises it from how each file begins and from its name.
    names : sequence of str, optional
        What the columns are called; "-" or "_" leaves one out. By default word, then pos and chunk
        as far as there are so many, and tag, the last one; with more than four word, column2 and so
        on, and tag. In CoNLL-U word, lemma, upos, xpos, feats, head, deprel, deps and misc.
    layout : Layout, optional
        How lines are cut, in place of ``format`` and ``names``: as in another file.
    only : iterable of str, optional
        The columns to keep, by name; by default all that have one.

    Returns
    -------
    LocatedCorpus
        The corpus, with the file and the line of each token.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "two.txt")
    ...     _ = file.write_text("The DT O\ncat NN B\n\nYes UH O\n")
    ...     gathered = read(file)
    >>> gathered.corpus, gathered.corpus[1], gathered.lines.tolist()
    (<Corpus: 2 sequences of 3 tokens with word, pos, tag>, [('Yes', 'UH', 'O')], [1, 2, 4])
    """
    options, sources = LayoutOptions.of(format, names, layout, only), _sources(files)
    tables = _Tables()
    ends: list[int] = []
    for source in sources:
        with open_stream(source) as stream:
            for block in cut_file(stream, source.name, options, CHUNK, False):
                tables.add(block)
        if tables.n_tokens == (ends[-1] if ends else 0):
            raise DataError(source.name, None, None, "there are no tokens in it")
        ends.append(tables.n_tokens)
    assert tables.detected is not None
    files_read = tuple(source.name for source in sources)
    lines = np.concatenate(tables.lines)
    return LocatedCorpus(tables.corpus(), lines, files_read, np.array(ends), tables.detected.layout)


def parts(
    files: Files,
    *,
    format: str = "auto",  # noqa: A002
    names: Sequence[str] | None = None,
    layout: Layout | None = None,
    only: Iterable[str] | None = None,
    size: int = CHUNK,
) -> Iterator[Part]:
    """Yield the sentences of files, in parts of about this many bytes; see `read`.

    Of standard input, and of other pipes, parts are smaller if nothing comes for half a second. A
    file without tokens has no parts.
    """
    options = LayoutOptions.of(format, names, layout, only)
    return (part for source in _sources(files) for part in _parts(source, options, size))


def _parts(source: Source, options: LayoutOptions, size: int) -> Iterator[Part]:
    with open_stream(source) as stream:
        for block in cut_file(stream, source.name, options, size, True):
            tables = _Tables()
            tables.add(block)
            yield Part(
                tables.corpus(),
                block.text,
                block.cut.starts,
                block.cut.stops,
                tables.lines[0],
                source.name,
                block.detected.layout,
            )


def _sources(files: Files) -> list[Source]:
    if isinstance(files, Source):
        return [files]
    listed = [files] if isinstance(files, str | Path) else list(files)
    if not listed:
        raise ValueError("there is no file to read; name one")
    return expand(listed)


class _Tables:
    """The columns of blocks, each distinct value once."""

    def __init__(self) -> None:
        self.detected: FileLayout | None = None
        self.file, self.n_tokens = "", 0
        self.lines: list[Array] = []
        self._offsets: list[Array] = [np.zeros(1, np.int64)]
        self._values: dict[str, Vocabulary] = {}
        self._codes: dict[str, list[Array]] = {}

    def add(self, block: Lines) -> None:
        """Add the tokens of a block."""
        names = [name for _, name in block.detected.kept]
        if self.detected is None:
            self.detected, self.file = block.detected, block.file
            self._values = {name: Vocabulary() for name in names}
            self._codes = {name: [] for name in names}
        elif names != list(self._values):
            problem = (
                f"the columns are {', '.join(names)}; in {self.file} {', '.join(self._values)}"
            )
            raise DataError(block.file, block.detected.line, None, problem)
        letters, cut = np.frombuffer(block.text, np.uint8), block.cut
        for row, name in enumerate(names):
            try:
                codes = self._values[name].intern_slices(letters, cut.begins[row], cut.ends[row])
            except ValueError as error:  # there are too many
                raise DataError(block.file, None, None, f"column {name!r}: {error}") from None
            self._codes[name].append(codes.astype(np.int32))
        self.lines.append(cut.lines + (block.before + 1))
        self._offsets.append(cut.offsets[1:] + self.n_tokens)
        self.n_tokens += len(cut.starts)

    def corpus(self) -> Corpus:
        """Return all that was added."""
        columns = {
            name: Column(**values.arrays(), codes=np.concatenate(self._codes[name]))
            for name, values in self._values.items()
        }
        return Corpus(columns, np.concatenate(self._offsets))
