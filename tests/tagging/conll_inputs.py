"""CoNLL files for tests: reading them back, and small ones with mutated lines for fuzz runs."""

import io
import random
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.sources import Source
from rosenblatt.tagging import conll
from rosenblatt.tagging.conll import cut_file
from rosenblatt.tagging.file_layout import LayoutOptions
from tests.readers.mutations import mutated

PLAIN = [
    b"The DT O",
    b"cat  NN\tB-NP",
    b" # # I-NP ",
    b"-DOCSTART- -X- O\r",
    "naïve\u00a0Zoë JJ B-ADJP".encode(),
    b"sat VBD O",
    b"",
    b"",
    b" \t",
    b"\r",
]
TABBED = [
    b"New York\tNNP\tB-LOC",
    b"is\tVBZ\tO",
    b" # \t#\t#\r",
    "l’été\tNN\t\u3000".encode(),
    b"",
    b"",
    b"\t",
]
_REST = b"\tNOUN\tNN\tNumber=Sing\t0\troot\t_\tSpaceAfter=No"
NUMBERED = [
    b"# text = The cat",
    b"#",
    *(b"%d\tcat\tcat" % k + _REST for k in (1, 1, 1, 1, 2, 2, 2, 3)),
    b"1-2\tdu\t_" + _REST,
    b"1.1\tcat\tcat" + _REST + b"\r",
    b"",
    b"",
    b" ",
]


def texts(lines, count, seed=0):
    """Yield small files of one to nine lines; half of them have no line that is changed."""
    rng = random.Random(seed)
    for _ in range(count):
        chosen = [rng.choice(lines) for _ in range(rng.randint(1, 9))]
        if rng.random() < 0.3:
            chosen.sort(key=lambda line: line[:1].isdigit())
        if rng.random() < 0.5:
            k = rng.randrange(len(chosen))
            chosen[k] = mutated(chosen[k], lines, rng)
        mark = b"\xef\xbb\xbf" if rng.random() < 0.1 else b""
        yield mark + rng.choice([b"\n", b"\n", b"\r\n"]).join(chosen) + b"\n" * rng.randint(0, 2)


def tokens(part):
    """The lines and the columns of each token, sentence by sentence."""
    corpus, columns = part.corpus, []
    for column in corpus.columns.values():
        values = column.values()
        assert len(set(values)) == len(values)
        assert column.codes.dtype == np.int32
        columns.append([values[code] for code in column.codes.tolist()])
    rows = list(zip(part.lines.tolist(), map(list, zip(*columns, strict=True)), strict=True))
    offsets = corpus.offsets.tolist()
    assert offsets[0] == 0
    assert offsets[-1] == len(rows)
    return [rows[a:b] for a, b in pairwise(offsets)]


def all_tokens(path, **options):
    """The tokens of all parts; what parts say of their text must be true."""
    found, text = [], b""
    for part in conll.parts(path, **options):
        found += tokens(part)
        assert len(part.starts) == len(part.stops) == len(part.lines) == part.corpus.n_tokens
        for line, start, stop in zip(part.lines, part.starts, part.stops, strict=True):
            before = text + part.text[:start]
            assert before.count(b"\n") == line - 1
            assert before in (b"", b"\xef\xbb\xbf") or before.endswith(b"\n")
            assert part.text[stop:].lstrip(b"\r")[:1] in (b"", b"\n")
            assert not part.text[start:stop].endswith(b"\r")
        text += part.text
    assert text == path.read_bytes() or not found
    return found


def refused(path, **options):
    """The error of `read`, which is the one of `parts` too."""
    with pytest.raises(DataError) as error:
        conll.read(path, **options)
    with pytest.raises(DataError) as same:
        list(conll.parts(path, **options))
    assert str(same.value) == str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(str(path))


class Pieces(io.BytesIO):
    """Bytes that come in pieces."""

    source = Source("f", None, 0)


def by_reader(content, layout, size):
    asked = LayoutOptions.of("auto", None, layout, None)
    found, wrong = [], None
    try:
        for block in cut_file(Pieces(content), "f", asked, size, False):
            tables = conll._Tables()
            tables.add(block)
            found += tokens(SimpleNamespace(corpus=tables.corpus(), lines=tables.lines[0]))
    except DataError as error:
        wrong = error
    assert wrong is None or str(wrong).startswith("f:")
    return found if wrong is None else wrong


def numbered(*words, start=1):
    """Write lines of CoNLL-U."""
    rest = "\t".join("_" * 8)
    return "".join(f"{k}\t{word}\t{rest}\n" for k, word in enumerate(words, start))
