"""CoNLL text: what its lines are, where parts are cut, and every error says where."""

import gzip
from types import SimpleNamespace

import pytest

from rosenblatt.datasets.files import folder
from rosenblatt.readers import lines as conll_text
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.sources import expand
from rosenblatt.tagging import conll
from rosenblatt.tagging import conll as conll_lines
from rosenblatt.tagging.conll import Layout
from rosenblatt.tagging.file_layout import TEN

from .conll_inputs import all_tokens, numbered, refused, tokens

# Real files


@pytest.mark.slow
def test_conll2000_is_what_the_plain_reader_finds(dataset):
    data = dataset("conll2000")
    path = folder() / "conll2000" / "train.txt.gz"
    read = conll.read(path)
    assert read.layout == Layout("columns", " ", ("word", "pos", "tag"))
    assert read.place(0) == f"{path}:1"
    assert [tuple(map(tuple, part)) for part in plain(read, ("word", "pos"))] == data.X.tolist()
    assert [tuple(tag for (tag,) in part) for part in plain(read, ("tag",))] == data.y.tolist()
    both = [path, folder() / "conll2000" / "test.txt.gz"]
    assert conll.read(both).corpus.n_tokens == 211_727 + 47_377
    assert sum(part.corpus.n_tokens for part in conll.parts(both, size=1 << 14)) == 259_104


@pytest.mark.slow
def test_ewt_is_what_the_plain_reader_finds(dataset):
    data = dataset("ud_english_ewt")
    path = folder() / "ud_english_ewt" / "en_ewt-ud-dev.conllu.gz"
    read = conll.read(path)
    assert read.layout == Layout("conllu", "\t", TEN)
    assert read.corpus.names == TEN[1:]
    words = [tuple(map(tuple, part)) for part in plain(read, ("word",))]
    assert words == data.X_validation.tolist()
    tags = [tuple(tag for (tag,) in part) for part in plain(read, ("upos",))]
    assert tags == data.y_validation.tolist()
    some = conll.read(path, only=("upos", "word"))
    assert some.corpus.names == ("word", "upos")
    assert plain(some, ("word",)) == plain(read, ("word",))


def plain(read, names):
    part = SimpleNamespace(corpus=read.corpus.only(names), lines=read.lines)
    return [[row for _, row in sentence] for sentence in tokens(part)]


# What the lines are


def test_fields_and_sentences(file):
    text = "\n \t\n\r\nThe  DT O \n\tcat\tNN   B\r\n \t \r\n\n# # O\n-DOCSTART- -X- O"
    read = conll.read(file(text))
    assert [[token[0] for token in part] for part in read.corpus] == [
        ["The", "cat"],
        ["#", "-DOCSTART-"],
    ]
    assert read.corpus[0] == [("The", "DT", "O"), ("cat", "NN", "B")]
    assert read.lines.tolist() == [4, 5, 8, 9]
    assert all_tokens(file(text)) == tokens(read)


def test_columns_between_tabs_may_have_blanks(file):
    read = conll.read(file("New York\tB\r\n is \tO\r\n"))
    assert read.layout == Layout("columns", "\t", ("word", "tag"))
    assert read.corpus[0] == [("New York", "B"), (" is ", "O")]


def test_other_spaces_are_letters(file):
    odd = "a\u00a0b\u3000c\u2028d\x0be\x0cf\x1cg\x85h"
    for text in (f"{odd} O\n\u00a0 O\n", f"{odd}\tO\n\u00a0\tO\n"):
        assert conll.read(file(text)).corpus[0] == [(odd, "O"), ("\u00a0", "O")]


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r", "\r\n", "\r\r\n", "\n \n\t\n", "\n\r"])
def test_ends_of_files(file, end):
    for mark in ("", "\ufeff"):
        path = file(f"{mark}a A\r\n\r\nb B{end}")
        assert all_tokens(path) == [[(1, ["a", "A"])], [(3, ["b", "B"])]]
        assert all_tokens(path, size=1) == all_tokens(path)
        first = next(conll.parts(path))
        lines = zip(first.starts, first.stops, strict=True)
        assert [first.text[start:stop] for start, stop in lines] == [b"a A", b"b B"]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_files_without_tokens(file, mark):
    for content in ("", "\n", "\n\r\n  \n\t"):
        path = file(mark + content)
        assert list(conll.parts(path)) == list(conll.parts(path, size=1)) == []
        with pytest.raises(DataError, match=r"f: there are no tokens in it$"):
            conll.read([file("a A", "g"), path])
    path = file(mark + "# a\n\n# b\n", "f.conllu")
    assert list(conll.parts(path)) == list(conll.parts(path, size=1)) == []


