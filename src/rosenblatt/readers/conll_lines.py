"""CoNLL text cut into fields, a block of whole sentences at a time."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.conll import EMPTY, OK, RAGGED, Cut, cut_tokens, room_for
from rosenblatt.readers.blocks import SHOWN, DataError
from rosenblatt.readers.chunks import LONGEST
from rosenblatt.readers.conll_layout import BYTE_ORDER_MARK, CONLLU, Asked, Found, counted
from rosenblatt.readers.conll_text import blocks, check_letters, line_ends
from rosenblatt.readers.sources import Stream


class Lines(NamedTuple):
    """Whole sentences of a file, cut into fields; and how many lines there are before them."""

    text: bytes
    cut: Cut
    before: int
    file: str
    found: Found


def cut_file(stream: Stream, file: str, asked: Asked, size: int, patience: bool) -> Iterator[Lines]:
    """Yield a file in blocks with tokens, and what follows the last one, if there is one.

    Where very much without tokens stands between sentences, it is a block of its own.
    """
    found, some, text = None, False, b""
    held: list[bytes] = []  # cut already, and without tokens
    before = lines = seen = 0  # lines before these, before the text, and before the next piece
    for piece, last in blocks(stream, file, size, patience):
        check_letters(piece, file, seen)
        blank = found is None and not text and _is_blank(piece, seen)
        seen += line_ends(piece)
        if blank:
            held.append(piece)
            lines = seen
            continue
        text += piece
        found = found or asked.find(text, file, last, lines)
        if found is None or not (text or held):
            continue
        cut = _cut(text, file, lines, found)
        held.append(text)
        if len(cut.starts) or (some and (last or sum(map(len, held)) >= LONGEST)):
            whole = b"".join(held)
            cut = _moved(cut, len(whole) - len(text), lines - before)
            yield Lines(whole, cut, before, file, found)
            before, held, some = seen, [], True
        text, lines = b"", seen


def _is_blank(piece: bytes, before: int) -> bool:
    """Say whether a piece of a text, with so many lines before it, has blank lines only."""
    return not piece.removeprefix(b"" if before else BYTE_ORDER_MARK).strip(b" \t\r\n")


def _cut(text: bytes, file: str, before: int, found: Found) -> Cut:
    """Cut lines into fields; raise `DataError` where a line is not as the others."""
    letters = np.frombuffer(text, np.uint8)
    start = len(BYTE_ORDER_MARK) if not before and text.startswith(BYTE_ORDER_MARK) else 0
    format, separator, names = found.layout  # noqa: A001
    columns = np.full(len(names), -1)
    columns[[place for place, _ in found.kept]] = np.arange(len(found.kept))
    cut = room_for(line_ends(text) + 1, len(found.kept))
    n, sentences = cut_tokens(letters, start, separator == "\t", format == CONLLU, columns, cut)
    if cut.wrong[0] != OK:
        raise _problem(text, cut, file, before, found)
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
    """Return where the same tokens are in a text with so many bytes and lines before them."""
    if not size:
        return cut
    return cut._replace(
        starts=cut.starts + size,
        stops=cut.stops + size,
        lines=cut.lines + lines,
        begins=cut.begins + size,
        ends=cut.ends + size,
    )


def _problem(text: bytes, cut: Cut, file: str, before: int, found: Found) -> DataError:
    """Say what is wrong with a line."""
    code, line, start, number = cut.wrong.tolist()
    whole = text[start:].split(b"\n", 1)[0].rstrip(b"\r").decode()
    width = len(found.layout.names)
    line += before + 1
    if code == EMPTY:
        column = len("\t".join(whole.split("\t")[:number])) + 1 + (number > 0)
        problem = f"column {number + 1} is empty; write _ for no value"
        return DataError(file, line, column, problem)
    if code != RAGGED:
        problem = f"expected {number} as the number of this token, found"
        return DataError(file, line, 1, problem, whole.partition("\t")[0])
    here = f"{counted(number, 'column')} here, and"
    if found.layout.format != CONLLU:
        comment = "; # begins no comment" if "#" in (whole[0], chr(found.first[0])) else ""
        problem = f"{here} {width} in line {found.line}{comment}"
    elif whole.startswith("#"):
        problem = "a comment may only stand before a sentence, and this is within one"
    else:
        problem = f"{here} CoNLL-U has {width} with a tab between them"
    return DataError(file, line, None, problem, whole[: 2 * SHOWN])
