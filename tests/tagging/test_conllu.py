"""CoNLL-U: its tokens, how it is recognised, its errors."""

import gzip

import pytest

from rosenblatt.tagging import conll, file_layout
from rosenblatt.tagging.conll import Layout
from rosenblatt.tagging.file_layout import TEN

from .conll_inputs import all_tokens, numbered, refused, tokens


def other(number, word="w"):
    return numbered(word).replace("1", number, 1)


def test_tokens_of_conllu(file):
    comments = "# newdoc\r\n# text = de l'eau\n"
    text = comments + other("0.1") + other("1-2", "du") + numbered("de", "le", "# 3")
    text += other("3.1") + "\n\n#\n\n#c\n" + numbered("#")
    for name in ("f", "f.conllu", "f.conllu.gz"):
        read = conll.read(file(gzip.compress(text.encode()) if "gz" in name else text, name))
        assert read.layout == Layout("conllu", "\t", TEN)
        words = [[token[0] for token in part] for part in read.corpus]
        assert words == [["de", "le", "# 3"], ["#"]]
        assert read.lines.tolist() == [5, 6, 7, 14]
    assert all_tokens(file(text)) == all_tokens(file(text), size=1) == tokens(read)


def test_conllu_is_recognised(file):
    row = numbered("a")
    for text in (row, "#\n" + row, "\n# a\n\n# b\n" + other("1-2") + row, other("0.1") + row):
        for size in (1, 1 << 20):
            layouts = {part.layout.format for part in conll.parts(file(text), size=size)}
            assert layouts == {"conllu"}
    ten = "\t".join("abcdefghij")
    for text in ("# a A\n\nb b B\n", "# # A", f"{ten}\n", row.replace("\t_\n", "\n"), "# A\n\n# B"):
        assert conll.read(file(text)).layout.format == "columns"
    assert conll.read(file(row), format="columns").corpus.names[0] == "word"
    assert conll.read(file(row), format="columns").corpus[0][0][0] == "1"
    assert refused(file("a A\n", "a.conllu")).startswith(":1: 1 column here, and CoNLL-U has 10")


def test_lines_like_comments_do_not_wait_for_ever(file, monkeypatch):
    monkeypatch.setattr(file_layout, "_ENOUGH", 1 << 12)
    path = file("# A\n\n" * (1 << 11))
    first = next(conll.parts(path, size=1 << 8))
    assert len(first.text) == pytest.approx(1 << 12, rel=0.1)
    assert first.layout.format == "columns"


def test_names_of_conllu(file):
    path = file(numbered("a"))
    names = ("n", "form", *"________")
    assert conll.read(path, names=names).corpus[0] == [("1", "a")]
    assert conll.read(path, names=names, only=["form"]).corpus[0] == ["a"]
    problem = ":1: the file has 10 columns, and names are given for 1: word"
    assert refused(path, names=["word"]) == problem


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (numbered("a", start=2), ':4:1: expected 1 as the number of this token, found: "2"'),
        (numbered("a", "b") + numbered("c"), ":6:1: expected 3 as"),
        (numbered("a") + numbered("c", start=3), ":5:1: expected 2 as the number of this token, f"),
        (other("01"), ":4:1: expected 1 as"),
        (other("9" * 40), ":4:1: expected 1 as"),
        (other("1-"), ':4:1: expected 1 as the number of this token, found: "1-"'),
        (other("1.2.3"), ":4:1: expected 1 as"),
        (other("1 "), ':4:1: expected 1 as the number of this token, found: "1 "'),
        (other("x"), ":4:1: expected 1 as"),
        (numbered("a") + "# b\n", ":5: a comment may only stand before a sentence, and this is wi"),
        (other("1-2") + "# b\n", ":5: a comment may only stand before a sentence"),
        (numbered("a").replace("\t", " "), ":4: 1 column here, and CoNLL-U has 10 with a tab betw"),
        (numbered("a").replace("\t_\n", "\n"), ":4: 9 columns here, and CoNLL-U has 10"),
        (numbered(""), ":4:3: column 2 is empty"),
    ],
)
def test_errors_of_conllu(file, lines, problem):
    assert problem in refused(file("# a\n" + numbered("a") + "\n" + lines))