def test_what_follows_the_last_sentence_is_a_part_too(file):
    path = file("# a\n\n" + numbered("a", "b") + "\n# c\n\n# d")
    parts = list(conll.parts(path, size=1))
    assert [part.corpus.n_tokens for part in parts] == [2, 0]
    assert parts[0].text.startswith(b"# a\n\n1\ta")
    assert b"".join(part.text for part in parts) == path.read_bytes()
    assert len(parts[1].corpus) == 0
    assert parts[1].corpus.names == TEN[1:]


def test_comments_without_sentences_are_looked_at_once(file, monkeypatch):
    comments = "# a\n\n# b\n\n" * 1000
    path = file("\ufeff" + comments + numbered("a", "b") + "\n" + comments, "f.conllu")
    looked_at = []
    cut, check = conll_lines._cut, conll_lines.check_letters
    monkeypatch.setattr(conll_lines, "_cut", lambda t, *a: looked_at.append(len(t)) or cut(t, *a))
    monkeypatch.setattr(
        conll_lines, "check_letters", lambda t, *a: looked_at.append(len(t)) or check(t, *a)
    )
    parts = list(conll.parts(path, size=100))
    assert sum(looked_at) == 2 * path.stat().st_size
    assert len(looked_at) > 100
    assert [part.lines.tolist() for part in parts] == [[4001, 4002], []]
    assert all_tokens(path, size=100) == all_tokens(path)
    path = file(comments + numbered("a", start=2), "f.conllu")
    assert refused(path, format="conllu").startswith(":4001:1: expected 1 as the number")
    with pytest.raises(DataError, match=r":4001:1: expected 1 as the number"):
        list(conll.parts(path, size=100))
    path = file((comments + "# a\0\n" + numbered("a")).encode(), "f.conllu")
    with pytest.raises(DataError, match=r":4001:4: here is a zero byte"):
        list(conll.parts(path, size=100))


def test_very_long_sentences(file):
    words = [f"word{k % 1000} T{k % 7}" for k in range(150_000)]
    path = file("a A\n\n" + "\n".join(words) + "\n\nb B")
    assert conll.read(path).corpus.lengths.tolist() == [1, 150_000, 1]
    assert [part.corpus.n_tokens for part in conll.parts(path, size=1000)] == [1, 150_000, 1]


def test_numbers_of_columns(file):
    for row, names in {
        "a": ("word",),
        "a b": ("word", "tag"),
        "a b c": ("word", "pos", "tag"),
        "a b c d": ("word", "pos", "chunk", "tag"),
        "a b c d e f": ("word", "column2", "column3", "column4", "column5", "tag"),
    }.items():
        read = conll.read(file(f"{row}\n"))
        assert read.corpus.names == read.layout.names == names


def test_names_of_columns(file):
    path = file("a b c\n")
    read = conll.read(path, names=["form", "-", "ner"])
    assert read.corpus[0] == [("a", "c")]
    assert read.corpus.names == ("form", "ner")
    assert conll.read(path, layout=read.layout).corpus.names == ("form", "ner")
    assert conll.read(path, names=("-", "word", "_")).corpus[0] == ["b"]
    assert conll.read(path, only=["tag"]).corpus[0] == ["c"]
    problem = ":1: the file has 3 columns, and names are given for 2: word, tag"
    assert refused(path, names=["word", "tag"]) == problem
    assert refused(path, layout=Layout("columns", "\t", ("word", "tag"))).startswith(
        ":1: the file has 1 column, and"
    )
    problem = ": there is no column 'upos'; the columns are word, pos, tag"
    assert refused(path, only=("word", "upos")) == problem
    for options, problem in {
        ("names", ("a", "a", "b")): "two columns are called 'a'",
        ("names", ("-", "_", "-")): "every column is left out",
        ("format", "conll"): "format='conll' must be auto, columns or conllu",
    }.items():
        for read in (conll.read, conll.parts):
            with pytest.raises(ValueError, match=problem):
                read(path, **dict([options]))
    with pytest.raises(ValueError, match="give one or the other"):
        conll.read(path, layout=Layout("columns", " ", ("a", "b", "c")), names=("a", "b", "c"))


def test_blanks_where_the_layout_says_so(file):
    layout = Layout("columns", " ", ("word", "tag"))
    assert conll.read(file("a\tb\n"), layout=layout).corpus[0] == [("a", "b")]


# Several files


