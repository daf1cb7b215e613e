"""Tagged sentences as text, a block at a time: the lines with tags in them, or JSON."""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.prediction.model_files import OpenTagger
from rosenblatt.readers.blocks import SHOWN, DataError
from rosenblatt.readers.lines import BYTE_ORDER_MARK, check_letters, line_ends
from rosenblatt.readers.sources import Source, expand, open_stream
from rosenblatt.tagging.conll import Part, parts
from rosenblatt.tagging.corpus import WORD, Corpus
from rosenblatt.tagging.file_layout import CONLLU, TEN, corpus_of
from rosenblatt.tagging.input import confidence_of
from rosenblatt.tagging.tokenize import sentences as split_sentences

_PIECE = 1 << 16  # bytes that are read at once
_ENOUGH = 1 << 20  # bytes of a paragraph that are held, before sentences of it are handed on
_MOST = 1 << 24  # bytes without a blank
_BLANKS = b" \t\r"
_TAB = 9
_END = 256  # bytes that say whether a file ends with an empty line
_CONFIDENCE = "# confidence = "


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


class TagWriter:
    """Tags sentences, and writes them.

    Parameters
    ----------
    tagger : OpenTagger
        The model.
    confidence : bool
        Whether to write how far a sentence's tags are ahead.
    as_json : bool
        An object a sentence, rather than lines.
    """

    def __init__(self, tagger: OpenTagger, confidence: bool, as_json: bool) -> None:
        self.tagger, self.confidence, self.as_json = tagger, confidence, as_json
        self.tokens = self.sentences = 0
        self._tags = tagger.tags
        inputs = tagger.reading.inputs
        self._word = WORD if WORD in inputs else inputs[0]
        # Columns without a value that the model knows, so far; words may well be new.
        self.unknown = {*inputs} - {self._word}

    def files(
        self,
        files: Sequence[str],
        format: str,  # noqa: A002
        names: Sequence[str] | None,
    ) -> Iterator[bytes]:
        """Yield the lines of files with tags."""
        end, file, line = b"", "", 0
        for part in parts(files, format=format):
            first = int(part.lines[0]) if len(part.lines) else line + 1
            if file and (part.file != file or first <= line) and not self.as_json:  # another one
                yield _apart(end)
                part, end = _without_mark(part), b""
            piece = self._part(part, names)
            yield piece
            end = (end + piece[-_END:])[-_END:]
            file, line = part.file, int(part.lines[-1]) if len(part.lines) else line

    def text(self, files: Sequence[str]) -> Iterator[bytes]:
        """Yield the words of plain text with tags."""
        inputs = self.tagger.reading.inputs
        if len(inputs) > 1:
            raise ValueError(
                f"{self.tagger.path} looks at {', '.join(inputs)}, and plain text has words only; "
                "give it files with these columns, or train a tagger that looks at words alone "
                "(rosenblatt tag train --columns)"
            )
        for source in expand(files):
            for sentences in paragraphs(source):
                corpus = Corpus.from_sequences(sentences, inputs)
                codes, ahead = self._tag(corpus)
                if self.as_json:
                    yield self._objects(corpus, codes, ahead)
                else:
                    yield self._words(sentences, corpus, codes, ahead)

    def _tag(self, corpus: Corpus) -> tuple[Array, Array | None]:
        """Return the number of each token's tag, and how far each sentence is ahead."""
        self.tokens += corpus.n_tokens
        self.sentences += len(corpus)
        if self.unknown:
            self.unknown &= {*self.tagger.model.unknown_columns(corpus)}
        if not (self.confidence or self.as_json):
            return self.tagger.model.codes(corpus), None
        codes, gaps = self.tagger.model.codes_and_gaps(corpus)
        return codes, confidence_of(gaps, corpus.offsets)

    def _part(self, part: Part, names: Sequence[str] | None) -> bytes:
        if not part.corpus.n_tokens:  # what follows a sentence
            return b"" if self.as_json else part.text
        reading = self.tagger.reading
        places = reading.find(part.layout, names, part.file, False)
        wanted = {name: places[name] for name in reading.inputs}
        corpus = corpus_of(part.corpus, part.layout, wanted)
        codes, ahead = self._tag(corpus)
        if self.as_json:
            return self._objects(corpus, codes, ahead)
        if part.layout.format != CONLLU:
            return self._appended(part, codes, ahead)
        if reading.tag not in places:
            raise DataError(
                part.file, None, None, f"CoNLL-U has no column {reading.tag!r}, as the tags are "
                f"called; --json needs none{reading.hint(part.layout, names or TEN, False)}"
            )  # fmt: skip
        return self._replaced(part, places[reading.tag], codes, ahead)

    def _appended(self, part: Part, codes: Array, ahead: Array | None) -> bytes:
        """Write a tag, and how far its sentence is ahead, behind each line."""
        between = part.layout.separator
        more = [_bytes(f"{between}{tag}") for tag in self._tags]
        added = [more[code] for code in codes.tolist()]
        if ahead is not None:
            each = [f"{between}{value:.6g}".encode() for value in ahead.tolist()]
            lengths = part.corpus.lengths.tolist()
            gaps = [gap for gap, n in zip(each, lengths, strict=True) for _ in range(n)]
            added = [tag + gap for tag, gap in zip(added, gaps, strict=True)]
        return _woven(part.text, part.stops, part.stops, added)

    def _replaced(self, part: Part, place: int, codes: Array, ahead: Array | None) -> bytes:
        """Write tags in place of a column, and how far sentences are ahead in comments."""
        starts, stops = _fields(part, place)
        values = [_bytes(tag) for tag in self._tags]
        added = [values[code] for code in codes.tolist()]
        if ahead is not None:
            firsts, heads = part.corpus.offsets[:-1], _heads(part)
            end = "\r\n" if b"\r\n" in part.text else "\n"
            comments = [f"{_CONFIDENCE}{value:.6g}{end}".encode() for value in ahead.tolist()]
            starts, stops = np.insert(starts, firsts, heads), np.insert(stops, firsts, heads)
            both = np.insert(np.array(added, object), firsts, np.array(comments, object))
            added = both.tolist()
        return _woven(part.text, starts, stops, added)

    def _words(
        self, sentences: list[list[str]], corpus: Corpus, codes: Array, ahead: Array | None
    ) -> bytes:
        """Write words and tags with a tab between them, and an empty line after each sentence."""
        ends = [f"\t{tag}\n" for tag in self._tags]
        behind = [ends[code] for code in codes.tolist()]
        lines = []
        for k, (words, (a, b)) in enumerate(
            zip(sentences, pairwise(corpus.offsets.tolist()), strict=True)
        ):
            added = behind[a:b]
            if ahead is not None:
                added = [f"{tag[:-1]}\t{ahead[k]:.6g}\n" for tag in added]
            lines += [word + tag for word, tag in zip(words, added, strict=True)]
            lines.append("\n")
        return "".join(lines).encode("utf-8", "backslashreplace")

    def _objects(self, corpus: Corpus, codes: Array, ahead: Array | None) -> bytes:
        assert ahead is not None
        column = corpus.columns[self._word]
        values, tags = column.values(), self._tags
        words = [values[code] for code in column.codes.tolist()]
        found = [tags[code] for code in codes.tolist()]
        lines = []
        for (a, b), gap in zip(pairwise(corpus.offsets.tolist()), ahead.tolist(), strict=True):
            record: dict[str, Any] = {"tokens": words[a:b], "tags": found[a:b]}
            record["confidence"] = gap if np.isfinite(gap) else None
            lines.append(json.dumps(record, ensure_ascii=False) + "\n")
        return "".join(lines).encode("utf-8", "backslashreplace")


