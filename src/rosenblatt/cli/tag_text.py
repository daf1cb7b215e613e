"""Plain text as sentences, some paragraphs at a time: of any size, and from pipes as it comes."""

from collections.abc import Iterator

from rosenblatt.readers.blocks import SHOWN, DataError
from rosenblatt.readers.conll_layout import BYTE_ORDER_MARK
from rosenblatt.readers.conll_text import check_letters, line_ends
from rosenblatt.readers.sources import Source, open_stream
from rosenblatt.sequence.tokenize import sentences as split_sentences

_PIECE = 1 << 16  # bytes that are read at once
_ENOUGH = 1 << 20  # bytes of a paragraph that are held, before sentences of it are handed on
_MOST = 1 << 24  # bytes without a blank
_BLANKS = b" \t\r"


def paragraphs(source: Source) -> Iterator[list[list[str]]]:
    """Yield the sentences of a file, of some paragraphs at a time."""
    held, before = b"", 0
    with open_stream(source) as stream:
        buffer = memoryview(bytearray(_PIECE))
        while got := stream.readinto(buffer):
            held += bytes(buffer[:got])
            stop = _last_break(held, got)
            if stop:
                found = _sentences(held[:stop], source, before)
            elif len(held) >= _ENOUGH:
                stop = _last_blank(held, source, before)
                found, stop = _whole(_sentences(held[:stop], source, before), held[:stop])
            else:
                continue
            before += line_ends(held[:stop])
            held = held[stop:]
            if found:
                yield found
    found = _sentences(held, source, before)
    if found:
        yield found


def _sentences(text: bytes, source: Source, before: int) -> list[list[str]]:
    check_letters(text, source.name, before)
    # Lines without words are many in some files, and to strip them is a hundred times as fast.
    words = text.removeprefix(b"" if before else BYTE_ORDER_MARK).strip(_BLANKS + b"\n")
    return split_sentences(words.decode()) if words else []


def _last_break(held: bytes, new: int) -> int:
    """Return where the last paragraph begins, if one ended in the bytes that are new; else 0."""
    filled = len(held.rstrip(_BLANKS + b"\n"))
    if held.count(b"\n", filled) > 1:
        return held.rfind(b"\n") + 1
    stop = held.rfind(b"\n", 0, filled)
    while stop >= len(held) - new and (start := held.rfind(b"\n", 0, stop)) >= 0:
        if not held[start + 1 : stop].strip(_BLANKS):
            return stop + 1
        stop = start
    return 0


def _last_blank(held: bytes, source: Source, before: int) -> int:
    """Return where the last word begins, which may go on."""
    for sign in b"\n \t":
        place = held.rfind(bytes([sign])) + 1
        if place:
            return place
    if len(held) > _MOST:
        shown = held[: 2 * SHOWN].decode(errors="backslashreplace")
        problem = f"there is no blank in {_MOST >> 20} MiB; they begin"
        raise DataError(source.name, before + 1, None, problem, shown)
    return 0


def _whole(found: list[list[str]], text: bytes) -> tuple[list[list[str]], int]:
    """Return all sentences but the last, which may go on, and where in the text it begins.

    Words have all letters of a text but spaces. One sentence alone is taken for whole.
    """
    if len(found) < 2:
        return found, len(text)
    letters, missing = text.decode(), sum(map(len, found[-1]))
    place = len(letters)
    while missing:
        place -= 1
        missing -= not letters[place].isspace()
    return found[:-1], len(letters[:place].encode())