def test_several_files_are_one_corpus(file, tmp_path):
    one, two = file("a A\nb B\n\nc C\n", "1"), file("\n\na\tC\nd\tA\n", "2")
    packed = tmp_path / "3.gz"
    packed.write_bytes(gzip.compress(b"c C"))
    read = conll.read([one, two, packed])
    assert [list(part) for part in read.corpus] == [
        [("a", "A"), ("b", "B")],
        [("c", "C")],
        [("a", "C"), ("d", "A")],
        [("c", "C")],
    ]
    assert read.corpus.columns["word"].values() == ["a", "b", "c", "d"]
    places = [f"{one}:1", f"{one}:2", f"{one}:4", f"{two}:3", f"{two}:4", f"{packed}:1"]
    assert [read.place(k) for k in range(6)] == places
    parts = list(conll.parts(str(tmp_path / "*")))
    assert [part.place(part.corpus.n_tokens - 1) for part in parts] == [
        places[k] for k in (2, 4, 5)
    ]
    assert [part.layout.separator for part in parts] == [" ", "\t", " "]
    assert tokens(next(conll.parts(expand([two])[0]))) == tokens(parts[1])


def test_files_must_have_the_same_columns(file):
    one, two = file("a A\n", "1"), file("\na P A\n", "2")
    with pytest.raises(DataError) as error:
        conll.read([one, two])
    problem = f"{two}:2: the columns are word, pos, tag; in {one} word, tag"
    assert str(error.value) == problem
    assert len(list(conll.parts([one, two]))) == 2
    with pytest.raises(ValueError, match="there is no file to read"):
        conll.read([])
    with pytest.raises(FileNotFoundError):
        conll.parts("nowhere")


# What is wrong


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a A", ':7: 2 columns here, and 3 in line 2: "a A"'),
        ("a", ':7: 1 column here, and 3 in line 2: "a"'),
        (" a P A B\r", ':7: 4 columns here, and 3 in line 2: " a P A B"'),
        ("# text", ':7: 2 columns here, and 3 in line 2; # does not start a comment: "# text"'),
        ("ä P \0A", ":7:5: here is a zero byte; is this a file of text?"),
        ("ä\rP A", ":7:2: here is a carriage return within a line; if lines end with it, convert"),
        (b"\xc3\xa4 P \xe9A", ":7:5: this is not UTF-8; convert the file, for example with iconv"),
        (b"a P \xe9A\n", r'-f latin1 -t utf-8, found: "\xe9A"'),
        (b"a P \xed\xa0\x80\n", ":7:5: this is not UTF-8"),
        (b"a P \xc3", ":7:5: this is not UTF-8"),
    ],
)
def test_errors_say_where_and_what(file, line, problem):
    line = line.encode() if isinstance(line, str) else line
    path = file(b"\nthe P A\r\n\ncat P A\n\ndog P A\n" + line + b"\na P A\n")
    assert problem in refused(path)
    assert problem in refused(path, format="columns", names=("word", "pos", "tag"))
    with pytest.raises(DataError) as error:
        list(conll.parts(path, size=5))
    assert problem in str(error.value)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a\t\tA", ":3:3: column 2 is empty; write _ for no value"),
        ("\tP\tA", ":3:1: column 1 is empty"),
        ("ä\tP\t", ":3:5: column 3 is empty"),
        ("a\tA", ':3: 2 columns here, and 3 in line 1: "a\\tA"'),
        ("a P A", ':3: 1 column here, and 3 in line 1: "a P A"'),
    ],
)
def test_errors_between_tabs(file, line, problem):
    assert problem in refused(file(f"New York\tP\tA\n\n{line}\n"))


def test_errors_of_first_lines(file):
    assert refused(file("# id 1\na A\n")).startswith(
        ":2: 2 columns here, and 3 in line 1; # does not start a comment"
    )
    assert "looks like UTF-16" in refused(file("a A\n".encode("utf-16")))
    assert ":1:2: here is a zero byte" in refused(file("a A\n".encode("utf-16-le")))
    assert ":1:2: this is not UTF-8" in refused(file(b"\xef\xbb\xbfa\xff A\n"))
    assert ":1:4: here is a carriage return" in refused(file("a A\rb B\r\rc C\r"))


def test_a_line_without_end_is_refused(file, monkeypatch):
    monkeypatch.setattr(conll_text, "LONGEST", 1 << 20)
    path = file("a A\n\nb B\n" + "x" * ((1 << 20) - 2) + " A\nc C\n")
    assert len(all_tokens(path, size=1 << 14)[1]) == 3
    path = file("a A\n\nb B\n" + "x" * ((1 << 20) - 1) + " A\nc C\n")
    for size in (1 << 14, 10_007, 1 << 20):
        with pytest.raises(DataError, match=r'f:4: the line is longer than 1 MiB; it begins: "xxx'):
            list(conll.parts(path, size=size))


def test_a_sentence_without_end_is_refused(file, monkeypatch):
    monkeypatch.setattr(conll_text, "LARGEST", 1 << 20)
    path = file("a A\n\n" + "b B\n" * (1 << 19))
    with pytest.raises(DataError, match=r'f:3: no blank line ends a sentence in 1 MiB.*: "b B'):
        list(conll.parts(path, size=1 << 14))