def _woven(text: bytes, starts: Array, stops: Array, added: list[bytes]) -> bytes:
    """Put something in place of slices of a text, which may be empty."""
    kept = zip([0, *stops.tolist()], [*starts.tolist(), len(text)], strict=True)
    out: list[bytes] = [b""] * (2 * len(added) + 1)
    out[::2], out[1::2] = [text[a:b] for a, b in kept], added
    return b"".join(out)


def _fields(part: Part, place: int) -> tuple[Array, Array]:
    """Return where a column of each token starts and stops; a tab is between columns."""
    tabs = np.flatnonzero(np.frombuffer(part.text, np.uint8) == _TAB)
    first = np.searchsorted(tabs, part.starts)
    starts = tabs[first + place - 1] + 1
    last = place == len(part.layout.names) - 1
    return starts, part.stops if last else tabs[first + place]


def _heads(part: Part) -> Array:
    """Return where the lines of each sentence of CoNLL-U begin, behind its comments."""
    text, heads = part.text, []
    for first in part.corpus.offsets[:-1].tolist():
        # Lines of several tokens, and of some that are not in the text, may stand before the first.
        stop = int(part.starts[first])
        least = int(part.stops[first - 1]) if first else _mark(text)
        while stop > least:
            start = max(text.rfind(b"\n", least, stop - 1) + 1, least)
            line = text[start:stop]
            if line.startswith(b"#") or not line.strip(b" \t\r\n"):
                break
            stop = start
        heads.append(stop)
    return np.array(heads, np.int64)


def _apart(end: bytes) -> bytes:
    """Return what a text lacks that ends so, before another file may follow."""
    lines = end[len(end.rstrip(b" \t\r\n")) :].count(b"\n")
    return b"\n" * max(0, 2 - lines)


def _without_mark(part: Part) -> Part:
    """Leave out a byte order mark, which may stand only at the start of what is written."""
    cut = _mark(part.text)
    return part._replace(text=part.text[cut:], starts=part.starts - cut, stops=part.stops - cut)


def _mark(text: bytes) -> int:
    return len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0


def _bytes(tag: str) -> bytes:
    return tag.encode("utf-8", "backslashreplace")
