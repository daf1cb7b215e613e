"""``rosenblatt tag apply --text``: plain text, cut into sentences and words."""

import json
from pathlib import Path

import pytest

from rosenblatt import load
from rosenblatt.readers.sources import Source
from rosenblatt.tagging.tokenize import sentences
from tests.cli.test_tag_apply import apply


def test_plain_text(ros, folder):
    text = Path("letter.txt").read_text()
    cut = sentences(text)
    tags = load("pos.model").predict(cut)
    pairs = [list(zip(*both, strict=True)) for both in zip(cut, tags, strict=True)]
    expected = "".join(
        "".join(f"{word}\t{tag}\n" for word, tag in tokens) + "\n" for tokens in pairs
    )
    assert apply(ros, "pos.model", "letter.txt", "--text") == expected
    assert apply(ros, "pos.model", "--text", stdin="\ufeff" + text) == expected
    found = apply(ros, "pos.model", "letter.txt", "--text", "--json").splitlines()
    assert [json.loads(line)["tokens"] for line in found] == cut
    out = apply(ros, "pos.model", "letter.txt", "--text", "--confidence").split("\n")
    assert ["\t".join(line.split("\t")[:2]) for line in out] == expected.split("\n")
    assert len(out[0].split("\t")) == 3
    assert apply(ros, "pos.model", "--text", stdin=" \n\n") == ""
    done = ros("tag", "apply", "chunks.model", "letter.txt", "--text", code=1)
    assert "chunks.model looks at word, pos, and plain text has words only" in done.err


@pytest.mark.parametrize("piece", [1, 7, 64])
@pytest.mark.parametrize("enough", [1, 50, 1 << 20])
def test_plain_text_in_pieces_is_the_same(monkeypatch, folder, piece, enough):
    from rosenblatt.prediction import tagger_output

    monkeypatch.setattr(tagger_output, "_PIECE", piece)
    monkeypatch.setattr(tagger_output, "_ENOUGH", enough)
    text = (
        "Mr. Smith saw it. Thé 貓 sat\non the mat. \u2028 And so on!\n \t\n\n"
        "No end here\r\n\r\nWhy?  Yes. “Well” (he said). Done"
    )
    path = Path("odd.txt")
    path.write_bytes(text.encode())
    found = list(tagger_output.paragraphs(Source("odd.txt", path, path.stat().st_size)))
    assert all(found)
    # What may go on is held back, unless a paragraph of one sentence is longer than there is room.
    whole = [sentence for part in found for sentence in part]
    if enough > 1:
        assert whole == sentences(text)
    assert [word for sentence in whole for word in sentence] == [
        word for sentence in sentences(text) for word in sentence
    ]
    assert piece > 8 or enough <= 50 or len(found) == 3


def test_a_word_without_end(ros, folder, monkeypatch):
    from rosenblatt.prediction import tagger_output

    monkeypatch.setattr(tagger_output, "_ENOUGH", 1 << 10)
    monkeypatch.setattr(tagger_output, "_MOST", 1 << 20)
    Path("x.txt").write_bytes(b"x" * (1 << 21))
    done = ros("tag", "apply", "pos.model", "x.txt", "--text", code=1)
    assert 'x.txt:1: there is no blank in 1 MiB; they begin: "xxx' in done.err


def test_plain_text_that_is_none(ros, folder):
    Path("latin.txt").write_bytes(b"One.\n\nThe \xe9l\xe8ve.\n")
    done = ros("tag", "apply", "pos.model", "latin.txt", "--text", code=1)
    assert "latin.txt:3:5: this is not UTF-8" in done.err
